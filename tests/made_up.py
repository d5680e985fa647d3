"""Made-up results in the form that the workflow writes, for tests of statistics and reporting.

Every number is a function of its run's name. The methods differ by a known amount (`SKILL`), the
datasets by their scale, and seeds by noise, so that a test knows what a table has to show.
"""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from rafs import paths, seeding
from rafs.datasets.core import SPLITS, Dataset
from rafs.evaluation import metrics
from rafs.evaluation.likelihood import HALF_LOG_TWO_PI
from rafs.files import write_npz
from rafs.reporting.inputs import Inputs
from rafs.sampled import write_dataset

METHODS = ("de", "hde", "ae", "ntkgp", "rp", "rafs")
CATEGORY = {
    "he": "T",
    "forrester": "T",
    "schaffer4": "MLM",
    "double_pendulum": "PM",
    "rastrigin": "MLM",
    "ishigami": "T",
    "environmental": "PM",
    "griewank": "MLM",
    "roos_arnold": "O",
    "friedman": "T",
    "planar_arm": "PM",
    "sum_of_powers": "O",
    "ackley": "MLM",
    "piston": "PM",
    "robot_arm": "PM",
    "borehole": "PM",
    "styblinski_tang": "O",
    "puma560": "PM",
    "welch": "O",
    "wing_weight": "PM",
    "boston": "real",
    "abalone": "real",
    "naval": "real",
    "forest_fire": "real",
    "parkinsons": "real",
    "superconductivity": "large",
    "news": "large",
}
UCI = (
    "boston", "concrete", "energy", "kin8nm", "naval", "power", "protein", "wine", "yacht",
)  # fmt: skip
CATEGORY |= {f"{kind}_{name}": kind for kind in ("uci", "uci_gap", "uci_tail") for name in UCI}
SAME_POINTS = "described+same_test_points"
PAPER = tuple(
    name for name, kind in CATEGORY.items() if kind != "large" and not kind.startswith("uci")
)
ONE_DIMENSIONAL = ("he", "forrester")
SKILL = {"de": 3.0, "hde": 2.5, "ae": 1.0, "ntkgp": 1.2, "rp": 0.8, "rafs": 0.4, "de_nll": 2.0}
SKILL |= {"constant": 3.5, "linear": 2.2, "laplace": 1.8}
SKILL |= {"ae_choice": 0.9, "ae_bootstrap": 0.95, "ae_scales": 0.85, "ae_widths": 1.05}


def run(experiment, method, dataset, seed, nll=None, n=200, **columns):
    """Return one row of scores; `nll` sets its level, further columns are set as given."""
    base, _, sweep = method.partition("@")
    sweep_name, _, sweep_value = sweep.partition("=")
    rng = seeding.generator("made-up", experiment, method, dataset, seed)
    if nll is None:
        skill = SKILL[base.removesuffix("+rafs")] - 0.3 * base.endswith("+rafs")
        nll = skill + 0.1 * (sum(map(ord, dataset)) % 20) + rng.normal(0.0, 0.1)
    nominal = np.array(metrics.CURVE) / 100
    shortfall = 1 / (1 + max(nll, 0.0))
    row = {
        "experiment": experiment,
        "method": method,
        "base": base,
        "sweep_name": sweep_name or None,
        "sweep_value": float(sweep_value) if sweep_value.isdigit() else sweep_value or None,
        "dataset": dataset,
        "category": CATEGORY[dataset],
        "seed": seed,
        "status": "ok",
        "message": None,
        "n_train": 2 * n,
        "n_test": n,
        "n_inside": n // 2 if CATEGORY[dataset] not in SPLITS else None,
        "members": 5.0,
        "nll": nll + HALF_LOG_TWO_PI,
        "nll_paper": nll,
        "rmse": np.exp(0.3 * min(nll, 50.0)) + rng.uniform(0.0, 0.05),
    }
    row["mae"] = 0.8 * row["rmse"]
    row["crps"] = 0.6 * row["rmse"]
    row["sharpness"] = 0.9 * row["rmse"]
    row["interval_score_95"] = 5.0 * row["rmse"]
    row["calibration_error"] = 0.25 * (1 - shortfall)
    for level in metrics.INTERVALS:
        row[f"coverage_{level}"] = level / 100 * shortfall**0.3
        row[f"width_{level}"] = level / 50 * row["rmse"]
    for level, value in zip(metrics.CURVE, nominal * shortfall**0.3, strict=True):
        row[f"calib_{level}"] = value
    row["member_sd"] = 0.5 * row["rmse"]
    row["member_correlation"] = 1 - 0.4 * shortfall
    for prefix, shift in (("in_", -0.5), ("out_", 0.5)):
        known = CATEGORY[dataset] not in SPLITS
        inner = ("nll_paper", "nll", "rmse", "crps", "coverage_95", "sharpness", "member_sd")
        for name in inner:
            factor = 1 if name.startswith("nll") else 1 + 0.2 * shift
            row[prefix + name] = row[name] * factor + shift * (factor == 1) if known else np.nan
    return row | columns


