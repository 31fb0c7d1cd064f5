"""Cases from a seed: files, objects, databases, questions, lines, policies, plans; sound ones, and slips."""

from __future__ import annotations

import base64
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from conformance.draw_files import File, Maker, TableMaker
from conformance.draw_questions import Questions
from conformance.process import INFINITE
from conformance.run import Case
from service_nb.cards.page_blocks import write_literal
from service_nb.core.words import write_name

Request = dict[str, Any]
CONTRACT = Path(__file__).resolve().parents[1] / "kernels" / "service_nb_kernels" / "contract.json"
OPEN: Request = {"verb": "open"}
LEAP_DAY = "2024-02-29T23:59:59+00:00"
SALES = {
    "region": "string",
    "city": "string",
    "Order Date": "date",
    "shipped_at": "datetime",
    "revenue": "float64",
    "price": "decimal(12,2)",
    "units": "int64",
    "is_paid": "boolean",
    "count": "int64",
    "straße": "string",
    "x": "float64",
    "X": "float64",
}
COSTS = {
    "region": "string",
    "cost": "float64",
    "order_date_month": "string",
    "order_date": "date",
    "unit_price": "float64",
}
ROWS = {
    "string": ("North", "South", "paid"),
    "date": ("2013-01-31", "2024-02-29", ""),
    "datetime": ("2013-01-31T10:00:00", "2024-02-29T23:59:59.5", ""),
    "float64": ("1.5", "-3.25", "1e21"),
    "decimal(12,2)": ("12.50", "0.10", ""),
    "int64": ("2", "-7", "9007199254740993"),
    "boolean": ("true", "false", ""),
}
POLICIES: tuple[Any, ...] = (
    {"allowed_sources": ["sales"]},
    {"allowed_sources": []},
    {"allowed_sources": ["sales", "costs"], "allowed_fields": {"sales": ["region", "revenue", "Order Date", "units"]}},
    {"allowed_fields": {"sales": ["region", "revenue"], "costs": []}},
    {"allowed_fields": {"sales": ["city", "no_such_column"], "nobody": ["a"]}},
    {"allowed_functions": []},
)
# Names that some language takes for something else, or that read like another.
NAMES = (
    *("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "length", "__class__"),
    *(
        "",
        " ",
        "a b",
        "é",
        "e\u0301",
        "ﬁ",
        "ß",
        "SS",
        "İ",
        "ı",
        "K",
        "\u202eabc",
        "a\u200bb",
        "x\u200dy",
        "\ufeffa",
        "\xa0",
    ),
    *("sum", "by", "null", "1", "0x", "-1", "a.b", "a[0]", "a'b", 'a"b', "a`b", "a\\b", "a\nb", "a\0b", "$year", "😀"),
    *("n" * 1_024, "n" * 1_025, "Ω", "\u2126", "名前", "\ud83d", "count", "amount", "Amount", "value"),
)
NUMBERS = (
    *(
        0,
        -0.0,
        1,
        -1,
        2.0,
        1.0,
        0.1,
        -0.5,
        1e15,
        1e16,
        1e21,
        1e22,
        123456789012345680.0,
        5e-324,
        1.7976931348623157e308,
    ),
    *(2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**25, 10**38, 10**39),
    *(10**308, 10**309, 10**400, 0.30000000000000004, 1e-7, 1e-6, 100.0, 9007199254740993.0, 4503599627370497.5),
)
ODD: tuple[Any, ...] = (
    *(None, "", " ", True, False, [], {}, [[]], [None], {"a": None}, {"variable": "year"}, {"variable": ""}),
    *(
        "sum",
        "__proto__",
        "constructor",
        "\ud800",
        "e\u0301",
        "\u202e",
        "x" * 70,
        "x" * 10_000,
        INFINITE,
        [1, 2],
        [[1]],
    ),
    *({"__proto__": 1}, {"constructor": {"prototype": 1}}, {"toString": "x"}, {"length": 3}, {"then": 1}),
)


class Drawing:
    """Draws cases; the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._files = Maker(self._draw.randrange(2**32))
        self._tables = TableMaker(self._draw.randrange(2**32))
        self._questions = Questions(self._draw)
        self._kinds: tuple[tuple[int, Callable[[], list[Request]]], ...] = (
            (25, self._draw_file),
            (6, self._draw_document),
            (4, self._draw_database),
            (6, self._draw_rows),
            (20, self._draw_answers),
            (20, self._draw_world),
            (8, self._draw_lines),
            (8, self._draw_edges),
            (3, self._draw_policy),
            (4, self._draw_calls),
        )

    def list_cases(self, count: int) -> Iterator[Case]:
        """Yield so many cases."""
        weights = [weight for weight, _ in self._kinds]
        for at in range(count):
            _, build = self._draw.choices(self._kinds, weights)[0]
            yield Case(f"{at} ({build.__name__.removeprefix('_draw_')})", tuple(build()))

    def list_computations(self, count: int) -> Iterator[Case]:
        """Yield so many cases of calls and searches, malformed ones among them."""
        for at in range(count):
            yield Case(f"{at} (calls)", tuple(self._draw_calls()))

    def _pick(self, choices: Any) -> Any:
        return self._draw.choice(choices)

    # --- what is read -------------------------------------------------------------------------------------------------

    def _draw_file(self) -> list[Request]:
        return self._read_file(self._files.make_delimited())

    def _draw_document(self) -> list[Request]:
        file = self._files.make_document()
        options = self._files.choose_options(["b", "1", "a"]) if self._draw.random() < 0.2 else {}
        file = File(self._pick(("json", "json", "ndjson")), file.data, options)
        if file.format == "ndjson":
            file = File("ndjson", self._write_lines(file.data), options)
        return self._read_file(file)

    @staticmethod
    def _write_lines(document: bytes) -> bytes:
        try:
            rows = json.loads(document)
        except ValueError:
            return document
        return b"".join(json.dumps(row).encode() + b"\n" for row in (rows if isinstance(rows, list) else [rows]))

    def _read_file(self, file: File) -> list[Request]:
        data = base64.b64encode(file.data).decode()
        connect = {"verb": "connect", "name": "t", "format": file.format, "data": data, "options": file.options}
        return [OPEN, connect, *self._count_values(_list_names(file))]

    def _count_values(self, names: list[str]) -> list[Request]:
        """Return questions in whose answers all values stand: rows by all their columns together, and by each."""
        together: list[Request] = [{"aggregation": "count", "group_by": names, "source_name": "t"}] if names else []
        alone = [
            {"aggregation": self._pick(("min", "max", "sum", "count_distinct")), "metric": name} for name in names[:3]
        ]
        return [{"verb": "ask", "question": each} for each in (*together, *alone)]

    def _draw_database(self) -> list[Request]:
        kinds: tuple[tuple[Any, ...], ...] = (
            (1, 2, -3, 2**53 + 1, -(2**63)),
            (1.5, -0.0, 2.0, 5e-324, 1e300),
            ("North", "ü", "", "a\0b", "2024-01-31"),
            ("2024-01-31", "1999-12-31"),
            (1, "a", 1.5),
            (b"bytes", 1),
        )
        columns = [
            self._pick(kinds if self._draw.random() < 0.2 else kinds[:4]) for _ in range(self._draw.randint(1, 3))
        ]
        rows = [
            tuple(None if self._draw.random() < 0.1 else self._pick(column) for column in columns)
            for _ in range(self._pick((0, 1, 3, 30)))
        ]
        names = [self._pick(("a", "b b", "ü", 'c"d', "__proto__")) + str(at) for at in range(len(columns))]
        data = base64.b64encode(_write_database(names, rows)).decode()
        table = self._pick(("t", "t", "t", "v", "T", "no", "sqlite_master", 't"; DROP TABLE t; --'))
        connect = {"verb": "connect", "name": "t", "format": "sqlite", "data": data, "table": table}
        return [OPEN, connect, *self._count_values(names)]

    def _draw_rows(self) -> list[Request]:
        names = [f"{self._pick(NAMES[:20])}_{at}" for at in range(self._draw.randint(1, 3))]
        kinds: tuple[tuple[Any, ...], ...] = (
            (1, 2, -3, 2**53 + 1),
            (1.5, -0.25, 5e-324, 1e300),
            ("North", "ü", "", "007"),
            ("2024-01-31", "1999-12-31", "2024-02-30"),
            (True, False),
            (1, "a", 1.5, True, [1, "x"], {"b": 2, "a": None}),
            ODD,
        )
        pools = [self._pick(kinds if self._draw.random() < 0.3 else kinds[:5]) for _ in names]
        rows: Any = [
            {name: self._pick(pool) for name, pool in zip(names, pools, strict=True) if self._draw.random() < 0.95}
            for _ in range(self._pick((0, 1, 3, 30)))
        ]
        if self._draw.random() < 0.3:
            no_path = [each for each in ODD if each is not None and not isinstance(each, str)]
            rows = self._pick(({"records": rows}, {name: [row.get(name) for row in rows] for name in names}, *no_path))
        return [OPEN, {"verb": "connect", "name": "t", "format": "rows", "rows": rows}, *self._count_values(names)]

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _draw_answers(self) -> list[Request]:
        text = self._tables.make_table().decode()
        requests: list[Request] = [OPEN, {"verb": "connect", "name": "table", "format": "csv", "text": text}]
        for _ in range(6):
            question = self._tables.make_question()
            requests += [{"verb": "ask", "question": question}]
            if self._draw.random() < 0.3:
                requests += self._use_plan(question)
        return requests

    def _use_plan(self, question: Any) -> list[Request]:
        """Return requests that resolve a question, and run, check or alter its plan."""
        change = self._pick(
            (
                *({"limit": 1}, {"order": "asc"}, {"order": "up"}, {"aggregation": "max"}, {"plan_hash": "0" * 64}),
                *(
                    {"version": 2},
                    {"source_name": "other"},
                    {"schema_revision": "0" * 64},
                    {"notes": {"a": 1}},
                    {"x": 1},
                ),
                *({"decision_path": "guess"}, {"metric": "__proto__"}, {"filter": {"conditions": []}}, {"limit": 1.0}),
                *({key: self._pick(ODD)} for key in ("version", "measures", "group_by", "having", "limit", "notes")),
            )
        )
        verb = self._pick(("query", "verify"))
        return [
            {"verb": "resolve", "question": question},
            {"verb": "query", "plan_of": "resolve"},
            {"verb": "verify", "plan_of": "resolve"},
            {
                "verb": verb,
                "plan_of": "resolve",
                "change": change,
                "without": self._pick(([], [], ["plan_hash"], ["order"])),
            },
        ]

    def _draw_world(self) -> list[Request]:
        given = self._pick((None, None, None, POLICIES[2], *POLICIES))
        requests = [{"verb": "open", "clock": LEAP_DAY} | ({"policy": given} if given else {})]
        tables = self._pick(((("sales", SALES), ("costs", COSTS)), (("sales", SALES),), ()))
        requests += [_connect_table(name, columns) for name, columns in tables]
        for asked in self._questions.list_questions(["any"], 6):
            variables = {"variables": asked["variables"]} if asked["variables"] is not None else {}
            verb = self._pick(("resolve", "ask"))
            requests.append({"verb": verb, "question": asked["question"], **variables})
        requests += [{"verb": "resolve", "question": self._questions.build_other_words()} for _ in range(3)]
        return requests

    def _draw_lines(self) -> list[Request]:
        return [OPEN, *({"verb": "parse", "line": line} for line in self._questions.list_lines(10) if line)]

    def _draw_edges(self) -> list[Request]:
        """Return questions with values and names at the edges, to a table whose names are some of these."""
        names = list(dict.fromkeys(f"{self._pick(NAMES)}" for _ in range(3)))
        sound = [name for name in names if name.strip() and name.isprintable() and len(name) < 1_000]
        columns = dict(
            zip(
                [*sound, "n", "d", "f", "s", "b"],
                ["string"] * len(sound) + list(ROWS)[3:6] + ["string", "boolean"],
                strict=True,
            )
        )
        requests = [OPEN, _connect_table("t", columns)]
        for _ in range(6):
            question = self._build_odd_question([*names, *columns])
            verb = self._pick(("ask", "resolve", "ask"))
            variables = {"variables": {"year": self._pick((*NUMBERS, *ODD))}} if self._draw.random() < 0.3 else {}
            requests.append({"verb": verb, "question": question, **variables})
        return requests

    def _build_odd_question(self, names: list[str]) -> Any:
        def pick_value() -> Any:
            return self._pick(NUMBERS) if self._draw.random() < 0.7 else self._pick(ODD)

        question: dict[str, Any] = {
            "aggregation": self._pick(("sum", "count", "max", "avg", "percentile", "median", "mode", "__proto__")),
            "metric": self._pick(names),
        }
        if question["aggregation"] == "percentile":
            question["percent"] = pick_value()
        op = self._pick(("eq", "gt", "in", "between", "contains", "starts_with", "ne", "constructor"))
        operand = {"values": [pick_value(), pick_value()]} if op in ("in", "between") else {"value": pick_value()}
        condition = {"column": self._pick(names), "op": op, **operand}
        extras: tuple[dict[str, Any], ...] = (
            {"filter": {"conditions": [condition]}},
            {"filter": {"conditions": [condition]}},
            {"group_by": [{"column": self._pick(names), "width": pick_value()}]},
            {"group_by": [{"column": self._pick(names), "unit": self._pick(("month", "toString", "Month"))}]},
            {"group_by": self._draw.choices(names, k=2)},
            {"having": {"conditions": [{"aggregation": "count", "op": "gt", "value": pick_value()}]}},
            {"limit": pick_value()},
            {"order_by": self._pick(names)},
            {self._pick(NAMES): pick_value()},
        )
        for extra in self._draw.sample(extras, self._pick((1, 1, 2))):
            question |= extra
        depth = self._pick((0, 0, 0, 0, 3, 5, 70))
        if depth and "filter" in question:
            question["filter"] = {"conditions": [_nest(condition, depth)]}
        if self._draw.random() < 0.15:
            question[self._pick(list(question))] = pick_value()
        return question if self._draw.random() < 0.97 else pick_value()

    def _draw_calls(self) -> list[Request]:
        """Return calls of capabilities, of which some are malformed, and searches for capabilities."""
        requests = [OPEN, _connect_table("sales", SALES)]
        for _ in range(6):
            entry = self._pick(_read_capabilities())
            name = f"{entry['module']}.{entry['function']}"
            call = _build_call(entry)
            if self._draw.random() < 0.3:
                key = self._pick(("args", "kwargs", "seed", "bindings", "more", "module"))
                call[key] = self._pick((*NUMBERS[:13], *ODD))
            requests.append({"verb": "compute", "call": call})
            requests.append({"verb": "compute", "call": self._write_line(entry)})
            words = name.replace(".", " ").replace("_", " ")
            query = self._pick((name, words, words[:-2], words[::2], self._pick(NAMES)))
            requests.append({"verb": "search", "query": query, "limit": self._pick((1, 5, 10))})
        field = self._pick(("revenue", "price", "units", "region", "revenu", "Order Date"))
        bound = {"parameter": "values", "source": "sales", "field": field, "null_policy": self._pick(("drop", "keep"))}
        function = self._pick(("mean", "median", "stdev", "sum"))
        call = {"module": "stats", "function": function, "bindings": [bound]}
        condition = self._pick(
            ("", " where units > 1", " where region = 'north' or price < 2", " where cost > 1", " where")
        )
        line = f"stats.{function} values=sales.{write_name(field)}{condition}"
        pair = self._write_pair(field, condition)
        over = self._pick(("region", "units", "Order Date", "price", "nothing"))
        return [
            *requests,
            {"verb": "compute", "call": call},
            {"verb": "compute", "call": line},
            {"verb": "compute", "call": pair},
            {"verb": "compute", "call": self._pick((line, call, pair)), "over": over},
        ]

    def _write_pair(self, field: str, condition: str) -> str:
        """Write a line of two columns: two samples, or pairs, each with a condition of its own or not."""
        name, first, second = self._pick(
            (
                ("hypothesis.t_test_welch", "first", "second"),
                ("information_theory.wasserstein_distance", "first", "second"),
                ("stats.correlation", "x", "y"),
                ("metrics.mean_absolute_error", "actual", "predicted"),
            )
        )
        selections = ("", "", "[region = 'north']", "[units > 1]", "[region != 'north' or price < 2]", "[cost", "[]")
        other = self._pick((field, "revenue", "price", "units"))
        columns = [f"sales.{write_name(each)}{self._pick(selections)}" for each in (field, other)]
        return f"{name} {first}={columns[0]} {second}={columns[1]}{condition}"

    def _write_line(self, entry: Mapping[str, Any]) -> str:
        """Write the case of a capability as a compute line, one in five of them damaged."""
        case = entry["cases"][-1]
        given = [f"{key}={write_literal(value)}" for key, value in case["arguments"].items()]
        given += [f"seed={case['seed']}"] if "seed" in case else []
        form, joiner = self._pick(((" {}", " "), (" {}", ", "), ("({})", ", ")))
        line: str = f"{entry['module']}.{entry['function']}" + form.format(joiner.join(given))
        if self._draw.random() < 0.2:
            at = self._draw.randrange(len(line))
            line = line[:at] + self._pick(("", ",", "[", ")", "'", "=", "$x", "é", " where ")) + line[at + 1 :]
        return line

    def _draw_policy(self) -> list[Request]:
        """Return policies, malformed ones among them, and questions that they deny."""
        odd: tuple[Any, ...] = (
            *POLICIES,
            *({key: self._pick(ODD)} for key in ("allowed_sources", "allowed_fields", "allowed_functions", "allowed")),
            {"allowed_sources": [self._pick(ODD)]},
            {"allowed_fields": {"sales": [self._pick(ODD)]}},
            {"allowed_fields": {self._pick(NAMES): ["a"]}},
            {"allowed_fields": {"sales": self._pick(ODD)}},
        )
        words = (
            "sum price from sales",
            "count by city from sales",
            "sum cost by region from costs",
            "max secret from sales",
        )
        return [
            {"verb": "open", "policy": self._pick(odd)},
            _connect_table("sales", SALES),
            _connect_table("costs", COSTS),
            *({"verb": self._pick(("ask", "resolve")), "question": each} for each in words),
        ]


@cache
def list_capabilities() -> Iterator[Case]:
    """Yield the last case of each capability of the contract."""
    for entry in _read_capabilities():
        call = _build_call(entry)
        yield Case(f"{entry['module']}.{entry['function']}", (OPEN, {"verb": "compute", "call": call}))


def _read_capabilities() -> list[dict[str, Any]]:
    lines = [line for line in CONTRACT.read_bytes().splitlines() if line.startswith(b'"')]
    return [json.loads(line.rstrip(b",").partition(b":")[2]) for line in lines[1:]]


def _build_call(entry: Mapping[str, Any]) -> Request:
    """Build the call of the last case that a capability is proven with: half of its arguments by place."""
    case = entry["cases"][-1]
    given, names = case["arguments"], [each["name"] for each in entry["params"]]
    args = [given[name] for name in names[: len(names) // 2] if name in given]
    kwargs = {name: value for name, value in given.items() if name not in names[: len(args)]}
    seed = {"seed": case.get("seed", 7)} if entry["tier"] == "seeded" else {}
    return {"module": entry["module"], "function": entry["function"], "args": args, "kwargs": kwargs, **seed}


def _connect_table(name: str, columns: Mapping[str, str]) -> Request:
    rows = [[ROWS[kind][at] for kind in columns.values()] for at in range(3)]
    lines = [[_quote(cell) for cell in row] for row in ([*columns], *rows)]
    text = "".join(",".join(line) + "\n" for line in lines)
    aliases = {"aliases": {"turnover": "revenue", "secret": "price"}} if name == "sales" else {}
    return {
        "verb": "connect",
        "name": name,
        "format": "csv",
        "text": text,
        "options": {"types": dict(columns), **aliases},
    }


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in '",\n') else cell


def _list_names(file: File) -> list[str]:
    """List names that a file may have, for questions about its columns."""
    if file.format in ("json", "ndjson"):
        return ["b", "1", "a"]
    head = file.data.decode("utf-8", "replace").splitlines()[:1]
    sign = "\t" if file.format == "tsv" else next((sign for sign in ";\t|," if sign in "".join(head)), ",")
    return [name.strip('"') for line in head for name in line.split(sign)][:8]


def _nest(condition: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
    for at in range(depth):
        condition = {("any", "all")[at % 2]: [condition]}
    return condition


def _write_database(names: list[str], rows: list[tuple[Any, ...]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        connection = sqlite3.connect(path)
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        connection.execute(f"CREATE TABLE t ({quoted})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)  # noqa: S608
        connection.execute("CREATE VIEW v AS SELECT * FROM t")
        connection.commit()
        connection.close()
        return path.read_bytes()
