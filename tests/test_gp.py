"""The closed-form kernels against quadrature, sampled networks, autograd and scikit-learn."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import DotProduct

from rafs import gp
from rafs.errors import ParameterError
from rafs.gp import WideNetwork, nngp, ntk, posterior

PHI = {"erf": erf, "relu": lambda u: np.maximum(u, 0), "linear": lambda u: u}
SLOPE = {
    "erf": lambda u: 2 / np.sqrt(np.pi) * np.exp(-(u**2)),
    "relu": lambda u: (u > 0).astype(float),
    "linear": np.ones_like,
}
INPUTS = np.array([[0.3, -1.2, 0.5], [1.0, 0.4, -0.7], [-0.2, 0.1, 2.0], [0.0, 0.0, 0.1]])


def he_data(seed: int) -> tuple[np.ndarray, ...]:
    """x sin x with noise 0.1, ten points in each of two clusters; 50 test points on a grid."""
    random = np.random.default_rng(seed)
    x = np.concatenate([random.uniform(-2, -0.67, 10), random.uniform(0.67, 2, 10)])
    x_test = np.linspace(-6, 6, 50)
    noise = random.normal(0, 0.1, 70)
    y, y_test = x * np.sin(x) + noise[:20], x_test * np.sin(x_test) + noise[20:]
    return x[:, None], y, x_test[:, None], y_test


# Expectations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["erf", "linear"])
@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(-0.99, 0.99))
def test_expectations_equal_quadrature(activation: str, v1: float, v2: float, rho: float) -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    z1, z2 = np.meshgrid(nodes, nodes, indexing="ij")
    w = np.outer(weights, weights) / (2 * np.pi)
    u, v = np.sqrt(v1) * z1, np.sqrt(v2) * (rho * z1 + np.sqrt(1 - rho**2) * z2)
    c = np.array(rho * np.sqrt(v1 * v2))
    value, slope = gp.EXPECTATIONS[activation](c, np.array(v1), np.array(v2))
    assert value == pytest.approx((w * PHI[activation](u) * PHI[activation](v)).sum(), abs=1e-6)
    assert slope == pytest.approx((w * SLOPE[activation](u) * SLOPE[activation](v)).sum(), abs=1e-6)


@pytest.mark.parametrize("rho", [-1.0, -0.7, 0.0, 0.4, 0.95, 1.0])
def test_relu_expectations_equal_sampling(rho: float) -> None:
    z = np.random.default_rng(0).normal(size=(2, 400_000))
    u, v = 1.3 * z[0], 0.6 * (rho * z[0] + np.sqrt(1 - rho**2) * z[1])
    value, slope = gp.EXPECTATIONS["relu"](
        np.array(rho * 1.3 * 0.6), np.array(1.69), np.array(0.36)
    )
    assert value == pytest.approx((PHI["relu"](u) * PHI["relu"](v)).mean(), abs=0.004)
    assert slope == pytest.approx((SLOPE["relu"](u) * SLOPE["relu"](v)).mean(), abs=0.004)


def test_known_values() -> None:
    he_relu = WideNetwork(hidden_layers=3, activation="relu", weight_sd=2**0.5, bias_sd=0)
    x = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, -2.0]])
    assert np.diag(nngp(x, network=he_relu)) == pytest.approx(5)  # 2 |x|^2 / d, kept by every layer
    assert np.diag(ntk(x, network=he_relu)) == pytest.approx(20)  # once per layer
    one = WideNetwork(hidden_layers=1, activation="relu", weight_sd=2**0.5, bias_sd=0)
    assert nngp(x, network=one)[0, 1] == pytest.approx(5 / np.pi)  # orthogonal
    assert nngp(x, network=one)[0, 2] == pytest.approx(0, abs=1e-12)  # opposite
    # E erf(u)^2 = 1/3 where var u = 1/2
    half = WideNetwork(hidden_layers=1, activation="erf", weight_sd=[0.5**0.5, 1], bias_sd=0)
    assert nngp([[1.0]], network=half)[0, 0] == pytest.approx(1 / 3)
    # a linear network of L layers: the tangent kernel is L times the product kernel
    linear = WideNetwork(hidden_layers=4, activation="linear", weight_sd=1, bias_sd=0)
    assert ntk(x, network=linear) == pytest.approx(5 * x @ x.T / 2)


@pytest.mark.parametrize("activation", gp.EXPECTATIONS)
@pytest.mark.parametrize("kernel", [nngp, ntk])
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.floats(0.1, 3), st.floats(0, 2))
def test_kernels_are_symmetric_and_positive(kernel, activation, seed, hidden, w, b) -> None:
    x = np.random.default_rng(seed).normal(0, 3, (12, 3))
    matrix = kernel(x, network=WideNetwork(hidden, activation, w, b))
    assert np.array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-7 * np.abs(matrix).max()
    name = "ntk" if kernel is ntk else "nngp"
    diagonal = WideNetwork(hidden, activation, w, b).diagonal(name, x)
    assert diagonal == pytest.approx(np.diag(matrix), rel=1e-6, abs=1e-9)


# Sampled networks --------------------------------------------------------------------------------

TORCH = {"erf": torch.erf, "relu": torch.relu}
DEEP = {  # per-layer scales that differ, so that a shifted index is seen
    "erf": WideNetwork(2, "erf", (1.5, 0.9, 1.2), (0.3, 0.5, 0.1)),
    "relu": WideNetwork(2, "relu", (1.5, 0.9, 1.2), (0.3, 0.5, 0.1)),
}


def sampled(
    network: WideNetwork, width: int, seed: int, standard: bool
) -> tuple[np.ndarray, float]:
    """Return the tangent kernel J Sigma_0 J^T of one finite network, and its first output."""
    generator = torch.Generator().manual_seed(seed)
    fans = [INPUTS.shape[1], *[width] * network.hidden_layers, 1]
    sds = np.sqrt(network.variances())
    parameters, scales, prior = [], [], []
    for (w, b), fan_in, fan_out in zip(sds, fans[:-1], fans[1:], strict=True):
        for shape, sd in (((fan_in, fan_out), w / fan_in**0.5), ((fan_out,), b)):
            draw = torch.randn(*shape, generator=generator, dtype=torch.float64)
            parameters.append(draw * sd if standard else draw)
            scales.append(1.0 if standard else sd)
            prior.append(sd**2 if standard else 1.0)

    def forward(p: tuple[torch.Tensor, ...], x: torch.Tensor) -> torch.Tensor:
        for layer in range(0, len(p), 2):
            x = TORCH[network.activation](x) if layer else x
            x = x @ (scales[layer] * p[layer]) + scales[layer + 1] * p[layer + 1]
        return x[..., 0]

    x = torch.from_numpy(INPUTS)
    jacobian = torch.func.jacrev(forward)(tuple(parameters), x)
    kernel = sum(s * j.flatten(1) @ j.flatten(1).T for s, j in zip(prior, jacobian, strict=True))
    return kernel.numpy(), float(forward(tuple(parameters), x)[0])


@pytest.mark.parametrize("standard", [False, True], ids=["ntk", "standard"])
@pytest.mark.parametrize("activation", ["erf", "relu"])
def test_tangent_kernel_of_finite_networks_tends_to_ntk(activation: str, standard: bool) -> None:
    exact = ntk(INPUTS, network=DEEP[activation])
    size, distances = np.linalg.norm(exact), []
    for width in (8, 48, 288):
        kernels = [sampled(DEEP[activation], width, seed, standard)[0] for seed in range(16)]
        squares = [np.linalg.norm(kernel - exact) ** 2 for kernel in kernels]
        distances.append(np.sqrt(np.mean(squares)) / size)
    # six times the width divides the distance by about sqrt(6)
    assert distances[2] < distances[1] / 1.5 < distances[0] / 1.5**2
    assert np.linalg.norm(np.mean(kernels, axis=0) - exact) < 0.08 * size


def test_output_variance_of_wide_networks_is_nngp() -> None:
    network = DEEP["erf"]
    random = np.random.default_rng(0)
    sds, outputs, width = np.sqrt(network.variances()), [], 200
    for _ in range(2000):
        h = INPUTS[:2]
        for layer, (w, b) in enumerate(sds):
            h = erf(h) if layer else h
            fan_out = 1 if layer == network.hidden_layers else width
            weight = random.normal(0, w / np.sqrt(h.shape[1]), (h.shape[1], fan_out))
            h = h @ weight + random.normal(0, b, fan_out)
        outputs.append(h[:, 0])
    exact = nngp(INPUTS[:2], network=network)
    assert np.cov(np.transpose(outputs)) == pytest.approx(exact, abs=0.12 * exact.max())


# Posterior ---------------------------------------------------------------------------------------


def test_posterior_equals_scikit_learn() -> None:
    x, y, x_test, _ = he_data(0)
    linear = WideNetwork(hidden_layers=0, weight_sd=1, bias_sd=0.7)
    ours = posterior(x, y, 0.1, linear)
    theirs = GaussianProcessRegressor(DotProduct(0.7), alpha=0.01, optimizer=None).fit(x, y)
    mean, sd = theirs.predict(x_test, return_std=True)
    assert ours.predict(x_test)[0] == pytest.approx(mean)
    assert ours.predict(x_test)[1] == pytest.approx(sd**2)
    assert ours.covariance(x_test) == pytest.approx(theirs.predict(x_test, return_cov=True)[1])


@pytest.mark.parametrize("kernel", ["ntk", "nngp"])
@pytest.mark.parametrize("activation", ["erf", "relu"])
def test_posterior_is_the_conditional_of_the_joint_gaussian(kernel, activation) -> None:
    """By the precision matrix of the joint distribution instead of the textbook formula."""
    x, y, x_test, _ = he_data(1)
    x_test, network = x_test[::7], WideNetwork(1, activation, 1.3, 0.4)
    both = network.matrix(kernel, np.concatenate([x_test, x]))
    both += np.diag(np.r_[np.full(len(x_test), 1e-9), np.full(len(x), 0.2**2)])
    precision = np.linalg.inv(both)
    top, side = precision[: len(x_test), : len(x_test)], precision[: len(x_test), len(x_test) :]
    covariance = np.linalg.inv(top)
    found = posterior(x, y, 0.2, network, kernel)
    assert found.predict(x_test)[0] == pytest.approx(-covariance @ side @ y, abs=1e-5)
    assert found.covariance(x_test) == pytest.approx(covariance, abs=1e-5)
    assert found.predict(x_test)[1] == pytest.approx(np.diag(covariance), abs=1e-5)


def test_log_evidence_is_the_density_of_the_targets() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(7, 2)), rng.normal(size=7)
    covariance = ntk(x) + 0.3**2 * np.eye(7)
    expected = multivariate_normal(np.zeros(7), covariance).logpdf(y)
    assert posterior(x, y, 0.3).log_evidence == pytest.approx(expected, rel=1e-9)


def test_posterior_interpolates_as_the_noise_vanishes() -> None:
    x = np.linspace(-2, 2, 6)[:, None]
    y = np.sin(3 * x[:, 0])
    network, gaps = WideNetwork(2, "relu", 1.5, 0.5), []
    for noise in (0.3, 0.03, 0.003, 0.0):
        mean, variance = posterior(x, y, noise, network).predict(x)
        gaps.append(np.abs(mean - y).max())
        assert variance.max() <= noise**2 + 1e-10  # a point's own observation bounds it
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-8


def test_prediction_in_chunks_is_the_same(monkeypatch) -> None:
    x, y, x_test, _ = he_data(2)
    process = posterior(x, y, 0.1)
    whole = process.predict(x_test)
    monkeypatch.setattr(gp, "CHUNK", 7)
    assert np.allclose(process.predict(x_test), whole, rtol=1e-10, atol=1e-12)


def test_he_et_al_reference() -> None:
    """Two hidden erf layers, W sd 1.5, b sd 0.05, noise 0.1, in the units of the data."""
    rmse, nll = [], []
    for seed in range(40):
        x, y, x_test, y_test = he_data(seed)
        mean, variance = posterior(x, y, 0.1).predict(x_test)
        variance += 0.1**2
        rmse.append(np.sqrt(np.mean((y_test - mean) ** 2)))
        nll.append(np.mean(np.log(variance) + (y_test - mean) ** 2 / variance) / 2)
    assert np.mean(rmse) == pytest.approx(3.6, abs=0.15)
    assert np.mean(nll) == pytest.approx(3.8, abs=0.5)


# Mistakes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: WideNetwork(activation="gelu"),
            "no closed-form kernel for .*'gelu'; choose one of erf",
        ),
        (lambda: WideNetwork(hidden_layers=-1), "give 0 or more"),
        (lambda: WideNetwork(weight_sd=(1.0, 2.0)), "each of the 3 layers"),
        (lambda: WideNetwork(bias_sd=-1.0), "bias_sd = -1.0 is not usable"),
        (lambda: WideNetwork(hidden_layers=1.5), "hidden_layers = 1.5 is no number"),
        (lambda: WideNetwork(weight_sd="wide"), "weight_sd = wide is not usable"),
        (lambda: posterior([[1.0]], [1.0], 0.1, kernel="rbf"), "choose ntk or nngp"),
        (lambda: ntk([1.0, 2.0]), r"shape \(2,\)"),
        (lambda: ntk([[1.0]], [[1.0, 2.0]]), "1 and 2 columns"),
        (lambda: posterior([[1.0]], [1.0, 2.0], 0.1), "one y each"),
        (lambda: posterior([[1.0]], [1.0], -0.1), "no standard deviation"),
        (lambda: posterior([[1.0], [1.0]], [1.0, 2.0], 0.0), "not positive definite"),
    ],
)
def test_mistakes_are_told(make, message) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
