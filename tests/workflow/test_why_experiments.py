"""`snakemake why` from data to the page, with the parameters of the smoke edition."""

import os
from pathlib import Path

import pandas as pd
import pytest

from small_project import Copy, Done, ran

TABLES = {
    "why", "single_activation", "other_diversity", "activation_sets", "activation_count",
    "larger_ensembles", "epistemic",
}  # fmt: skip
FIGURES = {"controls", "diversity", "activation_count", "epistemic"}


@pytest.mark.slow
def test_why_is_one_name_for_all_of_it(smoked: Copy, tmp_path: Path) -> None:
    """Beside a finished smoke test: the page shows it afterwards, and nothing runs twice."""
    copy = smoked.to(tmp_path / "project")
    place = copy.root / "build/smoke"

    def snakemake(*more: str) -> Done:
        return copy.run(
            "snakemake", "--snakefile", str(copy.root / "Snakefile"), "--directory", str(place),
            "--profile", str(copy.root / "profiles/default"), "--cores", "2",
            "--config", "edition=smoke", "--", *more,
            RAFS_DATA_DIR=os.environ.get("RAFS_DATA_DIR", f"{copy.root}/data"),
        )  # fmt: skip

    done = snakemake("why")
    found = ran(done)
    for name in ("single_activation", "epistemic"):  # what each costs is said at the start
        assert f"rafs: experiment {name} costs about" in done.stderr
    assert (found["aggregate"], found["table"], found["figure"]) == (6, len(TABLES), len(FIGURES))
    assert found["train"] == 12 + 24 + 66 + 12 + 18 + 28
    assert found["data"] == 4  # test points that two seeds of two datasets share
    for name in TABLES:
        assert (place / f"reports/tables/{name}.md").stat().st_size > 300
    for name in FIGURES:
        assert (place / f"reports/figures/{name}.svg").stat().st_size > 3000
    scores = pd.concat(pd.read_csv(file) for file in place.glob("results/scores/*.csv"))
    assert set(scores["status"]) == {"ok"}
    errors = pd.read_csv(place / "reports/tables/epistemic.csv")
    assert set(errors["method"]) == {"de", "hde", "ae", "ntkgp", "rp", "rafs", "de_nll"}
    assert ran(snakemake("why")) == {}
    assert ran(snakemake("all")) == {"page": 1, "verify": 1}
    page = (place / "reports/index.html").read_text()
    assert "What makes random activations work" in page
    assert all(f'id="figure-{name}"' in page for name in FIGURES)
    assert all(f'id="table-{name}"' in page for name in TABLES)
