"""Tests and estimates from the differences of two methods on the same seeds or datasets.

SciPy's exact signed-rank test assumes that there are no ties and gives no Hodges-Lehmann interval;
statsmodels, which has Holm's correction, is not part of a plain installation.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from rafs.evaluation.statistics.scores import LEVEL, Array

EXACT = 60
"""Above this many pairs the signed-rank distribution is taken as normal."""


def paired(method: Array, rival: Array) -> Array:
    """Return method - rival where both ran; a diverged run is infinitely worse than a score."""
    known = ~(np.isnan(method) | np.isnan(rival))
    a, b = method[known], rival[known]
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)


def improvement(differences: Array) -> float:
    """Return the share of pairs in which the method scored lower; a tie counts half."""
    if differences.size == 0:
        return math.nan
    return float(np.mean((differences < 0) + 0.5 * (differences == 0)))


# ------------------------------------------------------------------------- independent pairs


def signed_rank(differences: Array, alternative: str = "two-sided") -> float:
    """Return Wilcoxon's p, exact also with ties; zeros are left out.

    The alternative "less" is that the differences lie below zero. Without any pair p is NaN, and
    with nothing but zeros 1.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return math.nan
    known = known[known != 0.0]
    if known.size == 0:
        return 1.0
    if known.size > EXACT:
        finite = np.sign(known) * stats.rankdata(np.abs(known))  # the test sees ranks only
        test = stats.wilcoxon(finite, method="asymptotic", alternative=alternative)
        return float(test.pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(known))).astype(int)  # mid-ranks as integers
    positive = int(doubled[known > 0].sum())
    cumulative = np.cumsum(_null(doubled))
    if alternative == "less":
        return float(cumulative[positive])
    smaller = min(positive, int(doubled.sum()) - positive)
    return float(min(1.0, 2 * cumulative[smaller]))


def hodges_lehmann(differences: Array, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the median of the Walsh averages and the interval of the signed-rank test.

    With fewer than six pairs no such interval reaches 95 %, and it is NaN.
    """
    n = differences.size
    if n == 0:
        return math.nan, math.nan, math.nan
    i, j = np.triu_indices(n)
    with np.errstate(invalid="ignore"):
        walsh = differences[i] / 2 + differences[j] / 2
    walsh = np.sort(np.where(np.isnan(walsh), 0.0, walsh))  # -inf and +inf cancel
    middle = walsh[[(walsh.size - 1) // 2, walsh.size // 2]]
    centre = float(middle[0] if middle[0] == middle[1] else middle.sum() / 2)
    if n > EXACT:
        sd = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = math.floor(n * (n + 1) / 4 - float(stats.norm.ppf(0.5 + level / 2)) * sd)
    else:
        cut = int(np.searchsorted(np.cumsum(_null(np.arange(1, n + 1))), (1 - level) / 2))
    if cut < 1:
        return centre, math.nan, math.nan
    return centre, float(walsh[cut - 1]), float(walsh[-cut])


def _null(ranks: NDArray[np.int_]) -> Array:
    """Return P(the ranks with a positive sign add up to s), s = 0, 1, ..., all signs alike."""
    mass = np.zeros(int(ranks.sum()) + 1)
    mass[0] = 1.0
    for rank in ranks:
        mass[rank:] = (mass[rank:] + mass[: mass.size - rank]) / 2
        mass[:rank] /= 2
    return mass


# ------------------------------------------------------------------------- splits of one table


def corrected_t(differences: Array, ratio: float, alternative: str = "two-sided") -> float:
    """Return the p of Nadeau and Bengio's corrected resampled t-test (2003).

    The differences are those of J random splits of one table, which share most of their training
    rows; `ratio` is n_test / n_train. The variance of their mean is taken as (1/J + ratio) s², and
    t has J - 1 degrees of freedom. A difference that is infinite (a diverged run) outweighs all
    finite ones. Differences that are all equal have no variance: p is then that of the sign test.
    """
    known = differences[~np.isnan(differences)]
    if known.size == 0:
        return math.nan
    infinite = np.isinf(known)
    weights = np.where(infinite, np.sign(known), 0.0) if infinite.any() else known
    scale = float(np.max(np.abs(weights)))
    if known.size == 1 or scale == 0.0:
        return 1.0
    mean, error = _corrected(weights / scale, ratio)
    if error == 0.0:
        sides = 1 if alternative == "less" else 2
        return 1.0 if alternative == "less" and mean > 0 else sides * 0.5**known.size
    t = mean / error
    if alternative == "less":
        return float(stats.t.cdf(t, known.size - 1))
    return float(2 * stats.t.sf(abs(t), known.size - 1))


def corrected_interval(
    differences: Array, ratio: float, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the mean difference over splits of one table and the interval of `corrected_t`.

    With infinite differences the centre is that of Hodges and Lehmann, and there is no interval.
    """
    if differences.size == 0 or np.isinf(differences).any():
        return hodges_lehmann(differences)[0], math.nan, math.nan
    scale = float(np.max(np.abs(differences))) or 1.0
    mean, error = _corrected(differences / scale, ratio)
    half = float(stats.t.ppf(0.5 + level / 2, max(1, differences.size - 1))) * error
    return mean * scale, (mean - half) * scale, (mean + half) * scale


def _corrected(differences: Array, ratio: float) -> tuple[float, float]:
    """Return the mean of differences over splits, and its corrected standard error."""
    mean = float(np.mean(differences))
    if differences.size < 2:
        return mean, math.nan
    factor = math.sqrt(1 / differences.size + ratio)
    return mean, float(np.std(differences, ddof=1)) * factor


# ------------------------------------------------------------------------- several hypotheses


def holm(p: ArrayLike) -> Array:
    """Return Holm's step-down correction; NaN stays NaN and is no hypothesis."""
    raw = np.asarray(p, dtype=float)
    adjusted = np.full(raw.shape, math.nan)
    order = [k for k in np.argsort(raw, kind="stable") if not math.isnan(raw[k])]
    highest = 0.0
    for place, k in enumerate(order):
        highest = max(highest, min(1.0, float(raw[k]) * (len(order) - place)))
        adjusted[k] = highest
    return adjusted
