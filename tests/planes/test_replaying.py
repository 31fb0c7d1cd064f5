"""Stored results run again: sources found by their content, values compared, causes named, refusals told."""

from __future__ import annotations

import datetime
import json
import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service_nb.client.service import Service
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import (
    COMPUTATION_DOMAIN,
    RESULT_DOMAIN,
    ROWS_DOMAIN,
    VIEW_DOMAIN,
    digest,
)
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    DomainError,
    EvidenceError,
    LedgerError,
    LoginRequiredError,
    QueryTimeoutError,
    ResultNotFoundError,
)
from service_nb.evidence.documents import check_card
from service_nb.schema.card import CARD_MIME, Card
from service_nb.schema.reports import Replay
from tests.simulators.compute import DESCRIPTION, ENTRIES, HASH, Simulator, contract
from tests.simulators.replays import Elsewhere, client, replaying

CSV = "region,year,flow\nnorth,2023,1.5\nsouth,2023,0.1\nsouth,2024,0.2\nnorth,2024,-7.25\n,2024,\n"
ASKED = "sum flow by region from budget where year >= 2023"
CALL = "finance.npv rate=0.1 cashflows=budget.flow"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "budget.csv").write_text(CSV, encoding="utf-8")
    return folder


@pytest.fixture
def service(project: Path) -> Iterator[Service]:
    """A client that recorded, with the file below its project."""
    made = client(project, ledger=project / ".service")
    made.connect(project / "data" / "budget.csv")
    yield made
    made.close()


def question(service: Service) -> Card:
    return service.ask(ASKED).card


def computation(service: Service) -> Card:
    bound = {"parameter": "cashflows", "source": "budget", "field": "flow", "null_policy": "drop"}
    return service.compute({"module": "finance", "function": "npv", "args": [0.1], "bindings": [bound]}).card


def refusal(service: Service) -> Card:
    return service.ask("sum flwo by region from budget").card


def stripped(card: Card) -> Card:
    """The same without a receipt."""
    return Card(**{**card, "receipt": None})


def again(service: Service, card: Any, **options: Any) -> Replay:
    return replaying(service, **options).replay_card(card).replay


def identical(replay: Replay) -> bool:
    assert replay.message
    assert replay.met == replay.expected
    return (replay.status, replay.cause) == ("identical", None)


def refused(replay: Replay, cause: str) -> bool:
    assert replay.message
    assert replay.met is None
    return (replay.status, replay.cause) == ("refused", cause)


RESULTS = pytest.mark.parametrize("make", [question, computation, refusal])


# --- the same ---------------------------------------------------------------------------------------------------------


@RESULTS
def test_a_result_of_this_client_is_the_same_again(service: Service, make: Any) -> None:
    replay = again(service, make(service))
    assert identical(replay)
    assert [(each.name, each.found) for each in replay.sources] == [("budget", "registered")]
    assert (replay.verified, replay.changes) == ("not_checkable" if make is computation else "unaltered", ())
    assert replay.signer is not None
    assert replay.time is not None


def test_an_outcome_is_replayed_as_its_card_is(service: Service) -> None:
    outcome = service.ask("sum revenue by region from sales")
    assert service.replay(outcome)["status"] == "identical"
    assert [each["status"] for each in service.replay([outcome, outcome.card])] == ["identical", "identical"]


@RESULTS
def test_another_client_finds_the_file_where_it_was_in_the_project(service: Service, project: Path, make: Any) -> None:
    replay = again(client(project), make(service))
    assert identical(replay)
    assert [each.found for each in replay.sources] == ["origin"]


@RESULTS
def test_a_project_that_moved_as_a_whole_is_the_same(
    service: Service, project: Path, tmp_path: Path, make: Any
) -> None:
    card = make(service)
    assert identical(again(client(project.rename(tmp_path / "elsewhere")), card))


@RESULTS
def test_a_moved_file_is_found_where_it_is_said_to_be(service: Service, project: Path, make: Any) -> None:
    card = make(service)
    moved = project / "data" / "budget.csv"
    moved = moved.rename(project / "renamed.csv")
    assert refused(again(client(project), card), "source_missing")
    replay = again(client(project), card, sources={"budget": moved})
    assert identical(replay)
    assert [each.found for each in replay.sources] == ["given"]


def test_a_file_under_another_name_in_the_client_is_found_by_its_content(service: Service, tmp_path: Path) -> None:
    cards = [question(service), computation(service)]
    other = client(tmp_path)
    other.connect(shutil.copy(tmp_path / "project" / "data" / "budget.csv", tmp_path / "copy.csv"))
    assert all(identical(again(other, card)) for card in cards)
    assert [source["name"] for source in other.sources()] == ["copy"]


def test_a_source_kept_in_service_toml_is_found(service: Service, project: Path, tmp_path: Path) -> None:
    card = question(service)
    (project / "data" / "budget.csv").rename(tmp_path / "far.csv")
    other = client(project)
    other.connect(tmp_path / "far.csv", name="budget", persist=True)
    replay = again(client(project), card)
    assert identical(replay)
    assert [each.found for each in replay.sources] == ["service.toml"]


