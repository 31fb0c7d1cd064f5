"""Read flat JSON objects into columns with Arrow's parser, without a Python value for each of theirs.

Flat objects have texts, truths, null, doubles and whole numbers of 64 bits, of one type in each field. The head
proposes the types; Arrow refuses what has another, a field that is new, and all that is not JSON. What it would read
otherwise than `parse_strict` is looked for beside it. Wherever anything is amiss the answer is None: then the objects
are parsed one by one, which finds what is wrong, if anything is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as arrow_json

from service_nb.core.canonical import MAX_DIGITS, parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.readers.columns import FREE_CELLS
from service_nb.schema.source import Limits

HEADS = (200, 10_000)  # objects that propose the types; more where the first ones misled
BLOCK = 1 << 20  # bytes that one thread parses at a time
NEWLINE = ord("\n")
SPACE = b" \t\r\n"
NEXT = b"}\n{"  # between two objects
_BETWEEN = re.compile(rb"\}[ \t\r\n]*+,[ \t\r\n]*+\{")
_LONG_NUMBER = re.compile(rb"[-+.0-9eE]{%d}" % MAX_DIGITS)
_MINUS_ZERO = re.compile(rb"-0[ \t\r\n]*+[,}]")
_TYPES = {
    frozenset([int]): pa.int64(),
    frozenset([float]): pa.float64(),
    frozenset([int, float]): pa.float64(),
    frozenset([str]): pa.string(),
    frozenset([bool]): pa.bool_(),
    frozenset[type](): pa.null(),
}


def read_object_lines(data: bytes, limits: Limits) -> pa.Table | None:
    """Return the objects of JSON lines, one on each, as columns; None unless they are flat."""
    text = data.strip(SPACE)
    if limits.json_depth < 1 or not _has_lines_within(text, limits.json_bytes):
        return None
    ends = _count_ends(text)
    between = b"}\r\n{" if text[: text.find(b"\n")].endswith(b"\r") else NEXT
    # With an end of line between every two objects, and as many objects as lines, there is one on each.
    if text.count(between) != ends:
        return None
    return _read_objects(text, between, ends + 1, limits, has_lines=True)


def read_object_list(data: bytes, limits: Limits) -> pa.Table | None:
    """Return the objects of a JSON document that is a list of them as columns; None unless they are flat."""
    text = data.strip(SPACE)
    if limits.json_depth < 2 or not (text.startswith(b"[") and text.endswith(b"]")):
        return None
    text = text[1:-1].strip(SPACE)
    found = _BETWEEN.search(text)
    count = 1
    if found is not None:
        count += text.count(found[0])
        text = text.replace(found[0], NEXT)
    # Each brace stands at such a place, so that only a comma is between two objects. A text that had such a place
    # in it has an end of line now, which Arrow refuses.
    if text.count(b"{") != count or text.count(b"}") != count:
        return None
    return _read_objects(text, NEXT, count, limits, has_lines=_count_ends(text) == count - 1)


def _count_ends(text: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == NEWLINE))  # a third of what bytes.count takes


def _has_lines_within(text: bytes, most: int) -> bool:
    """Tell whether all lines are of at most so many bytes."""
    place = 0
    while len(text) - place > most:
        end = text.rfind(b"\n", place, place + most + 1)
        if end < 0:
            return False
        place = end + 1
    return True


def _read_objects(text: bytes, between: bytes, count: int, limits: Limits, *, has_lines: bool) -> pa.Table | None:
    if not (text.startswith(b"{") and text.endswith(b"}")):
        return None
    if not _has_lines_within(text, MAX_DIGITS) and _LONG_NUMBER.search(text) is not None:
        return None
    for head in HEADS:
        schema = _propose_schema(text, between, head)
        if schema is None or not _may_hold(count * len(schema), lambda: _count_members(text), limits):
            return None
        table = _parse(text, schema, has_lines=has_lines)
        if table is not None:
            return table if table.num_rows == count and _is_exact(text, table) and _is_dense(table, limits) else None
    return None


def _parse(text: bytes, schema: pa.Schema, *, has_lines: bool) -> pa.Table | None:
    try:
        table = arrow_json.read_json(
            pa.BufferReader(text),
            arrow_json.ReadOptions(block_size=BLOCK),
            arrow_json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="error", newlines_in_values=not has_lines
            ),
        )
        if not text.isascii():
            table.validate(full=True)  # which is to say that texts are UTF-8
    except pa.ArrowInvalid:
        return None
    return table


def _propose_schema(text: bytes, between: bytes, most: int) -> pa.Schema | None:
    start, end = 0, 0
    for _ in range(most):
        start = text.find(between, end)
        if start < 0:
            break
        end = start + len(between) - 1
    head = (text if start < 0 else text[: start + 1]).replace(between, b"},{")
    try:
        objects = parse_strict(b"[%b]" % head, max_bytes=len(head) + 2, max_depth=2)
    except (CanonicalJsonError, LimitExceededError):
        return None
    kinds: dict[str, set[type]] = {}
    for each in objects:
        for name, value in each.items():
            kinds.setdefault(name, set()).add(type(value))
    types = [_TYPES.get(frozenset(found - {type(None)})) for found in kinds.values()]
    if not types or None in types:
        return None
    return pa.schema(list(zip(kinds, types, strict=True)))


def _is_exact(text: bytes, table: pa.Table) -> bool:
    """Tell whether doubles are those that Python reads: infinities are refused, and a whole -0 has no sign."""
    doubles = [column for column in table.columns if pa.types.is_floating(column.type)]
    if not all(pc.all(pc.is_finite(column), min_count=0).as_py() for column in doubles):
        return False
    has_zero = any(pc.any(pc.equal(column, 0.0), min_count=0).as_py() for column in doubles)
    return not has_zero or _MINUS_ZERO.search(text) is None


def _is_dense(table: pa.Table, limits: Limits) -> bool:
    """Tell whether a table has not more cells than may be held, nor is one of many names and few values."""
    cells = table.num_rows * table.num_columns
    return _may_hold(cells, lambda: cells - sum(column.null_count for column in table.columns), limits)


def _may_hold(cells: int, count_values: Callable[[], int], limits: Limits) -> bool:
    """Tell whether this many cells, mostly empty, fit the memory limit."""
    return cells <= limits.cells and (cells <= FREE_CELLS or cells <= limits.inflate_ratio * count_values())


def _count_members(text: bytes) -> int:
    """Count the members of objects, or fewer: none whose name has a space behind it, or ends in a backslash.

    Within a text a quote has a backslash before it.
    """
    return text.count(b'":') - text.count(b'\\":')
