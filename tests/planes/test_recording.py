"""Every outcome becomes an entry of the ledger, and its card carries the receipt."""

from __future__ import annotations

import _thread
import json
import linecache
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.errors import InvalidIntentError, LedgerError, LoginRequiredError, ResultNotFoundError, ServiceError
from service_nb.evidence.documents import check_card
from service_nb.ledger.attachments import find_kept_source
from service_nb.ledger.store import Ledger, Writer

ROWS = [
    {"region": "north", "revenue": 1.5, "margin": 7.0},
    {"region": "south", "revenue": 2.25, "margin": 8.0},
    {"region": "north", "revenue": 3.0, "margin": 9.0},
]
NPV = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., service_nb.Service]:
    def make(**options: Any) -> service_nb.Service:
        service = service_nb.create_service(
            project=tmp_path, **{"ledger": tmp_path / ".service", "runtime": "in_process"} | options
        )
        service.connect({"records": ROWS}, name="sales")
        return service

    return make


def raised(run: Callable[[], Any]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        run()
    return caught.value


def test_every_kind_of_outcome_is_an_entry_with_a_receipt(client: Any) -> None:
    service = client()
    cards = [
        service.ask("sum revenue by region from sales").card,
        service.ask("sum nothing from sales").card,
        service.ask("sum from sales").card,
        service.compute(NPV).card,
        raised(lambda: service.compute("finance.npv rate=-2 cashflows=[1]")).card,
        raised(lambda: service.ask("sum ( from sales")).card,
    ]
    kinds = ["query", "rejection", "clarification", "computation", "error", "error"]
    assert [card["kind"] for card in cards] == kinds
    assert [line["kind"] for line in service.log()] == kinds[::-1]
    key = cards[0]["receipt"]["public_key"]
    contract = cards[3]["digests"]["contract_hash"]
    for index, (card, line) in enumerate(zip(cards, service.log()[::-1], strict=True)):
        assert card["receipt"]["log"]["index"] == index
        stored = service.get_result(line["id"])
        assert check_card(stored.card, keys=[key], contracts=[contract]).status == "verified"
        assert (
            stored.verify(keys=[key]).status == stored.verify().status == "verified"
        )  # it knows this contract and key
        assert {name: stored.card[name] for name in card if name != "receipt"} == {
            name: card[name] for name in card if name != "receipt"
        }


def test_one_transaction_holds_many_computations(client: Any) -> None:
    service = client()
    specs = [
        {"module": "finance", "function": "npv", "kwargs": {"rate": 0.1, "cashflows": [float(n)]}} for n in range(50)
    ]
    receipts = [one.card["receipt"]["log"] for one in service.compute_many(specs)]
    assert [log["index"] for log in receipts] == list(range(50))
    assert {log["size"] for log in receipts} == {50}


def test_a_group_of_computations_is_recorded_call_by_call(client: Any) -> None:
    service = client()
    computed = service.compute("stats.median values=sales.revenue", over="region")
    assert [line["id"] for line in service.log()] == [one["request_id"] for one in computed][::-1]


def test_a_statement_says_what_was_used(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "data" / "budget.csv"
    path.parent.mkdir()
    path.write_text("flow\n-5\n7\n", encoding="utf-8")
    service = client()
    service.connect(path, name="budget", types={"flow": "number"})
    outcome = service.compute("finance.npv rate=0.1 cashflows=budget.flow")
    stored = service.get_result(outcome["request_id"])
    [source] = stored["inputs"]
    assert source["origin"] == {"file": "data/budget.csv"}
    assert source["reading"] == {"types": {"flow": "number"}}
    assert source["content"] == service.source("budget")["content"]
    assert str(tmp_path) not in json.dumps(stored) + json.dumps(stored.card)


def test_a_file_elsewhere_is_told_by_its_name_alone(client: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("private") / "other.csv"
    elsewhere.write_text("a\n1\n", encoding="utf-8")
    service = client()
    service.connect(elsewhere)
    stored = service.get_result(service.ask("sum a from other")["data"]["query_id"])
    assert stored["inputs"][0]["origin"] == {"file": "other.csv"}


def test_a_large_file_whose_digest_was_deferred_has_it_in_its_statement(client: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": list(range(100_000))}), tmp_path / "large.parquet")
    service = client()
    service.connect(tmp_path / "large.parquet", content="deferred")
    stored = service.get_result(service.ask("sum x from large")["data"]["query_id"])
    assert len(stored["inputs"][0]["content"]["sha256"]) == 64


def test_values_in_memory_are_kept_once_by_their_digest(client: Any, tmp_path: Path) -> None:
    service = client()
    digest = service.source("sales")["content"]["sha256"]
    assert not (tmp_path / ".service").exists()  # nothing is written before there is something to write down
    service.ask("sum revenue from sales")
    path = find_kept_source(tmp_path / ".service", digest)
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o400
    assert pq.read_table(path).to_pylist() == ROWS
    again = service_nb.create_service(ledger="off")
    again.connect(pq.read_table(path), name="sales")
    assert again.source("sales")["content"]["sha256"] == digest


def test_what_the_policy_hides_is_not_kept_nor_told(client: Any, tmp_path: Path) -> None:
    service = client(policy={"allowed_fields": {"sales": ["region", "revenue"]}})
    stored = service.get_result(service.ask("sum revenue by region from sales")["data"]["query_id"])
    assert stored["inputs"][0]["origin"] is None
    assert stored["inputs"][0]["content"] == {
        "algorithm": "hidden",
        "sha256": None,
        "rows": 3,
        "fields": ["region", "revenue"],
    }
    assert not list((tmp_path / ".service").rglob("*.parquet"))
    assert "margin" not in (tmp_path / ".service" / "ledger.sqlite").read_bytes().decode("latin-1")


@pytest.mark.parametrize(
    "policy",
    [
        {"allowed_sources": ["other"]},
        {"allowed_fields": {"sales": ["region", "revenue"]}},
        {"allowed_functions": ["finance.npv"]},
    ],
)
def test_a_narrower_client_recalls_no_more_than_it_may_ask(client: Any, policy: dict[str, Any]) -> None:
    wide = client()
    ids = [
        wide.ask("sum margin by region from sales")["data"]["query_id"],
        wide.ask("count from sales where margin > 7")["data"]["query_id"],
        wide.compute("stats.median values=sales.margin")["request_id"],
    ]
    narrow = wide.narrow(policy)
    hidden = ids[2:] if "allowed_functions" in policy else ids
    for each in hidden:
        assert raised(lambda each=each: narrow.get_result(each)).code == "result_not_found"
    assert {line["id"] for line in narrow.log()}.isdisjoint(hidden)
    assert {line["id"] for line in wide.log()} == set(ids)


def test_another_tenants_result_is_not_there(client: Any) -> None:
    first, second = client(tenant_id="a"), client(tenant_id="b")
    result_id = first.ask("sum revenue from sales")["data"]["query_id"]
    assert first.get_result(result_id)["id"] == result_id
    theirs = raised(lambda: second.get_result(result_id))
    missing = raised(lambda: second.get_result("query_0000000000000000"))
    assert isinstance(theirs, ResultNotFoundError)
    assert (theirs.code, theirs.message.replace(result_id, "?")) == (
        missing.code,
        missing.message.replace("query_0000000000000000", "?"),
    )
    assert second.log() == []


def test_without_a_ledger_cards_have_hashes_and_say_that_they_are_not_signed(client: Any, tmp_path: Path) -> None:
    service = client(ledger="off")
    outcome = service.ask("sum revenue from sales")
    assert outcome.card["receipt"] is None
    assert outcome.verify().status == "consistent"
    assert [check.cause for check in outcome.verify().checks if check.status != "passed"] == ["unsigned"]
    assert raised(service.log).details["reason"] == "off"
    assert [path.name for path in tmp_path.iterdir()] == []


def test_before_login_outcomes_are_recorded_and_not_signed(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERVICE_DEVICE_KEY")
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    service = client()
    outcome = service.ask("sum revenue from sales")
    assert outcome.card["receipt"] is None
    assert service.get_result(outcome["data"]["query_id"]).card["digests"] == outcome.card["digests"]
    assert isinstance(raised(lambda: client(runtime="managed").compute(NPV)), LoginRequiredError)


def test_a_folder_that_can_only_be_read_gives_answers_without_receipts(client: Any) -> None:
    service = client(ledger="/sys/.service")  # where nobody can make a folder, root neither
    with pytest.warns(UserWarning, match="not recorded"):
        outcome = service.ask("sum revenue from sales")
    assert outcome.card["receipt"] is None
    assert service.ask("sum revenue from sales")["status"] == "ok"  # and says so once


def test_a_ledger_that_cannot_be_continued_ends_the_question(client: Any, tmp_path: Path) -> None:
    service = client()
    service.ask("sum revenue from sales")
    service.close()
    (tmp_path / ".service" / "ledger.sqlite").write_bytes(b"not a database " * 100)
    assert isinstance(raised(lambda: client().ask("sum revenue from sales")), LedgerError)


def test_two_clients_write_to_one_ledger(client: Any, tmp_path: Path) -> None:
    one, other = client(), client()
    for service in (one, other, one, other):
        service.ask("sum revenue from sales")
    with Ledger(tmp_path / ".service", lambda: None) as ledger:
        assert ledger.count_entries() == 4
        assert ledger.verify().status != "altered"


def test_a_replay_is_not_recorded_as_another_answer(client: Any) -> None:
    service = client()
    outcome = service.ask("sum revenue from sales")
    outcome.replay()
    assert [line["kind"] for line in service.log() if line["kind"] != "replay"] == ["query"]


def test_a_withheld_result_is_in_the_ledger_and_not_in_the_card(client: Any) -> None:
    service = client()
    outcome = service.ask("sum revenue by region from sales", rows="none")
    assert "result" not in outcome.card["canonical"]
    stored = service.get_result(outcome["data"]["query_id"])
    assert json.loads(stored.texts["result"]) == outcome["data"]["result"]


def waits_for_the_ledger() -> bool:
    """Whether the main thread is at the line of `append` that takes the ledger's lock, or would if it were free."""
    frame = sys._current_frames()[threading.main_thread().ident or 0]
    return frame.f_code is Writer.append.__code__ and linecache.getline(
        frame.f_code.co_filename, frame.f_lineno
    ).strip().startswith('connection.execute("BEGIN')


def test_an_interrupt_while_it_waits_for_another_kernel_leaves_the_ledger_to_all(client: Any, tmp_path: Path) -> None:
    service, other = client(), client()
    service.ask("sum revenue from sales")

    def interrupt_and_make_way(holder: sqlite3.Connection) -> None:
        until = time.monotonic() + 60
        while not waits_for_the_ledger() and time.monotonic() < until:
            time.sleep(0.01)
        _thread.interrupt_main()  # it waits within SQLite, and hears of it when it has the lock
        holder.execute("ROLLBACK")

    path = tmp_path / ".service" / "ledger.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        thread = threading.Thread(target=interrupt_and_make_way, args=(holder,))
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            service.ask("sum margin from sales")
        thread.join()
    for each in (other, service):
        assert each.ask("sum margin from sales").card["receipt"] is not None
    assert [line["kind"] for line in service.log()] == ["query"] * 3


def test_what_was_interrupted_before_it_was_recorded_loses_no_source(client: Any, tmp_path: Path) -> None:
    faults = [KeyboardInterrupt()]

    def where() -> None:
        if faults:
            raise faults.pop()

    service = client(where=where)
    with pytest.raises(KeyboardInterrupt):
        service.ask("sum revenue from sales")
    service.ask("sum revenue from sales")
    assert find_kept_source(tmp_path / ".service", service.source("sales")["content"]["sha256"]) is not None


@pytest.mark.parametrize(
    "told",
    [[], {"folder": "secret"}, {"cell": "x" * 201}, {"notebook": "a\nb"}, {"source": "x"}, {"source": "A" * 64}],
)
def test_a_place_that_is_none_is_refused_before_anything_is_signed(client: Any, told: Any) -> None:
    service = client(where=lambda: told)
    with pytest.raises(InvalidIntentError) as caught:
        service.ask("sum revenue from sales")
    assert caught.value.details["path"] == "where"
    assert service.log() == []


@pytest.mark.parametrize("policy", [None, {"allowed_fields": {"sales": ["region", "revenue"]}}])
def test_values_in_memory_are_held_no_longer_than_until_they_are_kept(client: Any, policy: Any) -> None:
    service = client(policy=policy)
    service.ask("sum revenue from sales")
    assert service._sources.registry.get_table(service._sources.registry.get("sales")) is None


def test_a_filter_too_long_for_a_statement_is_left_out_and_the_ledger_stays_readable(client: Any) -> None:
    service = client()
    among = {"column": "region", "op": "in", "values": ["north", *(f"{n:05d}{'x' * 60}" for n in range(5_000))]}
    binding = {"parameter": "values", "source": "sales", "field": "revenue", "filter": {"conditions": [among]}}
    computed = service.compute("stats.mean", bindings=[binding])
    assert computed.value == 2.25
    assert [line["id"] for line in service.log()] == [computed["request_id"]]
    stored = service.get_result(computed["request_id"])
    verdict = stored.verify()  # what the card shows of the filter is clipped, so that nothing can be compared with it
    assert (verdict.status, verdict.causes) == ("not_checkable", ())
    assert "shown_not_kept" in {check.cause for check in verdict.checks}
    replay = computed.replay()
    assert (replay["status"], replay["cause"]) == ("refused", "text_not_kept")
    narrow = service.narrow({"allowed_fields": {"sales": ["revenue"]}})
    assert isinstance(raised(lambda: narrow.get_result(computed["request_id"])), ResultNotFoundError)


def test_types_of_thousands_of_columns_are_not_told_with_what_was_made(client: Any, tmp_path: Path) -> None:
    names = [f"c{n:04d}{'y' * 100}" for n in range(3_000)]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    service = client()
    service.connect(tmp_path / "wide.csv", types=dict.fromkeys(names, "float64"))
    outcome = service.ask(f"sum {names[0]} from wide")
    [source] = service.get_result(outcome["data"]["query_id"])["inputs"]
    assert (source["origin"], source["reading"]) == ({"file": "wide.csv"}, None)
    assert outcome.replay()["status"] == "identical"


@pytest.mark.parametrize("tenant", ["", "a\ud800", "a\0b", "x" * 201, 5])
def test_a_tenant_that_no_statement_could_name_is_refused(client: Any, tenant: Any) -> None:
    assert isinstance(raised(lambda: client(tenant_id=tenant)), InvalidIntentError)


def test_what_a_tenant_had_in_memory_is_read_by_no_other(client: Any, tmp_path: Path) -> None:
    first = client(tenant_id="a")
    outcome = first.ask("sum revenue from sales")
    assert first.replay(outcome.card)["status"] == "identical"
    first.close()
    for tenant, status in (("a", "identical"), ("b", "refused"), (None, "refused")):
        other = service_nb.create_service(project=tmp_path, ledger=tmp_path / ".service", tenant_id=tenant)
        assert other.replay(outcome.card)["status"] == status


def test_an_error_that_cannot_be_recorded_is_still_that_error(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_DEVICE_KEY", "no key")
    error = raised(lambda: client().ask("sum ( from sales"))
    assert isinstance(error, InvalidIntentError)
    assert error.card is None
    assert len(error.__notes__) == 1


def test_an_error_that_cites_what_no_text_can_hold_is_recorded(client: Any) -> None:
    service = client()
    error = raised(lambda: service.ask("sum \ud800 from sales"))
    assert isinstance(error, InvalidIntentError)
    assert error.card is not None
    assert service.log()[0]["kind"] == "error"


def test_one_key_by_itself_is_a_key_and_not_its_letters(client: Any) -> None:
    service = client()
    outcome = service.ask("sum revenue from sales")
    key = outcome.card["receipt"]["public_key"]
    assert outcome.verify(keys=key).status == "verified"
    assert service.replay(outcome.card, keys=key)["status"] == "identical"


@pytest.mark.parametrize("told", ["off", "Off", "OFF"])
def test_off_is_off_however_it_is_written(client: Any, tmp_path: Path, told: str) -> None:
    client(ledger=told).ask("sum revenue from sales")
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_may_lie_in_the_home_folder(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    client(ledger="~/kept").ask("sum revenue from sales")
    assert (tmp_path / "kept" / "ledger.sqlite").is_file()


@pytest.mark.parametrize("ledger", [5, b".service", object()], ids=type)
def test_a_ledger_that_is_no_path_is_refused(client: Any, ledger: Any) -> None:
    assert isinstance(raised(lambda: client(ledger=ledger)), InvalidIntentError)


@pytest.mark.parametrize("options", [{"ledger": "nowhere"}, {"ledger": 5}, {"ledger": "off"}, {"sources": "sales.csv"}])
def test_a_replay_of_what_is_nowhere_is_refused_and_not_a_success(client: Any, options: Any) -> None:
    service = client()
    service.ask("sum revenue from sales")
    assert isinstance(raised(lambda: service.replay("ledger", **options)), InvalidIntentError)
    assert service.replay("ledger", ledger=str(service.project / ".service")).is_identical


@pytest.mark.parametrize(
    "place", ["here", {"notebook": 5}, {"notebook": "x" * 201}, {"cell": "\ud800"}, {"folder": "/home"}], ids=repr
)
def test_a_place_that_is_none_is_refused(client: Any, place: Any) -> None:
    error = raised(lambda: client(where=lambda: place).ask("sum revenue from sales"))
    assert isinstance(error, InvalidIntentError)
    assert error.details["path"] == "where"


def test_a_place_is_told_with_what_was_asked_there(client: Any) -> None:
    place = {"notebook": "claims.ipynb", "cell": "a1"}
    service = client(where=lambda: place)
    assert service.get_result(service.ask("sum revenue from sales")["data"]["query_id"])["place"] == place
