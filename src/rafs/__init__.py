"""Ensembles with random activation functions (RAFs), the paper's baselines, and a benchmark."""

__version__ = "0.2.0"

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


def __getattr__(name: str) -> object:
    """Import the estimators on first use, so that `import rafs` stays fast."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("rafs.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
