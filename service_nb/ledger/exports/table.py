"""The rows of a card as cells: exact texts of numbers, texts, truth values and nulls.

The hashed text is what is read, wherever the card holds it; what the card shows is read only where it shows everything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service_nb.core.canonical import parse_strict
from service_nb.errors import EvidenceError, InvalidIntentError, ServiceError
from service_nb.ledger.exports.material import not_kept
from service_nb.schema.card import Card

MAX_TEXT = 256 * 1024**2
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_ODD_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))
_NUMERIC = ("int", "float", "decimal", "number", "record")
_IN_LEDGER = "Export it by its id from the project whose ledger has it: `service-nb export ID --format csv`."


class Number(str):
    """The exact text of a number, which no float has touched."""

    __slots__ = ()


Cell = Number | str | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Heads and rows; a matrix has no heads."""

    heads: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


def table_of(card: Card) -> Table:
    """Return the rows of an answer or of a computed value.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The card is of an outcome without rows: a refusal, an error, a replay.
    EvidenceError [evidence_invalid]
        Reason `text_not_kept`: the card holds a part of the rows. Reason `malformed_card`: its texts are no rows.
    """
    kind = card["kind"]
    if kind not in ("query", "computation"):
        raise InvalidIntentError(
            f"A card of kind {kind} has no rows.", hint="Export it with --format card.", met=kind, expected="query"
        )
    try:
        table = _answer(card) if kind == "query" else _value(card)
        _require_cells(table)
    except (AttributeError, LookupError, TypeError, ValueError, ServiceError) as error:
        if isinstance(error, EvidenceError):
            raise
        raise _malformed() from error
    return table


def _require_cells(table: Table) -> None:
    """A view is not trusted: what it shows beside values may be anything."""
    if not all(isinstance(head, str) for head in table.heads):
        raise _malformed()
    if any(cell is not None and not isinstance(cell, str | bool) for row in table.rows for cell in row):
        raise _malformed()


def _answer(card: Card) -> Table:
    columns = card["view"]["columns"]
    text = card["canonical"].get("result")
    if text is None:
        return _shown(card, tuple(column["name"] for column in columns), [column["physical"] for column in columns])
    rows = _exact(text)
    heads = _heads(columns, rows)
    kinds = {column["name"]: column["physical"] for column in columns}
    return Table(heads=heads, rows=[[_typed(row[name], kinds[name]) for name in heads] for row in rows])


def _heads(columns: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns as the card shows them, of which the hashed rows must have these and no other."""
    heads = tuple(column["name"] for column in columns)
    if len(set(heads)) != len(heads) or any(row.keys() != set(heads) for row in rows):
        raise _malformed()
    return heads


def _value(card: Card) -> Table:
    view = card["view"]
    heads, kind = tuple(view["columns"]), view["value_type"]
    text = card["canonical"].get("value")
    if text is None:
        if not heads:
            raise not_kept("the value", _IN_LEDGER)
        return _shown(card, heads, [_kind_of(kind) if head == "value" else "string" for head in heads])
    value = _exact(text)
    if not heads:
        return Table(heads=(), rows=[[_typed(item, kind) for item in row] for row in value])
    if heads == ("item", "value"):
        return Table(heads=heads, rows=[(Number(index), _typed(item, kind)) for index, item in enumerate(value)])
    if isinstance(value, dict):
        units = {row[0]: row[2] for row in view["rows"]}
        return Table(
            heads=heads, rows=[(name, _typed(item, "record"), units.get(name)) for name, item in value.items()]
        )
    beside = view["rows"][0][1:] if view["rows"] else [None] * (len(heads) - 1)
    return Table(heads=heads, rows=[[_typed(value, _kind_of(kind)), *beside]])


def _kind_of(value_type: str) -> str:
    return "string" if value_type == "string" else "number"


def _shown(card: Card, heads: tuple[str, ...], kinds: Sequence[str]) -> Table:
    """The rows that the card shows, if it shows all of them."""
    view = card["view"]
    rows = view["rows"]
    if len(rows) < view["row_count"] or any(heads and len(row) != len(heads) for row in rows):
        raise not_kept(f"all of its rows, but {len(rows):,} of {view['row_count']:,}", _IN_LEDGER)
    typed = [[_typed(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]
    return Table(heads=heads, rows=typed)


def _exact(text: str) -> Any:
    """The parsed text with the digits of its numbers as they stand."""
    parse_strict(text, max_bytes=MAX_TEXT)
    return json.loads(text, parse_int=Number, parse_float=Number)


def _typed(value: Any, kind: str) -> Cell:
    """A value as its column has it: long integers and decimals are texts in JSON, and numbers all the same."""
    if isinstance(value, Number) or value is None or isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return _joined(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    if kind.startswith(_NUMERIC) and (_NUMBER.fullmatch(value) or value in _ODD_NUMBERS):
        return Number(value)
    return value


def _joined(value: Any) -> str:
    """A list or a record within a cell."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_joined(item)}" for name, item in value.items()) + "}"
    return "[" + ", ".join(map(_joined, value)) + "]" if isinstance(value, list) else str(value)


def _malformed() -> EvidenceError:
    return EvidenceError("The card's texts are not rows of its columns.", reason="malformed_card")
