"""Conditions: binding operands to a column's type, what a condition means, and calendar periods made absolute.

Meaning, the same on every engine: a null satisfies only `is_null`; NaN satisfies only `is_not_null`, `ne` and `not_in`
(it equals nothing and is ordered with nothing); text is compared by code point and is case-sensitive; numbers are
compared as real numbers. An operand for a float64 column is first rounded to the nearest double, as the column's own
values were; integer and decimal columns are compared with the operand's exact decimal value.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from service_nb.core.words import describe_value
from service_nb.query.spec import MAX_DIGITS, has_few_digits
from service_nb.schema.query import Condition, Op, Period
from service_nb.schema.source import Field, Value

TEXT_OPS = ("contains", "starts_with")
ORDER_OPS = ("gt", "gte", "lt", "lte", "between")

_DIGITS = rf"\d{{1,{MAX_DIGITS}}}"
_NUMBER = re.compile(rf"[+-]?({_DIGITS}\.?|({_DIGITS})?\.{_DIGITS})([eE][+-]?\d{{1,4}})?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{7}")


class OperandError(Exception):
    """An operand or an operator does not fit the column; the message says met and expected."""


def bind_condition(condition: Condition, field: Field) -> tuple[Condition, ...]:
    """Return the condition with its operand in the column's own type: one condition, or two that mean the same.

    A date without a time, compared with a datetime column, is the whole day: `<= 2024-01-31` includes that day's
    evening, and `= 2024-01-31` is the day from midnight to midnight.

    Raises
    ------
    OperandError
        The operator does not apply to the type, or an operand is of another type.
    """
    op = condition.op
    if op in TEXT_OPS and field.type != "string":
        raise OperandError(f"operator {op} needs a string column; {field.name} is {field.type}")
    if op in ORDER_OPS and field.type == "boolean":
        raise OperandError(f"operator {op} needs an ordered column; {field.name} is boolean")
    if op in ("is_null", "is_not_null"):
        return (Condition(column=field.name, op=op),)
    if field.type == "datetime" and _has_day(condition.operand):
        return _bind_whole_days(condition, field)
    if isinstance(condition.operand, tuple):
        bound = tuple(_bind_value(value, field) for value in condition.operand)
        return (Condition(column=field.name, op=op, operand=bound if op == "between" else _sort_distinct(bound)),)
    return (Condition(column=field.name, op=op, operand=_bind_value(condition.operand, field)),)


def _has_day(operand: object) -> bool:
    if isinstance(operand, tuple):
        return any(map(_has_day, operand))
    return type(operand) is datetime.date or (isinstance(operand, str) and bool(_DAY.fullmatch(operand)))


def _bind_whole_days(condition: Condition, field: Field) -> tuple[Condition, ...]:
    match condition.op:
        case "gte" | "lt":
            return (_bind_day_bound(field, condition.op, condition.operand),)
        case "gt":
            return (_bind_day_bound(field, "gte", condition.operand, days=1),)
        case "lte":
            return (_bind_day_bound(field, "lt", condition.operand, days=1),)
        case "eq":
            return _bind_day_bound(field, "gte", condition.operand), _bind_day_bound(
                field, "lt", condition.operand, days=1
            )
        case "between":
            low, high = condition.operand
            until = (
                _bind_day_bound(field, "lt", high, days=1) if _has_day(high) else _bind_day_bound(field, "lte", high)
            )
            return _bind_day_bound(field, "gte", low), until
    raise OperandError(
        f"operator {condition.op} needs times for {field.name}, a datetime column; compare whole days with >= and <"
    )


def _bind_day_bound(field: Field, op: Op, operand: object, *, days: int = 0) -> Condition:
    try:
        moment = _convert_datetime(operand, field) + datetime.timedelta(days=days)
    except OverflowError as error:
        raise OperandError(f"{describe_value(operand)} is the last day of the calendar") from error
    return Condition(column=field.name, op=op, operand=moment)


def _sort_distinct(values: tuple[object, ...]) -> tuple[Any, ...]:
    """Sort the values and drop repetitions, so that their order does not change the plan hash."""
    return tuple(sorted(dict.fromkeys(values)))


def _bind_value(value: object, field: Field) -> object:
    match field.type:
        case "number":
            return _convert_number(value, field)
        case "string" if isinstance(value, str):
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case "date":
            return _convert_date(value, field)
        case "datetime":
            return _convert_datetime(value, field)
    raise _mismatch_error(value, field)


def _convert_number(value: Any, field: Field) -> int | float | Decimal:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        exact = Decimal(value)
    elif type(value) in (int, float, Decimal):
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    else:
        raise _mismatch_error(value, field)
    if field.physical == "float64":
        nearest = float(exact)
        if math.isinf(nearest):
            raise OperandError(f"{describe_value(value)} is beyond the range of {field.name}, a float64 column")
        return nearest + 0.0  # -0.0 and 0 are one operand
    if not has_few_digits(exact):
        raise OperandError(f"{describe_value(value)} is beyond the range of {field.name}, a {field.physical} column")
    return _simplify_number(exact)


def _simplify_number(exact: Decimal) -> int | Decimal:
    """Return the one form of a number: an int when it is whole, else a Decimal without trailing zeros."""
    ratio = Fraction(exact)
    if ratio.denominator == 1:
        return ratio.numerator
    sign, digits, exponent = exact.as_tuple()
    kept = list(digits)
    places = int(exponent)
    while kept[-1] == 0:
        kept.pop()
        places += 1
    return Decimal((sign, tuple(kept), places))


def _convert_date(value: object, field: Field) -> datetime.date:
    if type(value) is datetime.date:
        return value
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return datetime.date.fromisoformat(value)
        except ValueError as error:
            raise OperandError(f"{describe_value(value)} is not a calendar date") from error
    raise _mismatch_error(value, field)


def _convert_datetime(value: object, field: Field) -> datetime.datetime:
    if isinstance(value, datetime.datetime):
        return value
    if type(value) is datetime.date:
        return datetime.datetime.combine(value, datetime.time())
    if isinstance(value, str) and _DAY.match(value) and len(value) <= 40:
        if _FINER_THAN_MICROSECONDS.search(value):
            raise OperandError(f"{describe_value(value)} is finer than a microsecond, the resolution of {field.name}")
        try:
            moment = datetime.datetime.fromisoformat(value)
            return moment if moment.tzinfo is None else moment.astimezone(datetime.UTC).replace(tzinfo=None)
        except (ValueError, OverflowError) as error:
            raise OperandError(f"{describe_value(value)} is not an ISO 8601 date and time") from error
    raise _mismatch_error(value, field)


def _mismatch_error(value: object, field: Field) -> OperandError:
    expected = {"date": "a date such as '2024-01-31'", "datetime": "a date and time such as '2024-01-31T12:00'"}
    kind = expected.get(field.type, f"a {field.type}")
    return OperandError(f"{describe_value(value)} does not fit {field.name}, a {field.type} column: expected {kind}")


def build_predicate(condition: Condition) -> Callable[[Any], bool]:
    """Return the meaning of a bound condition as a function of one value of its column."""
    operand = condition.operand
    match condition.op:
        case "is_null":
            return lambda value: value is None
        case "is_not_null":
            return lambda value: value is not None
        case "eq":
            return lambda value: value is not None and bool(value == operand)
        case "ne":
            return lambda value: value is not None and bool(value != operand)
        case "gt":
            return lambda value: value is not None and bool(value > operand)
        case "gte":
            return lambda value: value is not None and bool(value >= operand)
        case "lt":
            return lambda value: value is not None and bool(value < operand)
        case "lte":
            return lambda value: value is not None and bool(value <= operand)
        case "between":
            low, high = operand
            return lambda value: value is not None and bool(low <= value <= high)
        case "in":
            members = frozenset(operand)
            return lambda value: value is not None and value in members
        case "not_in":
            excluded = frozenset(operand)
            return lambda value: value is not None and value not in excluded
        case "contains":
            return lambda value: value is not None and operand in value
        case "starts_with":
            return lambda value: value is not None and bool(value.startswith(operand))


def compute_period_bounds(period: Period, today: datetime.date) -> tuple[datetime.date, datetime.date]:
    """Return the first day of the period and the first day after it, seen from `today`."""
    unit = period.split("_")[1]
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    index = today.year * 12 + today.month - 1
    start = index - index % months - (months if period.startswith("last_") else 0)
    return _compute_first_day(start), _compute_first_day(start + months)


def _compute_first_day(month_index: int) -> datetime.date:
    return datetime.date(month_index // 12, month_index % 12 + 1, 1)


def build_period_conditions(field: Field, period: Period, today: datetime.date) -> tuple[Condition, ...]:
    """Return the half-open interval of days that the period means, as two bound conditions on `field`.

    Raises
    ------
    OperandError
        The column holds no dates.
    """
    if field.type not in ("date", "datetime"):
        raise OperandError(f"a period needs a date column; {field.name} is {field.type}")
    start, end = compute_period_bounds(period, today)
    return (
        *bind_condition(Condition(column=field.name, op="gte", operand=start), field),
        *bind_condition(Condition(column=field.name, op="lt", operand=end), field),
    )


def is_comparable(value: Value) -> bool:
    """Tell whether the value takes part in an order: not null, not NaN."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))
