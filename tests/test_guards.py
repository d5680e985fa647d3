"""What the guards make of the files that they look at."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from rafs import guards


def test_an_output_is_finished_while_we_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake writes its record and then takes its mark away: it is seen by the one or other."""
    monkeypatch.chdir(tmp_path)
    mark = guards.INCOMPLETE / urlsafe_b64encode(b"results/x.json").decode()
    guards.mark_incomplete(["results/x.json"])
    look = guards.about

    def look_and_finish(top: Path) -> Iterator[tuple[str, Path]]:
        yield from list(look(top))
        if mark.exists():
            guards.METADATA.mkdir(parents=True)
            mark.rename(guards.METADATA / mark.name)

    monkeypatch.setattr(guards, "about", look_and_finish)
    assert guards.recorded() == {"results/x.json"}
