"""What stands below an answer without a value, or a refusal: why it is so, and lines that run."""

from __future__ import annotations

import pytest

from tests.surfaces.conftest import Session


def read_below(session: Session, line: str) -> tuple[str, list[str]]:
    """Run a line; return what is said below its card, and the lines that are offered there."""
    outputs, _ = session.outputs(line)
    found = [each.data for each in outputs if "application/vnd.service-nb.lines.v1+json" in each.data]
    if not found:
        return "", []
    shown = found[-1]["application/vnd.service-nb.lines.v1+json"]
    return shown["says"], [each["line"] for each in shown["lines"]]


@pytest.mark.parametrize(
    ("line", "says", "first"),
    [
        (
            "%service_ask sum revenue from sales where `Order Year` > 2050",
            "No row of sales meets the condition.",
            "%service_ask min `Order Year`, max `Order Year` from sales",
        ),
        (
            "%service_ask sum revenue from sales where `Order Year` > 2050 and revenue < 0",
            "No row of sales meets all conditions.",
            "%service_ask min `Order Year`, max `Order Year` from sales",
        ),
        (
            "%service_ask sum profit by region from sales",
            "sales has region, `Order Year`, revenue, paid, secret.",
            None,
        ),
        (
            "%service_ask sum revenue from sales where region = 'east'",
            "There is no value: revenue is null in the row that counts.",
            None,
        ),
    ],
)
def test_what_has_no_value_says_why_and_leads_on(session: Session, line: str, says: str, first: str | None) -> None:
    said, lines = read_below(session, line)
    assert said == says
    if first is not None:
        assert lines[0] == first
    for each in lines:
        assert session.run(each)["status"] == "ok"  # type: ignore[index]


def test_an_answer_with_a_value_has_nothing_below_it(session: Session) -> None:
    assert read_below(session, "%service_ask sum revenue from sales") == ("", [])
    assert read_below(session, "%service_ask sum revenue by region from sales") == ("", [])
