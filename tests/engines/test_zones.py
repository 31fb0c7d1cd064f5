"""Periods of a zone are those of the tz database, on every engine and in both languages.

The reference is `zoneinfo` over the files of the tz database that `tzdata` carries, and pandas' `tz_convert`.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.resources
import json
import random
import sqlite3
import zoneinfo
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import service_nb
from service_nb.core import zones
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.memory import MemoryEngine
from service_nb.errors import LimitExceededError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.frame import read
from service_nb.schema.query import DATE_UNITS, DateKey, DateUnit, Plan
from tests.tools import make_zones
from tests.tools.node import TYPESCRIPT, built, node

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
FIRST, LAST = -62_135_596_800, 253_402_300_799  # seconds of years 1 to 9999
# Changes of an hour in both hemispheres, of half an hour, at midnight; a day that was left out and one that came twice;
# offsets of minutes and, long ago, of seconds; winter time as the exception; a rule of more than a day; changes that no
# rule has; a fixed zone; another name of a zone.
TRICKY = (
    *("Europe/Berlin", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut"),
    *("Pacific/Apia", "Pacific/Kwajalein", "Asia/Manila", "America/Juneau", "Asia/Kathmandu", "Africa/Monrovia"),
    *("Europe/Amsterdam", "Europe/Dublin", "Asia/Gaza", "America/Nuuk", "Africa/Casablanca", "America/Santiago"),
    *("Etc/GMT+5", "Asia/Calcutta", "America/Sao_Paulo", "Antarctica/Troll", "Asia/Tehran", "Europe/London"),
)


def reference(name: str) -> zoneinfo.ZoneInfo:
    """The zone by Python's own reader, over the files of the tz database that our rules are made of."""
    with importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


def local_day(second: int, zone: zoneinfo.ZoneInfo) -> datetime.date:
    return (EPOCH + datetime.timedelta(seconds=second)).astimezone(zone).date()


def list_moments(name: str, count: int) -> list[int]:
    """Seconds at and beside each change of a zone from 1850 to 2150, and others of all times, from a seed."""
    draw = random.Random(name)
    changes = [start for start, _ in zones.read_zone(name).list_spans(-3_786_912_000, 5_680_281_600)]
    changes = draw.sample(changes, min(len(changes), 40))
    beside = [start + apart for start in changes for apart in (-86_400, -1, 0, 1, 3_600, 86_399)]
    near = [draw.randint(-2_208_988_800, 4_102_444_800) for _ in range(count)]
    return [*beside, *near, *(draw.randint(FIRST + 200_000, LAST - 200_000) for _ in range(count))]


# --- the rules --------------------------------------------------------------------------------------------------------


def test_the_rules_are_those_of_the_tz_database_that_is_installed() -> None:
    if zones.find_version() != importlib.import_module("tzdata").IANA_VERSION:
        pytest.skip("tzdata of another version is installed")
    assert dict(make_zones.list_zones()) == {
        name: zones.read_table()["rules"][place] for name, place in zones.read_table()["zones"].items()
    }


@pytest.mark.parametrize("part", range(6))
def test_each_zone_has_the_offsets_that_zoneinfo_finds(part: int) -> None:
    if zones.find_version() != importlib.import_module("tzdata").IANA_VERSION:
        pytest.skip("tzdata of another version is installed")
    for name in zones.list_zones()[part::6]:
        zone, due = zones.read_zone(name), reference(name)
        for second in list_moments(name, 20)[:: 1 if name in TRICKY else 9]:
            offset = (EPOCH + datetime.timedelta(seconds=second)).astimezone(due).utcoffset()
            assert offset == datetime.timedelta(seconds=zone.find_offset(second)), (name, second)


@pytest.mark.parametrize("name", TRICKY)
def test_spans_say_at_each_second_what_the_zone_does(name: str) -> None:
    zone, draw = zones.read_zone(name), random.Random(name)
    for _ in range(20):
        low = draw.randint(-4_000_000_000, 8_000_000_000)
        high = low + draw.choice([0, 1, 10**6, 10**8, 10**9])
        spans = zone.list_spans(low, high)
        assert spans[0][0] == low
        for second in [low, high, *(start + apart for start, _ in spans for apart in (-1, 0) if low <= start + apart)]:
            assert [each for start, each in spans if start <= second][-1] == zone.find_offset(second)


