"""A JSON file: an array of objects, `{"records": [...]}`, an object of arrays, or one object. Strict, and bounded."""

from __future__ import annotations

from typing import Any

from service_nb.core.parse import parse_strict
from service_nb.errors import CanonicalJsonError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.files import content_of, read_bytes
from service_nb.readers.rows import columns_of

UTF8_BOM = b"\xef\xbb\xbf"


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a JSON file."""
    limits = options.limits
    data, stamp = read_bytes(source, limits.json_bytes, "json_bytes")
    try:
        document = parse_strict(data.removeprefix(UTF8_BOM), max_bytes=limits.json_bytes, max_depth=limits.json_depth)
    except CanonicalJsonError as error:
        raise as_malformed(error) from error
    columns = columns_of(document, options)
    return columns.dataset(content_of(data), stamp)


def as_malformed(error: CanonicalJsonError, line: int | None = None) -> SourceMalformedError:
    """Return what the strict reader refused as a fault of the source, in the line of a larger file if given."""
    message = error.message if line is None else f"Line {line}: {error.message.partition(': ')[2]}"
    details = {**error.details, "expected": "JSON"} | ({} if line is None else {"line": line})
    return SourceMalformedError(message, hint=error.hint, **details)
