"""Falls from the highest value so far."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import NDArray

VALUES = {
    "values": P(
        "float64[n]", unit="?u", domain="[0, inf)", min_size=1, about="values in time, the oldest first and above 0"
    )
}
BEGUN = ["values[0] > 0"]
PEAKS = [100.0, 120.0, 90.0, 150.0, 75.0, 100.0, 160.0]
FALLING = [8.0, 4.0, 6.0, 2.0]
YEARS = [4.0, 6.0, 3.0, 9.0]
LIMIT = {"n": 200_000}
NEAR = 4e-16  # more than the roundings of both sides of a comparison of falls


def _falls(values: list[float]) -> Iterator[Fraction]:
    peak = values[0]
    for value in values:
        peak = max(peak, value)
        yield 1 - Fraction(value) / Fraction(peak) if value < peak else Fraction(0)


def _deepest(values: list[float]) -> Fraction:
    """The largest fall; doubles are compared first, so that few fractions are made."""
    peak, deepest = values[0], Fraction(0)
    for value in values:
        peak = max(peak, value)
        if value < peak and 1 - value / peak >= float(deepest) - NEAR:
            deepest = max(deepest, 1 - Fraction(value) / Fraction(peak))
    return deepest


@capability(
    "risk.maximum_drawdown",
    tier="certified",
    version=3,
    source="magdon2004",
    params=VALUES,
    result=R(about="largest fall as a part of the peak before it, positive"),
    requires=BEGUN,
    limit=LIMIT,
    latex=r"\max_t \left(1 - \frac{V_t}{\max_{s \le t} V_s}\right)",
    keywords=["MDD", "peak to trough"],
    cases=[
        case(values=PEAKS, result=0.5, origin="by hand: from 150 to 75"),
        case(values=FALLING, result=0.75, origin="by hand: from 8 to 2"),
        case(values=[1.0, 2.0, 3.0], result=0.0, origin="by hand: never falls"),
        case(values=[1.0, 2.0, 0.0], result=1.0, origin="by hand: all is lost"),
        case(
            values=[1.45, 1.4499999999999997, 2.8, 2.7999999999999994],
            result=1.5860328923216522e-16,
            origin="exact fractions: 2**-51 / 2.8, the next double below each peak",
        ),
        case(values=[0.0, 2.0, 1.0], error="domain_error", origin="by hand: nothing to begin with"),
        case(
            values=[123.0, 103.0, 65.0, 64.8, 96.4, 61.7],
            result=0.4983739837398373,
            within=1e-14,
            origin="empyrical-reloaded 0.7.1, empyrical.max_drawdown: of simple_returns, less",
        ),
    ],
)
def maximum_drawdown(values: NDArray[Any]) -> Fraction:
    """Largest fall from the highest value so far, as a part of that value."""
    return _deepest(values.tolist())


@capability(
    "risk.drawdowns",
    tier="certified",
    version=2,
    source="magdon2004",
    params=VALUES,
    result=R("float64[n]", about="fall at each time as a part of the peak before it, positive"),
    requires=BEGUN,
    limit=LIMIT,
    latex=r"1 - \frac{V_t}{\max_{s \le t} V_s}",
    keywords=["underwater curve"],
    cases=[
        case(values=PEAKS, result=[0.0, 0.0, 0.25, 0.0, 0.5, 0.3333333333333333, 0.0], origin="by hand"),
        case(values=FALLING, result=[0.0, 0.5, 0.25, 0.75], origin="by hand"),
        case(
            values=[95.1, 75.1, 67.2, 55.1, 52.6, 99.7, 57.3, 87.1],
            result=[
                -0.0,
                0.21030494216614093,
                0.2933753943217665,
                0.42060988433228175,
                0.4468980021030494,
                -0.0,
                0.4252758274824474,
                0.12637913741223683,
            ],
            within=1e-14,
            origin="skfolio 1.12.2, skfolio.measures.get_drawdowns: compounded, with the other sign",
        ),
    ],
)
def drawdowns(values: NDArray[Any]) -> list[Fraction]:
    """Fall from the highest value so far at each time, as a part of that value."""
    return list(_falls(values.tolist()))


@capability(
    "risk.longest_drawdown",
    tier="certified",
    version=2,
    source="magdon2004",
    params=VALUES,
    result=R("int", about="number of intervals"),
    requires=BEGUN,
    limit=LIMIT,
    latex=r"\max\{j - i : V_k < V_i,\ i < k \le j\}",
    keywords=["time under water", "recovery time"],
    cases=[
        case(values=PEAKS, result=2, origin="by hand: below 150 twice"),
        case(values=FALLING, result=3, origin="by hand: below 8 three times"),
        case(values=[2.0, 2.0, 3.0], result=0, origin="by hand: never below"),
    ],
)
def longest_drawdown(values: NDArray[Any]) -> int:
    """Most intervals in a row that end below the highest value before them."""
    peak, run, longest = float("-inf"), 0, 0
    for value in values.tolist():
        run = run + 1 if value < peak else 0
        peak, longest = max(peak, value), max(longest, run)
    return longest


@capability(
    "risk.ulcer_index",
    tier="certified",
    version=2,
    source="martin1989, ch. 4",
    params=VALUES,
    result=R(about="root mean square fall, as a part and not in percent"),
    requires=BEGUN,
    limit={"n": 20_000},
    latex=r"\sqrt{\frac{1}{n} \sum_t \left(1 - \frac{V_t}{\max_{s \le t} V_s}\right)^2}",
    keywords=["depth and duration of drawdowns"],
    cases=[
        case(values=[4.0, 4.0, 2.0, 4.0], result=0.25, origin="by hand: sqrt(0.25 / 4)"),
        case(
            values=[2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0],
            result=0.44095855184409843,
            within=1e-15,
            origin="by hand: sqrt(7 / 36)",
        ),
        case(
            values=[98.8, 147.0, 145.0, 118.0, 142.0, 108.0, 97.7],
            result=0.17853537513778117,
            within=1e-14,
            origin="skfolio 1.12.2, skfolio.measures.ulcer_index: of the compounded drawdowns",
        ),
    ],
)
def ulcer_index(values: NDArray[Any]) -> Any:
    """Root mean square of the falls from the highest value so far."""
    total = sum((arb(fmpq(fall.numerator, fall.denominator)) ** 2 for fall in _falls(values.tolist())), arb(0))
    return (total / len(values)).sqrt()


@capability(
    "risk.calmar_ratio",
    tier="certified",
    version=3,
    source="young1991",
    params={**VALUES, "years": P(domain="(0, inf)", about="time between the first and the last value, in years")},
    result=R(about="Calmar ratio"),
    requires=BEGUN,
    limit=LIMIT,
    latex=r"\frac{(V_n / V_1)^{1/T} - 1}{\mathrm{MDD}}",
    keywords=["MAR ratio", "return over drawdown"],
    cases=[
        case(values=[4.0, 2.0, 0.0], years=2.0, result=-1.0, origin="by hand: all is lost"),
        case(values=YEARS, years=2.0, result=1.0, origin="by hand: (sqrt(9/4) - 1) / 0.5"),
        case(values=PEAKS, years=1.0, result=1.2, origin="by hand: 0.6 / 0.5"),
        case(values=[1.0, 2.0], years=1.0, error="domain_error", origin="by hand: never falls"),
    ],
)
def calmar_ratio(values: NDArray[Any], years: float) -> Any:
    """Compound yearly growth of values over their largest fall."""
    first, last = values[0].item(), values[-1].item()
    deepest = _deepest(values.tolist())
    if deepest == 0:
        raise DomainError("values", None, "at least one fall")
    ratio = Fraction(last) / Fraction(first)
    growth = arb(fmpq(ratio.numerator, ratio.denominator)) ** (1 / arb(years)) - 1 if ratio else arb(-1)
    return growth / arb(fmpq(deepest.numerator, deepest.denominator))
