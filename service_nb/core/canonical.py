"""Write canonical JSON (RFC 8785 with the additions of service_nb), and read JSON strictly.

========================================  =====================================================================
value                                     canonical form
========================================  =====================================================================
None, bool, str                           as JSON; strings escape only what JSON must
float                                     ECMAScript's number text; -0.0 is ``0``
NaN, +inf, -inf                           the strings "NaN", "Infinity", "-Infinity"
int up to ±(2**53 - 1)                    digits
int beyond                                a string of its digits
Decimal                                   a string of plain digits, scale as given ("1.50"); a zero has no sign
date                                      "YYYY-MM-DD"
datetime, naive                           "YYYY-MM-DDTHH:MM:SS", with ".ffffff" when there is a fraction
list, tuple                               array
dict with str keys                        object, keys in the order of their UTF-16 code units
========================================  =====================================================================

Subclasses of float, int, str, list, tuple and dict count as their base, so `numpy.float64` and `numpy.str_` pass.
Refused with `CanonicalJsonError`: every other type (NumPy's other scalars, pandas' Timestamp, sets, bytes), datetimes
with a zone, lone surrogates, keys that are no strings, nesting beyond 64 and numbers beyond 4,300 digits.

One thing does not come back from canonical text as it went in: a whole float from 2**53 to 1e21 is bare digits, which
read as an integer. Who reads back knows the column's type, and converts.

Whole columns have a fast path of the same bytes in `canonical_vectors`.

`parse_strict` refuses, with line and column, what `json.loads` accepts silently: Python's own reader keeps the last of
two equal keys, takes NaN and lone surrogates, turns 1e400 into infinity and overruns the stack on deep input. Size,
encoding, surrogates and depth are checked on the raw text before parsing.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NoReturn

from service_nb.errors import CanonicalJsonError, LimitExceededError

MAX_DEPTH = 64
MAX_DIGITS = 4_300  # of one number, as in Python's own guard against quadratic conversion
DEFAULT_MAX_BYTES = 16 * 1024**2
MAX_SAFE_INTEGER = 2**53 - 1  # beyond it other readers of JSON round
_TOO_MANY_DIGITS = 10**MAX_DIGITS


def write_canonical_text(value: object) -> str:
    """Write the canonical JSON of `value` as text.

    Raises
    ------
    CanonicalJsonError
        If `value` has no canonical form; `details["path"]` says where.
    """
    text = _encode(value, 0)
    if not text.isascii():
        _encode_utf8(text)
    return text


def write_canonical_bytes(value: object) -> bytes:
    """Return the canonical JSON of `value` as UTF-8; see `write_canonical_text`."""
    return _encode_utf8(_encode(value, 0))


def write_float(value: float) -> str:
    """Write one float in canonical form: ECMAScript's Number::toString, or a quoted name if not finite."""
    magnitude = abs(value)
    if 1e-4 <= magnitude < 1e16:
        # Python's repr and ECMAScript agree in this range but for the ".0" of whole numbers.
        return repr(value).removesuffix(".0")
    if magnitude == 0:
        return "0"
    if not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    if magnitude >= 1e21 or magnitude < 1e-6:
        # Exponents stay, but Python pads them to two digits.
        return repr(value).replace("e-0", "e-")
    digits, exponent = repr(magnitude).split("e")
    digits, shift = digits.replace(".", ""), int(exponent)
    text = digits.ljust(shift + 1, "0") if shift > 0 else "0." + "0" * (-shift - 1) + digits
    return "-" + text if value < 0 else text


def write_integer(value: int) -> str:
    """Write one integer in canonical form: digits, quoted beyond 2**53 - 1."""
    if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return int.__repr__(value)
    if not -_TOO_MANY_DIGITS < value < _TOO_MANY_DIGITS:
        _refuse(f"An integer of {value.bit_length()} bits is beyond {MAX_DIGITS} decimal digits.", "digits")
    return f'"{value:d}"'


def _write_decimal(value: Decimal) -> str:
    if not value.is_finite():
        return write_float(math.nan if value.is_nan() else float(value))
    exponent = int(value.as_tuple().exponent)
    if abs(exponent) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        _refuse(f"A decimal is beyond {MAX_DIGITS} digits when written out.", "digits")
    if not value:
        # A zero has neither a sign nor digits before the point: 0E+3 is "0", -0.00 is "0.00".
        value = Decimal((0, (0,), min(exponent, 0)))
    return f'"{value:f}"'


def _write_datetime(value: datetime.datetime) -> str:
    if value.tzinfo is not None:
        _refuse(
            "A datetime with a time zone has no canonical form.",
            "type",
            hint="Convert it to UTC and remove the time zone.",
        )
    return f'"{value.isoformat()}"'


