"""The UCI table `power` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_power

SPEC = uci.gap(uci_power.SPEC)