@RESULTS
def test_an_unsigned_card_is_replayed_by_what_it_shows(project: Path, make: Any) -> None:
    unrecorded = client(project)
    unrecorded.connect(project / "data" / "budget.csv")
    card = make(unrecorded)
    assert card["receipt"] is None
    assert identical(again(unrecorded, card))
    replay = again(client(project), card, sources={"budget": project / "data" / "budget.csv"})
    assert identical(replay)
    assert (replay.signer, replay.time) == (None, None)


def test_a_card_without_values_is_compared_by_its_hash(service: Service) -> None:
    outcome = service.ask(ASKED, rows="none")
    assert "result" not in outcome.card["canonical"]
    assert identical(again(service, outcome.card))


def test_a_replay_leaves_the_client_as_it_was(service: Service, project: Path) -> None:
    cards = [question(service), computation(service)]
    other = client(project)
    for card in cards:
        replays = replaying(other)
        assert identical(replays.replay_card(card).replay)
        replays.close()
    assert other.sources() == []
    replays = replaying(service)
    assert identical(replays.replay_card(cards[0]).replay)
    replays.close()
    assert service.ask(ASKED)["status"] == "ok"  # what was lent is not closed


CALLS: list[Any] = [
    {"module": "finance", "function": "npv", "args": [0.1, [2.0**60, -(2.0**53) - 2, 1e21, 1e300, 5e-324]]},
    {"module": "finance", "function": "npv", "kwargs": {"rate": 0.5, "cashflows": [1.2345678901234567e19, -0.0]}},
    {"module": "numbers", "function": "power", "args": [7, 60]},
    {"module": "numbers", "function": "total", "args": [[2**64 + 1, -3]]},
    {"module": "linalg", "function": "trace", "args": [[[1.5, 2.0], [3.0, 2.0**70]]]},
    {"module": "logic", "function": "every", "args": [[True, False]]},
    {"module": "words", "function": "join", "args": [["12", "é", "1.50"], "\u2028"]},
    {"module": "stats", "function": "extent", "args": [[3.5, -2.25]]},
    {"module": "simulation", "function": "draw", "args": [5], "seed": 2**53 - 1},
    {
        "module": "stats",
        "function": "covariance",
        "bindings": [
            {
                "parameters": ["x", "y"],
                "fields": ["year", "flow"],
                "alignment": "rowwise",
                "source": "budget",
                "null_policy": "drop",
                "filter": {"conditions": [{"column": "region", "op": "in", "values": ["north", "south"]}]},
            }
        ],
    },
]


@pytest.mark.parametrize("spec", CALLS, ids=lambda spec: f"{spec['module']}.{spec['function']}")
def test_calls_of_every_kind_of_argument_are_the_same(service: Service, project: Path, spec: Any) -> None:
    assert identical(again(client(project), service.compute(spec).card))


def test_calls_over_groups_are_the_same(service: Service, project: Path) -> None:
    bound = {"parameter": "values", "source": "budget", "field": "flow", "null_policy": "drop"}
    spec = {"module": "stats", "function": "extent", "bindings": [bound]}
    spec["bindings"][0]["filter"] = {"conditions": [{"column": "region", "op": "is_not_null"}]}
    cards = [each.card for each in service.compute(spec, over="region")]
    assert len(cards) == 2
    assert all(identical(again(client(project), card)) for card in cards)


@pytest.mark.parametrize(
    "line",
    [
        "count from budget",
        "avg flow by region, year from budget order asc limit 2",
        "max year from budget where region in ('north', 'west') and flow is not null",
        "min flow by year from budget where flow between -7.25 and 0.2",
    ],
)
def test_questions_of_every_kind_are_the_same(service: Service, project: Path, line: str) -> None:
    assert identical(again(client(project), service.ask(line).card))


