"""The polynomial of Styblinski and Tang, in nine dimensions."""

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import total
from rafs.datasets.sampling import draw


def styblinski_tang(x: Array) -> Array:
    """Return half the sum of x_i^4 - 16 x_i^2 + 5 x_i, with d = 9."""
    squares = ((xi, xi * xi) for xi in columns(x, 9))
    return 0.5 * total(square * square - 16.0 * square + 5.0 * xi for xi, square in squares)


SPEC = Spec(
    name="styblinski_tang",
    title="Styblinski-Tang 9D",
    place=17,
    category="O",
    features=("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"),
    target="y",
    train=400,
    test=1000,
    noise=0.1,
    # The paper swaps these two ranges, against its own rule that the test
    # range is the wider.
    train_ranges=((-5.0, 5.0),) * 9,
    test_ranges=((-6.0, 6.0),) * 9,
    function=styblinski_tang,
    draw=draw,
    citation="Styblinski and Tang (1990), Experiments in nonconvex optimization, Neural "
    "Networks 3(4)",
    doi="10.1016/0893-6080(90)90029-K",
)
