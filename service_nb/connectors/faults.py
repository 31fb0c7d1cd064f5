"""What goes wrong with live sources, in words that hold no address, no account and nothing that a driver wrote."""

from __future__ import annotations

import importlib
from types import ModuleType

from service_nb.core.words import shown
from service_nb.errors import ConnectorError, DriverMissingError, InvalidIntentError, UnsupportedSourceError
from service_nb.errors.deployment import Failure
from service_nb.schema.connector import Kind

_WORDS: dict[Failure, tuple[str, str]] = {
    "unreachable": ("{} cannot be reached.", "Look at host and port, and whether a firewall is between."),
    "timed_out": ("{} did not answer in time.", "Try again, or allow more time."),
    "lost": ("The connection to {} was lost.", "Try again."),
    "login_refused": ("{} refused the login.", "Check user, password and database, and that this host may log in."),
    "not_allowed": ("{} denies this to the account.", "Grant it SELECT on the tables that it reads."),
    "misconfigured": ("{} cannot be used as it is set up.", "Look at the connector's options and at the server's."),
    "malformed": ("The server at that address does not speak the protocol of {}.", "Look at host and port."),
}


def failed(kind: Kind, reason: Failure, *, hint: str | None = None, code: str | None = None) -> ConnectorError:
    """Return the error of a source that failed for that reason; `code` is the database's own, never its text."""
    message, advice = _WORDS[reason]
    details = {} if code is None else {"database_code": code}
    return ConnectorError(message.format(kind.title), reason=reason, hint=hint or advice, type=kind.type, **details)


def driver(kind: Kind, module: str | None = None) -> ModuleType:
    """Import the driver of a kind, or a module of it.

    Raises
    ------
    DriverMissingError [driver_missing]
        It is not installed; the hint says how to.
    """
    try:
        return importlib.import_module(module or kind.driver or "")
    except ImportError as error:
        raise DriverMissingError(
            f"{kind.title} needs {kind.driver}, which is not installed.",
            hint=f'pip install "service-nb[{kind.extra}]"',
            extra=kind.extra,
            type=kind.type,
        ) from error


def unsupported(kind: Kind, column: str, met: str, hint: str | None = None) -> UnsupportedSourceError:
    """Return the error of a column whose type has no counterpart."""
    return UnsupportedSourceError(
        f"Column {shown(column)} has the type {met}, which cannot be queried.",
        hint=hint or "Leave it out: give the connector a query that selects the other columns.",
        column=column,
        met=met,
        type=kind.type,
    )


def refused(kind: Kind, met: str | None = None) -> InvalidIntentError:
    """Return the error of a query that the database does not run."""
    return InvalidIntentError(
        f"{kind.title} does not run the query.",
        hint="Try it in the database's own console: a name may be wrong, or a type.",
        path="connector.query",
        met=met,
    )
