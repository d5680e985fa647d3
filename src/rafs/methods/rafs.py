"""RAFs Ensemble (Algorithm 1): the Anchored Ensemble with an activation of its own per member."""

from rafs.methods.anchored import AnchoredEnsemble
from rafs.methods.settings import extend


class RAFsEnsemble(AnchoredEnsemble):
    """Anchored, with random activation functions."""

    name, label = "rafs", "RAFs"
    schema = extend(AnchoredEnsemble.schema, activation="random")
