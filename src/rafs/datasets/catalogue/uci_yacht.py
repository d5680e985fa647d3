"""The resistance of sailing yachts by the shape of the hull and the speed."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "yacht",
    rows=308,
    size=11487,
    sha256="00dfecc0fc01ddd4c90b558a3ac11b246df8ebcfea130724223475a9a67f0ea1",
    ranges=(
        (-5.0, 0.0),
        (0.53, 0.6),
        (4.34, 5.14),
        (2.81, 5.35),
        (2.73, 3.64),
        (0.125, 0.45),
        (0.01, 62.42),
    ),
    values="ec08588637fd93582116a1ead33f0c1e787dae755168073608e030e5282a3f4e",
)

SPEC = Spec(
    name="uci_yacht",
    title="Yacht (UCI)",
    category="uci",
    features=(
        "longitudinal position of the centre of buoyancy",
        "prismatic coefficient",
        "length-displacement ratio",
        "beam-draught ratio",
        "length-beam ratio",
        "Froude number",
    ),
    target="residuary resistance",
    train=277,
    test=31,
    splits=20,
    source="UCI 243",
    licence="CC BY 4.0",
    citation="Gerritsma, Onnink and Versluis (1981), Int. Shipbuild. Prog. 28:276-297",
    doi="10.24432/C5XG7R",
    sources={"uci_yacht": SOURCE},
    draw=uci.draw,
)
