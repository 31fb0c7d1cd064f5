"""The format of values, tables and formulas on every face: from exact to readable text, never through a float."""

from __future__ import annotations

import re
from collections.abc import Sequence

from service_nb.cards.blocks import Table
from service_nb.core.words import clip, make_visible, measure_width

NULL = "—"
SHORT_DIGEST = 12

_NUMBER = re.compile(r"(-?)([0-9]+)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_NONFINITE = ("NaN", "Infinity", "-Infinity")
_INSTANT = re.compile(r"([0-9]{4,}-[0-9]{2}-[0-9]{2})T([0-9:.]+)")
# What a spreadsheet takes for a formula when a table is pasted into it (CWE-1236).
_FORMULA_STARTS = ("=", "+", "-", "@")


def is_number(text: str) -> bool:
    """Tell whether the text is the exact text of a number, NaN and the infinities included."""
    return text in _NONFINITE or _NUMBER.fullmatch(text) is not None


def write_number(text: str) -> str:
    """Write the exact text of a number with its thousands separated; other text comes back as it is."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    sign, whole, rest = match.groups()
    head = len(whole) % 3 or 3
    return sign + ",".join([whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3))]) + rest


def write_word(text: str) -> str:
    """Write text of a cell or a heading, in quotes where it could be mistaken.

    Text that would read as empty, as null, as padded, as already quoted, or as a formula in a spreadsheet is shown in
    single quotes.
    """
    shown = make_visible(text)
    doubtful = shown in ("", NULL) or shown != shown.strip() or shown.startswith(("'", *_FORMULA_STARTS))
    return f"'{shown}'" if doubtful else shown


def write_cell(text: str | None, *, type_: str, separated: bool) -> str:
    """Write a value of a table as shown.

    Parameters
    ----------
    text : str or None
        The exact text of the value, None for null.
    type_ : str
        The column's field type.
    separated : bool
        Whether a number is a quantity; a number that is a label (a year, an identifier) keeps its digits together.
    """
    if text is None:
        return NULL
    if type_ == "number" and is_number(text):
        return write_number(text) if separated else text
    instant = _INSTANT.fullmatch(text) if type_ == "datetime" else None
    if instant is not None:
        return f"{instant[1]} {instant[2]}"
    return write_word(text)


def write_count(rows: int, noun: str = "row") -> str:
    """Write a number of things in words: `1 row`, `336,776 rows`."""
    return f"{rows:,} {noun}" if rows == 1 else f"{rows:,} {noun}s"


def write_share(shown: int, total: int, noun: str = "row", *, tells_rest: bool = False) -> str:
    """Write how many of all things are shown: `336,776 rows`, `First 20 of 336,776 rows`."""
    if shown >= total:
        return write_count(total, noun)
    rest = f"; {total - shown:,} not shown" if tells_rest else ""
    return f"First {shown:,} of {write_count(total, noun)}{rest}"


def write_duration(milliseconds: float) -> str:
    """Write a duration to two or three digits, of which the smallest is a hundredth of a millisecond."""
    if milliseconds >= 10_000:
        return f"{milliseconds / 1_000:,.1f} s"
    digits = 0 if milliseconds >= 10 else 1 if milliseconds >= 1 else 2
    return f"{milliseconds:,.{digits}f} ms" if milliseconds >= 0.005 else "under 0.01 ms"


# --- tables ----------------------------------------------------------------------------------------------------------

GAP = "  "
_NARROWEST = 8  # a column of text is never cut below this


def align_table(table: Table, room: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Pad the headings and the cells of every row: columns align, quantities at their decimal point.

    Parameters
    ----------
    table : Table
        What to align.
    room : int, optional
        Terminal cells that a line may take. Columns of text are cut to fit, widest first; numbers never are.
    """
    columns = [
        _pad_to_point([row[index] for row in table.rows])
        if head.aligned == "point"
        else [row[index] for row in table.rows]
        for index, head in enumerate(table.heads)
    ]
    widths = [max(map(measure_width, [head.text, *cells])) for head, cells in zip(table.heads, columns, strict=True)]
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


def _pad_to_point(cells: Sequence[str]) -> list[str]:
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
    shown = clip(text, size)
    blank = " " * (size - measure_width(shown))
    return blank + shown if right else shown + blank


# --- formulas --------------------------------------------------------------------------------------------------------

_LATEX = re.compile(r"[A-Za-z0-9 \\{}^_+\-*/=().,|\[\]<>!&:;']+")
# A tag, an end of the mathematics, half a command, an environment that is none of formulas.
_NO_LATEX = re.compile(r"<[A-Za-z/!?]|\\(?:[()\[\]]|$|(?:begin|end)(?!\{(?:cases|aligned)\}))")
_LATEX_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)")
# The commands of formulas. TeX and MathJax have hundreds, some of which read files or make links, and others define
# commands anew, for every formula of the page. So these are all that are obeyed.
_MATHEMATICS = frozenset(
    """
    frac sqrt left right mathrm mathbf mathsf mathcal text operatorname phantom binom sum prod int partial sin cos tan
    arcsin arccos arctan sinh cosh tanh ln log exp min max arg bmod lceil rceil lfloor rfloor le ge ne in pm cdot times
    circ sim infty ell hbar top perp ldots ddagger quad bar dot hat tilde overline xrightarrow alpha beta gamma delta
    epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega Gamma Delta Lambda
    Pi Sigma Phi Psi Omega cap cup begin end
    """.split()  # noqa: SIM905 - a column of a hundred strings says less
)


def is_plain_latex(text: str) -> bool:
    """Tell whether LaTeX is only a formula: no link, no definition, no end of the surrounding mathematics."""
    if _LATEX.fullmatch(text) is None or _NO_LATEX.search(text) is not None:
        return False
    return all(match[1] is None or match[1] in _MATHEMATICS for match in _LATEX_COMMAND.finditer(text))
