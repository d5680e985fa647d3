"""What is known here about the files of datasets."""

from typing import Any

from rafs import paths
from rafs.errors import DamagedFileError, DataError, RafsError
from rafs.experiments import Plan
from rafs.files import read_json


def source(dataset: str) -> dict[str, Any]:
    """Return the record of a real dataset's file; nothing if there is none that can be read."""
    try:
        record = read_json(paths.FETCHED.format(dataset=dataset))
    except DamagedFileError:
        return {}
    return record if isinstance(record, dict) else {}


def at_hand(plan: Plan, dataset: str) -> bool:
    """Whether the file of a dataset can be had without a network."""
    return plan.origin(dataset).available(dataset)


def data_fault(plan: Plan) -> RafsError | None:
    """Return why a file that is here and used cannot be; None if all can."""
    for dataset in plan.real(extra=True):
        try:
            plan.origin(dataset).check(dataset)
        except RafsError as error:
            return DataError(f"{paths.PARAMS}: datasets.{dataset}: {error}")
    return None
