"""Controls of a question: their values are bound as variables, and a value that stays is asked and recorded once."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import nbformat
import pytest
from nbclient import NotebookClient

import service_nb
from service_nb.errors import InvalidIntentError
from service_nb.schema.card import CARD_MIME

ROWS = [{"region": region, "year": year, "x": year / 8} for region in ("north", "south") for year in range(2019, 2026)]
QUESTION = "sum x by region from sales where year >= $year"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[service_nb.Service]:
    client = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger")
    client.connect(ROWS, name="sales")
    yield client
    client.close()


def control(explorer: Any, name: str) -> Any:
    return explorer._controls[name]


def test_a_control_binds_its_value_and_each_value_is_recorded_once(service: service_nb.Service) -> None:
    explorer = service_nb.interact(QUESTION, service, year=(2019, 2025))
    slider = control(explorer, "year")
    assert (slider.min, slider.max, slider.value, slider.description) == (2019, 2025, 2022, "year")
    slider.value = 2025
    assert explorer.outcome is not None
    assert [row["x"] for row in explorer.outcome.rows] == [253.125, 253.125]
    assert explorer.outcome.card["view"]["notes"] == ["$year: 2025"]
    assert explorer.outcome.verify().status in ("verified", "unaltered", "consistent")
    assert explorer.outcome.replay()["status"] == "identical"
    slider.value = 2022
    slider.value = 2025
    asked = [entry for entry in service.log(100) if entry["kind"] == "query"]
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("value", "kind", "first"),
    [
        (range(2019, 2026), ipywidgets.IntSlider, 2022),
        (range(2019, 2026, 3), ipywidgets.IntSlider, 2022),
        ([2020, 2021], ipywidgets.Dropdown, 2020),
        ({"this": 2025, "last": 2024}, ipywidgets.Dropdown, 2025),
        ((2019.0, 2020.0, 0.5), ipywidgets.FloatSlider, 2019.5),
        (ipywidgets.BoundedIntText(2024, min=0, max=3000), ipywidgets.BoundedIntText, 2024),
    ],
)
def test_ranges_choices_and_widgets_are_controls(
    service: service_nb.Service, value: object, kind: type, first: object
) -> None:
    explorer = service_nb.interact(QUESTION, service, year=value)
    assert type(control(explorer, "year")) is kind
    assert explorer.values == {"year": first}
    assert explorer.outcome is not None


def test_an_answer_is_asked_again_with_controls(service: service_nb.Service) -> None:
    noted = service.ask("sum x from sales where x >= $least", variables={"least": 253})
    assert noted.widget(least=[253]).outcome.rows == [{"x": 1012.25, "count": 4}]
    compared = service.ask("sum x from sales where year > 2024 order asc")
    explorer = compared.widget(year=range(2019, 2026))
    control(explorer, "year").value = 2024
    assert explorer.outcome.rows == [{"x": 506.25, "count": 2}]
    narrowed = compared.widget(region=["north", "south"])  # a column without a condition gets one
    assert narrowed.outcome.rows == [{"x": 253.125, "count": 1}]
    with pytest.raises(InvalidIntentError, match="2 conditions"):
        service.ask("sum x from sales where year > 2020 and year < 2024").widget(year=(2019, 2025))


def test_names_that_do_not_fit_are_told_with_what_to_write(service: service_nb.Service) -> None:
    with pytest.raises(InvalidIntentError, match=r"`\$year` has no control") as caught:
        service_nb.interact(QUESTION, service)
    assert "year=(1, 10)" in (caught.value.hint or "")
    with pytest.raises(InvalidIntentError, match="no variable `\\$yaer`") as caught:
        service_nb.interact(QUESTION, service, year=(1, 2), yaer=(1, 2))
    assert "year" in (caught.value.hint or "")
    with pytest.raises(InvalidIntentError, match="year is no control"):
        service_nb.interact(QUESTION, service, year=object())
    with pytest.raises(InvalidIntentError, match="range of year is empty"):
        service_nb.interact(QUESTION, service, year=range(5, 5))


def test_an_error_stands_where_the_card_stands(service: service_nb.Service) -> None:
    explorer = service_nb.interact("sum x from sales where year >= $year", service, year=["now", 2020])
    assert explorer.outcome is not None
    assert explorer.outcome["status"] == "rejected"
    control(explorer, "year").value = 2020
    assert explorer.outcome["status"] == "ok"


def test_a_date_is_a_control(service: service_nb.Service) -> None:
    service.connect([{"day": datetime.date(2024, 1, day), "x": day} for day in (1, 2, 3)], name="days")
    explorer = service_nb.interact(
        "sum x from days where day >= $day", service, day=ipywidgets.DatePicker(value=datetime.date(2024, 1, 2))
    )
    assert explorer.outcome is not None
    assert explorer.outcome.rows == [{"x": 5, "count": 2}]


CELLS = (
    "%load_ext service_nb",
    'import service_nb\nrows = [{"year": year, "x": year / 8} for year in range(2019, 2026)]',
    "%service_connect sales rows",
    'e = service_nb.interact("sum x from sales where year >= $year", year=(2019, 2025))\ne',
    "import asyncio\nfor year in (2020, 2021, 2025):\n    e._controls['year'].value = year\nawait asyncio.sleep(1)",
    "entries = %service_log --kind query\n['x' for each in entries]",
)


def test_in_a_kernel_a_value_is_asked_once_it_has_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVICE_LEDGER")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown, card = book.cells[3].outputs
    assert "application/vnd.jupyter.widget-view+json" in shown["data"]
    assert card["data"][CARD_MIME]["view"]["notes"] == ["$year: 2025"]  # the output was updated in its place
    told = str(book.cells[5].outputs[0]["data"]["text/plain"])
    assert told.count("x") == 2, told  # the first value and the settled one, none between


@pytest.mark.parametrize(
    ("condition", "value", "starts"),
    [
        ("x > 3", (1, 12), 3),  # in the middle, 6, stands another question
        ("x > 3", range(1, 13), 3),
        ("x > 252.5", (1.0, 300.0, 0.5), 252.5),
        ("x > 3", (5, 12), 5),  # the nearest that the range has
        ("x > 3", [1, 3, 12], 3),
        ("x > 3", [1, 12], 1),
        ("x > 3", {"a few": 3, "many": 12}, 3),
        ("x > 3", 7, 7),  # a value to start from is one
    ],
)
def test_a_control_in_the_place_of_a_value_starts_at_that_value(
    service: service_nb.Service, condition: str, value: Any, starts: float
) -> None:
    outcome = service.ask(f"count from sales where {condition}")
    explorer = outcome.widget(x=value)
    assert explorer.values == {"x": starts}
    assert explorer.outcome is not None
    if starts != 3 or isinstance(value, tuple | range):
        assert explorer.outcome["resolution"]["plan"]["filter"]["conditions"][0]["value"] == starts


def test_a_control_of_the_callers_own_starts_where_they_set_it(service: service_nb.Service) -> None:
    mine = ipywidgets.IntSlider(value=9, min=1, max=12)
    assert service.ask("count from sales where x > 3").widget(x=mine).values == {"x": 9}


class _Shell:
    """What an explorer needs of a shell: where it publishes."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = []
        self.display_pub = self
        self.magics_manager = type("Manager", (), {"registry": {}})()

    def publish(self, **told: Any) -> None:
        self.published.append(told)


def test_a_page_that_opens_the_notebook_again_is_told_that_below_may_stand_an_earlier_card(
    service: service_nb.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = _Shell()
    monkeypatch.setattr("service_nb.notebook.explorer.get_ipython", lambda: shell)
    explorer = service_nb.interact(QUESTION, service, year=(2019, 2025))
    explorer._ipython_display_()
    box, first = shell.published
    assert "need" not in box["data"]["text/plain"]
    slot = first["metadata"]["service_nb"]["slot"]
    assert first["transient"] == {"display_id": slot}

    control(explorer, "year").value = 2024
    assert shell.published[-1]["update"] is True
    assert shell.published[-1]["metadata"]["service_nb"] == {"slot": slot}  # by which our extension finds it
    assert explorer._note.value == ""
    explorer._box.get_state()  # as a page asks that finds the controls in a notebook that it opens
    control(explorer, "year").value = 2023
    assert "earlier card" in explorer._note.value
    assert explorer._note.layout.display is None
