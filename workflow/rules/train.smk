# One job tunes and trains each run: (experiment, method, dataset, seed).
rule train:
    input:
        data=lambda wc: PLAN.files.data_of(run_of(wc)),
        # empty, unless the experiment uses the tuned values of another one (`tuning: main`)
        best=lambda wc: PLAN.files.best_of(run_of(wc)),
    output:
        predictions=paths.PREDICTIONS,
        record=paths.RECORD,
        trials=paths.TRIALS,
        best=paths.BEST,
        cost=paths.COST,
        held_out=paths.HELD_OUT,
    log:
        f"{paths.RUN}/log.txt",
    benchmark:
        f"{paths.RUN}/benchmark.tsv"
    priority: lambda wc: priority_of(PLAN, wc)
    conda:
        "../envs/rafs.yaml"
    resources:
        seconds=lambda wc: math.ceil(PLAN.effort(run_of(wc)).seconds),
        runtime=lambda wc, attempt: PLAN.effort(run_of(wc)).minutes(attempt),
        mem_mb=lambda wc, attempt: PLAN.effort(run_of(wc)).memory(attempt),
        gres=PLAN.gres,
    params:
        spec=lambda wc: PLAN.specs.train(run_of(wc)),
    shell:
        "rafs job train --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1 || rafs job failed --of train --log {log:q}"
        " --spec {params.spec:q} --input {input:q} --output {output:q}"


# One job scores all seeds of (experiment, method, dataset), and writes one metrics file per run.
# A Snakemake rule has a fixed number of outputs: hence one rule per list of seeds, which differ in `expand(..., seed=on.seeds)`
# and in the experiments that they are for: `score` for the seeds of the main experiment, `score_6_seeds` for 0 to 5,
# `score_seeds_1_4` for a list, `score_2_seeds_of_uci_gap` where only some datasets of an experiment have these seeds.
# `snakemake --list` shows all of them.
USUAL = PLAN.experiments[PLAN.experiments.headline].seeds
for on, experiments in PLAN.experiments.same_seeds().items():
    name = score_rule_name(on, experiments, USUAL)

    rule:
        name:
            name
        input:
            # none, or one that no rule makes: then `score_alone` is used
            lambda wc: unless_requested(PLAN, wc, GUARD.targets()),
            predictions=expand(paths.PREDICTIONS, seed=on.seeds, allow_missing=True),
            record=expand(paths.RECORD, seed=on.seeds, allow_missing=True),
            held_out=expand(paths.HELD_OUT, seed=on.seeds, allow_missing=True),
            data=lambda wc: [PLAN.files.data_of(run) for run in runs_of(PLAN, wc)],
        output:
            expand(paths.METRICS, seed=on.seeds, allow_missing=True),
        log:
            "logs/score/{experiment}/{method}/{dataset}.txt",
        wildcard_constraints:
            experiment="|".join(experiments),
            dataset="|".join(on.datasets) or r"[a-z0-9_]+",
        priority: lambda wc: priority_of(PLAN, wc)
        conda:
            "../envs/rafs.yaml"
        params:
            spec=lambda wc: PLAN.specs.score(runs_of(PLAN, wc)),
        shell:
            "rafs job score --spec {params.spec:q} --input {input:q} --output {output:q}"
            " > {log:q} 2>&1 || rafs job failed --of score --log {log:q}"
            " --spec {params.spec:q} --input {input:q} --output {output:q}"

    # as `ruleorder: score > score_alone`, which does not take a name that is computed
    workflow.ruleorder(name, "score_alone")


# For single seeds of an experiment that is run by name, if not all of its seeds exist or were requested.
rule score_alone:
    input:
        predictions=paths.PREDICTIONS,
        record=paths.RECORD,
        held_out=paths.HELD_OUT,
        data=lambda wc: PLAN.files.data_of(run_of(wc)),
    output:
        paths.METRICS,
    log:
        "logs/score/{experiment}/{method}/{dataset}/seed-{seed}.txt",
    wildcard_constraints:
        experiment="|".join(PLAN.experiments.extra) or "-",
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.score((run_of(wc),)),
    shell:
        "rafs job score --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1 || rafs job failed --of score --log {log:q}"
        " --spec {params.spec:q} --input {input:q} --output {output:q}"
