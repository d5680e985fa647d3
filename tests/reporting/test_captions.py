"""The captions of Snakemake's report: one for everything that is shown, true to its source."""

from pathlib import Path
from types import SimpleNamespace

import docutils.core
import jinja2
import pytest

import shown
from rafs.reporting import catalogue

FOLDER = Path(__file__).parents[2] / "workflow" / "report"
TABLES, FIGURES = map(catalogue.names, catalogue.KINDS)


def rendered(kind, name=""):
    caption = catalogue.declaration(kind, name).caption if name else None
    job = SimpleNamespace(params=SimpleNamespace(caption=caption))
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    template = FOLDER / f"{'shown' if name else kind}.rst"
    return environment.from_string(template.read_text()).render(snakemake=job)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_its_own_caption(name):
    assert rendered("figures", name).strip() == shown.caption(name)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_caption(name):
    assert len(rendered("tables", name).strip()) > 20


@pytest.mark.parametrize(
    ("kind", "names"),
    [("figures", FIGURES), ("tables", TABLES), ("claims", ("",)), ("page", ("",))],
)
def test_captions_are_clean_markup(kind, names):
    for name in names:
        strict = {"halt_level": 2, "report_level": 1}
        docutils.core.publish_string(rendered(kind, name), settings_overrides=strict)
