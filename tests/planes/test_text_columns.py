"""Text that reads as dates or numbers: letters answer no question about order, wherever it is asked and held."""

from __future__ import annotations

import datetime
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.agents.replies import describe_refusal
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError
from service_nb.evidence.documents import check_card
from service_nb.schema.text_order import LETTERS_NOTE
from tests.simulators.replays import client, replaying

DAYS = [datetime.date(2014, 1, 1) + datetime.timedelta(days) for days in range(365)]
DATES = [f"{day.year}-{day.month}-{day.day}" for day in DAYS]  # as a widely taught file of rides has them
SINCE = sum(day >= datetime.date(2014, 10, 1) for day in DAYS)  # 92


def write_file(folder: Path) -> Path:
    """Days, amounts with decimal comma, shares, postcodes and names."""
    path = folder / "rides.csv"
    lines = (f'{date},"{n},5",{n}%,{n:05},N{n},{n}\n' for n, date in enumerate(DATES))
    path.write_text("date,Umsatz,share,zip,name,n\n" + "".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = service_nb.create_service(project=tmp_path)
    made.connect(write_file(tmp_path))
    yield made
    made.close()


def refuse(service: Service, question: Any) -> dict[str, Any]:
    outcome = service.ask(question)
    assert outcome["status"] == "rejected"
    assert outcome["resolution"]["rejection_reason"] == "type_mismatch"
    assert check_card(outcome.card, keys={}).status != "altered"
    return dict(outcome)


ORDERED = [
    "count where date >= 2014-10-01",
    "count where date >= '2014-10-01'",
    "count where date < 2014-10-01",
    "count where date between 2014-10-01 and 2014-12-31",
    "count where n > 3 or date > 2014-10-01",
    "max date",
    "min date by name",
    "sum n, max date by name having max date > '2014-10-01'",
    "count by date order by date",
    "count by name, date order by date desc limit 3",
    "max Umsatz",
    "count where Umsatz > '1.000,50'",
    "count where share <= '5%'",
    {"aggregation": "count", "filter": {"conditions": [{"column": "date", "op": "gte", "value": "2014-10-01"}]}},
    {"aggregation": "max", "metric": "date"},
    {"aggregation": "count", "group_by": "date", "order_by": "date"},
]


@pytest.mark.parametrize("question", ORDERED, ids=map(str, ORDERED))
def test_order_of_letters_is_refused_in_lines_and_specs(service: Service, question: Any) -> None:
    told = refuse(service, question)
    assert told["resolution"]["rule"] == "text that reads as numbers or dates is not compared by its letters"
    assert service.resolve(question)["details"] == told["details"]


def test_the_bare_literal_the_quoted_one_and_the_spec_are_one_refusal(service: Service) -> None:
    spec = ORDERED[-3]
    hashes = {refuse(service, question)["refusal_hash"] for question in (*ORDERED[:2], spec)}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "question",
    [
        *("count where date is null", "count where date starts with '2014-7'", "count by date", "max name"),
        *("count where zip = '00005'", "count where name = 'N3'", "count where date = 'never'"),
        *("count_distinct date", "count by name order by name", "count where name > 'N3'", "max zip"),
        *("count where zip > '00005'", "count by zip order by zip", "count by date order by count"),
    ],
)
def test_what_needs_no_order_and_what_letters_order_rightly_is_answered(service: Service, question: str) -> None:
    outcome = service.ask(question)
    assert outcome["status"] == "ok"
    assert outcome["data"]["provenance"]["notes"] == {}


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        *(("date = '2014-7-1'", 1), ("date in ('2014-7-1', '2014-7-2')", 2), ("date != '2014-7-1'", 364)),
        *(("date = '2014-07-01'", 0), ("zip = '5'", 0), ("Umsatz not in ('1000.5')", 365)),
    ],
)
def test_the_card_says_that_equal_texts_of_dates_and_numbers_are_equal_by_their_letters(
    service: Service, condition: str, rows: int
) -> None:
    outcome = service.ask(f"count where {condition}")
    assert outcome.rows == [{"count": rows}]
    assert outcome["data"]["provenance"]["notes"] == {LETTERS_NOTE: condition.partition(" ")[0]}
    text: Any = outcome._repr_mimebundle_()
    assert LETTERS_NOTE in text[0]["text/plain"]


def test_codes_of_one_width_are_compared_with_codes_of_that_width(service: Service) -> None:
    assert service.ask("count where zip > '00005'").rows == [{"count": 365 - 6}]
    refuse(service, "count where zip > '5'")


