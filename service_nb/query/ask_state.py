"""What may come next in an unfinished ask line. The grammar itself answers, so completion never lies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from lark import Token
from lark.exceptions import UnexpectedInput

from service_nb.core.words import KEYWORDS
from service_nb.errors import ServiceError
from service_nb.query.ask_parser import parser, read_aggregation, read_name

Slot = Literal["aggregation", "metric", "group_by", "source", "condition", "period"]

_NAMES = ("NAME", "QUOTED_NAME")
_SLOT_AFTER: dict[str, Slot] = {
    "FROM": "source",
    "DURING": "period",
    "BY": "group_by",
    "COMMA": "group_by",
    "WHERE": "condition",
    "AND": "condition",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskState:
    """The place after a beginning of a line.

    `slot` says what a name would be here, `value_of` whose value is asked for, `column` which column the condition is
    about; `words` are the keywords that fit.
    """

    slot: Slot | None = None
    value_of: str | None = None
    column: str | None = None
    words: tuple[str, ...] = ()
    comparison: bool = False
    aggregation: str | None = None
    source: str | None = None


def state_after(beginning: str, rest: str = "") -> AskState | None:
    """Return what may follow `beginning`, or None where the grammar is broken already.

    `rest` is what stands behind the place; only a source named there is looked at.
    """
    tokens = _tokens(beginning)
    if tokens is None:
        return None
    if not tokens:
        return AskState(slot="aggregation", source=_source_in(_tokens(rest) or []))
    reading = parser().parse_interactive()
    try:
        for token in tokens:
            reading.feed_token(token)
    except (UnexpectedInput, ServiceError):
        return None
    accepted = cast(set[str], cast(Any, reading).accepts())
    compares, asks_value = "COMPARISON" in accepted, "STRING" in accepted
    column = _last_name(tokens) if compares or asks_value else None
    return AskState(
        slot=_slot(tokens) if accepted & set(_NAMES) else None,
        value_of=column if asks_value else None,
        column=column,
        words=tuple(word.replace("_", " ") for word in sorted(KEYWORDS) if word.upper() in accepted and word != "or"),
        comparison=compares,
        aggregation=read_aggregation(tokens[0]),
        source=_source_in(tokens) or _source_in(_tokens(rest) or []),
    )


def _tokens(text: str) -> list[Token] | None:
    try:
        return list(parser().lex(text))
    except UnexpectedInput:
        return None


def _slot(tokens: Sequence[Token]) -> Slot:
    return _SLOT_AFTER.get(tokens[-1].type, "metric") if len(tokens) > 1 else "metric"


def _last_name(tokens: Sequence[Token]) -> str:
    return next(read_name(token) for token in reversed(tokens) if token.type in _NAMES)


def _source_in(tokens: Sequence[Token]) -> str | None:
    pairs = itertools.pairwise(tokens)
    return next((read_name(name) for word, name in pairs if word.type == "FROM" and name.type in _NAMES), None)
