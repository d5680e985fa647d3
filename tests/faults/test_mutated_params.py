"""Hundreds of parameter files, each accepted or refused in a sentence; none ends in a traceback."""

import contextlib
import copy
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import called
from rafs.errors import ParameterError
from rafs.pipeline.loading import PREFIXES, RULES, load
from rafs.pipeline.plan import Plan
from small_project import PROJECT, Copy, small

TEXT = (PROJECT / "params.yaml").read_text()
GOOD = yaml.safe_load(TEXT)
# Where something is wrong: a line of the file, a key by its path, or the file as a whole.
PLACE = re.compile(
    r"params[.]yaml(, line \d+, column \d+:| cannot be read| has more than \d+ bytes;"
    r"|: this is not valid YAML: .*position \d+|( \(smoke\))?: "
    rf"(({'|'.join([*GOOD, 'the file'])})\b"
    r"|\S.*? (is not a parameter; did you mean|must be|holds more than|is nested too deeply)))"
)
SAFE_PATH = re.compile(r"[A-Za-z0-9_./@=+-]+")


def put(text: str | bytes, folder: Path) -> Path:
    """Write a parameter file."""
    path = folder / "params.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def verdict(path: Path, edition: str | None = None) -> str:
    """Return the sentence that a file is refused with, or nothing if a plan can be made of it."""
    try:
        plan = Plan(load(path, edition), PROJECT)
    except ParameterError as error:
        sentence = str(error)
        assert sentence.startswith("params.yaml"), sentence
        assert sentence.isprintable(), sentence
        assert len(sentence) < 700
        assert PLACE.match(sentence), sentence
        return sentence
    use(plan)
    return ""


def use(plan: Plan) -> None:
    """Ask a plan for everything that the rules of the workflow ask it for."""
    names, files, specs = plan.files.all(), plan.files, plan.specs
    assert len(names) == len(set(names))
    assert all(SAFE_PATH.fullmatch(name) and ".." not in name for name in names)
    files.targets()
    for experiment in plan.experiments.default:
        run = plan.experiments[experiment].runs[-1]
        files.best_of(run), specs.train(run), specs.score((run,))
        specs.aggregate(experiment), specs.data("described", run.dataset, run.seed)
    for kind in ("tables", "figures"):
        for name in getattr(plan.params, kind):
            specs.shown(kind, name), files.shown_inputs(kind, name)
    specs.claims(), specs.summary(), specs.page(), specs.verify(), files.claims_inputs()


HOSTILE = st.sampled_from(
    ["$(touch x); ..", "../../etc", "a\nb", "\x1b[2J", "\0", "né", "\u202eabc", "a" * 5000, "{x}",
     "", " ", "train", "table_nll", "1e-3", "null", ".nan", "!!python/name:os.system", "*a", "<<"]
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-3, 12), st.integers(-(10**40), 10**40), st.floats(), st.just(10**400),
    st.sampled_from([2.0, 5.0, 1e308, -1e308, 5e-324, 2**53, 2**63, 2**64]),
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, HOSTILE, st.text(max_size=6))
KEYS = st.one_of(HOSTILE, st.text(max_size=6), st.sampled_from(sorted(GOOD)))
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(KEYS, SCALARS, max_size=2),
    st.builds(lambda a, b: {"uniform": [a, b]}, NUMBERS, NUMBERS),
    st.builds(lambda a, b: {"log_uniform": [a, b]}, NUMBERS, NUMBERS),
    st.builds(lambda a: {"choice": a}, st.lists(SCALARS, max_size=2)),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=40),
)  # fmt: skip


def places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in nested mappings and lists."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    found = []
    for key, value in items:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


PLACES = places(GOOD)


@st.composite
def structures(draw: Callable[..., Any]) -> str:
    """Values and keys set, dropped, added, moved or renamed, at one place or at two."""
    content = copy.deepcopy(GOOD)
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        place = draw(st.sampled_from(PLACES))
        inside = content
        try:
            for key in place[:-1]:
                inside = inside[key]
            old = inside[place[-1]]
        except (KeyError, IndexError, TypeError):  # the first change took it away
            continue
        how = draw(st.sampled_from(["set", "set", "drop", "add", "rename", "section"]))
        if how == "set":
            inside[place[-1]] = draw(VALUES)
        elif how == "drop":
            del inside[place[-1]]
        elif how == "section":
            content.pop(place[0], None)
        elif isinstance(inside, list):
            inside.append(draw(VALUES))
        elif how == "rename":
            inside[draw(KEYS)] = inside.pop(place[-1])
        else:
            inside[draw(KEYS)] = copy.deepcopy(old) if draw(st.booleans()) else draw(VALUES)
    return yaml.safe_dump(content, allow_unicode=draw(st.booleans()), width=10**6)


