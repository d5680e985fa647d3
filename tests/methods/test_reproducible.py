"""A member is the same network whatever the ensemble's size and whatever is trained beside it."""

import subprocess
import sys

import numpy as np
import pytest

from rafs import methods
from rafs.errors import DataError, DivergedError, ParameterError
from rafs.methods.base import Task, training

RNG = np.random.default_rng(3)
X = RNG.normal(size=(24, 3))
Y = np.cos(X[:, 0]) + 0.5 * X[:, 1]
SMALL = {"hidden": [9], "size": 3}
SHORT = training(24, {"steps": 30, "batch_size": 10})
PLAIN = [name for name in methods.ensembles() if not name.startswith("hde")]


def task(*key, noise=0.1, x=X, y=Y):
    return Task(x, y, noise, key)


def same(first, second):
    a, b = first.predict(X), second.predict(X)
    return np.array_equal(a.members, b.members) and np.array_equal(a.variance, b.variance)


@pytest.mark.parametrize("name", methods.ensembles())
def test_equal_keys_give_equal_ensembles_and_other_keys_others(name):
    method = methods.get(name)
    first, again, other = (method.fit(task("r", seed), SMALL, SHORT) for seed in (0, 0, 1))
    assert same(first, again)
    assert not same(first, other)


@pytest.mark.parametrize("name", PLAIN)
def test_five_members_are_the_first_of_seven(name):
    method = methods.get(name)
    five, seven = (
        method.fit(task("r", 0), {**SMALL, "size": size}, SHORT).predict(X).members
        for size in (5, 7)
    )
    np.testing.assert_array_equal(five, seven[:5])
    assert len({values.tobytes() for values in seven}) == 7


@pytest.mark.parametrize("name", methods.ensembles())
def test_trials_trained_together_are_the_trials_trained_alone(name):
    method = methods.get(name)
    trials = [
        (task("t", 0), method.resolve(SMALL)),
        (task("t", 1, noise=0.3), method.resolve(SMALL, {"learning_rate": 0.003})),
        (task("t", 2), method.resolve(SMALL, {"prior.weight": 3.0, "prior.output_bias": False})),
        (task("t", 3), method.resolve(SMALL, {"hidden": [5], "activation": "erf"})),
    ]
    together = method.fit_trials(trials, SHORT)
    alone = [method.fit_trials([trial], SHORT)[0] for trial in trials]
    assert all(same(a, b) for a, b in zip(together, alone, strict=True))
    assert [e.noise for e in together] == [0.1, 0.3, 0.1, 0.1]
    if not name.startswith("hde"):
        assert same(together[1], method.fit(*trials[1], SHORT))


def test_trials_may_differ_in_their_adversarial_step():
    method = methods.get("de_nll")
    trials = [(task("t"), method.resolve(SMALL, {"adversarial": step})) for step in (0.0, 0.2)]
    plain, adversarial = method.fit_trials(trials, SHORT)
    assert not same(plain, adversarial)
    assert same(adversarial, method.fit(*trials[1], SHORT))


@pytest.mark.parametrize("name", ["de", "rp+rafs", "hde"])
def test_a_trial_that_diverges_is_reported_in_its_place(name):
    method = methods.get(name)
    rates = (1e-3, 1e4, 2e-3)
    trials = [
        (task("t", i), method.resolve(SMALL, {"activation": "linear", "learning_rate": rate}))
        for i, rate in enumerate(rates)
    ]
    how = training(24, {"steps": 200, "optimiser": "sgd"})
    good, lost, better = method.fit_trials(trials, how)
    assert isinstance(lost, DivergedError)
    assert 0 <= lost.member < 3
    assert same(good, method.fit_trials(trials[:1], how)[0])
    assert same(better, method.fit_trials(trials[2:], how)[0])
    with pytest.raises(DivergedError):
        method.fit(*trials[1], how)


@pytest.mark.parametrize("name", methods.ensembles())
def test_seeds_trained_together_are_the_seeds_trained_alone(name):
    """Tasks with rows of their own, also of another number, are as they are alone."""
    method = methods.get(name)
    tasks = [task("s", i, x=X * (1 + i), y=Y + i) for i in range(3)]
    tasks.append(task("s", 3, x=X[:20], y=Y[:20]))
    trials = [(each, method.resolve(SMALL)) for each in tasks]
    together = method.fit_all(trials, SHORT)
    assert all(
        same(ensemble, method.fit(*trial, SHORT))
        for ensemble, trial in zip(together, trials, strict=True)
    )


@pytest.mark.parametrize("name", ["de", "ntkgp", "rp", "rafs", "hde", "de_nll"])
def test_seeds_in_one_torch_program_agree_with_the_fast_engine(name):
    """What a GPU is given, members x seeds in one program, comes out the same to rounding."""
    method = methods.get(name)
    trials = [(task("g", i, x=X + i, y=Y - i), method.resolve(SMALL)) for i in range(3)]
    steps = {"steps": 20, "dtype": "float64"}
    fused = method.fit_all(trials, training(24, {**steps, "backend": "fused"}))
    reference = method.fit_all(trials, training(24, {**steps, "backend": "torch"}))
    for one, other in zip(fused, reference, strict=True):
        assert one.activations == other.activations
        np.testing.assert_allclose(one.theta, other.theta, rtol=1e-6, atol=1e-9)


def test_a_seed_that_diverges_harms_no_other():
    method = methods.get("hde")
    settings = method.resolve(SMALL, {"activation": "linear", "learning_rate": 1e-3})
    tasks = [task("d", 0), task("d", 1, x=X * 1e4), task("d", 2, y=Y + 1)]
    trials = [(each, settings) for each in tasks]
    how = training(24, {"steps": 200, "optimiser": "sgd"})
    good, lost, better = method.fit_all(trials, how)
    assert isinstance(lost, DivergedError)
    assert same(good, method.fit(*trials[0], how))
    assert same(better, method.fit(*trials[2], how))


@pytest.mark.parametrize(
    ("x", "y", "noise", "error"),
    [
        (X[:, 0], Y, 0.1, DataError),
        (X, Y[:3], 0.1, DataError),
        (X[:0], Y[:0], 0.1, DataError),
        (X, np.where(Y > 1, np.nan, Y), 0.1, DataError),
        (X, Y, -0.1, ParameterError),
        (X, Y, np.nan, ParameterError),
    ],
)
def test_tasks_that_cannot_be_trained_on_are_refused(x, y, noise, error):
    with pytest.raises(error):
        Task(x, y, noise, ("t",))


def test_torch_stays_out():
    script = (
        "import sys, numpy as np\n"
        "from rafs import methods\n"
        "from rafs.methods.base import Task, training\n"
        "x = np.linspace(-1, 1, 6)[:, None]\n"
        "how = training(6, {'steps': 3, 'backend': 'fused'})\n"
        "for name in methods.ensembles():\n"
        "    task = Task(x, x[:, 0], 0.1, (name,))\n"
        "    methods.get(name).fit(task, {'hidden': [4]}, how).predict(x)\n"
        "sys.exit('torch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("name", ["de", "rafs"])
def test_a_method_imports_no_other(name):
    script = (
        "import sys\n"
        f"from rafs import methods; methods.get({name!r})\n"
        "print(*sorted(m for m in sys.modules if m.startswith('rafs.methods.')))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = {module.removeprefix("rafs.methods.") for module in run.stdout.split()}
    own = {"de": {"deep"}, "rafs": {"rafs", "anchored"}}[name]
    assert loaded == own | {"base", "ensemble", "prior", "settings"}
