"""MySQL and MariaDB, by PyMySQL.

What keeps a session from writing: the account's rights, and a transaction that is read-only, begun anew for each
statement, of which the protocol takes one. A session may be switched back by a statement that does so; such a one is
never made, for what is sent is a SELECT written from its tree.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    connection_error,
    count_seconds_left,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.bounds import ENOUGH_BYTES, MOST_BYTES, DeadlineWatch, answer_size_error
from service_nb.connectors.options import build_trust, read_choice, read_option, read_password, require
from service_nb.connectors.sql_link import (
    GRACE_S,
    DriverLink,
    convert_value,
    find_decimal_type,
    watch_statement,
)
from service_nb.errors import InvalidIntentError, ServiceError, SourceMalformedError
from service_nb.query.spelling import Spelling, call, write_with_exponent
from service_nb.query.sql_conditions import build_lookup, compute_value_range, list_lookup_values
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

TOO_LONG = 1301  # what a function returns is longer than a packet may be, and has become NULL
NOT_CONVERTED = 1977  # a character that another character set has not, and has become a question mark
_CHARSET = re.compile(r"'(\w+)'")


def check_warnings(warned: Sequence[tuple[object, int, object]], most: int) -> None:
    """Refuse an answer by its warnings: level, code and text of each, `most` of them at most.

    Raises `source_malformed`.
    """
    if any(code == NOT_CONVERTED and _is_of_the_source(str(text)) for _, code, text in warned):
        raise SourceMalformedError(
            "The source holds a text with a character that has no Unicode equivalent.",
            hint="Leave it out by a query, or change the column's character set.",
            met=str(NOT_CONVERTED),
            expected="text that can be encoded in UTF-8",
        )
    if len(warned) >= most or any(code == TOO_LONG for _, code, _ in warned):
        raise SourceMalformedError(
            "The source holds a text that is longer than the server's max_allowed_packet.",
            hint="Raise max_allowed_packet at the server, or leave the text out by a query.",
            met=str(TOO_LONG),
        )


def _is_of_the_source(warning: str) -> bool:
    """Tell whether a warning is about a text of the source; about an operand (UTF-8), no row can equal it."""
    found = _CHARSET.search(warning)
    return found is None or not found[1].startswith("utf8")


def check_value(value: object, physical: str | None) -> object:
    """Return a value as the engine knows it; a date that no calendar has arrives as a text."""
    if type(value) is str and physical in ("date", "datetime"):
        raise SourceMalformedError(
            "The source holds a date that does not exist.",
            hint="Leave it out by a query.",
            expected="a date of the years 1 to 9999",
        )
    return convert_value(value)


PACKET_BYTES = 64  # what a packet costs beside what is in it
COLUMN_BYTES = 8_192  # what one costs that may describe a column: no more than some thousand are held


@lru_cache
def build_counting_classes(driver: ModuleType, cursors: ModuleType, title: str) -> tuple[type[Any], type[Any]]:
    """Return the driver's kinds of connection and cursor: a statement's head, or one fetch, is of bounded size.

    The driver gathers packets, of which a server may announce any number of any length, before it looks at them.
    """

    class Counting(driver.Connection):  # type: ignore[misc,name-defined]  # of a module found late
        left, each = MOST_BYTES, COLUMN_BYTES

        def query(self, sql: object, unbuffered: bool = False) -> object:
            self.left, self.each = MOST_BYTES, COLUMN_BYTES
            try:
                return super().query(sql, unbuffered)
            finally:
                self.left, self.each = MOST_BYTES, PACKET_BYTES

        def _read_bytes(self, num_bytes: int) -> object:
            self.left -= num_bytes + self.each
            if self.left < 0:
                self._force_close()
                raise answer_size_error(title)
            return super()._read_bytes(num_bytes)

        def _force_close(self) -> None:
            if self._result is not None:  # or the rest of it would be read when it is collected
                self._result.unbuffered_active = False
            super()._force_close()

    class Weighing(cursors.SSCursor):  # type: ignore[misc,name-defined]
        def fetchmany(self, size: int | None = None) -> list[object]:
            connection = self._get_db()
            connection.left = MOST_BYTES
            rows: list[object] = []
            while len(rows) < (size or 1) and connection.left > MOST_BYTES - ENOUGH_BYTES:
                row = self.fetchone()
                if row is None:
                    break
                rows.append(row)
            return rows

        def close(self) -> None:
            if self.connection is not None:  # what is left unread is read, and thrown away
                self.connection.left = MOST_BYTES
            super().close()

        __del__ = close

    return Counting, Weighing


KIND = Kind(
    type="mysql",
    title="MySQL or MariaDB",
    group="relational",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "sslmode": "prefer (the default), disable, require, verify-ca or verify-full",
        "ca": "path of a file of certificates that sign the server's, for verify-ca and verify-full",
    },
    extra="mysql",
    driver="pymysql",
    dialect="mysql",
    port=3306,
    dsn=Dsn(form="mysql://user:password@host:3306/database", schemes={"mysql": {}, "mariadb": {}}),
)
SSL_MODES = ("prefer", "disable", "require", "verify-ca", "verify-full")
CANCEL_S = 0.8
# What a server's own settings may not decide: what quotes mean, what is an error, and in which zone instants are told.
# Without NO_ZERO_DATE: with it a date such as 0000-00-00 would become NULL wherever it is read.
SQL_MODE = "STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
# A server may be set to show what others have written and not yet committed.
ISOLATION = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"
MOST_WARNINGS = 65_535
MOST_ROWS = 2**64 - 1  # a server's own `sql_select_limit` would leave out what is beyond it, without a word

_UNSIGNED, _BINARY_CHARSET = 32, 63
_BIGINT, _TIMESTAMP, _DECIMALS = 8, 7, (0, 246)
_TEXTS = (15, 247, 248, 249, 250, 251, 252, 253, 254)
_TYPES = {
    **dict.fromkeys((1, 2, 3, 8, 9, 13), "int64"),  # TINYINT, SMALLINT, INT, BIGINT, MEDIUMINT, YEAR
    **dict.fromkeys((4, 5), "float64"),
    **dict.fromkeys((10, 14), "date"),
    **dict.fromkeys((7, 12), "datetime"),
    **dict.fromkeys(_TEXTS, "string"),
}
_NAMES = {11: "TIME", 16: "BIT", 242: "VECTOR", 245: "JSON", 255: "GEOMETRY"}

_LOGIN = (1044, 1045, 1049, 1130, 1251, 1698, 1862, 4151)
_BUSY = (1040, 1041, 1203, 1226, 1205, 1213)
_CAUSES: Mapping[int | None, Cause] = {
    **dict.fromkeys((1317, 1969, 3024), "stopped"),
    **dict.fromkeys((1051, 1054, 1109, 1146), "absent"),
    1412: "altered",  # since the transaction began to read
    **dict.fromkeys((1142, 1143, 1227, 1370, 1290, *_LOGIN), "not_allowed"),
    **dict.fromkeys((1053, 1077, 1079, 2006, 2013, 2055, 1927), "lost"),
    **dict.fromkeys(_BUSY, "busy"),
}


def open_link(descriptor: Descriptor, deadline: float) -> MySqlLink:
    """Open a session that cannot write."""
    return MySqlLink(_Login(descriptor), deadline)


class _Login:
    """The connection settings: used once for the session, and once for each request to cancel its statement."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.host = require(KIND, "host", descriptor.host)
        self.port = descriptor.port or KIND.port or 0
        password = read_password(descriptor) or None
        given = {"user": require(KIND, "user", descriptor.user), "database": descriptor.database, "password": password}
        self._parts = {key: value for key, value in given.items() if value is not None}
        self._mode = read_choice(KIND, descriptor, "sslmode", SSL_MODES)
        self._ca = read_option(descriptor, "ca")
        if self._mode == "verify-ca" and self._ca is None:
            raise InvalidIntentError(
                "sslmode verify-ca needs ca.", path="connector.ca", expected="a file of certificates"
            )

    def connect(self, deadline: float) -> tuple[Any, socket.socket]:
        """Return a connection, and a second handle of its socket, by which it can be cut off."""
        pymysql, cursors = import_driver(KIND), import_driver(KIND, "pymysql.cursors")
        connection_class, cursor_class = build_counting_classes(pymysql, cursors, KIND.title)
        options = {**self._build_options(), "cursorclass": cursor_class}
        try:
            raw = self._connect_socket(count_seconds_left(deadline))
        except (OSError, UnicodeError) as error:
            late = isinstance(error, TimeoutError)
            raise connection_error(KIND, "timed_out" if late else "unreachable") from None
        handle = socket.socket(fileno=os.dup(raw.fileno()))
        connection = connection_class(**options)
        left = max(0.0, deadline - time.monotonic())  # all may be spent by now
        late_error = partial(connection_error, KIND, "timed_out")
        with ExitStack() as failed:
            failed.callback(raw.close)
            failed.callback(handle.close)
            with watch_statement(left, lambda _: cut_socket(handle), threading.Event(), _login_error, late_error):
                connection.connect(raw)
            failed.pop_all()
        return connection, handle

    def _connect_socket(self, seconds: float) -> socket.socket:
        if self.host.startswith("/"):
            raw = socket.socket(socket.AF_UNIX)
            raw.settimeout(seconds)
            try:
                raw.connect(self.host)
            except OSError:
                raw.close()
                raise
            return raw
        raw = socket.create_connection((self.host, self.port), seconds)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return raw

    def _build_options(self) -> dict[str, object]:
        return {
            **self._parts,
            "host": self.host,
            "charset": "utf8mb4",
            "sql_mode": SQL_MODE,
            "init_command": ISOLATION,
            "autocommit": True,
            "local_infile": False,
            "defer_connect": True,
            "program_name": "service-nb",
            # A server may ask for the password as it is; it gets it through an encrypted connection only.
            "auth_plugin_map": {b"mysql_clear_password": _Guarded, b"dialog": _Guarded},
            **self._build_encryption(),
        }

    def _build_encryption(self) -> dict[str, object]:
        if self._mode == "disable" or self.host.startswith("/"):
            return {"ssl_disabled": True}
        if self._mode == "prefer":
            return {}
        context = build_trust(self._ca)
        context.check_hostname = self._mode == "verify-full"
        if self._mode == "require":
            context.verify_mode = ssl.CERT_NONE
        return {"ssl": context}


