"""PostgreSQL, by psycopg.

What keeps a session from writing, each by itself and all together: the account's rights; a transaction that is
read-only and has already run a query, after which it cannot be made another; the extended protocol, which takes one
statement; and `DECLARE CURSOR`, which takes nothing but a SELECT that modifies no data.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    Row,
    altered_error,
    connection_error,
    count_whole_seconds,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.bounds import FIRST_ROWS, MOST_ROWS, build_connection_class, count_received, plan_rows
from service_nb.connectors.options import read_choice, read_option
from service_nb.connectors.sql_link import DriverLink, find_decimal_type
from service_nb.errors import InvalidIntentError, ServiceError, SourceMalformedError
from service_nb.query.spelling import KINDS, Spelling
from service_nb.query.sql_conditions import build_lookup, list_lookup_values
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

KIND = Kind(
    type="postgres",
    title="PostgreSQL",
    group="relational",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "sslmode": "prefer (the default), disable, require, verify-ca or verify-full",
        "ca": "path of a file of certificates that sign the server's, for verify-ca and verify-full",
    },
    extra="postgres",
    driver="psycopg",
    dialect="postgres",
    port=5432,
)
# What a session keeps beyond its transaction: locks of that kind. Settings go with it.
_RELEASE = "ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()"
_FAILED = 3  # a transaction that takes nothing more
SSL_MODES = ("prefer", "disable", "require", "verify-ca", "verify-full")
DSN_KEYS = ("host", "hostaddr", "port", "dbname", "user", "password", "sslmode", "connect_timeout", "application_name")
# Taken, for strings that clients copy often have them, and ignored: the deadline and the name are ours.
_IGNORED_DSN_KEYS = ("connect_timeout", "application_name")
CANCEL_S = 0.8

# As of the catalog: numbers that every PostgreSQL has. A domain arrives as what it is made of.
_TYPES = {
    16: "boolean",
    **dict.fromkeys((20, 21, 23, 26), "int64"),
    **dict.fromkeys((700, 701), "float64"),
    **dict.fromkeys((18, 19, 25, 1042, 1043, 2950, 869, 650, 829, 774), "string"),
    1082: "date",
    **dict.fromkeys((1114, 1184), "datetime"),
}
_NUMERIC = 1700
_MADE_BY_HAND = 16_384  # types from here on are the database's own: enumerations, and what is refused

# Of this transaction alone. What a role or a database has set may not change what a value looks like.
_SETTINGS = {
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "extra_float_digits": "3",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "gin_fuzzy_search_limit": "0",  # with a limit an index of that kind returns some of the rows, others each time
    "lock_timeout": "5s",
    "row_security": "on",
}
# SQLSTATE, or how it begins
_CAUSES: Mapping[str, Cause] = {
    "57014": "stopped",
    **dict.fromkeys(("42P01", "3F000", "42703"), "absent"),
    "42501": "not_allowed",
    **dict.fromkeys(("08", "40", "57P"), "lost"),  # a deadlock is one with whoever alters what is read
    **dict.fromkeys(("53", "55"), "busy"),
}
NO_PASSWORD = ""  # where there is none the library would take one of the deployment's own from the environment
# Stated for every connection, whatever a descriptor or a connection string says: what is not stated, the library takes
# from the environment and the files of whoever runs the deployment.
FIXED_PARAMETERS: Mapping[str, str] = {
    "application_name": "service-nb",  # the server's own lists show whose session it is
    "gssencmode": "disable",  # no Kerberos ticket of the deployment's own account encrypts the connection
    "require_auth": "!gss,!sspi",  # nor logs in where a server asks for one
    "passfile": str(Path(os.devnull) / "none"),  # a password is in the descriptor, or there is none
    "sslcertmode": "disable",  # a server is not shown the certificate of whoever runs the deployment
    "options": "",  # settings of the session are ours, none come from PGOPTIONS
}


def open_link(descriptor: Descriptor, deadline: float) -> PostgresLink:
    """Open a session that cannot write."""
    psycopg = import_driver(KIND)
    given = _build_connection_options(descriptor)
    seconds = count_whole_seconds(deadline, least=2)  # the driver's own
    try:
        connection = build_connection_class(psycopg, KIND.title).connect(
            **given, connect_timeout=seconds, autocommit=True, prepare_threshold=None, cursor_factory=psycopg.RawCursor
        )
    except psycopg.Error as error:
        raise _login_error(error) from error
    return PostgresLink(connection)


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to: the name, and the address in place of the name's."""
    given = _build_connection_options(descriptor)
    return tuple(str(given[key]) for key in ("host", "hostaddr") if given.get(key))


