"""The patterns of texts that read as dates, times or numbers, whose order is not that of their letters.

The patterns are declared here once, for Python and TypeScript: RE2 and JavaScript (flag `u`) read them alike. They are
wider than what readers take for a number or a date, for nothing is read by them; they tell when `>` between letters
would answer another question than the one that was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

TextKind = Literal["dates", "times", "numbers"]
TEXT_KINDS: tuple[TextKind, ...] = get_args(TextKind)

# The key of a note, which stands on the card of an answer that went by the order of letters, with the columns.
LETTERS_NOTE = "text is compared letter by letter"

_THIN = " \u00a0\u2007\u2009\u202f"
_BLANKS = "[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"
_SIGN = "[+\\-\u2212]?"
_WORDS = "CHF|EUR|USD|GBP|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|US\\$|R\\$|Fr\\.|kr\\.?|z\u0142|Rs\\.?"
_CURRENCY = f"(?:[$\u00a2-\u00a5\u20a0-\u20cf]|{_WORDS})"
_WHOLE = f"(?:\\d{{1,3}}(?:[.,'\u2019_{_THIN}]\\d{{3}})+|\\d{{1,2}}(?:,\\d{{2}})+,\\d{{3}}|\\d+)"
_NUMBER = f"(?:{_WHOLE}(?:[.,]\\d*)?|[.,]\\d+)(?:[eE][+\\-]?\\d+)?"
_PRICED = f"(?:{_CURRENCY}[{_THIN}]?)?{_SIGN}{_NUMBER}[{_THIN}]?(?:[%\u2030]|{_CURRENCY})?"

# Units that stand behind a number, and signs before it; `12A`, a house number, has none of these.
_UNITS = (
    "kg|g|mg|lbs?|oz|km|m|cm|mm|mi|ft|in|l|ml|kWh|MWh|kW|MW|Hz|[kKMGT]i?[Bb]|[kKM]|mio|Mio\\.?|ha|ppm|px|pt|"
    "h|min|sec|ms|days?|hours?|years?|yrs?|\u00b0 ?[CF]?|km/h|m/s|mph|\u00b5[gm]|m[\u00b2\u00b3]|km\u00b2"
)
_ABOUT = "[<>~\u2248\u2264\u2265]"
_QUANTITY = f"{_ABOUT}? ?{_SIGN}{_NUMBER}[{_THIN}]?(?:{_UNITS})|{_ABOUT} ?{_SIGN}{_NUMBER}"
_COMPOUND = "\\d+ ?(?:d|h|hrs?) ?\\d+ ?(?:h|m|min)(?: ?\\d+ ?s)?"
_ENDS = f"[(\\[]{_SIGN}[\\d.]+, ?{_SIGN}[\\d.]+[)\\]]|\\d{{1,3}}-\\d{{1,3}}"  # (5, 10], 5-9
_PARTED = "\\d+(?:\\.\\d+){2,3}"  # 1.10.2, 10.0.0.11
_ODD = "\\d+(?:st|nd|rd|th)|\\d+ ?/ ?\\d+|[\uff10-\uff19]+|[\u0660-\u0669]+"  # 9th, 5/4, digits of other scripts
_PRICES = f"{_SIGN}{_PRICED}-?|\\({_PRICED}\\)"
_YEAR, _MONTH, _DAY = "\\d{4}", "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12]\\d|3[01])"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)


def _ignore_case(word: str) -> str:
    return "".join(f"[{letter.upper()}{letter.lower()}]" for letter in word)


_NAMES = "|".join(f"{_ignore_case(name[:3])}(?:{_ignore_case(name[3:])})?" for name in _MONTHS if name != "May")
_NAME = f"(?:{_NAMES}|{_ignore_case('May')}|{_ignore_case('Sept')})\\.?"
_TH = "(?:st|nd|rd|th)?"
_DATES = (
    f"{_YEAR}[\\-/.]{_MONTH}[\\-/.]{_DAY}",  # 2024-7-1
    f"{_YEAR}[\\-/]{_MONTH}",
    f"{_DAY}[\\-/.] ?{_DAY}[\\-/.] ?(?:{_YEAR}|\\d{{2}})",  # 1/15/2024, 01.02.24
    f"{_DAY}(?:st|nd|rd|th|\\.)?[ \\-]?\\p{{L}}{{3,10}}\\.?,?[ \\-]?{_YEAR}",  # 3 janvier 2024
    f"{_DAY}[ \\-]{_NAME}[ \\-]\\d{{2}}",
    f"{_NAME} ?{_DAY}{_TH},? {_YEAR}",  # Jan 1, 2000
    f"{_NAME}(?:-\\d{{2}}|[\\- ]{_YEAR}|, {_YEAR})",
    f"{_YEAR}[ \\-]{_NAME}[ \\-]{_DAY}",
)
_HALF = "[AaPp]\\.?[Mm]\\.?"
_CLOCK = f"(?:(?:-?\\d+ days?, )?\\d{{1,2}}:\\d{{2}}(?::\\d{{2}}(?:[.,]\\d+)?)?(?: ?{_HALF})?|\\d{{1,2}} ?{_HALF})"
_ZONE = "(?: ?(?:Z|UTC|GMT|[+\\-]\\d{2}:?\\d{2}))?"
_WEEKDAY = "(?:\\p{L}{2,10}\\.?,? )?"
_MOMENT = f"{_WEEKDAY}(?:{'|'.join(_DATES)})(?:(?:T|,? ){_CLOCK}{_ZONE})?"
_PARTS_OF_YEARS = (
    f"{_MONTH}[/.]{_YEAR}|[1-4]Q\\d{{2}}|{_YEAR}\u5e74{_MONTH}\u6708(?:{_DAY}\u65e5)?|"
    f"{_YEAR}[\\- ]?Q[1-4]|Q[1-4][\\- /]?{_YEAR}|{_YEAR}-?W\\d{{2}}"
)

# The first kind that a text is of counts.
TEXT_PATTERNS: dict[TextKind, str] = {
    "dates": f"^{_BLANKS}(?:{_MOMENT}|{_PARTS_OF_YEARS}){_BLANKS}$",
    "times": f"^{_BLANKS}{_CLOCK}{_ZONE}{_BLANKS}$",
    "numbers": f"^{_BLANKS}(?:{_PRICES}|{_QUANTITY}|{_COMPOUND}|{_ENDS}|{_PARTED}|{_ODD}){_BLANKS}$",
}
BLANK_PATTERN = f"^{_BLANKS}$"

# The shape of a text has 0 for each digit. Where all values have one of these, the order of letters is that of values.
ORDERED_SHAPES = (
    "^(?:0+|0000[\\-/.]00(?:[\\-/.]00)?(?:[T ]00:00(?::00(?:\\.0+)?)?Z?)?|00:00(?::00)?|0000-?Q0|0000-?W00)$"
)

# By the code of a reason for text: why a column is text, and what can be done where no option was found.
TEXT_CAUSES: dict[str, tuple[str, str]] = {
    "number_form": ("its numbers are not written as programs write them", "Say how with decimal or thousands."),
    "date_form": ("its dates are not written as programs write them", "Say how with a date format."),
    "percent": ("its numbers are percents", ""),
    "currency": ("its numbers have a currency sign", "Say how they are written with decimal, thousands or currency."),
    "mixed": ("other texts stand among its values", "Correct them, or name in nulls what stands for a missing value."),
    "leading_zeros": ("some of its numbers have leading zeros", "Declare a type of numbers if they are none of codes."),
    "blanks": ("blanks stand around its values", ""),
    "calendar": ("one of its dates is no day of the calendar", "Correct it."),
    "digits": ("its numbers have more digits than a type holds", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOrder:
    """The order of a column of text: that of its letters, or of what most of its texts read as.

    Attributes
    ----------
    reads_as : str or None
        What at least half of them are, of all rows or of all different values; None of other texts.
    shape : str or None
        That of every value, where the order of letters is that of what they read as: `0000-00-00`.
    is_mixed : bool
        Whether other texts stand among them.
    is_known : bool
        False where the values are not looked at: the column was declared to be text, or its source is live.
    """

    reads_as: TextKind | None = None
    shape: str | None = None
    is_mixed: bool = False
    is_known: bool = True


OTHER_TEXT = TextOrder()
UNKNOWN_ORDER = TextOrder(is_known=False)
