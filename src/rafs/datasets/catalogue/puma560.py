"""The Puma 560, simulated (category PM): the acceleration of the third of its first three links.

The forward dynamics A(q)^-1 (tau - n(q, q') - g(q)) come from the recursive Newton-Euler equations
(Luh, Walker and Paul, 1980), run once for the forces without acceleration and once per joint for a
unit acceleration, which gives the inertia matrix column by column (Walker and Orin, 1982). Every
step works on all rows at once: a vector is an array [3, n].

The parameters are those of Armstrong, Khatib and Burdick (1986) in the standard Denavit-Hartenberg
frames of Corke's toolbox. Two choices follow the reference for this dataset, that toolbox's `accel`
with a mean near -1 and a standard deviation near 2.8 rad/s^2:

- The rotors of the motors belong to the arm: seen through a gear of ratio G, a rotor adds Jm G^2 to
  the inertia of its joint. Without them the standard deviation would be 18.
- Gravity points along the positive z axis of the base, as if the arm hung from a ceiling. The mean
  is then -0.8; for an arm that stands on the floor it would be +0.5.

There is no friction.
"""

import math
from dataclasses import dataclass

import numpy as np

from rafs.datasets.core import Array, Spec, columns
from rafs.datasets.portable import cos, sin
from rafs.datasets.sampling import draw
from rafs.datasets.sources import File, Layout, Source

Vector = tuple[float, float, float]

GRAVITY = (0.0, 0.0, 9.81)  # m/s^2, in the frame of the base
NO_GRAVITY = (0.0, 0.0, 0.0)
ROTOR = 200e-6  # kg m^2, the same for the three motors


@dataclass(frozen=True)
class Link:
    """One link in its own frame: Denavit-Hartenberg geometry, mass and inertia.

    The twist alpha is given by its cosine and sine. `centre` is the centre of mass, `inertia` the
    diagonal of the inertia tensor about it; `gear` is the ratio of the motor's gear.
    """

    a: float
    d: float
    twist: tuple[float, float]
    mass: float
    centre: Vector
    inertia: Vector
    gear: float


LINKS = (
    Link(
        a=0.0,
        d=0.0,
        twist=(0.0, 1.0),
        mass=0.0,
        centre=(0.0, 0.0, 0.0),
        inertia=(0.0, 0.35, 0.0),
        gear=-62.6111,
    ),
    Link(
        a=0.4318,
        d=0.0,
        twist=(1.0, 0.0),
        mass=17.4,
        centre=(-0.3638, 0.006, 0.2275),
        inertia=(0.130, 0.524, 0.539),
        gear=107.815,
    ),
    Link(
        a=0.0203,
        d=0.15005,
        twist=(0.0, -1.0),
        mass=4.8,
        centre=(-0.0203, -0.0141, 0.070),
        inertia=(0.066, 0.086, 0.0125),
        gear=-53.7063,
    ),
)


def puma560(x: Array) -> Array:
    """Return the angular acceleration of the third joint, in rad/s^2."""
    inputs = np.stack(columns(x, 9))
    return accelerations(inputs[:3], inputs[3:6], inputs[6:])[2]


def accelerations(q: Array, velocity: Array, torque: Array, gravity: Vector = GRAVITY) -> Array:
    """Return the three joint accelerations, [3, n], that the torques cause."""
    return _solve(inertia(q), torque - bias(q, velocity, gravity))


def inertia(q: Array) -> Array:
    """Return the inertia matrix A(q), [3, 3, n], of the arm and the rotors of its motors."""
    rest, unit = np.zeros_like(q), np.eye(3)[:, :, None]
    return np.stack([_torques(q, rest, rest + unit[j], NO_GRAVITY) for j in range(3)], axis=1)


def bias(q: Array, velocity: Array, gravity: Vector = GRAVITY) -> Array:
    """Return n(q, q') + g(q), [3, n]: the torques that keep the velocities as they are."""
    return _torques(q, velocity, np.zeros_like(q), gravity)


def _torques(q: Array, velocity: Array, acceleration: Array, gravity: Vector) -> Array:
    """Return the joint torques, [3, n], of a motion (recursive Newton-Euler equations)."""
    turns = [_Turn(angle, link) for angle, link in zip(q, LINKS, strict=True)]
    spin = np.zeros_like(q)  # angular velocity of the frame
    spin_rate = np.zeros_like(q)  # angular acceleration
    rise = np.zeros_like(q) - _column(gravity)  # acceleration of the origin, free fall being 0
    forces, moments = [], []
    for j, link in enumerate(LINKS):
        axis_spin, axis_rate = _along_z(velocity[j]), _along_z(acceleration[j])
        spin_rate = turns[j].into(spin_rate + axis_rate + _cross(spin, axis_spin))
        spin = turns[j].into(spin + axis_spin)
        rise = turns[j].into(rise) + _swing(spin, spin_rate, _offset(link))
        tensor = _column(link.inertia)
        forces.append(link.mass * (rise + _swing(spin, spin_rate, _column(link.centre))))
        moments.append(tensor * spin_rate + _cross(spin, tensor * spin))
    force = moment = np.zeros_like(q)
    torques: list[Array] = []
    for j in reversed(range(3)):
        link = LINKS[j]
        arm = _offset(link)
        moment = (
            moment + _cross(arm, force) + _cross(arm + _column(link.centre), forces[j]) + moments[j]
        )
        force = force + forces[j]
        force, moment = turns[j].out_of(force), turns[j].out_of(moment)
        rotor = ROTOR * link.gear * link.gear * acceleration[j]
        torques.insert(0, moment[2] + rotor)
    return np.stack(torques)


