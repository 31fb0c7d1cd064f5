"""Try a line before it is suggested: a question is resolved, a computation is checked, and neither is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from service_nb.compute.call import Signature, parse_call
from service_nb.compute.contract import read_capability
from service_nb.compute.syntax import ColumnReference, ComputeLine, parse_compute, read_variable
from service_nb.core.words import write_name
from service_nb.errors import ServiceError
from service_nb.query.ask_line import parse_ask
from service_nb.query.variables import list_variables

if TYPE_CHECKING:
    from service_nb.client.service import Service

_TYPES = {"float64": "number", "int": "number", "bool": "boolean", "string": "string"}


def resolve_spec(
    spec: Mapping[str, Any], client: Service, variables: Mapping[str, object] = MappingProxyType({})
) -> Mapping[str, Any] | None:
    """Resolve a question; None where it is malformed."""
    try:
        named = {name: variables[name] for name in list_variables(spec) if name in variables}
        return client.resolve(dict(spec), variables=named or None)
    except ServiceError:
        return None


def can_ask(line: str, client: Service, variables: Mapping[str, object] = MappingProxyType({})) -> bool:
    """Tell whether a question can be answered as it stands."""
    try:
        found = resolve_spec(parse_ask(line), client, variables)
    except ServiceError:
        return False
    return found is not None and found["status"] == "ok"


def can_compute(line: str, client: Service, variables: Mapping[str, object]) -> bool:
    """Tell whether a computation passes every check that comes before its columns are read."""
    try:
        read = parse_compute(line)
        entry = client.capability(f"{read.module}.{read.function}")
        values = {name: read_variable(name, variables) for name in read.variables}
        Signature(read_capability(entry)).check(parse_call(read.build_spec(values)))
        compared = [read.arguments.get(name) for name in entry.get("compares", ())]
        if len(compared) > 1 and isinstance(compared[0], ColumnReference) and compared.count(compared[0]) > 1:
            return False  # a sample with itself
        if not all(_is_within(value, entry, name) for name, value in read.arguments.items()):
            return False
        if read.where is not None and not can_ask(_write_selection(read), client, variables):
            return False
        return all(_has_column(value, entry, name, client) for name, value in read.arguments.items())
    except ServiceError:
        return False


def find_unread(line: str, client: Service) -> str | None:
    """Find the line that reads a file again, where a column of a computation is text because of how it was read."""
    try:
        read = parse_compute(line)
    except ServiceError:
        return None
    for column in read.arguments.values():
        if isinstance(column, ColumnReference):
            source: Mapping[str, Any] = next((each for each in client.sources() if each["name"] == column.source), {})
            advice = source.get("advice")
            texts = [each["name"] for each in source.get("typed_fields", ()) if each["type"] == "string"]
            if (
                column.field in texts
                and advice is not None
                and (source["reasons"].get(column.field) or {}).get("options")
            ):
                return str(advice["line"])
    return None


def _write_selection(line: ComputeLine) -> str:
    return f"count from {write_name(line.sources[0])} where {line.where}" if line.sources else ""


_INTERVAL = re.compile(r"(?P<open>[\[(])(?P<low>[^,]+), *(?P<high>[^,]+)(?P<close>[\])])")


def _is_within(value: object, entry: Mapping[str, Any], name: str) -> bool:
    """Tell whether a number lies within the domain of its parameter; True for what is no number."""
    domain = next((str(each.get("domain", "")) for each in entry["params"] if each["name"] == name), "")
    found = _INTERVAL.fullmatch(domain)
    if found is None or isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return True
    try:
        low, high = float(found["low"]), float(found["high"])
    except ValueError:  # an end that is a formula of other parameters
        return True
    above = value > low or (value == low and found["open"] == "[")
    return above and (value < high or (value == high and found["close"] == "]"))


def _has_column(value: object, entry: Mapping[str, Any], name: str, client: Service) -> bool:
    """Tell whether an argument that names a column names one that is there and fits; True for other arguments."""
    if not isinstance(value, ColumnReference):
        return True
    question = {"aggregation": "count", "source_name": value.source, "group_by": [value.field]}
    found = client.resolve(question)
    if found["status"] != "ok":
        return False
    (column,) = found["plan"]["group_by"]
    types = {field["name"]: field["type"] for field in client.source(value.source)["typed_fields"]}
    parameter = next(each for each in entry["params"] if each["name"] == name)
    return len(parameter.get("shape") or ()) == 1 and types[column] == _TYPES.get(parameter["type"].partition("[")[0])
