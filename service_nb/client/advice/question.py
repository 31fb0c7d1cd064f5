"""Read a question that the grammar refused: prose, SQL, pandas, a spreadsheet's formula.

Every word has to be accounted for: it is a name, a value, an aggregation, a word with a role in `words.json`, or the
line is not read. So nothing that was typed is left out of what is offered, and nothing stands there that was not typed.
One slot may stay open; the candidates then differ in it alone.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from service_nb.core.words import find_slip
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import read_literal
from service_nb.query.similar_names import fold_name

MOST_CHARS, MOST_NAMES = 1_000, 2_000  # of a line that is read; of columns that are looked for in it
_SCAN = re.compile(
    r"(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`)|(?P<date>\d{4}-\d\d-\d\d(?![\w-])|(?:\d{1,2}[./]){2}\d{4}(?!\w))"
    r"|(?P<number>[-+]?(?:\d[\d.,'’]*\d|\d|\.\d+)(?:[eE][-+]?\d{1,3})?%?(?!\w))|(?P<variable>\$[A-Za-z_]\w*)"
    r"|(?P<word>[^\W\d][\w-]*(?<!-))|(?P<sign>[<>=!]=|<>|&&|\|\||\S)"
)
_SHORT_PERCENTILE = re.compile(r"p(\d{1,2})", re.IGNORECASE | re.ASCII)
_ORDINAL = re.compile(r"(?<!\w)(\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)\s+percentile", re.IGNORECASE | re.ASCII)
DOLLAR = re.compile(r"(?<=\w)\$(?=[A-Za-z`])")  # between a frame of R and its column
_PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_SHARES = ("quantile", "percentile_cont")  # whose number is a share of one
_AMBIGUOUS = ("rows", "number", "distinct", "unique")  # synonyms that have a role of their own
_SKIPPED = frozenset("()[].;:?!\"'{}")
_ENDS = frozenset(("by", "from", "where", "having", "order", "limit", "top", "bottom"))
_MENDED = frozenset(("aggregation", "by", "and", "or", "contains", "asc", "desc", *_ENDS))  # whose slips are mended
_LEAST = 3  # letters of a word that one slip may have changed


class NotUnderstoodError(Exception):
    """A line has a word that no rule accounts for; its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The names that a line may hold: columns with their types, sources, and functions of the contract."""

    columns: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    modules: Collection[str] = ()  # of capabilities: `stats.mean` names no source
    find_function: Callable[[str], str | None] = lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a line means: the spec, or one for each choice of the slot that `asks` is about.

    A spec with `capability` and `columns` in place of measures is a computation.
    """

    specs: Sequence[dict[str, Any]]
    asks: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    kind: str
    value: Any
    text: str


def read_question(text: str, known: Known) -> Reading:
    """Read a question in other words.

    Parameters
    ----------
    text : str
        The line.
    known : Known
        The names that the client may see.

    Raises
    ------
    NotUnderstoodError
        With the first word that has no place in a question.
    """
    if len(text) > MOST_CHARS:
        raise NotUnderstoodError(text[:40] + "…")
    text = _translate_notation(DOLLAR.sub(".", text))
    whole = re.fullmatch(r"\s*([\"'])(.*)\1\s*", text)
    text = whole[2] if whole is not None and whole[1] not in whole[2] else text
    return _Reader(_scan(_ORDINAL.sub(r"p\1", text), known), known).read()


