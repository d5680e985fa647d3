"""The UCI table `concrete` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_concrete

SPEC = uci.gap(uci_concrete.SPEC)
