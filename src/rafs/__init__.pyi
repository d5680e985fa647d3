from rafs.estimators import (
    AnchoredEnsemble,
    DeepEnsemble,
    HyperdeepEnsemble,
    LikelihoodDeepEnsemble,
    NTKGaussianProcess,
    NTKGPEnsemble,
    RAFsEnsemble,
    RandomPriorEnsemble,
)

__version__: str

__all__ = [
    "AnchoredEnsemble",
    "DeepEnsemble",
    "HyperdeepEnsemble",
    "LikelihoodDeepEnsemble",
    "NTKGPEnsemble",
    "NTKGaussianProcess",
    "RAFsEnsemble",
    "RandomPriorEnsemble",
]