_SCALARS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring,
    float: write_float,
    int: write_integer,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): lambda _: "null",
    Decimal: _write_decimal,
    datetime.date: lambda value: f'"{value.isoformat()}"',
    datetime.datetime: _write_datetime,
}
# How a subclass gives its plain value: the base's own methods, because an Enum's __str__ is not its value.
_PLAIN: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (str, str.__str__),
    (float, float.__float__),
    (int, int.__int__),
)
# Objects come by the thousand in few shapes: rows, columns, statements. The keys of each are sorted and written once.
_Shape = tuple[tuple[str, str], ...]
_SHAPES: dict[tuple[Any, ...], _Shape] = {}
_MOST_SHAPES, _SHAPE_CHARS = 1_000, 1_000


def _encode(value: object, depth: int) -> str:
    kind = type(value)
    scalar = _SCALARS.get(kind)
    if scalar is not None:
        return scalar(value)
    if isinstance(value, dict):
        return _encode_object(value, _add_level(depth))
    if isinstance(value, (list, tuple)):
        return _encode_array(value, _add_level(depth))
    for base, plain in _PLAIN:
        if isinstance(value, base):
            return _SCALARS[base](plain(value))
    return _refuse(
        f"A value of type {kind.__module__}.{kind.__qualname__} has no canonical JSON form.",
        "type",
        hint="Convert it to None, bool, int, float, Decimal, str, date, datetime, list or dict first.",
    )


def _encode_object(value: dict[object, object], depth: int) -> str:
    parts = []
    keys = tuple(value)
    for key, written in _SHAPES.get(keys) or _build_shape(keys):
        item = value[key]
        scalar = _SCALARS.get(type(item))
        try:
            parts.append(written + (scalar(item) if scalar is not None else _encode(item, depth)))
        except CanonicalJsonError as error:
            _prepend_step(error, f".{key}")
            raise
    return "{" + ",".join(parts) + "}"


def _encode_array(value: list[object] | tuple[object, ...], depth: int) -> str:
    parts: list[str] = []
    try:
        for item in value:
            scalar = _SCALARS.get(type(item))
            parts.append(scalar(item) if scalar is not None else _encode(item, depth))
    except CanonicalJsonError as error:
        _prepend_step(error, f"[{len(parts)}]")
        raise
    return "[" + ",".join(parts) + "]"


def _build_shape(keys: tuple[Any, ...]) -> _Shape:
    """Sort the keys of an object and pair each with its JSON text and a colon; cached unless they are long."""
    shape = tuple((key, f"{encode_basestring(key)}:") for key in _sort_keys(keys))
    if sum(map(len, keys)) <= _SHAPE_CHARS and all(type(key) is str for key in keys):
        if len(_SHAPES) >= _MOST_SHAPES:
            _SHAPES.clear()
        _SHAPES[keys] = shape
    return shape


def _sort_keys(keys: tuple[Any, ...]) -> list[str]:
    try:
        if all(map(str.isascii, keys)):
            return sorted(keys)
    except TypeError:
        key = next(key for key in keys if not isinstance(key, str))
        _refuse(f"An object key is {type(key).__name__}, expected str.", "key")
    return sorted(keys, key=lambda key: key.encode("utf-16-be", "surrogatepass"))


def _add_level(depth: int) -> int:
    if depth == MAX_DEPTH:
        _refuse(f"Nesting is deeper than {MAX_DEPTH}.", "depth")
    return depth + 1


def _encode_utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        unit = ord(text[error.start])
        _refuse(f"A string holds the lone surrogate U+{unit:04X}, which no UTF-8 text can hold.", "surrogate")


def _refuse(message: str, reason: str, *, hint: str | None = None) -> NoReturn:
    raise CanonicalJsonError(message, hint=hint, reason=reason)


def _prepend_step(error: CanonicalJsonError, step: str) -> None:
    error.details["path"] = step + error.details.get("path", "")


# --- reading ---------------------------------------------------------------------------------------------------------

# Possessive quantifiers keep every scan linear, unterminated strings included.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?(\s*:)?|[\[\]{}]|[-+.\w]++', re.DOTALL)
# Takes escapes one by one, so that an escaped backslash never starts one; the group holds a surrogate without partner.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)


class _RefusedNumberError(Exception):
    """A number that the decoder refuses; `parse_strict` turns it into an error with a position."""


class _DuplicateKeyError(Exception):
    """A key that an object holds twice; `parse_strict` turns it into an error with a position."""


def parse_strict(document: str | bytes, *, max_bytes: int = DEFAULT_MAX_BYTES, max_depth: int = MAX_DEPTH) -> Any:
    """Parse one JSON document; integers stay exact, other numbers become floats.

    Parameters
    ----------
    document : str or bytes
        JSON text; bytes are UTF-8 without a byte order mark.
    max_bytes, max_depth : int
        Bounds on the document's UTF-8 size and on nested arrays and objects.

    Raises
    ------
    CanonicalJsonError
        Not JSON, or JSON that two readers could understand differently: duplicate keys, NaN or Infinity, numbers
        beyond float64, lone surrogates, other encodings. `details` name `reason`, `line` and `column`.
    LimitExceededError
        Too large, too deep, or a number of more than 4,300 characters.
    """
    text = _decode(document, max_bytes)
    _refuse_surrogates(text)
    _check_depth(text, max_depth)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        _refuse_at(text, error.pos, "syntax", f"The JSON is malformed ({error.msg}).")
    except _DuplicateKeyError:
        _refuse_at(text, _find_duplicate_offset(text), "duplicate_key", "An object holds the same key twice.")
    except _RefusedNumberError as error:
        _refuse_number(text, str(error))
    except RecursionError:
        # Only where a caller allows more depth than the interpreter's stack holds.
        _refuse_beyond_limit(
            text, 0, "depth", f"The JSON is nested deeper than this interpreter can read (allowed {max_depth})."
        )


