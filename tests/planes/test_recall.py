"""What is stored is recalled under the policy of whoever asks: nothing else of it can be told from what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.errors import InvalidIntentError, ResultNotFoundError, ServiceError

SALES = [{"region": "north", "revenue": 1.5, "salary": 7.0}, {"region": "south", "revenue": 2.5, "salary": None}]
PAYROLL = [{"name": "x", "wage": 5.0}, {"name": "y", "wage": None}]
NO_SOURCE, NO_FIELD, NO_FUNCTION = (
    {"allowed_sources": ["sales"]},
    {"allowed_fields": {"sales": ["region", "revenue"], "payroll": ["name"]}},
    {"allowed_functions": ["finance.*"]},
)
POLICIES = pytest.mark.parametrize("policy", [NO_SOURCE, NO_FIELD, NO_FUNCTION])


@pytest.fixture
def wide(tmp_path: Path) -> Any:
    service = service_nb.create_service(project=tmp_path, ledger=tmp_path / ".service", runtime="in_process")
    service.connect(SALES, name="sales")
    service.connect(PAYROLL, name="payroll")
    yield service
    service.close()


def failed(run: Callable[[], Any]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        run()
    return caught.value


def recalled(client: service_nb.Service) -> list[str]:
    """What a client can say of each stored outcome, in all the ways that it has."""
    return [json.dumps([line, dict(stored), stored.card, stored.texts]) for line, stored in _both(client)]


def _both(client: service_nb.Service) -> list[tuple[dict[str, Any], Any]]:
    return [(line, client.get_result(line["id"])) for line in client.log(1_000)]


@POLICIES
@pytest.mark.parametrize("column", ["payroll.wage", "sales.salary"])
def test_an_error_that_may_name_anything_is_not_recalled_under_a_policy(wide: Any, column: str, policy: Any) -> None:
    error = failed(lambda: wide.compute(f"stats.median values={column}"))
    assert error.card is not None
    assert [line["kind"] for line in wide.log()] == ["error"]
    assert wide.narrow(policy).log() == []


@POLICIES
def test_why_a_result_was_not_replayed_is_not_recalled_under_a_policy(wide: Any, policy: Any) -> None:
    outcome = wide.ask("sum wage from payroll")
    replay = wide.replay(outcome.card, sources={"payroll": "nowhere.csv"})
    assert replay["status"] == "refused"
    assert wide.log(1)[0]["kind"] == "replay"
    assert "replay" not in [line["kind"] for line in wide.narrow(policy).log()]


def test_a_replay_is_recalled_where_what_was_replayed_is(wide: Any) -> None:
    for question in ("sum revenue from sales", "sum wage from payroll"):
        assert wide.ask(question).replay()["status"] == "identical"
    assert wide.compute("finance.npv rate=0.1 cashflows=[1, 2]").replay()["status"] == "identical"
    assert len(wide.log(kind="replay")) == 3
    assert [line["question"] for line in wide.narrow(NO_SOURCE).log(kind="replay")] == [
        "finance.npv(rate=0.1, cashflows=[1, 2])",
        "Sum of revenue in sales",
    ]
    assert len(wide.narrow(NO_FUNCTION).log(kind="replay")) == 2
    assert wide.narrow({"allowed_functions": []}).log(kind="computation") == []


def test_a_refusal_that_spoke_of_more_sources_than_it_tells_is_not_recalled(wide: Any) -> None:
    for n in range(25):
        wide.connect([{"a": 1}], name=f"a{n:02}")
    wide.connect([{"salary": 1}], name="zz")
    asked = ["sum salry from zz", "count from zzz", "count", "sum nothing from a01"]
    assert {wide.ask(question)["status"] for question in asked} == {"needs_clarification", "rejected"}
    names = [f"a{n:02}" for n in range(25)]
    sources = wide.narrow({"allowed_sources": names})
    assert [line["question"] for line in sources.log()] == ["sum nothing from a01"]
    assert wide.narrow({"allowed_fields": {"zz": []}}).log() == [
        line for line in wide.log() if line["question"] == "sum nothing from a01"
    ]


def test_a_question_that_named_no_source_is_not_recalled_by_its_words(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path, ledger=tmp_path / ".service")
    assert service.ask("sum salary")["resolution"]["rejection_reason"] == "no_source"
    assert service.narrow(NO_SOURCE).log() == []
    assert len(service.narrow(NO_FUNCTION).log()) == 1


@pytest.mark.parametrize(
    "options", [{"types": {"salary": "float64"}}, {"nulls": ["DE8937040044"]}], ids=lambda options: next(iter(options))
)
def test_how_a_source_was_read_is_not_told_by_what_was_made_from_it(wide: Any, tmp_path: Path, options: Any) -> None:
    path = tmp_path / "typed.csv"
    path.write_text("region,revenue,salary\nnorth,1,2\n")
    wide.connect(path, **options)
    outcome = wide.ask("sum revenue by region from typed")
    narrow = wide.narrow({"allowed_fields": {"typed": ["region", "revenue"]}})
    assert isinstance(failed(lambda: narrow.get_result(outcome["data"]["query_id"])), ResultNotFoundError)
    every = wide.narrow({"allowed_fields": {"typed": ["region", "revenue", "salary"]}})
    assert every.log() == []  # what was made of all columns tells a digest over all that the file holds
    assert narrow.ask("sum revenue by region from typed")["data"]["result"] == outcome["data"]["result"]
    assert not any("salary" in told or "DE8937040044" in told for told in recalled(narrow))


@POLICIES
def test_a_hidden_result_and_one_that_is_not_there_are_the_same_to_whoever_asks(wide: Any, policy: Any) -> None:
    outcome = failed(lambda: wide.compute("stats.median values=payroll.wage"))
    assert outcome.card is not None
    hidden, missing = wide.log(1)[0]["id"], "error_0000000000000000"
    narrow = wide.narrow(policy)
    for ask in (narrow.get_result, narrow.replay):
        told = [failed(lambda ask=ask, each=each: ask(each)).to_dict() for each in (hidden, missing)]
        assert told[0] == told[1]
        assert told[0]["code"] == "result_not_found"


@pytest.mark.parametrize(("limit", "kind"), [(0, None), (-1, None), (True, None), ("5", None), (5, "answer"), (5, 1)])
def test_a_log_of_no_sense_is_refused(wide: Any, limit: Any, kind: Any) -> None:
    assert isinstance(failed(lambda: wide.log(limit, kind)), InvalidIntentError)


def test_a_card_calls_no_other_file_by_a_name_that_a_policy_allows(wide: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("region,revenue,salary\nnorth,1,773311\n")
    other = service_nb.create_service(project=tmp_path, ledger=tmp_path / "other")
    other.connect(tmp_path / "secret.csv", name="sales")
    card = other.ask("sum revenue from sales").card
    assert wide.replay(card)["status"] == "identical"
    for policy in (NO_SOURCE, NO_FIELD):
        replay = wide.narrow(policy).replay(card)
        cause = "policy_denied" if policy is NO_FIELD else "source_content_mismatch"
        assert (replay["status"], replay["cause"]) == ("refused", cause)