def test_files_are_read_as_they_were_read(tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    text = "code;größe\n007;1,5\n-;2,5\n008;NA\n"
    (folder / "odd.txt").write_bytes(text.encode("cp1252"))
    with closing(sqlite3.connect(folder / "shop.sqlite")) as database:
        database.execute("create table orders (total integer, city text)")
        database.executemany("insert into orders values (?, ?)", [(3, "Oslo"), (2**62, "Bonn"), (None, "Oslo")])
        database.commit()
    made = client(folder, ledger=folder / ".service")
    options: Any = {"delimiter": ";", "encoding": "cp1252", "nulls": ["NA", "-"], "types": {"code": "string"}}
    made.connect(folder / "odd.txt", **options)
    made.connect({"provider": "sqlite", "path": str(folder / "shop.sqlite"), "table": "orders"}, name="orders")
    made.connect(
        {"provider": "sqlite", "path": str(folder / "shop.sqlite"), "query": "select total from orders"}, name="totals"
    )
    cards = [
        made.ask(line).card
        for line in ("count by code from odd", "sum total by city from orders", "sum total from totals")
    ]
    replays = [again(client(folder), card) for card in cards]
    assert all(map(identical, replays))
    assert [each.sources[0].found for each in replays] == ["origin"] * 3
    (folder / "shop.sqlite").rename(folder / "moved.sqlite")
    (folder / "odd.txt").rename(folder / "moved.txt")
    given = {"odd": folder / "moved.txt", "orders": folder / "moved.sqlite", "totals": folder / "moved.sqlite"}
    assert all(identical(again(client(folder), card, sources=given)) for card in cards)


# --- sources in memory ------------------------------------------------------------------------------------------------

FRAME = pd.DataFrame({"region": ["a", "b", None], "flow": [0.1, 2.5, -3.0], "day": pd.to_datetime(["2024-01-02"] * 3)})


@pytest.fixture
def framed(project: Path) -> Iterator[Service]:
    made = client(project, ledger=project / ".service")
    made.connect(FRAME, name="budget")
    yield made
    made.close()


@pytest.mark.parametrize("make", [question, computation])
def test_a_frame_is_found_as_the_ledger_kept_it(framed: Service, project: Path, make: Any) -> None:
    framed.connect(FRAME, name="other")
    card = make(framed) if make is computation else framed.ask("sum flow by region, day from budget").card
    replay = again(client(project, ledger=project / ".service"), card)
    assert identical(replay)
    assert [each.found for each in replay.sources] == ["kept"]


def test_a_frame_that_is_kept_nowhere_is_missing(framed: Service, tmp_path: Path) -> None:
    assert refused(again(client(tmp_path), computation(framed)), "source_missing")


def test_a_file_of_the_same_values_stands_for_a_frame(framed: Service, tmp_path: Path) -> None:
    card = computation(framed)
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "budget.parquet", compression="gzip", row_group_size=1)
    FRAME.to_json(tmp_path / "rows.json", orient="records", date_format="iso")
    given = client(tmp_path)
    assert identical(again(given, card, sources={"budget": tmp_path / "budget.parquet"}))
    assert identical(again(given, card, sources={"budget": FRAME.copy()}))
    pq.write_table(pa.Table.from_pandas(FRAME.assign(flow=[0.1, 2.5, -3.5])), tmp_path / "other.parquet")
    replay = again(given, card, sources={"budget": tmp_path / "other.parquet"})
    assert refused(replay, "source_content_mismatch")


def test_what_was_kept_is_believed_by_its_values_only(framed: Service, project: Path) -> None:
    card = computation(framed)
    (kept,) = (project / ".service" / "sources").iterdir()
    kept.chmod(0o600)
    pq.write_table(pa.Table.from_pandas(FRAME.assign(flow=[0.1, 2.5, -3.5])), kept)
    assert refused(again(client(project, ledger=project / ".service"), card), "source_content_mismatch")
    kept.write_bytes(b"PAR1 no more")
    assert refused(again(client(project, ledger=project / ".service"), card), "source_missing")


# --- changed data -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [question, computation])
def test_a_changed_file_is_not_what_the_result_was_made_from(service: Service, project: Path, make: Any) -> None:
    card = make(service)
    (project / "data" / "budget.csv").write_text(CSV.replace("0.2", "0.25"), encoding="utf-8")
    assert refused(again(service, card), "source_content_mismatch")
    assert refused(again(client(project), card), "source_content_mismatch")
    replay = again(client(project), card, accepts_changed=True)
    assert (replay.status, replay.cause) == ("differs", "source_content_changed")
    assert replay.comparison is not None
    assert replay.comparison.differing == 1
    assert replay.met not in (None, replay.expected)


def test_differences_are_named_by_row_and_column_with_their_distance(service: Service, project: Path) -> None:
    card = question(service)
    changed = project / "changed.csv"
    changed.write_text(CSV.replace("0.2\n", "0.2000000000000001\n").replace("-7.25", "-7.5"), encoding="utf-8")
    replay = again(client(project), card, sources={"budget": changed}, accepts_changed=True)
    assert replay.comparison is not None
    told = {each.where: (each.expected, each.met, each.ulps) for each in replay.comparison.differences}
    south = (0.30000000000000004, 0.30000000000000010)
    assert told['row 1 (region "south"), flow'] == (repr(south[0]), "0.3000000000000001", 1)
    assert told['row 2 (region "north"), flow'][:2] == ("-5.75", "-6")
    assert [change.cause for change in replay.changes] == ["source_content_changed"]


def test_changed_values_of_an_unsigned_call_are_told_by_their_hash(project: Path) -> None:
    unrecorded = client(project)
    unrecorded.connect(project / "data" / "budget.csv")
    card = computation(unrecorded)
    changed = project / "changed.csv"
    changed.write_text(CSV.replace("0.2", "0.25"), encoding="utf-8")
    assert refused(again(client(project), card, sources={"budget": changed}), "source_content_mismatch")
    replay = again(client(project), card, sources={"budget": changed}, accepts_changed=True)
    assert (replay.status, replay.cause) == ("differs", "source_content_changed")


