"""Random Activation Functions ensembles: the paper, its rivals, and the benchmark between them."""

__version__ = "0.1.0"
