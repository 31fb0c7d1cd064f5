"""Sixty first lines, as an analyst, an auditor and a teacher typed them before they had read anything.

Each ends in an answer, in a line that means what was typed, or in a page that says more: `Typed.offers`, None for an
answer. Nothing that was not typed is offered in the place of an answer.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import pytest
from IPython.utils.capture import capture_output

import service_nb
from service_nb import notebook
from service_nb.notebook.run_lines import LINES_MIME
from tests.surfaces.conftest import Session

SALES = """date,region,city,product,amount,share,Unit Price (€)
2024-01-05,North,Zürich,apple,10.5,0.12,2.5
2024-01-20,South,Bern,pear,20.25,0.05,3.5
2024-02-11,North,Basel,apple,30.0,0.2,2.75
2024-03-02,East,Zürich,plum,5.75,0.4,1.5
2023-12-30,South,Genf,pear,12.5,0.08,3.25
2024-02-28,West,Bern,fig,8.0,0.15,4.0
"""
CONNECT = "%service_connect sales sales.csv"
BY_REGION = "%service_ask sum amount by region"
FROM_SALES = "%service_ask sum amount by region from sales"
NPV = "%service_compute finance.npv rate=0.1 cashflows=[-1000, 300, 420]"
MEAN = "%service_compute stats.mean values=sales.amount"


class Typed(NamedTuple):
    """A line, and the line that it leads to; None if it is answered itself."""

    line: str
    offers: str | None = None


UNCONNECTED = [
    Typed("%service_ask sum amount", CONNECT),
    Typed("%service_ask sum amount from sales", CONNECT),
    Typed("%service_ask", CONNECT),
    Typed("%service_help"),
    Typed("%service_sources"),
    Typed("%service_connect", CONNECT),
    Typed("%service_connect sales.csv"),
    Typed("%service_connect sales salse.csv", CONNECT),
    Typed('%service_connect "my data/orders 2024.csv"'),
    Typed("%service_connect orders my data/orders 2024.csv", '%service_connect orders "my data/orders 2024.csv"'),
    Typed("%service_connect sales ~/sales.csv"),
    Typed("%service_connect df"),
    Typed("%service_connect name=sales path=sales.csv", CONNECT),
    Typed("%service_connect sales = sales.csv", CONNECT),
    Typed("%service_load sales.csv", "%service_connect sales.csv"),
    Typed("%service", "%service_help"),
    Typed("%ask sum amount from sales", "%service_ask --help"),
    Typed("%service_conect sales sales.csv", CONNECT),
    Typed("%service_compute mean [1, 2, 3]", "%service_compute stats.mean values=[1, 2, 3]"),
]
CONNECTED = [
    Typed("%service_ask sum amount by region?"),
    Typed("%service_ask what is the total amount by region", BY_REGION),
    Typed("%service_ask SELECT region, SUM(amount) FROM sales GROUP BY region", FROM_SALES),
    Typed("%service_ask select sum(amount) from sales", "%service_ask sum amount from sales"),
    Typed("%service_ask total amount per region", "%service_ask sum amount by region"),
    Typed("%service_ask average amount by region"),
    Typed("%service_ask sum amunt by regoin", FROM_SALES),
    Typed("%service_ask sum amount where region = North", "%service_ask sum amount where region = 'North'"),
    Typed('%service_ask sum amount where region == "North"'),
    Typed("%service_ask sum amount where region is north", "%service_ask sum amount where region = 'North'"),
    Typed("%service_ask top 5 products by amount", "%service_ask sum amount by product from sales limit 5"),
    Typed("%service_ask count"),
    Typed("%service_ask how many rows", "%service_ask count"),
    Typed("%service_ask sales.groupby('region').amount.sum()", FROM_SALES),
    Typed("%service_ask sales['amount'].sum()", "%service_ask sum amount from sales"),
    Typed("%service_ask sum(amount)", "%service_ask sum amount"),
    Typed("%service_ask amount", "%service_ask sum amount from sales"),
    Typed("%service_ask sum Unit Price (€)", "%service_ask sum `Unit Price (€)`"),
    Typed('%service_ask sum "Unit Price (€)"', "%service_ask sum `Unit Price (€)`"),
    Typed("%service_ask max date"),
    Typed("%service_ask sum amount where date > 01.02.2024", "%service_ask sum amount where date > 2024-02-01"),
    Typed("%service_ask sum amount where share > 10%"),
    Typed(
        "%service_ask sum amount in 2024",
        "%service_ask sum amount where date between 2024-01-01 and 2024-12-31",
    ),
    Typed("%service_ask sum region", "%service_preview sales"),
    Typed("%service_ask sum amount where city = 'Zurich'", "%service_ask sum amount from sales where city = 'Zürich'"),
    Typed("%service_ask show me the sales", "%service_preview sales"),
    Typed('%service_ask "sum amount by region"', BY_REGION),
    Typed("%service_ask sum amount group by region", "%service_ask sum amount by region"),
    Typed("%service_compute npv 0.1 -1000 300 420", NPV),
    Typed("%service_compute finance.npv(rate=0.1, cashflows=[-1000, 300, 420])"),
    Typed("%service_compute finance.npv rate=10% cashflows=[-1000,300,420]", NPV),
    Typed("%service_compute finance.npv rate=0.1 cashflow=-1000,300,420", NPV),
    Typed(
        "%service_compute finance.npv",
        "%service_help finance.npv",
    ),
    Typed("%service_compute mean amount", MEAN),
    Typed("%service_compute stats.mean sales.amount", MEAN),
    Typed("%service_compute 2 + 2", "%service_help"),
    Typed(
        "%service_compute kinetic_energy mass=2kg velocity=3m/s",
        "%service_compute mechanics.kinetic_energy mass=2 speed=3",
    ),
    Typed("%service_search internal rate of return"),
    Typed("%service_help npv", "%service_help finance.npv"),
    Typed("%service_check mean 5", "%service_check --help"),
    Typed("%service_replay", "%service_replay --help"),
]


@pytest.fixture
def newcomer(bare_session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session in a folder with two files, one frame, and a file in the home folder."""
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    (tmp_path / "my data").mkdir()
    (tmp_path / "my data" / "orders 2024.csv").write_text(SALES, encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "sales.csv").write_text(SALES, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    bare_session.shell.run_line_magic("load_ext", "service_nb")
    bare_session.shell.user_ns["df"] = pandas.DataFrame({"a": [1, 2]})
    notebook.use(service_nb.create_service(runtime="in_process"))
    return bare_session


def run(session: Session, line: str) -> tuple[Any, list[str]]:
    """Run a line, and return what it gives and the lines that lead on from it."""
    with capture_output() as captured:
        result = session.shell.run_cell(line, store_history=True)
    shown = [each["line"] for each in list_shown(captured.outputs)]
    error, value = result.error_in_exec, result.result
    if isinstance(error, service_nb.ServiceError):
        return None, error.lines
    if isinstance(value, dict) and value.get("status") == "needs_clarification":
        shown += [f"%service_ask {way['ask']}" for way in value["resolution"]["candidates"]]
    return None if error is not None else value, shown


def list_shown(outputs: list[Any]) -> list[dict[str, str]]:
    """List the lines with a button among the outputs of a cell."""
    found = [(each.data if hasattr(each, "data") else each["data"]).get(LINES_MIME, {}) for each in outputs]
    return [line for each in found for line in each.get("lines", [])]


def is_answer(value: Any) -> bool:
    """Tell whether a value answers: a question with rows behind it, a computation, a source, a page."""
    if value is None or (isinstance(value, dict) and value.get("status") in ("rejected", "needs_clarification")):
        return False
    rows = value["data"]["result"] if isinstance(value, service_nb.QueryOutcome) else None
    return rows is None or any(row.get("count") != 0 for row in rows)


def follow(session: Session, typed: Typed) -> None:
    """Type a line; where it is not answered, run the first line that leads on, which is."""
    value, lines = run(session, typed.line)
    if typed.offers is None:
        assert is_answer(value), lines
        return
    assert not is_answer(value)
    assert lines[:1] == [typed.offers]
    followed, more = run(session, lines[0])
    assert is_answer(followed) or lines[0].endswith("--help"), more


@pytest.mark.parametrize("typed", UNCONNECTED, ids=lambda typed: typed.line)
def test_a_first_line_leads_to_an_answer(newcomer: Session, typed: Typed) -> None:
    follow(newcomer, typed)


@pytest.mark.parametrize("typed", CONNECTED, ids=lambda typed: typed.line)
def test_a_first_line_about_a_source_leads_to_an_answer(newcomer: Session, typed: Typed) -> None:
    newcomer.run(CONNECT)
    follow(newcomer, typed)


def test_there_are_sixty(newcomer: Session) -> None:
    assert len({*UNCONNECTED, *CONNECTED}) == 60
    assert os.environ["HOME"].endswith("home")


def test_suggestions_name_nothing_that_a_policy_hides(newcomer: Session) -> None:
    newcomer.run(CONNECT)
    notebook.use(notebook.current().narrow({"allowed_fields": {"sales": ["region", "share"]}}))
    for line in [*(typed.line for typed in CONNECTED), "%service_ask sum amuont", "%service_compute stats.mean amuont"]:
        words = set(re.findall(r"\w+", line))
        _, lines = run(newcomer, line)
        for hidden in {"amount", "city", "product", "date", "Price"} - words:
            assert not any(f"{hidden} " in f"{each} " for each in lines if each.split(" ", 1)[1:] != [line]), (
                line,
                lines,
            )
