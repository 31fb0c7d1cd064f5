"""The bins of a histogram: from the extremes of a column to edges at round numbers, or at the calendar's."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from service_nb.schema.source import Bin, Field, Frequent, Value

MOST_BINS = 12
MOST_FREQUENT = 5
_STEPS = (1, 2, 5)  # times a power of ten
_PLAIN_DIGITS = 21  # of an edge that is written without an exponent
_YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


class Edges(NamedTuple):
    """The edges of bins: the exact texts of all, and the values of those between two bins, in the column's own type.

    A value is in a later bin exactly if it is at least the value of the edge before it.
    """

    texts: tuple[str, ...]
    inner: tuple[Value, ...]

    def build_bins(self, reached: Sequence[int], above: int = 0) -> tuple[Bin, ...]:
        """Build the bins from the numbers of values that reach each inner edge; the first number is of all values.

        `above` counts values that reach every edge and are in no bin.
        """
        counts = [first - then for first, then in zip(reached, [*reached[1:], above], strict=True)]
        return tuple(map(Bin, self.texts, self.texts[1:], counts))


def choose_edges(field: Field, minimum: Value, maximum: Value) -> Edges | None:
    """Choose at most twelve bins from the least to the greatest finite value; None where one value is all there is."""
    if minimum is None or minimum == maximum:
        return None
    if isinstance(minimum, datetime.date) and isinstance(maximum, datetime.date):
        return _choose_dates(minimum, maximum)
    if isinstance(minimum, int | float | Decimal) and isinstance(maximum, int | float | Decimal):
        return _choose_numbers(field, Fraction(minimum), Fraction(maximum))
    return None


def list_most_frequent(found: Iterable[tuple[str, int]]) -> tuple[Frequent, ...]:
    """List the five most frequent values, the most frequent first, ties by code point."""
    return tuple(Frequent(*each) for each in sorted(found, key=lambda pair: (-pair[1], pair[0]))[:MOST_FREQUENT])


def _choose_numbers(field: Field, low: Fraction, high: Fraction) -> Edges:
    for step, power in _list_widths(field, high - low):
        width = step * Fraction(10) ** power
        first, last = math.floor(low / width), math.floor(high / width)
        if last - first < MOST_BINS:
            break
    units = [step * at for at in range(first, last + 2)]
    texts = tuple(_write_decimal(unit, power) for unit in units)
    return Edges(texts, tuple(_convert_edge(field, unit * Fraction(10) ** power) for unit in units[1:-1]))


def _list_widths(field: Field, span: Fraction) -> Iterator[tuple[int, int]]:
    """Yield widths as a step and a power of ten, from one that is too narrow; none is finer than the column holds."""
    ratio = span / MOST_BINS
    digits = len(str(ratio.numerator)) - len(str(ratio.denominator))  # off by one at most
    scale = field.decimal_scale
    power = digits - 2 if scale is None else max(digits - 2, -scale)
    while True:
        yield from ((step, power) for step in _STEPS)
        power += 1


def _write_decimal(unit: int, power: int) -> str:
    value = Decimal((int(unit < 0), tuple(map(int, str(abs(unit)))), power)) if unit else Decimal(0)
    return format(value, "f") if power > -_PLAIN_DIGITS and value.adjusted() < _PLAIN_DIGITS else str(value)


def _convert_edge(field: Field, edge: Fraction) -> Value:
    """Convert an edge to the column's type: for doubles the least one that is not below it."""
    if field.physical == "int64":
        return int(edge)
    if field.physical != "float64":
        scale = field.decimal_scale or 0
        unit = int(edge * 10**scale)
        return Decimal((int(unit < 0), tuple(map(int, str(abs(unit)))), -scale))
    nearest = float(edge)
    return nearest if Fraction(nearest) >= edge else math.nextafter(nearest, math.inf)


def _choose_dates(low: datetime.date, high: datetime.date) -> Edges:
    """Choose days, weeks from Monday, months, quarters, or years in round numbers."""
    is_moment = isinstance(low, datetime.datetime)
    first, last = low.toordinal(), high.toordinal()
    for days in (1, 7):
        start = (first - 1) // days * days + 1  # day 1 of the calendar is a Monday
        if (last - start) // days < MOST_BINS:
            ordinals = range(start, start + days * ((last - start) // days + 1), days)
            edges = [datetime.date.fromordinal(ordinal) for ordinal in ordinals]
            end = ordinals[-1] + days
            over = f"{10_000:04d}-01-{end - datetime.date.max.toordinal():02d}"
            text = over if end > datetime.date.max.toordinal() else datetime.date.fromordinal(end).isoformat()
            return _build_date_edges(edges, text, is_moment=is_moment)
    for months in (1, 3, *(12 * years for years in _YEARS)):
        start, final = (_count_months(each) // months * months for each in (low, high))
        if (final - start) // months < MOST_BINS:
            break
    edges = [_find_month(month) for month in range(start, final + 1, months)]
    end = final + months
    return _build_date_edges(edges, f"{end // 12:04d}-{end % 12 + 1:02d}-01", is_moment=is_moment)


def _count_months(day: datetime.date) -> int:
    return day.year * 12 + day.month - 1


def _find_month(month: int) -> datetime.date:
    """Find the first day of a month; there is no year 0, so bins of many years begin with year 1."""
    return datetime.date(max(month // 12, 1), month % 12 + 1, 1)


def _build_date_edges(edges: Sequence[datetime.date], end: str, *, is_moment: bool) -> Edges:
    time = "T00:00:00" if is_moment else ""
    inner = [datetime.datetime.combine(edge, datetime.time.min) if is_moment else edge for edge in edges[1:]]
    return Edges(tuple(f"{text}{time}" for text in (*(edge.isoformat() for edge in edges), end)), tuple(inner))
