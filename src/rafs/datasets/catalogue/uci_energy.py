"""The heating load of simulated buildings by their shape and glazing."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "energy",
    rows=768,
    size=35309,
    sha256="7f8bf024cea437267d56be99b7af7bb3faebec8a7bccfbb20d06d52d9372a950",
    ranges=(
        (0.62, 0.98),
        (514.5, 808.5),
        (245.0, 416.5),
        (110.25, 220.5),
        (3.5, 7.0),
        (2.0, 5.0),
        (0.0, 0.4),
        (0.0, 5.0),
        (6.01, 43.1),
    ),
    values="3563209cb65c108b72e6ee45f56f12e53c3f346f10b6b30a79ec5b7c0a0a1dd9",
)

SPEC = Spec(
    name="uci_energy",
    title="Energy (UCI)",
    category="uci",
    features=(
        "relative compactness",
        "surface area",
        "wall area",
        "roof area",
        "overall height",
        "orientation",
        "glazing area",
        "glazing area distribution",
    ),
    units=("", "m^2", "m^2", "m^2", "m", "", "", ""),
    target="heating load",
    target_unit="kWh/m^2",
    train=691,
    test=77,
    splits=20,
    source="UCI 242",
    licence="CC BY 4.0",
    citation="Tsanas and Xifara (2012), Energy Build. 49:560-567",
    doi="10.24432/C51307",
    sources={"uci_energy": SOURCE},
    draw=uci.draw,
)