def _build_connection_options(descriptor: Descriptor) -> dict[str, object]:
    given = {} if descriptor.connection_string is None else _parse_dsn(descriptor.connection_string.reveal())
    parts = {
        "host": descriptor.host,
        "port": descriptor.port,
        "dbname": descriptor.database,
        "user": descriptor.user,
        "password": None if descriptor.password is None else descriptor.password.reveal(),
        "sslrootcert": read_option(descriptor, "ca"),
    }
    given.update({key: value for key, value in parts.items() if value is not None})
    if "sslmode" not in given or "sslmode" in descriptor.options:
        given["sslmode"] = read_choice(KIND, descriptor, "sslmode", SSL_MODES)
    if not given.get("host") or "," in str(given["host"]):
        raise InvalidIntentError(f"{KIND.title} needs one host.", path="connector.host", expected="a host")
    if given["sslmode"] == "verify-full":
        given.setdefault("sslrootcert", "system")
    elif given["sslmode"] == "verify-ca" and "sslrootcert" not in given:
        raise InvalidIntentError("sslmode verify-ca needs ca.", path="connector.ca", expected="a file of certificates")
    return {"port": KIND.port, "password": NO_PASSWORD, **given, **FIXED_PARAMETERS, "client_encoding": "utf8"}


def _parse_dsn(text: str) -> dict[str, object]:
    """Return the parts of a connection string; those that would read files of this machine are refused."""
    conninfo = import_driver(KIND, "psycopg.conninfo")
    try:
        parts: dict[str, Any] = conninfo.conninfo_to_dict(text)
    except import_driver(KIND).Error as error:
        raise InvalidIntentError(
            "This is not a PostgreSQL connection string.",
            path="connector.connection_string",
            expected="postgresql://user:password@host:5432/database",
        ) from error
    for key in parts:
        if key not in DSN_KEYS:
            raise InvalidIntentError(
                f"The connection string has the key {key}, which is not taken.",
                hint=f"It may have {', '.join(DSN_KEYS)}.",
                path="connector.connection_string",
                met=key,
            )
    if parts.get("sslmode") not in (None, *SSL_MODES):
        raise InvalidIntentError("The connection string's sslmode is unknown.", path="connector.connection_string")
    return {key: value for key, value in parts.items() if key not in _IGNORED_DSN_KEYS}


# Of a server that starts, recovers, goes down, lost one of its processes, or is full: it is asked again.
_PASSING = ("the database system is", "terminating connection", "too many", "remaining connection slots")


def _login_error(error: Exception) -> ServiceError:
    """Convert a failed login to an error of ours. It has no code, only a text, which is not repeated."""
    text, kind = str(error).lower(), type(error).__name__
    if kind == "ConnectionTimeout" or "timeout expired" in text:
        return connection_error(KIND, "timed_out")
    if "invalid response" in text or "expected authentication request" in text or "unsupported protocol" in text:
        return connection_error(KIND, "malformed")
    if "certificate" in text or "ssl" in text:
        return connection_error(KIND, "misconfigured", hint="Check `sslmode`, `ca` and the server's certificate.")
    if any(words in text for words in _PASSING):
        return connection_error(KIND, "unreachable", hint="The server has reached its limit of connections; try again.")
    if "fatal" in text or "password" in text or "no pg_hba" in text:
        return connection_error(KIND, "login_refused")
    if "closed the connection" in text or "reset by peer" in text:
        return connection_error(KIND, "lost")
    return connection_error(KIND, "unreachable")


