"""Excel workbooks: numbers as numbers where a double keeps every digit, everything else as text; no formula at all."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from service_nb.errors import LimitExceededError
from service_nb.ledger.exports.card_run import CardRun, read_run
from service_nb.ledger.exports.files import rewrite_zip
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card
from service_nb.ledger.exports.table import Cell, ExactNumber, build_table, is_risky, make_printable

MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 1_048_576, 16_384, 32_767  # of a sheet, and characters of a cell
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one card, and a sheet of what they are."""
    from openpyxl import Workbook  # noqa: PLC0415  # lazy: whoever lists formats does not load it
    from openpyxl.writer.excel import ExcelWriter  # noqa: PLC0415

    card = require_card(material, "An Excel workbook")
    table = build_table(card)
    _check_size([table.heads, *table.rows])
    run = read_run(card)
    book = Workbook(write_only=True)
    book.properties.creator = "service_nb"
    moment = datetime.fromisoformat(run.end or material.time).replace(tzinfo=None, microsecond=0)
    book.properties.created = book.properties.modified = moment
    _write(book.create_sheet("rows"), table.heads, table.rows)
    _write(book.create_sheet("evidence"), (), _iter_evidence(run))
    file = io.BytesIO()
    # Not `book.save`, which would state the time of saving.
    ExcelWriter(book, ZipFile(file, "w", ZIP_DEFLATED)).save()
    return rewrite_zip(file.getvalue(), at=moment)


def _iter_evidence(run: CardRun) -> Iterable[Sequence[Cell]]:
    yield ("question", run.title)
    yield ("id", run.id)
    yield ("kind", run.kind)
    if run.end:
        yield ("time", run.end)
    if run.keyid:
        yield ("device key", run.keyid)
    for name, digest in run.digests.items():
        yield (name, digest)
    for source in run.sources:
        yield ("source", source.name)
        for name, value in source.hashes.items():
            yield (f"source {name}", value)


def _write(sheet: Any, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    if heads:
        sheet.freeze_panes = "A2"
        sheet.append([_build_text_cell(sheet, head) for head in heads])
    for row in rows:
        sheet.append([_build_cell(sheet, cell) for cell in row])


def _build_cell(sheet: object, cell: Cell) -> Any:
    if cell is None or isinstance(cell, bool):
        return cell
    if not isinstance(cell, ExactNumber) or not _is_exact(cell):
        return _build_text_cell(sheet, cell)
    made = _make_cell(sheet)
    # Given a number, openpyxl writes sixteen digits of it: a double may need one more, so it is given the text.
    made._value, made.data_type = str(cell), "n"  # noqa: SLF001
    return made


def _build_text_cell(sheet: object, text: str) -> object:
    made = _make_cell(sheet)
    # Set by hand, because a value that begins with "=" or reads "#N/A" would become a formula or an error.
    made._value, made.data_type = _ESCAPE.sub("_x005F_", make_printable(text)), "s"  # noqa: SLF001
    if is_risky(text):
        made.quotePrefix = True  # stays text also when somebody edits the cell
    return made


def _make_cell(sheet: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415  # as above

    return WriteOnlyCell(sheet)


def _is_exact(number: str) -> bool:
    """Tell whether the nearest double gives back this very decimal."""
    if number.startswith(("N", "I", "-I")) or math.isinf(float(number)):
        return False
    return Decimal(repr(float(number))) == Decimal(number)


def _check_size(rows: Sequence[Sequence[Cell]]) -> None:
    for limit, met, what in (
        (MAX_ROWS, len(rows), "rows"),
        (MAX_COLUMNS, max(map(len, rows), default=0), "columns"),
        (MAX_TEXT, max((len(cell) for row in rows for cell in row if isinstance(cell, str)), default=0), "characters"),
    ):
        if met > limit:
            raise LimitExceededError(
                f"A sheet holds {limit:,} {what}{' a cell' if what == 'characters' else ''}, and this has {met:,}.",
                hint="Export it with --format csv, which has no limit.",
                limit=limit,
                value=met,
            )


FORMAT = ExportFormat(
    name="xlsx", ending=".xlsx", words="the rows as an Excel workbook, and a sheet of hashes", write=export
)
