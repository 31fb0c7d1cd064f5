"""No text in any slot of a spec or an ask line becomes SQL: it is answered, refused, or a typed error of the caller's.

5,000 generated questions against sources whose columns have hostile names themselves; never an error of the engine,
never an exception of another kind, and the sources stay what they were. Payloads: the OWASP cheat sheets on SQL
injection and on testing for it, DuckDB's own statements, names that the statement of a plan uses.
"""

from __future__ import annotations

import datetime
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.query.conditions import OPS
from service_nb.schema.query import AGGREGATIONS, PERIODS

PAYLOADS = [
    *("'", "''", '"', '""', "`", "``", ";", "--", "/*", "*/", "#", "\\", "\\'", "%", "_", "?", "$1", ":x", "@x"),
    *("' OR '1'='1", "' OR 1=1 --", '" OR "1"="1', "1 OR 1=1", "1' OR '1'='1' /*", "admin'--", "') OR ('1'='1"),
    *("'; DROP TABLE data; --", '"; DROP TABLE data; --', "1; DROP VIEW data", "x'); DELETE FROM data; --"),
    *("' UNION SELECT NULL, NULL --", "' UNION ALL SELECT * FROM duckdb_settings() --", "1 UNION SELECT 1"),
    *("'; ATTACH 'x.db' AS y; --", "'; COPY data TO 'stolen.csv'; --", "'; INSTALL httpfs; LOAD httpfs; --"),
    *("read_text('/etc/passwd')", "' || (SELECT content FROM read_text('/etc/passwd')) || '", "glob('/*')"),
    *("(SELECT 1)", "count(*)", "sum(x)", "CAST(x AS INT)", "x AS y", "x, y", "x/**/y", "data.*", "*", "k0", "m", "s0"),
    *("rowid", "data", "input", "c0", "c1", "main.data", "information_schema.tables", "sleep(10)", "pg_sleep(10)"),
    *("1e400", "NaN", "Infinity", "-0", "0x41", "1_000", "٣", "1,5", "TRUE", "null", "None", "default", "current_date"),
    *("\x00", "a\x00b", "\n", "\r\n", "\t", "\u2028", "\u202e", "\ufeff", "\ud800", "\U0001f600", "e\u0301", "İ", "ﬀ"),
    *("{{7*7}}", "${jndi:ldap://x}", "%s%s%s%n", "<script>alert(1)</script>", "=1+1", "../../etc/passwd", "a" * 2_000),
    *("SELECT", "from", "where", "group by", "limit 5; select", "order", "and", "or 1=1", "sum", "in", "between"),
]
COLUMNS = [
    "amount",
    "region",
    "when",
    "day",
    "flag",
    "price",
    "data",
    "m",
    "k0",
    'x"; DROP TABLE data; --',
    "select",
    "Amount",
]
EXPECTED = {"ok", "needs_clarification", "rejected", "invalid_intent", "limit_exceeded"}


def table(rows: int) -> pa.Table:
    rng = random.Random(rows)
    start = datetime.datetime.fromisoformat("2024-01-01")
    return pa.table(
        {
            "amount": [rng.choice([None, rng.uniform(-1e9, 1e9), float("nan")]) for _ in range(rows)],
            "region": [rng.choice(["north", "o'hara", "%", None, "' OR '1'='1"]) for _ in range(rows)],
            "when": [start + datetime.timedelta(hours=rng.randrange(9_000)) for _ in range(rows)],
            "day": [start.date() + datetime.timedelta(days=rng.randrange(400)) for _ in range(rows)],
            "flag": [rng.choice([True, False, None]) for _ in range(rows)],
            "price": [Decimal(rng.randrange(-(10**6), 10**6)) / 100 for _ in range(rows)],
            **{name: [rng.randrange(5) for _ in range(rows)] for name in COLUMNS[6:]},
        }
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("injection")
    made = service_nb.create_service(timeout=60, project=folder)
    made.connect(table(40), name="small")
    made.connect(table(2_500), name="large; drop table data")
    # Parquet refuses names that differ by case alone.
    pq.write_table(table(300).drop_columns(["Amount"]), folder / "file.parquet")
    made.connect(folder / "file.parquet", name="file")
    yield made
    made.close()


# --- questions --------------------------------------------------------------------------------------------------------


def hostile(rng: random.Random) -> str:
    text = rng.choice(PAYLOADS)
    return text if rng.random() < 0.7 else text + rng.choice(PAYLOADS)


FITTING: dict[str, Callable[[random.Random], Any]] = {
    "amount": lambda rng: rng.uniform(-1e9, 1e9),
    "region": lambda rng: rng.choice(["north", "o'hara", "%", *PAYLOADS[:40]]),
    "when": lambda rng: datetime.datetime.fromisoformat("2024-05-01T10:00") + datetime.timedelta(rng.randrange(99)),
    "day": lambda rng: datetime.date(2024, rng.randrange(1, 13), 1),
    "flag": lambda rng: rng.choice([True, False]),
    "price": lambda rng: Decimal(rng.randrange(10**6)) / 1000,
}


def fitting(rng: random.Random, column: Any) -> Any:
    """A value of the column's own type, most of the time."""
    return FITTING.get(column, lambda rng: rng.randrange(-5, 5))(rng) if rng.random() < 0.85 else value(rng)


def name(rng: random.Random, columns: list[str]) -> Any:
    return rng.choice(columns) if rng.random() < 0.93 else hostile(rng)


def value(rng: random.Random) -> Any:
    return rng.choice(
        [
            lambda: hostile(rng),
            lambda: rng.choice(["north", "o'hara", "%", "2024-02-30", "2024-03-01", "2024-03-01T12:00", "12.50"]),
            lambda: rng.randrange(-5, 5),
            lambda: rng.choice([0.1, -0.0, 1e308, 5e-324, 2**63, -(2**63), 2**70, 10**30]),
            lambda: Decimal(rng.randrange(10**6)) / 1000,
            lambda: rng.choice([True, False]),
            lambda: rng.choice([10**5_000, Decimal("1e5000"), Decimal("1e-5000"), Decimal("NaN"), "1e5000"]),
            lambda: rng.choice(["9999-12-31", "0001-01-01T00:00:00+14:00", "2024-01-01T00:00:00.123456789"]),
            lambda: datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=14))),
            lambda: datetime.date(2024, rng.randrange(1, 13), 1),
            lambda: datetime.datetime.fromisoformat("2024-05-01T10:00") + datetime.timedelta(minutes=rng.randrange(99)),
        ]
    )()


