"""Other ways to say what an ask line says: read where they mean one thing, and shown as the canonical line.

    average revenue by region                 avg revenue by region
    sum of revenue                            sum revenue
    top 5 region by sum revenue               sum revenue by region order desc limit 5
    top 5 sum revenue by region               the same
    where name like 'A%', like '%b%'          starts with 'A', contains 'b'
    where rate > 10%                          rate > 0.1
    p90 delay, 90th percentile of delay       percentile 90 of delay
    quantile 0.9 of delay                     percentile 90 of delay
    sum revenue by region?                    sum revenue by region

A line that the grammar takes is never looked at here, so none changes its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

from service_nb.core.words import KEYWORDS, NAME_PATTERN
from service_nb.errors import InvalidIntentError, LimitExceededError
from service_nb.query.aggregations import RECORDS
from service_nb.schema.query import AGGREGATIONS

SYNONYMS: Mapping[str, str] = {word: name for name, record in RECORDS.items() for word in record.synonyms}
ENDS = {"top": "desc", "bottom": "asc"}
_WORDS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\$?[\w.:+-]+%?|[<>=!]=|<>|\S""")
_PERCENT = re.compile(r"[+-]?(\d{1,100}\.?\d{0,100}|\.\d{1,100})%", re.ASCII)
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}", re.ASCII)
_SHORT_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d{1,20})?)", re.ASCII)
_ORDINAL = re.compile(r"(\d{1,3}(?:\.\d{1,20})?)(?:st|nd|rd|th)", re.ASCII)
_EXACT = Context(prec=250)  # more than a percentage has digits
_TAILS = ("from", "where", "having")
_PLAIN = re.compile(r"[^%_\\]+")


def translate_line(text: str, parse: Callable[[str], Any]) -> str | None:
    """Return the line in the grammar's own words; None where it has none of these forms, or means two things."""
    words = _WORDS.findall(text.rstrip("?. \t\r\n"))
    changed = _drop_of(_translate_percentiles(_translate_conditions(words)))
    if changed and changed[0].lower() in ENDS:
        return _translate_ranking(changed, parse)
    line = " ".join(changed)
    return line if line != " ".join(_WORDS.findall(text)) else None


def _drop_of(words: list[str]) -> list[str]:
    """Drop the `of` between an aggregation and its column."""
    kept: list[str] = []
    for place, word in enumerate(words):
        follows = words[place + 1].lower() if place + 1 < len(words) else ""
        is_between = bool(kept) and is_aggregation(kept[-1]) and _is_name(follows)
        if not (word.lower() == "of" and is_between):
            kept.append(word)
    return kept


def _translate_percentiles(words: list[str]) -> list[str]:
    """Return the words with each percentile of a column as `percentile 90 of`."""
    found: list[str] = []
    place = 0
    while place < len(words):
        percent, taken = _find_percent([word.lower() for word in words[place : place + 2]])
        after = place + taken
        after += after < len(words) - 1 and words[after].lower() == "of"
        is_measure = not found or not is_aggregation(found[-1])
        if percent is not None and is_measure and after < len(words) and _is_name(words[after]):
            found += ["percentile", percent, "of"]
            place = after
        else:
            found.append(words[place])
            place += 1
    return found


def _find_percent(words: Sequence[str]) -> tuple[str | None, int]:
    """Find the percent that words begin with, and how many of them say it."""
    first, second = [*words, "", ""][:2]
    if short := _SHORT_PERCENTILE.fullmatch(first):
        return short[1], 1
    if second == "percentile" and (ordinal := _ORDINAL.fullmatch(first)):
        return ordinal[1], 2
    if not _NUMBER.fullmatch(second):
        return None, 0
    if first == "quantile":
        return format(_EXACT.normalize(_EXACT.scaleb(Decimal(second), 2)), "f"), 2
    return (second, 2) if first == "percentile" else (None, 0)


def _is_name(word: str) -> bool:
    return word.startswith("`") or (re.fullmatch(NAME_PATTERN, word) is not None and word.lower() not in KEYWORDS)


def is_aggregation(word: str) -> bool:
    """Tell whether a word is an aggregation, or what people say for one."""
    return word.lower() in AGGREGATIONS or word.lower() in SYNONYMS


def _translate_conditions(words: Sequence[str]) -> list[str]:
    """Return the words with patterns as the operators that they are, and percentages as numbers."""
    found: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        pattern = _translate_pattern(words[place + 1]) if place + 1 < len(words) else None
        if word.lower() == "like" and pattern is not None and found and found[-1].lower() != "not":
            found += pattern
            place += 1
        elif _PERCENT.fullmatch(word):
            found.append(format(_EXACT.normalize(_EXACT.scaleb(Decimal(word[:-1]), -2)), "f"))
        else:
            found.append(word)
        place += 1
    return found


def _translate_pattern(quoted: str) -> list[str] | None:
    """Return `like`'s pattern as an operator and its text; None of a pattern that is neither of both."""
    quote, inside = quoted[:1], quoted[1:-1]
    if quote not in ("'", '"') or not inside.endswith("%"):
        return None
    words = ["contains"] if inside.startswith("%") else ["starts", "with"]
    kept = inside.removeprefix("%")[:-1]
    return [*words, quote + kept + quote] if _PLAIN.fullmatch(kept) else None


def _translate_ranking(words: Sequence[str], parse: Callable[[str], Any]) -> str | None:
    """Return `top 5 …` as an order and a limit; the groups may stand before or behind the aggregation."""
    end, count, *rest = [*words, "", ""][: max(len(words), 2)]
    lower = [word.lower() for word in rest]
    if not re.fullmatch(r"[1-9][0-9]{0,14}", count) or lower.count("by") != 1 or {"order", "limit"} & set(lower):
        return None
    by = lower.index("by")
    tail = next((place for place, word in enumerate(lower) if word in _TAILS and place > by), len(rest))
    first, second, more = rest[:by], rest[by + 1 : tail], rest[tail:]
    lines = [
        " ".join([*measure, "by", *groups, *more, "order", ENDS[end.lower()], "limit", count])
        for measure, groups in ((first, second), (second, first))
        if measure and is_aggregation(measure[0])
    ]
    meant = [line for line in lines if _is_question(line, parse)]
    return meant[0] if len(meant) == 1 else None


def _is_question(line: str, parse: Callable[[str], Any]) -> bool:
    try:
        return is_complete(parse(line))
    except (InvalidIntentError, LimitExceededError):
        return False


def is_complete(spec: Mapping[str, Any]) -> bool:
    """Tell whether a line that was read has all that an aggregation needs."""
    return "metric" in spec or "measures" in spec or spec.get("aggregation") == "count"
