# The file of a real or user dataset is fetched and checked once, on the machine where Snakemake runs, because nodes of a cluster
# often have no network. The output is a record of the file's source and checksum, or of why it is missing.
#
# The file itself is in data/raw and is not an output: before running the job, Snakemake would delete files that the user put there.
# Its checksum is in the code of the dataset, and `data` checks it again.
rule fetch:
    input:
        # the table of a user dataset, if it is a local file
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


# Every dataset is sampled once per seed. Files of real data are read from data/raw.
rule data:
    input:
        # none for synthetic data
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
