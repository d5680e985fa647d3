"""The UCI table `naval` with tail splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_naval

SPEC = uci.tail(uci_naval.SPEC, along=uci_naval.ALONG)