class _Guarded:
    """Answers a server that asks for the password itself."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def authenticate(self, _: object) -> object:
        if not isinstance(self._connection._sock, ssl.SSLSocket):  # noqa: SLF001  # the driver shows it nowhere else
            raise connection_error(KIND, "misconfigured", hint="The server asks for the bare password: set sslmode.")
        self._connection.write_packet(self._connection.password + b"\0")
        return self._connection._read_packet()  # noqa: SLF001


def cut_socket(handle: socket.socket) -> None:
    """End a connection below the driver."""
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def _read_code(error: Exception) -> int | None:
    first = error.args[0] if error.args else None
    return first if isinstance(first, int) and not isinstance(first, bool) else None


def _login_error(error: Exception) -> ServiceError:
    code = _read_code(error)
    if isinstance(error, ssl.SSLError) or isinstance(error.__context__, ssl.SSLError) or code == 2026:
        return connection_error(KIND, "misconfigured", hint="Check `sslmode`, `ca` and the server's certificate.")
    if code in _LOGIN:
        return connection_error(KIND, "login_refused", code=str(code))
    if code in _BUSY:
        return connection_error(
            KIND, "unreachable", hint="The server has reached its limit of connections.", code=str(code)
        )
    if isinstance(error, OSError) or code in (2003, 2006):
        return connection_error(KIND, "lost")
    return connection_error(KIND, "malformed", code=None if code is None else str(code))


class MySQLSpelling(Spelling):
    """MySQL 8 and MariaDB. Casts round; sums of integers and decimals have 65 digits; neither NaN nor infinities.

    Their collations ignore case, accents and trailing spaces, as columns declare; so texts are compared as the bytes of
    their UTF-8, and text keys come as bytes. Numbers and truth are sent as what they are.
    """

    dialect = "mysql"
    quoted = True
    nonfinite = ()
    types: ClassVar = {
        "string": exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.Var(this="utf8mb4")),
        "datetime": "datetime(6)",
        "boolean": "bigint",
    }
    casts_operands = ("string", "date", "datetime")
    place_call, contains_call, prefix_call = "LOCATE", "", ""

    def build_double(self, value: float) -> exp.Expr:
        """Build a literal that is this very double: one without an exponent would be a decimal."""
        return exp.Literal.number(write_with_exponent(value))

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read a column as a value of exactly the field's physical type; sessions are in UTC."""
        if field.physical == "boolean":
            return exp.NEQ(this=column, expression=exp.Literal.number(0))
        return exp.cast(column, self.find_type(field.physical))

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Convert a text to its bytes, which no collation compares and no trailing space is left out of."""
        return exp.cast(value, exp.DataType.build("binary"))

    def build_whole(self, value: exp.Expr) -> exp.Expr:
        return call("TRUNCATE", value, exp.Literal.number(0))

    def build_place(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        return call(self.place_call, part, text)

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Build the condition of the column itself: of what it is cast to there is no index.

        Texts that are the same bytes are equal under every collation; by what a LIKE may look for in an index of
        another one is not known here.
        """
        values = list_lookup_values(field, condition)
        if not values or "" in values:  # an ENUM has two empty texts, and looks up one of them
            return None
        if field.physical == "float64" or (field.physical == "int64" and condition.op not in ("eq", "in")):
            low, high = compute_value_range(condition, values)
            if field.physical == "int64":
                low, high = _limit_year_ends(low, high)
            # A column that is narrower than an end rounds it as it has rounded its own values: none is left out.
            ends = [(kind, end) for kind, end in ((exp.GTE, low), (exp.LTE, high)) if end is not None]
            sides: list[exp.Expr] = [kind(this=column.copy(), expression=exp.Placeholder()) for kind, _ in ends]
            return (exp.and_(*sides, copy=False), [end for _, end in ends]) if sides else None
        text = field.physical == "string"
        marks = [exp.Placeholder() if text else self.build_placeholder(value, field) for value in values]
        tree = build_lookup(condition, column, marks)
        return (_restrict_charsets(tree, column) if text and any(map(_has_two_codes, values)) else tree), values


