"""Say what is wrong with an ask line that breaks the grammar: what was met, where, and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from service_nb.core.words import KEYWORDS, NAME_PATTERN, find_slip
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_sugar import SYNONYMS
from service_nb.schema.query import AGGREGATIONS, PERIODS

_SQL_OPENINGS = frozenset(
    (
        "select", "with", "insert", "update", "delete", "drop", "create", "alter", "replace", "truncate", "merge",
        "attach", "detach", "copy", "pragma", "set", "call", "execute", "exec", "vacuum", "grant", "revoke", "begin",
        "commit", "rollback", "install", "load", "export", "import", "values", "table",
    )
)  # fmt: skip
_WORDS_FOR = {
    "STRING": "text in quotes", "INT": "a number", "DECIMAL": "a number", "DATE": "a date",
    "COMPARISON": "a comparison such as =", "STARTS_WITH": "starts with",
    "AGGREGATION": "an aggregation", "COMMA": "a comma", "OPEN": "(", "CLOSE": ")", "$END": "the end of the line",
}  # fmt: skip
# What a name is behind these; else a column.
_NAMED_BEHIND = {
    "FROM": "a source", "DURING": "a period such as last_month", "IN": "a time zone such as Europe/Berlin",
}  # fmt: skip
_CLAUSES = "BY FROM WHERE HAVING ORDER LIMIT"
_NUMBERS = "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes."
_CHARACTER_HINTS = {
    ";": "Write one question, without a `;` at its end.",
    "*": "`count` alone counts rows.",
    "--": "An ask line has no comments.",
    "%": "`contains` and `starts with` search for the text as written; they take no wildcards.",
    **dict.fromkeys("+-.0123456789", _NUMBERS),
}
# Words, their kinds, kinds and texts of the word before, each of some or any; the hint of the first row that fits.
_HINTS = (
    ("like ilike", "", "", "",
     "Write `starts with 'A'` for like 'A%', and `contains 'b'` for like '%b%'; there is no other pattern."),
    ("", "VARIABLE", "", "", "A variable stands for a value of a condition: `where year = $year`."),
    ("", "NAME", "", "", "Names with spaces need backticks: `{spaced}`."),
    ("", "INT DECIMAL", "", "percentile quantile",
     "Write the percent between `percentile` and `of`: `percentile 90 of revenue`."),
    ("", "NAME QUOTED_NAME STRING INT DECIMAL", "IS NOT", "",
     "Compare with `=` or `!=`, text in quotes: = '{bare}'."),
    ("", "NULL", "COMPARISON", "", "Write `is null` or `is not null`."),
    ("", "NAME QUOTED_NAME", "COMPARISON OPEN BETWEEN", "", "Write text in quotes: '{word}'."),
    ("", "OPEN", "", "", "Write the aggregation and its column side by side: `sum revenue`."),
    ("", _CLAUSES, "BY FROM WHERE", "", "Write a column named {word} in backticks."),
    ("", _CLAUSES, "", "", "Write the clauses in this order: by, from, where, having, order, limit."),
)  # fmt: skip
_SHOWN_CHARS = 40


def unknown_aggregation_error(text: str) -> InvalidIntentError:
    """Build the error for a line that does not open with an aggregation."""
    found = re.match(rf"\s*({NAME_PATTERN}|\S{{1,{_SHOWN_CHARS}}})?", text)
    word = (found.group(1) or "") if found else ""
    start = len(text) - len(text.lstrip())
    at = Token("NAME", word, line=text.count("\n", 0, start) + 1, column=start - text.rfind("\n", 0, start))
    if word.lower() in _SQL_OPENINGS:
        error = ask_line_error(at, "not SQL", expected=AGGREGATIONS)
        error.message = f"Not SQL. A question begins with {_join_alternatives(AGGREGATIONS)}."
        return error
    met = f"`{word}` is not an aggregation" if word else "the line is empty"
    return ask_line_error(at, met, expected=AGGREGATIONS, near=find_close_words(word, AGGREGATIONS, SYNONYMS))


def unexpected_token_error(text: str, error: UnexpectedToken) -> InvalidIntentError:
    """Build the error for a word or sign at a place where the grammar does not allow it."""
    token, previous = error.token, _find_previous_token(error)
    expected = list_expected_words(_list_accepted_terminals(error), previous)
    if token.type == "$END":
        rest = text.rstrip()
        line_start = rest.rfind("\n") + 1
        end = Token("$END", "", line=rest.count("\n") + 1, column=len(rest) - line_start + 1)
        return ask_line_error(end, "the line ends too early", expected=expected)
    known = [word for word in expected if word in KEYWORDS or word == "starts with"]
    # Behind `is`, a word is a value: `region is north` has no slip of `not` in it.
    is_value = previous is not None and previous.type in ("IS", "NOT") and token.type in ("NAME", "QUOTED_NAME")
    near = [] if is_value or token.type == "VARIABLE" else find_close_words(token, known)
    met = f"`{_shorten(token)}`"
    says = f"{met} is not allowed here" if token.type == "VARIABLE" else f"unexpected {met}"
    return ask_line_error(token, says, expected=expected, near=near, hint=_find_hint(text, token, previous))


def unexpected_character_error(text: str, error: UnexpectedCharacters) -> InvalidIntentError:
    """Build the error for characters that are no word, number, text or sign of the grammar."""
    word = text[error.pos_in_stream :].split(maxsplit=1)[0]
    at = Token("", word, line=error.line, column=error.column)
    expected = list_expected_words(_list_accepted_terminals(error), _find_previous_token(error))
    if word[0] in "'\"`":
        return ask_line_error(
            Token("", word[0], line=error.line, column=error.column),
            "this quote is never closed",
            expected=[f"a closing {word[0]}"],
            hint="Double a quote inside the text.",
        )
    hint = next((hint for opening, hint in _CHARACTER_HINTS.items() if word.startswith(opening)), None)
    return ask_line_error(at, f"`{_shorten(at)}` is not allowed here", expected=expected, hint=hint)


def unknown_period_error(token: Token) -> InvalidIntentError:
    """Build the error for a word after `during` that names no period."""
    return ask_line_error(
        token, f"`{_shorten(token)}` is not a period", expected=PERIODS, near=find_close_words(token, PERIODS)
    )


def ask_line_error(
    at: Token,
    says: str,
    *,
    expected: Iterable[str] | None = None,
    near: Sequence[str] = (),
    hint: str | None = None,
) -> InvalidIntentError:
    """Build an error at a token: one sentence for the reader, the same facts in `details`."""
    words = list(expected or ())
    where = f"column {at.column}" if at.line in (None, 1) else f"line {at.line}, column {at.column}"
    wanted = f" Expected {_join_alternatives(words)}." if words else ""
    meant = f"Did you mean {_join_alternatives([f'`{word}`' for word in near])}?" if near else None
    return InvalidIntentError(
        f"At {where}: {says}.{wanted}",
        hint=meant or hint,
        line=at.line,
        column=at.column,
        met=_shorten(at),
        expected=words or None,
        did_you_mean=list(near) or None,
    )


def list_expected_words(terminals: Iterable[str], previous: Token | None) -> list[str]:
    """List the accepted terminals in plain words: values first, then keywords in the order of the grammar."""
    found = set(terminals)
    words = dict.fromkeys(_describe_terminal(name, previous) for name in sorted(found, key=_rank))
    return list(words)


def find_close_words(word: str, choices: Sequence[str], synonyms: Mapping[str, str] | None = None) -> list[str]:
    """Find the choice that `word` is with one letter wrong, or what people say for one."""
    said = {**{choice: choice for choice in choices}, **(synonyms or {})}
    near = word.lower() if word.lower() in said else find_slip(word.lower(), said)
    return [] if near is None else [said[near]]


_ORDER = [
    "NAME", "QUOTED_NAME", "STRING", "INT", "DECIMAL", "DATE", "TRUE", "FALSE", "COMPARISON", "IN", "NOT", "BETWEEN",
    "IS", "NULL", "CONTAINS", "STARTS_WITH", "DURING", "OPEN", "COMMA", "CLOSE", "AND", "OR", "BY", "FROM", "WHERE",
    "HAVING", "ORDER", "ASC", "DESC", "LIMIT", "$END",
]  # fmt: skip


def _rank(terminal: str) -> int:
    return _ORDER.index(terminal) if terminal in _ORDER else len(_ORDER)


def _describe_terminal(terminal: str, previous: Token | None) -> str:
    if terminal in ("NAME", "QUOTED_NAME"):
        return _NAMED_BEHIND.get(previous.type if previous else "", "a column")
    return _WORDS_FOR.get(terminal, terminal.lower())


# They stand for what is listed beside them.
_UNLISTED = {"VARIABLE", "UNIT_OF", "UNIT_CALL", "IN_BINS", "IN_ZONE", "PERCENTILE_OF", "SPACED"}


def _list_accepted_terminals(error: UnexpectedInput) -> set[str]:
    reading: Any = error.interactive_parser
    accepted = cast(set[str], reading.accepts())
    if "SPACED" in accepted:  # the place of an aggregation
        accepted = accepted - {"NAME"} | {"AGGREGATION"}
    return accepted - _UNLISTED


def _find_previous_token(error: UnexpectedInput) -> Token | None:
    # The parser's top of stack: a token that was just read, or a phrase that is complete.
    last = error.interactive_parser.parser_state.value_stack[-1:]
    return last[0] if last and isinstance(last[0], Token) else None


def _find_hint(text: str, token: Token, previous: Token | None) -> str | None:
    spaced = _find_spaced_name(text, token) if token.type == "NAME" else None
    met = (token.lower(), token.type, *((previous.type, previous.lower()) if previous is not None else ("", "")))
    for *rows, hint in _HINTS:
        is_met = all(not row or word in row.split() for row, word in zip(rows, met, strict=True))
        if is_met and (spaced is not None or "{spaced}" not in hint):
            return hint.format(spaced=spaced, word=_shorten(token), bare=_shorten(token).strip("'"))
    return None


def _find_spaced_name(text: str, token: Token) -> str | None:
    """Return the words around a name, where it stands directly behind another one: they may be one name."""
    start = token.start_pos or 0
    before = re.search(rf"(?:(?:^|\s)(?:{NAME_PATTERN}))+\s*$", text[max(start - _SHOWN_CHARS, 0) : start])
    words = before.group().split() if before else []
    while words and (words[0].lower() in KEYWORDS or words[0].lower() in (*AGGREGATIONS, *SYNONYMS)):
        words = words[1:]
    is_name = bool(words) and not any(word.lower() in KEYWORDS for word in words)
    return " ".join([*words, str(token)]) if is_name else None


def _join_alternatives(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _shorten(text: str) -> str:
    return str(text) if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
