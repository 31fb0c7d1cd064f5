"""Canonical JSON of whole columns, fast: the bytes of `write_canonical_bytes(values.tolist())`, block by block.

orjson finds the shortest digits of a block of doubles at once. Its text differs from ECMAScript's in four ways, each
put right by the cheapest means: whole numbers end in ".0" (bytes dropped), -0.0 has a sign (added to 0.0 first),
NaN and infinities become null, and powers of ten from 1e-7 to 1e-4 and from 1e16 to 1e21 stand as exponents where
ECMAScript writes digits, or the reverse (both rewritten value by value).

This module imports NumPy and orjson, so nothing imports it before there is a column to hash.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, NoReturn

import numpy as np
import orjson
from numpy.typing import NDArray

from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_bytes, write_float
from service_nb.core.digest import compute_blocks_sha256
from service_nb.errors import CanonicalJsonError

_BLOCK = 16_384  # values; their text stays in the processor's cache while it is put right

# Releases of orjson write exponents differently ("1e21", "1e+21"). Where the text is ECMAScript's, it is kept; where it
# is not, every such value is rewritten: slower, and the same bytes.
_PROBE = [1e21, 1.5e300, 1e-7, 1e-5, 1.5e-5]
_WRITES_ES6_EXPONENTS = orjson.dumps(_PROBE) == b"[1e+21,1.5e+300,1e-7,0.00001,0.000015]"
_POSITIONAL_FROM = 1e-5 if _WRITES_ES6_EXPONENTS else 1e-4

_COMMA, _POINT, _ZERO, _CLOSING, _MINUS = b",.0]-"
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
    special = _is_rewritten(magnitude)
    if null is not None:
        special |= null
    with np.errstate(invalid="ignore"):  # a signalling NaN
        whole = (block == np.rint(block)) & (magnitude < 1e16)
    if (whole | special).all():
        # Below 1e16 the digits of a whole double are its shortest digits.
        text, marker = _dump_array(np.where(special, _MARKER, block).astype(np.int64)), b"%d" % _MARKER
    else:
        # Adding 0.0 takes the sign from -0.0 and leaves every other value as it is.
        text, marker = _dump_array(np.where(special, np.nan, block) + 0.0), b"null"
        if whole.any():
            text = _drop_point_zero(text)
    if not special.any():
        return text[1:-1]
    pieces = text[1:-1].split(marker)
    woven = [b""] * (2 * len(pieces) - 1)
    woven[::2] = pieces
    woven[1::2] = _write_special_values(block[special], None if null is None else null[special])
    return b"".join(woven)


def _is_rewritten(magnitude: NDArray[np.float64]) -> Mask:
    """Mark the values whose text by orjson is not ECMAScript's, apart from ".0" and the sign of zero."""
    kept = ((magnitude >= _POSITIONAL_FROM) & (magnitude < 1e16)) | (magnitude == 0)
    if _WRITES_ES6_EXPONENTS and not kept.all():
        kept |= (magnitude < 1e-6) | ((magnitude >= 1e21) & (magnitude < np.inf))
    rewritten: Mask = ~kept
    return rewritten


def _write_special_values(values: NDArray[np.float64], null: Mask | None) -> list[bytes]:
    texts = np.full(len(values), b'"NaN"', np.object_)
    if null is not None:
        values = np.where(null, np.nan, values)
        texts[null] = b"null"
    texts[values == np.inf] = b'"Infinity"'
    texts[values == -np.inf] = b'"-Infinity"'
    magnitude = np.abs(values)
    for written_out, there in (
        (_write_small_values, magnitude < 1),
        (_write_large_values, (magnitude >= 1) & (magnitude < np.inf)),
    ):
        if there.any():
            texts[there] = written_out(values[there])
    return texts.tolist()


def _write_small_values(values: NDArray[np.float64]) -> list[bytes]:
    """Write values from 1e-6 to 1e-5: 0.0000015 for 1.5e-6."""
    if not _WRITES_ES6_EXPONENTS:
        return [write_float(value).encode() for value in values.tolist()]
    digits = _dump_array(values)[1:-4].replace(b".", b"").split(b"e-6,")
    return [b"-0.00000" + text[1:] if text[0] == _MINUS else b"0.00000" + text for text in digits]


def _write_large_values(values: NDArray[np.float64]) -> list[bytes]:
    """Write values from 1e16 to 1e21: 12000000000000000 for 1.2e+16."""
    if not _WRITES_ES6_EXPONENTS:
        return [write_float(value).encode() for value in values.tolist()]
    widths = 17 + np.searchsorted([1e17, 1e18, 1e19, 1e20], np.abs(values), side="right") + (values < 0)
    texts = _dump_array(values)[1:-1].replace(b".", b"").split(b",")
    return [text[:-4].ljust(width, b"0") for text, width in zip(texts, widths.tolist(), strict=True)]


def _dump_array(values: NDArray[Any]) -> bytes:
    return orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)


def _drop_point_zero(text: bytes) -> bytes:
    """Drop every ".0" that ends a number."""
    marks = np.frombuffer(text, np.uint8)
    point_zero = (marks[:-2] == _POINT) & (marks[1:-1] == _ZERO) & ((marks[2:] == _COMMA) | (marks[2:] == _CLOSING))
    keep = np.ones(len(marks), np.bool_)
    keep[:-2] &= ~point_zero
    keep[1:-1] &= ~point_zero
    return marks[keep].tobytes()


def _refuse(message: str, reason: str, hint: str | None = None) -> NoReturn:
    raise CanonicalJsonError(message, hint=hint, reason=reason)
