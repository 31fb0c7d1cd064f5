"""Where keys stand on an axis: dates, periods and counted numbers have a place, names have none. As `chart/time.ts`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?[^T]*)?)?", re.DOTALL
)
_QUARTER = re.compile(r"([0-9]{4})-?Q([1-4])")
_WEEK = re.compile(r"([0-9]{4})-?W([0-9]{2})")
_YEAR = re.compile(r"[12][0-9]{3}")
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_SPARSE = 2  # whole numbers with more holes than this are names of things


def places_of(keys: Sequence[str], type_: str) -> list[int] | None:
    """Return the place of each key of a column of a type; None if not all of them have one."""
    readers: tuple[Callable[[str], int | None], ...] = (_instant, _quarter, _week)
    for read in readers:
        places = [place for place in map(read, keys) if place is not None]
        if len(places) == len(keys):
            return places
    is_counted = type_ == "number" or all(_YEAR.fullmatch(key) for key in keys)
    return _counted(keys) if is_counted else None


def _instant(text: str) -> int | None:
    """The seconds since 1970, of a month or day beyond the last as calendars of JavaScript count on."""
    found = _INSTANT.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    return ((_days(year, month) + (day or 1) - 1) * 24 + hour) * 3600 + minute * 60 + second


def _days(year: int, month: int) -> int:
    """The days from 1970 to the first of a month, by the Gregorian calendar also before it was used."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _quarter(text: str) -> int | None:
    found = _QUARTER.fullmatch(text)
    return None if found is None else int(found[1]) * 4 + int(found[2])


def _week(text: str) -> int | None:
    found = _WEEK.fullmatch(text)
    return None if found is None else int(found[1]) * 53 + int(found[2])


def _counted(keys: Sequence[str]) -> list[int] | None:
    if not keys or not all(_WHOLE.fullmatch(key) for key in keys):
        return None
    places = [int(key) for key in keys]
    return places if max(places) - min(places) < len(set(places)) * _SPARSE else None
