"""The ask line that was likely meant by one that breaks the grammar: other words, clauses in another order, SQL.

Nothing is asked in its place. The line is offered, ready to be typed, and only if the grammar takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from service_nb.core.words import KEYWORDS, NAME_PATTERN
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_words import COMPARISONS, AskSpec
from service_nb.query.syntax import format_ask
from service_nb.schema.query import AGGREGATIONS

SYNONYMS: Mapping[str, str] = {word: name for name, record in RECORDS.items() for word in record.synonyms}
_TOKENS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\w.:+-]+|[<>=!]=|<>|\S""")
_CLAUSES = ("by", "from", "where", "order", "limit")
_MOST_CHARS = 1_000  # of a line that is looked at


def help_with(error: InvalidIntentError, text: str, parse: Callable[[str], AskSpec]) -> None:
    """Add to an error the line that was likely meant, as its hint and as the detail `write`."""
    if len(text) > _MOST_CHARS:
        return
    words = _opening(_TOKENS.findall(text), error.details.get("did_you_mean") or [])
    try:
        spec = parse(" ".join(word for clause in _clauses([*_spelt(words)]) for word in clause))
    except (InvalidIntentError, LimitExceededError):
        return
    if "metric" not in spec and spec["aggregation"] != "count":
        return
    line = format_ask(spec)
    error.hint = f"Write: {line}"
    error.details["write"] = line


def _opening(words: list[str], near: Sequence[str]) -> list[str]:
    """Return the words with an aggregation at their beginning, its column beside it and not in parentheses."""
    words = words[1:] if words and words[0].lower() == "select" else words
    words = words[:-1] if words[-1:] == [";"] else words
    if not words:
        return []
    first, rest = words[0].lower(), words[1:]
    if [first, *map(str.lower, rest[:1])] in (["count", "distinct"], ["count", "unique"]):
        first, rest = "count_distinct", rest[1:]
    if first not in AGGREGATIONS:
        first = SYNONYMS.get(first) or (near[0] if len(near) == 1 else first)
    if rest[:1] == ["("] and ")" in rest:
        close = rest.index(")")
        rest = [*(word for word in rest[1:close] if word != "*"), *rest[close + 1 :]]
        if first == "count" and rest and rest[0].lower() in ("distinct", "unique"):
            first, rest = "count_distinct", rest[1:]
    elif rest[:1] == ["*"] or (rest and rest[0].lower() == "of"):
        rest = rest[1:]
        rest = rest[1:] if [first, *rest[:1]] == ["count", "rows"] else rest
    return [first, *rest]


def _spelt(words: list[str]) -> Iterator[str]:
    """Yield the words with those of other languages in the ask line's own."""
    metric = words[1].lower() if len(words) > 1 else ""
    place = 0
    while place < len(words):
        word, following = words[place], [other.lower() for other in words[place + 1 : place + 3]]
        previous = words[place - 1] if place else ""
        lower = word.lower()
        place += 1
        if lower in ("group", "grouped") and following[:1] == ["by"]:
            continue
        if lower == "order" and following[:1] == ["by"] and following[1:] == [metric]:
            ends = words[place + 2 : place + 3]
            place += 2 + (bool(ends) and ends[0].lower() in ("asc", "desc"))
            yield from ("order", ends[0] if ends and ends[0].lower() in ("asc", "desc") else "asc")
        elif lower in ("asc", "desc") and previous.lower() != "order":
            yield from ("order", word)
        elif previous in COMPARISONS and re.fullmatch(NAME_PATTERN, word) and lower not in KEYWORDS:
            yield f"'{word}'"
        else:
            yield {"per": "by", "&": "" if previous == "&" else "and"}.get(lower, word)


def _clauses(words: list[str]) -> list[list[str]]:
    """Return the clauses in the order of the grammar; those of one kind stay as they are."""
    found: list[list[str]] = [[]]
    for word in words:
        if word.lower() in _CLAUSES:
            found.append([])
        found[-1].append(word)
    head, *clauses = found
    ordered = sorted(clauses, key=lambda clause: _CLAUSES.index(clause[0].lower()))
    merged = (_merged([*group]) for _, group in groupby(ordered, key=lambda clause: clause[0].lower()))
    return [head, *merged]


def _merged(clauses: list[list[str]]) -> list[str]:
    """Return clauses of one kind as one: `by city by year` is `by city, year`. Others stay two, which is a fault."""
    first, *others = clauses
    if first[0].lower() != "by":
        return [word for clause in clauses for word in clause]
    return [*first, *(word for other in others for word in (",", *other[1:]))]
