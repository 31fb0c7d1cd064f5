"""The Hebrew calendar in whole numbers: years of 353 to 385 days that begin on a postponed new moon of Tishri."""

from __future__ import annotations

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

EPOCH = 347998  # Julian day number of 1 Tishri of year 1
PARTS = 25920  # of a day
PYLUACH = "pyluach 2.3.0, pyluach.dates.HebrewDate"
YEAR = P("int", domain="[1, 100000]", about="year of the Hebrew calendar")
MONTH = P("int", domain="[1, 13]", about="month, 1 is Nisan and 7 is Tishri, with which the year begins")
DAY = P("int", domain="[1, 30]", about="day of the month")
KEYWORDS = ["Jewish calendar", "Hebrew date", "Rosh Hashanah"]


def is_leap(year: int) -> bool:
    """Whether a year has thirteen months."""
    return (7 * year + 1) % 19 < 7


def count_days_before(year: int) -> int:
    """Count the days from the epoch to the new moon of a year, put off where it would fall on a forbidden weekday."""
    months = (235 * year - 234) // 19
    parts = 12084 + 13753 * months
    days = 29 * months + parts // PARTS
    return days + (3 * (days + 1) % 7 < 3)


def find_new_year(year: int) -> int:
    """Find the Julian day number of 1 Tishri, put off where a year would get an impossible length."""
    before, this, after = (count_days_before(each) for each in (year - 1, year, year + 1))
    delay = 2 if after - this == 356 else 1 if this - before == 382 else 0
    return EPOCH + this + delay


def list_months(year: int) -> list[tuple[int, int]]:
    """List the months of a year from Tishri on, each with its number of days."""
    length = find_new_year(year + 1) - find_new_year(year)
    days = dict.fromkeys((2, 4, 6, 10, 13), 29)
    days[8] = 30 if length % 10 == 5 else 29
    days[9] = 29 if length % 10 == 3 else 30
    days[12] = 30 if is_leap(year) else 29
    last = 13 if is_leap(year) else 12
    return [(month, days.get(month, 30)) for month in (*range(7, last + 1), *range(1, 7))]


@capability(
    "calendars.hebrew_year_length",
    tier="certified",
    source="reingold2018, ch. 8",
    params={"year": YEAR},
    result=R("int", about="number of days", range="[353, 385]"),
    latex=r"\mathrm{NY}(y + 1) - \mathrm{NY}(y)",
    keywords=[*KEYWORDS, "leap year"],
    cases=[
        case(year=5787, result=385, origin="pyluach 2.3.0, pyluach.hebrewcal.Year"),
        case(year=5786, result=354, origin="pyluach 2.3.0, pyluach.hebrewcal.Year"),
    ],
)
def hebrew_year_length(year: int) -> int:
    """Number of days of a year in the Hebrew calendar: 353 to 355, or 383 to 385 in a leap year."""
    return find_new_year(year + 1) - find_new_year(year)


@capability(
    "calendars.julian_day_of_hebrew_date",
    tier="certified",
    source="reingold2018, ch. 8",
    params={"year": YEAR, "month": MONTH, "day": DAY},
    result=R("int", about="Julian day number at noon"),
    latex=r"\mathrm{NY}(y) + \sum \mathrm{months} + d - 1",
    keywords=[*KEYWORDS, "JDN"],
    cases=[
        case(year=5787, month=9, day=13, result=2461368, origin=f"{PYLUACH}.jd"),
        case(year=5787, month=7, day=1, result=2461296, origin=f"{PYLUACH}.jd"),
        case(year=5786, month=13, day=1, error="domain_error", origin="by hand: no leap year"),
    ],
)
def julian_day_of_hebrew_date(year: int, month: int, day: int) -> int:
    """Julian day number at noon of the daylight of a date in the Hebrew calendar."""
    found = find_new_year(year)
    for each, days in list_months(year):
        if each == month:
            if day > days:
                raise DomainError("day", day, f"a day of a month with {days} days")
            return found + day - 1
        found += days
    raise DomainError("month", month, "a month from 1 to 12: the year is no leap year")


@capability(
    "calendars.hebrew_date_of_julian_day",
    tier="certified",
    source="reingold2018, ch. 8",
    params={"julian_day": P("int", domain="[347998, 36000000]", about="Julian day number at noon")},
    result=R(
        fields={
            "year": R("int", about="year of the Hebrew calendar"),
            "month": R("int", about="month, 1 is Nisan and 7 is Tishri", range="[1, 13]"),
            "day": R("int", about="day of the month", range="[1, 30]"),
        }
    ),
    latex=r"y = \max \{ k : \mathrm{NY}(k) \le \mathrm{JDN} \}",
    keywords=[*KEYWORDS, "JDN"],
    cases=[
        case(
            julian_day=2461368,
            result={"year": 5787, "month": 9, "day": 13},
            origin="pyluach 2.3.0, pyluach.dates.JulianDay.to_heb",
        ),
        case(
            julian_day=2451545,
            result={"year": 5760, "month": 10, "day": 23},
            origin="pyluach 2.3.0, pyluach.dates.JulianDay.to_heb",
        ),
    ],
)
def hebrew_date_of_julian_day(julian_day: int) -> dict[str, int]:
    """Year, month and day in the Hebrew calendar of a Julian day number at noon."""
    year = (julian_day - EPOCH) * 98496 // 35975351  # the mean length of a year, in days
    while find_new_year(year + 1) <= julian_day:
        year += 1
    rest = julian_day - find_new_year(year)
    for month, days in list_months(year):
        if rest < days:
            return {"year": year, "month": month, "day": rest + 1}
        rest -= days
    raise AssertionError("a year is as long as its months")
