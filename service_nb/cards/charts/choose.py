"""The choice of a chart for the rows of an answer: its kind, its marks in axis order, its words. Draws nothing.

`choose` is the same function as in the browser (`chart/data.ts`), over the vectors in tests/vectors/charts.json: what a
card shows, `--chart` and `.plot()` decide alike from the same exact texts. A chart shows the whole answer, or is headed
by how much of it it shows. Points are joined only if every row of the answer is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, partial
from typing import Literal, NamedTuple

from service_nb.cards.card_blocks import choose_rules, write_row
from service_nb.cards.heads import write_name_head
from service_nb.cards.used_rows import CELL_WIDTH
from service_nb.core.words import clip
from service_nb.schema.card import Column

MOST_BARS = 30
_MOST_GROUPS = 8
_MOST_SERIES = 5
_FEWEST_POINTS = 3
_LONGEST = 32  # characters of a value; a longer one is no label

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


class ChartMark(NamedTuple):
    """A value with its name: as shown, and exact (None for null). `place` is where a line has it."""

    label: str
    shown: str
    exact: str | None
    place: int | None = None


class ChartGroup(NamedTuple):
    """Marks that belong together; the label is None where there is one group only."""

    label: str | None
    marks: tuple[ChartMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A picture in words and exact texts. `heading` is empty where the whole answer is shown."""

    kind: Literal["bars", "lines"]
    metric: str
    key: str
    groups: tuple[ChartGroup, ...]
    heading: str

    @property
    def marks(self) -> list[ChartMark]:
        """The marks of all groups."""
        return [mark for group in self.groups for mark in group.marks]

    @property
    def alt(self) -> str:
        """The alternative text of the chart."""
        name = f"{'Bar' if self.kind == 'bars' else 'Line'} chart: {self.metric} by {self.key}"
        return f"{name}. {'; '.join(_summarise_marks(self))}."


@dataclass(frozen=True, slots=True)
class ChartRows:
    """The rows of an answer, or the first of them: their columns, their exact texts, and how many there are in all.

    `heads` say what the columns are; by default they are called by their names.
    """

    columns: Sequence[Column]
    exact: Sequence[Sequence[str | None]]
    row_count: int
    heads: Sequence[str] = ()

    @property
    def is_whole(self) -> bool:
        """True if every row of the answer is here."""
        return len(self.exact) >= self.row_count


def choose(rows: ChartRows) -> Chart | None:
    """Choose the chart of rows; None where a table says as much."""
    table = _ChartTable(rows)
    keys, metric = table.list_columns_of_role("key"), table.find_metric()
    if metric is None or len(keys) not in (1, 2) or len(rows.exact) < 2:
        return None
    marks = [table.build_mark(row, keys[0], metric) for row in table.rows]
    if not any(is_finite(mark.exact) for mark in marks) or any(len(mark.shown) > _LONGEST for mark in marks):
        return None
    if len(keys) == 2:
        return _choose_two_key_chart(table, keys[0], keys[1], metric)
    line = _choose_line_chart(table, keys[0], None, metric)
    return line or table.build_chart("bars", keys[0], metric, [ChartGroup(None, tuple(marks[:MOST_BARS]))])


def choose_line(rows: ChartRows) -> Chart | None:
    """Choose a line, or one for each series; None where keys have no place on an axis, or rows are missing."""
    table = _ChartTable(rows)
    keys, metric = table.list_columns_of_role("key"), table.find_metric()
    if metric is None or len(keys) not in (1, 2):
        return None
    if len(keys) == 1:
        return _choose_line_chart(table, keys[0], None, metric, fewest=2)
    tried = (_choose_line_chart(table, key, series, metric, fewest=2) for key, series in (keys, keys[::-1]))
    return next((chart for chart in tried if chart is not None), None)


def choose_bars(rows: ChartRows, most: int, *, is_in_order: bool = False) -> Chart | None:
    """Choose bars for the first rows, whatever their keys are; None if no value has a place on an axis.

    Of a whole answer by one key whose values have places, as dates do, they stand in order where that is asked.
    """
    table = _ChartTable(rows)
    keys, metric = table.list_columns_of_role("key"), table.find_metric()
    if metric is None:
        return None
    marks = []
    for row in (_sort_by_place(table, keys) if is_in_order else table.rows)[:most]:
        label = " · ".join(table.cells[row][key] for key in keys) or "all rows"
        marks.append(table.build_mark(row, metric, metric)._replace(label=clip(label, _LONGEST)))
    if not any(is_finite(mark.exact) for mark in marks):
        return None
    name = ", ".join(table.names[key] for key in keys)
    return Chart(
        kind="bars",
        metric=table.names[metric],
        key=name or "all rows",
        groups=(ChartGroup(None, tuple(marks)),),
        heading=_write_heading(len(marks), rows.row_count),
    )


