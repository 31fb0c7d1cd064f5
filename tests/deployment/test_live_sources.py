"""Live sources in a real PostgreSQL, as a deployment has them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from service_nb.core.stopping import Stop, stopping
from service_nb.deployment.messages import SourceRequest
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    QueryInterruptedError,
    SecretUnavailableError,
    ServiceError,
    SourceAlreadyRegisteredError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.server.tenants import Deployment, TenantReach
from tests.deployment.deployments import QUIET, deployed
from tests.deployment.test_tenants import reach
from tests.servers.fixtures import PostgresDatabase, postgres_database, postgres_server

__all__ = ["postgres_database", "postgres_server"]  # fixtures

TEXT = QUIET + "[timeouts]\nconnect_s = 10\n"
VALUES = [0.1, 0.2, 0.3, 1e16, 1.0, -1e16, 1e-5]
ASKED = {"metric": "revenue", "aggregation": "sum", "source_name": "sales"}


@pytest.fixture(scope="module")
def database(postgres_database: PostgresDatabase) -> PostgresDatabase:
    postgres_database.run("CREATE TABLE sales (region text, revenue double precision, units bigint)")
    for place, value in enumerate(VALUES):
        postgres_database.run("INSERT INTO sales VALUES (%s, %s, %s)", "north" if place % 2 else "south", value, place)
    postgres_database.run("CREATE TABLE secret (word text)")
    return postgres_database


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """One deployment for the module: each tries a database's arithmetic anew, which takes a second or two."""
    made = Deployment(deployed(tmp_path_factory.mktemp("deployment"), TEXT))
    yield made
    made.close()


@pytest.fixture
def deployment(standing: Deployment) -> Iterator[Deployment]:
    yield standing
    at = reach(standing)
    for source in at.list_sources():
        at.forget_source(source["name"])
    for connector in at.tenant.store.list_connectors():
        at.tenant.store.delete_connector(connector.id)


def asked(database: PostgresDatabase, name: str = "sales", table: str = "sales", **more: Any) -> SourceRequest:
    return SourceRequest(name=name, descriptor=database.descriptor(table=table), **more)


def answer(at: TenantReach, **more: Any) -> dict[str, Any]:
    outcome = at.service.ask({**ASKED, **more})
    assert outcome["status"] == "ok", outcome["resolution"]
    return outcome["data"]


def test_a_table_answers_exactly_and_says_how(deployment: Deployment, database: PostgresDatabase) -> None:
    at = reach(deployment)
    source = at.connect(asked(database))
    assert (source["row_count"], source["fields"]) == (7, ["region", "revenue", "units"])
    assert source["content"] == {"algorithm": "live", "sha256": None, "rows": 7}
    data = answer(at)
    assert data["result"] == [{"revenue": float(sum(map(Fraction, VALUES))), "count": 7}]
    assert data["provenance"]["method"].startswith("exact sum, rounded once (limbs:")
    assert data["provenance"]["engine"].startswith("PostgreSQL") or "postgres" in data["provenance"]["engine"].lower()
    assert data["deterministic_scope"] == "deployment_registered_source"


def test_rows_that_come_later_are_in_the_next_answer(deployment: Deployment, database: PostgresDatabase) -> None:
    at = reach(deployment)
    at.connect(asked(database))
    counted = {"metric": "units", "aggregation": "count"}
    assert answer(at, **counted)["result"][0]["count"] == 7
    database.run("INSERT INTO sales VALUES ('west', 1.0, 7)")
    try:
        assert answer(at, **counted)["result"][0]["count"] == 8
    finally:
        database.run("DELETE FROM sales WHERE region = 'west'")