class _Turn:
    """The rotation Rz(angle) Rx(twist) between the frames of two neighbouring links."""

    def __init__(self, angle: Array, link: Link) -> None:
        self.cos, self.sin = cos(angle), sin(angle)
        self.cos_twist, self.sin_twist = link.twist

    def into(self, vector: Array) -> Array:
        """Turn a vector of the previous frame into the link's."""
        x, y, z = vector
        along, across = self.cos * x + self.sin * y, self.cos * y - self.sin * x
        return np.stack(
            [
                along,
                self.cos_twist * across + self.sin_twist * z,
                self.cos_twist * z - self.sin_twist * across,
            ]
        )

    def out_of(self, vector: Array) -> Array:
        """Turn a vector of the link's frame into the previous."""
        x, y, z = vector
        across = self.cos_twist * y - self.sin_twist * z
        return np.stack(
            [
                self.cos * x - self.sin * across,
                self.sin * x + self.cos * across,
                self.sin_twist * y + self.cos_twist * z,
            ]
        )


def _offset(link: Link) -> Array:
    """Return the link's origin as seen from the previous one, in the link's frame."""
    cos_twist, sin_twist = link.twist
    return _column((link.a, link.d * sin_twist, link.d * cos_twist))


def _swing(spin: Array, spin_rate: Array, arm: Array) -> Array:
    """Return the acceleration that a turning frame gives to a point of it."""
    return _cross(spin_rate, arm) + _cross(spin, _cross(spin, arm))


def _column(vector: Vector) -> Array:
    return np.array(vector)[:, None]


def _along_z(length: Array) -> Array:
    return np.stack([np.zeros_like(length), np.zeros_like(length), length])


def _cross(a: Array, b: Array) -> Array:
    return np.stack(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def _solve(A: Array, b: Array) -> Array:
    """Solve symmetric systems [3, 3, n] by Cramer's rule, in the same order on every machine."""
    rows = [_cross(A[1], A[2]), _cross(A[2], A[0]), _cross(A[0], A[1])]
    determinant = _dot(A[0], rows[0])
    adjugate = [[rows[j][i] for j in range(3)] for i in range(3)]
    return np.stack([_dot(row, b) for row in adjugate]) / determinant


def _dot(a: list[Array] | Array, b: Array) -> Array:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _pumadyn(path: str, rows: int, *, sha256: str, size: int, values: str) -> Source:
    layout = Layout(columns=tuple(range(9)), width=9)
    return Source(
        files=(File(path=path, sha256=sha256, size=size, layout=layout, url=URL),),
        rows=rows,
        ranges=((-1.885, 1.885),) * 6 + ((-0.6, 0.6),) * 2 + ((-12.5, 12.5),),
        values=values,
    )


# What the released code reads instead: pumadyn-8nh. It trains on the file that is meant for testing
# and tests on the other.
URL = "https://www.dcc.fc.up.pt/~ltorgo/Regression/puma8NH.tgz"
PUMADYN = {
    "pumadyn_train": _pumadyn(
        "pumadyn8nh/puma8NH.test",
        3693,
        sha256="d71ad61888e116ade05b29de431c943f972b8f6a6b9efb5e9316266b32ceb8a3",
        size=319368,
        values="47fa09e756a20b5480ca9187d44ccb67860f0a8b12a99c4fff04501774a1dd9a",
    ),
    "pumadyn_test": _pumadyn(
        "pumadyn8nh/puma8NH.data",
        4499,
        sha256="6d6b75dfec55fc70ccc331bb510774c27ea515257c587dd2936ead48788464ac",
        size=388836,
        values="aa09da550178089fb2de5ed60ea921619c5e84a23a63e696341100ef28ff30f7",
    ),
}

BETA = 1.2
_HALF_TURN = (-BETA * math.pi / 2, BETA * math.pi / 2)
_RANGES = (_HALF_TURN,) * 6 + ((-BETA / 2, BETA / 2),) * 3

SPEC = Spec(
    name="puma560",
    title="PUMA560 9D",
    place=18,
    category="PM",
    features=("q1", "q2", "q3", "dq1", "dq2", "dq3", "tau1", "tau2", "tau3"),
    units=("rad",) * 3 + ("rad/s",) * 3 + ("N m",) * 3,
    target="ddq3",
    target_unit="rad/s^2",
    train=3693,
    test=4499,
    noise=0.4,
    train_ranges=_RANGES,
    test_ranges=_RANGES,
    function=puma560,
    draw=draw,
    licence="none needed: simulated with published parameters",
    citation="Ghahramani (1996), The pumadyn datasets; parameters: Armstrong, Khatib and "
    "Burdick (1986), The explicit dynamic model and inertial parameters of the PUMA 560 arm, "
    "IEEE International Conference on Robotics and Automation",
    doi="10.1109/ROBOT.1986.1087644",
    sources=PUMADYN,
)
