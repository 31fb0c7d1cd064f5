"""The Julian calendar by jdcal."""

from __future__ import annotations

import jdcal
from oracle import OracleTable

TABLE = OracleTable("jdcal", jdcal.__version__)
YEARS = {"year": [-4000, 4000]}


def make_date(parts: tuple[int, int, int, float]) -> dict[str, int]:
    """Make a record of a date at midnight."""
    return dict(zip(("year", "month", "day"), parts[:3], strict=True))


TABLE.add(
    "calendars.julian_day_of_julian_calendar",
    "jdcal.jcal2jd",
    lambda year, month, day: round(sum(jdcal.jcal2jd(year, month, day)) + 0.5),
    draws=YEARS,
)
TABLE.add(
    "calendars.gregorian_from_julian_calendar",
    "jdcal.jd2gcal",
    lambda year, month, day: make_date(jdcal.jd2gcal(*jdcal.jcal2jd(year, month, day))),
    draws=YEARS,
)
TABLE.add(
    "calendars.julian_calendar_from_gregorian",
    "jdcal.jd2jcal",
    lambda year, month, day: make_date(jdcal.jd2jcal(*jdcal.gcal2jd(year, month, day))),
    draws=YEARS,
)
