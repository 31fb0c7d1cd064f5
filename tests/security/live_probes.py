"""How hostile queries are tried on a real database: by the parser of queries, and past it, by the session alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from service_nb.connectors import catalog, user_query
from service_nb.errors import ConnectorError, ServiceError

SECONDS = 0.15
Record = Callable[[str, object], None]


def refused_by_the_parser(descriptor: dict[str, Any], query: str, record: Record) -> None:
    """A descriptor with the query never reaches the database."""
    parsed = catalog.parse_descriptor({**descriptor, "query": query})
    with pytest.raises(ServiceError) as caught:
        user_query.build_relation(parsed, catalog.find_connector(parsed.type).kind.dialect)
    assert caught.value.code in ("invalid_intent", "limit_exceeded"), query
    record("bad_inputs", 1)


class Session:
    """A session with the database, opened anew whenever a query has brought it to its end."""

    def __init__(self, descriptor: dict[str, Any]) -> None:
        self._descriptor = catalog.parse_descriptor(descriptor)
        self.link: Any = None
        self.reopen()

    def reopen(self) -> None:
        self.close()
        self.link = catalog.find_connector(self._descriptor.type).open_link(self._descriptor, time.monotonic() + 20)

    def close(self) -> None:
        if self.link is not None:
            self.link.close()

    def send(self, query: str) -> list[Any] | ServiceError:
        """Hand the session a query that nobody has looked at; return its rows or its error, always a typed one."""
        tree = _parsed(query, self.link.spelling.dialect)
        if tree is not None:
            self._kept(lambda: self.link.fetch_rows(tree, (), 10, time.monotonic() + SECONDS))
        return self._kept(lambda: _as_it_is(self.link, query, time.monotonic() + SECONDS))

    def _kept(self, ask: Callable[[], list[Any]]) -> list[Any] | ServiceError:
        try:
            return ask()
        except ServiceError as error:
            if isinstance(error, ConnectorError) or not self._answers():
                self.reopen()
            return error

    def _answers(self) -> bool:
        try:
            return bool(self.link.fetch_rows(exp.select("1 AS a"), (), 1, time.monotonic() + 10) == [(1,)])
        except ServiceError:
            return False


def _parsed(query: str, dialect: str) -> exp.Expr | None:
    try:
        trees = sqlglot.parse(query, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return None
    return trees[0] if len(trees) == 1 else None


def _as_it_is(link: Any, query: str, until: float) -> list[Any]:
    """The very text, in the place where the session puts what it has made of a tree."""
    if link.name.startswith("clickhouse"):
        with link._request(until):
            return [link._client.raw_query(query, **link._build_request({}, until))]
    with link._run(query, (), until) as cursor:
        return list(cursor.fetchmany(10))
