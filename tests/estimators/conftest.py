import numpy as np
import pytest

import rafs

CLASSES = [getattr(rafs, name) for name in rafs.__all__]
ENSEMBLES = [cls for cls in CLASSES if cls is not rafs.NTKGaussianProcess]
NOISY = [cls for cls in CLASSES if cls is not rafs.LikelihoodDeepEnsemble]  # those that take noise


def small(cls: type, **parameters):
    """An estimator that trains in a blink."""
    if cls is not rafs.NTKGaussianProcess:
        parameters = {"steps": 100, "hidden": (20,), "size": 3, **parameters}
    if cls is rafs.HyperdeepEnsemble:
        parameters = {"settings": {"candidates": 3, "copies": 2}, **parameters}
    if cls is not rafs.LikelihoodDeepEnsemble:
        parameters = {"noise": 0.2, **parameters}
    return cls(**{"random_state": 0, **parameters})


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, (60, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + random.normal(0, 0.2, 60)
