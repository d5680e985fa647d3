"""The numbers that the paper prints, as data: scores (Tables 1 and 2), ranks (3) and sizes (4).

Where the paper prints "> 100" a value is censored: `value` is 100 and the truth lies above it. The
half-widths come from one run's predicted means and not from a spread of the scores, so they say
nothing about how sure a score is; they matter here because the printed ranks rest on them.
"""

from functools import cache
from importlib import resources

import numpy as np
import pandas as pd

from rafs.evaluation import metrics

LIMIT = 100.0
METRICS = {metric.published: metric.name for metric in metrics.METRICS if metric.published}
"""The paper's metrics and the names of ours that follow the same convention."""

TEXT = {
    ("superconductivity", "rafs"): 5.49,
    ("news", "rafs"): 25.89,
    ("superconductivity", "rp"): np.inf,
    ("news", "rp"): np.inf,
    ("parkinsons", "rp+rafs"): 48.66,
}
"""NLL given in the running text (superconductivity and news with 2 x 128); inf is "over 100"."""


@cache
def _read(name: str) -> pd.DataFrame:
    with (resources.files(__package__) / "published" / f"{name}.csv").open() as file:
        return pd.read_csv(file)


def scores(metric: str | None = None) -> pd.DataFrame:
    """Return metric, dataset, method, value, censored, half_width, bold; 300 cells."""
    frame = _read("scores").astype({"censored": bool, "bold": bool})
    return frame if metric is None else frame[frame["metric"] == metric].drop(columns="metric")


def ranks() -> pd.DataFrame:
    """Return dataset, method, nll_rank, rmse_rank; 150 cells."""
    return _read("ranks").copy()


def printed(value: float) -> str:
    """Return a published score as the paper prints it, with two decimals.

    >>> printed(71.3), printed(99.96), printed(np.inf), printed(np.nan)
    ('71.30', '99.96', '> 100', '–')
    """
    if np.isnan(value):
        return "–"
    return f"> {LIMIT:g}" if value == np.inf else f"{value:.2f}".replace("-", "−")


def sizes() -> pd.DataFrame:
    """Return dataset, train, test; 25 rows."""
    return _read("sizes").copy()
