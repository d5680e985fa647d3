"""The Puma 560 against an independent model of the same robot and against mechanics."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate

from rafs import datasets
from rafs.datasets.catalogue import puma560 as puma

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "puma560.json").read_text())
UP, DOWN = (0.0, 0.0, 9.81), (0.0, 0.0, -9.81)


@pytest.fixture
def states() -> np.ndarray:
    """Return 9 inputs times 500 random states of the arm."""
    return datasets.load("puma560", 1, train=500, test=1).x_train.T


def transform(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """Return the homogeneous matrix of a standard Denavit-Hartenberg link."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )


def potential(q: np.ndarray, gravity: tuple[float, float, float]) -> float:
    """Return the potential energy of the two links with mass, from the forward kinematics."""
    first = transform(q[0], 0, 0, np.pi / 2)
    second = first @ transform(q[1], 0, 0.4318, 0)
    third = second @ transform(q[2], 0.15005, 0.0203, -np.pi / 2)
    centres = 17.4 * second @ [-0.3638, 0.006, 0.2275, 1], 4.8 * third @ [-0.0203, -0.0141, 0.07, 1]
    return -sum(centre[:3] @ gravity for centre in centres)


def energy(q: np.ndarray, velocity: np.ndarray, gravity: tuple[float, float, float]) -> float:
    return 0.5 * velocity @ puma.inertia(q[:, None])[:, :, 0] @ velocity + potential(q, gravity)


def test_independent_model_of_the_same_robot():
    x = np.array(ORACLE["x"])
    q, velocity, torque = x.T.reshape(3, 3, -1)
    np.testing.assert_allclose(puma.inertia(q), np.moveaxis(ORACLE["inertia"], 0, -1), atol=1e-13)
    for name, gravity in (("up", UP), ("down", DOWN)):
        holding = puma.bias(q, np.zeros_like(q), gravity)
        np.testing.assert_allclose(holding.T, ORACLE["gravity"][name], atol=1e-12)
        caused = puma.accelerations(q, velocity, torque, gravity)
        np.testing.assert_allclose(caused.T, ORACLE["acceleration"][name], atol=1e-12)
    third = np.array(ORACLE["acceleration"]["up"])[:, 2]
    np.testing.assert_allclose(datasets.function("puma560")(x), third, atol=1e-12)


def test_inertia_is_symmetric_and_positive_definite(states):
    A = np.moveaxis(puma.inertia(states[:3]), -1, 0)
    np.testing.assert_allclose(A, A.transpose(0, 2, 1), atol=1e-14)
    assert np.linalg.eigvalsh(A).min() > 0.5  # the rotor of the third motor alone gives 0.58


def test_accelerations_solve_the_equation_of_motion(states):
    q, velocity, torque = states.reshape(3, 3, -1)
    caused = puma.accelerations(q, velocity, torque)
    needed = np.einsum("ijn,jn->in", puma.inertia(q), caused) + puma.bias(q, velocity)
    np.testing.assert_allclose(needed, torque, atol=1e-12)


@pytest.mark.parametrize("gravity", [UP, DOWN, (3.0, -2.0, 5.0)])
def test_gravity_is_the_gradient_of_the_potential(states, gravity):
    h = 1e-5
    for q in states[:3, :40].T:
        gradient = [
            (potential(q + h * unit, gravity) - potential(q - h * unit, gravity)) / (2 * h)
            for unit in np.eye(3)
        ]
        holding = puma.bias(q[:, None], np.zeros((3, 1)), gravity)[:, 0]
        np.testing.assert_allclose(holding, gradient, atol=1e-7)


@pytest.mark.parametrize("gravity", [UP, DOWN])
def test_energy_is_conserved_without_torque(gravity):
    def motion(_, state):
        q, velocity = state.reshape(2, 3, 1)
        caused = puma.accelerations(q, velocity, np.zeros((3, 1)), gravity)
        return np.concatenate([velocity, caused]).ravel()

    start = np.array([0.3, -0.7, 1.1, 1.5, -1.2, 1.8])
    path = integrate.solve_ivp(motion, (0, 1), start, method="DOP853", rtol=1e-9, atol=1e-9).y.T
    energies = [energy(state[:3], state[3:], gravity) for state in path]
    assert np.ptp([potential(state[:3], gravity) for state in path]) > 10  # it does move
    assert np.ptp(energies) < 1e-6


def test_power_of_the_torques_is_the_growth_of_the_energy():
    torque = np.array([[3.0], [-2.0], [1.0]])

    def motion(_, state):
        q, velocity = state[:6].reshape(2, 3, 1)
        caused = puma.accelerations(q, velocity, torque)
        return np.concatenate([velocity, caused, torque.T @ velocity]).ravel()

    start = np.array([0.1, 0.2, 0.3, 1.0, -1.0, 0.5, 0.0])
    end = integrate.solve_ivp(motion, (0, 1), start, method="DOP853", rtol=1e-9, atol=1e-9).y.T[-1]
    grown = energy(end[:3], end[3:6], UP) - energy(start[:3], start[3:6], UP)
    assert grown == pytest.approx(end[6], abs=1e-6)


def test_angle_of_the_vertical_axis_does_not_matter(states):
    turned = states.copy()
    turned[0] += 0.7
    usual = datasets.function("puma560")(states.T)
    np.testing.assert_allclose(datasets.function("puma560")(turned.T), usual, atol=1e-12)


def test_mean_and_spread_of_the_target():
    x = datasets.load("puma560", 0, train=20000, test=1).x_train
    y = datasets.function("puma560")(x)
    assert y.mean() == pytest.approx(-1.0, abs=0.3)
    assert y.std() == pytest.approx(2.8, abs=0.1)
