"""What a verification says: a list of checks, and never a truth value by accident."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn

CheckStatus = Literal["passed", "failed", "not_checkable"]
VerdictStatus = Literal["verified", "incomplete", "mismatch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check. `cause` is the stable name of what failed, or of why it cannot be checked here; None if it passed."""

    name: str
    status: CheckStatus
    cause: str | None = None
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON has it."""
        return {"check": self.name, "status": self.status, "cause": self.cause, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The checks of one thing, in the order in which they were made. `subject` names it for people."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def status(self) -> VerdictStatus:
        """`mismatch` if a check failed, `incomplete` if one could not be made here, else `verified`."""
        statuses = {check.status for check in self.checks}
        return "mismatch" if "failed" in statuses else "incomplete" if "not_checkable" in statuses else "verified"

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes of the failed checks."""
        return tuple(check.cause or "" for check in self.checks if check.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON has it."""
        return {"subject": self.subject, "status": self.status, "checks": [check.to_dict() for check in self.checks]}

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has no truth value: compare its status with 'verified', 'incomplete' or 'mismatch'")
