"""The toy function of He et al.: one input, two clusters of training points."""

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import sin
from rafs.datasets.sampling import draw


def he(x: Array) -> Array:
    """Return x sin x."""
    (x1,) = columns(x, 1)
    return x1 * sin(x1)


SPEC = Spec(
    name="he",
    title="He et al. 1D",
    place=1,
    category="T",
    features=("x",),
    target="y",
    train=20,
    test=50,
    noise=0.1,
    train_ranges=((-2.0, 2.0),),
    clusters=((-2.0, -0.67), (0.67, 2.0)),
    test_ranges=((-6.0, 6.0),),
    function=he,
    draw=draw,
    citation="He, Lakshminarayanan and Teh (2020), Bayesian deep ensembles via the neural "
    "tangent kernel, NeurIPS 33",
    doi="10.48550/arXiv.2007.05864",
)