def test_changed_data_may_give_the_same_answer(service: Service, project: Path) -> None:
    card = service.ask("count from budget").card
    (project / "data" / "budget.csv").write_text(CSV.replace("0.2", "0.25"), encoding="utf-8")
    replay = again(client(project), card, accepts_changed=True)
    assert identical(replay)
    assert [change.cause for change in replay.changes] == ["source_content_changed"]


def test_the_same_content_of_another_schema(project: Path) -> None:
    unrecorded = client(project)
    unrecorded.connect(project / "data" / "budget.csv")
    asked, called = question(unrecorded), computation(unrecorded)
    other = client(project)
    other.connect(project / "data" / "budget.csv", types={"flow": "string"})
    assert identical(again(other, asked))  # read once more, as it was read then
    assert identical(again(other, called))
    limited = client(project, policy={"allowed_sources": ["budget"]})  # under which no card says how a file is read
    limited.connect(project / "data" / "budget.csv", types={"flow": "string"})
    assert refused(again(limited, asked), "schema_revision_mismatch")
    assert again(limited, called).status == "refused"


def test_the_schema_changed_with_the_content(service: Service, project: Path) -> None:
    card = question(service)
    (project / "data" / "budget.csv").write_text(CSV.replace("region,", "area,"), encoding="utf-8")
    assert refused(again(client(project), card, accepts_changed=True), "schema_revision_mismatch")


# --- altered cards ----------------------------------------------------------------------------------------------------


def resealed(card: Card, **texts: str) -> Card:
    """The card with other texts, shown as such, and every hash made anew, as a careful forger would; no receipt."""
    canonical, digests, view = card["canonical"] | texts, dict(card["digests"]), dict(card["view"])
    if card["kind"] == "query":
        digests["result_hash"] = digest(RESULT_DOMAIN, digests["plan_hash"], canonical["result"])
        view["rows"] = [["0.3" if item == "0.30000000000000004" else item for item in row] for row in view["rows"]]
    else:
        digests["computation_hash"] = digest(COMPUTATION_DOMAIN, digests["invocation_hash"], canonical["value"])
        view["rows"] = [[canonical["value"], *row[1:]] for row in view["rows"]]
    digests["view_hash"] = digest(VIEW_DOMAIN, write_canonical_text({key: view[key] for key in view if key != "rows"}))
    digests["rows_hash"] = digest(ROWS_DOMAIN, write_canonical_text(view["rows"]))
    return Card(**{**card, "canonical": canonical, "digests": digests, "view": view, "receipt": None})


def forged(card: Card) -> dict[str, str]:
    if card["kind"] == "query":
        return {"result": card["canonical"]["result"].replace("0.30000000000000004", "0.3")}
    return {"value": write_canonical_text(math.nextafter(json.loads(card["canonical"]["value"]), math.inf))}


@pytest.mark.parametrize("make", [question, computation])
def test_a_result_that_was_edited_does_not_verify_and_is_not_run(service: Service, make: Any) -> None:
    card = make(service)
    edited = Card(**{**card, "canonical": card["canonical"] | forged(card)})
    assert edited != card
    assert refused(again(service, edited), "evidence_invalid")
    replay = again(service, edited, is_forced=True)
    assert (replay.status, replay.cause, replay.verified) == ("differs", "result_tampered", "altered")
    assert replay.comparison is not None
    assert [each.ulps for each in replay.comparison.differences] == [1]


@pytest.mark.parametrize("make", [question, computation])
def test_a_result_that_was_edited_and_hashed_again_is_not_what_its_sources_give(service: Service, make: Any) -> None:
    card = make(service)
    edited = resealed(card, **forged(card))
    assert "unsigned" in {check.cause for check in check_card(edited).checks}
    assert check_card(edited).status != "altered"
    replay = again(service, edited)
    assert (replay.status, replay.cause) == ("differs", "unknown")
    assert replay.comparison is not None
    assert [each.ulps for each in replay.comparison.differences] == [1]


@pytest.mark.parametrize("make", [question, computation])
def test_the_id_of_a_genuine_result_does_not_vouch_for_another_card(service: Service, make: Any) -> None:
    card = make(service)
    result_id = card["view"]["query_id" if card["kind"] == "query" else "request_id"]

    def shown(met: Any) -> Replay:
        return replaying(service).replay_shown(result_id, met).replay

    assert identical(replaying(service).replay_result(result_id).replay)
    assert identical(shown(card))
    assert refused(shown({**card, "canonical": card["canonical"] | forged(card)}), "evidence_invalid")
    assert refused(shown({**card, "view": card["view"] | {"question": "another"}}), "evidence_invalid")
    assert refused(shown({}), "evidence_invalid")
    assert shown(resealed(card, **forged(card))).cause == "unknown"


