"""Replays of what a deployment answered: found by name and schema, and honest about data that may have changed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import QueryInterruptedError, QueryTimeoutError
from tests.deployment.clients.backed import SALES, Backed
from tests.deployment.clients.conftest import MakeClient
from tests.simulators.pressing import ctrl_c


def test_a_question_to_a_live_source_replays_while_its_data_are_the_same(sales: Service) -> None:
    outcome = sales.ask("sum revenue by region")
    replay: Any = outcome.replay()
    assert replay["status"] == "identical"
    assert replay["sources"][0]["found"] == "registered"
    assert replay["sources"][0]["sha256"] is None


def test_a_difference_is_named_by_what_may_have_changed(sales: Service, tables: Backed) -> None:
    outcome = sales.ask("sum units by region")
    tables.tables.rows["sales"].append({**SALES[0], "units": 100})
    replay: Any = outcome.replay()
    assert (replay["status"], replay["cause"]) == ("differs", "live_source")
    assert replay["comparison"]["differing"] >= 1


def test_a_later_session_finds_the_source_at_the_deployment(
    sales: Service, make_client: MakeClient, tmp_path: Path
) -> None:
    card = json.loads(json.dumps(sales.ask("count by region").card))
    later = make_client(ledger=tmp_path / "later")
    replay: Any = later.replay(card)
    assert replay["status"] == "identical"
    assert replay["sources"][0]["found"] == "deployment"


def test_without_its_deployment_a_live_source_is_missing_and_a_file_of_its_name_is_none(
    sales: Service, tmp_path: Path
) -> None:
    card = json.loads(json.dumps(sales.ask("count by region").card))
    local = service_nb.create_service(mode="local", project=tmp_path / "project", ledger="off")
    missing: Any = local.replay(card)
    assert (missing["status"], missing["cause"]) == ("refused", "source_missing")
    local.connect(SALES, name="sales", types={"day": "date", "units": "int64"})
    mismatch: Any = local.replay(card)
    assert (mismatch["status"], mismatch["cause"]) == ("refused", "source_content_mismatch")
    changed: Any = local.replay(card, changed_sources=True)
    assert changed["status"] == "identical"
    local.close()


def test_a_computation_of_a_deployment_gives_the_same_value_here_and_the_scope_is_named(
    client: Service, make_client: MakeClient
) -> None:
    computed = client.compute("stats.median", args=[[3.0, 1.0, 2.0]])
    here = make_client(runtime="in_process", ledger="off")
    replay: Any = here.replay(json.loads(json.dumps(computed.card)))
    assert replay["status"] == "identical"
    scopes = [change for change in replay["changes"] if change["what"] == "execution scope"]
    assert len(scopes) == 1
    assert scopes[0]["expected"].endswith(":deployment")
    assert scopes[0]["met"].endswith(":local")
    assert computed.replay()["changes"] == []


def test_a_computation_over_a_live_column_replays_and_tells_of_other_values(sales: Service, tables: Backed) -> None:
    computed = sales.compute(
        "stats.mean", bindings=[{"parameter": "values", "source": "sales", "field": "revenue", "null_policy": "drop"}]
    )
    assert computed.replay()["status"] == "identical"
    tables.tables.rows["sales"].append({**SALES[0], "revenue": 5.0})
    replay: Any = computed.replay()
    assert (replay["status"], replay["cause"]) == ("differs", "source_content_changed")


def test_ctrl_c_and_the_deadline_end_the_question_at_the_deployment_too(sales: Service, tables: Backed) -> None:
    tables.tables.slow_s = 120.0
    looks = tables.tables.looks
    with ctrl_c(lambda: tables.tables.looks > looks), pytest.raises(QueryInterruptedError):
        sales.ask("sum revenue by region")
    assert ends(tables, 1)
    for seconds in (0.3, 3.0, 30.0):  # until one has begun when its time is up
        looks = tables.tables.looks
        with pytest.raises(QueryTimeoutError):
            sales.ask("sum revenue by region", timeout=seconds)
        if tables.tables.looks > looks:
            break
    assert ends(tables, 2)
    tables.tables.slow_s = 0.0
    assert sales.ask("sum revenue by region")["status"] == "ok"


def ends(tables: Backed, count: int) -> bool:
    """Wait for the work of so many questions to have been stopped."""
    until = time.monotonic() + 60
    while tables.tables.stopped < count and time.monotonic() < until:
        time.sleep(0.02)
    return tables.tables.stopped >= count
