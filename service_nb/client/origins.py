"""Inputs of sources: suggest their names, find where they are, and compare the policies of those that overlap.

A policy that lists the fields of one name binds every other name of the same data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, PolicyDeniedError
from service_nb.query.policy import Policy
from service_nb.query.spec import MAX_NAME

_MAGIC = "*?["  # of a glob


def choose_name(name: object, origin: Any) -> str:
    """Return the name given, or the one that a file or table suggests.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is none, or it is not printable text.
    """
    if name is None and isinstance(origin, str | os.PathLike):
        name = Path(os.fspath(origin)).stem
    if name is None and isinstance(origin, Mapping) and origin.get("provider") == "sqlite":
        name = str(origin.get("table") or "")
    if not isinstance(name, str) or not name or len(name) > MAX_NAME or not name.isprintable():
        met = describe_value(name)
        raise InvalidIntentError(
            f"The source's name is {met}; expected printable text.", hint="Pass name=…", path="name", met=met
        )
    return name


def build_origin(stored: Mapping[str, Any]) -> Any:
    """Build the input that a descriptor in `service.toml` describes."""
    if "provider" not in stored:
        return stored["path"]
    return {key: stored[key] for key in ("provider", "path", "table", "query") if key in stored}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPlace:
    """The location of data: a file or folder, and for a database the table; None for a query."""

    path: Path
    table: str | None = None
    is_database: bool = False

    def overlaps(self, other: DataPlace) -> bool:
        """Tell whether the two places may share data."""
        if self.is_database and other.is_database and self.path == other.path:
            return self.table is None or other.table is None or self.table.casefold() == other.table.casefold()
        return self.path == other.path or self.path in other.path.parents or other.path in self.path.parents


def find_place(origin: Any) -> DataPlace | None:
    """Find the location that an input is read from; None for data in memory or an invalid input."""
    is_database = isinstance(origin, Mapping) and origin.get("provider") == "sqlite"
    path = origin.get("path") if is_database else origin
    if not isinstance(path, str | os.PathLike):
        return None
    try:
        place = Path(os.fspath(path)).expanduser()
        while any(sign in place.name for sign in _MAGIC) and place != place.parent:
            place = place.parent
        place = place.resolve()
    except (OSError, ValueError, RuntimeError, TypeError):
        return None
    table = origin.get("table") if is_database else None
    return DataPlace(path=place, table=table if isinstance(table, str) else None, is_database=is_database)


def require_one_list(policy: Policy, label: str, origin: object, known: Iterable[tuple[str, object]]) -> None:
    """Refuse an origin that is also known under another name for which the policy lists other fields.

    Parameters
    ----------
    label : str
        The name that it is to have.
    known : iterable of (str, origin)
        What other names stand for. A file, or a table, also stands for the name that it bears.
    """
    place = find_place(origin)
    if policy.fields is None or place is None:
        return
    for name in policy.fields:
        if _has_name(name, origin, place):
            require_same_list(policy, label, name)
    for name, other in known:
        met = find_place(other)
        if met is not None and place.overlaps(met):
            require_same_list(policy, label, name)


def require_same_list(policy: Policy, label: str, name: str) -> None:
    """Raise `policy_denied_source` unless the policy shows the same fields under both names."""
    lists = policy.fields or {}
    if label != name and lists.get(label) != lists.get(name):
        raise PolicyDeniedError(
            f"What is to be connected as {describe_value(label)} is {describe_value(name)} too, and the policy"
            " does not list the same"
            " fields of both.",
            denied="source",
            hint=f"Connect it as {describe_value(name)}, or list the same fields for both names.",
            met=label,
        )


def _has_name(name: str, origin: Any, place: DataPlace) -> bool:
    """Tell whether a file, a table or a query has that name itself."""
    if not place.is_database:
        return name.casefold() == place.path.stem.casefold()
    if place.table is not None:
        return name.casefold() == place.table.casefold()
    return name.casefold() in str(origin.get("query")).casefold()
