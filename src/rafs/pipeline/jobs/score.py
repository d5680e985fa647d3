"""Score the runs of a method on a dataset: one metrics file per seed."""

import math
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rafs.errors import DamagedFileError, DataError, ParameterError, RafsError, sentence
from rafs.evaluation import diversity, metrics, recalibration
from rafs.evaluation.metrics import Predictions
from rafs.files import read_json, read_npz, write_json
from rafs.pipeline.jobs import named
from rafs.sampled import Dataset, read_dataset

if TYPE_CHECKING:
    from rafs.pipeline.job_specs import RunRecord, ScoreSpec


class ScoredRun(NamedTuple):
    """The files of a scored run: four inputs, one output."""

    predictions: str
    record: str
    held_out: str
    data: str
    metrics: str


def scored_runs(
    spec: "ScoreSpec", inputs: Sequence[str], outputs: Sequence[str]
) -> dict[int, ScoredRun]:
    """Return the files of every seed.

    The inputs are the predictions of all seeds, then the records, held-out rows and data of all.
    """
    seeds = spec["seeds"]
    given = [*inputs, *outputs]
    columns = [given[k :: len(seeds)] for k in range(len(seeds))]
    return {seed: named(ScoredRun, files) for seed, files in zip(seeds, columns, strict=True)}


def run(spec: "ScoreSpec", inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Score every seed; after the last one, raise an error with the reasons for any failures.

    Each reason is a line that begins with its seed, for `rafs.pipeline.jobs.failed` to find.
    """
    reasons = []
    for seed, files in scored_runs(spec, inputs, outputs).items():
        try:
            score(spec, files)
        except Exception as error:
            if not isinstance(error, RafsError | OSError | MemoryError):
                traceback.print_exc()
            reasons.append(f"seed-{seed}: {sentence(error)}")
    if reasons:
        raise RafsError("\n".join(reasons))


def score(spec: "ScoreSpec", files: ScoredRun) -> None:
    """Write the metrics of one run with the information needed to verify them."""
    record = read_json(files.record)
    result: dict[str, metrics.Scores | None] = {
        "metrics": None,
        "in_distribution": None,
        "out_of_distribution": None,
    }
    data: Dataset | str = ""
    more: dict[str, object] = {}
    own = record["status"] == "failed" and "settings" in record  # the method did, not the job
    if own or record["status"] in ("ok", "diverged"):
        data = read_dataset(files.data)
    if record["status"] == "ok":
        predictions = read_npz(files.predictions)
        if isinstance(data, str) or len(predictions.get("mean", ())) != len(data.y_test):
            raise DamagedFileError(
                f"{files.predictions} does not fit its dataset; delete it and run again"
            )
        if "predictions" in record.get("settings", {}):  # of a method with given predictions
            check_targets(record, data.y_test)
        if spec.get("misaligned"):
            order = np.argsort(data.x_test[:, 0], kind="stable")
            predictions = {key: predictions[key][order] for key in ("mean", "variance")}
        try:
            result |= metrics.evaluate(
                data.y_test, predictions["mean"], predictions["variance"], data.in_distribution
            )
            result = _with(result, differences(record, data, predictions))
            if spec.get("interval"):
                result = _with(result, {"metrics": {"interval": interval(predictions["mean"])}})
            test = Predictions(data.y_test, predictions["mean"], predictions["variance"])
            more = {"recalibrated": recalibrated(files.held_out, test, data.in_distribution)}
        except ParameterError as error:  # finite, but without finite scores: counted as diverged
            record |= {"status": "diverged", "message": str(error)}
    write_json(files.metrics, {**record, **sizes(data), **result, **more})


def check_targets(record: "RunRecord", y: np.ndarray) -> None:
    """Refuse predictions from a file that are not for the test rows."""
    from rafs.evaluation.predicted import PredictedRun

    settings = record["settings"]
    place = settings["predictions"], record["dataset"], record["seed"], settings["method"]
    PredictedRun.read(*place).check(y)


def _with(
    result: dict[str, metrics.Scores | None], more: dict[str, dict[str, float]]
) -> dict[str, metrics.Scores | None]:
    """Return the scores of all parts with additional ones."""
    return result | {part: {**(result[part] or {}), **found} for part, found in more.items()}


def recalibrated(file: str, test: Predictions, inside: metrics.Mask | None) -> dict[str, object]:
    """Return the scores of predictions recalibrated on held-out rows, or why there are none."""
    arrays = read_npz(file)
    if set(arrays) != set(Predictions.__dataclass_fields__):
        raise DamagedFileError(f"{file} does not hold held-out rows; delete it and run again")
    if not arrays["y"].size:
        return {"status": recalibration.NOT_HELD_OUT}
    held_out = Predictions(**arrays)
    try:
        ways = recalibration.fit(held_out)
    except DataError as error:
        return {"status": "diverged", "message": str(error)}
    return {
        "status": "ok",
        "held_out_rows": held_out.y.size,
        "held_rmse": metrics.rmse(held_out),
        "held_sharpness": metrics.sharpness(held_out),
        "held_coverage_95": metrics.coverage(held_out, 95),
        "ways": {
            name: {
                "factor": way.factor if math.isfinite(way.factor) else None,
                **recalibration.evaluate(way, test, inside),
            }
            for name, way in ways.items()
        },
    }


def differences(
    record: "RunRecord", data: Dataset, predictions: dict[str, np.ndarray]
) -> dict[str, dict[str, float]]:
    """Return how much the members differ; nothing if the variance does not determine it.

    A Hyperdeep Ensemble, which has candidates, weights its members; a quirk changes the variance.
    """
    settings, members = record.get("settings", {}), record.get("members") or 0
    odd = "candidates" in settings or settings.get("variance", {}).get("as_sd")
    if members < 2 or odd or "aleatoric" not in predictions:
        return {}
    epistemic = np.maximum(predictions["variance"] - predictions["aleatoric"], 0.0)
    if settings["variance"]["ddof"] == 0:
        epistemic = epistemic * members / (members - 1)
    residuals = data.y_test - predictions["mean"]
    return diversity.by_part(residuals, epistemic, members, data.in_distribution)


def sizes(data: Dataset | str) -> dict[str, int | None]:
    """Return the numbers of training rows, test rows, and test rows inside the range."""
    if isinstance(data, str):
        return {}
    inside = None if data.in_distribution is None else int(data.in_distribution.sum())
    return {"n_train": len(data.y_train), "n_test": len(data.y_test), "n_inside": inside}


def interval(mean: np.ndarray) -> float:
    """Return the "95 % interval" of the released code: that of the mean predicted value."""
    return float(1.96 * mean.std(ddof=1) / np.sqrt(len(mean))) if len(mean) > 1 else 0.0
