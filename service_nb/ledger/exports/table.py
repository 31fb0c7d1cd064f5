"""The rows of a card as cells: exact texts of numbers, texts, truth values and nulls.

Hashed text is read wherever the card holds it; the view is read only where it shows everything. Text from data stays
text in a spreadsheet: what one would take for a formula gets an apostrophe before it. A cell is a formula where its
first sign is one of ``= + - @``. Spreadsheets look for it behind blanks and invisible characters, some fold
full-width signs, and a tab, an end of line or a NUL in front hides it from people only. A file that is opened with
another separator than its own falls into other cells, so each place where such a cell could start is guarded too:
behind a semicolon, a tab and the end of a line. `restore_text` gives back every text as it was before.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service_nb.core.canonical import parse_strict
from service_nb.errors import EvidenceError, InvalidIntentError, ServiceError
from service_nb.ledger.exports.formats import missing_text_error
from service_nb.schema.card import Card

MARK = "'"
_SEAM = re.compile(r"([;\t\r\n])")
_SIGNS = frozenset("=+-@\u2212")  # NFKC folds full-width, small and raised forms; this minus it leaves alone
_PICTURES = 0x2400  # the signs that picture control characters, from that of NUL on


def is_risky(text: str) -> bool:
    """Tell whether a spreadsheet could read the text, or a part of it, as more than text."""
    return guard_text(text) != text


def guard_text(text: str) -> str:
    """Return the text with an apostrophe before each place where a formula could start."""
    return _change_starts(text, lambda part: MARK + part)


def restore_text(text: str) -> str:
    """Return the text that `guarded` was given."""
    return _change_starts(text, lambda part: part.removeprefix(MARK))


def make_printable(text: str) -> str:
    """Return the text with the control characters, which no reader of cells is sure to take, as signs that show them.

    Tabs and ends of lines stay. What has no sign, and what XML has no room for, becomes U+FFFD.
    """
    return text if text.isprintable() else "".join(map(_replace_control, text))


def _change_starts(text: str, change: Callable[[str], str]) -> str:
    if text[:1].isalnum() and _SEAM.search(text) is None:
        return text  # as nearly every text is
    first, *others = _SEAM.split(text)
    begins = _is_formula_start(first) or _has_leading_control(text)
    return "".join(
        [change(first) if begins else first, *(change(part) if _is_formula_start(part) else part for part in others)]
    )


def _is_formula_start(part: str) -> bool:
    start = next((char for char in part if not _is_unseen(char)), "")
    return start != "" and unicodedata.normalize("NFKC", start)[:1] in _SIGNS


def _has_leading_control(text: str) -> bool:
    for char in text:
        if unicodedata.category(char) == "Cc":
            return True
        if not _is_unseen(char):
            return False
    return False


def _is_unseen(char: str) -> bool:
    # The mark counts among them, so that a text that has one already is told from one that was given one.
    return char == MARK or char.isspace() or unicodedata.category(char) in ("Cc", "Cf")


def _replace_control(char: str) -> str:
    point = ord(char)
    if char in "\t\n\r":
        return char
    if point < 0x20:
        return chr(_PICTURES + point)
    if point == 0x7F:
        return "\u2421"
    is_lost = point in (0xFFFE, 0xFFFF) or unicodedata.category(char) in ("Cc", "Cs")
    return "\ufffd" if is_lost else char


MAX_TEXT = 256 * 1024**2
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_ODD_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))
_NUMERIC = ("int", "float", "decimal", "number", "record")
IN_LEDGER = "Export it by its id from the project whose ledger has it: `service-nb export ID --format csv`."


class ExactNumber(str):
    """The exact text of a number, which no float has touched."""

    __slots__ = ()


Cell = ExactNumber | str | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
    """Heads and rows; a matrix has no heads."""

    heads: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


def build_table(card: Card) -> CellTable:
    """Return the rows of an answer or of a computed value. Raises `invalid_intent`, `evidence_invalid`."""
    kind = card["kind"]
    if kind not in ("query", "computation"):
        raise InvalidIntentError(
            f"A card of kind {kind} has no rows.", hint="Export it with --format card.", met=kind, expected="query"
        )
    try:
        table = _read_answer(card) if kind == "query" else _read_value(card)
        _require_cells(table)
    except (AttributeError, LookupError, TypeError, ValueError, ServiceError) as error:
        if isinstance(error, EvidenceError):
            raise
        raise _malformed_card_error() from error
    return table


def _require_cells(table: CellTable) -> None:
    """A view is not trusted: what it shows beside values may be anything."""
    if not all(isinstance(head, str) for head in table.heads):
        raise _malformed_card_error()
    if any(cell is not None and not isinstance(cell, str | bool) for row in table.rows for cell in row):
        raise _malformed_card_error()


def _read_answer(card: Card) -> CellTable:
    columns = card["view"]["columns"]
    text = card["canonical"].get("result")
    if text is None:
        return _read_shown(
            card, tuple(column["name"] for column in columns), [column["physical"] for column in columns]
        )
    rows = _parse_exact(text)
    heads = _read_heads(columns, rows)
    kinds = {column["name"]: column["physical"] for column in columns}
    return CellTable(heads=heads, rows=[[_convert_cell(row[name], kinds[name]) for name in heads] for row in rows])


def _read_heads(columns: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns as the card shows them, of which the hashed rows must have these and no other."""
    heads = tuple(column["name"] for column in columns)
    if len(set(heads)) != len(heads) or any(row.keys() != set(heads) for row in rows):
        raise _malformed_card_error()
    return heads


