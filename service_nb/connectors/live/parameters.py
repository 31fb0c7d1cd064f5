"""From a tree to the text that a driver is given: bound values as its placeholders, in the order of the text."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from service_nb.errors import EngineError

Mark = Callable[[int], str]  # the placeholder of the parameter at that place, as a driver wants it


def numbered(place: int) -> str:
    """`$1`, as PostgreSQL's own protocol has it."""
    return f"${place + 1}"


def question(_: int) -> str:
    """`?`."""
    return "?"


def percent(_: int) -> str:
    """`%s`, of drivers that format; what else is `%` in the text is doubled."""
    return "%s"


def named(place: int) -> str:
    """`:p0`."""
    return f":p{place}"


def rendered(
    tree: exp.Expr, parameters: Sequence[Any], *, dialect: str, mark: Mark, double_percent: bool = False
) -> tuple[str, list[Any]]:
    """Return the tree's text with `mark` for each placeholder, and the parameters in the order of the text.

    The placeholders of a tree stand in the order of its parameters as DuckDB's text has them. A dialect may write parts
    in another order, or one twice; so each placeholder is written as a word that no one can guess, and found again.
    Comments are left out: some databases run what is in them.
    """
    marked = tree.copy()
    secret = secrets.token_hex(8)
    places = _in_order(marked)
    if len(places) != len(parameters):
        raise EngineError(f"A statement has {len(places)} placeholders and {len(parameters)} parameters.")
    for place, node in enumerate(places):
        node.replace(exp.Var(this=f"p{secret}_{place}_"))
    pieces = re.split(f"p{secret}_([0-9]+)_", marked.sql(dialect=dialect, comments=False))
    texts, used = pieces[::2], [int(place) for place in pieces[1::2]]
    if double_percent:
        texts = [text.replace("%", "%%") for text in texts]
    marks = [mark(place) for place in range(len(used))]
    text = texts[0] + "".join(part for pair in zip(marks, texts[1:], strict=True) for part in pair)
    return text, [parameters[place] for place in used]


def _in_order(tree: exp.Expr) -> list[exp.Expr]:
    """The placeholders in the order in which the builder of the tree binds them: as they are written in its own SQL."""
    found = {f"q{index}q": node for index, node in enumerate(tree.find_all(exp.Placeholder))}
    if not found:
        return []
    numbers = tree.copy()
    for name, node in zip(found, list(numbers.find_all(exp.Placeholder)), strict=True):
        node.replace(exp.Var(this=f"{_WORD}{name}"))
    written = re.findall(f"{_WORD}(q[0-9]+q)", numbers.sql(dialect="duckdb", comments=False))
    return [found[name] for name in dict.fromkeys(written)]


_WORD = "bound" + secrets.token_hex(8)
