"""Sixty questions of people, scored by the hash of the plan; an agent of a script sends them, no model takes part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import service_nb
from service_nb.agents import create_tools
from service_nb.schema.agent_tools import QUESTION

HERE = Path(__file__).parents[2] / "vectors" / "agents"
QUESTIONS: list[dict[str, Any]] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def service() -> service_nb.Service:
    made = service_nb.create_service(ledger="off")
    made.connect(HERE / "orders.csv")
    return made


def test_there_are_sixty_and_each_is_another() -> None:
    assert len(QUESTIONS) == len({each["question"] for each in QUESTIONS}) == 60


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_a_question_ends_in_the_plan_of_its_line(asked: dict[str, Any], service: service_nb.Service) -> None:
    tools, (*refused, sent) = create_tools(service), asked["inputs"]
    for each in refused:
        told = tools.call("queryData", each)
        assert told["status"] in ("needs_clarification", "rejected")
        assert "plan_hash" not in told
    jsonschema.Draft202012Validator(QUESTION).validate(sent)
    told = tools.call("queryData", sent)
    assert told["plan_hash"] == asked["plan_hash"], told["text"]
    assert tools.call("explainQuery", sent)["plan_hash"] == asked["plan_hash"]
    assert told["result_hash"] == service.ask(asked["line"])["data"]["result_hash"]
