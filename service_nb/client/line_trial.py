"""Try a line before it is suggested: a question is resolved, a computation is checked, and neither is run."""

from __future__ import annotations

from collections.abc import Mapping
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


def list_runnable_questions(
    line: str, client: Service, variables: Mapping[str, object] = MappingProxyType({})
) -> list[str]:
    """List the questions that a line leads to: itself if it can be answered, or the candidates that can."""
    try:
        spec = {**parse_ask(line)}
        named = {name: variables[name] for name in list_variables(spec) if name in variables}
        found = client.resolve(spec, variables=named or None)
    except ServiceError:
        return []
    return [line] if found["status"] == "ok" else [way["ask"] for way in found["candidates"]]


def can_compute(line: str, client: Service, variables: Mapping[str, object]) -> bool:
    """Tell whether a computation passes every check that comes before its columns are read."""
    try:
        read = parse_compute(line)
        entry = client.capability(f"{read.module}.{read.function}")
        values = {name: read_variable(name, variables) for name in read.variables}
        Signature(read_capability(entry)).check(parse_call(read.build_spec(values)))
        if read.where is not None and not list_runnable_questions(_write_selection(read), client, variables):
            return False
        return all(_has_column(value, entry, name, client) for name, value in read.arguments.items())
    except ServiceError:
        return False


def write_condition_on_nulls(line: str, client: Service) -> str:
    """Write the condition that leaves out rows with a null in a column of a computation; nothing without any."""
    try:
        read = parse_compute(line)
        columns = [value for value in read.arguments.values() if isinstance(value, ColumnReference)]
        looks = {column.source: client.look(column.source).columns for column in columns}
    except ServiceError:
        return ""
    known = [(column.field, looks[column.source].get(column.field)) for column in columns]
    holed = dict.fromkeys(write_name(field) for field, look in known if look is not None and look.nulls)
    return f" where {' and '.join(f'{field} is not null' for field in holed)}" if holed else ""


def _write_selection(line: ComputeLine) -> str:
    return f"count from {write_name(line.sources[0])} where {line.where}" if line.sources else ""


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
    return bool(parameter.get("shape")) and types[column] == _TYPES.get(parameter["type"].partition("[")[0])
