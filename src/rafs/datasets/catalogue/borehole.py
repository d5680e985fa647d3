"""The borehole function: the flow of water between two aquifers."""

import math

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import log
from rafs.datasets.sampling import draw


def borehole(x: Array) -> Array:
    """Return the flow of water through a borehole that joins two aquifers."""
    rw, r, Tu, Tl, Hu, Hl, L, Kw = columns(x, 8)
    ratio = log(r / rw)
    resistance = ratio * (1.0 + Tu / Tl) + 2.0 * L * Tu / (rw * rw * Kw)
    return 2 * math.pi * Tu * (Hu - Hl) / resistance


SPEC = Spec(
    name="borehole",
    title="Borehole 8D",
    place=16,
    category="PM",
    features=("rw", "r", "Tu", "Tl", "Hu", "Hl", "L", "Kw"),
    units=("m", "m", "m^2/yr", "m^2/yr", "m", "m", "m", "m/yr"),
    target="flow rate",
    target_unit="m^3/yr",
    train=2000,
    test=5000,
    noise=0.1,
    train_ranges=(
        (0.05, 0.15),
        (100.0, 50000.0),
        (63070.0, 115600.0),
        (63.1, 116.0),
        (990.0, 1110.0),
        (700.0, 820.0),
        (1120.0, 1680.0),
        (9855.0, 12045.0),
    ),
    test_ranges=(
        (0.01, 0.2),
        (90.0, 50010.0),
        (63020.0, 115650.0),
        (60.0, 120.0),
        (950.0, 1150.0),
        (650.0, 900.0),
        (1100.0, 1700.0),
        (9800.0, 12100.0),
    ),
    function=borehole,
    draw=draw,
    citation="An and Owen (2001), Quasi-regression, Journal of Complexity 17(4)",
    doi="10.1006/jcom.2001.0588",
)
