"""Record what other public implementations of the same functions and of the same robot say.

The recorded values are stored beside this script, so that the tests need none of these packages:

    python3.11 -m venv oracles
    oracles/bin/pip install numpy==2.4.6 roboticstoolbox-python==1.5.0 uqtestfuns==0.7.0 \\
        botorch==0.18.1 landscapes==0.0.13
    PYTHONPATH=src oracles/bin/python tests/oracles/record.py

From the project only the ranges and the order of the columns are taken.
"""

import json
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np

from rafs import datasets

ROWS = 24
HERE = Path(__file__).parent


def points(name: str, rows: int = ROWS) -> np.ndarray:
    """Return random points of the test range with five significant digits, easy to read."""
    low, high = np.array(datasets.spec(name).test_ranges).T
    x = np.random.default_rng(len(name)).uniform(low, high, (rows, len(low)))
    return np.vectorize(lambda value: float(f"{value:.5g}"))(x)


def uqtestfuns(module: str, order: list[int] | None = None, **options: object) -> Callable:
    evaluate = import_module(f"uqtestfuns.test_functions.{module}").evaluate
    return lambda x: evaluate(x if order is None else x[:, order], **options)


def friedman(x: np.ndarray) -> np.ndarray:
    return uqtestfuns("friedman")(np.column_stack([x, np.zeros(len(x))]))


def botorch(function: str, dimension: int) -> Callable:
    import torch

    cls = getattr(import_module("botorch.test_functions.synthetic"), function)
    problem = cls(dim=dimension, bounds=[(-1e6, 1e6)] * dimension, dtype=torch.float64)
    return lambda x: problem._evaluate_true(torch.from_numpy(x)).numpy()


def landscapes(function: str) -> Callable:
    evaluate = getattr(import_module("landscapes.single_objective"), function)
    return lambda x: np.array([evaluate(row) for row in x])


def planar_arm(x: np.ndarray) -> np.ndarray:
    """Two equal thin rods of mass m and length l with m l^2 = 1/8, moving in a horizontal plane.

    The coefficients of the paper (0.2083 = 5/24, 0.1250, 0.0417 = 1/24, 0.0625) are those of this
    arm, rounded to four digits.
    """
    import roboticstoolbox as rtb

    mass, length = 0.5, 0.5
    rod = mass * length**2 / 12
    links = [
        rtb.RevoluteDH(a=length, m=mass, r=[-length / 2, 0, 0], I=[0, rod, rod, 0, 0, 0], Jm=0, G=1)
        for _ in range(2)
    ]
    robot = rtb.DHRobot(links, gravity=[0, 0, 0])
    return np.array([robot.rne(row[:2], row[2:4], row[4:])[0] for row in x])


FUNCTIONS = [
    ("ackley", "uqtestfuns", lambda: uqtestfuns("ackley", a=20.0, b=0.2, c=2 * np.pi)),
    ("ackley", "botorch", lambda: botorch("Ackley", 7)),
    ("borehole", "uqtestfuns", lambda: uqtestfuns("borehole", [0, 1, 2, 4, 3, 5, 6, 7])),
    ("forrester", "uqtestfuns", lambda: uqtestfuns("forrester_1d")),
    ("friedman", "uqtestfuns", lambda: friedman),
    ("griewank", "botorch", lambda: botorch("Griewank", 4)),
    ("ishigami", "uqtestfuns", lambda: uqtestfuns("ishigami", a=7.0, b=0.1)),
    ("piston", "uqtestfuns", lambda: uqtestfuns("piston")),
    ("planar_arm", "roboticstoolbox-python", lambda: planar_arm),
    ("rastrigin", "botorch", lambda: botorch("Rastrigin", 3)),
    ("robot_arm", "uqtestfuns", lambda: uqtestfuns("robot_arm", [4, 5, 6, 7, 0, 1, 2, 3])),
    ("roos_arnold", "uqtestfuns", lambda: uqtestfuns("sobol_g", aa=np.zeros(5))),
    ("schaffer4", "landscapes", lambda: landscapes("schaffer_n4")),
    ("styblinski_tang", "botorch", lambda: botorch("StyblinskiTang", 9)),
    ("sum_of_powers", "landscapes", lambda: landscapes("sum_of_different_powers")),
    ("wing_weight", "uqtestfuns", lambda: uqtestfuns("wing_weight")),
]


def functions() -> list[dict]:
    """Values of the synthetic functions."""
    records = []
    for name, package, evaluate in FUNCTIONS:
        x = points(name)
        y = np.asarray(evaluate()(x), dtype=float).ravel()
        records.append(
            {
                "dataset": name,
                "package": f"{package} {version(package)}",
                "x": x.tolist(),
                "y": y.tolist(),
            }
        )
    return records


def puma560() -> dict:
    """The first three links of the DH Puma 560, rotors kept and friction set to zero."""
    import roboticstoolbox as rtb

    links = [link.copy() for link in rtb.models.DH.Puma560().links[:3]]
    for link in links:
        link.B, link.Tc = 0.0, [0.0, 0.0]
    robot = rtb.DHRobot(links)
    x = points("puma560")
    q, velocity, torque = x[:, :3], x[:, 3:6], x[:, 6:]
    return {
        "package": f"roboticstoolbox-python {version('roboticstoolbox-python')}",
        "x": x.tolist(),
        "inertia": robot.inertia(q).tolist(),
        "gravity": {
            sign: robot.gravload(q, gravity=[0, 0, value]).tolist()
            for sign, value in (("up", 9.81), ("down", -9.81))
        },
        "acceleration": {
            sign: robot.accel(q, velocity, torque, gravity=[0, 0, value]).tolist()
            for sign, value in (("up", 9.81), ("down", -9.81))
        },
    }


def write(name: str, value: object) -> None:
    (HERE / name).write_text(json.dumps(value, indent=None).replace("], [", "],\n[") + "\n")


if __name__ == "__main__":
    write("functions.json", functions())
    write("puma560.json", puma560())
