"""Tables in fixed-width text: columns padded to align, quantities at their decimal point."""

from __future__ import annotations

from collections.abc import Sequence

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Table

GAP = "  "
_NARROWEST = 8  # a column of text is never cut below this


def grid(table: Table, room: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return the padded headings, and the padded cells of every row.

    Parameters
    ----------
    table : Table
        What to align.
    room : int, optional
        Terminal cells that a line may take. Columns of text are cut to fit, widest first; numbers never are.
    """
    columns = [
        _points([row[index] for row in table.rows]) if head.aligned == "point" else [row[index] for row in table.rows]
        for index, head in enumerate(table.heads)
    ]
    widths = [
        max(map(fmt.measure_width, [head.text, *cells])) for head, cells in zip(table.heads, columns, strict=True)
    ]
    if room is not None:
        cuttable = [head.aligned == "left" and not head.is_whole for head in table.heads]
        _squeeze(widths, cuttable, room - len(GAP) * (len(widths) - 1))
    right = [head.aligned == "point" for head in table.heads]
    heads = [_pad(head.text, size, end) for head, size, end in zip(table.heads, widths, right, strict=True)]
    rows = [
        [_pad(cells[index], size, end) for cells, size, end in zip(columns, widths, right, strict=True)]
        for index in range(len(table.rows))
    ]
    return heads, rows


def _points(cells: Sequence[str]) -> list[str]:
    tails = [len(cell) - len(cell.partition(".")[0]) for cell in cells]
    longest = max(tails, default=0)
    return [cell + " " * (longest - tail) for cell, tail in zip(cells, tails, strict=True)]


def _squeeze(widths: list[int], cuttable: Sequence[bool], room: int) -> None:
    while sum(widths) > room:
        size, index = (
            max((size, index) for index, size in enumerate(widths) if cuttable[index]) if any(cuttable) else (0, 0)
        )
        if size <= _NARROWEST:
            return
        widths[index] = size - 1


def _pad(text: str, size: int, right: bool) -> str:
    shown = fmt.clip(text, size)
    blank = " " * (size - fmt.measure_width(shown))
    return blank + shown if right else shown + blank
