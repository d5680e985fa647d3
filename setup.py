"""The one step of a build that pyproject.toml cannot state: it lies outside `src`."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithParameters(build_py):
    """Put the benchmark's params.yaml into the wheel: the defaults of `rafs compare`."""

    def run(self) -> None:
        """Copy the package, then the file; an editable install reads the file of the clone."""
        super().run()
        if not self.editable_mode:
            self.copy_file("params.yaml", str(Path(self.build_lib, "rafs", "compare")))


setup(cmdclass={"build_py": BuildWithParameters})