def _sort_by_place(table: _ChartTable, keys: Sequence[int]) -> Sequence[int]:
    """Sort rows by the places of their one key, without a key last; as they are where they have no places."""
    if len(keys) != 1 or not table.source.is_whole:
        return table.rows
    named = [row for row in table.rows if table.source.exact[row][keys[0]] is not None]
    places = table.find_key_places(named, keys[0])
    if places is None:
        return table.rows
    ordered = [row for _, row in sorted(zip(places, named, strict=True))]
    return [*ordered, *(row for row in table.rows if table.source.exact[row][keys[0]] is None)]


class _ChartTable:
    """ChartRows with the cells that are shown of them."""

    def __init__(self, rows: ChartRows) -> None:
        self.source = rows
        rules = choose_rules(rows.columns, rows.exact)
        self.cells = [write_row(row, rows.columns, rules) for row in rows.exact]  # as tables show them
        self.rows = range(len(rows.exact))
        heads = rows.heads or [write_name_head(column) for column in rows.columns]
        self.names = [clip(head, CELL_WIDTH) for head in heads]

    def list_columns_of_role(self, role: str) -> list[int]:
        return [at for at, column in enumerate(self.source.columns) if column["role"] == role]

    def find_metric(self) -> int | None:
        measured = [*self.list_columns_of_role("metric"), *self.list_columns_of_role("count")]
        return next((at for at in measured if self.source.columns[at]["type"] == "number"), None)

    def build_mark(self, row: int, key: int, metric: int) -> ChartMark:
        return ChartMark(self.cells[row][key], self.cells[row][metric], self.source.exact[row][metric])

    def find_key_places(self, rows: Iterable[int], column: int) -> list[int] | None:
        """Find the places of the keys of some rows; None unless there are keys and all have a place."""
        keys = [key for row in rows if (key := self.source.exact[row][column]) is not None]
        return find_places(keys, self.source.columns[column]["type"]) if keys else None

    def group_marks(
        self, rows: Iterable[int], column: int | None, mark: Callable[[int], ChartMark]
    ) -> list[ChartGroup]:
        groups: dict[str | None, list[ChartMark]] = {}
        for row in rows:
            groups.setdefault(None if column is None else self.cells[row][column], []).append(mark(row))
        return [ChartGroup(label, tuple(marks)) for label, marks in groups.items()]

    def build_chart(self, kind: Literal["bars", "lines"], key: int, metric: int, groups: Iterable[ChartGroup]) -> Chart:
        made = tuple(groups)
        heading = _write_heading(sum(len(group.marks) for group in made), self.source.row_count)
        return Chart(kind=kind, metric=self.names[metric], key=self.names[key], groups=made, heading=heading)


def _choose_two_key_chart(table: _ChartTable, outer: int, inner: int, metric: int) -> Chart | None:
    for key, series in ((outer, inner), (inner, outer)) if table.source.is_whole else ():
        if table.find_key_places(table.rows, key) is not None and table.find_key_places(table.rows, series) is None:
            return _choose_line_chart(table, key, series, metric)
    groups = table.group_marks(table.rows, outer, lambda row: table.build_mark(row, inner, metric))
    is_readable = len(table.rows) <= MOST_BARS and len(groups) <= _MOST_GROUPS
    return table.build_chart("bars", inner, metric, groups) if is_readable and len(groups) < len(table.rows) else None


def _choose_line_chart(
    table: _ChartTable, key: int, series: int | None, metric: int, *, fewest: int = _FEWEST_POINTS
) -> Chart | None:
    rows = [row for row in table.rows if table.source.exact[row][key] is not None]
    places = table.find_key_places(rows, key)
    if not table.source.is_whole or places is None or len(set(places)) < fewest:
        return None
    placed = dict(zip(rows, places, strict=True))
    groups = table.group_marks(rows, series, lambda row: table.build_mark(row, key, metric)._replace(place=placed[row]))
    if len(groups) > _MOST_SERIES or any(len({mark.place for mark in marks}) < len(marks) for _, marks in groups):
        return None
    ordered = [ChartGroup(label, tuple(sorted(marks, key=lambda mark: mark.place or 0))) for label, marks in groups]
    return table.build_chart("lines", key, metric, ordered)


