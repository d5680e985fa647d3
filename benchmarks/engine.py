"""CPU-seconds of one thread: a loop over nn.Module members, torch.func.vmap, and the engine.

The cases are RAFs with five members, the trials of a tuning and the candidates of a Hyperdeep
Ensemble; full batch, Adam, float32. All three train the same networks from the same start, and the
program checks that they end at the same loss. On large data (a) and (b) run fewer steps (column
"run by a, b") and their time is scaled to the number of steps. "a / fused C" is the ratio that a
hand-written C loop reached on another day.

    python benchmarks/engine.py                    # the table
    python benchmarks/engine.py --json out.json
"""

import argparse
import json
import os
import platform
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from rafs.engine import Members, Training, fit
from rafs.engine.activations import ACTIVATIONS, PAPER
from rafs.engine.layout import layers, n_parameters


@dataclass(frozen=True)
class Case:
    """What is trained."""

    n: int
    d: int
    hidden: tuple[int, ...]
    steps: int
    fewer: int  # steps that the slow ones run
    wanted: float | None  # least ratio of loop to engine
    fused_c: float | None  # ratio that a hand-written C loop reached
    members: int = 5
    dropout: float = 0.0
    what: str = "RAFs"


CASES = (
    Case(20, 1, (100,), 1000, 500, 25.0, 270.0),
    Case(200, 5, (100,), 1000, 300, 9.0, 23.0),
    Case(2000, 8, (100,), 1000, 60, 2.0, 3.8),
    Case(5370, 4, (100,), 1000, 30, 2.0, 4.4),
    Case(9569, 65, (128, 128), 100, 6, 1.5, None),
    Case(200, 5, (100,), 1000, 30, None, None, members=60, what="tuning: 12 trials"),
    Case(200, 5, (100,), 1000, 100, None, None, members=10, dropout=0.1, what="HDE: 10 candidates"),
)
RATE = 0.01


def problem(n, d, hidden, members=5, dropout=0.0):
    """Draw data and anchored members with the activations of the paper in their order."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    y = np.sin(x.sum(axis=1)) + 0.1 * rng.normal(size=n)
    widths = (d, *hidden, 1)
    theta = np.empty((members, n_parameters(widths)))
    for layer in layers(widths):
        sd = 1 / np.sqrt(layer.fan_in)
        theta[:, layer.weight] = sd * rng.normal(size=theta[:, layer.weight].shape)
        theta[:, layer.bias] = sd * rng.normal(size=theta[:, layer.bias].shape)
    names = tuple(PAPER[j % len(PAPER)] for j in range(members))
    gamma = np.full_like(theta, 0.01)
    keys = np.arange(members)
    rate = np.full(members, RATE)
    out = np.full(members, dropout) if dropout else None
    return x, y, Members(widths, names, theta, rate, keys, centre=theta, gamma=gamma, dropout=out)


class Network(torch.nn.Module):
    """One member as an ordinary nn.Module."""

    def __init__(self, widths, activation, dropout):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            torch.nn.Linear(layer.fan_in, layer.fan_out) for layer in layers(widths)
        )
        self.activation = activation
        self.dropout = dropout

    def forward(self, x):
        """Return the outputs of all rows."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
            if self.dropout:
                x = torch.nn.functional.dropout(x, self.dropout, self.training)
        return self.layers[-1](x)[:, 0]


TORCH = {
    "gelu": torch.nn.functional.gelu,
    "softsign": torch.nn.functional.softsign,
    "swish": torch.nn.functional.silu,
    "selu": torch.nn.functional.selu,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "linear": lambda z: z,
    "relu": torch.relu,
}


def networks(members):
    """Build the members as modules with their starting weights."""
    built = []
    for theta, name in zip(members.theta0, members.activations, strict=True):
        dropout = 0.0 if members.dropout is None else float(members.dropout[0])
        network = Network(members.widths, TORCH[name], dropout)
        with torch.no_grad():
            for module, layer in zip(network.layers, layers(members.widths), strict=True):
                weight = theta[layer.weight].reshape(layer.fan_in, layer.fan_out)
                module.weight.copy_(torch.tensor(weight.T))
                module.bias.copy_(torch.tensor(theta[layer.bias]))
        built.append(network)
    return built


def loop(x, y, members, steps):
    """Train (a): one nn.Module after another, autograd, torch.optim.Adam."""
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    built = networks(members)
    start = time.process_time()
    losses = []
    for network in built:
        anchors = [parameter.detach().clone() for parameter in network.parameters()]
        optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
        for _ in range(steps):
            optimiser.zero_grad()
            loss = (y - network(x)).square().mean()
            for parameter, anchor in zip(network.parameters(), anchors, strict=True):
                loss = loss + 0.01 / len(x) * (parameter - anchor).square().sum()
            loss.backward()
            optimiser.step()
        with torch.no_grad():
            losses.append(float((y - network(x)).square().mean()))
    return time.process_time() - start, losses


