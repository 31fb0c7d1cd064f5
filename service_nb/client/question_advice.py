"""Guess the question that a line in other words was likely meant to ask: prose, SQL, pandas, a column alone.

Only names that the client has are looked for: a few words that name an aggregation, columns, a condition. A guess is
offered if it can be answered, and never asked in place of the line that was typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from service_nb.client.line_trial import list_runnable_questions
from service_nb.client.starting_lines import find_measure
from service_nb.core.words import find_nearest, write_name
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import parse_ask
from service_nb.query.condition_groups import list_form_leaves
from service_nb.query.conditions import OPERATORS
from service_nb.query.resolve import fold_name
from service_nb.schema.query import AGGREGATIONS

if TYPE_CHECKING:
    from service_nb.client.service import Service

MOST_GUESSES = 3
_MOST_SOURCES = 20  # that are looked at
_WORD = re.compile(r"[^\W\d]\w*")
_WORDS = {word: name for name, record in RECORDS.items() for word in record.synonyms} | {
    "many": "count", "most": "sum", "biggest": "max", "latest": "max", "earliest": "min", "top": "sum",
    "groups": "count", "size": "count", "len": "count",
}  # fmt: skip
_GROUPING = re.compile(r"(?:\b(?:group(?:ed)?[ _]?by|by|per|each|every)\b)\W*$", re.IGNORECASE)
_TOP = re.compile(r"\b(?:top|first|head|largest|biggest)\W+(\d{1,4})\b", re.IGNORECASE)
_BEST = re.compile(r"\b(?:(best|strongest)|worst|weakest)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:in|for|of|during)\s+(\d{4})\b", re.IGNORECASE)
_WHERE = re.compile(
    r"\b(?:where|with|when|if)\b(.*?)(?=\b(?:group\s+by|order\s+(?:by|asc|desc)|sort|limit)\b|$)",
    re.IGNORECASE | re.DOTALL,
)
_PERIOD = re.compile(
    r"\b(?:(?:by|per|each|every)\s+(day|week|month|quarter|year)|(week|month|quarter|year)ly)\b", re.IGNORECASE
)
_BINS = re.compile(
    r"\bin\s+(?:bins?|buckets?)\b(?:\s+of\b)?\s*(\d{1,9}(?:\.\d{1,9})?(?![\w.]))?", re.IGNORECASE | re.ASCII
)
_MISSING = re.compile(r"\b(?:missing|empty|blank|nulls?|nan|na)\b", re.IGNORECASE)
_ROWS = re.compile(
    r"\bselect\s*\*|\b(?:head|tail|preview)\b"
    r"|\b(?:show|see|display|print|view|list|get|give|first|top)\b.*\b(?:rows?|lines?|records?)\b",
    re.IGNORECASE,
)
_COLUMNS = re.compile(
    r"\b(?:summary|summari[sz]e|describe|profile|overview|info|schema|columns|fields|dtypes|str)\b", re.IGNORECASE
)
# A formula of a spreadsheet: of SUMIF the summed column stands last, of SUMIFS first.
_IF = re.compile(
    r"=\s*(?P<word>sum|average|count)if\s*\(\s*(?P<of>[^;,()]+)[;,]\s*(?P<value>\"[^\"]*\"|[^;,()\"]+?)\s*"
    r"(?:[;,]\s*(?P<metric>[^;,()]+))?\)",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\"?(?P<sign><>|>=|<=|=|>|<)?(?P<value>[^\"]*)\"?")
_MOST_WORDS, _MOST_ENDING = 4, 3  # of a column's name: the words, and the letters of a unit at its end
_NOT_NEAR, _APART = 4, 2  # letters below which a word is no misspelling of a column; by which one may be longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A column that a line mentions, and where."""

    column: str
    type: str
    start: int
    end: int


def guess_questions(text: str, client: Service) -> list[str]:
    """Guess questions that a line may mean; each can be answered as it stands.

    Parameters
    ----------
    text : str
        The line, in any words.
    client : Service
        Whose sources and columns are looked for; what a policy hides is not among them.
    """
    text = _spell_out(text)
    likely = _find_likely_sources(text, client)
    found = (line for source in likely for line in _guess_for_source(text, source, client))
    answered = (each for line in found for each in list_runnable_questions(line, client))
    return list(dict.fromkeys(answered))[:MOST_GUESSES]


