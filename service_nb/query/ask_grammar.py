"""Read ask lines: the grammar, the spec made of a line, and what may follow an unfinished one.

`syntax.py` is the door for whole lines; only it and completion load this module, and Lark with it. A basic lexer
suffices: no word means two things, because keywords never are bare names. What may come next is then a question to the
parser's own table, which error messages and completion share.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from service_nb.core.words import KEYWORDS, NAME_PATTERN
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.query import ask_advice
from service_nb.query.ask_format import COMPARISONS, DATE_PATTERN, AskSpec
from service_nb.schema.query import AGGREGATIONS, PERIODS

MAX_DIGITS = 400  # beyond the largest double's 309, and far below where Python itself refuses to read an int

# Aggregations of two words, where a column follows: `count distinct by region` counts a column called `distinct`.
_SPACED = "|".join(name.replace("_", r"\s+") for name in AGGREGATIONS if "_" in name)

GRAMMAR = rf"""
    start: aggregation [metric] [by] [source] [where] [order] [limit]

    aggregation: NAME | SPACED
    metric: name
    by: BY name (COMMA name)*
    source: FROM name
    where: WHERE condition (AND condition)*
    order: ORDER (ASC | DESC)
    limit: LIMIT INT

    condition: name COMPARISON value              -> compare
             | name IN values                     -> is_in
             | name NOT IN values                 -> is_not_in
             | name BETWEEN value AND value       -> between
             | name IS NULL                       -> is_null
             | name IS NOT NULL                   -> is_not_null
             | name CONTAINS STRING               -> contains
             | name STARTS_WITH STRING            -> starts_with
             | name DURING NAME                   -> during
    values: OPEN value (COMMA value)* CLOSE
    value: STRING | INT | DECIMAL | DATE | TRUE | FALSE
    name: NAME | QUOTED_NAME

    NAME: /{NAME_PATTERN}/
    SPACED.2: /({_SPACED})(?=\s+(?!(by|from|where|order|limit)\b)\S|\s+$)/i
    QUOTED_NAME: /`([^`]|``)+`/
    STRING: /'([^']|'')*'/ | /"([^"]|"")*"/
    STARTS_WITH.2: /starts\s+with\b/i
    DATE.3: /{DATE_PATTERN}(?![\w.:-])/
    DECIMAL.2: /[+-]?([0-9]*\.[0-9]+([eE][+-]?[0-9]{{1,3}})?|[0-9]+[eE][+-]?[0-9]{{1,3}})(?![\w.])/
    INT: /[+-]?[0-9]+(?![\w.])/
    COMPARISON: /==|=|!=|<>|<=|>=|<|>/
    COMMA: ","
    OPEN: "("
    CLOSE: ")"

    %declare {" ".join(sorted(word.upper() for word in KEYWORDS - {"starts_with"}))}
    %ignore /\s+/
"""


def parse(text: str) -> AskSpec:
    """Read one line; see `syntax.parse_ask`."""
    try:
        return _parse(text)
    except InvalidIntentError as error:
        ask_advice.add_line_meant(error, text, _parse)
        raise


def _parse(text: str) -> AskSpec:
    ask_advice.check_opening(text)
    try:
        tree = build_parser().parse(text)
    except UnexpectedToken as error:
        raise ask_advice.unexpected_token_error(text, error) from None
    except UnexpectedCharacters as error:
        raise ask_advice.unexpected_character_error(text, error) from None
    # An embedded transformer runs while parsing, so the "tree" is the spec already.
    return cast("AskSpec", tree)


@functools.cache
def build_parser() -> Lark:
    """Build the parser; once per process, when the first line is read."""
    return Lark(
        GRAMMAR,
        parser="lalr",
        lexer="basic",
        maybe_placeholders=True,
        transformer=_SpecBuilder(),
        lexer_callbacks={"NAME": _classify_name},
    )


def _classify_name(token: Token) -> Token:
    word = token.lower()
    return Token.new_borrow_pos(word.upper(), word, token) if word in KEYWORDS else token


def read_name(token: Token) -> str:
    """Read a name without its backticks."""
    return token[1:-1].replace("``", "`") if token.type == "QUOTED_NAME" else str(token)


def read_aggregation(token: Token) -> str:
    """Return the name of an aggregation, which may stand as two words."""
    return "_".join(token.lower().split())


def _read_value(token: Token) -> Any:
    if token.type == "STRING":
        quote = token[0]
        return token[1:-1].replace(quote * 2, quote)
    if token.type in ("INT", "DECIMAL"):
        return _read_number(token)
    return str(token) if token.type == "DATE" else token.type == "TRUE"


def _read_number(token: Token) -> int | float | str:
    if len(token) > MAX_DIGITS:
        raise LimitExceededError(
            f"A number of {len(token):,} characters at column {token.column}; the limit is {MAX_DIGITS}.",
            limit=MAX_DIGITS,
            value=len(token),
            line=token.line,
            column=token.column,
        )
    if token.lstrip("+-")[:1] == "0" and token.lstrip("+-")[1:2].isdigit():
        # `in (1,000)` would be 1 and 0.
        hint = "Write a thousand as 1000, and a code such as 007 in quotes."
        raise ask_advice.ask_line_error(token, "a number must not begin with 0", expected=None, hint=hint)
    if token.type == "INT":
        return int(token)
    # A float only where its shortest spelling is the number as typed; else the digits themselves, so none is lost.
    number = float(token)
    return number if Decimal(repr(number)) == Decimal(token) else str(token)


