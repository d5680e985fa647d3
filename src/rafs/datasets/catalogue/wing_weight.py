"""The wing weight function: the weight of a light aircraft's wing."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, power
from rafs.datasets.sampling import draw


def wing_weight(x: Array) -> Array:
    """Return the weight of the wing of a light aircraft; the sweep is given in degrees."""
    Sw, Wfw, A, sweep, q, taper, tc, Nz, Wdg, Wp = columns(x, 10)
    cosine = cos(sweep * (math.pi / 180))
    structure = (
        0.036
        * power(Sw, 0.758)
        * power(Wfw, 0.0035)
        * power(A / (cosine * cosine), 0.6)
        * power(q, 0.006)
        * power(taper, 0.04)
        * power(cosine / (100.0 * tc), 0.3)
        * power(Nz * Wdg, 0.49)
    )
    return structure + Sw * Wp


SPEC = Spec(
    name="wing_weight",
    title="Wing weight 10D",
    place=20,
    category="PM",
    features=("Sw", "Wfw", "A", "Lambda", "q", "lambda", "tc", "Nz", "Wdg", "Wp"),
    units=("ft^2", "lb", "", "degrees", "lb/ft^2", "", "", "", "lb", "lb/ft^2"),
    target="weight",
    target_unit="lb",
    train=2000,
    test=5000,
    noise=0.1,
    train_ranges=(
        (150.0, 200.0),
        (220.0, 300.0),
        (6.0, 10.0),
        (-10.0, 10.0),
        (16.0, 45.0),
        (0.5, 1.0),
        (0.08, 0.18),
        (2.5, 6.0),
        (1700.0, 2500.0),
        (0.025, 0.08),
    ),
    test_ranges=(
        (100.0, 250.0),
        (200.0, 320.0),
        (0.0, 15.0),
        (-20.0, 20.0),
        (0.0, 60.0),
        (0.0, 1.5),
        (0.05, 0.25),
        (0.5, 8.0),
        (1000.0, 3000.0),
        (0.0, 0.1),
    ),
    function=wing_weight,
    draw=draw,
    citation="Forrester, Sobester and Keane (2008), Engineering design via surrogate "
    "modelling, Wiley",
    doi="10.1002/9780470770801",
)
