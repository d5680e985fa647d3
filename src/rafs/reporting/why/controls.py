"""RAFs and its controls on the same datasets and seeds, and differences over datasets."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from rafs.evaluation import statistics
from rafs.evaluation.metrics import INSIDE, OUTSIDE
from rafs.reporting import labels
from rafs.reporting.inputs import KEYS, Inputs
from rafs.reporting.judgement.differences import NATS, Difference, Scale, over_datasets
from rafs.reporting.judgement.results import FEWEST

RAFS, ANCHORED = "rafs", "ae"
ALL = "rafs@variant=all"  # any five of the seven activations, sampled per seed
HINDSIGHT = "ae@activation=best"
IN_NLL, OUT_NLL = f"{INSIDE}nll", f"{OUTSIDE}nll"
TUNED = "ae_choice"  # AE with the single activation that tuning picks
SCALES: Mapping[str, Scale] = {
    "all": NATS,
    "inside": Scale(IN_NLL, NATS.margin, NATS.unit),
    "outside": Scale(OUT_NLL, NATS.margin, NATS.unit),
    "crps": Scale("log_crps", math.log(1.05)),
}
"""What controls are compared by; inside and outside are parts of the test points."""


def find(inputs: Inputs, *experiments: str) -> pd.DataFrame:
    """Return the runs of those experiments that were run, on the paper's datasets."""
    frames = [frame for name in experiments if (frame := inputs.find(name)) is not None]
    if not frames:
        return pd.DataFrame(columns=[*KEYS, "category"])
    found = pd.concat(frames, ignore_index=True)
    found = found[found["dataset"].isin(labels.paper_datasets())]
    return statistics.without_few_inside(found)[0]


def beside(inputs: Inputs, experiment: str, main: Sequence[str] = ()) -> pd.DataFrame:
    """Return the runs of an experiment, and those of `main` with some methods on the same seeds."""
    own = find(inputs, experiment)
    if not main:
        return own
    other = find(inputs, "main")
    other = other[other["method"].isin(main)]
    places = pd.MultiIndex.from_frame(own[["dataset", "seed"]])
    same = pd.MultiIndex.from_frame(other[["dataset", "seed"]]).isin(places)
    return pd.concat([other[same], own], ignore_index=True)


def singles(inputs: Inputs) -> pd.DataFrame:
    """Return RAFs, AE with each activation, and AE with the best of these on every dataset.

    The best has the lowest median NLL over the seeds. It is chosen by the test scores, with
    hindsight, so its score is optimistic.
    """
    frame = beside(inputs, "single_activation", [RAFS, ANCHORED])
    rivals = frame[frame["method"] != RAFS]
    if rivals.empty:
        return frame
    medians = statistics.medians(rivals, NATS.metric).dropna(how="all")
    best = dict(medians.idxmin(axis=1))
    chosen = rivals[rivals["method"] == rivals["dataset"].map(best)]
    return pd.concat([frame, chosen.assign(method=HINDSIGHT)], ignore_index=True)


def singles_and_tuned(inputs: Inputs) -> pd.DataFrame:
    """Return `singles`, and AE with the activation that tuning picks."""
    tuned = beside(inputs, "other_diversity")
    chosen = tuned[tuned["method"] == TUNED]
    return pd.concat([singles(inputs), chosen], ignore_index=True)


def others(methods: Iterable[str], *but: str) -> list[str]:
    """Return the methods of some runs without a few, each once."""
    return [name for name in dict.fromkeys(map(str, methods)) if name not in but]


def label(method: str) -> str:
    """Return the label of a method or control: AE (gelu), AE (20 members), RAFs (k = 3)."""
    known = {ANCHORED: "AE (tanh)", HINDSIGHT: "AE (best single activation, with hindsight)"}
    base, _, swept = method.partition("@")
    key, _, value = swept.partition("=")
    words = {"activation": value, "size": f"{value} members", "k": f"k = {value}"}.get(key)
    if method in known or words is None:
        return known.get(method) or labels.method(method)
    return f"{labels.method(base)} ({words})"


@dataclass(frozen=True)
class Contrast:
    """A method against a rival: how often it is lower, and the differences by `SCALES`."""

    method: str
    rival: str
    lower: int
    higher: int
    differences: Mapping[str, Difference]

    @property
    def overall(self) -> Difference:
        """The difference in NLL at all test points, with p corrected over the rivals."""
        return self.differences["all"]


def contrasts(frame: pd.DataFrame, method: str, rivals: Sequence[str]) -> list[Contrast]:
    """Compare a method with each rival over datasets; p is corrected over the rivals."""
    by_scale = {
        name: {d.rival: d for d in over_datasets(frame, scale, method, rivals)}
        for name, scale in SCALES.items()
    }
    found = []
    for rival in rivals:
        if rival not in by_scale["all"]:
            continue
        pair = statistics.wide(frame[frame["method"].isin([method, rival])], NATS.metric)
        runs = pair.groupby(level="dataset", sort=False)
        medians = runs.median()[runs.count().min(axis=1) >= FEWEST]
        known = statistics.over_datasets(medians, NATS.metric, method, rival)
        parts = {name: each[rival] for name, each in by_scale.items() if rival in each}
        found.append(Contrast(method, rival, known["better"], known["worse"], parts))
    return found
