"""Spark, and what speaks Spark Connect beside it: Sail, Databricks.

The session is our own, over the messages that `pyspark-client` brings. Its session knows no deadline and no way to
end a call from another thread, switches Python's garbage collection off while a server computes, retries for minutes,
takes a token out of the environment, and goes through pandas. A question needs four calls, and each has a deadline
here.
"""

from __future__ import annotations

import re
import sys
import threading
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

import grpc
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from service_nb.connectors.base import (
    Batches,
    Cause,
    Connector,
    DescribedColumn,
    Row,
    SqlLink,
    connection_error,
    count_seconds_left,
    describe_columns,
    explain_code,
    import_driver,
    missing_table_error,
    query_error,
    timeout_error,
)
from service_nb.connectors.options import certificate_error, is_certificate_error, read_authorities, read_option
from service_nb.connectors.sql_link import convert_value, find_decimal_type, translate_faults, write_query
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import EngineError, InvalidIntentError, ServiceError, SourceMalformedError
from service_nb.query.spelling import MOST_SUMMED, Spelling, call, is_null
from service_nb.readers.columns import find_arrow_type
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field

MOST_BYTES = 128 * 1024**2  # of one message
LET_GO_S = 0.5  # that we wait for an interruption or a release
ARRIVE_S = 10.0  # until an interruption is given up, in the background: a busy server may take it late
RELEASE_S = 5.0  # that we wait for the release where an interruption has not arrived: it ends what runs in the session
MARK = ":p{0}"
LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]")
Loader = Callable[[str], ModuleType]  # imports a module of the driver, or raises `driver_missing`
OURS = ("token", "use_ssl", "user_id")  # of a connection string; every other parameter is a header for the server
_IMPORT = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkAddress:
    """Where a server is, and what it is told with each call."""

    host: str
    port: int
    tls: bool
    token: Secret | None
    user: str
    headers: tuple[tuple[str, Secret], ...] = ()
    authorities: bytes | None = None  # whose certificates count, as PEM


def read_address(text: str) -> SparkAddress:
    """Read a connection string, ``sc://host:port/;token=…;use_ssl=true;user_id=…;name=value``.

    Raises `invalid_intent`.
    """
    try:
        parts = urlsplit("http" + text[2:] if text.startswith("sc://") else "")
        path, _, told = (parts.path or "/").partition(";")
        given = {key: unquote(value) for key, value in (part.split("=", 1) for part in told.split(";") if part)}
        host, port = parts.hostname, parts.port or 15002
    except ValueError:
        host = None
    if not host or path != "/" or parts.query or parts.fragment or parts.username is not None:
        raise InvalidIntentError(
            "This is not a Spark Connect connection string.",
            hint="It looks like sc://host:15002/;token=…;use_ssl=true.",
            path="connection_string",
            expected="sc://host:port/;key=value",
        )
    token = Secret(given["token"]) if given.get("token") else None
    return SparkAddress(
        host=host,
        port=port,
        tls=given.get("use_ssl", "").lower() == "true" or (token is not None and host not in LOCAL),
        token=token,
        user=given.get("user_id", ""),
        headers=tuple((key.lower(), Secret(value)) for key, value in given.items() if key not in OURS),
    )


