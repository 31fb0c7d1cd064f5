"""Read a caller's spec into a well-formed `QuerySpec`: check its shape; sources and meaning are for `resolve`.

A fault here is the caller's (`invalid_intent`); a well-formed question that cannot be answered is an outcome and is
decided in `resolve`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.words import describe_value, find_nearest, misfit_error, require_object
from service_nb.core.zones import UTC, find_near_zones, has_zone
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.aggregations import RECORDS
from service_nb.query.condition_groups import find_joiner, flatten_conditions, join_conditions, write_tree
from service_nb.query.conditions import MAX_DIGITS, OPERATORS, OPS, has_few_digits
from service_nb.query.group_keys import form_series
from service_nb.query.measures import spell_measure, write_measure
from service_nb.schema.query import (
    AGGREGATIONS,
    DATE_UNITS,
    PERIODS,
    AggregationName,
    AskedMeasure,
    BinKey,
    Condition,
    ConditionTree,
    DateKey,
    DateUnit,
    GroupKey,
    Op,
    Order,
    Period,
    QuerySpec,
    TimeFilter,
)

SPEC_KEYS = (
    *("metric", "aggregation", "percent", "measures", "group_by", "filter", "having", "order_by", "order", "limit"),
    "source_name",
)
MEASURE_KEYS = ("aggregation", "metric", "percent")
GROUP_KEYS = ("column", "unit", "width", "zone")
FILTER_KEYS = ("conditions", "time_filter")
HAVING_KEYS = ("conditions",)
CONDITION_KEYS = ("column", "op", "value", "values")
TIME_FILTER_KEYS = ("column", "period")

MAX_NAME = 1_024
MAX_TEXT = 100_000
MAX_ZONE = 100  # characters of a zone that others are compared with
MAX_GROUP_BY = 16
MAX_MEASURES = 16
MAX_WIDTH_DIGITS = 15  # of a bin's width, in all, before and after the point
MAX_PERCENT_PLACES = 4  # behind the point: the ranks of the rows have to be numbers of 64 bits in every database
MAX_CONDITIONS = 100
MAX_GROUPS = 8  # of conditions, one in another
MAX_NESTING = 20  # objects in each other; where more are, there is no condition
MAX_VALUES = 10_000
_NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
MAX_LIMIT = MAX_SAFE_INTEGER


def read_numbers(raw: object) -> Any:
    """Return a spec, or a value of one, in which each whole double that JSON keeps is a whole number.

    JSON has one kind of number, and so has JavaScript: 2.0 and 2 are the same question, with the same hashes.
    """
    done: dict[int, Any] = {}  # an object that stands in many places is read once

    def walk(node: Any, depth: int) -> Any:
        if type(node) is float:
            return int(node) if node.is_integer() and abs(node) <= MAX_SAFE_INTEGER else node
        if depth > MAX_NESTING or not isinstance(node, Mapping | list | tuple):
            return node
        if id(node) not in done:
            parts = node.values() if isinstance(node, Mapping) else node
            changed = [walk(each, depth + 1) for each in parts]
            is_same = all(one is other for one, other in zip(parts, changed, strict=True))
            done[id(node)] = (
                node if is_same else dict(zip(node, changed, strict=True)) if isinstance(node, Mapping) else changed
            )
        return done[id(node)]

    return walk(raw, 0)


def parse_spec(raw: object) -> QuerySpec:
    """Check the shape of a QuerySpec and return it typed.

    Parameters
    ----------
    raw : Mapping
        Keys of `SPEC_KEYS`; None counts as absent.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        An unknown key, a value of the wrong type, or a choice outside its list; details name `path`.
    LimitExceededError [limit_exceeded]
        More group columns, conditions, values or characters than a spec may hold.
    """
    spec = require_object(raw, "spec", SPEC_KEYS)
    conditions, time_filter = _read_filter(spec.get("filter"))
    aggregation, metric, percent, more = _read_measures(spec)
    group_by, limit = _read_group_by(spec.get("group_by")), _read_limit(spec.get("limit"))
    order_by = _read_optional_name(spec.get("order_by"), "order_by")
    return QuerySpec(
        metric=metric,
        aggregation=aggregation,
        percent=percent,
        more=more,
        group_by=group_by,
        conditions=conditions,
        time_filter=time_filter,
        having=_read_having(spec.get("having")),
        order_by=order_by,
        order=_read_order(spec.get("order"), is_open=order_by is not None or form_series(group_by, limit)),
        limit=limit,
        source_name=_read_optional_name(spec.get("source_name"), "source_name"),
    )


def _read_measures(
    spec: Mapping[str, object],
) -> tuple[AggregationName | None, str | None, Decimal | None, tuple[AskedMeasure, ...]]:
    """Read what is asked for: `aggregation` and `metric`, or `measures` in their place, of which one is the first."""
    aggregation, metric, measures = (spec.get(key) for key in ("aggregation", "metric", "measures"))
    if measures is None:
        name = None if aggregation is None else _read_choice(aggregation, "aggregation", AGGREGATIONS)
        percent = _read_percent(spec.get("percent"), "percent", name)
        return cast("AggregationName | None", name), _read_optional_name(metric, "metric"), percent, ()
    both = next((key for key in ("aggregation", "metric", "percent") if spec.get(key) is not None), None)
    if both is not None:
        raise InvalidIntentError(
            f"The spec has `measures` and `{both}`.", hint="Put them all into `measures`.", path="measures", met=both
        )
    if not isinstance(measures, list | tuple) or not measures:
        raise misfit_error("measures", measures, "a list of measures")
    _check_size(len(measures), MAX_MEASURES, "measures", "measures")
    first, *more = (_read_measure(each, f"measures[{index}]") for index, each in enumerate(measures))
    for index, each in enumerate(more, 1):
        if each in (first, *more[: index - 1]):
            met = spell_measure(each)
            raise InvalidIntentError(f"measures names {met!r} twice.", path=f"measures[{index}]", met=met)
    return first.aggregation, first.metric, first.percent, tuple(more)


def _read_measure(raw: object, path: str) -> AskedMeasure:
    parts = require_object(raw, path, MEASURE_KEYS)
    name = _read_choice(parts.get("aggregation"), f"{path}.aggregation", AGGREGATIONS)
    return AskedMeasure(
        aggregation=cast(AggregationName, name),
        metric=_read_optional_name(parts.get("metric"), f"{path}.metric"),
        percent=_read_percent(parts.get("percent"), f"{path}.percent", name),
    )


def _read_percent(raw: object, path: str, aggregation: str | None) -> Decimal | None:
    """Read the percent of a percentile: a decimal from 0 to 100 of few digits, with no zeros at its end."""
    if raw is None:
        return None
    if aggregation is None or not RECORDS[cast("AggregationName", aggregation)].takes_percent:
        raise InvalidIntentError(
            f"{path} belongs to percentiles; the aggregation is {aggregation or 'missing'}.",
            hint='Ask for {"aggregation": "percentile", "percent": 90}, or leave `percent` out.',
            path=path,
            met=describe_value(raw),
            expected="no percent",
        )
    percent = _read_decimal(raw)
    if percent is None or not 0 <= percent <= 100:  # percent are of a hundred
        raise misfit_error(path, raw, "a number from 0 to 100")
    percent = abs(percent).normalize() if len(percent.as_tuple().digits) <= MAX_WIDTH_DIGITS else percent
    if -int(percent.as_tuple().exponent) > MAX_PERCENT_PLACES:
        raise LimitExceededError(
            f"{path} has more than {MAX_PERCENT_PLACES} digits behind its point.",
            path=path,
            limit=MAX_PERCENT_PLACES,
            limit_name="digits",
        )
    return percent.quantize(Decimal(1)) if percent == percent.to_integral_value() else percent


def _read_decimal(raw: object) -> Decimal | None:
    """Read a finite decimal that is written as a number or a text; None of anything else."""
    if not isinstance(raw, str | int | float | Decimal) or isinstance(raw, bool):
        return None
    if isinstance(raw, str) and (len(raw) > MAX_DIGITS or not _NUMERAL.fullmatch(raw)):
        return None
    number = Decimal(repr(raw) if isinstance(raw, float) else raw)
    return number if number.is_finite() else None


def _read_group_by(raw: object) -> tuple[GroupKey, ...]:
    if raw is None:
        return ()
    keys = [raw] if isinstance(raw, str) or (isinstance(raw, Mapping) and "column" in raw) else raw
    if not isinstance(keys, list | tuple):
        raise misfit_error("group_by", raw, "a column name or a list of them")
    _check_size(len(keys), MAX_GROUP_BY, "group_by", "columns")
    checked = tuple(_read_key(key, f"group_by[{index}]") for index, key in enumerate(keys))
    if len(set(checked)) != len(checked):
        key = next(key for key in checked if checked.count(key) > 1)
        twice = key if isinstance(key, str) else key.column
        raise InvalidIntentError(f"group_by names {twice!r} twice.", path="group_by", met=twice)
    return checked


def _read_key(raw: object, path: str) -> GroupKey:
    if not isinstance(raw, Mapping):
        return _read_name(raw, path)
    parts = require_object(raw, path, GROUP_KEYS)
    column, unit, width = _read_name(parts.get("column"), f"{path}.column"), parts.get("unit"), parts.get("width")
    if (unit is None) == (width is None):
        raise InvalidIntentError(
            f"{path} takes either `unit` or `width`.",
            hint=f"Give a unit ({', '.join(DATE_UNITS)}) to group a date, or a width to group numbers into bins.",
            path=path,
            expected="unit or width",
        )
    zone = parts.get("zone")
    if width is None:
        named = cast(DateUnit, _read_choice(unit, f"{path}.unit", DATE_UNITS))
        return DateKey(column=column, unit=named, zone=None if zone is None else _read_zone(zone, f"{path}.zone"))
    if zone is not None:
        raise InvalidIntentError(f"{path}: a zone belongs to a `unit`.", path=path, met="zone", expected="no zone")
    return BinKey(column=column, width=_read_width(width, f"{path}.width"))


def _read_width(raw: object, path: str) -> Decimal:
    """Read the width of bins: a positive decimal of few digits, with no zeros at its end."""
    width = _read_decimal(raw)
    if width is None or width <= 0:
        raise misfit_error(path, raw, "a number above 0")
    width = width.normalize() if len(width.as_tuple().digits) <= 2 * MAX_WIDTH_DIGITS - 3 else width
    _, digits, exponent = width.as_tuple()
    if max(len(digits), width.adjusted() + 1, -int(exponent)) > MAX_WIDTH_DIGITS:
        raise LimitExceededError(
            f"{path} has more than {MAX_WIDTH_DIGITS} digits.",
            path=path,
            limit=MAX_WIDTH_DIGITS,
            limit_name="digits",
        )
    return width.quantize(Decimal(1)) if width == width.to_integral_value() else width


def write_key(key: GroupKey) -> str | dict[str, str]:
    """Return a group key as specs and plans have it: a width as decimal text."""
    match key:
        case DateKey():
            zone = {} if key.zone is None else {"zone": key.zone}
            return {"column": key.column, "unit": key.unit, **zone}
        case BinKey():
            return {"column": key.column, "width": f"{key.width:f}"}
    return key


def write_measures(measures: Sequence[AskedMeasure]) -> dict[str, object]:
    """Return the members of a spec or plan that say what is asked for: one measure needs no list."""
    listed = [*map(write_measure, measures)]
    return {"measures": listed} if len(listed) > 1 else listed[0]


def _read_filter(raw: object) -> tuple[tuple[ConditionTree, ...], TimeFilter | None]:
    if raw is None:
        return (), None
    parts = require_object(raw, "filter", FILTER_KEYS)
    checked = _ConditionsReader("filter.conditions", _read_condition).read(parts.get("conditions") or ())
    return checked, _read_time_filter(parts.get("time_filter"))


def _read_having(raw: object) -> tuple[ConditionTree, ...]:
    if raw is None:
        return ()
    parts = require_object(raw, "having", HAVING_KEYS)
    return _ConditionsReader("having.conditions", _read_measured).read(parts.get("conditions") or ())


class _ConditionsReader:
    """Reads the conditions of rows or of groups, and counts those in all brackets."""

    def __init__(self, path: str, read_leaf: Callable[[object, str], Condition]) -> None:
        self._path = path
        self._read_leaf = read_leaf
        self._count = 0

    def read(self, raw: object) -> tuple[ConditionTree, ...]:
        return tuple(flatten_conditions("all", self._read_list(raw, self._path, 0)))

    def _read_list(self, raw: object, path: str, depth: int) -> list[ConditionTree]:
        if not isinstance(raw, list | tuple):
            raise misfit_error(path, raw, "a list of conditions")
        _check_size(len(raw), MAX_CONDITIONS, path, "conditions")
        return [self._read_tree(item, f"{path}[{index}]", depth) for index, item in enumerate(raw)]

    def _read_tree(self, raw: object, path: str, depth: int) -> ConditionTree:
        joiner = find_joiner(raw) if isinstance(raw, Mapping) else None
        if joiner is None:
            self._count += 1
            _check_size(self._count, MAX_CONDITIONS, self._path, "conditions")
            return self._read_leaf(raw, path)
        parts = require_object(raw, path, (joiner,))[joiner]
        if depth == MAX_GROUPS:
            raise LimitExceededError(
                f"{path} is in more than {MAX_GROUPS} groups.", path=path, limit=MAX_GROUPS, value=depth + 1
            )
        inside = f"{path}.{joiner}"
        if not parts:
            raise misfit_error(inside, parts, "a list of at least one condition")
        return join_conditions(joiner, self._read_list(parts, inside, depth + 1))


def _read_condition(raw: object, path: str) -> Condition:
    parts = require_object(raw, path, CONDITION_KEYS)
    return _read_comparison(parts, path, _read_name(parts.get("column"), f"{path}.column"))


def _read_measured(raw: object, path: str) -> Condition:
    """Read a condition on a measure, in which that stands in place of a column."""
    parts = require_object(raw, path, (*MEASURE_KEYS, *CONDITION_KEYS[1:]))
    measure = _read_measure({key: parts[key] for key in MEASURE_KEYS if key in parts}, path)
    return replace(_read_comparison(parts, path, spell_measure(measure)), measure=measure)


def _read_comparison(parts: Mapping[str, object], path: str, column: str) -> Condition:
    op = cast(Op, _read_choice(parts.get("op"), f"{path}.op", OPS))
    value, values = parts.get("value"), parts.get("values")
    match OPERATORS[op].takes:
        case "none":
            if value is not None or values is not None:
                raise InvalidIntentError(f"{path}: {op} takes no value.", path=path, met="value", expected="no value")
            return Condition(column=column, op=op)
        case "two" | "list":
            return Condition(column=column, op=op, operand=_read_operands(op, value, values, path))
    if values is not None or value is None:
        raise InvalidIntentError(f"{path}: {op} takes one `value`.", path=path, expected="value")
    return Condition(column=column, op=op, operand=_read_operand(value, f"{path}.value"))


def _read_operands(op: Op, value: object, values: object, path: str) -> tuple[object, ...]:
    listed = value if values is None else values
    if (value is not None and values is not None) or not isinstance(listed, list | tuple) or not listed:
        raise InvalidIntentError(f"{path}: {op} takes `values`, a non-empty list.", path=path, expected="values")
    if OPERATORS[op].takes == "two" and len(listed) != 2:
        raise InvalidIntentError(f"{path}: {op} takes two `values`, not {len(listed)}.", path=path, expected="2 values")
    _check_size(len(listed), MAX_VALUES, f"{path}.values", "values")
    return tuple(_read_operand(item, f"{path}.values[{index}]") for index, item in enumerate(listed))


def _read_operand(value: object, path: str) -> object:
    if isinstance(value, float | Decimal) and not Decimal(value).is_finite():
        raise misfit_error(path, value, "a finite number")
    if isinstance(value, int | Decimal) and not has_few_digits(value):
        raise LimitExceededError(
            f"{path} has more than {MAX_DIGITS} digits.", path=path, limit=MAX_DIGITS, limit_name="digits"
        )
    if isinstance(value, str):
        return _read_text(value, path, MAX_TEXT)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return _convert_to_utc(value, path)
    if type(value) in (bool, int, float, Decimal, datetime.date, datetime.datetime):
        return value
    raise misfit_error(path, value, "a string, a number, a boolean or a date")


def _convert_to_utc(value: datetime.datetime, path: str) -> datetime.datetime:
    try:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    except OverflowError as error:
        raise misfit_error(path, value, "a moment of the calendar in UTC") from error


def _read_time_filter(raw: object) -> TimeFilter | None:
    if raw is None:
        return None
    parts = require_object(raw, "filter.time_filter", TIME_FILTER_KEYS)
    return TimeFilter(
        column=_read_name(parts.get("column"), "filter.time_filter.column"),
        period=cast(Period, _read_choice(parts.get("period"), "filter.time_filter.period", PERIODS)),
    )


def _read_order(raw: object, *, is_open: bool) -> Order | None:
    """Read an order; without one it is that of the first measure, but where `is_open`: by what, and from which end."""
    if raw is None:
        return None if is_open else "desc"
    return cast(Order, _read_choice(raw, "order", ("asc", "desc")))


def _read_limit(raw: object) -> int | None:
    if raw is None:
        return None
    if type(raw) is not int or raw < 1:
        raise misfit_error("limit", raw, "a positive integer")
    _check_size(raw, MAX_LIMIT, "limit", "rows")
    return raw


def _read_optional_name(raw: object, path: str) -> str | None:
    return None if raw is None else _read_name(raw, path)


def _read_name(raw: object, path: str) -> str:
    if not isinstance(raw, str) or not raw:
        raise misfit_error(path, raw, "a name")
    return _read_text(raw, path, MAX_NAME)


def _read_text(raw: str, path: str, longest: int) -> str:
    _check_size(len(raw), longest, path, "characters")
    try:
        raw.encode()
    except UnicodeEncodeError as error:
        raise misfit_error(path, "a lone surrogate", "text that can be encoded") from error
    return raw


def _read_choice(raw: object, path: str, choices: tuple[str, ...]) -> str:
    if isinstance(raw, str) and raw in choices:
        return raw
    near = find_nearest(raw, choices) if isinstance(raw, str) else []
    raise InvalidIntentError(
        f"{path} is {describe_value(raw)}; it may be {', '.join(choices)}.",
        hint=f"Did you mean {near[0]!r}?" if near else None,
        path=path,
        met=describe_value(raw),
        expected=list(choices),
        did_you_mean=near or None,
    )


def _read_zone(raw: object, path: str) -> str:
    """Read the name of a time zone; of one that is unknown, what is expected are those that it may stand for."""
    if isinstance(raw, str) and has_zone(raw):
        return raw
    near = find_near_zones(raw) if isinstance(raw, str) and len(raw) <= MAX_ZONE else []
    raise InvalidIntentError(
        f"{describe_value(raw)} is no time zone of the tz database.",
        hint=f"Did you mean {near[0]!r}?" if near else "Write it as Europe/Berlin, or leave it out: then it is UTC.",
        path=path,
        met=describe_value(raw),
        expected=near or [UTC],
        did_you_mean=near or None,
    )


def _check_size(size: int, limit: int, path: str, unit: str) -> None:
    if size > limit:
        raise LimitExceededError(
            f"{path} has {size} {unit}; at most {limit} are taken.", path=path, limit=limit, value=size
        )


def write_spec(spec: QuerySpec) -> dict[str, object]:
    """Return the spec as the object a caller would write, without absent parts."""
    form: dict[str, object] = {}
    if spec.aggregation is not None:
        first = AskedMeasure(aggregation=spec.aggregation, metric=spec.metric, percent=spec.percent)
        form |= write_measures((first, *spec.more))
    elif spec.metric is not None:
        form["metric"] = spec.metric
    for key in ("limit", "source_name", "order_by"):
        if getattr(spec, key) is not None:
            form[key] = getattr(spec, key)
    if spec.group_by:
        form["group_by"] = [*map(write_key, spec.group_by)]
    is_said = spec.order_by is not None or form_series(spec.group_by, spec.limit)
    if spec.order is not None and (is_said or spec.order != "desc"):
        form["order"] = spec.order
    parts: dict[str, Any] = {}
    if spec.conditions:
        parts["conditions"] = [write_tree(tree) for tree in spec.conditions]
    if spec.time_filter is not None:
        parts["time_filter"] = {"column": spec.time_filter.column, "period": spec.time_filter.period}
    if parts:
        form["filter"] = parts
    if spec.having:
        form["having"] = {"conditions": [write_tree(tree) for tree in spec.having]}
    return form
