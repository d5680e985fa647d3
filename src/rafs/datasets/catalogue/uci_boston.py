"""House prices in Boston by 13 properties of a census tract."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "bostonHousing",
    rows=506,
    size=49082,
    sha256="baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a",
    ranges=(
        (0.00632, 88.9762),
        (0.0, 100.0),
        (0.46, 27.74),
        (0.0, 1.0),
        (0.385, 0.871),
        (3.561, 8.78),
        (2.9, 100.0),
        (1.1296, 12.1265),
        (1.0, 24.0),
        (187.0, 711.0),
        (12.6, 22.0),
        (0.32, 396.9),
        (1.73, 37.97),
        (5.0, 50.0),
    ),
    values="832e894115c56dd24ec63848d4a3d9bd921d268d0be1bee2a8f4ee5ea318f5f7",
)

SPEC = Spec(
    name="uci_boston",
    title="Boston (UCI)",
    category="uci",
    features=(
        "CRIM",
        "ZN",
        "INDUS",
        "CHAS",
        "NOX",
        "RM",
        "AGE",
        "DIS",
        "RAD",
        "TAX",
        "PTRATIO",
        "B",
        "LSTAT",
    ),
    target="MEDV",
    target_unit="1000 USD",
    train=455,
    test=51,
    splits=20,
    source="StatLib; formerly UCI, 'Housing'",
    licence="none stated",
    citation="Harrison and Rubinfeld (1978), J. Environ. Econ. Manage. 5:81-102",
    doi="10.1016/0095-0696(78)90006-2",
    sources={"uci_boston": SOURCE},
    draw=uci.draw,
)