def vmap(x, y, members, steps):
    """Train (b), torch.func: all members at once; vmap computes every activation and picks one."""
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    theta = torch.tensor(members.theta0, dtype=torch.float32)
    used = [name for name in ACTIVATIONS if name in members.activations]
    codes = torch.tensor([used.index(name) for name in members.activations])
    shapes = layers(members.widths)
    dropout = 0.0 if members.dropout is None else float(members.dropout[0])

    def outputs(parameters, code):
        h = x
        for index, layer in enumerate(shapes):
            weight = parameters[layer.weight].view(layer.fan_in, layer.fan_out)
            h = h @ weight + parameters[layer.bias]
            if index + 1 < len(shapes):
                candidates = torch.stack([TORCH[name](h) for name in used])
                h = candidates.index_select(0, code.view(1)).squeeze(0)
                if dropout:
                    h = torch.nn.functional.dropout(h, dropout)
        return h[:, 0]

    def loss(parameters, anchor, code):
        fitted = (y - outputs(parameters, code)).square().mean()
        return fitted + 0.01 / len(x) * (parameters - anchor).square().sum()

    start = time.process_time()
    gradient = torch.func.vmap(torch.func.grad(loss), randomness="different")
    anchors = theta.clone()
    optimiser = torch.optim.Adam([theta], lr=RATE)
    for _ in range(steps):
        theta.grad = gradient(theta.detach(), anchors, codes)
        optimiser.step()
    spent = time.process_time() - start
    found = torch.func.vmap(
        lambda p, c: (y - outputs(p, c)).square().mean(), randomness="different"
    )(theta, codes)
    return spent, found.tolist()


def engine(x, y, members, steps, backend="fused"):
    """Train (c): the engine as the workflow calls it."""
    start = time.process_time()
    result = fit(members, x, y, Training(steps=steps, backend=backend, device="cpu"))
    return time.process_time() - start, result.loss.tolist()


def best(function, repeats, *arguments):
    """Return the shortest time of several runs, because the machine may be shared."""
    return min(function(*arguments)[0] for _ in range(repeats))


def compare(repeats):
    """Measure every setting and yield one record each."""
    for case in CASES:
        x, y, members = problem(case.n, case.d, case.hidden, case.members, case.dropout)
        engine(x, y, members, 2)  # compiled before it is timed
        seconds, losses = {}, {}
        for name, function, steps in (
            ("loop", loop, case.fewer),
            ("vmap", vmap, case.fewer),
            ("engine", engine, case.steps),
        ):
            seconds[name] = best(function, repeats, x, y, members, steps) * case.steps / steps
            _, losses[name] = function(x, y, members, 10)
        if not case.dropout:  # everyone draws other masks
            assert np.allclose(losses["loop"], losses["engine"], rtol=1e-3)
            assert np.allclose(losses["vmap"], losses["engine"], rtol=1e-3)
        yield {
            **asdict(case),
            "cpu_seconds": seconds,
            "loop_over_engine": seconds["loop"] / seconds["engine"],
            "vmap_over_engine": seconds["vmap"] / seconds["engine"],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the best counts")
    options = parser.parse_args()
    torch.set_num_threads(1)
    console = Console(width=140)
    records = []
    table = Table(
        "what", "n", "d", "hidden", "steps", "run by a, b", "a loop", "b vmap", "c engine",
        "a / c", "b / c", "wanted a / c", "a / fused C",
        title="CPU-seconds, one thread, float32, full batch",
    )  # fmt: skip
    for r in compare(options.repeats):
        records.append(r)
        s = r["cpu_seconds"]
        table.add_row(
            r["what"], str(r["n"]), str(r["d"]), "x".join(map(str, r["hidden"])),
            str(r["steps"]), str(r["fewer"]),
            f"{s['loop']:.3g}", f"{s['vmap']:.3g}", f"{s['engine']:.3g}",
            f"{r['loop_over_engine']:.1f}", f"{r['vmap_over_engine']:.1f}",
            *("" if value is None else f"{value:g}" for value in (r["wanted"], r["fused_c"])),
        )  # fmt: skip
    console.print(table)
    if options.json:
        machine = {"machine": platform.processor() or platform.machine(), "cpus": os.cpu_count()}
        options.json.write_text(json.dumps({**machine, "records": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
