"""Read a spec in which a value is none of its choices: an unknown aggregation, order, operator, unit, zone or period.

Such a spec is a question that nobody can answer, and refused like any other. It is read without what the value belongs
to, and each value is noted with the questions that have the nearest choices in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service_nb.core.words import describe_value, find_nearest
from service_nb.core.zones import UTC
from service_nb.errors import InvalidIntentError
from service_nb.query.aggregations import RECORDS
from service_nb.query.refusals import Refusal, Way
from service_nb.query.spec import parse_spec
from service_nb.schema.query import QuerySpec

SLOTS = {
    "aggregation": "aggregation",
    "order": "order",
    "op": "operator",
    "unit": "unit",
    "zone": "zone",
    "period": "period",
}  # by the last step of its path
MOST_NOTED = 5  # of one spec
_STEP = re.compile(r"[a-z_]+|\[([0-9]+)\]")
Path = list[str | int]


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A value that is none of its choices, with the nearest of these."""

    path: Path
    met: object
    near: tuple[str, ...]
    message: str

    @property
    def slot(self) -> str:
        return SLOTS[str(self.path[-1])]


def read_spec(raw: object) -> tuple[QuerySpec, tuple[Refusal, ...]]:
    """Read a spec, and list a refusal for each value in it that is none of its choices.

    Raises
    ------
    InvalidIntentError, LimitExceededError
        It is no QuerySpec: see `parse_spec`.
    """
    filled, unknown = raw, list[_Unknown]()
    while True:
        try:
            question = parse_spec(filled)
            if not unknown:
                return question, ()
            break
        except InvalidIntentError as error:
            path = _read_path(error)
            if path is None and unknown:
                break  # what was filled in does not fit the rest, of which no question can be made then
            if path is None or len(unknown) == MOST_NOTED or not isinstance(filled, Mapping):
                raise
            filled = filled if unknown else _copy_spec(filled)
            unknown.append(_fill_choice(filled, path, error))
    left = _copy_parts(filled)
    removed: set[tuple[str | int, ...]] = set()  # one condition may hold two such values
    for each in sorted(unknown, key=lambda each: [str(step).zfill(9) for step in each.path], reverse=True):
        owner = tuple(each.path[:-1])
        if not owner or owner not in removed:
            _remove_value(left, each.path)
        removed.add(owner)
    return parse_spec(left), tuple(_build_refusal(filled, each, unknown) for each in unknown)


def _read_path(error: InvalidIntentError) -> Path | None:
    """Read where a value is none of its choices; None if that is not the fault."""
    path, choices = error.details.get("path"), error.details.get("expected")
    if not isinstance(path, str) or not isinstance(choices, list) or path.rpartition(".")[2] not in SLOTS:
        return None
    return [int(step[1]) if step[1] else step[0] for step in _STEP.finditer(path)]


def _copy_spec(raw: Mapping[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = _copy_parts(raw)
    if isinstance(spec.get("group_by"), Mapping):
        spec["group_by"] = [spec["group_by"]]
    return spec


def _copy_parts(raw: object) -> Any:
    """Copy objects and lists, each place of its own: the same object may stand in several."""
    if isinstance(raw, Mapping):
        return {key: _copy_parts(value) for key, value in raw.items()}
    return [*map(_copy_parts, raw)] if isinstance(raw, list | tuple) else raw


def _find_parent(spec: Any, path: Path) -> Any:
    found = spec
    for step in path[:-1]:
        found = found[step]
    return found


def _fill_choice(spec: Any, path: Path, error: InvalidIntentError) -> _Unknown:
    """Put a choice in place of a value that is none, and note it: the nearest, or one that can be read."""
    parent, key = _find_parent(spec, path), path[-1]
    met, choices = parent.get(key), [str(each) for each in error.details["expected"]]
    # Of zones what is expected are those that are near already.
    find_near = (lambda _, near: near if near != [UTC] else []) if key == "zone" else _find_near
    near = find_near(met.casefold(), choices) if isinstance(met, str) else []
    likely = {"op": "in" if "values" in parent else "eq" if "value" in parent else "is_null"}
    likely |= {"aggregation": "percentile" if parent.get("percent") is not None else "sum"}
    parent[key] = near[0] if near else likely.get(str(key), choices[0])
    return _Unknown(path, met, tuple(near), error.message)


def _find_near(met: str, choices: list[str]) -> list[str]:
    """Find the choices that are spelled alike, that are other words for it, or that it begins with."""
    words = [name for name in choices if name in RECORDS and met in RECORDS[name].synonyms]
    return words or find_nearest(met, choices) or [each for each in choices if met.startswith(each)]


def _build_refusal(filled: Any, noted: _Unknown, unknown: Sequence[_Unknown]) -> Refusal:
    """Build the refusal of a value; it leads to questions only if every unknown value has a choice that is near."""
    ways = []
    for name in noted.near if all(each.near for each in unknown) else ():
        mended = _copy_parts(filled)
        _find_parent(mended, noted.path)[noted.path[-1]] = name
        with suppress(InvalidIntentError):
            ways.append(Way(slot=noted.slot, name=name, type=noted.slot, spec=parse_spec(mended)))
    return Refusal(
        status="needs_clarification" if ways else "rejected",
        reason=noted.message,
        code=None if ways else f"unknown_{noted.slot}",
        rule=None if ways else f"{noted.slot}s are named exactly",
        unknown=(noted.slot, describe_value(noted.met)),
        did_you_mean=noted.near,
        ways=tuple(ways),
    )


def _remove_value(spec: Any, path: Path) -> None:
    """Remove a value with what means nothing without it: a measure, a condition, the unit of a date."""
    match path:
        case ["order"]:
            del spec["order"]
        case ["aggregation"]:
            spec.pop("aggregation")
            spec.pop("percent", None)
        case ["filter", "time_filter", _]:
            spec["filter"] = {**spec["filter"], "time_filter": None}
        case ["group_by", int(at), "zone"]:
            del spec["group_by"][at]["zone"]
        case ["group_by", int(at), _]:
            spec["group_by"][at] = spec["group_by"][at]["column"]
        case _:
            _remove_item(spec, path[:-1])
            if spec.get("measures") == []:
                del spec["measures"]


def _remove_item(spec: Any, path: Path) -> None:
    """Remove an item of a list, and a group of conditions with its last one."""
    items = _find_parent(spec, path)
    del items[path[-1]]
    if not items and path[-2] in ("any", "all"):
        _remove_item(spec, path[:-2])
