"""The UCI table `energy` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_energy

SPEC = uci.tail(uci_energy.SPEC, along=uci_energy.ALONG)
