"""Weeks, days and Unix times by pandas."""

from __future__ import annotations

import pandas as pd
from oracle import OracleTable

TABLE = OracleTable("pandas", pd.__version__)
YEARS = {"year": [1680, 2260]}  # of nanoseconds in 64 bits


def split(found: pd.Timestamp) -> dict[str, int]:
    """Split a date into its parts."""
    return {"year": found.year, "month": found.month, "day": found.day}


def find_date_of_unix_time(unix_time: float) -> dict[str, float]:
    """Return date and time of a Unix time that microseconds resolve."""
    found = pd.Timestamp(unix_time, unit="s")
    clock = {"hour": found.hour, "minute": found.minute, "second": found.second + found.microsecond / 1e6}
    return {**split(found), **clock}


TABLE.add(
    "calendars.iso_week",
    "pandas.Timestamp.isocalendar",
    lambda year, month, day: dict(
        zip(("year", "week", "weekday"), pd.Timestamp(year, month, day).isocalendar(), strict=True)
    ),
    draws=YEARS,
)
TABLE.add(
    "calendars.date_of_iso_week",
    "pandas.Timestamp.fromisocalendar",
    lambda year, week, weekday: split(pd.Timestamp.fromisocalendar(year, week, weekday)),
    draws=YEARS,
)
TABLE.add(
    "calendars.date_after_days",
    "pandas.Timedelta",
    lambda year, month, day, days: split(pd.Timestamp(year, month, day) + pd.Timedelta(days=days)),
    draws={"year": [1850, 2100], "days": [-50000, 50000]},
)
TABLE.add(
    "calendars.date_of_day_of_year",
    "pandas.to_datetime",
    lambda year, day_of_year: {
        name: value
        for name, value in split(pd.to_datetime(f"{year}{day_of_year:03}", format="%Y%j")).items()
        if name != "year"
    },
    draws=YEARS,
)
TABLE.add(
    "calendars.unix_time",
    "pandas.Timestamp.timestamp",
    lambda year, month, day, hour, minute, second: (
        pd.Timestamp(year, month, day, hour, minute).timestamp() + pd.Timedelta(second, "s").total_seconds()
    ),
    draws={**YEARS, "second": [0.0, 59.9]},
)
TABLE.add(
    "calendars.date_of_unix_time",
    "pandas.Timestamp",
    find_date_of_unix_time,
    within=1e-9,
    near_zero=1e-5,
    draws={"unix_time": [-5e9, 5e9]},
)
TABLE.add(
    "calendars.leap_year",
    "pandas.Timestamp.is_leap_year",
    lambda year: bool(pd.Timestamp(year, 1, 1).is_leap_year),
    draws=YEARS,
)
