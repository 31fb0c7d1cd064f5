"""Oracle Database, by its own driver in thin mode: no client of Oracle's is needed.

The driver can wait for ever for a server that accepts and says nothing. So a session lives in a process of its own,
which is killed at the deadline. What keeps it from writing: an account that may only read, one parsed SELECT a
statement, and `SET TRANSACTION READ ONLY`, within which Oracle refuses every change.
"""

from __future__ import annotations

import datetime
import math
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from types import ModuleType
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    Row,
    connection_error,
    count_seconds_left,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.isolated import Isolated
from service_nb.connectors.options import (
    check_host,
    dsn_error,
    parse_port,
    read_choice,
    read_option,
    read_password,
    require,
    require_address,
)
from service_nb.connectors.sql_link import BATCH, DriverLink, find_decimal_type, translate_faults
from service_nb.errors import InvalidIntentError, QueryTimeoutError, ServiceError
from service_nb.query.spelling import (
    HALF,
    LARGEST,
    MOST_SUMMED,
    Spelling,
    Summand,
    call,
    count_digits,
    is_null,
    write_with_exponent,
)
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field, Value

KIND = Kind(
    type="oracle",
    title="Oracle Database",
    group="relational",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "sid": "The instance, where there is no service name; `database` is the service name.",
        "protocol": "tcp (the default), or tcps: encrypted.",
    },
    extra="oracle",
    driver="oracledb",
    dialect="oracle",
    port=1521,
)
SESSION = "ALTER SESSION SET NLS_SORT = BINARY NLS_COMP = BINARY NLS_NUMERIC_CHARACTERS = '.,' TIME_ZONE = '+00:00'"
CHARACTERS = "SELECT value FROM nls_database_parameters WHERE parameter = 'NLS_CHARACTERSET'"
UNICODE = "AL32UTF8"  # any other has fewer characters, for which it puts another one, or orders some by surrogates
PROTOCOLS = ("tcp", "tcps")
NAME = re.compile(r"[A-Za-z0-9_$#.-]{1,255}")  # of a service or an instance
CONNECTION = re.compile(
    r"(?:(?P<protocol>tcps?)://|//)?(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9_.-]+))(?::(?P<port>[0-9]{1,5}))?"
    r"/(?P<service>[A-Za-z0-9_$#.-]{1,255})"
)
FINEST = 6  # digits of a second that a result holds
FLOATING = -127  # the scale of a NUMBER that has none
TYPES: Mapping[str, str] = {
    **dict.fromkeys(("BINARY_DOUBLE", "BINARY_FLOAT"), "float64"),
    **dict.fromkeys(("VARCHAR", "NVARCHAR", "CHAR", "NCHAR"), "string"),
    "DATE": "datetime",  # which holds seconds, whatever its name
    "BOOLEAN": "boolean",
}
CAUSES: Mapping[object, Cause] = {
    **dict.fromkeys(("DPY-4024", "DPY-4034", 1013, 3156), "stopped"),
    **dict.fromkeys((942, 904, 1403, 4043), "absent"),
    **dict.fromkeys((1017, 28000, 28001, 1005, 28040), "login_refused"),
    **dict.fromkeys((1031, 1039, 1045, 41900), "not_allowed"),
    **dict.fromkeys((3113, 3114, 1012, 28, 2396, 3135, 12537, "DPY-4011", "DPY-1001"), "lost"),
    **dict.fromkeys((12514, 12505, 12154, 12516, "DPY-6001", "DPY-6003"), "misconfigured"),
    **dict.fromkeys((12541, 12170, 12545, 12543, "DPY-6005", "DPY-6000"), "unreachable"),
    **dict.fromkeys(("DPY-5000", "DPY-5006"), "malformed"),
}


