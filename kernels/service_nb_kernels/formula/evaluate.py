"""A tree as a function: closures over one arithmetic, balls or rationals, compiled once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cmp_to_key, reduce
from typing import Any

from flint import acb, arb, fmpq, fmpz

from service_nb_kernels.certified import elementary as el
from service_nb_kernels.certified import solve
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.errors import DomainError, Inexact, PackError, ShapeError, Unseparated
from service_nb_kernels.formula import tree as t
from service_nb_kernels.formula.functions import FUNCTIONS

Env = dict[str, Any]
Step = Callable[[Env], Any]
CHECK_EVERY = 1024  # turns of a loop, between looks at the clock


class Balls:
    """Interval arithmetic of any precision: what comes out encloses the true value."""

    def number(self, value: float) -> Any:
        """Return a double, exactly."""
        return arb(value)

    divide = staticmethod(el.divide)
    power = staticmethod(el.power)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of the language over balls."""
        return FUNCTIONS[name].ball

    def decide(self, comparison: str, a: Any, b: Any) -> bool:
        """Return whether a comparison is true; raise `Unseparated` if the balls do not tell."""
        if isinstance(a, acb) or isinstance(b, acb):
            raise PackError("An integral's variable is complex while it is computed; it cannot be compared.")
        if COMPARE[comparison](a, b):
            return True
        if COMPARE[OPPOSITE[comparison]](a, b):
            return False
        raise Unseparated

    def quotient(self, a: Any, b: Any) -> Any:
        """Return the whole part of a / b."""
        return a // b if isinstance(a, int) and isinstance(b, int) and b else el.floor(el.divide(a, b))

    def constant(self, name: str) -> Step | None:
        """Return the value of a mathematical constant."""
        make = {"pi": arb.pi, "e": arb.const_e, "euler_gamma": arb.const_euler, "inf": arb.pos_inf}.get(name)
        return None if make is None else lambda _: make()

    root = staticmethod(solve.root)
    integral = staticmethod(solve.integral)


