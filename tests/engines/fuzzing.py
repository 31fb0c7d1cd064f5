"""Random tables of a database's own types, with values at every edge, and random plans over them.

A table is made from a number, the same each time. Each column knows what it is declared as, which of our types it must
be found to be, and which values it may hold as the database returns them; so what plans mean is computed here from what
was written, and not from what was read.
"""

from __future__ import annotations

import datetime
import math
import random
import struct
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from service_nb.errors import InvalidIntentError
from service_nb.query.aggregations import RECORDS
from service_nb.readers.columns import find_arrow_type
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Plan
from tests.engines.adversarial import TEXTS
from tests.engines.cases import held, plan_for

Make = Callable[[random.Random], Any]
LARGEST, LEAST = 1.7976931348623157e308, 5e-324
SINGLE = 3.4028234663852886e38
NAMES = (
    *("m", "M", "k0", "r0", 'q"q', "a'b", "a.b", "a`b", "back\\slash", "select", "Group", "order by", "100%", "%s"),
    *("$1", "?", ":p0", "{p0:Int64}", "é", "e\u0301", "日本", "😀", " lead", "trail ", "--", "/*c*/", ";", "rows"),
    *("source", "n", "count", "input", "total", "null", "true", "rowid", "ctid2", "x" * 60, "[b]", "1", "@v"),
    *("#t", "a,b", "t", "s0", "m.null", "source.n", "asked_source", "ASKED_SOURCE", "asked_source.m", "size"),
)  # fmt: skip
NARROW = [text for text in TEXTS if max(text, default="") < "\ud800"]
LATIN = [text for text in TEXTS if all(ord(char) < 256 for char in text)] + ["\xff", "þ", "ÿ", "µ"]
OPS = ("eq", "ne", "in", "not_in", "is_null", "is_not_null")
ORDERED = ("gt", "gte", "lt", "lte", "between")


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of a database: how it is declared, what it is to us, its values, and how often it is chosen."""

    declared: str
    physical: str
    make: Make
    stored: Callable[[Any], Any] = lambda value: value  # what is written, where that differs from what is read
    is_instant: bool = False  # of times: they have a zone, and are read in UTC

    @property
    def arrow(self) -> pa.DataType:
        return pa.timestamp("us", "UTC") if self.is_instant else find_arrow_type(self.physical)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with the kinds they were made of, and the rows as they are written."""

    dataset: Dataset
    kinds: tuple[Kind, ...]
    rows: list[tuple[Any, ...]]


# --- values ---------------------------------------------------------------------------------------------------------


def integer(low: int, high: int) -> Make:
    """Integers from low to high, often at the ends."""

    def make(rng: random.Random) -> int:
        edges = [low, low + 1, high, high - 1, 0, 1, -1, 7, 2**31, 2**53, 2**53 + 1, -(2**53) - 1]
        value = rng.choice([*edges, rng.randint(low, high)])
        return value if low <= value <= high else rng.randint(low, high)

    return make


def decimal(precision: int, scale: int) -> Make:
    """Decimals of the most digits, often at the ends."""
    whole = integer(1 - 10**precision, 10**precision - 1)

    def make(rng: random.Random) -> Decimal:
        units = whole(rng)
        return Decimal((1 if units < 0 else 0, tuple(map(int, str(abs(units)))), -scale))

    return make


def doubles(*, special: bool) -> Make:
    """Doubles: all of a column within a few magnitudes, or of all; `special` adds NaN and infinities."""

    def make(rng: random.Random) -> float:
        if special and rng.random() < 0.1:
            return rng.choice([math.nan, math.inf, -math.inf])
        edges = [0.0, -0.0, 0.1, 1e16, 1.0, -1e16, 2.0**53, 2.0**53 + 2, 1.5, -2.25, 2.0**-60, 1e22, 0.5, -0.5]
        return rng.choice([*edges, rng.uniform(-1, 1), rng.choice([-1, 1]) * 10 ** rng.uniform(-8, 8)])

    return make


