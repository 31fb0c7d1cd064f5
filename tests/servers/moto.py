"""An emulator of S3 and of Google Cloud Storage's XML interface, in an environment of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True, slots=True)
class Moto:
    """Where the emulator listens. It takes every key for the right one."""

    port: int

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"http://127.0.0.1:{self.port}"

    def put(self, bucket: str, objects: dict[str, bytes]) -> None:
        """Make a bucket that everyone may read, with these objects."""
        public = {"x-amz-acl": "public-read"}
        with httpx.Client(base_url=self.url, trust_env=False, timeout=120) as client:
            client.put(f"/{bucket}", headers=public).raise_for_status()
            for key, data in objects.items():
                client.put(f"/{bucket}/{key}", content=data, headers=public).raise_for_status()


@contextmanager
def moto() -> Iterator[Moto]:
    """Start the emulator, and end it with the block."""
    programs, port = environment("moto"), free_port()
    with (
        folder_of_a_server("moto-") as folder,
        running(
            [programs / "python", programs / "moto_server", "-H", "127.0.0.1", "-p", str(port)],
            lambda: listens(port),
            folder / "log",
            environment={"HOME": str(folder)},
        ),
    ):
        yield Moto(port)
