"""The magic that asks a question or makes a call, written so that it says the same when it is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from service_nb.errors import ServiceError
from service_nb.notebook.body import read_question
from service_nb.notebook.usages import ASK, COMPUTE
from service_nb.query.spec import parse_spec, spec_to_json
from service_nb.query.syntax import format_ask

_BREAKS = ("\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")


def ask_line(spec: Mapping[str, Any]) -> str:
    """Return the magic that asks a question: one line where a line can say it, else a cell of JSON."""
    wanted = spec_to_json(parse_spec(spec))
    line = format_ask(wanted)
    if _fits_line(line) and _reads_as(line, wanted):
        return f"{ASK.magic} {line}"
    return f"%{ASK.magic}\n{json.dumps(wanted, ensure_ascii=False, indent=2, default=str)}"


def compute_line(name: str, arguments: Mapping[str, str]) -> str:
    """Return the magic that makes a call, whose arguments are texts of a compute line."""
    line = " ".join([name, *(f"{parameter}={text}" for parameter, text in arguments.items())])
    return f"{COMPUTE.magic} {line}" if _fits_line(line) else f"%{COMPUTE.magic}\n{line}"


def value_text(value: Any) -> str:
    """Return a literal as it stands in a compute line."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _fits_line(line: str) -> bool:
    return not any(mark in line for mark in _BREAKS) and not line.endswith((";", "?"))


def _reads_as(line: str, wanted: Mapping[str, Any]) -> bool:
    """Whether the magic would read the line as the same question: options are taken out of it first."""
    try:
        return spec_to_json(parse_spec(read_question(ASK.read(line).question))) == wanted
    except ServiceError:
        return False
