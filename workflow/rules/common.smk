# Parameters, the plan made from them, and the guards of a run (documented in rafs.pipeline.guards).
#
# Rules run `rafs job NAME --spec JSON --input FILES --output FILES`: the job reads and writes these files, in this order. PLAN
# computes inputs and specs from params.yaml; paths are templates of rafs.paths.
#
# A spec contains everything that a result depends on besides its inputs, including the hash of the job's code. It is a parameter
# of the rule, so Snakemake repeats the job when it changes. The spec of `data` for the dataset `he` and seed 0:
#
#   {"code":"9eaafe7e0f2df241","dataset":"he","entry":{},"protocol":"described","seed":0,"sources":[]}
#
# (`entry` is the entry of the dataset in params.yaml, `sources` are the files that it is sampled from.)
#
# `... || rafs job failed` runs if a job fails: it writes placeholder outputs and a note, and the workflow continues.
import math
import os
import sys
from pathlib import Path

# Jobs run the code of this directory, also in a copy of the project that is not the installed one.
BASE = Path(workflow.basedir)
ROOT = BASE.parent if BASE.name == "workflow" else BASE
sys.path.insert(0, str(ROOT / "src"))
for variable, folder in (
    ("PYTHONPATH", ROOT / "src"),
    ("PATH", Path(sys.executable).parent),
):
    os.environ[variable] = os.pathsep.join(
        filter(None, [str(folder), os.environ.get(variable)])
    )
os.environ.update(RAFS_PROJECT=str(ROOT))  # where plugins/ is

from rafs import paths
from rafs.pipeline import guards
from rafs.experiments import Run
from rafs.pipeline.plan import Plan
from rafs.reporting.catalogue import declaration
from rafs.reporting.seeds import SEEDS

EDITION = config.get("edition")  # `smoke`, or none
PLAN = Plan(guards.parameters(ROOT, EDITION), ROOT)
GUARD = guards.Guard(workflow, PLAN, ROOT, EDITION)
GUARD.on_parse()


wildcard_constraints:
    experiment="|".join(PLAN.experiments),
    method=r"[a-z0-9_+]+(@[a-z_]+=[A-Za-z0-9_.+-]+)?",
    dataset=r"[a-z0-9_]+",
    protocol=r"[a-z0-9_+]+",
    seed=r"\d+",
    name=r"[a-z0-9_]+",


def run_of(wildcards):
    return Run(
        wildcards.experiment, wildcards.method, wildcards.dataset, int(wildcards.seed)
    )


def cell_of(wildcards):
    return PLAN.experiments[wildcards.experiment].cell(
        wildcards.method, wildcards.dataset
    )


# The rule is `score` for the seeds of the main experiment, `score_6_seeds` for seeds 0 to 5, `score_seeds_1_4` for a list, with the
# suffix `_of_uci_gap` if only some datasets of that experiment have these seeds.
def score_rule(on, experiments):
    seeds, some = list(on.seeds), "_of_" + "_".join(experiments) if on.datasets else ""
    if seeds == PLAN.experiments[PLAN.experiments.headline].seeds and not some:
        return "score"
    if seeds == list(range(len(seeds))):
        return f"score_{len(seeds)}_seeds{some}"
    return "score_seeds_" + "_".join(map(str, seeds)) + some


# An input that no rule produces disables `score`, so that Snakemake uses `score_alone`. This is needed for an experiment that is run
# by name, if only some seeds of a method and dataset exist or were requested.
def not_asked_for(wildcards):
    targets = GUARD.targets()
    if wildcards.experiment not in PLAN.experiments.extra or targets is None:
        return []
    asked_for = set(PLAN.files.gathered(wildcards.experiment, targets))
    return [] if asked_for.issuperset(cell_of(wildcards)) else ["runs not asked for"]


# Runs of the main experiment come first. Data (2) and reports (3) come before any run.
def by_experiment(wildcards):
    return 1 if wildcards.experiment == PLAN.experiments.headline else 0


def everything(wildcards):
    return PLAN.files.all()


onstart:
    GUARD.on_start()


onsuccess:
    GUARD.on_end(log, success=True)


onerror:
    GUARD.on_end(log, success=False)
