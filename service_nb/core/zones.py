"""Time zones: the offsets from UTC of a place, by rules that are a part of the package and the same on every machine.

`zones.json` is written by `tests.tools.make_zones`, which says how; decision 0035 why. Seconds are counted from 1970 in
UTC. Before the first transition a zone has its local mean time, after the last the rule that it has now, for ever.
"""

from __future__ import annotations

import importlib.resources
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

from service_nb.core.words import find_nearest

UTC = "UTC"
DAY = 86_400
_QUARTER = 900
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  moments are naive and in UTC
_FIRST_DAY = date(1970, 1, 1).toordinal()
_BEGINNING = -(2**59)
_MOST_NEAR = 5

Edge = tuple[int, int, int, int]  # month, week (5 is the last), weekday (0 is Sunday), second of the day
Span = tuple[int, int]  # a second, and the offset that holds from then on


@dataclass(frozen=True, slots=True)
class Zone:
    """The offsets of a zone: those that changed at known seconds, and the rule after the last, if there is one."""

    starts: tuple[int, ...]  # the first is the beginning of time
    offsets: tuple[int, ...]
    rule: tuple[int, int, Edge, Edge] | None  # standard and summer offset, and when either begins

    def find_offset(self, second: int) -> int:
        """Find the seconds that clocks are ahead of UTC at a second."""
        if self.rule is not None and second >= self.starts[-1]:
            year = _find_year(second)
            known = [span for each in (year - 1, year, year + 1) for span in _list_year(self.rule, each)]
            return known[bisect_right(known, second, key=lambda span: span[0]) - 1][1]
        return self.offsets[bisect_right(self.starts, second) - 1]

    def list_spans(self, low: int, high: int) -> list[Span]:
        """List the offsets that hold from one second to another, each with the second at which it begins."""
        spans = [(low, self.find_offset(low))]
        for start, offset in (*zip(self.starts, self.offsets, strict=True), *self._list_ruled(low, high)):
            if low < start <= high and offset != spans[-1][1]:
                spans.append((start, offset))
        return spans

    def _list_ruled(self, low: int, high: int) -> Iterator[Span]:
        last = self.starts[-1]
        if self.rule is not None and high > last:
            for year in range(_find_year(max(low, last)) - 1, _find_year(high) + 2):
                yield from (span for span in _list_year(self.rule, year) if span[0] > last)


@cache
def read_table() -> Mapping[str, Any]:
    """Read the table of rules: its version, the texts of the rules, and the place of each zone's."""
    text = importlib.resources.files("service_nb.core").joinpath("zones.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table


def find_version() -> str:
    """Find the version of the tz database that the rules are of."""
    return str(read_table()["version"])


def list_zones() -> list[str]:
    """List the names of all zones."""
    return list(read_table()["zones"])


def has_zone(name: str) -> bool:
    """Tell whether a zone has this very name."""
    return name in read_table()["zones"]


def is_utc(name: str) -> bool:
    """Tell whether a zone is UTC under one of its names."""
    zones: Mapping[str, int] = read_table()["zones"]
    return zones[name] == zones[UTC]


def find_near_zones(name: str) -> list[str]:
    """Find the zones that a name may stand for: another case, the city alone, or a few letters off."""
    known, wanted = list_zones(), name.casefold().replace(" ", "_")
    cities = {zone: zone.rpartition("/")[2].casefold() for zone in known}
    same = [zone for zone in known if wanted in (zone.casefold(), cities[zone])]
    return same[:_MOST_NEAR] or find_nearest(name, known)[:_MOST_NEAR]


@lru_cache(maxsize=64)
def read_zone(name: str) -> Zone:
    """Read the rules of a zone, which is known."""
    table = read_table()
    offsets, times, places, rule = table["rules"][table["zones"][name]].split(";")
    known = [*map(int, offsets.split())]
    starts = [_BEGINNING, *accumulate(map(_read_time, times.split()))]
    found = [known[0], *(known[int(place, 36)] for place in places)]
    edges = tuple(map(int, rule.split()))
    ruled = (edges[0], edges[1], _read_edge(edges[2:6]), _read_edge(edges[6:])) if edges else None
    return Zone(tuple(starts), tuple(found), ruled)


def _read_time(text: str) -> int:
    """Read the seconds between two transitions: quarters of an hour, or seconds behind `~`."""
    return int(text[1:], 36) if text.startswith("~") else int(text, 36) * _QUARTER


def _read_edge(parts: tuple[int, ...]) -> Edge:
    month, week, weekday, second = parts
    return month, week, weekday, second


def _find_year(second: int) -> int:
    """Find the year of a second in UTC; beyond the calendar its nearest year with neighbours."""
    day = min(max(second // DAY + _FIRST_DAY, date(2, 1, 1).toordinal()), date(9998, 12, 31).toordinal())
    return date.fromordinal(day).year


@lru_cache(maxsize=1 << 12)
def _list_year(rule: tuple[int, int, Edge, Edge], year: int) -> tuple[Span, Span]:
    """List both changes of a year in their order."""
    standard, summer, begins, ends = rule
    spans = [(_find_second(begins, year) - standard, summer), (_find_second(ends, year) - summer, standard)]
    first, second = sorted(spans)
    return first, second


def _find_second(edge: Edge, year: int) -> int:
    """Find when a change happens, on the clock of before."""
    month, week, weekday, second = edge
    first = date(year, month, 1).toordinal()
    length = (
        date(year + month // 12, month % 12 + 1, 1).toordinal() if (year, month) != (9999, 12) else first + 31
    ) - first
    day = (weekday - first) % 7 + 7 * (week - 1)  # ordinal 7 is a Sunday
    return (first + (day if day < length else day - 7) - _FIRST_DAY) * DAY + second


# --- moments ----------------------------------------------------------------------------------------------------------


def count_seconds(moment: datetime) -> int:
    """Count the whole seconds from 1970 to a naive moment."""
    return (moment - _EPOCH) // timedelta(seconds=1)


def build_moment(second: int) -> datetime:
    """Build the naive moment of a second."""
    return _EPOCH + timedelta(seconds=second)


def convert_to_zone(moment: datetime, zone: Zone) -> datetime:
    """Convert a naive moment in UTC to what clocks of a zone show.

    Raises
    ------
    OverflowError
        It is beyond the calendar there.
    """
    return moment + timedelta(seconds=zone.find_offset(count_seconds(moment)))