def odd(rng: random.Random) -> Any:
    return rng.choice(
        [None, [], {}, "", 0, -1, 1.5, float("nan"), b"bytes", object(), {1, 2}, [[1]], [None], {"a": 1}, 10**5_000]
    )


def condition(rng: random.Random, columns: list[str]) -> Any:
    op = rng.choice(OPS) if rng.random() < 0.95 else hostile(rng)
    column = "region" if op in ("contains", "starts_with") else name(rng, columns)
    made: dict[str, Any] = {"column": column, "op": op}
    if op in ("in", "not_in"):
        made["values"] = [fitting(rng, column) for _ in range(rng.randrange(1, 4))]
    elif op == "between":
        made["values"] = [fitting(rng, column), fitting(rng, column)]
    elif op not in ("is_null", "is_not_null"):
        made["value"] = fitting(rng, column)
    return made


def spec(rng: random.Random, columns: list[str], sources: list[str]) -> Any:
    made: dict[str, Any] = {
        "aggregation": rng.choice(AGGREGATIONS) if rng.random() < 0.95 else hostile(rng),
        "source_name": rng.choice(sources) if rng.random() < 0.95 else hostile(rng),
    }
    if made["aggregation"] != "count" or rng.random() < 0.5:
        made["metric"] = name(rng, columns)
    if rng.random() < 0.6:
        made["group_by"] = [name(rng, columns) for _ in range(rng.randrange(1, 3))]
    if rng.random() < 0.7:
        made["filter"] = {"conditions": [condition(rng, columns) for _ in range(rng.randrange(1, 3))]}
        if rng.random() < 0.2:
            made["filter"]["time_filter"] = {"column": name(rng, columns), "period": rng.choice(PERIODS)}
    if rng.random() < 0.3:
        made["order"] = rng.choice(["asc", "desc", "asc", "desc", "asc", hostile(rng)])
    if rng.random() < 0.3:
        made["limit"] = rng.choice([1, 3, 10, 100, 10**9, -1, hostile(rng)])
    if rng.random() < 0.06:
        made[rng.choice([*made, hostile(rng)])] = odd(rng)
    return made


def line(rng: random.Random, columns: list[str], sources: list[str]) -> str:
    def word(text: str) -> str:
        quoted = "`" + text.replace("`", "``") + "`"
        return quoted if rng.random() < 0.8 else rng.choice([text, f'"{text}"'])

    def literal(column: str) -> str:
        found = fitting(rng, column)
        if isinstance(found, int) and abs(found) > 10**4_000:
            return hostile(rng)
        if isinstance(found, str) and rng.random() < 0.9:
            return "'" + found.replace("'", "''") + "'"
        return rng.choice([str(found), str(found), f'"{found}"'])

    parts = [hostile(rng) if rng.random() < 0.05 else rng.choice(AGGREGATIONS), word(name(rng, columns))]
    if rng.random() < 0.6:
        parts += ["by", word(name(rng, columns))]
    parts += ["from", word(hostile(rng) if rng.random() < 0.05 else rng.choice(sources))]
    if rng.random() < 0.7:
        column = name(rng, columns)
        op = rng.choice(["=", "!=", "<", ">=", "<=", hostile(rng)])
        parts += ["where", word(column), op, literal(column)]
    if rng.random() < 0.3:
        parts += ["limit", rng.choice(["3", "5", hostile(rng)])]
    return " ".join(parts)


