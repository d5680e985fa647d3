"""The UCI table `naval` with gap splits (`rafs.datasets.uci`)."""

from rafs.datasets import uci
from rafs.datasets.catalogue import uci_naval

SPEC = uci.gap(uci_naval.SPEC, along=uci_naval.ALONG)
