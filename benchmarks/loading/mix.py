"""What is asked of a deployment under load, and the only right answer to each: computed here, from the same rows."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.client.context import LazyRuntime, Library
from service_nb.client.factory import compose
from service_nb.client.record import Recorder, read_local_clock
from service_nb.client.service import Service
from service_nb.errors import ServiceError
from service_nb.runtimes.interface import map_packaged_contract

REGIONS = ("north", "south", "east", "west", "söuth", "Ä", "a", "B")
CUSTOMERS = 10_000
SEED = 20_260_000
ASK, RESOLVE, VERIFY, COMPUTE = "/v1/query/execute", "/v1/query/resolve", "/v1/query/verify", "/v1/libraries/execute"


class Asked(NamedTuple):
    """One request. `expected` is what must be found in its answer, at the same place; see `differs`."""

    kind: str
    path: str
    body: dict[str, Any]
    expected: dict[str, Any]


def orders(count: int) -> pa.Table:
    """The rows of the table in the database: by price, as columns of a live source are read."""
    drawn = random.Random(SEED)  # noqa: S311  # the same rows each time
    table = pa.table(
        {
            "id": pa.array(range(count), pa.int64()),
            "customer": pa.array((drawn.randrange(CUSTOMERS) for _ in range(count)), pa.int64()),
            "region": pa.array((drawn.choice(REGIONS) for _ in range(count)), pa.string()),
            "product": pa.array((f"product {drawn.randrange(40)}" for _ in range(count)), pa.string()),
            "price": pa.array((drawn.uniform(-1, 1) * 10 ** drawn.uniform(-6, 6) for _ in range(count)), pa.float64()),
            "units": pa.array((drawn.randrange(-(2**40), 2**40) for _ in range(count)), pa.int64()),
            "paid": pa.array((drawn.choice((True, False, None)) for _ in range(count)), pa.bool_()),
        }
    )
    return table.take(pc.sort_indices(table, sort_keys=[("price", "ascending")]))


def pages(count: int) -> list[dict[str, Any]]:
    """The records of an API."""
    drawn = random.Random(SEED + 1)  # noqa: S311  # as above
    return [
        {"n": n, "state": drawn.choice(REGIONS), "hours": drawn.uniform(0, 1e4), "open": drawn.random() < 0.3}
        for n in range(count)
    ]


def here(folder: Path, sources: Mapping[str, Any]) -> Service:
    """A service of this process whose computations have the identity that a deployment gives them."""
    made = compose(
        project=folder,
        library=Library(map_packaged_contract),
        runtime=LazyRuntime("in_process", mode="deployment"),
        recorder=Recorder(folder=None, tenant=None, clock=read_local_clock),
    )
    for name, rows in sources.items():
        made.connect(rows, name=name)
    return made


def mix(service: Service, plans: int) -> list[Asked]:
    """Return requests with their answers, in an order that mixes all kinds; `plans` different questions are asked."""
    drawn = random.Random(SEED + 2)  # noqa: S311  # as above
    found: list[Asked] = []
    for number in range(plans):
        spec = _records(drawn) if number % 4 == 0 else _narrow(drawn)
        found.append(_question(service, spec))
        if number % 3 == 0:
            found.append(_resolved(service, _narrow(drawn)))
        if number % 3 == 1:
            found.append(_refused(service, _misspelt(drawn)))
        if number % 3 == 2:
            found.append(_verified(service, _narrow(drawn)))
        if number % 2 == 0:
            found.append(_computed(service, _literal(drawn)))
        if number % 10 == 5:
            found.append(_computed(service, _bound(drawn)))
        if number % 100 == 99:
            found.append(_question(service, _whole(drawn), kind="ask all rows"))
    drawn.shuffle(found)
    return found


# --- what is asked ----------------------------------------------------------------------------------------------------


def _between(column: str, low: float, high: float) -> dict[str, Any]:
    return {"conditions": [{"column": column, "op": "between", "values": [low, high]}]}


def _narrow(drawn: random.Random) -> dict[str, Any]:
    """A question about some customers, whose rows an index finds."""
    first = drawn.randrange(CUSTOMERS - 40)
    return {
        "metric": drawn.choice(("price", "units")),
        "aggregation": drawn.choice(("sum", "avg", "min", "max", "count")),
        "group_by": drawn.choice(("region", "product", "paid", ["region", "paid"])),
        "filter": _between("customer", first, first + drawn.randrange(40)),
        "source_name": "orders",
    }


def _whole(drawn: random.Random) -> dict[str, Any]:
    """A question about every row of the table."""
    most = drawn.uniform(1e5, 1e6)
    return {
        "metric": drawn.choice(("price", "units")),
        "aggregation": drawn.choice(("sum", "avg")),
        "group_by": drawn.choice(("region", "paid")),
        "filter": _between("price", -most, most),
        "source_name": "orders",
    }


def _records(drawn: random.Random) -> dict[str, Any]:
    """A question about the records of the API."""
    low = drawn.uniform(0, 5e3)
    return {
        "metric": drawn.choice(("hours", "n")),
        "aggregation": drawn.choice(("sum", "avg", "min", "max", "count")),
        "group_by": drawn.choice(("state", "open")),
        "filter": _between("hours", low, low + drawn.uniform(1, 5e3)),
        "source_name": "issues",
    }


def _misspelt(drawn: random.Random) -> dict[str, Any]:
    return _narrow(drawn) | {"metric": drawn.choice(("prise", "unit s", "revenue", "prices"))}


def _literal(drawn: random.Random) -> dict[str, Any]:
    flows = [-1_000.0, *(round(drawn.uniform(0, 500), 2) for _ in range(drawn.randrange(3, 9)))]
    values = [drawn.gauss(0, 1e3) for _ in range(drawn.randrange(2, 40))]
    return drawn.choice(
        (
            {"module": "finance", "function": "npv", "args": [round(drawn.random(), 4), flows]},
            {"module": "stats", "function": "mean", "args": [values]},
            {"module": "stats", "function": "median", "kwargs": {"values": values}},
            {"module": "number_theory", "function": "gcd", "args": [str(drawn.getrandbits(80)), drawn.getrandbits(40)]},
            {"module": "stats", "function": "mode_of_nothing", "args": [values]},
            {"module": "finance", "function": "npv", "args": ["a rate", flows]},
        )
    )


def _bound(drawn: random.Random) -> dict[str, Any]:
    """A computation on a column of the live table, in some rows of it."""
    first = drawn.randrange(CUSTOMERS - 5)
    binding = {
        "source": "orders",
        "parameter": "values",
        "field": "price",
        "filter": _between("customer", first, first + 4),
    }
    return {"module": "stats", "function": drawn.choice(("mean", "median")), "bindings": [binding]}


# --- what must come back ----------------------------------------------------------------------------------------------


def _question(service: Service, spec: dict[str, Any], kind: str = "ask") -> Asked:
    data = service.ask(spec)["data"]
    expected = {key: data[key] for key in ("result", "result_hash", "plan_hash", "schema_revision")}
    return Asked(kind, ASK, {"spec": spec}, {"status": "ok", "data": expected})


def _resolved(service: Service, spec: dict[str, Any]) -> Asked:
    told = service.resolve(spec)
    return Asked("resolve", RESOLVE, {"spec": spec}, {"status": told["status"], "plan": told["plan"]})


def _verified(service: Service, spec: dict[str, Any]) -> Asked:
    plan = service.resolve(spec)["plan"]
    return Asked("verify", VERIFY, {"plan": plan}, {"valid": service.verify(plan)["valid"]})


def _refused(service: Service, spec: dict[str, Any]) -> Asked:
    told = service.ask(spec)
    kept = {key: told[key] for key in ("status", "refusal_hash", "resolution") if key in told}
    return Asked("refusal", ASK, {"spec": spec}, kept)


def _computed(service: Service, spec: dict[str, Any]) -> Asked:
    try:
        told = service.compute(spec)
    except ServiceError as error:
        return Asked("compute error", COMPUTE, spec, {"code": error.code})
    kept = {key: told[key] for key in ("value", "computation_hash", "invocation_hash", "contract_hash")}
    return Asked("compute bound" if "bindings" in spec else "compute", COMPUTE, spec, kept)


def differs(met: Any, expected: Any, place: str = "answer") -> str | None:
    """Return where an answer is not what it must be, None when it is right; numbers are compared by type and bits."""
    if isinstance(expected, dict):
        if not isinstance(met, dict):
            return f"{place} is {str(met)[:100]}"
        return next(_found(differs(met.get(key), value, f"{place}.{key}") for key, value in expected.items()), None)
    if isinstance(expected, list):
        if not isinstance(met, list) or len(met) != len(expected):
            return f"{place} has another length"
        pairs = enumerate(zip(met, expected, strict=True))
        return next(_found(differs(one, other, f"{place}[{index}]") for index, (one, other) in pairs), None)
    same = type(met) is type(expected) and met == expected
    if same and isinstance(met, float):
        same = math.copysign(1, met) == math.copysign(1, expected)
    return None if same else f"{place} is {str(met)[:100]}, not {str(expected)[:100]}"


def _found(texts: Iterator[str | None]) -> Iterator[str]:
    return (text for text in texts if text is not None)