@pytest.mark.parametrize(
    ("question", "column", "options"),
    [
        ("max date", "date", {"date_format": "%Y-%m-%d"}),
        ("sum n by month of date", "date", {"date_format": "%Y-%m-%d"}),
        ("count where date >= 5", "date", {"date_format": "%Y-%m-%d"}),
        ("sum Umsatz", "Umsatz", {"decimal": ","}),
        ("count where Umsatz > 1000.5", "Umsatz", {"decimal": ","}),
        ("count by Umsatz in bins of 10", "Umsatz", {"decimal": ","}),
        ("median share", "share", {"percent": True}),
        ("count by Umsatz order by Umsatz", "Umsatz", {"decimal": ","}),
    ],
)
def test_each_refusal_has_the_cause_the_options_and_the_line(
    service: Service, question: str, column: str, options: dict[str, Any]
) -> None:
    told = refuse(service, question)
    details = told["details"]
    assert details["column"] == column
    assert details["cause"]["options"] == options
    assert options.items() <= details["options"].items()
    assert details["connect"] == service.source("rides")["advice"]["line"]
    assert details["connect"] in told["hint"]
    assert details["cause"]["text"] in told["hint"]
    assert "Read it again with" in told["resolution"]["reason"]


def test_the_options_of_a_refusal_answer_the_question(service: Service, tmp_path: Path) -> None:
    options = refuse(service, "max date")["details"]["options"]
    service.connect(tmp_path / "rides.csv", name="again", **options)
    assert service.ask("max date from again").rows == [{"date": datetime.date(2014, 12, 31), "count": 365}]
    assert service.ask("count from again where date >= 2014-10-01").rows == [{"count": SINCE}]
    assert service.ask("count from again where Umsatz > 99.5").rows == [{"count": 265}]


def test_a_card_tells_the_cause_and_no_value_of_the_data(service: Service) -> None:
    outcome = service.ask("max date")
    stored = json.dumps(outcome.card)
    assert "dates are not written as programs write them" in stored
    assert not any(f"'{date}'" in stored for date in DATES)
    assert "rides.csv --" not in stored
    told = describe_refusal("rejected", outcome["resolution"])
    assert "the date format '%Y-%m-%d'" in told["detail"]


def test_a_computation_is_refused_with_the_same_cause(service: Service) -> None:
    for call in ("stats.mean values=rides.Umsatz", "stats.mean values=rides.n where Umsatz > '5'"):
        with pytest.raises(InvalidIntentError) as met:
            service.compute(call)
        assert met.value.details["column"] == "Umsatz"
        assert met.value.details["cause"]["code"] == "number_form"
        assert met.value.details["connect"] == service.source("rides")["advice"]["line"]
        assert "decimal ','" in met.value.message


# --- text on purpose --------------------------------------------------------------------------------------------------

LINES = [
    "max date from texts",
    "count from texts where date >= 2014-10-01",
    "count by date from texts order by date asc limit 2",
]


@pytest.mark.parametrize("line", LINES)
def test_declared_text_is_compared_and_its_verdict_says_so(service: Service, tmp_path: Path, line: str) -> None:
    service.connect(tmp_path / "rides.csv", name="texts", types={"date": "string"})
    outcome = service.ask(line)
    assert outcome["status"] == "ok"
    assert outcome["data"]["provenance"]["notes"] == {"text is compared letter by letter": "date"}
    assert outcome.card["view"]["notes"] == ["text is compared letter by letter: date"]
    assert check_card(outcome.card, keys={}).status not in ("altered", "not_checkable")
    faces, _ = outcome._repr_mimebundle_()
    for kind in ("text/plain", "text/html", "text/markdown"):
        said = re.sub(r"<[^>]*>|\s+", " ", faces[kind])
        assert re.search(r"Answered\W+text is compared letter by letter: date", said), kind


def test_the_largest_text_is_that_of_pythons_order(service: Service, tmp_path: Path) -> None:
    service.connect(tmp_path / "rides.csv", name="texts", types={"date": "string"})
    assert service.ask("max date from texts").rows[0]["date"] == max(DATES)


def test_a_note_that_was_taken_off_a_card_is_missed(service: Service, tmp_path: Path) -> None:
    service.connect(tmp_path / "rides.csv", name="texts", types={"date": "string"})
    card = service.ask("max date from texts").card
    card["view"]["notes"] = []  # type: ignore[typeddict-item]
    assert check_card(card, keys={}).status == "altered"


