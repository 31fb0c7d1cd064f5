"""Sources that are read in pages, described anew: for all who share a store, and for no plan of before."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from service_nb.errors import InvalidIntentError, SchemaRevisionMismatchError, SourceChangedError, SourceNotFoundError
from service_nb.server.config import Config
from service_nb.server.tenants import Deployment
from tests.deployment.served_records import Records
from tests.deployment.test_tenants import (
    ASKED,
    SUMS,
    answer,
    as_at_first,
    asked,
    config,
    deployment,
    reach,
    web,
)

__all__ = ["as_at_first", "config", "deployment", "web"]  # fixtures


def plan_of(at: Any) -> Any:
    return at.service.resolve(ASKED)["plan"]


def test_other_content_is_read_for_who_asks_for_it_and_answers_no_plan_of_before(
    deployment: Deployment, web: Records
) -> None:
    at = reach(deployment)
    before = at.connect(asked("sales", web))
    plan = plan_of(at)
    web.rows[0]["revenue"] = 0.7
    assert at.connect(asked("sales", web)) == before  # what was read once stays what it is
    assert answer(at) == SUMS
    after = at.refresh_source("sales")
    assert after["content"]["sha256"] != before["content"]["sha256"]
    assert after["schema_revision"] == before["schema_revision"]
    assert answer(at)[0]["revenue"] == 1.0
    for ask in (at.service.run, at.service.columns, at.service.verify):
        if ask == at.service.verify:
            assert at.service.verify(plan, mark=before["mark"])["valid"] is False
            continue
        with pytest.raises(SourceChangedError) as caught:
            ask(plan, mark=before["mark"])
        assert caught.value.details["changed"] == "source"
    assert at.service.run(plan, mark=after["mark"])["data"]["result"][0]["revenue"] == 1.0
    assert at.refresh_source("sales") == after  # nothing has changed since


def test_columns_of_pages_that_changed_are_another_schema_and_aliases_that_fit_nothing_go(
    deployment: Deployment, web: Records
) -> None:
    at = reach(deployment)
    at.connect(asked("sales", web, aliases={"turnover": "revenue", "place": "region"}))
    plan = plan_of(at)
    for row in web.rows:
        row["turnover"] = row.pop("revenue")
    after = at.refresh_source("sales")
    assert (sorted(after["fields"]), after["aliases"]) == (["region", "turnover"], {"place": "region"})
    with pytest.raises(SchemaRevisionMismatchError):
        at.service.run(plan)
    with pytest.raises(InvalidIntentError):  # when it is connected, an alias that fits nothing is an error
        at.connect(asked("other", web, aliases={"x": "revenue"}))


def test_two_servers_on_one_store_describe_alike(config: Config, web: Records) -> None:
    first, second = Deployment(config), Deployment(config)
    try:
        told = reach(first).connect(asked("sales", web))
        assert reach(second).describe_source("sales") == told
        assert answer(reach(second)) == SUMS
        for revenue in (0.7, 0.8):  # twice within one second of the store's clock
            web.rows[0]["revenue"] = revenue
            told = reach(first).refresh_source("sales")
            assert reach(second).describe_source("sales") == told
            assert answer(reach(second)) == answer(reach(first))
        reach(second).forget_source("sales")
        with pytest.raises(SourceNotFoundError):
            reach(first).refresh_source("sales")
    finally:
        first.close()
        second.close()


def test_who_asks_while_it_is_described_anew_gets_one_of_both(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    at.connect(asked("sales", web))
    known = [SUMS]
    met: list[Any] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            try:
                met.append(answer(at))
            except SourceChangedError as error:  # it was described anew between the plan and the run
                met.append(error.code)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for revenue in (0.5, 0.6, 0.7, 0.8):
        web.rows[0]["revenue"] = revenue
        at.refresh_source("sales")
        known.append(answer(at))
    ended.set()
    for thread in threads:
        thread.join()
    assert met
    assert [each for each in met if each not in known and each != "source_changed"] == []
