"""The plan: its JSON form, its hash, the columns and order of its result, and its description in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any, cast, get_args

from service_nb.core.canonical import write_canonical_text, write_float
from service_nb.core.digest import PLAN_DOMAIN, digest
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, PlanInvalidError, ServiceError
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import format_value
from service_nb.query.condition_groups import describe_conditions, list_leaves, write_tree
from service_nb.query.conditions import OPERATORS, build_predicate
from service_nb.query.group_keys import build_key_field, describe_keys, form_series, get_key_column, name_keys
from service_nb.query.measures import build_measure_field
from service_nb.query.spec import SPEC_KEYS, parse_spec, read_numbers, write_key, write_measures
from service_nb.schema.query import (
    AskedMeasure,
    Condition,
    ConditionTree,
    DecisionPath,
    Group,
    GroupKey,
    Joiner,
    Plan,
    QuerySpec,
)
from service_nb.schema.source import Field, Value, convert_to_json

PLAN_VERSION = 1
_JSON_KEYS = ("version", *SPEC_KEYS, "schema_revision", "decision_path", "plan_hash", "notes")


def build_hashed_form(plan: Plan) -> dict[str, Any]:
    """Build the object that `plan_hash` covers: the resolved question and its schema, without nulls."""
    form: dict[str, object] = {
        **write_measures(plan.measures),
        "order": plan.order,
        "schema_revision": plan.schema_revision,
    }
    if plan.group_by:
        form["group_by"] = [*map(write_key, plan.group_by)]
    if plan.order_by is not None:
        form["order_by"] = plan.order_by
    if plan.conditions:
        form["filter"] = {"conditions": [write_tree(each, convert_to_json) for each in plan.conditions]}
    if plan.having:
        form["having"] = {"conditions": [write_tree(each, convert_to_json) for each in plan.having]}
    if plan.limit is not None:
        form["limit"] = plan.limit
    return form


def drop_default_order(form: dict[str, Any]) -> dict[str, Any]:
    """Return the hashed form of a plan as a question has it: without an order that the question has by itself.

    The order of a series is written out, also where it is by its keys: its recorded line says what it was ordered by.
    """
    is_default = form["order"] == "desc" and "order_by" not in form
    if is_default and not form_series(form.get("group_by", ()), form.get("limit")):
        return {key: value for key, value in form.items() if key != "order"}
    return form


def write_plan_text(plan: Plan) -> str:
    """Return the canonical text that is hashed."""
    return write_canonical_text(build_hashed_form(plan))


def seal_plan(plan: Plan) -> Plan:
    """Return the plan with its hash filled in."""
    return replace(plan, plan_hash=digest(PLAN_DOMAIN, write_plan_text(plan)))


def plan_to_json(plan: Plan) -> dict[str, object]:
    """Return the plan as JSON: it can be stored, sent and replayed."""
    return {
        "version": PLAN_VERSION,
        "source_name": plan.source_name,
        **build_hashed_form(plan),
        "decision_path": plan.decision_path,
        "plan_hash": plan.plan_hash,
        "notes": dict(plan.notes),
    }


def plan_from_json(raw: object) -> tuple[QuerySpec, Mapping[str, Any]]:
    """Read a stored plan: the question in it, not yet bound to a schema, and the rest of its fields.

    Raises
    ------
    PlanInvalidError [plan_invalid]
        It is no plan of this version, or a field is missing or malformed.
    """
    raw = read_numbers(raw)
    if not isinstance(raw, Mapping) or type(raw.get("version")) is not int or raw["version"] != PLAN_VERSION:
        raise PlanInvalidError(
            f"This is not a plan of version {PLAN_VERSION}.",
            hint="Pass the `plan` that resolve(spec) returned.",
            met=describe_value(raw),
        )
    unknown = sorted(str(key) for key in raw if key not in _JSON_KEYS)
    if unknown:
        raise PlanInvalidError(f"The plan holds {describe_value(unknown[0])}, which plans do not have.", met=unknown[0])
    question = {key: raw.get(key) for key in SPEC_KEYS}
    try:
        spec = parse_spec(question)
    except InvalidIntentError as error:
        raise PlanInvalidError(f"The plan is malformed: {error.message}", **error.details) from error
    asked = ("aggregation",) if raw.get("measures") is None else ()
    for key in ("source_name", "schema_revision", "plan_hash", "decision_path", *asked, "order"):
        if not isinstance(raw.get(key), str):
            raise PlanInvalidError(
                f"The plan has no {key}.", path=key, met=describe_value(raw.get(key)), expected="text"
            )
    if raw["decision_path"] not in get_args(DecisionPath):
        raise PlanInvalidError("The plan's decision_path is malformed.", path="decision_path")
    notes = raw.get("notes", {})
    if not isinstance(notes, Mapping) or not all(isinstance(text, str) for pair in notes.items() for text in pair):
        raise PlanInvalidError("The plan's notes are malformed.", path="notes", expected="text by name")
    if spec.time_filter is not None:
        raise PlanInvalidError(
            "The plan holds a relative period; plans hold absolute dates.", path="filter.time_filter"
        )
    return spec, raw


def restore_plan(plan: Plan | None, stored: Mapping[str, Any]) -> Plan:
    """Return the plan bound again, with its stored notes, provided that its content still has its stored hash.

    Raises
    ------
    PlanInvalidError [plan_invalid]
        It cannot be bound any more, or its content was altered.
    """
    if plan is None:
        raise PlanInvalidError("The plan does not fit the source that it names.", hint="Resolve the question again.")
    rebuilt = seal_plan(
        replace(plan, decision_path=cast(DecisionPath, stored["decision_path"]), notes=stored.get("notes") or {})
    )
    if rebuilt.plan_hash != stored["plan_hash"]:
        raise PlanInvalidError(
            "The plan's content does not have the plan_hash that it carries: it was altered.",
            hint="Resolve the question again.",
            met=describe_value(stored["plan_hash"]),
            expected=rebuilt.plan_hash,
        )
    return rebuilt


def list_named_columns(asked: QuerySpec | Plan) -> list[str]:
    """Return every column that the question names, each once."""
    named = [
        *map(get_key_column, asked.group_by),
        *(asked.metric, *(each.metric for each in asked.more)),
        *(condition.column for condition in list_leaves(asked.conditions)),
        *(each.measure.metric for each in list_leaves(asked.having) if each.measure is not None),
    ]
    return list(dict.fromkeys(name for name in named if name is not None))


# --- the result's rows and columns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a result, in order: group keys, one for each measure, the row count.

    A measure that counts rows has the row count's column.
    """

    keys: tuple[str, ...]
    measures: tuple[str, ...]
    count: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """The columns of measures other than the row count."""
        return tuple(name for name in self.measures if name != self.count)

    @property
    def names(self) -> tuple[str, ...]:
        """All names in order."""
        return (*self.keys, *self.metrics, self.count)