class SparkSession:
    """A session of a server. One thread runs statements at a time; any may `cancel`."""

    def __init__(self, address: SparkAddress, load: Loader) -> None:
        self._proto, stubs = _load_messages(load)
        self._statuses, self._details = load("grpc_status.rpc_status"), load("google.rpc.error_details_pb2")
        self._address = address
        self._id = str(uuid.uuid4())
        self._channel = _open_channel(address)
        self._stub = stubs.SparkConnectServiceStub(self._channel)
        self._metadata = [(key, value.reveal()) for key, value in address.headers]
        self._running: tuple[str, Any] | None = None  # operation and call
        self._cancelled = threading.Event()
        self._interruptions: deque[Any] = deque(maxlen=8)  # held, for gRPC cancels a call whose object is gone

    # --- the calls ----------------------------------------------------------------------------------------------

    def configure(self, settings: Mapping[str, str], deadline: float) -> None:
        """Set what holds for all statements of the session."""
        pairs = [self._proto.KeyValue(key=key, value=value) for key, value in settings.items()]
        operation = self._proto.ConfigRequest.Operation(set=self._proto.ConfigRequest.Set(pairs=pairs))
        request = self._proto.ConfigRequest(**self._build_common_fields(), operation=operation)
        self._stub.Config(request, timeout=count_seconds_left(deadline), metadata=self._metadata)

    def describe(self, text: str, deadline: float) -> list[tuple[str, Any]]:
        """Return the names and types of what a SELECT gives, without running it."""
        asked = self._proto.AnalyzePlanRequest.Schema(plan=self._plan(text, ()))
        request = self._proto.AnalyzePlanRequest(**self._build_common_fields(), schema=asked)
        with self._cancellable(str(uuid.uuid4())) as start:
            call = start(
                self._stub.AnalyzePlan.future(request, timeout=count_seconds_left(deadline), metadata=self._metadata)
            )
            found = call.result()
        return [(field.name, field.data_type) for field in found.schema.schema.struct.fields]

    def execute(
        self, text: str, parameters: Sequence[object], deadline: float
    ) -> Generator[pa.RecordBatch, None, None]:
        """Run one SELECT, whose parameters are `:p0`, `:p1` and so on, and yield its rows as they come."""
        operation = str(uuid.uuid4())
        request = self._proto.ExecutePlanRequest(
            **self._build_common_fields(),
            operation_id=operation,
            plan=self._plan(text, parameters),
            tags=[_build_tag(operation)],
        )
        with self._cancellable(operation) as start:
            call = start(self._stub.ExecutePlan(request, timeout=count_seconds_left(deadline), metadata=self._metadata))
            for answer in call:
                if answer.HasField("arrow_batch"):
                    yield from _read_batches(answer.arrow_batch)
            if self._cancelled.is_set():  # Sail ends what was interrupted as if that were all
                raise timeout_error()

    def cancel(self) -> None:
        """End what runs, at the server and here."""
        running = self._running
        if running is not None:
            self._cancelled.set()
            self._interrupt(running[0])
            running[1].cancel()

    @property
    def is_cancelled(self) -> bool:
        """Tell whether the last statement was ended by `cancel`."""
        return self._cancelled.is_set()

    def classify_error(self, error: object) -> tuple[str, str]:
        """Return Spark's stable name of what went wrong, and its SQLSTATE; empty where the server tells none."""
        with suppress(ValueError):  # details that contradict the status
            status = self._statuses.from_call(error)
            for detail in status.details if status is not None else ():
                info = self._details.ErrorInfo()
                if detail.Unpack(info):
                    return str(info.metadata.get("errorClass", "")), str(info.metadata.get("sqlState", ""))
        return "", ""

    def close(self) -> None:
        """Release the session at the server and hang up."""
        is_heard = all(call.done() for call in self._interruptions)
        with suppress(Exception):  # a server that is gone has released it
            self._stub.ReleaseSession(
                self._proto.ReleaseSessionRequest(**self._build_common_fields()),
                timeout=LET_GO_S if is_heard else RELEASE_S,
                metadata=self._metadata,
            )
        with suppress(Exception):
            self._channel.close()

    # --- their parts --------------------------------------------------------------------------------------------

    def _build_common_fields(self) -> dict[str, object]:
        user = self._proto.UserContext(user_id=self._address.user)
        return {"session_id": self._id, "user_context": user, "client_type": "service_nb"}

    def _plan(self, text: str, parameters: Sequence[object]) -> object:
        named = {f"p{number}": self._encode_literal(value) for number, value in enumerate(parameters)}
        return self._proto.Plan(root=self._proto.Relation(sql=self._proto.SQL(query=text, named_arguments=named)))

    def _encode_literal(self, value: object) -> object:
        literal = self._proto.Expression.Literal
        match value:
            case bool():
                found = literal(boolean=value)
            case int() if -(2**63) <= value < 2**63:
                found = literal(long=value)
            case int() | Decimal():
                found = literal(decimal=self._encode_decimal(Decimal(value)))
            case float():
                found = literal(double=value)
            case datetime():
                found = literal(string=value.isoformat(sep=" "))  # text, and cast where it stands: no zone is involved
            case date():
                found = literal(date=value.toordinal() - date(1970, 1, 1).toordinal())
            case _:
                found = literal(string=value)
        return self._proto.Expression(literal=found)

    def _encode_decimal(self, value: Decimal) -> Any:
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return self._proto.Expression.Literal.Decimal(
            value=f"{value:f}", precision=max(len(digits) + max(0, int(exponent)), scale, 1), scale=scale
        )

    def _interrupt(self, operation: str) -> None:
        kind = self._proto.InterruptRequest.InterruptType.INTERRUPT_TYPE_TAG
        request = self._proto.InterruptRequest(
            **self._build_common_fields(), interrupt_type=kind, operation_tag=_build_tag(operation)
        )
        with suppress(Exception):  # a server may not know how; the call is cancelled as well
            call = self._stub.Interrupt.future(request, timeout=ARRIVE_S, metadata=self._metadata)
            self._interruptions.append(call)
            call.result(LET_GO_S)

    @contextmanager
    def _cancellable(self, operation: str) -> Iterator[Callable[[Any], Any]]:
        self._cancelled.clear()
        whole = False

        def start(call: object) -> Any:
            self._running = operation, call
            return call

        try:
            yield start
            whole = True
        finally:
            running, self._running = self._running, None
            if running is not None and not whole:  # failed, late, or nobody wants the rest
                self._interrupt(operation)
                running[1].cancel()


