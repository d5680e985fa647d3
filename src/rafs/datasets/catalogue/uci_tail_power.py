"""The UCI table `power` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_power

SPEC = uci.tail(uci_power.SPEC)
