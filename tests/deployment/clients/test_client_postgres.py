"""The whole way: a notebook's client, a served deployment, a real PostgreSQL; and the same rows in memory beside it."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.core.canonical import write_canonical_text
from service_nb.errors import ConnectorError, SourceNotFoundError
from tests.deployment.stand import TEXT, key, made, standing
from tests.servers.fixtures import PostgresDatabase
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[2] / "tools" / "card_verdicts.mjs"
HOSTS = TEXT + '\n[connectors]\nprivate_hosts = ["127.0.0.1"]\n'
ROWS: list[dict[str, Any]] = [
    {"city": "Ä", "price": 0.1, "units": 3, "paid": True},
    {"city": "a", "price": 1e308, "units": 2**53 + 1, "paid": False},
    {"city": "B", "price": -1e308, "units": None, "paid": None},
    {"city": "a", "price": 5e-324, "units": -1, "paid": True},
    {"city": None, "price": None, "units": 0, "paid": True},
    {"city": "B", "price": 0.2, "units": 7, "paid": False},
]
QUESTIONS = (
    "sum price by city",
    "avg price",
    "sum units by paid",
    "max city by paid order asc",
    "count by city where units > 0",
    "min price by city where city >= 'B'",
)


@pytest.fixture
def database(postgres_database: PostgresDatabase) -> PostgresDatabase:
    postgres_database.run("DROP TABLE IF EXISTS orders")
    postgres_database.run("CREATE TABLE orders (city text, price float8, units int8, paid boolean)")
    for row in ROWS:
        postgres_database.run("INSERT INTO orders VALUES (%s, %s, %s, %s)", *row.values())
    postgres_database.run("GRANT SELECT ON orders TO reader")
    return postgres_database


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    deployment = made(tmp_path / "served", HOSTS)
    with standing(deployment) as stand:
        monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
        monkeypatch.setenv("SERVICE_API_KEY", key(deployment, "one"))
        made_client = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger", timeout=120.0)
        yield made_client
        made_client.close()


def test_a_real_database_answers_as_memory_does_to_the_bit(client: Service, database: PostgresDatabase) -> None:
    here = service_nb.create_service(mode="local", runtime="in_process", ledger="off")
    here.connect(ROWS, name="orders", types={"units": "int64"})
    source = client.connect(connector=database.descriptor(table="orders"), name="orders")
    assert source["schema_revision"] == here.source("orders")["schema_revision"]
    for question in QUESTIONS:
        there, local = client.ask(question), here.ask(question)
        assert there["data"]["result"] == local["data"]["result"], question
        assert there["data"]["result_hash"] == local["data"]["result_hash"], question
        assert there["data"]["provenance"]["engine"].startswith("postgres")
    mean = "stats.mean values=orders.price where price > -1000 and price < 1000"
    assert client.compute(mean).value == here.compute(mean).value
    assert math.isfinite(client.compute(mean).value)
    outcome = client.ask("sum price by city")
    assert outcome.replay()["status"] == "identical"
    database.run("DELETE FROM orders WHERE price = 0.1")
    assert outcome.replay()["cause"] == "live_source"
    here.close()


def test_what_the_database_refuses_is_typed_and_tells_no_secret(client: Service, database: PostgresDatabase) -> None:
    assert client.test_connector(database.descriptor(table="orders"))["success"] is True
    wrong = database.descriptor(table="orders", password="canary-wrong-password")
    assert client.test_connector(wrong)["success"] is False
    with pytest.raises(ConnectorError) as caught:
        client.connect(connector=wrong, name="orders")
    assert caught.value.reason == "login_refused"
    assert "canary" not in repr(caught.value.to_dict())
    with pytest.raises(SourceNotFoundError):
        client.connect(connector=database.descriptor(table="nowhere"), name="orders")


def test_a_database_shows_its_first_rows_and_its_columns(client: Service, database: PostgresDatabase) -> None:
    client.connect(connector=database.descriptor(table="orders"), name="orders")
    shown, profile = client.preview("orders", 4), client.profile("orders")
    due = sorted(ROWS, key=lambda row: [(value is None, 0 if value is None else value) for value in row.values()])
    assert shown.rows == due[:4]
    assert [(row["column"], row["rows"], row["nulls"], row["distinct"]) for row in profile.rows] == [
        ("city", 6, 1, 3),
        ("price", 6, 1, 5),
        ("units", 6, 1, 5),
        ("paid", 6, 1, 2),
    ]
    assert [profile.rows[1][end] for end in ("minimum", "maximum")] == ["-1e+308", "1e+308"]
    assert "in ascending order of all columns" in shown["data"]["plan"][1]
    cards = [outcome.card for outcome in (shown, profile)]
    assert {card["view"]["engine"] for card in cards} == {client.ask("count from orders").card["view"]["engine"]}
    assert [outcome.verify().status for outcome in (shown, profile)] == ["verified"] * 2
    forged = copy.deepcopy(cards[0])
    forged["canonical"]["result"] = write_canonical_text(due[3::-1])
    built()
    told = json.loads(node(SCRIPT, stdin=json.dumps([*cards, forged]).encode()))
    assert [status for status, _ in told] == ["unaltered", "unaltered", "altered"]
    assert [outcome.replay()["status"] for outcome in (shown, profile)] == ["identical"] * 2
    database.run("DELETE FROM orders WHERE city = 'B'")
    assert [outcome.replay()["cause"] for outcome in (shown, profile)] == ["live_source"] * 2
    assert len(client.preview("orders", 9).rows) == 4
    assert client.profile("orders").verify().status == "verified"


def test_first_rows_are_those_of_the_columns_that_a_policy_allows(client: Service, database: PostgresDatabase) -> None:
    client.connect(connector=database.descriptor(table="orders"), name="orders")
    narrowed = client.narrow({"allowed_fields": {"orders": ["units", "paid"]}})
    shown, profile = narrowed.preview("orders", 2), narrowed.profile("orders")
    assert shown.rows == [{"units": -1, "paid": True}, {"units": 0, "paid": True}]
    assert [row["column"] for row in profile.rows] == ["units", "paid"]
    assert [outcome.verify().status for outcome in (shown, profile)] == ["verified"] * 2
    for outcome in (shown, profile):
        assert not any(name in json.dumps(outcome.card) for name in ("city", "price"))
