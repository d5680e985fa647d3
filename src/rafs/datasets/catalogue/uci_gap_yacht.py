"""The UCI table `yacht` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_yacht

SPEC = uci.gap(uci_yacht.SPEC)
