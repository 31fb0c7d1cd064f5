"""Operands that no double equals are compared as the nearest one, and the plan, the card and its faces say so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.service import Service

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "rounded_operands.json").read_text(encoding="utf-8")
)
LONG = "count from t where x = 0.30000000000000000001"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "t.csv").write_text(VECTORS["text"])
    made = service_nb.create_service(project=tmp_path)
    made.connect(tmp_path / "t.csv", name="t")
    yield made
    made.close()


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["question"])
def test_a_plan_notes_what_the_vectors_say(client: Service, case: dict[str, Any]) -> None:
    assert client.resolve(case["question"])["plan"]["notes"] == case["notes"]
    outcome = client.ask(case["question"])
    assert outcome.card["view"]["notes"] == [f"{name}: {note}" for name, note in case["notes"].items()]
    assert not [each for each in outcome.verify().checks if each.status == "failed"]
    assert outcome.replay()["status"] == "identical"


def test_the_faces_have_the_note(client: Service) -> None:
    faces, _ = client.ask(LONG)._repr_mimebundle_()
    for mime in ("text/plain", "text/html", "text/markdown", "text/latex"):
        assert "0.30000000000000000001 as 0.3, the nearest double" in " ".join(faces[mime].split()), mime


def test_the_note_is_no_part_of_what_is_hashed(client: Service) -> None:
    noted, plain = (client.ask(line)["data"] for line in (LONG, "count from t where x = 0.3"))
    for name in ("plan_hash", "result_hash"):
        assert noted[name] == plain[name]
    stored = {**client.resolve(LONG)["plan"], "notes": {}}  # as a version stored it that noted nothing
    assert client.verify(stored)["valid"]
    assert client.query_with_metadata(stored)["provenance"]["notes"] == {}
