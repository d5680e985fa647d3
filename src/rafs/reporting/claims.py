"""The twelve claims of the paper, each with the rule that decides it and the verdict on our runs.

Every claim is broken into parts that are true, false, or not known because their runs are missing
or too few. It *holds* if all parts are true, *does not hold* if all known parts are false, is *not
testable* if no part is known, and *holds in part* otherwise. Claims of the form "first (or second)
on all these datasets" hold if the medians over seeds say so, and in part if it becomes true once
ties count in favour of RAFs, that is, if only rivals that are better beyond doubt count against it.

What the words of the rules mean is in `WORDS`. NLL is without the constant, as in the paper.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from rafs import statistics
from rafs.reporting import labels
from rafs.reporting.inputs import Inputs

HOLDS, PARTLY, FAILS, UNTESTABLE = "holds", "holds in part", "does not hold", "not testable"
VERDICTS = (HOLDS, PARTLY, FAILS, UNTESTABLE)

NLL = "nll_paper"
ALPHA = 0.05
FEWEST = 5
"""Seeds that a one-sided signed-rank test needs to reject at 5 %."""
OVER = 100.0
"""The paper prints no NLL above this."""

WORDS = {
    "lower": "The one-sided exact signed-rank test over the same seeds rejects at 5 %, which takes "
    "five seeds at least. A part of a claim that the test does not bear out is not shown; it is "
    "counted as false, and its p says how near it came.",
    "beyond doubt": "The two-sided exact signed-rank test over the same seeds rejects at 5 % after "
    "Holm's correction over the rivals, which takes eight seeds with five rivals.",
}
"""What the rules mean by their words."""

Part: TypeAlias = bool | float | None
Parts = Mapping[str, Part]
"""By name: whether a part is true, the p of the test that decides it, or None if nothing can."""
Seeds: TypeAlias = "pd.Series[float]"


@dataclass(frozen=True)
class Finding:
    """What a rule finds: a verdict, a sentence that gives its reason, and the numbers."""

    verdict: str
    reason: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim(Finding):
    """A claim in the paper's words, in short, with its rule and what was found."""

    number: int = 0
    claim: str = ""
    rule: str = ""


def judge(inputs: Inputs) -> list[Claim]:
    """Decide all claims from the results that there are."""
    claims = []
    for number, (claim, rule, decide) in enumerate(RULES, start=1):
        found = decide(inputs)
        numbers = _plain(found.numbers)
        claims.append(Claim(found.verdict, found.reason, numbers, number, claim, rule))
    return claims


def as_json(claims: Sequence[Claim]) -> dict[str, Any]:
    """Return the content of claims.json."""
    counts = {verdict: sum(c.verdict == verdict for c in claims) for verdict in VERDICTS}
    return {"claims": [asdict(claim) for claim in claims], "words": WORDS, "verdicts": counts}


# ----------------------------------------------------------------------------------- verdicts


def from_parts(parts: Parts, numbers: dict[str, Any], missing: str) -> Finding:
    """Return the verdict on parts that are true, false or unknown."""
    truth = {name: _true(value) for name, value in parts.items()}
    known = [value for value in truth.values() if value is not None]
    tests = {name: p for name, p in parts.items() if isinstance(p, float)}
    numbers = {**numbers, "parts": truth, **({"p": tests} if tests else {})}
    if not known:
        return Finding(UNTESTABLE, f"There are {missing}.", numbers)
    if all(known):
        verdict = PARTLY if None in truth.values() else HOLDS
    else:
        verdict = PARTLY if any(known) else FAILS
    said = [f"{name}: {_said(value)}" for name, value in parts.items()]
    return Finding(verdict, "; ".join(said) + ".", numbers)


def _true(part: Part) -> bool | None:
    """Say whether a part is true, where it is known."""
    return part < ALPHA if isinstance(part, float) else part


def _said(part: Part) -> str:
    """Say in a word or two what was found of a part."""
    if part is None:
        return "not testable"
    if isinstance(part, float):
        return f"{'yes' if _true(part) else 'not shown'} (p = {part:.2g})"
    return "yes" if part else "no"


def everywhere(strict: bool, lenient: bool, reason: str, numbers: dict[str, Any]) -> Finding:
    """Return the verdict on a claim about many datasets: as stated, in a lenient reading, or no."""
    return Finding(HOLDS if strict else PARTLY if lenient else FAILS, reason, numbers)


