"""What an outcome turns into: native rows, frames and Arrow with exact values, an explanation, a replay, a card."""

from __future__ import annotations

import datetime
import json
import weakref
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import service_nb
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
