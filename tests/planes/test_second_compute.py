"""The TypeScript client computes what Python's does, over one runtime: the same values, hashes, cards, codes, hits."""

from __future__ import annotations

import base64
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.client.user_keys import login
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.runtimes.selection import build_selection
from service_nb.schema.source import convert_to_json
from tests.simulators import runtimes
from tests.simulators.index import Served, send, serving
from tests.simulators.resident import bundle, own_home
from tests.tools import node
from tests.tools.searches import list_searches
from tests.unit.runtimes import test_selection as lies

ADAPTER = Path(node.__file__).parent / "second_compute.mjs"
OF_THIS_RUN = ("request_id", "latency_ms")
NPV = {"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}
LONG = {"module": "number_theory", "function": "is_prime", "args": [str(10**299 + 669)]}
TABLE = b"""day,region,flow,rate,units,ratio,note
2024-01-01,North,-1000,0.10,3,0.5,a
2024-01-02,South,300,0.25,4,1e300,b
2024-01-03,North,420,1.50,,0.25,
2024-01-04,South,560,2.75,6,-0.0,d
2024-01-05,,680,3.00,7,2.5,e
"""


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    """A home with a device key and a runtime, for both clients."""
    with own_home() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVICE_PYTHON", sys.executable)
        patch.delenv("SERVICE_DEVICE_KEY", raising=False)
        login()
        yield folder


def run_second(*tasks: dict[str, Any]) -> list[Any]:
    """Return what the TypeScript client makes of tasks."""
    node.built()
    told = node.node(ADAPTER, stdin=json.dumps(tasks).encode())
    answers: list[Any] = json.loads(told, parse_int=_read_number)
    return answers


def _read_number(text: str) -> int | float:
    """Read what JavaScript wrote as a whole number: beyond 2**53 it is a double, for such integers travel as text."""
    return int(text) if abs(int(text)) < 2**53 else float(text)


def compute_first(service: Service, spec: Any, **options: Any) -> dict[str, Any]:
    """Compute with Python's client."""
    try:
        computed = service.compute(spec, **options)
    except ServiceError as error:
        return {"code": error.code, "source": error.source, "details": json.loads(json.dumps(error.details))}
    return json.loads(json.dumps(dict(computed))) | {"card": computed.card}


def describe(answer: dict[str, Any], *details: str) -> dict[str, Any]:
    """Describe an answer by what both clients have in common."""
    if "code" in answer:
        return {"code": answer["code"], "source": answer["source"]} | {
            key: _spell(answer["details"].get(key)) for key in details
        }
    card = answer["card"]
    view = {key: value for key, value in card["view"].items() if key not in OF_THIS_RUN}
    digests = {key: value for key, value in card["digests"].items() if key not in ("view_hash", "provenance_hash")}
    told = {key: value for key, value in answer.items() if key not in (*OF_THIS_RUN, "card")}
    return {"told": told, "view": view, "digests": digests}


def _spell(told: Any) -> Any:
    """Spell the keys of a binding as Python does, in the sentence that lists them."""
    return told.replace("nullPolicy", "null_policy") if isinstance(told, str) else told


def list_cases() -> list[dict[str, Any]]:
    """List a case of many capabilities, as specs."""
    entries = [json.loads(line.rstrip(b",").partition(b":")[2]) for line in _list_lines()]
    chosen = random.Random(20261123).sample(entries, 150)
    kinds: dict[str, Any] = {}
    for entry in entries:  # and one of each kind of parameters and results
        signature = (*(each["type"] for each in entry["params"]), entry["result"]["type"], entry["tier"])
        kinds.setdefault(json.dumps(signature), entry)
    refused = {case["error"]: (entry, case) for entry in entries for case in entry["cases"] if "error" in case}
    return [
        *(
            _build_spec(entry, entry["cases"][-1])
            for entry in {each["id"]: each for each in (*chosen, *kinds.values())}.values()
        ),
        *(_build_spec(entry, case) for entry, case in refused.values()),
    ]


def _list_lines() -> list[bytes]:
    return [line for line in map_packaged_contract()[:].splitlines()[1:] if line.startswith(b'"')]


def _build_spec(entry: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    names = [each["name"] for each in entry["params"]]
    given = case["arguments"]
    by_place = [given[name] for name in names[: len(names) // 2] if name in given]
    kwargs = {name: value for name, value in given.items() if name not in names[: len(by_place)]}
    seed = {"seed": case.get("seed", 7)} if entry["tier"] == "seeded" else {}
    return {"module": entry["module"], "function": entry["function"], "args": by_place, "kwargs": kwargs, **seed}


def test_both_clients_compute_the_same_values_hashes_and_cards() -> None:
    specs = list_cases()
    service = service_nb.create_service(ledger="off")
    first = [compute_first(service, spec) for spec in specs]
    second = run_second(*({"verb": "compute", "spec": spec} for spec in specs))
    cards = [each["card"] for each in second if "card" in each]
    for spec, one, other in zip(specs, first, second, strict=True):
        assert "crash" not in other, other
        assert describe(other) == describe(one), spec
    statuses = Counter(each.get("code", "ok") for each in first)
    assert statuses["ok"] > 200, statuses
    assert len(statuses) > 2, statuses
    key = cards[0]["receipt"]["public_key"]
    contracts = [service.contract_hash]
    assert {check_card(card, keys=[key], contracts=contracts).status for card in cards} == {"verified"}


RATE = {"column": "rate", "op": "gte", "value": 0.25}
UNITS = {"column": "units", "op": "in", "values": [3, 4]}
BINDINGS: list[Any] = [
    {"parameter": "cashflows", "source": "budget", "field": "flow"},
    {"parameter": "cashflows", "source": "budget", "field": "Flow"},
    {"parameter": "cashflows", "source": "budget", "field": "rate"},
    {"parameter": "cashflows", "source": "budget", "field": "ratio"},
    {"parameter": "cashflows", "source": "budget", "field": "units"},
    {"parameter": "cashflows", "source": "budget", "field": "units", "null_policy": "drop"},
    {"parameter": "cashflows", "source": "budget", "field": "units", "null_policy": "keep"},
    {"parameter": "cashflows", "source": "budget", "field": "note"},
    {"parameter": "cashflows", "source": "budget", "field": "region"},
    {"parameter": "cashflows", "source": "budget", "field": "day"},
    {"parameter": "cashflows", "source": "budget", "field": "floww"},
    {"parameter": "cashflows", "source": "budgett", "field": "flow"},
    {"parameter": "cashflows", "source": "nothing", "field": "flow"},
    {"parameter": "cashflow", "source": "budget", "field": "flow"},
    {"parameter": "cashflows", "source": "budget", "field": "flow", "fields": ["flow"]},
    {"parameter": "cashflows", "source": "budget"},
    {"source": "budget"},
    {"parameter": "cashflows", "source": "budget", "field": "flow", "alignment": "other"},
    {"parameter": "cashflows", "source": "budget", "field": "flow", "more": 1},
    {"parameters": ["rate", "cashflows"], "fields": ["flow", "flow"], "source": "budget", "alignment": "rowwise"},
    *(
        {"parameter": "cashflows", "source": "budget", "field": "flow", "filter": filter_}
        for filter_ in (
            {"conditions": [{"column": "region", "op": "eq", "value": "North"}]},
            {"conditions": [RATE, {"column": "day", "op": "lt", "value": "2024-01-05"}]},
            {"conditions": [{"any": [{"column": "region", "op": "is_null"}, UNITS]}]},
            {"conditions": [{"column": "region", "op": "eq", "value": "Nowhere"}]},
            {"conditions": [{"column": "regin", "op": "eq", "value": "North"}]},
            {"conditions": 3},
            7,
        )
    ),
]  # fmt: skip
ROWWISE = {"parameters": ["x", "y"], "fields": ["flow", "units"], "source": "budget", "alignment": "rowwise"}


def list_bound_specs() -> list[dict[str, Any]]:
    """List calls with columns in place of literals, good and bad."""
    npv = [{"module": "finance", "function": "npv", "args": [0.1], "bindings": [each]} for each in BINDINGS]
    twice = {"parameter": "cashflows", "source": "budget", "field": "flow"}
    values = {**twice, "parameter": "values"}
    correlation = {"module": "stats", "function": "pearson_correlation"}
    return [
        *npv,
        {"module": "finance", "function": "npv", "args": [0.1, [1]], "bindings": [twice]},
        {"module": "finance", "function": "npv", "args": [0.1], "bindings": [twice, twice]},
        {**correlation, "bindings": [ROWWISE]},
        {**correlation, "bindings": [ROWWISE | {"null_policy": "drop"}]},
        {**correlation, "bindings": [ROWWISE | {"null_policy": "drop", "fields": ["units", "flow"]}]},
        {**correlation, "bindings": [ROWWISE | {"fields": ["flow"]}]},
        {"module": "stats", "function": "quantile", "kwargs": {"q": 0.5}, "bindings": [values]},
        {"module": "stats", "function": "mean", "bindings": [values] * 101},
    ]  # fmt: skip


def test_many_calls_at_once_have_the_hashes_of_pythons_and_the_first_fault_ends_them() -> None:
    service = service_nb.create_service(ledger="off")
    specs = [{"module": "stats", "function": "mean", "args": [[each, each / 3, -1.5]]} for each in range(99)] + [NPV]
    wrong = [NPV, {"module": "stats", "function": "mean", "args": [[]]}]
    unknown = [NPV, {"module": "stats", "function": "meen", "args": [[1.0]]}]
    done, *failed, empty, no_list, long = run_second(
        *({"verb": "many", "specs": each} for each in (specs, wrong, unknown, [], NPV, [NPV] * 10_001))
    )
    first = [json.loads(json.dumps(dict(each))) | {"card": each.card} for each in service.compute_many(specs)]
    assert [describe(each) for each in done] == [describe(each) for each in first]
    for given, answer in zip((wrong, unknown), failed, strict=True):
        with pytest.raises(ServiceError) as caught:
            service.compute_many(given)
        assert (answer["code"], answer["details"].get("call")) == (caught.value.code, caught.value.details.get("call"))
    assert empty == []
    assert [each["code"] for each in (no_list, long)] == ["invalid_intent"] * 2


@pytest.mark.parametrize("policy", [None, {"allowed_fields": {"budget": ["flow", "rate"]}}, {"allowed_sources": []}])
def test_columns_are_bound_in_the_same_way(policy: Any, tmp_path: Path) -> None:
    path = tmp_path / "budget.csv"
    path.write_bytes(TABLE)
    service = service_nb.create_service(policy, ledger="off")
    try:
        service.connect(path, name="budget")
        is_connected = True
    except ServiceError:
        is_connected = False
    specs = list_bound_specs()
    connect = {"verb": "connect", "data": base64.b64encode(TABLE).decode(), "name": "budget", "policy": policy}
    connected, *second = run_second(connect, *({"verb": "compute", "spec": spec} for spec in specs))
    assert isinstance(connected, str) == is_connected
    first = [compute_first(service, spec) for spec in specs]
    for spec, one, other in zip(specs, first, second, strict=True):
        assert describe(other, "parameter", "did_you_mean", "field") == describe(
            one, "parameter", "did_you_mean", "field"
        ), spec
    assert is_connected == any("card" in each for each in first)


BAD: list[Any] = [
    None, 3, [], {}, {"module": "finance"}, {"module": "", "function": "npv"}, {"module": 3, "function": "npv"},
    {**NPV, "more": 1}, {**NPV, "args": 3}, {**NPV, "args": [0.1]}, {**NPV, "args": [0.1, [1], 2]},
    {**NPV, "args": ["0.1", [1]]}, {**NPV, "args": [True, [1]]}, {**NPV, "args": [None, [1]]},
    {**NPV, "args": [0.1, 3]}, {**NPV, "args": [0.1, ["x"]]}, {**NPV, "args": [0.1, [1, None]]},
    {**NPV, "args": [0.1, []]}, {**NPV, "args": [-1, [1]]}, {**NPV, "args": [0.1, [[1]]]},
    {**NPV, "kwargs": {"rate": 0.1}}, {**NPV, "kwargs": {"rat": 0.1}},
    {**NPV, "args": [], "kwargs": {"rat": 1, "cashflow": [1]}},
    {**NPV, "kwargs": {"__proto__": 1}}, {**NPV, "kwargs": {"constructor": 1}}, {**NPV, "seed": 3}, {**NPV, "seed": -1},
    {**NPV, "seed": "x"}, {**NPV, "seed": 1.5}, {**NPV, "bindings": 3}, {**NPV, "bindings": [3]},
    {"module": "finance", "function": "nvp", "args": []}, {"module": "fnance", "function": "npv", "args": []},
    {"module": "stats", "function": "avrage", "args": []}, {"module": "__proto__", "function": "x"},
    {"module": "x" * 2000, "function": "npv"}, {"module": "finance", "function": "npv\0"},
    {"module": "number_theory", "function": "is_prime", "args": [1.5]},
    {"module": "number_theory", "function": "is_prime", "args": ["12x"]},
    {"module": "number_theory", "function": "is_prime", "args": ["9" * 5000]},
    {"module": "number_theory", "function": "is_prime", "args": [True]},
    {"module": "number_theory", "function": "is_prime", "args": [10**15 + 37]},
    {"module": "number_theory", "function": "is_prime", "args": [str(-(10**30))]},
    {"module": "number_theory", "function": "fibonacci", "args": [300]},
    {"module": "number_theory", "function": "fibonacci", "args": [30_000]},
    {"module": "simulation", "function": "monte_carlo_pi", "args": [100]},
]  # fmt: skip


def test_bad_calls_end_in_the_same_codes_and_say_the_same() -> None:
    service = service_nb.create_service(ledger="off")
    first = [compute_first(service, spec) for spec in BAD]
    second = run_second(*({"verb": "compute", "spec": spec} for spec in BAD))
    told = ("parameter", "path", "expected", "did_you_mean", "nearest_matches")
    for spec, one, other in zip(BAD, first, second, strict=True):
        assert "crash" not in other, other
        if spec is None:
            assert other["code"] == "invalid_intent"
        else:
            assert describe(other, *told) == describe(one, *told), spec


def test_searches_have_the_same_hits_in_the_same_order() -> None:
    names = [line.partition(b":")[0].strip(b'"').decode() for line in _list_lines()]
    words = [
        "average",
        "net present value",
        "varience of a list",
        "std",
        "chi squared test",
        "loan",
        "",
        "ß€",
        "a the of",
        *("np.std", "NPV", "t.test", "T.TEST", "var", "RMSE", "numpy std", "=STDEV.S(", "standart deviation"),
        *("\u00e9cart-type", "Standartabweichung", "ohm\u2019s law", "fit a logistic regression model", "sort a list"),
    ]
    sampled = random.Random(7).sample(names, 91)
    everyday = [query for query, _ in list_searches()]
    queries = [
        *words,
        *(name if at % 3 else name.replace(".", " ").replace("_", " ")[:-2] for at, name in enumerate(sampled)),
        *everyday[::4],
    ]
    service = service_nb.create_service(ledger="off")
    told = [service.search_capabilities(query) for query in queries]
    first = [[(hit["name"], hit["score"]) for hit in hits] for hits in told]
    second = run_second(*({"verb": "search", "query": query} for query in queries))
    assert [[hit["name"] for hit in hits] for hits in second] == [[name for name, _ in hits] for hits in first]
    said = [[(hit["match"], hit["note"]) for hit in hits] for hits in told]
    assert [[(hit["match"], hit["note"]) for hit in hits] for hits in second] == said
    for mine, theirs in zip(first, second, strict=True):
        assert [hit["score"] for hit in theirs] == pytest.approx([score for _, score in mine], abs=2e-4)
    [hit] = service.search_capabilities("finance.npv", 1)
    [[other]] = run_second({"verb": "search", "query": "finance.npv", "limit": 1})
    assert {key: other[key] for key in ("signature", "summary", "tier", "units")} == {
        key: hit[key] for key in ("signature", "summary", "tier", "units")
    }
    refused = run_second({"verb": "search", "query": 3}, {"verb": "search", "query": "x", "limit": 0})
    assert [each["code"] for each in refused] == ["invalid_intent"] * 2


def test_long_columns_cross_in_both_directions() -> None:
    values = [random.Random(3).uniform(-1, 1) for _ in range(300_000)]
    spec = {"module": "stats", "function": "mean", "args": [values]}
    [other] = run_second({"verb": "compute", "spec": spec})
    one = compute_first(service_nb.create_service(ledger="off"), spec)
    assert describe(other) == describe(one)
    several = {"module": "stats", "function": "ranks", "args": [values[:20_000]]}
    [other] = run_second({"verb": "compute", "spec": several})
    one = compute_first(service_nb.create_service(ledger="off"), several)
    assert describe(other) == describe(one)


LINES = [
    "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]",
    "finance.npv(rate=0.1, cashflows=[-1000, 300.0, 4.2e2, 560, 680])",
    "finance.npv rate=0.1 cashflows=budget.flow",
    "finance.npv rate=0.1 cashflows=budget.flow where region = 'North' and units >= 3",
    "finance.npv(rate=0.1, cashflows=budget.flow) where `region` = 'North' or day > 2024-01-03",
    "stats.correlation x=budget.flow y=budget.rate where not_there = 1",
    "stats.correlation x=budget.flow y=budget.ratio where ratio < 1e300",
    "stats.median values=budget.rate where day between 2024-01-02 and 2024-01-04",
    "stats.median values=budget.units where region is null",
    "simulation.pi_estimate points=1000 seed=7",
    "number_theory.is_prime n=170141183460469231731687303715884105727",
    "  stats.mean  values = [1, 2, 4] , ",
    "stats.mean values=[1, 2, 4],",
    "stats.mean [1, 2, 4]",
    "stats.mean values=[1, 2, 4",
    "stats.mean values=[[[[[[[[[[1]]]]]]]]]]",
    "stats.mean values=[1, budget.flow]",
    "stats.mean values=[1,000]",
    "stats.mean values=$values",
    "stats.mean values='a\u00e9\U0001f600",
    "stats.mean(values=[1, 2]",
    "stats.mean(values=[1, 2]) and more",
    "stats.mean values=[1, 2] where flow > 1",
    "stats.mean values=budget.flow where flow >> 1",
    "stats.mean values=budget.flow where \U0001f600 > 1",
    "stats.mean(values=budget.flow (filtered))",
    "stats.mean values=1 values=2",
    "stats.mean values=true",
    "stats.mean seed=a values=[1]",
    "stats values=1",
    "=",
    "",
]


CONNECT = {"verb": "connect", "data": base64.b64encode(TABLE).decode(), "name": "budget"}


def connect_budget(folder: Path) -> Service:
    """Connect the table to Python's client, as `CONNECT` does to the other."""
    path = folder / "budget.csv"
    path.write_bytes(TABLE)
    service = service_nb.create_service(ledger="off")
    service.connect(path, name="budget")
    return service


def test_both_clients_read_a_compute_line_alike(tmp_path: Path) -> None:
    service = connect_budget(tmp_path)
    _, *second = run_second(CONNECT, *({"verb": "compute", "spec": line} for line in LINES))
    told = []
    for line, other in zip(LINES, second, strict=True):
        assert "crash" not in other, other
        one = compute_first(service, line)
        told.append(one.get("code", "ok"))
        assert describe(other, "column", "expected") == describe(one, "column", "expected"), line
    assert Counter(told)["ok"] >= 10, told


@pytest.mark.parametrize("column", ["region", "day", "units", "rate", "ratio", "flow", "none"])
@pytest.mark.parametrize("line", ["stats.mean values=budget.flow", "stats.median values=budget.rate where flow > 0"])
def test_both_clients_compute_alike_over_the_values_of_a_column(column: str, line: str, tmp_path: Path) -> None:
    service = connect_budget(tmp_path)
    _, second = run_second(CONNECT, {"verb": "compute", "spec": line, "options": {"over": column}})
    if column in ("ratio", "none"):  # a column of doubles, and one that there is not
        with pytest.raises(ServiceError) as met:
            service.compute(line, over=column)
        assert (second["code"], second["message"]) == (met.value.code, met.value.message)
        return
    first = service.compute(line, over=column)
    assert [each["group"] for each in second] == [
        {"column": each.group[0], "value": json.loads(json.dumps(convert_to_json(each.group[1])))} for each in first
    ]
    for one, other in zip(first, second, strict=True):
        del other["group"]
        assert describe(other) == describe(json.loads(json.dumps(dict(one))) | {"card": one.card})


# A total in the last row of both, a number that may stand for missing, and a text that no double is.
NOTED = {
    "t": "k,x,y\nA,9007199254740993,1\nB,0.5,2\nC,3,5\nD,4,5\nTotal,7,13\n",
    "u": "k,n,z\nA,12,1\nA,15,2\nB,11,4\nB,14,1\nA,13,2\nB,16,4\nA,-999,1\nB,-999,2\n",
}
NOTED_CALLS: list[tuple[str, str | None]] = [
    ("stats.sum values=t.x", None),
    ("stats.mean values=t.y where k = 'A' or (x > 1 and k = 'B')", None),
    ("stats.mean values=t.y", None),
    ("stats.mean values=u.z", None),
    ("stats.mean values=u.z where n > 0", None),
    ("stats.mean values=u.z", "n"),
    ("stats.mean values=u.n", "k"),
    ("hypothesis.t_test_welch first=t.y second=u.n", None),
    ("stats.covariance x=u.z[z = 2] y=u.z[z = 1]", None),
    ("stats.mean values=[1, 2]", None),
]


@pytest.mark.parametrize("policy", [None, {"allowed_fields": {"t": ["x", "k"], "u": ["n", "z"]}}])
def test_both_clients_tell_the_same_of_the_reading(policy: Any, tmp_path: Path) -> None:
    service = service_nb.create_service(policy, ledger="off")
    connects = []
    for name, text in NOTED.items():
        (tmp_path / f"{name}.csv").write_text(text)
        service.connect(tmp_path / f"{name}.csv", name=name)
        data = base64.b64encode(text.encode()).decode()
        connects.append({"verb": "connect", "data": data, "name": name, "policy": policy, "beside": bool(connects)})
    tasks = [{"verb": "compute", "spec": line, "options": {"over": over} if over else {}} for line, over in NOTED_CALLS]
    second = run_second(*connects, *tasks)[2:]
    told = []
    for (line, over), other in zip(NOTED_CALLS, second, strict=True):
        if "code" in other:
            assert describe(other) == describe(compute_first(service, line, **({"over": over} if over else {}))), line
            continue
        computed: Any = service.compute(line, over=over)
        pairs = zip(computed, other, strict=True) if over else [(computed, other)]
        for one, each in pairs:
            each.pop("group", None)
            assert describe(each) == describe(json.loads(json.dumps(dict(one))) | {"card": one.card}), line
            first, last = (json.loads(card["canonical"]["provenance"]) for card in (one.card, each["card"]))
            assert first | {"sources": None} == last | {"sources": None}  # which say where they were read
            assert check_card(each["card"]).causes == ()
            told.append(one.card["view"].get("reading_notes"))
    assert None in told
    assert max(len(each or ()) for each in told) == (2 if policy is None else 1)


@pytest.mark.parametrize("line", ["stats.std values=budget.flow", "finance.npv rate=budget.rate cashflows=[1, 2]"])
def test_both_clients_name_the_group_that_failed(line: str, tmp_path: Path) -> None:
    service = connect_budget(tmp_path)
    _, told = run_second(CONNECT, {"verb": "compute", "spec": line, "options": {"over": "region"}})
    with pytest.raises(ServiceError) as met:
        service.compute(line, over="region")
    assert (told["code"], told["message"], told["details"].get("group")) == (
        met.value.code,
        met.value.message,
        met.value.details["group"],
    )


def test_without_a_login_nothing_is_computed(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path))
    [other] = run_second({"verb": "compute", "spec": NPV})
    one = compute_first(service_nb.create_service(ledger="off"), NPV)
    assert describe(other, "reason") == describe(one, "reason")
    assert other["code"] == "login_required"
    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "config" / "device.pem").write_bytes((home / "config" / "device.pem").read_bytes())
    (tmp_path / "config" / "device.pem").chmod(0o600)
    [other] = run_second({"verb": "compute", "spec": NPV})
    one = compute_first(service_nb.create_service(ledger="off"), NPV)
    assert describe(other, "reason") == describe(one, "reason")
    assert other["details"]["reason"] == "licence_missing"


def test_a_runtime_that_is_killed_or_hangs_ends_in_an_error_and_the_next_call_works() -> None:
    folder = bundle().folder.name
    compute = {"verb": "compute", "spec": NPV}
    killed = {"verb": "struck", "signal": "SIGKILL", "folder": folder, "spec": LONG, "during": True}
    before = {"verb": "struck", "signal": "SIGKILL", "folder": folder, "spec": NPV, "during": False}
    hung = {"verb": "struck", "signal": "SIGSTOP", "folder": folder, "spec": NPV, "options": {"timeout": 0.2}}
    late = {"verb": "compute", "spec": LONG, "options": {"timeout": 0.3}}
    answers = run_second(compute, late, compute, killed, compute, before, hung, compute)
    codes = [each.get("code", "ok") for each in answers]
    assert codes == ["ok", "timeout", "ok", "compute_runtime_unavailable", "ok", "ok", "timeout", "ok"], answers


def test_a_filtered_runtime_has_the_modules_that_were_asked_for_and_no_others() -> None:
    mean = {"module": "stats", "function": "mean", "args": [[1, 2]]}
    tasks = [(["finance"], NPV), (["finance"], mean), (["fnance"], NPV)]
    first = []
    for modules, spec in tasks:
        service = service_nb.create_service(ledger="off", runtime_modules=modules)
        first.append(compute_first(service, spec))
        service.close()
    second = run_second(*({"verb": "filtered", "modules": modules, "spec": spec} for modules, spec in tasks))
    assert [describe(each, "reason") for each in second] == [describe(each, "reason") for each in first]
    assert second[0]["determinism"]["runtime_modules"] == ["finance"]
    assert [each.get("code") for each in second] == [None, "unsupported_operation", "invalid_intent"]


ONE_FOR_EACH_REASON = (
    *("a needed pack is left out", "another pack comes along", "a path that climbs, listed"),
    *("an unlisted file", "other code in a pack", "another manifest"),
)


def test_a_lying_build_service_installs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("SERVICE_HOME", str(home))
    monkeypatch.setenv("SERVICE_DEVICE_KEY", base64.b64encode(bytes(range(32))).decode())
    true = build_selection(runtimes.bundle(home, tmp_path / "bundles", lies.FILES), ["finance"], tmp_path)
    archive = lies._read(true.path.read_bytes())
    archives = [lies._write(lies.LIES[each][0](archive)) for each in ONE_FOR_EACH_REASON] + [true.path.read_bytes()]

    def respond(_: Served, handler: BaseHTTPRequestHandler) -> None:
        content = archives[int(handler.path.split("/")[1])]
        told = {"url": "../../it", "sha256": compute_sha256_hex(content), "cache_key": true.cache_key}
        send(handler, json.dumps(told).encode() if handler.path.endswith("/v1/runtime/build") else content)

    with serving(respond) as served:
        addresses = [f"{served.address}/{at}" for at in range(len(archives))]
        call = {"verb": "filtered", "modules": ["finance"], "spec": NPV}
        *refused, taken = run_second(*({**call, "address": each} for each in addresses))
    assert {each["code"] for each in refused} == {"runtime_provision_failed"}
    for name, each in zip(ONE_FOR_EACH_REASON, refused, strict=True):
        assert each["details"]["reason"] in lies.LIES[name][1].split(), each
    # What was selected as it should be is installed; it is a bundle of a few lines, which no runtime starts from.
    assert taken["details"]["reason"] == "start_failed", taken


def test_the_contract_of_the_package_is_the_published_one() -> None:
    node.built()
    package = node.TYPESCRIPT / "packages" / "client" / "contract.json"
    assert compute_sha256_hex(package.read_bytes()) == compute_sha256_hex(map_packaged_contract()[:])
