"""Conditions: one record an operator, operands bound to a column's type, and calendar periods made absolute.

The meaning is the same on every engine: a null satisfies only `is_null`; NaN satisfies only `is_not_null`, `ne` and
`not_in` (it equals nothing and is ordered with nothing); text is compared by code point and is case-sensitive; numbers
are compared as real numbers. An operand for a float64 column is first rounded to the nearest double, as the column's
own values were, and the plan notes where that is another number; integer and decimal columns are compared with the
operand's exact decimal value.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Literal

from service_nb.core.canonical import write_float
from service_nb.core.words import describe_value
from service_nb.query.measures import write_measure
from service_nb.schema.native import parse_datetime
from service_nb.schema.query import Condition, Op, Period
from service_nb.schema.source import Field

MAX_DIGITS = 400  # of a number, before the point and after it: more than any column holds
_MOST_SHOWN = 40  # characters of an operand in a note

_DIGITS = rf"\d{{1,{MAX_DIGITS}}}"
_NUMBER = re.compile(rf"[+-]?({_DIGITS}\.?|({_DIGITS})?\.{_DIGITS})([eE][+-]?\d{{1,4}})?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{7}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """The record of one operator, from which ask lines, plans, completion and OpenAPI know it.

    Its operands' types are in `schema`, its SQL is in `sql_conditions`. What runs without this package has words of its
    own: `evidence/standalone.py` and the browser's packages. `tests/contracts/test_conditions.py` names who forgot one.

    Attributes
    ----------
    takes : str
        Its operands: no value, one, one text, two, or a list.
    ask : tuple of str
        Its spellings in ask lines, the canonical one first.
    words : str
        Its name in the description of a plan.
    holds : callable
        Its meaning: whether a value of the column, never null, meets the operand. A list comes as a frozenset.
    opposite : str or None
        The operator that holds for all other values, but for nulls and NaN.
    is_ordered : bool
        Whether it compares by an order, which truth values have not.
    holds_for_nan : bool
        Whether NaN satisfies it. Such an operator keeps all but a few values: all of them where the column can hold
        none of the operands, and an index is never asked for it.
    """

    takes: Literal["none", "one", "text", "two", "list"]
    ask: tuple[str, ...]
    words: str
    holds: Callable[[Any, Any], bool]
    opposite: Op | None = None
    is_ordered: bool = False
    holds_for_nan: bool = False


OPERATORS: Mapping[Op, Operator] = {
    "eq": Operator(takes="one", ask=("=", "=="), words="=", holds=operator.eq, opposite="ne"),
    "ne": Operator(takes="one", ask=("!=", "<>"), words="≠", holds=operator.ne, opposite="eq", holds_for_nan=True),
    "gt": Operator(takes="one", ask=(">",), words=">", holds=operator.gt, opposite="lte", is_ordered=True),
    "gte": Operator(takes="one", ask=(">=",), words="≥", holds=operator.ge, opposite="lt", is_ordered=True),
    "lt": Operator(takes="one", ask=("<",), words="<", holds=operator.lt, opposite="gte", is_ordered=True),
    "lte": Operator(takes="one", ask=("<=",), words="≤", holds=operator.le, opposite="gt", is_ordered=True),
    "contains": Operator(takes="text", ask=("contains",), words="contains", holds=operator.contains),
    "starts_with": Operator(takes="text", ask=("starts with",), words="starts with", holds=str.startswith),
    "in": Operator(
        takes="list",
        ask=("in",),
        words="is one of",
        holds=lambda value, listed: value in listed,
        opposite="not_in",
    ),
    "not_in": Operator(
        takes="list",
        ask=("not in",),
        words="is none of",
        holds=lambda value, listed: value not in listed,
        opposite="in",
        holds_for_nan=True,
    ),
    "between": Operator(
        takes="two",
        ask=("between",),
        words="is between",
        holds=lambda value, ends: ends[0] <= value <= ends[1],
        is_ordered=True,
    ),
    "is_null": Operator(
        takes="none", ask=("is null",), words="is null", holds=lambda *_: False, opposite="is_not_null"
    ),
    "is_not_null": Operator(
        takes="none", ask=("is not null",), words="is not null", holds=lambda *_: True, opposite="is_null"
    ),
}
OPS = tuple(OPERATORS)
COMPARISONS: Mapping[str, Op] = {record.ask[0]: op for op, record in OPERATORS.items() if record.takes == "one"}


def find_opposite(op: object) -> Op | None:
    """Find the operator that holds for all other values; None of what is no operator, or has no opposite."""
    record = OPERATORS.get(op)  # type: ignore[call-overload]
    return record.opposite if record is not None else None


def list_ops(*takes: str) -> list[Op]:
    """List the operators whose operands are of these kinds."""
    return [op for op, record in OPERATORS.items() if record.takes in takes]


def build_predicate(condition: Condition) -> Callable[[object], bool]:
    """Build the meaning of a bound condition as a function of one value of its column."""
    if condition.op == "is_null":
        return lambda value: value is None
    record = OPERATORS[condition.op]
    holds, operand = record.holds, frozenset(condition.operand) if record.takes == "list" else condition.operand
    return lambda value: value is not None and holds(value, operand)


def write_condition(condition: Condition, convert: Callable[[Any], object] = lambda value: value) -> dict[str, object]:
    """Write a condition as the object a caller would write, its values as `convert` makes them."""
    measure = condition.measure
    form: dict[str, object] = {"column": condition.column} if measure is None else write_measure(measure)
    form["op"] = condition.op
    if isinstance(condition.operand, tuple):
        form["values"] = [convert(value) for value in condition.operand]
    elif condition.operand is not None:
        form["value"] = convert(condition.operand)
    return form


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
    op, record, operand = condition.op, OPERATORS[condition.op], condition.operand
    if record.takes == "text" and field.type != "string":
        raise OperandError(f"operator {op} needs a string column; {field.name} is {field.type}")
    if record.is_ordered and field.type == "boolean":
        raise OperandError(f"operator {op} needs an ordered column; {field.name} is boolean")
    if field.type == "datetime" and _has_day(operand):
        if op == "eq":
            condition = replace(condition, op="between", operand=(operand, operand))
        return tuple(_bind_whole_day(part, field) for part in list_conjuncts(condition))
    if isinstance(operand, tuple):
        bound = tuple(_bind_value(value, field) for value in operand)
        # Sorted and without repetitions, so that the order of a list does not change the plan hash.
        operand = tuple(sorted(dict.fromkeys(bound))) if record.takes == "list" else bound
    elif record.takes != "none":
        operand = _bind_value(operand, field)
    return (replace(condition, column=field.name, operand=operand),)


def _has_day(operand: object) -> bool:
    if isinstance(operand, tuple):
        return any(map(_has_day, operand))
    return type(operand) is datetime.date or (isinstance(operand, str) and bool(_DAY.fullmatch(operand)))


def list_conjuncts(condition: Condition) -> list[Condition]:
    """List the conditions that, joined by AND, mean this one: the two bounds of `between`, any other as it is."""
    if condition.op != "between":
        return [condition]
    low, high = condition.operand
    return [replace(condition, op="gte", operand=low), replace(condition, op="lte", operand=high)]


_DAY_BOUNDS: Mapping[Op, tuple[Op, int]] = {"gte": ("gte", 0), "lt": ("lt", 0), "gt": ("gte", 1), "lte": ("lt", 1)}


def _bind_whole_day(condition: Condition, field: Field) -> Condition:
    """Bind one bound of a datetime column: a whole day ends where the next one begins."""
    if condition.op not in _DAY_BOUNDS:
        raise OperandError(
            f"operator {condition.op} needs times for {field.name}, a datetime column; compare whole days with >= and <"
        )
    op, days = _DAY_BOUNDS[condition.op] if _has_day(condition.operand) else (condition.op, 0)
    try:
        moment = _convert_datetime(condition.operand, field) + datetime.timedelta(days=days)
    except OverflowError as error:
        raise OperandError(f"{describe_value(condition.operand)} is the last day of the calendar") from error
    return replace(condition, column=field.name, op=op, operand=moment)


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
    ratio = Fraction(exact)  # one form of each number: an int when it is whole, else no zeros at its end
    return ratio.numerator if ratio.denominator == 1 else exact.normalize(Context(prec=2 * MAX_DIGITS))


def list_rounded_operands(condition: Condition, field: Field) -> list[str]:
    """List the operands of a condition that no double equals, each with the double that it is compared as.

    The shortest text of a double is what people mean by it, as `0.3`, and is not listed.
    """
    if field.physical != "float64":
        return []
    operands = condition.operand if isinstance(condition.operand, tuple) else (condition.operand,)
    told = []
    for value in operands:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            continue  # of a float nobody knows what was written
        exact, nearest = Decimal(value), float(value) + 0.0
        if exact not in (Decimal(repr(nearest)), Decimal(nearest)):
            text = str(value)
            shown = text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"
            told.append(f"{shown} as {write_float(nearest)}")
    return list(dict.fromkeys(told))


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
            moment = parse_datetime(value)
            return moment if moment.tzinfo is None else moment.astimezone(datetime.UTC).replace(tzinfo=None)
        except (ValueError, OverflowError) as error:
            raise OperandError(f"{describe_value(value)} is not an ISO 8601 date and time") from error
    raise _mismatch_error(value, field)


def _mismatch_error(value: object, field: Field) -> OperandError:
    expected = {"date": "a date such as '2024-01-31'", "datetime": "a date and time such as '2024-01-31T12:00'"}
    kind = expected.get(field.type, f"a {field.type}")
    return OperandError(f"{describe_value(value)} does not fit {field.name}, a {field.type} column: expected {kind}")


def has_few_digits(value: int | Decimal) -> bool:
    """Tell whether the number, written without an exponent, has at most `MAX_DIGITS` digits on each side."""
    if isinstance(value, int):
        return bool(abs(value) < 10**MAX_DIGITS)
    return value.adjusted() < MAX_DIGITS and int(value.as_tuple().exponent) >= -MAX_DIGITS


def compute_period_bounds(period: Period, today: datetime.date) -> tuple[datetime.date, datetime.date]:
    """Return the first day of the period and the first day after it, seen from `today`."""
    unit = period.split("_")[1]
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    index = today.year * 12 + today.month - 1
    start = index - index % months - (months if period.startswith("last_") else 0)
    first, after = (datetime.date(month // 12, month % 12 + 1, 1) for month in (start, start + months))
    return first, after


def build_period_conditions(field: Field, period: Period, today: datetime.date) -> tuple[Condition, ...]:
    """Return the half-open interval of days that the period means, as two bound conditions on `field`.

    Raises
    ------
    OperandError
        The column holds no dates.
    """
    if field.type not in ("date", "datetime"):
        raise OperandError(f"a period needs a date column; {field.name} is {field.type}")
    bounds: tuple[Op, Op] = ("gte", "lt")
    days = zip(bounds, compute_period_bounds(period, today), strict=True)
    return tuple(
        bound for op, day in days for bound in bind_condition(Condition(column=field.name, op=op, operand=day), field)
    )
