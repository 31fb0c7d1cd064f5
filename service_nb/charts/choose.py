"""What a picture shows of an answer: which rows, in which order, under which words. No drawing yet."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from service_nb.cards.format import clip, count, visible
from service_nb.errors import InvalidIntentError
from service_nb.records.card import Card, Column

MOST_BARS = 30
MOST_POINTS = 10_000
LABEL_CELLS = 32
TITLE_CELLS = 90
TOLD_BARS = 5


Pair = tuple[Mapping[str, Any], float]  # a row and its value as a place on an axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is drawn. `values` are as near as a float is; exact texts stay on the card."""

    kind: Literal["bars", "line"]
    keys: tuple[Any, ...]
    key_title: str
    values: tuple[float, ...]
    labels: tuple[str, ...] = ()  # beside bars
    told: str  # the same in words, for who cannot see it


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A picture in words and numbers."""

    marks: Marks
    title: str
    value_title: str
    note: str
    alt: str
    result_hash: str


def choose(card: Card, rows: Sequence[Mapping[str, Any]], *, top: int = MOST_BARS) -> Chart:
    """Decide what to draw.

    Raises
    ------
    InvalidIntentError
        There is nothing to draw: no rows, or values that have no place on an axis.
    """
    if type(top) is not int or not 1 <= top <= MOST_BARS:
        raise InvalidIntentError(f"top is {top!r}.", met=str(top), expected=f"a whole number from 1 to {MOST_BARS}")
    columns: list[Column] = card["view"]["columns"]
    keys = [column for column in columns if column["role"] == "key"]
    measure = next((column for column in columns if column["role"] == "metric"), columns[-1])
    drawable = [(row, number) for row in rows if (number := _number(row[measure["name"]])) is not None]
    if not drawable:
        raise InvalidIntentError(
            "The answer has nothing to draw.",
            hint="A picture needs rows whose value is a finite number.",
            expected="numbers",
        )
    over_time = len(keys) == 1 and keys[0]["type"] in ("date", "datetime")
    dated = [pair for pair in drawable if over_time and pair[0][keys[0]["name"]] is not None]
    marks = _points(keys[0], dated) if len(dated) > 1 else _bars(keys, measure, drawable[:top])
    title = clip(visible(card["view"]["question"]), TITLE_CELLS)
    shown, total = len(marks.values), count(len(rows), "point" if marks.kind == "line" else "group")
    note = "" if shown == len(rows) else f"{shown:,} of {total} shown"
    return Chart(
        marks=marks,
        title=title,
        value_title=clip(visible(measure["name"]), TITLE_CELLS),
        note=note,
        alt=f"{'Line' if marks.kind == 'line' else 'Bars'}: {title}. {note or total}: {marks.told}.",
        result_hash=card["digests"]["result_hash"],
    )


def _points(key: Column, pairs: Sequence[Pair]) -> Marks:
    ordered = sorted(pairs, key=lambda pair: pair[0][key["name"]])[:MOST_POINTS]
    instants = tuple(row[key["name"]] for row, _ in ordered)
    return Marks(
        kind="line",
        keys=instants,
        key_title=clip(visible(key["name"]), TITLE_CELLS),
        values=tuple(number for _, number in ordered),
        told=f"from {_day(instants[0])} to {_day(instants[-1])}",
    )


def _bars(keys: Sequence[Column], measure: Column, pairs: Sequence[Pair]) -> Marks:
    names = tuple(_label(row, keys) for row, _ in pairs)
    labels = tuple(_value_label(row[measure["name"]]) for row, _ in pairs)
    first = list(zip(names, labels, strict=True))[:TOLD_BARS]
    return Marks(
        kind="bars",
        keys=names,
        key_title=clip(", ".join(visible(key["name"]) for key in keys), TITLE_CELLS),
        values=tuple(number for _, number in pairs),
        labels=labels,
        told=", ".join(f"{name} {label}" for name, label in first),
    )


def _day(instant: datetime.date) -> str:
    return instant.isoformat().removesuffix("T00:00:00")


def _label(row: Mapping[str, Any], keys: Sequence[Column]) -> str:
    if not keys:
        return "all rows"
    parts = ("null" if row[key["name"]] is None else visible(str(row[key["name"]])) or "''" for key in keys)
    return clip(" · ".join(parts), LABEL_CELLS)


def _value_label(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.4g}" if 1e-4 <= abs(value) < 1e15 or value == 0 else f"{value:.3g}"


def _number(value: Any) -> float | None:
    """The value as a place on an axis, None where it has none."""
    if value is None or isinstance(value, bool | str | datetime.date):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every double
        return None
    return number if math.isfinite(number) and abs(number) < 1e300 else None
