"""Split a line into items: names before words with a role, numbers in each form, texts, signs.

Notations of other tools are first written in the words of a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from service_nb.client.advice.notations import translate_notation
from service_nb.core.words import find_slip, split_words
from service_nb.query.aggregations import RECORDS
from service_nb.query.similar_names import fold_name

MOST_CHARS, MOST_NAMES = 1_000, 2_000  # of a line that is read; of columns that are looked for in it
SCAN = re.compile(
    r"(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`)"
    r"|(?P<date>\d{4}-\d\d-\d\d(?![\w-])|(?:\d{1,2}[./]){2}\d{4}(?!\w))"
    r"|(?P<number>[-+]?[$€£]?(?:\d[\d.,'\u2019]*\d|\d|\.\d+)(?:[eE][-+]?\d{1,3})?[%€£kK]?(?!\w))"
    r"|(?P<variable>\$[A-Za-z_]\w*)"
    r"|(?P<word>[^\W\d][\w-]*(?<!-))|(?P<sign>[<>=!]=|<>|&&|\|\||\S)"
)
_SHORT_PERCENTILE = re.compile(r"p(\d{1,2})", re.IGNORECASE | re.ASCII)
PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
FACTORS = {"%": Decimal("0.01"), "k": Decimal(1_000), "K": Decimal(1_000)}
SHARES = ("quantile", "percentile_cont")  # whose number is a share of one
_AMBIGUOUS = ("rows", "number", "distinct", "unique")  # synonyms that have a role of their own
SKIPPED = frozenset("()[].;:?!\"'{}")
MENDED = frozenset(  # roles of words whose slips are mended
    split_words("aggregation by from where having and or contains order asc desc limit first top bottom")
)
LEAST = 3  # letters of a word that one slip may have changed


class NotUnderstoodError(Exception):
    """A line has a word that no rule accounts for; its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The names that a line may hold: columns with their types, sources, and functions of the contract."""

    columns: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    modules: Collection[str] = ()  # of capabilities: `stats.mean` names no source
    find_function: Callable[[str], str | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Item:
    """A word, a number, a text or a sign: its kind, what it stands for, and how it was typed."""

    kind: str
    value: Any
    text: str


def list_numbers(text: str) -> list[str]:
    """List the numbers that a text may mean, in digits with a point: one, or two where the commas leave it open."""
    bare = re.sub("[$€£]", "", text)
    if bare[-1:] in FACTORS:
        return [f"{(Decimal(each) * FACTORS[bare[-1]]).normalize():f}" for each in list_numbers(bare[:-1])]
    if bare != text:
        return list_numbers(bare)
    if PLAIN.fullmatch(text):
        return [text]
    if re.fullmatch(r"[-+]?\d{1,3}([.,'\u2019])\d{3}", text):  # 1,500 is a thousand and a half, or one and a half
        return [re.sub(r"[.,'\u2019]", "", text), *([text.replace(",", ".")] if "," in text else [])]
    grouped = re.fullmatch(r"([-+]?\d{1,3})((?:([.,'\u2019])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d+))?", text)
    if grouped is not None:
        return [re.sub(r"[.,'\u2019]", "", grouped[1] + grouped[2]) + (f".{grouped[4]}" if grouped[4] else "")]
    return [text.replace(",", ".")] if re.fullmatch(r"[-+]?\d+,\d+", text) else []


def list_days(text: str) -> list[str]:
    """List the days that a date may mean: of dots the day stands first, of slashes the day or the month."""
    found = re.fullmatch(r"(\d{1,2})([./])(\d{1,2})\2(\d{4})", text)
    if found is None:
        return [text]
    first, last, year = int(found[1]), int(found[3]), found[4]
    pairs = [(last, first)] if found[2] == "." else [(last, first), (first, last)]
    return [f"{year}-{month:02}-{day:02}" for month, day in dict.fromkeys(pairs) if month <= 12 and day <= 31]


# --- words ------------------------------------------------------------------------------------------------------------


@cache
def build_roles() -> dict[str, tuple[str, Any]]:
    """Build the table of words: the kind of each, and what it stands for."""
    table = read_words()
    roles: dict[str, tuple[str, Any]] = {}
    for role, words in table["roles"].items():
        roles |= dict.fromkeys(words.split(), (role, role))
    for kind, key in (
        ("sign", "signs"),
        ("period", "periods"),
        ("relative", "relative"),
        ("aggregation", "aggregations"),
    ):
        roles |= {word: (kind, name) for name, words in table[key].items() for word in words.split()}
    for name, record in RECORDS.items():
        roles |= {word: ("aggregation", name) for word in (name, *record.synonyms) if word not in _AMBIGUOUS}
    return roles


@cache
def read_words() -> Mapping[str, Any]:
    """Read the table of words; that of summed columns is a set of folded names."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
    return table | {"summed": frozenset(map(fold_name, table["summed"].split()))}


