"""Write the vectors of charts: `python -m tests.vectors.make_charts`, from the repository's root.

Each case is columns, exact rows, how many rows the answer has, and the chart that `cards.charts.choose` chooses;
null where it chooses none. What is right is held by the tests of charts; these hold the two languages to the same.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service_nb.cards.charts.choose import Chart, ChartRows, choose

FILE = Path(__file__).parent / "charts.json"

Case = dict[str, Any]


def column(name: str, role: str, type_: str) -> dict[str, str]:
    return {"name": name, "type": type_, "role": role}


REGION, CITY = column("region", "key", "string"), column("city", "key", "string")
DAY, HOUR = column("day", "key", "date"), column("hour", "key", "datetime")
YEAR, PERIOD = column("year", "key", "number"), column("period", "key", "string")
REVENUE, COUNT = column("revenue", "metric", "number"), column("count", "count", "number")
DATE = column("latest", "metric", "date")
REGIONS = ("north", "south", "east", "west")


def days(count: int, start: str = "2013-01-01") -> list[str]:
    first = datetime.date.fromisoformat(start)
    return [(first + datetime.timedelta(days=each)).isoformat() for each in range(count)]


def case(name: str, columns: list[dict[str, str]], rows: list[list[str | None]], row_count: int | None = None) -> Case:
    total = len(rows) if row_count is None else row_count
    chart = choose(ChartRows(columns, rows, total))
    return {
        "name": name,
        "columns": columns,
        "rows": rows,
        "row_count": total,
        "chart": None if chart is None else written(chart),
    }


def written(chart: Chart) -> Case:
    """Return a chart as JSON has it; the places are another language's own matter."""
    groups = [
        {"label": group.label, "marks": [{"label": m.label, "shown": m.shown, "exact": m.exact} for m in group.marks]}
        for group in chart.groups
    ]
    return {
        "kind": chart.kind,
        "metric": chart.metric,
        "key": chart.key,
        "groups": groups,
        "heading": chart.heading,
        "alt": chart.alt,
    }


def of_names() -> Iterator[Case]:
    values = [["north", "1500.5"], ["south", "-20"], [None, "3"], ["", "0.125"]]
    yield case("groups in the order of the answer", [REGION, REVENUE], values)
    yield case("with a count beside", [REGION, REVENUE, COUNT], [[*row, "7"] for row in values])
    yield case("a count alone", [REGION, COUNT], [["north", "3"], ["south", "44"]])
    yield case("some groups of more", [REGION, REVENUE], values, 232)
    many: list[list[str | None]] = [[f"r{n}", str(n * n)] for n in range(100)]
    yield case("thirty bars of a hundred", [REGION, REVENUE], many)
    yield case("thirty bars of forty kept of twelve thousand", [REGION, REVENUE], many[:40], 12_345)
    yield case("values that are none", [REGION, REVENUE], [["a", None], ["b", "NaN"], ["c", "Infinity"], ["d", "2"]])
    yield case("equal values, written in two ways", [REGION, REVENUE], [["a", "100"], ["b", "1e2"], ["c", "1.0e+2"]])
    long = [["a", "0.1234567890123456789"], ["b", "0.12345678901234567890001"], ["c", "1e-400"], ["d", "-1e400"]]
    yield case("values that no float tells apart", [REGION, REVENUE], long)
    yield case(
        "names with marks", [REGION, REVENUE], [["<b>x</b>", "1"], ["=1+1", "2"], ["a\u202eb", "3"], ["x" * 90, "4"]]
    )
    yield case("a name of a column with a blank", [column(" a ", "key", "string"), REVENUE], [["a", "1"], ["b", "2"]])
    yield case("one row", [REGION, REVENUE], [["north", "1"]])
    yield case("no row", [REGION, REVENUE], [])
    yield case("no key", [REVENUE, COUNT], [["1", "2"], ["3", "4"]])
    yield case("no number among values", [REGION, REVENUE], [["a", None], ["b", "NaN"]])
    yield case(
        "a metric that is no number, and a count", [REGION, DATE, COUNT], [["a", "2013-01-01", "1"], ["b", None, "2"]]
    )
    yield case("a metric that is no number alone", [REGION, DATE], [["a", "2013-01-01"], ["b", "2013-01-02"]])
    yield case("a value too long for a label", [REGION, REVENUE], [["a", "1" * 30], ["b", "2"]])