def _build_tag(operation: str) -> str:
    return f"service_nb-{operation}"


def _open_channel(address: SparkAddress) -> grpc.Channel:
    options = [("grpc.max_receive_message_length", MOST_BYTES), ("grpc.max_send_message_length", MOST_BYTES)]
    host = f"[{address.host}]" if ":" in address.host else address.host
    target = f"dns:///{host}:{address.port}"  # or a host called `unix` would be a socket of this machine
    if not address.tls and address.token is None:
        return grpc.insecure_channel(target, options)
    # A token leaves this machine encrypted or not at all.
    credentials = grpc.ssl_channel_credentials(address.authorities) if address.tls else grpc.local_channel_credentials()
    if address.token is not None:
        bearer = grpc.access_token_call_credentials(address.token.reveal())
        credentials = grpc.composite_channel_credentials(credentials, bearer)
    return grpc.secure_channel(target, credentials, options)


def _read_batches(part: Any) -> Iterator[pa.RecordBatch]:
    try:
        with pa.ipc.open_stream(part.data) as reader:
            for batch in reader:
                batch.validate(full=True)
                yield batch
    except (pa.ArrowException, OSError) as error:
        raise SourceMalformedError("The server sent rows that are not valid Arrow data.", expected="Arrow") from error


def _load_messages(load: Loader) -> tuple[ModuleType, ModuleType]:
    """Load the generated messages and stubs: once, on the way past what their package does when it is loaded."""
    with _IMPORT, warnings.catch_warnings(), _no_doctest():
        warnings.simplefilter("ignore")  # it warns of pandas 3, which it is not asked to use
        return load("pyspark.sql.connect.proto"), load("pyspark.sql.connect.proto.base_pb2_grpc")


@contextmanager
def _no_doctest() -> Iterator[None]:
    """Let the package not take `python -c` for a run of its doctests, which it would end the process for."""
    main = sys.modules["__main__"]
    bare = getattr(main, "__spec__", None) is None and not hasattr(main, "__file__")
    if bare:
        main.__file__ = "<main>"
    try:
        yield
    finally:
        if bare:
            del main.__file__


KIND = Kind(
    type="spark",
    title="Spark",
    group="engine",
    keys=("host", "port", "user", "connection_string", "table", "query"),
    options={
        "token": "Bearer token; with it the connection is encrypted, except to this machine itself.",
        "use_ssl": "true or false (the default): whether the connection is encrypted.",
        "ca": "Path of a file of certificates that sign the server's; without it those that the driver brings.",
    },
    secrets=("token",),
    extra="spark",
    driver="pyspark",
    dialect="spark",
    port=15002,
)
# What the answers rest on. Texts compare by their bytes, casts raise, times have no zone but UTC, and a name of a table
# is never the path of a file.
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.files.ignoreCorruptFiles": "false",  # or their rows would be left out, without a word
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
}
TYPES = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "int64"),
    **dict.fromkeys(("float", "double"), "float64"),
    **dict.fromkeys(("string", "char", "var_char"), "string"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "datetime"),
    "boolean": "boolean",
    "date": "date",
}
FORMATS = ("arrow", "avro", "binaryfile", "csv", "delta", "iceberg", "json", "orc", "parquet", "text", "vortex", "xml")
PATHLIKE = re.compile(r"[/\\:*?]")
# How Spark's names of errors begin, and SQLSTATEs
CAUSES: Mapping[str, Cause] = {
    **dict.fromkeys(("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"), "absent"),
    **dict.fromkeys(("CATALOG_NOT_FOUND", "NO_SUCH_CATALOG_EXCEPTION"), "absent"),
    **dict.fromkeys(("INSUFFICIENT_PERMISSIONS", "PERMISSION_DENIED", "42501"), "not_allowed"),
    "OPERATION_CANCELED": "stopped",
    "INVALID_HANDLE": "lost",
}


