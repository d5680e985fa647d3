# From metrics to tables, figures, verdicts and the page.
#
# The inputs of `aggregate` are thousands of files, too many for a command line (128 KB). The job computes their names from its
# spec, with the same function as the rule (`gathered_run` in rafs.pipeline.jobs.aggregate).
rule aggregate:
    input:
        lambda wc: PLAN.files.gathered_files(wc.experiment, GUARD.targets()),
    output:
        scores=paths.SCORES,
        costs=paths.COSTS,
        tuned=paths.TUNED,
        recalibrated=paths.RECALIBRATED,
        seeds=paths.SEEDS,
    log:
        "logs/aggregate/{experiment}.txt",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.aggregate(wc.experiment, GUARD.targets()),
    shell:
        "rafs job aggregate --spec {params.spec:q} --output {output:q} > {log:q} 2>&1"


# Tables and figures declare what they read (READS in rafs/reporting/tables/*.py). `caption` is for Snakemake's own report, see
# ../report/shown.rst. It is part of the code of the table or figure, so it changes only when the spec changes.
rule table:
    input:
        lambda wc: PLAN.files.shown_inputs("tables", wc.name),
    output:
        report(
            expand(paths.TABLE, table="{name}", format=paths.TABLE_FORMATS[0]),
            caption="../report/shown.rst",
            category="Tables",
            labels={"table": "{name}"},
        ),
        expand(paths.TABLE, table="{name}", format=paths.TABLE_FORMATS[1:]),
        expand(paths.BUILT_TABLE, table="{name}"),
    log:
        "logs/tables/{name}.txt",
    wildcard_constraints:
        name="|".join(PLAN.params.tables) or "-",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.shown("tables", wc.name),
        caption=lambda wc: declaration("tables", wc.name).caption,
    shell:
        "rafs job tables --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1"


rule figure:
    input:
        lambda wc: PLAN.files.shown_inputs("figures", wc.name),
    output:
        report(
            expand(paths.FIGURE, figure="{name}", format=paths.FIGURE_FORMATS[0]),
            caption="../report/shown.rst",
            category="Figures",
            labels={"figure": "{name}"},
        ),
        expand(paths.FIGURE, figure="{name}", format=paths.FIGURE_FORMATS[1:]),
    log:
        "logs/figures/{name}.txt",
    wildcard_constraints:
        name="|".join(PLAN.params.figures) or "-",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.shown("figures", wc.name),
        caption=lambda wc: declaration("figures", wc.name).caption,
    shell:
        "rafs job figures --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1"


rule claims:
    input:
        PLAN.files.claims_inputs(),
    output:
        report(paths.CLAIMS, caption="../report/claims.rst", category="Claims"),
        expand(paths.CLAIMS_TABLE, format=paths.TABLE_FORMATS),
    log:
        "logs/claims.txt",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.claims(),
    shell:
        "rafs job claims --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1"


rule summary:
    input:
        PLAN.files.scores(),
    output:
        metrics=paths.SUMMARY,
        medians=paths.PLOT_SCORES,
    log:
        "logs/summary.txt",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.summary(),
    shell:
        "rafs job summary --spec {params.spec:q} --input {input:q} --output {output:q}"
        " > {log:q} 2>&1"


# `extras` are the existing files of experiments that are run by name. As inputs they would make these experiments run. Instead, the
# checksums of their scores, tables and figures are in the spec, so that a change of them makes the page again.
#
# For the details of a cell, the job also reads run.json and the checksum of predictions.npz of every run. These thousands of files
# are not inputs, because the scores, which are inputs, were made from them.
rule page:
    input:
        PLAN.files.page_inputs(),
    output:
        report(paths.PAGE, caption="../report/page.rst", category="Page"),
    log:
        "logs/page.txt",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.page(),
        extras=lambda wc: PLAN.files.page_extras(),
    shell:
        "rafs job page --spec {params.spec:q} --input {input:q} {params.extras:q}"
        " --output {output:q} > {log:q} 2>&1"


# Fails and lists the failed jobs if there are any, so that the whole workflow fails. It finds their notes by name (failed.txt beside
# their outputs); these are not inputs, because most do not exist. `page` is an input so that this job runs last.
rule verify:
    input:
        page=paths.PAGE,
        scores=PLAN.files.scores(),
    output:
        paths.COMPLETE,
    log:
        "logs/verify.txt",
    priority: 3
    conda:
        "../envs/rafs.yaml"
    params:
        spec=lambda wc: PLAN.specs.verify(),
    shell:
        "rafs job verify --spec {params.spec:q} --input {input.scores:q} --output {output:q}"
        " > {log:q} 2>&1"
