"""Trino's protocol over DuckDB: statements are posted, rows are fetched page by page, queries are cancelled.

It shows that driver, parameters, types and faults go together. Trino's own arithmetic it cannot show.
"""

from __future__ import annotations

import datetime
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

PAGE = 3  # rows: even small answers take several pages
TYPES = {
    "BIGINT": "bigint",
    "INTEGER": "integer",
    "DOUBLE": "double",
    "FLOAT": "real",
    "VARCHAR": "varchar",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "timestamp(6)",
    "HUGEINT": "decimal(38,0)",
    "TIME": "time(6)",
}
MACROS = (
    "is_nan(x) AS isnan(x)",
    "is_finite(x) AS isfinite(x)",
    "infinity() AS CAST('Infinity' AS DOUBLE)",
    "nan() AS CAST('NaN' AS DOUBLE)",
    "version() AS '480'",
)


@dataclass
class Query:
    """A statement that runs, or has run."""

    text: str
    properties: str
    cursor: duckdb.DuckDBPyConnection
    done: threading.Event = field(default_factory=threading.Event)
    columns: list[dict[str, Any]] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    error: str = ""
    cancelled: bool = False


class Coordinator(ThreadingHTTPServer):
    """A server, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.database = duckdb.connect()
        for macro in MACROS:
            self.database.execute(f"CREATE MACRO {macro}")
        self.queries: dict[str, Query] = {}
        self.numbers = count(1)
        self.elsewhere: str | None = None  # what `nextUri` leads to instead

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def start(self, text: str, properties: str) -> str:
        """Run a statement in a thread of its own; return its id."""
        name = f"q{next(self.numbers)}"
        query = Query(text, properties, self.database.cursor())
        self.queries[name] = query
        threading.Thread(target=_run, args=(query,), daemon=True).start()
        return name


@contextmanager
def trino() -> Iterator[Coordinator]:
    """A coordinator for the block."""
    server = Coordinator()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        for query in server.queries.values():
            query.cursor.interrupt()
            query.done.wait(10)
            query.cursor.close()
        server.database.close()


def _run(query: Query) -> None:
    try:
        found = query.cursor.execute(_translated(query.text))
        types = [str(column[1]) for column in found.description or ()]
        query.columns = [_column(column[0], kind) for column, kind in zip(found.description or (), types, strict=True)]
        query.rows = [[_json(value) for value in row] for row in found.fetchall()]
    except duckdb.CatalogException:
        query.error = "TABLE_NOT_FOUND"
    except duckdb.InterruptException:
        query.error = "USER_CANCELED"
    except (duckdb.Error, sqlglot.errors.SqlglotError):
        query.error = "SYNTAX_ERROR"
    finally:
        query.done.set()


def _translated(text: str) -> str:
    """DuckDB's SQL of a statement, the parameters of EXECUTE IMMEDIATE put into their places."""
    parameters: list[exp.Expr] = []
    if text.startswith("EXECUTE IMMEDIATE"):
        inner, _, using = text.removeprefix("EXECUTE IMMEDIATE").strip().rpartition(" USING ")
        parameters = sqlglot.parse_one(f"SELECT {using}", read="trino").expressions
        text = sqlglot.parse_one(f"SELECT {inner}", read="trino").expressions[0].this
    tree = sqlglot.parse_one(text, read="trino")
    places = [node for node in tree.dfs() if isinstance(node, exp.Placeholder)]
    marks = {id(node): f"place_{number}_" for number, node in enumerate(places)}
    for node in places:
        node.replace(exp.Var(this=marks[id(node)]))
    for node in list(tree.find_all(exp.AtTimeZone)):
        node.replace(node.this)
    for node in list(tree.find_all(exp.Anonymous)):
        if node.name.upper() == "AT_TIMEZONE":
            node.replace(node.expressions[0])
    sql = tree.sql(dialect="duckdb")
    order = sorted(marks.values(), key=sql.index)
    for mark, parameter in zip(order, parameters, strict=True):
        sql = sql.replace(mark, _exact(parameter).sql(dialect="duckdb"), 1)
    return sql


def _exact(parameter: exp.Expr) -> exp.Expr:
    """Trino's `DECIMAL '1.50'` has the digits that it is written with; DuckDB's has 18, unless it says otherwise."""
    if isinstance(parameter, exp.Cast) and parameter.to.is_type("decimal") and not parameter.to.expressions:
        before, _, after = parameter.this.name.lstrip("-").partition(".")
        return exp.cast(parameter.this, f"decimal({len(before + after)},{len(after)})")
    return parameter


def _column(name: str, kind: str) -> dict[str, Any]:
    told = TYPES.get(kind, kind.lower().replace(" ", ""))
    raw, _, numbers = told.rstrip(")").partition("(")
    arguments = [{"kind": "LONG", "value": int(number)} for number in numbers.split(",") if number]
    if raw == "varchar" and not arguments:
        arguments = [{"kind": "LONG", "value": 2**31 - 1}]
    return {"name": name, "type": told, "typeSignature": {"rawType": raw, "arguments": arguments}}


def _json(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="microseconds")
    return value.isoformat() if isinstance(value, datetime.date) else value


class _Handler(BaseHTTPRequestHandler):
    server: Coordinator

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.headers.get("X-Trino-User") == "nobody":
            self._answer(401, {})
            return
        name = self.server.start(text, self.headers.get("X-Trino-Session", ""))
        self._status(name, 0)

    def do_GET(self) -> None:
        _, _, _, name, page = self.path.split("/")
        self.server.queries[name].done.wait(0.2)
        self._status(name, int(page))

    def do_DELETE(self) -> None:
        query = self.server.queries[self.path.split("/")[3]]
        query.cancelled = True
        query.cursor.interrupt()
        self._answer(204, None)

    def _status(self, name: str, page: int) -> None:
        query, base = self.server.queries[name], f"http://127.0.0.1:{self.server.port}/v1/statement/"
        base = self.server.elsewhere or base
        told: dict[str, Any] = {"id": name, "infoUri": base, "stats": {"state": "RUNNING"}}
        if query.error:
            told["error"] = {"errorName": query.error, "errorType": "USER_ERROR", "message": "secret.example refused"}
        elif not query.done.is_set() or page == 0:
            told["nextUri"] = f"{base}{name}/{1 if query.done.is_set() else 0}"
        else:
            told |= {"columns": query.columns, "data": query.rows[(page - 1) * PAGE : page * PAGE]}
            if page * PAGE < len(query.rows):
                told["nextUri"] = f"{base}{name}/{page + 1}"
        self._answer(200, told)

    def _answer(self, status: int, body: Any) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        with suppress(OSError):  # the client may be gone
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
