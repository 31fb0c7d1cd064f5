"""One thing that was looked at, and what was found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A line of the report. A warning is something that works, and that a strict report does not let pass."""

    name: str
    found: str
    ok: bool = True
    warning: bool = False
