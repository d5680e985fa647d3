"""What ties the experiments to Snakemake and DVC."""
