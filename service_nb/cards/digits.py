"""The rounding of numbers for reading: one rule for a column, on exact texts, never through a float.

What is rounded here is shown and nothing else: hashes, exports, sorting and verification use the exact texts. The
browser has the same rules (`packages/cards/src/digits.ts`), over the vectors in tests/vectors/digits.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Digits = int | Literal["exact"] | None  # significant digits to show; None for the usual ones

USUAL_DIGITS: Final = 6
MOST_DIGITS: Final = 17
FACE_DIGITS: Final[tuple[Digits, ...]] = (None, "exact", *range(1, MOST_DIGITS + 1))  # with which a face may be written
_LEAST_PLACES = 2  # as money has them
_FEW_PLACES = 4  # a column of at most so many is shown whole
_FEW_EQUAL_PLACES = 6  # and so is one of so many in every row, as decimals have them

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?([eE][+-]?[0-9]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnDigits:
    """The rounding of a column: its numbers are shown to so many places; None for all of them.

    A number that would become zero, or is written with an exponent, keeps `digits` of its own.
    """

    places: int | None
    digits: int = USUAL_DIGITS


EXACT: Final = ColumnDigits(None)


def choose_digits(column: Iterable[str | None], digits: Digits = None) -> ColumnDigits:
    """Choose the rule of a column from its exact texts.

    By default the largest number has about six significant digits, and at least two places. Columns of few places are
    shown whole. Where `digits` are asked for, the largest number has so many, and whole numbers stay whole.
    """
    if digits == "exact":
        return EXACT
    kept = USUAL_DIGITS if digits is None else digits
    found = [match for text in column if text is not None and (match := _NUMBER.fullmatch(text)) and not match[4]]
    lengths = {len(match[3] or "") for match in found}
    places = max(kept - max((_measure_magnitude(match) for match in found), default=1), 0)
    if digits is None:
        most = max(lengths, default=0)
        is_few = most <= _FEW_PLACES or (len(lengths) == 1 and most <= _FEW_EQUAL_PLACES)
        places = max(places, _LEAST_PLACES, most if is_few else 0)
    return ColumnDigits(places, kept)


def choose_key_digits(column: Sequence[str | None], digits: Digits = None) -> ColumnDigits:
    """Choose the rule of a column whose numbers are labels, such as groups: as above, if all stay different."""
    rule = choose_digits(column, digits)
    texts = {text for text in column if text is not None}
    return rule if len({round_number(text, rule) for text in texts}) == len(texts) else EXACT


def round_number(text: str, rule: ColumnDigits) -> str:
    """Round the exact text of a number by the rule of its column, half to even; other text comes back as it is.

    What was rounded ends in no zeros, which would promise digits that are not there: 24.2 and not 24.2000.
    """
    match = None if rule.places is None else _NUMBER.fullmatch(text)
    if match is None or rule.places is None:
        return text
    sign, whole, fraction, power = match[1], match[2], match[3] or "", match[4] or ""
    if power:
        return _round_places(sign, whole, fraction, max(rule.digits - len(whole.lstrip("0")), 0)) + power
    rounded = _round_places(sign, whole, fraction, rule.places)
    if rounded.strip("-0.") or not (whole + fraction).strip("0"):
        return rounded
    return _round_places(sign, whole, fraction, rule.digits - _measure_magnitude(match))


def round_alone(text: str, digits: Digits = None) -> str:
    """Round the exact text of a number that stands for itself."""
    return round_number(text, choose_digits([text], digits))


def _measure_magnitude(match: re.Match[str]) -> int:
    """Count the digits before the point; of a number below one, the zeros behind it as a negative number."""
    if whole := match[2].lstrip("0"):
        return len(whole)
    fraction = match[3] or ""
    significant = fraction.lstrip("0")
    return len(significant) - len(fraction) if significant else 1


def _round_places(sign: str, whole: str, fraction: str, places: int) -> str:
    if len(fraction) <= max(places, 0):
        return sign + whole + ("." + fraction if fraction else "")
    kept, rest = whole + fraction[:places], fraction[places:]
    is_half = rest[0] == "5" and not rest[1:].strip("0")
    if (kept[-1] in "13579") if is_half else rest[0] >= "5":
        kept = _raise_last(kept)
    end = len(kept) - places
    behind = kept[end:].rstrip("0")
    return sign + kept[:end] + ("." + behind if behind else "")


def _raise_last(digits: str) -> str:
    kept = digits.rstrip("9")
    nines = len(digits) - len(kept)
    raised = kept[:-1] + str(int(kept[-1]) + 1) if kept else "1"
    return raised + "0" * nines
