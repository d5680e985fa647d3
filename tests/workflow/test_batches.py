"""Training jobs that come together are done together where that is asked for, as on a GPU."""

from typing import Any

import pytest

from processes import forget_results
from small_project import Copy, unchanging

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_the_same_bytes_in_batches(finished: Copy, reproduced: Copy) -> None:
    """Two jobs at a time become batches of two, with files and logs of their own."""
    copy = forget_results(finished)
    made = copy.jobs("snakemake", "--cores", "2", RAFS_BATCH="2")
    assert made["train"] == 8
    logs = [log.read_text() for log in copy.root.glob("results/runs/**/log.txt")]
    assert len(logs) == 8
    assert sum("in a batch of 2" in log for log in logs) >= 4
    assert unchanging(copy) == unchanging(reproduced)


def test_a_batch_that_cannot_be_trained(finished: Copy) -> None:
    """Every job of it reports the reason in one sentence."""

    def change(params: dict[str, Any]) -> None:
        params["device"] = "cuda"
        params["experiments"]["main"]["tuning"] = None

    finished.edit(change)
    done = finished.run("snakemake", "--cores", "2", check=False, RAFS_BATCH="2")
    assert done.returncode != 0
    reason = "the train job failed: device: cuda was asked for, but torch finds no GPU"
    assert done.stderr.count(f"rafs: failed: {reason}") == 8
    assert "Traceback" not in done.stderr