class PostgresSpelling(Spelling):
    """PostgreSQL 12 and later, with a server encoding of UTF-8. Sums of BIGINT are NUMERIC, casts round.

    Its doubles raise where others round to zero or to infinity; NaN is its largest number; collation "C" compares
    bytes.
    """

    dialect = "postgres"
    quoted = True
    nul_text = False
    literal_values = True
    decimal_nan = True
    types: ClassVar = {"string": "text"}
    casts_columns = quotes_doubles = is_nan_equal = underflow_raises = True
    casts_operands = KINDS
    whole_call = "TRUNC"
    place_call, contains_call = "STRPOS", ""

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Collate a text to compare by its bytes."""
        return exp.Collate(this=value, expression=exp.to_identifier("C", quoted=True))

    def build_least(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Build the least, and of decimals NaN, their largest, where it is among them: no number is the least then."""
        if not field.physical.startswith("decimal("):
            return super().build_least(field, value)
        nan = exp.cast(exp.Literal.string("NaN"), self.find_type(field.physical), copy=False)
        largest = exp.Max(this=value.copy())
        among = exp.EQ(this=largest, expression=nan)
        return exp.Case().when(among, largest.copy(), copy=False).else_(exp.Min(this=value), copy=False)

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Build the condition of the column itself: indexes are of its own type and collation, not of what is read.

        Texts that are the same bytes are equal under every collation; operands of a text take the column's own type.
        Their order and beginnings need nothing here: an index that is of bytes answers the exact condition itself, and
        of another one no range is known to hold them all. A REAL is compared with a DOUBLE as the double that it is.
        """
        values = list_lookup_values(field, condition)
        if not values or any(isinstance(value, str) and "\0" in value for value in values):
            return None
        text = field.physical == "string"
        marks = [exp.Placeholder() if text else self.build_placeholder(value, field) for value in values]
        return build_lookup(condition, column, marks), values


class PostgresLink(DriverLink):
    """A session with PostgreSQL."""

    kind = KIND
    spelling = PostgresSpelling()
    mark = "${1}"
    batch = 10_000
    holds = True  # by locks that are kept until the transaction ends

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        version = connection.info.server_version
        minor = version % 10_000 if version >= 100_000 else version // 100 % 100
        self.name = f"postgres {version // 10_000}.{minor}"
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))
        self._step: Literal["begun", "described", "read"] | None = None  # of the transaction, if there is one
        self._named: list[str] = []  # calls that tell which tables the names in a question stand for
        self._found: tuple[object, ...] = ()

    def fetch_rows(self, tree: exp.Select, parameters: Sequence[object], most: int, deadline: float) -> list[Row]:
        found = super().fetch_rows(tree, parameters, most, deadline)
        if any(type(value) is Decimal and not value.is_finite() for row in found for value in row):
            raise SourceMalformedError(
                "A numeric column holds NaN or an infinity, which a decimal cannot hold.",
                met="NaN",
                expected="a number",
            )
        return found

    def _render_description(self, relation: exp.Expr) -> str:
        if self._describing is None or self._describing[0] is not relation:
            self._named = _name_calls(relation)
        return super()._render_description(relation)

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        cursor = self._cursor = self._connection.cursor()
        describes = self._asking and self._is_description(text)
        if describes or self._step == "begun":
            self._release()
        self._begin(cursor, seconds, describes=describes)
        # In binary, so by the extended protocol, which takes one statement.
        cursor.execute(f"DECLARE read NO SCROLL CURSOR FOR {text}", parameters, binary=True)
        if describes:  # what comes next may fail, and the lock of what was described stays
            cursor.execute("FETCH FORWARD 0 FROM read; CLOSE read; SAVEPOINT described")
            self._step = "described"
        return _DeclaredCursor(cursor, self._count_received)

    def _begin(self, cursor: Any, seconds: float, *, describes: bool) -> None:
        """Begin a transaction, or go back to where this question's one was when it had described the source."""
        limit = f"set_config('statement_timeout', '{max(1, math.ceil(seconds * 1000))}ms', true)"
        if self._step == "read":
            cursor.execute(f"ROLLBACK TO SAVEPOINT described; SELECT pg_catalog.{limit}")
        elif self._step != "described":
            calls = [limit, *(f"set_config('{name}', '{value}', true)" for name, value in _SETTINGS.items())]
            calls += self._named if describes else []
            # With a query: from here on the transaction cannot be made one that writes. All in one trip.
            text = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT {_list_calls(calls)}"
            cursor.execute(text if describes or not self._asking else f"{text}; SAVEPOINT described")
            if describes:
                cursor.nextset()
                self._found = cursor.fetchone()[len(_SETTINGS) + 1 :]
        self._step = "begun" if describes else "read"

    def _count_received(self) -> int:
        return count_received(self._socket.fileno())

    def _settle(self) -> None:
        """End the transaction, and ask in the same trip whether names are still those of the same tables.

        A lock keeps a table from being renamed; but not the schema that it is in, and not others from coming before it
        in the search path.
        """
        if self._step is None or not self._named or self._connection.info.transaction_status == _FAILED:
            return
        self._step = None
        found = self._connection.execute(f"SELECT {_list_calls(self._named)}; {_RELEASE}").fetchone()
        if found != self._found:
            raise altered_error()

    def _release(self) -> None:
        step, self._step = self._step, None
        with contextlib.suppress(Exception):
            if step is not None and not self._connection.closed:
                self._connection.execute(_RELEASE)

    def _stop(self) -> None:
        self._connection.cancel_safe(timeout=CANCEL_S)

    def _cut(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._cut()
        with contextlib.suppress(Exception):
            self._connection.close()
        self._socket.close()

    def _describe_column(self, column: Any) -> DescribedColumn:
        physical, name = _TYPES.get(column.type_code), str(column.type_display)
        if column.type_code == _NUMERIC:
            physical = find_decimal_type(column.precision, column.scale)
            name = "numeric without a precision" if column.precision is None else "numeric of more than 38 digits"
        elif column.type_code >= _MADE_BY_HAND:
            physical = "string" if self._is_enumeration(column.type_code) else None
        return DescribedColumn(column.name, physical, name)

    def _is_enumeration(self, number: int) -> bool:
        # Within the transaction of the statement that is described; the cursor of that one stays as it is.
        found = self._connection.execute(
            "SELECT typtype = 'e' FROM pg_catalog.pg_type WHERE oid = $1", (number,), binary=True
        ).fetchone()
        return bool(found and found[0])

    def _explain(self, error: Exception) -> ServiceError:
        code = getattr(error, "sqlstate", None)
        if code is None:
            if type(error).__name__ == "DataError":
                return SourceMalformedError(
                    "The source holds a date outside the years 1 to 9999, or an infinite one.",
                    hint="Leave it out by a query.",
                    expected="a date of the years 1 to 9999",
                )
            return connection_error(KIND, "lost")
        if code in ("22021", "22P05"):
            return SourceMalformedError("The source holds text that is not UTF-8.", expected="UTF-8")
        return explain_code(KIND, _CAUSES, code, code[:3], code[:2]) or query_error(KIND, code)


def _list_calls(calls: Sequence[str]) -> str:
    return ", ".join(f"pg_catalog.{call}" for call in calls)


def _name_calls(relation: exp.Expr) -> list[str]:
    """Return the calls that tell for which tables names in a relation stand, in digits: no name is ever SQL here."""
    calls = []
    for table in relation.find_all(exp.Table):
        parts = table.parts[-2:]  # the database before them is this one
        if all(isinstance(part, exp.Identifier) for part in parts):
            name = ".".join(part.sql(dialect=KIND.dialect) for part in parts).encode().hex()
            calls.append(f"to_regclass(pg_catalog.convert_from(pg_catalog.decode('{name}', 'hex'), 'UTF8'))::oid")
    return list(dict.fromkeys(calls))


class _DeclaredCursor:
    """The rows of the declared cursor, in the shape of a driver's; as many at once as their size allows."""

    def __init__(self, cursor: Any, received: Callable[[], int]) -> None:
        self._cursor, self._received = cursor, received
        self._rows, self._is_done = FIRST_ROWS, False

    @property
    def description(self) -> Sequence[object]:
        if self._cursor.description is None:  # no row was asked for
            self._cursor.execute("FETCH FORWARD 0 FROM read", binary=True)
        found: Sequence[object] = self._cursor.description
        return found

    def fetchmany(self, count: int) -> list[Row]:
        if self._is_done:
            return []
        asked, before = min(count, self._rows), self._received()
        self._cursor.execute(f"FETCH FORWARD {asked} FROM read", binary=True)
        if self._cursor.rowcount > asked:
            raise connection_error(KIND, "malformed")
        found: list[Row] = self._cursor.fetchall()
        self._rows = plan_rows(asked, self._received() - before, MOST_ROWS)
        self._is_done = len(found) < asked  # which is how FETCH says so
        return found


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
