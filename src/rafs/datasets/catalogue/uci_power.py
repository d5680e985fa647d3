"""The output of a power plant by the weather."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "power-plant",
    rows=9568,
    size=308680,
    sha256="daebd20c408dfc5c4979604f240e891be162c3a5d00d662380aa669044a1fb31",
    ranges=(
        (1.81, 37.11),
        (25.36, 81.56),
        (992.89, 1033.3),
        (25.56, 100.16),
        (420.26, 495.76),
    ),
    values="d3c75624ea5df1256c9b8e81560e1f9381014565c5f558d3293831fa521b82e9",
)

SPEC = Spec(
    name="uci_power",
    title="Power plant (UCI)",
    category="uci",
    features=(
        "AT",
        "V",
        "AP",
        "RH",
    ),
    units=("°C", "cm Hg", "mbar", "%"),
    target="PE",
    target_unit="MW",
    train=8611,
    test=957,
    splits=20,
    source="UCI 294",
    licence="CC BY 4.0",
    citation="Tüfekci (2014), Int. J. Electr. Power Energy Syst. 60:126-140",
    doi="10.24432/C5002N",
    sources={"uci_power": SOURCE},
    draw=uci.draw,
)