def build_result_columns(plan: Plan) -> ResultColumns:
    """Return the names of the result's columns, each different.

    One measure has its column's name (`<aggregation>_<column>` if that is also a group key), several have
    `<aggregation>_<column>` each, percentiles `p90_<column>`; the count of rows is `count`, or `row_count` where a
    column already has that name.
    """
    return name_result_columns(plan.group_by, plan.measures)


def name_result_columns(group_by: Sequence[GroupKey], asked: Sequence[AskedMeasure]) -> ResultColumns:
    """Name the columns of a result by its keys and its measures, as `build_result_columns` says."""
    keys = name_keys(group_by)
    taken, named = set(keys), []
    for each in asked:
        if each.metric is not None:
            long = _name_measure(each)
            named.append(_find_free_name(taken, long if len(asked) > 1 else each.metric, long))
            taken.add(named[-1])
    count, rest = _find_free_name(taken, "count", "row_count"), iter(named)
    measures = tuple(count if each.metric is None else next(rest) for each in asked)
    return ResultColumns(keys, measures, count)


def _name_measure(measure: AskedMeasure) -> str:
    """Name a measure by its aggregation and its column: a percentile as `p90_delay`, and `p99_9_delay`."""
    short = "" if measure.percent is None else f"{measure.percent:f}".replace(".", "_")
    return f"{f'p{short}' if short else measure.aggregation}_{measure.metric}"


