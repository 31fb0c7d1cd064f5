"""What Python's readers and planner refuse is refused by the TypeScript client too: the same code, or it is stricter.

The corpora are those of the tests beside this one, and the same inputs with bytes and members changed. Nothing crashes,
nothing hangs, no prototype changes (the adapter looks after each request), and memory stays bounded.
"""

from __future__ import annotations

import base64
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from conformance.__main__ import PYTHON_CLIENT, find_typescript_client
from conformance.draw import NAMES, ODD, POLICIES
from conformance.process import Adapter
from tests.security import test_broken_json, test_broken_text, test_descriptors_as_data, test_sqlite_probes
from tests.security.test_read_only_sqlite import HOSTILE
from tests.unit.query import test_spec

Request = dict[str, Any]
MOST_MEGABYTES = 1_024
SECONDS = 60
STATED = ("delimiter", "encoding", "types")
# Codes of Python's client, and what the other one says instead: of an encoding that there is not, of another provider.
ALIKE = {("source_malformed", "invalid_intent"), ("invalid_intent", "unsupported_source")}


def list_files() -> Iterator[Request]:
    for content, _, _ in test_broken_text.FILES.values():
        yield connect("csv", content)
    for kind, text in test_broken_text.CELLS:
        fitting = test_broken_text.FITTING[kind]
        yield connect("csv", f'a,b\n1,{fitting}\n2,"{text}"\n3,{fitting}\n'.encode(), types={"b": kind})
    for options, _, _ in test_broken_text.OPTIONS.values():
        given = {name: getattr(options, name) for name in STATED if getattr(options, name)}
        if given:
            yield connect("csv", "region,amount\nöst,1\nnorth,2\n".encode(), **given)
    for content, _, _ in test_broken_json.DOCUMENTS.values():
        yield connect("json", content)
    for cut in range(1, len(test_broken_json.GOOD)):
        yield connect("json", test_broken_json.GOOD[:-cut])
    for content, _, _ in test_broken_json.LINES.values():
        yield connect("ndjson", content)


def list_damaged() -> Iterator[Request]:
    """Sound files with bytes changed, left out and put in."""
    draw = random.Random(17)
    text = 'region,amount,"a ""b"""\nnörd,1.5,2024-01-31\n"s,o",-2,"x\ny"\n,,\n'.encode()
    document = b'[{"a": 1.5, "b": "x", "c": [1, {"d": null}]}, {"a": 12345678901234567890, "b": "\\u00e9"}]'
    pieces = (b"", b"\xff", b"\0", b'"', b"{", b"e", b"\\u", b"\n")
    for format_, sound in (("csv", text), ("json", document), ("ndjson", test_broken_json.GOOD[1:-1])):
        for _ in range(150):
            data = bytearray(sound)
            for _ in range(draw.choice((1, 1, 2, 5))):
                at = draw.randrange(len(data))
                data[at : at + draw.choice((0, 1, 1, 3))] = draw.choice(pieces)
            yield connect(format_, bytes(data))


def list_objects() -> Iterator[Request]:
    for source, _, _ in test_broken_json.INPUTS.values():
        if is_json(source) and source is not None:
            yield {"verb": "connect", "name": "t", "format": "rows", "rows": source}
    for meant in (*test_descriptors_as_data.MEANT.values(), *test_descriptors_as_data.STRINGS):
        if is_json(meant):
            yield {"verb": "connect", "name": "t", "format": "rows", "rows": meant}
    for odd in ODD:
        if odd is not None:
            yield {"verb": "connect", "name": "t", "format": "rows", "rows": [{"a": odd, "__proto__": odd}]}
            yield {"verb": "connect", "name": "t", "format": "rows", "rows": {"records": odd}}
    for name in NAMES:
        yield {"verb": "connect", "name": "t", "format": "rows", "rows": [{name: 1}]}
        yield {"verb": "connect", "name": name, "format": "csv", "text": "a\n1\n"}
        yield {"verb": "connect", "name": "t", "format": "csv", "text": "a\n1\n", "options": {name: 1}}
        yield {"verb": "connect", "name": "t", "format": "csv", "text": "a\n1\n", "options": {"aliases": {name: "a"}}}


