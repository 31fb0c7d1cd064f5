"""Tables on which engines would differ if they could, and plans over them: made from a fixed seed, loaded everywhere.

`core` holds what every database has: text, integers of 64 bits, finite doubles. `typed` adds decimals, days and times;
`special` NaN, infinities and truth, which MySQL and MariaDB do not have.
"""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from service_nb.query.aggregations import RECORDS
from service_nb.readers.dataset import Dataset
from service_nb.schema.query import Plan
from tests.engines.cases import held, plan_for

ROWS = 240
SEED = 20_240_515
LARGEST = 1.7976931348623157e308

TEXTS = [
    *(
        "",
        " ",
        "a",
        "A",
        "a ",
        " a",
        "á",
        "a\u0301",
        "ab",
        "AB",
        "b",
        "é",
        "e",
        "ss",
        "ß",
        "ﬁ",
        "fi",
        "I",
        "ı",  # noqa: RUF001
        "İ",
        "z",
    ),
    *(
        "Z",
        "\uffee",
        "😀",
        "𝔞",  # noqa: RUF001
        "%",
        "_",
        "a%b",
        "a_b",
        "\\",
        "a\\b",
        "'",
        '"',
        "`",
        "$1",
        "?",
        ":p0",
        "{x}",
        "\t",
        "a\nb",
    ),
    *("x" * 1_100 + "a", "x" * 1_100 + "b", "null", "NaN", "0", "00", "-0", "日本", "日本語"),
]
# The names are traps too: our own aliases, words of SQL, quotes, placeholders.
WORD, SIDE, WHOLE, TENS = "m", "select", "k0", "100% ?"
MIDDLE, LARGE, TINY, ZEROES, EVERY = "Größe", 'a "b" `c`', "r0", ":p0 $1", "source"


