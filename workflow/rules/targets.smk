# Names for parts of the whole: an experiment, a table (table_nll) or a figure (figure_overview).
for experiment in PLAN.experiments:

    rule:
        name:
            experiment
        input:
            PLAN.experiment_artefacts(experiment),
        localrule: True


for kind in ("tables", "figures"):
    for name in PLAN.params[kind]:

        rule:
            name:
                f"{kind[:-1]}_{name}"
            input:
                PLAN.shown_files(kind, name),
            localrule: True


# Every rule and every method on three small datasets, in a directory of its own.
rule smoke:
    localrule: True
    threads: workflow.cores
    shell:
        "rafs smoke --cores {threads}"
