"""The fork server, which runs short jobs without the cost of starting Python for each.

`server` imports everything once and forks for every job. `client` is what a rule calls; without a
server it runs the job itself, with the same result. `ownership` ends jobs with their workflow.

`multiprocessing.forkserver` serves only the process that started it, and passes neither directory
nor environment nor output to a child. Here, the caller of a job is a command that Snakemake starts.
"""
