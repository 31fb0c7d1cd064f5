"""Call a deployment over HTTP: a call ends by its deadline in an answer of the expected type, or in a typed error.

Redirects are not followed, proxies of the environment are not used, certificates are always verified, and an answer is
cut off at its limit while it arrives. Every call carries an `Idempotency-Key`, so sending it again repeats nothing.

httpcore without httpx above it: its sockets can be replaced, and only a socket that looks up every `TICK_S` keeps the
deadline of a whole call and lets a `Stop` or Ctrl-C end it (decision 0023).
"""

from __future__ import annotations

import os
import random
import secrets
import ssl
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypedDict, TypeVar, Unpack
from urllib.parse import quote, urlsplit

import httpcore
import msgspec

from service_nb._version import __version__
from service_nb.core.digest import compute_sha256
from service_nb.core.secret import Secret
from service_nb.core.stopping import find_current_stop
from service_nb.core.words import describe_value
from service_nb.deployment.address import URL, Address
from service_nb.deployment.faults import build_unavailable, read_error
from service_nb.deployment.values import DIGEST, format_digest, has_digest
from service_nb.deployment.waiting import call_within
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
)

T = TypeVar("T")

MOST_BYTES = 64 * 1024**2  # of an answer, unless more is asked for
LONGEST_S = 900.0  # of a call without a timeout
GRACE_S = 2.0  # beyond the timeout: the deployment's own `timeout` error arrives first
MOST_TRIES = 5
MOST_CONNECTIONS = 32
PROBE_S = 0.75  # for a deployment that did not answer the last call to show that it is there
IDLE_S = 30.0  # that a connection is kept for the next call
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 5.0
TICK_S = 0.25  # between two looks at the deadline and the stop
CONNECT_S, WRITE_S = 10.0, 60.0
_RETRYABLE = ("rate_limited", "overloaded", "compute_runtime_unavailable")  # codes that pass by themselves, and soon
_USUAL_PORTS = {"http": 80, "https": 443}
_UNESCAPED = "/%:@!$&'()*+,;=~"  # of a path; what is escaped already stays so


class CallOptions(TypedDict, total=False):
    """Options of a call; `hidden` are secrets in its body, which no error may show."""

    timeout_s: float | None
    most_bytes: int
    hidden: Sequence[Secret]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentCall:
    """One call; `body` is sent as JSON. The other fields are those of `CallOptions`."""

    method: str
    path: str
    body: object = None
    timeout_s: float | None = None
    most_bytes: int = MOST_BYTES
    hidden: Sequence[Secret] = ()


@dataclass(frozen=True, slots=True)
class _Response:
    """A whole response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _RetryError(Exception):
    """The call may be sent again after a pause."""

    def __init__(self, error: ServiceError, pause_s: float | None = None) -> None:
        super().__init__()
        self.error, self.pause_s = error, pause_s


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """The address of a deployment, parsed once for all calls."""

    scheme: str
    host: str
    port: int | None
    path: str

    @classmethod
    def parse(cls, base: str) -> BaseUrl:
        """Parse an address; raises `invalid_intent` where its host is no valid name."""
        parts = urlsplit(base)
        return cls(parts.scheme, _encode_host(parts.hostname or ""), parts.port, quote(parts.path, safe=_UNESCAPED))

    @property
    def host_header(self) -> str:
        """The Host header: the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in (None, _USUAL_PORTS.get(self.scheme)) else f"{host}:{self.port}"

    def join(self, path: str) -> httpcore.URL:
        """Build the URL of a path."""
        return httpcore.URL(scheme=self.scheme, host=self.host, port=self.port, target=self.path + path)


