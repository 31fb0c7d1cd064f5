"""Questions in other words: each word has its place in what is read, or nothing is read."""

from __future__ import annotations

import pytest

from service_nb.client.advice.question import read_question
from service_nb.client.advice.scan import Known, NotUnderstoodError, list_days, list_numbers
from service_nb.query.ask_line import format_ask, parse_ask

COLUMNS = {
    "a": "number", "b": "number", "c": "string", "d": "number", "delay": "number", "price": "number",
    "Unit Price": "number", "region": "string", "carrier": "string", "year": "number", "ordered": "date",
}  # fmt: skip
KNOWN = Known(columns=COLUMNS, sources=["s"], find_function={"midrange": "stats.midrange"}.get)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("avg(price)", "avg price"),
        ("AVG( price ), sum(`Unit Price`) by region", "avg price, sum `Unit Price` by region"),
        ("count(), count(distinct region) by year", "count, count_distinct region by year"),
        ("p90(delay)", "percentile 90 of delay"),
        ("percentile(delay, 90)", "percentile 90 of delay"),
        ("quantile(delay, 0.95)", "percentile 95 of delay"),
        ("sum a where c is north", "sum a where c = 'north'"),
        ("sum a where c is not north and d equals 3", "sum a where c != 'north' and d = 3"),
        ("sum a by c having sum(a) > 3", "sum a by c having sum a > 3"),
        ("sum a by c having a between 1 and 2", None),  # of the group, or of its rows?
        ("select c, sum(a) from s where d <> 1 group by c order by sum(a) desc limit 3",
         "sum a by c from s where d != 1 order desc limit 3"),
        ("s.groupby('c')['a'].mean()", "avg a by c from s"),
        ("s[s.d == 3]['a'].max()", "max a from s where d = 3"),
        ("s.query('d > 1').a.sum()", "sum a from s where d > 1"),
        ("s['c'].value_counts()", "count by c from s"),
        ("s.groupby('c').agg({'a': ['mean', 'max']})", "avg a, max a by c from s"),
        ("s.pivot_table(values='a', index='c', columns='region', aggfunc='sum')", "sum a by c, region from s"),
        ("s.pivot_table(values='a', index='c', aggfunc='sum', margins=True)", None),
        ("aggregate(a ~ c + region, data = s, FUN = median)", "median a by c, region from s"),
        ("s |> group_by(c) |> summarise(m = mean(a, na.rm = TRUE), n = n())", "avg a, count by c from s"),
        ("s %>% count(c, sort = TRUE)", None),
        ("select percentile_cont(0.9) within group (order by a) from s", "percentile 90 of a from s"),
        ("sum a where (c = x or c = z) and d > 1", "sum a where (c = 'x' or c = 'z') and d > 1"),
        ("select c, count(*) as n from s group by c order by n desc limit 3", "count by c from s order desc limit 3"),
        ("sum a by c order by count desc", None),  # the order is by what is measured
        ("sum a by month(ordered)", "sum a by month of ordered"),
        ("sum a last year", "sum a where ordered during last_year"),
        ("sum a where c = x or ordered during last month", None),
        ('=SUMIFS(a; c; "x"; d; ">3")', "sum a where c = 'x' and d > 3"),
        ("what is the average price per carrier?", "avg price by carrier"),
        ("Summe a nach c", "sum a by c"),
        ("moyenne delay par carrier", "avg delay by carrier"),
        ("average a and b by c", "avg a, avg b by c"),
        ("sum a by month", "sum a by month of ordered"),  # the only date
        ("90th percentile of delay", "percentile 90 of delay"),
    ],
)  # fmt: skip
def test_a_line_in_other_words_is_read_whole(typed: str, meant: str | None) -> None:
    if meant is None:
        with pytest.raises(NotUnderstoodError):
            read_question(typed, KNOWN)
        return
    reading = read_question(typed, KNOWN)
    assert [format_ask(spec) for spec in reading.specs] == [meant]
    parse_ask(meant)


@pytest.mark.parametrize(
    "typed",
    [
        "sum(a + b)", "sum(a, b)", "p90(a, b)", "percentile(a, b)", "percentile(a, 90, 95)", "median(*)", "sum(sum(a))",
        "sum a where c is", "sum a where c is not", "sum a where is north", "2+2", "drop table s",
        "total a, total b, and profit margin by c", "percentage of a by c", "sum a really by c", "why did a fall?",
        "a * b", "sum a from s join t", "lm(a ~ b)", "",
    ],
)  # fmt: skip
def test_a_word_without_a_place_ends_the_reading(typed: str) -> None:
    with pytest.raises(NotUnderstoodError):
        read_question(typed, KNOWN)


def test_one_slot_may_stay_open() -> None:
    dates = Known(columns=COLUMNS | {"shipped": "date"}, sources=["s"])
    reading = read_question("sum a by month", dates)
    assert reading.asks == "Which date is the month of?"
    assert [format_ask(spec) for spec in reading.specs] == ["sum a by month of ordered", "sum a by month of shipped"]
    with pytest.raises(NotUnderstoodError):  # two are open
        read_question("sum a by month where d > 1,5", dates)


def test_a_statistic_of_the_contract_stands_in_the_place_of_an_aggregation() -> None:
    (spec,) = read_question("midrange price by region from s", KNOWN).specs
    assert (spec["capability"], spec["columns"], spec["group_by"]) == ("stats.midrange", ["price"], ["region"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12", ["12"]), ("5%", ["0.05"]), ("1,5", ["1.5"]), ("1.000,50", ["1000.50"]), ("1,000.50", ["1000.50"]),
        ("1,500", ["1500", "1.500"]), ("1'000", ["1000"]), ("x", []), ("1,2,3", []),
    ],
)  # fmt: skip
def test_a_number_may_mean_two(text: str, numbers: list[str]) -> None:
    assert list_numbers(text) == numbers


def test_a_date_with_slashes_may_mean_two_days() -> None:
    assert list_days("01.02.2024") == ["2024-02-01"]
    assert list_days("01/02/2024") == ["2024-02-01", "2024-01-02"]
    assert list_days("31/12/2024") == ["2024-12-31"]
