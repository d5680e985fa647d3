"""CPU-seconds of one thread: a loop over nn.Module members, torch.func.vmap, and the engine.

RAFs with five members, full batch, Adam, float32. All three train the same networks from the same
start; that they end at the same loss is checked. On large data (a) and (b) run fewer steps (column
"run by a, b") and their time is scaled to the number of steps. "a / fused C" is the ratio that a
hand-written C loop reached on another day.

    python benchmarks/engine.py                    # the table
    python benchmarks/engine.py --json out.json
    python benchmarks/engine.py --growth           # time per step against n, members, parameters
"""

import argparse
import json
import os
import platform
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from rafs.engine import Members, Training, fit
from rafs.engine.activations import ACTIVATIONS, PAPER
from rafs.engine.layout import layers, n_parameters

SETTINGS = (  # n, d, hidden, steps, steps of the slow ones, wanted ratio, ratio of a fused C loop
    (20, 1, (100,), 1000, 500, 25.0, 270.0),
    (200, 5, (100,), 1000, 300, 9.0, 23.0),
    (2000, 8, (100,), 1000, 60, 2.0, 3.8),
    (5370, 4, (100,), 1000, 30, 2.0, 4.4),
    (9569, 65, (128, 128), 100, 6, 1.5, None),
)
MEMBERS = 5
RATE = 0.01


def problem(n, d, hidden, members=MEMBERS):
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
    return x, y, Members(widths, names, theta, rate, keys, centre=theta, gamma=gamma)


class Network(torch.nn.Module):
    """One member, written as people write it."""

    def __init__(self, widths, activation):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            torch.nn.Linear(layer.fan_in, layer.fan_out) for layer in layers(widths)
        )
        self.activation = activation

    def forward(self, x):
        """Return the outputs of all rows."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
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
        network = Network(members.widths, TORCH[name])
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

    def outputs(parameters, code):
        h = x
        for index, layer in enumerate(shapes):
            weight = parameters[layer.weight].view(layer.fan_in, layer.fan_out)
            h = h @ weight + parameters[layer.bias]
            if index + 1 < len(shapes):
                candidates = torch.stack([TORCH[name](h) for name in used])
                h = candidates.index_select(0, code.view(1)).squeeze(0)
        return h[:, 0]

    def loss(parameters, anchor, code):
        fitted = (y - outputs(parameters, code)).square().mean()
        return fitted + 0.01 / len(x) * (parameters - anchor).square().sum()

    start = time.process_time()
    gradient = torch.func.vmap(torch.func.grad(loss))
    anchors = theta.clone()
    optimiser = torch.optim.Adam([theta], lr=RATE)
    for _ in range(steps):
        theta.grad = gradient(theta.detach(), anchors, codes)
        optimiser.step()
    spent = time.process_time() - start
    found = torch.func.vmap(lambda p, c: (y - outputs(p, c)).square().mean())(theta, codes)
    return spent, found.tolist()


def engine(x, y, members, steps, backend="fused"):
    """Train (c): the engine as the workflow calls it."""
    start = time.process_time()
    result = fit(members, x, y, Training(steps=steps, backend=backend, device="cpu"))
    return time.process_time() - start, result.loss.tolist()


def best(function, repeats, *arguments):
    """Return the least time of some runs: others may share the machine."""
    return min(function(*arguments)[0] for _ in range(repeats))


def compare(repeats):
    """Measure every setting and yield one record each."""
    for n, d, hidden, steps, fewer, wanted, fused_c in SETTINGS:
        x, y, members = problem(n, d, hidden)
        engine(x, y, members, 2)  # compiled before it is timed
        seconds, losses = {}, {}
        for name, function, run in (
            ("loop", loop, fewer),
            ("vmap", vmap, fewer),
            ("engine", engine, steps),
        ):
            spent = best(function, repeats, x, y, members, run)
            seconds[name] = spent * steps / run
            _, losses[name] = function(x, y, members, 10)
        assert np.allclose(losses["loop"], losses["engine"], rtol=1e-3)
        assert np.allclose(losses["vmap"], losses["engine"], rtol=1e-3)
        yield {
            "n": n,
            "d": d,
            "hidden": list(hidden),
            "steps": steps,
            "steps_run_by_loop_and_vmap": fewer,
            "cpu_seconds": seconds,
            "loop_over_engine": seconds["loop"] / seconds["engine"],
            "vmap_over_engine": seconds["vmap"] / seconds["engine"],
            "wanted": wanted,
            "fused_c": fused_c,
        }


def growth():
    """Measure CPU time per step along n, members and parameters, with the fitted exponents."""
    axes = {
        "rows": [(n, 8, (100,), 5) for n in (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)],
        "members": [(500, 8, (100,), m) for m in (7, 14, 28, 56)],
        "parameters": [(500, 8, (h, h), 2) for h in (32, 64, 128, 256, 512)],
    }
    for axis, cases in axes.items():
        sizes, seconds = [], []
        for n, d, hidden, count in cases:
            x, y, members = problem(n, d, hidden, count)
            steps = max(2, int(3e9 / (n * count * members.n_parameters * 30)))
            engine(x, y, members, 2)
            spent = best(engine, 3, x, y, members, steps)
            base = best(engine, 3, x, y, members, 0)
            sizes.append({"rows": n, "members": count, "parameters": members.n_parameters}[axis])
            seconds.append((spent - base) / steps)
        exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        yield {"axis": axis, "sizes": sizes, "seconds_per_step": seconds, "exponent": exponent}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--growth", action="store_true", help="measure growth instead")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the best counts")
    options = parser.parse_args()
    torch.set_num_threads(1)
    console = Console(width=120)
    if options.growth:
        records = list(growth())
        table = Table("axis", "sizes", "microseconds per step", "exponent")
        for r in records:
            times = " ".join(f"{1e6 * s:.1f}" for s in r["seconds_per_step"])
            table.add_row(r["axis"], " ".join(map(str, r["sizes"])), times, f"{r['exponent']:.2f}")
    else:
        records = []
        table = Table(
            "n", "d", "hidden", "steps", "run by a, b", "a loop", "b vmap", "c engine",
            "a / c", "b / c", "wanted a / c", "a / fused C",
            title="CPU-seconds, one thread, RAFs, 5 members, float32, full batch",
        )  # fmt: skip
        for r in compare(options.repeats):
            records.append(r)
            s = r["cpu_seconds"]
            table.add_row(
                str(r["n"]), str(r["d"]), "x".join(map(str, r["hidden"])),
                str(r["steps"]), str(r["steps_run_by_loop_and_vmap"]),
                f"{s['loop']:.3g}", f"{s['vmap']:.3g}", f"{s['engine']:.3g}",
                f"{r['loop_over_engine']:.1f}", f"{r['vmap_over_engine']:.1f}",
                f"{r['wanted']:g}", "" if r["fused_c"] is None else f"{r['fused_c']:g}",
            )  # fmt: skip
    console.print(table)
    if options.json:
        machine = {"machine": platform.processor() or platform.machine(), "cpus": os.cpu_count()}
        options.json.write_text(json.dumps({**machine, "records": records}, indent=1) + "\n")


if __name__ == "__main__":
    main()
