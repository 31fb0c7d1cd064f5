"""Easter and calendar arithmetic by dateutil."""

from __future__ import annotations

from datetime import date
from importlib.metadata import version

from dateutil.easter import EASTER_JULIAN, EASTER_ORTHODOX, EASTER_WESTERN, easter
from dateutil.relativedelta import relativedelta
from oracle import OracleTable

TABLE = OracleTable("python-dateutil", version("python-dateutil"))


def _add_easter(name: str, method: int, asked: str, first: int, last: int) -> None:
    def find(year: int) -> dict[str, int]:
        found = easter(year, method)
        return {"month": found.month, "day": found.day}

    draws = {"year": [first, last]}
    TABLE.add(f"calendars.{name}", "dateutil.easter.easter", find, draws=draws, asked=asked)


_add_easter("easter", EASTER_WESTERN, "western", 1583, 4099)
_add_easter("julian_easter", EASTER_JULIAN, "julian", 326, 4099)
_add_easter("orthodox_easter", EASTER_ORTHODOX, "orthodox", 1583, 4099)


def add_months(year: int, month: int, day: int, months: int) -> dict[str, int]:
    """Add months to a date."""
    found = date(year, month, day) + relativedelta(months=months)
    return {"year": found.year, "month": found.month, "day": found.day}


TABLE.add(
    "calendars.date_after_months",
    "dateutil.relativedelta.relativedelta",
    add_months,
    draws={"year": [1500, 2500], "months": [-1000, 1000]},
)


def find_difference(
    start_year: int, start_month: int, start_day: int, end_year: int, end_month: int, end_day: int
) -> dict[str, int]:
    """Return the years, months and days between two dates."""
    found = relativedelta(date(end_year, end_month, end_day), date(start_year, start_month, start_day))
    return {"years": found.years, "months": found.months, "days": found.days}


TABLE.add(
    "calendars.calendar_difference",
    "dateutil.relativedelta.relativedelta",
    find_difference,
    draws={"start_year": [1800, 2000], "end_year": [2000, 2200]},
)
