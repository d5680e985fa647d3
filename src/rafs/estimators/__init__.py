"""The ensembles as scikit-learn estimators.

All of them follow one pattern:

>>> import numpy as np
>>> from rafs import RAFsEnsemble
>>> X = np.linspace(-3, 3, 40)[:, None]
>>> y = np.sin(X[:, 0])
>>> model = RAFsEnsemble(noise=0.1, random_state=0).fit(X, y)
>>> mean, std = model.predict([[0.5], [9.0]], return_std=True)
>>> bool(abs(mean[0] - np.sin(0.5)) < 0.1 and std[0] < std[1])
True

**Units.** Inputs and targets are standardised internally with the means and standard deviations of
the training rows (`scale=False` disables this and leaves it to a pipeline). All inputs and outputs
are in the units of X and y.

**Noise.** `noise` is the standard deviation of the noise in y, in the units of y, if it is known.
With ``noise="estimate"`` it is chosen on held-out training data: a random fifth of the rows is held
out, the estimator is trained on the rest, and the noise between 0.01 and 1 standard deviations of y
that maximises the likelihood of the held-out rows is chosen. If the training depends on the noise,
as in anchoring and in a Gaussian process, there is one training for each fifth of that range (on a
logarithmic scale), otherwise one for all of it. The final training uses all rows. `noise_` is the
chosen value.

**Uncertainty.** `predict(X, return_std=True)` returns the standard deviation of a new observation
of y: the spread of the members (epistemic) and the noise (aleatoric) together. `predict_members`
returns the prediction of every member, one row per member.

**Intervals.** `predict_interval(X, coverage=0.9)` returns lower and upper bounds. They assume a
Gaussian until the estimator is calibrated on rows that it was not trained on, by `calibrate(X, y)`
or by ``conformal=0.2``, which holds out a fifth of the rows of `fit`. Then they are conformal:

>>> model = RAFsEnsemble(random_state=0, conformal=0.5).fit(X, y)
>>> lower, upper = model.predict_interval([[0.5]], coverage=0.9)[0]
>>> bool(lower < np.sin(0.5) < upper)
True

**Randomness.** With an integer `random_state` a fit is the same, bit for bit, every time.
"""

from rafs.estimators.base import UncertainRegressor
from rafs.estimators.ensembles import (
    AnchoredEnsemble,
    DeepEnsemble,
    EnsembleRegressor,
    HyperdeepEnsemble,
    LikelihoodDeepEnsemble,
    NTKGPEnsemble,
    RAFsEnsemble,
    RandomPriorEnsemble,
)
from rafs.estimators.process import NTKGaussianProcess

__all__ = [
    "AnchoredEnsemble",
    "DeepEnsemble",
    "EnsembleRegressor",
    "HyperdeepEnsemble",
    "LikelihoodDeepEnsemble",
    "NTKGPEnsemble",
    "NTKGaussianProcess",
    "RAFsEnsemble",
    "RandomPriorEnsemble",
    "UncertainRegressor",
]
