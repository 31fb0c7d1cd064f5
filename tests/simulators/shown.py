"""What cards show, derived from their hashed texts: written from the description of a card, with no code of ours.

It knows as much of plans, calls and contracts as the samples in `evidence` use, and refuses the rest by KeyError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rfc8785

Json = dict[str, Any]
_NOUN = {"sum": "Sum of", "avg": "Average of", "min": "Smallest", "max": "Largest"}
_STEP = {"sum": "Add the values of {metric} of each group exactly and round once; nulls are left out"}
_DIRECTION = {"asc": "ascending", "desc": "descending"}
_CERTIFIED = (
    "The value is proven to be the correctly rounded result of the formula for exactly these arguments: "
    "the same on every machine."
)


def json_of(value: Any) -> str:
    return rfc8785.dumps(value).decode()


# --- views ------------------------------------------------------------------------------------------------------------


def query(plan: Json, result: Sequence[Json], provenance: Json, **words: Any) -> Json:
    """The view of an answer that is grouped and has no filter; `words` are its id and its latency."""
    (source,) = provenance["sources"]
    groups, metric, order = ", ".join(plan["group_by"]), plan["metric"], plan["order"]
    limit = f", first {plan['limit']:,}" if "limit" in plan else ""
    ask = f"{plan['aggregation']} {metric} by {groups} from {source['name']}"
    ask += " order asc" if order == "asc" else ""
    steps = [
        f"Read {source['name']} ({source['row_count']:,} rows, schema {plan['schema_revision'][:12]})",
        f"Group by {groups}",
        _STEP[plan["aggregation"]].format(metric=metric),
        f"Order by {metric} {_DIRECTION[order]}, nulls last, ties by {groups} ascending",
    ]
    if limit:
        ask, steps = f"{ask} limit {plan['limit']}", [*steps, f"Keep the first {plan['limit']:,} rows"]
    names = [column["name"] for column in provenance["columns"]]
    shown = [[_cell(row[name]) for name in names] for row in result[: provenance["shown_rows"]]]
    same = {key: provenance[key] for key in ("columns", "row_count", "decision_path", "method", "engine")}
    return {
        "status": "ok",
        "question": f"{_NOUN[plan['aggregation']]} {metric} by {groups} in {source['name']}{limit}",
        "ask": ask,
        "plan": steps,
        "rows": shown,
        "source": {key: source[key] for key in source if key != "origin"},
        "notes": [f"{name}: {provenance['notes'][name]}" for name in sorted(provenance["notes"])],
        **same,
        **words,
    }


def _cell(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_of(value)


def computation(identity: Json, value: Any, capability: Json, provenance: Json, **words: Any) -> Json:
    """The view of a certified call of one number, whose arguments are named or bound to one column each."""
    said = {name: json_of(given) for name, given in identity["kwargs"].items()}
    for bound in provenance["bindings"]:
        (parameter,), (column,) = bound["parameters"], bound["fields"]
        said[parameter] = f"{bound['source_name']}.{column}"
    arguments = ", ".join(f"{each['name']}={said[each['name']]}" for each in capability["params"])
    result = capability["result"]
    return {
        "status": "ok",
        "call": capability["id"],
        "question": f"{capability['id']}({arguments})",
        "summary": capability["summary"],
        "formula": capability["formula"],
        "latex": capability["latex"],
        "citation": capability["source"],
        "tier": capability["tier"],
        "version": capability["version"],
        "columns": ["value", "unit", "about"],
        "rows": [[json_of(value), result["unit"], result["about"]]],
        "row_count": 1,
        "value_type": result["type"],
        "promise": {"certified": _CERTIFIED}[capability["tier"]],
        "bindings": provenance["bindings"],
        "determinism": provenance["determinism"],
        "scope": identity["execution_scope"],
        **words,
    }


def refusal(spec: Json, resolution: Json, status: str) -> Json:
    """The view of a question that was not answered."""
    line = f"{spec['aggregation']} {spec['metric']} from {spec['source_name']}"
    told = ("reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates")
    return {"status": status, "question": line, "ask": line} | {key: resolution[key] for key in told}


def error(told: Json) -> Json:
    return {"status": "error"} | {key: told[key] for key in ("code", "message", "hint")}


def replay(report: Json) -> Json:
    told = ("status", "subject", "result_id", "question", "cause", "message", "digest", "expected", "met")
    compared = report["comparison"] or {"differences": [], "differing": 0}
    rows = [[each[key] for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]]
    kept = {key: report[key] for key in (*told, "sources", "changes")}
    return kept | {"rows": rows, "row_count": compared["differing"]}
