"""Microsoft SQL Server and Azure SQL, by Microsoft's own driver.

`ApplicationIntent=ReadOnly` only chooses a replica and forbids nothing. What keeps a session from writing: a login
that may only read (`db_datareader`), one parsed SELECT a statement, and a transaction that is always rolled back.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from service_nb.connectors.live.cursors import CursorLink, exact_number, left, no_such_table, plain, stopped
from service_nb.connectors.live.faults import driver, failed, refused
from service_nb.connectors.live.needed import address, choice, required
from service_nb.errors import ServiceError
from service_nb.query.spellings.mssql import MssqlSpelling
from service_nb.records.connector import Descriptor, Kind

KIND = Kind(
    type="mssql",
    title="SQL Server",
    group="relational",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "encrypt": "yes (the default), strict (TDS 8), or no.",
        "trust_server_certificate": "no (the default), or yes: any certificate is good enough.",
    },
    extra="mssql",
    driver="mssql_python",
    dialect="tsql",
    port=1433,
)
LIBRARY = "Its driver needs libltdl7 (Debian, Ubuntu) or libtool-ltdl (Red Hat) where the deployment runs."
FINEST = 6  # digits of a second that a result holds
# What the driver calls the SQLSTATEs that tell something about the connection, not about the statement.
LOGIN = ("Invalid authorization specification", "Server rejected the connection", "Invalid catalog name")
LATE = ("Timeout expired", "Connection timeout expired", "Operation canceled")
GONE = ("Communication link failure", "Connection not open", "Connection failure during transaction")
ABSENT = ("Base table or view not found", "Column not found", "Invalid schema name")


def open_link(descriptor: Descriptor, deadline: float) -> MssqlLink:
    """Open a session that cannot write."""
    module = driver(KIND)
    module.pooling(enabled=False)  # sessions are pooled above, where they are also ended
    text = _connection_text(descriptor)
    try:
        connection = module.connect(text, autocommit=False, timeout=max(1, math.ceil(left(deadline))))
    except ServiceError:
        raise
    except Exception as error:  # noqa: BLE001  # the driver has several trees of errors
        raise _login_error(error) from None  # the driver's text may hold address and user
    return MssqlLink(connection, deadline)


def _connection_text(descriptor: Descriptor) -> str:
    if descriptor.connection_string is not None:
        return descriptor.connection_string.reveal()
    host, port = address(KIND, descriptor)
    parts = {
        "Server": f"tcp:{host},{port}",
        "Database": required(KIND, "database", descriptor.database),
        "UID": required(KIND, "user", descriptor.user),
        "PWD": "" if descriptor.password is None else descriptor.password.reveal(),
        "Encrypt": choice(KIND, descriptor, "encrypt", ("yes", "strict", "no")),
        "TrustServerCertificate": choice(KIND, descriptor, "trust_server_certificate", ("no", "yes")),
        "ApplicationIntent": "ReadOnly",
    }
    # Braces make every character part of the value, but for the closing one, which is doubled.
    return "".join(f"{key}={{{value.replace('}', '}}')}}};" for key, value in parts.items())


def _login_error(error: Exception) -> ServiceError:
    what = getattr(error, "driver_error", "")
    text = str(getattr(error, "ddbc_error", ""))
    if "Failed to load the driver" in text or "could not be loaded" in what:
        return failed(KIND, "misconfigured", hint=LIBRARY)
    if type(error).__name__ == "ConnectionStringParseError" or "connection string" in what:
        return failed(KIND, "misconfigured", hint="The connection string is malformed.")
    if "Login failed" in text or what in LOGIN:
        return failed(KIND, "login_refused")
    return failed(KIND, "timed_out") if what in LATE else failed(KIND, "unreachable")


class MssqlLink(CursorLink):
    """A session with SQL Server."""

    kind = KIND

    def __init__(self, connection: Any, deadline: float) -> None:
        super().__init__(connection, MssqlSpelling())
        self.name = KIND.title
        try:
            self.name = f"mssql {self._version(left(deadline))}"
        except ServiceError:
            self.close()
            raise
        except Exception as error:
            self.close()
            raise self._explained(error) from error

    def _version(self, seconds: float) -> str:
        try:
            cursor = self._executed("SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128)) AS v", (), seconds)
            return str(cursor.fetchone()[0])
        finally:
            self._finish()

    def _executed(self, text: str, parameters: Sequence[Any], seconds: float) -> Any:
        self._connection.timeout = max(1, math.ceil(seconds))
        self._cursor = self._connection.cursor()
        return self._cursor.execute(text, tuple(parameters)) if parameters else self._cursor.execute(text)

    def _value(self, value: Any) -> Any:
        """Return a value of a result; bytes are the digits of a text's bytes, as the spelling asks for."""
        return plain(bytes.fromhex(value.decode()) if isinstance(value, bytes) else value)

    def _ended(self) -> None:
        self._connection.rollback()

    def _physical(self, column: Any) -> str | None:
        _, kind, _, _, precision, scale, _ = column
        if kind is datetime.datetime:
            return "datetime" if scale is None or scale <= FINEST else None
        return exact_number(precision, scale) if kind is Decimal else TYPES.get(kind)

    def _type_name(self, column: Any) -> str:
        _, kind, _, _, precision, scale, _ = column
        if kind is datetime.datetime:
            return f"datetime2({scale})"
        return f"decimal({precision},{scale})" if kind is Decimal else str(getattr(kind, "__name__", kind))

    def _stop(self) -> None:
        """Ask the server to end what runs."""
        cursor = self._cursor
        with suppress(Exception):
            cursor.hstmt._cancel()  # noqa: SLF001  # the driver's own way, which it offers under no other name

    def _explained(self, error: Exception) -> ServiceError:
        what = getattr(error, "driver_error", type(error).__name__)
        if what in LATE:
            return stopped()
        if what in GONE:
            return failed(KIND, "lost", code=what)
        if what in ABSENT:
            return no_such_table(KIND)
        if "permission was denied" in str(getattr(error, "ddbc_error", "")):
            return failed(KIND, "not_allowed")
        return refused(KIND, what)


TYPES: Mapping[Any, str] = {
    int: "int64",
    float: "float64",
    bool: "boolean",
    str: "string",
    datetime.date: "date",
}