def open_link(descriptor: Descriptor, deadline: float) -> SparkLink:
    """Open a session, whose settings are those that answers rest on."""
    address = _find_address(descriptor)
    session = SparkSession(
        replace(address, authorities=_read_certificates(descriptor, address)), partial(import_driver, KIND)
    )
    try:
        session.configure(SETTINGS, deadline)
        version = _read_first_text(session, "SELECT version()", deadline)
    except (grpc.RpcError, ServiceError, ValueError) as error:
        session.close()
        raise _opening_error(error) from None  # its text holds the address
    return SparkLink(session, version)


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    return (_find_address(descriptor).host,)


def _find_address(descriptor: Descriptor) -> SparkAddress:
    token, tls = descriptor.options.get("token"), str(descriptor.options.get("use_ssl", "")).lower()
    if tls not in ("", "true", "false"):
        raise InvalidIntentError("use_ssl is true or false.", path="connector.use_ssl", met=describe_value(tls))
    if descriptor.connection_string is not None:
        address = read_address(descriptor.connection_string.reveal())
    elif descriptor.host:
        address = SparkAddress(host=descriptor.host, port=descriptor.port or 15002, tls=False, token=None, user="")
    else:
        raise InvalidIntentError("A connector of type spark needs host.", path="connector.host", expected="host")
    if isinstance(token, Secret):
        address = replace(address, token=token, tls=address.tls or address.host not in LOCAL)
    return replace(address, tls=address.tls or tls == "true", user=descriptor.user or address.user)


def _read_certificates(descriptor: Descriptor, address: SparkAddress) -> bytes | None:
    ca = read_option(descriptor, "ca")
    if ca is None:
        return None
    if not address.tls:
        raise InvalidIntentError("ca is of use with encryption alone.", path="connector.ca", expected="use_ssl: true")
    return read_authorities(ca)


def _read_first_text(session: SparkSession, text: str, deadline: float) -> str:
    for batch in session.execute(text, (), deadline):
        if batch.num_rows and batch.num_columns:
            return str(batch.column(0)[0].as_py())
    raise connection_error(KIND, "malformed")


class SparkSpelling(Spelling):
    """Texts are UTF8_BINARY, casts are ANSI's, which raise instead of returning null; the link sets both.

    Casts from double to integer cut off. Sums of BIGINT raise in Spark and wrap in Sail, so limbs are narrow enough for
    neither, and columns of integers are summed as decimals. A time is sent as text, for no session's zone to be added.
    """

    dialect = "spark"
    sum_widens = False
    literal_values = True
    types: ClassVar = {"datetime": "timestamp_ntz", "string": "string"}
    casts_columns = True
    casts_operands = ("datetime",)
    most_summed, summed_digits = MOST_SUMMED, 28
    prefix_call = "STARTSWITH"


