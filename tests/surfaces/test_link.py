"""The link without a transport: what each message is answered, and what is said of calls and questions."""

from __future__ import annotations

import base64
import gc
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from service_nb import Service, create_service
from service_nb.client.compute_line import parse_compute_line
from service_nb.compute.call import Signature, parse_call
from service_nb.compute.contract import read_capability
from service_nb.errors import ServiceError
from service_nb.notebook.body import read_question
from service_nb.notebook.link import answer_message
from service_nb.notebook.link_results import PART_CHARS, read_part
from service_nb.notebook.question_magics import ASK
from tests.surfaces.conftest import SALES, Session
from tests.surfaces.hostile_messages import HOSTILE

NPV = {"rate": "0.1", "cashflows": "[-1000, 300, 420]"}


@pytest.fixture
def client() -> Service:
    service = create_service(runtime="in_process")
    service.connect(SALES, name="sales", aliases={"turnover": "revenue"})
    service.connect([{"rate": 0.5, "n": 3, "word": "x"}], name="one")
    return service


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(client: Service) -> Ask:
    def asked(method: str, **params: Any) -> dict[str, Any]:
        told = answer_message({"service_nb": 1, "id": 7, "method": method, "params": params}, client)
        assert (told["service_nb"], told["id"]) == (1, 7)
        assert "result" in told, told
        result: dict[str, Any] = told["result"]
        return result

    return asked


def faults(ask: Ask, name: str, **texts: str) -> list[str]:
    """Return the parameters that a call has faults of."""
    told = ask("check_call", name=name, arguments=texts)
    assert (told["status"] == "ok") == (told["faults"] == [])
    return [fault["parameter"] for fault in told["faults"]]


def test_a_message_is_answered_in_json(ask: Ask) -> None:
    for told in (ask("hello"), ask("sources"), ask("capability", name="finance.npv")):
        assert json.loads(json.dumps(told, allow_nan=False)) == told


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_message_is_refused(client: Service, name: str) -> None:
    told = answer_message(HOSTILE[name], client)
    assert "result" not in told
    assert told["error"]["code"] != "internal"
    json.dumps(told, allow_nan=False).encode()


@pytest.mark.parametrize(
    "message", [None, [], "hello", 1, b"", object(), {1: 2}, {"params": {"a": float("nan")}}, {"\ud800"}]
)
def test_what_is_no_message_is_refused(client: Service, message: Any) -> None:
    told = answer_message(message, client)
    assert told["id"] == 0
    assert told["error"]["code"] in ("invalid_intent", "limit_exceeded")


def test_what_nobody_expected_is_told_without_its_words(client: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "sources", lambda: vars(client)["s3cret"])
    told = answer_message({"service_nb": 1, "id": 1, "method": "sources", "params": {}}, client)
    assert told["error"]["code"] == "internal"
    assert "s3cret" not in str(told)


def test_an_answer_to_an_older_or_a_later_front_end_says_so_at_once(client: Service) -> None:
    told = answer_message({"service_nb": 2, "id": 5, "method": "unheard_of"}, client)
    assert (told["service_nb"], told["id"], told["error"]["code"]) == (1, 5, "unknown_version")


def test_aliases_stand_with_their_field(ask: Ask) -> None:
    sales = next(source for source in ask("sources")["sources"] if source["name"] == "sales")
    assert [field["aliases"] for field in sales["fields"] if field["name"] == "revenue"] == [["turnover"]]


def test_a_search_without_words_lists_what_there_is(ask: Ask) -> None:
    told = ask("search", query="  ", limit=3)
    assert len(told["hits"]) == 3
    assert told["count"] == ask("hello")["capabilities"]


# --- questions --------------------------------------------------------------------------------------------------------

SPECS: dict[str, dict[str, Any]] = {
    "plain": {"aggregation": "sum", "metric": "revenue", "source_name": "sales", "group_by": ["region"], "limit": 2},
    "a name with a blank": {"aggregation": "count", "group_by": "Order Year", "source_name": "sales", "order": "asc"},
    "options inside a value": {
        "aggregation": "count",
        "source_name": "sales",
        "filter": {"conditions": [{"column": "region", "op": "in", "values": ["--as x", "it's", "2024-01-01", ";"]}]},
    },
    "a break inside a value": {
        "aggregation": "count",
        "source_name": "sales",
        "filter": {"conditions": [{"column": "region", "op": "eq", "value": "a\nb\u2028c"}]},
    },
    "a name that ends in a backtick and asks": {"aggregation": "sum", "metric": "what?`", "source_name": "sales"},
    "numbers": {
        "aggregation": "count",
        "source_name": "sales",
        "filter": {"conditions": [{"column": "revenue", "op": "between", "values": [-1e-300, 12345678901234567890]}]},
    },
    "not complete": {"metric": "revenue"},
}


