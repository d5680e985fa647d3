# Parameters, the plan made from them, and the guards around a run (rafs.guards says what each is for).
import os
import sys
from pathlib import Path

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]

from rafs import guards, paths
from rafs.experiments import Plan, Run

ROOT = Path(workflow.basedir)
PLAN = Plan(guards.parameters(ROOT, config.get("edition")), ROOT)
GUARD = guards.Guard(workflow, PLAN, ROOT)
GUARD.on_parse()


wildcard_constraints:
    experiment="|".join(PLAN.experiments),
    method=r"[a-z0-9_+]+(@[a-z_]+=[A-Za-z0-9_.+-]+)?",
    dataset=r"[a-z0-9_]+",
    protocol=r"[a-z]+",
    seed=r"\d+",
    name=r"[a-z0-9_]+",


def run_of(wildcards):
    return Run(
        wildcards.experiment, wildcards.method, wildcards.dataset, int(wildcards.seed)
    )


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
