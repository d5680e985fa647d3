"""The UCI table `yacht` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_yacht

SPEC = uci.tail(uci_yacht.SPEC)