class DeploymentClient:
    """One deployment, with one key, for the tenant `tenant`. Thread-safe; connections are kept for the next call."""

    def __init__(self, address: Address, *, tenant: str | None = None) -> None:
        self.address = address
        self._tenant = tenant
        self._lock = threading.Lock()
        self._pool: httpcore.ConnectionPool | None = None
        self._process = 0
        self._base = BaseUrl.parse(address.base)
        self._responses = 0
        self._is_silent = False  # nothing answered the last call

    def __repr__(self) -> str:
        return f"DeploymentClient({self.address.host})"

    def get(self, path: str, answer: type[T], **options: Unpack[CallOptions]) -> T:
        """Fetch what is at a path."""
        return self.call(DeploymentCall(method="GET", path=path, **options), answer)

    def post(self, path: str, body: object, answer: type[T], **options: Unpack[CallOptions]) -> T:
        """Send a body."""
        return self.call(DeploymentCall(method="POST", path=path, body=body, **options), answer)

    def delete(self, path: str, **options: Unpack[CallOptions]) -> None:
        """Delete what is at a path."""
        self.call(DeploymentCall(method="DELETE", path=path, **options), type(None))

    def call(self, call: DeploymentCall, answer: type[T]) -> T:
        """Make a call, and decode its answer as `answer`.

        An error is what the deployment answers, under its own code, or one of `deployment_unavailable` (no answer
        arrived, or none that is one; `retryable` says whether it may pass), `timeout`, `interrupted`, `limit_exceeded`.
        """
        content = _encode_body(call.body)
        headers = self._build_headers(content)
        if self._is_silent and not self._is_reachable():
            raise _build_unreached(f"nothing answers at {self.address.host}, as at the previous call")
        deadline = time.monotonic() + (LONGEST_S if call.timeout_s is None else call.timeout_s) + GRACE_S
        before = self._responses
        try:
            with _end_by(deadline):
                return self._try_repeatedly(call, content, headers, answer, deadline)
        except (KeyboardInterrupt, _StoppedError):
            self._is_silent = self._responses == before
            raise QueryInterruptedError(
                "The call to the deployment was interrupted.",
                hint="The deployment stops it, too. The session is intact.",
            ) from None
        except ServiceError:
            self._is_silent = self._responses == before
            raise

    def close(self) -> None:
        """Close the connections; the next call opens others."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    # --- one call, several tries ----------------------------------------------------------------------------------

    def _try_repeatedly(
        self, call: DeploymentCall, content: bytes, headers: dict[str, str], answer: type[T], deadline: float
    ) -> T:
        fault: ServiceError | None = None
        for tries in range(MOST_TRIES):
            try:
                headers["X-Service-Timeout"] = f"{max(0.001, deadline - GRACE_S - time.monotonic()):.3f}"
                headers["X-Request-Id"] = f"request_{secrets.token_hex(8)}"
                response = self._send_once(call, content, headers)
                self._check_response(response, headers["X-Request-Id"], call.hidden)
                return _decode_answer(response, answer)
            except _RetryError as again:
                fault = again.error
                pause = _choose_pause(tries, again.pause_s)
                if tries + 1 == MOST_TRIES or time.monotonic() + pause >= deadline - GRACE_S:
                    raise fault from None
                _sleep(pause)
            except _OverdueError:
                raise fault or _build_timeout() from None
        raise fault or _build_timeout()

    def _send_once(self, call: DeploymentCall, content: bytes, headers: dict[str, str]) -> _Response:
        """Send the call once, and read the whole response."""
        try:
            with self._open_pool().stream(
                call.method,
                self._base.join(call.path),
                content=content or None,
                headers=list(headers.items()),
                extensions={"timeout": {"pool": _compute_wait(LONGEST_S)}},
            ) as response:
                self._responses, self._is_silent = self._responses + 1, False
                return _read_response(response, call.most_bytes)
        except httpcore.ConnectTimeout:
            raise _RetryError(_build_unreached("the connection was not made in time")) from None
        except httpcore.ConnectError as error:
            raise self._explain_connect_error(error) from None
        except httpcore.TimeoutException:
            raise _RetryError(_build_lost("nothing more was taken in time")) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError) as error:
            raise _RetryError(_build_lost(_describe_error(error))) from None

    def _check_response(self, response: _Response, request_id: str, hidden: Sequence[Secret]) -> None:
        """Raise unless the response is whole, of this call, and no error."""
        if response.headers.get("x-request-id", request_id) != request_id:
            raise _RetryError(_build_garbled("it answers another call"))
        if not has_digest(response.headers.get(DIGEST.lower()), response.body):
            raise _RetryError(_build_garbled("its bytes do not have the digest that it carries"))
        is_json = response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
        if 200 <= response.status < 300:
            if is_json or response.status == 204:
                return
            raise build_unavailable(
                "malformed",
                "The server at that address is not a deployment: its answer is not JSON.",
                passes=False,
                hint="Is SERVICE_DEPLOYMENT_URL the address of a deployment?",
                status=response.status,
            )
        key = () if self.address.key is None else (self.address.key,)
        error = read_error(response.status, response.body, is_json, (*hidden, *key))
        if error.details.get("request_id", request_id) != request_id:
            raise _RetryError(_build_garbled("it answers another call"))
        if error.code in _RETRYABLE or (error.code == "deployment_unavailable" and error.retryable):
            raise _RetryError(error, _read_retry_after(response))
        raise error

    def _is_reachable(self) -> bool:
        """Tell whether the deployment answers within `PROBE_S` seconds, the lookup of its name included."""

        def look() -> bool:
            url, headers = self._base.join("/healthz"), [("Host", self._base.host_header)]
            try:
                with _end_by(time.monotonic() + PROBE_S), self._open_pool().stream("GET", url, headers=headers):
                    return True
            except httpcore.ConnectError as error:
                return not isinstance(self._explain_connect_error(error), _RetryError)  # the call says what is wrong
            except (
                *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError),
                *(_OverdueError, _StoppedError),
            ):
                return False

        return call_within(PROBE_S, look)[0] == [True]

    # --- the connections -------------------------------------------------------------------------------------------

    def _open_pool(self) -> httpcore.ConnectionPool:
        with self._lock:
            if self._pool is None or self._process != os.getpid():  # a fork shares no connection with its parent
                self._pool = httpcore.ConnectionPool(
                    ssl_context=_create_ssl_context(self._base.scheme, self.address.ca),
                    max_connections=MOST_CONNECTIONS,
                    max_keepalive_connections=MOST_CONNECTIONS,
                    keepalive_expiry=IDLE_S,
                    network_backend=_Network(),
                )
                self._process = os.getpid()
                weakref.finalize(self, self._pool.close)  # a client that is not closed leaves no connection behind
            return self._pool

    def _build_headers(self, content: bytes) -> dict[str, str]:
        headers = {
            "Host": self._base.host_header,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"service-nb/{__version__}",
            "Idempotency-Key": secrets.token_hex(16),
        }
        if content:
            headers |= {"Content-Type": "application/json", DIGEST: format_digest(compute_sha256(content))}
        if self.address.key is not None:
            headers["Authorization"] = f"Bearer {self.address.key.reveal()}"
        if self._tenant is not None:
            headers["X-Service-Tenant"] = quote(self._tenant, safe=" !#$&'()*+,/:;=?@[]")
        return headers

    def _explain_connect_error(self, error: httpcore.ConnectError) -> Exception:
        # The cause is where OpenSSL says what is wrong; that text names no secret, and the host is the user's own.
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return build_unavailable(
                    "tls",
                    f"The certificate of {self.address.host} is not trusted: {cause.verify_message}.",
                    passes=False,
                    hint="Set SERVICE_DEPLOYMENT_CA to a file of the certificates to trust.",
                )
            if isinstance(cause, ssl.SSLError):
                return _RetryError(
                    build_unavailable("tls", f"{self.address.host} failed the TLS handshake.", passes=False)
                )
            cause = cause.__cause__ or cause.__context__
        return _RetryError(_build_unreached(f"nothing answers at {self.address.host}"))


# --- sockets that keep the deadline of a call -------------------------------------------------------------------------


class _OverdueError(Exception):
    """The deadline of the call has passed."""


class _StoppedError(Exception):
    """The caller does not want the answer any more."""


_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def _end_by(deadline: float) -> Iterator[None]:
    """End every read and write of the block by a moment of `time.monotonic`."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def _compute_wait(most_s: float) -> float:
    """Compute the seconds that the next step may wait; raise if the deadline has passed or the call was stopped."""
    stop = find_current_stop()
    if stop is not None and stop.is_requested:
        raise _StoppedError
    deadline = _DEADLINE.get()
    if deadline is None:
        return most_s
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise _OverdueError
    return min(most_s, remaining)