def test_typescript_has_the_same_spans_of_every_zone() -> None:
    """The rules are read and computed twice; the script asks the compiled module of the client."""
    built()
    asked = [
        (name, low, high)
        for name in zones.list_zones()
        for low, high in ((-3_786_912_000, 5_680_281_600), (FIRST, FIRST + 10**6), (LAST - 10**8, LAST))
    ]
    script = TYPESCRIPT.parent / "tests" / "tools" / "zone_spans.mjs"
    told = json.loads(node(script, stdin=json.dumps(asked).encode()))
    for (name, low, high), spans in zip(asked, told, strict=True):
        assert list(map(tuple, spans)) == zones.read_zone(name).list_spans(low, high), (name, low)


# --- the groups -------------------------------------------------------------------------------------------------------


@cache
def truncate(day: datetime.date, unit: DateUnit) -> datetime.date:
    """The first day of a period, by pandas."""
    freq = {"day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}[unit]
    return pd.Period(day, freq=freq).start_time.date()


def list_engines(table: pa.Table) -> Iterator[Any]:
    dataset = read(table, ReadOptions())
    yield MemoryEngine(dataset)
    yield DuckDBEngine(dataset)


@pytest.mark.parametrize("name", TRICKY)
def test_the_groups_of_a_zone_are_those_of_zoneinfo_and_pandas(name: str) -> None:
    seconds = sorted(set(list_moments(name, 60)))
    zone = reference(name)
    micros = [second * 10**6 + at % 3 * 499_999 for at, second in enumerate(seconds)]
    table = pa.table({"t": pa.array([*micros, None], pa.timestamp("us", "UTC"))})
    days = [local_day(second, zone) for second in seconds]
    for engine in list_engines(table):
        for unit in DATE_UNITS:
            due = Counter(truncate(day, unit) for day in days)
            plan = Plan(aggregation="count", group_by=(DateKey(column="t", unit=unit, zone=name),))
            met = {group.keys[0]: group.rows for group in engine.aggregate(plan, None).groups}
            expected: dict[Any, int] = {**due, None: 1}
            assert met == expected, (engine.name, unit)


@pytest.mark.parametrize("name", ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata"])
def test_pandas_groups_many_moments_alike(name: str) -> None:
    """By `tz_convert`, within the years of which pandas' own rules and ours are the same in every version."""
    start, end = (
        pd.Timestamp("1975-01-01", tz="UTC").value // 1_000,
        pd.Timestamp("2022-01-01", tz="UTC").value // 1_000,
    )
    draw = random.Random(name)
    micros = [draw.randrange(start, end) for _ in range(20_000)]
    series = pd.Series(pd.to_datetime(micros, unit="us", utc=True))
    due = series.dt.tz_convert(name).dt.tz_localize(None).dt.to_period("M").dt.start_time.dt.date.value_counts()
    service = service_nb.create_service()
    service.connect(series.to_frame("t"), name="moments")
    outcome = service.ask({"aggregation": "count", "group_by": [{"column": "t", "unit": "month", "zone": name}]})
    assert {row["t_month"]: row["count"] for row in outcome.rows} == due.to_dict()


def test_the_day_that_samoa_left_out_has_no_group_and_a_day_twice_has_one() -> None:
    # 2011-12-29 ended at 10:00 UTC on the 30th, and the 31st began. Kwajalein left out 1993-08-21; Manila 1844-12-31.
    stamps = ["2011-12-30T09:59:59.999999Z", "2011-12-30T10:00:00Z", "2011-12-31T09:59:59Z", "2011-12-31T10:00:00Z"]
    service = service_nb.create_service()
    service.connect({"records": [{"t": stamp} for stamp in stamps]}, name="a")
    rows = service.ask("count by day of t in Pacific/Apia").rows
    assert [(row["t_day"], row["count"]) for row in rows] == [
        (datetime.date(2011, 12, 29), 1),
        (datetime.date(2011, 12, 31), 2),
        (datetime.date(2012, 1, 1), 1),
    ]
    # Clocks in Havana go back from 01:00 to 00:00; in Beirut from 00:00 to 23:00, so that a day ends twice.
    service.connect({"records": [{"t": f"2023-10-28T{hour}:30:00Z"} for hour in (19, 20, 21, 22)]}, name="b")
    rows = service.ask("count by day of t in Asia/Beirut from b").rows
    assert [(row["t_day"], row["count"]) for row in rows] == [
        (datetime.date(2023, 10, 28), 3),
        (datetime.date(2023, 10, 29), 1),
    ]


@pytest.mark.parametrize("stamp", ["9999-12-31T23:30:00Z", "0001-01-01T00:30:00Z"])
def test_a_time_beyond_the_calendar_of_a_zone_is_refused_by_each_engine(stamp: str) -> None:
    name = "Europe/Berlin" if stamp.startswith("9") else "America/New_York"
    moment = datetime.datetime.fromisoformat(stamp)
    table = pa.table({"t": pa.array([moment], pa.timestamp("us", "UTC"))})
    for engine in list_engines(table):
        for unit in ("day", "year"):
            plan = Plan(aggregation="count", group_by=(DateKey(column="t", unit=unit, zone=name),))
            with pytest.raises(LimitExceededError) as caught:
                engine.aggregate(plan, None)
            assert caught.value.details["column"] == "t"
    assert engine.aggregate(Plan(aggregation="count", group_by=(DateKey(column="t", unit="day"),)), None).groups


# --- where the zone of a column is known ------------------------------------------------------------------------------


STAMPS = ["2024-03-31T22:30:00Z", "2024-04-01T00:30:00+02:00", None]


def connect_all(service: service_nb.Service, folder: Path) -> list[str]:
    """The same instants as files and frames of every kind."""
    moments = [None if each is None else datetime.datetime.fromisoformat(each) for each in STAMPS]
    arrow = pa.table({"t": pa.array(moments, pa.timestamp("ms", "Asia/Tokyo"))})
    (folder / "a.csv").write_text("t\n" + "".join(f"{each or ''}\n" for each in STAMPS) + '""\n')
    (folder / "a.json").write_text(json.dumps([{"t": each} for each in STAMPS]))
    (folder / "a.ndjson").write_text("".join(json.dumps({"t": each}) + "\n" for each in STAMPS))
    pq.write_table(arrow, folder / "a.parquet")
    given: dict[str, Any] = {
        "csv": folder / "a.csv",
        "json": folder / "a.json",
        "ndjson": folder / "a.ndjson",
        "parquet": folder / "a.parquet",
        "rows": [{"t": each} for each in moments],
        "texts": [{"t": each} for each in STAMPS],
        "arrow": arrow,
        "pandas": pd.DataFrame({"t": pd.to_datetime(pd.Series(STAMPS), utc=True)}),
        "objects": pd.DataFrame({"t": pd.Series(moments, dtype="object")}),
    }
    for name, source in given.items():
        service.connect(source, name=name)
    service.connect(folder / "a.csv", name="declared", types={"t": "datetime"})
    return [*given, "declared"]


def test_every_reader_tells_that_times_have_a_zone(tmp_path: Path) -> None:
    service = service_nb.create_service(project=tmp_path)
    for name in connect_all(service, tmp_path):
        assert service.source(name)["typed_fields"][0].get("zone") == "UTC", name
        outcome = service.ask(f"count t by month of t in Europe/Berlin from {name}")
        assert [(str(row["t_month"]), row["t"]) for row in outcome.rows[:1]] == [("2024-04-01", 2)], name
        assert outcome.card["view"]["columns"][0]["zone"] == "Europe/Berlin"
        assert not [check for check in outcome.verify().checks if check.status == "failed"], name
        replay: Any = outcome.replay()
        assert replay["status"] == "identical", name
        plain = service.ask(f"count t by month of t from {name}")
        assert [str(row["t_month"]) for row in plain.rows[:1]] == ["2024-03-01"]
        assert plain.card["view"]["columns"][0]["zone"] == "UTC"


def test_a_database_reads_rows_where_it_cannot_compute_the_periods_of_a_zone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("create table t (at text, day text)")
        connection.executemany("insert into t values (?, ?)", [("2024-03-31T22:30:00Z", "2024-03-31")] * 3)
    connection.close()
    service = service_nb.create_service()
    service.connect({"provider": "sqlite", "path": str(tmp_path / "a.db"), "table": "t"}, name="t")
    if service.source("t")["typed_fields"][0]["type"] == "string":
        refused = service.ask("count by month of at in Europe/Berlin")
        assert refused["resolution"]["rejection_reason"] == "type_mismatch"


# --- what is asked, refused and shown ---------------------------------------------------------------------------------


@pytest.fixture
def service() -> service_nb.Service:
    made = service_nb.create_service()
    day = datetime.date(2024, 1, 1)
    rows = [{"t": stamp, "day": day, "read": datetime.datetime(2024, 1, 1)} for stamp in STAMPS]  # noqa: DTZ001
    made.connect(rows, name="a")
    return made


@pytest.mark.parametrize(
    ("line", "zone"),
    [
        ("count by month of t in Europe/Berlin", "Europe/Berlin"),
        ("count by month(t) in Europe/Berlin", "Europe/Berlin"),
        ("count by month of t in `Europe/Berlin`", "Europe/Berlin"),
        ("count by month of t IN America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("count by month of t in Etc/GMT+5", "Etc/GMT+5"),
        ("count by month of t in `EST5EDT`", "EST5EDT"),
        ("count by month of t in `GMT+0`", None),
        ("count by month of t in Japan", "Japan"),
        ("count by month of t in UTC", None),
        ("count by month of t in Etc/Zulu", None),
        ("count by month of t", None),
    ],
)
def test_a_line_and_a_spec_of_a_zone_are_one_question(service: service_nb.Service, line: str, zone: str | None) -> None:
    told = {} if zone is None else {"zone": zone}
    spec = {"aggregation": "count", "group_by": {"column": "t", "unit": "month", **told}}
    by_line = service.resolve(line)
    assert by_line["plan_hash"] == service.resolve(spec)["plan_hash"]
    plan: Any = by_line["plan"]
    assert plan["group_by"] == [{"column": "t", "unit": "month", **told}]
    shown = service.ask(line).card["view"]["ask"]
    assert service.resolve(shown)["plan_hash"] == by_line["plan_hash"]


def test_utc_leaves_no_trace_in_the_plan(service: service_nb.Service) -> None:
    lines = (f"count by month of t{zone}" for zone in ("", " in UTC", " in Zulu", " in GMT"))
    hashes = {service.resolve(line)["plan_hash"] for line in lines}
    assert len(hashes) == 1
    assert service.resolve("count by month of t in Europe/London")["plan_hash"] not in hashes


@pytest.mark.parametrize(
    ("zone", "status", "near"),
    [
        ("Europe/Berln", "needs_clarification", "Europe/Berlin"),
        ("europe/berlin", "needs_clarification", "Europe/Berlin"),
        ("Berlin", "needs_clarification", "Europe/Berlin"),
        ("new_york", "needs_clarification", "America/New_York"),
        ("Xyzzy", "rejected", None),
        ("xx", "rejected", None),
    ],
)
def test_an_unknown_zone_is_refused_with_those_that_are_near(
    service: service_nb.Service, zone: str, status: str, near: str | None
) -> None:
    for asked in (
        f"count by month of t in `{zone}`",
        {"aggregation": "count", "group_by": [{"column": "t", "unit": "month", "zone": zone}]},
    ):
        outcome = service.ask(asked)
        assert outcome["status"] == status
        candidates = [each["ask"] for each in outcome["resolution"]["candidates"]]
        assert candidates[:1] == ([] if near is None else [f"count by month of t in {near}"])
        assert all(service.resolve(each)["status"] == "ok" for each in candidates)


@pytest.mark.parametrize("column", ["day", "read"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC"])
def test_a_zone_of_what_has_none_is_refused(service: service_nb.Service, column: str, zone: str) -> None:
    outcome = service.ask(f"count by month of {column} in {zone}")
    assert outcome["resolution"]["rejection_reason"] == "type_mismatch"
    assert column in outcome["resolution"]["reason"]


def test_the_card_says_of_which_zone_its_periods_and_conditions_are(service: service_nb.Service) -> None:
    from service_nb.cards.blocks import Table
    from service_nb.cards.card_blocks import compose_card, find_answer

    heads = {}
    for line in (
        "count by month of t",
        "count by month of t in Asia/Tokyo",
        "max t by day",
        "count by t",
        "count by read",
    ):
        table = find_answer(compose_card(service.ask(line).card))
        assert isinstance(table, Table)
        heads[line] = [head.text for head in table.heads]
    assert heads == {
        "count by month of t": ["month of t (UTC)", "rows"],
        "count by month of t in Asia/Tokyo": ["month of t (Asia/Tokyo)", "rows"],
        "max t by day": ["day", "largest t (UTC)", "rows"],
        "count by t": ["t (UTC)", "rows"],
        "count by read": ["read", "rows"],
    }
    noted = service.ask("count where t >= 2024-04-01").card["view"]["notes"]
    assert noted == ["times of t: in UTC"]
    assert service.ask("count where read >= 2024-04-01").card["view"]["notes"] == []


def test_the_version_of_the_rules_stands_on_the_card(service: service_nb.Service) -> None:
    card = service.ask("count by month of t in Asia/Tokyo").card
    assert card["view"]["engine"].endswith(f", tz {zones.find_version()}")
    assert json.loads(card["canonical"]["provenance"])["engine"] == card["view"]["engine"]
    assert ", tz " not in service.ask("count by month of t").card["view"]["engine"]
