"""Calls of a deployment: each ends by its deadline in an answer of the type that was asked for, or in a typed error.

Nothing is followed to another address, nothing goes through a proxy that was not asked for, certificates are always
verified, and an answer is cut off at its limit while it arrives. What a call does is done once however often it is
sent: every one carries an `Idempotency-Key`, so it is sent again where no answer came, and only there.
"""

from __future__ import annotations

import os
import random
import secrets
import ssl
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import httpcore
import msgspec

from service_nb._version import __version__
from service_nb.core.digest import sha256
from service_nb.core.secret import Secret
from service_nb.deployment.address import Address
from service_nb.deployment.digests import DIGEST, digest_of, is_whole
from service_nb.deployment.faults import error_of, unavailable
from service_nb.deployment.sockets import Network, OverdueError, StoppedError, left, until
from service_nb.deployment.soon import ask_within
from service_nb.deployment.target import Target
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
)

T = TypeVar("T")

MOST_BYTES = 64 * 1024**2  # of an answer, unless more is asked for
LONGEST_S = 900.0  # that a call may take which was given no time
GRACE_S = 2.0  # beyond the time of a call: then the deployment's own word for it arrives first
MOST_TRIES = 5
MOST_CONNECTIONS = 32
PROBE_S = 0.75  # that a deployment which has not answered is given to show that it is there
IDLE_S = 30.0  # that a connection is kept for the next call
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 5.0
_NO_TIME = (OverdueError, StoppedError)
_AGAIN = ("rate_limited", "overloaded", "compute_runtime_unavailable")  # codes that pass soon, and by themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One call: `body` is what is sent as JSON, `hidden` are secrets in it, which no error may show."""

    method: str
    path: str
    query: Mapping[str, str] | None = None
    body: Any = None
    timeout_s: float | None = None
    most_bytes: int = MOST_BYTES
    hidden: Sequence[Secret] = ()


