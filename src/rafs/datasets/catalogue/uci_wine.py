"""The quality of red wines, as tasted, by chemical properties."""

from rafs.datasets import uci
from rafs.datasets.core import Spec

SOURCE = uci.source(
    "wine-quality-red",
    rows=1599,
    size=84027,
    sha256="3ba41eaf4ab562088cf47b5c9dca2b4de2a330c3ee38a7920b4527a09574d5c1",
    ranges=(
        (4.6, 15.9),
        (0.12, 1.58),
        (0.0, 1.0),
        (0.9, 15.5),
        (0.012, 0.611),
        (1.0, 72.0),
        (6.0, 289.0),
        (0.99007, 1.00369),
        (2.74, 4.01),
        (0.33, 2.0),
        (8.4, 14.9),
        (3.0, 8.0),
    ),
    values="d4f6a6d672e0ee31d41fdd93b4b58985b45a31f2f971499c18137c42229278ac",
)

SPEC = Spec(
    name="uci_wine",
    title="Wine (UCI)",
    category="uci",
    features=(
        "fixed acidity",
        "volatile acidity",
        "citric acid",
        "residual sugar",
        "chlorides",
        "free sulfur dioxide",
        "total sulfur dioxide",
        "density",
        "pH",
        "sulphates",
        "alcohol",
    ),
    target="quality",
    train=1439,
    test=160,
    splits=20,
    source="UCI 186",
    licence="CC BY 4.0",
    citation="Cortez, Cerdeira, Almeida, Matos and Reis (2009), Decis. Support Syst. 47:547-553",
    doi="10.24432/C56S3T",
    sources={"uci_wine": SOURCE},
    draw=uci.draw,
)