def lost(experiment, method, dataset, seed, status="diverged", message="made up"):
    """Return the row of a run without scores."""
    row = run(experiment, method, dataset, seed)
    kept = ("experiment", "method", "base", "sweep_name", "sweep_value", "dataset", "category")
    row = {key: value if key in (*kept, "seed") else np.nan for key, value in row.items()}
    return row | {"status": status, "message": message}


def scores(experiment="main", methods=METHODS, datasets=PAPER, seeds=10, nll=None, **columns):
    """Return the scores of an experiment; `nll(method, dataset, seed)` may set its levels."""
    return pd.DataFrame(
        [
            run(experiment, m, d, s, nll(m, d, s) if nll else None, **columns)
            for m in methods
            for d in datasets
            for s in range(seeds)
        ]
    )


def sweep(experiment, dataset, name, levels, method="rafs", seeds=10):
    """Return a swept experiment whose NLL at each value is given by `levels`."""
    return scores(
        experiment,
        [f"{method}@{name}={value}" for value in levels],
        [dataset],
        seeds,
        lambda m, d, s: levels[int(m.rpartition("=")[2])] + 0.01 * (s % 5),
    )


def experiments(seeds=10, datasets=PAPER):
    """Return every experiment of the project, by name; the large ones over some datasets."""
    sizes = {2: 3.0, 3: 2.5, 5: 2.1, 7: 1.5, 10: 2.05, 15: 2.02, 20: 2.0}
    return {
        "main": scores(datasets=datasets, seeds=seeds),
        "de_nll": scores("de_nll", ["de_nll"], datasets, seeds),
        "rafs_on": scores(
            "rafs_on", [f"{m}+rafs" for m in METHODS if m not in ("ae", "rafs")], datasets, seeds
        ),
        "scalability": scores(
            "scalability", ["ae", "rp", "rafs"], ["superconductivity", "news"], seeds
        ),
        "ensemble_size": pd.concat(
            [
                sweep("ensemble_size", dataset, "size", sizes, seeds=seeds)
                for dataset in ("puma560", "abalone")
            ],
            ignore_index=True,
        ),
        "cardinality": sweep(
            "cardinality",
            "superconductivity",
            "k",
            {k: 8.0 - k for k in range(1, 8)},
            seeds=seeds,
        ),
        "cardinality_shuffled": sweep(
            "cardinality_shuffled",
            "superconductivity",
            "k",
            {k: 8.0 - k for k in range(1, 8)},
            seeds=seeds,
        ),
        "references": scores("references", ["constant", "linear"], datasets, seeds),
        "tuning_luck": scores(
            "tuning_luck",
            [f"{m}@seed={k}" for m in ("ae", "rafs") for k in range(5)],
            datasets,
            min(3, seeds),
        ),
        "steps": scores(
            "steps",
            [f"{m}@steps={k}" for m in ("ae", "rafs") for k in (1000, 10000)],
            datasets,
            min(3, seeds),
        ),
        "single_activation": scores(
            "single_activation", [f"ae@activation={a}" for a in ("gelu", "linear")], datasets, seeds
        ),
        "other_diversity": scores(
            "other_diversity",
            ["ae_choice", "ae_bootstrap", "ae_scales", "ae_widths"],
            datasets,
            seeds,
        ),
        "activation_sets": scores(
            "activation_sets",
            [f"rafs@variant={v}" for v in ("all", "without_gelu")],
            datasets,
            seeds,
        ),
        "activation_count": scores(
            "activation_count", [f"rafs@k={k}" for k in (1, 4, 7)], datasets, seeds
        ),
        "larger_ensembles": scores(
            "larger_ensembles",
            [f"{m}@size={k}" for m in ("ae", "rp", "rafs") for k in (10, 20)],
            datasets,
            seeds,
        ),
        "epistemic": scores(
            "epistemic",
            METHODS,
            [d for d in datasets if CATEGORY[d] not in ("real", "large")],
            seeds,
        ),
        "laplace_noise": scores(
            "laplace_noise", [f"laplace@evidence={e}" for e in (False, True)], datasets, seeds
        ),
        "released": scores("released", ["ae", "rafs"], datasets, seeds, interval=0.12),
        "quirks": scores(
            "quirks", ["hde@quirk=hde_variance_as_sd", "rafs@quirk=unscaled"], datasets[:3], seeds
        ),
        **{
            kind: scores(kind, [*METHODS, "constant"], [f"{kind}_{name}" for name in UCI], seeds)
            for kind in ("uci", "uci_gap", "uci_tail")
        },
    }


