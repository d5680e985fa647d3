"""Scores of predictions of any origin: a row per run, group of rows and recalibration."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rafs.datasets.core import USER
from rafs.datasets.tabular import LEAST_ROWS, LEAST_TEST
from rafs.errors import DataError, RafsError
from rafs.evaluation import intervals, metrics, quantiles, recalibration
from rafs.evaluation.predicted import Predicted

PINBALL = "pinball"  # of files with quantiles
WIDE = 95  # percent of the interval that is shown
RUN = ["dataset", "method", "split"]


def table(found: Predicted, file: Path | str) -> pd.DataFrame:
    """Return the scores with the columns that the statistics read; group "" is all rows.

    `category` marks splits of one table, and needs `n_train`: without it splits are treated as
    independent.
    """
    name = Path(file).stem
    defaults: dict[str, Any] = {"dataset": name, "method": name, "split": 0}
    keys = found.keys.assign(**{k: v for k, v in defaults.items() if k not in found.keys})
    _check_pairs(keys, found, file)
    rows = []
    run: Any
    for run, places in keys.groupby(RUN, sort=False).indices.items():
        name = ", ".join(f"{key} {value}" for key, value in zip(RUN, run, strict=True))
        part = found.take(places)
        test, held = part.where(role="test"), part.take(_calibrating(part))
        if len(test) < LEAST_TEST:
            raise DataError(f"{file}: {name} has {len(test)} test rows; give {LEAST_TEST} or more")
        if 0 < len(held) < LEAST_ROWS:
            raise DataError(
                f"{file}: {name} has {len(held)} rows to calibrate with; give {LEAST_ROWS} or more"
            )
        head: dict[str, Any] = dict(zip(("dataset", "method", "seed"), run, strict=True))
        head |= {"status": "ok", "n_test": len(test)}
        if "n_train" in part.keys:
            head |= {"n_train": part.keys["n_train"].iloc[0], "category": USER}
        try:
            rows += [{**head, **row} for row in _rows(test, held)]
        except RafsError as error:
            raise DataError(f"{file}: {name}: {error}") from None
    return pd.DataFrame(rows)


def remarks(found: Predicted) -> list[str]:
    """Return the remarks on the file that readers of the scores need."""
    result = []
    if found.ignored:
        result.append(f"ignored columns: {', '.join(found.ignored)}")
    if found.levels and WIDE not in intervals.central(found.levels, found.quantiles):
        low, high = (50 - WIDE / 2, 50 + WIDE / 2)
        result.append(
            f"scores of the {WIDE} % interval are those of the Gaussian: the file has no quantiles "
            f"q{low:g} and q{high:g}"
        )
    return result


def _calibrating(part: Predicted) -> Any:
    """Return the mask of the rows that recalibration is fitted to."""
    if "role" not in part.keys:
        return np.zeros(len(part), dtype=bool)
    return (part.keys["role"] == "calibrate").to_numpy()


def _check_pairs(keys: pd.DataFrame, found: Predicted, file: Path | str) -> None:
    """Refuse methods that were tested on different rows of a split: they are compared in pairs."""
    test = keys.assign(y=found.y)[~_calibrating(found)]
    for (dataset, split), part in test.groupby(["dataset", "split"], sort=False):
        rows = [np.sort(own["y"].to_numpy()) for _, own in part.groupby("method", sort=False)]
        if not all(np.array_equal(each, rows[0]) for each in rows):
            raise DataError(
                f"{file}: the methods have different targets y on {dataset}, split {split}; all "
                "must predict the same rows"
            )


def _rows(test: Predicted, held: Predicted) -> Iterator[dict[str, Any]]:
    """Yield the scores of one run."""
    parts = [("", test)]
    if "group" in test.keys:
        parts += [(str(name), test.where(group=name)) for name in test.keys["group"].unique()]
    ways = recalibration.fit(_gaussian(held)) if len(held) else {}
    for group, part in parts:
        yield {"group": group, "way": "raw", **_raw(part)}
        for way in list(ways)[1:]:
            yield {"group": group, "way": way, **_recalibrated(part, ways[way])}


def _raw(part: Predicted) -> metrics.Scores:
    """Return the scores of the raw predictions."""
    result = metrics.scores(part.y, part.mean, part.variance)
    if part.levels:
        result |= intervals.scores(part.y, intervals.central(part.levels, part.quantiles))
        result[PINBALL] = quantiles.pinball(part.y, part.levels, part.quantiles)
    return result


def _recalibrated(part: Predicted, way: recalibration.Recalibration) -> metrics.Scores:
    """Return the scores of a recalibration: all those of a Gaussian, or those of intervals."""
    if way.density:
        return metrics.scores(part.y, part.mean, part.variance * way.factor**2)
    return recalibration.evaluate(way, _gaussian(part), None)["metrics"]


def _gaussian(part: Predicted) -> metrics.Predictions:
    return metrics.Predictions(part.y, part.mean, part.variance)
