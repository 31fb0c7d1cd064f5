"""ClickHouse, over HTTP by clickhouse-connect.

What keeps a request from writing: the account's rights, and `readonly=1`, which is set with each request after its
limits and settings, and which nothing in the request can take back: no DDL, no insert, no `url()` and `file()`, no
other settings. Whoever gives up closes the connection, at which the server stops.
"""

from __future__ import annotations

import datetime
import logging
import math
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.base import (
    Batches,
    Cause,
    Connector,
    DescribedColumn,
    Row,
    SqlLink,
    altered_error,
    connection_error,
    count_seconds_left,
    count_whole_seconds,
    describe_columns,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.bounds import guard_pools
from service_nb.connectors.options import read_choice, read_option, read_password, require
from service_nb.connectors.sql_link import check_reads, convert_value, find_decimal_type, watch_statement, write_query
from service_nb.errors import ServiceError, SourceMalformedError
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

_WRAPPED = "(LowCardinality[(])?(Nullable[(])?"
_DECIMAL = re.compile(r"Decimal\((\d+), ?(\d+)\)")
_MICROSECONDS = 6
_NO_ELEMENT = 691
_CAUSES: Mapping[int, Cause] = {
    **dict.fromkeys((192, 193, 194, 516), "login_refused"),
    **dict.fromkeys((47, 60, 81), "absent"),
    **dict.fromkeys((159, 160, 394), "stopped"),
    **dict.fromkeys((164, 291, 497), "not_allowed"),
    **dict.fromkeys((202, 209, 210, 241, 242), "busy"),
}
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
    options = _build_client_options(descriptor, deadline)
    with watch_statement(
        count_seconds_left(deadline),
        lambda _: sockets.cut(),
        threading.Event(),
        lambda error: _explain(error, login=True),
        late_error=partial(connection_error, KIND, "timed_out"),
    ):
        client = connect.get_client(**options, pool_mgr=sockets.build_manager(descriptor))
    with ExitStack() as failed:
        failed.callback(client.close)
        link = ClickHouseLink(client, sockets)
        failed.pop_all()
    return link


def _is_secure(descriptor: Descriptor) -> bool:
    default = "false" if descriptor.port == PLAIN_PORT else "true"
    return read_choice(KIND, descriptor, "secure", (default, "true", "false")) == "true"


def _build_client_options(descriptor: Descriptor, deadline: float) -> dict[str, object]:
    secure = _is_secure(descriptor)
    return {
        "host": require(KIND, "host", descriptor.host),
        "port": descriptor.port or (KIND.port if secure else PLAIN_PORT),
        "username": descriptor.user or "default",
        "password": read_password(descriptor),
        "database": descriptor.database or "__default__",
        "secure": secure,
        "interface": "https" if secure else "http",
        "connect_timeout": count_whole_seconds(deadline),
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

    def build_manager(self, descriptor: Descriptor) -> Any:
        """Return urllib3's manager of connections, each of which is known here from the moment it is made."""
        urllib3 = import_driver(KIND, "urllib3")
        kept = self

        def track(pool: Any) -> Any:
            class Tracked(pool.ConnectionCls):  # type: ignore[misc]  # of a module found late
                def connect(self) -> None:
                    kept.add(self)
                    super().connect()
                    kept.check()

            return type(f"Tracked{pool.__name__}", (pool,), {"ConnectionCls": Tracked})

        class Staying(urllib3.PoolManager):  # type: ignore[misc,name-defined]
            def urlopen(self, method: str, url: str, **how: object) -> object:
                # Whom it may speak to was decided by the host that it was told, not by whoever answers there.
                return super().urlopen(method, url, **{**how, "redirect": False})

        ca = read_option(descriptor, "ca")
        verify = read_choice(KIND, descriptor, "verify", ("true", "false")) == "true"
        trusted: dict[str, object] = {"cert_reqs": "CERT_REQUIRED" if verify else "CERT_NONE"}
        manager = Staying(num_pools=2, retries=False, **trusted, **({"ca_certs": ca} if ca else {}))
        manager.pool_classes_by_scheme = {
            "http": track(urllib3.HTTPConnectionPool),
            "https": track(urllib3.HTTPSConnectionPool),
        }
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
                with suppress(OSError, AttributeError):
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
        return call("toFloat64", exp.Literal.number(write_with_exponent(value)))

    def build_nonfinite(self, value: float) -> exp.Expr:
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
        decimal = field.physical.replace("decimal(", "Decimal[(]").replace(",", ", ")[:-1]
        pattern = f"(?s)^{_WRAPPED}({_PATTERNS.get(field.physical, decimal)})[)]*$"
        is_same = call("match", call("toTypeName", column), exp.Literal.string(pattern))
        word = call("if", is_same, exp.Literal.string("same"), exp.Literal.string(ALTERED))
        cast = call("CAST", word, exp.Literal.string("Enum8('same' = 1)"))
        return exp.EQ(this=cast, expression=exp.Literal.string("same"))

    def build_float_key(self, value: exp.Expr) -> exp.Expr:
        """Return a double as a key: NaN of different bits would be different groups."""
        case = exp.Case().when(self.is_nan(value.copy()), self.build_nonfinite(math.nan), copy=False)
        return case.else_(super().build_float_key(value), copy=False)

    def is_nan(self, value: exp.Expr) -> exp.Expr:
        return call("isNaN", value)

    def cast_to_bigint(self, value: exp.Expr) -> exp.Expr:
        """Return a double as an integer of 64 bits, cut off; 0 of null.

        What is null may hide a NaN, which toInt64 would see and refuse.
        """
        return call("toInt64", call("ifNull", value, self.build_double(0.0)))

    def cast_to_double(self, value: exp.Expr) -> exp.Expr:
        return call("toFloat64", value)

    def count_where(self, condition: exp.Expr) -> exp.Expr:
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

    spelling = ClickHouseSpelling()
    holds = True  # each statement checks the types that it reads, for requests know nothing of each other

    def __init__(self, client: Any, sockets: _Sockets) -> None:
        self.name = f"clickhouse {str(client.server_version)[:30]}"
        self._client, self._sockets = client, sockets
        self._interrupted, self._running = threading.Event(), False
        known, wanted = client.server_settings, {**SETTINGS, **self.spelling.settings}
        if any(known[name].readonly for name in (*wanted, "max_execution_time", "readonly") if name in known):
            raise connection_error(
                KIND,
                "misconfigured",
                hint="Give the account's profile readonly = 2 with constraints: each request sets its own limits.",
            )
        self._settings = {name: value for name, value in wanted.items() if name in known}

    # --- SqlLink ----------------------------------------------------------------------------------------------------

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        columns = self._describe_columns(exp.select("*").from_(relation.copy()), (), deadline)
        found = describe_columns(KIND, relation, columns)
        self.left_out = found.left_out
        return found.fields

    def _describe_columns(
        self, tree: exp.Select, parameters: Sequence[object], deadline: float
    ) -> list[DescribedColumn]:
        text, bound = self._render(tree, parameters)
        with self._request(deadline):
            found = self._client.query(f"DESCRIBE TABLE ({text})", **self._build_request(bound, deadline)).result_rows
        columns = [DescribedColumn(str(name), *_find_physical(str(kind))) for name, kind, *_ in found]
        return [replace(each, is_instant=each.physical == "datetime") for each in columns]  # seconds since 1970

    def fetch_rows(self, tree: exp.Select, parameters: Sequence[object], most: int, deadline: float) -> list[Row]:
        text, bound = self._render(tree, parameters)
        given = self._build_request(bound, deadline, limit=str(most + 1))
        with self._request(deadline):
            answer = self._client.query(text, **given, query_formats={"String": "bytes"})
            return [tuple(map(convert_value, row)) for row in answer.result_rows]

    def fetch_batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Batches:
        fields = describe_columns(KIND, None, self._describe_columns(tree, parameters, deadline)).fields
        schema = pa.schema([(field.name, find_arrow_type(field.physical)) for field in fields])
        text, bound = self._render(tree, parameters)
        with self._request(deadline):
            stream = self._client.raw_stream(text, **self._build_request(bound, deadline), fmt="ArrowStream")
            with closing(stream):
                for batch in pa.ipc.open_stream(stream):
                    yield _cast_batch(batch, schema)

    def cancel(self) -> None:
        """End what runs, from another thread: the server stops when its client is gone."""
        if self._running:
            self._interrupted.set()
            self._sockets.cut()

    def close(self) -> None:
        with suppress(Exception):
            self._sockets.cut()
            self._client.close()

    # --- one request ------------------------------------------------------------------------------------------------

    def _render(self, tree: exp.Expr, parameters: Sequence[object]) -> tuple[str, dict[str, str]]:
        """Return the text, in which each value has its type, and the values by their names."""
        check_reads(tree)
        tree = tree.copy()
        tree.set("settings", None)  # sent beside the text: within it they would be refused
        text, bound = write_query(tree, "clickhouse").bind(parameters, "\0{0}\0")
        pieces = re.split(r"\0(\d+)\0", text)
        values: dict[str, str] = {}
        for place, value in enumerate(bound):
            pieces[2 * place + 1], values[f"p{place}"] = _write_value(f"p{place}", value)
        return "".join(pieces), values

    def _build_request(self, bound: Mapping[str, str], deadline: float, **more: str) -> dict[str, object]:
        seconds = f"{count_seconds_left(deadline) + GRACE_S:.3f}"
        settings = {**self._settings, **more, "max_execution_time": seconds, "readonly": "1"}
        return {"parameters": dict(bound) or None, "settings": settings}

    @contextmanager
    def _request(self, deadline: float) -> Iterator[None]:
        self._sockets.allow_connections()
        self._interrupted.clear()
        self._running = True
        try:
            seconds = count_seconds_left(deadline)
            with watch_statement(seconds, lambda _: self._sockets.cut(), self._interrupted, _explain):
                yield
        finally:
            self._running = False


def _find_physical(kind: str) -> tuple[str | None, str]:
    """Return the physical type, and the words for the one that was met."""
    inner = re.sub(f"^{_WRAPPED}", "", kind)
    if number := _DECIMAL.match(inner):
        physical = find_decimal_type(int(number[1]), int(number[2]))
    else:
        found = (name for name, inside in _PATTERNS.items() if re.fullmatch(f"(?s)({inside})[)]*", inner))
        physical = next(found, None)
    return physical, inner.partition("(")[0][:40]


def _write_value(name: str, value: object) -> tuple[str, Any]:
    """Return the placeholder of a value, with its type, and the value as it is sent."""
    match value:
        case bool():
            return f"{{{name}:Bool}}", value
        case int():
            return f"{{{name}:Int64}}" if -(2**63) <= value < 2**63 else f"{{{name}:Int256}}", value
        case float():
            return f"{{{name}:Float64}}", value
        case Decimal():
            return f"toDecimal256({{{name}:String}}, {max(0, -int(value.as_tuple().exponent))})", f"{value:f}"
        case datetime.datetime():
            return f"toDateTime64({{{name}:String}}, {_MICROSECONDS}, 'UTC')", value.isoformat(sep=" ")
        case datetime.date():
            return f"toDate32({{{name}:String}})", value.isoformat()
    return f"{{{name}:String}}", value


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
        if login and _CAUSES.get(code) == "absent":
            return connection_error(KIND, "login_refused", code=str(code))
        if code == _NO_ELEMENT and ALTERED in str(error):
            return altered_error()
        return explain_code(KIND, _CAUSES, code) or query_error(KIND, str(code))
    text = str(error).lower()
    if "certificate" in text or "ssl" in text:
        return connection_error(
            KIND, "misconfigured", hint="Check `secure`, `verify`, `ca` and the server's certificate."
        )
    if "timed out" in text or "timeout" in text:
        return connection_error(KIND, "timed_out")
    if "refused" in text or "resolve" in text or "unreachable" in text or "getaddrinfo" in text:
        return connection_error(KIND, "unreachable")
    return connection_error(KIND, "malformed" if login else "lost")


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link)