def test_a_restart_reaches_the_database_at_the_first_question(tmp_path: Path, database: PostgresDatabase) -> None:
    config = deployed(tmp_path / "deployment", TEXT)
    first = Deployment(config)
    told = reach(first).connect(asked(database))
    expected = answer(reach(first))
    first.close()
    assert sessions(database) == 0
    second = Deployment(config)
    try:
        at = reach(second)
        assert at.list_sources() == [told]
        assert sessions(database) == 0
        met: list[dict[str, Any]] = []
        threads = [threading.Thread(target=lambda: met.append(answer(at))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [data["result_hash"] for data in met] == [expected["result_hash"]] * 8
        assert {data["plan_hash"] for data in met} == {expected["plan_hash"]}
        assert 1 <= sessions(database) <= 4  # opened once for all who asked
    finally:
        second.close()
    assert sessions(database) == 0


def test_connections_that_nobody_uses_are_closed(deployment: Deployment, database: PostgresDatabase) -> None:
    at = reach(deployment)
    at.connect(asked(database))
    assert sessions(database) == 1
    at.tenant.close_idle(0.0)
    assert sessions(database) == 0
    assert answer(at)["row_count"] == 1


def sessions(database: PostgresDatabase) -> int:
    """How many sessions of the reader there are: those that were closed may take a moment to end."""
    import time

    statement = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND datname = current_database()"
    last = -1
    for _ in range(100):
        (now,) = database.run(statement)[0]
        if now == last:
            return int(now)
        last = now
        time.sleep(0.05)
    return int(last)


def test_columns_that_changed_are_a_changed_source(deployment: Deployment, database: PostgresDatabase) -> None:
    database.run("CREATE TABLE moving (revenue double precision)")
    at = reach(deployment)
    at.connect(asked(database, table="moving"))
    database.run("ALTER TABLE moving ADD COLUMN more bigint")
    for _ in range(2):  # on the session that is open, and on a fresh one
        with pytest.raises(SourceChangedError):
            at.service.ask(ASKED)
        at.tenant.close_idle(0.0)
    database.run("ALTER TABLE moving DROP COLUMN more")
    assert answer(at)["row_count"] == 1
    database.run("DROP TABLE moving")
    with pytest.raises(SourceNotFoundError):
        at.service.ask(ASKED)


@pytest.mark.parametrize("change", ["ADD COLUMN salary_new bigint", "DROP COLUMN salary_old"])
def test_a_key_that_may_not_see_a_column_does_not_hear_that_it_changed(
    change: str, deployment: Deployment, database: PostgresDatabase
) -> None:
    database.run("DROP TABLE IF EXISTS moving")
    database.run("CREATE TABLE moving (revenue double precision, salary_old bigint)")
    reach(deployment).connect(asked(database, table="moving"))
    bound = reach(deployment, policy={"allowed_fields": {"sales": ["revenue"]}}).service
    counted = {"aggregation": "count", "group_by": "revenue", "source_name": "sales"}
    plan, rows = (bound.ask(each)["resolution"]["plan"] for each in (ASKED, counted))
    database.run(f"ALTER TABLE moving {change}")
    bindings = [{"parameter": "values", "source": "sales", "field": "revenue"}]
    for ask in (
        lambda: bound.ask(ASKED),
        lambda: bound.run(plan),
        lambda: bound.columns(rows),
        lambda: bound.compute({"module": "stats", "function": "median", "bindings": bindings}),
    ):
        with pytest.raises(SourceChangedError) as caught:
            ask()
        assert "salary" not in str(caught.value.to_dict())
    with pytest.raises(SourceChangedError) as told:
        reach(deployment).service.ask(ASKED)
    assert "salary" in str(told.value.to_dict())
    database.run("DROP TABLE moving")


def test_a_query_is_a_source_and_what_does_more_than_read_is_none(
    deployment: Deployment, database: PostgresDatabase
) -> None:
    at = reach(deployment)
    made = at.tenant.create_connector(database.descriptor(), "shop")
    query = "SELECT region, CAST(sum(units) AS bigint) AS units FROM sales GROUP BY region"
    at.connect(SourceRequest(name="sums", connector_id=made["id"], query=query))
    data = at.service.ask({"metric": "units", "aggregation": "sum", "source_name": "sums"})["data"]
    assert data["result"] == [{"units": sum(range(7)), "count": 2}]
    for text in ("DELETE FROM sales", "SELECT 1; DROP TABLE sales", "SELECT pg_read_file('/etc/passwd') AS a"):
        with pytest.raises(InvalidIntentError):
            at.connect(SourceRequest(name="x", connector_id=made["id"], query=text))
    with pytest.raises(InvalidIntentError):
        at.connect(SourceRequest(name="x", connector_id=made["id"], table="sales", query=query))
    with pytest.raises(InvalidIntentError):
        at.connect(SourceRequest(name="x", connector_id=made["id"]))
    with pytest.raises(SourceAlreadyRegisteredError):
        at.connect(SourceRequest(name="sums", connector_id=made["id"], table="sales"))


def test_types_are_the_databases_own(deployment: Deployment, database: PostgresDatabase) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        reach(deployment).connect(asked(database, types={"units": "string"}))
    assert caught.value.details["path"] == "types"


def test_a_password_may_be_a_reference_that_is_looked_up_at_use(
    deployment: Deployment, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "SERVICE_SECRET__ONE__SHOP"
    right = database.descriptor()["password"]
    monkeypatch.setenv(name, right)
    at = reach(deployment)
    descriptor = {**database.descriptor(table="sales"), "password": f"env:{name}"}
    at.connect(SourceRequest(name="sales", descriptor=descriptor))
    assert answer(at)["row_count"] == 1
    at.tenant.close_idle(0.0)
    monkeypatch.setenv(name, "another")
    with pytest.raises(ConnectorError) as refused:
        at.service.ask({**ASKED, "aggregation": "min"})
    assert refused.value.reason == "login_refused"
    monkeypatch.delenv(name)
    with pytest.raises(SecretUnavailableError):
        at.service.ask({**ASKED, "aggregation": "min"})
    monkeypatch.setenv(name, right)
    assert answer(at, aggregation="min")["row_count"] == 1


def test_a_wrong_password_and_a_table_that_is_not_there_leave_nothing(
    deployment: Deployment, database: PostgresDatabase
) -> None:
    at = reach(deployment)
    with pytest.raises(ConnectorError) as caught:
        at.connect(SourceRequest(name="x", descriptor={**database.descriptor(table="sales"), "password": "wrong"}))
    assert caught.value.reason == "login_refused"
    with pytest.raises(SourceNotFoundError):
        at.connect(asked(database, table="nowhere"))
    assert at.list_sources() == []
    assert deployment._store.select("SELECT * FROM connector") == []


@contextmanager
def silent() -> Iterator[int]:
    """The port of something that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_test_tells_in_a_sentence_how_it_went(deployment: Deployment, database: PostgresDatabase) -> None:
    at = reach(deployment)
    assert at.tenant.test_connector(database.descriptor(), 10.0)["success"] is True
    assert at.tenant.test_connector(database.descriptor(table="sales"), 10.0)["success"] is True
    assert at.tenant.test_connector({**database.descriptor(), "password": "wrong"}, 10.0)["success"] is False
    with silent() as port:
        told = at.tenant.test_connector({**database.descriptor(), "port": port}, 2.0)
    assert told["success"] is False
    assert at.list_sources() == at.tenant.store.list_connectors() == []


def test_a_source_that_says_nothing_is_left_at_the_deadline_and_when_asked_to_stop(
    tmp_path: Path, database: PostgresDatabase
) -> None:
    text = TEXT.replace("connect_s = 10", "connect_s = 1\nrequest_s = 1.5")
    deployment = Deployment(deployed(tmp_path / "deployment", text))
    try:
        at = reach(deployment)
        with silent() as port:
            descriptor = {**database.descriptor(table="sales"), "port": port}
            with pytest.raises(ServiceError) as caught:
                at.connect(SourceRequest(name="sales", descriptor=descriptor))
            assert caught.value.code in ("timeout", "connector_failed")
    finally:
        deployment.close()
    patient = Deployment(deployed(tmp_path / "patient", TEXT.replace("connect_s = 10", "connect_s = 120")))
    try:
        at = reach(patient)
        with silent() as port:
            descriptor = {**database.descriptor(table="sales"), "port": port}
            stop = Stop()
            timer = threading.Timer(0.2, stop.request)
            timer.start()
            with stopping(stop), pytest.raises(QueryInterruptedError):
                at.connect(SourceRequest(name="sales", descriptor=descriptor))
            timer.join()
    finally:
        patient.close()


def test_the_hosts_end_is_an_error_that_may_pass_and_the_next_question_works(
    deployment: Deployment, database: PostgresDatabase
) -> None:
    at = reach(deployment)
    at.connect(asked(database))
    database.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    assert answer(at)["row_count"] == 1  # on a fresh session


def test_columns_leave_the_source_for_a_computation(deployment: Deployment, database: PostgresDatabase) -> None:
    at = reach(deployment)
    at.connect(asked(database))
    computed = at.service.compute(
        "stats.median", bindings=[{"parameter": "values", "source": "sales", "field": "units"}]
    )
    assert computed.value == 3.0
