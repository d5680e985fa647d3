"""User datasets: used as they are, or refused with a helpful sentence."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rafs import cli
from rafs.datasets import tabular, user
from rafs.errors import DataError, ParameterError
from rafs.files import read_json
from rafs.pipeline.jobs import data as job_data
from rafs.pipeline.jobs import fetch as job_fetch
from rafs.sampled import read_dataset


def frame(rows: int = 60) -> pd.DataFrame:
    random = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "size": random.normal(size=rows),
            "colour": random.choice(["red", "blue", "green"], size=rows),
            "sold": random.integers(0, 2, size=rows).astype(bool),
            "fold": np.arange(rows) % 3,
            "price": random.normal(size=rows),
        }
    )


def entry(**more):
    return {"csv": "table.csv", "target": "price", "categorical": ["colour"], **more}


def read(table: pd.DataFrame, tmp_path: Path, **more):
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    return tabular.read(entry(**more), path)


def refused(table: pd.DataFrame, tmp_path: Path, **more) -> str:
    with pytest.raises(DataError) as caught:
        read(table, tmp_path, **more)
    message = str(caught.value)
    assert "\n" not in message
    assert "table.csv" in message
    return message


def test_columns_become_numbers(tmp_path):
    known = frame()
    table = read(known, tmp_path)
    assert table.features == ("size", "colour=blue", "colour=green", "colour=red", "sold", "fold")
    assert table.x.shape == (60, 6)
    assert np.allclose(table.x[:, 0], known["size"])
    assert table.x[:, 1:4].sum(axis=1).tolist() == [1.0] * 60
    assert (table.x[:, 3] == 1).tolist() == (known["colour"] == "red").tolist()
    assert table.x[:, 4].tolist() == known["sold"].astype(float).tolist()
    assert np.allclose(table.y, known["price"])
    assert read(known, tmp_path, features=["fold", "size"], categorical=[]).features == (
        "fold",
        "size",
    )


def test_parquet_and_other_separators_give_the_same(tmp_path):
    known = frame()
    plain = read(known, tmp_path)
    known.to_parquet(tmp_path / "table.parquet")
    other = {"parquet": "t", "target": "price", "categorical": ["colour"]}
    assert np.array_equal(tabular.read(other, tmp_path / "table.parquet").x, plain.x)
    for mark in ";\t|":
        known.to_csv(tmp_path / "table.csv", index=False, sep=mark, encoding="utf-8-sig")
        found = tabular.read(entry(), tmp_path / "table.csv")
        assert found.features == plain.features
        assert np.array_equal(found.x, plain.x)


def lacking(column, value=None):
    def change(table):
        table[column] = table[column].astype(object)
        table.loc[[3, 7], column] = value
        return table

    return change


@pytest.mark.parametrize(
    ("change", "more", "says"),
    [
        (lacking("size"), {}, "'size' has no value in 2 of 60 rows, first in row 4"),
        (lacking("price"), {}, "'price' has no value in 2 of 60"),
        (lacking("colour"), {}, "'colour' has no value in 2 of 60"),
        (lacking("size", "1,5"), {}, "'size' is not a column of numbers ('1,5' in row 4); list it"),
        (lacking("size", "inf"), {}, "'size' is infinite in 2 of 60 rows"),
        (lambda t: t, {"categorical": []}, "'colour' is not a column of numbers"),
        (lambda t: t, {"target": "colour", "categorical": []}, "the target must be a number"),
        (lambda t: t, {"target": "prize"}, "no column 'prize'; its columns are size, colour, sold"),
        (lambda t: t, {"features": ["size", "weight"]}, "no column 'weight'"),
        (lambda t: t, {"categorical": ["color"]}, "no column 'color'"),
        (lambda t: t.assign(price=2.5), {}, "the target 'price' is 2.5 in every row"),
        (lambda t: t.head(19), {}, "has 19 rows; at least 20 are needed"),
        (lambda t: t.head(0), {}, "has 0 rows"),
        (lambda t: t[["price"]], {"categorical": []}, "no column besides the target"),
        (lambda t: t, {"split": {"train": 50, "test": 20}}, "60 rows; the split asks for 50 + 20"),
        (lambda t: t, {"split": 0.01}, "leaves 59 rows for training and 1 for testing"),
        (lambda t: t, {"split": {"last": 0.9}}, "leaves 6 rows for training"),
        (lambda t: t, {"split": {"column": "week", "test": 1}}, "no column 'week'"),
        (lambda t: t, {"split": {"column": "fold", "test": 9}}, "no row has 'fold' equal to 9"),
        (lambda t: t, {"split": {"column": "fold", "test": 1}, "features": ["fold"],
                       "categorical": []}, "cannot be a feature too"),
        (lambda t: pd.concat([t] * 3).assign(colour=[f"c{i}" for i in range(180)]), {},
         "180 different values in 180 rows"),
    ],
)  # fmt: skip
@pytest.mark.refusal
def test_what_cannot_be_used_is_refused(change, more, says, tmp_path):
    assert says in refused(change(frame()), tmp_path, **more)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"a,a,price\n1,2,3\n" * 30, "two columns 'a'"),
        (b"a,price\n" + b"1,2,3\n" * 30, "more cells than its 2 names"),
        (b"a,price\n1,2\n" + b"1,2,3\n" * 30, "cannot be read as csv"),
        (b"a,price\n\xff\xfe,2\n" * 30, "not UTF-8"),
        (None, "there is no file"),
    ],
)
@pytest.mark.refusal
def test_files_that_are_no_tables(content, says, tmp_path):
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        tabular.read({"csv": "table.csv", "target": "price"}, path)
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DataError, match="cannot be read as parquet"):
        tabular.read({"parquet": "table.csv", "target": "price"}, path)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"parquet": "b"}, "both csv and parquet"),
        ({"csv": "http://example.org/a.csv"}, "not an https address"),
        ({"csv": "ftp://example.org/a.csv"}, "not an https address"),
        ({"sha256": "0" * 64}, "sha256 is for a table that is downloaded"),
        ({"train": 30}, "split: {train: .., test: ..}"),
        ({"features": ["price", "colour"]}, "contains the target"),
        ({"features": ["size"]}, "'colour' is not among the features"),
        ({"categorical": ["price"]}, "must be a number"),
    ],
)
@pytest.mark.refusal
def test_an_entry_that_contradicts_itself_is_refused(more, says):
    with pytest.raises(ParameterError) as caught:
        user.check("mine", entry(**more))
    assert says in str(caught.value)
    assert "datasets.mine" in str(caught.value)


@pytest.mark.refusal
def test_a_target_is_needed():
    with pytest.raises(ParameterError, match=r"datasets\.mine\.target is missing"):
        user.check("mine", {"csv": "a.csv"})


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10), split=st.sampled_from([0.2, 0.5, {"train": 20, "test": 5}]))
def test_a_random_split_is_a_partition_of_its_seed(seed, split, tmp_path):
    table = read(frame(), tmp_path)
    train, test = tabular.parts(table, split, seed, "mine", "f")
    sizes = {0.2: (48, 12), 0.5: (30, 30)}.get(split) if isinstance(split, float) else (20, 5)
    assert (len(train), len(test)) == sizes
    assert len({*train, *test}) == len(train) + len(test)
    again = tabular.parts(table, split, seed, "mine", "f")
    other = tabular.parts(table, split, seed + 1, "mine", "f")
    assert np.array_equal(train, again[0])
    assert not np.array_equal(train, other[0])


def test_a_fixed_split_is_the_same_for_every_seed(tmp_path):
    for split, expected in (
        ({"last": 0.25}, list(range(45, 60))),
        ({"column": "fold", "test": 1}, list(range(1, 60, 3))),
        ({"column": "fold", "test": [0, 1]}, [i for i in range(60) if i % 3 < 2]),
    ):
        table = read(frame(), tmp_path, split=split)
        assert "fold" not in table.features or "last" in split
        for seed in (0, 7):
            train, test = tabular.parts(table, split, seed, "mine", "f")
            assert test.tolist() == expected
            assert sorted([*train, *test]) == list(range(60))


def test_a_download_is_kept_and_verified(server, tmp_path):
    content = frame().to_csv(index=False).encode()
    url = server.serve("/t.csv", content)
    wanted = entry(csv=url, sha256=hashlib.sha256(content).hexdigest())
    path = tmp_path / "kept.csv"
    assert tabular.obtain(wanted, path).read_bytes() == content
    tabular.obtain(wanted, path)
    assert server.requests == ["/t.csv"]
    for other in (path, tmp_path / "other.csv"):
        with pytest.raises(DataError, match="it is another file"):
            tabular.obtain({**wanted, "sha256": "0" * 64}, other)
    assert not (tmp_path / "other.csv").exists()
    here, there = (user.file("mine", entry(csv=f"https://a.org/{n}"), tmp_path) for n in "12")
    assert here != there


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_compare_takes_an_address(kind, server, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame().to_csv("there.csv", index=False)
    frame().to_parquet("there.parquet")
    url = server.serve(f"/t.{kind}", Path(f"there.{kind}").read_bytes())
    given = ["--target", "price", "--categorical", "colour", "--methods", "de", "--out", "out"]
    quick = ["--seeds", "1", "--trials", "1", "--steps", "5", "--cores", "1"]
    assert cli.main(["compare", url, *given, *quick]) == 0
    assert "price from 6 features" in capsys.readouterr().out
    assert cli.main(["compare", f"{server.url}/gone.csv", *given, *quick]) == 1
    said = capsys.readouterr().err
    assert "the server answered 404" in said
    assert said.count("\n") == 1


def test_the_record_of_a_table_says_what_is_in_it_or_why_it_is_missing(
    server, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    url = server.serve("/t.csv", frame().to_csv(index=False).encode())
    spec = {"dataset": "mine", "entry": entry(csv=url, file="raw/mine.csv"), "strict": False,
            "sources": ["mine"], "protocol": "described", "seed": 3}  # fmt: skip
    record_file, sample = "sources/mine.json", "mine/seed-3.npz"
    job_fetch.run(spec, [], [record_file])
    record = read_json(record_file)
    assert record["status"] == "ok"
    assert (record["rows"], record["train"], record["test"]) == (60, 48, 12)
    job_data.run(spec, [record_file], [sample])
    data = read_dataset(sample)
    assert data.x_train.shape == (48, 6)
    assert data.noise is None

    lost = {**spec, "entry": entry(csv=f"{server.url}/nowhere.csv", file="raw/lost.csv")}
    job_fetch.run(lost, [], [record_file])
    record = read_json(record_file)
    assert record["status"] == "missing"
    assert "404" in record["message"]
    assert "put it at raw/lost.csv" in record["message"]
    job_data.run(lost, [record_file], [sample])
    assert "404" in read_dataset(sample)
    with pytest.raises(DataError, match="strict is true"):
        job_fetch.run({**lost, "strict": True}, [], [record_file])
