"""The UCI table `protein` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_protein

SPEC = uci.gap(uci_protein.SPEC)
