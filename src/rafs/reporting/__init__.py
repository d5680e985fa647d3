"""What the results show: tables, figures, claims and the page.

Each table and figure is a module of that name, imported when it is made and not before.
"""

TABLES = (
    "nll",
    "rmse",
    "ranks",
    "sizes",
    "datasets",
    "nll_vs_published",
    "rmse_vs_published",
    "ranks_vs_published",
    "comparison",
    "calibration",
    "scalability",
    "rafs_on",
    "cost",
    "released_vs_published",
    "quirks",
)

FIGURES = (
    "overview",
    "critical_difference",
    "uncertainty_1d",
    "confidence_error",
    "calibration",
    "in_out",
    "rafs_effect",
    "ensemble_size",
    "cardinality",
    "training_points_1d",
)