def _read_value(card: Card) -> CellTable:
    view = card["view"]
    heads, kind = tuple(view["columns"]), view["value_type"]
    text = card["canonical"].get("value")
    if text is None:
        if not heads:
            raise missing_text_error("the value", IN_LEDGER)
        return _read_shown(card, heads, [_find_kind(kind) if head == "value" else "string" for head in heads])
    value = _parse_exact(text)
    if not heads:
        return CellTable(heads=(), rows=[[_convert_cell(item, kind) for item in row] for row in value])
    if heads == ("item", "value"):
        return CellTable(
            heads=heads, rows=[(ExactNumber(index), _convert_cell(item, kind)) for index, item in enumerate(value)]
        )
    if isinstance(value, dict):
        units = {row[0]: row[2] for row in view["rows"]}
        return CellTable(
            heads=heads, rows=[(name, _convert_cell(item, "record"), units.get(name)) for name, item in value.items()]
        )
    beside = view["rows"][0][1:] if view["rows"] else [None] * (len(heads) - 1)
    return CellTable(heads=heads, rows=[[_convert_cell(value, _find_kind(kind)), *beside]])


def _find_kind(value_type: str) -> str:
    return "string" if value_type == "string" else "number"


def _read_shown(card: Card, heads: tuple[str, ...], kinds: Sequence[str]) -> CellTable:
    """The rows that the card shows, if it shows all of them."""
    view = card["view"]
    rows = view["rows"]
    if len(rows) < view["row_count"] or any(heads and len(row) != len(heads) for row in rows):
        raise missing_text_error(f"all of its rows, but {len(rows):,} of {view['row_count']:,}", IN_LEDGER)
    typed = [[_convert_cell(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]
    return CellTable(heads=heads, rows=typed)


def _parse_exact(text: str) -> Any:
    """The parsed text with the digits of its numbers as they stand."""
    parse_strict(text, max_bytes=MAX_TEXT)
    return json.loads(text, parse_int=ExactNumber, parse_float=ExactNumber)


def _convert_cell(value: object, kind: str) -> Cell:
    """A value as its column has it: long integers and decimals are texts in JSON, and numbers all the same."""
    if isinstance(value, ExactNumber) or value is None or isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return _join(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    if kind.startswith(_NUMERIC) and (_NUMBER.fullmatch(value) or value in _ODD_NUMBERS):
        return ExactNumber(value)
    return value


def _join(value: object) -> str:
    """A list or a record within a cell."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_join(item)}" for name, item in value.items()) + "}"
    return "[" + ", ".join(map(_join, value)) + "]" if isinstance(value, list) else str(value)


def _malformed_card_error() -> EvidenceError:
    return EvidenceError("The card's texts are not rows of its columns.", reason="malformed_card")