_COLUMN = r"(?:\.(?P<{0}>\w+)|\[\s*(?P<{0}q>['\"`][^'\"`]+['\"`])\s*\])"
_SELECTION = re.compile(r"(?P<frame>\w+)\[\s*(?P=frame)" + _COLUMN.format("left") + r"\s*(?P<rest>[<>=!]=?[^\]]+)\]")
_QUERIED = re.compile(r"\.(?:query|filter)\(\s*(?P<quote>['\"])(?P<inside>.*?)(?P=quote)\s*\)")
_VALUE_COUNTS = re.compile(_COLUMN.format("of") + r"\.value_counts\(\)")
_ALIAS = re.compile(r"\bas\s+(?P<name>\w+)", re.IGNORECASE)
_IFS = re.compile(r"\s*=\s*(?P<word>sum|average|count|max|min)ifs?\s*\((?P<inside>.*)\)\s*", re.IGNORECASE)
_PART = re.compile(r"\"[^\"]*\"|[^;,\"]+")


def _translate_notation(text: str) -> str:
    """Write selections of pandas, aliases of SQL and conditional formulas of spreadsheets in the words of a question."""
    formula = _IFS.fullmatch(text)
    if formula is not None:
        return _translate_formula(
            formula["word"], [each.strip() for each in _PART.findall(formula["inside"]) if each.strip()], text
        )
    text = _SELECTION.sub(lambda met: f"{met['frame']} where {met['left'] or met['leftq']} {met['rest']} ", text)
    text = _QUERIED.sub(lambda met: f" where {met['inside']} ", text)
    text = _VALUE_COUNTS.sub(lambda met: f" count by {met['of'] or met['ofq']}", text)
    for name in [met["name"] for met in _ALIAS.finditer(text)]:
        text = re.sub(rf"\border\s+by\s+{re.escape(name)}\b", "order", text, flags=re.IGNORECASE)
    return _ALIAS.sub("", text)


def _translate_formula(word: str, parts: Sequence[str], text: str) -> str:
    """Write `SUMIF(region; "North"; sales)` and `SUMIFS(sales; region; "North"; …)` as a question."""
    is_many = re.match(r"\s*=\s*\w+ifs\b", text, re.IGNORECASE) is not None
    takes = word.lower() != "count"
    metric = parts[0 if is_many else -1] if takes and len(parts) > 2 else ""
    pairs = parts[1:] if is_many and takes else parts[:2]
    pairs = parts if is_many and not takes else pairs
    conditions = []
    for column, value in zip(pairs[::2], pairs[1::2], strict=False):
        signed = re.fullmatch(r"\"?(?P<sign><>|>=|<=|=|>|<)?(?P<value>.*?)\"?", value)
        said = signed["value"] if signed is not None else value
        quoted = said if _PLAIN.fullmatch(said) else f"'{said}'"
        conditions.append(f"{column} {(signed and signed['sign']) or '='} {quoted}")
    return f"{word} {metric} where {' and '.join(conditions)}" if len(pairs) % 2 == 0 else text


def list_numbers(text: str) -> list[str]:
    """List the numbers that a text may mean, in digits with a point: one, or two where the commas leave it open."""
    if text.endswith("%"):
        return [f"{Decimal(each) / 100:f}" for each in list_numbers(text[:-1])]
    if _PLAIN.fullmatch(text):
        return [text]
    if re.fullmatch(r"[-+]?\d{1,3}([.,'’])\d{3}", text):  # 1,500 is a thousand and a half, or one and a half
        return [re.sub(r"[.,'’]", "", text), *([text.replace(",", ".")] if "," in text else [])]
    grouped = re.fullmatch(r"([-+]?\d{1,3})((?:([.,'’])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d+))?", text)
    if grouped is not None:
        return [re.sub(r"[.,'’]", "", grouped[1] + grouped[2]) + (f".{grouped[4]}" if grouped[4] else "")]
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
def _build_roles() -> dict[str, tuple[str, Any]]:
    """Build the table of words: the kind of each, and what it stands for."""
    table = read_words()
    roles: dict[str, tuple[str, Any]] = {}
    for role, words in table["roles"].items():
        roles |= dict.fromkeys(words.split(), (role, role))
    for kind, named in (("sign", table["signs"]), ("period", table["periods"]), ("aggregation", table["aggregations"])):
        roles |= {word: (kind, name) for name, words in named.items() for word in words.split()}
    for name, record in RECORDS.items():
        roles |= {word: ("aggregation", name) for word in (name, *record.synonyms) if word not in _AMBIGUOUS}
    return roles


