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
            "%service_profile sales",
        ),
        (
            "%service_ask sum revenue from sales where `Order Year` > 2050 and revenue < 0",
            "No row of sales meets all conditions.",
            "%service_profile sales",
        ),
        (
            "%service_ask sum profit by region from sales",
            "sales has region, `Order Year`, revenue, paid, secret.",
            "%service_preview sales",
        ),
        (
            "%service_ask sum revenue from sales where region = 'east'",
            "There is no value: revenue is null in the row that counts.",
            None,
        ),
        (
            "%service_ask count from sales where region = 'North'",
            "No row has region = 'North'.",
            "%service_ask count from sales where region = 'north'",
        ),
    ],
)
def test_what_has_no_value_says_why_and_leads_on(session: Session, line: str, says: str, first: str | None) -> None:
    said, lines = read_below(session, line)
    assert said == says
    assert lines[:1] == ([first] if first is not None else [])
    for each in lines:
        session.run(each)


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
        "%service_ask count by month of seen from penguins",
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
    ("line", "heading", "first"),
    [
        (
            "%service_ask correlation revenue and `Order Year`",
            "Did you mean",
            "%service_compute stats.correlation x=sales.revenue y=sales.`Order Year`",
        ),
        (
            "%service_ask sum revenue where not region = 'north'",
            "Did you mean",
            "%service_ask sum revenue where region != 'north'",
        ),
        ("%service_ask count where not revenue > 1", "Did you mean", "%service_ask count where revenue <= 1"),
        ("%service_compute cbrt(2)", "Did you mean", "%service_compute elementary.cbrt x=2"),
        ("%service_compute sqrt(2)", "Did you mean", "%service_compute elementary.sqrt x=2"),
        (
            "%service_compute wilcox.test(sales$revenue, sales$revenue, paired = TRUE)",
            "Look at",
            "%service_help hypothesis.wilcoxon_exact",
        ),
        ("%service_preview sales 3", "Did you mean", "%service_preview sales --rows 3"),
        # What is not understood leads to a page, never to a question that was not typed or to an example's numbers.
        ("%service_ask how many sales were paid by region", "Look at", "%service_preview sales"),
        ("%service_ask count where region", "Look at", "%service_preview sales"),
        ("%service_ask sum revenue where region in March", "Look at", "%service_preview sales"),
        ("%service_compute distributions.gamma_cdf x=1.96", "Look at", "%service_help distributions.gamma_cdf"),
    ],
)
def test_an_error_leads_to_what_was_meant_or_to_a_page(session: Session, line: str, heading: str, first: str) -> None:
    with capture_output():
        error = session.shell.run_cell(line).error_in_exec
    assert isinstance(error, ServiceError)
    assert (error.heading, error.lines[0]) == (heading, first)


def test_a_computation_without_a_value_shows_the_blank(session: Session) -> None:
    error = session.error("%service_compute distributions.gamma_cdf x=1.96")
    assert "distributions.gamma_cdf x=1.96 shape=… scale=…" in str(error)


@pytest.mark.parametrize(
    ("line", "says", "lines"),
    [
        ("%service_export sales", "outcome.to_csv('rows.csv')", ["%service_ask --help"]),
        ("%service_plot sum revenue by region", "--chart", ["%service_ask sum revenue by region --chart"]),
        ("%service_sum revenue", "", ["%service_help"]),
        ("%service_load sales.csv", "", ["%service_connect sales.csv"]),
    ],
)
def test_a_magic_that_is_none_says_what_does_it(session: Session, line: str, says: str, lines: list[str]) -> None:
    with capture_output() as captured:
        session.shell.run_cell(line)
    found = [each.data for each in captured.outputs if "application/vnd.service-nb.lines.v1+json" in each.data]
    shown = found[-1]["application/vnd.service-nb.lines.v1+json"]
    assert says in shown["says"]
    assert [each["line"] for each in shown["lines"]] == lines


def test_the_call_that_reads_a_file_elsewhere_is_the_line_that_connects_it(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.csv").write_text("a;b\n1;x\n", encoding="utf-8")
    read = read_error_lines(session, "%service_connect df = pd.read_csv('survey.csv', sep=';')")
    assert read == ['%service_connect df survey.csv --delimiter ";"']
    session.run(read[0])


def test_an_encoding_that_the_bytes_allow_is_asked_for(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cafe.csv").write_bytes("name,n\nCafé,1\nZoë,2\n".encode("mac_roman"))
    lines = read_error_lines(session, "%service_connect cafe cafe.csv")
    assert lines[0] == "%service_connect cafe cafe.csv --encoding mac_roman"
    assert not any("cp1252" in each for each in lines)
    session.run(lines[0])
    assert session.run("%service_ask count from cafe where name = 'Café'")["data"]["result"] == [{"count": 1}]  # type: ignore[index]
