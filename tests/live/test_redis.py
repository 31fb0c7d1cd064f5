"""Keys of a real Redis are read whole, by commands that only read, or refused with a reason."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from service_nb.connectors import catalog, redis
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, LimitExceededError, ServiceError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Limits
from tests.servers.hostile import saying, speaking
from tests.servers.redis import READER, READER_PASSWORD, RedisServer
from tests.servers.redis import redis as started


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with started() as found:
        client = found.client()
        client.mset({f"n:{number}": number for number in range(2_500)})
        client.mset({"t:1": "007", "t:2": "", "t:3": "ä€😀"})
        for number in range(3):
            client.hset(f"h:{number}", mapping={"amount": f"{number}.5", "day": f"2026-01-0{number + 1}"})
        client.hset("h:9", mapping={"other": "x"})
        client.zadd("z", {"a": 1e300, "b": 0.1, "c": float("inf")})
        client.zadd("zlarge", {f"m{number}": number for number in range(3_000)})
        client.sadd("s", "x", "y")
        client.rpush("l", *range(2_100))
        client.set("j:1", '{"id": 9007199254740993, "o": {"x": 0.1}}')
        client.set("j:2", '{"id": 2}')
        client.set("bytes", b"\xff\xfe")
        client.close()
        yield found


def read(server: RedisServer, *, limits: Limits | None = None, types: Any = None, **more: Any) -> Dataset:
    descriptor = Descriptor(
        type="redis", host="127.0.0.1", port=server.port, user=READER, password=Secret(READER_PASSWORD), **more
    )
    options = ReadOptions(limits=limits or Limits(), types=types or {})
    return redis.extract(descriptor, options, time.monotonic() + 30)


def refused(server: RedisServer, **more: Any) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read(server, **more)
    return caught.value


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    assert dataset.table is not None
    found: list[dict[str, Any]] = dataset.table.to_pylist()
    return found


def test_strings_of_a_pattern_are_read_once_each_in_the_order_of_their_keys(server: RedisServer) -> None:
    dataset = read(server, query="strings n:*")
    assert dataset.row_count == 2_500
    assert {row["key"]: row["value"] for row in rows(dataset)} == {f"n:{number}": number for number in range(2_500)}
    assert dataset.fields[1].physical == "int64"
    assert dataset.content == read(server, table="strings", options={"pattern": "n:*"}).content


def test_an_address_in_one_text_reads_the_same(server: RedisServer) -> None:
    text = f"redis://{READER}:{quote(READER_PASSWORD, safe='')}@127.0.0.1:{server.port}/0"
    given = {"type": "redis", "connection_string": text, "query": "strings n:*"}
    descriptor = catalog.expand_descriptor(catalog.parse_descriptor(given))
    found = redis.extract(descriptor, ReadOptions(limits=Limits()), time.monotonic() + 30)
    assert found.content == read(server, query="strings n:*").content


def test_texts_stay_what_they_are(server: RedisServer) -> None:
    assert [row["value"] for row in rows(read(server, query="strings t:*"))] == ["007", "", "ä€😀"]


def test_a_hash_is_a_row_and_a_field_that_it_lacks_is_null(server: RedisServer) -> None:
    dataset = read(server, table="hashes")
    assert [field.physical for field in dataset.fields] == ["string", "float64", "date", "string"]
    assert [row["amount"] for row in rows(dataset)] == [0.5, 1.5, 2.5, None]
    assert [row["other"] for row in rows(dataset)] == [None, None, None, "x"]


def test_a_declared_type_holds(server: RedisServer) -> None:
    assert read(server, table="hashes", types={"amount": "decimal(4,1)"}).fields[1].physical == "decimal(4,1)"


def test_members_of_sorted_sets_have_their_scores(server: RedisServer) -> None:
    assert rows(read(server, query="zsets z")) == [
        {"key": "z", "member": "a", "score": 1e300},
        {"key": "z", "member": "b", "score": 0.1},
        {"key": "z", "member": "c", "score": float("inf")},
    ]
    assert read(server, query="zsets zlarge").row_count == 3_000


def test_sets_and_lists_are_a_row_an_element(server: RedisServer) -> None:
    assert [row["member"] for row in rows(read(server, table="sets"))] == ["x", "y"]
    assert [row["value"] for row in rows(read(server, table="lists"))] == list(range(2_100))


def test_documents_of_json_keep_every_digit(server: RedisServer) -> None:
    assert rows(read(server, query="json j:*")) == [
        {"key": "j:1", "id": 9007199254740993, "o.x": 0.1},
        {"key": "j:2", "id": 2, "o.x": None},
    ]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"query": "strings bytes"}, "source_malformed"),
        ({"query": "json n:*"}, "source_malformed"),
        ({"table": "keys"}, "invalid_intent"),
        ({"table": "strings n:*"}, "invalid_intent"),
        ({"table": "strings", "database": "zero"}, "invalid_intent"),
        ({"table": "strings", "database": "99"}, "connector_failed"),
        ({"table": "strings", "options": {"max_keys": "10"}}, "limit_exceeded"),
        ({"table": "strings", "options": {"max_keys": "-1"}}, "invalid_intent"),
        ({"query": "lists l", "limits": Limits(memory_bytes=20_000)}, "limit_exceeded"),
        ({"query": "strings n:*", "limits": Limits(text_bytes=1_000)}, "limit_exceeded"),
        ({"query": "hashes h:*", "limits": Limits(columns=1)}, "limit_exceeded"),
    ],
)
def test_what_is_too_much_or_means_nothing_is_refused(server: RedisServer, more: dict[str, Any], code: str) -> None:
    assert refused(server, **more).code == code


def test_a_wrong_password_is_refused(server: RedisServer) -> None:
    descriptor = Descriptor(
        type="redis", host="127.0.0.1", port=server.port, user=READER, password=Secret("planted"), table="strings"
    )
    with pytest.raises(ConnectorError) as caught:
        redis.extract(descriptor, ReadOptions(), time.monotonic() + 10)
    assert caught.value.reason == "login_refused"
    assert "planted" not in str(caught.value.to_dict())


def test_a_user_who_may_not_read_is_told_what_is_needed(server: RedisServer) -> None:
    server.run("ACL", "SETUSER", "narrow", "on", ">narrow", "~other:*", "+scan", "+get")
    descriptor = Descriptor(
        type="redis", host="127.0.0.1", port=server.port, user="narrow", password=Secret("narrow"), query="strings n:*"
    )
    with pytest.raises(ConnectorError) as caught:
        redis.extract(descriptor, ReadOptions(), time.monotonic() + 10)
    assert caught.value.reason == "not_allowed"


def test_only_commands_that_read_are_sent(server: RedisServer) -> None:
    server.run("CONFIG", "RESETSTAT")
    for table in redis.TABLES:
        query = {"json": "json j:*", "strings": "strings n:1*"}.get(table, table)
        read(server, query=query)
    sent = {name.removeprefix("cmdstat_").upper() for name in server.run("INFO", "commandstats")}
    handshake = {"AUTH", "SELECT", "HELLO", "CLIENT|SETINFO", "CONFIG|RESETSTAT", "INFO", "PING"}
    assert sent - handshake <= redis.READS
    assert "KEYS" not in redis.READS


def test_trying_says_that_redis_answers(server: RedisServer) -> None:
    descriptor = catalog.parse_descriptor(
        {"type": "redis_cache", "host": "127.0.0.1", "port": server.port, "user": READER, "password": READER_PASSWORD}
    )
    assert catalog.try_connector(descriptor, 20)["success"] is True


@pytest.mark.parametrize(
    "answer",
    [
        b"$99999999999\r\n",
        b"$-5\r\n",
        b"*2\r\n$1\r\n5\r\n*0\r\n" * 50,
        b"*2\r\n$1\r\nx\r\n*0\r\n",
        b"*2\r\n:0\r\n*0\r\n",
        b"*1\r\n" * 5_000,
        b":1\r\n",
        b"$abc\r\n",
        b"+" + b"a" * 1_000_000,
    ],
)
def test_an_answer_that_is_none_is_refused(answer: bytes) -> None:
    with speaking(saying(answer, repeat=answer)) as port:
        descriptor = Descriptor(type="redis", host="127.0.0.1", port=port, table="strings")
        with pytest.raises((ConnectorError, LimitExceededError)):
            redis.extract(descriptor, ReadOptions(limits=Limits(memory_bytes=2_000_000)), time.monotonic() + 1.5)
