"""The function of Forrester et al.: one input, two clusters of training points."""

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def forrester(x: Array) -> Array:
    """Return (6x - 2)^2 sin(12x - 4)."""
    (x1,) = columns(x, 1)
    u = 6.0 * x1 - 2.0
    return u * u * sin(2.0 * u)


SPEC = Spec(
    name="forrester",
    title="Forrester et al. 1D",
    place=2,
    category="T",
    features=("x",),
    target="y",
    train=20,
    test=50,
    noise=0.1,
    train_ranges=((0.2, 0.85),),
    clusters=((0.2, 0.4), (0.65, 0.85)),
    test_ranges=((0.0, 1.0),),
    function=forrester,
    draw=draw,
    citation="Forrester, Sobester and Keane (2008), Engineering design via surrogate "
    "modelling, Wiley",
    doi="10.1002/9780470770801",
)
