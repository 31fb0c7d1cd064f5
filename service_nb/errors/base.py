"""The base class of all errors of service_nb."""

from __future__ import annotations

from typing import Any, Literal

ErrorSource = Literal["engine", "service"]


class ServiceError(Exception):
    """Base of every error that service_nb raises on purpose.

    Parameters
    ----------
    message : str
        One sentence: what was met, where, and what was expected.
    hint : str, optional
        What to do about it.
    details : Any
        Facts for programs, such as `line`, `column`, `met`, `expected`, `did_you_mean`; None values are left out.
    """

    code: str = "service_error"
    source: ErrorSource = "engine"
    retryable: bool = False

    def __init__(self, message: str, *, hint: str | None = None, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = {key: value for key, value in details.items() if value is not None}
        self.card: Any = None  # of the recorded error, once it is an entry of the ledger
        self.lines: list[str] = []  # ways on: lines that run as they stand, tried before they are set
        self.heading = "Run"  # what kind of lines they are: "Did you mean", a question, "Look at"
        self.has_lines_below = False  # the notebook shows them beside the error, each with a button

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message

    @property
    def remark(self) -> str:
        """The hint without the lines that it repeats."""
        hint = self.hint or ""
        return hint.partition(self.heading)[0].strip() if any(line in hint for line in self.lines) else hint

    def to_dict(self) -> dict[str, Any]:
        """Return the error as a JSON-ready dict: code, message, hint, source, retryable, details.

        Returns
        -------
        dict
            `details` is flat.

        Examples
        --------
        >>> service_nb.ServiceError("It failed.").to_dict()["message"]
        'It failed.'
        """
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "source": self.source,
            "retryable": self.retryable,
            "details": self.details,
        }

    def _render_traceback_(self) -> list[str]:
        # IPython's protocol: one readable line in the notebook, and still a real `error` output that fails a run.
        # `%service_last_error --full` shows the whole chain.
        lines = [f"{self.code}: {self.message}"]
        if self.remark:
            lines.append(f"  {self.remark}")
        if self.lines and not self.has_lines_below:
            lines += [
                f"  {self.heading}{'' if self.heading.endswith('?') else ':'}",
                *(f"    {line}" for line in self.lines),
            ]
        return lines


class ReasonedError(ServiceError):
    """An error that names its cause: `reason` is a stable name, such as `signature_invalid`."""

    def __init__(self, message: str, *, reason: str, hint: str | None = None, **details: object) -> None:
        super().__init__(message, hint=hint, reason=reason, **details)

    @property
    def reason(self) -> str:
        """The stable name of the cause."""
        reason: str = self.details["reason"]
        return reason
