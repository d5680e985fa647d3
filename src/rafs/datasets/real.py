"""The real datasets: five from the main table and the two large ones.

The paper gives sizes only. Under `described`, every seed has its own random split of these sizes.
The columns are those that the authors use. No noise is known.
"""

from decimal import Decimal
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rafs.datasets import fetch
from rafs.datasets.core import Array, Dataset, Spec
from rafs.datasets.sources import SOURCES, Layout, canonical, checksum
from rafs.errors import DataError, ParameterError
from rafs.seeding import generator

_PROPERTIES = (
    "atomic_mass",
    "fie",
    "atomic_radius",
    "Density",
    "ElectronAffinity",
    "FusionHeat",
    "ThermalConductivity",
    "Valence",
)
_STATISTICS = (
    "mean",
    "wtd_mean",
    "gmean",
    "wtd_gmean",
    "entropy",
    "wtd_entropy",
    "range",
    "wtd_range",
)
_CC_BY = "CC BY 4.0"

SPECS = (
    Spec(
        name="boston",
        title="Boston housing",
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
    ),
    Spec(
        name="abalone",
        title="Abalone",
        category="real",
        features=("length", "diameter", "height", "whole weight", "shucked weight"),
        target="rings",
        units=("200 mm", "200 mm", "200 mm", "200 g", "200 g"),
        target_unit="1",
        train=1880,
        test=2297,
        source="UCI 1",
        licence=_CC_BY,
        citation="Nash, Sellers, Talbot, Cawthorn and Ford (1994), Abalone, UCI",
        doi="10.24432/C55C7W",
    ),
    Spec(
        name="naval",
        title="Naval propulsion",
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
        licence=_CC_BY,
        citation="Coraddu, Oneto, Ghio, Savio, Anguita and Figari (2016), J. Eng. Marit. Environ. "
        "230:136-153",
        doi="10.24432/C5K31K",
    ),
    Spec(
        name="forest_fire",
        title="Forest fire",
        category="real",
        features=("FFMC", "DMC", "DC", "ISI", "temp", "RH"),
        target="ln(area + 1)",
        units=("1", "1", "1", "1", "°C", "%"),
        target_unit="ln(ha)",
        train=200,
        test=317,
        source="UCI 162",
        licence=_CC_BY,
        citation="Cortez and Morais (2007), A data mining approach to predict forest fires",
        doi="10.24432/C5D88D",
    ),
    Spec(
        name="parkinsons",
        title="Parkinson's",
        category="real",
        features=("NHR", "HNR", "DFA", "PPE", "RPDE"),
        target="total_UPDRS",
        units=("1", "dB", "1", "1", "1"),
        target_unit="1",
        train=2643,
        test=3232,
        source="UCI 189",
        licence=_CC_BY,
        citation="Tsanas, Little, McSharry and Ramig (2010), IEEE Trans. Biomed. Eng. 57:884-893",
        doi="10.24432/C5ZS3N",
    ),
    Spec(
        name="superconductivity",
        title="Superconductivity",
        category="large",
        features=(
            "number_of_elements",
            *(f"{statistic}_{prop}" for prop in _PROPERTIES for statistic in _STATISTICS),
        ),
        target="critical_temp",
        target_unit="K",
        train=9569,
        test=11694,
        source="UCI 464",
        licence=_CC_BY,
        citation="Hamidieh (2018), Comput. Mater. Sci. 154:346-354",
        doi="10.24432/C53P47",
    ),
    Spec(
        name="news",
        title="Online news popularity",
        category="large",
        features=(
            "n_tokens_title",
            "n_tokens_content",
            "n_unique_tokens",
            "n_non_stop_words",
            "n_non_stop_unique_tokens",
            "num_hrefs",
            "num_self_hrefs",
            "average_token_length",
            "num_keywords",
            "kw_avg_min",
            "kw_min_max",
            "kw_max_max",
            "kw_avg_max",
            "kw_min_avg",
            "kw_max_avg",
            "kw_avg_avg",
            "self_reference_min_shares",
            "self_reference_max_shares",
            "self_reference_avg_sharess",
            "LDA_00",
            "LDA_01",
            "LDA_02",
            "LDA_03",
            "LDA_04",
            "global_subjectivity",
            "global_sentiment_polarity",
            "global_rate_positive_words",
            "global_rate_negative_words",
            "rate_positive_words",
            "rate_negative_words",
            "avg_positive_polarity",
            "min_positive_polarity",
            "max_positive_polarity",
            "avg_negative_polarity",
            "min_negative_polarity",
            "max_negative_polarity",
            "title_subjectivity",
            "title_sentiment_polarity",
            "abs_title_subjectivity",
            "abs_title_sentiment_polarity",
        ),
        target="shares",
        train=17840,
        test=21804,
        source="UCI 332",
        licence=_CC_BY,
        citation="Fernandes, Vinagre and Cortez (2015), EPIA, LNCS 9273:535-546",
        doi="10.24432/C5NS3V",
    ),
)


