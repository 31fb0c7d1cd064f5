"""One session of Spark Connect, over the messages that `pyspark-client` brings and no more of it.

Its own session knows no deadline and no way to end a call from another thread, switches Python's garbage collection off
while a server computes, retries for minutes, takes a token out of the environment, and goes through pandas. A question
needs four calls, and each has a deadline here.
"""

from __future__ import annotations

import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import grpc
import pyarrow as pa

from service_nb.connectors.cursors import left, stopped
from service_nb.core.secret import Secret
from service_nb.errors import InvalidIntentError, SourceMalformedError

MOST_BYTES = 128 * 1024**2  # of one message
LET_GO_S = 0.5  # for what is only polite: interrupting, releasing
LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]")
Loader = Callable[[str], ModuleType]  # imports a module of the driver, or raises `driver_missing`
OURS = ("token", "use_ssl", "user_id")  # of a connection string; every other parameter is a header for the server
_IMPORT = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server is, and what it is told with each call."""

    host: str
    port: int
    tls: bool
    token: Secret | None
    user: str
    headers: tuple[tuple[str, Secret], ...] = ()
    authorities: bytes | None = None  # whose certificates count, as PEM


def read_address(text: str) -> Address:
    """Read a connection string, ``sc://host:port/;token=…;use_ssl=true;user_id=…;name=value``.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is none. The message repeats nothing of it.
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
    return Address(
        host=host,
        port=port,
        tls=given.get("use_ssl", "").lower() == "true" or (token is not None and host not in LOCAL),
        token=token,
        user=given.get("user_id", ""),
        headers=tuple((key.lower(), Secret(value)) for key, value in given.items() if key not in OURS),
    )


class Session:
    """A session of a server. One thread runs statements at a time; any may `cancel`."""

    def __init__(self, address: Address, load: Loader) -> None:
        self._proto, stubs = _messages(load)
        self._statuses, self._details = load("grpc_status.rpc_status"), load("google.rpc.error_details_pb2")
        self._address = address
        self._id = str(uuid.uuid4())
        self._channel = _channel(address)
        self._stub = stubs.SparkConnectServiceStub(self._channel)
        self._metadata = [(key, value.reveal()) for key, value in address.headers]
        self._running: tuple[str, Any] | None = None  # operation and call
        self._cancelled = threading.Event()

    # --- the calls ----------------------------------------------------------------------------------------------

    def configure(self, settings: Mapping[str, str], deadline: float) -> None:
        """Set what holds for all statements of the session."""
        pairs = [self._proto.KeyValue(key=key, value=value) for key, value in settings.items()]
        operation = self._proto.ConfigRequest.Operation(set=self._proto.ConfigRequest.Set(pairs=pairs))
        request = self._proto.ConfigRequest(**self._common(), operation=operation)
        self._stub.Config(request, timeout=left(deadline), metadata=self._metadata)

    def schema(self, text: str, deadline: float) -> list[tuple[str, Any]]:
        """Return the names and types of what a SELECT gives, without running it."""
        asked = self._proto.AnalyzePlanRequest.Schema(plan=self._plan(text, ()))
        request = self._proto.AnalyzePlanRequest(**self._common(), schema=asked)
        with self._cancellable(str(uuid.uuid4())) as start:
            call = start(self._stub.AnalyzePlan.future(request, timeout=left(deadline), metadata=self._metadata))
            found = call.result()
        return [(field.name, field.data_type) for field in found.schema.schema.struct.fields]

    def execute(self, text: str, parameters: Sequence[Any], deadline: float) -> Generator[pa.RecordBatch, None, None]:
        """Run one SELECT, whose parameters are `:p0`, `:p1` and so on, and yield its rows as they come."""
        operation = str(uuid.uuid4())
        request = self._proto.ExecutePlanRequest(
            **self._common(), operation_id=operation, plan=self._plan(text, parameters), tags=[_tag(operation)]
        )
        with self._cancellable(operation) as start:
            call = start(self._stub.ExecutePlan(request, timeout=left(deadline), metadata=self._metadata))
            for answer in call:
                if answer.HasField("arrow_batch"):
                    yield from _batches(answer.arrow_batch)
            if self._cancelled.is_set():  # Sail ends what was interrupted as if that were all
                raise stopped()

    def cancel(self) -> None:
        """End what runs, at the server and here."""
        running = self._running
        if running is not None:
            self._cancelled.set()
            self._interrupt(running[0])
            running[1].cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the last statement was ended by `cancel`."""
        return self._cancelled.is_set()

    def error_class(self, error: Any) -> tuple[str, str]:
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
        with suppress(Exception):  # a server that is gone has released it
            self._stub.ReleaseSession(
                self._proto.ReleaseSessionRequest(**self._common()), timeout=LET_GO_S, metadata=self._metadata
            )
        with suppress(Exception):
            self._channel.close()

    # --- their parts --------------------------------------------------------------------------------------------

    def _common(self) -> dict[str, Any]:
        user = self._proto.UserContext(user_id=self._address.user)
        return {"session_id": self._id, "user_context": user, "client_type": "service_nb"}

    def _plan(self, text: str, parameters: Sequence[Any]) -> Any:
        named = {f"p{number}": self._literal(value) for number, value in enumerate(parameters)}
        return self._proto.Plan(root=self._proto.Relation(sql=self._proto.SQL(query=text, named_arguments=named)))

    def _literal(self, value: Any) -> Any:
        literal = self._proto.Expression.Literal
        match value:
            case bool():
                found = literal(boolean=value)
            case int() if -(2**63) <= value < 2**63:
                found = literal(long=value)
            case int() | Decimal():
                found = literal(decimal=self._decimal(Decimal(value)))
            case float():
                found = literal(double=value)
            case datetime():
                found = literal(string=value.isoformat(sep=" "))  # text, and cast where it stands: no zone is involved
            case date():
                found = literal(date=value.toordinal() - date(1970, 1, 1).toordinal())
            case _:
                found = literal(string=value)
        return self._proto.Expression(literal=found)

    def _decimal(self, value: Decimal) -> Any:
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return self._proto.Expression.Literal.Decimal(
            value=f"{value:f}", precision=max(len(digits) + max(0, int(exponent)), scale, 1), scale=scale
        )

    def _interrupt(self, operation: str) -> None:
        kind = self._proto.InterruptRequest.InterruptType.INTERRUPT_TYPE_TAG
        request = self._proto.InterruptRequest(**self._common(), interrupt_type=kind, operation_tag=_tag(operation))
        with suppress(Exception):  # a server may not know how; the call is cancelled as well
            self._stub.Interrupt(request, timeout=LET_GO_S, metadata=self._metadata)

    @contextmanager
    def _cancellable(self, operation: str) -> Iterator[Callable[[Any], Any]]:
        self._cancelled.clear()
        whole = False

        def start(call: Any) -> Any:
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


def _tag(operation: str) -> str:
    return f"service_nb-{operation}"


def _channel(address: Address) -> grpc.Channel:
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


def _batches(part: Any) -> Iterator[pa.RecordBatch]:
    try:
        with pa.ipc.open_stream(part.data) as reader:
            for batch in reader:
                batch.validate(full=True)
                yield batch
    except (pa.ArrowException, OSError) as error:
        raise SourceMalformedError("The server sent rows that are not valid Arrow data.", expected="Arrow") from error


def _messages(load: Loader) -> tuple[ModuleType, ModuleType]:
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