def open_link(descriptor: Descriptor, deadline: float) -> OracleLink:
    """Open a session that cannot write."""
    import_driver(KIND)
    given = {
        "user": require(KIND, "user", descriptor.user),
        "password": read_password(descriptor),
        **find_address(descriptor),
        "tcp_connect_timeout": max(0.1, count_seconds_left(deadline)),
        "retry_count": 0,
    }
    with ExitStack() as failed:
        process = Isolated("service_nb.connectors.oracle:OracleSession")
        failed.callback(process.close)
        try:
            version = process.open(given, count_seconds_left(deadline), deadline=deadline)
        except QueryTimeoutError:
            raise connection_error(KIND, "timed_out") from None
        failed.pop_all()
    return OracleLink(process, version)


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    return (str(find_address(descriptor)["host"]),)


def find_address(descriptor: Descriptor) -> dict[str, object]:
    """Return where the database is: in parts, for a text could name files, wallets, proxies and directories."""
    protocol = read_choice(KIND, descriptor, "protocol", PROTOCOLS)
    if descriptor.connection_string is not None and descriptor.host is None:
        return _parse_dsn(descriptor.connection_string.reveal(), protocol)
    host, port = require_address(KIND, descriptor)
    sid = read_option(descriptor, "sid")
    given = sid or require(KIND, "database", descriptor.database)
    if NAME.fullmatch(given) is None:
        key = "sid" if sid else "database"
        raise InvalidIntentError(
            f"The {key} of {KIND.title} is a name of letters, digits and _ $ # . -", path=f"connector.{key}"
        )
    return {"host": host, "port": port, "protocol": protocol, "sid" if sid else "service_name": given}


def _parse_dsn(text: str, protocol: str) -> dict[str, object]:
    """Return the parts of `tcps://host:port/service`, the one form that is taken."""
    found = CONNECTION.fullmatch(text.strip())
    if found is None:
        hint = "Descriptors in parentheses, names of tnsnames.ora, directories and parameters are not taken."
        raise dsn_error(KIND, "tcps://host:1521/service", hint)
    return {
        "host": check_host(KIND, found["six"] or found["host"], "connection_string"),
        "port": parse_port(KIND, found["port"]),
        "protocol": found["protocol"] or protocol,
        "service_name": found["service"],
    }


class OracleSpelling(Spelling):
    """Oracle's SQL from 12.2 on. BINARY_DOUBLE is binary64; DOUBLE PRECISION would be a decimal.

    NUMBER adds exactly up to 38 digits; beyond, it would round. Two things that IEEE 754 says otherwise do no harm:
    -0.0 does not exist, and NaN is equal to itself and the largest. Empty text is null: a condition that something
    equals it is met by no row, and no source of ours can tell one from the other.
    """

    dialect = "oracle"
    quoted = True
    finite_range = (2.2250738585072014e-308, LARGEST)
    empty_text = False
    types: ClassVar = {
        "int64": "number(19)",
        "float64": exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="BINARY_DOUBLE"),
        "string": "varchar2(4000)",
        "date": "timestamp(6)",
        "datetime": "timestamp(6)",
    }
    most_summed = MOST_SUMMED

    def build_double(self, value: float) -> exp.Expr:
        """Build a literal of BINARY_DOUBLE: digits, exponent, d."""
        literal: exp.Expr = exp.Var(this=f"{write_with_exponent(abs(value))}d")
        return exp.Neg(this=literal) if math.copysign(1.0, value) < 0 else literal

    def build_nonfinite(self, value: float) -> exp.Expr:
        if math.isnan(value):
            return exp.Var(this="BINARY_DOUBLE_NAN")
        infinity = exp.Var(this="BINARY_DOUBLE_INFINITY")
        return infinity if value > 0 else exp.Neg(this=infinity)

    def build_literal(self, field: Field, value: Value) -> exp.Expr:
        """Build a typed literal; times by a form of our own, for a session's would be used otherwise."""
        if isinstance(value, datetime.date):
            moment = value if isinstance(value, datetime.datetime) else datetime.datetime(*value.timetuple()[:3])  # noqa: DTZ001
            text = exp.Literal.string(moment.isoformat(timespec="microseconds"))
            return call("TO_TIMESTAMP", text, exp.Literal.string('YYYY-MM-DD"T"HH24:MI:SS.FF6'))
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return exp.cast(exp.Literal.number(format(value, "f")), self.find_type(field.physical))
        return super().build_literal(field, value)

    def add_row_table(self, select: exp.Select) -> exp.Select:
        return select.from_(exp.to_table("DUAL"), copy=False)

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read a column as a value of exactly the field's physical type; times in UTC, for so is the session."""
        match field.physical:
            case "float64":
                return exp.cast(column, self.find_type("float64"))
            case "string":
                return call("TO_CHAR", column)
            case "datetime" | "date":
                zoned = exp.cast(column, exp.DataType.build("timestamp with time zone", dialect="oracle"))
                return call("SYS_EXTRACT_UTC", zoned)
        return column

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        return exp.Is(this=value, expression=exp.Var(this="NAN"))

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:
        """Split the unscaled value's 38 digits in two; by powers of ten NUMBER computes exactly."""
        shift = exp.Literal.number(10 ** count_digits(field)[1])
        units = exp.paren(exp.Mul(this=value, expression=shift), copy=False)
        half = exp.Literal.number(10**HALF)
        high = call("TRUNC", exp.Div(this=units, expression=half))
        low = exp.Mod(this=units.copy(), expression=half.copy())
        return (10**HALF, high), (1, low)

    def build_never(self) -> exp.Expr:
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))

    def build_contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        return _build_search(text, part, exp.GTE)

    def build_starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        return _build_search(text, part, exp.EQ)