def over_time() -> Iterator[Case]:
    every: list[list[str | None]] = [[day, str(n % 7)] for n, day in enumerate(days(232))]
    by_value = sorted(every, key=lambda row: (-int(row[1] or 0), row[0]))
    yield case("a line in the order of its axis", [DAY, REVENUE], by_value)
    yield case("twenty days of 232 are no line", [DAY, REVENUE], by_value[:20], 232)
    yield case("two dates are bars", [DAY, REVENUE], every[:2])
    yield case("a date that is null is left out of a line", [DAY, REVENUE], [*every[:5], [None, "9"]])
    yield case(
        "a value that is null is a gap",
        [DAY, REVENUE],
        [[row[0], None if n == 2 else row[1]] for n, row in enumerate(every[:5])],
    )
    yield case("a date twice is no line", [DAY, REVENUE], [*every[:4], every[0]])
    yield case(
        "instants",
        [HOUR, REVENUE],
        [[f"2013-01-01T{hour:02}:30:00", str(hour)] for hour in (5, 3, 4, 23)],
    )
    yield case(
        "instants within a second", [HOUR, REVENUE], [[f"2013-01-01T00:00:00.{n}00000", str(n)] for n in range(4)]
    )
    yield case(
        "across a leap day and centuries",
        [DAY, REVENUE],
        [["2000-03-01", "3"], ["1899-12-31", "1"], ["2000-02-29", "2"], ["0099-01-01", "0"]],
    )
    yield case("months", [PERIOD, REVENUE], [["2013-03", "3"], ["2013-01", "1"], ["2013-02", "2"], ["2012-12", "0"]])
    yield case("quarters", [PERIOD, REVENUE], [["2013-Q2", "2"], ["2013Q1", "1"], ["2012-Q4", "0"]])
    yield case("weeks", [PERIOD, REVENUE], [["2013-W02", "2"], ["2013W01", "1"], ["2012-W52", "0"]])
    yield case("years as text", [PERIOD, REVENUE], [["2013", "3"], ["2011", "1"], ["2012", "2"]])
    yield case("years as numbers", [YEAR, REVENUE], [["2013", "3"], ["2011", "1"], ["2012", "2"]])
    yield case("numbers with holes are names", [YEAR, REVENUE], [["7", "3"], ["1100", "1"], ["12", "2"]])
    yield case("numbers that are not whole are names", [YEAR, REVENUE], [["1.5", "3"], ["2.5", "1"], ["3.5", "2"]])
    yield case(
        "a date with a line's end", [PERIOD, REVENUE], [["2013-01-01\n", "3"], ["2013-01-02", "1"], ["2013-01-03", "2"]]
    )
    yield case(
        "digits of another script are names",
        [PERIOD, REVENUE],
        [["\u0662\u0660\u0661\u0663", "3"], ["2012", "1"], ["2011", "2"]],
    )


def of_two_keys() -> Iterator[Case]:
    grid: list[list[str | None]] = [[region, day, str(n)] for n, region in enumerate(REGIONS) for day in days(4)]
    yield case("a line for each region", [REGION, DAY, REVENUE], grid)
    yield case("a line for each region, the date first", [DAY, REGION, REVENUE], [[b, a, c] for a, b, c in grid])
    yield case("a part of the lines is bars", [REGION, DAY, REVENUE], grid, 232)
    six: list[list[str | None]] = [[f"r{n}", day, "1"] for n in range(6) for day in days(3)]
    yield case("six lines are too many", [REGION, DAY, REVENUE], six)
    two: list[list[str | None]] = [[region, city, str(n)] for n, region in enumerate(REGIONS) for city in ("x", "y")]
    yield case("groups of bars", [REGION, CITY, REVENUE], two)
    yield case("a part of groups of bars", [REGION, CITY, REVENUE], two, 9)
    yield case("nine groups are too many", [REGION, CITY, REVENUE], [[f"r{n}", c, "1"] for n in range(9) for c in "xy"])
    yield case("groups of one are none", [REGION, CITY, REVENUE], [[f"r{n}", f"c{n}", "1"] for n in range(4)])
    yield case(
        "more than thirty bars in groups",
        [REGION, CITY, REVENUE],
        [["a" if n < 20 else "b", f"c{n}", "1"] for n in range(31)],
    )
    yield case(
        "two dates", [DAY, column("seen", "key", "date"), REVENUE], [[a, b, "1"] for a in days(3) for b in days(3)]
    )
    yield case("three keys", [REGION, CITY, DAY, REVENUE], [["a", "b", day, "1"] for day in days(3)])


def cases() -> list[Case]:
    """Return all cases."""
    return [*of_names(), *over_time(), *of_two_keys()]


def main() -> None:
    made = cases()
    assert len({each["name"] for each in made}) == len(made)
    lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in made)
    FILE.write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{FILE.name}: {len(made)} cases, {sum(each['chart'] is None for each in made)} without a chart")


if __name__ == "__main__":
    main()
