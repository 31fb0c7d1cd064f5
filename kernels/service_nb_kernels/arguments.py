"""Arguments against their declaration: domains, sizes that must agree, conditions across parameters, limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from service_nb_kernels import constants
from service_nb_kernels.declare import Capability, Parameter
from service_nb_kernels.domain import Domain
from service_nb_kernels.errors import DomainError, LimitError, ShapeError
from service_nb_kernels.formula.evaluate import Rationals, Step, compile_tree
from service_nb_kernels.formula.parse import parse

Checked = Sequence[Any]
LARGEST = {1: 1_000_000, 2: 1_000_000}  # items of a vector, of a matrix, where the capability states no limit
LARGEST_BITS = 4_000_000  # of an integer
SHORT = 64  # items: looked at one by one, faster than with NumPy


def check(declared: Capability, arguments: Sequence[Any]) -> Checked:
    """Return the arguments, provided that the capability takes them.

    Raises
    ------
    DomainError [domain_error], ShapeError [invalid_intent], LimitError [limit_exceeded]
    """
    sizes: dict[str, int] = {}
    for parameter, value in zip(declared.params, arguments, strict=True):
        if parameter.shape:
            _check_array(parameter, value, sizes, declared)
        else:
            _check_scalar(parameter, value)
    for text in declared.requires:
        _check_condition(text, declared, arguments)
    return arguments


def _check_scalar(parameter: Parameter, value: Any) -> None:
    if parameter.choices and value not in parameter.choices:
        raise DomainError(parameter.name, value, "one of " + ", ".join(parameter.choices))
    if isinstance(value, str | bool):
        return
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise LimitError(f"{parameter.name} has {value.bit_length()} bits; expected at most {LARGEST_BITS}.")
    if value not in parameter.interval:
        raise DomainError(parameter.name, value, f"a number in {parameter.domain}")


def _check_array(parameter: Parameter, value: Any, sizes: dict[str, int], declared: Capability) -> None:
    met = shape_of(parameter, value)
    total = 1
    for symbol, size in zip(parameter.shape, met, strict=True):
        total *= size
        if sizes.setdefault(symbol, size) != size:
            raise ShapeError(parameter.name, f"{size} items", f"{sizes[symbol]}, as many as the arguments before it")
        most = declared.limit.get(symbol)
        if most is not None and size > most:
            raise LimitError(
                f"{parameter.name} has {size:,} items; expected at most {most:,}.", expected=most, met=size
            )
    if total > LARGEST[len(met)] and not any(symbol in declared.limit for symbol in parameter.shape):
        raise LimitError(f"{parameter.name} has {total:,} items; expected at most {LARGEST[len(met)]:,}.", met=total)
    if met[0] < max(1, parameter.min_size):
        raise ShapeError(parameter.name, f"{met[0]} items", f"at least {max(1, parameter.min_size)}")
    _check_items(parameter, value)


def shape_of(parameter: Parameter, value: Any) -> tuple[int, ...]:
    """Return the sizes of an array; the rows of a matrix are equally long."""
    if isinstance(value, np.ndarray):
        met: tuple[int, ...] = value.shape
    elif len(parameter.shape) == 1:
        met = (len(value),)
    else:
        met = (len(value), len(value[0]) if value else 0)
        for row in value:
            if len(row) != met[1]:
                raise ShapeError(parameter.name, f"rows of {met[1]} and of {len(row)} items", "rows of one length")
    if len(met) != len(parameter.shape):
        raise ShapeError(parameter.name, f"{len(met)} dimensions", f"{len(parameter.shape)}")
    return met


def _check_items(parameter: Parameter, value: Any) -> None:
    if parameter.choices:
        for item in value:
            if item not in parameter.choices:
                raise DomainError(parameter.name, item, "items of " + ", ".join(parameter.choices))
    if parameter.scalar not in ("float64", "int"):
        return
    domain = parameter.interval
    if not domain.edges:
        return
    if isinstance(value, np.ndarray) or (parameter.scalar == "float64" and len(value) > SHORT):
        _check_many(parameter, np.asarray(value, dtype=np.float64), domain)
        return
    for item in value if len(parameter.shape) == 1 else [item for row in value for item in row]:
        if item not in domain:
            raise DomainError(parameter.name, item, f"items in {parameter.domain}")


def _check_many(parameter: Parameter, values: np.ndarray, domain: Domain) -> None:
    if values.size:
        for extreme in (float(values.min()), float(values.max())):
            if extreme not in domain:
                raise DomainError(parameter.name, extreme, f"items in {parameter.domain}")


def _check_condition(text: str, declared: Capability, arguments: Sequence[Any]) -> None:
    condition = _condition(text)
    rationals = Rationals()
    values = {
        parameter.name: _exact(value, rationals) if parameter.scalar == "float64" else value
        for parameter, value in zip(declared.params, arguments, strict=True)
    }
    if not condition(values):
        names = [param.name for param in declared.params if param.name in text]
        raise DomainError(" and ".join(names) or declared.id, None, f"arguments with {text}")


def _exact(value: Any, rationals: Rationals) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return [_exact(item, rationals) for item in value] if isinstance(value, list) else rationals.number(value)


@lru_cache(maxsize=4096)
def _condition(text: str) -> Step:
    return compile_tree(parse(text), Rationals(), constants.trees())
