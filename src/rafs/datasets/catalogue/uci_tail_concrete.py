"""The UCI table `concrete` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_concrete

SPEC = uci.tail(uci_concrete.SPEC)
