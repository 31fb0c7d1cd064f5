"""What an outcome turns into: native rows, frames and Arrow with exact values, an explanation, a replay, a card."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import weakref
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.client.results import QueryOutcome
from service_nb.client.service import Service
from service_nb.errors import DriverMissingError, InvalidIntentError

DAY, LATER = datetime.date(2024, 1, 31), datetime.date(2024, 2, 29)
MOMENT = datetime.datetime.fromisoformat("2024-01-31T10:00:00.000001")
TABLE = pa.table(
    {
        "g": pa.array(["a", "b", None, "a"]),
        "whole": pa.array([2**63 - 1, 5, None, 2**63 - 1], pa.int64()),
        "price": pa.array([Decimal("1.10"), Decimal("2.20"), None, Decimal("3.30")], pa.decimal128(12, 2)),
        "x": pa.array([0.1, float("nan"), None, 0.2]),
        "flag": pa.array([True, False, None, True]),
        "day": pa.array([DAY, LATER, None, DAY]),
        "at": pa.array([MOMENT, MOMENT, None, MOMENT], pa.timestamp("us")),
    }
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = service_nb.create_service(project=tmp_path_factory.mktemp("results"))
    made.connect(TABLE, name="t")
    yield made
    made.close()


# Question, the values of the metric in order, and the Arrow type that holds them.
ANSWERS: list[tuple[str, list[Any], pa.DataType]] = [
    ("sum whole by g", [2**64 - 2, 5, None], pa.decimal128(38, 0)),
    ("max whole by g", [2**63 - 1, 5, None], pa.int64()),
    ("count whole by g", [2, 1, 0], pa.int64()),
    ("avg whole by g", [float(2**63 - 1), 5.0, None], pa.float64()),
    ("sum price by g", [Decimal("4.40"), Decimal("2.20"), None], pa.decimal128(3, 2)),
    ("min price by g", [Decimal("2.20"), Decimal("1.10"), None], pa.decimal128(3, 2)),
    ("max day by g", [LATER, DAY, None], pa.date32()),
    ("max at by g", [MOMENT, MOMENT, None], pa.timestamp("us")),
    ("min g", ["a"], pa.string()),
    ("sum x where x < 1", [0.1 + 0.2], pa.float64()),
    ("sum whole where whole is null", [None], pa.int64()),
    ("sum price where price is null", [None], pa.decimal128(38, 0)),
]


@pytest.mark.parametrize(("question", "values", "kind"), ANSWERS)
def test_every_form_holds_the_exact_values(
    question: str, values: list[Any], kind: pa.DataType, service: Service
) -> None:
    outcome = service.ask(question)
    metric = question.split()[1]
    assert [row[metric] for row in outcome.rows] == values
    assert [type(row[metric]) for row in outcome.rows] == [type(value) for value in values]
    table = outcome.to_arrow()
    assert table.schema.field(metric).type == kind
    assert table.schema.field("count").type == pa.int64()
    assert table[metric].to_pylist() == values
    assert outcome.to_polars()[metric].to_list() == values
    assert pa.RecordBatchReader.from_stream(outcome).read_all() == table  # the PyCapsule interface
    assert list(outcome.to_pandas().columns) == list(outcome.rows[0])


def test_integers_stay_integers_in_pandas(service: Service) -> None:
    frame = service.ask("max whole by g").to_pandas()
    assert str(frame["whole"].dtype) == "Int64"
    assert frame["whole"].tolist()[:2] == [2**63 - 1, 5]
    assert frame["whole"].isna().tolist() == [False, False, True]
    assert str(service.ask("count by g").to_pandas()["count"].dtype) == "int64"
    assert service.ask("sum whole by g").to_pandas()["whole"].tolist()[0] == 2**64 - 2


def test_dates_and_decimals_stay_what_they_are_in_pandas(service: Service) -> None:
    assert service.ask("max day by g").to_pandas()["day"].tolist()[:2] == [LATER, DAY]
    assert service.ask("sum price by g").to_pandas()["price"].tolist()[:2] == [Decimal("4.40"), Decimal("2.20")]
    assert service.ask("max at by g").to_pandas()["at"].tolist()[0] == pd.Timestamp(MOMENT)


@pytest.mark.parametrize("key", ["g", "whole", "price", "x", "flag", "day", "at"])
def test_keys_of_every_type_convert(key: str, service: Service) -> None:
    outcome = service.ask(f"count by {key}")
    keys = [row[key] for row in outcome.rows]
    assert keys[-1] is None or keys.count(None) == 1
    assert repr(outcome.to_arrow()[key].to_pylist()) == repr(keys)
    assert len(outcome.to_pandas()) == len(outcome.to_polars()) == len(keys)


def test_an_answer_without_rows_keeps_its_columns(service: Service) -> None:
    outcome = service.ask("sum whole by g, day where g = 'nobody'")
    assert outcome.rows == []
    assert outcome.to_arrow().schema == pa.schema(
        {"g": pa.string(), "day": pa.date32(), "whole": pa.int64(), "count": pa.int64()}
    )
    assert list(outcome.to_pandas().columns) == outcome.to_polars().columns == ["g", "day", "whole", "count"]
    assert service.ask("sum price by g where g = 'nobody'").to_arrow().num_rows == 0


@pytest.mark.parametrize("scale", [0, 2])
def test_sums_beyond_38_digits_are_exact_in_every_form(scale: int, tmp_path: Path) -> None:
    largest = Decimal(10**38 - 1).scaleb(-scale, Context(prec=50))
    service = service_nb.create_service(project=tmp_path)
    service.connect(pa.table({"x": pa.array([largest] * 11, pa.decimal128(38, scale))}), name="wide")
    outcome = service.ask("sum x")
    exact = Fraction(11 * (10**38 - 1), 10**scale)
    assert Fraction(outcome.rows[0]["x"]) == exact  # type: ignore[arg-type]
    assert Fraction(outcome.to_arrow()["x"][0].as_py()) == exact
    assert Fraction(outcome.to_pandas()["x"][0]) == exact
    assert Fraction(outcome.to_polars()["x"][0]) == exact
    assert Fraction(outcome["data"]["result"][0]["x"]) == exact


def test_an_answer_may_be_connected_and_asked_again(service: Service, tmp_path: Path) -> None:
    again = service_nb.create_service(project=tmp_path)
    again.connect(service.ask("count by g").to_arrow(), name="counted")
    assert again.ask("sum `count` from counted").rows == [{"count": 4, "row_count": 3}]


def test_columns_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path)
    service.connect([{"count": 5, "n": 1}, {"count": 7, "n": 1}], name="clash")
    assert service.ask("sum `count` from clash").rows == [{"count": 12, "row_count": 2}]
    assert service.ask("sum `count` by `count` from clash").rows == [
        {"count": 7, "sum_count": 7, "row_count": 1},
        {"count": 5, "sum_count": 5, "row_count": 1},
    ]
    assert service.ask("sum n by `count` from clash").to_arrow().column_names == ["count", "n", "row_count"]


# --- dicts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", [*(question for question, _, _ in ANSWERS), "sum whol", "sum g", "count from nowhere"]
)
def test_every_outcome_is_a_plain_dict_that_json_takes(question: str, service: Service) -> None:
    outcome = service.ask(question)
    assert isinstance(outcome, dict)
    assert json.loads(json.dumps(outcome, allow_nan=False)) == dict(outcome)
    assert json.loads(json.dumps(outcome.card, allow_nan=False)) == outcome.card
    assert len(outcome) == len(list(outcome)) == len(outcome.keys())


def test_values_that_json_cannot_hold_are_text(service: Service) -> None:
    data = service.ask("sum whole by g")["data"]["result"]
    assert [row["whole"] for row in data] == [str(2**64 - 2), 5, None]
    assert service.ask("min x by g")["data"]["result"][1]["x"] == "NaN"
    assert service.ask("max at")["data"]["result"] == [{"at": "2024-01-31T10:00:00.000001", "count": 4}]


# --- explain, replay, faces -------------------------------------------------------------------------------------------


def test_an_answer_explains_its_plan(service: Service) -> None:
    outcome = service.ask("sum x by g where x < 1 limit 2")
    assert outcome.explain() == outcome["data"]["plan"]
    assert len(outcome.explain()) == 6
    outcome.explain().clear()
    assert outcome.explain()


def test_a_refusal_explains_itself_with_lines_that_run(service: Service) -> None:
    reason, *lines = service.ask("sum whol by g from t").explain()
    assert "whol" in reason
    assert service.ask(lines[0])["status"] == "ok"


@pytest.mark.parametrize("question", [question for question, _, _ in ANSWERS])
def test_a_replay_is_identical(question: str, service: Service) -> None:
    outcome = service.ask(question)
    replayed = outcome.replay()
    assert replayed["status"] == "identical"
    assert replayed["expected"] == replayed["met"] == outcome["data"]["result_hash"]


def test_a_replay_runs_what_the_card_says_and_not_what_the_dict_was_made_to_say(service: Service) -> None:
    outcome = service.ask("count")
    outcome["data"]["result_hash"] = "0" * 64
    assert outcome.replay()["met"] == service.ask("count")["data"]["result_hash"]
    outcome.card["canonical"]["result"] = '[{"count":99}]'
    replayed = outcome.replay()
    assert (replayed["status"], replayed["cause"]) == ("refused", "evidence_invalid")


def test_a_refusal_replays_too(service: Service) -> None:
    replayed = service.ask("sum whol").replay()
    assert (replayed["status"], replayed["digest"]) == ("identical", "refusal_hash")


@pytest.mark.parametrize("question", ["sum whol", "sum g", {"metric": "x"}])
def test_a_refusal_has_no_rows_and_says_why(question: Any, service: Service) -> None:
    outcome = service.ask(question)
    for ask in (
        lambda: outcome.rows,
        outcome.to_arrow,
        outcome.to_pandas,
        outcome.to_polars,
        outcome.__arrow_c_stream__,
        outcome.plot,
    ):
        with pytest.raises(InvalidIntentError) as caught:
            ask()
        assert caught.value.code == "invalid_intent"
        assert caught.value.details["met"] == outcome["status"]


def test_an_outcome_shows_itself_in_every_front_end(service: Service) -> None:
    for question in ("sum price by g", "sum whol"):
        data, _ = service.ask(question)._repr_mimebundle_()
        assert {"text/plain", "text/html", "text/markdown"} <= set(data)
        assert any(kind.startswith("application/vnd.service-nb.card") for kind in data)


def test_a_source_shows_itself_in_every_front_end(service: Service) -> None:
    data, _ = service.source("t")._repr_mimebundle_()
    assert {"text/plain", "text/html"} <= set(data)
    assert json.loads(json.dumps(service.source("t"))) == service.source("t")


def test_without_polars_the_extra_is_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(DriverMissingError) as caught:
        service.ask("count").to_polars()
    assert caught.value.code == "driver_missing"
    assert caught.value.hint is not None
    assert "polars" in caught.value.hint


def test_rows_of_a_large_answer_are_whole_while_the_card_shows_the_first(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path)
    service.connect(pa.table({"k": range(5_000), "x": [0.5] * 5_000}), name="wide")
    outcome = service.ask("sum x by k")
    assert len(outcome.rows) == len(outcome["data"]["result"]) == outcome.to_arrow().num_rows == 5_000
    assert len(outcome.card["view"]["rows"]) <= 20
    assert outcome.card["view"]["row_count"] == 5_000
    assert len(service.ask("sum x by k", shown_rows=3).card["view"]["rows"]) == 3


def test_an_answer_is_a_source_for_the_next_question(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path)
    service.connect(TABLE, name="t")
    service.connect(service.ask("sum price by g from t"), name="totals")
    assert service.ask("sum price from totals").rows == [{"price": Decimal("6.60"), "count": 3}]
    with pytest.raises(InvalidIntentError):
        service.connect(service.ask("sum g from t"), name="refused")


def test_what_a_session_remembers_of_a_result_holds_none_of_its_values(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path, ledger="off")
    service.connect([{"region": "north", "revenue": 1.5}], name="sales")
    outcome = service.ask("sum revenue by region from sales")
    card, result_id, gone = outcome.card, outcome["data"]["query_id"], weakref.ref(outcome)
    kept = outcome.without_values()
    del outcome
    assert gone() is None
    assert (dict(kept), kept.card) == ({"id": result_id}, card)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QueryOutcome:
    """An answer of more rows than its card holds, with texts that a spreadsheet would take for formulas."""
    monkeypatch.chdir(tmp_path)
    client = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger")
    rows = [{"name": f"=n{at}", "big": 2**60 + at, "price": Decimal(at) / 100, "day": DAY} for at in range(4_000)]
    client.connect(rows, name="many")
    return client.ask("sum big by name, price, day from many")


def test_a_stored_answer_has_the_rows_that_the_outcome_had(many: QueryOutcome) -> None:
    assert "result" not in many.card["canonical"]
    with service_nb.create_service(project=Path.cwd(), ledger=Path.cwd() / "ledger") as later:
        stored = later.get_result(many["data"]["query_id"])
        assert (stored.rows, stored.columns) == (many.rows, many.columns)
        assert stored.to_arrow().equals(many.to_arrow())
        later.connect(TABLE, name="t")
        for asked in ("sum whole by g, day from t", "max at by flag from t", "sum price by x from t", "min x from t"):
            outcome = later.ask(asked)
            again = later.get_result(outcome["data"]["query_id"])
            assert repr(again.rows) == repr(outcome.rows)  # NaN among them, which equals nothing
            assert again.to_arrow().schema.equals(outcome.to_arrow().schema)
        refusal = later.get_result(later.ask("sum nothing from t")["result_id"])
        with pytest.raises(InvalidIntentError, match="has no rows"):
            _ = refusal.rows


def test_csv_has_exact_texts_no_formula_and_its_hashes_beside_it(many: QueryOutcome) -> None:
    path = many.to_csv("many.csv")
    rows = list(csv.DictReader(path.read_bytes().decode().splitlines()))
    assert [int(row["big"]) for row in rows] == [row["big"] for row in many.rows]
    assert [row["name"] for row in rows] == [f"'{row['name']}" for row in many.rows]
    beside = json.loads(Path("many.csv-metadata.json").read_text(encoding="utf-8"))
    assert beside["url"] == "many.csv"
    assert [column["datatype"] for column in beside["tableSchema"]["columns"]] == [
        "string", "decimal", "date", "integer", "integer",
    ]  # fmt: skip
    terms = "urn:service-nb:terms:v1#"
    assert beside[f"{terms}result_hash"] == many["data"]["result_hash"]
    assert beside[f"{terms}sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert many.to_csv("many.csv").stat().st_size == path.stat().st_size  # a second run replaces it


def test_parquet_has_exact_types_and_the_hash_in_its_metadata(many: QueryOutcome) -> None:
    table = pq.read_table(many.to_parquet("many.parquet"))
    assert table.to_pylist() == many.rows
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata["service_nb.result_hash"] == many["data"]["result_hash"]
    text = many.read_whole_card()["canonical"]["result"]
    hashed = f"service:result:v1\0{metadata['service_nb.plan_hash']}{text}"
    assert hashlib.sha256(hashed.encode()).hexdigest() == metadata["service_nb.result_hash"]


def test_markdown_has_exact_texts_and_the_hash_on_its_last_line(many: QueryOutcome) -> None:
    lines = many.to_markdown().splitlines()
    assert len(lines) == 2 + 4_000 + 2
    assert lines[1] == "|:---|---:|:---|---:|---:|"
    assert lines[-1] == f"`result_hash` `{many['data']['result_hash']}`"
    assert str(many.rows[0]["big"]) in lines[2]


def test_a_refusal_writes_no_file(service: Service, tmp_path: Path) -> None:
    refused = service.ask("sum nothing from t")
    for write in (refused.to_csv, refused.to_parquet):
        with pytest.raises(InvalidIntentError):
            write(tmp_path / "rows")
    with pytest.raises(InvalidIntentError):
        refused.to_markdown()
    assert list(tmp_path.iterdir()) == []
