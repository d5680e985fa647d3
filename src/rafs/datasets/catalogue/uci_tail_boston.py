"""The UCI table `boston` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_boston

# ZN and CHAS are constant in the middle third.
SPEC = uci.tail(uci_boston.SPEC, along=(0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12))
