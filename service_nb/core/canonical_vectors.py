"""Canonical JSON of whole columns, fast: the bytes of `write_canonical_bytes(values.tolist())`, block by block.

orjson finds the shortest digits of a block of doubles at once. Its text differs from ECMAScript's in four ways, each
put right by the cheapest means: -0.0 has a sign (0.0 is added first), NaN and infinities become null (written value by
value), whole numbers end in ".0", and values from 1e-6 to 1e-5 and from 1e16 to 1e21 have an exponent where ECMAScript
writes digits (both edited in the text of the block).

This module imports NumPy and orjson, so nothing imports it before there is a column to hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from types import NoneType
from typing import Any, NoReturn

import numpy as np
import orjson
from numpy.typing import NDArray

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_bytes, write_float
from service_nb.core.digest import compute_blocks_sha256
from service_nb.errors import CanonicalJsonError

_BLOCK = 16_384  # values; their text stays in the processor's cache while it is put right

# Releases of orjson write exponents differently ("1e21", "1e+21"). With one whose text is not edited right here, each
# value that has an exponent is rewritten: slower, and the same bytes.
_PROBE = [1e21, 1.5e300, 1e-7, 1e-5, 1.5e-5, 2e-6, 2.5e-6, 1e16, 2.5e20]
_EDITS_EXPONENTS = orjson.dumps(_PROBE) == b"[1e+21,1.5e+300,1e-7,0.00001,0.000015,2e-6,2.5e-6,1e+16,2.5e+20]"

_COMMA, _POINT, _ZERO, _MINUS = b",.0-"
# Bytes that no text of numbers has: in an edited block they stand for what is put there last, nothing or several bytes.
_NOTHING, _TINY, _FOUR, _SIX = range(1, 5)
_MEANINGS = ((_TINY, b"0.00000"), (_FOUR, b"0000"), (_SIX, b"000000"))
# Each number of zeros from 0 to 20, in the four bytes of an exponent such as "e+16".
_WIDTHS = {_NOTHING: 0, _ZERO: 1, _FOUR: 4, _SIX: 6}
_PICKS = {sum(_WIDTHS[byte] for byte in pick): pick for pick in combinations_with_replacement(_WIDTHS, 4)}
_ZEROS = np.array([_PICKS[count] for count in range(21)], np.uint8)

_MARKER = 2**62  # stands for a special value among whole ones, which are below 1e16

Mask = NDArray[np.bool_]


def digest_column(values: NDArray[Any] | list[Any], mask: Mask | None = None) -> str:
    """Compute the `input_hash` of a column: the SHA-256 of its canonical JSON, without a domain.

    `mask` is true where a value is null.
    """
    return compute_blocks_sha256(encode_vector_blocks(values, mask))


def encode_vector_blocks(values: NDArray[Any] | list[object], mask: Mask | None = None) -> Iterator[bytes]:
    """Yield a column as a canonical JSON array in pieces, so that memory stays bounded.

    Parameters
    ----------
    values : ndarray or list
        One dimension. Arrays of float up to 64 bits (narrow ones widen exactly), integers and booleans take the fast
        path, and so do lists of floats and None.
    mask : ndarray of bool, optional
        True where a value of an array is null. In lists, None is null.

    Raises
    ------
    CanonicalJsonError
        If a value has no canonical form, or the array is of another type or shape.
    """
    if isinstance(values, list):
        if mask is not None:
            _refuse("A mask belongs to an array; in a list, None is null.", "mask")
        if not set(map(type, values)) <= {float, NoneType}:
            yield write_canonical_bytes(values)
            return
        mask = np.fromiter((value is None for value in values), np.bool_, len(values))
        values = np.array(values, dtype=np.float64)
    yield from _encode_array_blocks(values, _check_mask(values, mask))


def _encode_array_blocks(values: NDArray[Any], mask: Mask | None) -> Iterator[bytes]:
    kind = values.dtype.kind
    if values.ndim != 1 or kind not in "fiub" or values.dtype.itemsize > 8:
        _refuse(f"An array of {values.ndim} dimensions and type {values.dtype} is not a column of numbers.", "type")
    encode = _encode_floats if kind == "f" else _encode_integers
    dtype = np.dtype(np.float64) if kind == "f" else values.dtype.newbyteorder("=")
    opening = b"["
    for start in range(0, len(values), _BLOCK):
        stop = start + _BLOCK
        block = np.ascontiguousarray(values[start:stop], dtype=dtype)
        yield opening
        yield encode(block, None if mask is None else mask[start:stop])
        opening = b","
    yield b"]" if len(values) else b"[]"


def _check_mask(values: NDArray[Any], mask: Mask | None) -> Mask | None:
    if isinstance(values, np.ma.MaskedArray):
        _refuse("A masked array is not read here.", "mask", hint="Pass its data and its mask.")
    if mask is not None and (mask.dtype != np.bool_ or mask.shape != values.shape):
        _refuse(f"The mask is {mask.dtype} of shape {mask.shape}, expected bool of shape {values.shape}.", "mask")
    return mask


def _encode_integers(block: NDArray[Any], null: Mask | None) -> bytes:
    beyond = (block > MAX_SAFE_INTEGER) | (block < -MAX_SAFE_INTEGER)
    if null is None and not beyond.any():
        return _dump_array(block)[1:-1]
    items = block.tolist()
    for index in np.flatnonzero(beyond).tolist():
        items[index] = str(items[index])
    for index in [] if null is None else np.flatnonzero(null).tolist():
        items[index] = None
    return orjson.dumps(items)[1:-1]


def _encode_floats(block: NDArray[np.float64], null: Mask | None) -> bytes:
    magnitude = np.abs(block)
    special = ~np.isfinite(block)
    if null is not None:
        special |= null
    if not _EDITS_EXPONENTS:
        special |= ((magnitude < 1e-4) & (magnitude != 0)) | (magnitude >= 1e16)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        whole = (block == np.rint(block)) & (magnitude < 1e16)
    if (whole | special).all():
        # Below 1e16 the digits of a whole double are its shortest digits.
        text, marker = _dump_array(np.where(special, _MARKER, block).astype(np.int64)), b"%d" % _MARKER
    else:
        # Adding 0.0 takes the sign from -0.0 and leaves every other value as it is.
        text, marker = _dump_array(np.where(special, np.nan, block) + 0.0), b"null"
        text = _edit_text(text, whole & ~special, np.where(special, np.nan, magnitude))
    if not special.any():
        return text[1:-1]
    pieces = text[1:-1].split(marker)
    woven = [b""] * (2 * len(pieces) - 1)
    woven[::2] = pieces
    woven[1::2] = _write_special_values(block[special], None if null is None else null[special])
    return b"".join(woven)


def _edit_text(text: bytes, whole: Mask, magnitude: NDArray[np.float64]) -> bytes:
    """Make ECMAScript's text of orjson's: drop ".0" of whole numbers, write out exponents from -6 and from 16 to 20."""
    tiny = (magnitude >= 1e-6) & (magnitude < 1e-5)
    large = (magnitude >= 1e16) & (magnitude < 1e21)
    if not (whole | tiny | large).any():
        return text
    edited = bytearray(text)
    edited[-1] = _COMMA
    marks = np.frombuffer(edited, np.uint8)
    ends = np.flatnonzero(marks == _COMMA)
    starts = np.empty_like(ends)
    starts[0], starts[1:] = 1, ends[:-1] + 1
    if whole.any():
        end = ends[whole]
        marks[end - 1] = marks[end - 2] = _NOTHING
    if (
        tiny.any()
    ):  # 2.5e-6 becomes 0.0000025: the zeros stand for the first digit, which moves to the place of the point
        first, end = starts[tiny], ends[tiny]
        first += marks[first] == _MINUS
        marks[end - 1] = marks[end - 2] = marks[end - 3] = _NOTHING
        marks[first + 1] = marks[first]
        marks[first] = _TINY
    if large.any():  # 2.5e+16 becomes 25000000000000000: the point goes, and zeros stand for the exponent
        first, end = starts[large], ends[large]
        first += marks[first] == _MINUS
        fraction = np.maximum(end - first - 6, 0)  # digits behind the point: the rest is one digit, ".", and "e+16"
        exponent = 10 * (marks[end - 2] - _ZERO) + (marks[end - 1] - _ZERO)
        marks[first + 1] = _NOTHING
        marks[end[:, None] + np.arange(-4, 0)] = _ZEROS[exponent - fraction]
    edited[-1:] = b"]"
    many = 4 * np.count_nonzero(whole | tiny) > len(ends)  # one pass over all bytes is then faster than finding each
    edited = edited.translate(None, bytes([_NOTHING])) if many else edited.replace(bytes([_NOTHING]), b"")
    for byte, meaning in _MEANINGS:
        edited = edited.replace(bytes([byte]), meaning)
    return bytes(edited)


def _write_special_values(values: NDArray[np.float64], null: Mask | None) -> list[bytes]:
    """Write nulls, NaN and infinities; where texts are not edited here, also values that have an exponent."""
    texts = np.full(len(values), b'"NaN"', np.object_)
    texts[values == np.inf] = b'"Infinity"'
    texts[values == -np.inf] = b'"-Infinity"'
    finite = np.isfinite(values)
    if finite.any():
        texts[finite] = [write_float(value).encode() for value in values[finite].tolist()]
    if null is not None:
        texts[null] = b"null"
    return texts.tolist()


def _dump_array(values: NDArray[Any]) -> bytes:
    return orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)


def _refuse(message: str, reason: str, hint: str | None = None) -> NoReturn:
    raise CanonicalJsonError(message, hint=hint, reason=reason)
