"""How a source was read is part of what it is: of its identity, of every card, and of every replay."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import PROVENANCE_DOMAIN, VIEW_DOMAIN, digest
from service_nb.errors import (
    InvalidIntentError,
    PolicyDeniedError,
    SourceAlreadyRegisteredError,
)
from service_nb.ledger.exports import openlineage, prov_json, ro_crate
from service_nb.ledger.exports.formats import ExportMaterial
from service_nb.schema.card import Card
from tests.simulators.replays import client, replaying

TEXT = "city;amount;größe\nOslo;0.1;1\nBonn;n/a;2\nRom;-;3\n;0.25;4\n"
NUMBERS = "city,amount\nOslo,0.1\nBonn,0.2\nRom,0.3\n"
ASKED = "sum amount from orders"
BOUND = {"parameter": "cashflows", "source": "orders", "field": "amount", "null_policy": "drop"}
CALL: dict[str, Any] = {"module": "finance", "function": "npv", "args": [0.1], "bindings": [BOUND]}

# Files, and two ways to read each whose results differ.
READINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nulls": ({"nulls": ["-", "n/a"]}, {"nulls": ["-", "0.25", "n/a"]}),
    "types": ({"types": {"amount": "decimal(12,3)"}}, {"types": {"amount": "float64"}}),
    "delimiter": ({"delimiter": ";"}, {"delimiter": ","}),
    "encoding": ({"encoding": "cp1252"}, {"encoding": "cp437"}),
    "sheet": ({"sheet": "2024"}, {"sheet": "2025"}),
}
ASKED_OF = {
    "delimiter": ("count from orders", "count from orders where city = 'Oslo'"),
    "encoding": ("count by city from orders", "count by city from orders"),
}
EACH = pytest.mark.parametrize("option", READINGS)


def written(folder: Path, option: str) -> Path:
    """The file that is read in two ways."""
    folder.mkdir(parents=True, exist_ok=True)
    if option == "sheet":
        path, book = folder / "orders.xlsx", openpyxl.Workbook()
        for title, amount in (("2024", 1.5), ("2025", 2.5)):
            sheet = book.create_sheet(title)
            sheet.append(["city", "amount"])
            sheet.append(["Oslo", amount])
        del book["Sheet"]
        book.save(path)
        return path
    path = folder / ("orders.txt" if option == "delimiter" else "orders.csv")
    match option:
        case "nulls":
            path.write_text(TEXT.replace(";", ","), encoding="utf-8")
        case "delimiter":
            path.write_text("city;amount,city;size\nOslo;1,Oslo;2\n", encoding="utf-8")
        case "encoding":
            path.write_bytes("city,amount\nKöln,1\n".encode("cp1252"))
        case _:
            path.write_text(NUMBERS, encoding="utf-8")
    return path


def asked(service: Service, option: str) -> Any:
    return service.ask("count from orders" if option == "delimiter" else "sum amount by city from orders")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Service]:
    made = service_nb.create_service(project=tmp_path / "here", ledger="off")
    yield made
    made.close()


def elsewhere(tmp_path: Path, path: Path, **told: Any) -> Service:
    """A client of another folder that has the same file."""
    folder = tmp_path / "elsewhere"
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / path.name)
    return client(folder, **told)


def told(card: Card, **source: Any) -> Card:
    """The card without a receipt, which tells something else of its source, hashed anew."""
    provenance = json.loads(card["canonical"]["provenance"])
    provenance["sources"] = [{**each, **source} for each in provenance["sources"]]
    shown = {**card["view"], "source": {**card["view"]["source"], **source}}
    text = write_canonical_text(provenance)
    hidden = write_canonical_text({key: shown[key] for key in shown if key != "rows"})
    digests = {
        **card["digests"],
        "provenance_hash": digest(PROVENANCE_DOMAIN, text),
        "view_hash": digest(VIEW_DOMAIN, hidden),
    }
    texts = {**card["canonical"], "provenance": text}
    return Card(**{**card, "canonical": texts, "view": shown, "digests": digests, "receipt": None})


# --- identity ---------------------------------------------------------------------------------------------------------


@EACH
def test_two_readings_of_one_file_are_two_sources(here: Service, tmp_path: Path, option: str) -> None:
    path = written(tmp_path, option)
    first, second = READINGS[option]
    sources = [here.connect(path, name="orders", replace=True, **options) for options in (first, second)]
    assert sources[0]["content"] == sources[1]["content"]
    assert [source["reading"] for source in sources] == [first, second]
    assert sources[0]["source_id"] != sources[1]["source_id"]


@EACH
def test_two_readings_of_one_file_give_two_cards(here: Service, tmp_path: Path, option: str) -> None:
    path = written(tmp_path, option)
    cards = []
    for options in READINGS[option]:
        here.connect(path, name="orders", replace=True, **options)
        cards.append(asked(here, option).card)
    assert [card["view"]["source"]["reading"] for card in cards] == list(READINGS[option])
    assert cards[0]["digests"]["view_hash"] != cards[1]["digests"]["view_hash"]


def test_what_is_asked_is_the_same_plan_however_the_data_were_read(here: Service, tmp_path: Path) -> None:
    outcomes = []
    for options in READINGS["types"]:
        here.connect(written(tmp_path, "types"), name="orders", replace=True, **options)
        outcomes.append(here.ask(ASKED))
    assert outcomes[0]["data"]["plan_hash"] == outcomes[1]["data"]["plan_hash"]
    assert [outcome["data"]["result"][0]["amount"] for outcome in outcomes] == ["0.600", 0.6]
    assert outcomes[0]["data"]["result_hash"] != outcomes[1]["data"]["result_hash"]


def test_options_that_say_the_same_are_the_same_reading(here: Service, tmp_path: Path) -> None:
    path = written(tmp_path, "nulls")
    source = here.connect(path, name="orders", nulls=["n/a", "-", "n/a"], types={"größe": "int64", "city": "string"})
    assert source["reading"] == {"nulls": ["-", "n/a"], "types": {"city": "string", "größe": "int64"}}
    again = here.connect(path, name="orders", nulls=["-", "n/a"], types={"city": "string", "größe": "int64"})
    assert again == source


def test_the_types_of_a_frame_are_part_of_what_it_is(here: Service) -> None:
    frame = pd.DataFrame({"amount": [1, 2]})
    ids = [
        here.connect(each, name="orders", replace=True)["source_id"]
        for each in (frame, frame.astype("float64"), frame.astype("int32"))
    ]
    assert ids[0] == ids[2]  # both are held as int64
    assert ids[0] != ids[1]


def test_without_options_a_reading_is_empty(here: Service, tmp_path: Path) -> None:
    here.connect(written(tmp_path, "types"))
    assert here.source("orders")["reading"] == {}
    assert here.ask(ASKED).card["view"]["source"]["reading"] == {}


# --- the same name again ----------------------------------------------------------------------------------------------


def test_a_file_connected_again_with_other_nulls_is_refused_with_the_way_to_replace_it(
    here: Service, tmp_path: Path
) -> None:
    path = written(tmp_path, "nulls")
    first = here.connect(path, name="orders", nulls=["n/a"])
    with pytest.raises(SourceAlreadyRegisteredError) as caught:
        here.connect(path, name="orders", nulls=["n/a", "-"])
    assert "nulls" in str(caught.value)
    assert "replace=True" in str(caught.value.hint)
    assert here.source("orders") == first
    assert here.connect(path, name="orders", nulls=["n/a", "-"], replace=True)["source_id"] != first["source_id"]
    assert here.ask("count from orders where amount is null").rows == [{"count": 2}]


@pytest.mark.parametrize(("one", "other"), list(combinations(READINGS["nulls"] + ({},), 2)))
def test_no_reading_passes_for_another(here: Service, tmp_path: Path, one: Any, other: Any) -> None:
    path = written(tmp_path, "nulls")
    here.connect(path, name="orders", **one)
    with pytest.raises(SourceAlreadyRegisteredError):
        here.connect(path, name="orders", **other)


def test_replacing_with_the_same_is_the_same_and_with_nothing_there_it_connects(here: Service, tmp_path: Path) -> None:
    path = written(tmp_path, "nulls")
    first = here.connect(path, name="orders", nulls=["-"], replace=True)
    assert here.connect(path, name="orders", nulls=["-"], replace=True) == first


def test_a_client_that_sees_a_part_replaces_nothing(here: Service, tmp_path: Path) -> None:
    path = written(tmp_path, "nulls")
    first = here.connect(path, name="orders")
    with pytest.raises(PolicyDeniedError):
        here.narrow({}).connect(path, name="orders", nulls=["-"], replace=True)
    assert here.source("orders") == first
    policy = {"allowed_fields": {"orders": ["city"]}}
    limited = service_nb.create_service(project=tmp_path / "here", ledger="off", policy=policy)
    limited.connect(path, name="orders")
    with pytest.raises(PolicyDeniedError):
        limited.connect(path, name="orders", nulls=["-"], replace=True)


def test_a_live_source_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", "http://127.0.0.1:1")
    service = service_nb.create_service(project=tmp_path)
    with pytest.raises(InvalidIntentError):
        service.connect(connector={"type": "postgres", "table": "orders"}, name="orders", replace=True)


# --- who may know -----------------------------------------------------------------------------------------------------


def test_a_narrowed_client_sees_no_type_of_a_denied_column(here: Service, tmp_path: Path) -> None:
    path = written(tmp_path, "types")
    here.connect(path, name="orders", types={"amount": "decimal(12,3)", "city": "string"}, encoding="utf-8")
    narrow = here.narrow({"allowed_fields": {"orders": ["city"]}})
    assert narrow.source("orders")["reading"] == {"encoding": "utf-8", "types": {"city": "string"}}
    assert "decimal" not in json.dumps(narrow.ask("count by city from orders").card)


def test_texts_for_null_are_not_told_under_a_list_of_fields(here: Service, tmp_path: Path) -> None:
    here.connect(written(tmp_path, "nulls"), name="orders", nulls=["0.25"])
    narrow = here.narrow({"allowed_fields": {"orders": ["city"]}})
    assert narrow.source("orders")["reading"] == {}
    assert "0.25" not in json.dumps(narrow.ask("count by city from orders").card)


# --- kept and exported ------------------------------------------------------------------------------------------------


@EACH
def test_service_toml_keeps_how_a_source_is_read(here: Service, tmp_path: Path, option: str) -> None:
    (tmp_path / "here").mkdir()
    kept = here.connect(written(tmp_path / "here", option), name="orders", persist=True, **READINGS[option][0])
    other = service_nb.create_service(project=tmp_path / "here", ledger="off")
    assert other.connect(name="orders") == kept


@pytest.mark.parametrize("export", [ro_crate.export, prov_json.export, openlineage.export])
def test_exports_tell_how_a_source_was_read(here: Service, tmp_path: Path, export: Any) -> None:
    here.connect(written(tmp_path, "nulls"), name="orders", nulls=["n/a", "-"])
    card = here.ask("sum amount by city from orders").card
    told = export(ExportMaterial(cards=[card], time="2026-11-21T13:22:52Z"))
    text = (told["ro-crate-metadata.json"] if export is ro_crate.export else told).decode()
    assert '{\\"nulls\\":[\\"-\\",\\"n/a\\"]}' in text


# --- replays ----------------------------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize("is_signed", [False, True])
def test_an_honest_card_replayed_elsewhere_is_identical(tmp_path: Path, option: str, *, is_signed: bool) -> None:
    path = written(tmp_path / "made", option)
    for number, options in enumerate(READINGS[option]):
        ledger = tmp_path / "made" / f"ledger {number}" if is_signed else None
        made = client(tmp_path / "made", ledger=ledger)
        made.connect(path, name="orders", **options)
        card = asked(made, option).card
        assert (card["receipt"] is not None) == is_signed
        other = elsewhere(tmp_path, path)
        given = {"orders": tmp_path / "elsewhere" / path.name}
        replay = replaying(other, sources=given).replay_card(card).replay
        assert (replay.status, replay.cause, replay.changes) == ("identical", None, ())


@EACH
def test_a_source_that_is_registered_with_other_options_is_read_as_it_was_then(tmp_path: Path, option: str) -> None:
    path = written(tmp_path / "made", option)
    made = client(tmp_path / "made")
    made.connect(path, name="orders", **READINGS[option][0])
    card = asked(made, option).card
    other = elsewhere(tmp_path, path)
    before = other.connect(tmp_path / "elsewhere" / path.name, name="orders", **READINGS[option][1])
    replay = replaying(other).replay_card(card).replay
    assert (replay.status, replay.cause) == ("identical", None)
    assert other.sources() == [before]


@EACH
def test_two_readings_in_one_notebook_are_each_replayed_in_their_way(tmp_path: Path, option: str) -> None:
    path = written(tmp_path / "made", option)
    made, cards = client(tmp_path / "made"), []
    for options in READINGS[option]:
        made.connect(path, name="orders", replace=True, **options)
        cards.append(asked(made, option).card)
    given = {"orders": path}
    replays = replaying(elsewhere(tmp_path, path), sources=given).replay(cards)
    assert [each.status for each in replays.report.replays] == ["identical", "identical"]


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_call_on_values_that_were_read_with_options_is_identical_elsewhere(
    tmp_path: Path, *, is_signed: bool
) -> None:
    path = written(tmp_path / "made", "nulls")
    made = client(tmp_path / "made", ledger=tmp_path / "ledger" if is_signed else None)
    made.connect(path, name="orders", nulls=["n/a", "-"])
    card = made.compute(CALL).card
    other = elsewhere(tmp_path, path)
    other.connect(path, name="orders", nulls=["n/a", "-"])
    assert replaying(other).replay_card(card).replay.status == "identical"


@pytest.mark.parametrize("option", ["nulls", "types"])
def test_where_the_options_are_lost_it_is_said_and_nobody_is_accused(tmp_path: Path, option: str) -> None:
    path = written(tmp_path / "made", option)
    made = client(tmp_path / "made")
    if option == "nulls":  # so that both readings have the schema of the plan
        path.write_text("city,amount\nOslo,1\nBonn,2\nBonn,3\n")
        made.connect(path, name="orders", nulls=["2"])
    else:
        made.connect(path, name="orders", types={"amount": "decimal(12,3)"})
    card = told(asked(made, option).card, reading=None)
    replay = replaying(elsewhere(tmp_path, path), sources={"orders": path}).replay_card(card).replay
    assert (replay.status, replay.cause) == ("differs", "reading_changed")  # the identity tells that it was another
    assert "tamper" not in replay.message
    unknown = told(card, source_id="")
    replay = replaying(elsewhere(tmp_path, path), sources={"orders": path}).replay_card(unknown).replay
    assert (replay.status, replay.cause) == ("differs", "reading_not_recorded")


def test_another_reading_that_makes_no_difference_is_told_and_accuses_nobody(tmp_path: Path) -> None:
    path = written(tmp_path / "made", "types")
    made = client(tmp_path / "made")
    made.connect(path, name="orders", types={"amount": "decimal(12,3)"})
    card = told(made.ask("count by city from orders").card, reading=None)
    replay = replaying(elsewhere(tmp_path, path), sources={"orders": path}).replay_card(card).replay
    assert (replay.status, replay.cause) == ("identical", None)
    assert [change.cause for change in replay.changes] == ["reading_changed"]


def test_values_of_a_call_that_were_read_in_another_way_are_named(tmp_path: Path) -> None:
    path = tmp_path / "made" / "orders.csv"
    path.parent.mkdir()
    path.write_text("city,amount\nOslo,1\nBonn,2\nBonn,3\n")
    made = client(tmp_path / "made", ledger=tmp_path / "ledger")
    made.connect(path, name="orders", nulls=["2"])
    card = made.compute(CALL).card
    narrow = client(tmp_path / "elsewhere")
    narrow.connect(pd.read_csv(path), name="orders")
    replay = replaying(narrow).replay_card(card).replay
    assert (replay.status, replay.cause) == ("refused", "source_content_mismatch")  # a frame has another digest


@pytest.mark.parametrize("first", ["deferred", "now"])
def test_a_digest_that_comes_later_changes_nothing_of_what_a_source_is(tmp_path: Path, first: str) -> None:
    path = tmp_path / "made" / "orders.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"city": ["Oslo"] * 10, "amount": [0.1] * 10}), path)
    made = client(tmp_path / "made", ledger=tmp_path / "ledger")
    made.connect(path, content=first)
    card = made.ask("sum amount by city from orders").card  # which waits for the digest
    hashed = made.source("orders")
    assert card["view"]["source"]["source_id"] == hashed["source_id"]
    assert made.connect(path, content="now") == made.connect(path, content="deferred") == hashed
    replay = replaying(elsewhere(tmp_path, path), sources={"orders": path}).replay_card(card).replay
    assert (replay.status, replay.cause, replay.changes) == ("identical", None, ())


def test_a_reading_that_is_too_long_to_be_recorded_is_known_by_the_identity(tmp_path: Path) -> None:
    names = [f"c{n:03d}{'y' * 60}" for n in range(200)]
    path = tmp_path / "made" / "orders.csv"
    path.parent.mkdir()
    path.write_text(f"{','.join(names)}\n{','.join('0.1' for _ in names)}\n")
    made = client(tmp_path / "made")
    types = dict.fromkeys(names, "decimal(12,3)")
    made.connect(path, name="orders", types=types)
    card = made.ask(f"sum {names[0]} from orders").card
    assert card["view"]["source"]["reading"] is None
    other = elsewhere(tmp_path, path)
    replay = replaying(other, sources={"orders": path}).replay_card(card).replay
    assert (replay.status, replay.cause) == ("differs", "reading_changed")
    other.connect(path, name="orders", types=types)
    assert replaying(other).replay_card(card).replay.status == "identical"
