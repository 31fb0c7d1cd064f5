"""Two samples of one table: each loses its own nulls alone, and none is compared with itself; values are SciPy's."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import service_nb
from service_nb.client.computation import bind_stored_call, check_call, record_values, run_calls
from service_nb.client.service import Service
from service_nb.client.user_keys import login
from service_nb.errors import InvalidIntentError
from service_nb.evidence.documents import check_card
from service_nb.notebook.body import read_computation
from tests.planes.test_second_compute import compute_first, describe, run_second
from tests.simulators.resident import own_home

WELCH = "hypothesis.t_test_welch"
# The nulls stand in b alone, in a alone, in both; no two values are equal, so that no test meets a tie.
HOLED = {
    "second": ([1.0, 2.1, 3.2, 4.3, 100.0], [2.0, None, 3.0, 5.0, None]),
    "first": ([2.0, None, 3.0, 5.0, None], [1.0, 2.1, 3.2, 4.3, 100.0]),
    "both": ([1.0, None, 3.2, 4.3, 100.0, 7.5], [2.0, 6.1, None, 5.0, None, None]),
}
ORACLES: dict[str, tuple[Callable[[Any, Any], float], str]] = {
    WELCH: (lambda a, b: stats.ttest_ind(a, b, equal_var=False).pvalue, "pvalue"),
    "hypothesis.t_test_two_sample": (lambda a, b: stats.ttest_ind(a, b).pvalue, "pvalue"),
    "hypothesis.mann_whitney_exact": (lambda a, b: stats.mannwhitneyu(a, b, method="exact").pvalue, "pvalue"),
    "hypothesis.mann_whitney_normal": (
        lambda a, b: stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False).pvalue,
        "pvalue",
    ),
    "hypothesis.ks_two_sample": (lambda a, b: stats.ks_2samp(a, b, method="exact").pvalue, "pvalue"),
    "hypothesis.f_test": (lambda a, b: np.var(a, ddof=1) / np.var(b, ddof=1), "statistic"),
    "hypothesis.permutation_test": (
        lambda a, b: stats.permutation_test((a, b), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf).pvalue,
        "pvalue",
    ),
    "information_theory.wasserstein_distance": (stats.wasserstein_distance, ""),
}
TABLE = b"""arm,n,score,a,b,day
A,1,1,1,2,2024-01-01
A,2,2,2,,2024-01-02
A,3,3,3,3,2024-01-03
A,4,5,4,5,2024-01-04
B,5,4,100,,2024-01-05
B,6,6,7,1,2024-02-01
B,7,7,,4,2024-02-02
B,8,9,8,9,2024-02-03
"""
ROWWISE = {"parameters": ["first", "second"], "fields": ["a", "b"], "source": "trial", "alignment": "rowwise"}


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    """A home with a device key and a runtime, for both clients."""
    with own_home() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_PYTHON", sys.executable)
        patch.delenv("SERVICE_DEVICE_KEY", raising=False)
        login()
        yield folder


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "trial.csv").write_bytes(TABLE)
    made = service_nb.create_service(project=tmp_path, runtime="in_process")
    made.connect(tmp_path / "trial.csv")
    yield made
    made.close()


def connect_columns(service: Service, a: list[float | None], b: list[float | None]) -> None:
    service.connect([{"a": one, "b": other} for one, other in zip(a, b, strict=True)], name="x")


def spell(call: str, **more: Any) -> dict[str, Any]:
    module, _, function = call.partition(".")
    return {"module": module, "function": function, **more}


# --- nulls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("holes", HOLED)
@pytest.mark.parametrize("call", ORACLES)
def test_each_sample_loses_its_own_nulls_alone(service: Service, call: str, holes: str) -> None:
    a, b = HOLED[holes]
    connect_columns(service, a, b)
    oracle, member = ORACLES[call]
    expected = oracle(*([value for value in each if value is not None] for each in (a, b)))
    several = {**ROWWISE, "source": "x", "null_policy": "drop"}
    single = [
        {"parameter": name, "source": "x", "field": field, "null_policy": "drop"}
        for name, field in (("first", "a"), ("second", "b"))
    ]
    told = [service.compute(call, bindings=each) for each in ([several], single)]
    told.append(service.compute(f"{call} first=x.a[a is not null] second=x.b[b is not null]"))
    for each in told:
        value = each.value[member] if member else each.value
        assert value == pytest.approx(expected, rel=1e-11)
    assert len({each["computation_hash"] for each in told}) == 1
    assert [each["dropped"] for each in told[0]["provenance"]["bindings"]] == [a.count(None), b.count(None)]
    assert told[0]["provenance"] == told[1]["provenance"]
    assert all(each.replay()["status"] == "identical" for each in told)


def test_columns_without_nulls_stay_one_binding(service: Service) -> None:
    (binding,) = service.compute(f"{WELCH} first=trial.score second=trial.n")["provenance"]["bindings"]
    assert (binding["fields"], binding["row_count"], binding["dropped"]) == (["score", "n"], 8, 0)


def test_a_seeded_call_and_each_group_of_over_follow_the_same_rule(service: Service) -> None:
    drop = {**ROWWISE, "null_policy": "drop"}
    seeded = service.compute("simulation.permutation_test", kwargs={"permutations": 99}, bindings=[drop], seed=7)
    assert [each["row_count"] for each in seeded["provenance"]["bindings"]] == [7, 6]
    groups = service.compute(WELCH, bindings=[drop], over="arm")
    for group, a, b in zip(groups, ([1, 2, 3, 4], [100, 7, 8]), ([2, 3, 5], [1, 4, 9]), strict=True):
        assert group.value["pvalue"] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-11)
        assert group.replay()["status"] == "identical"
    several = service.compute_many([spell(WELCH, bindings=[drop]), spell("hypothesis.f_test", bindings=[drop])])
    assert [[each["row_count"] for each in one["provenance"]["bindings"]] for one in several] == [[7, 6]] * 2


def test_what_was_recorded_with_rows_dropped_together_replays_as_it_was(service: Service) -> None:
    """Earlier versions dropped the rows of both samples: their cards say so in one binding of two columns."""
    context = service._context
    checked = check_call(context, spell(WELCH, bindings=[{**ROWWISE, "null_policy": "drop"}]))
    computed, setup = run_calls(context, [bind_stored_call(context, checked, None)], None, 0.0)
    (stored,) = record_values(context, computed, setup)
    (binding,) = stored["provenance"]["bindings"]
    assert (binding["fields"], binding["row_count"], binding["dropped"]) == (["a", "b"], 5, 3)
    a, b = [1, 3, 4, 7, 8], [2, 3, 5, 1, 9]
    assert stored.value["pvalue"] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-11)
    assert service.replay(stored.card)["status"] == "identical"


@pytest.mark.parametrize("partner", ["binding", "literal", "source"])
def test_a_paired_column_never_loses_a_row_alone(service: Service, partner: str) -> None:
    connect_columns(service, [1.0, None, 3.0, 4.0], [2.0, 5.0, None, 1.0])
    x = {"parameter": "x", "source": "x", "field": "a", "null_policy": "drop"}
    y = {**x, "parameter": "y", "field": "b", **({"source": "trial"} if partner == "source" else {})}
    given: dict[str, Any] = {"bindings": [x, y]}
    if partner == "literal":
        given = {"kwargs": {"y": [2.0, 5.0, 1.0]}, "bindings": [x]}
    with pytest.raises(InvalidIntentError) as caught:
        service.compute("stats.correlation", **given)
    assert caught.value.details["parameter"] in "xy"
    together = {"parameters": ["x", "y"], "fields": ["a", "b"], "source": "x", "alignment": "rowwise"}
    value = service.compute("stats.correlation", bindings=[{**together, "null_policy": "drop"}]).value
    assert value == pytest.approx(np.corrcoef([1.0, 4.0], [2.0, 1.0])[0, 1])


# --- conditions ------------------------------------------------------------------------------------------------------

A, B = ({"conditions": [{"column": "arm", "op": "eq", "value": value}]} for value in "AB")
SAME = [
    f"{WELCH} first=trial.score second=trial.score where arm = 'A'",
    f"{WELCH} first=trial.score[arm = 'A'] second=trial.score[ arm='A' ]",
    f"{WELCH} first=trial.score[n > 0] second=trial.score",
    f"{WELCH} first=trial.score[n > 2 and arm = 'A'] second=trial.score[arm = 'A'] where n > 2",
    "hypothesis.t_test_paired before=trial.score after=trial.score where arm = 'A'",
    "metrics.mean_absolute_error actual=trial.score predicted=trial.score where arm = 'A'",
    "elementary.ratio_of_sums numerators=trial.score denominators=trial.score where arm in ('A', 'B')",
    "economics.jevons_price_index base_prices=trial.score prices=trial.score where day < 2024-02-01",
    f'{WELCH}(first=trial.score, second=trial.score, alternative="less") where day < 2024-02-01',
    f"{WELCH} first=trial.score second=trial.score where n between 1 and 5",
    f"{WELCH} first=trial.score second=trial.score where n is not null",
    spell(WELCH, bindings=[
        {"parameter": name, "source": "trial", "field": "score", "filter": A} for name in ("first", "second")
    ]),
    spell(WELCH, bindings=[{**ROWWISE, "fields": ["score", "score"], "filter": B}]),
    spell("simulation.permutation_test", kwargs={"permutations": 9}, seed=1,
          bindings=[{**ROWWISE, "fields": ["score", "score"]}]),
]  # fmt: skip
GOOD = [
    f"{WELCH} first=trial.score[arm = 'A'] second=trial.score[arm = 'B']",
    f"{WELCH}(first=trial.score[arm = 'A'], second=trial.score[arm != 'A'], alternative=\"greater\")",
    f"{WELCH} first=trial.score[arm = 'A'] second=trial.score[arm = 'B'] where n > 1",
    f"{WELCH} first=trial.score[day between 2024-01-01 and 2024-01-31] second=trial.n",
    f"{WELCH} first=trial.score[arm in ('A', 'C]')] second=trial.score[`arm` = \"B\" or n = 1]",
    f"{WELCH} first=trial.a[a is not null] second=trial.b[b is not null]",
    f"{WELCH} first=trial.score[n > 1] second=trial.score",
    "stats.correlation x=trial.score y=trial.score",
    "linalg.dot x=trial.score[arm = 'A'] y=trial.score[arm = 'A']",
    "time_series.cross_correlation first=trial.score second=trial.score lag=1",
    "stats.weighted_mean values=trial.score weights=trial.score where arm = 'A'",
    "stats.median values=trial.score[arm = 'A']",
    "stats.correlation x=trial.score[arm = 'A'] y=trial.n[arm = 'A']",
    "metrics.mean_absolute_error actual=trial.score[arm = 'A'] predicted=trial.score[arm = 'B']",
    spell(WELCH, bindings=[{**ROWWISE, "null_policy": "drop"}]),
    spell(WELCH, bindings=[{**ROWWISE, "null_policy": "drop", "filter": A}]),
    spell(WELCH, bindings=[{**ROWWISE, "fields": ["score", "a"], "null_policy": "drop"}]),
    spell(WELCH, bindings=[
        {"parameter": name, "source": "trial", "field": "score", "filter": filter_}
        for name, filter_ in (("first", A), ("second", B))
    ]),
]  # fmt: skip
BAD = [
    spell(WELCH, bindings=[ROWWISE]),
    spell(WELCH, bindings=[{**ROWWISE, "filter": A}]),
    f"{WELCH} first=trial.a second=trial.b",
    f"{WELCH} first=trial.a second=trial.score",
    "stats.correlation x=trial.a y=trial.b",
    f"{WELCH} first=trial.score second=trial.Score",
    "metrics.mean_absolute_scaled_error actual=trial.a predicted=trial.b training=trial.score",
    spell("stats.correlation", bindings=[
        {"parameter": name, "source": "trial", "field": field, "null_policy": "drop"}
        for name, field in (("x", "a"), ("y", "b"))
    ]),
    spell("stats.correlation", kwargs={"y": [1, 2, 3, 4, 5, 6, 7]},
          bindings=[{"parameter": "x", "source": "trial", "field": "a", "null_policy": "drop"}]),
    f"{WELCH} first=trial.score[arm = 'A' second=trial.score",
    f"{WELCH} first=trial.score[] second=trial.score",
    f"{WELCH} first=trial.score[arm = ] second=trial.score",
    f"{WELCH} first=trial.score[arrm = 'A'] second=trial.score",
    f"{WELCH} first=trial.score[arm = 'A' limit 3] second=trial.n",
    f"{WELCH} first=trial.score[arm = 'A'][n > 1] second=trial.n",
    f"{WELCH} first=trial.score[day during last_month] second=trial.n where day during this_month",
    f"{WELCH} first=trial.score[arm = $arm] second=trial.n",
    f"{WELCH} first=[trial.score[arm = 'A']] second=trial.n",
    f"{WELCH} first=trial.score second=other.n where n = 1",
    f"{WELCH} first=trial.score (filtered) second=trial.n",
]  # fmt: skip


@pytest.mark.parametrize("call", SAME, ids=str)
def test_one_column_under_one_condition_is_not_compared_with_itself(service: Service, call: Any) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.compute(call)
    assert caught.value.details["parameter"] in ("second", "after", "predicted", "denominators", "prices")
    assert caught.value.hint


def test_the_line_that_is_offered_runs_and_compares_the_others(service: Service) -> None:
    offered = []
    for call in SAME:
        with pytest.raises(InvalidIntentError) as caught:
            service.compute(call)
        _, found, rest = str(caught.value.hint).partition("against all others: ")
        if found:
            offered.append(service.compute(rest.partition(" It is called as ")[0]))
    assert len(offered) >= 5
    first = offered[0].value
    assert first["pvalue"] == pytest.approx(stats.ttest_ind([1, 2, 3, 5], [4, 6, 7, 9], equal_var=False).pvalue)


def test_two_conditions_select_two_samples(service: Service) -> None:
    value = service.compute(GOOD[0]).value
    expected = stats.ttest_ind([1, 2, 3, 5], [4, 6, 7, 9], equal_var=False)
    assert (value["statistic"], value["pvalue"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    result = service.compute(GOOD[0])
    assert [each["filter"] for each in result["provenance"]["bindings"]] == [A, B]
    assert result["computation_hash"] == service.compute(GOOD[-1])["computation_hash"]
    assert result.replay()["status"] == "identical"


def test_over_a_column_the_same_sample_is_refused_and_names_the_group(service: Service) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.compute(f"{WELCH} first=trial.score second=trial.score", over="arm")
    assert caught.value.details["group"] == "A"


def test_both_clients_bind_and_refuse_samples_alike(tmp_path: Path) -> None:
    path = tmp_path / "trial.csv"
    path.write_bytes(TABLE)
    service = service_nb.create_service(ledger="off")
    service.connect(path, name="trial")
    connect = {"verb": "connect", "data": base64.b64encode(TABLE).decode(), "name": "trial"}
    calls = [*SAME, *GOOD, *BAD]
    _, *second = run_second(connect, *({"verb": "compute", "spec": call} for call in calls))
    codes = []
    cards = []
    for call, other in zip(calls, second, strict=True):
        assert "crash" not in other, (call, other)
        one = compute_first(service, call)
        codes.append(one.get("code", "ok"))
        told = ("parameter", "field", "met", "expected", "column")
        assert describe(other, *told) == describe(one, *told), call
        if "card" in other:
            cards.append(other["card"])
    assert codes[: len(SAME)] == ["invalid_intent"] * len(SAME)
    assert set(codes[len(SAME) : len(SAME) + len(GOOD)]) == {"ok"}
    assert "ok" not in codes[len(SAME) + len(GOOD) :]
    key = cards[0]["receipt"]["public_key"]
    contracts = [service.contract_hash]
    assert {check_card(card, keys=[key], contracts=contracts).status for card in cards} == {"verified"}


def test_both_clients_say_the_same_of_samples_that_they_refuse(tmp_path: Path) -> None:
    path = tmp_path / "trial.csv"
    path.write_bytes(TABLE)
    service = service_nb.create_service(ledger="off")
    service.connect(path, name="trial")
    connect = {"verb": "connect", "data": base64.b64encode(TABLE).decode(), "name": "trial"}
    calls = [*SAME, *BAD[:9]]
    _, *second = run_second(connect, *({"verb": "compute", "spec": call} for call in calls))
    for call, other in zip(calls, second, strict=True):
        with pytest.raises(InvalidIntentError) as caught:
            service.compute(call)
        assert other["message"] == caught.value.message
        hint = str(caught.value.hint).partition("It is called as ")[0]
        hint = (
            re.sub(r"`[^`]*` is not understood here\.|Fill in: .*", "", hint).strip() or "None"
        )  # the first client's advice
        assert other.get("hint", "None").replace('nullPolicy: "drop"', "DROP") == hint.replace(
            'null_policy="drop", in a line --null-policy drop', "DROP"
        ).replace("DROP; or", "DROP, or")


# --- columns of a frame ----------------------------------------------------------------------------------------------


def test_columns_of_a_frame_lose_nulls_as_bound_ones_do(service: Service) -> None:

    frame = {"frame": {"a": [1.0, None, 3.0, 4.0, 9.0], "b": [2.0, 5.0, None, 1.0, 0.5]}}
    paired = read_computation("stats.correlation x=$frame.a y=$frame.b", frame, service.capability, null_policy="drop")
    assert paired["kwargs"] == {"x": [1.0, 4.0, 9.0], "y": [2.0, 1.0, 0.5]}
    apart = read_computation(f"{WELCH} first=$frame.a second=$frame.b", frame, service.capability, null_policy="drop")
    assert apart["kwargs"] == {"first": [1.0, 3.0, 4.0, 9.0], "second": [2.0, 5.0, 1.0, 0.5]}
    assert service.compute(apart).value["pvalue"] == pytest.approx(
        stats.ttest_ind(apart["kwargs"]["first"], apart["kwargs"]["second"], equal_var=False).pvalue, rel=1e-12
    )
    table = {"frame": pd.DataFrame({"a": pd.array([1, None, 3], dtype="object")})}
    alone = read_computation("stats.mean values=$frame.a", table, service.capability, null_policy="drop")
    assert alone["kwargs"] == {"values": [1, 3]}
