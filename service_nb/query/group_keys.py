"""Group keys: a column, the period of a date, the bin of a number; their names, types, values and words.

The bin of a number is exact. With the width w = p/q in lowest terms, bin k begins at the edge k*p/q, for a column of
doubles at the double nearest to it, and x lies in the bin with edge(k) <= x < edge(k+1). Every engine computes the edge
as one division of two doubles that are integers, which IEEE 754 rounds correctly while both are below 2**53. So numbers
of 2**50/q and beyond are refused: within that bound an estimate of k is off by at most one, and edges differ.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from service_nb.core.words import describe_value, write_name, write_zone
from service_nb.core.zones import convert_to_zone, read_zone
from service_nb.errors import LimitExceededError
from service_nb.query.aggregations.aggregation import build_decimal
from service_nb.schema.query import BinKey, DateKey, DateUnit, GroupKey
from service_nb.schema.source import Field, Value

MOST_DIGITS = 38
_MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3, "year": 12}


def get_key_column(key: GroupKey) -> str:
    """Return the column that a key is made of."""
    return key if isinstance(key, str) else key.column


def name_keys(keys: Sequence[GroupKey]) -> tuple[str, ...]:
    """Return the names of the keys in the result, each different: columns as they are called, others after them."""
    taken = {key for key in keys if isinstance(key, str)}
    names = []
    for key in keys:
        if isinstance(key, str):
            names.append(key)
            continue
        name = f"{key.column}_{key.unit if isinstance(key, DateKey) else 'bin'}"
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return tuple(names)


def form_series(keys: Sequence[object], limit: int | None) -> bool:
    """Tell whether groups are a series, which its keys order where nobody says what does.

    Their first key is a period or a bin, as a shape or as a plan has it. Of a result that a limit cuts, the measure
    decides what its first rows are.
    """
    return limit is None and bool(keys) and not isinstance(keys[0], str)


def build_key_field(key: GroupKey, field: Field) -> Field:
    """Return the field that a key's values have: of a column, made of its `field`."""
    match key:
        case DateKey():
            return replace(field, type="date", physical="date", zone=key.zone or field.zone)
        case BinKey() if field.physical.startswith("decimal"):
            return replace(field, physical=f"decimal({MOST_DIGITS},{field.decimal_scale})")
    return field


def list_key_columns(keys: Iterable[GroupKey]) -> tuple[str, ...]:
    """Return the columns that keys are made of, each once."""
    return tuple(dict.fromkeys(map(get_key_column, keys)))


def explain_misfit(key: GroupKey, field: Field) -> str | None:
    """Explain why a column cannot be grouped so; None where it can."""
    match key:
        case DateKey() if field.type not in ("date", "datetime"):
            return f"{key.unit} needs a date or datetime column; {field.name} is {field.type}."
        case DateKey(zone=str()) if field.zone is None:
            holds = "dates, which no zone moves" if field.type == "date" else "times of which no zone is known"
            return f"{key.zone} needs a column of times with a zone; {field.name} holds {holds}."
        case BinKey() if field.type != "number":
            return f"Bins need a number column; {field.name} is {field.type}."
        case BinKey() if field.decimal_scale is not None:
            scale, width = field.decimal_scale, key.width
            if int(width.scaleb(scale).normalize().as_tuple().exponent) < 0:
                after = "whole numbers" if scale == 0 else f"numbers of {scale} digits after the point"
                return f"{field.name} holds {after}; bins of {width:f} do not begin at such numbers."
    return None


def describe_key(key: GroupKey, write: Callable[[str], str] = str) -> str:
    """Describe a key as the ask line has it; `write` writes the name of its column."""
    match key:
        case DateKey():
            return f"{key.unit} of {write(key.column)}" + (f" in {write_zone(key.zone)}" if key.zone else "")
        case BinKey():
            return f"{write(key.column)} in bins of {key.width:f}"
    return write(key)


def describe_keys(keys: Sequence[GroupKey]) -> str:
    """Describe all keys in words."""
    return ", ".join(map(describe_key, keys))


# --- values -----------------------------------------------------------------------------------------------------------


