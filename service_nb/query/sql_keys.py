"""Group keys that SQL computes: the first day of a date's period, the lower edge of a number's bin.

`group_keys` says what they are, and refuses the edges that are not exact. Databases whose `Spelling` does not name a
kind of key in `computes_keys` are asked for rows, and the keys are made here.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import nextafter

from sqlglot import exp

from service_nb.core.zones import UTC, Span, Zone, build_moment, count_seconds, read_zone
from service_nb.query.group_keys import find_bin_bound
from service_nb.query.spelling import Spelling
from service_nb.schema.query import BinKey, DateKey, GroupKey
from service_nb.schema.source import Field

KeyStep = tuple[tuple[str, ...], Mapping[str, exp.Expr]]  # the columns that a step keeps, and those that it computes


def can_compute_key(spelling: Spelling, key: GroupKey, field: Field) -> bool:
    """Tell whether a database computes a key as `group_keys` defines it."""
    if isinstance(key, str):
        return True
    if isinstance(key, DateKey):
        return ("period" if key.zone is None else "period of a zone") in spelling.computes_keys
    return field.physical.partition("(")[0] in spelling.computes_keys


def build_key_steps(
    key: DateKey | BinKey,
    field: Field,
    spelling: Spelling,
    name: str,
    refer: Callable[[str], exp.Expr],
    *,
    years: Sequence[int],
) -> list[KeyStep]:
    """Return the steps, each a SELECT around the one before, that make a key of its column, both called `name`.

    `years` are those of the column's moments, where its periods are of a zone.
    """
    if isinstance(key, DateKey) and key.zone is not None:
        return _build_zone_steps(key, field, spelling, name, refer, years=years)
    if isinstance(key, DateKey):
        return [((), {name: spelling.build_first_day(key.unit, refer(name))})]
    if field.physical == "float64":
        return _build_double_steps(key, spelling, name, refer)
    rest, value = f"{name}rest", refer(name)
    width = spelling.build_width(field, key.width)
    below = exp.LT(this=refer(rest), expression=exp.Literal.number(0))
    more = exp.Case().when(below, width, copy=False).else_(spelling.build_width(field, key.width * 0), copy=False)
    edge = exp.Sub(this=exp.Sub(this=spelling.widen(field, value), expression=refer(rest)), expression=exp.paren(more))
    remainder = exp.Mod(this=spelling.widen(field, refer(name)), expression=width.copy())
    return [((name,), {rest: remainder}), ((), {name: edge})]


FIRST_OF_CYCLE = 2100  # after every change that is no rule; from here on years repeat, with their weekdays, after
CYCLE = 400


def _build_zone_steps(
    key: DateKey,
    field: Field,
    spelling: Spelling,
    name: str,
    refer: Callable[[str], exp.Expr],
    *,
    years: Sequence[int],
) -> list[KeyStep]:
    """Build what clocks of a zone show at moments in UTC, from the offsets that the zone has in the column's years.

    No database is asked for its own rules: they are another release's on each machine.
    """
    spans = list(_list_spans(read_zone(key.zone or UTC), {_fold_year(year) for year in years}))
    is_beyond = max(years, default=0) >= FIRST_OF_CYCLE + CYCLE
    at = f"{name}at" if is_beyond else name
    folded: list[KeyStep] = [((name,), {at: spelling.fold_cycles(refer(name), FIRST_OF_CYCLE)})] if is_beyond else []

    def choose(start: int, end: int) -> exp.Expr:
        """Choose among some spans by halves: a hundred years of summer time are eight comparisons."""
        if end - start == 1:
            return spelling.add_seconds(refer(name), spans[start][1])
        middle = (start + end) // 2
        before = exp.LT(this=refer(at), expression=spelling.build_literal(field, build_moment(spans[middle][0])))
        return exp.Case().when(before, choose(start, middle), copy=False).else_(choose(middle, end), copy=False)

    first_day = spelling.build_first_day(key.unit, refer(name))
    return [*folded, ((), {name: choose(0, len(spans))}), ((), {name: first_day})]


def _fold_year(year: int) -> int:
    return year if year < FIRST_OF_CYCLE else FIRST_OF_CYCLE + (year - FIRST_OF_CYCLE) % CYCLE


def _list_spans(zone: Zone, years: Collection[int]) -> Iterator[Span]:
    """List the offsets of a zone in some years; what lies between them does not matter."""
    last: int | None = None
    for year in sorted(years) or [FIRST_OF_CYCLE]:
        end = count_seconds(datetime.datetime(year, 12, 31, 23, 59, 59))  # noqa: DTZ001  in UTC
        for start, offset in zone.list_spans(count_seconds(datetime.datetime(year, 1, 1)), end):  # noqa: DTZ001
            if offset != last:
                yield start, offset
            last = offset


def _build_double_steps(key: BinKey, spelling: Spelling, name: str, refer: Callable[[str], exp.Expr]) -> list[KeyStep]:
    """Estimate the bin of a double as ``floor(x * q / p)``, and take the one beside it where the edges say so."""
    top, bottom = map(float, key.width.as_integer_ratio())
    ratio, whole, place = f"{name}ratio", f"{name}whole", f"{name}place"

    def divide(value: exp.Expr, by: float) -> exp.Expr:
        return exp.Div(this=exp.paren(value), expression=spelling.build_double(by), typed=True, safe=False)

    def find_edge(offset: float) -> exp.Expr:
        at = exp.paren(exp.Add(this=refer(place), expression=spelling.build_double(offset)))
        return divide(exp.Mul(this=at, expression=spelling.build_double(top)), bottom)

    less = exp.Sub(this=refer(whole), expression=spelling.build_double(1.0))
    floor = exp.Case().when(exp.GT(this=refer(whole), expression=refer(ratio)), less, copy=False)
    edge = (
        exp.Case()
        .when(exp.LT(this=refer(name), expression=find_edge(0.0)), find_edge(-1.0), copy=False)
        .when(exp.GTE(this=refer(name), expression=find_edge(1.0)), find_edge(1.0), copy=False)
        .else_(find_edge(0.0), copy=False)
    )
    near = spelling.is_within(refer(name), nextafter(find_bin_bound(key), 0.0))
    beyond = spelling.build_float_key(refer(name))  # NaN, infinities, and what is refused
    within = exp.Case().when(near.copy(), refer(name), copy=False)
    scaled = divide(exp.Mul(this=within, expression=spelling.build_double(bottom)), top)
    return [
        ((name,), {ratio: scaled}),
        ((name, ratio), {whole: spelling.build_whole(refer(ratio))}),
        ((name,), {place: floor.else_(refer(whole), copy=False)}),
        ((), {name: exp.Case().when(near, edge, copy=False).else_(beyond, copy=False)}),
    ]