def _build_search(text: exp.Expr, part: exp.Expr, compared: type[exp.Binary]) -> exp.Expr:
    """Build the test that INSTR finds a part; the empty part is null here, and counts as found at the first place."""
    one = exp.Literal.number(1)
    place = call("NVL", call("INSTR", text, part), one)
    there = is_null(text.copy(), negated=True)
    return exp.and_(compared(this=place, expression=one.copy()), there, copy=False)


class OracleLink(DriverLink):
    """A session with Oracle, seen from this side of its process, which is killed at the deadline."""

    kind = KIND
    spelling = OracleSpelling()
    mark = ":{1}"

    def __init__(self, process: Isolated, version: str) -> None:
        super().__init__(process)
        self.name = f"oracle {version}"

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        self._cursor = _RemoteCursor(self._connection, time.monotonic() + seconds)
        self._cursor.start(text, parameters, seconds)
        return self._cursor

    def _describe_column(self, column: Any) -> DescribedColumn:
        return DescribedColumn(*column)

    def _stop(self) -> None:
        """End the process; the server rolls back what its session was doing."""
        self._connection.kill()

    def _stop_late(self, done: threading.Event) -> None:
        """Leave it to whoever waits for the process, which kills it then."""

    def _explain(self, error: Exception) -> ServiceError:  # noqa: ARG002  # the other process has explained its own
        return connection_error(KIND, "lost")


class _RemoteCursor:
    """The cursor of a statement in the other process."""

    def __init__(self, process: Isolated, deadline: float) -> None:
        self._process, self._deadline = process, deadline
        self.description: Sequence[object] = ()

    def start(self, text: str, parameters: Sequence[object], seconds: float) -> None:
        """Run a statement."""
        self.description = self._process.call("start", text, list(parameters), seconds, deadline=self._deadline)

    def fetchmany(self, size: int) -> list[Row]:
        found: list[Row] = self._process.call("fetch", size, deadline=self._deadline)
        return found

    def close(self) -> None:
        """Leave it to the next statement to end this one."""


