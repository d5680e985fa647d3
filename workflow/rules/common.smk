# Parameters, the plan made from them, and the guards around a run (rafs.guards says what each is for).
import math
import os
import sys
from pathlib import Path

# Jobs run with the code beside this file, also in a copy of the project that is not the installed one.
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

from rafs import guards, paths
from rafs.experiments import Plan, Run
from rafs.reporting import captions

PLAN = Plan(guards.parameters(ROOT, config.get("edition")), ROOT)
GUARD = guards.Guard(workflow, PLAN, ROOT)
GUARD.on_parse()


wildcard_constraints:
    experiment="|".join(PLAN.named),
    method=r"[a-z0-9_+]+(@[a-z_]+=[A-Za-z0-9_.+-]+)?",
    dataset=r"[a-z0-9_]+",
    protocol=r"[a-z0-9_+]+",
    seed=r"\d+",
    name=r"[a-z0-9_]+",


def run_of(wildcards):
    return Run(
        wildcards.experiment, wildcards.method, wildcards.dataset, int(wildcards.seed)
    )


# Raises until the tuning is done; what to train is worked out then.
def after_tuning(wildcards):
    run = run_of(wildcards)
    source = PLAN.tuning(run.experiment)
    if source:
        checkpoints.tuned.get(experiment=source)
        GUARD.reconsider(source)
    return PLAN.training_inputs(run)


# What the main experiment needs comes first, and what is shown comes as soon as it can.
def by_experiment(wildcards):
    return 1 if wildcards.experiment == PLAN.headline else 0


def everything(wildcards):
    return PLAN.artefacts()


onstart:
    GUARD.on_start()


onsuccess:
    GUARD.on_end(log, success=True)


onerror:
    GUARD.on_end(log, success=False)
