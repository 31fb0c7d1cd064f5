"""A real Redis, of Debian's packages, with an account that may only read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis as driver

from tests.servers.debian import libraries, unpacked
from tests.servers.process import folder_of_a_server, free_port, running

PASSWORD = "the owner's password"
READER = "reader"
READER_PASSWORD = "the reader's password"
GRANTS = "~* resetchannels -@all +scan +strlen +get +hlen +hgetall +zcard +zscan +scard +sscan +llen +lrange +select"


@dataclass(frozen=True, slots=True)
class RedisServer:
    """Where it listens; `reader` may read every key, and send nothing but what reads."""

    port: int
    tls_port: int | None = None

    def client(self) -> driver.Redis:
        """A client of the account that may do everything."""
        return driver.Redis(port=self.port, password=PASSWORD)

    def run(self, *command: Any) -> Any:
        """Run one command of the account that may do everything."""
        with closing(self.client()) as client:
            return client.execute_command(*command)


@contextmanager
def redis(certificate: Path | None = None, key: Path | None = None) -> Iterator[RedisServer]:
    """Start Redis without files, and end it with the block; with a certificate it speaks TLS at a port of its own."""
    root, port = unpacked("redis"), free_port()
    with folder_of_a_server("redis-") as folder:
        server = RedisServer(port, None if certificate is None else free_port())
        command = [
            root / "usr/bin/redis-server",
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            folder,
        ]
        words = [*command, "--requirepass", PASSWORD]
        if certificate is not None and key is not None:
            words += ["--tls-port", str(server.tls_port), "--tls-cert-file", certificate, "--tls-key-file", key]
            words += ["--tls-auth-clients", "no"]
        with running(words, lambda: _answers(server), folder / "log", environment=libraries(root)):
            server.run("ACL", "SETUSER", READER, "on", f">{READER_PASSWORD}", *GRANTS.split())
            yield server


def _answers(server: RedisServer) -> bool:
    with contextlib.suppress(driver.ConnectionError):
        return bool(server.run("PING"))
    return False
