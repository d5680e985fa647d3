"""Control: the Anchored Ensemble with its activation among the tuned values.

What params.yaml searches makes it one: it tells the right activation from different ones.
"""

from rafs.methods.anchored import Anchored


class AnchoredChoice(Anchored):
    """Anchored; all members have the activation that tuning picks."""

    name, label, role, order = "ae_choice", "AE, tuned activation", "control", 1
