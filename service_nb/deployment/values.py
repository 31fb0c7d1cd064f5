"""Read rows and columns of answers back to exact native values, and check digests of what crossed the network."""

from __future__ import annotations

import base64
import binascii
import datetime
import hmac
import math
import re
from collections.abc import Callable
from decimal import Decimal

import numpy as np

from service_nb.core.canonical import MAX_DIGITS
from service_nb.core.canonical_vectors import digest_column
from service_nb.core.digest import compute_sha256
from service_nb.schema.compute import Vector
from service_nb.schema.source import Value, convert_to_json

DIGEST = "Content-Digest"
_SHA256 = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]{1,128}):\s*(?:$|,)")


def format_digest(digest: bytes) -> str:
    """Format a SHA-256 as the value of `Content-Digest` (RFC 9530)."""
    return f"sha-256=:{base64.b64encode(digest).decode()}:"


def has_digest(header: str | None, body: bytes) -> bool:
    """Tell whether a body has the SHA-256 that its header states; true if the header states none."""
    found = None if header is None else _SHA256.search(header)
    if found is None:
        return True
    try:
        return hmac.compare_digest(base64.b64decode(found[1], validate=True), compute_sha256(body))
    except (binascii.Error, ValueError):
        return False


_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII)
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
Read = Callable[[object], Value]


def hash_column(column: Vector) -> str:
    """Hash the canonical JSON of a column's values, as both sides do."""
    if isinstance(column.values, np.ndarray):
        return digest_column(column.values, column.nulls)
    return digest_column([convert_to_json(value) for value in column.values])


class UnreadableError(ValueError):
    """A value that does not have its column's type."""


def find_reader(physical: str) -> Read:
    """Return the function that reads values of a physical type, None among them; both raise `UnreadableError`."""
    read = _READERS.get("decimal" if physical.startswith("decimal(") else physical)
    if read is None:
        raise UnreadableError(physical)
    return lambda value: None if value is None else read(value)


def _read_whole(value: object) -> int:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer() and abs(value) < 2**53:  # 3.0 is how others write 3
        return int(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _WHOLE.fullmatch(value):
        return int(value)
    raise UnreadableError


def _read_double(value: object) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise UnreadableError from None
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    raise UnreadableError


def _read_decimal(value: object) -> Decimal:
    if type(value) is int:
        return Decimal(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _DECIMAL.fullmatch(value):
        return Decimal(value)
    raise UnreadableError


def _read_text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise UnreadableError


def _read_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise UnreadableError


def _read_date(value: object) -> datetime.date:
    try:
        return datetime.date.fromisoformat(_read_text(value))
    except ValueError:
        raise UnreadableError from None


def _read_datetime(value: object) -> datetime.datetime:
    try:
        moment = datetime.datetime.fromisoformat(_read_text(value))
    except ValueError:
        raise UnreadableError from None
    if moment.tzinfo is not None:
        raise UnreadableError
    return moment


_READERS: dict[str, Read] = {
    "int64": _read_whole,
    "float64": _read_double,
    "decimal": _read_decimal,
    "string": _read_text,
    "boolean": _read_bool,
    "date": _read_date,
    "datetime": _read_datetime,
}
