"""Units as exact scales and exponents: enough to prove that a formula gives the unit it declares.

A unit is an exact scale times powers of base symbols. What has no rational scale (degrees) or means something else
(decibels, money, information) is a base symbol of its own; `?u` is a unit variable: any unit, the same wherever it
stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import fmpz

from service_nb_kernels.errors import PackError

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "deg", "dB", "money", "bit")

# Exact by definition: SI brochure (2019); international yard and pound (1959); IEC 80000-13.
DERIVED = {
    "g": "0.001 kg",
    "t": "1000 kg",
    "lb": "0.45359237 kg",
    "u": "1.66053906892e-27 kg",  # CODATA 2022
    "in": "0.0254 m",
    "ft": "0.3048 m",
    "mi": "1609.344 m",
    "nmi": "1852 m",
    "au": "149597870700 m",
    "ly": "9460730472580800 m",
    "L": "0.001 m^3",
    "ha": "10000 m^2",
    "min": "60 s",
    "h": "3600 s",
    "d": "86400 s",
    "wk": "604800 s",
    "yr": "31557600 s",
    "Hz": "1/s",
    "Bq": "1/s",
    "rpm": "0.016666666666666666666 1/s",
    "kn": "0.514444444444444444444 m/s",
    "N": "kg*m/s^2",
    "Pa": "N/m^2",
    "bar": "100000 Pa",
    "atm": "101325 Pa",
    "Torr": "133.322368421052631578947 Pa",
    "mmHg": "133.322387415 Pa",
    "psi": "6894.757293168361 Pa",
    "J": "N*m",
    "cal": "4.184 J",
    "eV": "1.602176634e-19 J",
    "Wh": "3600 J",
    "W": "J/s",
    "C": "A*s",
    "Ah": "3600 C",
    "V": "W/A",
    "ohm": "V/A",
    "S": "A/V",
    "F": "C/V",
    "H": "V*s/A",
    "Wb": "V*s",
    "T": "Wb/m^2",
    "Gs": "0.0001 T",
    "D": "3.33564095198152e-30 C*m",
    "Gy": "J/kg",
    "Sv": "J/kg",
    "kat": "mol/s",
    "M": "1000 mol/m^3",
    "lm": "cd",
    "lx": "lm/m^2",
    "P": "0.1 Pa*s",
    "St": "0.0001 m^2/s",
    "degC": "K",  # a difference; the offset is written in the formula: 273.15["K"]
    "rad": "1",
    "sr": "1",
    "byte": "8 bit",
    "B": "8 bit",
    "%": "0.01",
    "ppm": "0.000001",
    "ppb": "0.000000001",
}
LIGHT = 299_792_458  # m/s
SIXTIETHS = {"rpm": Fraction(1, 60), "kn": Fraction(1852, 3600), "Torr": Fraction(101325, 760)}
PREFIXES = {
    "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1,
    "d": -1, "c": -2, "m": -3, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21,
}  # fmt: skip
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
NO_PREFIX = frozenset(
    {"kg", "deg", "dB", "min", "h", "d", "wk", "yr", "%", "ppm", "ppb", "in", "ft", "mi", "nmi", "lb"}
)
TOKEN = re.compile(r"\s*(\?[a-z]\w*|[A-Za-z%]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[-*/^()+])")


@dataclass(frozen=True, slots=True)
class Unit:
    """The exponents of base symbols, those of zero left out.

    The scale is in there too, as exponents of its prime numbers (a kilometre is 2^3 5^3 m), so that roots of units stay
    exact.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    def __mul__(self, other: Unit) -> Unit:
        powers = dict(self.powers)
        for symbol, power in other.powers:
            powers[symbol] = powers.get(symbol, Fraction(0)) + power
        return Unit(tuple(sorted((s, p) for s, p in powers.items() if p)))

    def __truediv__(self, other: Unit) -> Unit:
        return self * other.power(Fraction(-1))

    def power(self, exponent: Fraction) -> Unit:
        """Raise to a rational power."""
        return Unit(tuple((s, p * exponent) for s, p in self.powers if exponent))

    @property
    def is_one(self) -> bool:
        """Whether it is the plain number."""
        return not self.powers

    def __str__(self) -> str:
        scale = math.prod(int(s) ** float(p) for s, p in self.powers if s.isdigit())
        powers = "*".join(s if p == 1 else f"{s}^{p}" for s, p in self.powers if not s.isdigit()) or "1"
        return powers if scale == 1 else f"{scale:.6g} {powers}"


