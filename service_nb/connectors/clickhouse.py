"""ClickHouse, over HTTP by clickhouse-connect.

What keeps a request from writing: the account's rights, and `readonly=1`, which is set with each request after its
limits and settings, and which nothing in the request can take back: no DDL, no insert, no `url()` and `file()`, no
other settings. Whoever gives up closes the connection, at which the server stops.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import math
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.arguments import read_choice, read_option, require
from service_nb.connectors.base import (
    Connector,
    DescribedColumn,
    SqlLink,
    altered_error,
    connection_error,
    count_seconds_left,
    describe_columns,
    import_driver,
    missing_table_error,
    query_error,
    timeout_error,
)
from service_nb.connectors.bounds import DeadlineWatch, guard_pools
from service_nb.connectors.sql_link import check_reads, convert_value, find_decimal_type, render
from service_nb.errors import QueryInterruptedError, ServiceError, SourceMalformedError
from service_nb.query.spelling import Spelling, call, write_with_exponent
from service_nb.query.sql_conditions import compute_value_range, list_lookup_values
from service_nb.readers.columns import find_arrow_type
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.query import Condition
from service_nb.schema.source import Field

KIND = Kind(
    type="clickhouse",
    title="ClickHouse",
    group="warehouse",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "secure": "true or false: whether the connection is encrypted; by default it is, but on port 8123",
        "verify": "true (the default) or false: whether the server's certificate is looked at",
        "ca": "path of a file of certificates that sign the server's",
    },
    extra="clickhouse",
    driver="clickhouse_connect",
    dialect="clickhouse",
    port=8443,
    dsn=Dsn(
        form="clickhouse://user:password@host:8443/database?secure=true",
        schemes={"clickhouse": {}, "https": {"secure": "true"}, "http": {"secure": "false"}},
        options=("secure", "verify", "ca"),
    ),
)
PLAIN_PORT = 8123
GRACE_S = 1.0
SILENCE_S = 24 * 3600  # each request has a deadline of its own
# Set with each request; what a profile or a table says otherwise does not count.
SETTINGS = {
    "cancel_http_readonly_queries_on_client_close": "1",
    "output_format_arrow_string_as_string": "1",
    "output_format_arrow_compression_method": "none",
    "session_timezone": "UTC",
    "allow_introspection_functions": "0",
    "max_subquery_depth": "100",
}

_WRAPPED = re.compile(r"(?:Nullable|LowCardinality)\((.*)\)\Z", re.DOTALL)
_DECIMAL = re.compile(r"Decimal\((\d+), ?(\d+)\)\Z")
_INSTANT = re.compile(r"DateTime64\((\d)(?:, ?'[^']*')?\)\Z")
_TYPES = {
    **dict.fromkeys(("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32"), "int64"),
    **dict.fromkeys(("Float32", "Float64", "BFloat16"), "float64"),
    **dict.fromkeys(("String", "UUID", "IPv4", "IPv6"), "string"),
    **dict.fromkeys(("Date", "Date32"), "date"),
    "Bool": "boolean",
    "UInt64": "decimal(20,0)",
    "DateTime": "datetime",
}
_MICROSECONDS = 6
_LOGIN = (192, 193, 194, 516)
_ABSENT = (47, 60, 81)
_DENIED = (164, 291, 497)
_NO_ELEMENT = 691
_STOPPED = (159, 160, 394)
_BUSY = (202, 209, 210, 241, 242)
ALTERED = "altered meanwhile"  # in the text of the error of a column that has another type than it had
_ANY = "[(].*"
_PATTERNS = {
    "int64": "Int64|U?Int(8|16|32)|Decimal[(](1[0-8]|[1-9]), 0",
    "float64": "Float32|Float64|BFloat16",
    "string": f"String|UUID|IPv4|IPv6|Enum(8|16){_ANY}|FixedString{_ANY}",
    "boolean": "Bool",
    "date": "Date|Date32",
    "datetime": f"DateTime|DateTime{_ANY}|DateTime64[(][0-6](,.*)?",
    "decimal(20,0)": "UInt64|Decimal[(]20, 0",
}
_EPOCH = datetime.datetime.fromisoformat("1970-01-01")
_SECOND = datetime.timedelta(seconds=1)
_FIRST, _LAST = 86_400, 2**32 - 86_400  # seconds that all types of times have
_GUARDS = {
    "optimize_arithmetic_operations_in_aggregate_functions": "0",  # or sums of differences become others, rounded
    "aggregate_functions_null_for_empty": "0",
    "transform_null_in": "0",
    "group_by_overflow_mode": "throw",  # or groups beyond a limit are left out
    "distinct_overflow_mode": "throw",
    "read_overflow_mode": "throw",
    "read_overflow_mode_leaf": "throw",
    "result_overflow_mode": "throw",
    "set_overflow_mode": "throw",
    "join_overflow_mode": "throw",
    "sort_overflow_mode": "throw",
    "transfer_overflow_mode": "throw",
    "timeout_overflow_mode": "throw",
    "timeout_overflow_mode_leaf": "throw",
    "use_query_cache": "0",  # a live source is asked, and not what it answered once
    "skip_unavailable_shards": "0",
    "limit": "0",
    "offset": "0",
}


def open_link(descriptor: Descriptor, deadline: float) -> ClickHouseLink:
    """Open a session that cannot write."""
    connect = import_driver(KIND)
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)  # its texts hold addresses
    sockets = _Sockets()
    try:
        with DeadlineWatch(lambda _: sockets.cut(), count_seconds_left(deadline)) as watch:
            client = connect.get_client(
                **_build_client_options(descriptor, count_seconds_left(deadline)), pool_mgr=sockets.manager(descriptor)
            )
    except ServiceError:
        raise
    except Exception as error:
        raise connection_error(KIND, "timed_out") if watch.is_late else _explain(error, login=True) from error
    try:
        return ClickHouseLink(client, sockets)
    except BaseException:
        client.close()
        raise


def _is_secure(descriptor: Descriptor) -> bool:
    default = "false" if descriptor.port == PLAIN_PORT else "true"
    return read_choice(KIND, descriptor, "secure", (default, "true", "false")) == "true"


def _build_client_options(descriptor: Descriptor, seconds: float) -> dict[str, object]:
    secure = _is_secure(descriptor)
    return {
        "host": require(KIND, "host", descriptor.host),
        "port": descriptor.port or (KIND.port if secure else PLAIN_PORT),
        "username": descriptor.user or "default",
        "password": "" if descriptor.password is None else descriptor.password.reveal(),
        "database": descriptor.database or "__default__",
        "secure": secure,
        "interface": "https" if secure else "http",
        "connect_timeout": max(1, math.ceil(seconds)),
        "send_receive_timeout": SILENCE_S,
        "query_retries": 0,
        "query_limit": 0,
        "compress": False,
        "autogenerate_session_id": False,
        "client_name": "service-nb",
    }


class _Sockets:
    """The connections of a client, so that they can be cut off from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[Any] = []
        self._is_cut = False

    def manager(self, descriptor: Descriptor) -> Any:
        """Return urllib3's manager of connections, each of which is known here from the moment it is made."""
        urllib3 = import_driver(KIND, "urllib3")
        kept = self

        class Plain(urllib3.connection.HTTPConnection):  # type: ignore[misc,name-defined]  # of a module found late
            def connect(self) -> None:
                kept.add(self)
                super().connect()
                kept.check()

        class Encrypted(urllib3.connection.HTTPSConnection):  # type: ignore[misc,name-defined]
            def connect(self) -> None:
                kept.add(self)
                super().connect()
                kept.check()

        class Staying(urllib3.PoolManager):  # type: ignore[misc,name-defined]
            def urlopen(self, method: str, url: str, **how: object) -> object:
                # Whom it may speak to was decided by the host that it was told, not by whoever answers there.
                return super().urlopen(method, url, **{**how, "redirect": False})

        plain_pool = type("PlainPool", (urllib3.HTTPConnectionPool,), {"ConnectionCls": Plain})
        encrypted_pool = type("EncryptedPool", (urllib3.HTTPSConnectionPool,), {"ConnectionCls": Encrypted})
        ca = read_option(descriptor, "ca")
        verify = read_choice(KIND, descriptor, "verify", ("true", "false")) == "true"
        trusted: dict[str, object] = {"cert_reqs": "CERT_REQUIRED" if verify else "CERT_NONE"}
        manager = Staying(num_pools=2, retries=False, **trusted, **({"ca_certs": ca} if ca else {}))
        manager.pool_classes_by_scheme = {"http": plain_pool, "https": encrypted_pool}
        return guard_pools(manager)

    def add(self, connection: object) -> None:
        """Know one more connection."""
        self.check()
        with self._lock:
            self._open = [known for known in self._open if known.sock is not None] + [connection]

    def check(self) -> None:
        """Make no connection after all were cut off: the driver would ask once more."""
        if self._is_cut:
            raise ConnectionAbortedError("cut off")

    def allow_connections(self) -> None:
        """Let connections be made again."""
        self._is_cut = False

    def cut(self) -> None:
        """End all of them below the driver; whoever waits for one is told at once."""
        with self._lock:
            self._is_cut = True
            for connection in self._open:
                with contextlib.suppress(OSError, AttributeError):
                    connection.sock.shutdown(socket.SHUT_RDWR)