def test_a_card_that_is_shown_is_replayed_with_what_the_ledger_keeps_of_it(service: Service) -> None:
    card = question(service)
    bare = {**card, "canonical": {"plan": card["canonical"]["plan"]}}
    assert "result" in card["canonical"]
    assert identical(replaying(service).replay_shown(card["view"]["query_id"], bare).replay)


@pytest.mark.parametrize(
    ("make", "altered"),
    [
        (question, {"rows": [["south", "0.35", "2"], ["north", "-5.75", "2"]]}),
        (question, {"row_count": 400}),
        (computation, {"rows": [["1", "money", "net present value"]]}),
        (computation, {"call": "finance.irr"}),
        (refusal, {"reason": "The data are secret."}),
    ],
)
def test_a_card_that_shows_another_result_than_it_holds_is_found(service: Service, make: Any, altered: Any) -> None:
    card = make(service)
    shown = Card(**{**card, "view": card["view"] | altered, "receipt": None})
    view = shown["view"]
    digests = card["digests"] | {
        "view_hash": digest(VIEW_DOMAIN, write_canonical_text({key: view[key] for key in view if key != "rows"}))
    }
    if "rows" in view:
        digests["rows_hash"] = digest(ROWS_DOMAIN, write_canonical_text(view["rows"]))
    shown["digests"] = digests
    assert check_card(shown).causes == ("shown_differs",)
    assert refused(again(service, shown), "evidence_invalid")
    replay = again(service, shown, is_forced=True)
    assert (replay.status, replay.cause) == ("differs", "view_contradicted")
    assert replay.comparison is not None
    assert replay.comparison.differences


def test_the_question_is_told_by_what_was_run(service: Service) -> None:
    card = question(service)
    lying = resealed(Card(**{**card, "view": card["view"] | {"question": "Sum of everything"}}))
    assert refused(again(service, lying), "evidence_invalid")
    replay = again(service, lying, is_forced=True)
    assert (replay.cause, replay.question) == ("view_contradicted", card["view"]["question"])


def test_a_difference_under_a_trusted_signature_is_nobodys_forgery(service: Service) -> None:
    wrong = Elsewhere(changed=lambda value: math.nextafter(value, 0))
    other = client(service.project, ledger=service.project / "other", runtime=wrong)
    card = other.compute(CALLS[0]).card
    assert card["receipt"] is not None
    replay = again(service, card, keys=[card["receipt"]["public_key"]])
    assert (replay.status, replay.cause) == ("differs", "unknown")
    untrusted = again(service, card)
    assert untrusted.cause == "unknown"
    assert untrusted.message != replay.message  # anyone may have signed it


def test_a_card_of_an_unknown_signer_is_not_run(service: Service) -> None:
    replay = again(service, question(service), keys=["QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY="])
    assert refused(replay, "evidence_invalid")


@pytest.mark.parametrize("card", [None, [], "card", {}, {"kind": "query"}, {"kind": ["query"]}, {"kind": "x" * 9}])
def test_what_is_no_card_is_refused_even_when_forced(service: Service, card: Any) -> None:
    assert refused(again(service, card), "evidence_invalid")
    assert refused(again(service, card, is_forced=True), "evidence_invalid")


ODD_VIEWS: list[dict[str, Any]] = [
    {"source": None},
    {"source": {"name": "budget"}},
    {"source": {"name": 5, "schema_revision": "", "content": {}}},
    {"source": {"name": "budget", "schema_revision": "x", "content": {"algorithm": "sha256-file", "sha256": 5}}},
    {"decision_path": "guessed"},
]


@pytest.mark.parametrize("odd", ODD_VIEWS, ids=lambda odd: json.dumps(odd)[:40])
def test_a_view_of_another_shape_is_refused(service: Service, odd: dict[str, Any]) -> None:
    card = question(service)
    card = resealed(Card(**{**card, "view": card["view"] | odd}))
    assert again(service, card).cause == "evidence_invalid"


@pytest.mark.parametrize("bindings", [None, [], [5], [{}], [{"source_name": "budget", "schema_revision": "x"}] * 2])
def test_bindings_of_another_shape_are_refused(service: Service, bindings: Any) -> None:
    card = computation(service)
    card = resealed(Card(**{**card, "view": card["view"] | {"bindings": bindings}}))
    assert again(service, card).cause == "evidence_invalid"


def test_a_question_whose_plan_is_not_kept_cannot_be_asked_again(service: Service) -> None:
    asked = question(service)
    plan = {name: text for name, text in asked["canonical"].items() if name != "plan"}
    assert refused(again(service, Card(**{**asked, "canonical": plan})), "text_not_kept")
    called = service.compute({"module": "stats", "function": "mean", "args": [[float(n) for n in range(20_000)]]})
    assert "identity" not in called.card["canonical"]
    assert refused(again(service, called.card), "text_not_kept")
    replay = replaying(service).replay_result(called["request_id"]).replay  # the ledger has it
    assert identical(replay)