PIECES = ("!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "!!binary '@'", "!!set {a, b}",
          "!!omap [a: 1]", "!!pairs [a: 1]", "!!str 5", "!!map ''", "!!seq {}", "!!null 5", "!x y",
          "!!python/object/apply:os.system ['touch x']", "&a [*a]", "*nowhere", "&a 5", "<<: 5",
          "{<<: {1: 2}}", "{<<: [{x: 1}, {x: 2}]}", "? [a]\n: b", "0x" + "f" * 9000, "1" * 5000,
          "1:30:" + "59:" * 400 + "0", "0b1", "0o17", "2026-11-16", "- - -", "---", "...", "|\n",
          "\t", "\ufeff", "\u2028", "\x85", "%YAML 9.9\n---", "'", '"\\ud800"', '"\\x', "=", "@",
          "[" * 900, "{a: " * 200, "#", "\\", "<!DOCTYPE html>", "<<<<<<< HEAD")  # fmt: skip


@st.composite
def texts(draw: Callable[..., Any]) -> str | bytes:
    """The text of the file cut, spliced, duplicated or damaged, whatever YAML makes of it."""
    lines = TEXT.split("\n")
    at = draw(st.integers(0, len(lines) - 1))
    how = draw(st.sampled_from(["cut", "splice", "value", "double", "byte", "indent", "swap"]))
    if how == "cut":
        return TEXT[: draw(st.integers(0, len(TEXT)))]
    if how == "byte":
        where = draw(st.integers(0, len(TEXT) - 1))
        raw = bytearray(TEXT.encode())
        raw[where : where + 1] = draw(st.binary(max_size=3))
        return bytes(raw)
    if how == "splice":
        lines.insert(at, draw(st.sampled_from(PIECES)))
    elif how == "value":
        lines[at] = lines[at].partition(":")[0] + ": " + draw(st.sampled_from(PIECES))
    elif how == "double":
        lines.insert(draw(st.integers(0, len(lines) - 1)), lines[at])
    elif how == "indent":
        lines[at] = " " * draw(st.integers(1, 5)) + lines[at].lstrip(" ")
    else:
        other = draw(st.integers(0, len(lines) - 1))
        lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


SOME = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [structures, texts])
def test_a_mutated_file_is_accepted_or_refused_in_a_sentence(
    kind: Callable[[], st.SearchStrategy[str | bytes]],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    count: Counter[str] = Counter()

    @settings(max_examples=200, deadline=None, suppress_health_check=SOME, database=None)
    @seed(int(os.environ.get("RAFS_TEST_SEED", "1")))
    @given(content=kind(), edition=st.sampled_from([None, None, "smoke"]))
    def attempt(content: str | bytes, edition: str | None) -> None:
        said = verdict(put(content, tmp_path), edition)
        count["refused" if said else "accepted"] += 1

    attempt()
    record_property("inputs", count.total())
    assert min(count["refused"], count["accepted"]) > 10  # neither all of them nor none
    for outcome, number in count.items():
        record_property(outcome, number)


def tiny() -> dict[str, Any]:
    """Return parameters of which everything is made in a second or two."""
    content = copy.deepcopy(GOOD)
    small(content)
    content["seeds"] = 1
    content["training"]["steps"] = 3
    content["experiments"] = {
        "main": {"methods": ["de", "rafs"], "datasets": ["he"]},
        "ensemble_size": {
            "methods": ["rafs"], "datasets": ["he"], "sweep": {"size": [2, 3]}, "tuning": "main"},
    }  # fmt: skip
    content["methods"] = {name: content["methods"][name] for name in ("de", "rafs")}
    shown = ("nll", "ranks", "comparison", "calibration", "cost")
    content["tables"] = {name: {"experiments": ["main"]} for name in shown}
    content["figures"] = {"overview": {"experiments": ["main"]}}
    return content


NAMES = ["he", "forrester", "ae", "rafs", "float64", "sgd", "tanh", "random", "cpu", "nll", "main"]


@st.composite
def variations(draw: Callable[..., Any]) -> str:
    """Small parameters with up to three values changed to others of their kind, or left out."""
    content = tiny()
    for _ in range(draw(st.integers(1, 3))):
        *outer, last = draw(st.sampled_from(places(content)))
        inside = content
        for key in outer:
            inside = inside[key]
        old = inside[last]
        if isinstance(old, bool):
            inside[last] = not old
        elif isinstance(old, int):
            inside[last] = draw(st.integers(1, 12))
        elif isinstance(old, float):
            inside[last] = old * 10.0 ** draw(st.integers(-4, 4))
        elif isinstance(old, str):
            inside[last] = draw(st.sampled_from(NAMES))
        elif len(outer) > 1:
            del inside[last]
    return yaml.safe_dump(content)


def is_modest(plan: Plan) -> bool:
    """Whether a plan asks for no more than a test has time for, and for no data from elsewhere."""
    waiting = [value for key, value in plan.params.written().items() if key != "seeds"]
    for value in waiting:
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int) and value > 300:
            return False
    return len(plan.experiments.runs) <= 12 and not plan.sources.used(extra=True)


