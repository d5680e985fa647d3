"""The critical temperature of superconductors by statistics of their elements."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Source

LAYOUT = Layout(
    # number_of_elements; then, for each of 8 properties, 8 of its 10 statistics: the last two are
    # the standard deviations
    columns=(0, *(1 + 10 * p + s for p in range(8) for s in range(8)), 81),
    width=82,
    delimiter=",",
    header=1,
)

PROPERTIES = (
    "atomic_mass",
    "fie",
    "atomic_radius",
    "Density",
    "ElectronAffinity",
    "FusionHeat",
    "ThermalConductivity",
    "Valence",
)

STATISTICS = (
    "mean",
    "wtd_mean",
    "gmean",
    "wtd_gmean",
    "entropy",
    "wtd_entropy",
    "range",
    "wtd_range",
)

SOURCE = Source(
    files=(
        File(
            path="superconductivity/train.csv",
            sha256="4dfb6e3a1f6ffd969e5a5e42f093c4800d1e2a6c8b1e309f8fcd9f23d86952f3",
            size=23859780,
            layout=LAYOUT,
            url=f"{UCI}/static/public/464/superconductivty+data.zip",
        ),
        File(  # reassembled from public copies; the 15th digit of some cells may differ
            path="superconductivity/train.csv",
            sha256="537555d27897ee0d463a4c34a24a14ef78a6db3c8e1f1b766a80d839a8d04aa8",
            size=23859777,
            layout=LAYOUT,
        ),
    ),
    rows=21263,
    ranges=(*((0.0, 22590.0),) * 65, (0.00021, 185.0)),
    values="be4560454fcdd0d2a108a3c4c4dae9632b56ba44692ca3de23149d822e7db5ac",
)

SPEC = Spec(
    name="superconductivity",
    title="Superconductivity",
    place=26,
    category="large",
    features=(
        "number_of_elements",
        *(f"{statistic}_{prop}" for prop in PROPERTIES for statistic in STATISTICS),
    ),
    target="critical_temp",
    target_unit="K",
    train=9569,
    test=11694,
    source="UCI 464",
    licence="CC BY 4.0",
    citation="Hamidieh (2018), Comput. Mater. Sci. 154:346-354",
    doi="10.24432/C53P47",
    sources={"superconductivity": SOURCE},
    draw=draw,
)