def lower(method: Seeds, rival: Seeds) -> float | None:
    """Test whether a method scores lower than a rival over the same seeds: p, None with too few."""
    a, b = method.align(rival, join="inner")
    differences = statistics.paired(a.to_numpy(dtype=float), b.to_numpy(dtype=float))
    if differences.size < FEWEST:
        return None
    return float(statistics.signed_rank(differences, "less"))


def _plain(value: Any) -> Any:
    """Return numbers for JSON: six digits, and None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


# ------------------------------------------------------------------------------ what was run


def _main(inputs: Inputs) -> pd.DataFrame:
    """Return the six methods of the paper in the main experiment, on its datasets."""
    frame = inputs.find("main")
    if frame is None:
        return pd.DataFrame(columns=["method", "dataset", "seed", "status", "category", NLL])
    of_paper = frame["dataset"].isin(labels.paper_datasets())
    return frame[frame["method"].isin(labels.PAPER_METHODS) & of_paper]


def _seeds(frame: pd.DataFrame | None, method: str, dataset: str, metric: str = NLL) -> Seeds:
    """Return a metric by seed, +inf where the run diverged; empty if there is no run."""
    if frame is None or metric not in frame:
        return pd.Series(dtype=float)
    part = frame[(frame["method"] == method) & (frame["dataset"] == dataset)]
    return statistics.values(part.set_index("seed"), metric).dropna()


def _median(values: Seeds) -> float:
    """Return the median over seeds, or NaN if they are too few."""
    return float(values.median()) if len(values) >= FEWEST else math.nan


def _median_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of every method by its median, where all methods have enough seeds."""
    if frame.empty:
        return pd.DataFrame()
    groups = statistics.wide(frame, NLL).groupby(level="dataset", sort=False)
    enough = groups.count().min(axis=1) >= FEWEST
    return groups.median()[enough].rank(axis=1, method="min")


@dataclass(frozen=True)
class Standing:
    """Where RAFs stands on each dataset, and which datasets say nothing."""

    category: dict[str, str]
    rank: dict[str, int]
    beaten_by: dict[str, int]
    beats: dict[str, int]
    rivals: int
    left_out: list[str]


def _standing(inputs: Inputs) -> Standing | None:
    """Return the place of RAFs in the main experiment, or None if it cannot be told."""
    frame = _main(inputs)
    ranks = _median_ranks(frame)
    if ranks.empty or "rafs" not in ranks or ranks.shape[1] < 2:
        return None
    duels = statistics.duels(frame[frame["dataset"].isin(ranks.index)], NLL, "rafs")
    ranks = ranks[duels.groupby("dataset")["tellable"].all().reindex(ranks.index)]
    if ranks.empty:
        return None
    names = [str(name) for name in ranks.index]
    lost = duels.loc[duels["outcome"] == "loss", "dataset"].tolist()
    won = duels.loc[duels["outcome"] == "win", "dataset"].tolist()
    category = {str(k): str(v) for k, v in zip(frame["dataset"], frame["category"], strict=True)}
    return Standing(
        category=category,
        rank={str(name): int(rank) for name, rank in ranks["rafs"].items()},
        beaten_by={name: lost.count(name) for name in names},
        beats={name: won.count(name) for name in names},
        rivals=ranks.shape[1] - 1,
        left_out=[name for name in category if name not in names],
    )


NO_MAIN = "no datasets in the main experiment with enough seeds of all methods"


# ------------------------------------------------------------------------------------- rules


def outperforms_every_rival(inputs: Inputs) -> Finding:
    """Decide claim 1: the best on more than half of the datasets."""
    standing = _standing(inputs)
    if standing is None:
        return Finding(UNTESTABLE, f"There are {NO_MAIN}.")
    total = len(standing.rank)
    lowest = sum(rank == 1 for rank in standing.rank.values())
    unbeaten = sum(count == 0 for count in standing.beaten_by.values())
    alone = sum(count == standing.rivals for count in standing.beats.values())
    numbers = {
        "datasets": total,
        "lowest": lowest,
        "unbeaten": unbeaten,
        "alone": alone,
        "left_out": standing.left_out,
    }
    reason = (
        f"RAFs has the lowest NLL on {lowest} of {total} datasets, is beaten by no rival beyond "
        f"doubt on {unbeaten}, and beats every rival beyond doubt on {alone}."
    )
    needed = 13 / 25 * total
    return everywhere(lowest >= needed, unbeaten >= needed, reason, numbers)