class _DeadlineStream(httpcore.NetworkStream):
    """A socket that checks the call's deadline and stop every `TICK_S` seconds; httpcore's timeouts are not used."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  # as above
        while True:
            try:
                return self._inner.read(max_bytes, _compute_wait(TICK_S))
            except httpcore.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  # as above
        self._inner.write(buffer, _compute_wait(WRITE_S))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  # as above
    ) -> httpcore.NetworkStream:
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, _compute_wait(CONNECT_S)))

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Network(httpcore.SyncBackend):
    """Open `_DeadlineStream` sockets; they are read in the call's thread, whose context has the deadline."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  # as above
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return _DeadlineStream(super().connect_tcp(host, port, _compute_wait(CONNECT_S), local_address, socket_options))


def _create_ssl_context(scheme: str, ca: str | None) -> ssl.SSLContext | None:
    if scheme != "https" and ca is None:
        return None  # to read the certificates of the system takes longer than a call
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError):
        raise InvalidIntentError(
            "SERVICE_DEPLOYMENT_CA is not a readable file of certificates (PEM).",
            path="SERVICE_DEPLOYMENT_CA",
            expected="a file of certificates",
        ) from None


# --- what is sent, and what comes back --------------------------------------------------------------------------------


def _encode_host(host: str) -> str:
    if host.isascii():
        return host
    import idna  # noqa: PLC0415  # its tables are large, and few hosts need them

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        raise InvalidIntentError(
            f"{URL} names the host {describe_value(host)}, which is not a valid host name.",
            path=URL,
            expected="https://…",
        ) from None


