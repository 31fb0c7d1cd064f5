"""The places of an ask line: the grammar says what may come next, and completion offers it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from service_nb.core.words import KEYWORDS
from service_nb.errors import ServiceError
from service_nb.query.ask_line import build_parser, read_aggregation, read_name, read_tokens
from service_nb.query.ask_sugar import is_aggregation
from service_nb.schema.query import DATE_UNITS

if TYPE_CHECKING:
    from lark import Token

Slot = Literal[
    "aggregation", "metric", "group_by", "source", "condition", "measure", "period", "zone", "order_by", "ranked"
]

_NAMES = ("NAME", "QUOTED_NAME")
_SLOT_AFTER: dict[str, Slot] = {
    "FROM": "source",
    "DURING": "period",
    "IN": "zone",
    "BY": "group_by",
    "COMMA": "group_by",
    "WHERE": "condition",
    "AND": "condition",
    "OR": "condition",
    "OPEN": "condition",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskState:
    """The place after a beginning of a line.

    `slot` says what a name would be here, `value_of` whose value is asked for, `column` which column the condition is
    about; `words` are the keywords that fit; `asked` is what stands before the order or `having`, which names columns
    and measures of the result. `takes_variable` says whether `$name` may stand here, and `takes_list` that it is
    a list. `measured` is the aggregation behind `having` whose column is asked for.
    """

    slot: Slot | None = None
    value_of: str | None = None
    column: str | None = None
    words: tuple[str, ...] = ()
    comparison: bool = False
    aggregation: str | None = None
    source: str | None = None
    asked: str = ""
    takes_variable: bool = False
    takes_list: bool = False
    measured: str | None = None


def read_ask_state(beginning: str, rest: str = "") -> AskState | None:
    """Describe what may follow `beginning`; None if `beginning` already breaks the grammar.

    `rest` is what stands behind the place; only a source named there is looked at.
    """
    from lark.exceptions import UnexpectedInput  # noqa: PLC0415

    ranking = _RANKING.match(beginning)
    if ranking is not None:
        return _read_ranking(beginning[ranking.end() :], rest)
    tokens = read_tokens(beginning)
    if tokens is None:
        return None
    if not tokens:
        return AskState(slot="aggregation", source=_find_source_name(read_tokens(rest) or []))
    reading, kinds = build_parser().parse_interactive(), list[str]()
    try:
        for token in tokens:
            is_having = token.lower() == "having" and "NAME" not in cast(Any, reading).accepts()
            reading.feed_token(token.update("HAVING") if is_having else token)
            kinds.append("HAVING" if is_having else token.type)
    except (UnexpectedInput, ServiceError):
        return None
    accepted = cast(set[str], cast(Any, reading).accepts())
    compares, asks_value = "COMPARISON" in accepted, "STRING" in accepted
    names = [read_name(token) for token in tokens if token.type in _NAMES]
    column = names[-1] if compares or asks_value else None
    clauses = (at for at, kind in enumerate(kinds) if kind in ("BY", "FROM", "WHERE", "HAVING", "ORDER", "LIMIT"))
    measured = tokens[: next(clauses, None)]
    commas = [at for at, token in enumerate(measured) if token.type == "COMMA"]
    begun = measured[commas[-1] + 1 :] if commas else measured  # the measure that stands last
    ordered = next((kinds.index(kind) for kind in ("ORDER", "HAVING") if kind in kinds), None)
    slot = _find_slot(kinds, is_measure=not begun) if accepted & set(_NAMES) else None
    is_measured = slot == "metric" and "HAVING" in kinds and tokens[-1].type in ("NAME", "SPACED", "PERCENTILE_OF")
    return AskState(
        slot=slot,
        value_of=column if asks_value else None,
        column=column,
        words=_list_words(accepted, begun=bool(begun)),
        comparison=compares,
        aggregation=_read_begun(begun),
        asked="" if ordered is None else beginning[: tokens[ordered].start_pos],
        takes_variable="VARIABLE" in accepted,
        takes_list="VARIABLE" in accepted and "OPEN" in accepted,
        measured=read_aggregation(tokens[-1]) if is_measured else None,
        source=_find_source_name(tokens) or _find_source_name(read_tokens(rest) or []),
    )


def _list_words(accepted: set[str], *, begun: bool) -> tuple[str, ...]:
    """List the keywords among the accepted terminals, with what stands for several words; `begun` is a measure."""
    return (
        *(word.replace("_", " ") for word in sorted(KEYWORDS) if word.upper() in accepted),
        *(f"{unit} of" for unit in DATE_UNITS if "UNIT_OF" in accepted),
        *(["in bins of"] if "IN_BINS" in accepted else []),
        *(["having"] if "HAVING" in accepted else []),
        *([f"percentile {percent} of" for percent in (50, 90, 95, 99)] if not begun else []),
    )


def _read_begun(begun: Sequence[Token]) -> str | None:
    """Return the aggregation of the measure that stands last; None where it is still to be written."""
    return read_aggregation(begun[0]) if begun else None


_RANKING = re.compile(r"\s*(?:top|bottom)\s+[0-9]+\s+", re.IGNORECASE)


def _read_ranking(beginning: str, rest: str) -> AskState | None:
    """Describe the place after `top 5`: a measure and its groups, or the groups and `by` what they are ranked."""
    first = beginning.split(maxsplit=1)[:1]
    if not first:
        return AskState(slot="ranked", source=_find_source_name(read_tokens(rest) or []))
    if is_aggregation(first[0]) or _SHORT_RANKED.match(beginning):
        return read_ask_state(beginning, rest)
    grouped = _BY.split(beginning, maxsplit=1)
    state = read_ask_state(f"count by {grouped[0]}" if len(grouped) == 1 else grouped[1], rest)
    if state is None or len(grouped) == 2 or state.slot is not None:
        return state
    return replace(state, words=("by", *(word for word in state.words if word == "in bins of")))


_BY = re.compile(r"\bby\b", re.IGNORECASE)
_SHORT_RANKED = re.compile(r"percentile\s", re.IGNORECASE)


def _find_slot(kinds: Sequence[str], *, is_measure: bool) -> Slot:
    """Find what a name would be after tokens of these kinds."""
    if is_measure:
        return "aggregation"
    if kinds[-2:] == ["ORDER", "BY"]:
        return "order_by"
    if "HAVING" in kinds:
        return "measure" if kinds[-1] in ("HAVING", "AND", "OR", "OPEN") else "metric"
    if kinds[-1] in ("UNIT_OF", "UNIT_CALL"):
        return "group_by"
    return _SLOT_AFTER.get(kinds[-1], "metric") if len(kinds) > 1 else "metric"


def _find_source_name(tokens: Sequence[Token]) -> str | None:
    pairs = itertools.pairwise(tokens)
    return next((read_name(name) for word, name in pairs if word.type == "FROM" and name.type in _NAMES), None)
