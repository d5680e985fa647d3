"""The random choices of a training: which rows make a batch, which units are dropped.

Both are functions of integers alone (the member's key, the epoch or step, the row, the unit), so
that they are the same in every engine and every batch of members.
"""

import numpy as np

from rafs.engine.compiled import inner, kept, plain
from rafs.engine.problem import Array

MASK = 0xFFFFFFFF
ROUNDS = ((16, 0x7FEB352D), (15, 0x846CA68B))  # (shift, factor) of the dropout hash


@inner
def mix(key, counter):  # type: ignore[no-untyped-def]
    """Return 64 bits of (key, counter): the finaliser of SplitMix64 (Steele et al. 2014)."""
    z = np.uint64(key) + np.uint64(counter) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def shuffle(key, epoch, order):  # type: ignore[no-untyped-def]
    """Fill `order` with the member's permutation of the rows in one epoch (Fisher-Yates)."""
    n = order.size
    stream = mix(key, np.uint64(2 * epoch + 1))
    for i in range(n):
        order[i] = i
    for i in range(n - 1, 0, -1):
        j = np.int64(mix(stream, np.uint64(i)) % np.uint64(i + 1))
        order[i], order[j] = order[j], order[i]


@inner
def dropout_seed(key, step, layer):  # type: ignore[no-untyped-def]
    """Return the 32 bits from which the masks of one layer in one step are made."""
    return mix(mix(key, np.uint64(2 * step + 2)), np.uint64(layer)) >> np.uint64(32)


@inner
def hash32(counter, seed):  # type: ignore[no-untyped-def]
    """Return 32 bits of (counter, seed), held in 64: a xorshift-multiply hash."""
    mask = np.uint64(MASK)
    h = (np.uint64(counter) ^ np.uint64(seed)) & mask
    h = ((h ^ (h >> np.uint64(16))) * np.uint64(0x7FEB352D)) & mask
    h = ((h ^ (h >> np.uint64(15))) * np.uint64(0x846CA68B)) & mask
    return h ^ (h >> np.uint64(16))


@kept
def _orders(keys, epoch, orders):  # type: ignore[no-untyped-def]
    for member in range(len(keys)):
        shuffle(keys[member], epoch, orders[member])


def batches(keys: Array, epoch: int, n: int) -> Array:
    """Return every member's order of the n rows in one epoch, [B, n]."""
    orders = np.empty((len(keys), n), dtype=np.int64)
    _orders(plain(keys, np.uint64), epoch, orders)
    return orders


@kept
def _seeds(keys, step, layer, seeds):  # type: ignore[no-untyped-def]
    for member in range(len(keys)):
        seeds[member] = dropout_seed(keys[member], step, layer)


def dropout_seeds(keys: Array, step: int, layer: int) -> Array:
    """Return every member's seed for the masks of one layer in one step, [B]."""
    seeds = np.empty(len(keys), dtype=np.int64)
    _seeds(plain(keys, np.uint64), step, layer, seeds)
    return seeds
