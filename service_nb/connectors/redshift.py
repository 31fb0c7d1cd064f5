"""Amazon Redshift, by the driver of PostgreSQL with the settings under which the two understand each other.

Redshift speaks an old form of PostgreSQL's protocol: it calls its encoding by another name, knows no prepared
statements that outlive a transaction, and no read-only session. What keeps a session from writing: an account that may
only read, one parsed SELECT a statement, sent in the extended protocol which takes no second one, inside
`BEGIN READ ONLY`, which is always rolled back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    connection_error,
    count_seconds_left,
    count_whole_seconds,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.bounds import build_connection_class
from service_nb.connectors.options import read_choice, read_password, require, require_address
from service_nb.connectors.postgres import FIXED_PARAMETERS
from service_nb.connectors.sql_link import DriverLink, find_decimal_type, translate_faults
from service_nb.errors import ServiceError
from service_nb.query.spelling import KINDS, LARGEST, MOST_SUMMED, Spelling, call
from service_nb.schema.connector import Descriptor, Dsn, Kind

KIND = Kind(
    type="redshift",
    title="Amazon Redshift",
    group="warehouse",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={"sslmode": "How the connection is encrypted: verify-full, verify-ca, require (the default), disable."},
    extra="redshift",
    driver="psycopg",
    dialect="redshift",
    port=5439,
    dsn=Dsn(
        form="redshift://user:password@host:5439/database?sslmode=verify-full",
        schemes={"redshift": {}, "postgresql": {}, "postgres": {}},
        options=("sslmode",),
    ),
)
# By the numbers that PostgreSQL's protocol gives to types.
TYPES: Mapping[int, str] = {
    **dict.fromkeys((20, 21, 23), "int64"),
    **dict.fromkeys((700, 701), "float64"),
    **dict.fromkeys((18, 19, 25, 1042, 1043), "string"),
    16: "boolean",
    1082: "date",
    1114: "datetime",
    1184: "datetime",
}
NUMERIC = 1700
VARBYTE = 6551  # which arrives as hexadecimal digits
SSL = ("require", "verify-ca", "verify-full", "disable")
CHUNK = 1_000  # rows that the driver holds of an answer
CANCEL_S = 1.0
# SQLSTATE, or how it begins
CAUSES: Mapping[str, Cause] = {
    "57014": "stopped",
    **dict.fromkeys(("42P01", "42703", "3F000", "3D000"), "absent"),
    **dict.fromkeys(("42501", "25006"), "not_allowed"),
    "28": "login_refused",
    **dict.fromkeys(("08", "57P"), "lost"),
}


def open_link(descriptor: Descriptor, deadline: float) -> RedshiftLink:
    """Open a session that cannot write."""
    psycopg = import_driver(KIND)
    host, port = require_address(KIND, descriptor)
    given = {
        **FIXED_PARAMETERS,
        "host": host,
        "port": str(port),
        "dbname": descriptor.database or "dev",
        "user": require(KIND, "user", descriptor.user),
        "password": read_password(descriptor),
        "sslmode": read_choice(KIND, descriptor, "sslmode", SSL),
    }
    try:
        connection = build_connection_class(psycopg, KIND.title).connect(
            **given,
            connect_timeout=count_whole_seconds(deadline),
            client_encoding="utf8",  # the server calls it UNICODE, which the driver does not know
            prepare_threshold=None,  # nor does it have prepared statements to come back to
            autocommit=True,  # transactions are begun and ended below, by name
            cursor_factory=psycopg.RawCursor,
        )
    except psycopg.Error as error:
        raise _login_error(error) from None  # the driver's text holds address and user
    # The driver does not know the type, and would hand on digits for what is text in bytes.
    digits = type("Digits", (psycopg.adapt.Loader,), {"load": lambda _, data: bytes.fromhex(bytes(data).decode())})
    connection.adapters.register_loader(VARBYTE, digits)
    return RedshiftLink(connection, deadline)


def _login_error(error: Exception) -> ServiceError:
    text = str(error)
    if "timeout" in text:
        return connection_error(KIND, "timed_out")
    if "authentication" in text or "does not exist" in text or "password" in text:
        return connection_error(KIND, "login_refused", code=getattr(error, "sqlstate", None))
    return connection_error(KIND, "unreachable")


class _Streamed:
    """An answer as it arrives; streams always use the extended protocol, which takes one statement."""

    def __init__(self, cursor: Any, text: str, parameters: Sequence[Any]) -> None:
        self._cursor = cursor
        self._rows = cursor.stream(text, list(parameters), size=CHUNK)
        first = next(self._rows, None)  # columns are known once something has come
        self._all = self._rows if first is None else chain([first], self._rows)
        self.description = cursor.description

    def fetchmany(self, count: int) -> list[tuple[object, ...]]:
        return list(islice(self._all, count))

    def close(self) -> None:
        self._rows.close()
        self._cursor.close()


class RedshiftSpelling(Spelling):
    """PostgreSQL's SQL of long ago, with types of its own.

    Sums of integers are DECIMAL(38) and raise beyond; NaN is equal to itself and the largest. VARCHAR by itself would
    cut after 256 bytes. Text is compared as its bytes (VARBYTE): as text, trailing spaces would not count, and a
    collation may.
    """

    dialect = "redshift"
    quoted = True
    finite_range = (2.2250738585072014e-308, LARGEST)
    types: ClassVar = {"string": "varchar(65535)"}
    casts_columns = quotes_doubles = is_nan_equal = underflow_raises = True
    casts_operands = KINDS
    most_summed = MOST_SUMMED
    place_call, contains_call, prefix_call = "STRPOS", "", ""

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Convert a text to its bytes in UTF-8."""
        return call("TO_VARBYTE", value, exp.Literal.string("utf8"))

    def unwrap_text(self, text: exp.Expr) -> exp.Expr:
        """Unwrap the characters that bytes were made of."""
        characters: exp.Expr = text.expressions[0]
        return characters


