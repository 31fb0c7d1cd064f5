"""Formula text to tree, by Python's own parser of expressions. What is not in the language is refused by name."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from service_nb_kernels.errors import PackError
from service_nb_kernels.formula.functions import ARITY
from service_nb_kernels.formula.tree import (
    Binary,
    Call,
    Compare,
    Comparison,
    Each,
    Fields,
    Index,
    Items,
    Lambda,
    Let,
    Logic,
    Loop,
    Name,
    Negative,
    Node,
    Number,
    Operator,
    Slice,
    Target,
    Text,
    Where,
    names,
)

LONGEST = 20_000  # characters
REDUCTIONS = frozenset({"sum", "product", "min", "max", "len"})
ITERABLES = frozenset({"enumerate", "zip", "range", "sorted"})
OPERATORS: Mapping[type[ast.operator], Operator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
COMPARISONS: Mapping[type[ast.cmpop], Comparison] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def parse(text: str, define: Mapping[str, str] | None = None) -> Node:
    """Return the tree of a formula.

    Parameters
    ----------
    text : str
        Lines of ``name = expression``, then the expression that is the result.
    define : mapping, optional
        Shared definitions of the topic; those that the formula names, directly or through others, become its first
        lines.

    Raises
    ------
    PackError
        The text is no formula of this language.
    """
    lines = _statements(text)
    *definitions, (name, body) = lines
    if name is not None or any(known is None for known, _ in definitions):
        raise PackError(f"The last line of a formula is its result, the others are definitions: {text!r:.120}")
    local = [(str(known), value) for known, value in definitions]
    used = set().union(names(body), *(names(value) for _, value in local)) - {known for known, _ in local}
    shared = _shared(used, define or {})
    return Let((*shared, *local), body) if shared or local else body


def _shared(used: set[str], define: Mapping[str, str], open_names: tuple[str, ...] = ()) -> list[tuple[str, Node]]:
    """The shared definitions behind the used names, each after those it needs."""
    found: dict[str, Node] = {}
    for name in sorted(used & define.keys()):
        if name in open_names:
            raise PackError(f"The definition of {name} needs itself.")
        value = parse(define[name])
        found.update(_shared(names(value), define, (*open_names, name)))
        found[name] = value
    return list(found.items())


def _statements(text: str) -> list[tuple[str | None, Node]]:
    if len(text) > LONGEST:
        raise PackError(f"A formula of {len(text)} characters; expected at most {LONGEST}.")
    source = text.strip()
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise PackError(f"No formula: {source!r:.120} ({error}).") from error
    if not module.body:
        raise PackError("The formula is empty.")
    return [_statement(node, source) for node in module.body]


def _statement(node: ast.stmt, source: str) -> tuple[str | None, Node]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, _node(value, source)
        case ast.Expr(value=value):
            return None, _node(value, source)
    raise _unknown(node, source)


def _unknown(node: ast.AST, source: str) -> PackError:
    shown = ast.get_source_segment(source, node) or type(node).__name__
    return PackError(f"Not in the language of formulas: {shown!r:.80}.")


def _node(node: ast.expr, source: str) -> Node:  # one line for each form of expression
    match node:
        case ast.Constant() | ast.Subscript(value=ast.Constant()):
            return _literal(node, source)
        case ast.Name(id=name):
            return Name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Negative(_node(operand, source))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Logic("not", (_node(operand, source),))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return Binary(OPERATORS[type(op)], _node(left, source), _node(right, source))
        case ast.BoolOp(op=op, values=values):
            return Logic("and" if isinstance(op, ast.And) else "or", tuple(_node(value, source) for value in values))
        case ast.Compare() if all(type(op) in COMPARISONS for op in node.ops):
            rest = zip(node.ops, node.comparators, strict=True)
            return Compare(
                _node(node.left, source), tuple((COMPARISONS[type(op)], _node(term, source)) for op, term in rest)
            )
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return Where(_node(test, source), _node(body, source), _node(orelse, source))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments, source)
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=variable)]), body=body):
            return Lambda(variable, _node(body, source))
        case ast.ListComp(elt=body, generators=loops) | ast.GeneratorExp(elt=body, generators=loops):
            return Each(_node(body, source), tuple(_loop(loop, source) for loop in loops))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return Items(tuple(_node(item, source) for item in items))
        case ast.Subscript(value=array, slice=ast.Slice(lower=start, upper=stop, step=None)):
            ends = [None if end is None else _node(end, source) for end in (start, stop)]
            return Slice(_node(array, source), *ends)
        case ast.Subscript(value=array, slice=index):
            return Index(_node(array, source), _node(index, source))
        case ast.Dict(keys=keys, values=values):
            return Fields(
                tuple((_key(key, source), _node(value, source)) for key, value in zip(keys, values, strict=True))
            )
    raise _unknown(node, source)


def _key(key: ast.expr | None, source: str) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    raise _unknown(key or ast.Constant(None), source)


def _literal(node: ast.expr, source: str) -> Node:
    match node:
        case ast.Constant(value=str() as text):
            return Text(text)
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float()):
            written = str(ast.get_source_segment(source, node))  # 0.161 is 161/1000, not the double next to it
            return Number(Fraction(written.replace("_", "")), written)
        case ast.Subscript(value=ast.Constant() as number, slice=ast.Constant(value=str() as unit)):
            literal = _literal(number, source)
            if isinstance(literal, Number):
                return Number(literal.value, literal.text, unit)
    raise _unknown(node, source)


def _call(name: str, arguments: list[ast.expr], source: str) -> Node:
    parsed = tuple(_node(argument, source) for argument in arguments)
    if name not in ARITY and name not in REDUCTIONS and name not in ITERABLES:
        raise PackError(f"No function {name!r} in the language of formulas.")
    arity = ARITY.get(name)
    if arity is not None and len(parsed) not in arity:
        raise PackError(f"{name} takes {' or '.join(map(str, arity))} arguments; met {len(parsed)}.")
    return Call(name, parsed)


def _loop(loop: ast.comprehension, source: str) -> Loop:
    conditions = tuple(_node(condition, source) for condition in loop.ifs)
    return Loop(_target(loop.target, source), _node(loop.iter, source), conditions)


def _target(target: ast.expr, source: str) -> Target:
    match target:
        case ast.Name(id=name):
            return name
        case ast.Tuple(elts=parts):
            return tuple(_target(part, source) for part in parts)
    raise _unknown(target, source)