def guess_look(text: str, client: Service) -> tuple[str, str] | None:
    """Guess the look at a source that a line asks for and no question gives: its rows, or what its columns hold.

    Parameters
    ----------
    text : str
        The line, in any words; one that mentions a column asks a question.
    client : Service
        Whose sources and columns are looked for.

    Returns
    -------
    tuple or None
        `preview` or `profile`, and the name of the source.
    """
    sources = client.sources()[-_MOST_SOURCES:]
    named = [each for each in sources if _is_named(text, each)] or sources
    kind = "preview" if _ROWS.search(text) else "profile" if _COLUMNS.search(text) else None
    if kind is None or len(named) != 1:
        return None
    name = str(named[0]["name"])
    return None if find_mentions(_cut_source(text, name), named[0]["typed_fields"], [name]) else (kind, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadColumn:
    """A column of text that a line takes for numbers or dates, and whose file can be read so that it has them."""

    name: str
    reason: str  # why it is text
    options: Mapping[str, Any]  # of `connect`, with which all such columns of the file are read
    line: str  # the magic that connects the file with them


def find_unread_column(text: str, client: Service) -> UnreadColumn | None:
    """Find the first column that a line mentions which is text only because of how its file was read.

    Parameters
    ----------
    text : str
        The line, in any words; `by month` mentions a column of dates where no other is one.
    client : Service
        Whose sources are looked at.
    """
    for source in _find_likely_sources(text, client):
        fields, reasons, unread = source["typed_fields"], source["reasons"], _list_unread(source)
        mentioned = [each.column for each in find_mentions(text, unread, [str(source["name"])])]
        if not mentioned and _find_period(text, fields, ()) == "":
            mentioned = [str(each["name"]) for each in unread if "date_format" in reasons[each["name"]]["options"]]
        if mentioned:
            return _describe_unread(source, mentioned[0])
    return None


def find_unread_order(plan: Mapping[str, Any], client: Service) -> UnreadColumn | None:
    """Find the first such column of which a plan takes the order of texts for that of numbers or dates.

    Parameters
    ----------
    plan : mapping
        The plan of an answer: the largest '23.12.2024' of a column of texts is no date.
    client : Service
        Whose sources are looked at.
    """
    measures = [each for each in plan.get("measures") or [plan] if each.get("aggregation") in ("min", "max")]
    leaves = [each for each in list_form_leaves((plan.get("filter") or {}).get("conditions") or ()) if "column" in each]
    ordered = [str(each["metric"]) for each in measures]
    ordered += [str(each["column"]) for each in leaves if OPERATORS[each["op"]].is_ordered]
    source = next((each for each in client.sources() if each["name"] == plan["source_name"]), None) if ordered else None
    unread = {str(each["name"]) for each in _list_unread(source)} if source is not None else ()
    found = next((each for each in ordered if each in unread), None)
    return None if source is None or found is None else _describe_unread(source, found)


def _describe_unread(source: Mapping[str, Any], column: str) -> UnreadColumn:
    reason, advice = str(source["reasons"][column]["text"]), source["advice"]
    return UnreadColumn(name=column, reason=reason, options=advice["options"], line=advice["line"])


def _list_unread(source: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """List the fields of text that an option of `connect` would make something else, where a line has it."""
    if source["advice"] is None:
        return []
    mended = {column for column, reason in source["reasons"].items() if reason.get("options")}
    return [each for each in source["typed_fields"] if each["type"] == "string" and each["name"] in mended]


def _find_likely_sources(text: str, client: Service) -> Sequence[Mapping[str, Any]]:
    """Find the sources that a line likely asks: those that it names, or the two of which it mentions most columns."""
    sources = client.sources()[-_MOST_SOURCES:]
    ranked = sorted(sources, key=lambda source: _rank_source(text, source), reverse=True)
    return [each for each in ranked[:2] if _is_named(text, each)] or ranked[:2]


def _spell_out(text: str) -> str:
    """Write a conditional formula of a spreadsheet in words: `=SUMIF(region;"North";revenue)`."""
    found = _IF.fullmatch(text.strip())
    signed = _SIGNED.fullmatch(found["value"]) if found else None
    if found is None or signed is None:
        return text
    return f"{found['word']} {found['metric'] or ''} where {found['of']} {signed['sign'] or '='} {signed['value']}"


def _rank_source(text: str, source: Mapping[str, Any]) -> tuple[bool, int]:
    return _is_named(text, source), len(find_mentions(text, source["typed_fields"], [str(source["name"])]))


def _is_named(text: str, source: Mapping[str, Any]) -> bool:
    return re.search(rf"\b{re.escape(str(source['name']))}\b", text, re.IGNORECASE) is not None


def _guess_for_source(text: str, source: Mapping[str, Any], client: Service) -> list[str]:
    fields = source["typed_fields"]
    asked, selected = _split_condition(_cut_source(text, str(source["name"])))
    condition = _write_condition(selected, asked, source, client)
    if condition is None:  # it was not understood, and a question without it would be another
        return _list_looks(selected or asked, source)
    mentions = find_mentions(asked, fields, [str(source["name"])])
    period = _find_period(asked, fields, mentions)
    if period == "":  # nor is one without the period
        return []
    absent = None if condition else _find_absent(asked, mentions)
    if absent is not None:
        condition, mentions = (
            f" where {write_name(absent.column)} is null",
            [each for each in mentions if each is not absent],
        )
    grouped = [each for each in mentions if _GROUPING.search(asked[: each.start])]
    numbers = [each for each in mentions if each.type == "number"]
    word = _find_aggregation(asked, mentions)
    if not mentions and word is None and not period and absent is None:
        return []
    unread = {str(each["name"]) for each in _list_unread(source)}
    if any(each.column in unread and not _fits(word, each.type) for each in mentions if each not in grouped):
        return []  # the file is to be read anew first
    ending = _find_ending(asked)
    if ending and not numbers and (measure := find_measure(source)) is not None and not word:
        numbers = [Mention(column=measure, type="number", start=0, end=0)]
    if ending and numbers and [each for each in mentions if each.type != "number"]:
        groups = [each for each in mentions if each.type != "number"][:1]
        metric: Mention | None = numbers[0]
    else:
        metric = next((each for each in mentions if each not in grouped and _fits(word, each.type)), None)
        groups = grouped or [each for each in mentions if each is not metric and each.type != "number"]
    if word == "count" and metric is not None and metric.type == "boolean" and not condition:  # how many are paid
        condition, metric = f" where {write_name(metric.column)} = true", None
    tail = f"from {write_name(str(source['name']))}{condition}"
    tail += ending if groups else ""
    names = [write_name(each.column) for each in groups]
    bins = _find_bins(asked, numbers)
    if bins is not None and metric is not None and write_name(metric.column) == bins[0]:
        metric = None  # which is counted in its bins
    if bins is not None:
        names = [*(each for each in names if each != bins[0]), f"{bins[0]} in bins of {bins[1]}"]
    if period:
        names = [*(each for each in names if not period.endswith(f" of {each}")), period]
    return list(_write_guesses(word, metric, names, tail))


def _list_looks(text: str, source: Mapping[str, Any]) -> list[str]:
    """List questions that show what the columns hold that a condition mentions."""
    tail = f"from {write_name(str(source['name']))}"
    mentions = find_mentions(text, source["typed_fields"])
    return [
        f"min {write_name(each.column)}, max {write_name(each.column)} {tail}"
        if each.type in ("number", "date", "datetime")
        else f"count by {write_name(each.column)} {tail}"
        for each in mentions
    ]


def _find_ending(text: str) -> str:
    """Find the order and the limit that `top 3` or `the best` asks for; empty where nothing does."""
    top, best = _TOP.search(text), _BEST.search(text)
    if top is not None:
        return f" order desc limit {int(top[1])}"
    return "" if best is None else f" order {'desc' if best[1] else 'asc'} limit 1"


def _find_absent(text: str, mentions: Iterable[Mention]) -> Mention | None:
    """Find the column that `missing` or its kind stands beside: `missing customer`, `customer is empty`."""
    for word in _MISSING.finditer(text):
        for each in mentions:
            between = text[word.end() : each.start] if word.end() <= each.start else text[each.end : word.start()]
            if re.fullmatch(r"\W*(?:(?:values?|entries|is|are|in|of|for)\b\W*)*", between, re.IGNORECASE):
                return each
    return None


def _find_bins(text: str, numbers: Iterable[Mention]) -> tuple[str, str] | None:
    """Find the column that is to be grouped into bins, and how wide they are; 10 where nothing is said."""
    found = _BINS.search(text)
    binned = next((each for each in numbers if found and not text[each.end : found.start()].strip(" `")), None)
    return None if found is None or binned is None else (write_name(binned.column), found[1] or "10")


def _cut_source(text: str, source: str) -> str:
    """Leave out the source behind `from` or `in`, which is no column even if one is called like it."""
    return re.sub(rf"\b(?:from|in)\s+[`'\"]?{re.escape(source)}[`'\"]?(?!\w)", " ", text, flags=re.IGNORECASE)


def _find_period(text: str, fields: Iterable[Mapping[str, Any]], mentions: Iterable[Mention]) -> str | None:
    """Find the group that `by month` means; empty where it is unclear, None where a column is meant or no period."""
    found = _PERIOD.search(text)
    dates = [str(field["name"]) for field in fields if field["type"] in ("date", "datetime")]
    named = [each.column for each in mentions if found and found.start() < each.end and each.start < found.end()]
    if found is None or named:
        return None
    return "" if len(dates) != 1 else f"{(found[1] or found[2]).lower()} of {write_name(dates[0])}"


def _write_guesses(word: str | None, metric: Mention | None, groups: list[str], tail: str) -> Iterable[str]:
    by = f" by {', '.join(dict.fromkeys(groups))}" if groups else ""
    if metric is None:
        yield f"count{by} {tail}"
        return
    name = write_name(metric.column)
    if word == "count" and metric.type in ("string", "boolean") and not groups:
        yield f"count by {name} {tail}"
    if word is not None:
        yield f"{word} {name}{by} {tail}"
    elif metric.type == "number":
        yield from (f"{each} {name}{by} {tail}" for each in ("sum", "avg"))
    else:
        yield from (f"count by {name} {tail}", f"count_distinct {name} {tail}")
    if word is not None and not _fits(word, metric.type):
        yield f"count by {name} {tail}"


def _fits(word: str | None, type_: str) -> bool:
    return word is None or type_ in RECORDS[word].accepts


def _find_aggregation(text: str, mentions: Iterable[Mention]) -> str | None:
    """Find the first word that names an aggregation and is no part of a column's name."""
    taken = [(each.start, each.end) for each in mentions]
    for found in _WORD.finditer(text):
        word = found.group().lower()
        if any(start <= found.start() < end for start, end in taken):
            continue
        if word in AGGREGATIONS or word in _WORDS:
            return word if word in AGGREGATIONS else _WORDS[word]
    return None


def find_mentions(text: str, fields: Iterable[Mapping[str, Any]], others: Iterable[str] = ()) -> list[Mention]:
    """Find the columns that a line mentions, in the order of their places; longer names first where they overlap.

    A word is taken for a misspelt column unless it is one of `others`, such as the name of the source.
    """
    others = {fold_name(name) for name in others}
    types = {str(field["name"]): str(field["type"]) for field in fields}
    found: list[Mention] = []

    def note(column: str, start: int, end: int) -> None:
        if all(end <= each.start or each.end <= start for each in found):
            found.append(Mention(column=column, type=types[column], start=start, end=end))

    for column in sorted(types, key=len, reverse=True):
        for place in re.finditer(rf"(?<!\w){re.escape(column)}(?!\w)", text, re.IGNORECASE):
            note(column, place.start(), place.end())
    folded = {fold_name(column): column for column in types}
    for column, start, end in _find_phrases(text, folded):
        note(column, start, end)
    for place in _WORD.finditer(text):
        word = fold_name(place.group())
        if word in AGGREGATIONS or word in _WORDS:
            continue
        if word in folded or word.rstrip("s") in folded:
            note(folded.get(word) or folded[word.rstrip("s")], place.start(), place.end())
        elif len(word) >= _NOT_NEAR:
            near = find_nearest(word, folded, 1)
            if near and near[0][:1] == word[:1] and abs(len(near[0]) - len(word)) <= _APART and word not in others:
                note(folded[near[0]], place.start(), place.end())
    return sorted(found, key=lambda each: each.start)


def _find_phrases(text: str, folded: Mapping[str, str]) -> Iterable[tuple[str, int, int]]:
    """Find words in a row that one column begins with, but for a short ending: `body mass` means `body_mass_g`."""
    words = list(_WORD.finditer(text))
    for size in range(_MOST_WORDS, 1, -1):
        for first, last in zip(words, words[size - 1 :], strict=False):
            phrase = text[first.start() : last.end()]
            begun = fold_name(phrase)
            if not re.fullmatch(r"[\w\s-]+", phrase):
                continue
            meant = [column for name, column in folded.items() if name.startswith(begun)]
            if len(meant) == 1 and len(fold_name(meant[0])) - len(begun) <= _MOST_ENDING:
                yield meant[0], first.start(), last.end()


# --- conditions -------------------------------------------------------------------------------------------------------


def _split_condition(text: str) -> tuple[str, str]:
    """Split a line into what is asked and what stands behind `where`."""
    found = _WHERE.search(text)
    if found is None:
        return text, ""
    return f"{text[: found.start()]} {text[found.end() :]}", found[1].strip(" ;)?.")


def _write_condition(selected: str, asked: str, source: Mapping[str, Any], client: Service) -> str | None:
    """Write the `where` of a guess, with its values as an ask line has them; None if one stays unclear."""
    year = _YEAR.search(asked)
    if not selected and year is not None:
        dates = [each["name"] for each in source["typed_fields"] if each["type"] in ("date", "datetime")]
        if len(dates) != 1:
            return None
        return f" where {write_name(dates[0])} between {year[1]}-01-01 and {year[1]}-12-31"
    if not selected:
        return ""
    parts = re.split(r"\s+(?:and|&&?)\s+", selected, flags=re.IGNORECASE)
    written = [_write_comparison(part, source, client) for part in parts]
    return None if None in written else f" where {' and '.join(map(str, written))}"


_COMPARED = re.compile(
    r"(?P<name>.+?)\s*(?P<sign>==|!=|<>|>=|<=|=|>|<|\bis\s+not\b|\bis\b|\bequals\b|\bcontains\b|\bin\b)\s*(?P<value>.+)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?P<name>.+?)\s+(?P<sign>(?:not\s+)?in)\s*[(\[](?P<value>[^()\[\]]+)[)\]]?", re.IGNORECASE)
_DENIED = re.compile(r"\s*not\b(?!\s+in\b)", re.IGNORECASE)
_OPPOSITES = (
    (" is not null", " is null"), (" is null", " is not null"), (" not in (", " in ("), (" in (", " not in ("),
    (" != ", " = "), (" >= ", " < "), (" <= ", " > "), (" = ", " != "), (" > ", " <= "), (" < ", " >= "),
)  # fmt: skip
_TRUTHS = {"true": ("yes", "y", "1", "t"), "false": ("no", "n", "0", "f")}  # as texts have them
_MONTH = re.compile(r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])")
_SIGNS = {"==": "=", "is": "=", "equals": "=", "is not": "!=", "<>": "!="}


def _write_comparison(part: str, source: Mapping[str, Any], client: Service) -> str | None:
    denied = _DENIED.match(part)
    if denied is not None:
        written = _write_comparison(part[denied.end() :].strip(" ()"), source, client)
        return None if written is None else _write_opposite(written)
    listed = _LISTED.fullmatch(part.strip())
    found = listed or _COMPARED.fullmatch(part.strip(" ()"))
    if found is None:
        return None
    types = {str(field["name"]): str(field["type"]) for field in source["typed_fields"]}
    mentions = find_mentions(found["name"], source["typed_fields"])
    if len(mentions) != 1:
        return None
    column, said = mentions[0].column, " ".join(found["sign"].lower().split())
    if listed is not None:
        known = list(client.values(str(source["name"]), column))
        values = [_write_value(each.strip(), types[column], known) for each in found["value"].split(",")]
        return None if None in values else f"{write_name(column)} {said} ({', '.join(map(str, values))})"
    month = _MONTH.fullmatch(found["value"].strip("'\" ")) if types[column] in ("date", "datetime") else None
    if month is not None:
        return _write_month(write_name(column), said, int(month["year"]), int(month["month"]))
    year = re.fullmatch(r"(\d{4})", found["value"].strip()) if types[column] in ("date", "datetime") else None
    if year is not None and said in ("=", "is", "equals", "==", "in"):
        return f"{write_name(column)} between {year[1]}-01-01 and {year[1]}-12-31"
    if said == "in":  # a list that is none
        return None
    if types[column] == "string" and said in ("<", ">", "<=", ">="):  # dates or numbers, which text does not order
        return None
    value = _write_value(found["value"].strip(), types[column], list(client.values(str(source["name"]), column)))
    if found["value"].strip().lower() in ("null", "none", "nan", "na"):
        return f"{write_name(column)} is {'not ' if _SIGNS.get(said) == '!=' else ''}null"
    return None if value is None else f"{write_name(column)} {_SIGNS.get(said, said)} {value}"


def _write_opposite(comparison: str) -> str | None:
    """Turn a comparison round, as an ask line has it; None for one that has no single opposite."""
    for sign, opposite in _OPPOSITES:
        if sign in comparison and " and " not in comparison:
            return comparison.replace(sign, opposite, 1)
    return None


def _write_month(column: str, sign: str, year: int, month: int) -> str | None:
    """Write the comparison of a date with a month, such as `> 2024-03`: after its end, from its start, or within it."""
    first = f"{year}-{month:02}-01"
    following = f"{year + month // 12}-{month % 12 + 1:02}-01"
    signs = {">": f">= {following}", ">=": f">= {first}", "<": f"< {first}", "<=": f"< {following}"}
    if sign in signs:
        return f"{column} {signs[sign]}"
    same = _SIGNS.get(sign, sign) in ("=", "in")
    return f"{column} >= {first} and {column} < {following}" if same else None


def _write_value(text: str, type_: str, known: list[str]) -> str | None:
    bare = text.strip("'\"` ")
    if type_ == "number":
        percent = re.fullmatch(r"([-+]?\d+(?:\.\d+)?)\s*%", bare)
        if percent is not None:
            return f"{(Decimal(percent[1]) / 100).normalize():f}"
        return (
            _read_grouped(bare)
            if _GROUPED.fullmatch(bare)
            else bare
            if re.fullmatch(r"[-+]?\d+(?:\.\d+)?", bare)
            else None
        )
    if type_ in ("date", "datetime"):
        day = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", bare)  # with dots, the day stands first everywhere
        if day is not None:
            return f"{day[3]}-{int(day[2]):02}-{int(day[1]):02}"
        return bare if re.fullmatch(r"\d{4}-\d{2}-\d{2}", bare) else None
    if type_ == "boolean":
        return bare.lower() if bare.lower() in ("true", "false") else None
    meant = _find_known_value(bare, known)
    return None if known and meant not in known else "'" + meant.replace("'", "''") + "'"


# Of `1.000,50` and `1,000.50` the last sign is the decimal one; `1.000` and `1,000` can be either.
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:(?:\.\d{3})+,|(?:,\d{3})+\.|(?:[' ]\d{3})+[.,])\d+")


def _read_grouped(text: str) -> str:
    """Return a number with signs between its thousands as an ask line has it."""
    whole, fraction = re.split(r"[.,](?=\d+$)", text)
    return f"{re.sub(r'[^-+0-9]', '', whole)}.{fraction}"


def _find_known_value(text: str, known: Sequence[str]) -> str:
    """Find the value that a bare word means: the one of that spelling, or the nearest; the word where none is near."""
    same = [value for value in known if fold_name(value) == fold_name(text)]
    if text in known or len(same) == 1:
        return text if text in known else same[0]
    folded = {_fold_value(each): each for each in known}
    said = [folded[word] for word in _TRUTHS.get(_fold_value(text), ()) if word in folded]
    near = find_nearest(_fold_value(text), folded, 1)
    return said[0] if said else folded[near[0]] if near else text


def use_known_values(line: str, text: str, client: Service) -> str:
    """Return a line with words that `text` has without quotes as the nearest values of their columns.

    Parameters
    ----------
    line : str
        A question that can be answered.
    text : str
        What was typed.
    client : Service
        Whose values are looked for, as its policy shows them.
    """
    spec = parse_ask(line)
    named = spec.get("source_name") or (client.sources()[0]["name"] if len(client.sources()) == 1 else None)
    if named is None:
        return line
    conditions: Any = (spec.get("filter") or {}).get("conditions") or ()
    leaves = [each for each in list_form_leaves(conditions) if "column" in each]
    for _, value, near in list_near_values(leaves, str(named), client):
        written = "'" + value.replace("'", "''") + "'"
        if written not in text and f'"{value}"' not in text:
            line = line.replace(written, "'" + near.replace("'", "''") + "'")
    return line


# --- values that no row has -------------------------------------------------------------------------------------------


def list_near_values(
    conditions: Iterable[Mapping[str, Any]], source: str, client: Service
) -> list[tuple[str, str, str]]:
    """List the texts of conditions that no row has, each with its column and the nearest value that there is."""
    found = []
    for condition in conditions:
        written = condition.get("value")
        values = condition.get("values") or ([written] if isinstance(written, str) else [])
        known = list(client.values(source, str(condition["column"]))) if values else []
        folded = {_fold_value(each): each for each in known}
        for value in values:
            if not isinstance(value, str) or value in known:
                continue
            near = find_nearest(_fold_value(value), folded, 1)
            if near:
                found.append((str(condition["column"]), value, folded[near[0]]))
    return found


def _fold_value(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))