def extreme_doubles(rng: random.Random) -> float:
    """Doubles of both ends, of which no limbs are made."""
    far = [LARGEST, -LARGEST, LEAST, -LEAST, 2.2250738585072014e-308, LARGEST / 2, 1e300, -1e-300]
    return rng.choice([*far, 0.0, 1.0, rng.choice([-1, 1]) * 2.0 ** rng.randrange(-1074, 1023)])


def large_doubles(rng: random.Random) -> float:
    """Doubles at the upper end."""
    return rng.choice([LARGEST, -LARGEST, rng.uniform(0.1, 1) * LARGEST, -rng.uniform(0.1, 1) * LARGEST])


def small_doubles(rng: random.Random) -> float:
    """Doubles at the lower end."""
    return rng.choice([LEAST, -LEAST, 0.0, -0.0, rng.randrange(-(2**53), 2**53) * LEAST])


def singles(rng: random.Random) -> float:
    """Single-precision numbers."""
    value = rng.choice([0.1, -0.0, 0.0, SINGLE, -SINGLE, 1e-45, 16777217.0, rng.uniform(-1e3, 1e3)])
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def texts(values: Sequence[str]) -> Make:
    """One of the texts, or two of them together."""

    def make(rng: random.Random) -> str:
        return rng.choice(values) + (rng.choice(values) if rng.random() < 0.2 else "")

    return make


def short(values: Sequence[str], length: int) -> Make:
    """A text of at most so many characters without a space at its end, as padded types return it."""
    return lambda rng: rng.choice(values)[:length].rstrip(" ")


def day(first: str, last: str) -> Make:
    """Days, often at both ends."""
    low, high = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)

    def make(rng: random.Random) -> datetime.date:
        odd = [datetime.date(1970, 1, 1), datetime.date(1969, 12, 31), datetime.date(2000, 2, 29)]
        edges = [low, high, *(each for each in odd if low <= each <= high)]  # beyond a column's type is another value
        return rng.choice([*edges, low + datetime.timedelta(days=rng.randrange((high - low).days + 1))])

    return make


