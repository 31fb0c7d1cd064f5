"""Names as people write them: folded, matched, similar."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest

from service_nb.schema.query import DecisionPath

_SEPARATORS = re.compile(r"[\s_\-./]+")
_WORDS = re.compile(r"[\s_\-./]+|(?<=[a-z0-9])(?=[A-Z])")
SIMILAR = 0.6
MOST = 10
COMPARED = 100  # characters of a name: comparing takes the square of their number
MOST_SEARCHED = 10  # unknown names of a question; for the others no similar ones are named
MOST_MATCHED = 100  # names that are compared letter by letter
FARTHEST = 0.2  # from the likeliest: weaker ones would only distract


@lru_cache(maxsize=1 << 14)  # a wide source is searched for each name that it does not have
def fold_name(name: str) -> str:
    """Return the name without case and separators: `Order Date` and `order_date` fold to the same."""
    return _SEPARATORS.sub("", unicodedata.normalize("NFC", name).casefold())


def match_name(name: str, names: Iterable[str], aliases: Mapping[str, str]) -> tuple[DecisionPath, list[str]]:
    """Match `name`: return the way and the names found. One is an answer, several are ambiguous, none is no match."""
    known = list(names)
    if name in known:
        return "exact_spec", [name]
    if name in aliases and aliases[name] in known:
        return "alias", [aliases[name]]
    folded = fold_name(name)
    return "normalized_name", [other for other in known if fold_name(other) == folded]


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that `name` may stand for, the likeliest first, at most ten."""
    scored: list[tuple[float, str]] = []
    spelt: list[tuple[float, str, SequenceMatcher[str]]] = []
    words = split_words(name)
    for other in names:
        short, long = sorted((fold_name(name)[:COMPARED], fold_name(other)[:COMPARED]), key=len)
        if len(short) >= 3 and short in long:
            scored.append((0.9 + 0.1 * len(short) / len(long), other))
        elif words & split_words(other):
            scored.append((0.8, other))
        elif 2 * len(short) >= SIMILAR * (len(short) + len(long)):
            matcher = SequenceMatcher(None, short, long, autojunk=False)
            spelt.append((matcher.quick_ratio(), other, matcher))
    # The quick ratio is an upper bound of the ratio, and costs a hundredth.
    for _, other, matcher in nlargest(MOST_MATCHED, spelt, key=lambda entry: (entry[0], entry[1])):
        scored.append((matcher.ratio() * 0.9, other))
    ranked = sorted((pair for pair in scored if pair[0] >= SIMILAR), key=lambda pair: (-pair[0], pair[1]))
    return [other for score, other in ranked[:MOST] if score > ranked[0][0] - FARTHEST]


@lru_cache(maxsize=1 << 14)
def split_words(name: str) -> frozenset[str]:
    """Split a name into its words of three letters and more, in small letters."""
    return frozenset(word.casefold() for word in _WORDS.split(name) if len(word) >= 3)