def _convert_period(period: dict[str, Any]) -> dict[str, Any]:
    # Until here the period is its token, for the place of a second one.
    return {"column": period["column"], "period": period["period"].lower()}


class _SpecBuilder(Transformer[Token, Any]):
    """Turns what the grammar recognises into the keys of a QuerySpec."""

    @v_args(inline=True)
    def start(self, *parts: dict[str, Any] | None) -> AskSpec:
        spec: dict[str, Any] = {}
        for part in parts:
            spec |= part or {}
        return cast("AskSpec", spec)

    def aggregation(self, children: list[Token]) -> dict[str, Any]:
        return {"aggregation": read_aggregation(children[0])}

    def metric(self, children: list[str]) -> dict[str, Any]:
        return {"metric": children[0]}

    def by(self, children: list[Any]) -> dict[str, Any]:
        return {"group_by": [child for child in children if not isinstance(child, Token)]}

    def source(self, children: list[Any]) -> dict[str, Any]:
        return {"source_name": children[1]}

    def order(self, children: list[Token]) -> dict[str, Any]:
        return {"order": str(children[1])}

    def limit(self, children: list[Token]) -> dict[str, Any]:
        count = _read_number(children[1])
        if not isinstance(count, int) or count < 1:
            raise ask_advice.ask_line_error(
                children[1], "limit must be a whole number of at least 1", expected=["a whole number"]
            )
        return {"limit": count}

    def where(self, children: list[Any]) -> dict[str, Any]:
        found = [child for child in children if not isinstance(child, Token)]
        conditions = [condition for condition in found if "op" in condition]
        periods = [condition for condition in found if "op" not in condition]
        if len(periods) > 1:
            raise ask_advice.ask_line_error(
                periods[1]["period"],
                "a question has at most one period",
                expected=None,
                hint="Write the second as dates: `column between 2013-01-01 and 2013-03-31`.",
            )
        built: dict[str, Any] = {"conditions": conditions} if conditions else {}
        return {"filter": built | ({"time_filter": _convert_period(periods[0])} if periods else {})}

    def name(self, children: list[Token]) -> str:
        # Plain text, no Token: what remains a Token in a rule above is punctuation or a keyword.
        return read_name(children[0])

    def value(self, children: list[Token]) -> Any:
        return (_read_value(children[0]),)  # boxed, so that a value is told from a keyword

    def values(self, children: list[Any]) -> list[Any]:
        return [child[0] for child in children if isinstance(child, tuple)]

    def compare(self, children: list[Any]) -> dict[str, Any]:
        column, sign, (value,) = children
        return {"column": column, "op": COMPARISONS[sign], "value": value}

    def is_in(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "in", "values": children[-1]}

    def is_not_in(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "not_in", "values": children[-1]}

    def between(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "between", "values": [children[2][0], children[4][0]]}

    def is_null(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "is_null"}

    def is_not_null(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "is_not_null"}

    def contains(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "contains", "value": _read_value(children[2])}

    def starts_with(self, children: list[Any]) -> dict[str, Any]:
        return {"column": children[0], "op": "starts_with", "value": _read_value(children[2])}

    def during(self, children: list[Any]) -> dict[str, Any]:
        column, _, period = children
        if period.lower() not in PERIODS:
            raise ask_advice.unknown_period_error(period)
        return {"column": column, "period": period}


# --- what may come next ---------------------------------------------------------------------------------------------

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


def read_ask_state(beginning: str, rest: str = "") -> AskState | None:
    """Describe what may follow `beginning`; None if `beginning` already breaks the grammar.

    `rest` is what stands behind the place; only a source named there is looked at.
    """
    tokens = _read_tokens(beginning)
    if tokens is None:
        return None
    if not tokens:
        return AskState(slot="aggregation", source=_find_source_name(_read_tokens(rest) or []))
    reading = build_parser().parse_interactive()
    try:
        for token in tokens:
            reading.feed_token(token)
    except (UnexpectedInput, ServiceError):
        return None
    accepted = cast(set[str], cast(Any, reading).accepts())
    compares, asks_value = "COMPARISON" in accepted, "STRING" in accepted
    column = _find_last_name(tokens) if compares or asks_value else None
    return AskState(
        slot=_find_slot(tokens) if accepted & set(_NAMES) else None,
        value_of=column if asks_value else None,
        column=column,
        words=tuple(word.replace("_", " ") for word in sorted(KEYWORDS) if word.upper() in accepted and word != "or"),
        comparison=compares,
        aggregation=read_aggregation(tokens[0]),
        source=_find_source_name(tokens) or _find_source_name(_read_tokens(rest) or []),
    )


def _read_tokens(text: str) -> list[Token] | None:
    try:
        return list(build_parser().lex(text))
    except UnexpectedInput:
        return None


def _find_slot(tokens: Sequence[Token]) -> Slot:
    return _SLOT_AFTER.get(tokens[-1].type, "metric") if len(tokens) > 1 else "metric"


def _find_last_name(tokens: Sequence[Token]) -> str:
    return next(read_name(token) for token in reversed(tokens) if token.type in _NAMES)


def _find_source_name(tokens: Sequence[Token]) -> str | None:
    pairs = itertools.pairwise(tokens)
    return next((read_name(name) for word, name in pairs if word.type == "FROM" and name.type in _NAMES), None)