@pytest.mark.parametrize("name", SPECS)
def test_the_line_of_a_question_reads_as_the_question(ask: Ask, client: Service, name: str) -> None:
    line = ask("check_ask", spec=SPECS[name])["line"]
    body = ASK.read(line.removeprefix("%service_ask ")).question if line.startswith("%service_ask ") else line[14:]
    assert line.startswith(("%service_ask ", "%%service_ask\n"))
    assert client.resolve(read_question(body)) == client.resolve(SPECS[name])


def test_a_question_is_resolved_and_not_run(ask: Ask, client: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service_nb.client.question.run_plan", lambda *_: pytest.fail("it was run"))
    assert ask("check_ask", spec=SPECS["plain"])["status"] == "ok"
    assert ask("check_ask", spec={**SPECS["plain"], "metric": "revenu"})["candidates"][0]["name"] == "revenue"
    told = ask("check_ask", spec={"metric": "nothing", "aggregation": "sum", "source_name": "sales"})
    assert (told["status"], told["plan"]) == ("rejected", [])


# --- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("finance.npv", NPV),
        ("finance.npv", {"rate": " 1e-1 ", "cashflows": "-1_000, 300,420"}),
        ("finance.npv", {"rate": "one.rate", "cashflows": "sales.revenue"}),
        ("finance.npv", {"rate": ".5", "cashflows": "1\n2\t3"}),
        ("finance.npv", {"rate": ".5", "cashflows": "1 ,\n2\r\n 3"}),
        ("calculus.taylor_coefficients", {"function": "exp", "center": "0", "terms": "4"}),
        ("calculus.taylor_coefficients", {"function": "'exp'", "center": "one.rate", "terms": "one.n"}),
        ("stats.median", {"x": "sales.turnover"}),
        ("linalg.determinant", {"matrix": "[[1, 2], [3, 4]]"}),
    ],
)
def test_a_call_that_fits_has_a_line_that_makes_it(ask: Ask, client: Service, name: str, texts: dict[str, str]) -> None:
    names = [table["name"] for table in client.capability(name)["params"]]
    told = ask("check_call", name=name, arguments=dict(zip(names, texts.values(), strict=True)))
    assert told["faults"] == []
    line = told["line"].removeprefix("%service_compute ")
    Signature(read_capability(client.capability(name))).check(parse_call(parse_compute_line(line)))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({}, ["rate", "cashflows"]),
        ({**NPV, "rate": " "}, ["rate"]),
        ({**NPV, "rate": "abc"}, ["rate"]),
        ({**NPV, "rate": "-1"}, ["rate"]),
        ({**NPV, "rate": "nan"}, ["rate"]),
        ({**NPV, "rate": "1e999"}, ["rate"]),
        ({**NPV, "rate": "'0.1'"}, ["rate"]),
        ({**NPV, "rate": "0.1 cashflows=[1]"}, ["rate"]),
        ({**NPV, "rate": "0.1 where paid = true"}, ["rate"]),
        ({**NPV, "rate": "sales.revenue"}, ["rate"]),
        ({**NPV, "rate": "$rate"}, ["rate"]),
        ({**NPV, "rate": "one.word"}, ["rate"]),
        ({**NPV, "rate": "1" * 50_000}, ["rate"]),
        ({**NPV, "cashflows": "1" + " " * 90_000 + "2"}, ["cashflows"]),  # a pattern around blanks took minutes
        ({**NPV, "cashflows": "1,, 2"}, ["cashflows"]),
        ({**NPV, "cashflows": "1\t\t2"}, ["cashflows"]),
        ({**NPV, "cashflows": "1\n\n2"}, ["cashflows"]),
        ({**NPV, "cashflows": "[]"}, ["cashflows"]),
        ({**NPV, "cashflows": "[1, [2]]"}, ["cashflows"]),
        ({**NPV, "cashflows": "[" * 50}, ["cashflows"]),
        ({**NPV, "cashflows": "sales.region"}, ["cashflows"]),
        ({**NPV, "cashflows": "sales.nowhere"}, ["cashflows"]),
        ({**NPV, "cashflows": "nowhere.revenue"}, ["cashflows"]),
        ({**NPV, "seed": "7"}, ["seed"]),
        ({**NPV, "rates": "7"}, ["rates"]),
        ({"rate": "x", "cashflows": "y"}, ["rate", "cashflows"]),
    ],
)
def test_every_fault_of_a_call_is_told_by_its_parameter(ask: Ask, texts: dict[str, str], expected: list[str]) -> None:
    assert faults(ask, "finance.npv", **texts) == expected


