"""The paths of the workflow's files, relative to the project's root.

The rules and the jobs both read these templates, so that they agree on every file. Those of
the archives of results are in `rafs.pipeline.packs`.
"""

PARAMS = "params.yaml"
LOCK = "requirements.lock"
SNAKEMAKE = ".snakemake"  # where Snakemake keeps its records, and the workflow its own notes

FETCHED = "data/processed/sources/{dataset}.json"
DATA = "data/processed/{protocol}/{dataset}/seed-{seed}.npz"

RUN = "results/runs/{experiment}/{method}/{dataset}/seed-{seed}"
PREDICTIONS = f"{RUN}/predictions.npz"
RECORD = f"{RUN}/run.json"
COST = f"{RUN}/cost.json"
TRIALS = f"{RUN}/trials.csv"
BEST = f"{RUN}/best.json"
HELD_OUT = f"{RUN}/held_out.npz"
TRAINED = (
    RECORD,
    PREDICTIONS,
    TRIALS,
    BEST,
    COST,
    HELD_OUT,
)  # record first: it says how the run ended
METRICS = f"{RUN}/metrics.json"

SCORES = "results/scores/{experiment}.csv"
COSTS = "results/costs/{experiment}.csv"
TUNED = "results/tuned/{experiment}.csv"
RECALIBRATED = "results/recalibrated/{experiment}.csv"
SEEDS = "reports/seeds/{experiment}.csv.gz"  # the scores of every run, for analyses elsewhere
BUILT_TABLE = "results/tables/{table}.json"  # for the page
COMPLETE = "results/complete.json"
FAILED = "failed.txt"  # beside the files of a job that failed, or after the name of its only file

REPORTS = "reports"
TABLE = "reports/tables/{table}.{format}"
FIGURE = "reports/figures/{figure}.{format}"
CLAIMS = "reports/claims.json"
CLAIMS_TABLE = "reports/tables/claims.{format}"
SUMMARY = "reports/metrics.json"
PLOT_SCORES = "reports/scores.csv"
PAGE = "reports/index.html"

TABLE_FORMATS = ("csv", "md", "tex")
FIGURE_FORMATS = ("svg", "png", "pdf")