def moment(first: str, last: str, *, digits: int = 6) -> Make:
    """Times of so many digits of a second, often at both ends."""
    low, high = datetime.datetime.fromisoformat(first), datetime.datetime.fromisoformat(last)
    unit = 10 ** (6 - digits)

    def make(rng: random.Random) -> datetime.datetime:
        edges = [
            low,
            high,
            datetime.datetime.fromisoformat("1970-01-01"),
            datetime.datetime.fromisoformat("2038-01-19T03:14:07"),
        ]
        some = low + datetime.timedelta(seconds=rng.randrange(int((high - low).total_seconds())))
        some = some.replace(microsecond=rng.randrange(1_000_000) // unit * unit)
        before = datetime.datetime.fromisoformat("1969-12-31T23:59:59").replace(microsecond=999_999 // unit * unit)
        return rng.choice([some, *(each for each in (*edges, before) if low <= each <= high)])

    return make


def identifier(rng: random.Random) -> str:
    """A UUID as text."""
    return str(uuid.UUID(int=rng.choice([0, 1, 2**128 - 1, rng.getrandbits(128)])))


def truth(rng: random.Random) -> bool:
    """True or false."""
    return rng.random() < 0.5


def utc(value: datetime.datetime) -> datetime.datetime:
    """What is written for an instant: its own zone."""
    return value.replace(tzinfo=datetime.UTC)


def whole(value: float) -> float | int:
    """What is written among doubles: an integer, too."""
    return int(value) if value == 3 else value


# --- the databases' types -------------------------------------------------------------------------------------------

INT64 = integer(-(2**63), 2**63 - 1)
DAYS, TIMES = day("0001-01-01", "9999-12-31"), moment("0001-01-01", "9999-12-31T23:59:59.999999")
SOUND = [text for text in TEXTS if "\0" not in text]

POSTGRES: tuple[Kind, ...] = (
    Kind("smallint", "int64", integer(-(2**15), 2**15 - 1)),
    Kind("integer", "int64", integer(-(2**31), 2**31 - 1)),
    Kind("bigint", "int64", INT64),
    Kind("numeric(18,0)", "int64", integer(1 - 10**18, 10**18 - 1)),
    Kind("numeric(30,0)", "decimal(30,0)", decimal(30, 0)),
    Kind("numeric(12,2)", "decimal(12,2)", decimal(12, 2)),
    Kind("numeric(38,10)", "decimal(38,10)", decimal(38, 10)),
    Kind("numeric(38,38)", "decimal(38,38)", decimal(38, 38)),
    Kind("real", "float64", singles),
    Kind("double precision", "float64", doubles(special=False)),
    Kind("double precision", "float64", doubles(special=True)),
    Kind("double precision", "float64", extreme_doubles),
    Kind("double precision", "float64", large_doubles),
    Kind("double precision", "float64", small_doubles),
    Kind("text", "string", texts(SOUND)),
    Kind("varchar(3000)", "string", texts(SOUND)),
    Kind("char(7)", "string", short(SOUND, 7)),
    Kind('text COLLATE "POSIX"', "string", texts(SOUND)),
    Kind("uuid", "string", identifier),
    Kind("boolean", "boolean", truth),
    Kind("date", "date", DAYS),
    Kind("timestamp", "datetime", TIMES),
    Kind("timestamp(3)", "datetime", moment("0001-01-01", "9999-12-31T23:59:59.999", digits=3)),
    Kind("timestamptz", "datetime", moment("0001-01-02", "9999-12-30T23:59:59.999999"), utc, is_instant=True),
)
MARIADB: tuple[Kind, ...] = (
    Kind("tinyint", "int64", integer(-128, 127)),
    Kind("int unsigned", "int64", integer(0, 2**32 - 1)),
    Kind("int(5) zerofill", "int64", integer(0, 2**32 - 1)),
    Kind("bigint", "int64", INT64),
    Kind("bigint unsigned", "decimal(20,0)", integer(0, 2**64 - 1)),
    Kind("decimal(18,0)", "int64", integer(1 - 10**18, 10**18 - 1)),
    Kind("decimal(12,2)", "decimal(12,2)", decimal(12, 2)),
    Kind("decimal(38,10)", "decimal(38,10)", decimal(38, 10)),
    Kind("decimal(38,38)", "decimal(38,38)", decimal(38, 38)),
    Kind("float", "float64", singles),
    Kind("double", "float64", doubles(special=False)),
    Kind("double", "float64", doubles(special=False)),
    Kind("double", "float64", extreme_doubles),
    Kind("double", "float64", large_doubles),
    Kind("double", "float64", small_doubles),
    Kind("text", "string", texts([*TEXTS, "a\x00b", "\x00"])),
    Kind("varchar(2500) character set utf8mb4 collate utf8mb4_bin", "string", texts(TEXTS)),
    Kind("varchar(2500) character set latin1", "string", texts(LATIN)),
    Kind("varchar(2300) character set ucs2", "string", texts(NARROW)),
    Kind("char(7)", "string", short(TEXTS, 7)),
    Kind("enum('a','b','é','')", "string", lambda rng: rng.choice(["a", "b", "é", ""])),
    Kind("date", "date", DAYS),
    Kind("datetime", "datetime", moment("0001-01-01", "9999-12-31T23:59:59", digits=0)),
    Kind("datetime(6)", "datetime", TIMES),
    Kind("timestamp(6) null", "datetime", moment("1970-01-01T06:00:00", "2038-01-18T03:14:07"), is_instant=True),
    Kind("year", "int64", integer(1901, 2155)),
)  # fmt: skip
CLICKHOUSE: tuple[Kind, ...] = (
    Kind("Int8", "int64", integer(-128, 127)),
    Kind("UInt32", "int64", integer(0, 2**32 - 1)),
    Kind("Int64", "int64", INT64),
    Kind("UInt64", "decimal(20,0)", integer(0, 2**64 - 1)),
    Kind("Decimal(12, 2)", "decimal(12,2)", decimal(12, 2)),
    Kind("Decimal(18, 0)", "int64", integer(1 - 10**18, 10**18 - 1)),
    Kind("Decimal(38, 10)", "decimal(38,10)", decimal(38, 10)),
    Kind("Float32", "float64", singles),
    Kind("Float64", "float64", doubles(special=False)),
    Kind("Float64", "float64", doubles(special=True)),
    Kind("Float64", "float64", extreme_doubles),
    Kind("Float64", "float64", large_doubles),
    Kind("Float64", "float64", small_doubles),
    Kind("String", "string", texts([*TEXTS, "a\x00b", "\x00"])),
    Kind("LowCardinality(String)", "string", texts(TEXTS)),
    Kind("FixedString(7)", "string", short(["a", "A", "b ", "é", "日本", "😀"], 7)),
    Kind("Enum8('a' = 1, 'A' = -3, 'é' = 7)", "string", lambda rng: rng.choice("aAé")),
    Kind("UUID", "string", identifier),
    Kind("Bool", "boolean", truth),
    Kind("Date", "date", day("1970-01-01", "2149-06-06")),
    Kind("Date32", "date", day("1900-01-01", "2299-12-31")),
    Kind("DateTime", "datetime", moment("1970-01-01", "2106-02-07T06:28:15", digits=0), is_instant=True),
    Kind(
        "DateTime64(3, 'Asia/Kolkata')",
        "datetime",
        moment("1900-01-02", "2299-12-30T00:00:00", digits=3),
        is_instant=True,
    ),
    Kind("DateTime64(6, 'UTC')", "datetime", moment("1900-01-01", "2299-12-31T23:59:59.999999"), is_instant=True),
)
SQLITE: tuple[Kind, ...] = (
    Kind("integer", "int64", INT64),
    Kind("integer", "int64", integer(-3, 3)),
    Kind("real", "float64", doubles(special=False)),
    Kind("real", "float64", extreme_doubles),
    Kind("real", "float64", large_doubles),
    Kind("real", "float64", small_doubles),
    Kind("real", "float64", lambda rng: rng.choice([math.inf, -math.inf, 1.5, 0.0, -0.0])),
    Kind("text", "string", texts([*TEXTS, "a\x00b", "\x00"])),
    Kind("text collate nocase", "string", texts(TEXTS)),
    Kind("text collate rtrim", "string", texts(TEXTS)),
    Kind("", "float64", lambda rng: rng.choice([1.5, -0.25, 3.0, -0.0]), whole),
    Kind("date", "string", lambda rng: str(day("0001-01-01", "9999-12-31")(rng))),
)  # fmt: skip
KINDS: Mapping[str, tuple[Kind, ...]] = {
    "postgres": POSTGRES, "mariadb": MARIADB, "clickhouse": CLICKHOUSE, "sqlite": SQLITE,
}  # fmt: skip


# --- tables and plans -----------------------------------------------------------------------------------------------


def table(database: str, seed: int) -> Table:
    """The table of a number."""
    rng = random.Random(f"{database} {seed}")
    kinds = tuple(rng.choice(KINDS[database]) for _ in range(rng.randint(3, 7)))
    names = rng.sample([name for name in NAMES if not (database == "mariadb" and _foreign(name))], len(kinds))
    if database in ("sqlite", "mariadb"):  # whose names of columns have no case
        names = list({name.lower(): name for name in names}.values())
        kinds = kinds[: len(names)]
    count = rng.choice([0, 1, 2, 30, 60, 60, 120])
    columns = [_column(rng, kind, count) for kind in kinds]
    if database == "sqlite":  # whose types are those of the values
        columns = [_plain(rng, kind, column) for kind, column in zip(kinds, columns, strict=True)]
    arrays = {name: pa.array(column, kind.arrow) for name, kind, column in zip(names, kinds, columns, strict=True)}
    written = [
        [None if value is None else kind.stored(value) for value in column]
        for kind, column in zip(kinds, columns, strict=True)
    ]
    return Table(dataset=held(arrays), kinds=kinds, rows=list(zip(*written, strict=True)))


def _foreign(name: str) -> bool:
    """Whether MySQL takes no such name."""
    return name.endswith(" ") or max(name) > "\uffff"


def _column(rng: random.Random, kind: Kind, count: int) -> list[Any]:
    few = [kind.make(rng) for _ in range(rng.choice([1, 3, 10, 1000]))]
    gaps = rng.choice([0, 0.1, 0.1, 0.5, 1])
    return [None if rng.random() < gaps else rng.choice(few) for _ in range(count)]


def _plain(rng: random.Random, kind: Kind, column: list[Any]) -> list[Any]:
    """The column with one value that shows its type, which a column of SQLite without values has not."""
    if kind.physical == "float64":
        return [*column, 1.5]
    return [*column, kind.make(rng)]


def plans(database: str, seed: int, count: int) -> list[Plan]:
    """The plans over the table of a number."""
    rng, made = random.Random(f"{database} {seed} plans"), table(database, seed)
    found: list[Plan] = []
    while len(found) < count:
        spec = _spec(rng, made)
        try:
            found.append(plan_for(made.dataset, **spec))
        except InvalidIntentError:  # an operand that its column does not take
            continue
    return found


def _spec(rng: random.Random, made: Table) -> dict[str, Any]:
    fields = made.dataset.fields
    among = {name: [each.name for each in fields if each.type in one.accepts] for name, one in RECORDS.items()}
    aggregation = rng.choice([name for name in (*RECORDS, "sum", "avg") if among[name]])
    spec: dict[str, Any] = {"aggregation": aggregation}
    if aggregation != "count" or rng.random() < 0.5:
        spec["metric"] = rng.choice(among[aggregation])
    if RECORDS[aggregation].takes_percent:
        spec["percent"] = rng.choice(["0", "2.5", "50", "75", "99.99", "100"])
    others = [field.name for field in fields if field.name != spec.get("metric")]
    if keys := rng.sample(others, min(len(others), rng.choice([0, 1, 1, 2]))):
        spec["group_by"] = keys
    if rng.random() < 0.2:
        spec["limit"] = rng.choice([1, 3])
    if conditions := [_condition(rng, made) for _ in range(rng.choice([0, 1, 1, 2]))]:
        spec["filter"] = {"conditions": conditions}
    return spec


def _condition(rng: random.Random, made: Table) -> dict[str, Any]:
    place = rng.randrange(len(made.kinds))
    field, kind = made.dataset.fields[place], made.kinds[place]
    ops = [
        *OPS,
        *([] if field.type == "boolean" else ORDERED),
        *(("contains", "starts_with") * 2 if field.type == "string" else ()),
    ]
    op = rng.choice(ops)
    condition: dict[str, Any] = {"column": field.name, "op": op}
    if op in ("is_null", "is_not_null"):
        return condition
    assert made.dataset.table is not None
    values = [value for value in made.dataset.table[field.name].to_pylist() if _operand(value)]

    def one() -> Any:
        value = rng.choice(values) if values and rng.random() < 0.7 else _beyond(rng, field.physical, kind)
        return value if _operand(value) else _beyond(rng, field.physical, kind)

    if op in ("in", "not_in"):
        condition["values"] = [one() for _ in range(rng.choice([1, 3, 10]))]
    elif op == "between":
        condition["values"] = sorted((one(), one()))
    elif op in ("contains", "starts_with"):
        chosen = one()
        start = rng.randrange(len(chosen) + 1) if op == "contains" else 0
        condition["value"] = chosen[start : rng.randrange(len(chosen) + 1)]
    else:
        condition["value"] = one()
    return condition


def _operand(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def _beyond(rng: random.Random, physical: str, kind: Kind) -> Any:
    """An operand that the column may not be able to hold."""
    match physical:
        case "string":
            return rng.choice([*TEXTS, "a\0b"]) if rng.random() < 0.9 else "\U0010ffff"
        case "boolean":
            return truth(rng)
        case "date":
            return DAYS(rng)
        case "datetime":
            return TIMES(rng)
        case "float64":
            return rng.choice([extreme_doubles, doubles(special=False), small_doubles])(rng)
    made = [2**63, -(2**63) - 1, 10**37, -(10**37), 0, 1, Decimal("0.5"), Decimal("-1.005"), Decimal("1e-30"), 2**64]
    return rng.choice([*made, kind.make(rng)])
