"""Cards for the vectors of faces: every kind, and what is odd about values, names, texts and views.

Their digests are right, so that a page of them can be verified too; the texts that are hashed are those of
`evidence/parts.json`, because a face shows the view alone.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tests.vectors.evidence_maker import PARTS, Json, Key, card, rehashed, signed, stripped

Named = Iterator[tuple[str, Json]]

KEY = {"name": "carrier", "type": "string", "physical": "string", "role": "key"}
METRIC = {"name": "arr_delay", "type": "number", "physical": "float64", "role": "metric"}
COUNT = {"name": "count", "type": "number", "physical": "int64", "role": "count"}
DIGEST = "6b3e8f0c0d1a9f4c2b7d5e8a1f3c6b9d0e2f4a7c8b1d3e5f7a9c0b2d4e6f8a1c"
SOURCE = {
    "name": "flights",
    "source_id": "2f1c9b0a7d3e5f8a6c4b1d2e",
    "schema_revision": PARTS["query"]["view"]["source"]["schema_revision"],
    "row_count": 336_776,
    "content": {"algorithm": "sha256-arrow", "sha256": DIGEST, "rows": 336_776},
}
RUN = PARTS["computation"]["view"]["determinism"] | {"libraries": {"libc": "glibc 2.36", "numpy": "2.4.6"}}
DURATIONS = (0, 0.001, 0.005, 0.034, 0.125, 0.375, 0.5, 2.25, 4.812, 9.95, 12.5, 13.5, 104.8, 9_999, 10_000, 61_250.0)
READING_NOTES: list[Json] = [
    {
        "kind": "rounded",
        "columns": ["arr_delay"],
        "facts": {"count": "1", "first": "9007199254740993", "place": "line 2", "read": "9007199254740992"},
    },
    {
        "kind": "spelling",
        "columns": ["carrier"],
        "facts": {"count": "2", "first": "1E5", "place": "row 7", "read": "100000"},
    },
    {"kind": "total", "columns": ["arr_delay"], "facts": {"place": "line 14"}},
    {
        "kind": "sentinel",
        "columns": ["arr_delay"],
        "facts": {"count": "12345", "first": "-999", "least": "-86", "most": "1272"},
    },
    {"kind": "header", "columns": ["2024-01-05", "12.5"]},
    {"kind": "envelope", "columns": ["data"], "facts": {"count": "1000"}},
]
AVERAGES = [
    ["F9", "21.920704845814978", "685"],
    ["FL", "20.115905511811025", "3260"],
    ["EV", "15.79643108710965", "54173"],
    ["YV", "15.556985294117647", "601"],
    ["OO", "11.931034482758621", "32"],
    ["MQ", "10.774733394576028", "26397"],
    ["WN", "9.649119893723016", "12275"],
    ["UA", "3.5580111453393792", "58665"],
    ["AA", "0.3642908567314615", "32729"],
    ["AS", "-9.930888575458392", "714"],
]
TEXTS = [
    "Zürich",
    "漢字 and e\u0301",
    "नमस्ते क\u200dष",
    "👩\u200d👩\u200d👧",
    "user\u202egnp.exe",
    "a\u200bb\ufeffc\u2066d",
    "tab\there\nnew line",
    "\x1b[31mred\x07",
    "",
    " padded ",
    "—",
    "'quoted'",
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@sum",
    "\u3000wide space",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "$x$ \\(y\\)",
    "x" * 200,
    "漢" * 40,
    "\uff21" * 31 + "ab",
    "\U000e0041tag",
    "\U0001f600",
]
NUMBERS = [
    "0",
    "-0.0",
    "1.0",
    "1000",
    "-1234567",
    "12345678901234567890",
    "123456789012345678901234567890.12",
    "1234.50",
    "1e+21",
    "1234e-7",
    "5e-324",
    "NaN",
    "Infinity",
    "-Infinity",
    "१२३४",
    "0x10",
]


def queries() -> Named:
    """Answered questions."""
    key = Key("device")
    grouped = query(question="Average of arr_delay by carrier in flights", rows=AVERAGES)
    yield "grouped", signed(grouped, key)
    yield "grouped, not signed", grouped
    yield "of the evidence", card("query")
    single = query(columns=[METRIC, COUNT], rows=[["2257174", "336776"]], question="Sum of arr_delay in flights")
    yield "one number", signed(single, key)
    yield "one number without a count", query(columns=[METRIC], rows=[["-0.0"]])
    yield "one null", query(columns=[METRIC, COUNT], rows=[[None, "0"]])
    yield "one instant", query(columns=[metric("time_hour", "datetime")], rows=[["2013-12-31T17:00:00"]])
    yield "one group", query(rows=[["UA", "12", "7"]])
    yield "numbers", query(rows=[[f"n{at}", number, "1"] for at, number in enumerate(NUMBERS)])
    yield "whole numbers as labels", query(columns=[year(), METRIC], rows=[["2013", "2013"], ["12345", None]])
    yield "texts", query(columns=[KEY, metric("largest", "string")], rows=[[text, text] for text in TEXTS])
    yield "some of the rows", query(used_rows=20_041, dropped={"arr_delay": 1_204})
    many = {f"n{at}": at for at in range(1, 6)} | {"=1": 1, "x" * 200: 2}
    yield "nulls of many columns", query(used_rows=336_776, dropped=many)
    live = SOURCE | {"content": {"algorithm": "live"}}
    yield "notes on the reading", query(reading_notes=READING_NOTES)
    merged = {"kind": "merged", "columns": ["a", "b", "c", "d"], "facts": {"count": "1204", "range": "A2:A5"}}
    later = {"kind": "guessed_<b>", "columns": ["x\u202ey" * 30], "facts": {"why": "later"}}
    bare = {"kind": "rounded", "columns": ["arr_delay"], "facts": {"count": "3"}}
    yield "notes of another version", query(reading_notes=[merged, later, bare, {"kind": "total", "columns": []}])
    yield "rows of a live source", query(used_rows=12, source=live)
    dates = [["2013-01-01T00:00:00.123456", "2013-01-01"], ["13-01-01T00:00", "x"], [None, None]]
    columns = [key_of("hour", "datetime"), metric("day", "date")]
    yield "dates", query(columns=columns, rows=dates)
    truth = [key_of("late", "boolean"), COUNT]
    yield "truth values", query(columns=truth, rows=[["true", "2"], ["false", "1"], [None, "9"]])
    yield "odd names", query(columns=[key_of(text, "string") for text in TEXTS[:12]], rows=[["a"] * 12, ["b"] * 12])
    yield "cut", without(query(rows=AVERAGES, row_count=4_044), "result")
    yield "no rows", query(rows=[], row_count=0)
    yield "rows not kept", signed(stripped(grouped, "result"), key)
    yield "a null that is a dash", query(rows=[["—", None, "1"], [None, "1", "2"]])
    yield from query_details()


def query_details() -> Named:
    """What differs in the details of answered questions."""
    said = "it's = 'a\u202eb'"
    yield "quick", query(latency_ms=0.001)
    yield "notes and an alias", query(notes=["clock: 2013-12-31 18:00", said], decision_path="alias", question=said)
    letters = f"text is compared letter by letter: date, {said}, {'x' * 60}"
    yield "text compared by letters", query(notes=["clock: 2013-12-31 18:00", letters])
    yield "unknown names", query(decision_path="guess", ask="sum `a\nb` from flights")
    yield "bytes", query(source=SOURCE | {"content": {"algorithm": "sha256-file", "sha256": DIGEST, "bytes": 331}})
    yield "pending", query(source=SOURCE | {"content": {"algorithm": "sha256-arrow", "sha256": None}})
    yield "live", query(source=SOURCE | {"content": {"algorithm": "live", "sha256": None, "rows": 5}})
    hidden = {"algorithm": "hidden", "sha256": None, "rows": 5, "fields": ["carrier", "delay"]}
    yield "hidden", query(source=SOURCE | {"content": hidden})
    types = {"carrier": "string", "Z\U0001f600": "int64", "\ufb01": "decimal(12,3)", "": "date"}
    reading = {"types": types, "nulls": ["", "=1", "n/a"], "delimiter": "\t", "encoding": "cp1252"}
    yield "read with options", query(source=SOURCE | {"reading": reading})
    many = {"types": {f"c{n:02}": "string" for n in range(12)}, "nulls": [str(n) for n in range(11)], "sheet": "A b"}
    yield "read with many options", query(source=SOURCE | {"reading": many})
    yield "no content", query(source=SOURCE | {"name": "", "row_count": 1, "content": None})


def computations() -> Named:
    """Computations of every shape of value."""
    key = Key("device")
    yield "money", signed(card("computation"), key)
    yield "arguments not kept", signed(without(card("computation"), "arguments"), key)
    yield "value not kept", without(card("computation"), "value")
    for name, value, unit, about in (
        ("without unit", "0.8413447460685429", "1", ""),
        ("a unit variable", "12", "?u", "mean"),
        ("a long number", "1234567" * 20, "m", "length"),
        ("a text", "=cmd", "1", "a text that begins as a formula does"),
        ("negative zero", "-0.0", "K", "temperature"),
    ):
        yield name, computation(columns=["value", "unit", "about"], rows=[[value, unit, about]])
    record = [["statistic", "-2.1", "1"], ["pvalue", "0.04", "1"], ["method", "=exact", "1"], ["big", "9" * 70, "m"]]
    yield "record", computation(columns=["name", "value", "unit"], rows=record, row_count=4)
    items = [[str(at), str(value)] for at, value in enumerate([1.5, -2.25, 1000000.0, 1e21])]
    yield "items", computation(columns=["item", "value"], rows=items, row_count=4)
    yield "items, cut", computation(columns=["item", "value"], rows=items, row_count=12_345)
    yield (
        "items that are texts",
        computation(columns=["item", "value"], rows=[["0", "NaN"], ["1", "none"]], row_count=2),
    )
    yield "matrix", computation(columns=[], rows=[["1.0", "0.5"], ["0.5", "1.0"]], row_count=2)
    yield "ragged matrix", computation(columns=[], rows=[["1", "2", "3"], ["4"], []], row_count=3)
    yield "no items", computation(columns=["item", "value"], rows=[], row_count=0)
    yield "items not kept", computation(columns=["item", "value"], rows=[], row_count=12_345)
    yield from computation_details()


def computation_details() -> Named:
    """What differs in the details of computations."""
    odd = {"seed": 42, "pinning": "pinned by the portable profile", "thread_count": 2, "libraries": {"scipy": "1.17.1"}}
    seeded = {name: value for name, value in RUN.items() if name != "profile"} | odd
    yield "seeded", computation(determinism=seeded, tier="seeded", promise="The same bits for the same seed.")
    release = RUN | {"runtime_bundle_version": RUN["runtime_bundle_sha256"], "seed": "12345678901234567890"}
    yield "a bundle by its digest", computation(determinism=release)
    yield "formula alone", computation(latex=None, formula="a\nb")
    yield "LaTeX alone", computation(formula=None)
    yield "no formula", computation(formula=None, latex=None)
    yield "LaTeX that is more than mathematics", computation(latex=r"\href{javascript:alert(1)}{x}", formula="x\r\ny\n")
    binding = PARTS["computation"]["view"]["bindings"][0]
    conditions: list[Json] = [
        {"column": "carrier", "op": "eq", "value": "AA"},
        {"column": "dep delay", "op": "between", "values": [-1.5, 20]},
        {"column": "=tail", "op": "starts_with", "value": "N\u202e\n" + "x" * 80},
        {"column": "gone", "op": "is_null"},
        {"column": "day", "op": "gte", "value": "2013-01-01"},
        {"column": "flag", "op": "ne", "value": True},
        {},
    ]
    filtered = {"filter": {"conditions": conditions}, "dropped": 12_345, "row_count": 336_776}
    two = {"parameters": ["x", "y"], "fields": ["dep delay", "=arr"]}
    total, sentinel = ({**note, "facts": {**note["facts"], "source": "s\u202e"}} for note in READING_NOTES[2:4])
    notes = [total, sentinel, READING_NOTES[4], {"kind": "total", "columns": [], "facts": {"source": "t"}}]
    bindings = [binding | filtered, binding | two | {"filter": {"conditions": [{}]}}]
    yield "bindings", computation(bindings=bindings, reading_notes=notes)


def refusals() -> Named:
    """Questions that were not run."""
    key = Key("device")
    yield "clarification", signed(card("clarification"), key)
    yield "rejection", signed(card("rejection"), key)
    slots = ("metric", "group_by", "source_name", "aggregation")
    found = [{"slot": slot, "name": f"n{at}", "type": "", "ask": f"sum a{at}"} for at, slot in enumerate(slots)]
    yield "candidates", card("clarification", candidates=found, missing=["metric", "source_name"], rule="names")
    yield "a question in words", card("clarification", question="Sum of what?", did_you_mean=["=a", "b\u200bc"])
    yield "nothing asked", card("rejection", ask="", question="", rule=None)
    yield "two lines", card("rejection", ask="sum a\n!echo from flights", reason="\u202eno\x00")


def errors() -> Named:
    """Errors."""
    yield "error", card("error")
    yield "error without a hint", signed(card("error", hint=None), Key("device"))
    yield "hostile error", card("error", code="<b>", message="<img src=x onerror=alert(1)>\n\u202e" + TEXTS[4])


def replays() -> Named:
    """Replays: identical, different, refused."""
    view = {
        "status": "identical",
        "subject": "cell 3, output 1",
        "result_id": "query_db654eb9a6944515",
        "question": "Sum of delay by carrier in flights",
        "cause": None,
        "message": "The same plan on the same content gave the same rows.",
        "digest": "result_hash",
        "expected": DIGEST,
        "met": DIGEST,
        "sources": [{"name": "flights", "found": "origin", "sha256": DIGEST, "schema_revision": DIGEST}],
        "changes": [],
        "rows": [],
        "row_count": 0,
    }
    key = Key("device")
    yield "identical", signed(replay(view), key)
    rows = [
        ["row 1, delay", "1.6", "1.6000000000000003", 1],
        ["row 2, delay", None, "-2.25", None],
        ["row 3", "x" * 80, "\u202ey", "12345678901234567890"],
    ]
    changes = [
        {"cause": "content_changed", "what": "content of flights", "expected": "98c4", "met": "11aa"},
        {"cause": "runtime_changed", "what": "numpy", "expected": "2.4.6", "met": "2.5.0"},
    ]
    told = {"status": "differs", "cause": "content_changed", "message": "The content of flights is another now."}
    yield "differs", replay(view | told | {"rows": rows, "row_count": 3, "met": DIGEST[::-1], "changes": changes})
    yield "differs, once", replay(view | told | {"rows": rows[:1], "row_count": 1})
    yield "differs, cut", replay(view | told | {"rows": rows, "row_count": 4_044, "question": ""})
    refused = {"status": "refused", "cause": "source_missing", "message": "flights is not registered.", "met": None}
    yield "refused", replay(view | refused | {"result_id": None, "sources": []})
    yield "refused before it was compared", replay(view | refused | {"expected": None, "digest": None})


def query(**changes: Any) -> Json:
    view = {"source": SOURCE, "columns": [KEY, METRIC, COUNT], "rows": AVERAGES[:2], "engine": "duckdb 2.0.0"} | changes
    return card("query", **({"row_count": len(view["rows"])} | view))


def metric(name: str, type_: str) -> Json:
    return METRIC | {"name": name, "type": type_}


def key_of(name: str, type_: str) -> Json:
    return KEY | {"name": name, "type": type_}


def year() -> Json:
    return key_of("year", "number") | {"physical": "int64"}


def computation(**changes: Any) -> Json:
    return card("computation", **({"bindings": [], "determinism": RUN} | changes))


def replay(view: Json) -> Json:
    made = copy.deepcopy(card("replay"))
    return rehashed(made | {"view": view})


def without(made: Json, *texts: str) -> Json:
    kept = {name: text for name, text in made["canonical"].items() if name not in texts}
    return made | {"canonical": kept}
