"""The one module that speaks HTTP: what it sends, what it takes for an answer, what it tries again."""

from __future__ import annotations

import datetime
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service_nb.core.digest import compute_sha256
from service_nb.core.secret import Secret
from service_nb.core.stopping import Stop, stopping
from service_nb.deployment.address import Address, check_url, find_address
from service_nb.deployment.http import BaseUrl, DeploymentCall, DeploymentClient
from service_nb.deployment.values import DIGEST, format_digest, has_digest
from service_nb.errors import (
    ConnectorError,
    DeploymentUnavailableError,
    InvalidIntentError,
    LimitExceededError,
    OverloadedError,
    PolicyDeniedError,
    QueryInterruptedError,
    QueryTimeoutError,
    RateLimitedError,
    ServiceError,
    UnauthenticatedError,
    UnsupportedOperationError,
)
from tests.simulators.pressing import ctrl_c

KEY = "canary-key-0123456789"
Reply = Callable[["_Scripted"], None]


class _Scripted(BaseHTTPRequestHandler):
    """Answers as the test says, and keeps what came."""

    protocol_version = "HTTP/1.1"
    replies: list[Reply]
    met: list[dict[str, Any]]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.met.append({"path": self.path, "headers": dict(self.headers), "body": body})
        reply = self.replies[min(len(self.met), len(self.replies)) - 1]
        reply(self)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


def answer(status: int = 200, body: Any = None, *, headers: dict[str, str] | None = None) -> Reply:
    content = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()

    def reply(handler: _Scripted) -> None:
        handler.send_response(status)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(content))} | (headers or {})
        for name, value in sent.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def fault(
    status: int, code: str, *, retryable: bool = False, headers: dict[str, str] | None = None, **told: Any
) -> Reply:
    def reply(handler: _Scripted) -> None:
        request_id = handler.headers["X-Request-Id"]
        body = {"code": code, "message": "no", "request_id": request_id, "source": "service", "retryable": retryable}
        answer(status, body | told, headers=headers)(handler)

    return reply


@contextmanager
def scripted(*replies: Reply, context: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    handler = type("Handler", (_Scripted,), {"replies": list(replies), "met": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http{'' if context is None else 's'}://127.0.0.1:{server.server_port}", handler.met  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def reached(*replies: Reply, **how: Any) -> Iterator[tuple[DeploymentClient, list[dict[str, Any]]]]:
    with scripted(*replies, **how) as (url, met):
        deployment = DeploymentClient(Address(base=url, key=Secret(KEY)), tenant="acme")
        try:
            yield deployment, met
        finally:
            deployment.close()


# --- where, and with which key ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "service.example",
        "ftp://service.example",
        "https://",
        "https://user:canary@service.example",
        "https://canary@service.example",
        "https://service.example?key=canary",
        "https://service.example/#canary",
        "http://service.example",
        "http://10.0.0.1:8000",
        "http://localhost.example",
        "http://127.0.0.1.example",
        "https://service.example:99999",
        "https://service.example:0",
        "https://serv ice.example",
        "https://service.example/\r\nX-Evil: 1",
    ],
)
def test_an_address_that_is_none_or_tells_secrets_is_refused(url: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        find_address({"SERVICE_DEPLOYMENT_URL": url})
    assert "canary" not in repr(caught.value.to_dict())


@pytest.mark.parametrize(
    "url", ["https://service.example", "https://service.example:8443/base/", "http://127.0.0.1:80", "http://[::1]:8000"]
)
def test_an_address_is_https_or_this_machine(url: str) -> None:
    found = find_address({"SERVICE_DEPLOYMENT_URL": url})
    assert found is not None
    assert found.base == url.rstrip("/")
    assert find_address({}) is None


def test_plain_http_elsewhere_has_to_be_allowed() -> None:
    told = {"SERVICE_DEPLOYMENT_URL": "http://10.0.0.1", "SERVICE_DEPLOYMENT_ALLOW_HTTP": "1"}
    assert find_address(told) == Address(base="http://10.0.0.1")
    assert check_url("http://service.example", allows_plain=True) == "http://service.example"


@pytest.mark.parametrize(
    ("base", "name", "host", "target"),
    [
        ("https://service.example", "service.example", b"service.example", b"/v1/x"),
        ("https://service.example:443/base", "service.example", b"service.example", b"/base/v1/x"),
        ("http://127.0.0.1:8443", "127.0.0.1:8443", b"127.0.0.1", b"/v1/x"),
        ("http://[::1]:8000/a%2Fb/ä", "[::1]:8000", b"::1", b"/a%2Fb/%C3%A4/v1/x"),
        ("https://straße.example", "xn--strae-oqa.example", b"xn--strae-oqa.example", b"/v1/x"),
    ],
)
def test_an_address_is_sent_as_networks_write_it(base: str, name: str, host: bytes, target: bytes) -> None:
    found = BaseUrl.parse(base)
    url = found.join("/v1/x")
    assert (found.host_header, url.host, url.target) == (name, host, target)


def test_a_host_that_no_network_can_know_is_refused() -> None:
    with pytest.raises(InvalidIntentError) as caught:
        BaseUrl.parse("https://ä..example")
    assert caught.value.details["path"] == "SERVICE_DEPLOYMENT_URL"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "ümlaut", "x" * 5_000])
