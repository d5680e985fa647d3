"""Control: the Anchored Ensemble with its activation among the tuned values.

Its search space in params.yaml contains the activation. It separates the effect of a good
activation from that of different activations.
"""

from rafs.methods.anchored import Anchored


class AnchoredChoice(Anchored):
    """Anchored; all members have the activation that tuning picks."""

    name, label, role, order = "ae_choice", "AE (tuned activation)", "control", 1
