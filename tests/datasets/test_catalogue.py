"""The descriptions, compared with a second transcription of the appendix and of Table 4."""

import math

import pytest

from rafs import datasets
from rafs.datasets.core import CATEGORIES

# name: category, dimension, training rows, test rows, training ranges, test ranges; "*" repeats.
APPENDIX = {
    "he": "T 1 20 50; -2 2; -6 6",
    "forrester": "T 1 20 50; .2 .85; 0 1",
    "schaffer4": "MLM 2 1000 2500; -2 2 *2; -2.5 2.5 *2",
    "double_pendulum": "PM 2 1000 2500; -2/3pi 1/6pi *2; -1pi 1pi *2",
    "rastrigin": "MLM 3 200 500; -5.12 5.12 *3; -5.5 5.5 *3",
    "ishigami": "T 3 2000 5000; -1/2pi 1/2pi *3; -2/3pi 2/3pi *3",
    "environmental": "PM 4 200 500; 7 13 .02 .12 .01 3 30.01 30.295; 5 15 0 .15 .01 3.2 23.71 31",
    "griewank": "MLM 4 200 500; -500 500 *4; -600 600 *4",
    "roos_arnold": "O 5 200 500; 0 .8 *5; 0 1 *5",
    "friedman": "T 5 200 500; 0 .5 *5; 0 1 *5",
    "planar_arm": "PM 6 200 500; -1/2pi 1/2pi *2 -1pi 1pi *4; -1pi 1pi *2 -2pi 2pi *4",
    "sum_of_powers": "O 6 200 500; -.75 .75 *6; -1 1 *6",
    "ackley": "MLM 7 400 1000; -30 30 *7; -32.768 32.768 *7",
    "piston": "PM 7 200 500; 30 60 .005 .02 .002 .01 1e3 5e3 9e4 11e4 290 296 340 360;"
    "0 90 .005 .03 0 .015 10 6e3 8e4 12e4 285 300 300 400",
    "robot_arm": "PM 8 200 500; 0 1pi *4 0 .5 *4; 0 2pi *4 0 1 *4",
    "borehole": "PM 8 2000 5000; .05 .15 100 5e4 63070 115600 63.1 116 990 1110 700 820 1120 1680 "
    "9855 12045; .01 .2 90 50010 63020 115650 60 120 950 1150 650 900 1100 1700 9800 12100",
    "styblinski_tang": "O 9 400 1000; -5 5 *9; -6 6 *9",
    "puma560": "PM 9 3693 4499; -.6pi .6pi *6 -.6 .6 *3; -.6pi .6pi *6 -.6 .6 *3",
    "welch": "O 10 200 500; -.5 .5 *10; -1 1 *10",
    "wing_weight": "PM 10 2000 5000; 150 200 220 300 6 10 -10 10 16 45 .5 1 .08 .18 2.5 6 "
    "1700 2500 .025 .08; 100 250 200 320 0 15 -20 20 0 60 0 1.5 .05 .25 .5 8 1000 3000 0 .1",
}

REAL = ["boston", "abalone", "naval", "forest_fire", "parkinsons"]
LARGE = ["superconductivity", "news"]
NAMES = [*APPENDIX, *REAL, *LARGE]
FILES = {"puma560": ["pumadyn_train", "pumadyn_test"]}


def number(text: str) -> float:
    over, _, under = text.removesuffix("pi").partition("/")
    return float(over) / float(under or 1) * (math.pi if text.endswith("pi") else 1)


def intervals(text: str) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    words = text.split()
    while words:
        interval = number(words.pop(0)), number(words.pop(0))
        repeats = int(words.pop(0)[1:]) if words and words[0].startswith("*") else 1
        found += [interval] * repeats
    return found


def test_names_in_the_order_of_the_paper():
    """The paper's come first, then all others by name."""
    assert list(datasets.names()[: len(NAMES)]) == NAMES
    others = datasets.names()[len(NAMES) :]
    assert list(others) == sorted(others)
    assert all(name.startswith("uci_") for name in others)


@pytest.mark.parametrize("name", APPENDIX)
def test_synthetic_datasets_are_as_the_appendix_describes_them(name):
    head, train, test = APPENDIX[name].split(";")
    category, dimension, rows, test_rows = head.split()
    spec = datasets.spec(name)
    assert (spec.category, spec.dimension) == (category, int(dimension))
    assert (spec.train, spec.test) == (int(rows), int(test_rows))
    for found, expected in ((spec.train_ranges, train), (spec.test_ranges, test)):
        assert list(map(list, found)) == [
            pytest.approx(pair) for pair in map(list, intervals(expected))
        ]
    assert spec.noise == (0.4 if name == "puma560" else 0.1)
    assert spec.title.endswith(f" {dimension}D")
    assert datasets.function(name) is spec.function


def test_clusters():
    assert datasets.spec("he").clusters == ((-2, -0.67), (0.67, 2))
    assert datasets.spec("forrester").clusters == ((0.2, 0.4), (0.65, 0.85))
    clustered = [name for name in NAMES if datasets.spec(name).clusters]
    assert clustered == ["he", "forrester"]


@pytest.mark.parametrize("name", NAMES)
def test_every_description_is_complete(name):
    spec = datasets.spec(name)
    assert spec.name == name
    assert spec.category in CATEGORIES
    assert spec.synthetic == (name in APPENDIX)
    assert len(set(spec.features)) == spec.dimension
    assert len(spec.units) in (0, spec.dimension)
    for text in (spec.title, spec.target, spec.source, spec.licence, spec.citation):
        assert text.strip()
    assert spec.doi == "" or spec.doi.startswith("10.")
    assert spec.place == NAMES.index(name) + 1
    assert list(spec.sources) == FILES.get(name, [] if spec.synthetic else [name])


def test_two_synthetic_datasets_of_every_dimension_from_one_to_ten():
    dimensions = sorted(datasets.spec(name).dimension for name in APPENDIX)
    assert dimensions == sorted([*range(1, 11), *range(1, 11)])
