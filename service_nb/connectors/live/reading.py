"""What is read of a database: a table by its name, or a user's SELECT that only reads and computes.

A query is taken apart, every node of its tree is looked up in a list of what is allowed, and what is sent is written
anew from the tree. So what was understood is what runs: no comment, no hint, no second statement survives.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from enum import Enum

import sqlglot
from sqlglot import exp

from service_nb.base.words import shown
from service_nb.connectors.live.allowed import FUNCTIONS, NODES, PARTS, SETTLED, TYPES, named_functions
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.records.connector import Descriptor

MOST_SQL = 100_000  # characters of a query
MOST_NODES = 20_000
MOST_DEPTH = 100
MOST_NAMES = 3  # catalog, schema, table

# Where databases keep what is no data: accounts, settings, functions that look like tables.
CATALOGS = frozenset(("information_schema", "mysql", "performance_schema", "sys", "system", "pg_catalog", "pg_toast"))
UPPER = ("oracle", "snowflake")  # a name without quotes is one in upper case there
_ENDLESS = re.compile(r"seq_\d+_to_\d+")  # MariaDB makes such a table of as many rows as its name says
_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|\[([^\]]+)\]|([^".`\[\]]+)')


logging.getLogger("sqlglot").setLevel(logging.ERROR)  # its warnings repeat the query, which may hold what is no one's


def relation(descriptor: Descriptor, dialect: str) -> exp.Expr:
    """Return the table or the subquery that a descriptor is about.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is neither table nor query, or both; or the query does more than read.
    LimitExceededError [limit_exceeded]
        The query is too long, or too deep.
    """
    if (descriptor.table is None) == (descriptor.query is None):
        raise InvalidIntentError(
            "A source of a database is a table or a query.", path="connector.table", expected="table or query"
        )
    if descriptor.table is not None:
        return named_table(descriptor.table, dialect)
    return checked(descriptor.query or "", dialect).subquery("asked", copy=False)


def named_table(name: str, dialect: str) -> exp.Table:
    """Return the table of that name: `table`, `schema.table`, each part quoted or as it is."""
    parts = _parts(name, dialect)
    if parts is None or not 1 <= len(parts) <= MOST_NAMES:
        raise InvalidIntentError(
            f"The table is {shown(name)}; expected a name, with its schema before it where it needs one.",
            hint='A name that holds a dot is written in quotes: sales."orders.2024".',
            path="connector.table",
            met=shown(name),
        )
    identifiers = [exp.to_identifier(part, quoted=True) for part in reversed(parts)]
    table = exp.Table(**dict(zip(("this", "db", "catalog"), identifiers, strict=False)))
    _check_table(table, "connector.table")
    return table


def _parts(name: str, dialect: str) -> list[str] | None:
    parts: list[str] = []
    place = 0
    while found := _PART.match(name, place):
        plain = found[4]
        quoted = next((text for text in found.groups()[:3] if text is not None), None)
        part = plain if quoted is None else quoted.replace('""', '"').replace("``", "`")
        parts.append(part.upper() if plain is not None and plain.islower() and dialect in UPPER else part)
        place = found.end()
        if place == len(name):
            return parts if all(part.strip() == part and "\0" not in part for part in parts) else None
        if name[place] != ".":
            return None
        place += 1
    return None


def checked(query: str, dialect: str) -> exp.Query:
    """Return the tree of a query, provided that it is exactly one SELECT that reads and computes.

    Raises
    ------
    InvalidIntentError [invalid_intent], LimitExceededError [limit_exceeded]
    """
    if len(query) > MOST_SQL:
        raise LimitExceededError(
            f"The query has {len(query):,} characters; at most {MOST_SQL:,} are read.",
            limit=MOST_SQL,
            value=len(query),
        )
    if "\0" in query:
        raise _no_select("a character that ends texts")
    try:
        trees = [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError, IndexError) as error:
        raise InvalidIntentError("The query is no SQL that can be read.", path="connector.query") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Select | exp.SetOperation):
        raise _no_select(" and ".join(tree.key.upper() for tree in trees[:3]) or "nothing")
    tree = trees[0]
    _check_size(tree)
    for node in tree.walk():
        node.pop_comments()
        _check_node(node, dialect)
    return tree


def _check_size(tree: exp.Expr) -> None:
    level: list[exp.Expr] = [tree]
    nodes = depth = 0
    while level:
        nodes += len(level)
        depth += 1
        if nodes > MOST_NODES or depth > MOST_DEPTH:
            what, limit = ("parts", MOST_NODES) if nodes > MOST_NODES else ("levels", MOST_DEPTH)
            raise LimitExceededError(f"The query has more than {limit:,} {what}.", limit=limit, value=limit + 1)
        level = [child for node in level for child in node.iter_expressions()]


def _check_node(node: exp.Expr, dialect: str) -> None:
    kind = type(node)
    if kind is exp.Select and not node.expressions:
        raise _no_select("SELECT of nothing")
    if kind in (exp.Anonymous, exp.AnonymousAggFunc):
        name = node.name if isinstance(node.this, str) else ""
        if name.lower() not in named_functions(dialect):
            raise _not_allowed(f"the function {shown(name or node.key)}")
    elif isinstance(node, exp.Table):
        _check_table(node, "connector.query")
    elif isinstance(node, exp.DataType):
        if node.this not in TYPES:
            raise _not_allowed(f"the type {shown(str(node.this))}")
    elif isinstance(node, exp.Column):
        if node.name.lower() in ("nextval", "currval") and not isinstance(node.this, exp.Star):
            raise _not_allowed("a sequence")
    elif isinstance(node, exp.With) and node.args.get("recursive"):
        raise _not_allowed("a recursive WITH")
    elif kind not in NODES and kind not in FUNCTIONS:
        raise _not_allowed(f"{node.key.upper()}")
    _check_parts(node)


def _check_parts(node: exp.Expr) -> None:
    """Refuse what hangs at a node beside its operands: INTO, locks, hints, samples, settings."""
    allowed = PARTS.get(type(node))
    for name, value in node.args.items():
        if value in (None, False, []) or (allowed is not None and name in allowed):
            continue
        if allowed is not None:
            raise _not_allowed(name.strip("_").upper())
        if isinstance(value, str | int | Enum) or _holds_only_trees(value) or name in SETTLED:
            continue
        raise _not_allowed(f"{node.key.upper()} with {name}")


def _holds_only_trees(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, exp.Expr) for item in value)
    return isinstance(value, exp.Expr)


def _check_table(table: exp.Table, path: str) -> None:
    if not isinstance(table.this, exp.Identifier):
        raise _not_allowed("a function in place of a table")
    schemas: Iterable[str] = [part for part in (table.db, table.catalog) if part]
    if any(part.lower() in CATALOGS or part.lower().startswith("pg_") for part in schemas) or _is_system_table(table):
        raise InvalidIntentError(
            f"{shown(table.name)} belongs to the database itself, and is not read.", path=path, met=shown(table.name)
        )


def _is_system_table(table: exp.Table) -> bool:
    name = table.name.lower()
    return _ENDLESS.match(name) is not None or (
        not table.db and name.startswith(("pg_", "pragma_", "sqlite_", "v$", "gv$", "information_schema"))
    )


def _not_allowed(what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query has {what}, which is not among what a query may have.",
        hint="It may select from tables, join, filter, group, and use functions that only compute from a row's values.",
        path="connector.query",
        met=what,
    )


def _no_select(met: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query is {met}; expected exactly one SELECT.", path="connector.query", met=met, expected="SELECT"
    )
