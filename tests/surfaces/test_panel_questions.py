"""Each question that the forms of the panel write is accepted by the kernel, asks what it says, and runs as a line."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service
from service_nb.notebook.link import answer_message
from service_nb.notebook.panel import read_line
from service_nb.query.ask_line import parse_ask
from service_nb.query.spec import parse_spec
from tests.vectors.cases import document, params

FILE = "panel/questions.json"
ROWS = [
    {"day": datetime.date(2024, 1, 31), "region": "North", "from": "a", "price": 1.25, "count": 1, "paid": True},
    {"day": datetime.date(2024, 2, 1), "region": "South", "from": None, "price": 2.5, "count": 2, "paid": False},
]


@pytest.fixture(scope="module")
def orders() -> Service:
    client = service_nb.create_service()
    client.connect(ROWS, name="orders")
    return client


def test_the_source_of_the_forms_is_this_one(orders: Service) -> None:
    (source,) = _ask(orders, "sources", {})["sources"]
    told = document(FILE)["source"]
    assert source["name"] == told["name"]
    assert [{key: each[key] for key in ("name", "type")} for each in source["fields"]] == told["fields"]


@pytest.mark.parametrize("case", params(FILE))
def test_a_question_of_the_forms_is_ready_to_run_and_its_line_says_the_same(
    orders: Service, case: dict[str, Any]
) -> None:
    checked = _ask(orders, "check_ask", {"spec": case["spec"]})
    assert (checked["status"], checked["reason"], checked["candidates"]) == ("ok", None, [])
    _, arguments = read_line(checked["line"])
    assert parse_spec(parse_ask(arguments.question)) == parse_spec(case["spec"])
    outcome = orders.ask(arguments.question)
    assert outcome["status"] == "ok"
    assert case["spec"].get("order_by") in {None, *(name for row in outcome.rows for name in row)}


def _ask(client: Service, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    answer = answer_message({"service_nb": 1, "id": 1, "method": method, "params": parameters}, client)
    assert "error" not in answer, answer
    result: Any = answer["result"]
    return dict(result)
