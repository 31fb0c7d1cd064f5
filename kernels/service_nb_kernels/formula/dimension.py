"""The unit of a formula, from its tree: adding unlike units, or the sine of a length, does not get past here."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from service_nb_kernels.errors import PackError
from service_nb_kernels.formula import tree as t
from service_nb_kernels.formula.functions import FUNCTIONS
from service_nb_kernels.units import ONE, Unit, parse_unit


class Zero:
    """The unit of 0 and of infinity, which every unit has."""


ANY = Zero()
Dimension = Unit | Zero
Measured = Dimension | list["Measured"] | dict[str, "Measured"]  # the unit of a scalar, of each item, of each field


def unit_of(node: t.Node, units: Mapping[str, Measured]) -> Measured:  # one line a node
    """Return the unit of the tree's value; a list holds the one unit of its items, a record that of each field.

    Raises
    ------
    PackError
        The formula joins units that do not fit.
    """
    match node:
        case t.Number(literal, _, unit):
            return parse_unit(unit) if unit is not None else ANY if literal == 0 else ONE
        case t.Text():
            return ONE
        case t.Name("inf"):
            return ANY
        case t.Name(name):
            return units.get(name, ONE)
        case t.Negative(operand):
            return unit_of(operand, units)
        case t.Binary(operator, left, right):
            return _binary(operator, node, left, right, units)
        case t.Compare(first, rest):
            _same([_scalar(part, units) for part in (first, *(term for _, term in rest))], node)
            return ONE
        case t.Logic(_, operands):
            for operand in operands:
                unit_of(operand, units)
            return ONE
        case t.Where(condition, then, otherwise):
            unit_of(condition, units)
            return _either(unit_of(then, units), unit_of(otherwise, units), node)
        case t.Call(function, arguments):
            return _call(function, arguments, units, node)
        case t.Each(body, loops):
            return [unit_of(body, _bound(loops, units))]
        case t.Items(items):
            return [_common([unit_of(item, units) for item in items], node)]
        case t.Index(array, index):
            unit_of(index, units)
            return _item(unit_of(array, units), node)
        case t.Slice(array, _, _):
            return unit_of(array, units)
        case t.Fields(fields):
            return {name: unit_of(value, units) for name, value in fields}
        case t.Let(definitions, body):
            inner = dict(units)
            for name, value in definitions:
                inner[name] = unit_of(value, inner)
            return unit_of(body, inner)
    raise PackError(f"A {type(node).__name__.lower()} has no unit by itself.")


def agrees(found: Measured, declared: Measured) -> bool:
    """Return whether a unit that was found is the one that was declared."""
    match found, declared:
        case Zero(), _:
            return True
        case list(items), list(expected):
            return agrees(items[0], expected[0])
        case dict(), dict():
            return found.keys() == declared.keys() and all(agrees(found[name], declared[name]) for name in found)
    return found == declared


def shown(measured: Measured) -> str:
    """Return a unit as text for messages."""
    match measured:
        case list(items):
            return f"[{shown(items[0])}]"
        case dict(fields):
            return "{" + ", ".join(f"{name}: {shown(unit)}" for name, unit in fields.items()) + "}"
        case Zero():
            return "any"
    return str(measured)


def _text(node: t.Node) -> str:
    from service_nb_kernels.formula.text import to_text  # noqa: PLC0415  # for messages only

    return f"{to_text(node):.100}"


def _item(measured: Measured, node: t.Node) -> Measured:
    if isinstance(measured, list):
        return measured[0]
    raise PackError(f"No array: {_text(node)}.")


def _scalar(node: t.Node, units: Mapping[str, Measured]) -> Dimension:
    found = unit_of(node, units)
    if isinstance(found, Unit | Zero):
        return found
    raise PackError(f"An array or a record stands where a number was expected: {_text(node)}.")


def _same(found: list[Dimension], node: t.Node) -> Dimension:
    known = [unit for unit in found if isinstance(unit, Unit)]
    for unit in known[1:]:
        if unit != known[0]:
            raise PackError(f"Units do not fit: {known[0]} and {unit} in {_text(node)}.")
    return known[0] if known else ANY


def _common(found: list[Measured], node: t.Node) -> Measured:
    common = found[0] if found else ANY
    for unit in found[1:]:
        common = _either(common, unit, node)
    return common


def _either(a: Measured, b: Measured, node: t.Node) -> Measured:
    if isinstance(a, Unit | Zero) and isinstance(b, Unit | Zero):
        return _same([a, b], node)
    if isinstance(a, list) and isinstance(b, list):
        return [_either(a[0], b[0], node)]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return {name: _either(a[name], b[name], node) for name in a}
    raise PackError(f"A number and an array are joined: {_text(node)}.")


def _binary(operator: str, node: t.Node, left: t.Node, right: t.Node, units: Mapping[str, Measured]) -> Measured:
    if operator == "+":  # lists of constant length may be joined
        both = unit_of(left, units), unit_of(right, units)
        if isinstance(both[0], list) and isinstance(both[1], list):
            return _either(*both, node)
    a, b = _scalar(left, units), _scalar(right, units)
    if operator in "+-%":
        return _same([a, b], node)
    if operator == "**":
        return _power(a, right, b, node)
    if isinstance(a, Zero):
        return ANY
    if isinstance(b, Zero):
        if operator == "*":
            return ANY
        raise PackError(f"A division by 0: {_text(node)}.")
    if operator == "//":
        _same([a, b], node)
        return ONE
    return a * b if operator == "*" else a / b


def _power(base: Dimension, exponent: t.Node, exponent_unit: Dimension, node: t.Node) -> Dimension:
    _plain(exponent_unit, node)
    if isinstance(base, Zero):
        return ANY
    literal = _literal(exponent)
    if literal is not None:
        return base.power(literal)
    if not base.is_one:
        raise PackError(f"A power of a quantity in {base} needs a literal exponent: {_text(node)}.")
    return ONE


def _literal(node: t.Node) -> Fraction | None:
    match node:
        case t.Number(value, _, None):
            return value
        case t.Negative(operand):
            inner = _literal(operand)
            return None if inner is None else -inner
        case t.Binary("/" | "*" | "+" | "-" as operator, left, right):
            a, b = _literal(left), _literal(right)
            if a is None or b is None:
                return None
            return {"/": lambda: a / b, "*": lambda: a * b, "+": lambda: a + b, "-": lambda: a - b}[operator]()
    return None


def _plain(unit: Dimension, node: t.Node) -> None:
    if isinstance(unit, Unit) and not unit.is_one:
        raise PackError(f"A plain number was expected, not {unit}: {_text(node)}.")


def _bound(loops: tuple[t.Loop, ...], units: Mapping[str, Measured]) -> Mapping[str, Measured]:
    inner = dict(units)
    for loop in loops:
        _bind(loop.target, _items(loop.iterable, inner), inner)
        for condition in loop.conditions:
            unit_of(condition, inner)
    return inner


def _bind(target: t.Target, item: Measured | tuple[Measured, ...], inner: dict[str, Measured]) -> None:
    if isinstance(target, str):
        if isinstance(item, tuple):
            raise PackError(f"{target} stands for several values; name them apart.")
        inner[target] = item
        return
    parts = (
        item
        if isinstance(item, tuple)
        else (item,) * len(target)
        if not isinstance(item, list)
        else tuple(item) * len(target)
    )
    if len(parts) != len(target):
        raise PackError(f"{len(target)} names for {len(parts)} values.")
    for part, unit in zip(target, parts, strict=True):
        _bind(part, unit, inner)


def _items(node: t.Node, units: Mapping[str, Measured]) -> Measured | tuple[Measured, ...]:
    """The unit of one item of what a loop runs over; of `zip` and `enumerate`, of each part."""
    match node:
        case t.Call("range", ends):
            for end in ends:
                _plain(_scalar(end, units), node)
            return ONE
        case t.Call("enumerate", (array, *_)):
            return (ONE, _items(array, units))  # type: ignore[return-value]  # nested tuples of parts
        case t.Call("zip", arrays):
            return tuple(_items(array, units) for array in arrays)  # type: ignore[misc]
    return _item(unit_of(node, units), node)


def _call(name: str, arguments: tuple[t.Node, ...], units: Mapping[str, Measured], node: t.Node) -> Measured:
    match name:
        case "range":
            return [_items(node, units)]  # type: ignore[list-item]
        case "sorted":
            return unit_of(arguments[0], units)
        case "len":
            unit_of(arguments[0], units)
            return ONE
        case "sum":
            return _item(unit_of(arguments[0], units), node)
        case "product":
            unit = _item(unit_of(arguments[0], units), node)
            _plain(unit if isinstance(unit, Unit) else ONE, node)
            return ONE
        case "min" | "max" if len(arguments) == 1:
            return _item(unit_of(arguments[0], units), node)
        case "root" | "smallest" | "integral":
            return _solver(name, arguments, units, node)
    found = [_scalar(argument, units) for argument in arguments]
    rule = FUNCTIONS[name].unit
    if rule == "same":
        return _same(found, node)
    if rule in ("sign", "ratio"):
        _same(found, node)
        return ONE
    if rule in ("root2", "root3"):
        unit = found[0]
        return unit.power(Fraction(1, int(rule[-1]))) if isinstance(unit, Unit) else ANY
    for unit in found:
        _plain(unit, node)
    return ONE


def _solver(name: str, arguments: tuple[t.Node, ...], units: Mapping[str, Measured], node: t.Node) -> Measured:
    function, *ends = arguments
    if not isinstance(function, t.Lambda):
        raise PackError(f"{name} takes `lambda variable: …` first.")
    bound = _same([_scalar(end, units) for end in ends], node)
    variable = bound if isinstance(bound, Unit) else ONE
    body = unit_of(function.body, {**units, function.variable: variable})
    if name != "integral":
        return variable
    if isinstance(body, Unit):
        return body * variable
    return ANY