def never_below_second(inputs: Inputs) -> Finding:
    """Decide claim 2: first or second everywhere."""
    standing = _standing(inputs)
    if standing is None:
        return Finding(UNTESTABLE, f"There are {NO_MAIN}.")
    total, worst = len(standing.rank), max(standing.rank.values())
    below = [name for name, rank in standing.rank.items() if rank > 2]
    worse = [name for name, count in standing.beaten_by.items() if count > 1]
    numbers = {
        "datasets": total,
        "worst_rank": worst,
        "below_second": below,
        "beaten_by_two": worse,
        "left_out": standing.left_out,
    }
    reason = (
        f"RAFs ranks below second on {len(below)} of {total} datasets (worst rank {worst}); two or "
        f"more rivals are better beyond doubt on {len(worse)}."
    )
    return everywhere(not below, not worse, reason, numbers)


def first_on_mlm_and_t(inputs: Inputs) -> Finding:
    """Decide claim 3: first on two categories."""
    standing = _standing(inputs)
    if standing is None:
        return Finding(UNTESTABLE, f"There are {NO_MAIN}.")
    numbers: dict[str, Any] = {}
    for category in ("MLM", "T"):
        names = [name for name in standing.rank if standing.category[name] == category]
        numbers[category] = {
            "datasets": len(names),
            "first": sum(standing.rank[name] == 1 for name in names),
            "unbeaten": sum(standing.beaten_by[name] == 0 for name in names),
        }
    mlm, t = numbers["MLM"], numbers["T"]
    if not mlm["datasets"] or not t["datasets"]:
        return Finding(UNTESTABLE, f"There are {NO_MAIN}, in MLM or trigonometric.", numbers)
    whole = [part["first"] == part["datasets"] for part in (mlm, t)]
    ties = all(part["unbeaten"] == part["datasets"] for part in (mlm, t))
    reason = (
        f"RAFs is first on {mlm['first']} of {mlm['datasets']} MLM and {t['first']} of "
        f"{t['datasets']} trigonometric datasets, and unbeaten beyond doubt on {mlm['unbeaten']} "
        f"and {t['unbeaten']}."
    )
    return everywhere(all(whole), ties or any(whole), reason, numbers)


def deep_ensemble_on_naval_and_parkinsons(inputs: Inputs) -> Finding:
    """Decide claim 4: where DE is first and where it is weak."""
    ranks = _median_ranks(_main(inputs))
    own = ranks["de"] if "de" in ranks and ranks.shape[1] > 1 else pd.Series(dtype=float)
    parts: dict[str, Part] = {}
    numbers: dict[str, Any] = {}
    for name in ("naval", "parkinsons"):
        rank = own.get(name)
        numbers[f"rank_{name}"] = rank
        parts[f"first on {labels.dataset(name)}"] = None if rank is None else bool(rank == 1)
    others = own.drop(["naval", "parkinsons"], errors="ignore")
    numbers |= {"mean_rank_elsewhere": float(others.mean()), "datasets_elsewhere": len(others)}
    middle = (ranks.shape[1] + 1) / 2
    parts["in the lower half elsewhere"] = bool(others.mean() > middle) if len(others) else None
    return from_parts(parts, numbers, NO_MAIN)


def hyperdeep_on_mlm_and_overconfidence(inputs: Inputs) -> Finding:
    """Decide claim 5: HDE on many local minima; DE and HDE away from data."""
    frame = _main(inputs)
    ranks = _median_ranks(frame)
    parts: dict[str, Part] = {"HDE does well on MLM": None}
    numbers: dict[str, Any] = {}
    if "hde" in ranks and ranks.shape[1] > 1:
        mlm = ranks.index.isin(frame.loc[frame["category"] == "MLM", "dataset"])
        inside, elsewhere = (float(ranks.loc[part, "hde"].mean()) for part in (mlm, ~mlm))
        numbers |= {"hde_mean_rank_mlm": inside, "hde_mean_rank_elsewhere": elsewhere}
        if mlm.any() and not mlm.all():
            upper_half = inside < (ranks.shape[1] + 1) / 2
            parts["HDE does well on MLM"] = upper_half and inside < elsewhere
    for method in ("de", "hde"):
        found = statistics.summarise(_seeds(frame, method, "he", "out_coverage_95"))
        numbers[f"{method}_coverage_away_from_data"] = found.mean
        name = f"{labels.method(method)} overconfident away from data"
        parts[name] = found.high < 0.95 if found.scored >= FEWEST else None
    return from_parts(parts, numbers, "too few runs of DE and HDE in the main experiment")


