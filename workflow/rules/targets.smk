# Targets for parts of the reproduction: an experiment, a table (table_nll) or a figure (figure_overview).
for name, files in PLAN.files.targets().items():

    rule:
        name:
            name
        input:
            files,
        localrule: True


# Every rule and every method on three small datasets, in a separate directory.
rule smoke:
    log:
        "logs/smoke.txt",
    localrule: True
    conda:
        "../envs/rafs.yaml"
    threads: workflow.cores
    shell:
        "rafs smoke --cores {threads} 2>&1 | tee {log:q}"