@dataclass(frozen=True, slots=True)
class _Response:
    """What came back of one call: its headers by their names in small letters, its body whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _AgainError(Exception):
    """The call may be sent again, after a pause."""

    def __init__(self, error: ServiceError, pause_s: float | None = None) -> None:
        super().__init__()
        self.error, self.pause_s = error, pause_s


class Deployment:
    """One deployment, with one key. Safe to use from several threads; connections are kept for the next call.

    Parameters
    ----------
    address : Address
    tenant : str, optional
        For whom; the deployment refuses a key of another tenant.
    """

    def __init__(self, address: Address, *, tenant: str | None = None) -> None:
        self.address = address
        self._tenant = tenant
        self._lock = threading.Lock()
        self._pool: httpcore.ConnectionPool | None = None
        self._process = 0
        self._target = Target.of(address.base)
        self._responses = 0
        self._is_silent = False  # nothing answered the last call

    def __repr__(self) -> str:
        return f"Deployment({self.address.host})"

    def get(self, path: str, answer: type[T], **how: Any) -> T:
        """Return what is at a path."""
        return self.call(Ask(method="GET", path=path, **how), answer)

    def post(self, path: str, body: Any, answer: type[T], **how: Any) -> T:
        """Return what comes of a body."""
        return self.call(Ask(method="POST", path=path, body=body, **how), answer)

    def delete(self, path: str, **how: Any) -> None:
        """Have what is at a path forgotten."""
        self.call(Ask(method="DELETE", path=path, **how), type(None))

    def call(self, ask: Ask, answer: type[T]) -> T:
        """Make a call, and return its answer as `answer` has it.

        Raises
        ------
        ServiceError
            What the deployment answers, under its own code.
        DeploymentUnavailableError [deployment_unavailable]
            No answer arrived, or none that is one; `retryable` says whether it may pass.
        QueryTimeoutError [timeout], QueryInterruptedError [interrupted], LimitExceededError [limit_exceeded]
        """
        content = b"" if ask.body is None else _encoded(ask.body)
        headers = self._headers(content)
        if self._is_silent and not self._responds():
            raise _unreached(f"nothing answers at {self.address.host}, as at the previous call")
        deadline = time.monotonic() + (LONGEST_S if ask.timeout_s is None else ask.timeout_s) + GRACE_S
        before = self._responses
        try:
            with until(deadline):
                return self._tried(ask, content, headers, answer, deadline)
        except (KeyboardInterrupt, StoppedError):
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

    def _tried(self, ask: Ask, content: bytes, headers: dict[str, str], answer: type[T], deadline: float) -> T:
        fault: ServiceError | None = None
        for tries in range(MOST_TRIES):
            try:
                headers["X-Service-Timeout"] = f"{max(0.001, deadline - GRACE_S - time.monotonic()):.3f}"
                status, body = self._sent(ask, content, headers)
                return _read(status, body, answer)
            except _AgainError as again:
                fault = again.error
                pause = _pause(tries, again.pause_s)
                if tries + 1 == MOST_TRIES or time.monotonic() + pause >= deadline - GRACE_S:
                    raise fault from None
                _rest(pause)
            except OverdueError:
                raise fault or _late() from None
        raise fault or _late()

    def _sent(self, ask: Ask, content: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Send the call once, and return the status and the body of what is an answer to it."""
        request_id = headers["X-Request-Id"] = f"request_{secrets.token_hex(8)}"
        try:
            with self._opened().stream(
                ask.method,
                self._target.url(ask.path, ask.query),
                content=content or None,
                headers=list(headers.items()),
                extensions={"timeout": {"pool": left(LONGEST_S)}},
            ) as met:
                self._responses, self._is_silent = self._responses + 1, False
                response = _whole(met, ask.most_bytes)
        except httpcore.ConnectTimeout:
            raise _AgainError(_unreached("the connection was not made in time")) from None
        except httpcore.ConnectError as error:
            raise self._not_connected(error) from None
        except httpcore.TimeoutException:
            raise _AgainError(_lost("nothing more was taken in time")) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError) as error:
            raise _AgainError(_lost(_words(error))) from None
        return response.status, self._judged(response, request_id, ask.hidden)

    def _judged(self, response: _Response, request_id: str, hidden: Sequence[Secret]) -> bytes:
        """Return the body of an answer that is whole, an answer to this call, and no error."""
        if response.headers.get("x-request-id", request_id) != request_id:
            raise _AgainError(_garbled("it answers another call"))
        if not is_whole(response.headers.get(DIGEST.lower()), response.body):
            raise _AgainError(_garbled("its bytes do not have the digest that it carries"))
        is_json = response.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
        if 200 <= response.status < 300:
            if is_json or response.status == 204:
                return response.body
            raise unavailable(
                "malformed",
                "The server at that address is not a deployment: its answer is not JSON.",
                passes=False,
                hint="Is SERVICE_DEPLOYMENT_URL the address of a deployment?",
                status=response.status,
            )
        key = () if self.address.key is None else (self.address.key,)
        error = error_of(response.status, response.body, is_json, (*hidden, *key))
        if error.details.get("request_id", request_id) != request_id:
            raise _AgainError(_garbled("it answers another call"))
        if error.code in _AGAIN or (error.code == "deployment_unavailable" and error.retryable):
            raise _AgainError(error, _asked_pause(response))
        raise error

    def _responds(self) -> bool:
        """Whether anything answers there within a moment, in which the address of its name is found too."""

        def look() -> bool:
            url, headers = self._target.url("/healthz"), [("Host", self._target.name)]
            try:
                with until(time.monotonic() + PROBE_S), self._opened().stream("GET", url, headers=headers):
                    return True
            except httpcore.ConnectError as error:
                return not isinstance(self._not_connected(error), _AgainError)  # the call itself tells what is wrong
            except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, *_NO_TIME):
                return False

        return ask_within(PROBE_S, look)[0] == [True]

    # --- the connections -------------------------------------------------------------------------------------------

    def _opened(self) -> httpcore.ConnectionPool:
        with self._lock:
            if self._pool is None or self._process != os.getpid():  # a fork shares no connection with its parent
                self._pool = httpcore.ConnectionPool(
                    ssl_context=_context(self._target.scheme, self.address.ca),
                    max_connections=MOST_CONNECTIONS,
                    max_keepalive_connections=MOST_CONNECTIONS,
                    keepalive_expiry=IDLE_S,
                    network_backend=Network(),
                )
                self._process = os.getpid()
                weakref.finalize(self, self._pool.close)  # whoever forgets to close leaves no connection behind
            return self._pool

    def _headers(self, content: bytes) -> dict[str, str]:
        headers = {
            "Host": self._target.name,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"service-nb/{__version__}",
            "Idempotency-Key": secrets.token_hex(16),
        }
        if content:
            headers |= {"Content-Type": "application/json", DIGEST: digest_of(sha256(content))}
        if self.address.key is not None:
            headers["Authorization"] = f"Bearer {self.address.key.reveal()}"
        if self._tenant is not None:
            headers["X-Service-Tenant"] = quote(self._tenant, safe=" !#$&'()*+,/:;=?@[]")
        return headers

    def _not_connected(self, error: httpcore.ConnectError) -> Exception:
        # The cause is where OpenSSL says what is wrong; that text names no secret, and the host is the user's own.
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return unavailable(
                    "tls",
                    f"The certificate of {self.address.host} is not trusted: {cause.verify_message}.",
                    passes=False,
                    hint="Set SERVICE_DEPLOYMENT_CA to a file of the certificates to trust.",
                )
            if isinstance(cause, ssl.SSLError):
                return _AgainError(unavailable("tls", f"{self.address.host} failed the TLS handshake.", passes=False))
            cause = cause.__cause__ or cause.__context__
        return _AgainError(_unreached(f"nothing answers at {self.address.host}"))