Generator = Callable[[random.Random, list[str], list[str]], Any]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))])
@pytest.mark.parametrize(("generate", "count"), [(spec, 440), (line, 185)], ids=["spec", "line"])
def test_generated_questions_are_answered_or_refused(
    generate: Generator, count: int, part: int, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = ["small", "large; drop table data", "file"]
    rng = random.Random(f"{generate.__name__} {part}")
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        outcomes[outcome_of(service, generate(rng, COLUMNS, sources))] += 1
    assert set(outcomes) <= EXPECTED, outcomes
    assert outcomes["ok"] > count // 5
    with capsys.disabled():
        print(f"\n{count} generated questions: {dict(outcomes)}")


def outcome_of(service: Service, question: Any) -> str:
    try:
        outcome = service.ask(question)
    except ServiceError as error:
        json.dumps(error.to_dict())
        return error.code
    json.dumps(outcome)
    card = json.loads(json.dumps(outcome.card))
    if outcome["status"] == "ok":
        data, plan = outcome["data"], json.loads(json.dumps(outcome["resolution"]["plan"]))
        assert service.query_with_metadata(plan)["result_hash"] == data["result_hash"]
        assert service.resolve(card["view"]["ask"])["plan_hash"] == data["plan_hash"]
    return str(outcome["status"])


# --- every payload in every slot --------------------------------------------------------------------------------------


def slots(text: str) -> dict[str, Any]:
    base = {"aggregation": "sum", "metric": "amount", "source_name": "small"}

    def where(**parts: Any) -> dict[str, Any]:
        return base | {"filter": {"conditions": [{"column": "region", "op": "eq", "value": "x"} | parts]}}

    return {
        "metric": base | {"metric": text},
        "aggregation": base | {"aggregation": text},
        "group_by": base | {"group_by": text},
        "a second group_by": base | {"group_by": ["region", text]},
        "order": base | {"order": text},
        "limit": base | {"limit": text},
        "source_name": base | {"source_name": text},
        "column": where(column=text),
        "op": where(op=text),
        "value": where(value=text),
        "value of a number": where(column="amount", value=text),
        "value of a date": where(column="day", value=text),
        "values": where(op="in", value=None, values=[text, "north"]),
        "contains": where(op="contains", value=text),
        "period": base | {"filter": {"time_filter": {"column": "day", "period": text}}},
        "time_filter column": base | {"filter": {"time_filter": {"column": text, "period": "this_year"}}},
        "a key": base | {text: "x"},
        "a key of a filter": base | {"filter": {text: []}},
        "the line": text,
        "the line's metric": f"sum {text} from small",
        "the line's value": f"count from small where region = '{text}'",
        "the line's name": f"count by `{text}` from small",
        "the line's end": f"count from small {text}",
    }


@pytest.mark.parametrize("slot", slots(""))
def test_a_payload_in_any_slot_is_answered_or_refused(slot: str, service: Service) -> None:
    for payload in PAYLOADS:
        assert outcome_of(service, slots(payload)[slot]) in EXPECTED, payload


@pytest.mark.parametrize("source", ["small", "large; drop table data", "file"])
def test_a_value_that_looks_like_sql_is_compared_as_text(source: str, service: Service) -> None:
    rows = {"small": 40, "file": 300}.get(source, 2_500)
    expected = table(rows)["region"].to_pylist().count("' OR '1'='1")
    outcome = service.ask(
        {
            "aggregation": "count",
            "source_name": source,
            "filter": {"conditions": [{"column": "region", "op": "eq", "value": "' OR '1'='1"}]},
        }
    )
    assert outcome.rows == [{"count": expected}]


def test_the_sources_are_what_they_were(service: Service, tmp_path: Path) -> None:
    for payload in PAYLOADS:
        for question in slots(payload).values():
            outcome_of(service, question)
    for source, rows in (("small", 40), ("large; drop table data", 2_500), ("file", 300)):
        assert service.ask({"aggregation": "count", "source_name": source}).rows == [{"count": rows}]
        assert not list(Path.cwd().glob("stolen.csv"))


def test_names_too_long_to_be_names_are_refused(service: Service) -> None:
    with pytest.raises(LimitExceededError):
        service.connect(pa.table({"a" * 10_000: [1]}), name="long")
    for question in (
        {"aggregation": "sum", "metric": "a" * 10_000},
        {"aggregation": "count", "group_by": "a" * 10_000},
    ):
        with pytest.raises((InvalidIntentError, LimitExceededError)):
            service.ask(question)
