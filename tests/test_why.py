"""What makes random activations work: controls, findings, and claimed against true error."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import made_up
import shown
from rafs import paths
from rafs.errors import DataError
from rafs.pipeline.loading import load
from rafs.pipeline.plan import Plan
from rafs.reporting import readme
from rafs.reporting.inputs import KEYS
from rafs.reporting.why import controls
from rafs.reporting.why import epistemic as truth
from rafs.reporting.why.findings import judge
from small_project import PROJECT

# ---------------------------------------------------------------- claimed against true error


def test_bias_and_variance_are_estimated_without_bias():
    """Ten seeds around f + 0.5 with sd 2: over many points the estimates average to the truth."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=40_000)
    means = f + 0.5 + 2.0 * rng.normal(size=(10, f.size))
    found = truth.split(means, np.full_like(means, 3.0), f)
    assert found.bias2.mean() == pytest.approx(0.25, abs=0.03)  # with (μ̄ - f)² it would be 0.65
    assert found.variance.mean() == pytest.approx(4.0, rel=0.02)
    assert found.error == pytest.approx(np.mean((means - f) ** 2, axis=0))
    assert (found.claimed == 3.0).all()


def test_a_summary_by_hand():
    """Two seeds, three points, the last of them in another part."""
    means = np.array([[1.0, 4.0, 9.0], [3.0, 4.0, 9.0]])
    claimed = np.array([[1.0, 2.0, 0.0], [3.0, 2.0, 0.0]])
    points = truth.split(means, claimed, np.array([0.0, 1.0, 9.0]))
    assert points.variance.tolist() == [2.0, 0.0, 0.0]
    assert points.bias2.tolist() == [4.0 - 1.0, 9.0, 0.0]
    found = truth.summary(points, np.array([True, True, False]))
    assert (found["bias2"], found["variance"], found["error"]) == (6.0, 1.0, 7.0)
    assert found["claimed"] == 2.0
    assert found["ratio"] == pytest.approx(2 / 7)
    assert found["bias_share"] == pytest.approx(6 / 7)


class Known(made_up.Memory):
    """Methods that claim a known multiple of the variance that they have, and have no bias."""

    CLAIM = {"ae": 0.25, "rafs": 1.0}  # noqa: RUF012

    def __init__(self, seeds=40, same=True):
        frame = made_up.scores("epistemic", tuple(self.CLAIM), ("friedman", "he"), seeds)
        super().__init__({"epistemic": frame})
        self.same = same

    def data(self, dataset, seed, protocol="described"):
        assert protocol == "described+same_test_points"
        x = np.linspace(-2, 2, 400)[:, None] + (0 if self.same else seed)
        return SimpleNamespace(x_test=x, y_test=x[:, 0], in_distribution=np.abs(x[:, 0]) < 1)

    def predictions(self, experiment, method, dataset, seed):
        x = np.linspace(-2, 2, 400)
        sd = np.where(np.abs(x) < 1, 0.1, 3.0)
        noise = np.random.default_rng([seed, *method.encode(), *dataset.encode()])
        mean = x + sd * noise.normal(size=x.size)
        return {"mean": mean, "variance": self.CLAIM[method] * sd**2 + 0.01, "aleatoric": 0.01}


def test_claims_that_are_right_have_the_ratio_one():
    found = shown.build("epistemic", Known()).frame.set_index(["method", "dataset", "part"])
    for (method, _, _), row in found.iterrows():
        assert row["ratio"] == pytest.approx(Known.CLAIM[method], rel=0.05)
        assert abs(row["bias_share"]) < 0.02
    assert found["points"].tolist() == [200, 200] * 4
    off = truth.misjudged(found.reset_index(), "outside")
    assert off["ae"].to_numpy() == pytest.approx(np.log(4.0), abs=0.05)


def test_what_the_table_of_claims_says():
    notes = " ".join(shown.build("epistemic", Known()).notes)
    assert "Inside, the claim of RAFs is nearer to the error than that of AE on 2 of 2" in notes
    assert "Outside, the claim of RAFs is nearer to the error than that of AE on 2 of 2" in notes


def test_seeds_must_be_tested_at_the_same_points():
    with pytest.raises(DataError, match="not tested at the same points"):
        shown.build("epistemic", Known(seeds=2, same=False))


# ---------------------------------------------------------------------------------- controls


def level(values, scatter=0.05):
    """Return NLL by method: a level, a shift by dataset, and a little by seed."""

    def nll(method, dataset, seed):
        shift = (sum(map(ord, dataset + method)) % 17) / 17
        return values[method] + 0.3 * shift + scatter * ((7 * seed) % 5)

    return nll


def frames(main, **experiments):
    """Return experiments whose methods have given levels of NLL."""
    made = {"main": main, **experiments}
    seeds = {"larger_ensembles": 6, "activation_sets": 6}
    return {
        name: made_up.scores(name, list(values), made_up.PAPER, seeds.get(name, 10), level(values))
        for name, values in made.items()
    }


