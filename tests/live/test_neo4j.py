"""The wiring of Neo4j's driver, against a server that speaks its wire in part: rows, types, deadlines, refusals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from service_nb.connectors import neo4j
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, InvalidIntentError, ServiceError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from tests.servers.falkordb import FalkorDB, falkordb


@pytest.fixture(scope="module")
def server() -> Iterator[FalkorDB]:
    with falkordb() as found:
        found.run("UNWIND range(1, 2500) AS i CREATE (:P {i: i, f: i / 4.0, name: 'n' + toString(i)})")
        yield found


def read(port: int, **more: Any) -> Dataset:
    descriptor = Descriptor(
        type="neo4j", host="127.0.0.1", port=port, user="falkordb", password=Secret(""), database="falkordb", **more
    )
    for _ in range(4):  # of two connections, FalkorDB leaves one without an answer
        try:
            return neo4j.extract(descriptor, ReadOptions(), time.monotonic() + 5)
        except ConnectorError as error:
            if error.reason != "timed_out":
                raise
    return neo4j.extract(descriptor, ReadOptions(), time.monotonic() + 30)


@pytest.mark.wide
def test_nodes_of_a_label_are_rows_and_their_properties_columns(server: FalkorDB) -> None:
    dataset = read(server.port, table="P")
    assert dataset.table is not None
    assert [field.name for field in dataset.fields] == ["f", "i", "name"]
    assert sorted(dataset.table["i"].to_pylist()) == list(range(1, 2_501))
    assert dataset.content == read(server.port, table="P").content


@pytest.mark.wide
def test_a_query_is_rows(server: FalkorDB) -> None:
    table = read(server.port, query="MATCH (n:P) WHERE n.i < 4 RETURN n.i AS i, n.f AS f ORDER BY i DESC").table
    assert table is not None
    assert table.to_pylist() == [{"i": 3, "f": 0.75}, {"i": 2, "f": 0.5}, {"i": 1, "f": 0.25}]


@pytest.mark.wide
def test_more_rows_than_are_wanted_are_refused(server: FalkorDB) -> None:
    with pytest.raises(ServiceError) as caught:
        read(server.port, table="P", options={"max_rows": "10"})
    assert caught.value.code == "limit_exceeded"


@pytest.mark.parametrize(
    "more",
    [
        {"query": "CREATE (n)"},
        {"query": "MATCH (n) RETURN n", "table": "P"},
        {},
        {"table": "P\x00"},
        {"table": "P", "options": {"scheme": "http"}},
        {"table": "P", "options": {"max_rows": "many"}},
    ],
)
def test_what_means_nothing_is_refused_before_anyone_is_asked(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        read(1, **more)


@pytest.mark.parametrize("host", ["a/b", "a@b", "a b", "x?y", "#"])
def test_a_host_is_a_host(host: str) -> None:
    descriptor = Descriptor(type="neo4j", host=host, table="P")
    with pytest.raises(InvalidIntentError):
        neo4j.extract(descriptor, ReadOptions(), time.monotonic() + 5)
