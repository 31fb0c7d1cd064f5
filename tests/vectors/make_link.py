"""Write `link/`: what the kernel's half of the link really answers, which the TypeScript half has to understand.

python -m tests.vectors.make_link
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from service_nb import Service, create_service
from service_nb._version import __version__
from service_nb.errors import ServiceError
from service_nb.notebook.link import answer_message

FOLDER = Path(__file__).parent / "link"
POLICY = {
    "allowed_functions": [
        "calculus.gauss_legendre",
        "calculus.taylor_coefficients",
        "finance.npv",
        "simulation.bootstrap_mean",
    ]
}
ROWS = [
    {"region": "north", "Order Year": 2023, "revenue": 1.5, "note": "a 'quoted' word\n\u2028\U0001f600"},
    {"region": "south", "Order Year": 2024, "revenue": None, "note": "<b>"},
]
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "hello": ("hello", {}),
    "sources": ("sources", {}),
    "values of a column": ("values", {"source": "sales", "field": "note"}),
    "values of what is not there": ("values", {"source": "sales", "field": "nothing"}),
    "a look at a source": ("look", {"source": "sales"}),
    "a look at what is not there": ("look", {"source": "nothing"}),
    "a search": ("search", {"query": "net present value", "limit": 2}),
    "a search without words": ("search", {"query": "", "limit": 1}),
    "a search that finds nothing": ("search", {"query": "zzzzzz", "limit": 1}),
    "a capability": ("capability", {"name": "finance.npv"}),
    "a capability with choices": ("capability", {"name": "calculus.taylor_coefficients"}),
    "a capability with a record": ("capability", {"name": "calculus.gauss_legendre"}),
    "a simulation": ("capability", {"name": "simulation.bootstrap_mean"}),
    "a capability that is denied": ("capability", {"name": "finance.irr"}),
    "a question": (
        "check_ask",
        {"spec": {"aggregation": "sum", "metric": "turnover", "group_by": ["Order Year"], "source_name": "sales"}},
    ),
    "a question of several lines": (
        "check_ask",
        {
            "spec": {
                "aggregation": "count",
                "source_name": "sales",
                "filter": {"conditions": [{"column": "note", "op": "eq", "value": "two\nlines"}]},
            }
        },
    ),
    "a question that is not clear": ("check_ask", {"spec": {"metric": "revenu", "aggregation": "sum"}}),
    "a question that is refused": ("check_ask", {"spec": {"aggregation": "count", "source_name": "costs"}}),
    "a question that is none": ("check_ask", {"spec": {"metrc": "revenue"}}),
    "a call": ("check_call", {"name": "finance.npv", "arguments": {"rate": "0.1", "cashflows": "-1000, 300, 420"}}),
    "a call with faults": (
        "check_call",
        {"name": "finance.npv", "arguments": {"rate": "-2", "cashflows": "sales.region", "rat": "1"}},
    ),
    "a replay without a ledger": ("replay", {"id": "query_1"}),
    "a replay of no card": ("replay", {"id": "card", "card": {}}),
    "a whole result without a ledger": ("read_result", {"id": "query_1", "form": "text", "at": 0}),
}


def client(project: Path) -> Service:
    """Return a client of two rows and four capabilities, whose answers do not change with the contract's size."""
    service = create_service(POLICY, project=project, ledger="off", runtime="in_process")
    service.connect(ROWS, name="sales", aliases={"turnover": "revenue"})
    return service


def exchanges() -> list[dict[str, Any]]:
    """Return each request with its answer."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        asked = client(project)
        made = [
            _exchange(name, {"service_nb": 1, "id": number, "method": method, "params": params}, asked)
            for number, (name, (method, params)) in enumerate(ASKED.items(), 1)
        ]
        made.append(_exchange("another version", {"service_nb": 2, "id": 1, "method": "hello", "params": {}}, asked))
        return made


def _exchange(name: str, request: dict[str, Any], asked: Service) -> dict[str, Any]:
    response = json.dumps(answer_message(request, asked), ensure_ascii=False)
    # What changes with each release, and would have the file made anew for nothing.
    settled = response.replace(__version__, "0.0.0").replace(asked.contract_hash, "sha256:" + "0" * 64)
    return {"name": name, "request": request, "response": json.loads(settled)}


def codes() -> list[str]:
    """Return the codes that an error of the kernel may have."""
    kinds, found = [ServiceError], {"internal", *(f"policy_denied_{what}" for what in ("source", "field", "function"))}
    while kinds:
        kind = kinds.pop()
        found.add(kind.code)
        kinds += [each for each in kind.__subclasses__() if each.__module__.startswith("service_nb.errors")]
    return sorted(found)


def text(cases: list[Any]) -> str:
    """Return the file: a case a line."""
    lines = ",\n".join(f"    {json.dumps(case, ensure_ascii=False)}" for case in cases)
    return f'{{\n  "cases": [\n{lines}\n  ]\n}}\n'


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, cases in (("exchanges", exchanges()), ("codes", codes())):
        (FOLDER / f"{name}.json").write_text(text(cases), encoding="utf-8")