class SailSpelling(SparkSpelling):
    """Sail's: the largest of a group of nothing but -Infinity is a finite number there, and the smallest likewise."""

    def build_extreme(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Put doubles into a structure, which is compared by another part of Sail; the link unwraps them."""
        if field.physical != "float64":
            return super().build_extreme(field, value)
        held = call("NAMED_STRUCT", exp.Literal.string("held"), value)
        return exp.Case().when(is_null(value.copy(), negated=True), held, copy=False)


class SparkLink(SqlLink):
    """A session of Spark Connect."""

    def __init__(self, session: SparkSession, version: str) -> None:
        self._session = session
        number, _, commit = version.partition(" ")  # Sail tells its own version, without a commit
        self.spelling = SparkSpelling() if commit else SailSpelling()
        self.name = f"{'spark' if commit else 'sail'} {number[:40]}"

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; nothing of it is read."""
        for table in relation.find_all(exp.Table):
            self._check_name(table)
        text, _ = write_query(exp.select("*").from_(relation.copy()), self.spelling.dialect).bind((), MARK)
        try:
            with translate_faults(partial(_explain, self._session)):
                columns = self._session.describe(text, deadline)
        except EngineError as error:  # only here is it about what a user wrote
            raise query_error(KIND, error.details.get("met")) from error
        found = describe_columns(
            KIND,
            relation,
            (
                DescribedColumn(name, *_find_physical_type(kind), is_instant=kind.WhichOneof("kind") == "timestamp")
                for name, kind in columns
            ),
        )
        self.left_out = found.left_out
        return found.fields

    def _check_name(self, table: exp.Table) -> None:
        """Refuse what some servers read as a file: `parquet`.`/a/path`; Spark itself is told not to, Sail cannot be."""
        is_path = any(PATHLIKE.search(part.name) for part in table.parts)
        if is_path or (isinstance(self.spelling, SailSpelling) and table.db.lower() in FORMATS):
            raise missing_table_error(KIND)

    def fetch_rows(self, tree: exp.Select, parameters: Sequence[object], most: int, deadline: float) -> list[Row]:
        found: list[Row] = []
        for batch in self._iter_batches(tree, parameters, deadline):
            found += _read_rows(batch.slice(0, most + 1 - len(found)))
            if len(found) > most:
                break
        return found

    def fetch_batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Batches:
        """Run one SELECT and yield its rows as the server sends them: some megabytes at once."""
        for batch in self._iter_batches(tree, parameters, deadline):
            yield _normalise(batch)

    def cancel(self) -> None:
        """End what runs: by its tag at the server, and the call."""
        self._session.cancel()

    def close(self) -> None:
        """Release the session."""
        self._session.close()

    def _iter_batches(
        self, tree: exp.Select, parameters: Sequence[object], deadline: float
    ) -> Iterator[pa.RecordBatch]:
        # By name: by position, Spark 4 mixes up more than four.
        text, bound = write_query(tree, self.spelling.dialect).bind(parameters, MARK)
        with (
            translate_faults(partial(_explain, self._session)),
            closing(self._session.execute(text, bound, deadline)) as batches,
        ):
            yield from batches


def _read_rows(batch: pa.RecordBatch) -> list[tuple[object, ...]]:
    try:
        columns = [list(map(convert_value, _unwrap(column).to_pylist())) for column in batch.columns]
    except (OverflowError, ValueError) as error:
        raise SourceMalformedError(
            "The source holds a date outside the years 1 to 9999.", expected="a date of the years 1 to 9999"
        ) from error
    return list(zip(*columns, strict=True))


def _unwrap(column: pa.Array) -> pa.Array:
    return pc.struct_field(column, 0) if pa.types.is_struct(column.type) else column


def _normalise(batch: pa.RecordBatch) -> pa.RecordBatch:
    arrays = [column.cast(find_arrow_type(_find_arrow_type(column.type))) for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _find_arrow_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return find_decimal_type(kind.precision, kind.scale) or "string"
    tests: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
        (pa.types.is_integer, "int64"),
        (pa.types.is_floating, "float64"),
        (pa.types.is_boolean, "boolean"),
        (pa.types.is_date, "date"),
        (pa.types.is_timestamp, "datetime"),
    )
    return next((physical for test, physical in tests if test(kind)), "string")


def _find_physical_type(kind: Any) -> tuple[str | None, str]:
    """Return the physical type, and the word for the one that was met."""
    met = kind.WhichOneof("kind") or "nothing"
    found = find_decimal_type(kind.decimal.precision, kind.decimal.scale) if met == "decimal" else TYPES.get(met)
    return found, met


# --- what goes wrong ------------------------------------------------------------------------------------------------


def _opening_error(error: Exception) -> Exception:
    if isinstance(error, ServiceError):
        return connection_error(KIND, "timed_out") if error.code == "timeout" else error
    if not isinstance(error, grpc.RpcError):
        return connection_error(KIND, "misconfigured")
    match error.code():
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return connection_error(KIND, "timed_out")
        case grpc.StatusCode.UNAVAILABLE:
            return certificate_error(KIND) if is_certificate_error(error) else connection_error(KIND, "unreachable")
        case _:
            return _login_error(error) or connection_error(KIND, "malformed")


def _login_error(error: Any) -> ServiceError | None:
    match error.code():
        case grpc.StatusCode.UNAUTHENTICATED:
            return connection_error(KIND, "login_refused")
        case grpc.StatusCode.PERMISSION_DENIED:
            return connection_error(KIND, "not_allowed")
    return None


def _explain(session: SparkSession, error: Exception) -> ServiceError:
    if not isinstance(error, grpc.RpcError):
        return connection_error(KIND, "malformed")
    code, kind, state = error.code(), *session.classify_error(error)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED or session.is_cancelled:
        return timeout_error()
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED) and not kind.startswith("OPERATION_CANCELED"):
        return connection_error(KIND, "lost")
    if found := _login_error(error):
        return found
    known = next((name for name in CAUSES if kind.startswith(name)), state)
    if not kind and "not found" in str(error.details()).lower():  # Sail has no names for its errors
        return missing_table_error(KIND)
    refused = EngineError(f"{KIND.title} refused a statement that only reads.", engine=KIND.type, met=kind or code.name)
    return explain_code(KIND, CAUSES, known) or refused


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
