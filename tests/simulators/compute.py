"""A small contract, and a runtime of it in plain Python: fractions and loops, as a second pair of eyes."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from service_nb.client.context import LazyRuntime, Library
from service_nb.client.factory import compose
from service_nb.client.record import Clock, Recorder, read_local_clock
from service_nb.client.service import Service
from service_nb.errors import DomainError
from service_nb.query.policy import parse_policy
from service_nb.runtimes.interface import Invocation, RunResult
from service_nb.schema.compute import RuntimeDescription

DESCRIPTION = RuntimeDescription(
    bundle_version="unmanaged",
    bundle_sha256="unmanaged",
    platform="linux-x64",
    architecture="x64",
    kernel_build="simulator 1",
    libraries={"fractions": "3"},
    is_pinned=False,
)


def vector(name: str, scalar: str = "float64", *, unit: str = "1") -> dict[str, Any]:
    return {"name": name, "type": f"{scalar}[]", "shape": ["n"], "unit": unit, "domain": "(-inf, inf)", "about": name}


def scalar(name: str, type_: str = "float64") -> dict[str, Any]:
    return {"name": name, "type": type_, "unit": "1", "domain": "(-inf, inf)", "about": f"the {name}"}


def _leaf(each: Mapping[str, Any]) -> bytes:
    told = {key: value for key, value in each.items() if key not in ("cases", "keywords", "digest", "leaf")}
    return hashlib.sha256(b"\0" + _canonical(told)).digest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def entry(id_: str, summary: str, params: list[dict[str, Any]], result: Any = "float64", **more: Any) -> dict[str, Any]:
    module, _, function = id_.partition(".")
    form = {"type": result, "unit": "1", "about": "result"} if isinstance(result, str) else result
    made = {
        "id": id_,
        "module": module,
        "function": function,
        "version": 1,
        "tier": "certified",
        "grade": "derived",
        "summary": summary,
        "source": "by hand",
        "params": params,
        "result": form,
        "cases": [],
        "digest": "0",
        **more,
    }
    return made | {"leaf": _leaf(made).hex()}


RECORD = {
    "type": "record",
    "about": "extent",
    "fields": {"low": {"type": "float64", "unit": "m"}, "high": {"type": "float64", "unit": "m"}},
}
ENTRIES = [
    entry(
        "finance.npv",
        "Net present value of cash flows at equal intervals.",
        [scalar("rate"), vector("cashflows", unit="money")],
        {"type": "float64", "unit": "money", "about": "net present value"},
        formula="sum(c / (1 + rate)**t for t, c in enumerate(cashflows))",
        latex=r"\sum_{t} \frac{c_t}{(1 + r)^t}",
    ),
    entry("linalg.trace", "Sum of the diagonal of a square matrix.", [
        {**vector("matrix"), "type": "float64[][]", "shape": ["n", "n"]}
    ]),
    entry("logic.every", "Whether all flags are set.", [vector("flags", "bool")], "bool"),
    entry("numbers.power", "Whole power of a whole number.", [scalar("base", "int"), scalar("exponent", "int")], "int"),
    entry("numbers.total", "Sum of whole numbers.", [vector("items", "int")], "int"),
    entry("simulation.draw", "Draws of a uniform variable.", [scalar("draws", "int")], {
        "type": "float64[]", "shape": ["n"], "unit": "1", "about": "draws"
    }, tier="seeded"),
    entry("stats.covariance", "Covariance of two samples.", [vector("x"), vector("y")], keywords=["dependence"]),
    entry("stats.extent", "Smallest and largest value of a sample.", [vector("values", unit="m")], RECORD),
    entry("stats.mean", "Arithmetic mean of a sample.", [vector("values")]),
    entry("words.join", "Words one after the other.", [vector("words", "string"), scalar("separator", "string")],
          "string"),
]  # fmt: skip


def contract(entries: Sequence[dict[str, Any]] = ENTRIES, runtime: Mapping[str, Any] | None = None) -> bytes:
    """The contract's text: a capability a line, with its leaf at the end."""
    pinned: dict[str, Any] = {"contract_version": 1, "runtime": dict(runtime or {})}
    leaves = [{**each, "leaf": _leaf(each).hex()} for each in entries]
    root = _root([hashlib.sha256(b"\0" + _canonical(pinned)).digest(), *map(_leaf, entries)])
    head = json.dumps({**pinned, "contract_hash": f"sha256:{root.hex()}"})[:-1]
    lines = ",\n".join(f"{json.dumps(each['id'])}:{json.dumps(each, separators=(',', ':'))}" for each in leaves)
    return f'{head},"capabilities":{{\n{lines}\n}}}}\n'.encode()


def _root(level: list[bytes]) -> bytes:
    """The root of RFC 6962, 2.1, by its definition: the largest power of two below the size parts a tree."""
    if len(level) == 1:
        return level[0]
    left = 1 << (len(level) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + _root(level[:left]) + _root(level[left:])).digest()


HASH: str = json.loads(contract().partition(b"\n")[0] + b"}}")["contract_hash"]


def _npv(rate: float, cashflows: Any) -> float:
    if rate <= -1:
        raise DomainError("rate is below -1.", parameter="rate", met=str(rate), expected="a number in (-1, inf)")
    base = 1 + Fraction(rate)
    return float(sum((Fraction(float(c)) / base**t for t, c in enumerate(cashflows)), Fraction(0)))


def _covariance(x: Any, y: Any) -> float:
    xs, ys = [Fraction(float(v)) for v in x], [Fraction(float(v)) for v in y]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return float(sum((a - mean_x) * (b - mean_y) for a, b in zip(xs, ys, strict=True)) / (len(xs) - 1))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "finance.npv": _npv,
    "linalg.trace": lambda matrix: float(sum(row[at] for at, row in enumerate(matrix))),
    "logic.every": all,
    "numbers.power": pow,
    "numbers.total": sum,
    "stats.covariance": _covariance,
    "stats.extent": lambda values: {"low": min(values), "high": max(values)},
    "stats.mean": lambda values: float(np.mean(values)),
    "words.join": lambda words, separator: separator.join(words),
}


class Simulator:
    """A `Runtime` in plain Python; `calls` are what reached it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, list[Any]]] = []

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        return RunResult([self._value(call) for call in calls], DESCRIPTION)

    def _value(self, call: Invocation) -> Any:
        self.calls.append((call.capability_id, list(call.arguments)))
        if call.capability_id == "simulation.draw":
            drawn = random.Random(call.seed)
            return [drawn.random() for _ in range(call.arguments[0])]
        return FUNCTIONS[call.capability_id](*call.arguments)

    def close(self) -> None:
        self.calls.clear()

    def describe(self) -> RuntimeDescription:
        return DESCRIPTION


def simulated(
    project: Path,
    policy: dict[str, Any] | None = None,
    *,
    clock: Clock = read_local_clock,
    runtime: Simulator | None = None,
    entries: Sequence[dict[str, Any]] = ENTRIES,
) -> Service:
    """A client of the small contract."""
    return compose(
        policy=parse_policy(policy),
        timeout_s=60.0,
        project=project,
        library=Library(lambda: contract(entries)),
        runtime=LazyRuntime(Simulator() if runtime is None else runtime),
        recorder=Recorder(folder=None, tenant=None, clock=clock),
    )
