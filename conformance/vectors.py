"""The shared vectors as cases: what they say is due of every client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.run import Case

VECTORS = Path(__file__).resolve().parents[1] / "tests" / "vectors"
OF_ANSWERS = ("schema_revision", "plan_hash", "result_hash")


def list_vectors() -> Iterator[Case]:
    """Yield a case for each question, refusal and broken document of the vectors."""
    for case in _read("hashes/questions.json"):
        yield _build_question(case, {key: case[key] for key in OF_ANSWERS})
    for case in _read("hashes/refusals.json"):
        yield _build_question(case, {"refusal_hash": case["refusal_hash"]})
    for at, case in enumerate(_read("canonical/errors.json")):
        if "input" not in case:
            continue
        connect = {"verb": "connect", "name": "t", "format": "json", "text": case["input"]}
        yield Case(f"canonical/errors.json {at}", ({"verb": "open"}, connect))


def _read(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((VECTORS / name).read_text(encoding="utf-8"))["cases"]
    return cases


def _build_question(case: dict[str, Any], due: dict[str, str]) -> Case:
    source = case["source"]
    connect = {"verb": "connect", "name": source["name"], "format": "csv", "text": source["csv"]}
    return Case(case["name"], ({"verb": "open"}, connect, {"verb": "ask", "question": case["spec"], "due": due}))
