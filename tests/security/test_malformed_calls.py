"""Calls that are not calls: each is refused by its code, names what is wrong, runs nothing and takes no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service_nb.client.service import Service
from service_nb.errors import ServiceError
from tests.simulators.compute import Simulator, simulated

SECONDS = 10.0  # of a processor that a refusal may take; nearly all take milliseconds
FLOWS = [-1000.0, 1200.0]
NPV = {"module": "finance", "function": "npv"}
CALL = {**NPV, "args": [0.1, FLOWS]}
ONE = {"parameter": "cashflows", "source": "budget", "field": "flow"}
TWO = {"parameters": ["x", "y"], "fields": ["flow", "units"], "source": "budget", "alignment": "rowwise"}

INTENT, LIMIT = "invalid_intent", "limit_exceeded"
UNKNOWN, TWICE, SEED = "unsupported_operation", "duplicate_argument_binding", "seed_required"


def deep(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


NO_NUMBERS = [
    *("0.1", "", b"1", None, True, False, [], [0.1], {}, {"value": 1}, (0.1,), {1}, object(), 1j, int, ...),
    *(
        Decimal("NaN"),
        Decimal("1e400"),
        Fraction(1, 10),
        float("nan"),
        float("inf"),
        float("-inf"),
        np.nan,
        np.float32("inf"),
    ),
    *(2**53 + 1, 10**400, -(10**400), 2**1024, np.array(0.1), np.array([0.1]), np.bool_(1), np.datetime64("2024")),
    *(np.complex128(1), np.str_("1"), deep(10), range(3), lambda: 0.1, np.longdouble("1e400"), "1e400", "0x1p3"),
]
NO_VECTORS = [
    *(None, 1.0, "1,2", b"12", {}, {"0": 1}, {1.0}, object(), True, range(2), iter([1.0]), (x for x in [1.0])),
    *([None], ["1"], [True], [[1.0]], [1.0, None], [1.0, float("nan")], [float("inf")], [2**53 + 1], [10**400]),
    *([1.0, [2.0]], [1.0, {}], [Decimal("sNaN")], [1j], np.array([[1.0]]), np.array(1.0), np.array(["a"]), [b"1"]),
    *(np.array([1.0, np.nan]), np.array([np.inf]), np.array([True]), np.array([1j]), np.array([None])),
    *(np.array([2**53 + 1]), np.ma.masked_array([1.0], [True]), np.array(["2024-01-01"], "M8[D]"), deep(100_000)),
    *([1.0] * 2_000 + [float("nan")], [1.0] * 2_000 + ["x"], [0.0] * 5_000 + [None], memoryview(b"12")),
]
NO_INTEGERS = [
    *(None, True, 1.5, float("nan"), float("inf"), 1e300, "", "1.0", "1e3", "0x10", " 1", "1 ", "+1", "--1", "1_000"),
    *(
        "٣",
        "one",
        b"1",
        [],
        [1],
        {},
        Decimal("1.5"),
        Decimal("1e999999"),
        Fraction(1),
        1j,
        np.float64(0.5),
        np.array(1),
        object(),
    ),
    *("9" * 4_301, "9" * 10**7, 10**5_000, -(1 << 20_000), "-" + "1" * 4_300, np.bool_(0)),
]
NO_TEXT = [None, 1, 1.0, True, b"x", [], ["x"], {}, object(), "x" * 1_000_001, "\ud800", "a\udfff"]
NO_NAMES = ["", None, 5, [], {}, b"npv", "n" * 1_025, "\ud800", True, 1.5, ("a",)]

ILL_TYPED = [
    *(({**NPV, "args": [bad, FLOWS]}, "rate") for bad in NO_NUMBERS),
    *(({**NPV, "kwargs": {"rate": 0.1, "cashflows": bad}}, "cashflows") for bad in NO_VECTORS),
    *(({"module": "numbers", "function": "power", "args": [bad, 2]}, "base") for bad in NO_INTEGERS),
    *(({"module": "numbers", "function": "total", "args": [[1, bad]]}, "items") for bad in NO_INTEGERS[:8]),
    *(({"module": "words", "function": "join", "args": [["a"], bad]}, "separator") for bad in NO_TEXT),
    *(({"module": "words", "function": "join", "args": [["a", bad], "-"]}, "words") for bad in NO_TEXT),
    *(({"module": "logic", "function": "every", "args": [bad]}, "flags") for bad in ([1], ["true"], [None], True)),
    *(
        ({"module": "linalg", "function": "trace", "args": [bad]}, "matrix")
        for bad in (1.0, [1.0], [[["x"]]], [["x"]], [[1.0], None], np.array([1.0]), [[float("nan")]], deep(100_000))
    ),
]
MISPLACED = [
    ({**NPV}, INTENT, "rate"),
    ({**NPV, "args": []}, INTENT, "rate"),
    ({**NPV, "args": [0.1]}, INTENT, "cashflows"),
    ({**NPV, "kwargs": {"cashflows": FLOWS}}, INTENT, "rate"),
    ({**NPV, "kwargs": {"rate": 0.1, "cashflow": FLOWS}}, INTENT, "cashflow"),
    ({**NPV, "kwargs": {"rate": 0.1, "cashflows": FLOWS, "extra": 1}}, INTENT, "extra"),
    ({**NPV, "args": [0.1, FLOWS, 3]}, INTENT, "args"),
    ({**NPV, "args": [0.0] * 100_000}, INTENT, "args"),
    ({**CALL, "kwargs": {"rate": 0.1}}, TWICE, "rate"),
    ({**CALL, "kwargs": {"cashflows": FLOWS}}, TWICE, "cashflows"),
    ({**CALL, "kwargs": {"cashflows": FLOWS, "unknown": 1}}, TWICE, "cashflows"),
    ({**CALL, "bindings": [ONE]}, TWICE, "cashflows"),
    ({**NPV, "args": [0.1], "bindings": [ONE, ONE]}, TWICE, "cashflows"),
    ({**NPV, "bindings": [ONE]}, INTENT, "rate"),
    ({**NPV, "args": [0.1], "bindings": [{**ONE, "parameter": "flows"}]}, INTENT, "flows"),
    ({"module": "stats", "function": "covariance", "bindings": [{**TWO, "parameters": ["x", "x"]}]}, TWICE, "x"),
    ({"module": "simulation", "function": "draw", "args": [3]}, SEED, "seed"),
    ({**CALL, "seed": 1}, INTENT, "seed"),
    ({**CALL, "seed": 0}, INTENT, "seed"),
]
MISSHAPEN = [
    *(bad for bad in (None, 5, True, [], [NPV], (), {}, b"x", object())),
    *({"module": bad, "function": "npv"} for bad in NO_NAMES),
    *({"module": "finance", "function": bad} for bad in NO_NAMES),
    *({**NPV, "args": bad} for bad in (5, "ab", {}, {1}, object(), np.array([1.0]), True)),
    *({**NPV, "kwargs": bad} for bad in (5, "ab", [], [("rate", 1)], object(), True)),
    *({**NPV, "kwargs": {bad: 1}} for bad in ("", None, 5, b"rate", "n" * 2_000, "\ud800", ("a",))),
    *({**NPV, "bindings": bad} for bad in (5, "ab", {}, ONE, object(), True)),
    *({**CALL, "seed": bad} for bad in (-1, 2**53, 1.5, "7", True, [], float("nan"), float("inf"), 10**400)),
    *({**CALL, key: 1} for key in ("Module", "arg", "sead", "eval", "__class__", "")),
    *({**CALL, key: 1} for key in (5, None, ("a",))),
    *({**NPV, "args": [0.1], "bindings": [bad]} for bad in (None, 5, "x", [], {}, True)),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, key: bad}]} for key in ("source", "parameter", "field")
      for bad in (5, [], "", "\ud800", "n" * 2_000, True)),
    *({**NPV, "args": [0.1], "bindings": [{key: value for key, value in ONE.items() if key != left_out}]}
      for left_out in ONE),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, "null_policy": bad}]} for bad in ("zero", 5, [], True, "Drop")),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, "filter": bad}]} for bad in (5, "x", [], {"a": 1}, True)),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, "alignment": bad}]} for bad in ("columns", 5, [], True)),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, "code": "x"}]},),
    *({**NPV, "args": [0.1], "bindings": [{**ONE, **TWO}]},),
    *({"module": "stats", "function": "covariance", "bindings": [{**TWO, **bad}]} for bad in (
        {"alignment": None}, {"alignment": "zip"}, {"fields": ["flow"]}, {"fields": []}, {"parameters": []},
        {"parameters": "xy"}, {"fields": "ab"}, {"parameters": [5, 6]}, {"fields": [None, None]},
        {"parameters": ["x"] * 101, "fields": ["flow"] * 101}, {"fields": {"flow": 1, "units": 2}},
    )),
]  # fmt: skip
NAMES = ["", ".", "npv", "finance.", ".npv", " ", "finance", "n" * 5_000, "\ud800.x", "." * 3_000, "../x.y"]
UNKNOWNS = [
    *("finance.nvp", "finance.NPV", "Finance.npv", "finance.npv.x", "os.system", "builtins.eval", "stats.*", "*.*"),
    *("finance.npv ", "finance.npv\0", "__import__.os", "a.b", "finance.__class__", "f" * 1_000 + ".x"),
    *("x." + "y" * 1_000, "\u0441tats.mean", "stats.mean\n", "-1.0", "'; drop table.x", "%s.%n", "${a}.{b}"),
]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[tuple[Service, Simulator]]:
    runtime = Simulator()
    made = simulated(tmp_path, runtime=runtime)
    made.connect([{"flow": 1.0, "units": 2}, {"flow": 2.0, "units": 3}], name="budget")
    yield made, runtime
    made.close()


Refuses = Callable[..., ServiceError]


@pytest.fixture
def refuses(client: tuple[Service, Simulator], record_property: Callable[[str, object], None]) -> Refuses:
    service, runtime = client

    def check(spec: Any, code: str, **more: Any) -> ServiceError:
        started = time.process_time()
        with pytest.raises(ServiceError) as caught:
            service.compute(spec, **more)
        error = caught.value
        assert time.process_time() - started < SECONDS
        assert error.code == code, error.to_dict()
        assert len(str(error)) < 2_000
        str(error).encode()
        assert runtime.calls == []
        record_property("bad_inputs", 1)
        return error

    return check


@pytest.mark.parametrize(("spec", "parameter"), ILL_TYPED, ids=range(len(ILL_TYPED)))
def test_an_argument_of_another_type_is_named_with_what_was_met_and_expected(
    refuses: Refuses, spec: Any, parameter: str
) -> None:
    details = refuses(spec, INTENT).details
    assert details["parameter"] == parameter
    assert details["met"]
    assert details["expected"]
    assert details["faults"][0]["parameter"] == parameter


@pytest.mark.parametrize(("spec", "code", "parameter"), MISPLACED, ids=range(len(MISPLACED)))
def test_a_parameter_is_given_exactly_once(refuses: Refuses, spec: Any, code: str, parameter: str) -> None:
    details = refuses(spec, code).details
    assert details["parameter"] == parameter
    assert details["met"]
    assert details["expected"]


@pytest.mark.parametrize("spec", MISSHAPEN, ids=range(len(MISSHAPEN)))
def test_what_has_not_the_shape_of_a_call_is_none(refuses: Refuses, spec: Any) -> None:
    error = refuses(spec, INTENT)
    assert {"path", "parameter"} & error.details.keys()


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_has_a_module_and_a_function(refuses: Refuses, name: str) -> None:
    refuses(name, INTENT, args=[0.1, FLOWS])


@pytest.mark.parametrize("name", UNKNOWNS, ids=range(len(UNKNOWNS)))
def test_what_the_contract_does_not_have_cannot_be_called(refuses: Refuses, name: str) -> None:
    assert isinstance(refuses(name, UNKNOWN, args=[0.1, FLOWS]).details["nearest_matches"], list)


def test_all_faults_are_gathered_and_near_names_are_told(refuses: Refuses) -> None:
    spec = {**NPV, "kwargs": {"rat": 0.1, "cashflows": [1.0, "x"]}}
    faults = refuses(spec, INTENT).details["faults"]
    assert [fault["parameter"] for fault in faults] == ["rat", "rate", "cashflows"]
    assert faults[0]["did_you_mean"] == ["rate"]
    assert faults[2]["index"] == 1
    many = {**NPV, "kwargs": {f"p{at}": at for at in range(10_000)}}
    assert len(refuses(many, INTENT).details["faults"]) <= 20


def test_a_call_has_a_bounded_number_of_bindings(refuses: Refuses) -> None:
    refuses({**NPV, "args": [0.1], "bindings": [ONE] * 101}, LIMIT)


@pytest.mark.parametrize("query", [5, None, "x" * 1_001, [], b"x"])
def test_a_search_takes_text(client: tuple[Service, Simulator], query: Any) -> None:
    with pytest.raises(ServiceError) as caught:
        client[0].search_capabilities(query)
    assert caught.value.code == INTENT


@pytest.mark.parametrize("limit", [0, -1, 1_001, 1.5, "3", True, None])
def test_a_search_takes_a_limit(client: tuple[Service, Simulator], limit: Any) -> None:
    with pytest.raises(ServiceError) as caught:
        client[0].search_capabilities("mean", limit)
    assert caught.value.code == INTENT


def test_there_are_enough_of_them() -> None:
    assert sum(map(len, (ILL_TYPED, MISPLACED, MISSHAPEN, NAMES, UNKNOWNS))) >= 200