@cache
def read_words() -> Mapping[str, Any]:
    """Read the table of words; that of summed columns is a set of folded names."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
    return table | {"summed": frozenset(map(fold_name, table["summed"].split()))}


def _scan(text: str, known: Known) -> list[_Item]:
    """Split a line into items: names before words with a role, longer ones before shorter ones."""
    folded = {fold_name(name): name for name in known.columns} if len(known.columns) <= MOST_NAMES else {}
    sources = {fold_name(name): name for name in known.sources}
    names = sorted((name for name in (*folded.values(), *sources.values()) if not name.isalnum()), key=len)
    parts = ("".join(r"[\s_]+" if part.isspace() or part == "_" else re.escape(part) for part in
             re.findall(r"[\s_]+|[^\s_]+", name)) for name in reversed(names))  # fmt: skip
    spelt = re.compile(rf"(?:{'|'.join(parts)})s?(?!\w)", re.IGNORECASE) if names else None
    items: list[_Item] = []
    place, depth = 0, 0
    while (found := _SCAN.search(text, place)) is not None:
        start = found.start()
        named = spelt.match(text, start) if spelt is not None else None
        if named is not None and (start == 0 or not text[start - 1].isalnum()):
            place, key = named.end(), fold_name(named.group())
            key = key if key in folded or key in sources else key.removesuffix("s")
            items.append(_Item("name", folded.get(key), named.group()) if key in folded
                         else _Item("source", sources.get(key), named.group()))  # fmt: skip
            continue
        place, kind, met = found.end(), str(found.lastgroup), found.group()
        depth += (met in "([") - (met in ")]") if kind == "sign" else 0
        if kind == "number" and depth and "," in met:  # in a list, a comma stands between its values
            place, met = start + met.index(","), met[: met.index(",")]
        if kind == "word":
            item, place = _read_word(text, found, place, folded, sources, known)
            items.append(item)
        elif kind == "text":
            inside = met[1:-1].replace(met[0] * 2, met[0])
            is_name = met[0] == "`" or fold_name(inside) in folded
            items.append(_Item("quoted" if is_name else "text", folded.get(fold_name(inside), inside), inside))
        elif kind == "sign":
            role = _build_roles().get(met)
            items.append(_Item(*role, met) if role is not None else _Item(met, met, met))
        else:
            items.append(_Item(kind, met, met))
    return items


def _read_word(
    text: str, found: re.Match[str], place: int, folded: Mapping[str, str], sources: Mapping[str, str], known: Known
) -> tuple[_Item, int]:
    """Read a word, or as many words as have a role together: `how many`, `order by`."""
    roles, met = _build_roles(), found.group()
    key, ahead = fold_name(met), re.match(r"(?:\s+[^\W\d]\w*){1,2}", text[place:])
    follows = ahead.group().split() if ahead is not None else []
    for count in range(len(follows), 0, -1):
        if (role := roles.get("_".join([met, *follows[:count]]).lower())) is not None:
            end = place + sum(map(len, re.findall(r"\s+\S+", ahead.group())[:count]))  # type: ignore[union-attr]
            return _Item(*role, text[found.start() : end]), end
    singular = key.removesuffix("s")
    for names, kind in ((folded, "name"), (sources, "source")):
        name = names.get(key) or ((names.get(singular) or names.get(key + "s")) if kind == "name" else None)
        if name is not None:
            return _Item(kind, name, met), place
    if (role := roles.get(met.lower())) is not None:
        return _Item(*role, met), place
    if (short := _SHORT_PERCENTILE.fullmatch(met)) is not None:
        return _Item("percentile", short[1], met), place
    if len(met) >= _LEAST:
        words = {**{word: role for word, role in roles.items() if role[0] in _MENDED and word != "add"},
                 **{name: ("name", shown) for name, shown in folded.items()}}  # fmt: skip
        near = {words[name] for name in words if find_slip(key, [name]) is not None}
        if len(near) == 1:
            return _Item(*near.pop(), met), place
    function = known.find_function(met)
    return (_Item("function", function, met) if function is not None else _Item("word", met, met)), place


# --- clauses ----------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads items from left to right; each is taken by one clause."""

    def __init__(self, items: list[_Item], known: Known) -> None:
        self._items, self._known = items, known
        self._place = 0
        self._spec: dict[str, Any] = {}
        self._phrases: list[list[_Item]] = [[]]
        self._keys: list[Any] = []
        self._open: list[tuple[str, list[Callable[[], None]]]] = []  # what is asked, and what each choice fills in

    def read(self) -> Reading:
        while (item := self._peek()) is not None:
            self._read_clause(item)
        self._close_phrases()
        ranked = self._find_ranked()
        function = next((each for phrase in self._phrases for each in phrase if each.kind == "function"), None)
        if function is not None:
            return Reading(specs=[self._read_computation(function)])
        measures = [each for phrase in self._phrases if (each := self._read_measure(phrase, ranked)) is not None]
        if self._keys:
            self._spec["group_by"] = self._keys
        if not measures:
            raise NotUnderstoodError(" ".join(each.text for each in self._items[:4]) or "an empty line")
        if len(self._open) > 1:
            raise NotUnderstoodError(self._open[1][0])
        asks, fills = self._open[0] if self._open else ("", [lambda: None])
        specs = []
        for fill in fills:
            fill()
            one = measures[0] if len(measures) == 1 else {"measures": measures}
            specs.append(copy.deepcopy(self._spec | one))
        return Reading(specs=specs, asks=asks)

    def _close_phrases(self) -> None:
        """Join what belongs together: `quantile(delay, 0.9)`, and `average sales and profit`, which are two averages."""
        phrases: list[list[_Item]] = []
        for phrase in self._phrases:
            kinds = [each.kind for each in phrase]
            if phrases and kinds == ["number"]:
                phrases[-1] += phrase
            elif (
                phrases and kinds == ["and", "name"] and [each.kind for each in phrases[-1]] == ["aggregation", "name"]
            ):
                phrases.append([phrases[-1][0], phrase[1]])  # `average sales and profit`
            elif phrase and kinds != ["and"]:
                phrases.append([each for each in phrase if each.kind != "and"])
        self._phrases = phrases

    def _peek(self, *, skips: bool = False) -> _Item | None:
        while skips and self._place < len(self._items) and self._items[self._place].kind in (*_SKIPPED, "noise"):
            self._place += 1
        return self._items[self._place] if self._place < len(self._items) else None

    def _take(self, *kinds: str, skips: bool = True) -> _Item | None:
        item = self._peek(skips=skips)
        if item is None or (kinds and item.kind not in kinds):
            return None
        self._place += 1
        return item

    def _require(self, *kinds: str) -> _Item:
        item = self._peek(skips=True)
        found = self._take(*kinds)
        if found is None:
            raise NotUnderstoodError(item.text if item is not None else "the end of the line")
        return found

    def _read_clause(self, item: _Item) -> None:
        self._place += 1
        match item.kind:
            case "by":
                self._read_keys()
            case "from":
                self._set_source(self._require("source", "name", "word", "quoted"))
            case "source":
                self._set_source(item)
            case "where" | "having":
                self._add_conditions(item.kind)
            case "order":
                self._read_order()
            case "asc" | "desc":
                self._spec["order"] = item.kind
            case "limit" | "top" | "bottom":
                number = self._require("number")
                if not number.value.isdigit():
                    raise NotUnderstoodError(number.text)
                self._spec["limit"] = int(number.value)
                if item.kind != "limit":
                    self._spec["order"] = "desc" if item.kind == "top" else "asc"
            case "in":
                self._read_place()
            case "period" if not self._is_column(item):
                self._add_key(item, None)
            case "," | "and":
                self._phrases.append([item] if item.kind == "and" else [])
            case "noise" | "of" | "is" | "between":
                pass
            case kind if kind in _SKIPPED:
                pass
            case (
                "aggregation" | "name" | "quoted" | "number" | "distinct" | "rows" | "many" | "percentile" | "function"
            ):
                self._phrases[-1].append(item)
            case "word" if self._is_frame(item):
                choices = [_fill(self._spec, "source_name", each) for each in self._known.sources]
                self._open.append((f"Which source is `{item.text}`?", choices))
            case "word":
                self._phrases[-1].append(self._join_words(item))
            case "*":
                self._phrases[-1].append(_Item("rows", None, "*"))
            case "text":
                raise NotUnderstoodError(f"'{item.text}'")
            case _:
                raise NotUnderstoodError(item.text)

    def _is_frame(self, item: _Item) -> bool:
        """Tell whether a line begins with a name that something is taken from, as from a frame: `df['sales']`."""
        follows = self._items[1].kind if self._place == 1 and self._items[1:] else ""
        return follows in (".", "[") and item.text not in self._known.modules

    def _join_words(self, first: _Item) -> _Item:
        """Join unknown words in a row into one name, which the resolver may know by a similar one."""
        words = [first.text]
        while (item := self._peek()) is not None and item.kind == "word":
            words.append(item.text)
            self._place += 1
        return _Item("word", " ".join(words), " ".join(words))

    def _is_column(self, item: _Item) -> bool:
        return fold_name(item.text) in map(fold_name, self._known.columns)

    def _set_source(self, item: _Item) -> None:
        name = item.text if item.kind == "word" else item.value
        if self._spec.setdefault("source_name", name) != name:
            raise NotUnderstoodError(item.text)

    # --- keys ---

    def _read_keys(self) -> None:
        while True:
            item = self._require("period", "name", "quoted", "word", "source", "aggregation")
            if item.kind == "aggregation" and not self._keys:  # `top 5 city by sum revenue`
                self._place -= 1
                self._phrases.append([])
                return
            if item.kind == "period" and not self._is_column(item):
                named = self._take("of") and self._take("name", "quoted")
                named = named or (self._take("name", "quoted") if self._peek() and self._peek().kind == "(" else None)  # type: ignore[union-attr]
                self._add_key(item, named)
            else:
                item = self._join_words(item) if item.kind == "word" else item
                name = item.text if item.kind in ("word", "source", "period") else item.value
                width = self._require("number").value if self._take("bins") else None
                self._keys.append(name if width is None else {"column": name, "width": width})
            joined = self._peek(skips=True)
            if joined is None or joined.kind not in (",", "and"):
                self._phrases.append([])
                return
            ahead = self._items[self._place + 1 : self._place + 2]
            self._place += 1
            if not ahead or ahead[0].kind not in ("period", "name", "quoted", "word", "source", "'"):
                self._phrases.append([])
                return

    def _add_key(self, period: _Item, column: _Item | None) -> None:
        key = {"column": column.value if column is not None else None, "unit": period.value}
        self._keys.append(key)
        if column is None:
            self._ask_date(f"Which date is the {period.value} of?", key)

    def _ask_date(self, asks: str, target: dict[str, Any]) -> None:
        """Put the only date into a period or a condition, which is the default; ask for it where there are more."""
        dates = [name for name, type_ in self._known.columns.items() if type_ in ("date", "datetime")]
        if not dates:
            raise NotUnderstoodError("a period, and no column is a date")
        target["column"] = dates[0]
        if len(dates) > 1:
            self._open.append((asks, [_fill(target, "column", each) for each in dates]))

    def _find_ranked(self) -> str | None:
        """Find the number behind `by` in `top 5 product by amount`, and make the name before it the key."""
        named = [each for phrase in self._phrases for each in phrase]
        is_ranking = "limit" in self._spec and len(named) == 1 and named[0].kind == "name" and len(self._keys) == 1
        column = self._keys[0] if is_ranking else None
        if not isinstance(column, str) or self._known.columns.get(column) != "number":
            return None
        self._keys = [named[0].value]
        self._phrases = [[_Item("name", column, column)]]
        return column

    # --- measures ---

    def _read_measure(self, phrase: Sequence[_Item], ranked: str | None) -> dict[str, Any] | None:
        """Read one measure: an aggregation and its column, in either order."""
        if not phrase:
            return None
        kinds = [each.kind for each in phrase]
        words = [each for each in phrase if each.kind in ("aggregation", "many", "percentile")]
        names = [each for each in phrase if each.kind in ("name", "quoted", "word")]
        numbers = [each for each in phrase if each.kind == "number"]
        word = words[0] if words else None
        is_distinct = "distinct" in kinds
        if is_distinct and word is not None and word.value not in ("count", "count_distinct", "many"):
            raise NotUnderstoodError(next(each.text for each in phrase if each.kind == "distinct"))
        if is_distinct and word is not None and word.value == "count":
            word = None
        if len(words) > 1 and not (is_distinct and len(words) == 1):
            raise NotUnderstoodError(words[1].text)
        if len(names) > 1 or (numbers and (word is None or word.value != "percentile")):
            strange = [*(each for each in names if each.kind == "word"), *numbers, *names[1:]]
            raise NotUnderstoodError(strange[0].text)
        metric = {"metric": names[0].text if names[0].kind == "word" else names[0].value} if names else {}
        if word is None:
            return self._read_bare(metric, names, phrase, is_distinct=is_distinct, is_ranked=ranked is not None)
        if word.kind == "percentile":
            return {"aggregation": "percentile", "percent": word.value, **metric}
        if word.value == "percentile":
            if len(numbers) != 1:
                raise NotUnderstoodError(word.text)
            if not _PLAIN.fullmatch(numbers[0].value):
                raise NotUnderstoodError(numbers[0].text)
            share = 100 if word.text.lower() in _SHARES else 1
            return {
                "aggregation": "percentile",
                "percent": f"{(Decimal(numbers[0].value) * share).normalize():f}",
                **metric,
            }
        if word.kind == "many" and self._known.columns.get(metric.get("metric", "")) == "boolean":  # those that are so?
            raise NotUnderstoodError(names[0].text)
        if word.kind == "many" and metric:  # rows, or different values?
            if is_distinct:
                return {"aggregation": "count_distinct", **metric}
            measure: dict[str, Any] = {"aggregation": "count", **metric}
            says = f"Are the values of `{names[0].text}` counted, or the different ones?"
            self._open.append((says, [_fill(measure, "aggregation", each) for each in ("count_distinct", "count")]))
            return measure
        name = "count" if word.kind == "many" else word.value
        if "rows" in kinds and (metric or name != "count"):
            raise NotUnderstoodError(next(each.text for each in phrase if each.kind == "rows"))
        return {"aggregation": name, **metric}

    def _read_bare(
        self,
        metric: dict[str, Any],
        names: Sequence[_Item],
        phrase: Sequence[_Item],
        *,
        is_distinct: bool,
        is_ranked: bool,
    ) -> dict[str, Any] | None:
        """Read a phrase without an aggregation: a key that SQL selects, a count of different values, or an open slot."""
        if is_distinct and metric:
            return {"aggregation": "count_distinct", **metric}
        if not metric or names[0].kind == "word":
            raise NotUnderstoodError(phrase[0].text)
        if metric["metric"] in self._keys:
            return None
        if sum(map(bool, self._phrases)) > 1 and not is_ranked:
            others = [phrase for phrase in self._phrases if phrase and phrase[0].value not in self._keys]
            if len(others) > 1:
                raise NotUnderstoodError(names[0].text)
        return metric  # the resolver asks which aggregation

    def _read_computation(self, word: _Item) -> dict[str, Any]:
        """Read a statistic of the contract in the place of an aggregation, with its columns."""
        columns = [each for phrase in self._phrases for each in phrase if each is not word]
        strange = [each for each in columns if each.kind not in ("name", "quoted")]
        if strange or not columns or self._open or len(self._keys) > 1 or self._spec.keys() - {"source_name", "filter"}:
            raise NotUnderstoodError(strange[0].text if strange else word.text)
        keys = {"group_by": self._keys} if self._keys else {}
        return {**self._spec, **keys, "capability": word.value, "columns": [each.value for each in columns]}

    # --- source, order, conditions ---

    def _read_place(self) -> None:
        """Read what follows `in`: the source, or a year."""
        item = self._require("source", "number", "word")
        if item.kind == "source":
            self._set_source(item)
        elif item.kind == "number" and re.fullmatch(r"[12]\d{3}", item.value):
            condition = {"op": "between", "values": (f"{item.value}-01-01", f"{item.value}-12-31")}
            self._spec.setdefault("filter", {"conditions": []})["conditions"].append(condition)
            self._ask_date(f"Which date is in {item.value}?", condition)
        else:
            raise NotUnderstoodError(item.text)

    def _read_order(self) -> None:
        self._take("by")
        word = self._take("aggregation", "many")
        item = self._take("name", "quoted", "word")
        if (item is not None and item.value not in self._keys and word is None) or (item is not None and word is None):
            self._spec["order_by"] = item.value
        end = self._take("asc", "desc")
        if end is not None or word is not None:
            self._spec["order"] = end.kind if end is not None else "asc"

    def _add_conditions(self, clause: str) -> None:
        tree = self._read_any(is_measured=clause == "having")
        conditions = tree["all"] if "all" in tree else [tree]
        place = self._spec.setdefault("filter" if clause == "where" else "having", {"conditions": []})
        place["conditions"] += conditions
        self._phrases.append([])

    def _read_any(self, *, is_measured: bool) -> dict[str, Any]:
        parts = [self._read_all(is_measured=is_measured)]
        while self._take("or"):
            parts.append(self._read_all(is_measured=is_measured))
        return parts[0] if len(parts) == 1 else {"any": parts}

    def _read_all(self, *, is_measured: bool) -> dict[str, Any]:
        parts = [self._read_test(is_measured=is_measured)]
        while self._take("and"):
            parts.append(self._read_test(is_measured=is_measured))
        return parts[0] if len(parts) == 1 else {"all": [each for part in parts for each in part.get("all", [part])]}

    def _read_test(self, *, is_measured: bool) -> dict[str, Any]:
        if self._take("not"):
            return self._turn_round(self._read_test(is_measured=is_measured))
        item = self._peek()
        if item is not None and item.kind == "(":
            self._place += 1
            tree = self._read_any(is_measured=is_measured)
            if self._take(")", skips=False) is None:
                raise NotUnderstoodError("(")
            return tree
        return self._read_comparison(is_measured=is_measured)

    def _turn_round(self, tree: dict[str, Any]) -> dict[str, Any]:
        opposite = _OPPOSITES.get(tree.get("op", ""))
        if opposite is None:
            raise NotUnderstoodError("not")
        return {**tree, "op": opposite}

    def _read_comparison(self, *, is_measured: bool) -> dict[str, Any]:
        word = self._require("aggregation", "many") if is_measured else None
        item = self._take("name", "quoted") if word is not None else self._require("name", "quoted", "word")
        left: dict[str, Any] = {}
        if word is not None:
            left = {"aggregation": "count" if word.kind == "many" else word.value}
            left |= {"metric": item.value} if item is not None else {}
            self._take("*")
        elif item is not None:
            left = {"column": self._join_words(item).text if item.kind == "word" else item.value}
        self._take("is")
        is_denied = self._take("not") is not None
        sign = self._take("sign", "between", "in", "contains", "starts", "null", skips=False)
        match sign.kind if sign is not None else "":
            case "null":
                return left | {"op": "is_not_null" if is_denied else "is_null"}
            case "between" if not is_denied:
                first = self._read_value()
                self._require("and")
                return left | {"op": "between", "values": (first, self._read_value())}
            case "in":
                return left | {"op": "not_in" if is_denied else "in", "values": self._read_list()}
            case "contains" | "starts" if not is_denied:
                text = self._require("text", "word", "quoted")
                return left | {"op": "contains" if sign.kind == "contains" else "starts_with", "value": text.text}  # type: ignore[union-attr]
        signs = {"=": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
        written = sign.value if sign is not None else "="
        if sign is not None and sign.value not in signs:
            raise NotUnderstoodError(sign.text)
        if sign is None and self._items[self._place - 1].kind not in ("is", "not"):
            met = self._peek()
            raise NotUnderstoodError(met.text if met is not None else str(item.text if item else "a condition"))
        condition = left | {"op": signs[read_words()["opposites"][written] if is_denied else written]}
        condition["value"] = self._read_value(condition)
        return condition

    def _read_list(self) -> tuple[Any, ...]:
        values = []
        while (item := self._peek()) is not None and item.kind in ("(", "["):
            self._place += 1
        while True:
            values.append(self._read_value())
            if self._take(",", skips=False) is None:
                break
        if self._take(")", "]", skips=False) is None:
            raise NotUnderstoodError("in")
        return tuple(values)

    def _read_value(self, condition: dict[str, Any] | None = None) -> Any:
        while (item := self._peek()) is not None and item.kind in ("noise",):
            self._place += 1
        item = self._take(skips=False)
        match item.kind if item is not None else "":
            case "number":
                numbers = [read_literal(each) for each in list_numbers(item.value)]  # type: ignore[union-attr]
                if not numbers:
                    raise NotUnderstoodError(item.text)  # type: ignore[union-attr]
                if len(numbers) == 1 and (_PLAIN.fullmatch(item.value) or item.value.endswith("%")):  # type: ignore[union-attr]
                    return numbers[0]
                if condition is None:
                    raise NotUnderstoodError(item.text)  # type: ignore[union-attr]
                says = f"Which number is {item.text}?"  # type: ignore[union-attr]
                self._open.append((says, [_fill(condition, "value", each) for each in numbers]))
                return numbers[0]
            case "date" if item is not None:
                days = list_days(item.value)
                if days != [item.value] and condition is not None:
                    self._open.append(
                        (f"Which day is {item.text}?", [_fill(condition, "value", each) for each in days])
                    )
                elif days != [item.value]:
                    raise NotUnderstoodError(item.text)
                return item.value
            case "variable":
                return {"variable": item.value[1:]}  # type: ignore[union-attr]
            case "true" | "false":
                return item.kind == "true"  # type: ignore[union-attr]
            case "text":
                return item.value  # type: ignore[union-attr]
            case "word":
                return self._join_words(item).text  # type: ignore[arg-type]
            case "name" | "source" | "period" | "quoted" if item is not None and item.text.isalpha():
                return item.text
        raise NotUnderstoodError(item.text if item is not None else "the end of the line")


_OPPOSITES = {
    "eq": "ne", "ne": "eq", "gt": "lte", "lte": "gt", "lt": "gte", "gte": "lt", "in": "not_in", "not_in": "in",
    "is_null": "is_not_null", "is_not_null": "is_null",
}  # fmt: skip


def _fill(target: dict[str, Any], key: str, value: Any) -> Callable[[], None]:
    return lambda: target.__setitem__(key, value)
