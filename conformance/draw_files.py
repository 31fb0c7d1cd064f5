"""Files made from a seed: every form of value, in columns that agree and that do not; tables, and questions."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

DATE_UNITS = ("day", "week", "month", "quarter", "year")
OPTIONS: dict[str, list[Any]] = {
    "thousands": [".", ",", " ", "'"],
    "decimal": [",", "."],
    "date_format": ["%d.%m.%Y", "%d.%m.%Y %H:%M", "%d %b %y", "%Y%m%d"],
    "percent": [True],
    "trim": [True],
    "currency": ["€", "CHF", "US$", "%%"],
    "nulls": [["NaN"], ["North", "0"]],
    "encoding": ["utf-8", "latin-1", "cp1252"],
}
TYPES = ("string", "number", "int64", "float64", "decimal(12,2)", "date", "datetime", "boolean", "nonsense")
CHOICES = {
    "leading": ["007", "0", "-0", "12", "00"],
    "special": ["NaN", "inf", "-inf", "nan"],
    "boolean": ["true", "FALSE", "True", "false"],
    "date": ["2024-01-31", "2023-12-01", "0001-01-01", "9999-12-31", "1600-02-29"],
    "bad date": ["2024-01-31", "2024-02-30", "0000-01-01"],
    "time": ["2024-01-31 12:00", "2024-01-31T12:00:01.5", "2024-05-05", "1650-01-31T23:59:59.123456"],
    "bad time": ["2024-01-31 12:00", "2024-01-31T24:00", "2024-01-31T12:00:61"],
    "zoned": ["2024-01-31T12:00Z", "2024-01-31 12:00:00+02:00", "2024-01-31T12:00:01.25-0530"],
    "bad zone": ["2024-01-31T12:00Z", "2024-01-31+02:00", "2024-01-31T12:00+25:00", "0001-01-01T00:00:00+05:00"],
    "text": ["a", "North", "ü", '"q"', "x,y", "new\nline", " pad ", "Ж", "😀", "1a", "", "it's", "٣", "\u202e"],
    "money": ["€ 5", "5.50 €", "-€1", "€-2.25", "7€", "12"],
    "swiss money": ["CHF 1'143.22", "-5 CHF", "CHF 0.5"],
    "percent": ["5%", "7.5%", "100 %", "-3.25%"],
    "german percent": ["5%", "7,5%", "1.000 %", "-3,25%"],
    "german": ["1.143,22", "7,5", "-1.000", "12", "0,05"],
    "spaced": ["1 143.22", "7.5", "1\u00a0000", "12"],
    "german date": ["22.12.2024", "1.2.2024", "31.12.1999"],
    "german time": ["22.12.2024 10:30", "1.2.2024 9:05"],
    "month": ["3 Feb 69", "12 DEC 70", "1 jan 01"],
}
NAMES = ("c", "c", "a b", "ü", "x,y", 'Q"q', "3")
KINDS = ("whole", "double", "any", "text", "date", "boolean", "time")
DOUBLES = ("1e5", ".5", "5.", "-.25", "NaN", "inf", "-Infinity", "1e400", "0.1", "3.14", "5e-324")


@dataclass(frozen=True)
class File:
    """A file and the options that it is read with."""

    format: str
    data: bytes
    options: dict[str, Any] = field(default_factory=dict)


class Maker:
    """Makes files from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.values: dict[str, Callable[[], str]] = {
            name: partial(self.random.choice, listed) for name, listed in CHOICES.items()
        }
        self.values |= {
            "whole": lambda: str(self.random.randint(-50, 50)),
            "long": lambda: str(self.random.randint(-(10**42), 10**42) // 10 ** self.random.randint(1, 42)),
            "money": lambda: f"{self.random.uniform(-1e6, 1e6):.2f}",
            "long money": lambda: f"{self.random.randint(-(10**22), 10**22)}.{self.random.randint(0, 99):02d}",
            "double": lambda: self.random.choice(
                [repr(self.random.uniform(-1, 1) * 10 ** self.random.randint(-300, 300)), *DOUBLES]
            ),
        }

    def make_value(self, kind: str | None = None) -> str:
        """Make one text, of any kind or of one."""
        return self.values[kind or self.random.choice(list(self.values))]()

    def make_delimited(self) -> File:
        """Make a file of delimited text, now and then a broken one."""
        pick = self.random
        sign, end = pick.choice(",;\t|,"), pick.choice(["\n", "\n", "\r\n", "\r"])
        pools = [pick.sample(list(self.values), pick.choice([1, 1, 1, 2])) for _ in range(pick.randint(1, 4))]
        names = [f"{pick.choice(NAMES)}{at}" for at in range(len(pools))]
        rows, share, is_late = (
            pick.choice([0, 1, 3, 10, 40, 260, 1_100]),
            pick.choice([0, 0.1, 0.5]),
            pick.random() < 0.2,
        )
        lines = [sign.join(self._write_cell(name, sign) for name in names)]
        for row in range(rows):
            kinds = [pool[0] if is_late and row < 0.9 * rows else pick.choice(pool) for pool in pools]
            cells = ["" if pick.random() < share else self._write_cell(self.make_value(kind), sign) for kind in kinds]
            lines.append(sign.join(cells))
        text = end.join(lines) + (end if pick.random() < 0.7 else "")
        if pick.random() < 0.1:
            text = self._damage(text, ['"', "\0", sign, end, end + end, "x"])
        data = text.encode()
        if pick.random() < 0.03:
            data = data[: len(data) // 2] + b"\xff\xe9" + data[len(data) // 2 :]
        if pick.random() < 0.03:
            data = b"\xef\xbb\xbf" + data
        return File("tsv" if sign == "\t" and pick.random() < 0.5 else "csv", data, self.choose_options(names))

    def make_document(self) -> File:
        """Make a JSON document of rows, of records, of columns or of one object, now and then a broken one."""
        pick = self.random
        kinds = list(zip(("b", "1", "a"), pick.choices(KINDS, k=3), strict=True))
        rows = [
            {name: self._make_cell(kind) for name, kind in kinds if pick.random() > 0.05}
            for _ in range(pick.choice([0, 1, 3, 30]))
        ]
        columns = {name: [row.get(name) for row in rows] for name in ("b", "1")}
        document: Any = pick.choice([rows, rows, {"records": rows}, columns, rows[0] if rows else {}])
        if pick.random() < 0.08:
            document = pick.choice([1, "x", [1], [[1]], {"records": 1}, {"a": [1], "b": [1, 2]}, None])
        text = json.dumps(document)
        if pick.random() < 0.05:
            text = self._damage(text, ['"', "{", "NaN", ",", "\\ud800", "1e999"])
        return File("json", text.encode())

    def _make_cell(self, kind: str) -> Any:
        pick = self.random
        if pick.random() < 0.1:
            return None
        plain = {"whole": range(-99, 99), "double": [1.5, 2, 3.0, -0.0], "boolean": [True, False]}
        if kind in plain:
            return pick.choice(plain[kind])
        if kind != "any":
            return self.make_value(kind)
        nested = [[1, 1.0, "x"], {"b": 2**60, "a": None}]
        return pick.choice([self.make_value(), 10**25, 1.5, True, int(self.make_value("long")), *nested])

    def _write_cell(self, text: str, sign: str) -> str:
        if any(char in text for char in f'"\r\n{sign}') or self.random.random() < 0.03:
            return '"' + text.replace('"', '""') + '"'
        return text

    def _damage(self, text: str, signs: list[str]) -> str:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + self.random.choice(signs) + text[at:]

    def choose_options(self, names: list[str]) -> dict[str, Any]:
        """Choose options of a source, now and then some that do not fit."""
        pick = self.random
        options: dict[str, Any] = {}
        if pick.random() < 0.35:
            options |= {key: pick.choice(values) for key, values in OPTIONS.items() if pick.random() < 0.3}
        if pick.random() < 0.25:
            options["types"] = {pick.choice(names): pick.choice(TYPES)}
        return options


# --- tables, and questions about them ---------------------------------------------------------------------------------

NUMBERS = ("amount", "small", "n", "k", "price", "big")
COLUMNS = (*NUMBERS, "region", "day", "at", "ok", "sent")
# Half-hour offsets, changes of half an hour, seconds of local mean time, a day left out, changes at midnight, a winter
# time that is the exception, a rule of more than a day, one that nobody knows.
ZONES = (
    *("Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Monrovia", "Pacific/Apia", "America/Havana"),
    *("Europe/Dublin", "Asia/Gaza", "America/St_Johns", "Africa/Casablanca", "Etc/GMT+5", "Zulu", "Europe/Berln"),
)
OF_NUMBERS = ("sum", "avg", "median", "stddev", "variance", "percentile")
OF_ANY = ("count", "min", "max", "count_distinct")
KEYS: tuple[Any, ...] = (
    *("region", "region", "k", "ok", "day", "small", "price", "amount"),
    *(
        {"column": column, "unit": unit}
        for column in ("day", "at", "sent")
        for unit in ("day", "week", "month", "quarter", "year")
    ),
    *({"column": "sent", "unit": unit, "zone": zone} for unit in ("day", "week", "year") for zone in ZONES),
    *({"column": column, "unit": "month", "zone": "Europe/Berlin"} for column in ("sent", "at", "day")),
    *({"column": "small", "width": width} for width in (1, "0.1", "0.25", "3")),
    *({"column": "price", "width": width} for width in (10, "2.5")),
    *({"column": column, "width": 3} for column in ("k", "n")),
)
COMPARISONS = ("eq", "ne", "gt", "gte", "lt", "lte")
OPERANDS: dict[str, list[Any]] = {
    "region": ["North", "a", "ü", ""],
    "day": ["2022-01-01", "1500-06-30"],
    "at": ["2024-05-12", "2024-05-12T12:00:00"],
    "ok": [True, False],
}


class TableMaker:
    """Makes tables of numbers that sums can lose, texts, dates, nulls, NaN, and questions about them, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def make_table(self) -> bytes:
        """Make a table as CSV."""
        pick = self.random
        share = pick.choice([0, 0, 0.1])
        rows = [self._make_row(share) for _ in range(pick.choice([0, 1, 2, 5, 30, 200, 1_500]))]
        return "\n".join([",".join(COLUMNS), *map(",".join, rows), ""]).encode()

    def _make_row(self, share: float) -> list[str]:
        pick = self.random
        wide = [pick.uniform(-1, 1) * 10 ** pick.randint(-20, 20), 0.1, 0.2, -0.0, 1e308, 5e-324, 0.5]
        day = datetime.date.fromordinal(pick.choice([pick.randint(1, 3_652_059), pick.randint(738_000, 738_400)]))
        return [
            pick.choice(["NaN", "inf", "-inf", ""]) if pick.random() < share else repr(pick.choice(wide)),
            repr(round(pick.uniform(0, 9), 3)),
            "" if pick.random() < 0.1 else str(pick.randint(-(2**62), 2**62) >> pick.randint(0, 60)),
            str(pick.randint(0, 5)),
            "" if pick.random() < 0.1 else f"{pick.uniform(-1e4, 1e4):.2f}",
            f"{pick.randint(-(10**21), 10**21)}.{pick.randint(0, 999):03d}",
            pick.choice(["North", "South", "ü", "😀", "\uffff", "", "a"]),
            "" if pick.random() < 0.1 else day.isoformat(),
            f"2024-0{pick.randint(1, 9)}-15T{pick.randint(10, 23)}:00:01.{pick.randint(0, 999_999):06d}",
            pick.choice(["true", "false", ""]),
            "" if pick.random() < 0.1 else f"{self._make_instant().isoformat()}Z",
        ]

    def _make_instant(self) -> datetime.datetime:
        """Make a moment in UTC of which clocks were set somewhere, or one beside it."""
        pick = self.random
        if pick.random() < 0.5:
            return datetime.datetime(  # noqa: DTZ001  in UTC, as its text says
                pick.randint(1880, 2110), pick.randint(1, 12), pick.randint(1, 28), pick.randint(0, 23)
            )
        changes = (
            "2024-03-31T01:00",
            "2024-10-27T01:00",
            "2011-12-30T10:00",
            "2024-04-06T15:00",
            "1893-03-31T23:06:32",
        )
        apart = datetime.timedelta(microseconds=pick.choice([-1, 0, 1, 10**9, 5 * 10**10, -(10**10)]))
        return datetime.datetime.fromisoformat(pick.choice(changes)) + apart

    def make_question(self) -> dict[str, Any]:
        """Make a spec: measures, keys, conditions, order, limit; now and then one that cannot be answered."""
        pick = self.random
        measures = [self._make_measure() for _ in range(pick.choice([1, 1, 1, 2, 3]))]
        spec: dict[str, Any] = {"measures": measures} if len(measures) > 1 else dict(measures[0])
        keys = pick.sample(KEYS, pick.choice([0, 1, 1, 2]))
        conditions = [self._make_condition() for _ in range(pick.choice([0, 0, 1, 2]))]
        if len(conditions) > 1 and pick.random() < 0.5:
            conditions = [{"any": conditions}]
        if keys and pick.random() < 0.3:
            measure = pick.choice([{"aggregation": "count"}, measures[0]])
            spec["having"] = {"conditions": [{**measure, "op": pick.choice(["gt", "lte", "ne"]), "value": 1.5}]}
        spec |= {"group_by": keys} if keys else {}
        spec |= {"filter": {"conditions": conditions}} if conditions else {}
        spec |= {"limit": pick.randint(1, 5)} if pick.random() < 0.3 else {}
        return spec | ({"order": pick.choice(["asc", "desc"])} if pick.random() < 0.4 else {})

    def _make_measure(self) -> dict[str, Any]:
        pick = self.random
        name = pick.choice(OF_NUMBERS + OF_ANY)
        if name == "count" and pick.random() < 0.5:
            return {"aggregation": name}
        column = pick.choice(NUMBERS if name in OF_NUMBERS and pick.random() < 0.95 else (*COLUMNS, "amout"))
        percent = {"percent": pick.choice([0, 50, 90, "99.9", 100, "33.3333"])} if name == "percentile" else {}
        return {"aggregation": name, "metric": column, **percent}

    def _make_condition(self) -> dict[str, Any]:
        pick = self.random
        column = pick.choice(COLUMNS)
        values = OPERANDS.get(column, [0, 1, 2, 0.1, 1.5, "2.25", -3, 10**15, "0.125", str(2**52 + 1)])
        op = pick.choice([*COMPARISONS, "in", "not_in", "between", "is_null", "is_not_null", "contains", "starts_with"])
        if op in ("is_null", "is_not_null"):
            return {"column": column, "op": op}
        if op in ("in", "not_in", "between"):
            return {"column": column, "op": op, "values": pick.choices(values, k=2)}
        value = pick.choice(values)
        return {"column": column, "op": op, "value": value if op in COMPARISONS else f"{value}x"}
