"""Sources that are let go: their names are free, and what was made from them stays what it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import DeploymentRequiredError, InvalidIntentError, PolicyDeniedError, SourceNotFoundError

ROWS = [{"x": 1.0}, {"x": 2.5}]


@pytest.fixture
def service(tmp_path: Path) -> Service:
    return service_nb.create_service(project=tmp_path, runtime="in_process", ledger="off", mode="local")


def test_a_card_that_is_made_later_is_of_the_source_that_was_read(service: Service) -> None:
    service.connect(ROWS, name="sales")
    asked = service.ask("sum x from sales")
    computed = service.compute("stats.mean values=sales.x")
    plan, first = service.resolve("sum x from sales")["plan"], service.source("sales")
    service.disconnect("sales")
    service.connect([{"x": 7.0}], name="sales")
    assert service.ask("sum x from sales")["data"]["result"][0]["x"] == 7.0  # nothing is remembered of the other
    assert service.query(plan)[0]["x"] == 7.0  # the same schema: a plan holds no data
    told = str(asked.card)
    assert first["source_id"] in told
    assert service.source("sales")["source_id"] not in told
    service.disconnect("sales")
    assert computed.card["digests"]["computation_hash"] == computed["computation_hash"]


def test_a_name_that_is_let_go_is_gone_and_comes_back_from_where_it_is_kept(service: Service, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("x\n1\n2\n")
    service.connect(tmp_path / "sales.csv", persist=True)
    service.disconnect("sales")
    assert service.ask("sum x from sales")["status"] == "rejected"
    told = service.unconnected()
    assert ([(each.name, each.place, each.fields) for each in told.sources], told.fault) == (
        [("sales", "service.toml", ())],
        None,
    )
    service.connect(name="sales")
    assert service.unconnected().sources == ()
    assert service.forget("sales") == ["session", "service.toml"]
    assert service.stored_sources() == []
    for let_go in (service.disconnect, service.forget, service.refresh):
        with pytest.raises(SourceNotFoundError):
            let_go("sales")


def test_what_is_no_live_source_is_not_refreshed_and_what_is_no_name_is_none(service: Service, tmp_path: Path) -> None:
    service.connect(ROWS, name="sales")
    with pytest.raises(InvalidIntentError):
        service.refresh("sales")
    name: Any = 7
    for let_go in (service.disconnect, service.forget, service.refresh):
        with pytest.raises(InvalidIntentError):
            let_go(name)
    with pytest.raises(PolicyDeniedError):
        service.narrow({"allowed_fields": {"sales": ["x"]}}).disconnect("sales")
    (tmp_path / "service.toml").write_text('[sources.orders]\ndeployment = true\ndataset = "orders"\n')
    for let_go in (service.forget, service.refresh):
        with pytest.raises(DeploymentRequiredError):
            let_go("orders")
    service.disconnect("orders", persist=True)
    assert service.stored_sources() == []
