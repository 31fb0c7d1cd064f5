"""What a caller says of a source beside where it is: how it is read, and other names for its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.readers.base import ReadOptions
from service_nb.schema.source import Limits

READING = ("types", "nulls", "delimiter", "encoding", "sheet")  # what decides what is read
OPTION_KEYS = (*READING, "aliases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a caller says of a source beside where it is; kept in `service.toml` as it stands."""

    types: Mapping[str, str] | None = None
    sheet: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    nulls: Sequence[str] | None = None
    aliases: Mapping[str, str] | None = None

    def over(self, stored: Mapping[str, Any]) -> Declared:
        """Return the same with what was stored, where this says nothing."""
        return Declared(**{key: getattr(self, key) or stored.get(key) for key in OPTION_KEYS})

    def check(self) -> None:
        """Raise `invalid_intent` unless types and aliases are texts by name, and the rest is text."""
        for path in ("sheet", "delimiter", "encoding"):
            if not isinstance(getattr(self, path), str | None):
                raise InvalidIntentError(f"{path} is {shown(getattr(self, path))}; expected text.", path=path)
        for path in ("types", "aliases"):
            by_name = getattr(self, path) or {}
            if not isinstance(by_name, Mapping) or not all(
                isinstance(text, str) and text for pair in by_name.items() for text in pair
            ):
                raise InvalidIntentError(
                    f"{path} is {shown(by_name)}; expected an object of texts.", path=path, expected="texts by name"
                )

    def columns(self) -> list[str]:
        """Every column that is named."""
        return [*(self.types or {}), *(self.aliases or {}).values()]

    def to_dict(self) -> dict[str, Any]:
        """What is said, by key."""
        said = {key: getattr(self, key) for key in OPTION_KEYS}
        return {key: value for key, value in said.items() if value}

    def options(self, limits: Limits, *, defer: bool) -> ReadOptions:
        """Return what a connector is told."""
        return ReadOptions(
            types=self.types or {},
            sheet=self.sheet,
            delimiter=self.delimiter,
            encoding=self.encoding,
            nulls=_texts(self.nulls or ()),
            defer_digest=defer,
            limits=limits,
        )


def _texts(nulls: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(nulls, list | tuple) or not all(isinstance(text, str) for text in nulls):
        raise InvalidIntentError(f"nulls is {shown(nulls)}; expected a list of texts.", path="nulls", met=shown(nulls))
    return tuple(nulls)


def check_aliases(aliases: Mapping[str, str], names: Sequence[str]) -> None:
    """Raise `invalid_intent` unless each alias stands for a column, and is not the name of one."""
    for alias, name in aliases.items():
        if name not in names:
            raise InvalidIntentError(
                f"The alias {shown(alias)} stands for {shown(name)}, which is not a column.",
                path="aliases",
                met=shown(name),
            )
        if alias in names:
            raise InvalidIntentError(
                f"The alias {shown(alias)} is a column's own name.", path="aliases", met=shown(alias)
            )
