"""Note remarks below the rows of a table, such as its source."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.readers.text_reasons import RowPlace
from service_nb.readers.totals import ABOVE_TOTAL
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import Field

REMARK_WORDS = (
    *("source", "sources", "data source", "note", "notes", "nb", "n.b.", "remark", "remarks", "footnote", "legend"),
    *("as of", "updated", "last updated", "last update", "generated", "exported", "printed", "created", "copyright"),
    *("quelle", "quellen", "hinweis", "hinweise", "anmerkung", "anmerkungen", "bemerkung", "stand", "erstellt"),
    *("fuente", "nota", "notas", "fonte", "remarque", "bron", "källa", "kilde", "źródło", "zdroj", "forrás"),
    *("источник", "примечание", "注", "出典", "来源", "출처", "end of report", "end of file", "end of data"),
)
REMARK_WIDTH = 20  # characters at least of a text that is a remark by its length
MOST_REMARKS = 20  # rows
REMARK_PATTERN = (
    r"^ *(?:[*†‡#©¹²³]|[(\[][0-9a-z][)\]]|[0-9a-z][)] |\(c\) |https?://)"
    rf"|^ *(?:{'|'.join(map(re.escape, REMARK_WORDS))})(?:[ :.]|$)".replace("\\ ", " ")
    + r"|: |:$"
)


def find_remarks(fields: Sequence[Field], table: pa.Table, place: RowPlace) -> list[ReadingNote]:
    """Note last rows that have a text in their first cell alone, as no other row has, and read like a remark.

    A last record of which all values are missing looks the same; so one of the texts has to start as remarks do, or be
    twice as long as all above it.
    """
    rows, others = table.num_rows, fields[1:]
    if not others or fields[0].type != "string":
        return []
    count = _count_alone(table, rows)
    if not 0 < count <= MOST_REMARKS or rows - count < ABOVE_TOTAL:
        return []
    texts = table[fields[0].name].cast(pa.string())
    above, below = texts.slice(0, rows - count), texts.slice(rows - count)
    if pc.any(pc.match_substring_regex(above, REMARK_PATTERN, ignore_case=True)).as_py() or _has_alone(
        table, rows - count
    ):
        return []
    longest = max(2 * (pc.max(pc.utf8_length(above)).as_py() or 0), REMARK_WIDTH)
    is_long = pc.and_(pc.greater(pc.utf8_length(below), longest), pc.match_substring(below, " "))
    if not pc.any(pc.or_(pc.match_substring_regex(below, REMARK_PATTERN, ignore_case=True), is_long)).as_py():
        return []
    return [ReadingNote("remark", (fields[0].name,), {"count": str(count), "place": place.tell(rows - count + 1)})]


def _count_alone(table: pa.Table, rows: int) -> int:
    """Count the last rows that have a first cell and no other, up to one more than may be remarks."""
    last = min(rows, MOST_REMARKS + 1)
    is_alone = _is_alone(table.slice(rows - last)).to_numpy()[::-1]
    return last if is_alone.all() else int(np.argmin(is_alone))


def _has_alone(table: pa.Table, rows: int) -> bool:
    return bool(pc.any(_is_alone(table.slice(0, rows))).as_py())


def _is_alone(table: pa.Table) -> pa.ChunkedArray:
    first, *others = table.columns
    is_alone = pc.is_valid(first)
    for column in others:
        is_alone = pc.and_(is_alone, pc.is_null(column))
    return is_alone
