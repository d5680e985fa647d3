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
from rafs.pipeline.plan import Plan
from rafs.pipeline.rules import (
    priority_of,
    run_of,
    runs_of,
    score_rule_name,
    unless_requested,
)
from rafs.reporting.catalogue import declaration

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


onstart:
    GUARD.on_start()


onsuccess:
    GUARD.on_end(log, success=True)


onerror:
    GUARD.on_end(log, success=False)
