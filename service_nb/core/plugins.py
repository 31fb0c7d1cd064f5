"""Find and load the plugins of other distributions: connectors, export formats and faces, as entry points.

A part is a record of the type that its group takes. One that cannot be loaded is named in a warning and left out; none
takes the name of a part of this package; of two with one name neither is taken, for nobody could say which one ran.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

T = TypeVar("T")

MOST = 100  # of a group
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)


@cache
def find_plugins(group: str) -> dict[str, EntryPoint]:
    """Find the entry points of a group by name, without loading any of them."""
    found = sorted(entry_points(group=group), key=lambda point: (point.name, point.value))
    counts = Counter(point.name for point in found)
    for name, count in counts.items():
        if _NAME.fullmatch(name) is None:
            _warn(group, name, "its name is not of lower-case letters, digits, _ and -")
        elif count > 1:
            _warn(group, name, f"{count} distributions have an entry point of that name")
    if len(found) > MOST:
        _warn(group, found[MOST].name, f"at most {MOST} parts of a kind are taken")
    usable = [point for point in found[:MOST] if _NAME.fullmatch(point.name) and counts[point.name] == 1]
    return {point.name: point for point in usable}


def load_plugin(group: str, name: str, kind: type[T]) -> T | None:
    """Load one plugin, a record of type `kind` with the entry point's name; None, with a warning, if that fails."""
    try:
        part = find_plugins(group)[name].load()
    except Exception as error:  # noqa: BLE001  # the code of others, which may raise anything
        _warn(group, name, f"loading it raised {type(error).__name__}")
        return None
    if isinstance(part, kind) and getattr(part, "name", None) == name:
        return part
    _warn(group, name, "its record has another name" if isinstance(part, kind) else f"it is no {kind.__name__}")
    return None


def load_plugins(group: str, kind: type[T], *, taken: Collection[str]) -> dict[str, T]:
    """Load all plugins of a group, except those with a name in `taken`, the names of this package's own parts."""
    for name in sorted(find_plugins(group).keys() & set(taken)):
        _warn(group, name, "service_nb has a part of that name")
    loaded = {name: load_plugin(group, name, kind) for name in find_plugins(group) if name not in taken}
    return {name: part for name, part in loaded.items() if part is not None}


def _warn(group: str, name: str, why: str) -> None:
    point = next((each for each in entry_points(group=group) if each.name == name), None)
    origin = point.dist.name if point is not None and point.dist is not None else "a distribution"
    warnings.warn(f"{name[:40]!r} of {origin} is not used as one of {group}: {why}.", RuntimeWarning, stacklevel=2)