def _encode_body(body: object) -> bytes:
    if body is None:
        return b""
    try:
        return msgspec.json.encode(body)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, UnicodeEncodeError, RecursionError):
        raise InvalidIntentError(
            "The request to the deployment cannot be written as JSON.", expected="texts, numbers, lists and objects"
        ) from None


def _read_response(response: httpcore.Response, most: int) -> _Response:
    """Read a response, at most `most` bytes of it."""
    headers: dict[str, str] = {}
    for raw, value in response.headers:
        name = raw.decode("latin-1").lower()
        headers[name] = f"{headers[name]}, {value.decode('latin-1')}" if name in headers else value.decode("latin-1")
    if headers.get("content-encoding", "identity") != "identity":
        raise build_unavailable("malformed", "The answer is compressed, which was not requested.", passes=False)
    pieces, size = [], 0
    for piece in response.iter_stream():
        size += len(piece)
        if size > most:
            raise LimitExceededError(
                f"The deployment's answer has more than {most:,} bytes.",
                hint="Ask for fewer rows: add a condition, or a limit.",
                limit=most,
                limit_name="answer_bytes",
            )
        _compute_wait(1.0)
        pieces.append(piece)
    return _Response(response.status, headers, b"".join(pieces))


def _decode_answer(response: _Response, answer: type[T]) -> T:
    try:
        return msgspec.json.decode(b"null" if response.status == 204 else response.body, type=answer)
    except msgspec.ValidationError as error:
        raise build_unavailable(
            "malformed",
            "The deployment's answer does not have the form that this version expects.",
            passes=False,
            hint="Use the same release on both sides; service-nb doctor compares them.",
            met=str(error)[:200],
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _RetryError(_build_garbled("it is not JSON")) from None


def _choose_pause(tries: int, asked_s: float | None) -> float:
    """Choose the pause before the next try: as asked, or ever longer; random, so that clients do not come together."""
    if asked_s is not None:
        return asked_s + random.uniform(0, FIRST_PAUSE_S)  # noqa: S311  # spreads clients; nothing is guessed from it
    return random.uniform(FIRST_PAUSE_S / 2, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 4**tries))  # noqa: S311


def _sleep(pause_s: float) -> None:
    end = time.monotonic() + pause_s
    while (remaining := end - time.monotonic()) > 0:
        time.sleep(min(remaining, _compute_wait(TICK_S)))


def _read_retry_after(response: _Response) -> float | None:
    try:
        return max(0.0, min(float(response.headers["retry-after"]), LONGEST_S))
    except (KeyError, ValueError, OverflowError):
        return None


def _build_timeout() -> QueryTimeoutError:
    return QueryTimeoutError("The deployment did not answer by the deadline.", hint="Raise `timeout`, or ask for less.")


def _build_unreached(what: str) -> ServiceError:
    return build_unavailable(
        "unreachable",
        f"The deployment cannot be reached: {what}.",
        passes=True,
        hint="Check that it runs and that SERVICE_DEPLOYMENT_URL is its address; run service-nb doctor.",
    )


def _build_lost(what: str) -> ServiceError:
    return build_unavailable("lost", f"The connection with the deployment broke: {what}.", passes=True)


def _build_garbled(what: str) -> ServiceError:
    return build_unavailable("malformed", f"The answer is not from a deployment: {what}.", passes=True)


def _describe_error(error: Exception) -> str:
    return {
        "RemoteProtocolError": "the answer was cut off, or is not HTTP",
        "ReadError": "the answer did not arrive",
        "WriteError": "the call was not taken",
    }.get(type(error).__name__, type(error).__name__)
