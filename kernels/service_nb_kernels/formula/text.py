"""A tree as text in the language of formulas: what a derived capability shows, stores and parses again."""

from __future__ import annotations

from service_nb_kernels.formula import tree as t

ORDER = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 4}
ATOM = 5


def to_text(node: t.Node) -> str:
    """Return the formula's text."""
    return _text(node)[0]


def _text(node: t.Node) -> tuple[str, int]:  # one line for each kind of node
    match node:
        case t.Number(_, written, unit):
            return (written if unit is None else f'{written}["{unit}"]'), ATOM
        case t.Text(value):
            return f'"{value}"', ATOM
        case t.Name(name):
            return name, ATOM
        case t.Negative(operand):
            return f"-{_wrapped(operand, 3)}", 3
        case t.Binary(operator, left, right):
            level = ORDER[operator]
            first = _wrapped(left, level + (operator == "**"))
            second = _wrapped(right, level + (operator != "**"))
            return (f"{first}**{second}" if operator == "**" else f"{first} {operator} {second}"), level
        case t.Compare(first, rest):
            return " ".join([_wrapped(first, 1), *(f"{symbol} {_wrapped(term, 1)}" for symbol, term in rest)]), 0
        case t.Logic("not", (operand,)):
            return f"not {_wrapped(operand, 1)}", 0
        case t.Logic(kind, operands):
            return f" {kind} ".join(_wrapped(operand, 1) for operand in operands), 0
        case t.Where(condition, then, otherwise):
            return f"{_wrapped(then, 1)} if {to_text(condition)} else {_wrapped(otherwise, 0)}", 0
        case t.Call(function, (t.Each() as each,)):
            return f"{function}({_each(each)})", ATOM
        case t.Call(function, arguments):
            return f"{function}({', '.join(map(to_text, arguments))})", ATOM
        case t.Lambda(variable, body):
            return f"lambda {variable}: {to_text(body)}", 0
        case t.Each():
            return f"[{_each(node)}]", ATOM
        case t.Items(items):
            return f"[{', '.join(map(to_text, items))}]", ATOM
        case t.Index(array, index):
            return f"{_wrapped(array, ATOM)}[{to_text(index)}]", ATOM
        case t.Slice(array, start, stop):
            ends = ":".join("" if end is None else to_text(end) for end in (start, stop))
            return f"{_wrapped(array, ATOM)}[{ends}]", ATOM
        case t.Fields(fields):
            return "{" + ", ".join(f'"{name}": {to_text(value)}' for name, value in fields) + "}", ATOM
        case t.Let(definitions, body):
            lines = [f"{name} = {to_text(value)}" for name, value in definitions]
            return "\n".join([*lines, to_text(body)]), 0


def _wrapped(node: t.Node, level: int) -> str:
    text, own = _text(node)
    return text if own >= level else f"({text})"


def _each(node: t.Each) -> str:
    loops = [
        f"for {_target(loop.target, is_outer=True)} in {_wrapped(loop.iterable, 1)}"
        + "".join(f" if {to_text(condition)}" for condition in loop.conditions)
        for loop in node.loops
    ]
    return " ".join([_wrapped(node.body, 0), *loops])


def _target(target: t.Target, *, is_outer: bool = False) -> str:
    if isinstance(target, str):
        return target
    inside = ", ".join(map(_target, target))
    return inside if is_outer and len(target) > 1 else f"({inside},)" if len(target) == 1 else f"({inside})"
