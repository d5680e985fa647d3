"""Departures of the authors' released code from the text of the paper: one switch per departure.

A protocol says which of these quirks are on: none under `described`, all of them under `released`.
One is ours and in no protocol: `same_test_points`, which allows averaging errors over seeds.
A quirk can also be switched on alone: as ``described+roos_arnold_zero`` for `rafs.datasets.load`,
and with ``quirks: [roos_arnold_zero]`` or ``sweep: {quirk: [...]}`` for an experiment in
params.yaml.

Most quirks concern the data; the others name the settings or the scores that they change.
Architecture, initialisation and training (widths, learning rates, steps) are settings, which
params.yaml lists under the experiment `released`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rafs.errors import ParameterError, closest

RELEASED = "released"
PROTOCOLS = ("described", RELEASED)

ONE_BY_ONE = ("environmental", "planar_arm", "piston", "robot_arm", "borehole", "wing_weight")
REAL = (
    "boston", "abalone", "naval", "forest_fire", "parkinsons", "superconductivity", "news",
)  # fmt: skip
DRAWN = (
    "he", "forrester", "schaffer4", "double_pendulum", "rastrigin", "ishigami", "environmental",
    "griewank", "roos_arnold", "friedman", "planar_arm", "sum_of_powers", "ackley", "piston",
    "robot_arm", "borehole", "styblinski_tang", "welch", "wing_weight",
)  # fmt: skip


@dataclass(frozen=True)
class Quirk:
    """One deviation: where it is (data, method, training or score), what it is, and its effect."""

    where: str
    what: str
    effect: str
    datasets: tuple[str, ...] = ()  # that it affects; empty: all
    methods: tuple[str, ...] = ()  # that it affects; empty: all
    settings: Mapping[str, Any] = field(default_factory=dict)  # overrides of those of the methods
    protocols: tuple[str, ...] = (RELEASED,)  # in which it is on

    def touches(self, dataset: str, method: str = "") -> bool:
        """Say whether the quirk can change anything for a dataset, and for a method on it."""
        base = method.partition("@")[0].removesuffix("+rafs")
        return (not self.datasets or dataset in self.datasets) and (
            not base or not self.methods or base in self.methods
        )


QUIRKS: dict[str, Quirk] = {
    "shared_stream": Quirk(
        "data",
        "one random key serves all draws, so the i-th test input is the i-th training input on "
        "the wider range, and the two clusters of a one-dimensional set are alike",
        "test points depend on the training points",
        datasets=DRAWN,
    ),
    "collinear_inputs": Quirk(
        "data",
        "features that are drawn one by one (planar_arm: in pairs, robot_arm: in fours) are the "
        "same uniform numbers on different ranges",
        "the inputs lie on a line, a plane or in four dimensions, in training and in test",
        datasets=ONE_BY_ONE,
    ),
    "noise_free_test": Quirk(
        "data",
        "test targets carry no noise",
        "the predicted variance, which has the noise in it, is too wide near the data",
        datasets=DRAWN,
    ),
    "rastrigin_cubed": Quirk(
        "data",
        "the cosine is cubed",
        "flatter waves with the same period",
        datasets=("rastrigin",),
    ),
    "griewank_rows": Quirk(
        "data",
        "sum and product run over as many terms as there are rows, past the last column with the "
        "last column",
        "the last input rules, and test targets come from another function than training targets",
        datasets=("griewank",),
    ),
    "sum_of_powers_rows": Quirk(
        "data",
        "the sum runs over as many terms as there are rows, past the last column with the last "
        "column, and powers begin at 1",
        "the last input rules where it is near 1, and the test function is another one",
        datasets=("sum_of_powers",),
    ),
    "roos_arnold_zero": Quirk(
        "data",
        "the product starts at zero",
        "the target is 0, with noise in training",
        datasets=("roos_arnold",),
    ),
    "robot_arm_cosine": Quirk(
        "data",
        "v is made with the cosine, as u is",
        "the target is sqrt(2) |u|",
        datasets=("robot_arm",),
    ),
    "puma560_pumadyn": Quirk(
        "data",
        "nothing is simulated: pumadyn-8nh with its two files in each other's place, and a ninth "
        "input that is uniform noise in [-0.6, 0.6]",
        "other data, of a fixed split, with an input that plays no part and noise 0.1 assumed",
        datasets=("puma560",),
    ),
    "contiguous_split": Quirk(
        "data",
        "the first rows of the file train, the rest tests",
        "one split for all seeds; where a file is sorted, training and test rows differ in kind "
        "(parkinsons: different people)",
        datasets=REAL[1:],
    ),
    "assumed_noise": Quirk(
        "data",
        "the noise of real data is taken to be 0.1 (boston: of a standard deviation of y)",
        "variances are far too small where the targets vary by more",
        datasets=REAL,
    ),
    "same_test_points": Quirk(
        "data",
        "every seed is tested at the points of seed 0, and test targets carry no noise",
        "the error at a point can be averaged over draws of data and networks; no quirk of the "
        "authors",
        datasets=(*DRAWN, "puma560"),
        protocols=(),
    ),
    "unscaled": Quirk(
        "training",
        "inputs and targets are used in their own units",
        "large inputs saturate the units, large targets are out of reach, and a prior has another "
        "meaning for every dataset",
        datasets=(*DRAWN, "puma560", *REAL[1:]),
    ),
    "hde_variance_as_sd": Quirk(
        "method",
        "HDE's variance over members is used where a standard deviation is meant (in the units "
        "that the networks are trained in)",
        "below 1 it is too small, above 1 too large",
        methods=("hde",),
        settings={"variance": {"as_sd": True}},
    ),
    "hde_no_noise": Quirk(
        "method",
        "HDE adds no noise variance",
        "where members agree, their agreement is taken for certainty",
        methods=("hde",),
        settings={"variance": {"add_noise": False}},
    ),
    "rp_no_noise": Quirk(
        "method",
        "RP-param adds no noise variance",
        "where members agree, their agreement is taken for certainty",
        methods=("rp",),
        settings={"variance": {"add_noise": False}},
    ),
    "population_variance": Quirk(
        "method",
        "HDE and RP-param divide by m, not by m - 1",
        "the variance over five members is a fifth smaller",
        methods=("hde", "rp"),
        settings={"variance": {"ddof": 0}},
    ),
    "boston_sorted": Quirk(
        "score",
        "predictions are sorted by RM and compared with targets that are not",
        "every method has an RMSE near 11, whatever it has learnt",
        datasets=("boston",),
    ),
    "interval_of_means": Quirk(
        "score",
        "the '95 % interval' is 1.96 standard errors of the predicted means over the test points",
        "an extra column `interval`; it says nothing about NLL or RMSE",
    ),
}  # fmt: skip


def check(names: Iterable[str]) -> None:
    """Refuse an unknown quirk and suggest the nearest name."""
    for name in names:
        if name not in QUIRKS:
            near = closest(name, QUIRKS)
            raise ParameterError(f"there is no quirk {name!r}; did you mean {near!r}?")


def active(protocol: str, dataset: str, method: str = "") -> tuple[str, ...]:
    """Return the quirks that are on and touch a dataset (and method), in the order of the table.

    A protocol is a name of PROTOCOLS, with further quirks after a plus sign each.
    """
    base, *added = protocol.split("+")
    if base not in PROTOCOLS:
        raise ParameterError(
            f"there is no protocol {base!r} for {dataset!r}; the protocols are "
            f"{', '.join(map(repr, PROTOCOLS))}"
        )
    check(added)
    return tuple(
        name
        for name, quirk in QUIRKS.items()
        if (base in quirk.protocols or name in added) and quirk.touches(dataset, method)
    )


def of_data(protocol: str, dataset: str) -> str:
    """Return the protocol by which a dataset is sampled: without quirks that do not change it."""
    base = protocol.split("+")[0]
    usual = active(base, dataset)
    added = (
        name
        for name in active(protocol, dataset)
        if name not in usual and QUIRKS[name].where == "data"
    )
    return "+".join([base, *added])


def layers(names: Iterable[str], method: str) -> list[Mapping[str, Any]]:
    """Return what some quirks change in the settings of a method."""
    base = method.partition("@")[0].removesuffix("+rafs")
    return [QUIRKS[name].settings for name in names if base in QUIRKS[name].methods]
