"""Finding a capability by what it is for: its name first, then BM25 over names, keywords, summaries and parameters.

A query that is a capability's name finds it first; one that is a function's name finds the functions of that name next,
then those of a synonym, then those that have it among their keywords. A word of the query also finds words that it
begins (`varian`), that are spelt almost like it (`varience`), and words that mean the same (`average`), each at a
discount. A hit counts less for each word of the query that it lacks, and for each word of its name that the query
lacks: `length` finds `debye_length` before `density_from_debye_length`.

A name of another library finds its counterpart before all that words find, and a method that is known and not there
what is nearest to it. Where all hits have too little of a query, they are weak: words meet by chance as well.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from heapq import nlargest
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from service_nb.compute.contract import Contract, format_signature, list_units
from service_nb.compute.foreign_names import (
    find_absent,
    find_counterpart,
    fold_accents,
    fold_foreign_name,
    list_bare_names,
    list_counterparts,
)
from service_nb.core.words import is_slip
from service_nb.errors import InvalidIntentError

# Where a word stands, what it weighs there, and its share of the words of the function's name.
Postings = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]

MAX_QUERY = 1_000  # characters
MAX_WORDS = 16
MAX_LIMIT = 1_000
MOST_PREFIXED = 40  # words that one word of a query may begin
MOST_KEYED = 3  # capabilities with one keyword that it finds before all others
MOST_MATCHES = 5  # names that are suggested in place of an unknown one

_WORD = re.compile(r"[a-z]+|[0-9]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_STOP = {
    *("a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "it", "its", "of", "on", "or", "that"),
    *("the", "to", "under", "when", "where", "which", "with"),
    *("calculate", "compute", "equation", "find", "formula", "how", "law", "much", "my", "what"),
}
_WEIGHTS = {"function": 4.0, "module": 2.0, "keywords": 2.5, "summary": 1.5, "params": 0.6}
_SATURATION, _LENGTH = 1.2, 0.5  # of BM25: k1 and b
_ALIKE = 0.7  # of two names: twice the letters in common, of all that both have
_PREFIX, _SPELLING, _SYNONYM = 0.6, 0.5, 0.7
# Added to the score of a capability whose name, or one of whose keywords of several words, the whole query is; no score
# of words comes near one of these.
_NAMED, _FUNCTION, _FOREIGN, _MEANT, _KEYED = 3_000.0, 2_000.0, 1_500.0, 1_000.0, 500.0
_GENERAL, _FIELDS = (
    100.0,
    ("elementary", "stats", "special"),
)  # of functions with one name, those that are meant without a field
# What is left of a score where one word of the query is met, or one of the name: the rest grows with what is met.
_COVERED, _FITTING = 0.5, 0.6
_STEPS = 1e6  # in which scores of 1 differ
# The least score of a query's best hit, as a part of what the rarity of its words would give. Of 642 queries in
# everyday words whose answer is here, 2 % have less; of 66 about other things, 85 %.
_WELL = 0.55
_LEAST_SLIP = 7  # letters of a name of another library that may have one wrong

# How a hit was found.
BY_NAME, BY_COUNTERPART, BY_NEAREST, BY_WORDS, BY_CHANCE = "name", "counterpart", "nearest", "words", "weak"

# What people say, and the words of the packs that they may mean.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "arccosine": ("acos",),
    "arcsine": ("asin",),
    "arctangent": ("atan",),
    "average": ("mean",),
    "avg": ("mean",),
    "bell": ("normal",),
    "cdf": ("distribution", "cumulative"),
    "chisquare": ("chi", "squared"),
    "combination": ("binomial",),
    "cop": ("coefficient", "performance"),
    "corr": ("correlation",),
    "cosine": ("cos",),
    "cov": ("covariance",),
    "deviation": ("std",),
    "exponential": ("exp",),
    "exponentiation": ("power",),
    "gcd": ("greatest", "common", "divisor"),
    "greatest_common_divisor": ("gcd",),
    "hypotenuse": ("hypot",),
    "integrate": ("integral",),
    "inverse": ("quantile",),
    "irr": ("internal", "rate", "return"),
    "lcm": ("least", "common", "multiple"),
    "least_common_multiple": ("lcm",),
    "likelihood": ("probability",),
    "loan": ("annuity", "payment"),
    "multiplication": ("product",),
    "natural_log": ("log",),
    "net_present_value": ("npv",),
    "npv": ("net", "present", "value"),
    "pdf": ("density",),
    "pearson": ("correlation",),
    "percentile": ("quantile",),
    "ppf": ("quantile",),
    "price": ("value",),
    "regression": ("least", "squares"),
    "sd": ("standard", "deviation", "std"),
    "sine": ("sin",),
    "speed": ("velocity",),
    "spread": ("dispersion", "range"),
    "square_root": ("sqrt",),
    "std": ("standard", "deviation"),
    "stdev": ("standard", "deviation", "std"),
    "survival": ("sf",),
    "tangent": ("tan",),
    "trapezoidal": ("trapezoid",),
    "ttest": ("t", "test"),
    "var": ("variance",),
    "velocity": ("speed",),
    "vol": ("volatility",),
}


class _Found(NamedTuple):
    """The finds of a whole query: what is added to the score, how it was found, and what is told of it."""

    bonus: float
    kind: str
    note: str = ""


class Index:
    """A contract, ready to be searched. Building it reads every line once; a search takes less than a millisecond."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._names = list(contract)
        # Of each word: where it stands, what it weighs there, and its share of the words of the function's name.
        self._postings: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
        entries = [contract.read_entry(name) for name in self._names]
        counted = [_weigh_words(entry) for entry in entries]
        lengths = [sum(words.values()) for words in counted]
        usual = sum(lengths) / len(lengths) if lengths else 1.0
        for place, (entry, words, length) in enumerate(zip(entries, counted, lengths, strict=True)):
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * length / usual)
            parts = _WORD.findall(entry["function"])
            shares = {_strip_plural(part): 1 / len(parts) for part in parts}
            for word, weight in words.items():
                known = (place, weight * (_SATURATION + 1) / (weight + norm), shares.get(word, 0.0))
                self._postings[word].append(known)
        self._arrays: dict[str, Postings] = {}  # the postings of words that were searched
        self._vocabulary = sorted(self._postings)
        # The places of the capabilities by the spelling of their function, behind a dot by that of their name, and
        # behind a dash by those of their keywords that are several words.
        self._places_of: dict[str, list[int]] = defaultdict(list)
        for place, name in enumerate(self._names):
            self._places_of[_normalise_name(name.partition(".")[2])].append(place)
            self._places_of[f".{_normalise_name(name)}"].append(place)
            for phrase in filter(re.compile(r"\S\s+\S").search, entries[place].get("keywords", ())):
                self._places_of[f"-{_normalise_name(phrase)}"].append(place)

    def search(self, query: str, limit: int, allows: Callable[[str], bool]) -> list[dict[str, object]]:
        """Return the best hits, the best first, among the capabilities that are allowed.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            The query is no text, or the limit no number from 1 to 1,000.
        """
        if not isinstance(query, str) or len(query) > MAX_QUERY:
            raise InvalidIntentError(f"`query` must be text of at most {MAX_QUERY:,} characters.", path="query")
        if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
            raise InvalidIntentError(f"`limit` must be a whole number from 1 to {MAX_LIMIT:,}.", path="limit")
        found = self._find_meant(query)
        notes = {self._names[place]: each for place, each in found.items()}
        ranked, is_weak = self._rank_names(query, limit, allows, found)
        kinds = {each.kind for each in found.values()}
        is_weak = is_weak or BY_NEAREST in kinds or (BY_COUNTERPART in kinds and "." in query)  # `np` of `np.std`
        usual = _Found(0.0, BY_CHANCE if is_weak else BY_WORDS)
        return [self._build_hit(name, score, notes.get(name, usual)) for name, score in ranked]

    def _rank_names(
        self, query: str, limit: int, allows: Callable[[str], bool], found: Mapping[int, _Found]
    ) -> tuple[list[tuple[str, float]], bool]:
        """Rank the names that fit a query, with their scores, the best first; and tell whether none fits well."""
        scores, is_met, wanted = self._compute_scores(_split_words(query)[:MAX_WORDS])
        is_weak = not found and float(scores.max(initial=0.0)) < _WELL * wanted
        for place, each in found.items():
            scores[place] += each.bonus
            is_met[place] = True
        places = np.flatnonzero(is_met)
        # Equals stand in the order of their names. Logarithms differ in their last bit from library to library.
        ranked = places[np.argsort(-np.floor(scores[places] * _STEPS + 0.5), kind="stable")]
        hits = ((self._names[place], float(scores[place])) for place in ranked if allows(self._names[place]))
        return list(islice(hits, limit)), is_weak

    def _find_meant(self, query: str) -> dict[int, _Found]:
        """Find what a query means as a whole; if it is nothing, what it means with its slips of one letter mended."""
        found = self._find_whole(query)
        mended = "" if found else self._repair_slips(query)
        return self._find_whole(mended) if mended else found

    def _find_whole(self, query: str) -> dict[int, _Found]:
        """Find the capabilities that the whole query names: as ours, as another library's, or as what is nearest."""
        found = {place: _Found(bonus, BY_NAME) for place, bonus in self._find_named(query).items()}
        is_ours = any(each.bonus >= _FUNCTION for each in found.values())
        absent = None if is_ours else find_absent(query)
        if absent is not None:
            near = [self._places[name] for name in absent.nearest if name in self._places]
            return {place: _Found(_FOREIGN - at, BY_NEAREST, absent.sentence) for at, place in enumerate(near)}
        for at, row in enumerate(list_counterparts(query, is_exact=not is_ours)):
            place = self._places.get(row.capability, -1)
            known = found.get(place)
            if known is not None and known.bonus >= _FUNCTION:  # ours, and another library's of another meaning
                found[place] = known if row.is_same else known._replace(note=row.sentence)
            elif place >= 0 and (known is None or known.kind != BY_COUNTERPART):
                found[place] = _Found(_FOREIGN - at, BY_COUNTERPART, row.sentence)
        return found

    def _repair_slips(self, query: str) -> str:
        """Mend a query of which a word, or the whole, has one letter wrong; empty if there is nothing to mend."""
        folded = fold_foreign_name(query)
        if len(folded) >= _LEAST_SLIP:
            near = {name for shorter in _list_shortened(folded) for name in self._slips.get(shorter, ())}
            meant = [name for name in near if is_slip(folded, name)]
            if len(meant) == 1:
                return meant[0]
        words = _WORD.findall(fold_accents(query))[:MAX_WORDS]
        mended = [self._repair_word(word) for word in words]
        return "" if mended == words else " ".join(mended)

    def _repair_word(self, word: str) -> str:
        """Mend a word that is none: the commonest of those that one slip makes it."""
        plain = _strip_plural(word)
        if len(plain) < 4 or plain in _STOP or plain in SYNONYMS or plain in self._postings:
            return word
        near = [other for other in self._list_similar_words(plain) if is_slip(plain, other)]
        return max(near, key=lambda other: len(self._postings[other]), default=word)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self._names)}

    @cached_property
    def _slips(self) -> Mapping[str, list[str]]:
        """The longer names that stand alone, by what is left of them without one letter."""
        slips: dict[str, list[str]] = defaultdict(list)
        for name in list_bare_names():
            if len(name) >= _LEAST_SLIP:
                for shorter in _list_shortened(name):
                    slips[shorter].append(name)
        return slips

    def _find_named(self, query: str) -> dict[int, float]:
        """Find the capabilities whose name or keyword is the whole query, with the bonus for their scores."""
        name = _normalise_name(query)
        meant = "_".join(SYNONYMS.get(name, ()))
        bonuses = {f"-{name}": _KEYED, meant: _MEANT, name: _FUNCTION, f".{name}": _NAMED}
        if len(self._places_of.get(f"-{name}", ())) > MOST_KEYED:  # a word for a whole family finds none of it first
            del bonuses[f"-{name}"]
        found = {place: bonus for key, bonus in bonuses.items() if key for place in self._places_of.get(key, ())}
        return {place: bonus + _GENERAL * self._is_general(place) for place, bonus in found.items()}

    def _is_general(self, place: int) -> bool:
        return self._names[place].partition(".")[0] in _FIELDS

    def find_nearest_names(self, name: str, allows: Callable[[str], bool]) -> list[str]:
        """Find the names that may be meant by an unknown name, the likeliest first.

        The counterpart of a name of another library, a name of the same function, what the name means, then those that
        are spelt like it. What is found by chance is none of them.
        """
        short = name[:100]
        function = short.partition(".")[2]
        meant = self._find_meant(short) or self._find_meant(function)
        whole = sorted(meant, key=lambda place: -meant[place].bonus)
        foreign = [self._names[place] for place in whole if list_counterparts(short) and not self._has_field(short)]
        spelt = self._find_close_names(short, allows)
        found, is_weak = self._rank_names(short, MOST_MATCHES, allows, {})
        likely = [*foreign, *self._by_function.get(function, ()), *(self._names[place] for place in whole)]
        near = [*filter(allows, likely), *spelt, *(known for known, _ in found if not is_weak)]
        return list(dict.fromkeys(near))[:MOST_MATCHES]

    def explain_name(self, name: str, allows: Callable[[str], bool]) -> str:
        """Explain what a name of another library is here, or what is nearest to a method that is not; or nothing."""
        row, absent = find_counterpart(name), find_absent(name)
        if row is not None and row.capability in self._places and allows(row.capability):
            return row.sentence
        return absent.sentence if absent is not None and all(map(allows, absent.nearest)) else ""

    def _has_field(self, name: str) -> bool:
        return name.partition(".")[0] in self._fields

    @cached_property
    def _fields(self) -> frozenset[str]:
        return frozenset(name.partition(".")[0] for name in self._names)

    def _find_close_names(self, name: str, allows: Callable[[str], bool]) -> list[str]:
        """Find close matches among the allowed names, as `difflib.get_close_matches` does but with few comparisons.

        Those that share the most letters come first. None can be more alike than it shares letters, nor than it shares
        them in one order: what `difflib` finds are pieces of a common subsequence.
        """
        matcher, places = SequenceMatcher(b=name), _locate_letters(name)
        best: list[tuple[float, str]] = []
        for most, known in self._list_similar_names(name):
            least = best[-1][0] if len(best) == MOST_MATCHES else _ALIKE
            if most < least:
                break
            if 2.0 * _compute_common_length(places, len(name), known) / (len(name) + len(known)) >= least and allows(
                known
            ):
                matcher.set_seq1(known)
                ratio = matcher.ratio()
                if ratio >= _ALIKE:
                    best = nlargest(MOST_MATCHES, [*best, (ratio, known)])
        return [known for _, known in best]

    def _list_similar_names(self, name: str) -> list[tuple[float, str]]:
        """List the names that share enough letters with a name, in any order, to be a close match.

        With each how much it shares, and so how alike it is at most; the highest first. To compare it with thousands of
        others as `difflib` does took as long as all else that a request takes.
        """
        letters, counts = self._letters
        wanted = np.array([name.count(letter) for letter in letters], dtype=np.uint8)
        shared = np.minimum(counts, wanted).sum(axis=1, dtype=np.int64)
        lengths = counts.sum(axis=1, dtype=np.int64) + len(name)
        most = 2.0 * shared / lengths
        places = np.flatnonzero(most >= _ALIKE)
        places = places[np.argsort(-most[places], kind="stable")]
        return [(float(most[place]), self._names[place]) for place in places]

    @cached_property
    def _letters(self) -> tuple[list[str], npt.NDArray[np.uint8]]:
        """The letters of all names, and how often each name has each of them."""
        letters = sorted(set().union(*self._names))
        counts = [[name.count(letter) for letter in letters] for name in self._names]
        return letters, np.array(counts, dtype=np.uint8).reshape(len(counts), len(letters))

    @cached_property
    def _by_function(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name in self._names:
            found[name.partition(".")[2]].append(name)
        return found

    @cached_property
    def _deletions(self) -> Mapping[str, list[str]]:
        """The words by what is left of them without one letter; made when a word is first met that is none of them."""
        deletions: dict[str, list[str]] = defaultdict(list)
        for word in self._vocabulary:
            for shorter in _list_shortened(word):
                deletions[shorter].append(word)
        return deletions

    def _compute_scores(self, words: Sequence[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], float]:
        """Compute the score of each capability, whether it has any of the words, and how rare all words are."""
        count = len(self._names)
        wanted = 0.0
        scores = np.zeros(count)
        met = np.zeros(count, np.int64)  # words of the query
        named = np.zeros(count)  # the share of the function's name that they are
        for word in words:
            best, part = np.zeros(count), np.zeros(count)  # a word of the query counts once, by its best reading
            rarest = 0.0
            for other, share in self._find_readings(word).items():
                places, weights, parts = self._list_postings(other)
                rarity = share * _compute_rarity(count, len(places))
                rarest = max(rarest, rarity / share)
                is_better = rarity * weights > best[places]
                better = places[is_better]
                best[better] = rarity * weights[is_better]
                part[better] = share * parts[is_better]
            known = self._postings.get(word, ())
            wanted += _compute_rarity(count, len(known)) if known or not rarest else rarest
            scores += best
            met += best > 0
            named += part
        scores *= _COVERED + (1 - _COVERED) * met / max(1, len(words))
        scores *= _FITTING + (1 - _FITTING) * np.minimum(1.0, named)
        return scores, met > 0, wanted

    def _list_postings(self, word: str) -> Postings:
        """List where a word stands, its weights and its shares of names, as arrays."""
        if word not in self._arrays:
            places, weights, parts = zip(*self._postings[word], strict=True)
            self._arrays[word] = np.array(places, np.int64), np.array(weights), np.array(parts)
        return self._arrays[word]

    def _find_readings(self, word: str) -> dict[str, float]:
        readings: dict[str, float] = {}
        for meaning in SYNONYMS.get(word, ()):
            readings[_strip_plural(meaning)] = _SYNONYM
        for other in self._list_prefixed_words(word):
            readings[other] = max(readings.get(other, 0.0), _PREFIX)
        if word in self._postings:
            readings[word] = 1.0
        elif not readings:
            readings = dict.fromkeys(self._list_similar_words(word), _SPELLING)
        return {other: share for other, share in readings.items() if other in self._postings}

    def _list_prefixed_words(self, word: str) -> list[str]:
        if len(word) < 3:
            return []
        start = bisect_left(self._vocabulary, word)
        end = bisect_left(self._vocabulary, word + "\x7f")
        return self._vocabulary[start : min(end, start + MOST_PREFIXED)]

    def _list_similar_words(self, word: str) -> list[str]:
        if len(word) < 4:
            return []
        return sorted({other for shorter in _list_shortened(word) for other in self._deletions.get(shorter, ())})

    def _build_hit(self, name: str, score: float, found: _Found) -> dict[str, object]:
        capability = self._contract[name]
        return {
            "name": name,
            "module": capability.module,
            "function": capability.function,
            "summary": capability.summary,
            "signature": format_signature(capability),
            "tier": capability.tier,
            "grade": capability.grade,
            "units": list_units(capability),
            "entry": self._contract.read_entry(name),
            "score": round(score, 4),
            "match": found.kind,
            "note": found.note,
        }


def _compute_rarity(count: int, places: int) -> float:
    return math.log(1 + (count - places + 0.5) / (places + 0.5))


def _locate_letters(text: str) -> dict[str, int]:
    """Locate each letter of a text: a bit mask of its positions."""
    places: dict[str, int] = defaultdict(int)
    for at, letter in enumerate(text):
        places[letter] |= 1 << at
    return dict(places)


def _compute_common_length(places: Mapping[str, int], length: int, other: str) -> int:
    """Compute the length of the longest common subsequence with another text (Hyyrö's bit-parallel algorithm)."""
    full = (1 << length) - 1
    row = full
    for letter in other:
        met = row & places.get(letter, 0)
        row = (row + met | row - met) & full
    return length - row.bit_count()


def _weigh_words(entry: Mapping[str, Any]) -> Counter[str]:
    texts = {
        "function": entry["function"],
        "module": entry["module"],
        "keywords": " ".join(entry.get("keywords", ())),
        "summary": entry["summary"],
        "params": " ".join(f"{table['name']} {table.get('about', '')}" for table in entry["params"]),
    }
    weighed: Counter[str] = Counter()
    for part, text in texts.items():
        for word in _split_words(text):
            weighed[word] += _WEIGHTS[part]  # type: ignore[assignment]  # a counter of shares
    return weighed


def _normalise_name(name: str) -> str:
    """Normalise the spelling of a name: `Root mean-square` and `root_mean_square` are one."""
    return "_".join(_WORD.findall(fold_accents(name)))


def _split_words(text: str) -> list[str]:
    plain = _POSSESSIVE.sub("", fold_accents(text))
    return [_strip_plural(word) for word in _WORD.findall(plain) if word not in _STOP]


def _strip_plural(word: str) -> str:
    """Strip the ending of a plural from a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _list_shortened(word: str) -> list[str]:
    """List a word and the word without each one of its letters: similar words have one of these in common."""
    return [word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]
