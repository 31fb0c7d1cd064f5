"""A server that speaks OpenSearch's interface from memory, in an environment of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True, slots=True)
class Osmem:
    """Where the server listens."""

    port: int

    def put(self, index: str, documents: Mapping[str, str | dict[str, Any]], mapping: Any = None) -> None:
        """Make an index with these documents, by their ids; a text is sent as it is."""
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=120) as client:
            body = {} if mapping is None else {"mappings": mapping}
            client.put(f"/{index}", json=body).raise_for_status()
            for name, document in documents.items():
                text = document if isinstance(document, str) else json.dumps(document)
                client.put(
                    f"/{index}/_doc/{name}?refresh=true", content=text, headers={"Content-Type": "application/json"}
                ).raise_for_status()


@contextmanager
def osmem() -> Iterator[Osmem]:
    """Start the server, and end it with the block."""
    programs, port = environment("osmem"), free_port()
    with (
        folder_of_a_server("osmem-") as folder,
        running(
            [
                next(programs.parent.glob("lib/python*/site-packages/osmem_server/bin")) / "osmem-server",
                "-addr",
                f"127.0.0.1:{port}",
                "-no-stdin-watch",
            ],
            lambda: listens(port),
            folder / "log",
        ),
    ):
        yield Osmem(port)
