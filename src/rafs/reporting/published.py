"""Printed numbers as data: the paper's scores (Tables 1 and 2), ranks (3) and sizes (4), and UCI's.

Where the paper prints "> 100" a value is censored: `value` is 100 and the true value lies above it.
The half-widths come from one run's predicted means and not from a spread of the scores, so they do
not measure the uncertainty of a score; they matter because the printed ranks depend on them.

On the UCI tables: Table 1 of Lakshminarayanan, Pritzel and Blundell (NeurIPS 2017), which prints
Deep Ensembles beside MC dropout (Gal and Ghahramani, ICML 2016) and probabilistic backpropagation
(PBP: Hernández-Lobato and Adams, ICML 2015). Split by split: MC dropout with tuned settings, one
hidden layer and 10,000 samples, from the results in the repository
yaringal/DropoutUncertaintyExps at commit 6eb44976. Both contain the constant ½ ln 2π.
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


# ------------------------------------------------------------------------- the UCI tables

UCI = {
    "bostonHousing": "uci_boston",
    "concrete": "uci_concrete",
    "energy": "uci_energy",
    "kin8nm": "uci_kin8nm",
    "naval-propulsion-plant": "uci_naval",
    "power-plant": "uci_power",
    "protein-tertiary-structure": "uci_protein",
    "wine-quality-red": "uci_wine",
    "yacht": "uci_yacht",
}
"""Folders of the repository that the splits are from, and the names of ours."""

UCI_SOURCES = {
    "DE-2017": "DE (2017), printed",
    "PBP": "PBP, printed",
    "MC-dropout-2016": "MC dropout (2016), printed",
}
"""What the files call a source, and its label."""


def uci() -> pd.DataFrame:
    """Return dataset, source, rmse, rmse_pm, nll, nll_pm; 27 rows.

    The half-widths of PBP are standard errors over splits, the others are as printed in 2017.
    """
    frame = _read("uci")
    return frame.assign(dataset=frame["dataset"].map(UCI))


def uci_mc_dropout() -> pd.DataFrame:
    """Return dataset, split, rmse, nll of tuned MC dropout; 165 rows."""
    frame = _read("uci_mc_dropout_by_split")
    return frame.assign(dataset=frame["dataset"].map(UCI))
