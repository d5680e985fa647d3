"""Our RMSE beside the published one."""

from functools import partial

from rafs.reporting.tables._vs_published import score_vs_published

TITLE = "RMSE against published"
CAPTION = (
    "RMSE: our median over seeds, and in brackets the published value as it is printed. As in the "
    "paper, what exceeds 100 is shown as > 100."
)
READS = ("scores",)

build = partial(score_vs_published, metric="rmse", caption=CAPTION, fine=True)
