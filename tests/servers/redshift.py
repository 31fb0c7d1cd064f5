"""A stand-in for Redshift: a real PostgreSQL behind a proxy that speaks to clients as Redshift does.

What it has of Redshift: parameters of the connection that Redshift does not know are refused, it reports the encoding
UNICODE and the version 8.0.2, and VARBYTE's function exists. What it has not: Redshift's SQL, types and numerics.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psycopg

from tests.servers.postgres import PostgresServer, postgres

KNOWN = ("user", "database", "application_name", "client_encoding")
SSL_REQUEST, CANCEL_REQUEST = 80877103, 80877102
TOLD = {b"client_encoding": b"UNICODE", b"server_version": b"8.0.2"}
# A backslash escapes in its texts, as in PostgreSQL of long ago.
AS_REDSHIFT = {"standard_conforming_strings": "off", "escape_string_warning": "off", "backslash_quote": "on"}
VARBYTE = """CREATE FUNCTION to_varbyte(text, text) RETURNS bytea IMMUTABLE STRICT LANGUAGE sql
AS $$ SELECT convert_to($1, 'UTF8') WHERE $2 = 'utf8' $$"""


@dataclass(frozen=True, slots=True)
class RedshiftServer:
    """Where the proxy listens, and the PostgreSQL behind it, for tests that write."""

    port: int
    behind: PostgresServer
    host: str = "127.0.0.1"


@contextmanager
def redshift() -> Iterator[RedshiftServer]:
    """Run the stand-in for the block."""
    with postgres(**AS_REDSHIFT) as behind, _listening() as listener:
        with connected(behind) as connection:
            connection.execute(VARBYTE)
        served = threading.Thread(target=_serve, args=(listener, behind), daemon=True)
        served.start()
        yield RedshiftServer(port=listener.getsockname()[1], behind=behind)
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        served.join(5)


def connected(server: PostgresServer) -> psycopg.Connection[tuple[object, ...]]:
    """A connection of the superuser with what is behind."""
    return psycopg.connect(
        host=server.host, port=server.port, user=server.user, password=server.password, dbname=server.database,
        autocommit=True,
    )  # fmt: skip


@contextmanager
def _listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def _serve(listener: socket.socket, behind: PostgresServer) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_session, args=(client, behind), daemon=True).start()


def _session(client: socket.socket, behind: PostgresServer) -> None:
    with client, socket.create_connection((behind.host, behind.port)) as server, suppress(OSError):
        if not _begun(client, server):
            return
        back = threading.Thread(target=_answers, args=(server, client), daemon=True)
        back.start()
        while data := client.recv(65536):
            server.sendall(data)
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        back.join(5)


def _begun(client: socket.socket, server: socket.socket) -> bool:
    """Hand on the first message; refuse it when it asks for what Redshift does not know."""
    while True:
        head = _exactly(client, 8)
        length, code = struct.unpack(">II", head)
        body = _exactly(client, length - 8)
        if code == SSL_REQUEST:
            client.sendall(b"N")
            continue
        if code != CANCEL_REQUEST:
            words = body.rstrip(b"\0").split(b"\0")
            unknown = [word.decode() for word in words[::2] if word.decode() not in KNOWN]
            if unknown:
                _refuse(client, unknown[0])
                return False
        server.sendall(head + body)
        return True


def _refuse(client: socket.socket, name: str) -> None:
    text = f'unrecognized configuration parameter "{name}"'
    fields = b"".join(kind + value.encode() + b"\0" for kind, value in ((b"S", "FATAL"), (b"C", "42704"), (b"M", text)))
    client.sendall(b"E" + struct.pack(">I", len(fields) + 5) + fields + b"\0")


def _answers(server: socket.socket, client: socket.socket) -> None:
    """Hand on what the server says, with the parameters that it tells as Redshift tells them."""
    with suppress(OSError, EOFError):
        while True:
            kind = _exactly(server, 1)
            (length,) = struct.unpack(">I", raw := _exactly(server, 4))
            body = _exactly(server, length - 4)
            if kind == b"S" and (name := body.split(b"\0")[0]) in TOLD:
                body = name + b"\0" + TOLD[name] + b"\0"
                raw = struct.pack(">I", len(body) + 4)
            client.sendall(kind + raw + body)
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)


def _exactly(source: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = source.recv(count - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