class ClickHouseSpelling(Spelling):
    """ClickHouse 24 and later. A String is bytes, and compared so.

    Its casts cut off, its sums of 64 bits wrap without a word, and settings of an account may make results approximate;
    so limbs are narrow, columns are summed in 128 and 256 bits, and each statement carries the settings that it relies
    on.
    """

    dialect = "clickhouse"
    quoted = True
    sum_widens = False
    settings = _GUARDS
    types: ClassVar = {
        "date": "Nullable(Date32)",
        "datetime": "Nullable(DateTime64(6, 'UTC'))",
        "string": "Nullable(String)",
    }
    finite_call, whole_call = "isFinite", "trunc"
    place_call, contains_call, prefix_call = "position", "", "startsWith"

    def build_double(self, value: float) -> exp.Expr:
        """Return a literal that is this very double."""
        return call("toFloat64", exp.Literal.number(write_with_exponent(value)))

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Return NaN or an infinity."""
        name = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return call("toFloat64", exp.Literal.string(name))

    def convert_operand(self, value: object) -> object:
        """Return days and times as integers: texts of those beyond the calendar of a server would become its ends."""
        if isinstance(value, datetime.datetime):
            return (value - _EPOCH) // datetime.timedelta(microseconds=1)
        return (value - _EPOCH.date()).days if isinstance(value, datetime.date) else value

    def convert_for_comparison(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Return a day as its number, and a time as its microseconds."""
        if field.physical == "datetime":
            return call("toUnixTimestamp64Micro", value)
        return call("toInt32", value) if field.physical == "date" else value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Return a column as a value of exactly the field's physical type; what may be null may be so afterwards."""
        match field.physical:
            case "int64":
                return call("toInt64", column)
            case "float64":
                return self.cast_to_double(column)
            case "string":
                return call("toString", column)
            case "date":
                return call("toDate32", column)
            case "datetime":
                return call("toDateTime64", column, exp.Literal.number(6), exp.Literal.string("UTC"))
            case "boolean":
                return column
        return call("toDecimal128", column, exp.Literal.number(field.decimal_scale or 0))

    def build_type_check(self, field: Field, column: exp.Expr) -> exp.Expr | None:
        """Return a condition that is made a constant before anything is read: of another type it is no such constant.

        A type as a text is a constant, and to be cast to an enumeration it has to be one of its names.
        """
        inner = (
            _PATTERNS.get(field.physical) or field.physical.replace("decimal(", "Decimal[(]").replace(",", ", ")[:-1]
        )
        pattern = f"(?s)^(LowCardinality[(])?(Nullable[(])?({inner})[)]*$"
        is_same = call("match", call("toTypeName", column), exp.Literal.string(pattern))
        word = call("if", is_same, exp.Literal.string("same"), exp.Literal.string(ALTERED))
        cast = call("CAST", word, exp.Literal.string("Enum8('same' = 1)"))
        return exp.EQ(this=cast, expression=exp.Literal.string("same"))

    def build_float_key(self, value: exp.Expr) -> exp.Expr:
        """Return a double as a key: NaN of different bits would be different groups."""
        case = exp.Case().when(self.is_nan(value.copy()), self.build_nonfinite(math.nan), copy=False)
        return case.else_(super().build_float_key(value), copy=False)

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        """Return the condition that a double is NaN."""
        return call("isNaN", value)

    def cast_to_bigint(self, value: exp.Expr) -> exp.Expr:
        """Return a double as an integer of 64 bits, cut off; 0 of null.

        What is null may hide a NaN, which toInt64 would see and refuse.
        """
        return call("toInt64", call("ifNull", value, self.build_double(0.0)))

    def cast_to_double(self, value: exp.Expr) -> exp.Expr:
        """Return an integer of at most 53 bits as the double that it is."""
        return call("toFloat64", value)

    def count_where(self, condition: exp.Expr) -> exp.Expr:
        """Return the number of rows for which the condition holds."""
        return call("countIf", condition)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:
        """Return the sum in 128 bits of integers, in 256 bits of decimals: 2**60 rows of the largest fit."""
        if field.physical == "int64":
            return exp.Sum(this=call("toInt128", value))
        return exp.Sum(this=call("toDecimal256", value, exp.Literal.number(field.decimal_scale or 0)))

    def build_index_condition(
        self, field: Field, condition: Condition, column: exp.Expr
    ) -> tuple[exp.Expr, list[object]] | None:
        """Return the condition of the column itself, where an index is not used by what the exact one is made of.

        Of times the ends are whole seconds that every type of them has; decimals are compared with their own type.
        """
        values = list_lookup_values(field, condition)
        if not values or condition.op == "in":
            return None
        if field.physical == "datetime":
            low, high = compute_value_range(condition, [(value - _EPOCH) // _SECOND for value in values])
            return _build_range_condition(column, low, None if high is None else high + 1)
        return None

    def add_settings(self, tree: exp.Select) -> exp.Select:
        """Return the statement with its settings."""
        given = [
            exp.EQ(
                this=exp.column(name),
                expression=exp.Literal.number(value) if value.isdigit() else exp.Literal.string(value),
            )
            for name, value in self.settings.items()
        ]
        tree.set("settings", given)
        return tree


def _build_range_condition(column: exp.Expr, low: int | None, high: int | None) -> tuple[exp.Expr, list[object]] | None:
    ends = [(exp.GTE, low), (exp.LTE, high)]
    held = [(kind, end) for kind, end in ends if end is not None and _FIRST <= end <= _LAST]
    if not held:
        return None
    trees: list[exp.Expr] = []
    for kind, _ in held:
        end = call("toDateTime64", exp.Placeholder(), exp.Literal.number(6), exp.Literal.string("UTC"))
        trees.append(kind(this=column.copy(), expression=end))
    return exp.and_(*trees, copy=False), [end for _, end in held]


class ClickHouseLink(SqlLink):
    """A session with ClickHouse: settings that each request carries, for requests know nothing of each other."""

    holds = True  # each statement checks the types that it reads, for requests know nothing of each other

    def __init__(self, client: Any, sockets: _Sockets) -> None:
        self.spelling = ClickHouseSpelling()
        self.name = f"clickhouse {str(client.server_version)[:30]}"
        self._client, self._sockets = client, sockets
        self._interrupted = self._running = False
        self._settings = self._allowed({**SETTINGS, **self.spelling.settings})

    def _allowed(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that this server knows; each of them must be free to be set."""
        known = self._client.server_settings
        fixed = [name for name in (*wanted, "max_execution_time", "readonly") if name in known and known[name].readonly]
        if fixed:
            raise connection_error(
                KIND,
                "misconfigured",
                hint="Give the account's profile readonly = 2 with constraints: each request sets its own limits.",
            )
        return {name: value for name, value in wanted.items() if name in known}

    # --- SqlLink ----------------------------------------------------------------------------------------------------

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; no row of it is read."""
        found = describe_columns(
            KIND, relation, self._describe_columns(exp.select("*").from_(relation.copy()), (), deadline)
        )
        self.left_out = found.left_out
        return found.fields

    def _describe_columns(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> list[DescribedColumn]:
        text, bound = self._render_statement(tree, parameters)
        with self._request(deadline):
            found = self._client.query(f"DESCRIBE TABLE ({text})", **self._build_request(bound, deadline)).result_rows
        return [DescribedColumn(str(name), *_find_physical(str(kind))) for name, kind, *_ in found]

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        text, bound = self._render_statement(tree, parameters)
        given = self._build_request(bound, deadline, limit=str(most + 1))
        with self._request(deadline):
            answer = self._client.query(text, **given, query_formats={"String": "bytes"})
            return [tuple(map(convert_value, row)) for row in answer.result_rows]

    def batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches."""
        fields = describe_columns(KIND, None, self._describe_columns(tree, parameters, deadline)).fields
        schema = pa.schema([(field.name, find_arrow_type(field.physical)) for field in fields])
        text, bound = self._render_statement(tree, parameters)
        with self._request(deadline):
            stream = self._client.raw_stream(text, **self._build_request(bound, deadline), fmt="ArrowStream")
            try:
                for batch in pa.ipc.open_stream(stream):
                    yield _cast_batch(batch, schema)
            finally:
                stream.close()

    def cancel(self) -> None:
        """End what runs, from another thread: the server stops when its client is gone."""
        if self._running:
            self._interrupted = True
            self._sockets.cut()

    def close(self) -> None:
        """Close the session."""
        with contextlib.suppress(Exception):
            self._sockets.cut()
            self._client.close()

    # --- one request ------------------------------------------------------------------------------------------------

    def _render_statement(self, tree: exp.Expr, parameters: Sequence[object]) -> tuple[str, dict[str, str]]:
        """Return the text, in which each value has its type, and the values by their names."""
        check_reads(tree)
        tree = tree.copy()
        tree.set("settings", None)  # sent beside the text: within it they would be refused
        text, bound = render(tree, parameters, dialect="clickhouse", mark=lambda place: f"\0{place}\0")
        pieces = re.split(r"\0(\d+)\0", text)
        for place, value in enumerate(bound):
            pieces[2 * place + 1] = _mark_value(f"p{place}", value)
        return "".join(pieces), {f"p{place}": _write_value(value) for place, value in enumerate(bound)}

    def _build_request(self, bound: Mapping[str, str], deadline: float, **more: str) -> dict[str, Any]:
        seconds = f"{count_seconds_left(deadline) + GRACE_S:.3f}"
        settings = {**self._settings, **more, "max_execution_time": seconds, "readonly": "1"}
        return {"parameters": dict(bound) or None, "settings": settings}

    @contextmanager
    def _request(self, deadline: float) -> Iterator[None]:
        self._sockets.allow_connections()
        self._interrupted, self._running = False, True
        try:
            with DeadlineWatch(lambda _: self._sockets.cut(), count_seconds_left(deadline)) as watch:
                try:
                    yield
                except ServiceError:
                    raise
                except Exception as error:
                    if watch.is_late:
                        raise timeout_error() from error
                    if self._interrupted:
                        raise QueryInterruptedError("The question was interrupted.") from error
                    raise _explain(error) from error
        finally:
            self._running = False


def _find_physical(kind: str) -> tuple[str | None, str]:
    """Return the physical type, and the words for the one that was met."""
    inner = kind
    for _ in range(2):  # LowCardinality(Nullable(…)) is as far as types are wrapped, whatever a server says
        wrapped = _WRAPPED.match(inner)
        inner = inner if wrapped is None else wrapped[1]
    if number := _DECIMAL.match(inner):
        physical = find_decimal_type(int(number[1]), int(number[2]))
    elif instant := _INSTANT.match(inner):
        physical = "datetime" if int(instant[1]) <= _MICROSECONDS else None
    elif inner.startswith(("Enum8(", "Enum16(", "FixedString(")):
        physical = "string"
    else:
        physical = "datetime" if inner.startswith("DateTime(") else _TYPES.get(inner)
    return physical, inner.partition("(")[0][:40]


def _mark_value(name: str, value: object) -> str:
    match value:
        case bool():
            return f"{{{name}:Bool}}"
        case int():
            return f"{{{name}:Int64}}" if -(2**63) <= value < 2**63 else f"{{{name}:Int256}}"
        case float():
            return f"{{{name}:Float64}}"
        case Decimal():
            return f"toDecimal256({{{name}:String}}, {max(0, -int(value.as_tuple().exponent))})"
        case datetime.datetime():
            return f"toDateTime64({{{name}:String}}, {_MICROSECONDS}, 'UTC')"
        case datetime.date():
            return f"toDate32({{{name}:String}})"
    return f"{{{name}:String}}"


def _write_value(value: object) -> Any:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, datetime.date) else value


def _cast_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    try:
        batch.validate(full=True)  # offsets that lead elsewhere would show what else is in memory
        arrays = [column.cast(kind) for column, kind in zip(batch.columns, schema.types, strict=True)]
    except (pa.ArrowException, ValueError) as error:
        raise SourceMalformedError("The source sent values that do not fit its own column types.") from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _explain(error: Exception, *, login: bool = False) -> ServiceError:
    """Convert an error of the driver to one of ours; nothing of its text is repeated."""
    code = getattr(error, "code", None)
    if isinstance(code, int) and code > 0:
        if code in _LOGIN or (login and code in _ABSENT):
            return connection_error(KIND, "login_refused", code=str(code))
        if code in _ABSENT:
            return missing_table_error(KIND)
        if code == _NO_ELEMENT and ALTERED in str(error):
            return altered_error()
        if code in _STOPPED:
            return timeout_error()
        if code in _DENIED:
            return connection_error(KIND, "not_allowed", code=str(code))
        if code in _BUSY:
            return connection_error(KIND, "unreachable", hint="The server has too much to do now.", code=str(code))
        return query_error(KIND, str(code))
    text = str(error).lower()
    if "certificate" in text or "ssl" in text:
        return connection_error(
            KIND, "misconfigured", hint="Look at secure, verify and ca, and at the server's certificate."
        )
    if "timed out" in text or "timeout" in text:
        return connection_error(KIND, "timed_out")
    if "refused" in text or "resolve" in text or "unreachable" in text or "getaddrinfo" in text:
        return connection_error(KIND, "unreachable")
    return connection_error(KIND, "malformed" if login else "lost")


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link)
