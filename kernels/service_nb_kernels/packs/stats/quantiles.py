"""Quantiles in their nine definitions, and what is read off them."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from service_nb_kernels.certified import order, sums
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray, np

VALUES = P("float64[n]", unit="?u", about="sample", min_size=1, symbol="x")
DEFINITION = P(
    "int",
    domain="[1, 9]",
    default=7,
    about="definition of Hyndman and Fan; 7 is that of NumPy, R and spreadsheets, 6 of SPSS, 8 is recommended",
)
PROBABILITY = P(domain="[0, 1]", about="probability", symbol="p")
LIMIT = {"n": 10_000_000}
DATA = [2.5, 3.1, 4.7, 5.0, 5.9, 5.5, 12.25, 0.1, 8.0, 7.0]
TENS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
NUMPY = "numpy 2.4.6, numpy.quantile"
CONTINUOUS = {
    4: (fmpq(0), fmpq(1)),
    5: (fmpq(1, 2), fmpq(1, 2)),
    6: (fmpq(0), fmpq(0)),
    7: (fmpq(1), fmpq(1)),
    8: (fmpq(1, 3), fmpq(1, 3)),
    9: (fmpq(3, 8), fmpq(3, 8)),
}  # the constants a and b of the position a + p (n + 1 - a - b)


def _stepped(share: fmpq, shift: fmpq) -> Any:
    """Where a step function is read: 0.1 of 10 values is one, though the double 0.1 is more than 1/10."""
    position = share - shift
    whole = fmpq((position + fmpq(1, 2)).floor())
    return whole if abs(position - whole) <= share / 2**50 else position


def quantile_of(values: NDArray[Any], probability: fmpq, definition: int) -> Any:
    """Return a quantile of finite values, exactly."""
    size = int(values.size)
    if definition in CONTINUOUS:
        a, b = CONTINUOUS[definition]
        position = a + probability * (size + 1 - a - b)
    else:
        position = _stepped(probability * size, fmpq(1, 2) if definition == 3 else fmpq(0))
    below = int(position.floor())
    share: Any = position - below
    if definition == 1:
        share = fmpq(1 if share else 0)
    elif definition == 2:
        share = fmpq(1) if share else fmpq(1, 2)
    elif definition == 3:
        share = fmpq(0 if not share and below % 2 == 0 else 1)
    low, high = (min(max(place, 1), size) - 1 for place in (below, below + 1))
    parted = np.partition(values, sorted({low, high}))
    return (1 - share) * order.rational(parted[low]) + share * order.rational(parted[high])


@capability(
    "stats.quantile",
    tier="certified",
    version=3,
    source="hyndman1996, sec. 3",
    params={"values": VALUES, "probability": PROBABILITY, "definition": DEFINITION},
    result=R(unit="?u", about="quantile"),
    latex=r"Q_d(p) = (1 - \gamma) x_{(j)} + \gamma x_{(j+1)}",
    limit=LIMIT,
    keywords=["percentile", "quartile", "decile", "fractile"],
    cases=[
        case(values=DATA, probability=0.25, definition=1, result=3.1, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.5, definition=2, result=5.25, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.25, definition=3, result=2.5, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.33, definition=4, result=3.5800000000000005, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.33, definition=5, result=4.380000000000001, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.875, definition=6, result=10.65625, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.875, definition=7, result=7.875, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.01, definition=8, result=0.1, within=1e-14, origin=NUMPY),
        case(values=DATA, probability=0.6, definition=9, result=5.71, within=1e-14, origin=NUMPY),
        case(values=[1.0, 2.0, 3.0, 4.0], probability=0.25, definition=7, result=1.75, origin="by hand"),
        case(values=TENS, probability=0.1, definition=1, result=1.0, origin=NUMPY),
        case(values=TENS, probability=0.6, definition=2, result=6.5, origin=NUMPY),
        case(values=TENS, probability=0.55, definition=3, result=6.0, origin=NUMPY),
    ],
)
def quantile(values: NDArray[Any], probability: float, definition: int) -> Any:
    """Quantile of a sample in one of the nine definitions of Hyndman and Fan."""
    return quantile_of(sums.finite(values), order.rational(probability), definition)


@capability(
    "stats.iqr",
    tier="certified",
    version=2,
    source="hyndman1996, sec. 3",
    params={"values": VALUES, "definition": DEFINITION},
    result=R(unit="?u", about="interquartile range"),
    latex=r"Q(3/4) - Q(1/4)",
    limit=LIMIT,
    keywords=["interquartile range", "quartiles", "spread"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 5.0], definition=7, result=2.0, origin="by hand"),
        case(values=DATA, definition=6, result=4.3, within=1e-14, origin="scipy 1.17.1, scipy.stats.iqr"),
    ],
)
def iqr(values: NDArray[Any], definition: int) -> Any:
    """Distance between the first and the third quartile of a sample."""
    values = sums.finite(values)
    return quantile_of(values, fmpq(3, 4), definition) - quantile_of(values, fmpq(1, 4), definition)


def _hinges(values: NDArray[Any]) -> Any:
    ordered = np.sort(sums.finite(values))
    half = (ordered.size + 1) // 2
    return order.median(ordered[:half]), order.median(ordered), order.median(ordered[-half:])


@capability(
    "stats.five_number_summary",
    tier="certified",
    source="tukey1977, ch. 2",
    params={"values": VALUES},
    result=R(
        fields={
            "minimum": R(unit="?u", about="smallest value"),
            "lower_hinge": R(unit="?u", about="median of the lower half, to which a middle value belongs"),
            "median": R(unit="?u", about="median"),
            "upper_hinge": R(unit="?u", about="median of the upper half, to which a middle value belongs"),
            "maximum": R(unit="?u", about="largest value"),
        }
    ),
    limit={"n": 1_000_000},
    keywords=["box plot", "hinges", "quartiles"],
    cases=[
        case(
            values=[1.0, 2.0, 3.0, 4.0, 5.0],
            result={"minimum": 1.0, "lower_hinge": 2.0, "median": 3.0, "upper_hinge": 4.0, "maximum": 5.0},
            origin="by hand",
        ),
        case(
            values=[7.0, 1.0, 3.0, 10.0],
            result={"minimum": 1.0, "lower_hinge": 2.0, "median": 5.0, "upper_hinge": 8.5, "maximum": 10.0},
            origin="by hand",
        ),
    ],
)
def five_number_summary(values: NDArray[Any]) -> Any:
    """Smallest value, lower hinge, median, upper hinge and largest value, as a box plot shows them."""
    lower, middle, upper = _hinges(values)
    ends = {"minimum": order.rational(values.min()), "maximum": order.rational(values.max())}
    return {"lower_hinge": lower, "median": middle, "upper_hinge": upper, **ends}


@capability(
    "stats.trimean",
    tier="certified",
    source="tukey1977, ch. 2",
    params={"values": VALUES},
    result=R(unit="?u", about="trimean, of hinges and not of quartiles"),
    latex=r"\frac{H_1 + 2 \tilde{x} + H_2}{4}",
    limit={"n": 1_000_000},
    keywords=["robust location", "hinges"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 5.0], result=3.0, origin="by hand"),
        case(values=[7.0, 1.0, 3.0, 10.0], result=5.125, origin="by hand"),
    ],
)
def trimean(values: NDArray[Any]) -> Any:
    """Weighted mean of the median, counted twice, and the two hinges."""
    lower, middle, upper = _hinges(values)
    return (lower + 2 * middle + upper) / 4


@capability(
    "stats.quartile_skewness",
    tier="certified",
    version=2,
    source="bowley1920, ch. VI",
    params={"values": VALUES, "definition": DEFINITION},
    result=R(about="quartile skewness"),
    latex=r"\frac{Q_3 - 2 Q_2 + Q_1}{Q_3 - Q_1}",
    limit=LIMIT,
    keywords=["Bowley", "Yule", "Galton skewness"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0, 5.0], definition=7, result=0.0, origin="by hand"),
        case(values=[1.0, 2.0, 3.0, 7.0, 50.0], definition=7, result=0.6, origin="by hand: quartiles 2, 3 and 7"),
        case(values=[1.0, 1.0, 1.0], definition=7, error="domain_error", origin="by hand: the quartiles agree"),
        case(
            values=[4.52, -3.68, 4.33, -0.728],
            definition=7,
            result=-0.11816548301531635,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.quantile: quartiles",
        ),
    ],
)
def quartile_skewness(values: NDArray[Any], definition: int) -> Any:
    """Skewness read off the quartiles, between -1 and 1."""
    first, middle, third = (quantile_of(sums.finite(values), fmpq(q, 4), definition) for q in (1, 2, 3))
    if first == third:
        raise DomainError("values", expected="quartiles that differ")
    return (third - 2 * middle + first) / (third - first)


@capability(
    "stats.quartile_dispersion",
    tier="certified",
    version=3,
    source="nist2012, sec. 1.3.5.6",
    params={
        "values": P("float64[n]", unit="?u", domain="[0, inf)", about="sample without negative numbers", symbol="x"),
        "definition": DEFINITION,
    },
    result=R(about="quartile coefficient of dispersion"),
    latex=r"\frac{Q_3 - Q_1}{Q_3 + Q_1}",
    limit=LIMIT,
    cases=[
        case(values=[1.0, 2.0, 3.0, 6.0, 50.0], definition=7, result=0.5, origin="by hand: quartiles 2 and 6"),
        case(values=[0.0, 0.0, 3.0, 6.0, 50.0], definition=7, result=1.0, origin="by hand: quartiles 0 and 6"),
        case(
            values=[2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0],
            definition=6,
            result=0.5,
            origin="by hand: quartiles 4 and 12",
        ),
        case(
            values=[4.53, 2.7, 3.42, 4.99, 6.25],
            definition=7,
            result=0.18668252080856126,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.iqr: over the sum of scipy.stats.quantile",
        ),
    ],
)
def quartile_dispersion(values: NDArray[Any], definition: int) -> Any:
    """Distance of the quartiles of a positive sample over their sum."""
    first, third = (quantile_of(sums.finite(values), fmpq(q, 4), definition) for q in (1, 3))
    if third == 0:
        raise DomainError("values", 0.0, "a sample whose upper quartile is above 0")
    return (third - first) / (third + first)


@capability(
    "stats.percentile_rank",
    tier="certified",
    version=2,
    source="nist2012, sec. 7.2.6.2",
    params={"values": VALUES, "score": P(unit="?u", about="score to be placed")},
    result=R(about="part of the sample below the score, ties counted by half", range="[0, 1]"),
    limit=LIMIT,
    keywords=["percentile of score"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0], score=3.0, result=0.625, origin="by hand"),
        case(
            values=DATA,
            score=5.0,
            result=0.45,
            within=1e-14,
            origin="scipy 1.17.1, scipy.stats.percentileofscore: kind 'mean'",
        ),
    ],
)
def percentile_rank(values: NDArray[Any], score: float) -> Any:
    """Part of a sample that lies below a score, values equal to it counted by half."""
    values = sums.finite(values)
    below, equal = int((values < score).sum()), int((values == score).sum())
    return fmpq(2 * below + equal, 2 * int(values.size))


@capability(
    "stats.ecdf",
    tier="certified",
    source="nist2012, sec. 1.3.3.24",
    params={"values": VALUES, "point": P(unit="?u", about="where the function is evaluated")},
    result=R(about="empirical distribution function"),
    latex=r"\hat{F}(t) = \frac{\#\{i : x_i \le t\}}{n}",
    limit=LIMIT,
    keywords=["empirical cumulative distribution function"],
    cases=[
        case(values=[1.0, 2.0, 3.0, 4.0], point=3.0, result=0.75, origin="by hand"),
        case(values=[1.0, 2.0, 4.0], point=1.5, result=0.3333333333333333, origin="by hand"),
        case(values=[4.91, 0.286], point=-0.691, result=0.0, within=1e-14, origin="scipy 1.17.1, scipy.stats.ecdf"),
    ],
)
def ecdf(values: NDArray[Any], point: float) -> Any:
    """Part of a sample that is not above a point."""
    values = sums.finite(values)
    return fmpq(int((values <= point).sum()), int(values.size))
