"""The screening function of Welch et al., adapted by the paper to ten inputs."""

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.sampling import draw


def welch(x: Array) -> Array:
    """Return the function of Welch et al. as the paper adapts it to ten inputs."""
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10 = columns(x, 10)
    difference = x4 - x2
    return (
        5.0 * x10 / (1.001 + x1)
        + 5.0 * difference * difference
        + x5
        + 40.0 * x9 * x9 * x9
        - 5.0 * x1
        + 0.08 * x3
        + 0.25 * x6 * x6
        + 0.03 * x7
        - 0.09 * x8
    )


SPEC = Spec(
    name="welch",
    title="Adapted Welch 10D",
    place=19,
    category="O",
    features=("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10"),
    target="y",
    train=200,
    test=500,
    noise=0.1,
    train_ranges=((-0.5, 0.5),) * 10,
    test_ranges=((-1.0, 1.0),) * 10,
    function=welch,
    draw=draw,
    citation="Welch, Buck, Sacks, Wynn, Mitchell and Morris (1992), Screening, predicting, "
    "and computer experiments, Technometrics 34(1)",
    doi="10.2307/1269548",
)
