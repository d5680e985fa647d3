"""How predictions are scored, and what the scores of many runs allow us to say."""

NOT_RUN = "not run"
"""Status of a run that was not asked for."""

NOT_HELD_OUT = "not held out"
"""Status of a run that tuned nothing itself, so that there are no rows to recalibrate it on."""
