"""What a verification says: a list of checks, and never a truth value by accident."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn

CheckStatus = Literal["passed", "failed", "not_checkable"]
VerdictStatus = Literal["verified", "unaltered", "consistent", "not_checkable", "altered"]

# Causes for which a check could not be made, that leave a verdict as it is: nothing that is shown depends on a text
# that is not kept (the check `shown` tells it if so); no signature and an unknown signer have verdicts of their own.
UNDECIDING = frozenset({"text_not_kept", "rows_not_kept", "unsigned", "unknown_signer"})


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
        """What the checks come to.

        `altered` if one failed; `not_checkable` if one that decides could not be made here; `consistent` if nobody
        signed; `unaltered` if somebody did whom this reader does not trust; else `verified`.
        """
        if any(check.status == "failed" for check in self.checks):
            return "altered"
        open_causes = {check.cause for check in self.checks if check.status == "not_checkable"}
        if open_causes - UNDECIDING:
            return "not_checkable"
        if "unsigned" in open_causes:
            return "consistent"
        return "unaltered" if "unknown_signer" in open_causes else "verified"

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes of the failed checks."""
        return tuple(check.cause or "" for check in self.checks if check.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON has it."""
        return {"subject": self.subject, "status": self.status, "checks": [check.to_dict() for check in self.checks]}

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has no truth value: compare its status with 'verified'")
