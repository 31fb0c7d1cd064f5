"""Say why a column of a text file has its type: the first value that does not fit, its place, and how many there are.

Where another form of numbers or dates would fit, its options are named. Each set of options was tried on the whole
column before it is named; where two would fit and differ, both are told and none is proposed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from service_nb.core.words import describe_value
from service_nb.readers.conversions import (
    PATTERNS,
    WIDER,
    convert,
    convert_formed,
    explain_no_doubles,
    find_misfit,
    propose_kind,
    read_head,
)
from service_nb.readers.decimal_texts import SHORT, count_places
from service_nb.readers.text_forms import BLANKS, PLAIN, TextForm, build_date_pattern
from service_nb.schema.reading_notes import ReadingNote
from service_nb.schema.source import TypeReason

MOST_MISSING = 5  # different texts that may stand for a missing value
MOST_MISSING_CHARS = 12
_SAMPLE, _LONGEST_DATE = 50, 40  # texts of the head that formats of dates are tried on, and their characters
FEW_PLACES = 2
_ENOUGH = 0.5  # of the head, that a form of numbers or dates fits, before a column is said to look like it
_DIGIT = re.compile("[0-9]")
_CURRENCY = r"[$€£¥₹]|CHF|EUR|USD|GBP|Fr\.|kr|zł"
_PRICE = re.compile(rf"-?({_CURRENCY})[\s\u00a0\u202f]?-?[0-9].*|-?[0-9](?:.*[0-9])?[\s\u00a0\u202f]?({_CURRENCY})")
_EDGES = "[" + re.escape(BLANKS) + "]"
_BLANK, _BEYOND_ASCII = 0x20, 0x80
_NUMBERS = tuple(
    TextForm(decimal=decimal, thousands=thousands)
    for decimal, thousands in ((".", None), (",", None), (".", ","), (",", "."), (",", " "), (".", " "), (".", "'"))
)
_THOUSANDS = (".", ",", " ", "'")  # that are tried where only the decimal sign is given
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y"),
    *("%b %d, %Y", "%Y-%m-%d"),  # of the last one 2024-7-1, for 2024-07-01 needs no format
)
_DATES = tuple(f"{day}{clock}" for day in _DAYS for clock in ("", " %H:%M", " %H:%M:%S"))
_SHORT_DAYS = ("%d.%m.%y", "%d/%m/%y", "%m/%d/%y")
_SIGNS = {".": "points", ",": "commas", " ": "blanks", "'": "apostrophes", "_": "underscores"}


_KINDS = {"int64": "number", "float64": "number", "boolean": "boolean", "date": "date"}


class RowPlace(NamedTuple):
    """The place of a row in messages: its number, or the line on which it starts."""

    unit: str
    find: Callable[[int], int]

    def tell(self, row: int) -> str:
        """Tell the place of a row in words."""
        return f"{self.unit.lower()} {self.find(row)}"


ROWS = RowPlace("Row", int)


class Site(NamedTuple):
    """A column and how the places of its rows are told."""

    name: str
    rows: RowPlace

    def build_reason(
        self,
        code: str,
        text: str,
        row: int | None = None,
        value: str | None = None,
        *,
        count: int | None = None,
        options: Mapping[str, object] | None = None,
        is_told: bool = True,
    ) -> TypeReason:
        """Build a reason; `{}` in its text is the value at that row, and its place."""
        place = None if row is None else self.rows.find(row)
        met = None if value is None else describe_value(value)
        where = f"{met} ({self.rows.unit.lower()} {place:,})" if place is not None else ""
        return TypeReason(
            column=self.name,
            code=code,
            text=text.replace("{}", where),
            count=count,
            unit=self.rows.unit.lower(),
            place=place,
            value=met,
            options=dict(options or {}),
            is_told=is_told,
        )


def explain_zone(name: str) -> TypeReason:
    """Explain that instants are kept in UTC."""
    text = "times with a time zone are converted to UTC"
    return TypeReason(column=name, code="time_zone", text=text)


def explain_decimal(name: str, kind: str, column: pa.ChunkedArray, form: TextForm) -> TypeReason | None:
    """Explain a decimal type, and offer one where doubles have few places; None where nothing is to be said."""
    if kind.startswith("decimal") and not kind.endswith(",0)"):
        places = int(kind[:-1].split(",")[1])
        text = f"{kind}, because every value has {places} places"
        if form.percent and _is_all_percent(column):
            text = f"{kind}: percents are read as their hundredth, 10% as 0.10"
        return TypeReason(column=name, code="fixed_places", text=text)
    if kind != "float64":
        return None
    most = count_places(column if form.is_plain_number else form.rewrite_numbers(column), FEW_PLACES)
    if not most:
        return None
    wanted = f"decimal({SHORT},{most})"
    return TypeReason(
        column=name,
        code="few_places",
        text=f"double, because values have up to {most} place{'s' if most > 1 else ''}, not all the same number;"
        f" types {name}={wanted} reads them exactly",
        options={"types": {name: wanted}},
        is_told=False,
    )


def explain_rounded(name: str, note: ReadingNote) -> TypeReason:
    """Explain doubles whose texts are other numbers, which a note tells, with decimals that hold them if any do."""
    types = note.facts.get("types")
    options = {} if types is None else {"types": {name: types}}
    text = "double, though no double is the same as some of its texts"
    return TypeReason(column=name, code="rounded", text=text, options=options, is_told=False)


def explain_groups(site: Site, column: pa.ChunkedArray, physical: str) -> TypeReason:
    """Explain that points of a column may stand between thousands, as other columns have decimal comma."""
    has_point = pc.fill_null(pc.match_substring(column, "."), False)
    row = pc.index(has_point, True).as_py() + 1
    value = column[row - 1].as_py()
    whole = value.replace(".", "")
    text = f"{physical}, but {{}} may be {whole}, for other columns look like numbers with decimal comma"
    options = {"decimal": ",", "thousands": "."}
    return site.build_reason("number_form", text, row, value, count=pc.sum(has_point).as_py(), options=options)


def _is_all_percent(column: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.ends_with(column, "%"), min_count=0).as_py())


def explain_text(site: Site, column: pa.ChunkedArray, form: TextForm) -> TypeReason | None:
    """Explain why a column stayed text; None for one without values."""
    head = read_head(column)
    if not head:
        return None
    blanks = None if form.trim else _count_blanks(column)
    if blanks is None:
        return _explain_values(site, column, form, head)
    count, row = blanks
    trimmed = replace(form, trim=True)
    clean = trimmed.clean(column)
    text = f"{count:,} value{'s have' if count > 1 else ' has'} blanks around {'them' if count > 1 else 'it'}"
    text, options = text + ", first {}; trim removes them", {}
    if convert_formed(clean, trimmed) is not None:
        text = f"read as text, because {text}"
    elif clean.null_count < len(clean):
        inner = _explain_values(site, clean, trimmed, read_head(clean))
        text, options = (text if inner.code == "text" else f"{text}; {inner.text}"), dict(inner.options)
    return site.build_reason(
        "blanks", text, row, column[row - 1].as_py(), count=count, options={**options, "trim": True}
    )


def _count_blanks(column: pa.ChunkedArray) -> tuple[int, int] | None:
    """Count values with blanks around them, and find the row of the first; None if there is none."""
    if not any(_may_have_blanks(chunk) for chunk in column.chunks):
        return None
    found = pc.fill_null(pc.match_substring_regex(column, f"^{_EDGES}|{_EDGES}$"), False)
    count = pc.sum(found).as_py() or 0
    return (count, pc.index(found, True).as_py() + 1) if count else None


def _may_have_blanks(chunk: pa.StringArray) -> bool:
    """Tell by first and last bytes whether a value may have a blank there, which clears almost every column."""
    _, offset_buffer, data_buffer = chunk.buffers()
    if data_buffer is None or not len(chunk):
        return False
    offsets = np.frombuffer(offset_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    data = np.frombuffer(data_buffer, np.uint8)[: offsets[-1]]
    if not len(data):
        return False
    # Of an empty value a neighbour's byte is looked at, which can only make the answer more careful.
    first, last = data.take(offsets[:-1], mode="clip"), data.take(offsets[1:] - 1, mode="wrap")
    return bool(min(first.min(), last.min()) <= _BLANK or max(first.max(), last.max()) >= _BEYOND_ASCII)


def _explain_values(site: Site, column: pa.ChunkedArray, form: TextForm, head: Sequence[str]) -> TypeReason:
    """Explain a column of texts without blanks around them."""
    with_digits = [text for text in head if _DIGIT.search(text)]
    if len(with_digits) >= _ENOUGH * len(head):
        for explain in (_explain_padded, _explain_dates, _explain_numbers):
            reason = explain(site, column, form, head)
            if reason is not None:
                return reason
    proposed = propose_kind(list(head)) or _find_usual_kind(head)
    if proposed is not None:
        return _explain_misfit(site, column, proposed, form)
    if any(re.fullmatch(PATTERNS["float64"], text) for text in head) and form.is_plain_number:
        return _explain_mixed(site, column, PLAIN, _count_misfits(column, PLAIN), form)
    row, value = next(_iter_texts(column))
    return site.build_reason("text", "text, such as {}", row, value, is_told=False)


def _find_usual_kind(head: Sequence[str]) -> str | None:
    """Return the kind that most of the texts fit, beside numbers."""
    for kind in ("boolean", "date", "datetime", "datetime zoned"):
        if sum(re.fullmatch(PATTERNS[kind], text) is not None for text in head) > _ENOUGH * len(head):
            return kind
    return None


def _iter_texts(column: pa.ChunkedArray) -> Iterator[tuple[int, str]]:
    for row in range(1, len(column) + 1):
        value = column[row - 1].as_py()
        if value is not None:
            yield row, value


def _explain_padded(site: Site, column: pa.ChunkedArray, _form: TextForm, head: Sequence[str]) -> TypeReason | None:
    """Explain whole numbers of which one has a leading zero: they are codes."""
    if not all(text.isdecimal() for text in head):
        return None
    padded = pc.fill_null(pc.match_substring_regex(column, r"^0[0-9]+$"), False)
    if not pc.any(padded).as_py():
        return None
    row, count = pc.index(padded, True).as_py() + 1, pc.sum(padded).as_py()
    text = "read as text, because of leading zeros such as in {}"
    return site.build_reason("leading_zeros", text, row, column[row - 1].as_py(), count=count)


# --- numbers ----------------------------------------------------------------------------------------------------------


def _explain_numbers(
    site: Site, column: pa.ChunkedArray, form: TextForm, head: Sequence[str], currency: str | None = None
) -> TypeReason | None:
    """Explain texts most of which are numbers of some form, perhaps with that currency; None if they are not."""
    is_percent = not form.percent and sum(text.endswith("%") for text in head) > _ENOUGH * len(head)
    is_open = replace(form, currency=None).is_plain_number
    said = replace(form, percent=False)
    grouped = [replace(said, thousands=each) for each in _THOUSANDS if form.thousands is None and each != form.decimal]
    forms = _NUMBERS if is_open else (said, *grouped)
    sign = currency or form.currency
    tried = [replace(each, percent=is_percent, trim=form.trim, currency=sign) for each in forms]
    fitting = [(sum(_fits(text, each) for text in head), each) for each in tried]
    best = max(count for count, _ in fitting)
    if best < _ENOUGH * len(head):
        return None if currency is not None else _explain_currency(site, column, form, head)
    counts = [(_count_misfits(column, each), each) for count, each in fitting if count == best]
    least = min(count for count, _ in counts)
    equal = [each for count, each in counts if count == least]
    chosen = equal[0]
    if least:
        return _explain_mixed(site, column, chosen, least, form)
    if any(each.thousands == "," for each in equal) and chosen.decimal == ",":  # 1,234 may be either
        row, value = next(_iter_texts(column))
        whole, part = value.replace(",", ""), value.replace(",", ".")
        text = f"read as text, because {{}} may be {whole} (thousands ,) or {part} (decimal ,), and so may all values"
        return site.build_reason("number_form", text, row, value)
    if currency is not None and (other := _find_other_meaning(column, equal)) is not None:
        row, value, *meant = other
        text = f"read as text, because {{}} has the currency sign {currency}, and may be {meant[0]} or {meant[1]}"
        return site.build_reason("currency", text, row, value)
    if convert_formed(column, chosen) is None:  # of too many digits for any type
        return None
    row, value = _find_telling(column)
    what = "percents" if is_percent else "numbers"
    told = f"{what} {_describe_form(chosen)}" if not chosen.is_plain_number else what
    code = "percent" if is_percent else "currency" if sign else "number_form"
    text, count = f"read as text, because {{}} looks like {told}", _count_misfits(column, PLAIN)
    return site.build_reason(code, text, row, value, count=count, options=_list_options(chosen))


def _find_telling(column: pa.ChunkedArray) -> tuple[int, str]:
    """Return the first row, and its text, that is no number as programs write it."""
    plain = pc.fill_null(pc.match_substring_regex(column, f"^(?:{PATTERNS['float64']})$"), True)
    row = pc.index(plain, False).as_py() + 1
    return (row, column[row - 1].as_py()) if row else next(_iter_texts(column))


def _fits(text: str, form: TextForm) -> bool:
    return bool(_compile(form.text_pattern).fullmatch(text))


@lru_cache(100)
def _compile(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _count_misfits(column: pa.ChunkedArray, form: TextForm) -> int:
    fits = form.find_number_fits(column)
    return int(len(column) - column.null_count - (pc.sum(fits).as_py() or 0))


def _describe_form(form: TextForm) -> str:
    point = "decimal comma" if form.decimal == "," else "decimal point"
    if form.currency is not None:
        signs = [f"the currency sign {form.currency}", *([point] if not _has_plain_signs(form) else [])]
        signs += [f"{_SIGNS[form.thousands]} between thousands"] if form.thousands else []
        return "with " + " and ".join([", ".join(signs[:-1]), signs[-1]] if len(signs) > 1 else signs)
    return f"with {point}" + (f" and {_SIGNS[form.thousands]} between thousands" if form.thousands else "")


def _has_plain_signs(form: TextForm) -> bool:
    return replace(form, currency=None).is_plain_number


def _find_other_meaning(column: pa.ChunkedArray, forms: Sequence[TextForm]) -> tuple[int, str, str, str] | None:
    """Find the first text that two forms read as different numbers: its row, and both; None where none is."""
    first, *rest = (each.rewrite_numbers(column) for each in forms)
    for other in rest:
        differs = pc.fill_null(pc.not_equal(first, other), False)
        row = pc.index(differs, True).as_py() + 1
        if row:
            return row, column[row - 1].as_py(), first[row - 1].as_py(), other[row - 1].as_py()
    return None


def _list_options(form: TextForm) -> dict[str, object]:
    """List the options that say the form."""
    given: dict[str, object] = {"decimal": form.decimal} if form.decimal != PLAIN.decimal else {}
    if form.thousands is not None:
        given["thousands"] = form.thousands
    if form.currency is not None:
        given["currency"] = form.currency
    return {**given, "percent": True} if form.percent else given


def _explain_mixed(site: Site, column: pa.ChunkedArray, chosen: TextForm, count: int, form: TextForm) -> TypeReason:
    """Explain numbers among which other text stands, and what stands for a missing value if that is all there is."""
    fits = pc.fill_null(chosen.find_number_fits(column), True)
    row = pc.index(fits, False).as_py() + 1
    value = column[row - 1].as_py()
    others = pc.unique(column.filter(pc.invert(fits)))
    options: dict[str, object] = {}
    missing = others.slice(0, MOST_MISSING + 1).to_pylist()
    if len(missing) <= MOST_MISSING and all(map(_may_be_missing, missing)):
        emptied = pc.if_else(fits, column, pa.scalar(None, pa.string()))
        if convert_formed(emptied, chosen) is not None:
            options = {**_list_options(chosen), "nulls": sorted(missing)}
    told = "numbers" if chosen.is_plain_number else f"numbers {_describe_form(chosen)}"
    what = "percents" if chosen.percent else told
    text = f"read as text, because it mixes {what} with other text: {{}}"
    text += f" and {count - 1:,} more" if count > 1 else ""
    if options:
        told_nulls = ", ".join(map(describe_value, sorted(missing)))
        text += f"; if {told_nulls} means missing, name it in nulls"
    kept = options if form.is_plain_number or set(options) <= {"nulls"} else {}
    return site.build_reason("mixed", text, row, value, count=count, options=kept)


def _may_be_missing(text: str) -> bool:
    """Tell whether a text may stand for a missing value: a short word without a digit, never a number."""
    is_special = re.fullmatch(PATTERNS["float64"], text) is not None
    return len(text) <= MOST_MISSING_CHARS and "," not in text and not is_special and not any(map(str.isnumeric, text))


def _explain_currency(site: Site, column: pa.ChunkedArray, form: TextForm, head: Sequence[str]) -> TypeReason | None:
    """Explain numbers with a currency sign, of which the most frequent one is tried; None if they are none."""
    found = [(text, match[1] or match[2]) for text in head if (match := _PRICE.fullmatch(text))]
    if len(found) < _ENOUGH * len(head):
        return None
    (sign, _), *_ = Counter(sign for _, sign in found).most_common(1)
    reason = _explain_numbers(site, column, form, head, sign) if form.currency is None else None
    if reason is not None:
        return reason
    value = found[0][0]
    row = pc.index(column, pa.scalar(value, pa.string())).as_py() + 1
    return site.build_reason("currency", f"read as text, because {{}} has the currency sign {found[0][1]}", row, value)


# --- dates ------------------------------------------------------------------------------------------------------------


def _explain_dates(site: Site, column: pa.ChunkedArray, form: TextForm, head: Sequence[str]) -> TypeReason | None:
    """Explain texts most of which are dates of some format; None if they are not."""
    sample = pa.chunked_array([pa.array(head, pa.string())])
    formats = (form.date_format,) if form.date_format is not None else (*_DATES, *_SHORT_DAYS)
    some = [text for text in head if len(text) <= _LONGEST_DATE and not text.isdecimal() and not _is_iso(text)]
    some = some[:_SAMPLE]
    tried = [TextForm(date_format=each) for each in formats if any(map(_compile_date(str(each)).fullmatch, some))]
    near = [each for each in tried if _count_dates(sample, each) >= _ENOUGH * len(head)]
    if not near:
        return None
    fitting = [each for each in near if form.date_format is None and _is_date(column, each)]
    if len(fitting) > 1:
        row, value = next(_iter_texts(column))
        told = " or ".join(str(each.date_format) for each in fitting)
        text = f"read as text, because {{}} may be a date of the format {told}, and all values may"
        return site.build_reason("date_form", text, row, value, count=len(column) - column.null_count)
    if fitting:
        row, value = next(_iter_texts(column))
        told = str(fitting[0].date_format)
        text = f"read as text, because {{}} looks like a date of the format {told}"
        options = {"date_format": told}
        return site.build_reason("date_form", text, row, value, count=len(column) - column.null_count, options=options)
    best = max(near, key=lambda each: _count_dates(sample, each))
    return _explain_bad_date(site, column, best)


def _is_iso(text: str) -> bool:
    return any(re.fullmatch(PATTERNS[kind], text) for kind in ("date", "datetime", "datetime zoned"))


@lru_cache(100)
def _compile_date(text: str) -> re.Pattern[str]:
    return re.compile(build_date_pattern(text), re.ASCII)


def _explain_bad_date(site: Site, column: pa.ChunkedArray, form: TextForm) -> TypeReason:
    dates = form.rewrite_dates(column)
    lost = pc.and_(pc.is_null(dates), pc.is_valid(column))
    count = pc.sum(lost).as_py()
    if count:
        row = pc.index(lost, True).as_py() + 1
        text = f"read as text, because {{}} is no date of the format {form.date_format}"
        text += f", and {count - 1:,} more are none" if count > 1 else ""
        return site.build_reason("mixed", text, row, column[row - 1].as_py(), count=count)
    row = find_misfit(dates, "datetime" if "%H" in str(form.date_format) else "date")
    text = "read as text, because {} is no day of the calendar"
    return site.build_reason("calendar", text, row, column[row - 1].as_py())


def _count_dates(sample: pa.ChunkedArray, form: TextForm) -> int:
    return int(len(sample) - form.rewrite_dates(sample).null_count)


def _is_date(column: pa.ChunkedArray, form: TextForm) -> bool:
    found = convert_formed(column, form)
    return found is not None and found[1].startswith("date")


# --- the rest ---------------------------------------------------------------------------------------------------------


def _explain_misfit(site: Site, column: pa.ChunkedArray, proposed: str, form: TextForm) -> TypeReason:
    """Explain a column whose first values are all of one kind, as programs write it, and a later one is not."""
    kind = WIDER[proposed][-1]
    converted = convert(column, kind)
    if converted is not None:
        why = explain_no_doubles(column, converted, proposed) or f"other numbers than{form.describe(kind)}"
        return site.build_reason("digits", f"read as text, because it holds {why}")
    row = find_misfit(column, kind)
    word = _KINDS.get(proposed, "date and time")
    fits = pc.fill_null(pc.match_substring_regex(column, f"^(?:{PATTERNS[kind]})$"), True)
    count = pc.sum(pc.invert(fits)).as_py() or None
    text = f"read as text, because {{}} is no {word}"
    text += f", and {count - 1:,} more are none" if count is not None and count > 1 else ""
    return site.build_reason("mixed", text, row, column[row - 1].as_py(), count=count)
