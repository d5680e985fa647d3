"""The fork server, which runs short jobs without the cost of starting Python for each.

`server` imports everything once and forks for every job. `client` is what a rule calls; without a
server it runs the job itself, with the same result. `ownership` ends jobs with their workflow.

`multiprocessing.forkserver` forks for the process that started it alone, and hands a child neither
directory nor environment nor output; a job's caller is a command that Snakemake has started.
"""
