"""Arguments against their declaration: domains, sizes that must agree, conditions across parameters, limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import arb, fmpq

from service_nb_kernels import constants
from service_nb_kernels.certified.rounding import settle
from service_nb_kernels.declare import Capability, Parameter
from service_nb_kernels.errors import DomainError, Inexact, LimitError, ShapeError
from service_nb_kernels.formula.evaluate import Balls, Rationals, compile_tree
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.formula.tree import names
from service_nb_kernels.numeric import is_array, is_numpy_loaded, np
from service_nb_kernels.structures import check_structure

Checked = Sequence[Any]
Check = Callable[[Any, dict[str, int]], None]  # of one argument, beside the symbolic sizes known so far
LARGEST = {1: 1_000_000, 2: 1_000_000}  # items of a vector, of a matrix, where the capability states no limit
LARGEST_BITS = 4_000_000  # of an integer
SHORT = 64  # items: looked at one by one, faster than with NumPy


def checker(declared: Capability) -> Callable[[Sequence[Any]], Checked]:
    """Return what checks the arguments of a capability; it returns them as they are.

    Raises, when it is called
    -------------------------
    DomainError [domain_error], ShapeError [invalid_intent], LimitError [limit_exceeded]
    """
    checks = [
        _array_check(parameter, declared.limit) if parameter.shape else _scalar_check(parameter)
        for parameter in declared.params
    ]
    conditions = [_condition(text, declared) for text in declared.requires]
    if not conditions and all(not each.shape and each.scalar == "float64" for each in declared.params):
        return _doubles_check(declared.params)

    def check(arguments: Sequence[Any]) -> Checked:
        sizes: dict[str, int] = {}
        for holds, value in zip(checks, arguments, strict=True):
            holds(value, sizes)
        for condition in conditions:
            condition(arguments)
        return arguments

    return check


def _doubles_check(parameters: Sequence[Parameter]) -> Callable[[Sequence[Any]], Checked]:
    """Return what checks doubles of which each has a domain and nothing more is asked: the most frequent call."""
    ends = [(each.interval.low, each.interval.high) for each in parameters]
    checks = [_scalar_check(each) for each in parameters]

    def check(arguments: Sequence[Any]) -> Checked:
        for (low, high), holds, value in zip(ends, checks, arguments, strict=True):
            if not low < value < high:
                holds(value, {})
        return arguments

    return check


def _scalar_check(parameter: Parameter) -> Check:
    domain, name, choices = parameter.interval, parameter.name, parameter.choices

    def check(value: Any, _: dict[str, int]) -> None:
        if type(value) is float:
            if value not in domain:
                raise DomainError(name, value, f"a number in {domain}")
        elif choices and value not in choices:
            raise DomainError(name, value, "one of " + ", ".join(choices))
        elif type(value) is int:
            if value.bit_length() > LARGEST_BITS:
                raise LimitError(f"{name} has {value.bit_length()} bits; expected at most {LARGEST_BITS}.")
            if value not in domain:
                raise DomainError(name, value, f"a number in {domain}")

    return check


def _array_check(parameter: Parameter, limit: Mapping[str, int]) -> Check:
    shape, least = parameter.shape, max(1, parameter.min_size)
    most_items = math.inf if any(symbol in limit for symbol in shape) else LARGEST[len(shape)]

    def check(value: Any, sizes: dict[str, int]) -> None:
        met = shape_of(parameter, value, len(shape))
        for symbol, size in zip(shape, met, strict=True):
            if sizes.setdefault(symbol, size) != size:
                expected = f"{sizes[symbol]}, as many as the arguments before it"
                raise ShapeError(parameter.name, f"{size} items", expected)
            if size > limit.get(symbol, size):
                raise LimitError(f"{parameter.name} has {size:,} items; expected at most {limit[symbol]:,}.", met=size)
        if math.prod(met) > most_items:
            raise LimitError(f"{parameter.name} has {math.prod(met):,} items; expected at most {most_items:,}.")
        if met[0] < least:
            raise ShapeError(parameter.name, f"{met[0]} items", f"at least {least}")
        items(value)
        if parameter.structure is not None:
            check_structure(parameter.name, parameter.structure, value)

    items = _items_check(parameter)
    return check


def shape_of(parameter: Parameter, value: Any, dimensions: int) -> tuple[int, ...]:
    """Return the sizes of an array; the rows of a matrix are equally long."""
    if is_array(value):
        met: tuple[int, ...] = value.shape
        if len(met) != dimensions:
            raise ShapeError(parameter.name, f"{len(met)} dimensions", f"{dimensions}")
        return met
    if dimensions == 1:
        return (len(value),)
    wide = len(value[0]) if value else 0
    for row in value:
        if len(row) != wide:
            raise ShapeError(parameter.name, f"rows of {wide} and of {len(row)} items", "rows of one length")
    return (len(value), wide)


def _items_check(parameter: Parameter) -> Callable[[Any], None]:
    domain, choices = parameter.interval, parameter.choices
    if parameter.scalar not in ("float64", "int"):
        return (lambda value: _check_choices(parameter, value)) if choices else (lambda _: None)
    if not domain.edges:
        return lambda _: None

    def check(value: Any) -> None:
        if is_array(value) or (is_numpy_loaded() and parameter.scalar == "float64" and len(value) > SHORT):
            values = np.asarray(value, dtype=np.float64)
            value = [float(values.min()), float(values.max())] if values.size else []
        elif len(parameter.shape) > 1:
            value = [item for row in value for item in row]
        for item in value:
            if item not in domain:
                raise DomainError(parameter.name, item, f"items in {domain}")

    return check


def _check_choices(parameter: Parameter, value: Sequence[Any]) -> None:
    for item in value:
        if item not in parameter.choices:
            raise DomainError(parameter.name, item, "items of " + ", ".join(parameter.choices))


def _condition(text: str, declared: Capability) -> Callable[[Sequence[Any]], None]:
    tree, rationals = parse(text), Rationals()
    in_rationals, in_balls = (compile_tree(tree, each, constants.trees()) for each in (rationals, Balls()))
    read = names(tree)
    used = [
        (place, parameter.name, parameter.scalar == "float64")
        for place, parameter in enumerate(declared.params)
        if parameter.name in read
    ]

    def check(arguments: Sequence[Any]) -> None:
        values = {
            name: exact(arguments[place], rationals) if converts else arguments[place] for place, name, converts in used
        }
        try:
            holds = in_rationals(values)
        except Inexact:  # it names a function such as a sine
            holds = settle(in_balls, {name: _ball(value) for name, value in values.items()})
        if not holds:
            raise DomainError(" and ".join(name for _, name, _ in used), None, f"arguments with {text}")

    return check


def _ball(value: Any) -> Any:
    return (
        [_ball(item) for item in value] if isinstance(value, list) else arb(value) if isinstance(value, fmpq) else value
    )


def exact(value: Any, arithmetic: Rationals) -> Any:
    """Return doubles, alone or in arrays, as exact rationals."""
    if is_array(value):
        value = value.tolist()
    return [exact(item, arithmetic) for item in value] if isinstance(value, list) else arithmetic.number(value)