# --- stored plans -----------------------------------------------------------------------------------------------------


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Service]:
    made = client(tmp_path, ledger=tmp_path / ".service")
    made.connect(write_file(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("line", LINES)
def test_a_stored_plan_runs_and_replays_as_it_was(recorder: Service, tmp_path: Path, line: str) -> None:
    """Such a plan was made before, with the same hash: a declared type is no part of it."""
    recorder.connect(tmp_path / "rides.csv", name="texts", types={"date": "string"})
    plan = {**recorder.resolve(line)["plan"], "source_name": "rides", "notes": {}}
    assert recorder.verify(plan)["valid"]
    old = recorder.run(plan)
    assert old["data"]["plan_hash"] == plan["plan_hash"]
    assert old["data"]["result_hash"] == recorder.ask(line)["data"]["result_hash"]
    assert old.card["view"]["notes"] == []
    replay = replaying(recorder).replay_card(old.card).replay
    assert (replay.status, replay.cause) == ("identical", None)


def test_a_stored_computation_replays_as_it_was(recorder: Service, tmp_path: Path) -> None:
    """It was bound to text that is declared; whoever replays it reads the file without types."""
    recorder.connect(tmp_path / "rides.csv", name="texts", types={"date": "string"})
    bound = {
        "parameter": "cashflows",
        "source": "texts",
        "field": "n",
        "filter": {"conditions": [{"column": "date", "op": "gte", "value": "2014-10-01"}]},
    }
    spec = {"module": "finance", "function": "npv", "args": [0.1], "bindings": [bound]}
    card = recorder.compute(spec).card
    with pytest.raises(InvalidIntentError):
        recorder.compute({**spec, "bindings": [{**bound, "source": "rides"}]})
    other = client(tmp_path)
    other.connect(tmp_path / "rides.csv", name="texts")
    replay = replaying(other).replay_card(card).replay
    assert replay.status == "identical"


# --- wherever it is held ----------------------------------------------------------------------------------------------

TEXTS = {"date": DATES, "price": [f"€ {n}" for n in range(365)], "word": [f"w{n}" for n in range(365)]}
ROWS = [dict(zip(TEXTS, row, strict=True)) for row in zip(*TEXTS.values(), strict=True)]


def connect_rows(service: Service, _: Path) -> None:
    service.connect(ROWS, name="t")


def connect_json(service: Service, folder: Path) -> None:
    (folder / "t.json").write_text(json.dumps(ROWS), encoding="utf-8")
    service.connect(folder / "t.json")


def connect_lines(service: Service, folder: Path) -> None:
    (folder / "t.ndjson").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    service.connect(folder / "t.ndjson")


def connect_pandas(service: Service, _: Path) -> None:
    service.connect(pd.DataFrame(TEXTS), name="t")


def connect_polars(service: Service, _: Path) -> None:
    service.connect(pl.DataFrame(TEXTS), name="t")


def connect_categories(service: Service, _: Path) -> None:
    service.connect(pd.DataFrame(TEXTS).astype("category"), name="t")


def connect_large(service: Service, _: Path) -> None:
    """Beyond what is computed in memory without an engine."""
    service.connect(pa.table({name: values * 10 for name, values in TEXTS.items()}), name="t")


def connect_parquet(service: Service, folder: Path) -> None:
    pq.write_table(pa.table(TEXTS), folder / "t.parquet")
    service.connect(folder / "t.parquet")


def connect_sqlite(service: Service, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "t.sqlite")) as database, database:
        database.execute("CREATE TABLE t (date TEXT, price TEXT, word TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", zip(*TEXTS.values(), strict=True))
    service.connect({"provider": "sqlite", "path": str(folder / "t.sqlite"), "table": "t"})


def connect_workbook(service: Service, folder: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(list(TEXTS))
    for row in zip(*TEXTS.values(), strict=True):
        book.active.append(row)
    book.save(folder / "t.xlsx")
    service.connect(folder / "t.xlsx")


PLACES = [
    *(connect_rows, connect_json, connect_lines, connect_pandas, connect_polars, connect_categories, connect_large),
    *(connect_parquet, connect_sqlite, connect_workbook),
]


@pytest.mark.parametrize("connect", PLACES, ids=lambda connect: connect.__name__)
def test_it_is_refused_wherever_the_values_are_held(tmp_path: Path, connect: Callable[[Service, Path], None]) -> None:
    service = service_nb.create_service(project=tmp_path)
    connect(service, tmp_path)
    (held,) = [each["physical"] for each in service.source("t")["typed_fields"] if each["name"] == "date"]
    assert held == "string"
    for question in ("max date", "count where date > '2014-10-01'", "min price", "count by price order by price"):
        told = refuse(service, question)
        assert told["details"]["column"] in question
        assert "Read it again with" in told["resolution"]["reason"] or "Convert it" in told["resolution"]["reason"]
    assert service.ask("max word").rows[0]["word"] == max(TEXTS["word"])
    service.close()


def test_a_column_that_a_policy_hides_is_not_told_of(tmp_path: Path) -> None:
    """The options were tried beside columns that are hidden."""
    policy = {"allowed_fields": {"rides": ["date", "n"]}}
    service = service_nb.create_service(project=tmp_path, policy=policy)
    service.connect(write_file(tmp_path))
    told = refuse(service, "max date")
    assert "options" not in told["details"]
    assert "connect" not in told["details"]
    hidden = service.ask("max Umsatz")
    assert hidden["resolution"]["rejection_reason"] == "policy_denied_field"
    assert "details" not in hidden


def test_a_candidate_is_offered_only_if_it_is_answered(service: Service) -> None:
    outcome = service.ask("max dat")
    assert outcome["status"] == "rejected"
    assert outcome["resolution"]["candidates"] == []
