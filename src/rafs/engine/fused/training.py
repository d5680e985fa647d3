"""The fast engine: one compiled loop per member, on one thread of the CPU.

Members are trained one after another, so that a member is the same to the last bit whatever else
is trained in the batch. Within a member, rows run through the network in tiles that stay in the
cache, and the gradient is written out by hand:

    forward   z_l = W_lᵀ h_l,  h_{l+1} = α(z_l)        (h_l ends with a 1, W_l with the bias)
    backward  δ_l = (W_l δ_{l+1}) · α'(z_{l-1})
    gradient  ∂/∂W_l = Σ_rows h_l δ_{l+1}ᵀ
"""

import math
from typing import Any

import numpy as np

from rafs.engine.compiled import inner, kept, plain
from rafs.engine.fused.elementwise import activation, optimiser
from rafs.engine.fused.products import outer, pack, product
from rafs.engine.fused.simd import LINE_BYTES, lanes
from rafs.engine.layout import layers
from rafs.engine.problem import VARIANCE_FLOOR, Array, Members, Trained, Training
from rafs.engine.sampling import dropout_seed, hash32, shuffle

CACHE = 256 * 1024  # bytes of activations and deltas that are held at a time
CHECK_EVERY = 100  # steps between checks for divergence


def fit(members: Members, x: Array, y: Array, training: Training, device: str) -> Trained:
    """Minimise the objective of every member."""
    dtype, n = np.dtype(training.dtype), x.shape[-2]
    shape = _shape(members, dtype, backward=0 if training.adversarial else 1)
    theta = np.array(members.theta0, dtype=dtype)
    diverged = np.empty(members.size, dtype=np.int64)
    zeros, ones = np.zeros(members.n_parameters, dtype=dtype), np.ones(n, dtype=dtype)
    shared = None if x.ndim == 3 else plain(x, dtype)

    def row(column: Array | None, member: int, default: Array) -> Array:
        return default if column is None else plain(column[member], dtype)

    for member, name in enumerate(members.activations):
        target = y if y.ndim == 1 else y[member]
        if members.offset is not None:
            target = target - members.offset[member]
        diverged[member] = _train(
            shape,
            activation(name, training.dtype),
            optimiser(training.optimiser, training.dtype),
            theta[member],
            _factor(members, member, dtype),
            row(members.centre, member, zeros),
            row(members.gamma, member, zeros) * dtype.type(2 / n),
            float(members.learning_rate[member]),
            members.keys[member],
            plain(x[member], dtype) if shared is None else shared,
            plain(target, dtype),
            row(members.weights, member, ones),
            0.0 if members.dropout is None else float(members.dropout[member]),
            training.steps,
            n if training.batch_size is None else min(training.batch_size, n),
            training.loss == "gaussian",
            float(training.adversarial),
            training.warm_steps,
            float(training.beta_nll),
        )
    return theta, diverged


def outputs(members: Members, theta: Array, x: Array, training: Training, device: str) -> Array:
    """Return f(x; θ) of every member, [B, n, outputs]."""
    dtype = np.dtype(training.dtype)
    shape = _shape(members, dtype, backward=len(members.widths))
    found = np.empty((members.size, x.shape[-2], members.widths[-1]), dtype=dtype)
    for member, name in enumerate(members.activations):
        rows = x if x.ndim == 2 else x[member]
        _predict(
            shape,
            activation(name, training.dtype),
            plain(theta[member], dtype),
            _factor(members, member, dtype),
            plain(rows, dtype),
            found[member],
        )
    return found