def list_databases() -> Iterator[Request]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(at, "x" * at) for at in range(60)])
    connection.commit()
    sound = connection.serialize()
    connection.close()
    statements = [*test_sqlite_probes.PROBES.values(), *test_sqlite_probes.STATEMENTS, *HOSTILE]
    for statement in statements:
        if "RECURSIVE" in statement:
            continue  # these end after seconds, in either client: test_sqlite_probes.py has them
        yield connect("sqlite", sound) | {"query": statement}
    for name in ("no", "sqlite_master", "t; DROP TABLE t", 't" UNION SELECT * FROM "t', "", "T"):
        yield connect("sqlite", sound) | {"table": name}
    for content in test_sqlite_probes.CONTENTS.values():
        yield connect("sqlite", content) | {"table": "t"}
    draw = random.Random(18)
    for _ in range(100):
        data = bytearray(sound)
        for _ in range(20):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        yield connect("sqlite", bytes(data)) | {"table": "t"}


def list_questions() -> Iterator[Request]:
    for raw, _ in (*test_spec.WRONG, *test_spec.TOO_MUCH):
        if is_json(raw):
            yield {"verb": "ask", "question": raw}
            yield {"verb": "query", "plan": {"version": 1, **raw} if isinstance(raw, dict) else raw}
    sound = {"aggregation": "sum", "metric": "a", "group_by": ["b"], "filter": {"conditions": [test_spec.CONDITION]}}
    for odd in ODD:
        others = ("having", "measures", "order", "order_by", "limit", "source_name", "__proto__", "constructor")
        for key in (*sound, *others):
            yield {"verb": "ask", "question": {**sound, key: odd}}
        yield {"verb": "ask", "question": "sum a where b = $year", "variables": {"year": odd}}
        yield {"verb": "ask", "question": sound, "variables": odd}
        yield {"verb": "check", "card": odd}


def list_policies() -> Iterator[Request]:
    keys = ("allowed_sources", "allowed_fields", "allowed_functions", "allowedSources", "allowed_source", "__proto__")
    for odd in (*ODD, *POLICIES):
        yield {"verb": "open", "policy": odd}
        for key in keys:
            yield {"verb": "open", "policy": {key: odd}}
            yield {"verb": "open", "policy": {key: [odd]}}
            yield {"verb": "open", "policy": {key: {"sales": odd}}}


def connect(format_: str, content: bytes, **options: Any) -> Request:
    data = base64.b64encode(content).decode()
    return {"verb": "connect", "name": "t", "format": format_, "data": data, "options": options}


def is_json(value: object) -> bool:
    """Tell whether JSON has the value as it is: no types of Python alone, and no depth that its writer cannot reach."""
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


CORPORA: dict[str, tuple[Callable[[], Iterator[Request]], int]] = {
    "files": (list_files, 400),
    "damaged": (list_damaged, 450),
    "objects": (list_objects, 280),
    "databases": (list_databases, 300),
    "questions": (list_questions, 600),
    "policies": (list_policies, 500),
}


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)], ids=["a sample", "all"])
@pytest.mark.parametrize("name", CORPORA)
def test_what_python_refuses_is_refused(name: str, step: int, record_property: Callable[[str, object], None]) -> None:
    build, least = CORPORA[name]
    with Adapter(PYTHON_CLIENT, SECONDS) as first, Adapter(find_typescript_client(), SECONDS) as second:
        wrong = []
        counts: Counter[str] = Counter()
        for request in islice(build(), 0, None, step):
            ends = [describe_end(adapter, request) for adapter in (first, second)]
            counts[ends[0]] += 1
            if not is_alike(*ends):
                wrong.append((ends, json.dumps(request)[:300]))
        assert not wrong, f"{len(wrong)}: {wrong[:10]}"
        assert counts.total() >= least // step, counts
        assert second.peak_megabytes < MOST_MEGABYTES
    record_property("bad_inputs", counts.total() - counts["ok"])


def describe_end(adapter: Adapter, request: Request) -> str:
    if request["verb"] == "connect":
        adapter.ask({"verb": "open"})
    answer = adapter.ask(request)
    if "crash" in answer:
        return f"crash: {answer['crash']}"
    return str(answer["error"]["code"]) if "error" in answer else str(answer.get("status", "ok"))


def is_alike(first: str, second: str) -> bool:
    """Tell whether the second client ended as the first did, or more strictly."""
    if "crash" in first or "crash" in second:
        return False
    is_stricter = first == "ok" and second not in ("rejected", "needs_clarification")
    return first == second or is_stricter or (first, second) in ALIKE
