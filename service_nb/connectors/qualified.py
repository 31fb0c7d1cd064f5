"""Columns that can be nothing else: where a database calls a function that is written without parentheses.

In Oracle `SELECT purge FROM goods` and `SELECT stock.purge FROM goods` call functions, unless there are such columns.
So every table of a query gets a name that no package and no schema has, and every column is written as one of its
table's.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError

PSEUDO = ("ROWNUM",)  # what a row has without being a column


def qualified(tree: exp.Query) -> exp.Query:
    """Return the query with names of ours for its tables, and its columns named by them.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        A column's table is none of the query's, or is left open where there are several.
    """
    names: dict[int, dict[str, exp.Identifier]] = {}
    numbers = iter(range(1, 1_000_000))
    for select in list(tree.find_all(exp.Select)):
        names[id(select)] = {_key(source): _renamed(source, next(numbers)) for source in _sources(select)}
    for column in list(tree.find_all(exp.Column)):
        _name(column, names)
    return tree


def _sources(select: exp.Select) -> Iterator[exp.Table | exp.Subquery]:
    first = select.args.get("from_")
    joins = [*(select.args.get("joins") or ()), *((first.this.args.get("joins") or ()) if first else ())]
    for holder in [*([first] if first else []), *joins]:
        source = holder.this
        if not isinstance(source, exp.Table | exp.Subquery) or holder.args.get("using"):
            raise _open("a join that is not written with ON")
        yield source


def _key(source: exp.Table | exp.Subquery) -> str:
    alias = source.args.get("alias")
    name = alias.this if alias is not None and alias.this is not None else source.this
    return _folded(name) if isinstance(name, exp.Identifier) else ""


def _folded(name: exp.Identifier) -> str:
    return name.name if name.quoted else name.name.upper()


def _renamed(source: exp.Table | exp.Subquery, number: int) -> exp.Identifier:
    name = exp.to_identifier(f"source {number}", quoted=True)
    alias = source.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise _open("a table whose columns are renamed")
    source.set("alias", exp.TableAlias(this=name))
    return name


def _name(column: exp.Column, names: dict[int, dict[str, exp.Identifier]]) -> None:
    if column.args.get("db") is not None:
        raise _open(f"{shown(column.sql())}, named by its schema")
    select = column.find_ancestor(exp.Select)
    table = column.args.get("table")
    if table is None:
        if _is_of_the_result(column, select):
            return
        own = names[id(select)] if select is not None else {}
        if len(own) != 1:
            raise _open(f"the column {shown(column.name)} without its table")
        column.set("table", next(iter(own.values())).copy())
        return
    while select is not None:
        found = names[id(select)].get(_folded(table))
        if found is not None:
            column.set("table", found.copy())
            return
        select = select.find_ancestor(exp.Select)
    raise _open(f"{shown(column.sql())}, whose table it does not read")


def _is_of_the_result(column: exp.Column, select: exp.Select | None) -> bool:
    """Whether a name without a table stands for a column of the result, in an ORDER BY, or for none at all."""
    name = column.this
    if isinstance(name, exp.Star) or (isinstance(name, exp.Identifier) and _folded(name) in PSEUDO):
        return True
    ordered = isinstance(column.parent, exp.Ordered) and isinstance(column.parent.parent, exp.Order)
    query = column.parent.parent.parent if ordered and column.parent is not None and column.parent.parent else None
    if isinstance(query, exp.SetOperation):
        return True  # nothing but columns of the result can be named there
    if not isinstance(query, exp.Select) or query is not select:
        return False
    told = [one.args["alias"] for one in query.selects if isinstance(one, exp.Alias)]
    return isinstance(name, exp.Identifier) and _folded(name) in map(_folded, told)


def _open(what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"The query has {what}, which could be a function call.",
        hint="Name tables by aliases, join them with ON, and write each column as alias.column.",
        path="connector.query",
    )