def beats_anchored_nearly_everywhere(inputs: Inputs) -> Finding:
    """Decide claim 6: random activations against one activation."""
    frame = _main(inputs)
    found = statistics.compare(frame, NLL, "rafs", "ae") if len(frame) else pd.DataFrame()
    found = found[found["pairs"] >= FEWEST] if len(found) else found
    if found.empty:
        return Finding(UNTESTABLE, "There are too few seeds of both RAFs and AE.")
    better = int((found["difference"] < 0).sum())
    numbers = {
        "datasets": len(found),
        "better": better,
        "wins": int((found["outcome"] == "win").sum()),
        "losses": int((found["outcome"] == "loss").sum()),
        "p_over_datasets": statistics.signed_rank(found["difference"].to_numpy(), "less"),
        "median_difference": float(found["difference"].median()),
    }
    reason = (
        f"RAFs has the lower NLL on {better} of {len(found)} datasets; after correction it wins "
        f"{numbers['wins']} and loses {numbers['losses']}."
    )
    share = better / len(found)
    return everywhere(share >= 0.8, share > 0.5, reason, numbers)


def scales_to_large_networks(inputs: Inputs) -> Finding:
    """Decide claim 7: large data, larger networks."""
    frame = inputs.find("scalability")
    parts: dict[str, Part] = {}
    numbers: dict[str, Any] = {}
    for name in ("superconductivity", "news"):
        rafs, rp = _seeds(frame, "rafs", name), _seeds(frame, "rp", name)
        numbers[name] = {"rafs": _median(rafs), "rp": _median(rp)}
        known = not math.isnan(_median(rp))
        title = labels.dataset(name)
        parts[f"RAFs below RP-param on {title}"] = lower(rafs, rp)
        parts[f"RP-param over 100 on {title}"] = _median(rp) > OVER if known else None
    return from_parts(parts, numbers, "too few runs of RAFs and RP-param on large data")


def rafs_on_random_prior(inputs: Inputs) -> Finding:
    """Decide claim 8: random activations on RP-param."""
    plain = _seeds(inputs.find("main"), "rp", "parkinsons")
    mixed = _seeds(inputs.find("rafs_on"), "rp+rafs", "parkinsons")
    before, after = _median(plain), _median(mixed)
    known = not (math.isnan(before) or math.isnan(after))
    parts = {
        "NLL falls": lower(mixed, plain),
        "from over 100 to below it": before > OVER > after if known else None,
    }
    numbers = {"rp": before, "rp+rafs": after}
    return from_parts(parts, numbers, "too few runs of RP-param with and without RAFs")


def falls_with_cardinality(inputs: Inputs) -> Finding:
    """Decide claim 9: the number of activations."""
    table = _sweep(inputs, "cardinality", "superconductivity")
    parts: dict[str, Part] = {
        "NLL falls along k": None,
        "lower at the largest k": None,
    }
    numbers: dict[str, Any] = {}
    if table.shape[1] >= 3:
        trend = pd.Series({seed: _trend(row.dropna()) for seed, row in table.iterrows()}).dropna()
        numbers = {"nll": _medians(table), "kendall": _median(trend)}
        parts["NLL falls along k"] = lower(trend, 0 * trend)
        parts["lower at the largest k"] = lower(table.iloc[:, -1], table.iloc[:, 0])
    return from_parts(parts, numbers, "too few runs over the number of activations")


def five_members_suffice(inputs: Inputs) -> Finding:
    """Decide claim 10: the number of members."""
    parts: dict[str, Part] = {"five suffice on PUMA560": None, "dip at seven": None}
    puma, abalone = (_sweep(inputs, "ensemble_size", name) for name in ("puma560", "abalone"))
    numbers = {"puma560": _medians(puma), "abalone": _medians(abalone)}
    sizes, medians = [*map(float, puma.columns)], np.array(list(numbers["puma560"].values()))
    if 5 in sizes[1:-1] and np.isfinite(medians).all():
        gain, left = medians[0] - medians.min(), medians[sizes.index(5)] - medians.min()
        parts["five suffice on PUMA560"] = bool(left <= 0.2 * gain)
    sizes = [*map(float, abalone.columns)]
    if 7 in sizes[1:-1]:
        at = sizes.index(7)
        sides = [lower(abalone.iloc[:, at], abalone.iloc[:, at + k]) for k in (-1, 1)]
        tested = [p for p in sides if p is not None]
        parts["dip at seven"] = max(tested) if len(tested) == 2 else None  # both must reject
    return from_parts(parts, numbers, "too few runs of the ensemble sizes around five and seven")


