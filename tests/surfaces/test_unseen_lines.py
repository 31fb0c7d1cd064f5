"""Sixty first lines of one person, written before seeing the code, its tests or its lists of words.

The person had read the first sixty lines of README.md and `%service_help`, and had made two files: sales with gaps and
a name with a space, and a German one. The lines stand as they were typed. Each ends in an answer, in a line that means
what was typed, in candidates that ask about one slot, or in a page that says more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb import notebook
from tests.surfaces.conftest import Session
from tests.surfaces.test_first_lines import Typed, run

REGIONS = ("North", "South", "East", "West", "Zürich")
PRODUCTS = ("Green Tea", "Black Tea", "Coffee Beans", "Mug")
CUSTOMERS = ("Ann", "Bob", "Çelik", "O'Neil", "Dana", "")
SALES = "order_date,region,Product Name,Unit Price,quantity,revenue,customer\n" + "".join(
    f"{2023 + at % 2}-{1 + at % 12:02}-{1 + at % 28:02},{REGIONS[at % 5]},{PRODUCTS[at % 4]},{at * 3}.{at % 10}5,"
    f"{1 + at % 9},{'' if at % 17 == 0 else f'{at * 37}.{at % 10}0'},{CUSTOMERS[at % 6]}\n"
    for at in range(1, 121)
)
GERMAN = "Datum;Filiale;Umsatz;Menge\n" + "".join(
    f"{1 + at % 28:02}.{1 + at % 12:02}.2024;{('Bern', 'Köln', 'Wien')[at % 3]};{1 + at % 9}.{100 + at},{at:02};{at}\n"
    for at in range(1, 61)
)
LINES = [
    Typed("%service_connect sales.csv"),
    Typed("%service_connect sales sale.csv", "%service_connect sales sales.csv"),
    Typed("%service_connect umsatz umsatz 2024.csv", '%service_connect umsatz "umsatz 2024.csv"'),
    Typed('%service_connect "umsatz 2024.csv"'),
    Typed('%service_connect umsatz "umsatz 2024.csv" --decimal ,'),
    Typed("%service_load sales.csv", "%service_connect sales.csv"),
    Typed("%service_ask how many rows", "%service_ask count"),
    Typed("%service_ask how many rows are in sales?", "%service_ask count from sales"),
    Typed("%service_ask count sales", "%service_ask count from sales"),
    Typed("%service_ask sales by month", "%service_preview sales"),
    Typed("%service_ask top 3 regions by revenue", "%service_ask sum revenue by region from sales limit 3"),
    Typed("%service_ask avg(revenue)", "%service_ask avg revenue"),
    Typed("%service_ask average revenue by region"),
    Typed("%service_ask mean of Unit Price", "%service_ask avg `Unit Price`"),
    Typed(
        '%service_ask mean of "Unit Price" by region from sales', "%service_ask avg `Unit Price` by region from sales"
    ),
    Typed(
        "%service_ask sum revenue from sales where region = North",
        "%service_ask sum revenue from sales where region = 'North'",
    ),
    Typed('%service_ask sum revenue from sales where region = "North"'),
    Typed("%service_ask sum revenue from sales where region == 'South' and quantity > 3"),
    Typed(
        "%service_ask select region, sum(revenue) from sales group by region",
        "%service_ask sum revenue by region from sales",
    ),
    Typed("%service_ask SELECT * FROM sales LIMIT 5", "%service_preview sales --rows 5"),
    Typed(
        "%service_ask select count(*) from sales where customer is null",
        "%service_ask count from sales where customer is null",
    ),
    Typed("%service_ask total revenue per region", "%service_ask sum revenue by region"),
    Typed("%service_ask sum revnue by regoin from sales", "%service_ask sum revenue by region from sales"),
    Typed(
        "%service_ask sum revenue from sales where region = 'Zurich'",
        "%service_ask sum revenue from sales where region = 'Zürich'",
    ),
    Typed("%service_ask sum revenue from sales where order_date >= 2024-01-01"),
    Typed(
        "%service_ask sum revenue in 2024",
        "%service_ask sum revenue where order_date between 2024-01-01 and 2024-12-31",
    ),
    Typed("%service_ask revenue by month", "%service_ask sum revenue by month of order_date from sales"),
    Typed("%service_ask monthly revenue", "%service_ask sum revenue by month of order_date from sales"),
    Typed("%service_ask what is the total revenue?", "%service_ask sum revenue"),
    Typed(
        "%service_ask What was our best region?",
        "%service_preview sales",
    ),
    Typed("%service_ask max Unit Price from sales", "%service_ask max `Unit Price` from sales"),
    Typed("%service_ask median revenue by region"),
    Typed("%service_ask distinct customers from sales", "%service_ask count_distinct customer from sales"),
    Typed("%service_ask count distinct customer by region from sales"),
    Typed("%service_ask count missing customer", "%service_preview sales"),
    Typed("%service_ask =SUM(revenue)", "%service_ask sum revenue"),
    Typed('%service_ask =SUMIF(region;"North";revenue)', "%service_ask sum revenue where region = 'North'"),
    Typed("%service_ask sales.groupby('region')['revenue'].sum()", "%service_ask sum revenue by region from sales"),
    Typed('%service_ask sales["revenue"].mean()', "%service_ask avg revenue from sales"),
    Typed("%service_ask mean(sales$revenue)", "%service_ask avg revenue from sales"),
    Typed("%service_ask summary(sales)", "%service_profile sales"),
    Typed("%service_ask show me the first 10 rows of sales", "%service_preview sales"),
    Typed(
        "%service_ask sum revenue where revenue > 1.000,50",
        "%service_ask sum revenue where revenue > 1000.5",
    ),
    Typed("%service_ask list regions", "%service_preview sales"),
    Typed(
        "%service_ask sum of revenue from sales group by region having sum(revenue) > 5000 order by revenue desc",
        "%service_ask sum revenue by region from sales having sum revenue > 5000 order by revenue desc",
    ),
    Typed("%service_ask average price by product", "%service_preview sales"),
    Typed(
        "%service_compute npv 0.08 [-1000, 300, 400, 500]",
        "%service_compute finance.npv rate=0.08 cashflows=[-1000, 300, 400, 500]",
    ),
    Typed(
        "%service_compute npv(0.08, [-1000, 300, 400, 500])",
        "%service_compute finance.npv rate=0.08 cashflows=[-1000, 300, 400, 500]",
    ),
    Typed("%service_compute mean [1, 2, 3, 4]", "%service_compute stats.mean values=[1, 2, 3, 4]"),
    Typed(
        "%service_compute median(sales.revenue)",
        "%service_compute stats.median values=sales.revenue",
    ),
    Typed(
        "%service_compute t-test a=[5.1, 4.9, 5.6] b=[4.1, 4.4, 4.0]",
        "%service_compute hypothesis.t_test_two_sample first=[5.1, 4.9, 5.6] second=[4.1, 4.4, 4.0]",
    ),
    Typed(
        "%service_compute stats.ttest [5.1, 4.9, 5.6] [4.1, 4.4, 4.0]",
        "%service_compute hypothesis.t_test_welch first=[5.1, 4.9, 5.6] second=[4.1, 4.4, 4.0]",
    ),
    Typed("%service_compute stats.std values=[1, 2, 3, 4]"),
    Typed(
        "%service_compute correlation x=[1,2,3] y=[2,4,7]", "%service_compute stats.correlation x=[1, 2, 3] y=[2, 4, 7]"
    ),
    Typed("%service_search t test"),
    Typed("%service_profile sales"),
    Typed("%service_plot revenue by region", "%service_ask --help"),
    Typed("%service_export sales.xlsx", "%service_ask --help"),
    Typed("%service_verify"),
    Typed("%service_help how do I connect a database", "%service_search how connect database"),
]


@pytest.fixture
def folder(bare_session: Session, tmp_path: Path) -> Session:
    """A session in a folder with the two files."""
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    (tmp_path / "umsatz 2024.csv").write_text(GERMAN, encoding="utf-8")
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    return bare_session


def is_answered(session: Session, line: str, value: Any) -> bool:
    """Tell whether a line was answered: with a value that is no refusal, or with a page that is printed."""
    if value is None:
        magic, _, option = line[1:].partition(" ")
        return option == "--help" and magic in session.shell.magics_manager.magics["line"]
    return not isinstance(value, dict) or value.get("status") not in ("rejected", "needs_clarification")


def test_all_sixty_lead_to_an_answer_or_to_a_page(folder: Session) -> None:
    for typed in LINES:
        notebook.use(service_nb.create_service(runtime="in_process"))
        if not typed.line.startswith(("%service_connect", "%service_load")):
            folder.run("%service_connect sales sales.csv")
        value, lines = run(folder, typed.line)
        if typed.offers is not None:
            assert lines[:1] == [typed.offers], (typed, lines)
            value, lines = run(folder, lines[0])
        if value is None and lines and lines[0].endswith("--null-policy drop"):  # what to do with nulls is asked first
            value, lines = run(folder, lines[0])
        assert is_answered(folder, typed.offers or typed.line, value), (typed, lines)
    assert len({typed.line for typed in LINES}) == 60