# --- other code, other machines ---------------------------------------------------------------------------------------

ELSEWHERE = replace(
    DESCRIPTION, platform="darwin-arm64", architecture="arm64", profile="portable", libraries={"fractions": "4"}
)
PINNED = [{**each, "tier": "pinned"} if each["id"] == "stats.mean" else each for each in ENTRIES]
MEAN = {"module": "stats", "function": "mean", "args": [[0.1, 0.2, 0.4]]}


def test_a_pinned_value_of_another_profile_differs_for_that_reason(project: Path) -> None:
    made = client(
        project,
        ledger=project / ".service",
        entries=PINNED,
        runtime=Elsewhere(replace(DESCRIPTION, is_pinned=True, profile="x86_64-v3")),
    )
    card = made.compute(MEAN).card
    there = replace(ELSEWHERE, is_pinned=True)
    other = client(project, entries=PINNED, runtime=Elsewhere(there, lambda value: math.nextafter(value, 1)))
    replay = again(other, card)
    assert (replay.status, replay.cause) == ("differs", "tier_pinned_other_profile")
    assert replay.comparison is not None
    assert replay.comparison.largest_ulps == 1
    assert {"profile", "platform", "architecture", "fractions"} <= {change.what for change in replay.changes}
    same = again(client(project, entries=PINNED, runtime=Elsewhere(there)), card)
    assert identical(same)
    assert same.changes == replay.changes


def test_a_certified_value_of_another_machine_is_the_same(service: Service, project: Path) -> None:
    replay = again(client(project, runtime=Elsewhere(ELSEWHERE)), computation(service))
    assert identical(replay)
    assert {change.cause for change in replay.changes} == {"runtime_changed"}


def test_another_contract_alone_changes_no_value(service: Service, project: Path) -> None:
    text = contract().replace(HASH.encode(), b"sha256:" + b"5b" * 32)
    replay = again(client(project, contract_text=text), computation(service))
    assert identical(replay)
    assert [change.cause for change in replay.changes] == ["contract_changed"]


@pytest.mark.parametrize(
    ("more", "description", "cause"),
    [
        ({"version": 2}, DESCRIPTION, "capability_version_changed"),
        ({}, replace(DESCRIPTION, bundle_version="2"), "runtime_changed"),
        ({}, ELSEWHERE, "runtime_changed"),
    ],
)
def test_a_certified_value_that_differs_has_its_cause_named(
    service: Service, project: Path, more: dict[str, Any], description: Any, cause: str
) -> None:
    entries = [{**each, **more} if each["id"] == "finance.npv" else each for each in ENTRIES]
    runtime = Elsewhere(description, lambda value: math.nextafter(value, 0))
    replay = again(client(project, entries=entries, runtime=runtime), computation(service))
    assert (replay.status, replay.cause) == ("differs", cause)


def test_a_capability_that_is_gone(service: Service, project: Path) -> None:
    fewer = [each for each in ENTRIES if each["id"] != "finance.npv"]
    assert refused(again(client(project, entries=fewer), computation(service)), "unsupported_operation")