def error_falls_with_confidence(inputs: Inputs) -> Finding:
    """Decide claim 11: confidence against error."""
    friedman = _confidence(inputs, "friedman", ["rafs"]).get("rafs", {})
    trend = pd.Series({seed: _trend(curve) for seed, curve in friedman.items()}, dtype=float)
    left = {}
    for method, curves in _confidence(inputs, "abalone", labels.PAPER_METHODS).items():
        shares = {seed: curve.iloc[-1] / curve.iloc[0] for seed, curve in curves.items()}
        if len(shares) >= FEWEST:
            left[method] = _median(pd.Series(shares))
    known = "rp" in left and len(left) > 1
    parts = {
        "RAFs' error falls on Friedman": lower(trend, 0 * trend),
        "RP-param most reliable on Abalone": min(left, key=left.__getitem__) == "rp"
        if known
        else None,
    }
    numbers = {"friedman_rafs_kendall": _median(trend), "abalone_error_left": left}
    return from_parts(parts, numbers, "too few predictions on friedman and abalone")


def widens_away_from_data(inputs: Inputs) -> Finding:
    """Decide claim 12: the width of the bands on He et al."""
    frame = _main(inputs)
    parts: dict[str, Part] = {}
    numbers: dict[str, Any] = {}
    outside: dict[str, float] = {}
    for method in ("ntkgp", "rp", "rafs"):
        near = _seeds(frame, method, "he", "in_sharpness")
        far = _seeds(frame, method, "he", "out_sharpness")
        parts[f"{labels.method(method)} widens"] = lower(near, far)
        numbers[method] = {"sd_near_data": _median(near), "sd_away_from_data": _median(far)}
        outside[method] = _median(far)
    known = not any(math.isnan(value) for value in outside.values())
    parts["RAFs the most"] = max(outside, key=outside.__getitem__) == "rafs" if known else None
    return from_parts(parts, numbers, "too few runs on he with widths near and away from data")


def _sweep(inputs: Inputs, experiment: str, dataset: str) -> pd.DataFrame:
    """Return the NLL of RAFs with a row per seed and a column per swept value, ascending."""
    frame = inputs.find(experiment)
    part = pd.DataFrame() if frame is None else frame[frame["dataset"] == dataset]
    part = part[part["method"].str.startswith("rafs@")] if len(part) else part
    if part.empty:
        return pd.DataFrame()
    table = statistics.wide(part, NLL).droplevel("dataset")
    table.columns = pd.Index([float(str(name).rpartition("=")[2]) for name in table.columns])
    return table.sort_index(axis=1).dropna(axis=1, how="all")


def _medians(table: pd.DataFrame) -> dict[str, float]:
    """Return the median NLL at every swept value."""
    return {f"{value:g}": _median(column.dropna()) for value, column in table.items()}


def _trend(values: Seeds) -> float:
    """Return Kendall's correlation of a series with its index; a diverged run is the largest."""
    finite = np.where(np.isinf(values), np.finfo(float).max, values)
    return float(stats.kendalltau(values.index, finite).statistic)


def _confidence(
    inputs: Inputs, dataset: str, methods: Sequence[str]
) -> dict[str, dict[int, Seeds]]:
    """Return by method and seed the RMSE of the most confident 100, 90, ..., 10 %."""
    frame = _main(inputs)
    frame = frame[(frame["dataset"] == dataset) & (frame["status"] == "ok")]
    found: dict[str, dict[int, Seeds]] = {}
    for method in methods:
        for seed in map(int, frame.loc[frame["method"] == method, "seed"]):
            run = inputs.predictions("main", method, dataset, seed)
            data = inputs.data(dataset, seed)
            if run is not None and data is not None:
                errors = (data.y_test - run["mean"])[np.argsort(run["variance"], kind="stable")]
                found.setdefault(method, {})[seed] = _curve(errors)
    return found


