"""The UCI table `boston` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_boston

SPEC = uci.gap(uci_boston.SPEC)