class OracleSession:
    """A session with Oracle, in the process where it lives; it is sent plain texts and values only."""

    def __init__(self, given: Mapping[str, object], seconds: float) -> None:
        self._module = import_driver(KIND)
        self._cursor: Any = None
        with translate_faults(explain):
            self._connection = self._module.connect(**given)
            self._connection.outputtypehandler = self._keep_decimals
            self._limit(seconds)
            self._run(SESSION)
            (found,) = self._run(CHARACTERS) or ("unknown",)
            if found != UNICODE:
                hint = f"Its character set is {found}; only {UNICODE} holds every text, in the order of code points."
                raise connection_error(KIND, "misconfigured", hint=hint)
            self.opened = ".".join(self._connection.version.split(".")[:2])

    def start(self, text: str, parameters: list[object], seconds: float) -> list[tuple[str, str | None, str]]:
        """Run a statement, and return its columns: name, physical type, Oracle's type."""
        with translate_faults(explain):
            self._end()
            self._limit(seconds)
            self._connection.rollback()
            self._run("SET TRANSACTION READ ONLY")
            self._cursor = self._connection.cursor()
            self._cursor.arraysize = self._cursor.prefetchrows = BATCH
            if parameters:
                self._cursor.setinputsizes(*[self._find_bind_type(value) for value in parameters])
            self._cursor.execute(text, parameters)
            described = self._cursor.description
            return [(one.name, find_physical(self._module, one), name_type(one)) for one in described]

    def fetch(self, count: int) -> list[Row]:
        """Return the next rows of the statement, none when they are all told."""
        with translate_faults(explain):
            rows: list[Row] = [] if self._cursor is None else self._cursor.fetchmany(min(count, BATCH))
            if not rows:
                self._end()
            return rows

    def _end(self) -> None:
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None
            self._connection.rollback()

    def _run(self, text: str) -> Row | None:
        """Run a statement of ours, and return its first row, if it has any."""
        with self._connection.cursor() as cursor:
            answer = cursor.execute(text)
            found: Row | None = None if answer is None else answer.fetchone()
            return found

    def _limit(self, seconds: float) -> None:
        self._connection.call_timeout = max(1, math.ceil(seconds * 1000))

    def _keep_decimals(self, cursor: Any, column: Any) -> object:
        """Have a NUMBER arrive as the decimal that it is, and not as a double."""
        if column.type_code is self._module.DB_TYPE_NUMBER:
            return cursor.var(Decimal, arraysize=cursor.arraysize)
        return None

    def _find_bind_type(self, value: object) -> object:
        """Find the type to bind a value as; by default doubles become decimals and times lose their fractions."""
        if isinstance(value, float):
            return self._module.DB_TYPE_BINARY_DOUBLE
        if isinstance(value, datetime.date):
            return self._module.DB_TYPE_TIMESTAMP
        return self._module.DB_TYPE_NUMBER if isinstance(value, int | Decimal) else None


def explain(error: Exception) -> ServiceError:
    """Return the error of ours that one of the driver means."""
    told = error.args[0] if error.args else None
    code, name = getattr(told, "code", 0), str(getattr(told, "full_code", ""))
    if found := explain_code(KIND, CAUSES, name or None, code):
        return found
    if isinstance(error, OSError):
        return connection_error(KIND, "unreachable", code=name or None)
    return query_error(KIND, name or type(error).__name__)


def find_physical(module: ModuleType, column: Any) -> str | None:
    """Return the physical type of a column that the driver describes, None where it has none."""
    kind, precision, scale = column.type_code, column.precision or 0, column.scale
    if kind is module.DB_TYPE_NUMBER:
        if precision <= 0 or scale is None or scale == FLOATING:
            return None  # decimals of any size: no number of digits is right for all
        return find_decimal_type(precision - scale, 0) if scale < 0 else find_decimal_type(max(precision, scale), scale)
    name = kind.name.removeprefix("DB_TYPE_")
    if name.startswith("TIMESTAMP"):
        return "datetime" if scale is not None and scale <= FINEST else None
    return TYPES.get(name)


def name_type(column: Any) -> str:
    """Return the type of a column as Oracle writes it."""
    name = str(column.type_code.name.removeprefix("DB_TYPE_"))
    precision, scale = column.precision, column.scale
    if name == "NUMBER":
        return f"NUMBER({precision},{scale})" if precision else "NUMBER without digits"
    return f"{name}({scale})" if name.startswith("TIMESTAMP") else name


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
