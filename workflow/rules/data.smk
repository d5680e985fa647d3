# Files of real data and of user datasets are fetched, and checked, once. That is where Snakemake itself runs: nodes of a
# cluster often have no network. Every dataset is sampled once per seed.
rule fetch:
    input:
        table=lambda wc: PLAN.sources.supplied(wc.dataset),
    output:
        record=paths.FETCHED,
    log:
        "logs/fetch/{dataset}.txt",
    priority: 2
    localrule: True
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.fetch(wc.dataset),
    shell:
        "rafs job fetch --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1"


rule data:
    input:
        records=lambda wc: PLAN.sources.records(wc.dataset, wc.protocol),
        table=lambda wc: PLAN.sources.tables(wc.dataset, wc.protocol),
    output:
        paths.DATA,
    log:
        "logs/data/{protocol}/{dataset}/seed-{seed}.txt",
    priority: 2
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.data(wc.protocol, wc.dataset, int(wc.seed)),
    shell:
        "rafs job data --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1 || rafs job failed --of data --log {log:q}"
        " --spec {params.spec:q} --input {input:q} --output {output:q}"
