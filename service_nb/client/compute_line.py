"""Parse a compute line, as people write it in a line or a cell, into the spec that `compute` takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from service_nb.compute.syntax import ComputeLine, parse_compute
from service_nb.core.words import find_nearest
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import parse_ask

_ASKED = "count where "  # the shortest question that a condition can stand in


def parse_compute_line(text: str, variables: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Parse a compute line into a ComputationSpec.

    Parameters
    ----------
    text : str
        ``"finance.npv rate=0.1 cashflows=budget.flow where year = 2024"``; see `service_nb.compute.syntax`.
    variables : mapping, optional
        What `$name` may stand for. Arrays and columns of frames become lists.
    options : Any
        Further keys of each binding, such as `null_policy`; None values are left out.

    Raises
    ------
    InvalidIntentError
        The line is malformed, or names a variable that is not there.
    """
    line = parse_compute(text)
    spec = line.spec({name: read_variable(name, variables or {}) for name in line.variables}, _parse_filter(line))
    given = {key: value for key, value in options.items() if value is not None}
    if given and "bindings" in spec:
        spec["bindings"] = [{**binding, **given} for binding in spec["bindings"]]
    return spec


def read_variable(name: str, variables: Mapping[str, Any]) -> Any:
    """Read a variable as plain Python values: arrays, series and columns become lists."""
    if name not in variables:
        near = find_nearest(name, variables, 1)
        raise InvalidIntentError(
            f"No variable is called {name!r}.",
            hint=f"Did you mean ${near[0]}?" if near else None,
            met=f"${name}",
            expected="a variable's name",
            did_you_mean=near or None,
        )
    return _to_plain(variables[name])


def _to_plain(value: Any) -> Any:
    """Convert a value to plain Python: anything with `tolist` or `to_list` becomes a list, a scalar Python's own."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(type(value), method):
            return getattr(value, method)()
    return [_to_plain(item) for item in value] if isinstance(value, list | tuple | range) else value


def _parse_filter(line: ComputeLine) -> dict[str, Any] | None:
    if line.where is None:
        return None
    if len(line.sources) != 1:
        raise InvalidIntentError(
            f"`where` selects rows of one source; the line binds columns of {len(line.sources)}.",
            hint="Bind columns of one source, or give the filter with each binding in a spec.",
            met=line.sources,
        )
    try:
        return parse_ask(_ASKED + line.where)["filter"]
    except InvalidIntentError as error:
        column = error.details["column"] + line.where_at - len(_ASKED)  # where the line's reader counts from
        message = re.sub(r"column \d+", f"column {column}", error.message, count=1)
        raise InvalidIntentError(message, hint=error.hint, **{**error.details, "column": column}) from None