class Rationals:
    """Exact arithmetic of fractions; it ends where the formula leaves them."""

    def number(self, value: float) -> Any:
        """Return a double, exactly."""
        return fmpq(*map(fmpz, value.as_integer_ratio()))

    def divide(self, a: Any, b: Any) -> Any:
        """Return a / b."""
        if b == 0:
            raise DomainError("a divisor", 0, "a number that is not 0")
        return fmpq(a) / fmpq(b)

    def power(self, a: Any, b: Any) -> Any:
        """Return a ** b of a whole b."""
        if isinstance(b, fmpq):
            if b.p == 1 and b.q == 2:
                return el.exact_sqrt(a)
            if b.q != 1:
                raise Inexact
            b = int(b.p)
        a = fmpq(a)
        if el.power_bits(a, b) > el.MOST_BITS:
            raise Inexact  # a tie has 54 bits: only powers of two are lost to this, and they are refused, not wrong
        return a**b if b >= 0 else self.divide(1, fmpq(a) ** -b)

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function of the language over rationals."""
        return FUNCTIONS[name].rational or _leaves

    def decide(self, comparison: str, a: Any, b: Any) -> bool:
        """Return whether a comparison is true."""
        return bool(COMPARE[comparison](a, b))

    def quotient(self, a: Any, b: Any) -> Any:
        """Return the whole part of a / b."""
        return el.exact_floor(self.divide(a, b))

    def constant(self, name: str) -> Step | None:
        """Return how a mathematical constant ends rational arithmetic."""
        return (lambda _: _leaves()) if name in ("pi", "e", "euler_gamma", "inf") else None

    def root(self, *_: Any) -> Any:
        """Leave the rationals."""
        raise Inexact

    integral = root


Arithmetic = Balls | Rationals
COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def _leaves(*_: Any) -> Any:
    raise Inexact


def compile_tree(node: t.Node, arithmetic: Arithmetic, constants: Mapping[str, t.Node]) -> Step:
    """Return the tree as a function of an environment: names to values.

    Parameters
    ----------
    constants : mapping
        The physical constants, as trees; a parameter of the same name comes first, and never occurs.
    """

    def of(part: t.Node) -> Step:
        return compile_tree(part, arithmetic, constants)

    match node:
        case t.Number(value):
            exact = int(value) if value.denominator == 1 else fmpq(value.numerator, value.denominator)
            return lambda _: exact
        case t.Text(text):
            return lambda _: text
        case t.Name(name):
            return _name(name, arithmetic, constants)
        case t.Negative(operand):
            inner = of(operand)
            return lambda env: -inner(env)
        case t.Binary(symbol, left, right):
            return _binary(symbol, of(left), of(right), arithmetic)
        case t.Compare(first, rest):
            return _compare(of(first), [(symbol, of(term)) for symbol, term in rest], arithmetic)
        case t.Logic(kind, operands):
            return _logic(kind, [of(operand) for operand in operands])
        case t.Where(condition, then, otherwise):
            test, yes, no = of(condition), of(then), of(otherwise)
            return lambda env: yes(env) if test(env) else no(env)
        case t.Call(function, arguments):
            return _call(function, arguments, of, arithmetic)
        case t.Each():
            items = _each(node, of)
            return lambda env: list(items(env))
        case t.Items(parts):
            steps = [of(part) for part in parts]
            return lambda env: [step(env) for step in steps]
        case t.Index(array, index):
            values, place = of(array), of(index)
            return lambda env: _item(values(env), place(env))
        case t.Slice(array, start, stop):
            return _slice(of(array), *(None if end is None else of(end) for end in (start, stop)))
        case t.Fields(fields):
            named = [(name, of(value)) for name, value in fields]
            return lambda env: {name: step(env) for name, step in named}
        case t.Let(definitions, body):
            return _let([(name, of(value)) for name, value in definitions], of(body))
    raise PackError(f"A {type(node).__name__.lower()} has no value by itself.")


def _name(name: str, arithmetic: Arithmetic, constants: Mapping[str, t.Node]) -> Step:
    if name in constants:
        return compile_tree(constants[name], arithmetic, constants)
    return arithmetic.constant(name) or operator.itemgetter(name)


def _binary(symbol: str, left: Step, right: Step, arithmetic: Arithmetic) -> Step:
    match symbol:
        case "+":
            return lambda env: left(env) + right(env)
        case "-":
            return lambda env: left(env) - right(env)
        case "*":
            return lambda env: left(env) * right(env)
        case "/":
            divide = arithmetic.divide
            return lambda env: divide(left(env), right(env))
        case "**":
            power = arithmetic.power
            return lambda env: power(left(env), right(env))
        case "//":
            quotient = arithmetic.quotient
            return lambda env: quotient(left(env), right(env))
    return lambda env: _remainder(left(env), right(env), arithmetic)


def _remainder(a: Any, b: Any, arithmetic: Arithmetic) -> Any:
    return a - b * arithmetic.quotient(a, b)


def _compare(first: Step, rest: list[tuple[str, Step]], arithmetic: Arithmetic) -> Step:
    decide = arithmetic.decide

    def holds(env: Env) -> bool:
        left = first(env)
        for symbol, step in rest:
            right = step(env)
            if not decide(symbol, left, right):
                return False
            left = right
        return True

    return holds


def _logic(kind: str, operands: list[Step]) -> Step:
    if kind == "not":
        return lambda env: not operands[0](env)
    if kind == "and":
        return lambda env: all(operand(env) for operand in operands)
    return lambda env: any(operand(env) for operand in operands)


def _let(definitions: list[tuple[str, Step]], body: Step) -> Step:
    def value(env: Env) -> Any:
        inner = dict(env)
        for name, step in definitions:
            inner[name] = step(inner)
        return body(inner)

    return value


def _item(values: list[Any], place: Any) -> Any:
    try:
        return values[el.whole(place) if not isinstance(place, int) else place]
    except IndexError:
        raise ShapeError("an array", f"{len(values)} items", f"an item at place {place}") from None


def _slice(array: Step, start: Step | None, stop: Step | None) -> Step:
    def run(env: Env) -> Any:
        ends = (None if end is None else end(env) for end in (start, stop))
        return array(env)[slice(*(None if end is None else el.whole(end) for end in ends))]

    return run


def _binder(target: t.Target) -> Callable[[Env, Any], None]:
    if isinstance(target, str):
        return lambda env, item: env.__setitem__(target, item)
    binders = [_binder(part) for part in target]

    def bind(env: Env, item: Any) -> None:
        for binder, part in zip(binders, item, strict=True):
            binder(env, part)

    return bind


def _each(node: t.Each, of: Callable[[t.Node], Step]) -> Callable[[Env], Iterable[Any]]:
    """The turns of nested loops, from the innermost outward."""
    body = of(node.body)
    inner: Callable[[Env], Iterable[Any]] = lambda env: (body(env),)  # noqa: E731  # one turn, inside of all loops
    for loop in reversed(node.loops):
        inner = _loop(loop, of, inner, None if loop is not node.loops[-1] else body)
    return lambda env: inner(dict(env))


def _loop(
    loop: t.Loop, of: Callable[[t.Node], Step], inner: Callable[[Env], Iterable[Any]], body: Step | None
) -> Callable[[Env], Iterable[Any]]:
    iterable, bind = of(loop.iterable), _binder(loop.target)
    conditions = [of(condition) for condition in loop.conditions]

    def turns(env: Env) -> Iterator[Any]:
        for turn, item in enumerate(iterable(env)):
            if not turn % CHECK_EVERY:
                check_deadline()
            bind(env, item)
            if all(condition(env) for condition in conditions):
                yield from inner(env)

    def plain_turns(env: Env) -> Iterator[Any]:  # the innermost loop, which is nearly every loop
        for turn, item in enumerate(iterable(env)):
            if not turn % CHECK_EVERY:
                check_deadline()
            bind(env, item)
            yield body(env)  # type: ignore[misc]

    return plain_turns if body is not None and not conditions else turns


def _call(name: str, arguments: tuple[t.Node, ...], of: Callable[[t.Node], Step], arithmetic: Arithmetic) -> Step:
    if name in ("root", "integral", "smallest"):
        return _solver(name, arguments, of, arithmetic)
    if name in ("enumerate", "zip", "range", "sorted", "len", "sum", "product") or (
        len(arguments) == 1 and name in ("min", "max")
    ):
        return _over_items(name, arguments, of, arithmetic)
    function = arithmetic.function(name)
    if len(arguments) == 1:
        (inner,) = map(of, arguments)
        return lambda env: function(inner(env))
    steps = [of(argument) for argument in arguments]
    return lambda env: function(*[step(env) for step in steps])


def _over_items(name: str, arguments: tuple[t.Node, ...], of: Callable[[t.Node], Step], arithmetic: Arithmetic) -> Step:
    steps = [_each(argument, of) if isinstance(argument, t.Each) else of(argument) for argument in arguments]
    least, most = arithmetic.function("min"), arithmetic.function("max")

    def in_order(values: Iterable[Any]) -> list[Any]:
        return sorted(values, key=cmp_to_key(lambda a, b: -1 if arithmetic.decide("<", a, b) else int(a is not b)))

    known: Mapping[str, Callable[..., Any]] = {
        "enumerate": enumerate,
        "zip": lambda *parts: zip(*parts, strict=True),
        "range": lambda *ends: range(*map(el.whole, ends)),
        "sorted": in_order,
        "len": lambda items: len(items) if isinstance(items, list) else sum(1 for _ in items),
        "sum": lambda items: sum(items, 0),
        "product": lambda items: reduce(operator.mul, items, 1),
        "min": lambda items: reduce(least, _some(items)),
        "max": lambda items: reduce(most, _some(items)),
    }
    apply = known[name]
    return lambda env: apply(*[step(env) for step in steps])


def _some(items: Iterable[Any]) -> list[Any]:
    values = list(items)
    if not values:
        raise ShapeError("an array", "no items", "at least one")
    return values


def _solver(name: str, arguments: tuple[t.Node, ...], of: Callable[[t.Node], Step], arithmetic: Arithmetic) -> Step:
    function, *ends = arguments
    if not isinstance(function, t.Lambda):
        raise PackError(f"{name} takes `lambda variable: …` first.")
    variable, body, bounds = function.variable, of(function.body), [of(end) for end in ends]
    solver: Callable[..., Any] = solve.smallest if name == "smallest" else getattr(arithmetic, name)

    def solved(env: Env) -> Any:
        inner = dict(env)

        def at(x: Any) -> Any:
            inner[variable] = x
            return body(inner)

        return solver(at, *[bound(env) for bound in bounds])

    return solved
