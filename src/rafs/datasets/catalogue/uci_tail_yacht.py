"""The UCI table `yacht` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_yacht

# The longitudinal position and the length-displacement ratio are constant in the middle third.
SPEC = uci.tail(uci_yacht.SPEC, along=(1, 3, 4, 5))