def test_a_contrast_is_what_scipy_and_a_loop_say():
    inputs = made_up.Memory(
        frames({"rafs": 0.0, "ae": 1.0, "de": 5.0}, single_activation={"ae@activation=gelu": 0.1})
    )
    frame = controls.beside(inputs, "single_activation", ["rafs", "ae"])
    (found,) = controls.contrasts(frame, "rafs", ["ae"])
    medians = frame.groupby(["method", "dataset"])["nll_paper"].median()
    gaps = (medians["rafs"] - medians["ae"]).to_numpy()
    walsh = [(a + b) / 2 for i, a in enumerate(gaps) for b in gaps[i:]]
    assert found.overall.value == pytest.approx(np.median(walsh))
    assert found.overall.p == pytest.approx(stats.wilcoxon(gaps, mode="exact").pvalue, rel=1e-6)
    assert (found.lower, found.higher) == ((gaps < 0).sum(), (gaps > 0).sum())
    assert found.differences["outside"].pairs == 20
    assert "de" not in set(frame["method"])


def test_only_the_seeds_of_both_are_compared():
    inputs = made_up.Memory(frames({"rafs": 0.0, "ae": 1.0}, larger_ensembles={"ae@size=20": 0.5}))
    frame = controls.beside(inputs, "larger_ensembles", ["rafs"])
    assert set(frame["method"]) == {"rafs", "ae@size=20"}
    assert sorted(set(frame["seed"])) == list(range(6))


def test_hindsight_takes_the_lowest_on_every_dataset():
    found = frames({"rafs": 0.0, "ae": 1.0}, single_activation={"ae@activation=gelu": 1.0})
    inputs = made_up.Memory(found)
    frame = controls.singles(inputs)
    medians = frame.pivot_table("nll_paper", "dataset", "method", "median")
    best = medians[["ae", "ae@activation=gelu"]].min(axis=1)
    assert (medians[controls.HINDSIGHT] == best).all()
    assert 0 < (medians["ae"] < medians["ae@activation=gelu"]).sum() < 25
    table = shown.build("single_activation", made_up.Memory(found))
    assert "AE (best single activation, with hindsight)" in [row[0] for row in table.rows]


def test_labels_of_controls():
    names = ("ae", "ae@activation=gelu", "ae@size=20", "rafs@k=3", "rafs@variant=all", "rp")
    assert [controls.label(name) for name in names] == [
        "AE (tanh)", "AE (gelu)", "AE (20 members)", "RAFs (k = 3)", "RAFs (all)", "RP-param",
    ]  # fmt: skip


def test_numbers_of_activations_are_held_against_the_most():
    inputs = made_up.Memory(frames({"rafs": 0.0}, activation_count={
        f"rafs@k={k}": 1.0 / k for k in (1, 3, 7)}))  # fmt: skip
    found = shown.build("activation_count", inputs).frame
    assert set(found["method"]) == {"rafs@k=7"}
    whole = found[found["part"] == "all"].set_index("rival")["difference"]
    assert whole["rafs@k=1"] < whole["rafs@k=3"] < 0


# ---------------------------------------------------------------------------------- findings

DIVERSE = {"ae_choice": 1.0, "ae_bootstrap": 1.5, "ae_scales": 1.5, "ae_widths": 1.5}
SINGLE = {f"ae@activation={name}": 1.5 for name in ("gelu", "swish", "linear")}
MEMBERS = {"ae@size=10": 1.4, "ae@size=20": 1.4}
SETS = {"rafs@variant=all": 0.0, "rafs@variant=saturating": 1.5, "rafs@variant=unbounded": 1.5}
MAIN = {"rafs": 0.0, "ae": 1.5}


def kinds(**changed):
    """Return the verdicts where random activations are best, but for what is changed."""
    made = {
        "main": MAIN,
        "single_activation": SINGLE,
        "other_diversity": DIVERSE,
        "larger_ensembles": MEMBERS,
        "activation_sets": SETS,
    }
    found = frames(**(made | changed))
    return {finding.name: verdict.kind for finding, verdict in judge(made_up.Memory(found))}


def test_where_nothing_else_does_it():
    found = kinds()
    assert found["diversity"] == "holds"
    assert (found["any"], found["members"]) == ("contradicted", "contradicted")
    assert found["activations"] == "contradicted"


@pytest.mark.parametrize(
    ("changed", "finding", "kind"),
    [
        ({"single_activation": SINGLE | {"ae@activation=gelu": -1.0}}, "diversity", "in part"),
        ({"other_diversity": DIVERSE | {"ae_choice": -1.0}}, "diversity", "in part"),
        ({"main": {"rafs": 2.0, "ae": 0.0}}, "diversity", "contradicted"),
        ({"other_diversity": dict.fromkeys(DIVERSE, -0.5)}, "any", "holds"),
        ({"other_diversity": DIVERSE | {"ae_scales": -0.5}}, "any", "in part"),
        ({"activation_sets": SETS | {"rafs@variant=unbounded": -1.0}}, "activations", "in part"),
        ({"larger_ensembles": {"ae@size=10": 1.0, "ae@size=20": -1.0}}, "members", "in part"),
        ({"larger_ensembles": {"ae@size=20": -1.0}}, "members", "holds"),
    ],
)
def test_each_finding_can_come_out_otherwise(changed, finding, kind):
    assert kinds(**changed)[finding] == kind