def test_a_key_that_could_not_be_sent_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        find_address({"SERVICE_DEPLOYMENT_URL": "https://service.example", "SERVICE_API_KEY": key})
    assert key not in repr(caught.value.to_dict())


def test_the_key_in_the_environment_goes_before_one_that_is_kept() -> None:
    told = {"SERVICE_DEPLOYMENT_URL": "https://service.example"}
    kept = find_address(told, key=Secret("kept"))
    given = find_address(told | {"SERVICE_API_KEY": "given"}, key=Secret("kept"))
    assert kept is not None
    assert given is not None
    assert kept.key == Secret("kept")
    assert given.key == Secret("given")
    assert "given" not in repr(given)


# --- what is sent -----------------------------------------------------------------------------------------------------


def test_a_call_says_who_asks_for_whom_and_until_when(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody is there: it is not asked
    with reached(answer(200, {"a": 1})) as (deployment, met):
        assert deployment.post("/v1/x", {"b": "ü"}, dict, timeout_s=7.0) == {"a": 1}
    headers = met[0]["headers"]
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["X-Service-Tenant"] == "acme"
    assert 0 < float(headers["X-Service-Timeout"]) <= 7.0
    assert len(headers["Idempotency-Key"]) == 32
    assert headers[DIGEST] == format_digest(compute_sha256(met[0]["body"]))
    assert json.loads(met[0]["body"]) == {"b": "ü"}


def test_each_try_has_a_new_id_and_the_key_of_its_call() -> None:
    with reached(fault(503, "overloaded", retryable=True, headers={"Retry-After": "0"}), answer()) as (deployment, met):
        deployment.post("/v1/x", {}, dict)
        deployment.post("/v1/x", {}, dict)
    first, second, other = (each["headers"] for each in met)
    assert first["Idempotency-Key"] == second["Idempotency-Key"] != other["Idempotency-Key"]
    assert len({each["X-Request-Id"] for each in (first, second, other)}) == 3


# --- what is taken for an answer --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "retryable"),
    [
        (answer(302, headers={"Location": "https://evil.example/"}), False),
        (answer(307, headers={"Location": "/elsewhere"}), False),
        (answer(200, b"<html>", headers={"Content-Type": "text/html"}), False),
        (answer(200, b"{}", headers={"Content-Encoding": "gzip"}), False),
        (answer(200, [1, 2]), False),
        (answer(404, b"nothing", headers={"Content-Type": "text/plain"}), False),
        (answer(200, b"{"), True),
        (answer(200, b"\xff\xfe"), True),
        (answer(200, {}, headers={DIGEST: format_digest(compute_sha256(b"other"))}), True),
        (answer(200, {}, headers={"X-Request-Id": "request_0000000000000000"}), True),
        (answer(502, b"bad gateway", headers={"Content-Type": "text/plain"}), True),
        (answer(500, b"[" * 100_000), True),
        (answer(200, b"{}", headers={"Content-Length": "100"}), True),
    ],
)
def test_what_is_no_answer_of_a_deployment_is_said_to_be_none(reply: Reply, retryable: bool) -> None:
    with reached(reply) as (deployment, met), pytest.raises((DeploymentUnavailableError, QueryTimeoutError)) as caught:
        deployment.call(DeploymentCall(method="GET", path="/v1/x", timeout_s=1.5), dict)
    assert caught.value.retryable == retryable
    assert len(met) == 1 or retryable
    assert KEY not in repr(caught.value.to_dict())


