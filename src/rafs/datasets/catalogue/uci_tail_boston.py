"""The UCI table `boston` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_boston

SPEC = uci.tail(uci_boston.SPEC)