def draw(spec: Spec, seed: int, *, train: int, test: int, noise: float | None) -> Dataset:
    """Split the rows at random into the given sizes; the same seed gives the same split."""
    order = generator("data", "described", spec.name, seed, "split").permutation(
        SOURCES[spec.name].rows
    )
    return split(spec, seed, order, train=train, test=test, noise=noise)


def split(
    spec: Spec, seed: int, order: NDArray[np.int_], *, train: int, test: int, noise: float | None
) -> Dataset:
    """Take the training rows from the start of an order of the rows, then the test rows."""
    if train + test > len(order):
        raise ParameterError(
            f"{train} training and {test} test rows of {spec.name!r} are asked for; it has "
            f"{len(order)}"
        )
    x, y, source = table(spec)
    first, second = order[:train], order[train : train + test]
    return Dataset(
        name=spec.name,
        features=spec.features,
        x_train=x[first],
        y_train=y[first],
        x_test=x[second],
        y_test=y[second],
        noise=noise,
        seed=seed,
        protocol="described",
        source=source,
    )


def table(spec: Spec) -> tuple[Array, Array, str]:
    """Return all rows in the order of the file: features, target, and where the file came from."""
    result = fetch.required(spec.name)
    file = next(file for file in SOURCES[spec.name].files if file.sha256 == result.sha256)
    values = read(spec, Path(result.path), file.layout)
    x, y = values[:, :-1], values[:, -1]
    return x, _log_area(y) if spec.name == "forest_fire" else y, result.source


def read(spec: Spec, path: Path, layout: Layout) -> Array:
    """Return the used columns of a file as canonical values, or a DataError if they are others."""
    source = SOURCES[spec.name]
    values = _parse(path, layout)
    if len(values) != source.rows:
        raise DataError(f"{path} has {len(values)} rows of data; {spec.name} has {source.rows}")
    names = (*spec.features, spec.target)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise DataError(f"{path} has no value for {names[column]} in row {row + 1} of its data")
    values = canonical(values, source.digits)
    for column, name, (low, high) in zip(values.T, names, source.ranges, strict=True):
        if column.min() < low or column.max() > high:
            raise DataError(
                f"{path} has {name} from {column.min():g} to {column.max():g}; it must lie between "
                f"{low:g} and {high:g}"
            )
    if checksum(values) != source.values:
        raise DataError(
            f"{path} does not hold the values of {spec.name}; delete it and fetch again"
        )
    return values


def _parse(path: Path, layout: Layout) -> Array:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as text ({error})") from error
    numbered = list(enumerate(text.splitlines(), start=1))[layout.header :]
    lines = [line for _, line in numbered if line.strip()]  # one file has an empty line in it
    for number, line in numbered:
        if not line.strip():
            continue
        cells = line.count(layout.delimiter) + 1 if layout.delimiter else len(line.split())
        if cells != layout.width:
            raise DataError(f"{path}, line {number}, has {cells} columns instead of {layout.width}")
    if not lines:
        raise DataError(f"{path} holds no data")
    try:
        values: Array = np.loadtxt(
            lines, delimiter=layout.delimiter, usecols=layout.columns, comments=None, ndmin=2
        )
    except ValueError as error:
        raise DataError(f"{path} has a cell that is not a number ({error})") from error
    return values


def _log_area(area: Array) -> Array:
    """Return ln(area + 1), rounded correctly: the logarithm of the platform may be a bit off."""
    return np.array([float((Decimal(str(value)) + 1).ln()) for value in area.tolist()])
