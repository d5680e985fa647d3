"""Score the predictions of one run: its metrics file."""

from typing import Any

import numpy as np

from rafs import metrics, paths
from rafs.errors import DamagedFileError, ParameterError
from rafs.files import read_json, read_npz, write_json
from rafs.storage import read_dataset


def run(spec: dict[str, Any]) -> None:
    """Write the metrics of a run, together with everything needed to trust them."""
    place = {key: spec[key] for key in ("experiment", "method", "dataset", "seed")}
    record = read_json(paths.RECORD.format(**place))
    result: dict[str, Any] = {"metrics": None, "in_distribution": None, "out_of_distribution": None}
    if record["status"] == "ok":
        data = read_dataset(paths.DATA.format(**{**place, "protocol": spec["protocol"]}))
        path = paths.PREDICTIONS.format(**place)
        predictions = read_npz(path)
        if isinstance(data, str) or len(predictions.get("mean", ())) != len(data.y_test):
            raise DamagedFileError(f"{path} does not fit its dataset; delete it and run again")
        if spec.get("misaligned"):
            order = np.argsort(data.x_test[:, 0], kind="stable")
            predictions = {key: predictions[key][order] for key in ("mean", "variance")}
        try:
            result |= metrics.evaluate(
                data.y_test, predictions["mean"], predictions["variance"], data.in_distribution
            )
            if spec.get("interval"):
                result["metrics"]["interval"] = interval(predictions["mean"])
        except ParameterError as error:  # finite, and yet beyond any score: counted as diverged
            record |= {"status": "diverged", "message": str(error)}
    write_json(paths.METRICS.format(**place), {**record, **result})


def interval(mean: np.ndarray) -> float:
    """Return what the released code gives as "95 % interval": that of the mean predicted value."""
    return float(1.96 * mean.std(ddof=1) / np.sqrt(len(mean))) if len(mean) > 1 else 0.0
