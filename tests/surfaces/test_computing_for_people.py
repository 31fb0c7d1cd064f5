"""Computations for people: defaults of the field, columns of answers, frames and pictures of values, many calls."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import service_nb
from service_nb.errors import InvalidIntentError
from tests.surfaces.conftest import Session

ROWS = [
    {"region": "north", "x": 1.5, "n": 3},
    {"region": "south", "x": 4.0, "n": 1},
    {"region": "north", "x": 9.0, "n": None},
]


@pytest.fixture(scope="module")
def service() -> Iterator[service_nb.Service]:
    client = service_nb.create_service(runtime="in_process", ledger="off")
    client.connect(ROWS, name="sales")
    yield client
    client.close()


def test_what_a_call_leaves_out_has_the_default_of_its_field(service: service_nb.Service) -> None:
    values = [3.5, 1.0, 8.25, 2.0]
    short = service.compute("stats.quantile", kwargs={"values": values, "probability": 0.3})
    whole = service.compute("stats.quantile", kwargs={"values": values, "probability": 0.3, "definition": 7})
    assert short.value == float(np.quantile(values, 0.3))  # NumPy's own default is definition 7
    assert short["computation_hash"] == whole["computation_hash"]
    assert short.card["digests"]["input_hash"] == whole.card["digests"]["input_hash"]
    assert short.card["view"]["question"].endswith("definition=7)")
    other = service.compute("stats.quantile", kwargs={"values": values, "probability": 0.3, "definition": 6})
    assert other.value != short.value
    with pytest.raises(InvalidIntentError, match="probability is missing"):
        service.compute("stats.quantile", kwargs={"values": values})


def test_a_default_is_shown_where_a_call_is_written(service: service_nb.Service) -> None:
    (hit, *_) = service.search_capabilities("quantile hyndman")
    assert "definition: int = 7" in hit["signature"]


def test_an_argument_is_the_column_of_an_answer_or_of_a_frame(session: Session) -> None:
    session.shell.user_ns["frame"] = pd.DataFrame({"my column": [1.5, 4.0]})
    session.run("answer = %service_ask sum revenue by region from sales where revenue is not null")
    answer: service_nb.QueryOutcome = session["answer"]  # type: ignore[assignment]
    computed: service_nb.Computation = session.run("%service_compute stats.mean values=$answer.revenue")  # type: ignore[assignment]
    assert computed.value == statistics.fmean(float(value) for value in answer.column("revenue"))  # type: ignore[arg-type]
    assert session.run("%service_compute stats.mean values=$frame.`my column`").value == 2.75  # type: ignore[attr-defined]
    error = session.error("%service_compute stats.mean values=$answer.revenues")
    assert "has no column 'revenues'" in str(error)
    assert "$answer.revenue?" in str(error)
    assert "has no columns" in str(session.error("n = 3\n%service_compute stats.mean values=$n.x"))


def test_a_null_of_a_column_is_dropped_only_if_that_is_said(service: service_nb.Service) -> None:
    from service_nb.client.compute_line import parse_compute_line

    known = {"answer": service.ask("sum n by x from sales")}
    assert None in known["answer"].column("n")
    with pytest.raises(InvalidIntentError):
        service.compute(parse_compute_line("stats.mean values=$answer.n", known))
    # The capability says with what a column's nulls are dropped.
    read = parse_compute_line("stats.mean values=$answer.n", known, service.capability, null_policy="drop")
    assert service.compute(read).value == 2.0


def test_values_become_frames_and_pictures(service: service_nb.Service) -> None:
    ranks = service.compute("stats.ranks", kwargs={"values": [4.0, 1.0, 4.0]})
    assert ranks.to_pandas()["value"].tolist() == [2.5, 1.0, 2.5]
    assert ranks.to_polars().rows() == [(2.5,), (1.0,), (2.5,)]
    picture = ranks.plot()
    assert picture.result_hash == ranks["computation_hash"]
    assert "3 values" in picture.alt
    over = service.compute("stats.mean values=sales.x", over="region")
    assert over.to_pandas().to_dict("list") == {"region": ["north", "south"], "value": [5.25, 4.0]}  # type: ignore[attr-defined]
    assert "stats.mean by region" in over.plot().alt  # type: ignore[attr-defined]
    interval = service.compute(
        "hypothesis.mean_interval_t", kwargs={"mean": 5.0, "std": 2.0, "size": 4}
    )  # of confidence 0.95
    assert interval.to_pandas().to_dict("list") == {"low": [1.8175536947162916], "high": [8.182446305283708]}
    with pytest.raises(InvalidIntentError, match="not a list"):
        interval.plot()


def test_each_call_of_a_cell_has_its_card(session: Session) -> None:
    calls = "stats.mean values=[1, 2, 4]\n\nstats.median\n  values=[1, 2, 4]\nstats.range(values=[2,\n 3])"
    computed = session.run(f"%%service_compute\n{calls}")
    assert [each.value for each in computed] == [7 / 3, 2.0, 1.0]  # type: ignore[attr-defined]
    assert list(computed.to_pandas().columns) == ["call", "value"]  # type: ignore[attr-defined]
    assert "--over repeats one call" in str(session.error(f"%%service_compute --over region\n{calls}"))


def test_the_definition_of_a_call_with_a_default_leads_to_the_contract(service: service_nb.Service) -> None:
    for name, arguments in (
        ("meteorology.potential_temperature", {"temperature": 255.0, "pressure": 50000.0}),
        ("stats.quantile", {"values": [1, 2], "probability": 0.5}),
        ("hypothesis.mean_interval_t", {"mean": 5.0, "std": 2.0, "size": 4}),
    ):
        verdict = service.compute(name, kwargs=arguments).verify()
        assert {check.name: check.status for check in verdict.checks}["contract"] == "passed"
