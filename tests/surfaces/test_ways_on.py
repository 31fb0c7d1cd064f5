"""What stands below an answer without a value, or a refusal: why it is so, and lines that run."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.utils.capture import capture_output

from service_nb.errors import ServiceError
from tests.surfaces.conftest import Session


def read_below(session: Session, line: str) -> tuple[str, list[str]]:
    """Run a line; return what is said below its card, and the lines that are offered there."""
    outputs, _ = session.outputs(line)
    found = [each.data for each in outputs if "application/vnd.service-nb.lines.v1+json" in each.data]
    if not found:
        return "", []
    shown = found[-1]["application/vnd.service-nb.lines.v1+json"]
    return shown["says"], [each["line"] for each in shown["lines"]]


def read_error_lines(session: Session, line: str) -> list[str]:
    """Run a line; return the lines of the error that it ends in, none where it ends in an outcome."""
    with capture_output():
        error = session.shell.run_cell(line).error_in_exec
    return list(error.lines) if isinstance(error, ServiceError) else []


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


PENGUINS = "species,body_mass_g,seen\nAdelie,3750,22.12.2024\nAdelie,NA,23.12.2024\nGentoo,4500,02.01.2025\n"
READ_ANEW = "%service_connect penguins penguins.csv --nulls NA --date-format %d.%m.%Y --replace"


@pytest.mark.parametrize(
    "line",
    [
        "%service_ask avg body_mass_g by species from penguins",
        "%service_ask sum body_mass_g from penguins where species = 'Adelie'",
        "%service_ask max seen from penguins where seen > 2024-12-22",
        "%service_ask max seen from penguins",
        "%service_ask count from penguins where seen between '01.01.2024' and '31.12.2024' or species = 'Adelie'",
        "%service_ask what is the average body mass of penguins?",
        "%service_ask count by month of seen from penguins",
        "%service_ask monthly count from penguins",
        "%service_compute stats.median values=penguins.body_mass_g",
        "%service_compute stats.median penguins.body_mass_g",
    ],
)
def test_a_column_that_was_read_as_text_leads_to_the_line_that_reads_it_otherwise(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "penguins.csv").write_text(PENGUINS, encoding="utf-8")
    session.run("%service_connect penguins penguins.csv")
    lines = read_error_lines(session, line) or read_below(session, line)[1]
    assert lines[0] == READ_ANEW
    source = session.run(lines[0])
    types = {field["name"]: field["type"] for field in source["typed_fields"]}  # type: ignore[index]
    assert types == {"species": "string", "body_mass_g": "number", "seen": "date"}


@pytest.mark.parametrize(
    ("line", "first"),
    [
        (
            "%service_ask how many sales were paid by region",
            "%service_ask count by region from sales where paid = true",
        ),
        ("%service_ask count where region", "%service_ask count by region from sales"),
        ("%service_ask sum revenue where region in March", "%service_ask count by region from sales"),
        (
            "%service_ask correlation revenue and `Order Year`",
            "%service_compute stats.correlation x=sales.revenue y=sales.`Order Year`",
        ),
        (
            "%service_compute stats.pearson x=[1, 2, 4] y=[2, 3, 9]",
            "%service_compute stats.correlation x=[1, 2, 4] y=[2, 3, 9]",
        ),
        (
            "%service_ask sum revenue where not region = 'north'",
            "%service_ask sum revenue from sales where region != 'north'",
        ),
        ("%service_ask count where not revenue > 1", "%service_ask count from sales where revenue <= 1"),
        (
            "%service_compute distributions.gamma_cdf x=1.96",
            "%service_compute distributions.gamma_cdf x=1.96 shape=2 scale=1",
        ),
        ("%service_compute sqrt(2)", "%service_compute elementary.sqrt x=2"),
        ("%service_preview sales 3", "%service_preview sales --rows 3"),
    ],
)
def test_an_error_leads_to_what_was_meant(session: Session, line: str, first: str) -> None:
    assert read_error_lines(session, line)[0] == first


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("`Order Date` > 2024-03", "`Order Date` >= 2024-04-01"),
        ("`Order Date` >= 2024-03", "`Order Date` >= 2024-03-01"),
        ("`Order Date` < 2024-03", "`Order Date` < 2024-03-01"),
        ("`Order Date` <= 2024-12", "`Order Date` < 2025-01-01"),
        ("`Order Date` = 2024-02", "`Order Date` >= 2024-02-01 and `Order Date` < 2024-03-01"),
    ],
)
def test_a_month_in_a_condition_is_a_range_of_days(session: Session, condition: str, meant: str) -> None:
    session.run("orders = [{'Order Date': '2024-03-05', 'n': 1}]")
    session.run('%service_connect orders $orders --types "Order Date=date"')
    lines = read_error_lines(session, f"%service_ask sum n from orders where {condition}")
    assert lines[0] == f"%service_ask sum n from orders where {meant}"


def test_true_means_the_yes_of_a_column_of_texts(session: Session) -> None:
    session.run("orders = [{'shipped': 'yes'}, {'shipped': 'no'}]")
    session.run("%service_connect orders $orders")
    _, lines = read_below(session, "%service_ask count from orders where shipped = true")
    assert lines[0] == "%service_ask count from orders where shipped = 'yes'"
