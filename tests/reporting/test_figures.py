import itertools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import made_up
import shown
from rafs import datasets
from rafs.reporting import catalogue, labels, style
from rafs.reporting.figures import _data as data
from rafs.reporting.figures import confidence_error, rafs_effect, uncertainty_1d
from rafs.reporting.figures.confidence_error import curve
from rafs.reporting.numbers import compact

FIGURES = catalogue.names("figures")
SOME = ("he", "forrester", "friedman", "abalone", "boston", "puma560")


@pytest.fixture(scope="module")
def results():
    """Every experiment, but few datasets and seeds: the figures are the same, and quick."""
    return made_up.Memory(small())


def small(seeds=6):
    frames = made_up.experiments(seeds)
    shifted = (f"{kind}_{name}" for kind in ("uci_gap", "uci_tail") for name in made_up.UCI)
    keep = (*SOME, "superconductivity", *shifted)
    return {name: frame[frame["dataset"].isin(keep)] for name, frame in frames.items()}


def with_losses():
    """One dataset that could not be had, one method that diverged, one experiment not run."""
    frames = small()
    main = frames["main"]
    gone = (main["dataset"] == "boston") | (main["dataset"] == "abalone")
    burst = (main["method"] == "de") & (main["dataset"] == "he") & (main["seed"] < 2)
    lost = [
        made_up.lost("main", row.method, row.dataset, row.seed, "missing", "no $copy$ of it_here")
        for row in main[gone].itertuples()
    ]
    lost += [made_up.lost("main", "de", "he", s, "diverged", "at step 40") for s in (0, 1)]
    frames["main"] = pd.concat([main[~(gone | burst)], pd.DataFrame(lost)], ignore_index=True)
    del frames["cardinality"]
    return frames


class Lossy(made_up.Memory):
    """What is lost has no data or predictions either, and may be an empty array."""

    def __init__(self):
        super().__init__(with_losses())

    def data(self, dataset, seed, protocol="described"):
        return None if dataset in ("boston", "abalone") else super().data(dataset, seed, protocol)

    def predictions(self, experiment, method, dataset, seed):
        if (method, dataset) == ("de", "he") and seed < 2:
            return {name: np.empty(0) for name in ("mean", "variance", "aleatoric")}
        return super().predictions(experiment, method, dataset, seed)


WHOLE = made_up.Memory(made_up.experiments(2))  # all titles, the long ones too


def words(figure):
    return " ".join(t.get_text().replace("\n", " ") for t in figure.findobj(Text))


def drawn(figure, gid):
    """Return the artists with an identifier, in order."""
    return list(figure.findobj(lambda artist: artist.get_gid() == gid))


# --------------------------------------------------------------------------- every figure


@pytest.mark.parametrize("name", FIGURES)
def test_is_drawn_and_says_what_it_shows(name, results):
    figure = shown.draw(name, results)
    named = [axes for axes in figure.axes if axes.axison and axes.lines]
    assert name == "rafs_effect" or all(a.get_xlabel() or a.get_title(loc="left") for a in named)
    units = [axes.get_xlabel() + axes.get_ylabel() for axes in figure.axes]
    assert any("(" in text or "share" in text or text.endswith("y") for text in units) or (
        name == "critical_difference"  # ranks have no unit
    )
    assert len(shown.caption(name)) > 60
    assert "has not been run" not in words(figure)


@pytest.mark.parametrize("name", FIGURES)
def test_what_is_missing_is_said_and_does_not_stop_it(name):
    figure = shown.draw(name, Lossy())
    style.render(figure, "png")
    said = words(figure)
    if name == "cardinality":
        assert "cardinality has not been run" in said
    elif name == "confidence_error":
        assert "Missing runs: 36" in said
        assert "no copy of it_here" in said.replace("\\$", "").replace("$", "")
    elif name in ("controls", "diversity", "activation_count"):  # DE is not in them
        assert "Missing runs: " in said
    elif name not in ("ensemble_size", "training_points_1d", "epistemic", "uci_gap"):
        assert "iverged" in said or "at step 40" in said


