"""Rewrite the words of a line that the grammar refuses to what they likely mean: calls, comparisons, conditions.

    avg(price), p90(delay)                    avg price, percentile 90 of delay
    percentile(delay, 90), quantile(x, 0.9)   percentile 90 of delay, percentile 90 of x
    where region is north                     where region = 'north'
    sum revenue by region having revenue > 3  having sum revenue > 3
    sum revenue by region having region = 'N' where region = 'N'

Nothing is asked so: the line is offered, if the grammar takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from service_nb.core.words import KEYWORDS, NAME_PATTERN
from service_nb.query.ask_sugar import SYNONYMS, is_aggregation

_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d{1,20})?)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}", re.ASCII)
_NAMED = re.compile(rf"{NAME_PATTERN}|`(?:[^`]|``)*`")
_SHARES = ("quantile", "percentile_cont")  # whose number is a share of one


def rewrite_calls(words: Sequence[str]) -> list[str]:
    """Return the words with each call of an aggregation as its name and its column."""
    found: list[str] = []
    place = 0
    while place < len(words):
        close = words.index(")", place) if words[place + 1 : place + 2] == ["("] and ")" in words[place:] else None
        said = None if close is None else _read_call(words[place].lower(), list(words[place + 2 : close]))
        found += [words[place]] if said is None else said
        place = place + 1 if said is None or close is None else close + 1
    return found


def _read_call(function: str, inside: list[str]) -> list[str] | None:
    """Return the measure that a call means; None of one that means none."""
    if short := _PERCENTILE.fullmatch(function):
        return ["percentile", short[1], "of", *inside] if len(inside) == 1 else None
    if not is_aggregation(function):
        return None
    if inside[:1] and inside[0].lower() in ("distinct", "unique") and function == "count":
        function, inside = "count_distinct", inside[1:]
    if len(inside) == 3 and inside[1] == ",":
        return _read_percentile(function, inside[0], inside[2])
    if inside in ([], ["*"]):
        return [function] if function == "count" else None
    return [function, *inside] if len(inside) == 1 and _NAMED.fullmatch(inside[0]) else None


def _read_percentile(function: str, first: str, second: str) -> list[str] | None:
    column, number = (second, first) if _NUMBER.fullmatch(first) else (first, second)
    if SYNONYMS.get(function, function) != "percentile" or not _NUMBER.fullmatch(number):
        return None
    percent = Decimal(number) * 100 if function in _SHARES else Decimal(number)
    return ["percentile", f"{percent.normalize():f}", "of", column]


def rewrite_comparisons(words: Sequence[str]) -> list[str]:
    """Return the words with `is` and `equals` before a value as `=`, and a bare word there in quotes."""
    found: list[str] = []
    place = 0
    while place < len(words):
        lower = [word.lower() for word in words[place : place + 2]]
        is_denied = lower == ["is", "not"]
        taken = 2 if is_denied else 1
        value = words[place + taken] if place + taken < len(words) else ""
        is_compared = lower[0] in ("is", "equals", "was") and bool(found) and _NAMED.fullmatch(found[-1]) is not None
        if is_compared and value and (value.lower() not in KEYWORDS or value.lower() in ("true", "false")):
            found += ["!=" if is_denied else "=", _quote_bare(value)]
            place += taken + 1
        else:
            found.append(words[place])
            place += 1
    return found


def _quote_bare(value: str) -> str:
    is_bare = re.fullmatch(NAME_PATTERN, value) is not None and value.lower() not in ("true", "false")
    return f"'{value}'" if is_bare else value


# --- having -----------------------------------------------------------------------------------------------------------


def place_having(clauses: Sequence[list[str]]) -> list[list[str]]:
    """Return the clauses with columns behind `having` as the measures of them, or as conditions on rows."""
    place = next((at for at, clause in enumerate(clauses) if clause and clause[0].lower() == "having"), None)
    if place is None:
        return list(clauses)
    measures = dict(_list_measures(clauses[0]))
    having = clauses[place]
    lefts = [at for at in _list_lefts(having) if not is_aggregation(having[at])]
    if not lefts or is_aggregation(having[1]):
        return list(clauses)
    if all(_fold(having[at]) in measures for at in lefts):
        said = [word for at, word in enumerate(having) for word in (measures[_fold(word)] if at in lefts else [word])]
        return [*clauses[:place], said, *clauses[place + 1 :]]
    if any(_fold(having[at]) in measures for at in lefts):
        return list(clauses)
    return _move_to_where(clauses, place)


def _move_to_where(clauses: Sequence[list[str]], place: int) -> list[list[str]]:
    """Return the clauses with the conditions of `having` among those of `where`, in brackets where one is an *or*."""
    conditions = clauses[place][1:]
    where = next((clause for clause in clauses if clause and clause[0].lower() == "where"), None)
    others = [clause for at, clause in enumerate(clauses) if at != place and clause is not where]
    last = max((at for at, clause in enumerate(others) if clause and clause[0].lower() in ("by", "from")), default=0)
    joined = (
        ["where", *conditions]
        if where is None
        else [*_put_in_brackets(where), "and", *_put_in_brackets(["", *conditions])[1:]]
    )
    return [*others[: last + 1], joined, *others[last + 1 :]]


def _put_in_brackets(clause: list[str]) -> list[str]:
    has_or = any(word.lower() == "or" for word in clause)
    return [clause[0], "(", *clause[1:], ")"] if has_or else clause


def _list_measures(head: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the measures of a line by their columns, the first of each, and by the names of results."""
    measures: list[list[str]] = [[]]
    for word in head:
        if word == ",":
            measures.append([])
        else:
            measures[-1].append(word)
    for each in reversed(measures):
        if len(each) < 2:
            continue
        short = f"p{each[1].replace('.', '_')}" if len(each) == 4 else each[0].lower()
        yield f"{short}_{_fold(each[-1])}", each
        yield _fold(each[-1]), each


def _list_lefts(having: Sequence[str]) -> Iterator[int]:
    """Yield the places behind `having`, `and`, `or` and brackets, where what is compared begins."""
    is_between = False
    for at, word in enumerate(having[1:], 1):
        before = having[at - 1].lower()
        is_between = is_between or before == "between"
        is_left = before in ("having", "or", "(") or (before == "and" and not is_between)
        if is_left and _NAMED.fullmatch(word) and word.lower() not in KEYWORDS:
            yield at
        if before == "and":
            is_between = False


def _fold(word: str) -> str:
    return word.strip("`").lower()
