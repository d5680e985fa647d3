"""The decay of a frigate's gas turbine by four readings of its propulsion plant."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Package, Source

SOURCE = Source(
    files=(
        File(
            path="naval_propulsion/data.txt",
            sha256="de0ea69da1efaab8b9655ffed828547d10dd68c1fb8c6e0163e6a988def393a6",
            size=3448926,
            layout=Layout(columns=(2, 3, 7, 13, 17), width=18),
            url=f"{UCI}/static/public/316/"
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
)

SPEC = Spec(
    name="naval",
    title="Naval propulsion",
    place=23,
    category="real",
    features=(
        "GT shaft torque",
        "GT rate of revolutions",
        "HP turbine exit temperature",
        "GT exhaust gas pressure",
    ),
    target="GT turbine decay coefficient",
    units=("kN m", "rpm", "°C", "bar"),
    target_unit="1",
    train=5370,
    test=6564,
    source="UCI 316",
    licence="CC BY 4.0",
    citation="Coraddu, Oneto, Ghio, Savio, Anguita and Figari (2016), J. Eng. Marit. Environ. "
    "230:136-153",
    doi="10.24432/C5K31K",
    sources={"naval": SOURCE},
    draw=draw,
)
