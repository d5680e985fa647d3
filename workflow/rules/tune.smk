# One tuning job per method and dataset, the same effort for each.
rule tune:
    input:
        lambda wc: PLAN.tuning_data(wc.dataset),
    output:
        best=paths.BEST,
        trials=paths.TRIALS,
    log:
        f"{paths.TUNING}/log.txt",
    benchmark:
        f"{paths.TUNING}/benchmark.tsv"
    priority: by_experiment
    conda:
        "../envs/rafs.yaml"
    resources:
        seconds=lambda wc: math.ceil(PLAN.tuning_effort(*wc).seconds),
        runtime=lambda wc, attempt: PLAN.tuning_effort(*wc).minutes(attempt),
        mem_mb=lambda wc, attempt: PLAN.tuning_effort(*wc).memory(attempt),
        gres=PLAN.gres,
    params:
        spec=lambda wc: PLAN.tune(wc.experiment, wc.method, wc.dataset),
    shell:
        "rafs job tune --spec {params.spec:q} > {log:q} 2>&1"
        " || rafs job failed --spec {params.spec:q} --of tune --log {log:q}"


# Once an experiment's data are drawn and tuned, what depends on them is looked at again: where data and
# tuned values came out as they were, nothing is trained anew.
checkpoint tuned:
    input:
        lambda wc: PLAN.before_training(wc.experiment),
    output:
        paths.TUNED,
    log:
        "logs/tuned/{experiment}.txt",
    priority: 3
    localrule: True
    conda:
        "../envs/rafs.yaml"
    shell:
        "echo ready 2> {log:q} > {output:q}"
