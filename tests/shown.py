"""Tables and figures by name, as the jobs make them."""

import importlib

from rafs.reporting import style


def module(kind, name):
    return importlib.import_module(f"rafs.reporting.{kind}.{name}")


def build(name, inputs, options):
    return module("tables", name).build(inputs, options)


def draw(name, inputs, options):
    return module("figures", name).draw(inputs, options)


def caption(name):
    return module("figures", name).CAPTION


def make(name, inputs, options, stem):
    files = style.files(stem)
    style.save(draw(name, inputs, options), files, caption(name))
    return files
