"""The Hebrew calendar by pyluach."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from pyluach.dates import HebrewDate, JulianDay
from pyluach.hebrewcal import Year

TABLE = OracleTable("pyluach", version("pyluach"))
YEARS = {"year": [3762, 9999]}


def find_date(julian_day: int) -> dict[str, int]:
    """Return the parts of a date at noon; pyluach counts from midnight."""
    found = JulianDay(julian_day - 0.5).to_heb()
    return {"year": found.year, "month": found.month, "day": found.day}


TABLE.add("calendars.hebrew_year_length", "pyluach.hebrewcal.Year", lambda year: len(Year(year)), draws=YEARS)
TABLE.add(
    "calendars.julian_day_of_hebrew_date",
    "pyluach.dates.HebrewDate.jd",
    lambda year, month, day: round(HebrewDate(year, month, day).jd + 0.5),
    draws=YEARS,
)
TABLE.add(
    "calendars.hebrew_date_of_julian_day",
    "pyluach.dates.JulianDay.to_heb",
    find_date,
    draws={"julian_day": [1800000, 3000000]},
)