def _write_heading(shown: int, row_count: int) -> str:
    return f"{shown:,} of {row_count:,} rows" if shown < row_count else ""


# --- words -----------------------------------------------------------------------------------------------------------


def _summarise_marks(chart: Chart) -> list[str]:
    marks = [
        mark if group.label is None else mark._replace(label=f"{group.label}, {mark.label}")
        for group in chart.groups
        for mark in group.marks
    ]
    finite = [mark for mark in marks if is_finite(mark.exact)]
    said = [chart.heading] if chart.heading else []
    said.append(f"{len(finite):,} values")
    if finite:
        ordered = sorted(finite, key=cmp_to_key(_compare_marks))
        least, most = ordered[0], ordered[-1]
        is_one = _compare_marks(least, most) == 0
        between = f"from {least.shown} ({least.label}) to {most.shown} ({most.label})"
        said.append(f"all of them {least.shown}" if is_one else between)
    if len(marks) > len(finite):
        said.append(f"{len(marks) - len(finite):,} without a value")
    return said


def is_finite(exact: str | None) -> bool:
    """Tell whether an exact text is a finite number."""
    return exact is not None and _NUMBER.fullmatch(exact) is not None


def _compare_marks(left: ChartMark, right: ChartMark) -> int:
    """Compare two finite values by their texts: their digits and exponents may be as long as they like."""
    sign, exponent, digits = _split_number(left.exact or "0")
    other_sign, other_exponent, other_digits = _split_number(right.exact or "0")
    if sign != other_sign:
        return sign - other_sign
    if exponent != other_exponent:
        return -sign if exponent < other_exponent else sign
    return 0 if digits == other_digits else -sign if digits < other_digits else sign


def _split_number(text: str) -> tuple[int, int, str]:
    """Split a number into the sign, exponent and digits of `sign * 0.digits * 10^exponent`."""
    minus, whole, fraction, power = re.fullmatch(_NUMBER, text).groups()  # type: ignore[union-attr]  # it is finite
    written = whole + (fraction or "")
    digits = written.lstrip("0")
    if not digits:
        return 0, 0, ""
    return -1 if minus else 1, int(power or 0) + len(whole) - (len(written) - len(digits)), digits.rstrip("0")


# --- places on an axis ------------------------------------------------------------------------------------------------

# Dates, periods and counted numbers have one, names have none; as `chart/time.ts`.
_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?[^T]*)?)?", re.DOTALL
)
_QUARTER = re.compile(r"([0-9]{4})-?Q([1-4])")
_WEEK = re.compile(r"([0-9]{4})-?W([0-9]{2})")
_YEAR = re.compile(r"[12][0-9]{3}")
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_SPARSE = 2  # whole numbers with more holes than this are names of things


def find_places(keys: Sequence[str], type_: str) -> list[int] | None:
    """Find the place of each key of a column of a type; None if not all of them have one."""
    quarter, week = partial(_read_part_of_year, _QUARTER, 4), partial(_read_part_of_year, _WEEK, 53)
    for read in (_read_instant, quarter, week):
        places = [place for place in map(read, keys) if place is not None]
        if len(places) == len(keys):
            return places
    is_counted = type_ == "number" or all(_YEAR.fullmatch(key) for key in keys)
    return _find_counted_places(keys) if is_counted else None


def _read_instant(text: str) -> int | None:
    """Read a date or time as seconds since 1970; a month or day beyond the last overflows as in JavaScript."""
    found = _INSTANT.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    return ((_count_days(year, month) + (day or 1) - 1) * 24 + hour) * 3600 + minute * 60 + second


def _count_days(year: int, month: int) -> int:
    """Count the days from 1970 to the first of a month in the proleptic Gregorian calendar."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _read_part_of_year(form: re.Pattern[str], parts: int, text: str) -> int | None:
    found = form.fullmatch(text)
    return None if found is None else int(found[1]) * parts + int(found[2])


def _find_counted_places(keys: Sequence[str]) -> list[int] | None:
    if not keys or not all(_WHOLE.fullmatch(key) for key in keys):
        return None
    places = [int(key) for key in keys]
    return places if max(places) - min(places) < len(set(places)) * _SPARSE else None
