"""The UCI table `kin8nm` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_kin8nm

SPEC = uci.tail(uci_kin8nm.SPEC)
