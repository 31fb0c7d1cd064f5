"""Runs what a name of another library is here, with the arguments that it takes there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from service_nb_kernels import execute

import service_nb
from service_nb.compute.foreign_names import Counterpart, convert_value, find_counterpart

SERVICE = service_nb.create_service(ledger="off", runtime="in_process")
RUN = execute.Executor()


def run_counterpart(name: str, given: Mapping[str, Any], library: str | None = None) -> Any:
    """Run what a name of another library is here, with its own arguments."""
    row = find_counterpart(name, {key: str(value) for key, value in given.items()})
    assert row is not None, name
    assert row.is_same, name
    assert library in (None, row.library)
    return run_row(row, given)


def run_row(row: Counterpart, given: Mapping[str, Any]) -> Any:
    bound: dict[str, Any] = dict(row.fixed)
    for key, value in {**row.defaults, **given}.items():
        argument = row.arguments[key]
        if argument.parameter is not None:
            bound[argument.parameter] = turn(value, argument.conversion)
    params = SERVICE.capability(row.capability)["params"]
    arguments = [
        read(bound[each["name"]] if each["name"] in bound else each["default"], each["type"]) for each in params
    ]
    value = RUN.execute(row.capability, arguments)
    value = value[row.part] if row.part else value
    return {"": lambda it: it, "negated": lambda it: -it}[row.result](value)


def turn(value: Any, conversion: str) -> Any:
    return convert_value(value if isinstance(value, str) else repr(value), conversion) if conversion else value


def read(value: Any, kind: str) -> Any:
    """Read a value that stands in the table as text."""
    if not isinstance(value, str) or kind == "string":
        return np.asarray(value) if isinstance(value, list) and isinstance(value[0], float) else value
    return int(value) if kind == "int" else float(value)
