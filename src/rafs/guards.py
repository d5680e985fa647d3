"""What keeps a workflow run honest: five guards against stale results, and a helpful frame.

1. An output without a provenance record is not trusted: the run stops with advice.
2. Every artefact is named in `rule all` (`Plan.artefacts`), so that a deleted one is made again.
3. The hash of a job's code is part of its parameters (`rafs.provenance`).
4. One run per directory, by a lock that the kernel drops with its holder, however that ends.
5. DVC is told of results only after a complete, successful run of everything.

A run also forgets failed jobs of the run before, starts the warm parent of short jobs, and ends with
a summary.
"""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64decode
from collections import Counter
from pathlib import Path
from typing import IO, Any, NoReturn

from rafs import paths, warm
from rafs.errors import DamagedFileError, RafsError
from rafs.experiments import Plan
from rafs.files import read_json
from rafs.params import Params, load

METADATA = Path(".snakemake/metadata")
LOCK = Path(".snakemake/rafs.lock")
STAGE = "reproduce"


def parameters(root: Path, edition: str | None) -> Params:
    """Return the checked parameters, or stop with the sentence that says what is wrong."""
    try:
        return load(root / paths.PARAMS, edition)
    except RafsError as error:
        stop(str(error), error.exit_code)


def stop(message: str, code: int = 1) -> NoReturn:
    """End the process at once with a sentence; Snakemake would wrap it in a traceback."""
    sys.stdout.flush()
    print(f"rafs: {message}", file=sys.stderr, flush=True)
    os._exit(code)


def recorded(metadata: Path = METADATA) -> set[str]:
    """Return the outputs of which Snakemake knows how they were made."""
    found = set()
    for path in metadata.rglob("*"):
        if path.is_file():
            parts = [part.removeprefix("@") for part in path.relative_to(metadata).parts]
            with contextlib.suppress(ValueError):
                found.add(urlsafe_b64decode("".join(parts)).decode(errors="replace"))
    return found


class Guard:
    """The frame around one invocation of Snakemake."""

    def __init__(self, workflow: Any, plan: Plan, root: Path) -> None:
        self.workflow = workflow
        self.plan = plan
        self.root = root
        self.lock: IO[str] | None = None
        self.warm: subprocess.Popen[bytes] | None = None
        self.folder: Path | None = None

    # --- before the jobs are worked out -----------------------------------------------------------

    def on_parse(self) -> None:
        """Look at what is there; in the main process only, as cluster jobs parse the file too."""
        if not self.workflow.is_main_process:
            return
        self.refuse_unrecorded()
        if not self.workflow.dryrun:
            self.forget_failures()
            self.look_again()
        self.say_missing()

    def refuse_unrecorded(self) -> None:
        """Stop if an output is there whose making is not on record (guard 1)."""
        there = [name for name in self.plan.artefacts() if Path(name).exists()]
        unknown = sorted(set(there) - recorded()) if there else []
        if unknown:
            stop(
                f"{len(unknown)} outputs have no provenance record, for instance {unknown[0]}: "
                "nobody knows what they were made from. Get the records with `dvc checkout`, or "
                "delete these files to make them again (`rafs clean --unrecorded` does)."
            )

    def forget_failures(self) -> None:
        """Remove what stands in for failed jobs, so that they are tried again."""
        if self.held_by():
            return
        for note in _notes():
            if note.name == paths.FAILED:
                for file in note.parent.iterdir():
                    if file.suffix in (".json", ".npz", ".csv"):
                        file.unlink()
            else:
                Path(str(note).removesuffix(f".{paths.FAILED}")).unlink(missing_ok=True)
            note.unlink()

    def look_again(self) -> None:
        """Forget that a real dataset was missing if it is to be had now."""
        from rafs.datasets.fetch import available

        for dataset, _ in self.missing():
            if available(dataset)[0]:
                Path(paths.FETCHED.format(dataset=dataset)).unlink()

    def missing(self) -> list[tuple[str, str]]:
        """Return the real datasets that could not be had, and why."""
        found = []
        for dataset in self.plan.real():
            path = Path(paths.FETCHED.format(dataset=dataset))
            if path.exists():
                with contextlib.suppress(DamagedFileError):
                    record = read_json(path)
                    if record.get("status") == "missing":
                        found.append((dataset, record.get("message", "")))
        return found

    def say_missing(self) -> None:
        """Say which real datasets are missing."""
        for dataset, message in self.missing():
            print(f"rafs: {dataset} is missing and its runs with it: {message}", file=sys.stderr)

    # --- around the jobs --------------------------------------------------------------------------

    def held_by(self) -> str:
        """Return who holds the lock of this directory, or nothing."""
        with contextlib.suppress(FileNotFoundError), LOCK.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return file.read().strip() or "another process"
        return ""

    def on_start(self) -> None:
        """Take the lock (guard 4) and start the warm parent."""
        LOCK.parent.mkdir(exist_ok=True)
        self.lock = LOCK.open("a+")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.lock.seek(0)
            stop(
                f"this directory is in use by {self.lock.read().strip() or 'another process'}; "
                "wait for it or stop it"
            )
        self.lock.truncate(0)
        self.lock.write(f"process {os.getpid()} on {os.uname().nodename}")
        self.lock.flush()
        if self.workflow.local_exec and os.environ.get("RAFS_NO_WARM") != "1":
            self.folder = Path(tempfile.mkdtemp(prefix="rafs-"))
            self.warm = warm.start(self.folder / "socket")

    def on_end(self, log: str | list[str], *, success: bool) -> None:
        """Stop the warm parent, tell DVC (guard 5), and sum up."""
        if self.warm is not None:
            warm.stop(self.warm)
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.summary(Path(log[-1] if isinstance(log, list) else str(log)), success)
        if success and self.complete() and not os.environ.get("DVC_STAGE"):
            self.commit()

    def complete(self) -> bool:
        """Tell whether everything was asked for, without restriction."""
        asked = self.workflow.dag_settings
        return (
            not (set(asked.targets) - {"all"} or asked.until or asked.omit_from or asked.batch)
            and Path(paths.COMPLETE).exists()
        )

    def commit(self) -> None:
        """Let DVC take note of the results."""
        if not Path("dvc.yaml").exists():
            return
        if not (Path(".git").exists() and Path(".dvc").is_dir()):
            print("rafs: no git repository with DVC here, so DVC was not told", file=sys.stderr)
            return
        done = subprocess.run(["dvc", "commit", "-f", "-q", STAGE], check=False)
        if done.returncode:
            print("rafs: `dvc commit` failed; `dvc repro` will look again", file=sys.stderr)

    def summary(self, log: Path, success: bool) -> None:
        """Say what ran, what was up to date, what failed and where its log is."""
        text = log.read_text(errors="replace") if log.is_file() else ""
        ran = Counter(re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", text, re.MULTILINE))
        what = ", ".join(f"{count} {rule}" for rule, count in ran.items() if rule != "all")
        total = len(self.plan.all_runs)
        lines = [f"ran: {what or 'nothing'}", f"runs up to date: {total - ran['train']} of {total}"]
        lines += [f"failed: {note.parent} ({note.read_text()})" for note in _notes()[:20]]
        lines += [f"missing: {dataset}" for dataset, _ in self.missing()]
        lines += [] if success else [f"not complete; Snakemake's log: {log}"]
        print("\n".join(f"rafs: {line}" for line in lines), file=sys.stderr)


def _notes() -> list[Path]:
    from rafs.jobs.verify import failures

    return failures()