class Failing(Simulator):
    """A runtime that raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def run(self, *_: Any, **__: Any) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (LoginRequiredError("Log in."), "login_required"),
        (ComputeRuntimeUnavailableError("None."), "runtime_unavailable"),
        (QueryTimeoutError("Too long."), "timeout"),
    ],
)
def test_where_nothing_can_compute_it_is_said_why(service: Service, project: Path, error: Any, cause: str) -> None:
    assert refused(again(client(project, runtime=Failing(error)), computation(service)), cause)


# --- refusals, errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    ["sum flwo from budget", "sum region from budget", "sum flow from nowhere", "sum flow by weather from budget"],
)
def test_refusals_of_every_kind_are_refused_again(service: Service, project: Path, line: str) -> None:
    outcome = service.ask(line)
    assert outcome["status"] != "ok"
    for card in (outcome.card, stripped(outcome.card)):
        assert identical(again(service, card))
    assert identical(again(client(project), outcome.card))


def test_a_refusal_among_several_sources_needs_them_all(service: Service, project: Path) -> None:
    service.connect([{"x": 1}], name="other")
    card = service.ask("count").card
    assert card["kind"] == "clarification"
    assert identical(again(service, card))
    assert refused(again(client(project), card), "source_missing")
    assert identical(again(client(project), card, sources={"other": [{"x": 1}]}))
    assert identical(again(client(project), refusal(service)))  # it names the one that it is about


def test_a_refused_question_that_is_answered_now_differs(service: Service, project: Path) -> None:
    card = service.ask("sum flwo from budget").card
    changed = project / "changed.csv"
    changed.write_text(CSV.replace("flow", "flwo"), encoding="utf-8")
    assert identical(again(client(project), card))
    assert refused(again(client(project), card, sources={"budget": changed}), "source_content_mismatch")
    replay = again(client(project), card, sources={"budget": changed}, accepts_changed=True)
    assert (replay.status, replay.cause, replay.met) == ("differs", "source_content_changed", None)


def test_a_refusal_under_another_policy_is_not_called_a_forgery(service: Service, project: Path) -> None:
    narrowed = service.narrow({"allowed_fields": {"budget": ["region"]}})
    card = narrowed.ask(ASKED).card
    assert card["kind"] == "rejection"
    assert identical(again(narrowed, card))
    assert refused(again(service, stripped(card)), "not_replayable")
    book = notebook([question(service)], [card])  # which tells where the file is; the policy hid that
    replays = replaying(client(project)).replay_notebook(book)  # the card tells its list of fields
    assert [each["status"] for each in replays] == ["identical", "identical"]
    similar = service.ask("sum flwo by region from budget").card  # and under a policy no similar name is told
    replay = again(narrowed, similar)
    assert (replay.status, replay.cause) == ("refused", "policy_denied")  # it was judged by all columns


def test_a_period_relative_to_a_day_is_not_replayed(service: Service) -> None:
    spec = {
        "aggregation": "sum",
        "metric": "flow",
        "source_name": "budget",
        "filter": {"time_filter": {"column": "year", "period": "last_month"}},
    }
    outcome = service.ask(spec)
    assert outcome["status"] != "ok"
    assert refused(again(service, outcome.card), "not_replayable")


def test_a_relative_period_that_was_answered_is_the_same_later(project: Path) -> None:
    (project / "days.csv").write_text("day,n\n2024-03-01,1\n2024-04-01,2\n", encoding="utf-8")
    then = datetime.datetime(2024, 4, 9, tzinfo=datetime.UTC)
    made = client(project, ledger=project / ".service", clock=lambda: then)
    made.connect(project / "days.csv")
    period = {"time_filter": {"column": "day", "period": "last_month"}}
    card = made.ask({"aggregation": "sum", "metric": "n", "source_name": "days", "filter": period}).card
    assert json.loads(card["canonical"]["result"]) == [{"n": 1, "count": 1}]
    assert identical(again(client(project), card))


def test_an_error_and_a_replay_have_nothing_to_replay(service: Service) -> None:
    with pytest.raises(DomainError) as caught:
        service.compute("finance.npv rate=-5.0 cashflows=[1.0]")
    replays = replaying(service)
    first = replays.replay_card(caught.value.card)
    assert refused(first.replay, "not_replayable")
    assert not first.replay.is_replayable
    assert refused(replays.replay_card(first.card).replay, "not_replayable")


# --- policy and places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "make"),
    [
        ({"allowed_sources": ["other"]}, question),
        ({"allowed_sources": ["other"]}, computation),
        ({"allowed_fields": {"budget": ["region", "year"]}}, question),
        ({"allowed_fields": {"budget": ["region", "year"]}}, computation),
        ({"allowed_functions": ["stats.*"]}, computation),
    ],
)
def test_what_the_policy_denies_is_not_replayed(service: Service, project: Path, policy: Any, make: Any) -> None:
    replay = again(client(project, policy), make(service))
    # Under a list of fields no card says which file stands for a name.
    assert refused(replay, "source_missing" if "allowed_fields" in policy else "policy_denied")
    assert replay.comparison is None
    assert again(service.narrow(policy), make(service)).cause == "policy_denied"


def test_a_source_of_hidden_fields_is_not_read_under_another_name(service: Service, tmp_path: Path) -> None:
    card = question(service)
    other = client(tmp_path, {"allowed_fields": {"secret": ["region"]}})
    other.connect(tmp_path / "project" / "data" / "budget.csv", name="secret")
    assert refused(again(other, card), "source_missing")


def test_what_the_ledger_kept_is_not_read_under_a_policy_by_somebody_elses_card(framed: Service, project: Path) -> None:
    outcome = framed.ask("sum flow by region from budget")
    narrowed = client(project, {"allowed_sources": ["budget"]}, ledger=project / ".service")
    assert refused(again(narrowed, outcome.card), "source_missing")
    assert identical(replaying(narrowed).replay_result(outcome["data"]["query_id"]).replay)  # it is the ledger's own


@pytest.mark.parametrize("file", ["../outside.csv", "/etc/passwd", "..", ".", "", "a\nb", "~/x.csv", "link.csv"])
def test_no_statement_leads_out_of_the_project(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "outside.csv").write_text(CSV, encoding="utf-8")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    made = client(folder, ledger=folder / ".service")
    made.connect(tmp_path / "outside.csv", name="budget")
    made._sources.registry._put(replace(made._sources.registry.get("budget"), origin=folder / file if file else "x"))
    outcome = made.ask(ASKED)
    assert refused(again(client(folder), outcome.card), "source_missing")


# --- notebooks and ledgers --------------------------------------------------------------------------------------------


def notebook(*cells: list[Any]) -> dict[str, Any]:
    def output(card: Any) -> dict[str, Any]:
        return {"output_type": "display_data", "data": {CARD_MIME: card, "text/plain": "x"}, "metadata": {}}

    cards = [
        {"cell_type": "code", "id": f"c{n}", "outputs": [output(card) for card in cell]} for n, cell in enumerate(cells)
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cards}


def test_a_notebook_is_replayed_card_by_card(service: Service, project: Path) -> None:
    book = notebook([question(service)], [], [computation(service), refusal(service)])
    replays = replaying(client(project)).replay_notebook(book, subject="report.ipynb")
    assert [each.replay.subject for each in replays] == ["cell 1, output 1", "cell 3, output 1", "cell 3, output 2"]
    assert replays.is_identical
    assert replays.report.counts == {"identical": 3, "differs": 0, "refused": 0, "not_replayable": 0}
    assert replays.report.made_by["contract"] == HASH


def test_one_planted_forgery_is_found(service: Service, project: Path) -> None:
    card = question(service)
    book = notebook([card], [resealed(card, **forged(card))], [computation(service)], [5])
    replays = replaying(client(project)).replay_notebook(book)
    assert [each["status"] for each in replays] == ["identical", "differs", "identical", "refused"]
    assert not replays.is_identical
    page = replays.to_html()
    assert "No trusted key signed the stored result" in page
    assert "<script" not in page


def test_what_is_no_notebook_is_an_error(service: Service) -> None:
    with pytest.raises(EvidenceError):
        replaying(service).replay_notebook({"nbformat": 4, "cells": 5})


def test_every_replay_is_recorded_with_a_card_that_verifies(service: Service, project: Path) -> None:
    book = notebook([question(service)], [resealed(question(service), **forged(question(service)))])
    replays = replaying(service).replay_notebook(book)
    logged = [each for each in service.log() if each["kind"] == "replay"]
    assert [each["status"] for each in logged] == ["differs", "identical"]
    for outcome in replays:
        verdict = check_card(outcome.card)
        assert verdict.causes == ()
        assert outcome.card["receipt"] is not None
        assert json.loads(outcome.card["canonical"]["report"]) == json.loads(json.dumps(outcome))
        assert "text/html" in outcome._repr_mimebundle_()[0]


def test_a_ledger_is_replayed_the_oldest_first_and_its_replays_are_left_out(service: Service, project: Path) -> None:
    question(service), computation(service), refusal(service)
    with pytest.raises(DomainError):
        service.compute("finance.npv rate=-5.0 cashflows=[1.0]")
    other = client(project, ledger=project / ".service")
    for _ in range(2):
        replays = replaying(other).replay_ledger()
        assert [each["kind"] for each in replays] == ["query", "computation", "clarification", "error"]
        assert replays.is_identical
        assert replays.report.counts == {"identical": 3, "differs": 0, "refused": 0, "not_replayable": 1}


def test_a_result_is_replayed_by_its_id(service: Service, project: Path) -> None:
    outcome = service.ask(ASKED, rows="none")
    other = client(project, ledger=project / ".service")
    replay = replaying(other).replay_result(outcome["data"]["query_id"]).replay
    assert identical(replay)
    assert replay.subject == replay.result_id == outcome["data"]["query_id"]


def test_results_that_the_policy_or_the_tenant_hides_are_not_found(service: Service, project: Path) -> None:
    result_id = service.ask(ASKED)["data"]["query_id"]
    for other in (
        service.narrow({"allowed_fields": {"budget": ["region", "year"]}}),
        client(project, ledger=project / ".service", tenant="another"),
    ):
        with pytest.raises(ResultNotFoundError):
            replaying(other).replay_result(result_id)
        assert list(replaying(other).replay_ledger()) == []
    with pytest.raises(ResultNotFoundError):
        replaying(service).replay_result("query_0000000000000000")


def test_without_a_ledger_there_is_none_to_replay(project: Path) -> None:
    with pytest.raises(LedgerError):
        replaying(client(project)).replay_ledger()
    with pytest.raises(LedgerError):
        replaying(client(project)).replay_result("query_0000000000000000")


def test_a_card_without_a_receipt_says_itself_where_its_sources_are(service: Service, project: Path) -> None:
    alone = replaying(client(project)).replay_notebook(
        notebook([stripped(computation(service))], [stripped(question(service))])
    )
    assert alone.is_identical


def test_a_card_that_does_not_say_where_its_sources_are_looks_where_the_other_cards_of_its_notebook_point(
    service: Service, project: Path
) -> None:
    card = stripped(computation(service))
    bare = Card(
        **{**card, "canonical": {name: text for name, text in card["canonical"].items() if name != "provenance"}}
    )
    assert replaying(client(project)).replay_notebook(notebook([question(service)], [bare])).is_identical
    alone = replaying(client(project)).replay_notebook(notebook([bare]))
    assert [each["cause"] for each in alone] == ["source_missing"]
