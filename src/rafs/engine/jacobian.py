"""The product J(x; θ) v: the change of a network's outputs with its parameters along v."""

import numpy as np

from rafs.engine.compiled import kept, plain
from rafs.engine.fused.elementwise import activation
from rafs.engine.layout import layers
from rafs.engine.problem import Array, Members


def jacobian_offset(members: Members, theta: Array, tangent: Array, x: Array) -> Array:
    """Return J(x; θ) v of every member, [B, n], for θ and v [B, P] and x [n, d].

    Values and tangents go through the layers together (forward mode) in float64, row by row, so
    that no Jacobian is ever stored.
    """
    x, theta, tangent = (plain(a, np.float64) for a in (x, theta, tangent))
    widths = np.array(members.widths)
    moved = np.empty((members.size, len(x)))
    for member, name in enumerate(members.activations):
        factor = np.empty(members.n_parameters)
        for index, layer in enumerate(layers(members.widths)):
            weight, bias = (1, 1) if members.scales is None else members.scales[member, index]
            factor[layer.weight], factor[layer.bias] = weight, bias
        _push(
            widths,
            activation(name, "float64"),
            theta[member] * factor,
            tangent[member] * factor,
            x,
            moved[member],
        )
    return moved


@kept
def _push(widths, act, theta, tangent, x, moved):  # type: ignore[no-untyped-def]
    """Push values and tangents of all rows through one network; keep the first output's tangent."""
    work = np.empty((5, widths.max()))
    z, dz, h, dh, slope = work[0], work[1], work[2], work[3], work[4]
    for row in range(len(x)):
        h[: widths[0]] = x[row]
        dh[: widths[0]] = 0
        start = 0
        for layer in range(len(widths) - 1):
            fan_in, fan_out = widths[layer], widths[layer + 1]
            bias = start + fan_in * fan_out
            z[:fan_out] = theta[bias : bias + fan_out]
            dz[:fan_out] = tangent[bias : bias + fan_out]
            for k in range(fan_in):
                for j in range(fan_out):
                    p = start + k * fan_out + j
                    z[j] += h[k] * theta[p]
                    dz[j] += h[k] * tangent[p] + dh[k] * theta[p]
            start = bias + fan_out
            if layer + 2 < len(widths):
                act(z[:fan_out], h[:fan_out], slope[:fan_out])
                dh[:fan_out] = slope[:fan_out] * dz[:fan_out]
        moved[row] = dz[0]