def test_an_answer_that_is_too_long_is_cut_off_while_it_arrives() -> None:
    with reached(answer(200, b" " * 2_000_000)) as (deployment, met), pytest.raises(LimitExceededError):
        deployment.call(DeploymentCall(method="GET", path="/v1/x", most_bytes=1_000_000), dict)
    assert len(met) == 1


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthenticated", UnauthenticatedError),
        (403, "policy_denied_field", PolicyDeniedError),
        (404, "unsupported_operation", UnsupportedOperationError),
        (424, "connector_failed", ConnectorError),
        (418, "a_code_of_tomorrow", ServiceError),
        (500, "a_code_of_tomorrow", DeploymentUnavailableError),
        (400, "No Code!", DeploymentUnavailableError),
    ],
)
def test_an_error_is_what_its_code_says(status: int, code: str, kind: type[ServiceError]) -> None:
    details = {"reason": "lost", "evil": f"has {KEY}", "message": "x", "self": 1, "deep": [[[[[[KEY]]]]]]}
    with (
        reached(fault(status, code, message=f"With \x1b[31m {KEY}", hint=KEY, details=details)) as (deployment, met),
        pytest.raises(ServiceError) as caught,
    ):
        deployment.get("/v1/x", dict)
    error = caught.value
    assert type(error) is kind
    assert error.retryable is False
    assert KEY not in repr(error.to_dict())
    assert "\x1b" not in error.message
    assert len(met) == 1
    if kind is not DeploymentUnavailableError:
        assert error.code == code
    if isinstance(error, ConnectorError):
        assert error.reason == "lost"
    if isinstance(error, UnsupportedOperationError):
        assert error.nearest_matches == []


def test_secrets_of_what_was_sent_are_in_no_error() -> None:
    reply = fault(
        424, "connector_failed", message="user ann, password canary-password", details={"dsn": "x://canary-dsn"}
    )
    with reached(reply) as (deployment, _), pytest.raises(ConnectorError) as caught:
        deployment.post("/v1/x", {}, dict, hidden=(Secret("canary-password"), Secret("canary-dsn")))
    assert "canary" not in repr(caught.value.to_dict())


def test_something_that_has_no_json_form_is_not_sent() -> None:
    with reached(answer()) as (deployment, met), pytest.raises(InvalidIntentError):
        deployment.post("/v1/x", {"x": object()}, dict)
    assert met == []


# --- what is tried again ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status"), [("rate_limited", 429), ("overloaded", 503), ("compute_runtime_unavailable", 503)]
)
def test_what_passes_soon_is_tried_again_when_it_was_said_to(code: str, status: int) -> None:
    busy = fault(status, code, retryable=True, headers={"Retry-After": "0.2"})
    with reached(busy, busy, answer(200, {"a": 1})) as (deployment, met):
        started = time.monotonic()
        assert deployment.get("/v1/x", dict) == {"a": 1}
    assert time.monotonic() - started >= 0.4
    assert len(met) == 3


