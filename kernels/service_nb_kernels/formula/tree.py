"""The nodes of a formula. Parsed once; walked for its value, its unit and its LaTeX; never evaluated as code."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Operator = Literal["+", "-", "*", "/", "//", "%", "**"]
Target = str | tuple["Target", ...]
Comparison = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True, slots=True)
class Number:
    """A literal: exactly the decimal that was written, with the unit that was written behind it."""

    value: Fraction
    text: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A literal text, to compare a choice with."""

    value: str


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, a definition, a bound variable or a constant."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """The negative of a term."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two terms joined by an arithmetic operator."""

    operator: Operator
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Compare:
    """A chain of comparisons: ``low < x <= high``."""

    first: Node
    rest: tuple[tuple[Comparison, Node], ...]


@dataclass(frozen=True, slots=True)
class Logic:
    """Conditions joined by `and` or `or`; `not` has one operand."""

    operator: Literal["and", "or", "not"]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """One of two terms, by a condition."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the fixed table."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function of one variable, given to `root`, `integral` or `smallest`."""

    variable: str
    body: Node


@dataclass(frozen=True, slots=True)
class Loop:
    """`for target in iterable if conditions`; the target is one name, or names for the parts of each item."""

    target: Target
    iterable: Node
    conditions: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """The body for each turn of the loops: a list, or what `sum`, `product`, `min`, `max`, `len` reduce."""

    body: Node
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list that names its items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """One item of an array."""

    array: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Slice:
    """A run of items of an array."""

    array: Node
    start: Node | None
    stop: Node | None


@dataclass(frozen=True, slots=True)
class Fields:
    """A record: named results."""

    fields: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Let:
    """Named intermediate values, then the result."""

    definitions: tuple[tuple[str, Node], ...]
    body: Node


Node = (
    Number
    | Text
    | Name
    | Negative
    | Binary
    | Compare
    | Logic
    | Where
    | Call
    | Lambda
    | Each
    | Items
    | Index
    | Slice
    | Fields
    | Let
)


def children(node: Node) -> tuple[Node, ...]:  # one line for each kind of node
    """Return the direct parts of a node, in reading order."""
    match node:
        case Number() | Text() | Name():
            return ()
        case Negative(operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Compare(first, rest):
            return (first, *(term for _, term in rest))
        case Logic(_, operands):
            return operands
        case Where(condition, then, otherwise):
            return (condition, then, otherwise)
        case Call(_, arguments):
            return arguments
        case Lambda(_, body):
            return (body,)
        case Each(body, loops):
            return (*(part for loop in loops for part in (loop.iterable, *loop.conditions)), body)
        case Items(items):
            return items
        case Index(array, index):
            return (array, index)
        case Slice(array, start, stop):
            return tuple(part for part in (array, start, stop) if part is not None)
        case Fields(fields):
            return tuple(value for _, value in fields)
        case Let(definitions, body):
            return (*(value for _, value in definitions), body)


def names(node: Node) -> set[str]:
    """Return every name that is read in the tree, bound ones included."""
    found = {node.name} if isinstance(node, Name) else set()
    return found.union(*(names(child) for child in children(node)))
