"""The UCI table `protein` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_protein

SPEC = uci.tail(uci_protein.SPEC)