def _limit_year_ends(low: int | None, high: int | None) -> tuple[int | None, int | None]:
    """Return the ends by which a column of years is compared as any other of integers is.

    It takes numbers of two digits for years, and what lies beyond its years, 1901 to 2155, for the least; so an end
    beyond them may be given only where no year is on its side.
    """
    if (low is not None and low > 2155) or (high is not None and high < 0):
        return low, high
    return tuple(end if end is not None and 1901 <= end <= 2155 else None for end in (low, high))  # type: ignore[return-value]


def _has_two_codes(text: str) -> bool:
    """Tell whether a text may have several codes in an older character set, as of Japanese or Chinese."""
    return any(char in "\\~" or (char >= "\u2100" and not "\u3040" <= char <= "\u30ff") for char in text)


def _restrict_charsets(looked_up: exp.Expr, column: exp.Expr) -> exp.Expr:
    """Return the condition for columns of character sets in which each text is one sequence of bytes.

    Others hold what is the same text here in bytes that their indexes do not find. MariaDB knows before it reads a row
    which of both it is.
    """
    plain = ("utf8mb4", "utf8mb3", "utf8", "latin1", "ascii", "ucs2", "utf16", "utf16le", "utf32")
    known = exp.In(this=call("CHARSET", column.copy()), expressions=[exp.Literal.string(name) for name in plain])
    return exp.or_(looked_up, exp.not_(known, copy=False), copy=False)


