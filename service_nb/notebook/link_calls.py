"""The check of a call against its capability, from texts typed into a form; nothing is run.

Each argument is written as in a compute line: a number, 'text', true, a list, a column `source.field`, a variable
`$name`. Two things may be left out, because a field of a form has one place for one argument: the quotes of a text for
a parameter that is a text, and the brackets of a list for one that is a list. All faults are told, by parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from service_nb.cards.page_blocks import write_literal
from service_nb.compute.call import UNKNOWN, Signature, parse_call
from service_nb.compute.contract import read_capability
from service_nb.compute.syntax import ColumnReference, ComputeLine, Variable, parse_compute, read_variable
from service_nb.core.words import describe_value, write_name
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.notebook.link import write_compute_line
from service_nb.schema.compute import Capability, Parameter

if TYPE_CHECKING:
    from service_nb.client.service import Service

_ALONE = "m.f p="  # a line of one argument, in which each text is read for itself
_BARE_ITEMS = re.compile(r"[-+.\d'\"]")
_QUOTES = "'\""
_LINE_END = re.compile(r"\r\n|[\r\n]")
_INTERVAL = re.compile(r"(?P<from>[\[(])(?P<low>[-+.\deinf]+), (?P<high>[-+.\deinf]+)(?P<to>[\])])")
_KINDS = {"float64": "number", "int": "number", "bool": "boolean", "string": "string"}

Fault = dict[str, str | None]


def check_call(
    client: Service, variables: Mapping[str, object], name: str, texts: Mapping[str, str]
) -> dict[str, object]:
    """Check a call; return its status, its faults by parameter, and the magic that makes it.

    Raises
    ------
    PolicyDeniedError, UnsupportedOperationError, InvalidIntentError
        There is no such capability for this client.
    """
    check = _Check(client, variables, read_capability(client.capability(name)))
    for parameter, text in texts.items():
        if text.strip():  # a field that was left empty is an argument that was not given
            check.take(parameter, text)
    check.judge()
    return {
        "status": "invalid" if check.faults else "ok",
        "line": write_compute_line(name, check.texts),
        "faults": check.faults,
    }


class _Check:
    """The check of one call: its texts, their values and the faults found."""

    def __init__(self, client: Service, variables: Mapping[str, object], capability: Capability) -> None:
        self._client = client
        self._variables = variables
        self._capability = capability
        self._parameters = {parameter.name: parameter for parameter in capability.parameters}
        self._given: dict[str, object] = {}
        self._seed: object = None
        self.texts: dict[str, str] = {}  # as they stand in the line
        self.faults: list[Fault] = []

    def take(self, name: str, text: str) -> None:
        """Read what was typed for one parameter."""
        written = _write_argument(text, self._parameters.get(name))
        self.texts[name if name == "seed" else write_name(name)] = written
        try:
            value = _read_value(written)
            if isinstance(value, Variable):
                value = read_variable(value, self._variables)
        except ServiceError as error:
            self._note(name, str(error))
            return
        if name == "seed" and name not in self._parameters:
            self._seed = value
        else:
            self._given[name] = value

    def judge(self) -> None:
        """Check the arguments against the contract, and their columns against the sources."""
        known = {fault["parameter"] for fault in self.faults}
        self._judge_seed("seed" in known)
        for fault in self._list_misfits():
            if fault["parameter"] not in known:
                self._note(fault["parameter"], _describe_fault(fault))
        for name, value in self._given.items():
            parameter = self._parameters.get(name)
            if parameter is None:
                continue
            if isinstance(value, ColumnReference):
                self._judge_column(parameter, value)
            elif all(fault["parameter"] != name for fault in self.faults):
                self._judge_literal(parameter, value)

    def _list_misfits(self) -> list[Mapping[str, Any]]:
        module, function = self._capability.module, self._capability.function
        spec = ComputeLine(module=module, function=function, arguments=self._given).build_spec({})
        if self._capability.tier == "seeded":
            spec["seed"] = 0  # its own is judged by itself
        try:
            Signature(self._capability).check(parse_call(spec))
        except ServiceError as error:
            unplaced = {"parameter": None, "met": error.message, "expected": None}
            return list(error.details.get("faults", [unplaced]))
        return []

    def _judge_seed(self, is_known: bool) -> None:
        if is_known:
            return
        if self._capability.tier != "seeded":
            if self._seed is not None:
                self._note("seed", "It takes no seed: nothing in it is random.")
        elif self._seed is None:
            self._note("seed", "It is a simulation and needs a seed; the same seed gives the same value.")
        else:
            try:
                parse_call({"module": "m", "function": "f", "seed": _read_whole_number(self._seed)})
            except InvalidIntentError as error:
                self._note("seed", error.message)

    def _judge_literal(self, parameter: Parameter, value: Any) -> None:
        table = next(table for table in self._capability.entry["params"] if table["name"] == parameter.name)
        choices = table.get("choices")
        if choices and value not in choices:
            self._note(parameter.name, f"It is {describe_value(value)}; expected {', '.join(map(str, choices))}.")
        if parameter.shape and len(value) < table.get("min_size", 0):
            self._note(parameter.name, f"It has {len(value):,} items; expected at least {table['min_size']:,}.")
        if not parameter.shape and isinstance(value, int | float) and not _is_within(value, parameter.domain):
            self._note(parameter.name, f"It is {describe_value(value)}; expected a value in {parameter.domain}.")

    def _judge_column(self, parameter: Parameter, column: ColumnReference) -> None:
        question = {"aggregation": "count", "source_name": column.source, "group_by": [column.field]}
        try:
            told = self._client.resolve(question)
            if told["status"] != "ok":
                self._note(parameter.name, told["reason"])
                return
            source = self._client.source(column.source)
        except ServiceError as error:
            self._note(parameter.name, str(error))
            return
        (field,) = told["plan"]["group_by"]
        types = {typed["name"]: typed["type"] for typed in source["typed_fields"]}
        wanted = _KINDS[parameter.scalar]
        if len(parameter.shape) > 1:
            self._note(parameter.name, f"{column.field} is one column; expected a matrix, {parameter.type}.")
        elif types[field] != wanted:
            self._note(parameter.name, f"{column.field} is a column of type {types[field]}; expected {wanted}.")
        elif not parameter.shape and source["row_count"] != 1:
            self._note(parameter.name, f"{column.field} has {source['row_count']:,} values; expected exactly one.")

    def _note(self, parameter: str | None, message: str) -> None:
        self.faults.append({"parameter": parameter, "message": message})


def _write_argument(text: str, parameter: Parameter | None) -> str:
    """Write a typed text as an argument of a compute line."""
    typed = text.strip()
    if parameter is None:
        return typed
    if parameter.scalar == "string" and not parameter.shape and typed[0] not in _QUOTES + "$":
        return write_literal(typed)
    if len(parameter.shape) == 1 and _BARE_ITEMS.match(typed):
        return f"[{typed if typed[0] in _QUOTES else _write_items(typed)}]"
    return typed


def _write_items(typed: str) -> str:
    """Write items with commas between them; an empty cell of a sheet stays empty, which is a fault."""
    *lines, last = (line.strip(" ") for line in _LINE_END.split(typed))
    items = ",".join([*(line.removesuffix(",") for line in lines), last]).replace("\t", ",").split(",")
    return ", ".join(item.strip() for item in items)


def _read_value(written: str) -> object:
    """Read the one value of a text: a literal, a column, or a variable."""
    try:
        line = parse_compute(_ALONE + written)
    except InvalidIntentError as error:
        column = error.details["column"] - len(_ALONE)
        message = re.sub(r"column \d+", f"column {column}", error.message, count=1)
        raise InvalidIntentError(message, hint=error.hint, column=column) from None
    if list(line.arguments) != ["p"] or line.seed is not None or line.where is not None:
        raise InvalidIntentError("There is more than one value.", hint="Expected one; write a list in [brackets].")
    return line.arguments["p"]


def _read_whole_number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value


def _is_within(value: float, domain: str | None) -> bool:
    """Tell whether a number is in an interval such as `(0, 1]`; True for a domain that is no interval."""
    interval = _INTERVAL.fullmatch(domain or "")
    if interval is None:
        return True
    low, high = float(interval["low"]), float(interval["high"])
    above = value >= low if interval["from"] == "[" else value > low
    below = value <= high if interval["to"] == "]" else value < high
    return above and below


def _describe_fault(fault: Mapping[str, Any]) -> str:
    if fault["expected"] is None:
        return str(fault["met"])
    at = f"Value {fault['index'] + 1:,}" if "index" in fault else "It"
    near = fault.get("did_you_mean")
    hint = f" Did you mean `{near[0]}`?" if near else ""
    if fault["met"] == UNKNOWN:
        return f"Unknown parameter.{hint or ' Expected ' + str(fault['expected']) + '.'}"
    return f"{at} is {fault['met']}; expected {fault['expected']}.{hint}"