@dataclass(frozen=True, slots=True)
class _LineNames:
    """The names of a line's words: those of columns and sources, folded, and what finds a function."""

    columns: Mapping[str, str]
    sources: Mapping[str, str]
    find_function: Callable[[str], str | None]


def scan(text: str, known: Known) -> list[Item]:
    """Split a line into items: names before words with a role, longer ones before shorter ones."""
    whole = re.fullmatch(r"\s*([\"'])(.*)\1\s*", text)
    text = whole[2] if whole is not None and whole[1] not in whole[2] else text
    text = translate_notation(text, "question")
    columns = {fold_name(name): name for name in known.columns} if len(known.columns) <= MOST_NAMES else {}
    names = _LineNames(columns, {fold_name(name): name for name in known.sources}, known.find_function)
    spelt = _build_spelt(names)
    items: list[Item] = []
    place, depth = 0, 0
    while (found := SCAN.search(text, place)) is not None:
        start = found.start()
        named = spelt.match(text, start) if spelt is not None else None
        if named is not None and (start == 0 or not text[start - 1].isalnum()):
            place, key = named.end(), fold_name(named.group())
            key = key if key in columns or key in names.sources else key.removesuffix("s")
            kind, name = ("name", columns[key]) if key in columns else ("source", names.sources.get(key))
            items.append(Item(kind, name, named.group()))
            continue
        place, kind, met = found.end(), str(found.lastgroup), found.group()
        depth += (met in "([") - (met in ")]") if kind == "sign" else 0
        if kind == "number" and depth and "," in met:  # in a list, a comma stands between its values
            place, met = start + met.index(","), met[: met.index(",")]
        if kind == "word":
            item, place = _read_word(text, found, names)
            items.append(item)
        elif kind == "text":
            inside = met[1:-1].replace(met[0] * 2, met[0])
            is_name = met[0] == "`" or fold_name(inside) in columns
            items.append(Item("quoted" if is_name else "text", columns.get(fold_name(inside), inside), inside))
        else:
            what, value = build_roles().get(met, (met, met)) if kind == "sign" else (kind, met)
            items.append(Item(what, value, met))
    return items


def _build_spelt(names: _LineNames) -> re.Pattern[str] | None:
    """Build the pattern of names that are no single word, longer ones first; None without any."""
    spelt = sorted((name for name in (*names.columns.values(), *names.sources.values()) if not name.isalnum()), key=len)
    parts = (re.findall(r"[\s_]+|[^\s_]+", name) for name in reversed(spelt))
    written = ("".join(r"[\s_]+" if not part.strip(" _\t\n") else re.escape(part) for part in each) for each in parts)
    return re.compile(rf"(?:{'|'.join(written)})s?(?!\w)", re.IGNORECASE) if spelt else None


def _read_word(text: str, found: re.Match[str], names: _LineNames) -> tuple[Item, int]:
    """Read a word, or as many words as have a role together: `how many`, `order by`; and the place behind it."""
    roles, met, place = build_roles(), found.group(), found.end()
    key, ahead = fold_name(met), re.match(r"(?:\s+[^\W\d]\w*){1,2}", text[place:])
    following = re.findall(r"\s+\S+", ahead.group()) if ahead is not None else []
    for count in range(len(following), 0, -1):
        said = "".join(following[:count])
        if (role := roles.get("_".join([met, *said.split()]).lower())) is not None:
            return Item(*role, met + said), place + len(said)
    near = names.columns.get(key.removesuffix("s")) or names.columns.get(key + "s")
    if (name := names.columns.get(key) or (near if key not in names.sources else None)) is not None:
        return Item("name", name, met), place
    if key in names.sources:
        return Item("source", names.sources[key], met), place
    role = roles.get(met.lower())
    if role is not None and role[0] != "word":  # a word of its own, which is no slip of one with a role
        return Item(*role, met), place
    if (short := _SHORT_PERCENTILE.fullmatch(met)) is not None:
        return Item("percentile", short[1], met), place
    words = {word: role for word, role in roles.items() if role[0] in MENDED and word != "add"}
    words |= {name: ("name", shown) for name, shown in names.columns.items()}
    is_mended = len(met) >= LEAST and role is None
    slips = {words[name] for name in words if find_slip(key, [name]) is not None} if is_mended else set()
    if len(slips) == 1:
        return Item(*slips.pop(), met), place
    function = names.find_function(met)
    return (Item("function", function, met) if function is not None else Item("word", met, met)), place
