"""The UCI table `wine` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_wine

SPEC = uci.gap(uci_wine.SPEC)
