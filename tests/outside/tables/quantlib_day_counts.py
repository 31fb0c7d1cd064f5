"""Day counts."""

from __future__ import annotations

import QuantLib as ql
from oracle import OracleTable


def count(convention):
    """Return the fraction of a year by a convention."""

    def compute(start_year, start_month, start_day, end_year, end_month, end_day):
        start, end = ql.Date(start_day, start_month, start_year), ql.Date(end_day, end_month, end_year)
        return convention.yearFraction(start, end) if start <= end else None

    return compute


DATES = {"start_year": (1990, 2030), "start_month": (1, 12), "start_day": (1, 31)}
DATES |= {"end_year": (1990, 2060), "end_month": (1, 12), "end_day": (1, 31)}
ENDS = {**DATES, "start_month": (1, 3), "start_day": (27, 31), "end_month": (1, 3), "end_day": (27, 31)}
DATE = {"year": (1901, 2199), "month": (1, 12), "day": (1, 31)}


TABLE = OracleTable("QuantLib", ql.__version__)
TABLE.add(
    "day_counts.days_between",
    "QuantLib.Actual365Fixed.dayCount",
    lambda start_year, start_month, start_day, end_year, end_month, end_day: ql.Actual365Fixed().dayCount(
        ql.Date(start_day, start_month, start_year), ql.Date(end_day, end_month, end_year)
    ),
    draws=DATES,
    near_zero=1e-15,
)
TABLE.add(
    "day_counts.actual_360", "QuantLib.Actual360.yearFraction", count(ql.Actual360()), draws=DATES, near_zero=1e-15
)
TABLE.add(
    "day_counts.actual_365_fixed",
    "QuantLib.Actual365Fixed.yearFraction",
    count(ql.Actual365Fixed()),
    draws=DATES,
    near_zero=1e-15,
)
TABLE.add(
    "day_counts.actual_365_25",
    "QuantLib.Actual36525.yearFraction",
    count(ql.Actual36525()),
    draws=DATES,
    near_zero=1e-15,
)
TABLE.add(
    "day_counts.actual_actual_isda",
    "QuantLib.ActualActual.yearFraction",
    count(ql.ActualActual(ql.ActualActual.ISDA)),
    draws=DATES,
    near_zero=1e-15,
    asked="ISDA",
    within=1e-12,
)
TABLE.add(
    "day_counts.actual_365_no_leap",
    "QuantLib.Actual365Fixed.yearFraction",
    count(ql.Actual365Fixed(ql.Actual365Fixed.NoLeap)),
    draws=ENDS,
    near_zero=1e-15,
    asked="NoLeap",
)
TABLE.add(
    "day_counts.thirty_360_bond_basis",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.BondBasis)),
    draws=ENDS,
    near_zero=1e-15,
    asked="BondBasis",
)
TABLE.add(
    "day_counts.thirty_e_360",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.EurobondBasis)),
    draws=ENDS,
    near_zero=1e-15,
    asked="EurobondBasis",
)
TABLE.add(
    "day_counts.thirty_e_360_isda",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.ISDA)),
    draws=ENDS,
    near_zero=1e-15,
    asked="ISDA",
)
TABLE.add(
    "day_counts.thirty_360_us",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.USA)),
    draws=ENDS,
    near_zero=1e-15,
    asked="USA",
)
TABLE.add(
    "day_counts.thirty_360_nasd",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.NASD)),
    draws=ENDS,
    near_zero=1e-15,
    asked="NASD",
)
TABLE.add(
    "day_counts.thirty_360_italian",
    "QuantLib.Thirty360.yearFraction",
    count(ql.Thirty360(ql.Thirty360.Italian)),
    draws=ENDS,
    near_zero=1e-15,
    asked="Italian",
)
TABLE.add(
    "day_counts.iso_weekday",
    "QuantLib.Date.weekday",
    lambda year, month, day: (ql.Date(day, month, year).weekday() + 5) % 7 + 1,
    draws=DATE,
)
TABLE.add(
    "day_counts.day_of_year",
    "QuantLib.Date.dayOfYear",
    lambda year, month, day: ql.Date(day, month, year).dayOfYear(),
    draws=DATE,
)
TABLE.add(
    "day_counts.days_in_month",
    "QuantLib.Date.endOfMonth",
    lambda year, month: ql.Date.endOfMonth(ql.Date(1, month, year)).dayOfMonth(),
    draws=DATE,
)
TABLE.add(
    "calendars.nth_weekday_of_month",
    "QuantLib.Date.nthWeekday",
    lambda year, month, weekday, nth: ql.Date.nthWeekday(nth, weekday % 7 + 1, month, year).dayOfMonth(),
    draws=DATE,
)
TABLE.add(
    "calendars.excel_serial_date",
    "QuantLib.Date.serialNumber",
    lambda year, month, day: ql.Date(day, month, year).serialNumber(),
    draws=DATE,
)
