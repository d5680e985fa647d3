"""The UCI table `yacht` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_yacht

# The other inputs have so few values that the middle third is not a gap.
SPEC = uci.gap(uci_yacht.SPEC, along=(1, 3, 5))