def _curve(errors: NDArray[np.float64]) -> Seeds:
    """Return the RMSE of the first 100, 90, ..., 10 % of errors, by the share left out."""
    shares = np.arange(10, 0, -1) / 10
    counts = np.maximum(1, np.rint(shares * errors.size).astype(int))
    rmse = [math.sqrt(np.mean(errors[:count] ** 2)) for count in counts]
    return pd.Series(rmse, index=1 - shares)


Rule = tuple[str, str, Callable[[Inputs], Finding]]

RULES: tuple[Rule, ...] = (
    (
        "RAFs outperforms every other method on 13 of 25 datasets.",
        "Holds if RAFs has the lowest median NLL on 13/25 of the datasets or more; in part if it "
        "is beaten by no rival beyond doubt on that many.",
        outperforms_every_rival,
    ),
    (
        "In NLL, RAFs does not rank below second on any dataset.",
        "Holds if the median NLL of RAFs ranks first or second everywhere; in part if nowhere two "
        "or more rivals are better beyond doubt.",
        never_below_second,
    ),
    (
        "RAFs holds the highest NLL rank on all MLM and trigonometric data.",
        "Holds if its median NLL is the lowest on every dataset of both categories; in part if on "
        "every one of one category, or if no rival is better beyond doubt on any of them.",
        first_on_mlm_and_t,
    ),
    (
        "DE takes first place in NLL on naval and parkinsons, and usually ranks low elsewhere.",
        "Three parts: lowest median NLL on naval; on parkinsons; a mean rank in the lower half "
        "over the other datasets.",
        deep_ensemble_on_naval_and_parkinsons,
    ),
    (
        "HDE is reliable on data with many local minima; DE and HDE are too narrow away from data "
        "(He et al.).",
        "Three parts: HDE's mean rank on MLM data is in the upper half and better than elsewhere; "
        "outside the training clusters of He et al., the 95 % interval of DE, and that of HDE, "
        "covers less than 95 % (the interval of the mean over seeds lies below).",
        hyperdeep_on_mlm_and_overconfidence,
    ),
    (
        "RAFs beats AE, the same method with one activation, nearly everywhere.",
        "Holds if RAFs has the lower NLL (Hodges-Lehmann difference over the same seeds) on 80 % "
        "of the datasets or more; in part if on more than half.",
        beats_anchored_nearly_everywhere,
    ),
    (
        "With two hidden layers of 128, RAFs scores an NLL of 5.49 (superconductivity) and 25.89 "
        "(news), RP-param over 100 on both.",
        "Four parts: on each of the two datasets, RAFs scores lower than RP-param, and the median "
        "of RP-param is over 100.",
        scales_to_large_networks,
    ),
    (
        "RAFs on top of RP-param takes the NLL on parkinsons from over 100 to 48.66.",
        "Two parts: RP-param with random activations scores lower than without; the medians go "
        "from over 100 to below 100.",
        rafs_on_random_prior,
    ),
    (
        "NLL falls as the number k of activations grows (superconductivity, five members).",
        "Two parts: Kendall's correlation of k and NLL, seed by seed, lies below zero; NLL is "
        "lower at the largest k than at the smallest.",
        falls_with_cardinality,
    ),
    (
        "Five members suffice (puma560); on abalone NLL has a dip at seven members.",
        "Two parts: of the fall in median NLL from the smallest ensemble to the best, at most a "
        "fifth is left at five members (puma560); NLL at seven is lower than at the size before "
        "and the size after (abalone).",
        five_members_suffice,
    ),
    (
        "RAFs' error falls as its confidence grows (friedman); RP-param is the most reliable on "
        "abalone.",
        "Two parts, on the RMSE of the most confident 100, 90, ..., 10 % of predictions: for RAFs "
        "on friedman its Kendall correlation with confidence lies below zero; on abalone the share "
        "of its RMSE that is left in the most confident tenth is the smallest for RP-param.",
        error_falls_with_confidence,
    ),
    (
        "On He et al., NTKGP-param, RP-param and RAFs widen away from data, RAFs the most.",
        "Four parts: the predicted sd of each is larger outside the training clusters than inside "
        "(lower inside, over seeds); outside, that of RAFs has the largest median.",
        widens_away_from_data,
    ),
)
