"""Periods of times with a zone, near midnight and at changes of the clock; order of periods and bins. Reference: zoneinfo."""

import datetime
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl

from tests.rows.case import Case, as_csv, as_file

UTC = datetime.UTC
# Instants near midnights of the year, the month and the week, and at changes of the clock, some of them famous.
INSTANTS = [
    datetime.datetime.fromisoformat(text).astimezone(UTC)
    for text in (
        "2023-12-31T22:59:59+00:00", "2023-12-31T23:00:00+00:00", "2023-12-31T23:59:59.999999+00:00", "2024-01-01T00:00:00+00:00",
        "2024-03-31T00:59:59+00:00", "2024-03-31T01:00:00+00:00", "2024-03-31T21:59:59+00:00", "2024-03-31T22:00:00+00:00",
        "2024-10-27T00:59:59+00:00", "2024-10-27T01:00:00+00:00", "2024-10-27T22:30:00+00:00", "2024-10-27T23:00:00+00:00",
        "2011-12-30T09:59:59+00:00", "2011-12-30T10:00:00+00:00", "2018-11-04T02:59:59+00:00", "2018-11-04T03:00:00+00:00",
        "1969-12-31T23:30:00+00:00", "1900-01-01T00:00:00+00:00", "2024-06-30T18:29:59+00:00", "2024-06-30T18:30:00+00:00",
    )
]  # fmt: skip
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kathmandu",
    "Europe/London",
    "Pacific/Kiritimati",
    "America/St_Johns",
    "Asia/Tehran",
    "UTC",
]


