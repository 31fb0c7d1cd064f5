"""A git server over https: repositories by name, smart HTTP by dulwich, and a token where one is wanted."""

from __future__ import annotations

import base64
import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain


@dataclass
class GitServer:
    """Where it listens, whom it trusts, and what it was asked."""

    port: int
    certificate: Path
    asked: list[tuple[str, str]] = field(default_factory=list)  # path and user of each request
    token: str | None = None
    elsewhere: str | None = None  # what every request is redirected to


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing: clients of these tests break off."""


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def git(folder: Path, repositories: dict[str, Repo]) -> Iterator[GitServer]:
    """Serve repositories, such as `owner/name`, for the block; its certificate is written to `folder`."""
    certificate, key = _certificate(folder)
    backend = DictBackend({f"/{name}.git": repository for name, repository in repositories.items()})
    chain = make_wsgi_chain(backend)
    held: list[GitServer] = []

    def application(environ: dict[str, Any], start: Any) -> Any:
        user, _, password = _credentials(environ).partition(":")
        server = held[0]
        server.asked.append((environ["PATH_INFO"], user))
        if server.elsewhere is not None:
            start("302 Found", [("Location", server.elsewhere + environ["PATH_INFO"])])
            return [b""]
        if server.token is not None and password != server.token:
            start("401 Unauthorized", [("WWW-Authenticate", 'Basic realm="git"')])
            return [b""]
        return chain(environ, start)

    server = make_server("127.0.0.1", 0, application, _Server, _Quiet)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    held.append(GitServer(server.server_port, certificate))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield held[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _credentials(environ: dict[str, Any]) -> str:
    scheme, _, data = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return base64.b64decode(data).decode() if scheme == "Basic" else ""


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, private