class MySqlLink(DriverLink):
    """A session with MySQL or MariaDB."""

    kind = KIND
    spelling = MySQLSpelling()
    mark = "%s"
    batch = 10_000
    holds = True  # by locks that are kept until the transaction ends

    def __init__(self, login: _Login, deadline: float) -> None:
        connection, self._handle = login.connect(deadline)
        super().__init__(connection)
        self._login = login
        told = str(connection.get_server_info())
        self._is_maria = "mariadb" in told.lower()
        version = told.removeprefix("5.5.5-").partition("-")[0][:20]
        self.name = f"{'mariadb' if self._is_maria else 'mysql'} {version}"
        self._more = self._killed = False
        self._until = 0.0

    def _find_converter(self, cursor: Any) -> Callable[[Sequence[object]], tuple[object, ...]]:
        kinds = [self._describe_column(field).physical for field in cursor._result.fields]  # noqa: SLF001
        return lambda row: tuple(map(check_value, row, kinds))

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        self._until = time.monotonic() + seconds
        cursor = self._connection.cursor()
        if not self._begun:  # what a question has described cannot be altered until its transaction ends
            # A little later than this side's own deadline, which also ends what is on its way.
            late = seconds + GRACE_S
            limit = f"max_statement_time = {late:.3f}" if self._is_maria else f"max_execution_time = {late * 1000:.0f}"
            whole = f"max_error_count = {MOST_WARNINGS}, sql_select_limit = {MOST_ROWS}"
            cursor.execute(f"SET SESSION time_zone = '+00:00', {whole}, {limit}")
            self._begun = True
            cursor.execute("START TRANSACTION READ ONLY")
        # Behind a description there is its end alone, which is read: to kill it would take a connection each time.
        self._cursor, self._more = cursor, not self._is_description(text)
        cursor.execute(text, list(parameters) if parameters else ())
        return cursor

    def _check_whole(self, watch: DeadlineWatch) -> None:
        super()._check_whole(watch)
        result = None if self._cursor is None else self._cursor._result  # noqa: SLF001
        if result is None or result.unbuffered_active or not result.warning_count:
            return
        cursor = self._connection.cursor()
        cursor.execute("SHOW WARNINGS")
        warned = cursor.fetchall()
        cursor.close()
        check_warnings(warned, MOST_WARNINGS)

    def _finish(self) -> None:
        with self._cancelling:
            cursor, self._cursor = self._cursor, None
            if cursor is None:
                return
            result = cursor._result  # noqa: SLF001
            if self._more and result is not None and result.unbuffered_active:
                # Or the driver would read all that is left. A busy machine loses no session while there is time.
                self._kill(max(CANCEL_S, self._until - time.monotonic()))
            killed, self._killed = self._killed, False
        with suppress(Exception):
            cursor.close()
        cursor.connection = None  # or one that could not be closed tries again when it is collected
        if killed:  # the request may have come when all was over: let it hit nothing
            with suppress(Exception):
                self._connection.query("DO 0")

    def _end_transaction(self) -> None:
        self._connection.rollback()

    def _stop(self) -> None:
        self._kill(CANCEL_S)

    def _kill(self, seconds: float) -> None:
        self._killed = True
        deadline = time.monotonic() + seconds
        number = int(self._connection.thread_id())
        try:
            connection, handle = self._login.connect(deadline)
        except ServiceError:
            self._cut()
            return
        with (
            suppress(Exception),
            DeadlineWatch(lambda _: cut_socket(handle), max(0.01, deadline - time.monotonic())),
        ):
            connection.query(f"KILL QUERY {number}")
        with suppress(Exception):
            connection.close()
        handle.close()

    def _cut(self) -> None:
        cut_socket(self._handle)

    def close(self) -> None:
        self._cut()
        with suppress(Exception):
            self._connection._force_close()  # noqa: SLF001  # an aborted one keeps its socket
        self._handle.close()

    def _describe_columns(self, cursor: Any) -> list[DescribedColumn]:
        result = cursor._result  # noqa: SLF001  # the cursor's own description leaves out what tells types apart
        return list(map(self._describe_column, () if result is None else result.fields))

    def _describe_column(self, column: Any) -> DescribedColumn:
        code, is_unsigned = column.type_code, bool(column.flags & _UNSIGNED)
        physical, name = _TYPES.get(code), _NAMES.get(code, f"number {code}")
        if code == _BIGINT and is_unsigned:
            physical = "decimal(20,0)"
        elif code in _DECIMALS:
            physical = find_decimal_type(column.length - (column.scale > 0) - (not is_unsigned), column.scale)
            name = "DECIMAL of more than 38 digits"
        elif code in _TEXTS and column.charsetnr == _BINARY_CHARSET:
            physical, name = None, "binary"
        return DescribedColumn(column.name, physical, name, is_instant=code == _TIMESTAMP)

    def _explain(self, error: Exception) -> ServiceError:
        code = _read_code(error)
        if found := explain_code(KIND, _CAUSES, code):
            return found
        if isinstance(error, OSError) or type(error).__name__ == "InterfaceError" or code == 0:
            return connection_error(KIND, "lost")
        return query_error(KIND, None if code is None else str(code))


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link)
