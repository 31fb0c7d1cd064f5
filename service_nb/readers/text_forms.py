"""Read numbers and dates in the form that a caller declares: 1.143,22 and 22.12.2024.

A text is rewritten into the one form that inference knows (1143.22, 2024-12-22), and only if the whole of it fits what
was declared. Nothing is guessed here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from service_nb.errors import InvalidIntentError
from service_nb.readers.decimal_texts import LONG, convert_to_decimal

# Blanks of any kind, in the order of Unicode: what `trim` removes, and what may stand between groups of digits.
BLANKS = "\t\n\v\f\r \u0085\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_THIN = " \u00a0\u2007\u2009\u202f"
_ALIKE = {" ": _THIN, "'": "'\u2019"}  # what a sign for thousands stands for, where it is more than itself
THOUSANDS = (".", ",", " ", "'", "_")
WORDS = {"space": " ", "apostrophe": "'", "comma": ",", "point": ".", "dot": "."}  # for a command line
DECIMALS = (".", ",")
MOST_CURRENCY = 8  # characters of a currency sign
SPECIAL = r"NaN|nan|-?(?:inf|Infinity)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PARTS = {
    "%Y": ("year", r"[0-9]{4}"),
    "%y": ("short", r"[0-9]{2}"),
    "%m": ("month", r"[0-9]{1,2}"),
    "%d": ("day", r"[0-9]{1,2}"),
    "%b": ("named", "(?i:" + "|".join(_MONTHS) + ")"),
    "%H": ("hour", r"[0-9]{1,2}"),
    "%M": ("minute", r"[0-9]{2}"),
    "%S": ("second", r"[0-9]{2}"),
    "%f": ("fraction", r"[0-9]{1,6}"),
}
_DIRECTIVE = re.compile(r"%.?|[^%]+", re.DOTALL)
_EXACT = Context(prec=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextForm:
    """The form of numbers and dates in a text; without options, that of programs: 1143.22 and 2024-12-22."""

    decimal: str = "."
    thousands: str | None = None
    date_format: str | None = None
    percent: bool = False
    trim: bool = False
    currency: str | None = None

    @property
    def is_plain_number(self) -> bool:
        """Tell whether numbers are written as programs write them."""
        return self.decimal == "." and self.thousands is None and self.currency is None

    @property
    def is_plain(self) -> bool:
        """Tell whether no option was given."""
        return self == PLAIN

    @property
    def unsigned_pattern(self) -> str:
        """The pattern of a number without its minus: its groups, if it has any, are of three digits."""
        point, whole = re.escape(self.decimal), "(?:0|[1-9][0-9]*)"
        if self.thousands is not None:
            signs = "[" + re.escape(_ALIKE.get(self.thousands, self.thousands)) + "]"
            whole = f"(?:[1-9][0-9]{{0,2}}(?:{signs}[0-9]{{3}})+|{whole})"
        return f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)"

    @property
    def text_pattern(self) -> str:
        """The pattern of a text that is a number, or with `percent` one with a percent sign.

        A currency sign may stand before or after it: € -5, -€ 5, 5 €.
        """
        number = self.unsigned_pattern
        if self.percent:
            return rf"(?:-?{number})[{_THIN}]?%"
        plain = rf"(?:-?{number})(?:[eE][+-]?[0-9]+)?|{SPECIAL}"
        if self.currency is None:
            return plain
        sign = re.escape(self.currency)
        return rf"{plain}|{sign}[{_THIN}]?-?{number}|-{sign}[{_THIN}]?{number}|-?{number}[{_THIN}]?{sign}"

    def find_number_fits(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Tell of each text whether it is a number of this form."""
        return pc.match_substring_regex(column, f"^(?:{self.text_pattern})$")

    def rewrite_numbers(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Rewrite texts that fit into the form of programs."""
        if self.currency is not None:
            column = pc.replace_substring_regex(column, f"[{_THIN}]?{re.escape(self.currency)}[{_THIN}]?", "")
        for sign in _ALIKE.get(self.thousands, self.thousands) if self.thousands is not None else "":
            column = pc.replace_substring(column, sign, "")
        return column if self.decimal == "." else pc.replace_substring(column, self.decimal, ".")

    def rewrite_percents(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Rewrite texts that fit, `7,5%`, into their hundredth, `0.075`, all with the same number of places."""
        bare = pc.utf8_trim(column, characters=_THIN + "%")
        bare = TextForm(decimal=self.decimal, thousands=self.thousands).rewrite_numbers(bare)
        encoded = bare.combine_chunks().dictionary_encode() if bare.num_chunks else pa.array([], pa.string())
        if not len(encoded):
            return column
        texts = encoded.dictionary.to_pylist()
        places = max((len(text.partition(".")[2]) for text in texts), default=0) + 2
        written = [f"{Decimal(text).scaleb(-2, _EXACT):.{places}f}" for text in texts]
        return pa.chunked_array([pa.array(written, pa.string()).take(encoded.indices)])

    def rewrite_dates(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Rewrite dates, and dates with a time, into ISO 8601; what does not fit the format becomes null."""
        if not column.num_chunks:
            return column
        fields = build_date_pattern(str(self.date_format))
        found = pa.chunked_array([pc.extract_regex(chunk, f"^(?:{fields})$") for chunk in column.chunks])
        names = {field.name for field in found.type}
        parts = {name: pc.struct_field(found, name) for name in names}
        day = pc.binary_join_element_wise(_find_year(parts), _find_month(parts), _pad(parts["day"]), "-")
        if "hour" not in names:
            return day
        seconds = parts.get("second", "00")
        clock = pc.binary_join_element_wise(_pad(parts["hour"]), parts["minute"], seconds, ":")
        if "fraction" in names:
            clock = pc.binary_join_element_wise(clock, parts["fraction"], ".")
        return pc.binary_join_element_wise(day, clock, "T")

    def describe(self, physical: str) -> str:
        """Describe the form that a text of the physical type was expected in; nothing if that of programs."""
        if physical.startswith("date"):
            return f" of the format {self.date_format}" if self.date_format is not None else ""
        signs = [f"decimal {self.decimal!r}"] if self.decimal != "." else []
        signs += [f"thousands {self.thousands!r}"] if self.thousands is not None else []
        signs += [f"currency {self.currency!r}"] if self.currency is not None else []
        return f" with {' and '.join(signs)}" if signs and physical not in ("boolean", "string") else ""

    def clean(self, column: pa.ChunkedArray, nulls: Sequence[str] = ()) -> pa.ChunkedArray:
        """Remove blanks around values, if `trim` says so; what is empty then, or stands for null, is null."""
        if not self.trim:
            return column
        trimmed = pc.utf8_trim(column, characters=BLANKS)
        return pc.if_else(pc.is_in(trimmed, pa.array(["", *nulls])), pa.scalar(None, pa.string()), trimmed)


PLAIN = TextForm()


def is_currency(text: str) -> bool:
    """Tell whether a text may be the sign of a currency: €, US$, CHF, Fr."""
    letters = text.removesuffix(".")
    return 0 < len(text) <= MOST_CURRENCY and bool(letters) and all(_is_currency_letter(each) for each in letters)


def _is_currency_letter(letter: str) -> bool:
    return letter.isalpha() or unicodedata.category(letter) == "Sc"


def read_sign(text: str | None) -> str | None:
    """Return the sign that a word of a command line stands for: `space`, `apostrophe`; else the text as it is."""
    return text if text is None else WORDS.get(text.lower(), text)


def _pad(digits: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.utf8_lpad(digits, 2, "0")


def _find_year(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return years of four digits; of two, 69 to 99 are of the last century, as POSIX has it."""
    if "year" in parts:
        return parts["year"]
    is_old = pc.greater_equal(parts["short"], "69")
    return pc.binary_join_element_wise(pc.if_else(is_old, "19", "20"), parts["short"], "")


def _find_month(parts: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    if "month" in parts:
        return _pad(parts["month"])
    at = pc.index_in(pc.utf8_lower(parts["named"]), pa.array(_MONTHS))
    return _pad(pc.cast(pc.add(at, 1), pa.string()))


def build_date_pattern(text: str) -> str:
    """Return the pattern of a date format. Raises `invalid_intent` unless it is one that leaves nothing open."""
    pattern, names = "", []
    for part in _DIRECTIVE.findall(text):
        name, digits = _PARTS.get(part, ("", ""))
        if not name and part.startswith("%"):
            raise _format_error(text)
        names.append(name)
        pattern += f"(?P<{name}>{digits})" if name else re.escape(part)
    given = [name for name in names if name]
    clock = [name for name in given if name in ("hour", "minute", "second", "fraction")]
    is_day = sorted(name for name in given if name not in clock) in (
        sorted(("day", month, year)) for month in ("month", "named") for year in ("year", "short")
    )
    is_clock = sorted(clock) == sorted(("hour", "minute", "second", "fraction")[: len(clock)]) and len(clock) != 1
    # Two numbers of one or two digits that touch could be parted in more than one way.
    touching = pairwise(names)
    is_open = any({left, right} & {"month", "day", "hour"} and left and right for left, right in touching)
    if not is_day or not is_clock:
        raise _format_error(text)
    return re.sub(r"\{1,2\}", "{2}", pattern) if is_open else pattern


def _format_error(text: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"date_format is {text[:60]!r}, which is no format of a whole date.",
        hint="A format has %d, %m (or %b) and %Y (or %y), and perhaps %H:%M, %H:%M:%S or %H:%M:%S.%f: %d.%m.%Y",
        path="date_format",
        met=text[:60],
        expected="%d.%m.%Y",
    )


def convert_percents(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return hundredths that all have the same number of places as decimals; None if 38 digits do not hold them."""
    first = column.drop_null().slice(0, 1).to_pylist()
    places = len(first[0].partition(".")[2]) if first else 0
    return convert_to_decimal(column, places) if 0 < places <= LONG else None