def _context(scheme: str, ca: str | None) -> ssl.SSLContext | None:
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


def _encoded(body: Any) -> bytes:
    try:
        return msgspec.json.encode(body)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, UnicodeEncodeError, RecursionError):
        raise InvalidIntentError(
            "The request to the deployment cannot be written as JSON.", expected="texts, numbers, lists and objects"
        ) from None


def _whole(met: httpcore.Response, most: int) -> _Response:
    """Read an answer, and stop where it is longer than any answer."""
    headers: dict[str, str] = {}
    for raw, value in met.headers:
        name = raw.decode("latin-1").lower()
        headers[name] = f"{headers[name]}, {value.decode('latin-1')}" if name in headers else value.decode("latin-1")
    if headers.get("content-encoding", "identity") != "identity":
        raise unavailable("malformed", "The answer is compressed, which was not requested.", passes=False)
    pieces, size = [], 0
    for piece in met.iter_stream():
        size += len(piece)
        if size > most:
            raise LimitExceededError(
                f"The deployment's answer has more than {most:,} bytes.",
                hint="Ask for fewer rows: add a condition, or a limit.",
                limit=most,
                limit_name="answer_bytes",
            )
        left(1.0)
        pieces.append(piece)
    return _Response(met.status, headers, b"".join(pieces))


def _read(status: int, body: bytes, answer: type[T]) -> T:
    if status == 204:
        body = b"null"
    try:
        return msgspec.json.decode(body, type=answer)
    except msgspec.ValidationError as error:
        raise unavailable(
            "malformed",
            "The deployment's answer does not have the form that this version expects.",
            passes=False,
            hint="Use the same release on both sides; service-nb doctor compares them.",
            met=str(error)[:200],
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _AgainError(_garbled("it is not JSON")) from None


def _pause(tries: int, asked: float | None) -> float:
    """Return how long to wait before the next try: as asked, or ever longer and never at one time with all others."""
    if asked is not None:
        return asked + random.uniform(0, FIRST_PAUSE_S)  # noqa: S311  # spreads clients; nothing is guessed from it
    return random.uniform(FIRST_PAUSE_S / 2, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 4**tries))  # noqa: S311


def _rest(pause_s: float) -> None:
    end = time.monotonic() + pause_s
    while (remaining := end - time.monotonic()) > 0:
        time.sleep(min(remaining, left(0.25)))


def _asked_pause(response: _Response) -> float | None:
    try:
        return max(0.0, min(float(response.headers["retry-after"]), LONGEST_S))
    except (KeyError, ValueError, OverflowError):
        return None


def _late() -> QueryTimeoutError:
    return QueryTimeoutError("The deployment did not answer by the deadline.", hint="Raise `timeout`, or ask for less.")


def _unreached(what: str) -> ServiceError:
    return unavailable(
        "unreachable",
        f"The deployment cannot be reached: {what}.",
        passes=True,
        hint="Check that it runs and that SERVICE_DEPLOYMENT_URL is its address; run service-nb doctor.",
    )


def _lost(what: str) -> ServiceError:
    return unavailable("lost", f"The connection with the deployment broke: {what}.", passes=True)


def _garbled(what: str) -> ServiceError:
    return unavailable("malformed", f"The answer is not one of a deployment: {what}.", passes=True)


def _words(error: Exception) -> str:
    return {
        "RemoteProtocolError": "the answer was cut off, or is not HTTP",
        "ReadError": "the answer did not arrive",
        "WriteError": "the call was not taken",
    }.get(type(error).__name__, type(error).__name__)
