"""The prior over weights: its deviations layer by layer, its draws, and the functions it gives."""

from dataclasses import replace

import numpy as np
import pytest

from rafs import methods
from rafs.methods.base import Task, training
from rafs.methods.prior import deviations, draw, regularisation

WIDTHS = (4, 9, 16, 1)  # W1 36, b1 9, W2 144, b2 16, W3 16, b3 1
BLOCKS = np.cumsum([36, 9, 144, 16, 16])


def prior(**changes):
    return methods.get("de").resolve(
        {"prior": {"weight": 2.0, "bias": 0.5, "output": 3.0, **changes}}
    )["prior"]


def by_block(values):
    """Return the one value of each block."""
    blocks = np.split(values, BLOCKS)
    assert all(np.ptp(block) == 0 for block in blocks)
    return [float(block[0]) for block in blocks]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [1.0, 0.5, 2 / 3, 0.5, 0.75, 0.5]),
        ({"output_bias": False}, [1.0, 0.5, 2 / 3, 0.5, 0.75, 0.0]),
        ({"scaling": "none"}, [2.0, 0.5, 2.0, 0.5, 3.0, 0.5]),
        (
            {"scaling": "glorot"},
            [2 * np.sqrt(2 / 13), 0.5, 2 * np.sqrt(2 / 25), 0.5, 3 * np.sqrt(2 / 17), 0.5],
        ),
    ],
)
def test_deviations(changes, expected):
    assert by_block(deviations(WIDTHS, prior(**changes))) == pytest.approx(expected)


def test_regularisation_is_noise_over_prior_variance():
    gamma = by_block(regularisation(WIDTHS, prior(output_bias=False), 0.2))
    assert gamma == pytest.approx([0.04, 0.16, 0.09, 0.16, 0.04 / 0.5625, 0.0])


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_draws_have_the_deviations(distribution):
    settings = prior(distribution=distribution)
    drawn = np.stack([draw(WIDTHS, settings, "d", j) for j in range(2000)])
    np.testing.assert_allclose(drawn.std(axis=0) / deviations(WIDTHS, settings), 1, atol=0.08)
    np.testing.assert_allclose(drawn.mean(axis=0) / deviations(WIDTHS, settings), 0, atol=0.12)
    farthest = np.abs(drawn / deviations(WIDTHS, settings)).max()
    assert (farthest > 3) == (distribution == "normal")


def test_glorot_uniform_stays_within_its_limit():
    settings = prior(weight=1.0, output=1.0, bias=0, scaling="glorot", distribution="uniform")
    drawn = np.abs(np.stack([draw(WIDTHS, settings, "g", j) for j in range(300)]))
    first, b1, _, _, output, b3 = np.split(drawn, BLOCKS, axis=1)
    assert 0.98 < first.max() / np.sqrt(6 / 13) <= 1
    assert 0.98 < output.max() / np.sqrt(6 / 17) <= 1
    assert not b1.any()
    assert not b3.any()


def test_an_absent_output_bias_stays_absent():
    """Without it an odd activation and no hidden bias give f(0) = 0, trained or not."""
    x = np.linspace(-1, 1, 9)[:, None]
    fitted = methods.get("de").fit(
        Task(x, x[:, 0] + 5, 0.1, ("b",)),
        {"prior": {"output_bias": False}, "activation": "linear", "hidden": [3]},
        training(9, {"steps": 300}),
    )
    first = fitted.theta.copy()
    first[:, 3:6] = 0  # hidden biases
    np.testing.assert_array_equal(replace(fitted, theta=first).predict([[0.0]]).members, 0)
