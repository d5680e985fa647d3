"""RAFs Ensemble (Algorithm 1): the Anchored Ensemble with an activation of its own per member."""

from rafs.methods.anchored import Anchored
from rafs.methods.settings import extend


class RAFs(Anchored):
    """Anchored, with random activation functions."""

    name, label, role, order = "rafs", "RAFs", "paper", 6
    aliases = ("ae+rafs", "rafs+rafs")
    schema = extend(Anchored.schema, activation="random")
