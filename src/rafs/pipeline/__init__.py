"""The integration of the experiments with Snakemake and DVC."""
