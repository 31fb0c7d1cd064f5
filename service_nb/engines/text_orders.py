"""Find what the texts of a column read as, from its different values and how often each occurs."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.schema.text_order import (
    BLANK_PATTERN,
    ORDERED_SHAPES,
    OTHER_TEXT,
    TEXT_KINDS,
    TEXT_PATTERNS,
    TextKind,
    TextOrder,
)

SCANNED_ROWS = 1_000_000  # of a column of files that are scanned in place, from the first one


def find_text_order(texts: pa.Array, counts: pa.Array) -> TextOrder:
    """Find what most of the texts are; each stands once, beside the number of its rows."""
    is_blank = pc.match_substring_regex(texts, BLANK_PATTERN)
    present, rows = texts.filter(pc.invert(is_blank)), counts.filter(pc.invert(is_blank))
    found: dict[TextKind, tuple[int, int]] = {}
    rest, left = present, rows
    for kind in TEXT_KINDS:
        fits = pc.match_substring_regex(rest, TEXT_PATTERNS[kind])
        found[kind] = (_count(left.filter(fits)), _count(fits))
        rest, left = rest.filter(pc.invert(fits)), left.filter(pc.invert(fits))
    fitting_rows, fitting = (sum(each[at] for each in found.values()) for at in (0, 1))
    if not fitting or (2 * fitting_rows < _count(rows) and 2 * fitting < len(present)):
        return OTHER_TEXT
    most: TextKind = max(TEXT_KINDS, key=lambda kind: found[kind])
    return TextOrder(reads_as=most, shape=_find_shape(texts), is_mixed=fitting < len(present))


def _count(rows: pa.Array) -> int:
    return int(pc.sum(rows).as_py() or 0)


def _find_shape(texts: pa.Array) -> str | None:
    """Find the one shape of all texts, if letters are in order there."""
    shapes = pc.unique(pc.replace_substring_regex(texts, "[0-9]", "0")).slice(0, 2)
    is_ordered = len(shapes) == 1 and pc.match_substring_regex(shapes, ORDERED_SHAPES)[0].as_py()
    return str(shapes[0].as_py()) if is_ordered else None