@pytest.mark.parametrize(("code", "kind"), [("rate_limited", RateLimitedError), ("overloaded", OverloadedError)])
def test_who_is_to_come_back_after_the_deadline_is_told_at_once(code: str, kind: type[ServiceError]) -> None:
    with (
        reached(fault(429, code, retryable=True, headers={"Retry-After": "600"})) as (deployment, met),
        pytest.raises(kind) as caught,
    ):
        deployment.get("/v1/x", dict, timeout_s=5.0)
    assert caught.value.retryable
    assert len(met) == 1


@pytest.mark.parametrize("code", ["timeout", "connector_failed", "interrupted", "engine_failed", "ledger_unavailable"])
def test_what_may_not_pass_by_itself_is_not_tried_again(code: str) -> None:
    with reached(fault(503, code, retryable=True, details={"reason": "lost"})) as (deployment, met):
        with pytest.raises(ServiceError) as caught:
            deployment.get("/v1/x", dict)
        assert caught.value.code == code
    assert len(met) == 1


# --- time, and Ctrl-C -----------------------------------------------------------------------------------------------


def _sleeping(handler: _Scripted) -> None:
    handler.connection.settimeout(60)
    try:
        handler.server.gone = not handler.connection.recv(1)  # type: ignore[attr-defined]
    except OSError:
        return
    handler.close_connection = True


def test_a_call_ends_at_its_deadline() -> None:
    with reached(_sleeping) as (deployment, _), pytest.raises(QueryTimeoutError) as caught:
        deployment.get("/v1/x", dict, timeout_s=0.3)
    assert caught.value.retryable


def test_ctrl_c_ends_a_call() -> None:
    with reached(_sleeping) as (deployment, met), ctrl_c(lambda: met), pytest.raises(QueryInterruptedError):
        deployment.get("/v1/x", dict, timeout_s=60.0)


def test_a_stop_ends_a_call() -> None:
    stop = Stop()
    with reached(_sleeping) as (deployment, _), stopping(stop):
        timer = threading.Timer(0.3, stop.request)
        timer.start()
        with pytest.raises(QueryInterruptedError):
            deployment.get("/v1/x", dict, timeout_s=60.0)
        timer.join()


# --- certificates -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that signs itself, with its key."""
    import ipaddress

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "service.test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "server.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_certificates_are_always_verified_and_a_file_says_which_are_trusted(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with scripted(answer(200, {"a": 1}), context=context) as (url, met):
        stranger = DeploymentClient(Address(base=url, key=Secret(KEY)))
        with pytest.raises(DeploymentUnavailableError) as caught:
            stranger.get("/v1/x", dict, timeout_s=5.0)
        assert caught.value.details["reason"] == "tls"
        assert not caught.value.retryable
        assert met == []
        stranger.close()
        trusting = DeploymentClient(Address(base=url, key=Secret(KEY), ca=str(certificate)))
        assert trusting.get("/v1/x", dict, timeout_s=5.0) == {"a": 1}
        trusting.close()


def test_a_file_of_certificates_that_is_none_is_refused(tmp_path: Path) -> None:
    deployment = DeploymentClient(Address(base="https://127.0.0.1:9", ca=str(tmp_path / "none.pem")))
    with pytest.raises(InvalidIntentError):
        deployment.get("/v1/x", dict)


@pytest.mark.parametrize(
    ("header", "whole"),
    [(None, True), ("sha-512=:AAAA:", True), (format_digest(compute_sha256(b"x")), True),
     (format_digest(compute_sha256(b"y")), False),
     ("sha-256=:!!!!:", True), ("sha-256=:A:", False)],
)  # fmt: skip
def test_a_digest_is_compared_where_there_is_one(header: str | None, whole: bool) -> None:
    assert has_digest(header, b"x") == whole
