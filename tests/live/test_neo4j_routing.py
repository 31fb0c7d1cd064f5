"""A cluster's word on where its members are leads to those that the connector names, and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from service_nb.connectors import neo4j
from service_nb.errors import ConnectorError, InvalidIntentError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from tests.servers.bolt import PULL, ROUTE, RUN, bolt
from tests.servers.hostile import speaking


def read(port: int, **options: str) -> Dataset:
    descriptor = Descriptor(type="neo4j", host="127.0.0.1", port=port, query="RETURN 1 AS one", options=options)
    return neo4j.extract(descriptor, ReadOptions(), time.monotonic() + 60)


@pytest.fixture
def elsewhere() -> Iterator[tuple[int, list[Any]]]:
    """A port of another host of this machine, and who came there."""
    met: list[Any] = []
    with speaking(met.append) as port:
        yield port, met


def test_a_server_is_asked() -> None:
    with bolt() as (port, heard):
        assert read(port).row_count == 1
    assert {RUN, PULL} <= set(heard)
    assert ROUTE not in heard


def test_a_cluster_may_send_to_the_host_that_was_asked() -> None:
    with bolt(routed=[""]) as (port, heard):
        assert read(port, scheme="neo4j").row_count == 1
    assert {ROUTE, RUN, PULL} <= set(heard)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2", "[::1]", "169.254.169.254", "10.0.0.1"])
def test_a_cluster_sends_to_no_host_that_is_not_named(host: str, elsewhere: tuple[int, list[Any]]) -> None:
    port_there, met = elsewhere
    with bolt(routed=[f"{host}:{port_there}"]) as (port, heard), pytest.raises(ConnectorError) as caught:
        read(port, scheme="neo4j")
    assert caught.value.reason == "not_allowed"
    assert RUN not in heard
    assert not met


def test_a_cluster_may_send_to_members_that_are_named() -> None:
    with bolt() as (member, heard), bolt(routed=[f"localhost:{member}"]) as (port, asked):
        assert read(port, scheme="neo4j", members="other.example, localhost").row_count == 1
    assert RUN in heard
    assert RUN not in asked


def test_members_are_among_the_hosts_that_are_checked() -> None:
    descriptor = Descriptor(type="neo4j", host="a.example", table="P", options={"members": "b.example,c.example"})
    assert neo4j.find_hosts(descriptor) == ("a.example", "b.example", "c.example")


def test_a_member_is_a_host() -> None:
    with pytest.raises(InvalidIntentError):
        neo4j.find_hosts(Descriptor(type="neo4j", host="a", table="P", options={"members": "b/c"}))
