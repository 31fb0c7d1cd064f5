"""Spark, and what speaks Spark Connect beside it: Sail, Databricks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import grpc
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from service_nb.connectors.cursors import exact_number, plain, stopped
from service_nb.connectors.described import Met, described
from service_nb.connectors.encryption import authorities, is_unproven, unproven
from service_nb.connectors.faults import driver, failed, refused
from service_nb.connectors.needed import option
from service_nb.connectors.parameters import named, rendered
from service_nb.connectors.spark_connect import LOCAL, Address, Session, read_address
from service_nb.core.secret import Secret
from service_nb.core.words import shown
from service_nb.errors import (
    EngineError,
    InvalidIntentError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
)
from service_nb.query.spellings.spark import SailSpelling, SparkSpelling
from service_nb.readers.columns import arrow_type
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field

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
NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "NO_SUCH_CATALOG_EXCEPTION")
NOT_ALLOWED = ("INSUFFICIENT_PERMISSIONS", "PERMISSION_DENIED")


def open_link(descriptor: Descriptor, deadline: float) -> SparkLink:
    """Open a session, whose settings are those that answers rest on."""
    address = _address(descriptor)
    session = Session(replace(address, authorities=_authorities(descriptor, address)), partial(driver, KIND))
    try:
        session.configure(SETTINGS, deadline)
        version = _first_text(session, "SELECT version()", deadline)
    except (grpc.RpcError, ServiceError, ValueError) as error:
        session.close()
        raise _opening_error(error) from None  # its text holds the address
    return SparkLink(session, version)


def hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    return (_address(descriptor).host,)


def _address(descriptor: Descriptor) -> Address:
    token, tls = descriptor.options.get("token"), str(descriptor.options.get("use_ssl", "")).lower()
    if tls not in ("", "true", "false"):
        raise InvalidIntentError("use_ssl is true or false.", path="connector.use_ssl", met=shown(tls))
    if descriptor.connection_string is not None:
        address = read_address(descriptor.connection_string.reveal())
    elif descriptor.host:
        address = Address(host=descriptor.host, port=descriptor.port or 15002, tls=False, token=None, user="")
    else:
        raise InvalidIntentError("A connector of type spark needs host.", path="connector.host", expected="host")
    if isinstance(token, Secret):
        address = replace(address, token=token, tls=address.tls or address.host not in LOCAL)
    return replace(address, tls=address.tls or tls == "true", user=descriptor.user or address.user)


def _authorities(descriptor: Descriptor, address: Address) -> bytes | None:
    ca = option(descriptor, "ca")
    if ca is None:
        return None
    if not address.tls:
        raise InvalidIntentError("ca is of use with encryption alone.", path="connector.ca", expected="use_ssl: true")
    return authorities(ca)


def _first_text(session: Session, text: str, deadline: float) -> str:
    for batch in session.execute(text, (), deadline):
        if batch.num_rows and batch.num_columns:
            return str(batch.column(0)[0].as_py())
    raise failed(KIND, "malformed")


class SparkLink:
    """A session of Spark Connect."""

    left_out: tuple[str, ...] = ()
    casts: Mapping[str, exp.Expr] = MappingProxyType({})
    holds = False

    def __init__(self, session: Session, version: str) -> None:
        self._session = session
        number, _, commit = version.partition(" ")  # Sail tells its own version, without a commit
        self.spelling = SparkSpelling() if commit else SailSpelling()
        self.name = f"{'spark' if commit else 'sail'} {number[:40]}"

    def question(self, deadline: float) -> AbstractContextManager[None]:  # noqa: ARG002  # each statement has it
        """Return a block of which nobody is told: what is asked knows nothing of what was asked before."""
        return nullcontext()

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; nothing of it is read."""
        for table in relation.find_all(exp.Table):
            self._check_name(table)
        text, _ = rendered(exp.select("*").from_(relation.copy()), (), dialect=self.spelling.dialect, mark=named)
        with _faults(self._session, of_the_user=True):
            columns = self._session.schema(text, deadline)
        found = described(KIND, relation, (Met(name, *_physical(kind)) for name, kind in columns))
        self.left_out = found.left_out
        return found.fields

    def _check_name(self, table: exp.Table) -> None:
        """Refuse what some servers read as a file: `parquet`.`/a/path`; Spark itself is told not to, Sail cannot be."""
        is_path = any(PATHLIKE.search(part.name) for part in table.parts)
        if is_path or (isinstance(self.spelling, SailSpelling) and table.db.lower() in FORMATS):
            raise _no_such_table()

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        found: list[tuple[Any, ...]] = []
        for batch in self._batches(tree, parameters, deadline):
            found += _rows(batch.slice(0, most + 1 - len(found)))
            if len(found) > most:
                break
        return found

    def batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows as the server sends them: some megabytes at once."""
        for batch in self._batches(tree, parameters, deadline):
            yield _normalised(batch)

    def cancel(self) -> None:
        """End what runs: by its tag at the server, and the call."""
        self._session.cancel()

    def close(self) -> None:
        """Release the session."""
        self._session.close()

    def _batches(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Iterator[pa.RecordBatch]:
        # By name: by position, Spark 4 mixes up more than four.
        text, bound = rendered(tree, parameters, dialect=self.spelling.dialect, mark=named)
        with _faults(self._session), closing(self._session.execute(text, bound, deadline)) as batches:
            yield from batches


def _rows(batch: pa.RecordBatch) -> list[tuple[Any, ...]]:
    try:
        columns = [list(map(plain, _unwrapped(column).to_pylist())) for column in batch.columns]
    except (OverflowError, ValueError) as error:
        raise SourceMalformedError(
            "The source holds a date outside the years 1 to 9999.", expected="a date of the years 1 to 9999"
        ) from error
    return list(zip(*columns, strict=True))


def _unwrapped(column: pa.Array) -> pa.Array:
    return pc.struct_field(column, 0) if pa.types.is_struct(column.type) else column


def _normalised(batch: pa.RecordBatch) -> pa.RecordBatch:
    arrays = [column.cast(arrow_type(_of_arrow(column.type))) for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _of_arrow(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return exact_number(kind.precision, kind.scale) or "string"
    tests: tuple[tuple[Callable[[pa.DataType], bool], str], ...] = (
        (pa.types.is_integer, "int64"),
        (pa.types.is_floating, "float64"),
        (pa.types.is_boolean, "boolean"),
        (pa.types.is_date, "date"),
        (pa.types.is_timestamp, "datetime"),
    )
    return next((physical for test, physical in tests if test(kind)), "string")


def _physical(kind: Any) -> tuple[str | None, str]:
    """Return the physical type, and the word for the one that was met."""
    met = kind.WhichOneof("kind") or "nothing"
    found = exact_number(kind.decimal.precision, kind.decimal.scale) if met == "decimal" else TYPES.get(met)
    return found, met


# --- what goes wrong ------------------------------------------------------------------------------------------------


@contextmanager
def _faults(session: Session, *, of_the_user: bool = False) -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as error:
        raise _explained(error, session, of_the_user=of_the_user) from None  # its text holds the address


def _opening_error(error: Exception) -> Exception:
    if isinstance(error, ServiceError):
        return failed(KIND, "timed_out") if error.code == "timeout" else error
    if not isinstance(error, grpc.RpcError):
        return failed(KIND, "misconfigured")
    match error.code():
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return failed(KIND, "timed_out")
        case grpc.StatusCode.UNAVAILABLE:
            return unproven(KIND) if is_unproven(error) else failed(KIND, "unreachable")
        case _:
            return _login_error(error) or failed(KIND, "malformed")


def _login_error(error: Any) -> ServiceError | None:
    match error.code():
        case grpc.StatusCode.UNAUTHENTICATED:
            return failed(KIND, "login_refused")
        case grpc.StatusCode.PERMISSION_DENIED:
            return failed(KIND, "not_allowed")
    return None


def _explained(error: Any, session: Session, *, of_the_user: bool) -> ServiceError:
    code, kind, state = error.code(), *session.error_class(error)
    if code is grpc.StatusCode.DEADLINE_EXCEEDED or session.cancelled or kind.startswith("OPERATION_CANCELED"):
        return stopped()
    if code is grpc.StatusCode.UNAVAILABLE or kind.startswith("INVALID_HANDLE") or code is grpc.StatusCode.CANCELLED:
        return failed(KIND, "lost")
    if found := _login_error(error):
        return found
    if kind.startswith(NOT_FOUND) or (not kind and _says_not_found(error)):
        return _no_such_table()
    if kind.startswith(NOT_ALLOWED) or state == "42501":
        return failed(KIND, "not_allowed", code=kind)
    if of_the_user:
        return refused(KIND, kind or None)
    return EngineError(f"{KIND.title} refused a statement that only reads.", engine=KIND.type, met=kind or code.name)


def _says_not_found(error: Any) -> bool:
    return "not found" in str(error.details()).lower()  # Sail has no names for its errors


def _no_such_table() -> SourceNotFoundError:
    return SourceNotFoundError(
        "Spark has no such table or view, or this account may not see it.", hint="Name it as catalog.schema.table."
    )
