"""Variables of questions: `where year = $year`. A name stands for a value of a condition, and never for text.

A spec has them as `{"variable": "year"}`. They become values before anything else reads the question, so a plan holds
values; what each stood for is in its notes. Of NumPy and pandas, scalars are taken by their exact value.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from service_nb.core.words import describe_value, find_nearest, make_visible
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.ask_line import format_value, read_literal
from service_nb.query.spec import MAX_NESTING, MAX_VALUES, read_numbers

MOST_NAMED = 12  # variables that a message lists
MOST_NOTED = 10  # values of a list that a note writes out
MOST_CHARS = 200  # of a value in a note
EXPECTED = "text, a number, a boolean, a date, or a list of them"


@dataclass(slots=True)
class VariableBinder:
    """Replaces the variables of one question by values, and notes what each stood for."""

    variables: Mapping[str, object]
    notes: dict[str, str] = field(default_factory=dict)

    def bind(self, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the spec with values in place of its variables.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            There is no variable of a name, or its value is none that a condition compares with.
        """
        return change_variables(spec, self._find)

    def _find(self, name: str) -> object:
        if name not in self.variables:
            raise unbound_variable_error(name, self.variables)
        value = read_variable_value(self.variables[name], name)
        self.notes[f"${name}"] = _write_note(value)
        return value


def list_variables(spec: Mapping[str, Any]) -> list[str]:
    """List the names of a spec's variables, each once."""
    found: dict[str, None] = {}

    def note(name: str) -> None:
        found[name] = None

    change_variables(spec, note)
    return list(found)


def change_variables(spec: Mapping[str, Any], change: Callable[[str], object]) -> dict[str, Any]:
    """Return the spec with each variable of its conditions changed into something else."""
    done: dict[int, Any] = {}  # an object that stands in many places is read once

    def walk(node: Any, depth: int) -> Any:
        if depth > MAX_NESTING or not isinstance(node, Mapping | list | tuple):
            return node
        if id(node) not in done:
            done[id(node)] = walk_inside(node, depth)
        return done[id(node)]

    def walk_inside(node: Any, depth: int) -> Any:
        if not isinstance(node, Mapping):
            return [walk(each, depth + 1) for each in node]
        changed = {key: walk(each, depth + 1) for key, each in node.items()}
        for key in ("value", "values"):
            if key in changed:
                changed[key] = _change_operand(node[key], change, is_list=key == "values")
        return changed

    return {key: walk(each, 0) if key in ("filter", "having") else each for key, each in spec.items()}


class StartingControl(NamedTuple):
    """A control, as it was given, and the value of the question at which it starts."""

    control: Any
    start: object


