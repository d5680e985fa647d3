"""The decay of a frigate's compressor by 16 readings of its propulsion plant."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "naval-propulsion-plant",
    rows=11934,
    size=3448926,
    sha256="de0ea69da1efaab8b9655ffed828547d10dd68c1fb8c6e0163e6a988def393a6",
    ranges=(
        (1.138, 9.3),
        (3.0, 27.0),
        (253.547, 72784.872),
        (1307.675, 3560.741),
        (6589.002, 9797.103),
        (5.304, 645.249),
        (5.304, 645.249),
        (442.364, 1115.797),
        (288.0, 288.0),
        (540.442, 789.094),
        (1.093, 4.56),
        (0.998, 0.998),
        (5.828, 23.14),
        (1.019, 1.052),
        (0.0, 92.556),
        (0.068, 1.832),
        (0.95, 1.0),
    ),
    values="b47c7849a1dd436e6fe44bbb9a1def99e35b4e9108b1936a1a00f7f32ce08584",
    unused=1,  # the decay of the turbine
)

SPEC = Spec(
    name="uci_naval",
    title="Naval (UCI)",
    category="uci",
    features=(
        "lever position",
        "ship speed",
        "GT shaft torque",
        "GT rate of revolutions",
        "gas generator rate of revolutions",
        "starboard propeller torque",
        "port propeller torque",
        "HP turbine exit temperature",
        "GT compressor inlet air temperature",
        "GT compressor outlet air temperature",
        "HP turbine exit pressure",
        "GT compressor inlet air pressure",
        "GT compressor outlet air pressure",
        "GT exhaust gas pressure",
        "turbine injection control",
        "fuel flow",
    ),
    units=(
        "",
        "knots",
        "kN m",
        "rpm",
        "rpm",
        "kN",
        "kN",
        "°C",
        "°C",
        "°C",
        "bar",
        "bar",
        "bar",
        "bar",
        "%",
        "kg/s",
    ),
    target="GT compressor decay coefficient",
    target_unit="1",
    train=10741,
    test=1193,
    splits=20,
    source="UCI 316",
    licence="CC BY 4.0",
    citation="Coraddu, Oneto, Ghio, Savio, Anguita and Figari (2016), J. Eng. Marit. Environ. "
    "230:136-153",
    doi="10.24432/C5K31K",
    sources={"uci_naval": SOURCE},
    draw=uci.draw,
)

# Two inputs are constant; ten increase with the lever position, so their thirds are the same.
ALONG = (0, 7, 14, 15)
