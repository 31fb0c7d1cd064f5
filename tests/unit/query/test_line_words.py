"""Lines that the grammar refuses end in the line that was meant: calls, comparisons in words, columns behind having."""

from __future__ import annotations

import pytest

from service_nb.errors import InvalidIntentError
from service_nb.query.ask_line import parse_ask


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("avg(price)", "avg price"),
        ("AVG( price ), sum(`Unit Price`) by region", "avg price, sum `Unit Price` by region"),
        ("p90(delay)", "percentile 90 of delay"),
        ("p99.9(delay), count(*) by carrier", "percentile 99.9 of delay, count by carrier"),
        ("percentile(delay, 90)", "percentile 90 of delay"),
        ("percentile(90, delay)", "percentile 90 of delay"),
        ("quantile(delay, 0.95)", "percentile 95 of delay"),
        ("count(), count(distinct region) by year", "count, count_distinct region by year"),
        ("sum(a) by c having sum(a) > 3", "sum a by c having sum a > 3"),
        ("sum a where b is north", "sum a where b = 'north'"),
        ("sum a where b is not north and c equals 3", "sum a where b != 'north' and c = 3"),
        ("sum a where b is true", "sum a where b = true"),
        ("sum a by c having a > 3", "sum a by c having sum a > 3"),
        ("sum a by c having sum_a > 3 limit 2", "sum a by c having sum a > 3 limit 2"),
        ("sum a, avg b by c having b > 1 and (A > 3 or a < 0)",
         "sum a, avg b by c having avg b > 1 and (sum a > 3 or sum a < 0)"),
        ("sum a by c having a between 1 and 2 and count > 1", "sum a by c having sum a between 1 and 2 and count > 1"),
        ("avg a, sum a by c having a > 3", "avg a, sum a by c having avg a > 3"),
        ("percentile 90 of b by c having p90_b > 3", "percentile 90 of b by c having percentile 90 of b > 3"),
        ("sum a by c having c = 'x'", "sum a by c where c = 'x'"),
        ("sum a by c from s where d = 1 having c = 'x' or c = 'y'",
         "sum a by c from s where d = 1 and (c = 'x' or c = 'y')"),
    ],
)  # fmt: skip
def test_the_line_that_was_meant_is_offered_and_not_asked(typed: str, meant: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_ask(typed)
    assert caught.value.details["write"] == meant
    assert caught.value.hint == f"Write: {meant}"
    parse_ask(meant)


@pytest.mark.parametrize(
    "typed",
    [
        "sum(a + b)", "sum(a, b)", "p90(a, b)", "percentile(a, b)", "percentile(a, 90, 95)", "sum()", "median(*)",
        "sum(sum(a))",
        "sum a, avg b by c having b > 3 and d = 1",  # of a group and of rows
        "sum a where b is", "sum a where b is not", "sum a where is north", "p90", "p90(", "percentile(", "having(a)",
    ],
)  # fmt: skip
def test_what_means_several_things_is_no_other_line(typed: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_ask(typed)
    assert "write" not in caught.value.details, caught.value.details["write"]


def test_a_value_behind_is_is_no_slip_of_a_keyword() -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_ask("sum a where region is north or or")
    assert "did_you_mean" not in caught.value.details
    assert "'north'" in str(caught.value.hint)