@pytest.mark.parametrize("name", FIGURES)
def test_without_any_result_it_is_a_sentence(name):
    class Nothing(made_up.Memory):
        def data(self, dataset, seed, protocol="described"):
            return None

    figure = shown.draw(name, Nothing({}))
    style.render(figure, "svg")
    assert any(len(text.get_text().split()) > 3 for text in figure.findobj(Text))


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_same_results_same_bytes(name, results, tmp_path):
    first = shown.make(name, results, tmp_path / "a")
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30, "svg.hashsalt": "other"}):
        second = shown.make(name, results, tmp_path / "b")
    assert [path.suffix for path in first] == [".svg", ".png", ".pdf"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.suffix
    assert b"<dc:date>" not in first[0].read_bytes()
    assert b"CreationDate" not in first[2].read_bytes()


def test_another_process_writes_the_same_bytes(tmp_path):
    code = (
        "import made_up, shown, sys;"
        "shown.make('training_points_1d', made_up.Memory({}), sys.argv[1])"
    )
    for seed in "12":
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(made_up.__file__).parent)},
        )
    for kind in ("svg", "png", "pdf"):
        assert (tmp_path / f"1.{kind}").read_bytes() == (tmp_path / f"2.{kind}").read_bytes()


def test_drawing_leaves_no_trace(results):
    before = dict(matplotlib.rcParams)
    style.render(shown.draw("overview", results), "svg")
    assert dict(matplotlib.rcParams) == before
    assert (
        "matplotlib.pyplot"
        not in subprocess.run(
            [
                sys.executable,
                "-c",
                "import rafs.reporting.figures.overview, sys; print(*sys.modules)",
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    )


@pytest.mark.parametrize("inputs", [WHOLE, Lossy()], ids=["whole", "lossy"])
@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_off_or_in_another_texts_way(name, inputs):
    figure = shown.draw(name, inputs)
    style.arrange(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    style.styled(figure.draw)(renderer)
    boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in visible_texts(figure)]
    whole = figure.bbox
    for text, box in boxes:
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= whole.x1 + 1, text
        assert box.y1 <= whole.y1 + 1, text
    for (a, first), (b, second) in itertools.combinations(boxes, 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert across < 1 or up < 1, (a, b)


@style.styled
def visible_texts(figure):
    texts = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
    for axes in figure.axes:
        texts += [*axes.texts, axes.title, axes._left_title]
        if axes.get_legend():
            texts += axes.get_legend().get_texts()
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            ticks = axis._update_ticks()  # those inside the limits
            texts += [axis.label, *(label for t in ticks for label in (t.label1, t.label2))]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


# --------------------------------------------------------------------------------- style


def test_methods_can_be_told_apart_without_colour():
    looks = list(style.LOOKS.values())
    for part in ("colour", "marker", "dashes"):
        assert len({getattr(look, part) for look in looks}) == len(looks), part
    assert style.look("rp+rafs").colour == style.look("rp").colour
    assert style.look("rp+rafs").points["markerfacecolor"] == "white"
    assert style.look("unheard of").marker


@pytest.mark.parametrize("name", ["confidence_error", "calibration", "in_out", "overview"])
def test_a_method_looks_the_same_everywhere(name, results):
    figure = shown.draw(name, results)
    for method in made_up.METHODS:
        lines = drawn(figure, method)
        assert lines, method
        for line in lines:
            assert line.get_marker() == style.look(method).marker
            assert line.get_markerfacecolor() == style.look(method).colour


@given(st.floats(allow_nan=True, allow_infinity=True, width=32))
def test_compact_numbers_are_compact_and_keep_their_sign(value):
    text = compact(value, signed=True)
    assert len(text) <= 6
    if text[0] in "+−":
        assert (text[0] == "−") == (value < 0)


# ------------------------------------------------------------------------- single figures


def test_uncertainty_bands_are_two_sds_around_the_mean(results):
    figure = shown.draw("uncertainty_1d", results, seed=3)
    runs = [
        (made_up.data(name, 3), made_up.predictions(method, name, 3))
        for name in ("he", "forrester")
        for method in made_up.METHODS
    ]
    assert len(figure.axes) == len(runs)
    for axes, (known, run) in zip(figure.axes, runs, strict=True):
        (mean,) = drawn(axes, "mean")
        (band,) = drawn(axes, "band")
        assert np.allclose(mean.get_ydata(), run["mean"])
        height = np.ptp(band.get_paths()[0].vertices[:, 1])
        edges = run["mean"][:, None] + 2 * np.sqrt(run["variance"])[:, None] * [-1, 1]
        assert np.isclose(height, np.ptp(edges))
        points = next(line for line in axes.lines if line.get_linestyle() == "None")
        assert np.allclose(points.get_ydata(), known.y_train)
        low, high = axes.get_ylim()
        assert low < known.y_train.min() < known.y_train.max() < high


@pytest.mark.parametrize("name", ["he", "forrester"])
def test_the_reference_fits_its_training_points_and_widens_away_from_them(name):
    known = datasets.load(name, seed=0)
    predict = uncertainty_1d._reference(known)
    mean, sd = predict(known.x_train[:, 0])
    assert (np.abs(mean - known.y_train) / sd).max() < 3
    assert known.noise < sd.max() < 2 * known.noise
    left = known.x_train.min() - 5 * known.x_train.std()
    assert predict(np.array([left]))[1][0] > 5 * sd.max()


def test_the_reference_knows_no_units():
    known = made_up.data("forrester", 0)
    grid = np.linspace(0, 1, 9)
    mean, sd = uncertainty_1d._reference(known)(grid)
    other = SimpleNamespace(
        x_train=1e3 * known.x_train + 7, y_train=50 * known.y_train - 9, noise=50 * known.noise
    )
    scaled, spread = uncertainty_1d._reference(other)(1e3 * grid + 7)
    assert np.allclose(scaled, 50 * mean - 9)
    assert np.allclose(spread, 50 * sd)


def test_no_band_leaves_its_panel():
    class Wild(made_up.Memory):
        def predictions(self, experiment, method, dataset, seed):
            found = super().predictions(experiment, method, dataset, seed)
            return {**found, "variance": found["variance"] * (400 if method == "de" else 1)}

    figure = shown.draw("uncertainty_1d", Wild(small(2)), datasets=["forrester"])
    limits = {axes.get_ylim() for axes in figure.axes if axes.axison}
    assert len(limits) == 1  # widths can be compared across the panels
    ((low, high),) = limits
    for band in drawn(figure, "band"):
        edges = band.get_paths()[0].vertices[:, 1]
        assert low < edges.min() < edges.max() < high
    for line in drawn(figure, "reference"):
        assert low < min(line.get_ydata()) < max(line.get_ydata()) < high


def test_every_column_of_uncertainty_panels_names_its_x():
    frames = {"main": made_up.scores(methods=(*made_up.METHODS, "de_nll"), datasets=["he"])}
    figure = shown.draw("uncertainty_1d", made_up.Memory(frames), datasets=["he"])
    used = [axes for axes in figure.axes if axes.axison]
    assert [bool(axes.get_xlabel()) for axes in used] == [False] * 3 + [True] * 4


def test_confidence_curve_takes_the_confident_ones():
    rng = np.random.default_rng(0)
    precision, error = rng.uniform(1, 9, 200), rng.normal(size=200)
    found = curve(precision, error, np.array([0.0, 5.0, 8.9999]))
    assert np.isclose(found[0] ** 2, np.mean(error**2))
    chosen = [e for p, e in zip(precision, error, strict=True) if p > 5]
    assert np.isclose(found[1], np.linalg.norm(chosen) / len(chosen) ** 0.5)
    assert np.isnan(found[2])  # too few are left


def test_confidence_error_falls_where_the_sd_is_honest_and_rises_where_it_is_inverted():
    frames = small(3)
    for growth, falls in ((1.0, True), (-1.0, False)):
        inputs = made_up.Memory(frames, growth=dict.fromkeys(made_up.METHODS, growth))
        figure = shown.draw("confidence_error", inputs, datasets=["friedman"])
        for method in ("de", "hde"):
            (line,) = drawn(figure, method)
            first, last = np.asarray(line.get_ydata())[[0, -1]]
            assert (last < first) == falls


def test_confidence_error_starts_where_the_data_are():
    """RMSEs that lie close together fill the axis instead of its upper edge."""
    figure = shown.draw("confidence_error", made_up.Memory(small(6)), datasets=["abalone"])
    (axes,) = figure.axes
    lines = [np.asarray(line.get_ydata()) for m in made_up.METHODS for line in drawn(axes, m)]
    drawn_values = np.concatenate(lines)
    low, high = axes.get_ylim()
    assert low > 0
    bands = np.concatenate([c.get_paths()[0].vertices[:, 1] for c in axes.collections])
    least, most = min(drawn_values.min(), bands.min()), max(drawn_values.max(), bands.max())
    assert low > least / 1.5
    assert high < most * 1.5


def test_confidence_intervals_are_those_of_logarithms():
    curves = np.exp(np.arange(10.0))[:, None] * [1.0, 3.0]
    found = confidence_error._summary(curves)
    assert np.allclose(found[0], np.exp([4.5, 1.0, 8.0]))  # the geometric middle
    assert np.allclose(found[1], 3 * found[0])
    assert (found > 0).all()


@pytest.mark.parametrize("name", ["ensemble_size", "cardinality"])
def test_sweeps_show_every_value_and_its_median(name, results):
    figure = shown.draw(name, results)
    levels = {
        "ensemble_size": {2: 3.0, 3: 2.5, 5: 2.1, 7: 1.5, 10: 2.05, 15: 2.02, 20: 2.0},
        "cardinality": {k: 8.0 - k for k in range(1, 8)},
    }[name]
    shift = 0.01 * np.median([s % 5 for s in range(6)])
    for line in drawn(figure, "rafs"):
        assert list(line.get_xdata()) == list(levels)
        assert np.allclose(line.get_ydata(), np.array(list(levels.values())) + shift)


def test_ensemble_size_names_the_activations_that_enter(results):
    figure = shown.draw("ensemble_size", results)
    for axes in figure.axes:
        found = [label.get_text().split("\n") for label in axes.get_xticklabels()]
        assert found[:4] == [
            ["2", "gelu", "softsign"], ["3", "swish"], ["5", "selu", "tanh"], ["7", "erf", "linear"]
        ]  # fmt: skip
        assert found[4:] == [["10"], ["15"], ["20"]]
    other = {"activations": ["erf", "tanh", "linear"], "datasets": ["puma560"]}
    (axes,) = shown.draw("ensemble_size", results, **other).axes
    assert [t.get_text() for t in axes.get_xticklabels()][:2] == ["2\nerf\ntanh", "3\nlinear"]


def with_repeats(frames, experiment, first):
    """Make the runs from k = `first` on those of `first`, as they are for so many networks."""
    frame = frames[experiment]
    runs = frame.set_index(["method", "dataset", "seed"])["nll_paper"].to_dict()
    frames[experiment] = frame.assign(
        nll_paper=[
            runs[f"rafs@k={min(first, int(row.method[-1]))}", row.dataset, row.seed]
            for row in frame.itertuples()
        ]
    )


def test_cardinality_draws_the_same_runs_once():
    frames = small()
    for experiment in ("cardinality", "cardinality_shuffled"):
        with_repeats(frames, experiment, 5)
    figure = shown.draw("cardinality", made_up.Memory(frames))
    (axes,) = figure.axes
    lines = drawn(axes, "rafs")
    assert [list(line.get_xdata()) for line in lines] == [[1, 2, 3, 4, 5]] * 2
    assert [t.get_text() for t in axes.get_xticklabels()] == ["1", "2", "3", "4", "5, 6, 7"]
    assert not drawn(axes, "same runs")


def test_cardinality_shows_where_only_one_curve_goes_on():
    frames = small()
    with_repeats(frames, "cardinality", 5)
    (axes,) = shown.draw("cardinality", made_up.Memory(frames)).axes
    fixed, shuffled = drawn(axes, "rafs")
    assert list(fixed.get_xdata()) == [1, 2, 3, 4, 5]
    assert list(shuffled.get_xdata()) == list(range(1, 8))
    (onwards,) = drawn(axes, "same runs")
    assert list(onwards.get_xdata()) == [5, 7]
    assert set(onwards.get_ydata()) == {fixed.get_ydata()[-1]}
    assert axes.get_xticklabels()[-1].get_text() == "7"


def test_cardinality_has_a_curve_with_a_shuffled_order(results):
    figure = shown.draw("cardinality", results)
    fixed, shuffled = drawn(figure, "rafs")
    assert fixed.get_linestyle() == "-" != shuffled.get_linestyle()
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == [
        "5 networks, fixed order", "7 networks, shuffled order"
    ]  # fmt: skip


def test_sweep_of_a_wide_range_is_logarithmic():
    frames = small()
    size = frames["ensemble_size"]
    wild = size["method"].eq("rafs@size=2") & size["seed"].eq(0)
    frames["ensemble_size"] = size.assign(nll_paper=size["nll_paper"].where(~wild, 1e6))
    figure = shown.draw("ensemble_size", made_up.Memory(frames))
    assert all(axes.get_yscale() == "symlog" for axes in figure.axes)


def test_critical_difference_orders_methods_and_joins_only_the_near():
    frame = made_up.scores(seeds=3)  # every dataset ranks the methods in the order of their skill
    figure = shown.draw("critical_difference", made_up.Memory({"main": frame}))
    top = figure.axes[0]
    ranks = {t.get_gid(): float(t.get_text().split()[-1]) for t in top.texts if t.get_gid()}
    assert sorted(ranks, key=ranks.get) == sorted(made_up.METHODS, key=made_up.SKILL.get)
    for bar in drawn(top, "bar"):
        first, last = bar.get_xdata()
        assert last - first < 1.51 + 0.12 + 1e-9  # Demšar's table: 2.850 sqrt(6 * 7 / (6 * 25))
    assert len(drawn(top, "bar")) == 5


def test_rafs_effect_has_the_sign_and_size_of_the_change():
    frames = small(10)
    found = rafs_effect.effects(pd.concat([frames["main"], frames["rafs_on"]]), "nll")
    assert set(found["method"]) == set(made_up.METHODS) - {"rafs"}
    assert found["difference"].between(-0.8, 0.0).all()  # made up: -0.3, of AE -0.6, and noise
    figure = shown.draw("rafs_effect", made_up.Memory(frames))
    cells = [t.get_text() for t in figure.axes[0].texts]
    assert len(cells) == (len(SOME) + 1) * 5
    assert all(text.startswith("−") for text in cells)
    assert sum(t.get_fontweight() == "bold" for t in figure.axes[0].texts) > 15


def test_calibration_shows_the_median_over_datasets():
    frame = made_up.scores(datasets=("he", "friedman", "ackley"), seeds=2)
    for place, dataset in enumerate(("he", "friedman", "ackley")):
        for level in range(10, 100, 10):
            frame.loc[frame["dataset"] == dataset, f"calib_{level}"] = level / 100 * (place + 1) / 3
    figure = shown.draw("calibration", made_up.Memory({"main": frame}))
    for line in drawn(figure, "rafs"):
        assert np.allclose(line.get_ydata(), np.arange(0.1, 1, 0.1) * 2 / 3)


def test_recalibration_has_the_coverage_of_each_way_inside_and_outside(results):
    figure = shown.draw("recalibration", results)
    for axes, inside in zip(figure.axes, (True, False), strict=True):
        for method in made_up.METHODS:
            for way, (_, *coverage) in made_up.COVERED.items():
                (point,) = drawn(axes, f"{method}: {way}")
                (share,) = point.get_xdata()
                assert share == pytest.approx(coverage[not inside] + 0.0025)  # six seeds
    at = {a.get_text() for a in figure.axes[0].get_yticklabels()}
    assert at == set(map(labels.method, made_up.METHODS))


def test_in_out_pairs_synthetic_datasets_method_by_method(results):
    figure = shown.draw("in_out", results)
    left, _ = figure.axes
    synthetic = [d for d in SOME if made_up.CATEGORY[d] != "real"]
    main = results.scores("main")
    for place, method in enumerate(made_up.METHODS):
        assert left.get_yticklabels()[place].get_text() == labels.method(method)
        mine = main[(main["method"] == method) & main["dataset"].isin(synthetic)]
        medians = mine.groupby("dataset")["nll_paper"].median().to_numpy()  # as in the table
        lines = drawn(left, f"{method}: dataset")
        ends = np.array([line.get_xdata() for line in lines])
        assert np.allclose(np.sort(ends[:, 0]), np.sort(medians - 0.5))
        assert np.allclose(ends[:, 1] - ends[:, 0], 1.0)  # made up: the same for every dataset
        assert all(abs(line.get_ydata()[0] - place) < 0.5 for line in lines)
        (inside,), (outside,) = drawn(left, method), drawn(left, f"{method}: outside")
        assert np.isclose(inside.get_xdata()[0], np.median(medians) - 0.5)
        assert np.isclose(outside.get_xdata()[0], np.median(medians) + 0.5)
    assert left.get_xlabel() == "NLL (without ½ ln 2π, nats per example)"


def test_overview_puts_the_best_on_top_and_counts_every_place(results):
    figure = shown.draw("overview", results)
    left, right = figure.axes
    names = [label.get_text().split("\n")[0] for label in left.get_yticklabels()]
    skilled = sorted(made_up.METHODS, key=made_up.SKILL.get)
    assert names[0] == labels.method(skilled[0])
    assert names[-1] == labels.method(skilled[-1])
    widths = [patch.get_width() for patch in left.patches]
    assert np.isclose(sum(widths), len(made_up.METHODS))
    (best,) = drawn(right, "rafs")
    (worst,) = drawn(right, "de")
    assert best.get_xdata()[0] < 0.2 < 2 < worst.get_xdata()[0]


def test_overview_gives_a_diverged_run_the_last_place():
    frame = small()["main"]
    frame = frame[frame["dataset"].isin(["he", "friedman"])]
    ok = frame["method"] != "rafs"
    lost = [made_up.lost("main", "rafs", r.dataset, r.seed) for r in frame[~ok].itertuples()]
    frame = pd.concat([frame[ok], pd.DataFrame(lost)], ignore_index=True)
    figure = shown.draw("overview", made_up.Memory({"main": frame}))
    last = figure.axes[0].get_yticklabels()[-1].get_text()
    assert last.startswith("RAFs\n6.00")


def test_notes_count_what_is_lost():
    rows, notes = data.scores(Lossy(), {"experiments": ["main", "cardinality"]})
    assert any("cardinality has not been run" in note for note in notes)
    assert "Diverged runs: 2 of 216: DE on He et al. 1D (2)." in notes
    assert any(note.startswith("Missing runs: 72 of 216: ") for note in notes)
    assert data.why_not(rows, dataset="boston") == "no $copy$ of it_here"


def test_options_choose_methods_and_datasets(results):
    options = {"methods": ["rafs", "de"], "datasets": ["friedman"]}
    figure = shown.draw("confidence_error", results, **options)
    assert len(figure.axes) == 1
    assert drawn(figure, "rafs")
    assert not drawn(figure, "rp")