def test_gain_outside_is_told_from_gain_everywhere():
    found = frames(MAIN)
    (_, everywhere) = next(j for j in judge(made_up.Memory(found)) if j[0].name == "outside")
    assert [part.outcome for part in everywhere.parts] == ["shown", "not shown"]
    rafs = found["main"]["method"] == "rafs"
    found["main"].loc[rafs, "in_nll"] += 1.5  # now it gains nothing inside
    (_, outside) = next(j for j in judge(made_up.Memory(found)) if j[0].name == "outside")
    assert outside.kind == "holds"


def test_without_results_nothing_can_be_tested():
    for _, verdict in judge(made_up.Memory({})):
        assert verdict.kind == "not testable"
    few = {
        name: frame[frame["seed"] < 2]
        for name, frame in frames(
            MAIN,
            single_activation=SINGLE,
            other_diversity=DIVERSE,
            larger_ensembles=MEMBERS,
            activation_sets=SETS,
        ).items()
    }
    assert {verdict.kind for _, verdict in judge(made_up.Memory(few))} == {"not testable"}
    empty = controls.find(made_up.Memory({}), "main")
    assert list(empty.columns) == [*KEYS, "category"]


def test_the_table_has_effect_sizes_intervals_and_tests():
    found = frames(MAIN, single_activation=SINGLE, other_diversity=DIVERSE,
                   larger_ensembles=MEMBERS, activation_sets=SETS)  # fmt: skip
    table = shown.build("why", made_up.Memory(found))
    assert [row[1] for row in table.rows[:4]] == ["holds", *["contradicted"] * 3]
    rows = table.frame[table.frame["finding"] == "diversity"]
    single = rows[rows["part"] == "against AE with each single activation"]
    assert set(single["rival"]) == {"ae", *SINGLE}
    assert (single["low"] <= single["difference"]).all()
    assert (single["difference"] <= single["high"]).all()
    assert (rows["p"] < 0.05).all()


# -------------------------------------------------------------------- README, documentation, page


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("holds", "holds"),
        ("2 of 3 parts", "holds in 2 of 3 parts"),
        ("1 of 2 parts, 1 contradicted", "holds in 1 of 2 parts, 1 contradicted"),
        ("1 of 2 parts contradicted", "contradicted in 1 of 2 parts"),
    ],
)
def test_a_verdict_in_a_sentence(verdict, said):
    assert readme.in_words(verdict) == said


def test_readme_and_documentation_say_what_was_found(tmp_path, monkeypatch):
    found = frames(MAIN, single_activation=SINGLE, other_diversity=DIVERSE,
                   larger_ensembles=MEMBERS, activation_sets=SETS)  # fmt: skip
    table = shown.build("why", made_up.Memory(found)).frame
    said = readme.reasons(table)
    assert "“Any diversity would do”: contradicted" in said
    assert "docs/why.md" in said
    assert readme.reasons(None) == ""
    lines = readme.findings(table.to_dict("records"))
    assert len(lines) == 5
    assert lines[0].startswith(
        "**The gain over AE is due to diversity, not to the choice of activation**: holds. Against"
    )
    assert lines[0].count("Against AE with each single activation") == 1  # once, not per rival
    monkeypatch.syspath_prepend(str(PROJECT / "docs"))
    import reported

    monkeypatch.setattr(reported, "REPORTS", tmp_path)
    assert "snakemake why" in reported.findings()
    assert reported.made_figure("controls") == ""
    (tmp_path / "tables").mkdir()
    table.to_csv(tmp_path / "tables/why.csv", index=False)
    assert reported.findings().count("\n- ") == len(lines) - 1


def test_the_page_shows_the_tables_and_figures_that_there_are(tmp_path, monkeypatch):
    """Of experiments by name: when their scores are there and they are made; it asks for none."""
    monkeypatch.chdir(tmp_path)
    params = load(PROJECT / "params.yaml")
    before = json.loads(Plan(params, PROJECT).specs.page())
    svg = Path(paths.FIGURE.format(figure="epistemic", format="svg"))
    svg.parent.mkdir(parents=True)
    svg.write_text("<svg/>")
    table = Path(paths.BUILT_TABLE.format(table="epistemic"))
    table.parent.mkdir(parents=True)
    table.write_text("{}")
    assert json.loads(Plan(params, PROJECT).specs.page()) == before
    place = Path(paths.SCORES.format(experiment="epistemic"))
    place.parent.mkdir(parents=True)
    place.write_text("method\n")
    after = json.loads(Plan(params, PROJECT).specs.page())
    for kind in ("tables", "figures"):
        assert set(after[kind]) - set(before[kind]) == {"epistemic"}
    made = {str(svg), str(table)}
    assert made == set(after["made"])
    for file in (svg, table):
        text = file.read_text()
        file.write_text(f"{text} ")
        assert json.loads(Plan(params, PROJECT).specs.page()) != after
        file.write_text(text)
    files = Plan(params, PROJECT).files
    assert not made & set(files.page_inputs())
    assert made <= set(files.page_extras())
