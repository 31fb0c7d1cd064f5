"""What becomes of a live source: forgotten, changed in its database, described anew; real PostgreSQL, real server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import (
    ConnectorNotFoundError,
    ForbiddenError,
    InvalidIntentError,
    PolicyDeniedError,
    SchemaRevisionMismatchError,
    SourceAlreadyRegisteredError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.evidence.documents import check_card
from tests.deployment.clients.second import describe_client, run_client, run_clients
from tests.deployment.stand import TEXT, Stand, key, made, standing
from tests.servers.fixtures import PostgresDatabase

ORDERS = {"metric": "price", "aggregation": "sum", "group_by": "city", "source_name": "orders"}


class Make(Protocol):
    """Makes clients of the one deployment, each with a key of its own, which are closed after the test."""

    def __call__(self, *scopes: Any, policy: dict[str, Any] | None = None) -> Service: ...


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(made(tmp_path_factory.mktemp("deployment"), TEXT)) as stood:
        yield stood


@pytest.fixture
def make(stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    with ExitStack() as stack:

        def client(*scopes: Any, policy: dict[str, Any] | None = None) -> Service:
            monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
            monkeypatch.setenv("SERVICE_API_KEY", key(stand.deployment, "one", *scopes, policy=policy))
            made_client = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger", timeout=60.0)
            stack.callback(made_client.close)
            return made_client

        yield client
        cleaner = client()
        for name in cleaner.live_sources():
            if name != "sales":
                cleaner.forget(name)
        for connector in cleaner.connectors():
            cleaner.forget_connector(connector["id"])


@pytest.fixture
def database(postgres_database: PostgresDatabase) -> PostgresDatabase:
    for table in ("orders", "paid"):
        postgres_database.run(f"DROP TABLE IF EXISTS {table}")
        postgres_database.run(f"CREATE TABLE {table} (city text, price float8)")
        postgres_database.run(f"INSERT INTO {table} VALUES ('a', 0.1), ('a', 0.2), ('b', 1e16)")
        postgres_database.run(f"GRANT SELECT ON {table} TO reader")
    return postgres_database


@pytest.fixture
def client(make: Make, database: PostgresDatabase) -> Service:
    """A client with the table `orders` of the database, connected and kept."""
    first = make()
    first.connect(connector=database.descriptor(table="orders"), name="orders", persist=True)
    return first


def kept(stand: Stand, table: str) -> int:
    return len(stand.deployment._store.select(f"SELECT 1 FROM {table} WHERE tenant = 'one'"))


# --- forgotten --------------------------------------------------------------------------------------------------------


def test_a_source_that_is_forgotten_is_nowhere_and_its_secrets_neither(
    client: Service, stand: Stand, make: Make, tmp_path: Path
) -> None:
    other = make()
    other.connect(name="orders")
    outcome = client.ask(ORDERS)
    plan = other.resolve(ORDERS)["plan"]
    assert kept(stand, "connector") == 1
    assert client.forget("orders") == ["session", "service.toml", "deployment"]
    assert kept(stand, "connector") == kept(stand, "source") == 0
    assert client.sources() == []
    assert "orders" not in (tmp_path / "service.toml").read_text()
    for asked in (lambda: other.ask(ORDERS), lambda: other.run(plan)):
        with pytest.raises(SourceNotFoundError) as caught:
            asked()
        assert caught.value.hint is not None
        assert "disconnect" in caught.value.hint
    with pytest.raises(SourceNotFoundError):
        client.forget("orders")
    assert other.forget("orders") == ["session"]  # there it was forgotten already
    stored = client.get_result(outcome["data"]["query_id"])
    assert check_card(stored.card) == check_card(outcome.card)
    replay: Any = client.replay(outcome.card)
    assert (replay["status"], replay["cause"]) == ("refused", "source_missing")


def test_a_source_that_is_disconnected_is_there_for_everybody_else_and_by_its_name(
    client: Service, tmp_path: Path
) -> None:
    client.disconnect("orders")
    assert client.sources() == []
    assert next((offer.name, offer.place) for offer in client.unconnected(wait=60.0).sources) == (
        "orders",
        "deployment",
    )
    with pytest.raises(SourceNotFoundError):
        client.disconnect("orders")
    client.connect(name="orders")
    client.disconnect("orders", persist=True)
    assert "orders" not in (tmp_path / "service.toml").read_text()
    assert "orders" in client.live_sources()


def test_a_file_is_let_go_and_a_live_source_of_its_name_stays(client: Service, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("city,price\na,1\n")
    client.disconnect("orders", persist=True)
    client.connect(tmp_path / "rows.csv", name="orders", persist=True)
    with pytest.raises(InvalidIntentError):
        client.refresh("orders")
    assert client.forget("orders") == ["session", "service.toml"]
    assert "orders" in client.live_sources()
    client.connect([{"city": "x", "price": 2}], name="orders")  # the name is free for other data
    assert client.ask(ORDERS)["data"]["row_count"] == 1


def test_who_may_not_forget_forgets_nothing(client: Service, make: Make) -> None:
    reader = make("query")
    reader.connect(name="orders")
    with pytest.raises(ForbiddenError):
        reader.forget("orders")
    assert reader.ask(ORDERS)["status"] == "ok"
    narrow = client.narrow({"allowed_fields": {"orders": ["city"]}})
    for let_go in (narrow.forget, narrow.disconnect, narrow.refresh):
        with pytest.raises(PolicyDeniedError):
            let_go("orders")
    with pytest.raises(PolicyDeniedError):
        client.narrow({"allowed_sources": []}).forget("orders")
    assert client.ask(ORDERS)["status"] == "ok"


def test_a_connector_is_forgotten_when_no_source_uses_it(make: Make, database: PostgresDatabase) -> None:
    service = make()
    made_id = service.create_connector(database.descriptor(), name="shop")["id"]
    assert [each["id"] for each in service.connectors()] == [made_id]
    assert "password" not in str(service.connectors())
    service.connect(connector={"id": made_id, "table": "orders"}, name="orders")
    with pytest.raises(ForbiddenError):
        service.forget_connector(made_id)
    service.forget("orders")
    service.forget_connector(made_id)
    assert service.connectors() == []
    with pytest.raises(ConnectorNotFoundError):
        service.forget_connector(made_id)


def test_a_name_that_stands_for_another_table_by_now_answers_no_plan_of_before(
    client: Service, make: Make, database: PostgresDatabase
) -> None:
    other = make()
    other.connect(name="orders")
    database.run("INSERT INTO paid VALUES ('c', 5)")
    client.forget("orders")
    client.connect(connector=database.descriptor(table="paid"), name="orders")  # the same columns
    with pytest.raises(SourceChangedError) as caught:
        other.ask(ORDERS)
    assert caught.value.details["changed"] == "source"
    other.refresh("orders")
    assert other.ask(ORDERS)["data"]["row_count"] == 3


# --- changed in the database ------------------------------------------------------------------------------------------


def test_columns_that_changed_are_refused_until_they_are_described_anew(
    client: Service, make: Make, database: PostgresDatabase
) -> None:
    other, later = make(), make()
    other.connect(name="orders")
    before = client.ask(ORDERS)
    plan, verdict = client.resolve(ORDERS)["plan"], check_card(before.card)
    assert verdict.status != "altered"
    database.run("ALTER TABLE orders ADD COLUMN paid boolean")
    with pytest.raises(SourceChangedError) as caught:
        client.ask(ORDERS)
    assert caught.value.details["changed"] == "columns"
    assert "refresh" in str(caught.value.hint)
    old: Any = before.replay()
    assert (old["status"], old["cause"]) == ("refused", "schema_revision_mismatch")

    assert client.refresh("orders")["fields"] == ["city", "price", "paid"]
    after = client.ask(ORDERS)
    assert after["data"]["result"] == before["data"]["result"]
    assert after["data"]["schema_revision"] != before["data"]["schema_revision"]
    assert after["data"]["plan_hash"] != before["data"]["plan_hash"]
    for asked in (lambda: client.run(plan), lambda: other.ask(ORDERS), lambda: other.run(plan)):
        with pytest.raises(SchemaRevisionMismatchError):
            asked()
    assert check_card(before.card) == verdict
    assert client.verify(plan)["valid"] is False
    old = before.replay()
    assert (old["status"], old["cause"]) == ("refused", "schema_revision_mismatch")
    assert after.replay()["status"] == "identical"
    other.refresh("orders")
    assert other.ask(ORDERS)["data"]["result_hash"] == after["data"]["result_hash"]
    assert later.ask(ORDERS)["data"]["result_hash"] == after["data"]["result_hash"]


def test_a_new_session_that_connects_the_table_has_it_as_it_is(
    client: Service, make: Make, database: PostgresDatabase
) -> None:
    database.run("ALTER TABLE orders ADD COLUMN paid boolean")
    source = make().connect(connector=database.descriptor(table="orders"), name="orders")
    assert source["fields"] == ["city", "price", "paid"]
    with pytest.raises(SourceAlreadyRegisteredError):  # a registered source never changes by itself
        client.connect(connector=database.descriptor(table="orders"), name="orders")
    with pytest.raises(SchemaRevisionMismatchError):
        client.ask(ORDERS)
    assert client.refresh("orders")["fields"] == source["fields"]


def test_another_type_under_the_same_names_is_another_source(
    client: Service, make: Make, database: PostgresDatabase
) -> None:
    other = make()
    other.connect(name="orders")
    database.run("ALTER TABLE orders ALTER COLUMN price TYPE bigint")
    with pytest.raises(SourceChangedError):
        client.ask(ORDERS)
    source = client.refresh("orders")
    assert [field["physical"] for field in source["typed_fields"]] == ["string", "int64"]
    assert source["schema_revision"] == other.source("orders")["schema_revision"]  # both are numbers
    assert client.ask(ORDERS)["data"]["result"][0] == {"city": "b", "price": str(10**16), "count": 1}
    with pytest.raises(SourceChangedError):
        other.ask(ORDERS)


def test_a_key_that_makes_no_sources_takes_what_somebody_else_has_refreshed(
    client: Service, make: Make, database: PostgresDatabase
) -> None:
    reader = make("query")
    reader.connect(name="orders")
    database.run("ALTER TABLE orders DROP COLUMN city")
    with pytest.raises(ForbiddenError):
        reader.refresh("orders")
    client.refresh("orders")
    assert reader.refresh("orders")["fields"] == ["price"]


def test_a_refresh_that_fails_leaves_the_source_as_it_was(
    client: Service, stand: Stand, database: PostgresDatabase
) -> None:
    before = client.source("orders")
    database.run("ALTER TABLE orders RENAME TO away")
    with pytest.raises(SourceNotFoundError):
        client.refresh("orders")
    database.run("ALTER TABLE away RENAME TO orders")
    assert client.source("orders") == before
    assert client.ask(ORDERS)["status"] == "ok"
    assert kept(stand, "source") == 1


def test_what_was_known_of_a_database_is_not_believed_after_a_refresh(client: Service, stand: Stand) -> None:
    client.ask(ORDERS)
    reach = stand.deployment.reach(stand.deployment.authenticate(key(stand.deployment, "one")))
    lent = reach.tenant._engines["orders"]  # what reaches it there
    first = lent._engine
    assert first._ranges
    mark = reach.describe_source("orders")["mark"]
    client.refresh("orders")
    assert reach.tenant._engines["orders"] is lent
    assert lent._engine is not first
    assert lent._engine._ranges == {}
    assert reach.describe_source("orders")["mark"] == mark  # nothing has changed, so plans of before are answered
    assert client.ask(ORDERS)["status"] == "ok"


# --- not connected ----------------------------------------------------------------------------------------------------


def test_a_question_connects_what_it_names(client: Service, make: Make) -> None:
    assert client.ask(ORDERS)["status"] == "ok"
    later = make()
    assert later.sources() == []
    assert later.ask("sum price by city from orders")["status"] == "ok"
    assert [source["name"] for source in later.sources()] == ["orders"]
    typo = make()
    assert typo.ask("count from ordres")["status"] == "rejected"
    assert typo.sources() == []
    hidden = make().narrow({"allowed_sources": ["sales"]})
    assert hidden.ask("count from orders")["resolution"]["rejection_reason"] == "policy_denied_source"
    assert hidden.ask("count from sales")["resolution"]["rejection_reason"] == "policy_denied_source"
    assert hidden.unconnected(wait=60.0).sources == ()  # a narrowed client chooses no sources


def test_what_is_not_connected_is_named_with_its_columns_and_never_fails(
    client: Service, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.sources()[0]["name"] == "orders"
    told = make().unconnected(wait=60.0)
    assert {offer.name: [field.name for field in offer.fields] for offer in told.sources}["orders"] == ["city", "price"]
    assert told.fault is None
    monkeypatch.setenv("SERVICE_API_KEY", "snb_" + "0" * 43)
    away = service_nb.create_service(project=client.project, ledger="off")
    told = away.unconnected(wait=60.0)
    assert [(offer.name, offer.place, offer.fields) for offer in told.sources] == [("orders", "service.toml", ())]
    assert told.fault is not None
    assert told.fault.code == "unauthenticated"
    away.close()


# --- the same of the second client ------------------------------------------------------------------------------------


def test_the_second_client_refreshes_disconnects_and_forgets(
    client: Service, stand: Stand, database: PostgresDatabase
) -> None:
    plan = client.resolve(ORDERS)["plan"]
    database.run("ALTER TABLE orders ADD COLUMN note text")
    whole, asking = key(stand.deployment, "one"), key(stand.deployment, "one", "query")
    narrow = {"policy": {"allowedFields": {"orders": ["city"]}}}
    connect = ["connect", None, {"name": "orders"}]
    steps = [["refresh", "orders"], ["disconnect", "orders"], ["forget", "orders"]]
    denied, (_, forbidden) = run_clients(
        describe_client(stand.url, whole, steps, **narrow),
        describe_client(stand.url, asking, [connect, ["refresh", "orders"]]),
    )
    assert {each["code"] for each in denied} == {"policy_denied_source"}
    assert forbidden["code"] == "forbidden"
    before, refreshed, stale, again, gone, forgotten, unknown, number, nothing, connector = run_client(
        *(stand.url, whole, connect, ["refresh", "orders"], ["query", plan], ["disconnect", "orders"]),
        *(["disconnect", "orders"], ["forget", "orders"], ["forget", "orders"], ["forget", 5], ["refresh", "nothing"]),
        ["forgetConnector", "connector_0000000000000000"],
    )
    assert (before["ok"]["fields"], refreshed["ok"]["fields"]) == (["city", "price"], ["city", "price", "note"])
    assert stale["code"] == "schema_revision_mismatch"
    assert (again, forgotten["ok"]) == ({}, ["deployment"])
    assert [each["code"] for each in (gone, unknown, number, nothing, connector)] == [
        *("source_not_found", "source_not_found", "invalid_intent", "source_not_found", "connector_not_found")
    ]
    assert "orders" not in client.live_sources()
    local, kept_here = run_client(
        stand.url, whole, ["connect", [{"x": 1}], {"name": "rows"}], ["refresh", "rows"], ["forget", "rows"]
    )[1:]
    assert (local["code"], kept_here["ok"]) == ("invalid_intent", ["session"])
