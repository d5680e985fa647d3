"""The jobs of the workflow, one module each: `run(spec)` reads and writes files by `rafs.paths`.

A job's module, and what it imports, is the code whose change makes the job run again.
"""

from rafs import files
from rafs.pipeline.forkserver.ownership import owned

files.renaming = owned