def _decode(document: str | bytes, max_bytes: int) -> str:
    if isinstance(document, str):
        # A character takes one byte or more, so an oversized text is never encoded in full.
        size = len(document) if len(document) > max_bytes else len(document.encode("utf-8", "surrogatepass"))
    else:
        size = len(document)
    if size > max_bytes:
        raise LimitExceededError(
            f"The JSON document has {size} bytes, more than the {max_bytes} allowed.", limit=max_bytes, value=size
        )
    text = document if isinstance(document, str) else _decode_utf8(document)
    if text.startswith("\ufeff"):
        _refuse_at(text, 0, "encoding", "The JSON starts with a byte order mark.", "Save it as UTF-8 without BOM.")
    return text


def _decode_utf8(document: bytes) -> str:
    if document[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in document[:4]:
        _refuse_at("", 0, "encoding", "The JSON is encoded as UTF-16 or UTF-32.", "Save it as UTF-8.")
    try:
        return document.decode()
    except UnicodeDecodeError as error:
        before = document[: error.start].decode()
        met = f"byte 0x{document[error.start]:02X}"
        _refuse_at(before, len(before), "encoding", f"The JSON is not UTF-8: {met} is not valid.")


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        offset: int | None = error.start
    else:
        offset = next((m.start() for m in _ESCAPE.finditer(text) if m[1]), None) if "\\u" in text else None
    if offset is not None:
        _refuse_at(text, offset, "surrogate", "A string holds half of a surrogate pair, which is not a character.")


def _check_depth(text: str, max_depth: int) -> None:
    if text.count("[") + text.count("{") <= max_depth:
        return
    depth = 0
    for match in _TOKEN.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            depth += 1
            if depth > max_depth:
                _refuse_beyond_limit(
                    text, match.start(), "depth", f"The JSON is nested deeper than {max_depth}.", limit=max_depth
                )
        elif mark in "]}":
            depth -= 1


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKeyError
    return value


def _parse_integer(token: str) -> int:
    if len(token) > MAX_DIGITS:
        raise _RefusedNumberError(token)
    return int(token)


def _parse_float(token: str) -> float:
    value = float(token)
    if len(token) > MAX_DIGITS or math.isinf(value):
        raise _RefusedNumberError(token)
    return value


def _refuse_constant(token: str) -> NoReturn:
    raise _RefusedNumberError(token)


_PLACED = "Line {line}, column {column}: {message}"
_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_int=_parse_integer, parse_float=_parse_float, parse_constant=_refuse_constant
)


def _refuse_number(text: str, token: str) -> NoReturn:
    # What is glued behind it is a fault of its own, which the decoder has not come to.
    offset = next(match.start() for match in _TOKEN.finditer(text) if match[0].startswith(token))
    if len(token) > MAX_DIGITS:
        message = f"A number has {len(token)} characters, more than the {MAX_DIGITS} allowed."
        _refuse_beyond_limit(text, offset, "digits", message, limit=MAX_DIGITS, value=len(token))
    if token.endswith(("NaN", "Infinity")):
        _refuse_at(text, offset, "nonfinite", f"{token} is not JSON.", 'Write it as a string, such as "NaN".')
    _refuse_at(text, offset, "overflow", "A number is beyond the range of float64.")


def _find_duplicate_offset(text: str) -> int:
    """Find the offset of the first duplicate key, in a text that is well-formed up to there."""
    seen: list[set[str]] = []
    for match in _TOKEN.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            seen.append(set())
        elif mark in "]}":
            seen.pop()
        elif match[1]:
            key = json.loads(match[0].removesuffix(match[1]))
            if key in seen[-1]:
                return match.start()
            seen[-1].add(key)
    raise AssertionError("the reader met a duplicate key that is not in the text")


def _compute_place(text: str, offset: int) -> dict[str, Any]:
    return {"line": text.count("\n", 0, offset) + 1, "column": offset - text.rfind("\n", 0, offset)}


# `from None`, because what led to an error holds the document or a number of any length.
def _refuse_at(text: str, offset: int, reason: str, message: str, hint: str | None = None) -> NoReturn:
    place = _compute_place(text, offset)
    raise CanonicalJsonError(_PLACED.format(message=message, **place), hint=hint, reason=reason, **place) from None


def _refuse_beyond_limit(text: str, offset: int, reason: str, message: str, **facts: Any) -> NoReturn:
    place = _compute_place(text, offset)
    raise LimitExceededError(_PLACED.format(message=message, **place), reason=reason, **place, **facts) from None
