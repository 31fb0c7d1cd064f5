"""The Persian calendar by persiantools."""

from __future__ import annotations

from datetime import date
from importlib.metadata import version

from oracle import OracleTable
from persiantools.jdatetime import JalaliDate

TABLE = OracleTable("persiantools", version("persiantools"))


def split(found: date | JalaliDate) -> dict[str, int]:
    """Split a date into its parts."""
    return {"year": found.year, "month": found.month, "day": found.day}


TABLE.add(
    "calendars.gregorian_from_persian",
    "persiantools.jdatetime.JalaliDate.to_gregorian",
    lambda year, month, day: split(JalaliDate(year, month, day).to_gregorian()),
)
TABLE.add(
    "calendars.persian_from_gregorian",
    "persiantools.jdatetime.JalaliDate",
    lambda year, month, day: split(JalaliDate(date(year, month, day))),
)
TABLE.add(
    "calendars.persian_leap_year", "persiantools.jdatetime.JalaliDate.is_leap", lambda year: JalaliDate.is_leap(year)
)