ONE = Unit()


def scaled(scale: Fraction) -> Unit:
    """Return the plain number of a scale as a unit."""
    up = [(str(prime), Fraction(power)) for prime, power in fmpz(scale.numerator).factor()]
    down = [(str(prime), Fraction(-power)) for prime, power in fmpz(scale.denominator).factor()]
    return Unit(tuple(sorted(up + down)))


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Return the unit that a text such as ``"W/(m*K)"``, ``"m^0.5"`` or ``"?u^2"`` names.

    Raises
    ------
    PackError
        A symbol is unknown, or the text is malformed.
    """
    tokens = _tokens(text)
    unit = _product(tokens)
    if tokens:
        raise PackError(f"The unit {text!r} is malformed at {tokens[0]!r}.")
    return unit


def find_light_speed(unit: str) -> float | None:
    """Return the speed of light in a unit of speed; None for any other unit."""
    ratio = parse_unit(unit) / parse_unit("m/s")
    if not all(symbol.isdigit() for symbol, _ in ratio.powers):
        return None
    return LIGHT / float(math.prod(int(prime) ** float(power) for prime, power in ratio.powers))


def variables(unit: Unit) -> Iterator[str]:
    """Yield the unit variables in it."""
    return (symbol for symbol, _ in unit.powers if symbol.startswith("?"))


def _tokens(text: str) -> list[str]:
    tokens, place, text = [], 0, text.strip()
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise PackError(f"The unit {text!r} is malformed at {text[place:]!r}.")
        tokens.append(match[1])
        place = match.end()
    return tokens


def _product(tokens: list[str]) -> Unit:
    unit = _factor(tokens)
    while tokens and tokens[0] in ("*", "/"):
        operator = tokens.pop(0)
        factor = _factor(tokens)
        unit = unit * factor if operator == "*" else unit / factor
    return unit


def _factor(tokens: list[str]) -> Unit:
    if not tokens:
        raise PackError("A unit ends where a symbol was expected.")
    first = tokens.pop(0)
    if first == "(":
        unit = _product(tokens)
        if not tokens or tokens.pop(0) != ")":
            raise PackError("A bracket of a unit is not closed.")
    elif first[0].isdigit():
        unit = scaled(Fraction(first))
        if tokens and tokens[0][0].isalpha():  # "0.001 m^3", as the table writes it
            return unit * _product(tokens)
    else:
        unit = _symbol(first)
    if tokens and tokens[0] == "^":
        tokens.pop(0)
        unit = unit.power(_exponent(tokens))
    return unit


def _exponent(tokens: list[str]) -> Fraction:
    written = ""
    if tokens and tokens[0] == "(":
        written = "".join(tokens[1 : tokens.index(")")]) if ")" in tokens else ""
        del tokens[: tokens.index(")") + 1 if ")" in tokens else 1]
    else:
        while tokens and (tokens[0] == "-" or tokens[0][0].isdigit()) and not written.lstrip("-"):
            written += tokens.pop(0)
    try:
        return Fraction(written)
    except (ValueError, ZeroDivisionError):
        raise PackError(f"No exponent of a unit: {written!r}.") from None


@lru_cache(maxsize=1024)
def _symbol(symbol: str) -> Unit:
    if symbol in BASE or symbol.startswith("?"):
        return Unit(((symbol, Fraction(1)),))
    if symbol in SIXTIETHS:  # decimals cannot say a third
        return scaled(SIXTIETHS[symbol]) * parse_unit({"rpm": "1/s", "kn": "m/s", "Torr": "Pa"}[symbol])
    if symbol in DERIVED:
        return parse_unit(DERIVED[symbol])
    for prefix, power in (*PREFIXES.items(), *BINARY.items()):
        rest = symbol.removeprefix(prefix)
        if rest != symbol and (rest in BASE or rest in DERIVED) and rest not in NO_PREFIX:
            scale = Fraction(2 if prefix in BINARY else 10) ** power
            return scaled(scale) * _symbol(rest)
    raise PackError(f"No unit {symbol!r}.")
