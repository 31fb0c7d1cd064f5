"""Columns as arguments: real sources, filters, nulls, order, groups; hashes computed again by other libraries."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rfc8785

import service_nb
from service_nb.client.service import Service
from service_nb.errors import (
    DomainError,
    DuplicateArgumentBindingError,
    InvalidIntentError,
    PolicyDeniedError,
    SourceChangedError,
    SourceNotFoundError,
)
from tests.simulators.compute import HASH, Simulator, simulated

FLOWS = [-1000.0, 300.0, 420.0, 560.0, 680.0]
CSV = "year,flow,units,region,paid,day\n" + "".join(
    f"{2020 + at},{flow},{at},{'north' if at % 2 else 'south'},{'true' if at else 'false'},2024-01-0{at + 1}\n"
    for at, flow in enumerate(FLOWS)
)
NPV = {"module": "finance", "function": "npv", "args": [0.1]}
FLOW = {"parameter": "cashflows", "source": "budget", "field": "flow"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "budget.csv").write_text(CSV, encoding="utf-8")
    made = simulated(tmp_path)
    made.connect(tmp_path / "budget.csv", aliases={"cash": "flow"})
    made.connect([{"x": 1.0, "y": 2.0}, {"x": None, "y": 5.0}, {"x": 4.0, "y": None}, {"x": 3, "y": 1}], name="holes")
    yield made
    made.close()


def sha256(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def bound(service: Service, **more: Any) -> Any:
    return service.compute({**NPV, "bindings": [{**FLOW, **more}]})


# --- hashes and provenance --------------------------------------------------------------------------------------------


def test_a_bound_column_has_provenance_and_hashes(service: Service) -> None:
    result = bound(service)
    (binding,) = result["provenance"]["bindings"]
    assert result["value"] == 505.0201488969332
    assert binding == {
        "source_name": "budget",
        "fields": ["flow"],
        "parameters": ["cashflows"],
        "schema_revision": service.source("budget")["schema_revision"],
        "row_count": 5,
        "dropped": 0,
        "input_hash": sha256(rfc8785.dumps(FLOWS)),
        "source_rows": 5,
    }
    identity = {
        "module": "finance",
        "function": "npv",
        "args": [0.1],
        "kwargs": {},
        "resolved_bindings": [{"input_hash": sha256(rfc8785.dumps(FLOWS))}],
        "contract_hash": HASH,
        "execution_scope": "linux-x64:local",
        "seed": None,
    }
    invocation = sha256(b"service:invocation:v1\0", rfc8785.dumps(identity))
    assert result["invocation_hash"] == invocation
    assert result["computation_hash"] == sha256(b"service:computation:v1\0", invocation.encode(), b"505.0201488969332")
    assert result["determinism"]["input_hash"] == sha256(rfc8785.dumps([0.1, FLOWS]))
    assert (
        result["determinism"]["input_hash"]
        == service.compute("finance.npv", args=[0.1, FLOWS])["determinism"]["input_hash"]
    )


def test_rowwise_columns_are_hashed_as_one_array_of_columns(service: Service) -> None:
    result = service.compute(
        "stats.covariance",
        bindings=[{"parameters": ["y", "x"], "fields": ["units", "flow"], "source": "budget", "alignment": "rowwise"}],
    )
    (binding,) = result["provenance"]["bindings"]
    units = [0, 1, 2, 3, 4]
    assert binding["input_hash"] == sha256(rfc8785.dumps([units, FLOWS]))
    assert binding["input_hashes"] == [sha256(rfc8785.dumps(units)), sha256(rfc8785.dumps(FLOWS))]
    assert result["determinism"]["input_hash"] == sha256(rfc8785.dumps([FLOWS, units]))
    assert result["value"] == pytest.approx(np.cov(FLOWS, units)[0, 1], rel=1e-14)


def test_aliases_and_other_spellings_resolve_to_the_column(service: Service) -> None:
    for name in ("cash", "Flow", "flow"):
        assert bound(service, field=name)["provenance"]["bindings"][0]["fields"] == ["flow"]
    assert "cashflows=budget.flow" in bound(service, field="cash").card["view"]["question"]


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "column", "met"),
    [
        ("numbers.total", "units", [0, 1, 2, 3, 4]),
        ("logic.every", "paid", [False, True, True, True, True]),
        ("stats.mean", "units", [0.0, 1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_columns_arrive_in_the_type_of_their_parameter(
    tmp_path: Path, service: Service, call: str, column: str, met: list[Any]
) -> None:
    runtime = Simulator()
    other = simulated(tmp_path, runtime=runtime)
    other.connect(tmp_path / "budget.csv")
    parameter = other.capability(call)["params"][0]["name"]
    other.compute(call, bindings=[{"parameter": parameter, "source": "budget", "field": column}])
    ((_, (value,)),) = runtime.calls
    assert value == met
    assert set(map(type, value)) == set(map(type, met))


@pytest.mark.parametrize(
    ("call", "column"),
    [
        ("stats.mean", "region"),
        ("stats.mean", "paid"),
        ("stats.mean", "day"),
        ("numbers.total", "region"),
        ("numbers.total", "paid"),
        ("logic.every", "units"),
        ("linalg.trace", "flow"),
    ],
)
def test_a_column_of_another_type_is_refused(service: Service, call: str, column: str) -> None:
    parameter = service.capability(call)["params"][0]["name"]
    with pytest.raises(InvalidIntentError) as caught:
        service.compute(call, bindings=[{"parameter": parameter, "source": "budget", "field": column}])
    assert caught.value.details["parameter"] == parameter
    assert {"field", "met", "expected"} <= caught.value.details.keys()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1])
def test_values_that_no_double_is_are_refused(service: Service, value: Any) -> None:
    service.connect(pa.table({"x": [1, value]}), name="odd")
    with pytest.raises(InvalidIntentError) as caught:
        service.compute("stats.mean", bindings=[{"parameter": "values", "source": "odd", "field": "x"}])
    assert caught.value.details["parameter"] == "values"


def test_the_place_of_a_value_that_no_double_holds_is_that_in_its_column(service: Service) -> None:
    service.connect([{"n": 1}, {"n": 2**53}, {"n": 2**53 + 2}, {"n": 2**53 + 1}], name="large")
    with pytest.raises(InvalidIntentError, match=r"\(value 4\), which has 9007199254740993") as caught:
        service.compute("stats.mean values=large.n")
    assert caught.value.details["index"] == 3


def test_a_decimal_is_the_nearest_double(service: Service) -> None:
    table = pa.table({"price": pa.array([Decimal("0.10"), Decimal("19.99")], pa.decimal128(9, 2))})
    service.connect(table, name="prices")
    result = service.compute("stats.mean", bindings=[{"parameter": "values", "source": "prices", "field": "price"}])
    assert result["provenance"]["bindings"][0]["input_hash"] == sha256(rfc8785.dumps([0.1, 19.99]))


def test_one_number_may_come_from_a_column_that_has_one_value_left(service: Service) -> None:
    rate = {"parameter": "rate", "source": "budget", "field": "units"}
    one = {"conditions": [{"column": "year", "op": "eq", "value": 2021}]}
    spec = {"module": "finance", "function": "npv", "kwargs": {"cashflows": [1, 1]}}
    result = service.compute({**spec, "bindings": [{**rate, "filter": one}]})
    assert result["value"] == 1.5
    assert result["provenance"]["bindings"][0]["input_hash"] == sha256(b"[1]")
    for filter_ in (None, {"conditions": [{"column": "year", "op": "eq", "value": 1900}]}):
        with pytest.raises(InvalidIntentError) as caught:
            service.compute({**spec, "bindings": [{**rate, "filter": filter_}]})
        assert caught.value.details["parameter"] == "rate"


# --- filters and nulls ------------------------------------------------------------------------------------------------


def test_a_filter_is_a_questions_filter_and_is_kept_resolved(service: Service) -> None:
    conditions = [
        {"column": "Year", "op": "gte", "value": 2021},
        {"column": "day", "op": "lt", "value": datetime.date(2024, 1, 5)},
    ]
    result = bound(service, filter={"conditions": conditions})
    (binding,) = result["provenance"]["bindings"]
    assert binding["row_count"] == 3
    assert binding["input_hash"] == sha256(rfc8785.dumps(FLOWS[1:4]))
    assert binding["filter"] == {
        "conditions": [
            {"column": "day", "op": "lt", "value": "2024-01-05"},
            {"column": "year", "op": "gte", "value": 2021},
        ]
    }
    assert result.replay()["status"] == "identical"


def test_a_relative_period_is_made_absolute(tmp_path: Path, service: Service) -> None:
    now = datetime.datetime(2024, 1, 15, tzinfo=datetime.UTC)
    other = simulated(tmp_path, clock=lambda: now)
    other.connect(tmp_path / "budget.csv")
    result = bound(other, filter={"time_filter": {"column": "day", "period": "this_month"}})
    (binding,) = result["provenance"]["bindings"]
    assert [each["value"] for each in binding["filter"]["conditions"]] == ["2024-01-01", "2024-02-01"]
    assert binding["row_count"] == 5


@pytest.mark.parametrize(
    "filter_",
    [
        {"conditions": [{"column": "year", "op": "is", "value": 1}]},
        {"conditions": [{"column": "yeer", "op": "eq", "value": 1}]},
        {"conditions": [{"column": "year", "op": "eq", "value": "x"}]},
        {"where": "year = 1"},
        {"conditions": 5},
        "year = 2020",
        5,
    ],
)
def test_a_malformed_filter_is_refused(service: Service, filter_: Any) -> None:
    with pytest.raises(InvalidIntentError):
        bound(service, filter=filter_)


def test_nulls_are_refused_unless_they_are_to_be_dropped(service: Service) -> None:
    binding = {"parameter": "values", "source": "holes", "field": "x"}
    with pytest.raises(InvalidIntentError) as caught:
        service.compute("stats.mean", bindings=[binding])
    assert caught.value.details["parameter"] == "values"
    result = service.compute("stats.mean", bindings=[{**binding, "null_policy": "drop"}])
    (provenance,) = result["provenance"]["bindings"]
    assert (provenance["row_count"], provenance["dropped"]) == (3, 1)
    assert provenance["input_hash"] == sha256(rfc8785.dumps([1, 4, 3]))


def test_rowwise_nulls_drop_the_whole_row(service: Service) -> None:
    binding = {
        "parameters": ["x", "y"],
        "fields": ["x", "y"],
        "source": "holes",
        "alignment": "rowwise",
        "null_policy": "drop",
    }
    result = service.compute("stats.covariance", bindings=[binding])
    (provenance,) = result["provenance"]["bindings"]
    assert (provenance["row_count"], provenance["dropped"]) == (2, 2)
    assert provenance["input_hash"] == sha256(rfc8785.dumps([[1, 3], [2, 1]]))
    with pytest.raises(InvalidIntentError):
        service.compute("stats.covariance", bindings=[{**binding, "null_policy": "refuse"}])


# --- order ------------------------------------------------------------------------------------------------------------


def large() -> pa.Table:
    values = np.random.default_rng(5).normal(size=60_000)
    return pa.table({"value": values, "key": pa.array(np.arange(60_000) % 7), "at": np.arange(60_000)})


@pytest.mark.parametrize("form", ["memory", "parquet", "folder"])
def test_rows_keep_the_order_of_their_source_on_every_engine(tmp_path: Path, service: Service, form: str) -> None:
    table = large()
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(3):
        pq.write_table(table.slice(part * 20_000, 20_000), folder / f"{part}.parquet", row_group_size=3_000)
    pq.write_table(table, tmp_path / "whole.parquet", row_group_size=3_000)
    origin = {"memory": table, "parquet": tmp_path / "whole.parquet", "folder": folder}[form]
    service.connect(origin, name="large")
    whole = service.compute("stats.mean", bindings=[{"parameter": "values", "source": "large", "field": "value"}])
    expected = table["value"].to_numpy()
    assert whole["provenance"]["bindings"][0]["input_hash"] == sha256(rfc8785.dumps(expected.tolist()))
    filter_ = {"conditions": [{"column": "key", "op": "in", "values": [1, 4]}]}
    some = service.compute(
        "stats.mean", bindings=[{"parameter": "values", "source": "large", "field": "value", "filter": filter_}]
    )
    kept = expected[np.isin(table["key"].to_numpy(), [1, 4])]
    assert some["provenance"]["bindings"][0]["input_hash"] == sha256(rfc8785.dumps(kept.tolist()))


def test_a_file_that_changed_is_not_read_again_silently(tmp_path: Path, service: Service) -> None:
    result = bound(service)
    (tmp_path / "budget.csv").write_text(CSV.replace("680.0", "681.0"), encoding="utf-8")
    with pytest.raises(SourceChangedError):
        bound(service)
    replayed = result.replay()
    assert (replayed["status"], replayed["cause"]) == ("refused", "source_content_mismatch")


# --- groups -----------------------------------------------------------------------------------------------------------


def test_over_runs_once_for_each_value_and_equals_the_filtered_calls(service: Service) -> None:
    call = {**NPV, "bindings": [{**FLOW, "filter": {"conditions": [{"column": "year", "op": "lt", "value": 2024}]}}]}
    groups = service.compute(call, over="region")
    assert [each["provenance"]["bindings"][0]["row_count"] for each in groups] == [2, 2]
    for region, result in zip(["north", "south"], groups, strict=True):
        conditions = [
            {"column": "year", "op": "lt", "value": 2024},
            {"column": "region", "op": "eq", "value": region},
        ]
        alone = bound(service, filter={"conditions": conditions})
        assert result["computation_hash"] == alone["computation_hash"]
        assert result["provenance"] == alone["provenance"]
        assert result.replay()["status"] == "identical"


def test_over_knows_null_dates_and_numbers(service: Service) -> None:
    rows = [
        {"k": 2, "d": datetime.date(2024, 1, 2), "v": 1.0},
        {"k": None, "d": None, "v": 2.0},
        {"k": 1, "d": None, "v": 4.0},
    ]
    service.connect(rows, name="keys")
    bindings = [{"parameter": "values", "source": "keys", "field": "v"}]
    by_key = service.compute("stats.mean", bindings=bindings, over="k")
    assert [each.value for each in by_key] == [4.0, 1.0, 2.0]
    by_day = service.compute("stats.mean", bindings=bindings, over="d")
    assert [each.value for each in by_day] == [1.0, 3.0]
    assert all(each.replay()["status"] == "identical" for each in [*by_key, *by_day])


@pytest.mark.parametrize("runtime", ["in_process", None])
def test_a_group_that_fails_is_named(tmp_path: Path, runtime: Any) -> None:
    wide = service_nb.create_service(project=tmp_path, runtime=runtime)
    values = {"north": [1.0, 4.0], "south": [-1.0, 2.0], "west": [None, 2.0]}
    wide.connect([{"region": region, "v": v} for region, some in values.items() for v in some], name="groups")
    with pytest.raises(InvalidIntentError) as caught:
        wide.compute("stats.geometric_mean values=groups.v", over="region")
    assert caught.value.details["group"] == "west"  # found while columns are bound, before anything runs
    assert "'west'" in str(caught.value)
    with pytest.raises(DomainError) as failed:
        wide.compute("stats.geometric_mean values=groups.v where region != 'west'", over="region")
    assert failed.value.details["group"] == "south"
    assert "'south'" in str(failed.value)
    assert "call" not in failed.value.details
    with pytest.raises(DomainError) as third:
        wide.compute_many([{"module": "stats", "function": "geometric_mean", "args": [[v]]} for v in (1.0, 2.0, -1.0)])
    assert third.value.details["call"] == 2
    wide.close()


@pytest.mark.parametrize("over", ["flow", "no_such", "", 5])
def test_over_refuses_what_makes_no_groups(service: Service, over: Any) -> None:
    with pytest.raises(InvalidIntentError):
        service.compute({**NPV, "bindings": [FLOW]}, over=over)
    with pytest.raises(InvalidIntentError):
        service.compute("finance.npv", args=[0.1, FLOWS], over="region")


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_a_parameter_that_is_bound_twice_is_a_duplicate(service: Service) -> None:
    for spec in (
        {**NPV, "args": [0.1, FLOWS], "bindings": [FLOW]},
        {**NPV, "kwargs": {"cashflows": FLOWS}, "bindings": [FLOW]},
        {**NPV, "bindings": [FLOW, FLOW]},
    ):
        with pytest.raises(DuplicateArgumentBindingError) as caught:
            service.compute(spec)
        assert caught.value.details["parameter"] == "cashflows"


def test_an_unknown_source_or_column_is_named(service: Service) -> None:
    with pytest.raises(SourceNotFoundError):
        bound(service, source="nowhere")
    with pytest.raises(InvalidIntentError) as caught:
        bound(service, field="flov")
    assert caught.value.details["did_you_mean"] == ["flow"]


# --- policy -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["units", "no_such_column"])
def test_a_denied_column_and_a_missing_one_get_the_same_answer(tmp_path: Path, service: Service, field: str) -> None:
    narrow = service.narrow({"allowed_fields": {"budget": ["flow", "year"]}})
    assert bound(narrow).value == 505.0201488969332
    secret = {"conditions": [{"column": field, "op": "eq", "value": 1}]}
    for attempt in (
        lambda: bound(narrow, field=field),
        lambda: bound(narrow, filter=secret),
        lambda: narrow.compute({**NPV, "bindings": [FLOW]}, over=field),
    ):
        with pytest.raises(PolicyDeniedError) as caught:
            attempt()
        assert caught.value.code == "policy_denied_field"
        assert caught.value.message == f"The policy does not allow the field '{field}' of budget."


@pytest.mark.parametrize("name", ["holes", "nowhere"])
def test_a_denied_source_and_a_missing_one_get_the_same_answer(service: Service, name: str) -> None:
    narrow = service.narrow({"allowed_sources": ["budget"]})
    with pytest.raises(PolicyDeniedError) as caught:
        bound(narrow, source=name)
    assert caught.value.code == "policy_denied_source"
