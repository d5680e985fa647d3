"""Summaries and tests of scores over seeds and datasets.

Lower scores are better throughout (a coverage counts by its distance from the nominal level). A run
that diverged is worse than any score: its value is +inf wherever only order matters. A run that is
missing or failed for another reason is NaN. Both are counted; neither is dropped silently.

- `summaries`: a method on a dataset is the median over seeds, between two order statistics that
  contain it in at least 95 % of cases whatever the distribution.
- `comparisons`: two methods on the same seeds of a dataset. Generated data: Hodges and Lehmann's
  estimate and the exact signed-rank test (Hollander and Wolfe, section 3.2). Splits of one table:
  Nadeau and Bengio's corrected t-test.
- `rankings`: several methods over datasets, by their medians over seeds. Mean ranks with intervals
  that resample datasets and seeds, Wilcoxon's test for every pair with Holm's correction,
  Friedman's test and Nemenyi's critical difference (Demšar, JMLR 2006), skill against a constant
  prediction, and the paper's ranks, which tie where intervals overlap.

The size of every test and the coverage of every interval are checked by simulation in the tests.
"""

from rafs.evaluation.statistics.comparisons import (
    against,
    compare,
    decide,
    duels,
    over_datasets,
    winners,
)
from rafs.evaluation.statistics.pairs import (
    corrected_interval,
    corrected_t,
    hodges_lehmann,
    holm,
    improvement,
    paired,
    signed_rank,
)
from rafs.evaluation.statistics.rankings import (
    TESTED,
    Ranking,
    against_best,
    average_skill,
    cliques,
    critical_difference,
    p_against,
    pairwise,
    paper_ranks,
    rank_intervals,
    ranking,
    ranks,
    skill,
)
from rafs.evaluation.statistics.resampling import hierarchical, mean_interval, percentiles
from rafs.evaluation.statistics.scores import (
    ALPHA,
    BASELINE,
    FEWEST_INSIDE,
    LEVEL,
    contrast,
    is_ratio,
    losses,
    medians,
    split_ratios,
    values,
    wide,
    without_few_inside,
)
from rafs.evaluation.statistics.summaries import (
    Summary,
    cells,
    mean_over_datasets,
    median_interval,
    share_interval,
    summarise,
)

__all__ = [
    "ALPHA",
    "BASELINE",
    "FEWEST_INSIDE",
    "LEVEL",
    "TESTED",
    "Ranking",
    "Summary",
    "against",
    "against_best",
    "average_skill",
    "cells",
    "cliques",
    "compare",
    "contrast",
    "corrected_interval",
    "corrected_t",
    "critical_difference",
    "decide",
    "duels",
    "hierarchical",
    "hodges_lehmann",
    "holm",
    "improvement",
    "is_ratio",
    "losses",
    "mean_interval",
    "mean_over_datasets",
    "median_interval",
    "medians",
    "over_datasets",
    "p_against",
    "paired",
    "pairwise",
    "paper_ranks",
    "percentiles",
    "rank_intervals",
    "ranking",
    "ranks",
    "share_interval",
    "signed_rank",
    "skill",
    "split_ratios",
    "summarise",
    "values",
    "wide",
    "winners",
    "without_few_inside",
]
