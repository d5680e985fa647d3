"""The distance of the hand of an eight-joint arm from a target."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "kin8nm",
    rows=8192,
    size=1187840,
    sha256="a694ce0c7a21390f2bd2a205c36f2482cd974637a207038696716e22f3bbe810",
    ranges=(
        (-1.5706113, 1.5707529),
        (-1.5706812, 1.5706571),
        (-1.570669, 1.5707361),
        (-1.5702953, 1.5701694),
        (-1.5706644, 1.5705993),
        (-1.5702542, 1.5705971),
        (-1.5706431, 1.5705224),
        (-1.5689037, 1.5702365),
        (0.040165378, 1.4585206),
    ),
    values="7fad37438fc1228ed099177766b084fb5577bf7457d7a6460f8d0389b21681ab",
)

SPEC = Spec(
    name="uci_kin8nm",
    title="Kin8nm (UCI)",
    category="uci",
    features=(
        "theta1",
        "theta2",
        "theta3",
        "theta4",
        "theta5",
        "theta6",
        "theta7",
        "theta8",
    ),
    units=("rad",) * 8,
    target="distance",
    train=7373,
    test=819,
    splits=20,
    source="DELVE",
    licence="none stated",
    citation="Ghahramani (1996), The kin datasets, DELVE, University of Toronto",
    sources={"uci_kin8nm": SOURCE},
    draw=uci.draw,
)
