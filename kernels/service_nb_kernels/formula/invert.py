"""Solving a formula for one of its parameters, by undoing step after step on the way down to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from service_nb_kernels.errors import PackError
from service_nb_kernels.formula.functions import FUNCTIONS
from service_nb_kernels.formula.ranges import HALF_TURN, NOT_NEGATIVE, QUARTER, Range
from service_nb_kernels.formula.text import to_text
from service_nb_kernels.formula.tree import (
    Binary,
    Call,
    Compare,
    Let,
    Logic,
    Name,
    Negative,
    Node,
    Number,
    children,
    names,
)


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a step of a formula has its values: only there the step can be undone."""

    value: Node
    range: Range
    pattern: str

    @property
    def text(self) -> str:
        """The condition, in the language of formulas."""
        return self.pattern.format(to_text(self.value))


def solved_for(node: Node, unknown: str, known: str) -> tuple[Node, list[Branch]]:
    """Return the formula of `unknown`, given that `node` has the value named `known`, and where it is a solution.

    Raises
    ------
    PackError
        The unknown does not occur exactly once, or stands under a step that cannot be undone.
    """
    node = inlined(node)
    if occurrences(node, unknown) != 1:
        raise PackError(
            f"{unknown} occurs {occurrences(node, unknown)} times; a formula is solved for what occurs once."
        )
    value: Node = Name(known)
    branches: list[Branch] = []
    while node != Name(unknown):
        reached = _find_branch(node, unknown)
        if reached is not None:
            branches.append(Branch(value, *reached))
        node, value = _undone(node, value, unknown)
    return value, branches


def _find_branch(node: Node, unknown: str) -> tuple[Range, str] | None:
    """Find where the values of a step lie, if what undoes it takes others as well: a square is never negative."""
    match node:
        case Binary("**", base, exponent) if unknown in names(base) and not _is_odd(exponent):
            return NOT_NEGATIVE, "0 <= {}"
        case Call(function, (_,)):
            return BRANCHES.get(function)
    return None


def _is_odd(exponent: Node) -> bool:
    if isinstance(exponent, Negative):
        return _is_odd(exponent.operand)
    return isinstance(exponent, Number) and exponent.value.denominator == 1 and exponent.value.numerator % 2 == 1


BRANCHES: Mapping[str, tuple[Range, str]] = {
    "sqrt": (NOT_NEGATIVE, "0 <= {}"),
    "acosh": (NOT_NEGATIVE, "0 <= {}"),
    "asin": (QUARTER, "-pi / 2 <= {} <= pi / 2"),
    "atan": (QUARTER, "-pi / 2 < {} < pi / 2"),
    "acos": (HALF_TURN, "0 <= {} <= pi"),
}


def inlined(node: Node) -> Node:
    """Return the tree with every definition written where it is used."""
    if not isinstance(node, Let):
        return node
    known: dict[str, Node] = {}
    for name, value in node.definitions:
        known[name] = substituted(value, known)
    return substituted(node.body, known)


def substituted(node: Node, known: dict[str, Node]) -> Node:
    """Return the tree with names replaced; only the forms that algebra can undo are rebuilt."""
    match node:
        case Name(name):
            return known.get(name, node)
        case Negative(operand):
            return Negative(substituted(operand, known))
        case Binary(operator, left, right):
            return Binary(operator, substituted(left, known), substituted(right, known))
        case Call(function, arguments):
            return Call(function, tuple(substituted(argument, known) for argument in arguments))
        case Compare(first, rest):
            return Compare(substituted(first, known), tuple((sign, substituted(term, known)) for sign, term in rest))
        case Logic(operator, operands):
            return Logic(operator, tuple(substituted(operand, known) for operand in operands))
    if names(node) & known.keys():
        raise PackError("solve_for needs definitions that are used in plain arithmetic.")
    return node


def occurrences(node: Node, name: str) -> int:
    """Return how often a name is read."""
    return int(node == Name(name)) + sum(occurrences(child, name) for child in children(node))


def _undone(node: Node, value: Node, unknown: str) -> tuple[Node, Node]:
    match node:
        case Negative(operand):
            return operand, Negative(value)
        case Binary(operator, left, right):
            on_left = unknown in names(left)
            return (left, _left(operator, value, right)) if on_left else (right, _right(operator, value, left))
        case Call(function, (argument,)):
            return argument, _inverse(function, value)
    raise PackError(f"solve_for cannot undo a {type(node).__name__.lower()}.")


def _left(operator: str, value: Node, right: Node) -> Node:
    match operator:
        case "+":
            return Binary("-", value, right)
        case "-":
            return Binary("+", value, right)
        case "*":
            return Binary("/", value, right)
        case "/":
            return Binary("*", value, right)
        case "**":
            return _root(value, right)
    raise PackError(f"solve_for cannot undo {operator}.")


def _right(operator: str, value: Node, left: Node) -> Node:
    match operator:
        case "+":
            return Binary("-", value, left)
        case "-":
            return Binary("-", left, value)
        case "*":
            return Binary("/", value, left)
        case "/":
            return Binary("/", left, value)
        case "**":
            return Binary("/", Call("log", (value,)), Call("log", (left,)))
    raise PackError(f"solve_for cannot undo {operator}.")


def _root(value: Node, exponent: Node) -> Node:
    if isinstance(exponent, Number) and exponent.unit is None:
        if exponent.value == 2:
            return Call("sqrt", (value,))
        if exponent.value == Fraction(1, 2):
            return Binary("**", value, Number(Fraction(2), "2"))
        if exponent.value == -1:
            return Binary("/", Number(Fraction(1), "1"), value)
    match exponent:
        case Binary("/", Number(Fraction(numerator=1, denominator=1)), reciprocal):
            return Binary("**", value, reciprocal)
    return Binary("**", value, Binary("/", Number(Fraction(1), "1"), exponent))


def _inverse(function: str, value: Node) -> Node:
    match function:
        case "sqrt":
            return Binary("**", value, Number(Fraction(2), "2"))
        case "cbrt":
            return Binary("**", value, Number(Fraction(3), "3"))
        case "log10":
            return Binary("**", Number(Fraction(10), "10"), value)
        case "log2":
            return Binary("**", Number(Fraction(2), "2"), value)
    inverse = FUNCTIONS[function].inverse if function in FUNCTIONS else None
    if inverse is None:
        raise PackError(f"solve_for cannot undo {function}.")
    return Call(inverse, (value,))