def test_a_simulation_needs_a_seed(ask: Ask) -> None:
    texts = {"values": "[1, 2, 3]", "resamples": "100"}
    assert "seed" in faults(ask, "simulation.bootstrap_mean", **texts)
    assert "seed" in faults(ask, "simulation.bootstrap_mean", **texts, seed="1.5")
    assert "seed" not in faults(ask, "simulation.bootstrap_mean", **texts, seed="7")


def test_a_choice_is_one_of_the_list(ask: Ask) -> None:
    name = "calculus.taylor_coefficients"
    assert faults(ask, name, function="exq", center="0", terms="4") == ["function"]
    assert faults(ask, name, function="$x", center="0", terms="4") == ["function"]


def test_the_first_case_of_a_capability_fits_it_as_its_examples_are_written(ask: Ask, client: Service) -> None:
    for name in client.capabilities()[::40]:
        told = ask("capability", name=name)
        texts = {parameter["name"]: parameter["example"] for parameter in told["params"]}
        assert None not in texts.values(), name
        assert faults(ask, name, **texts, **({"seed": "1"} if told["needs_seed"] else {})) == [], name


def test_a_variable_of_the_notebook_is_taken_by_its_name(session: Session) -> None:
    session.run("import numpy; flows = numpy.array([1.0, 2.0])")
    magics = session.shell.magics_manager.registry["ServiceMagics"]
    message = {"service_nb": 1, "id": 1, "method": "check_call"}
    given = {"name": "finance.npv", "arguments": {"rate": "0.1", "cashflows": "$flows"}}
    assert answer_message({**message, "params": given}, magics)["result"]["status"] == "ok"
    given = {"name": "finance.npv", "arguments": {"rate": "0.1", "cashflows": "$rows"}}
    assert answer_message({**message, "params": given}, magics)["result"]["faults"][0]["parameter"] == "cashflows"


# --- replays ----------------------------------------------------------------------------------------------------------


def test_a_card_is_replayed_where_no_ledger_is_kept(ask: Ask, client: Service) -> None:
    outcome = client.ask("sum revenue by region from sales")
    card = json.loads(json.dumps(outcome.card))
    assert ask("replay", id=outcome["data"]["query_id"], card=card)["status"] == "identical"
    card["canonical"]["result"] = card["canonical"]["result"].replace("1.5", "2.5")
    told = ask("replay", id="x", card=card)
    assert (told["status"], told["cause"]) == ("refused", "evidence_invalid")


def test_only_one_result_is_replayed_at_a_time(client: Service) -> None:
    told = answer_message({"service_nb": 1, "id": 1, "method": "replay", "params": {"id": "ledger"}}, client)
    assert told["error"]["code"] == "ledger_unavailable"


# --- policy -----------------------------------------------------------------------------------------------------------


def test_what_a_policy_denies_is_answered_as_what_is_not_there(client: Service) -> None:
    narrow = client.narrow({"allowed_sources": ["one"], "allowed_functions": ["finance.npv"]})

    def told(method: str, **params: Any) -> Any:
        return answer_message({"service_nb": 1, "id": 1, "method": method, "params": params}, narrow)

    def same(met: Any, other: Any, word: str, other_word: str) -> None:
        assert str(met).replace(word, other_word) == str(other)

    same(told("capability", name="finance.irr"), told("capability", name="finance.xyz"), "finance.irr", "finance.xyz")
    calls = [
        told("check_call", name="finance.npv", arguments={**NPV, "rate": f"{name}.x"}) for name in ("sales", "salsa")
    ]
    same(calls[0], calls[1], "sales", "salsa")
    questions = [told("check_ask", spec={"aggregation": "count", "source_name": name}) for name in ("sales", "salsa")]
    same(questions[0], questions[1], "sales", "salsa")
    assert told("values", source="sales", field="region")["result"] == {"values": []}


def test_loading_twice_and_unloading_without_a_kernel_is_nothing(bare_session: Session) -> None:
    for magic in ("load_ext", "load_ext", "unload_ext", "load_ext"):
        bare_session.shell.run_line_magic(magic, "service_nb")


def test_errors_of_the_client_keep_their_code(client: Service) -> None:
    with pytest.raises(ServiceError) as met:
        client.capability("finance.npw")
    told = answer_message({"service_nb": 1, "id": 1, "method": "capability", "params": {"name": "finance.npw"}}, client)
    assert told["error"] == {"code": met.value.code, "message": met.value.message, "hint": met.value.hint}


# --- whole results ----------------------------------------------------------------------------------------------------