class RedshiftLink(DriverLink):
    """A session with Redshift."""

    kind = KIND
    name = "redshift"
    spelling = RedshiftSpelling()
    mark = "${1}"

    def __init__(self, connection: object, deadline: float) -> None:
        super().__init__(connection)
        # Two more digits than it shows by itself: 17, which are enough to tell every double.
        settings = ("SET extra_float_digits TO 2", "SET timezone TO 'UTC'", "SET search_path TO '$user', public")
        with ExitStack() as failed, translate_faults(self._explain):
            failed.callback(self.close)
            for statement in settings:
                self._limit(count_seconds_left(deadline))
                self._connection.execute(statement)
            failed.pop_all()

    def _limit(self, seconds: float) -> None:
        self._connection.execute(f"SET statement_timeout TO {max(1, math.ceil(seconds * 1000))}")

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        if not self._begun:
            self._begun = True
            self._connection.execute("BEGIN READ ONLY")
        self._limit(seconds)
        cursor = self._cursor = self._connection.cursor()
        if self._is_description(text):  # an answer without rows would tell no columns if it were streamed
            return cursor.execute(text, binary=True)
        self._cursor = _Streamed(cursor, text, parameters)
        return self._cursor

    def _end_transaction(self) -> None:
        self._connection.execute("ROLLBACK")

    def _describe_column(self, column: Any) -> DescribedColumn:
        is_decimal = column.type_code == NUMERIC
        physical = find_decimal_type(column.precision, column.scale) if is_decimal else TYPES.get(column.type_code)
        return DescribedColumn(column.name, physical, str(column.type_display))

    def _stop(self) -> None:
        """Ask the server to end what runs, over a connection of its own."""
        self._connection.cancel_safe(timeout=CANCEL_S)

    def _explain(self, error: Exception) -> ServiceError:
        state = getattr(error, "sqlstate", None) or ""
        if found := explain_code(KIND, CAUSES, state, state[:3], state[:2]):
            return found
        return connection_error(KIND, "lost") if self._connection.closed else query_error(KIND, state or None)


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link)
