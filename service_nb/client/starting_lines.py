"""Suggest what to ask first of a source: questions and a computation with its own columns, each of them tried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from service_nb.client.line_trial import can_compute, list_runnable_questions
from service_nb.client.source_look import is_measure
from service_nb.core.words import write_name

if TYPE_CHECKING:
    from service_nb.client.service import Service

_MOST_COLUMNS = 200  # that are looked at


def suggest_questions(client: Service, source: str | None = None, *, most: int = 3) -> list[str]:
    """Suggest questions about a source, by default the one that was connected last; each can be answered."""
    chosen = _choose_source(client, source)
    if chosen is None:
        return []
    name = write_name(str(chosen["name"]))
    measure, group = _write_measure(chosen), _find_group(chosen, client)
    by = f" by {group}" if group else ""
    lines = [f"sum {measure}{by} from {name}", f"avg {measure}{by} from {name}"] if measure else []
    lines = [*lines[:1], f"count{by} from {name}", *lines[1:], f"count from {name}"]
    answered = (each for line in dict.fromkeys(lines) for each in list_runnable_questions(line, client)[:1])
    return list(dict.fromkeys(answered))[:most]


def suggest_computation(client: Service, source: str | None = None) -> str | None:
    """Suggest a computation: the median of a column of the source, or of numbers where there is none."""
    chosen = _choose_source(client, source)
    measure = _write_measure(chosen) if chosen is not None else None
    column = f"{write_name(str(chosen['name']))}.{measure}" if chosen is not None and measure else "[1, 2, 4]"
    line = f"stats.median values={column}"
    return line if can_compute(line, client, {}) else None


def _choose_source(client: Service, name: str | None) -> Mapping[str, Any] | None:
    sources = client.sources()
    return next((each for each in reversed(sources) if name in (None, each["name"])), None)


def _list_columns(source: Mapping[str, Any], *types: str) -> Iterable[str]:
    fields = source["typed_fields"][:_MOST_COLUMNS]
    return (str(field["name"]) for field in fields if field["type"] in types)


def find_measure(source: Mapping[str, Any]) -> str | None:
    """Find the number of a source that is likely asked about: no year, no code."""
    numbers = _list_columns(source, "number")
    return next(filter(is_measure, numbers), None)


def _write_measure(source: Mapping[str, Any]) -> str | None:
    found = find_measure(source)
    return None if found is None else write_name(found)


def _find_group(source: Mapping[str, Any], client: Service) -> str | None:
    """Find a text column of few values, or else a boolean."""
    name = str(source["name"])
    few = (column for column in _list_columns(source, "string") if client.values(name, column))
    chosen = next(few, next(iter(_list_columns(source, "boolean")), None))
    return None if chosen is None else write_name(chosen)