def read_whole(client: Service, result_id: str, form: str = "text") -> str:
    parts: list[str] = []
    while True:
        at = sum(map(len, parts))
        request = {"service_nb": 1, "id": 1, "method": "read_result"}
        told = answer_message(request | {"params": {"id": result_id, "form": form, "at": at}}, client)
        assert "result" in told, told
        parts.append(told["result"]["part"])
        if at + len(parts[-1]) == told["result"]["size"]:
            return "".join(parts)


@pytest.fixture
def recorded(tmp_path: Path) -> Service:
    """A client with a ledger, and a source of more groups than a card holds."""
    service = create_service(project=tmp_path, ledger=tmp_path / "ledger")
    rows = [{"name": f"n{at} 😀", "amount": at / 10, "secret": f"s{at % 7}"} for at in range(12_000)]
    service.connect(rows, name="big")
    return service


def test_a_result_that_its_card_is_too_small_for_is_sent_in_parts(recorded: Service) -> None:
    outcome = recorded.ask("sum amount by name from big")
    result_id, card = outcome["data"]["query_id"], outcome.card
    assert "result" not in card["canonical"]
    text = read_whole(recorded, result_id)
    assert len(text) > PART_CHARS
    hashed = b"service:result:v1\0" + card["digests"]["plan_hash"].encode() + text.encode()
    assert hashlib.sha256(hashed).hexdigest() == card["digests"]["result_hash"]

    held = base64.b64decode(read_whole(recorded, result_id, "parquet"))
    del outcome
    gc.collect()  # from here on only the ledger has it
    assert read_whole(recorded, result_id) == text
    stored = base64.b64decode(read_whole(recorded, result_id, "parquet"))
    table = pyarrow.parquet.read_table(io.BytesIO(stored))
    assert table.equals(pyarrow.parquet.read_table(io.BytesIO(held)))
    assert table.schema.metadata[b"service_nb.result_hash"].decode() == card["digests"]["result_hash"]
    assert table.num_rows == 12_000


def test_a_result_of_a_wider_policy_is_not_sent_to_a_narrower_client(recorded: Service) -> None:
    outcome = recorded.ask("sum amount by secret from big")
    allowed = recorded.ask("sum amount by name from big")
    narrow = recorded.narrow({"allowed_fields": {"big": ["name", "amount"]}})
    for form in ("text", "parquet"):
        params = {"id": outcome["data"]["query_id"], "form": form, "at": 0}
        told = answer_message({"service_nb": 1, "id": 1, "method": "read_result", "params": params}, narrow)
        assert told["error"]["code"] == "result_not_found"
        assert "secret" not in json.dumps(told)
    other = recorded.narrow({"allowed_sources": []})
    params = {"id": allowed["data"]["query_id"], "form": "text", "at": 0}
    told = answer_message({"service_nb": 1, "id": 1, "method": "read_result", "params": params}, other)
    assert told["error"]["code"] == "result_not_found"
    own = narrow.ask("sum amount by name from big")  # what it was answered itself, it has
    assert len(json.loads(read_whole(narrow, own["data"]["query_id"]))) == 12_000


def test_a_part_of_another_result_is_never_sent(recorded: Service) -> None:
    """Two results that are read by turns do not mix, and an offset behind the end is an empty part."""
    first, second = (recorded.ask(f"{how} amount by name from big") for how in ("sum", "max"))
    ids = [each["data"]["query_id"] for each in (first, second)]

    def part(result_id: str, at: int) -> dict[str, Any]:
        return read_part(recorded, result_id, "text", at)

    texts = [read_whole(recorded, each) for each in ids]
    for at in (0, PART_CHARS):
        for result_id, text in zip(ids, texts, strict=True):
            assert part(result_id, at) == {"part": text[at : at + PART_CHARS], "size": len(text)}
    assert part(ids[0], len(texts[0]) + 1)["part"] == ""


@pytest.mark.parametrize(
    "params",
    [
        {"id": "query_1", "form": "text", "at": 0},
        {"id": "query_1", "form": "csv", "at": 0},
        {"id": "query_1", "form": "text", "at": -1},
        {"id": "../../etc/passwd", "form": "text", "at": 0},
        {"id": "", "form": "text", "at": 0},
    ],
)
def test_a_result_that_is_not_there_is_refused(recorded: Service, params: dict[str, Any]) -> None:
    recorded.ask("sum amount from big")
    told = answer_message({"service_nb": 1, "id": 1, "method": "read_result", "params": params}, recorded)
    assert told["error"]["code"] in ("result_not_found", "invalid_intent")


def test_a_refusal_has_no_rows_to_send(recorded: Service) -> None:
    refused = recorded.ask("sum nothing from big")
    params = {"id": refused["result_id"], "form": "text", "at": 0}
    told = answer_message({"service_nb": 1, "id": 1, "method": "read_result", "params": params}, recorded)
    assert told["error"]["code"] == "invalid_intent"