def list_result_fields(plan: Plan, fields: Mapping[str, Field]) -> tuple[Field, ...]:
    """Return the result's columns with their types, in their order."""
    names = build_result_columns(plan)
    pairs = zip(names.keys, plan.group_by, strict=True)
    found = [replace(build_key_field(key, fields[get_key_column(key)]), name=name) for name, key in pairs]
    for name, each in zip(names.measures, plan.measures, strict=True):
        if each.metric is not None:
            found.append(build_measure_field(name, each, fields))
    return (*found, Field(name=names.count, type="number", physical="int64"))


def _find_free_name(taken: set[str], first: str, second: str) -> str:
    name = first if first not in taken else second
    while name in taken:
        name += "_"
    return name


def build_row(group: Group, columns: ResultColumns) -> tuple[Value, ...]:
    """Return one row of native values in the order of the columns."""
    values = [
        value for name, value in zip(columns.measures, (group.value, *group.more), strict=True) if name != columns.count
    ]
    return (*group.keys, *values, group.rows)


def is_comparable(value: Value) -> bool:
    """Tell whether the value takes part in an order: not null, not NaN."""
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def sort_groups(groups: Iterable[Group], plan: Plan) -> list[Group]:
    """Return the groups that meet the plan's `having` in the plan's total order, cut to its limit.

    By the first measure, or the column that `order_by` names, in the plan's direction; NaN after every number and null
    after NaN, in both directions; ties by the group keys ascending, text by code point, nulls last.
    """
    found, get = list(filter(_build_group_test("all", plan.having, plan), groups)), _find_order_value(plan)
    first = [group for group in found if is_comparable(get(group))]
    first.sort(key=get, reverse=plan.order == "desc")
    last = [group for group in found if not is_comparable(get(group))]
    last.sort(key=lambda group: get(group) is None)
    wanted = len(found) if plan.limit is None else plan.limit
    rows: list[Group] = []
    for _, tied in chain(groupby(first, get), groupby(last, lambda group: get(group) is None)):
        if len(rows) >= wanted:
            break
        run = list(tied)
        rows += run if len(run) == 1 else sorted(run, key=_rank_keys)
    return rows[:wanted]


def _build_group_test(joiner: Joiner, trees: Iterable[ConditionTree], plan: Plan) -> Callable[[Group], bool]:
    """Build the meaning of conditions on finished measures: null and NaN are what they are in rows."""
    tests = [
        _build_test(tree, plan) if isinstance(tree, Condition) else _build_group_test(tree.joiner, tree.parts, plan)
        for tree in trees
    ]
    meets = all if joiner == "all" else any
    return lambda group: meets(test(group) for test in tests)


def _build_test(condition: Condition, plan: Plan) -> Callable[[Group], bool]:
    measure, holds = condition.measure, build_predicate(condition)
    if measure is None or measure.metric is None:
        return lambda group: holds(group.rows)
    at = plan.measures.index(measure)
    return lambda group: holds((group.value, *group.more)[at])


def _find_order_value(plan: Plan) -> Callable[[Group], Any]:
    """Return the function that reads of a group what the result is ordered by."""
    if plan.order_by is None:
        return lambda group: group.value
    names = build_result_columns(plan)
    if plan.order_by == names.count:
        return lambda group: group.rows
    if plan.order_by in names.keys:
        at = names.keys.index(plan.order_by)
        return lambda group: group.keys[at]
    at = names.measures.index(plan.order_by)
    return lambda group: (group.value, *group.more)[at]


def _rank_keys(group: Group) -> list[tuple[int, object]]:
    return [_rank(key) for key in group.keys]


