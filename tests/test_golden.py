"""The manifest of the full reproduction, and the results that are in git."""

import json

import golden
from small_project import PROJECT


def test_committed_tables_are_those_of_the_manifest() -> None:
    recorded = json.loads(golden.REPRODUCTION.read_text())["files"]
    found = golden.manifest(PROJECT, [golden.TABLES])
    tables = {name: digest for name, digest in recorded.items() if name.startswith("reports/")}
    assert len(tables) > 100
    assert golden.differences(tables, found) == []


def test_a_changed_or_lost_result_is_a_difference(tmp_path) -> None:
    table = tmp_path / "reports/tables/nll.csv"
    table.parent.mkdir(parents=True)
    table.write_text("a\n1\n")
    recorded = golden.reproduction(tmp_path)
    assert golden.differences(recorded, golden.reproduction(tmp_path)) == []
    table.write_text("a\n2\n")
    assert golden.differences(recorded, golden.reproduction(tmp_path)) == ["reports/tables/nll.csv"]
    table.unlink()
    assert golden.differences(recorded, golden.reproduction(tmp_path)) == ["reports/tables/nll.csv"]


def test_predictions_of_a_cell_have_one_hash(tmp_path) -> None:
    for seed in (0, 1):
        file = tmp_path / f"results/runs/main/ae/he/seed-{seed}/predictions.npz"
        file.parent.mkdir(parents=True)
        golden.np.savez(file, mean=golden.np.arange(3.0) + seed)
    before = golden.by_cell(tmp_path)
    assert list(before) == ["results/runs/main/ae/he"]
    golden.np.savez(file, mean=golden.np.arange(3.0))
    assert golden.by_cell(tmp_path) != before
