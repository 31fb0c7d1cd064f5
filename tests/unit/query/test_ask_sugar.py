"""Other ways to say a question: each is read as the canonical line or refused; no line changes its meaning."""

import pytest

from service_nb.client.advice.question import read_question
from service_nb.client.advice.scan import Known
from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import format_ask, parse_ask

SAME = {
    "average price": "avg price",
    "Mean price by region": "avg price by region",
    "total `Unit Price` by region": "sum `Unit Price` by region",
    "maximum day from sales": "max day from sales",
    "lowest price": "min price",
    "unique city by region": "count_distinct city by region",
    "sum of price": "sum price",
    "average of price by region": "avg price by region",
    "top 5 region by sum revenue": "sum revenue by region order desc limit 5",
    "top 5 sum revenue by region": "sum revenue by region order desc limit 5",
    "TOP 3 region, year by average of price from sales where a = 1":
        "avg price by region, year from sales where a = 1 order desc limit 3",
    "bottom 2 region by count": "count by region order asc limit 2",
    "bottom 2 count by region from sales": "count by region from sales order asc limit 2",
    "top 5 count by sum revenue": "sum revenue by count order desc limit 5",
    "count where name like 'A%'": "count where name starts with 'A'",
    'count where name LIKE "%b c%" or a = 1': "count where name contains 'b c' or a = 1",
    "count where name like 'it''s%'": "count where name starts with 'it''s'",
    "count where rate > 10%": "count where rate > 0.1",
    "count where rate between 0.5% and 12.5%": "count where rate between 0.005 and 0.125",
    "count where rate in (-5%, 100%)": "count where rate in (-0.05, 1)",
    "count where rate = 0.1000000000000000055511151231257827%":
        "count where rate = '0.001000000000000000055511151231257827'",
    "p90 price where year >= $year and region in $few": "percentile 90 of price where year >= $year and region in $few",
    "sum price by region?": "sum price by region",
    "sum price limit 5.": "sum price limit 5",
    "sum price where x = 5 ?\n": "sum price where x = 5",
}  # fmt: skip


@pytest.mark.parametrize("line", SAME)
def test_what_means_one_thing_is_read_as_the_canonical_line(line):
    assert format_ask(parse_ask(line)) == SAME[line]


@pytest.mark.parametrize(
    "line",
    [
        "top 5 count by count",  # a column of that name, or the aggregation
        "top 5 region",
        "top 5 by revenue",
        "top 0 region by count",
        "top region by count",
        "top 5 region by sum",
        "top 5 region by sum revenue limit 3",
        "top 5 sum revenue by average price",
        "count where name like 'A'",
        "count where name like 'A_%'",
        "count where name like '%A'",
        "count where name like 'A%b%'",
        "count where name like '%'",
        "count where name like 'a\\%'",
        "count where name not like 'A%'",
        "count where name like $pattern",
        "count where rate > ten%",
        "count where rate > 10 %",
    ],
)
def test_what_does_not_is_refused_or_asks_back(line):
    with pytest.raises(InvalidIntentError) as caught:
        parse_ask(line)
    assert "like '" not in line or "`starts with 'A'`" in caught.value.hint


def test_names_stay_names():
    assert parse_ask("sum of by of where of = 1") == {
        "aggregation": "sum",
        "metric": "of",
        "group_by": ["of"],
        "filter": {"conditions": [{"column": "of", "op": "eq", "value": 1}]},
    }
    assert parse_ask("count by top, average, like from mean") == {
        "aggregation": "count",
        "group_by": ["top", "average", "like"],
        "source_name": "mean",
    }


@pytest.mark.parametrize(
    ("line", "write"),
    [
        ("sum x bye region wher a = 1 limt 3", "sum x by region where a = 1 limit 3"),
        ("smu x by y ordr desc", "sum x by y order desc"),
        ("average x bye region?", "avg x by region"),
        ("sum x where a contain 'b' adn c = 1", "sum x where a contains 'b' and c = 1"),
    ],
)
def test_slips_of_one_line_are_mended_together(line, write):
    with pytest.raises(InvalidIntentError):
        parse_ask(line)
    columns = dict.fromkeys(("x", "y", "a", "b", "c", "region"), "number")
    assert [format_ask(spec) for spec in read_question(line, Known(columns=columns)).specs] == [write]