def core() -> Dataset:
    """Text, integers, doubles of every size."""
    rng = random.Random(SEED)
    pairs = [rng.choice([-1, 1]) * 10 ** rng.uniform(-8, 8) for _ in range(ROWS // 4)]
    middle = [*pairs, *(-value for value in pairs), *(rng.uniform(-1e-6, 1e-6) for _ in range(ROWS - 2 * len(pairs)))]
    rng.shuffle(middle)
    return held(
        {
            WORD: pa.array(_maybe(rng, [rng.choice(TEXTS) for _ in range(ROWS)]), pa.string()),
            SIDE: pa.array([rng.choice(["a", "A", "a ", "😀", "\uffee"]) for _ in range(ROWS)], pa.string()),
            WHOLE: pa.array(_maybe(rng, [_integer(rng) for _ in range(ROWS)]), pa.int64()),
            TENS: pa.array(_maybe(rng, [rng.randrange(-3, 4) for _ in range(ROWS)]), pa.int64()),
            MIDDLE: pa.array(_maybe(rng, middle), pa.float64()),
            LARGE: pa.array([rng.choice([-1, 1]) * rng.uniform(0.4, 1.0) * LARGEST for _ in range(ROWS)], pa.float64()),
            TINY: pa.array([rng.randrange(-(2**52), 2**52) * 5e-324 for _ in range(ROWS)], pa.float64()),
            ZEROES: pa.array(_maybe(rng, [rng.choice([0.0, -0.0, 0.5, -0.5]) for _ in range(ROWS)]), pa.float64()),
            EVERY: pa.array([rng.choice([-1, 1]) * 10 ** rng.uniform(-300, 300) for _ in range(ROWS)], pa.float64()),
        }
    )


def typed() -> Dataset:
    """Decimals, days and times."""
    rng = random.Random(SEED + 1)
    day, noon = datetime.date(1970, 1, 1), datetime.datetime.combine(datetime.date(1970, 1, 1), datetime.time())
    days = [day + datetime.timedelta(days=rng.randrange(-20_000, 40_000)) for _ in range(20)]
    micro = datetime.timedelta(microseconds=1)
    return held(
        {
            "side": pa.array([rng.choice(["a", "A", "a "]) for _ in range(ROWS)], pa.string()),
            "money": pa.array(_maybe(rng, [_decimal(rng, 12, 2) for _ in range(ROWS)]), pa.decimal128(12, 2)),
            "long": pa.array([_decimal(rng, 38, 10) for _ in range(ROWS)], pa.decimal128(38, 10)),
            "day": pa.array(_maybe(rng, [rng.choice(days) for _ in range(ROWS)]), pa.date32()),
            "moment": pa.array(
                [noon + rng.randrange(10**15, 10**15 + 30) * micro for _ in range(ROWS)], pa.timestamp("us")
            ),
            "x": pa.array(_maybe(rng, [rng.uniform(-1, 1) for _ in range(ROWS)]), pa.float64()),
        }
    )


def special() -> Dataset:
    """NaN, infinities, zeros of both signs, truth."""
    rng = random.Random(SEED + 2)
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.25, 0.1]
    return held(
        {
            "key": pa.array([rng.choice("abcdefghij") for _ in range(ROWS)], pa.string()),
            "x": pa.array(_maybe(rng, [rng.choice(values) for _ in range(ROWS)]), pa.float64()),
            "flag": pa.array(_maybe(rng, [rng.random() < 0.5 for _ in range(ROWS)]), pa.bool_()),
            "rare": pa.array(
                [math.nan if index == 7 else math.inf if index == 9 else rng.uniform(-1, 1) for index in range(ROWS)],
                pa.float64(),
            ),
        }
    )


def plans(dataset: Dataset, count: int) -> list[Plan]:
    """Plans of every aggregation, over keys of each type, with conditions of each operator; always the same."""
    rng = random.Random(SEED + count)
    return [plan_for(dataset, **_spec(rng, dataset)) for _ in range(count)]


def _spec(rng: random.Random, dataset: Dataset) -> dict[str, Any]:
    names = [field.name for field in dataset.fields]
    aggregation = rng.choice(["sum", "avg", *RECORDS])
    metric = rng.choice([each.name for each in dataset.fields if each.type in RECORDS[aggregation].accepts])
    keys = rng.sample([name for name in names if name != metric], rng.choice([0, 1, 1, 1, 2]))
    spec: dict[str, Any] = {"metric": metric, "aggregation": aggregation, "order": rng.choice(["asc", "desc"])}
    if RECORDS[aggregation].takes_percent:
        spec["percent"] = rng.choice(["0", "12.5", "50", "90", "99.9", "100"])
    if keys:
        spec["group_by"] = keys
    if rng.random() < 0.3:
        spec["limit"] = rng.choice([1, 2, 5, 1000])
    conditions = [_condition(rng, dataset) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    if conditions:
        spec["filter"] = {"conditions": conditions}
    return spec


def _condition(rng: random.Random, dataset: Dataset) -> dict[str, Any]:
    field = rng.choice(dataset.fields)
    assert dataset.table is not None
    values = [value for value in dataset.table[field.name].to_pylist() if value is not None and value == value]
    values = [value for value in values if not isinstance(value, float) or math.isfinite(value)]
    ops = ["eq", "ne", "in", "not_in", "is_null", "is_not_null"]
    ops += [] if field.type == "boolean" else ["gt", "gte", "lt", "lte", "between"]
    ops += ["contains", "starts_with"] * 2 if field.type == "string" else []
    op = rng.choice(ops)
    condition: dict[str, Any] = {"column": field.name, "op": op}
    if op in ("in", "not_in"):
        condition["values"] = [rng.choice(values) for _ in range(rng.choice([1, 3, 10]))]
    elif op == "between":
        condition["values"] = sorted(rng.choice(values) for _ in range(2))
    elif op in ("contains", "starts_with"):
        chosen = rng.choice(values)
        condition["value"] = chosen[: rng.randrange(len(chosen) + 1)]
    elif op not in ("is_null", "is_not_null"):
        condition["value"] = rng.choice(values)
    return condition


def _maybe(rng: random.Random, values: Sequence[Any]) -> list[Any]:
    return [None if rng.random() < 0.1 else value for value in values]


def _integer(rng: random.Random) -> int:
    return rng.choice([0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, rng.randrange(-(2**62), 2**62)])


def _decimal(rng: random.Random, precision: int, scale: int) -> Decimal:
    units = rng.choice([0, 1, -1, 10**precision - 1, 1 - 10**precision, rng.randrange(10**precision)])
    return Decimal((1 if units < 0 else 0, tuple(int(digit) for digit in str(abs(units))), -scale))
