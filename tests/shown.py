"""Tables and figures by name, as the jobs make them."""

import importlib
import json
from pathlib import Path

import yaml

from rafs.reporting import style, table_files

PARAMS = yaml.safe_load((Path(__file__).parents[1] / "params.yaml").read_text())


def module(kind, name):
    return importlib.import_module(f"rafs.reporting.{kind}.{name}")


def options(kind, name, **more):
    """Return the options of params.yaml, without the references, and some more."""
    entry = PARAMS[kind].get(name, {"experiments": ["main"]})
    asked = [each for each in entry["experiments"] if each != "references" or name == "headline"]
    return {"experiments": asked, **more}


def build(name, inputs, **more):
    return module("tables", name).build(inputs, options("tables", name, **more))


def stored(name, inputs, **more):
    """Return a table as the page reads it."""
    written = table_files.as_json(build(name, inputs, **more))
    return table_files.stored(json.loads(written))


def draw(name, inputs, **more):
    return module("figures", name).draw(inputs, options("figures", name, **more))


def caption(name):
    return module("figures", name).CAPTION


def make(name, inputs, stem, **more):
    files = style.files(stem)
    style.save(draw(name, inputs, **more), files, caption(name))
    return files
