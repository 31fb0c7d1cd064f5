"""Literal arguments in their declared types. What a value means is never guessed; what would lose digits is refused.

=============  =========================================================================================
declared       taken
=============  =========================================================================================
float64        finite numbers that a double holds exactly (so not 2**53 + 1), and decimals, of which the nearest double
               is taken, as of 0.1 in a line; negative zero becomes zero
int            whole numbers of up to 4,300 digits; beyond 2**53 - 1 also, and on the wire always, as text
bool, string   themselves
arrays         lists, tuples, NumPy arrays, and what turns itself into one (`__array__`), of the same items
=============  =========================================================================================
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from service_nb.core.canonical import MAX_DIGITS, MAX_SAFE_INTEGER
from service_nb.core.words import describe_value
from service_nb.schema.compute import Parameter, Scalar

LONG = 1_000  # items, from which on an array of doubles is one of NumPy's
MAX_ITEMS = 50_000_000  # of one array
MAX_CHARS = 1_000_000  # of one text
_WHOLE = re.compile(r"-?[0-9]+", re.ASCII)
_MOST_BITS = int(MAX_DIGITS * math.log2(10))

Convert = Callable[[Any], Any]
EXPECTED: dict[Scalar, str] = {
    "float64": "a finite number that a float64 holds exactly",
    "int": f"a whole number of at most {MAX_DIGITS:,} digits",
    "bool": "true or false",
    "string": f"text of at most {MAX_CHARS:,} characters",
}


class MisfitError(Exception):
    """A value does not have the declared type: what was met, what was expected, and at which item."""

    def __init__(self, met: str, expected: str, index: int | None = None) -> None:
        super().__init__(met, expected)
        self.met, self.expected, self.index = met, expected, index


def build_converter(parameter: Parameter) -> Convert:
    """Build the function that converts a literal to the parameter's type, or raises `MisfitError`."""
    item = _ITEMS[parameter.scalar]
    if not parameter.shape:
        return item
    vector = _convert_floats if parameter.scalar == "float64" else _build_vector_converter(item)
    if len(parameter.shape) == 1:
        return vector
    return lambda value: _convert_matrix(value, vector)


def _convert_float(value: object) -> float:
    if type(value) is float:
        number = value
    elif isinstance(value, float | np.floating):
        number = float(value)
        exact = value == number
        if not exact and value == value:  # a wider float of NumPy's
            raise MisfitError(f"a {type(value).__name__} beyond float64", EXPECTED["float64"])
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = _convert_exactly(int(value))
    elif isinstance(value, Decimal):
        number = float(value) if value.is_finite() else math.nan
    else:
        raise MisfitError(describe_value(value), EXPECTED["float64"])
    if not math.isfinite(number):
        raise MisfitError(describe_value(value if isinstance(value, Decimal) else number), EXPECTED["float64"])
    return number + 0.0


def _convert_exactly(value: int) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise MisfitError("a number beyond the range of float64", EXPECTED["float64"]) from None
    if number != value:
        raise MisfitError(f"{describe_value(value)}, which no float64 holds exactly", EXPECTED["float64"])
    return number


def _convert_int(value: object) -> int:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        whole = int(value)
        if whole.bit_length() > _MOST_BITS:
            raise MisfitError(f"a number of {whole.bit_length():,} bits", EXPECTED["int"])
        return whole
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() < MAX_DIGITS and value == int(value):
        return int(value)
    # A number of JSON has no type: 3.0 is the text of 3 in every language but this one.
    if isinstance(value, float) and abs(value) <= MAX_SAFE_INTEGER and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _WHOLE.fullmatch(value):
        return int(value)
    met = (
        f"text of {len(value):,} characters"
        if isinstance(value, str) and len(value) > MAX_DIGITS
        else describe_value(value)
    )
    raise MisfitError(met, EXPECTED["int"])


def _convert_bool(value: object) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise MisfitError(describe_value(value), EXPECTED["bool"])


def _convert_string(value: object) -> str:
    if not isinstance(value, str):
        raise MisfitError(describe_value(value), EXPECTED["string"])
    if len(value) > MAX_CHARS:
        raise MisfitError(f"text of {len(value):,} characters", EXPECTED["string"])
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MisfitError("text with a lone surrogate", "text that can be encoded") from None
    return str(value)


_ITEMS: dict[Scalar, Convert] = {
    "float64": _convert_float,
    "int": _convert_int,
    "bool": _convert_bool,
    "string": _convert_string,
}


def _require_items(value: object) -> Any:
    """Require a list, tuple or array of at most `MAX_ITEMS`; the items themselves are not checked."""
    if not isinstance(value, list | tuple | np.ndarray) and hasattr(value, "__array__"):
        value = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, list | tuple | np.ndarray):
        raise MisfitError(describe_value(value), "a list")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise MisfitError("an array without dimensions", "a list")
    count = value.size if isinstance(value, np.ndarray) else len(value)
    if count > MAX_ITEMS:
        raise MisfitError(f"{count:,} items", f"at most {MAX_ITEMS:,} items")
    return value


def _convert_floats(value: object) -> object:
    items = _require_items(value)
    if isinstance(items, np.ndarray):
        if items.ndim == 1 and items.dtype.kind == "f" and items.dtype.itemsize <= 8:
            return require_finite(items.astype(np.float64, copy=False))
        items = items.tolist() if items.ndim == 1 else list(items)
    kinds = set(map(type, items))
    if not kinds <= {float}:
        items = _convert_numbers(items) if kinds <= {float, int} else convert_each(_convert_float, items)
    if len(items) > LONG:
        return require_finite(np.array(items, dtype=np.float64))
    if not all(map(math.isfinite, items)):
        items = convert_each(_convert_float, items)
    return [item + 0.0 for item in items]


def _convert_numbers(items: Sequence[Any]) -> list[float]:
    """Convert numbers to doubles: all at once if each is exact, else one by one, to find the first that is not."""
    try:
        doubles = list(map(float, items))
    except OverflowError:
        return convert_each(_convert_float, items)
    return doubles if all(map(operator.eq, doubles, items)) else convert_each(_convert_float, items)


def require_finite(values: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    """Require finite doubles and drop the sign of zeros; raise `MisfitError` at the first that is not finite."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        first = int(bad[0])
        raise MisfitError(describe_value(float(values[first])), EXPECTED["float64"], first)
    return values + 0.0


def convert_each(item: Convert, items: Sequence[object]) -> list[Any]:
    """Convert every item; a `MisfitError` has the index of the one that failed."""
    converted: list[Any] = []
    try:
        for value in items:
            converted.append(item(value))  # noqa: PERF401  # its length says where a fault is
    except MisfitError as misfit:
        raise MisfitError(misfit.met, misfit.expected, len(converted)) from None
    return converted


def _build_vector_converter(item: Convert) -> Convert:
    def vector(value: object) -> list[object]:
        items = _require_items(value)
        return convert_each(item, items.tolist() if isinstance(items, np.ndarray) and items.ndim == 1 else items)

    return vector


def _convert_matrix(value: object, vector: Convert) -> object:
    items = _require_items(value)
    if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype == np.float64:
        flat = require_finite(items.reshape(-1))
        return flat.reshape(items.shape)
    rows = convert_each(vector, items)
    if not any(isinstance(row, np.ndarray) for row in rows):
        return rows
    return np.array(rows) if len(set(map(len, rows))) == 1 else [list(map(float, row)) for row in rows]
