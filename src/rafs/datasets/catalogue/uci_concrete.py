"""The strength of concrete by its mixture and age."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "concrete",
    rows=1030,
    size=57858,
    sha256="43d290fd2c2a399ad7e62c45cab5337ba94ece69ebdcf5875aa668cb886243de",
    ranges=(
        (102.0, 540.0),
        (0.0, 359.4),
        (0.0, 200.1),
        (121.8, 247.0),
        (0.0, 32.2),
        (801.0, 1145.0),
        (594.0, 992.6),
        (1.0, 365.0),
        (2.33, 82.6),
    ),
    values="d0e2d2f0f50277624d7d00b98c4e8b66465e8d5f2f51738500552b8b10a4689b",
)

SPEC = Spec(
    name="uci_concrete",
    title="Concrete (UCI)",
    category="uci",
    features=(
        "cement",
        "blast furnace slag",
        "fly ash",
        "water",
        "superplasticizer",
        "coarse aggregate",
        "fine aggregate",
        "age",
    ),
    units=("kg/m^3",) * 7 + ("days",),
    target="compressive strength",
    target_unit="MPa",
    train=927,
    test=103,
    splits=20,
    source="UCI 165",
    licence="CC BY 4.0",
    citation="Yeh (1998), Cem. Concr. Res. 28:1797-1808",
    doi="10.24432/C5PK67",
    sources={"uci_concrete": SOURCE},
    draw=uci.draw,
)