def build_key_reader(key: GroupKey, field: Field) -> Callable[[Any], Value]:
    """Return the function that makes the key of a value: of equal keys it returns equal ones.

    -0.0 and 0.0 are one group called 0; all NaN are one group, so they are one object.
    """
    match key:
        case DateKey():
            unit, zone = key.unit, read_zone(key.zone) if key.zone else None
            if zone is None:
                return lambda value: None if value is None else find_first_day(value, unit)
            return lambda value: None if value is None else find_first_day(convert_to_zone(value, zone), unit)
        case BinKey():
            read = build_bin_reader(key, field)
            return lambda value: None if value is None else read(value)
    if field.physical != "float64":
        return lambda value: value
    return lambda value: value if value is None else (math.nan if value != value else value + 0.0)


def check_zone(key: GroupKey, field: Field, low: Value, high: Value) -> None:
    """Refuse a column whose extremes leave the calendar in the zone of a key.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        One does.
    """
    if isinstance(key, DateKey) and key.zone is not None:
        for moment in (low, high):
            try:
                if isinstance(moment, datetime.datetime):
                    find_first_day(convert_to_zone(moment, read_zone(key.zone)), key.unit)
            except OverflowError as error:
                raise LimitExceededError(
                    f"{describe_value(field.name)} holds a time that is beyond the calendar in {key.zone}.",
                    hint=f"Add a condition such as {write_name(field.name)} >= 1900-01-01.",
                    column=field.name,
                    limit_name="calendar",
                ) from error


def find_first_day(moment: datetime.date, unit: DateUnit) -> datetime.date:
    """Find the first day of the period in which a date or a time lies."""
    day = moment.date() if isinstance(moment, datetime.datetime) else moment
    if unit == "day":
        return day
    if unit == "week":
        return day - datetime.timedelta(days=day.weekday())
    length = _MONTHS[unit]
    return datetime.date(day.year, day.month - (day.month - 1) % length, 1)


def build_bin_reader(key: BinKey, field: Field) -> Callable[[Any], Value]:
    """Return the function that finds the lower edge of a number's bin; NaN and infinities stay what they are.

    The function raises LimitExceededError [limit_exceeded] of a number that is too large for exact edges.
    """
    scale = field.decimal_scale
    if scale is not None:
        step = int(key.width.scaleb(scale))

        def read_units(value: int | Decimal) -> Value:
            units = int(Fraction(value) * 10**scale) // step * step
            return check_edge(build_decimal(units, scale) if isinstance(value, Decimal) else units, key, field)

        return read_units
    top, bottom = key.width.as_integer_ratio()
    bound = find_bin_bound(key)

    def read_double(value: float) -> float:
        if value != value:
            return math.nan
        if not abs(value) < bound:
            check_edge(value, key, field)
            return value
        place = math.floor(value * bottom / top)
        if value < place * top / bottom:
            place -= 1
        elif value >= (place + 1) * top / bottom:
            place += 1
        edge = place * top / bottom + 0.0
        check_edge(edge, key, field)
        return edge

    return read_double


def find_bin_bound(key: BinKey) -> float:
    """Return the largest magnitude at which bin edges are exact doubles."""
    return 2.0**50 / key.width.as_integer_ratio()[1]


def check_edge(edge: Value, key: BinKey, field: Field) -> Value:
    """Return a bin's edge; refuse one that is beyond what its column's type, or exact division, can hold."""
    if field.physical == "float64":
        is_beyond = isinstance(edge, float) and find_bin_bound(key) <= abs(edge) < math.inf
    elif field.physical == "int64":
        is_beyond = isinstance(edge, int) and not -(2**63) <= edge < 2**63
    else:
        scale = field.decimal_scale or 0
        is_beyond = isinstance(edge, Decimal | int) and abs(Fraction(edge)) * 10**scale >= 10**MOST_DIGITS
    if is_beyond:
        raise LimitExceededError(
            f"{describe_value(field.name)} holds a number that is too large for exact bins of {key.width:f}.",
            hint=f"Use wider bins, or add a condition such as {write_name(field.name)} < 1000000.",
            column=field.name,
            limit_name="bins",
        )
    return edge


def build_key_check(keys: Sequence[GroupKey], fields: Mapping[str, Field]) -> Callable[[Sequence[Value]], None]:
    """Return the function that refuses a group whose bin an engine could not tell exactly; see `check_edge`."""
    bins = [(at, key, fields[key.column]) for at, key in enumerate(keys) if isinstance(key, BinKey)]

    def check(values: Sequence[Value]) -> None:
        for at, key, field in bins:
            check_edge(values[at], key, field)

    return check
