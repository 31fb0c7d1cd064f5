"""Newline-delimited JSON: one object a line. Empty lines are skipped."""

from __future__ import annotations

from typing import Any

from service_nb.core.parse import parse_strict
from service_nb.core.words import shown
from service_nb.errors import CanonicalJsonError, LimitExceededError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.readers.files import content_of, read_bytes
from service_nb.readers.json_document import UTF8_BOM, as_malformed
from service_nb.readers.rows import typed_rows
from service_nb.schema.source import Limits


def read(source: Any, options: ReadOptions) -> Dataset:
    """Read a file of JSON lines."""
    data, stamp = read_bytes(source, options.limits.text_bytes, "text_bytes")
    lines = data.removeprefix(UTF8_BOM).split(b"\n")
    rows = [_object(line, number, options.limits) for number, line in enumerate(lines, start=1) if line.strip()]
    columns = typed_rows(rows, options)
    return columns.dataset(content_of(data), stamp)


def _object(line: bytes, number: int, limits: Limits) -> dict[str, Any]:
    try:
        value = parse_strict(line, max_bytes=limits.json_bytes, max_depth=limits.json_depth)
    except CanonicalJsonError as error:
        raise as_malformed(error, number) from error
    except LimitExceededError as error:
        raise LimitExceededError(f"Line {number}: {error.message}", **error.details | {"line": number}) from error
    if not isinstance(value, dict):
        raise SourceMalformedError(
            f"Line {number} is {shown(value)}; expected an object.", line=number, met=shown(value), expected="an object"
        )
    return value