def replace_values_by_variables(
    spec: Mapping[str, Any], names: Iterable[str], notes: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the spec with a variable in place of one value for each name, and the values that were there, by name.

    That is the value that the variable of this name stood for, as `notes` say, else that of the one condition on the
    column of this name. A column without a condition gets one: it equals the variable.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        More than one condition is meant.
    """
    filter_ = spec.get("filter") or {}
    conditions = [dict(each) for each in filter_.get("conditions") or ()]
    replaced: dict[str, Any] = {}
    for name in names:
        noted = [each for each in conditions if notes.get(f"${name}") in _list_operand_texts(each)]
        named = [each for each in conditions if each.get("column") == name and ("value" in each or "values" in each)]
        found = noted or named or [{"column": name, "op": "eq", "value": None}]
        if len(found) > 1:
            raise InvalidIntentError(
                f"{describe_value(name)} may mean {len(found)} conditions of the question.",
                hint=f"Write the variable where it belongs and ask with service_nb.interact: `where {name} = ${name}`.",
                met=name,
            )
        if found[0] not in conditions:
            conditions.append(found[0])
        else:
            listed = list(found[0].get("values", (found[0].get("value"),)))
            replaced |= {name: listed[0]} if len(listed) == 1 else {}
        found[0]["values" if "values" in found[0] else "value"] = {"variable": name}
    return {**spec, "filter": {**filter_, "conditions": conditions}}, replaced


def _list_operand_texts(condition: Mapping[str, Any]) -> list[str]:
    """List the texts that a note may have for the operand of a resolved condition: 2.0 may have been written 2."""
    if "values" not in condition and "value" not in condition:
        return []
    operand = condition.get("value", condition.get("values"))
    listed = list(operand) if isinstance(operand, list | tuple) else [operand]
    whole = [int(each) if isinstance(each, float) and each.is_integer() else each for each in listed]
    is_list = isinstance(operand, list | tuple)
    return [_write_note(some if is_list else some[0]) for some in (listed, whole)]


def _change_operand(operand: Any, change: Callable[[str], object], *, is_list: bool) -> Any:
    if _is_variable(operand):
        value = change(operand["variable"])
        return [value] if is_list and not isinstance(value, list) else value
    if not isinstance(operand, list | tuple) or not any(map(_is_variable, operand)):
        return operand
    listed: list[Any] = []
    for each in operand:  # `in ($years)` is `in $years`
        value = change(each["variable"]) if _is_variable(each) else each
        listed += value if _is_variable(each) and isinstance(value, list) else [value]
    return listed


def _is_variable(value: object) -> bool:
    return isinstance(value, Mapping) and set(value) == {"variable"} and isinstance(value["variable"], str)


def unbound_variable_error(name: str, variables: Mapping[str, object]) -> InvalidIntentError:
    """Return the error of a name that stands for nothing; it names the variables that there are, without values."""
    known = [each for each in variables if isinstance(each, str) and is_value(variables[each])]
    near = find_nearest(name, known, 1)
    listed = [f"${make_visible(each[:64])}" for each in [*near, *(each for each in sorted(known) if each not in near)]]
    more = f" and {len(listed) - MOST_NAMED:,} more" if len(listed) > MOST_NAMED else ""
    there = f"There is {', '.join(listed[:MOST_NAMED])}{more}." if listed else "None was given."
    return InvalidIntentError(
        f"No variable is called `${make_visible(name[:64])}`. {there}",
        hint=f"Did you mean `${near[0]}`?" if near else None,
        met=f"${name}",
        expected=listed[:MOST_NAMED] or None,
        did_you_mean=[f"${near[0]}"] if near else None,
    )


# --- values -----------------------------------------------------------------------------------------------------------


def is_value(value: object) -> bool:
    """Tell whether a variable may stand for this; of a list, whether it may for the first of its values."""
    listed = _list_items(value)
    try:
        _read_scalar(value if listed is None else next(iter(listed), None), "")
    except InvalidIntentError:
        return False
    return True


def read_variable_value(value: object, name: str) -> object:
    """Read what a variable stands for, as a caller would write it in a condition.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is neither text, number, boolean or date, nor a list of them.
    """
    listed = _list_items(value)
    if listed is None:
        return _read_scalar(value, name)
    if len(listed) > MAX_VALUES:
        raise LimitExceededError(
            f"The variable `${name}` has {len(listed):,} values; at most {MAX_VALUES:,} are taken.",
            limit=MAX_VALUES,
            value=len(listed),
        )
    return [_read_scalar(each, name) for each in listed]


def _list_items(value: Any) -> Sequence[object] | None:
    """List the items of a list, an array or a series, in order; None of another value."""
    if isinstance(value, list | tuple | range):
        return value
    return value if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 1 and hasattr(value, "__len__") else None


def _read_scalar(value: Any, name: str) -> object:
    if type(value).__module__.partition(".")[0] == "numpy":
        value = _convert_numpy(value)
    if isinstance(value, datetime.datetime) and not getattr(value, "nanosecond", 0) and value == value:
        return value if type(value) is datetime.datetime else _convert_datetime(value)
    for kind in (bool, int, float, Decimal, str):
        if isinstance(value, kind) and value == value:
            return read_numbers(value if type(value) is kind else kind(value))
    if type(value) is datetime.date:
        return value
    raise InvalidIntentError(
        f"The variable `${name}` is {describe_value(value)}; expected {EXPECTED}.", met=f"${name}", expected=EXPECTED
    )


def _convert_datetime(value: Any) -> datetime.datetime:
    return datetime.datetime(  # the zone is the value's own
        value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, value.tzinfo
    )


def _convert_numpy(value: Any) -> object:
    """Return the Python value that a NumPy scalar is exactly; what is none stays as it is, and is refused."""
    if getattr(value, "ndim", None) != 0:
        return value
    if value.dtype.kind != "M":
        return value.item()
    exact = value.astype("datetime64[us]")
    if exact != value:  # finer than a microsecond, or no moment at all
        return value
    day = exact.astype("datetime64[D]")
    return (day if str(value.dtype) in ("datetime64[D]", "datetime64[W]") else exact).item()


def _write_note(value: object) -> str:
    if not isinstance(value, list):
        return format_value(value)[:MOST_CHARS]
    more = f", … {len(value) - MOST_NOTED:,} more" if len(value) > MOST_NOTED else ""
    return f"({', '.join(format_value(each)[:MOST_CHARS] for each in value[:MOST_NOTED])}{more})"


def parse_variables(pairs: Iterable[str]) -> dict[str, object]:
    """Read variables as a command line has them: `year=2024`, `region=North`, `years=(2023, 2024)`.

    A value is what it would be in an ask line; what is none is text.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        A pair is not name=value, or a name is given twice.
    """
    found: dict[str, object] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name.isidentifier() or name in found:
            raise InvalidIntentError(
                f"--var {describe_value(pair)} is not NAME=VALUE, or its name is given twice.",
                hint="For example: --var year=2024",
                met=pair,
                expected="NAME=VALUE",
            )
        found[name] = read_literal(text)
    return found