def begin(day: datetime.date, unit: str) -> datetime.date:
    if unit == "week":
        return day - datetime.timedelta(days=day.weekday())
    months = {"day": day.month, "month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}
    return day.replace(month=months[unit], day=day.day if unit == "day" else 1)


def group(unit: str, zone: str) -> list[dict[str, Any]]:
    counts = Counter(begin(instant.astimezone(ZoneInfo(zone)).date(), unit) for instant in INSTANTS)
    return [{f"t_{unit}": day, "count": counts[day]} for day in sorted(counts)]


def list_zones() -> Iterator[Case]:
    lines = [f"{place},{instant.isoformat()}" for place, instant in enumerate(INSTANTS)]
    source = as_csv("k,t", *lines)
    for zone in ZONES:
        for unit in ("day", "week", "month", "quarter", "year"):
            if zone in ("Europe/Berlin", "Pacific/Apia", "America/Sao_Paulo") or unit in ("day", "month"):
                yield Case(
                    f"{unit} in {zone}", "zones", source, f"count by {unit} of t in {zone} from s", group(unit, zone)
                )
    # Local months of data that were written with the offset of one place: those of UTC need a word.
    for zone in ("Europe/Berlin", "America/New_York", "Asia/Kolkata"):
        local = [
            f"{place},{instant.astimezone(ZoneInfo(zone)).isoformat()}" for place, instant in enumerate(INSTANTS[:12])
        ]
        kept = Counter(instant.astimezone(ZoneInfo(zone)).date().replace(day=1) for instant in INSTANTS[:12])
        want = [{"t_month": day, "count": kept[day]} for day in sorted(kept)]
        yield Case(
            f"months as written in {zone}",
            "zones",
            as_csv("k,t", *local),
            "count by month of t from s",
            want,
            note="UTC",
        )
        days = [f"{instant.astimezone(ZoneInfo(zone)).date()}" for instant in INSTANTS[:12]]
        question = f"count from s where t = {days[0]}"
        yield Case(
            f"a day as written in {zone}",
            "zones",
            as_csv("k,t", *local),
            question,
            [{"count": days.count(days[0])}],
            note="UTC",
        )
        question = f"count from s where t >= {days[3]}"
        yield Case(
            f"from a day on as written in {zone}",
            "zones",
            as_csv("k,t", *local),
            question,
            [{"count": sum(day >= days[3] for day in days)}],
            note="UTC",
        )
        latest = max(INSTANTS[:12]).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        yield Case(
            f"the latest as written in {zone}",
            "zones",
            as_csv("k,t", *local),
            "max t from s",
            [{"t": max(INSTANTS[:12])}],
            note="UTC",
        )
        yield Case(
            f"the latest found in {zone}",
            "zones",
            as_csv("k,t", *local),
            f"count from s where t = '{latest.isoformat()}'",
            [{"count": 1}],
            note="UTC",
            refusal=True,
        )
        frame = lambda folder, zone=zone: pd.DataFrame({"t": pd.to_datetime(INSTANTS[:12], utc=True).tz_convert(zone)})
        yield Case(f"frame with {zone}, months", "zones", frame, "count by month of t from s", want, note="UTC")
        yield Case(f"frame with {zone}, months said", "zones", frame, f"count by month of t in {zone} from s", want)
        yield Case(
            f"frame with {zone}, a day",
            "zones",
            frame,
            f"count from s where t = {days[0]}",
            [{"count": days.count(days[0])}],
            note="UTC",
        )
        polars = lambda folder, zone=zone: pl.DataFrame(
            {"t": pl.Series(INSTANTS[:12], dtype=pl.Datetime("us", "UTC")).dt.convert_time_zone(zone)}
        )
        yield Case(f"polars with {zone}, months", "zones", polars, "count by month of t from s", want, note="UTC")
        rows = lambda folder, zone=zone: [{"t": instant.astimezone(ZoneInfo(zone))} for instant in INSTANTS[:12]]
        yield Case(f"rows with {zone}, months", "zones", rows, "count by month of t from s", want, note="UTC")
        parquet = lambda folder, zone=zone: _write(
            pl.DataFrame({"t": pl.Series(INSTANTS[:12], dtype=pl.Datetime("us", "UTC")).dt.convert_time_zone(zone)}),
            folder,
        )
        yield Case(f"parquet with {zone}, months", "zones", parquet, "count by month of t from s", want, note="UTC")
    naive = as_csv("k,t", "0,2024-01-01T00:30:00", "1,2023-12-31T23:30:00")
    yield Case(
        "times without a zone",
        "zones",
        naive,
        "count by month of t from s",
        [{"t_month": datetime.date(2023, 12, 1), "count": 1}, {"t_month": datetime.date(2024, 1, 1), "count": 1}],
    )
    yield Case(
        "times without a zone in a zone",
        "zones",
        naive,
        "count by month of t in Europe/Berlin from s",
        None,
        refusal=True,
    )
    yield Case(
        "dates in a zone",
        "zones",
        as_csv("k,t", "0,2024-01-01"),
        "count by month of t in Europe/Berlin from s",
        None,
        refusal=True,
    )
    yield Case("a zone that is none", "zones", source, "count by month of t in Europe/Bern from s", None, refusal=True)
    yield Case("an offset as a zone", "zones", source, "count by month of t in `+02:00` from s", None, refusal=True)
    yield Case(
        "a short name of a zone",
        "zones",
        source,
        "count by month of t in CET from s",
        group("month", "CET"),
        refusal=True,
    )
    mixed = as_csv("k,t", "0,2024-01-01T00:30:00", "1,2024-01-01T00:15:00Z")
    yield Case("with and without an offset", "zones", mixed, "max t from s", None, refusal=True, note="zone|text")
    json = as_file("s.json", '[{"t": "2024-01-01T00:30:00+02:00"}, {"t": "2024-01-01T00:00:00Z"}]')
    yield Case(
        "json with offsets, months",
        "zones",
        json,
        "count by month of t from s",
        [{"t_month": datetime.date(2024, 1, 1), "count": 2}],
        note="UTC",
    )
    yield Case("json with offsets, latest", "zones", json, "max t from s", [{"t": datetime.datetime(2024, 1, 1)}])
    for text, want in (("2024-06-30", 2), ("2024-01-01", 1)):
        yield Case(f"the day {text} of utc", "zones", source, f"count from s where t = {text}", [{"count": want}])


def _write(frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / "s.parquet"
    frame.write_parquet(path)
    return path


def list_orders() -> Iterator[Case]:
    days = ["2024-03-05", "2024-01-02", "2024-02-03", "2024-02-04", "2023-12-31", "2024-03-06", "2024-03-07", ""]
    source = as_csv("d,n,g", *(f"{day},{place},{'ab'[place % 2]}" for place, day in enumerate(days, 1)))
    months = {"2023-12": 5, "2024-01": 2, "2024-02": 7, "2024-03": 14}
    all_rows = [{"d_month": datetime.date.fromisoformat(f"{month}-01"), "n": n} for month, n in months.items()] + [
        {"d_month": None, "n": 8}
    ]
    by_size = sorted(all_rows, key=lambda row: -row["n"])
    for name, question, want in [
        ("periods", "sum n by month of d from s", all_rows), ("periods with a limit", "sum n by month of d from s limit 2", by_size[:2]),
        ("periods, descending", "sum n by month of d from s order desc", by_size), ("periods, ascending", "sum n by month of d from s order asc", by_size[::-1]),
        ("periods by their key, descending", "sum n by month of d from s order by d_month desc", [*all_rows[3::-1], all_rows[4]]),
        ("periods by their key, limited", "sum n by month of d from s order by d_month limit 2", all_rows[:2]),
        ("periods with having", "sum n by month of d from s having sum n > 5", [row for row in all_rows if row["n"] > 5]),
        ("periods and groups", "sum n by month of d, g from s where d >= 2024-02-01", [{"d_month": datetime.date(2024, 2, 1), "g": "a", "n": 4}, {"d_month": datetime.date(2024, 2, 1), "g": "b", "n": 3}, {"d_month": datetime.date(2024, 3, 1), "g": "a", "n": 6}, {"d_month": datetime.date(2024, 3, 1), "g": "b", "n": 8}]),
        ("groups and periods", "sum n by g, month of d from s where d >= 2024-02-01", [{"g": "b", "d_month": datetime.date(2024, 3, 1), "n": 8}, {"g": "a", "d_month": datetime.date(2024, 3, 1), "n": 6}, {"g": "a", "d_month": datetime.date(2024, 2, 1), "n": 4}, {"g": "b", "d_month": datetime.date(2024, 2, 1), "n": 3}]),
        ("top of periods", "top 2 month(d) by sum n", by_size[:2]), ("periods of two measures", "count, sum n by month of d from s", [{"d_month": row["d_month"], "sum_n": row["n"]} for row in all_rows]),
        ("weeks", "count by week of d from s where d >= 2024-02-01", [{"d_week": datetime.date(2024, 1, 29), "count": 2}, {"d_week": datetime.date(2024, 3, 4), "count": 3}]),
        ("quarters", "count by quarter of d from s where d is not null", [{"d_quarter": datetime.date(2023, 10, 1), "count": 1}, {"d_quarter": datetime.date(2024, 1, 1), "count": 6}]),
        ("bins", "sum n by n in bins of 3 from s", [{"n_bin": 0, "n": 3}, {"n_bin": 3, "n": 12}, {"n_bin": 6, "n": 21}]),
        ("bins counted", "count by n in bins of 3 from s", [{"n_bin": 0, "count": 2}, {"n_bin": 3, "count": 3}, {"n_bin": 6, "count": 3}]),
        ("bins with a limit", "count by n in bins of 3 from s limit 1", [{"n_bin": 3, "count": 3}]),
        ("bins, descending", "count by n in bins of 3 from s order desc", [{"n_bin": 3}, {"n_bin": 6}, {"n_bin": 0}]),
        ("bins by their key, descending", "count by n in bins of 3 from s order by n_bin desc", [{"n_bin": 6}, {"n_bin": 3}, {"n_bin": 0}]),
        ("groups by measure", "sum n by g from s", [{"g": "a", "n": 20}, {"g": "b", "n": 16}]), ("groups by key", "sum n by g from s order by g", [{"g": "a", "n": 20}, {"g": "b", "n": 16}]),
        ("groups by count", "sum n by g from s order by count", [{"g": "a", "n": 20}, {"g": "b", "n": 16}]), ("ties by group", "count by g from s limit 1", [{"g": "a", "count": 4}]),
        ("dates as keys", "count by d from s where d >= 2024-03-01 order by d", [{"d": datetime.date(2024, 3, 5)}, {"d": datetime.date(2024, 3, 6)}, {"d": datetime.date(2024, 3, 7)}]),
    ]:  # fmt: skip
        yield Case(f"order of {name}", "orders", source, question, want, refusal=name == "top of periods")


ZONED = [*list_zones(), *list_orders()]
