"""From a tree to the text that a driver is given: bound values as its placeholders, in the order of the text."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlglot import exp

from service_nb.errors import EngineError

_WRITES = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command)
MOST_PARAMETERS = 100  # of a statement that is remembered
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


@dataclass(frozen=True, slots=True)
class Written:
    """A tree as text, cut at its placeholders, and of each of these which parameter it stands for."""

    texts: tuple[str, ...]
    places: tuple[int, ...]

    def bound(self, parameters: Sequence[Any], mark: Mark, *, double_percent: bool = False) -> tuple[str, list[Any]]:
        """Return the text with `mark` for each placeholder, and the parameters in the order of the text."""
        if len(set(self.places)) != len(parameters):
            raise EngineError(f"A statement has {len(set(self.places))} placeholders and {len(parameters)} parameters.")
        texts = [text.replace("%", "%%") for text in self.texts] if double_percent else self.texts
        marks = map(mark, range(len(self.places)))
        text = texts[0] + "".join(part for pair in zip(marks, texts[1:], strict=True) for part in pair)
        return text, [parameters[place] for place in self.places]


def rendered(
    tree: exp.Expr, parameters: Sequence[Any], *, dialect: str, mark: Mark, double_percent: bool = False
) -> tuple[str, list[Any]]:
    """Return the tree's text with `mark` for each placeholder, and the parameters in the order of the text."""
    return written(tree, dialect).bound(parameters, mark, double_percent=double_percent)


def remembered(tree: exp.Expr, parameters: Sequence[Any], dialect: str) -> Written:
    """Return the text of a tree that reads and that nobody changes any more; of one that was met before, the same."""
    if len(parameters) > MOST_PARAMETERS:  # long lists are seldom of one length twice, and large
        check_reads(tree)
        return written(tree, dialect)
    return _remembered(_Same(tree), dialect)


def check_reads(tree: exp.Expr) -> None:
    """Refuse a tree that is no query, or has a part that writes: whoever made it has made a mistake."""
    if not isinstance(tree, exp.Query) or tree.find(*_WRITES) is not None:
        raise EngineError("A statement that does more than read was to be run.", met=tree.key.upper())


def written(tree: exp.Expr, dialect: str) -> Written:
    """Return the tree as text.

    The placeholders of a tree stand in the order of its parameters as DuckDB's text has them. A dialect may write parts
    in another order, or one twice; so each placeholder is written as a word that no one can guess, and found again.
    Comments are left out: some databases run what is in them.
    """
    marked = tree.copy()
    secret = f"p{secrets.token_hex(8)}"
    nodes = list(marked.find_all(exp.Placeholder))
    for index, node in enumerate(nodes):
        node.replace(exp.Var(this=f"{secret}_{index}_"))
    word = re.compile(f"{secret}_([0-9]+)_")
    bound = dict.fromkeys(word.findall(marked.sql(dialect="duckdb", comments=False))) if nodes else {}
    if len(bound) != len(nodes):
        raise EngineError(f"A statement of {len(nodes)} placeholders is written with {len(bound)}.")
    order = {index: place for place, index in enumerate(bound)}
    pieces = word.split(marked.sql(dialect=dialect, comments=False, copy=False))
    return Written(tuple(pieces[::2]), tuple(order[index] for index in pieces[1::2]))


class _Same:
    """A tree that is equal to itself alone: to compare two would take as long as to write them."""

    def __init__(self, tree: exp.Expr) -> None:
        self.tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tree is other.tree

    def __hash__(self) -> int:
        return id(self.tree)


@lru_cache(maxsize=256)
def _remembered(same: _Same, dialect: str) -> Written:
    check_reads(same.tree)
    return written(same.tree, dialect)
