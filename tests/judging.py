"""Runs made up to give each verdict on a claim, and the judging of one claim."""

import json
from functools import cache

import numpy as np
import pandas as pd

import made_up
from rafs.reporting import claims
from rafs.reporting.judgement.results import Results
from rafs.reporting.judgement.verdicts import plain

ALL = {claim.number: claim for claim in claims.claims()}
MLM_T = [name for name, category in made_up.CATEGORY.items() if category in ("MLM", "T")]


def judged(number, inputs):
    """Return the verdicts of the paper's rule and of our tests."""
    claim = ALL[number]
    one = claims.judge_one(claim, Results(inputs, claim.reads, claim.predictions))
    found = [one.paper, one.ours]
    assert all(verdict.reason.endswith(".") for verdict in found)
    json.dumps([plain(part.numbers) for verdict in found for part in verdict.parts])
    return found


def kinds(number, inputs):
    return tuple(verdict.kind for verdict in judged(number, inputs))


def outcomes(number, inputs):
    """Return the outcomes of the parts by our tests."""
    return [part.outcome for part in judged(number, inputs)[1].parts]


@cache
def _template(datasets, seeds):
    return made_up.scores(datasets=datasets, seeds=seeds)


def main(level, datasets=made_up.PAPER, seeds=10, **columns):
    """Make up a main experiment: `level(method, dataset)` plus the same noise for all methods."""
    frame = _template(tuple(datasets), seeds).assign(**columns)
    levels = [level(m, d) for m, d in zip(frame["method"], frame["dataset"], strict=True)]
    seed, own = frame["seed"], frame["method"].str.len()
    frame["nll_paper"] = levels + 0.1 * ((seed * 7) % 10) + 0.001 * own * (seed % 3)
    frame["rmse"] = np.exp(0.1 * frame["nll_paper"])
    return made_up.Memory({"main": frame})


def rank_of(place):
    """Give RAFs the place that `place(dataset)` says; the rivals lie 1 apart."""
    rivals = ["rp", "ae", "ntkgp", "hde", "de"]
    return lambda m, d: place(d) - 0.5 if m == "rafs" else rivals.index(m) + 1.0


def apart(level):
    """Spread methods so far that intervals over seeds do not overlap."""
    return main(lambda m, d: 10 * level(m, d))


def noisy(level, sd=0.3):
    """Add noise of its own to every run, so that small differences are not significant."""
    frame = main(level).frames["main"]
    frame["nll_paper"] += np.random.default_rng(0).normal(0, sd, len(frame))
    return made_up.Memory({"main": frame})


def sweep(experiment="ensemble_size", seeds=10, **datasets):
    """Make up a sweep from {dataset: {value: level}}."""
    frames = [
        made_up.sweep(experiment, name, "size", levels, seeds=seeds)
        for name, levels in datasets.items()
    ]
    return {experiment: pd.concat(frames, ignore_index=True)}


def large(rafs, rp, seeds=6):
    levels = {"rafs": rafs, "rp": rp}
    frame = made_up.scores(
        "scalability", ["rp", "rafs"], ["superconductivity", "news"], seeds,
        lambda m, d, s: levels[m] + 0.01 * s,
    )  # fmt: skip
    return made_up.Memory({"scalability": frame})