def reproduce(plan: Plan, folder: Path) -> None:
    """Run every job of a plan in a folder, each by its module, in this process."""
    with contextlib.chdir(folder):
        for job in called.everything(plan):
            job.run()
            assert all(Path(output).is_file() for output in job.outputs), job.outputs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_accepted_runs_to_its_end(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Of small parameter files, mutated: whatever is accepted is made, page and all."""
    count: Counter[str] = Counter()

    @settings(max_examples=40, deadline=None, suppress_health_check=SOME, database=None)
    @seed(int(os.environ.get("RAFS_TEST_SEED", "1")))
    @given(content=variations())
    def attempt(content: str | bytes) -> None:
        path = put(content, tmp_path)
        if verdict(path):
            count["refused"] += 1
            return
        plan = Plan(load(path), PROJECT)
        if is_modest(plan):
            count["accepted"] += 1
            with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
                reproduce(plan, Path(folder))

    attempt()
    assert count["accepted"] > 10
    record_property("inputs", count.total())
    record_property("refused", count["refused"])
    record_property("accepted", count["accepted"])
    record_property("run to their end", count["accepted"])


def at(*keys: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


MAIN = {"methods": ["rafs"], "datasets": ["he"]}
# What a schema alone lets pass: each would only fail hours later, or not say why.
SUBTLE = {
    "a whole number with a point": (at("seeds", value=2.0), "seeds must be"),
    "a seed with a point": (at("seeds", value=[0.0, 1.0]), "seeds"),
    "a number beyond floats": (at("methods", "ae", "learning_rate", value=10**400), "ae.learn"),
    "a rule's name": (at("experiments", "train", value=MAIN), "experiments.train"),
    "a target's name": (at("experiments", "table_nll", value=MAIN), "experiments.table_nll"),
    "a long name": (at("experiments", "e" * 300, value=MAIN), "experiments"),
    "a newline in a name": (at("experiments", "a\nb", value=MAIN), r"experiments: 'a\nb'"),
    "an escape sequence": (at("metho\x1b[2Jds", value={}), r"metho\x1b[2Jds is not a parameter"),
    "a sweep of nothing": (at("experiments", "ensemble_size", "sweep", value={"": [1]}), "sweep"),
    "a sweep with a dot": (
        at("experiments", "ensemble_size", "sweep", value={"size.": [2]}), "ensemble_size.sweep"),
    "a sweep of no section": (
        at("experiments", "steps", "sweep", value={"training.step": [5]}), "did you mean 'steps'?"),
    "a swept value out of range": (
        at("experiments", "steps", "sweep", value={"training.steps": [0]}),
        "sweep: training.steps"),
    "a swept value of another kind": (
        at("experiments", "tuning_luck", "sweep", value={"tuning.seed": ["a"]}), "luck.sweep: tun"),
    "fractions of members": (
        at("methods", "ae", "search", "size", value={"uniform": [2, 5]}), "methods.ae.search.size"),
    "millions of runs": (at("seeds", value=99999), "more than the 100000"),
    "an unknown metric": (
        at("figures", "overview", "metric", value="r2"), "figures.overview.metric"),
    "no dataset": (at("figures", "overview", "datasets", value=[]), "figures.overview.datasets"),
    "no such dataset there": (
        at("tables", "nll", "datasets", value=["news"]), "tables.nll.datasets"),
    "no such method there": (
        at("tables", "nll", "methods", value=["rp+rafs"]), "tables.nll.methods"),
    "no such seed there": (
        at("figures", "uncertainty_1d", "seed", value=10), "uncertainty_1d.seed"),
    "ten dimensions on a line": (
        at("figures", "training_points_1d", "datasets", value=["welch"]), "points_1d.datasets"),
    "no sweep to show": (
        at("figures", "cardinality", "experiments", value=["main"]), "cardinality"),
    "an unknown option": (at("tables", "nll", "title", value="x"), "tables.nll.title"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "key"), SUBTLE.values(), ids=SUBTLE)
@pytest.mark.refusal
def test_what_would_only_fail_later_is_refused_at_once(
    change: Callable[[dict[str, Any]], None], key: str, tmp_path: Path
) -> None:
    content = copy.deepcopy(GOOD)
    change(content)
    assert key in verdict(put(yaml.safe_dump(content, width=10**6), tmp_path))


LAUGHS = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
MERGES = "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 40))
BOMBS = {
    "billion laughs": ("a0: &a0 [lol]\n" + LAUGHS, "values"),
    "merged laughs": ("a0: &a0 {x: 1}\n" + MERGES, "merges too many keys"),
    "long merge": (f"a: &a {{x: 1}}\nb: {{<<: [{'*a, ' * 5000}*a]}}", "merges too many keys"),
    "deep lists": ("a: " + "[" * 300 + "]" * 300, "nested too deeply"),
    "deeper lists": ("a: " + "[" * 5000, "not valid YAML"),
    "large file": ("# " + "x" * 2**20 + "\n" + TEXT, "bytes"),
    "long number": ("seeds: 0x" + "f" * 9000, "seeds must be a whole number of at most"),
    "half a character": ('seeds: "\\ud800"', "seeds must be valid Unicode text"),
    "wrong encoding": (TEXT.encode("utf-16"), "UTF-8"),
    "empty file": ("", "the file must be a group of keys"),
    "only comments": ("# nothing\n", "the file must be a group of keys"),
    "two documents": (TEXT + "\n---\n" + TEXT, "not valid YAML"),
    "merged number": (TEXT.replace("\nmethods:", "\nmethods:\n  <<: {1: {}}", 1), "not text"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "says"), BOMBS.values(), ids=BOMBS)
@pytest.mark.timeout(300)
@pytest.mark.refusal
def test_a_bomb_is_refused_in_time(text: str | bytes, says: str, tmp_path: Path) -> None:
    assert says in verdict(put(text, tmp_path))


def test_anchors_and_merges_that_mean_something_are_accepted(tmp_path: Path) -> None:
    text = TEXT.replace("  ae:  ", "  ae: &base\n    prior: {bias: 0.5}\n   #", 1)
    text = re.sub(
        r"(?ms)^  rafs: .*?(?=^  de_nll)", "  rafs:\n    <<: *base\n    activation: random\n", text
    )
    path = put(text, tmp_path)
    assert verdict(path) == ""
    made = load(path).methods
    assert made["rafs"].written() == {**made["ae"].written(), "activation": "random"}


def test_no_experiment_can_have_the_name_of_a_rule() -> None:
    rules = [path.read_text() for path in (PROJECT / "workflow/rules").glob("*.smk")]
    found = re.findall(r"(?m)^rule (\w+):", "\n".join([*rules, "rule all:"]))
    found.append("score")  # made in a loop
    assert {name for name in found if not name.startswith(PREFIXES)} == RULES


@pytest.mark.parametrize("what", ["missing", "directory"])
@pytest.mark.refusal
def test_a_file_that_is_not_there(what: str, tmp_path: Path) -> None:
    path = put(TEXT, tmp_path)
    path.unlink()
    if what == "directory":
        path.mkdir()
    assert "cannot be read" in verdict(path)


@pytest.mark.slow
@pytest.mark.workflow
def test_commands_agree_with_the_check(
    project: Copy, record_property: Callable[[str, object], None]
) -> None:
    """A sample through the real commands: exit 2 and one line, or a plan; nothing is started."""
    chance = random.Random(os.environ.get("RAFS_TEST_SEED", "1"))
    good = yaml.safe_load((project.root / "params.yaml").read_text())
    content = [copy.deepcopy(good) for _ in range(8)]
    content[0]["seeds"] = 0
    content[1]["experiments"]["train"] = MAIN
    content[2]["experiments"]["$(touch x); .."] = MAIN
    content[3]["experiments"]["main"]["datasets"] = ["$(touch x); .."]
    content[4]["figures"]["overview"]["metric"] = "crps"
    content[5]["experiments"]["other_one"] = {
        **MAIN,
        "sweep": {"prior.weight": [1.0e-30, 7]},
        "tuning": "main",
    }
    content[6]["seeds"] = [0, chance.randint(2, 2**53 - 1)]
    content[7]["ensemble"]["hidden"] = []
    files = [yaml.safe_dump(each) for each in content] + ["", "a: *b", "x: !!python/name:os.system"]
    commands = {
        "rafs": ("rafs", "check"),
        "snakemake": ("snakemake", "--dry-run", "--quiet", "all"),
    }
    accepted = ran = 0
    for number, text in enumerate(files):
        path = put(text, project.root)
        said = verdict(path)
        accepted += not said
        for name, command in commands.items():
            if said and name == "snakemake" and number > 2:
                continue
            ran += 1
            done = project.run(*command, check=False)
            assert done.returncode == (2 if said else 0), (text, done.stderr)
            assert "Traceback" not in done.stderr + done.stdout
            if said:
                assert done.stderr.splitlines()[-1] == f"rafs: {said}"
    assert accepted == 4
    record_property("inputs", len(files))
    record_property("refused", len(files) - accepted)
    record_property("accepted", accepted)
    assert not list(project.root.rglob("x"))
    assert not [
        name
        for name in ("results", "data/processed", "reports", "logs")
        if (project.root / name).exists()
    ]
    record_property("commands", ran)
