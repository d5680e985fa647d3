"""Scores of predictions, and statistics of the scores of many runs."""

NOT_RUN = "not run"
"""Status of a run that was not asked for."""
