"""Which chart rows give: what is decided here is decided alike in the browser, over the same vectors."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.cards.charts.choose import MOST_BARS, ChartRows, choose, choose_bars, find_places
from tests.vectors import make_charts
from tests.vectors.make_charts import CITY, DAY, FILE, REGION, REVENUE, days

CASES = {each["name"]: each for each in json.loads(FILE.read_text(encoding="utf-8"))["cases"]}


def test_the_vectors_are_those_that_the_generator_writes() -> None:
    assert list(CASES.values()) == json.loads(json.dumps(make_charts.cases()))


def test_a_line_joins_every_row_of_the_answer_in_the_order_of_its_axis() -> None:
    chart = CASES["a line in the order of its axis"]["chart"]
    ((label, marks),) = [(group["label"], group["marks"]) for group in chart["groups"]]
    assert (chart["kind"], label, chart["heading"]) == ("lines", None, "")
    assert [mark["label"] for mark in marks] == days(232)
    assert [mark["exact"] for mark in marks] == [str(n % 7) for n in range(232)]


def test_a_part_of_a_line_is_never_joined_and_headed_by_how_much_it_is() -> None:
    chart = CASES["twenty days of 232 are no line"]["chart"]
    assert (chart["kind"], chart["heading"]) == ("bars", "20 of 232 rows")
    assert "20 of 232 rows" in chart["alt"]
    assert CASES["a part of the lines is bars"]["chart"]["kind"] == "bars"


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([[REGION], [DAY], [REGION, CITY], [REGION, DAY]]))
def test_a_chart_draws_every_row_or_says_how_many_of_how_many(kept: int, more: int, keys: list[Any]) -> None:
    every = days(kept)
    rows: list[list[str | None]] = [
        [*([f"g{n % 3}"] if len(keys) == 2 else []), day, "1"] for n, day in enumerate(every)
    ]
    chart = choose(ChartRows([*keys, REVENUE], rows, kept + more))
    if chart is None:
        return
    drawn = len(chart.marks)
    assert (chart.heading == "") == (drawn == kept + more)
    assert chart.heading in ("", f"{drawn} of {kept + more} rows")
    assert chart.kind == "bars" or not more
    assert chart.kind == "lines" or drawn <= MOST_BARS


def test_bars_are_drawn_where_a_card_has_no_chart() -> None:
    one = choose_bars(ChartRows([REVENUE], [["7"]], 1), MOST_BARS)
    assert one is not None
    assert [(mark.label, mark.shown) for mark in one.marks] == [("all rows", "7")]
    three = choose_bars(ChartRows([REGION, CITY, DAY, REVENUE], [["a", None, "2013-01-01", "1"]], 1), MOST_BARS)
    assert three is not None
    assert (three.key, three.marks[0].label) == ("region, city, day", "a · — · 2013-01-01")
    assert choose_bars(ChartRows([REGION, REVENUE], [["a", None]], 1), MOST_BARS) is None


@given(st.lists(st.dates(), min_size=2, unique=True))
def test_dates_have_the_order_and_the_distances_of_the_calendar(given_days: list[datetime.date]) -> None:
    places = find_places([day.isoformat() for day in given_days], "date")
    epoch = datetime.date(1970, 1, 1)
    assert places == [(day - epoch).days * 86_400 for day in given_days]


@pytest.mark.parametrize(
    ("lowest", "said"),
    [("-1e400", "from -1e400 (a) to 2 (b)"), ("1e-400", "from 1e-400 (a) to 2 (b)"), ("2.000", "all of them 2.000")],
)
def test_the_lowest_and_the_highest_value_are_told_by_their_digits(lowest: str, said: str) -> None:
    chart = choose(ChartRows([REGION, REVENUE], [["a", lowest], ["b", "2"]], 2))
    assert chart is not None
    assert said in chart.alt
