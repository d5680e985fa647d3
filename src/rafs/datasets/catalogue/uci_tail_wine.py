"""The UCI table `wine` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_wine

SPEC = uci.tail(uci_wine.SPEC)
