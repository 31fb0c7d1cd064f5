"""What can go wrong with a ledger: each reason once, with what to do, and how SQLite and the system say it."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NoReturn

from service_nb.errors import LedgerError

Reason = Literal[
    "disk_full",
    "busy",
    "not_writable",
    "not_readable",
    "damaged",
    "rolled_back",
    "too_new",
    "not_a_ledger",
    "duplicate_id",
]

_HINTS: dict[str, str] = {
    "disk_full": "Free disk space, then ask again; earlier records are intact.",
    "busy": "Another kernel is writing to it. Retry; if that does not help, stop the other kernel.",
    "not_writable": "Make the folder writable, name another with SERVICE_LEDGER, or set SERVICE_LEDGER=off.",
    "not_readable": "Make the folder readable for you.",
    "damaged": "`service-nb verify` names each fault. Restore a copy, or move .service away to begin a new ledger.",
    "rolled_back": "Put the newest copy of .service back, or move this one away to begin a new ledger.",
    "too_new": "Update service-nb.",
    "not_a_ledger": "Move it away; the next result begins a new ledger.",
    "duplicate_id": "Nothing was recorded; ask again.",
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CODES: dict[int, Reason] = {
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_READONLY: "not_writable",
    sqlite3.SQLITE_PERM: "not_writable",
    sqlite3.SQLITE_CANTOPEN: "not_writable",
    sqlite3.SQLITE_NOTADB: "not_a_ledger",
}
# A quota or a limit on the size of files is no full disk to SQLite, but a write that failed.
_FAILED_WRITES = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
_FAILED_READS = (
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
_MESSAGES: dict[str, str] = {
    "disk_full": "The disk has no room for the ledger.",
    "busy": "The ledger was locked by another process for too long.",
    "not_writable": "The ledger cannot be written to.",
    "not_readable": "The ledger cannot be read.",
    "damaged": "The database of the ledger is damaged.",
    "not_a_ledger": "This is not a ledger.",
}


def refuse(reason: Reason, message: str, cause: BaseException | None = None, **details: Any) -> NoReturn:
    """Raise the error of a reason."""
    raise LedgerError(message, reason=reason, hint=_HINTS[reason], **details) from cause


@contextmanager
def told(*, reads: bool = False) -> Iterator[None]:
    """Turn what SQLite and the system raise inside into errors of the ledger; they tell no path."""
    try:
        yield
    except sqlite3.Error as error:
        reason = _reason(error)
        if reads and reason == "not_writable":
            reason = "not_readable"
        refuse(reason, _MESSAGES[reason], error, met=getattr(error, "sqlite_errorname", None))
    except (OverflowError, UnicodeDecodeError) as error:  # a number or a text in the database that is none
        refuse("damaged", _MESSAGES["damaged"], error)
    except OSError as error:
        reason = "disk_full" if error.errno in _FULL else "not_readable" if reads else "not_writable"
        refuse(reason, _MESSAGES[reason], error, met=error.strerror)


def _reason(error: sqlite3.Error) -> Reason:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # raised by Python's module itself, such as for a text that is no UTF-8
        return "damaged"
    if code in _FAILED_WRITES:
        return "disk_full"
    if code & 0xFF == sqlite3.SQLITE_IOERR:
        return "damaged" if code in _FAILED_READS else "not_writable"
    return _CODES.get(code & 0xFF, "damaged")
