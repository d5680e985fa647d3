"""The captions of Snakemake's report: one for everything that is shown, true to its source."""

from pathlib import Path
from types import SimpleNamespace

import docutils.core
import jinja2
import pytest

from rafs.reporting import FIGURES, TABLES, captions, figures

FOLDER = Path(__file__).parents[2] / "workflow" / "report"


def rendered(kind, name):
    params = SimpleNamespace(caption=captions.figure(name) if kind == "figure" else None)
    place = SimpleNamespace(wildcards=SimpleNamespace(name=name), params=params)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    return environment.from_string((FOLDER / f"{kind}.rst").read_text()).render(snakemake=place)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_own_caption(name):
    assert rendered("figure", name).strip() == figures.caption(name)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_caption(name):
    assert len(rendered("table", name).strip()) > 20


@pytest.mark.parametrize(
    ("kind", "names"),
    [("figure", FIGURES), ("table", TABLES), ("claims", ("",)), ("page", ("",))],
)
def test_captions_are_clean_markup(kind, names):
    for name in names:
        strict = {"halt_level": 2, "report_level": 1}
        docutils.core.publish_string(rendered(kind, name), settings_overrides=strict)
