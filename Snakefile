# The whole reproduction. `snakemake --cores 8` makes everything; see `make help` and README.md.
from snakemake.utils import min_version

min_version("9.0")


include: "workflow/rules/common.smk"


rule all:
    default_target: True
    input:
        lambda wc: PLAN.files.all(),


include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/targets.smk"
