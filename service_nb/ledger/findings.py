"""What a verification of a ledger collects on its way: faults by check and cause, each with the places it was met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from service_nb.schema.verdict import Check

_NAMED = 5  # places that a message names


class _Fault(NamedTuple):
    status: Literal["failed", "not_checkable"]
    text: str
    places: list[str]


class Findings:
    """Faults, in the order in which they were met first."""

    def __init__(self) -> None:
        self._faults: dict[tuple[str, str], _Fault] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._said: dict[str, str] = {}

    def fail(self, check: str, cause: str, text: str, place: str = "") -> None:
        """Note that a check failed, and where; `text` is said once a cause."""
        self._note((check, cause), _Fault("failed", text, []), place)

    def cannot(self, check: str, cause: str, text: str) -> None:
        """Note that a check, or a part of it, could not be made here."""
        self._note((check, cause), _Fault("not_checkable", text, []), "")

    def say(self, check: str, text: str) -> None:
        """Have a check say more when it passed."""
        self._said[check] = text

    def has(self, check: str) -> bool:
        """Return whether anything of a check failed."""
        return any(name == check and fault.status == "failed" for (name, _), fault in self._faults.items())

    def checks(self, order: Sequence[str]) -> tuple[Check, ...]:
        """Return the checks: one for each cause, or one that passed."""
        return tuple(check for name in order for check in self._of(name))

    def _of(self, name: str) -> list[Check]:
        found = [
            Check(name=name, status=fault.status, cause=key[1], message=self._message(key))
            for key, fault in self._faults.items()
            if key[0] == name
        ]
        return found or [Check(name=name, status="passed", message=self._said.get(name, ""))]

    def _note(self, key: tuple[str, str], fault: _Fault, place: str) -> None:
        places = self._faults.setdefault(key, fault).places
        self._counts[key] = self._counts.get(key, 0) + 1
        if place and len(places) < _NAMED:
            places.append(place)

    def _message(self, key: tuple[str, str]) -> str:
        fault = self._faults[key]
        if not fault.places:
            return fault.text
        more = self._counts[key] - len(fault.places)
        return f"{', '.join(fault.places)}{f' and {more} more' if more else ''}: {fault.text}"