def tuned(methods=METHODS, datasets=PAPER[:3], seeds=3):
    """Return tuned values: a learning rate and a prior for every run."""
    names = ["method", "dataset", "seed", "name", "value", "low", "high", "trial"]
    rows = []
    for place in ((m, d, s) for m in methods for d in datasets for s in range(seeds)):
        rng = seeding.generator("made-up tuning", *place)
        for name, low, high in (("learning_rate", 0.001, 0.1), ("prior.weight", 0.2, 15.0)):
            value = float(np.exp(rng.uniform(np.log(low), np.log(high))))
            rows.append((*place, name, value, low, high, int(rng.integers(12))))
    return pd.DataFrame(rows, columns=names)


class Memory(Inputs):
    """Inputs that hold their scores, and make predictions and data up when asked."""

    def __init__(self, frames=None, widths=None, growth=None, tuned=None, shift=()):
        super().__init__("nowhere")
        self.values, self.shift = tuned, shift
        self.frames = experiments() if frames is None else frames
        self.widths = widths or {}
        self.growth = growth or {}

    def tuned(self, experiment):
        return tuned() if self.values is None else self.values

    def find(self, experiment):
        return self.frames.get(experiment)

    def recalibrated(self, experiment):
        return recalibrated(self.frames[experiment], *self.shift)

    def costs(self, experiment):
        return costs(self.frames[experiment])

    def data(self, dataset, seed, protocol="described"):
        if protocol == SAME_POINTS:
            return SimpleNamespace(**vars(at_same_points(dataset)))
        return SimpleNamespace(**vars(data(dataset, seed)))

    def run(self, experiment, method, dataset, seed):
        settings = {"size": 5, "learning_rate": 0.01 * (seed + 1), "prior": {"weight": 1.0}}
        return {
            "data": {"sha256": f"{seed}{dataset.encode().hex():a<63.63}"},
            "settings": settings,
            "tuned": {"values": {"learning_rate": settings["learning_rate"], "noise": 0.1}},
        }

    def digest(self, experiment, method, dataset, seed):
        return f"{seed}{method.encode().hex():b<63.63}"

    def predictions(self, experiment, method, dataset, seed):
        frame = self.find(experiment)
        if frame is None or not ((frame.method == method) & (frame.dataset == dataset)).any():
            return None
        points = 0 if experiment == "epistemic" else seed
        return predictions(
            method, dataset, seed, self.widths.get(method), self.growth.get(method, 1.0), points
        )


def costs(frame):
    """Return one to two CPU-seconds for every run."""
    place = frame[["experiment", "method", "dataset", "seed"]].copy()
    return place.assign(cpu_seconds=1 + (np.arange(len(frame)) % 11) / 10)


COVERED = {"raw": (1.0, 0.7, 0.4), "scaled": (1.5, 0.92, 0.5), "conformal": (2.0, 0.96, 0.6)}
"""Factor on the width and coverage of the 95 % interval inside and outside, by way."""


