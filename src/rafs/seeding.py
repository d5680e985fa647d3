"""Random streams that depend only on their key.

Every random number of the project comes from a generator whose seed is a hash of a key such as
``("run", 3, "friedman", "rafs", "prior", 0)``. A run is therefore the same whatever ran before it,
in parallel, or in the same batch.
"""

import hashlib

import numpy as np

Key = str | int


def integer(*key: Key) -> int:
    """Return 63 bits that are a function of the key alone."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in key)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(*key: Key) -> np.random.Generator:
    """Return a generator whose stream is a function of the key alone."""
    return np.random.Generator(np.random.PCG64(integer(*key)))
