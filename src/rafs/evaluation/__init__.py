"""How predictions are scored, and what the scores of many runs allow us to say."""

NOT_RUN = "not run"
"""Status of a run that was not asked for."""