def recalibrated(frame, widening=2.0, growth=3.0):
    """Return the recalibrated scores of runs: the coverage of seed s is s/1000 above `COVERED`.

    Test rows have `widening` times the spread of the held-out rows and `growth` times their RMSE;
    both may be functions of method, dataset and seed. The constant is not tuned.
    """
    parts = []
    keys = ["experiment", "method", "dataset", "seed", "category", "status"]
    for way, (factor, inside, outside) in COVERED.items():
        part = frame[keys].assign(way=way, held_out_rows=80, factor=factor)
        ok = part["status"].eq("ok")
        known = ok & ~part["category"].isin(SPLITS)
        covered = {"": (inside, ok), "in_": (inside, known), "out_": (outside, known)}
        for prefix, (level, there) in covered.items():
            scores = {
                "nll": 2.0 - level if way != "conformal" else np.nan,
                "coverage_90": level - 0.05 + part["seed"] / 1000,
                "coverage_95": level + part["seed"] / 1000,
                "width_90": 3.0 * factor, "width_95": 4.0 * factor,
                "interval_score_95": 8.0 - 4.0 * level,
            }  # fmt: skip
            for name, value in scores.items():
                part[prefix + name] = pd.Series(value, part.index).where(there)
        held = ok & part["method"].ne("constant") & (way == "raw")
        for name, times in (("sharpness", widening), ("rmse", growth)):
            here = frame[name] if name in frame else pd.Series(np.nan, frame.index)
            part[f"held_{name}"] = (here / _by_run(frame, times)).where(held)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _by_run(frame, value):
    """Return a number, or what a function of method, dataset and seed says of every run."""
    if not callable(value):
        return value
    return [value(*place) for place in zip(frame.method, frame.dataset, frame.seed, strict=True)]


def data(dataset, seed, n=200):
    """Return a made-up dataset: a sine, with a gap in the middle if it is 1-D."""
    rng = seeding.generator("made-up data", dataset, seed)
    dimensions = 1 if dataset in ONE_DIMENSIONAL else 3
    x_test = rng.uniform(-3.0, 3.0, (n, dimensions))
    if dimensions == 1:
        x_test = np.linspace(-3.0, 3.0, n)[:, None]
        x_train = np.concatenate([rng.uniform(-2, -1, (10, 1)), rng.uniform(1, 2, (10, 1))])
        inside = (np.abs(x_test[:, 0]) >= 1) & (np.abs(x_test[:, 0]) <= 2)
    else:
        x_train = rng.uniform(-2.0, 2.0, (n // 2, dimensions))
        inside = (np.abs(x_test) <= 2).all(axis=1)
    y_train, y_test = (
        np.sin(x).sum(axis=1) + rng.normal(0, 0.1, len(x)) for x in (x_train, x_test)
    )
    known = CATEGORY[dataset] not in ("real", "large")
    features = tuple(f"x{k}" for k in range(dimensions))
    return Dataset(
        dataset, features, x_train, y_train, x_test, y_test, 0.1, seed,
        in_distribution=inside if known else None,
    )  # fmt: skip


def at_same_points(dataset):
    """Return the data of seed 0 with the truth as test targets."""
    known = data(dataset, 0)
    return replace(known, y_test=np.sin(known.x_test).sum(axis=1), protocol=SAME_POINTS)


def predictions(method, dataset, seed, width=None, growth=1.0, points=None):
    """Return predictions whose error has the predicted sd to the power of `growth`.

    Outside the training range the sd is `width` (a different one for each method unless given).
    `points` is the seed of the test points, if it is another one.
    """
    known = data(dataset, seed if points is None else points)
    rng = seeding.generator("made-up predictions", method, dataset, seed)
    truth = np.sin(known.x_test).sum(axis=1)
    inside = known.in_distribution
    if inside is None:
        inside = np.abs(known.x_test[:, 0]) < 2
    width = SKILL.get(method, 1.0) if width is None else width
    sd = np.where(inside, 0.2, width) * rng.uniform(0.8, 1.2, len(truth))
    return {
        "mean": truth + sd**growth * rng.normal(size=len(truth)),
        "variance": sd**2,
        "aleatoric": np.float64(0.01),
    }


def write(root, seeds=3, frames=None):
    """Write every experiment, with its predictions and data, below `root`; return its Inputs."""
    root = Path(root)
    for folder in ("scores", "costs", "recalibrated"):
        (root / "results" / folder).mkdir(parents=True)
    for name, frame in (experiments(seeds) if frames is None else frames).items():
        frame.to_csv(root / f"results/scores/{name}.csv", index=False)
        costs(frame).to_csv(root / f"results/costs/{name}.csv", index=False)
        recalibrated(frame).to_csv(root / f"results/recalibrated/{name}.csv", index=False)
        same = name == "epistemic"
        for row in frame.itertuples():
            place = {"experiment": name, "method": row.method, "dataset": row.dataset}
            place |= {"seed": row.seed, "protocol": SAME_POINTS if same else "described"}
            arrays = predictions(row.method, row.dataset, row.seed, points=0 if same else None)
            write_npz(root / paths.PREDICTIONS.format(**place), arrays)
            if not (path := root / paths.DATA.format(**place)).exists():
                known = at_same_points(row.dataset) if same else data(row.dataset, row.seed)
                write_dataset(path, known)
    return Inputs(root)
