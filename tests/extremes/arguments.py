"""Extreme arguments of a capability, from the types, domains and sizes that it declares; the same ones each time."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from service_nb_kernels.declare import Capability, Case, Parameter
from service_nb_kernels.domain import Domain

LEAST, LEAST_NORMAL, MOST = 5e-324, sys.float_info.min, sys.float_info.max
MAGNITUDES = (
    *(
        LEAST,
        2 * LEAST,
        LEAST_NORMAL,
        math.nextafter(LEAST_NORMAL, 0),
        1e-300,
        1e-160,
        1e-20,
        2.0**-53,
        1e-9,
        1e-3,
        0.1,
    ),
    *(0.5, math.nextafter(1, 0), 1.0, math.nextafter(1, 2), 1.5, 2.0, math.pi, 10.0, 170.5, 709.8, 745.2, 1e3, 1e6),
    *(2.0**31, 1e12, 2.0**53, 2.0**53 + 2, 1e18, 2.0**63, 1e22, 1e100, 1e154, 1.4e154, 1e200, 1e300, MOST / 2, MOST),
)
WHOLE = (
    *(0, 1, 2, 3, 4, 5, 7, 10, 20, 31, 64, 97, 100, 171, 200, 256, 341, 500, 1000, 4096, 10**4, 10**5, 10**6, 10**7),
    *(
        2**31 - 1,
        2**31,
        10**9,
        2**32,
        10**12,
        2**53 + 1,
        2**61 - 1,
        2**63 - 1,
        2**63,
        2**64,
        10**20,
        10**30,
        2**127 - 1,
    ),
    *(10**100, 2**607 - 1, 10**400, 10**1000, 2**4000 - 1, 10**5000, 10**40000),
)
TEXTS = (
    "",
    " ",
    "a",
    "A" * 1000,
    "\0",
    "é",
    "e\u0301",
    "\U0001f600",
    "0",
    "-1",
    "1e400",
    "nan",
    "\u202e",
    "\ud7ff" * 50,
)
SIZES = (1, 1, 2, 2, 3, 4, 5, 8, 17, 33, 64)
LARGEST_SQUARE, LARGEST_VECTOR = 40, 20_000
RARELY = 24  # one of so many calls has a long vector

Draw = Callable[[], Any]


def good_cases(declared: Capability) -> list[Case]:
    """The cases that give a value."""
    return [case for case in declared.cases if case.error is None]


def typed(value: Any, scalar: str) -> Any:
    """A value of a case, in the type of its parameter."""
    if isinstance(value, list):
        return [typed(item, scalar) for item in value]
    return float(value) if scalar == "float64" else int(value) if scalar == "int" else value


def extreme_arguments(declared: Capability, number: int) -> tuple[list[Any], int | None]:
    """Return the arguments of one extreme call, and its seed.

    Calls of even numbers start from a case that gives a value and change one argument of it, or half of them, so that
    conditions across parameters still hold; in the others every argument is an extreme one of its domain.
    """
    chance = random.Random(f"{declared.id} {number}")
    cases = good_cases(declared)
    case = chance.choice(cases) if cases and number % 2 == 0 else None
    places = range(len(declared.params))
    changed = set(places)
    if case is not None and places:
        changed = {chance.choice(places)} if number % 4 == 0 else {place for place in places if chance.random() < 0.5}
    maker = _Maker(chance, declared, is_long=chance.randrange(RARELY) == 0)
    made: list[Any] = [None] * len(places)
    for place, parameter in enumerate(declared.params):
        if place not in changed and case is not None:
            made[place] = maker.kept(parameter, case)
    for place, parameter in enumerate(declared.params):
        if place in changed:
            made[place] = maker.extreme(parameter)
    seed = None
    if declared.tier == "seeded":
        seed = chance.choice((0, 1, 2**63 - 1, 2**64 - 1))
    return made, seed


class _Maker:
    """Makes the arguments of one call, whose arrays agree in their sizes."""

    def __init__(self, chance: random.Random, declared: Capability, *, is_long: bool) -> None:
        self._chance, self._limit, self._is_long = chance, declared.limit, is_long
        self._sizes: dict[str, int] = {}

    def kept(self, parameter: Parameter, case: Case) -> Any:
        value = typed(case.arguments[parameter.name], parameter.scalar)
        met = value
        for symbol in parameter.shape:
            self._sizes.setdefault(symbol, len(met))
            met = met[0] if met else []
        return value

    def extreme(self, parameter: Parameter) -> Any:
        draw = self._drawer(parameter)
        if not parameter.shape:
            return draw()
        sizes = [self._size(symbol, parameter) for symbol in parameter.shape]
        if len(sizes) == 1:
            return self._vector(sizes[0], draw)
        return self._matrix(sizes[0], sizes[1], draw, parameter)

    def _size(self, symbol: str, parameter: Parameter) -> int:
        if symbol not in self._sizes:
            most = min(self._limit.get(symbol, LARGEST_VECTOR), LARGEST_VECTOR)
            if len(parameter.shape) > 1:
                most = min(most, LARGEST_SQUARE)
            size = most if self._is_long else self._chance.choice(SIZES)
            self._sizes[symbol] = max(1, min(most, size), parameter.min_size)
        return self._sizes[symbol]

    def _drawer(self, parameter: Parameter) -> Draw:
        chance, domain = self._chance, parameter.interval
        if parameter.choices:
            return lambda: chance.choice(parameter.choices)
        if parameter.scalar == "bool":
            return lambda: chance.random() < 0.5
        if parameter.scalar == "float64":
            return _of(chance, doubles_of(domain), lambda: _between(chance, domain))
        if parameter.scalar == "int":
            return _of(chance, integers_of(domain), lambda: int(_between(chance, domain)))
        return lambda: chance.choice(TEXTS)

    def _vector(self, size: int, draw: Draw) -> list[Any]:
        chance, items = self._chance, [draw() for _ in range(min(size, 64))]
        match chance.randrange(6):
            case 0:
                return [items[0]] * size
            case 1:  # two values by turns: sums cancel, and means of neighbours repeat
                return [items[place % min(2, len(items))] for place in range(size)]
            case 2:
                return sorted(_repeated(items, size))
            case 3:
                return sorted(_repeated(items, size), reverse=True)
            case 4:
                return [*([items[0]] * (size - 1)), items[-1]]
        return _repeated(items, size)

    def _matrix(self, rows: int, columns: int, draw: Draw, parameter: Parameter) -> list[list[Any]]:
        chance = self._chance
        one = chance.choice([draw(), 1.0 if parameter.scalar == "float64" else 1])
        zero = 0.0 if parameter.scalar == "float64" else 0
        fits = zero in parameter.interval
        match chance.randrange(7):
            case 0 if fits:
                return [[one if i == j else zero for j in range(columns)] for i in range(rows)]
            case 1:
                return [[one] * columns for _ in range(rows)]
            case 2:  # rows that repeat: singular
                row = [draw() for _ in range(columns)]
                return [list(row) for _ in range(rows)]
            case 3:
                made = [[draw() for _ in range(columns)] for _ in range(rows)]
                return [[made[max(i, j) % rows][min(i, j) % columns] for j in range(columns)] for i in range(rows)]
            case 4 if fits:  # nothing below the diagonal
                return [[draw() if j >= i else zero for j in range(columns)] for i in range(rows)]
            case 5 if parameter.scalar == "float64" and 1e-3 in parameter.interval:  # Hilbert's: nearly singular
                return [[1 / (i + j + 1) for j in range(columns)] for i in range(rows)]
        return [[draw() for _ in range(columns)] for _ in range(rows)]


def _of(chance: random.Random, extremes: Sequence[Any], between: Draw) -> Draw:
    return lambda: chance.choice(extremes) if chance.random() < 0.8 else between()


def _repeated(items: list[Any], size: int) -> list[Any]:
    return (items * (size // len(items) + 1))[:size]


def doubles_of(domain: Domain) -> list[float]:
    """The extreme doubles of a domain: those of the type, its ends and what is beside them."""
    found = [0.0, *MAGNITUDES, *(-value for value in MAGNITUDES)]
    for end, _ in domain.edges:
        found += [float(end), math.nextafter(end, math.inf), math.nextafter(end, -math.inf)]
        found += [end * (1 + 2.0**-30), end * (1 - 2.0**-30), end / 2, end + 0.5, end - 0.5]
    return sorted({value for value in found if value in domain and math.isfinite(value)}) or [float(domain.low)]


def integers_of(domain: Domain) -> list[int]:
    """The extreme integers of a domain."""
    found = {*WHOLE, *(-value for value in WHOLE)}
    for end, _ in domain.edges:
        found |= {int(end) + step for step in (-2, -1, 0, 1, 2)} | {int(end) // 2, int(end) // 1000}
    return sorted(value for value in found if value in domain) or [int(domain.low)]


def _between(chance: random.Random, domain: Domain) -> float:
    """Some double of a domain, of any magnitude."""
    low, high = max(domain.low, -1e300), min(domain.high, 1e300)
    for _ in range(8):
        value = chance.choice((1, -1)) * 10.0 ** chance.uniform(-20, 20)
        value = value if low < value < high else low + (high - low) * chance.random()
        if value in domain and math.isfinite(value):
            return value
    return doubles_of(domain)[0]


def shown(arguments: Sequence[Any], declared: Capability, most: int = 2_000) -> str:
    """The arguments by name, long ones cut."""
    parts = (f"{parameter.name}={_short(value)}" for parameter, value in zip(declared.params, arguments, strict=True))
    return ", ".join(parts)[:most]


def _short(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**40:
        return f"<{value.bit_length()} bits>"
    if isinstance(value, list):
        same = len(value) > 3 and all(a == b for a, b in pairwise(value))
        return f"[{_short(value[0])}] * {len(value)}" if same else "[" + ", ".join(map(_short, value)) + "]"
    return repr(value)
