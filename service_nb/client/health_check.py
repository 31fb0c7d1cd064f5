"""A line of the report of `service-nb doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One line of the report; a warning is something that works, but fails a strict report."""

    name: str
    found: str
    ok: bool = True
    warning: bool = False