def _rank(key: Value) -> tuple[int, object]:
    if key is None:
        return (2, 0)
    return (0, key) if is_comparable(key) else (1, 0)


# --- checks and words -------------------------------------------------------------------------------------------------

CHECKS = ("well_formed", "allowed", "registered", "schema_revision", "plan_hash", "content")


def list_checks(passed: Sequence[str], failure: ServiceError | None) -> list[dict[str, object]]:
    """Return every check of a plan with its status; those after a failure are not checkable."""
    checks: list[dict[str, object]] = [{"check": check, "status": "passed"} for check in passed]
    for check in CHECKS[len(passed) :]:
        if failure is not None and len(checks) == len(passed):
            checks.append({"check": check, "status": "failed", "cause": failure.code, "message": failure.message})
        else:
            checks.append({"check": check, "status": "not_checkable", "cause": f"{CHECKS[len(passed)]} failed"})
    return checks


def describe_steps(plan: Plan, rows: int | None = None) -> list[str]:
    """Return the plan in words, one step a line, in the order of execution."""
    size = f"{rows:,} rows, " if rows is not None else ""
    lines = [f"Read {plan.source_name} ({size}schema {plan.schema_revision[:12]})"]
    if plan.conditions:
        lines.append(f"Keep the rows where {describe_conditions(plan.conditions, _describe_condition)}")
    if plan.group_by:
        lines.append(f"Group by {describe_keys(plan.group_by)}")
    is_grouped = bool(plan.group_by)
    lines += [
        RECORDS[each.aggregation].describe(each.metric, each.percent, is_grouped=is_grouped) for each in plan.measures
    ]
    if plan.having:
        lines.append(f"Keep the groups where {describe_conditions(plan.having, _describe_condition)}")
    if plan.group_by:
        names = build_result_columns(plan)
        direction = "descending" if plan.order == "desc" else "ascending"
        first = names.measures[0] if plan.more else plan.metric or "count"
        key = plan.order_by or first
        others = ", ".join(each for each in names.keys if each != plan.order_by)  # by which ties are ordered
        lines.append(f"Order by {key} {direction}, nulls last" + (f", ties by {others} ascending" if others else ""))
    if plan.limit is not None:
        lines.append(f"Keep the first {plan.limit:,} rows")
    return lines


_MOST_LISTED = 10


def _describe_condition(condition: Condition) -> str:
    record, operand = OPERATORS[condition.op], condition.operand
    words = f"{condition.column} {record.words}"
    match record.takes:
        case "none":
            return words
        case "two":
            return f"{words} {' and '.join(map(_format_operand, operand))}"
        case "list":
            more = f", … {len(operand) - _MOST_LISTED} more" if len(operand) > _MOST_LISTED else ""
            return f"{words} {', '.join(map(_format_operand, operand[:_MOST_LISTED]))}{more}"
    return f"{words} {_format_operand(operand)}"


def _format_operand(value: Any) -> str:
    """Write an operand as the ask line of the recorded plan has it, in which a whole float is a whole number."""
    ready = convert_to_json(value)
    return write_float(ready) if isinstance(ready, float) and ready.is_integer() else format_value(ready)


def describe_question(plan: Plan) -> str:
    """Return the question in one line of words, as a card shows it."""
    first, *more = map(_describe_measure, plan.measures)
    words = ", ".join([first, *(each[0].lower() + each[1:] for each in more)])
    if plan.group_by:
        words += f" by {describe_keys(plan.group_by)}"
    words += f" in {plan.source_name}"
    if plan.conditions:
        words += f" where {describe_conditions(plan.conditions, _describe_condition)}"
    if plan.having:
        words += f" having {describe_conditions(plan.having, _describe_condition)}"
    if plan.limit is not None:
        words += f", first {plan.limit:,}"
    return words


def _describe_measure(measure: AskedMeasure) -> str:
    return f"{RECORDS[measure.aggregation].describe_noun(measure.percent)} {measure.metric or 'rows'}"
