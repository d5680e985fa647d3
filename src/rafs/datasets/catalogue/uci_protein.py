"""The deviation of protein models from the true structure."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "protein-tertiary-structure",
    rows=45730,
    size=3528658,
    sha256="d35f332707e8a73f21e021039250a1e7b26e14f7dd826a0337ffa8e8e48b9727",
    ranges=(
        (2392.05, 40034.9),
        (403.5, 15312.0),
        (0.0925, 0.57769),
        (10.3101, 369.317),
        (319490.2166, 5472011.4075),
        (31.9704, 598.408),
        (0.0, 105948.17),
        (0.0, 350.0),
        (15.228, 55.3009),
        (0.0, 20.999),
    ),
    values="19667c545027b658fa8b2fa3620154e7046b3d263df1ec263514676eb3585096",
)

SPEC = Spec(
    name="uci_protein",
    title="Protein (UCI)",
    category="uci",
    features=(
        "F1",
        "F2",
        "F3",
        "F4",
        "F5",
        "F6",
        "F7",
        "F8",
        "F9",
    ),
    target="RMSD",
    target_unit="angstrom",
    train=41157,
    test=4573,
    splits=5,
    source="UCI 265",
    licence="CC BY 4.0",
    citation="Rana (2013), Physicochemical properties of protein tertiary structure, UCI",
    doi="10.24432/C5QW3H",
    sources={"uci_protein": SOURCE},
    draw=uci.draw,
)