def _shape(members: Members, dtype: Any, backward: int) -> Array:
    """Return what the compiled functions need to know about a network: a table, row by layer.

    Columns: fan_in, fan_out, start in θ, start of the packed weights and of their transpose (-1
    below layer `backward`, where derivatives are not carried back), start of the layer's outputs in
    the working memory, lines per tile there and of its inputs. The last row: rows in a tile, tiles
    in a block, size of the packed weights, start of the scratch in the working memory, its end.
    """
    lanes = LINE_BYTES // dtype.itemsize
    widths = members.widths
    lines = [(width + 1) | 1 for width in widths]  # odd, so that tiles do not share cache sets
    tiles = max(1, CACHE // (2 * LINE_BYTES * sum(lines[1:])))
    table = np.zeros((len(widths), 8), dtype=np.int64)
    packed = work = 0
    for index, layer in enumerate(layers(widths)):
        table[index] = (
            layer.fan_in,
            layer.fan_out,
            layer.weight.start,
            packed,
            packed + (layer.fan_in + 1) * layer.fan_out if index >= backward else -1,
            work,
            lines[index + 1],
            lines[index],
        )
        packed += (2 * layer.fan_in + 1) * layer.fan_out
        work += tiles * lines[index + 1] * lanes
    table[-1, :5] = lanes, tiles, packed, work, work + max(widths) * lanes
    return table


def _factor(members: Members, member: int, dtype: Any) -> Array:
    """Return the scale of every parameter (NTK parameterisation)."""
    factor = np.ones(members.n_parameters, dtype=dtype)
    if members.scales is not None:
        for index, layer in enumerate(layers(members.widths)):
            factor[layer.weight], factor[layer.bias] = members.scales[member, index]
    return factor


@inner
def _pack(shape, theta, factor, scaled, packed):  # type: ignore[no-untyped-def]
    """Lay out the scaled weights for the products of the forward and of the backward pass."""
    for p in range(theta.size):
        scaled[p] = theta[p] * factor[p]
    for layer in range(len(shape) - 1):
        fan_in, fan_out, start = shape[layer, 0], shape[layer, 1], shape[layer, 2]
        for to in shape[layer, 3:5]:
            if to == shape[layer, 3]:
                rows, columns, down, across = fan_in + 1, fan_out, fan_out, 1
            else:
                rows, columns, down, across = fan_out, fan_in, 1, fan_out
            if to >= 0:
                pack(scaled, start, down, across, rows, columns, packed, to)


@inner
def _arrange(x, order, first, count, lines, L, tiled, rows):  # type: ignore[no-untyped-def]
    """Lay out rows order[first : first + count] in tiles and return how many there are.

    The last tile is filled up with zeros; their row number is -1.
    """
    d = x.shape[1]
    tiles = (count + L - 1) // L
    for tile in range(tiles):
        for lane in range(L):
            i = tile * L + lane
            row = order[first + i] if i < count else -1
            rows[i] = row
            for k in range(d):
                tiled[(tile * lines + k) * L + lane] = x[row, k] if row >= 0 else 0
            tiled[(tile * lines + d) * L + lane] = 1
    return tiles


@inner
def _forward(shape, act, packed, x, at, h, s, tile, dropout, rows):  # type: ignore[no-untyped-def]
    """Run one tile through the network: values to h, slopes to s, the last layer's outputs to s."""
    L, scratch, last = lanes(h), shape[-1, 3], len(shape) - 2
    for layer in range(last + 1):
        fan_in, fan_out, weights = shape[layer, 0], shape[layer, 1], shape[layer, 3]
        to = shape[layer, 5] + tile * shape[layer, 6] * L
        source = x if layer == 0 else h
        start = at if layer == 0 else shape[layer - 1, 5] + tile * shape[layer, 7] * L
        if layer == last:
            product(packed, weights, source, start, fan_in + 1, fan_out, s, to)
        else:
            product(packed, weights, source, start, fan_in + 1, fan_out, h, scratch)
            end = to + fan_out * L
            act(h[scratch : scratch + fan_out * L], h[to:end], s[to:end])
            seeds, threshold, keep = dropout
            if threshold > 0:
                _drop(fan_out, seeds[layer], threshold, keep, rows, h[to:end], s[to:end], L)


@inner
def _drop(units, seed, threshold, keep, rows, value, slope, L):  # type: ignore[no-untyped-def]
    """Multiply values and slopes of a tile by the dropout mask."""
    none = keep - keep
    for unit in range(units):
        for lane in range(L):
            noise = hash32(rows[lane] * units + unit, seed)
            scale = keep if noise >= threshold else none
            value[unit * L + lane] *= scale
            slope[unit * L + lane] *= scale


@inner
def _derive(gaussian, warm, beta_nll, out, y, w, L, scale):  # type: ignore[no-untyped-def]
    """Replace the outputs of a tile by the derivatives of scale · Σ w ℓ.

    In the warm-up of the gaussian loss v is 1 and has no derivative; then rows count v^beta_nll.
    """
    number = type(scale)
    for i in range(L):
        residual = out[i] - y[i]
        if gaussian and warm:
            out[i] = scale * w[i] * residual
            out[L + i] = number(0.0)
        elif gaussian:
            raw = float(out[L + i])
            e = math.exp(-abs(raw))
            v = number(max(raw, 0.0) + math.log1p(e) + VARIANCE_FLOOR)
            rise = number((1.0 if raw >= 0 else e) / (1.0 + e))
            size = scale * w[i]
            if beta_nll > 0:
                size *= number(v**beta_nll)
            half = number(0.5) * size * rise
            out[i] = size * residual / v
            out[L + i] = half * (v - residual * residual) / (v * v)
        else:
            out[i] = number(2.0) * scale * w[i] * residual


@inner
def _backward(shape, packed, h, s, tile, lowest):  # type: ignore[no-untyped-def]
    """Carry the derivatives of a tile back from the outputs; the inputs' end in the scratch."""
    L, scratch = lanes(h), shape[-1, 3]
    for layer in range(len(shape) - 2, lowest - 1, -1):
        fan_in, fan_out, weights = shape[layer, 0], shape[layer, 1], shape[layer, 4]
        delta = shape[layer, 5] + tile * shape[layer, 6] * L
        product(packed, weights, s, delta, fan_out, fan_in, h, scratch)
        if layer > 0:
            to = shape[layer - 1, 5] + tile * shape[layer, 7] * L
            slope, carried = s[to : to + fan_in * L], h[scratch : scratch + fan_in * L]
            for i in range(slope.size):
                slope[i] *= carried[i]


@inner
def _collect(shape, x, at, h, s, tiles, g):  # type: ignore[no-untyped-def]
    """Add the gradient of a block of tiles to g."""
    L = lanes(h)
    for layer in range(len(shape) - 1):
        fan_in, fan_out, start = shape[layer, 0], shape[layer, 1], shape[layer, 2]
        delta, d_stride, x_stride = shape[layer, 5], shape[layer, 6] * L, shape[layer, 7] * L
        source = x if layer == 0 else h
        first = at if layer == 0 else shape[layer - 1, 5]
        outer(source, first, x_stride, fan_in + 1, s, delta, d_stride, fan_out, tiles, g, start)


@inner
def _regularise(theta, g, factor, centre, gamma):  # type: ignore[no-untyped-def]
    """Turn the gradient of the mean loss into that of the objective."""
    for p in range(theta.size):
        g[p] = factor[p] * g[p] + gamma[p] * (theta[p] - centre[p])


@inner
def _finite(theta):  # type: ignore[no-untyped-def]
    finite = True
    for p in range(theta.size):
        finite &= math.isfinite(theta[p])
    return finite


@kept
def _train(  # type: ignore[no-untyped-def]
    shape, act, move, theta, factor, centre, gamma, learning_rate, key, x, y, weights, dropout,
    steps, batch, gaussian, adversarial, warm_steps, beta_nll,
):  # fmt: skip
    """Train one member in place; return the step at which it diverged, or -1."""
    number = type(theta[0])
    n, lines, last = x.shape[0], shape[0, 7], len(shape) - 2
    L, block, scratch = lanes(x), shape[-1, 1], shape[-1, 3]
    most = (batch + L - 1) // L
    scaled, g, a, b = theta * 0, theta * 0, theta * 0, theta * 0
    packed = np.zeros(shape[-1, 2], x.dtype)
    h, s = np.ones(shape[-1, 4], x.dtype), np.ones(shape[-1, 4], x.dtype)
    tiled, moved = np.zeros(most * lines * L, x.dtype), np.ones(block * lines * L, x.dtype)
    target, weight = np.zeros(most * L, x.dtype), np.zeros(most * L, x.dtype)
    order, rows = np.arange(n), np.zeros(most * L, np.int64)
    seeds, keep = np.zeros(last + 1, np.uint64), number(1 / (1 - dropout))
    threshold = np.uint64(dropout * 4294967296.0)
    left = np.ones(2)  # share of the zero start in the optimiser's averages a and b
    per_epoch = (n + batch - 1) // batch
    turns = 2 if adversarial > 0 else 1
    tiles = 0
    for step in range(steps):
        first = step % per_epoch * batch
        count = min(batch, n - first)
        if first == 0 and batch < n:
            shuffle(key, step // per_epoch, order)
        if step == 0 or batch < n:
            tiles = _arrange(x, order, first, count, lines, L, tiled, rows)
            for i in range(tiles * L):
                target[i] = y[rows[i]] if rows[i] >= 0 else 0
                weight[i] = weights[rows[i]] if rows[i] >= 0 else 0
        _pack(shape, theta, factor, scaled, packed)
        for layer in range(last):
            seeds[layer] = dropout_seed(key, step, layer)
        warm = step < warm_steps
        if step == warm_steps:
            a[:], b[:], left[:] = 0, 0, 1
        g[:] = 0
        scale = number(1 / (count * turns))
        for start in range(0, tiles, block):
            some = min(block, tiles - start)
            for turn in range(turns):
                source, at = (tiled, start * lines * L) if turn == 0 else (moved, 0)
                for tile in range(some):
                    here = (start + tile) * L
                    begin = at + tile * lines * L
                    masks = (seeds, threshold, keep)
                    _forward(shape, act, packed, source, begin, h, s, tile, masks, rows[here:])
                    out = shape[last, 5] + tile * shape[last, 6] * L
                    goal, share = target[here:], weight[here:]
                    _derive(gaussian, warm, beta_nll, s[out:], goal, share, L, scale)
                    lowest = 2 - turns + turn  # 0, the inputs, before they are perturbed
                    _backward(shape, packed, h, s, tile, lowest)
                    if lowest == 0:
                        to = tile * lines * L
                        for i in range(x.shape[1] * L):
                            push = number(adversarial) * np.sign(h[scratch + i])
                            moved[to + i] = tiled[begin + i] + push
                _collect(shape, source, at, h, s, some, g)
        _regularise(theta, g, factor, centre, gamma)
        move(theta, g, a, b, left, number(learning_rate))
        if ((step + 1) % CHECK_EVERY == 0 or step + 1 == steps) and not _finite(theta):
            return step + 1
    return -1


@kept
def _predict(shape, act, theta, factor, x, found):  # type: ignore[no-untyped-def]
    """Fill `found` [n, outputs] with the outputs of one member."""
    lines, last, L, block = shape[0, 7], len(shape) - 2, lanes(x), shape[-1, 1]
    packed, scaled = np.zeros(shape[-1, 2], x.dtype), theta * 0
    h, s = np.ones(shape[-1, 4], x.dtype), np.ones(shape[-1, 4], x.dtype)
    tiled = np.zeros(block * lines * L, x.dtype)
    order, rows = np.arange(len(x)), np.zeros(block * L, np.int64)
    masks = (np.zeros(0, np.uint64), np.uint64(0), theta[0])  # no dropout
    _pack(shape, theta, factor, scaled, packed)
    for first in range(0, len(x), block * L):
        count = min(block * L, len(x) - first)
        for tile in range(_arrange(x, order, first, count, lines, L, tiled, rows)):
            _forward(shape, act, packed, tiled, tile * lines * L, h, s, tile, masks, rows)
            out = shape[last, 5] + tile * shape[last, 6] * L
            for i in range(min(L, count - tile * L)):
                for j in range(found.shape[1]):
                    found[first + tile * L + i, j] = s[out + j * L + i]
