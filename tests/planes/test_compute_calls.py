"""A computation's whole way: spec in, value, hashes and card out. Hashes are computed again by other libraries."""

from __future__ import annotations

import hashlib
import html
import json
import re
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rfc8785

import service_nb
from service_nb.client.results import Computation
from service_nb.client.service import Service
from service_nb.errors import (
    ComputeRuntimeUnavailableError,
    DomainError,
    InvalidIntentError,
    LimitExceededError,
    PolicyDeniedError,
    SeedRequiredError,
    UnsupportedOperationError,
)
from service_nb.runtimes.interface import RunResult
from tests.simulators.compute import ENTRIES, HASH, Simulator, entry, scalar, simulated

FLOWS = [-1000, 300, 420, 560, 680]
NPV = {"module": "finance", "function": "npv", "args": [0.1, FLOWS]}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = simulated(tmp_path)
    made.connect([{"flow": float(flow), "year": 2020 + year} for year, flow in enumerate(FLOWS)], name="budget")
    yield made
    made.close()


def sha256(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def rehashed(result: Computation, identity: dict[str, Any], arguments: list[Any]) -> dict[str, str]:
    invocation = sha256(b"service:invocation:v1\0", rfc8785.dumps(identity))
    return {
        "invocation_hash": invocation,
        "computation_hash": sha256(b"service:computation:v1\0", invocation.encode(), rfc8785.dumps(result["value"])),
        "input_hash": sha256(rfc8785.dumps(arguments)),
    }


def said(result: Computation) -> dict[str, str]:
    return {
        "invocation_hash": result["invocation_hash"],
        "computation_hash": result["computation_hash"],
        "input_hash": result["determinism"]["input_hash"],
    }


def identity(module: str, function: str, **given: Any) -> dict[str, Any]:
    return {
        "module": module,
        "function": function,
        "args": [],
        "kwargs": {},
        "resolved_bindings": [],
        "contract_hash": HASH,
        "execution_scope": "linux-x64:local",
        "seed": None,
        **given,
    }


# --- the result -------------------------------------------------------------------------------------------------------


def test_a_result_has_every_field_of_the_specification(service: Service) -> None:
    result = service.compute(NPV)
    assert list(result) == [
        *("status", "value", "value_type", "module", "function", "invocation_hash", "computation_hash"),
        *("contract_hash", "determinism", "latency_ms", "request_id"),
    ]
    assert (result["status"], result["value"], result["value_type"]) == ("ok", 505.0201488969332, "float64")
    assert re.fullmatch(r"service_[0-9a-f]{16}", result["request_id"])
    assert result["contract_hash"] == HASH
    envelope = result["determinism"]
    assert {key: envelope[key] for key in ("platform", "architecture", "precision_mode", "thread_count")} == {
        "platform": "linux-x64",
        "architecture": "x64",
        "precision_mode": "float64",
        "thread_count": 1,
    }
    assert envelope["runtime_bundle_version"] == envelope["runtime_bundle_sha256"] == "unmanaged"
    assert "seed" not in envelope
    assert "pinning" not in envelope
    assert json.loads(json.dumps(result)) == result


def test_hashes_are_what_the_specification_says(service: Service) -> None:
    result = service.compute(NPV)
    assert said(result) == rehashed(result, identity("finance", "npv", args=[0.1, FLOWS]), [0.1, FLOWS])
    assert sha256(b"[0.1,[-1000,300,420,560,680]]") == result["determinism"]["input_hash"]


def test_a_name_and_a_spec_are_the_same_call(service: Service) -> None:
    one, other = service.compute(NPV), service.compute("finance.npv", args=[0.1, FLOWS])
    assert one["computation_hash"] == other["computation_hash"]
    assert one["request_id"] != other["request_id"]
    with pytest.raises(InvalidIntentError):
        service.compute(NPV, seed=1)


def test_the_way_of_passing_is_part_of_the_identity_and_not_of_the_input(service: Service) -> None:
    by_place = service.compute("finance.npv", args=[0.1, FLOWS])
    by_name = service.compute("finance.npv", kwargs={"cashflows": FLOWS, "rate": 0.1})
    mixed = service.compute("finance.npv", args=[0.1], kwargs={"cashflows": FLOWS})
    named = identity("finance", "npv", kwargs={"cashflows": FLOWS, "rate": 0.1})
    half = identity("finance", "npv", args=[0.1], kwargs={"cashflows": FLOWS})
    assert said(by_name) == rehashed(by_name, named, [0.1, FLOWS])
    assert said(mixed) == rehashed(mixed, half, [0.1, FLOWS])
    assert len({each["invocation_hash"] for each in (by_place, by_name, mixed)}) == 3
    assert len({each["determinism"]["input_hash"] for each in (by_place, by_name, mixed)}) == 1


@pytest.mark.parametrize(
    "same",
    [
        [0.1, np.array(FLOWS)],
        [0.1, np.array(FLOWS, dtype=np.float64)],
        [np.float64(0.1), tuple(FLOWS)],
        [0.1, [np.int64(flow) for flow in FLOWS]],
    ],
)
def test_equal_numbers_of_other_types_are_the_same_call(service: Service, same: list[Any]) -> None:
    assert service.compute("finance.npv", args=same)["invocation_hash"] == service.compute(NPV)["invocation_hash"]


def test_a_decimal_is_the_double_nearest_to_it_as_a_number_in_a_line_is(service: Service) -> None:
    by_line = service.compute("finance.npv rate=0.1 cashflows=[-1000, 300.25]")
    decimals = [Decimal("0.1"), [Decimal(-1000), Decimal("300.25")]]
    assert said(service.compute("finance.npv", kwargs=dict(zip(("rate", "cashflows"), decimals, strict=True)))) == said(
        by_line
    )
    assert service.compute("numbers.power", args=[Decimal(2), Decimal("10.0")]).value == 1024


def test_a_first_call_s_time_is_that_of_the_computation_and_not_that_of_what_came_before(tmp_path: Path) -> None:
    class Slow(Simulator):
        def run(self, *calls: Any, **more: Any) -> RunResult:
            time.sleep(0.3)
            return super().run(*calls, **more)._replace(setup_s=0.3)

    assert simulated(tmp_path, runtime=Slow()).compute("stats.mean", args=[[1.0]])["latency_ms"] < 300


def test_negative_zero_is_zero_before_it_runs(tmp_path: Path) -> None:
    runtime = Simulator()
    service = simulated(tmp_path, runtime=runtime)
    service.compute("finance.npv", args=[-0.0, [1.0, -0.0]])
    (_, (rate, flows)) = runtime.calls[0]
    assert [str(rate), *map(str, flows)] == ["0.0", "1.0", "0.0"]


@pytest.mark.parametrize("size", [999, 1_001, 20_000])
def test_long_vectors_have_the_hashes_of_short_ones(service: Service, size: int) -> None:
    values = (np.arange(size) / 7 - 50).tolist()
    short = service.compute("stats.mean", args=[values])
    array = service.compute("stats.mean", kwargs={"values": np.array(values)})
    assert said(short) == rehashed(short, identity("stats", "mean", args=[values]), [values])
    assert said(array) == rehashed(array, identity("stats", "mean", kwargs={"values": values}), [values])


def test_a_matrix_is_an_array_of_rows_however_it_is_given(service: Service) -> None:
    rows = [[1.5, 2.0], [3.0, 4.25]]
    given = [service.compute("linalg.trace", args=[each]) for each in (rows, np.array(rows), tuple(map(tuple, rows)))]
    assert [each["value"] for each in given] == [5.75] * 3
    assert all(said(each) == rehashed(each, identity("linalg", "trace", args=[rows]), [rows]) for each in given)
    wide = np.arange(4_004.0).reshape(2, 2_002)
    result = service.compute("linalg.trace", args=[wide])
    assert said(result) == rehashed(result, identity("linalg", "trace", args=[wide.tolist()]), [wide.tolist()])
    assert said(service.compute("linalg.trace", args=[wide.tolist()])) == said(result)


def test_whole_numbers_beyond_json_travel_as_text(service: Service) -> None:
    result = service.compute("numbers.power", args=[10, 30])
    assert result["value"] == "1" + "0" * 30
    assert result.value == 10**30
    assert said(result) == rehashed(result, identity("numbers", "power", args=[10, 30]), [10, 30])
    large = str(2**53)
    as_text, as_number = (service.compute("numbers.total", args=[[each]]) for each in (large, 2**53))
    assert said(as_text) == said(as_number)
    assert said(as_text) == rehashed(as_text, identity("numbers", "total", args=[[large]]), [[large]])


def test_other_types_of_values(service: Service) -> None:
    assert service.compute("logic.every", args=[[True, np.bool_(1)]]).value is True
    assert service.compute("words.join", args=[["a", "ß"], "-"])["value"] == "a-ß"
    record = service.compute("stats.extent", args=[[3, 1, 2]])
    assert record["value"] == {"low": 1.0, "high": 3.0}
    assert record["value_type"] == "record"
    assert said(record) == rehashed(record, identity("stats", "extent", args=[[3, 1, 2]]), [[3, 1, 2]])


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_a_seed_is_asked_for_used_hashed_and_shown(service: Service) -> None:
    with pytest.raises(SeedRequiredError) as caught:
        service.compute("simulation.draw", args=[3])
    assert caught.value.details["parameter"] == "seed"
    one, again, other = (service.compute("simulation.draw", args=[3], seed=seed) for seed in (7, 7, 8))
    assert one["value"] == again["value"] != other["value"]
    assert one["determinism"]["seed"] == 7
    assert one["determinism"]["pinning"] == "unpinned"
    assert one["invocation_hash"] != other["invocation_hash"]
    assert said(one) == rehashed(one, identity("simulation", "draw", args=[3], seed=7), [3])


def test_a_seed_that_nothing_uses_is_refused(service: Service) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        service.compute({**NPV, "seed": 1})
    assert caught.value.details["parameter"] == "seed"


# --- what there is ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["finance.nvp", "finance.net_present", "stat.mean", "stats.maen"])
def test_an_unknown_capability_has_nearest_matches(service: Service, name: str) -> None:
    with pytest.raises(UnsupportedOperationError) as caught:
        service.compute(name, args=[1])
    assert caught.value.nearest_matches
    assert set(caught.value.nearest_matches) <= set(service.capabilities())


def test_a_capability_is_described_and_its_description_is_the_callers(service: Service) -> None:
    found = service.capability("finance.npv")
    assert found["params"][0]["name"] == "rate"
    found["params"].clear()
    assert service.capability("finance.npv")["params"]
    assert service.capabilities() == sorted(each["id"] for each in ENTRIES)


def test_a_fault_of_the_runtime_reaches_the_caller(service: Service) -> None:
    with pytest.raises(DomainError) as caught:
        service.compute("finance.npv", args=[-2, FLOWS])
    assert caught.value.details["parameter"] == "rate"


def test_a_broken_contract_is_no_contract(tmp_path: Path) -> None:
    for content in (b"", b"{}", b"\xff\n", b'{"contract_version":2,"contract_hash":"x","capabilities":{\n}}\n'):
        service = simulated(tmp_path)
        service._context.library._load = lambda content=content: content
        with pytest.raises(ComputeRuntimeUnavailableError):
            service.compute(NPV)


# --- several ----------------------------------------------------------------------------------------------------------


def test_many_calls_are_checked_before_the_first_runs(tmp_path: Path) -> None:
    runtime = Simulator()
    service = simulated(tmp_path, runtime=runtime)
    assert [each["value"] for each in service.compute_many([NPV, {**NPV, "args": [0, [1, 2]]}])] == [
        505.0201488969332,
        3.0,
    ]
    assert service.compute_many([]) == []
    runtime.calls.clear()
    with pytest.raises(InvalidIntentError):
        service.compute_many([NPV, {**NPV, "args": [0.1]}])
    assert runtime.calls == []


# --- the card ---------------------------------------------------------------------------------------------------------


def test_every_hash_can_be_computed_again_from_the_card(service: Service) -> None:
    bindings = [{"parameter": "cashflows", "source": "budget", "field": "flow"}]
    for result in (service.compute(NPV), service.compute("finance.npv", args=[0.1], bindings=bindings)):
        card = json.loads(json.dumps(result.card))
        canonical, digests = card["canonical"], card["digests"]
        invocation = sha256(b"service:invocation:v1\0", canonical["identity"].encode())
        assert digests["invocation_hash"] == invocation == result["invocation_hash"]
        value = canonical["value"].encode()
        assert digests["computation_hash"] == sha256(b"service:computation:v1\0", invocation.encode(), value)
        assert digests["input_hash"] == sha256(canonical["arguments"].encode()) == result["determinism"]["input_hash"]
        assert digests["contract_hash"] == HASH


def test_a_card_says_what_was_computed_on_every_face(service: Service) -> None:
    faces, _ = service.compute(NPV)._repr_mimebundle_()
    for face in ("text/plain", "text/html", "text/markdown"):
        assert "505.0201488969332" in faces[face]
        assert "money" in faces[face]
        assert "certified" in faces[face]
        assert "by hand" in faces[face]
    assert "∑[t] c_t/(1 + r)^t" in faces["text/html"]
    assert "∑[t] c_t/(1 + r)^t" in html.unescape(faces["text/markdown"])
    assert "finance.npv(rate=0.1, cashflows=[-1000, 300, 420, 560, 680])" in faces["text/plain"]


@pytest.mark.parametrize(
    "latex", [r"\href{javascript:alert(1)}{x}", r"x\)<script>", "x$$y", r"\def\x{y}", "<img src=x>", r"\htmlId{a}{b}"]
)
def test_latex_that_is_more_than_a_formula_is_not_set(tmp_path: Path, latex: str) -> None:
    hostile = entry("a.b", "Something hostile.", [scalar("x")], latex=latex, formula="x + 1")
    service = simulated(tmp_path, entries=[hostile])
    runtime = service._context.runtime.get()
    runtime.run = lambda *_, **__: RunResult([1.0], runtime.describe())  # type: ignore[method-assign]
    faces, _ = service.compute("a.b", args=[1])._repr_mimebundle_()
    assert latex not in faces["text/html"]
    assert latex not in faces["text/markdown"]
    assert "x + 1" in faces["text/plain"]


def test_the_card_of_a_large_call_keeps_its_hashes(service: Service) -> None:
    values = np.arange(200_000.0)
    card = service.compute("stats.mean", args=[values]).card
    assert len(json.dumps(card)) <= 64 * 1024
    assert card["digests"]["input_hash"] == sha256(rfc8785.dumps([values.tolist()]))
    assert "arguments" not in card["canonical"]
    drawn = service.compute("simulation.draw", args=[10_000], seed=1)
    assert "value" not in drawn.card["canonical"]
    assert drawn.card["view"]["row_count"] == 10_000


def test_a_computation_explains_and_replays_itself(service: Service) -> None:
    result = service.compute(NPV)
    assert any("Net present value" in line for line in result.explain())
    replayed = result.replay()
    assert replayed["status"] == "identical"
    assert replayed["expected"] == replayed["met"] == result["computation_hash"]


def test_a_value_that_json_cannot_carry_is_refused(service: Service) -> None:
    with pytest.raises(LimitExceededError):
        service.compute("numbers.power", args=[10, 5_000])


# --- policy -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stats.mean", "stats.no_such", "nothing.at_all", "finance.irr"])
def test_a_denied_function_and_a_missing_one_get_the_same_answer(tmp_path: Path, name: str) -> None:
    narrow = simulated(tmp_path, {"allowed_functions": ["finance.npv", "numbers.*"]})
    for attempt in (lambda: narrow.compute(name, args=[[1]]), lambda: narrow.capability(name)):
        with pytest.raises(PolicyDeniedError) as caught:
            attempt()
        assert caught.value.code == "policy_denied_function"
        assert str(caught.value).replace(name, "") == "The policy does not allow the function ''. " + (
            caught.value.hint or ""
        )


def test_only_allowed_functions_are_found_listed_and_suggested(tmp_path: Path) -> None:
    narrow = simulated(tmp_path, {"allowed_functions": ["finance.npv", "numbers.*"]})
    assert narrow.capabilities() == ["finance.npv", "numbers.power", "numbers.total"]
    assert narrow.search_capabilities("mean of a sample") == []
    with pytest.raises(UnsupportedOperationError) as caught:
        narrow.compute("numbers.mean", args=[1])
    assert set(caught.value.nearest_matches) <= set(narrow.capabilities())
    assert narrow.compute("numbers.total", args=[[1, 2]]).value == 3


def test_narrowing_functions_keeps_what_both_lists_mean(tmp_path: Path) -> None:
    wide = simulated(tmp_path, {"allowed_functions": ["stats.*", "finance.npv"]})
    narrow = wide.narrow({"allowed_functions": ["stats.mean", "finance.*", "numbers.power"]})
    assert narrow.capabilities() == ["finance.npv", "stats.mean"]
    assert narrow.narrow({}).capabilities() == ["finance.npv", "stats.mean"]
    assert simulated(tmp_path, {"allowed_functions": []}).capabilities() == []


# --- the real kernels -------------------------------------------------------------------------------------------------


def test_the_kernels_compute_what_the_simulator_computes(service: Service, tmp_path: Path) -> None:
    real = service_nb.create_service(project=tmp_path)
    result = real.compute("finance.npv", args=[0.1, FLOWS])
    assert result.value == service.compute(NPV).value
    assert result["determinism"]["tier"] == "certified"
    assert result.replay()["status"] == "identical"
    with pytest.raises(DomainError) as caught:
        real.compute("finance.npv", args=[-2, FLOWS])
    assert caught.value.details["parameter"] == "rate"


def test_names_that_may_be_meant_are_those_that_each_policy_allows_however_often_they_are_asked_for(
    service: Service,
) -> None:
    def near(asked: Service) -> list[str]:
        with pytest.raises(UnsupportedOperationError) as raised:
            asked.compute({"module": "stats", "function": "npv", "args": [0.1, FLOWS]})
        found: list[str] = raised.value.details["nearest_matches"]
        return found

    narrowed = service.narrow({"allowed_functions": ["stats.*"]})
    assert "finance.npv" in near(service)
    assert "finance.npv" not in near(narrowed)
    assert near(service) == near(service)
