# One training job and one metrics file per (experiment, method, dataset, seed).
rule train:
    input:
        unpack(after_tuning),
    output:
        predictions=paths.PREDICTIONS,
        record=paths.RECORD,
        cost=paths.COST,
    log:
        f"{paths.RUN}/log.txt",
    benchmark:
        f"{paths.RUN}/benchmark.tsv"
    priority: by_experiment
    conda:
        "../envs/rafs.yaml"
    resources:
        seconds=lambda wc: math.ceil(PLAN.effort(run_of(wc)).seconds),
        runtime=lambda wc, attempt: PLAN.effort(run_of(wc)).minutes(attempt),
        mem_mb=lambda wc, attempt: PLAN.effort(run_of(wc)).memory(attempt),
        gres=PLAN.gres,
    params:
        spec=lambda wc: PLAN.train(run_of(wc)),
    shell:
        "rafs job train --spec {params.spec:q} > {log:q} 2>&1"
        " || rafs job failed --spec {params.spec:q} --of train --log {log:q}"


rule score:
    input:
        predictions=paths.PREDICTIONS,
        record=paths.RECORD,
        data=lambda wc: PLAN.drawn_for(run_of(wc)),
    output:
        paths.METRICS,
    log:
        "logs/score/{experiment}/{method}/{dataset}/seed-{seed}.txt",
    priority: by_experiment
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.score(run_of(wc)),
    shell:
        "rafs job score --spec {params.spec:q} > {log:q} 2>&1"
        " || rafs job failed --spec {params.spec:q} --of score --log {log:q}"
