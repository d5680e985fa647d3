# Real data files are fetched once, where Snakemake itself runs: nodes of a cluster often have no way out.
# Every dataset is drawn once per seed.
rule fetch:
    output:
        paths.FETCHED,
    log:
        "logs/fetch/{dataset}.txt",
    priority: 2
    localrule: True
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.fetch(wc.dataset),
    shell:
        "rafs job fetch --spec {params.spec:q} > {log:q} 2>&1"


rule data:
    input:
        lambda wc: PLAN.sources(wc.dataset, wc.protocol),
    output:
        paths.DATA,
    log:
        "logs/data/{protocol}/{dataset}/seed-{seed}.txt",
    priority: 2
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.data(wc.protocol, wc.dataset, int(wc.seed)),
    shell:
        "rafs job data --spec {params.spec:q} > {log:q} 2>&1"
        " || rafs job failed --spec {params.spec:q} --of data --log {log:q}"


# A table of one's own: looked at once, split once per seed.
ruleorder: own > fetch
ruleorder: own_data > data


rule own:
    input:
        lambda wc: PLAN.own_files(wc.dataset),
    output:
        paths.FETCHED,
    log:
        "logs/own/{dataset}.txt",
    wildcard_constraints:
        dataset="|".join(PLAN.own) or "-",
    priority: 2
    localrule: True
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.own_table(wc.dataset),
    shell:
        "rafs job own --spec {params.spec:q} > {log:q} 2>&1"


rule own_data:
    input:
        lambda wc: PLAN.sources(wc.dataset),
        lambda wc: PLAN.own_files(wc.dataset),
    output:
        paths.DATA,
    log:
        "logs/own_data/{protocol}/{dataset}/seed-{seed}.txt",
    wildcard_constraints:
        dataset="|".join(PLAN.own) or "-",
    priority: 2
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.own_split(wc.protocol, wc.dataset, int(wc.seed)),
    shell:
        "rafs job own_data --spec {params.spec:q} > {log:q} 2>&1"
        " || rafs job failed --spec {params.spec:q} --of data --log {log:q}"
