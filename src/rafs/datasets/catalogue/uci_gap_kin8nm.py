"""The UCI table `kin8nm` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_kin8nm

SPEC = uci.gap(uci_kin8nm.SPEC)
