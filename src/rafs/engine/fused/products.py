"""The two matrix products of a network, on tiles of rows.

Rows of data run along the lanes of vectors: a tile holds one line (16 or 8 rows) per unit, unit
after unit. So nothing is ever transposed, and a weight is a number that is broadcast over a line.
"""

from rafs.engine.compiled import inner
from rafs.engine.fused.simd import (
    add,
    add_totals,
    fma,
    lanes,
    load,
    load_half,
    spread,
    store,
    total,
    zero,
    zero_half,
)

FOUR = 4  # sums that are kept in registers at a time


@inner
def pack(theta, start, stride_in, stride_out, fan_in, fan_out, packed, to):  # type: ignore[no-untyped-def]
    """Order weights as `product` reads them: outputs four by four, then the remaining ones."""
    whole = fan_out - fan_out % FOUR
    for first in range(0, whole, FOUR):
        for k in range(fan_in):
            for j in range(FOUR):
                packed[to + first * fan_in + FOUR * k + j] = theta[
                    start + k * stride_in + (first + j) * stride_out
                ]
    for j in range(whole, fan_out):
        for k in range(fan_in):
            packed[to + j * fan_in + k] = theta[start + k * stride_in + j * stride_out]


@inner
def product(packed, w, x, source, fan_in, fan_out, y, target):  # type: ignore[no-untyped-def]
    """One tile of y = Wᵀ x: [fan_out, L] from [fan_in, L], with W packed from packed[w] on."""
    L = lanes(y)
    whole = fan_out - fan_out % FOUR
    for first in range(0, whole, FOUR):
        a, b, c, d = zero(y), zero(y), zero(y), zero(y)
        p = w + first * fan_in
        for k in range(fan_in):
            line = load(x, source + k * L)
            a = fma(spread(packed, p), line, a)
            b = fma(spread(packed, p + 1), line, b)
            c = fma(spread(packed, p + 2), line, c)
            d = fma(spread(packed, p + 3), line, d)
            p += FOUR
        q = target + first * L
        store(y, q, a)
        store(y, q + L, b)
        store(y, q + 2 * L, c)
        store(y, q + 3 * L, d)
    for j in range(whole, fan_out):
        a, b, c, d = zero(y), zero(y), zero(y), zero(y)
        p = w + j * fan_in
        s = source
        for _ in range(fan_in // FOUR):
            a = fma(spread(packed, p), load(x, s), a)
            b = fma(spread(packed, p + 1), load(x, s + L), b)
            c = fma(spread(packed, p + 2), load(x, s + 2 * L), c)
            d = fma(spread(packed, p + 3), load(x, s + 3 * L), d)
            p += FOUR
            s += FOUR * L
        for _ in range(fan_in % FOUR):
            a = fma(spread(packed, p), load(x, s), a)
            p += 1
            s += L
        store(y, target + j * L, add(add(a, b), add(c, d)))


@inner
def outer(x, source, x_stride, fan_in, d, delta, d_stride, fan_out, tiles, g, to):  # type: ignore[no-untyped-def]
    """Add x dᵀ over all tiles and rows to g [fan_in, fan_out]; strides lead to the next tile."""
    L = lanes(g)
    H = L // 2
    whole = fan_out - fan_out % FOUR
    for k in range(0, fan_in, 3):
        # rows past the end repeat the last one and are not written
        p1 = L * min(1, fan_in - 1 - k)
        p2 = L * min(2, fan_in - 1 - k)
        for u in range(0, whole, FOUR):
            a0, b0, c0, d0 = zero_half(g), zero_half(g), zero_half(g), zero_half(g)
            a1, b1, c1, d1 = zero_half(g), zero_half(g), zero_half(g), zero_half(g)
            a2, b2, c2, d2 = zero_half(g), zero_half(g), zero_half(g), zero_half(g)
            p = source + k * L
            q = delta + u * L
            for _ in range(tiles):
                for half in range(0, L, H):
                    x0 = load_half(x, p + half)
                    x1 = load_half(x, p + p1 + half)
                    x2 = load_half(x, p + p2 + half)
                    y = load_half(d, q + half)
                    a0, a1, a2 = fma(x0, y, a0), fma(x1, y, a1), fma(x2, y, a2)
                    y = load_half(d, q + L + half)
                    b0, b1, b2 = fma(x0, y, b0), fma(x1, y, b1), fma(x2, y, b2)
                    y = load_half(d, q + 2 * L + half)
                    c0, c1, c2 = fma(x0, y, c0), fma(x1, y, c1), fma(x2, y, c2)
                    y = load_half(d, q + 3 * L + half)
                    d0, d1, d2 = fma(x0, y, d0), fma(x1, y, d1), fma(x2, y, d2)
                p += x_stride
                q += d_stride
            at = to + k * fan_out + u
            add_totals(g, at, a0, b0, c0, d0)
            if k + 1 < fan_in:
                add_totals(g, at + fan_out, a1, b1, c1, d1)
            if k + 2 < fan_in:
                add_totals(g, at + 2 * fan_out, a2, b2, c2, d2)
    for u in range(whole, fan_out):
        for k in range(0, fan_in, FOUR):
            last = fan_in - 1 - k
            a, b, c, e = zero(g), zero(g), zero(g), zero(g)
            p = source + k * L
            q = delta + u * L
            for _ in range(tiles):
                y = load(d, q)
                a = fma(load(x, p), y, a)
                b = fma(load(x, p + L * min(1, last)), y, b)
                c = fma(load(x, p + L * min(2, last)), y, c)
                e = fma(load(x, p + L * min(3, last)), y, e)
                p += x_stride
                q += d_stride
            at = to + k * fan_out + u
            g[at] += total(a)
            if last > 0:
                g[at + fan_out] += total(b)
            if last > 1:
                g[at + 2 * fan_out] += total(c)
            if last > 2:
                g[at + 3 * fan_out] += total(e)
