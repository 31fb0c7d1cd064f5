"""Rows out, evidence stays: nothing of the values is left, the signature still holds, no other byte changes."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import service_nb
from service_nb.cards.card_builder import build_card
from service_nb.cards.faces import to_bundle
from service_nb.client.replay.flow import build_replay_evidence
from service_nb.errors import EvidenceError
from service_nb.evidence.documents import check_document, find_cards
from service_nb.evidence.standalone import WIDGETS_MIME
from service_nb.evidence.stripping import strip_card, strip_file, strip_notebook
from service_nb.schema.card import CARD_MIME
from service_nb.schema.reports import Comparison, Difference, Replay
from tests.simulators.compute import simulated
from tests.simulators.signing import Key, signed_card

SECRETS = ("SECRETREGION", "31337.25")


def faces(card: Any) -> dict[str, Any]:
    return to_bundle(card)[0]


@pytest.fixture
def cards(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "sales.csv"
    path.write_text(f"region,revenue\n{SECRETS[0]},{SECRETS[1]}\nNorth,1\n")
    service = service_nb.create_service()
    service.connect(path)
    return {
        "query": signed_card(service.ask("sum revenue by region").card),
        "refusal": signed_card(service.ask("sum revenu by region").card),
        "computation": signed_card(simulated(tmp_path).compute("simulation.draw draws=30 seed=7").card),
    }


def widgets_of(*outputs: Any, model: str = "0a") -> dict[str, Any]:
    """The state of an `Output` widget that shows what `interact` gave."""
    return {
        WIDGETS_MIME: {"version_major": 2, "version_minor": 0, "state": {model: {"state": {"outputs": [*outputs]}}}}
    }


def output(card: Any, **twins: Any) -> Any:
    return new_output("execute_result", data=faces(card) | twins, execution_count=3)


def notebook(cards: dict[str, Any]) -> Any:
    made = new_notebook(
        cells=[
            new_markdown_cell("# Umsätze, grüße"),
            new_code_cell("%service_ask sum revenue by region", outputs=[output(cards["query"])], execution_count=3),
            new_code_cell("x", outputs=[new_output("stream", text="31337.25\n"), output(cards["refusal"])]),
            new_code_cell("y", outputs=[output(cards["computation"])], execution_count=5),
            new_code_cell("z"),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}, "note": 1.50},
    )
    for index, cell in enumerate(made.cells):
        cell["id"] = f"cell-{index}"
    return made


def content(cards: dict[str, Any]) -> bytes:
    return (nbformat.writes(notebook(cards)) + "\n").encode()


def outside_of_outputs(text: str) -> str:
    met = json.loads(text)
    for cell in met["cells"]:
        for each in cell.get("outputs", ()):
            each.pop("data", None)
    return json.dumps(met)


def test_no_value_is_left_and_the_signatures_hold(cards: dict[str, Any]) -> None:
    stripped = strip_notebook(content(cards), faces)

    assert stripped.cards == 2
    met = json.loads(stripped.text)
    query = met["cells"][1]["outputs"][0]["data"]
    assert not any(secret in json.dumps(query) for secret in SECRETS)
    assert sorted(query) == sorted(faces(cards["query"]))
    assert query[CARD_MIME]["view"]["rows"] == []
    assert query[CARD_MIME]["receipt"] == cards["query"]["receipt"]
    drawn = json.loads(cards["computation"]["canonical"]["value"])
    assert not any(str(value) in json.dumps(met["cells"][3]) for value in drawn)
    before = check_document(content(cards), keys=[Key().public_key])
    after = check_document(stripped.text.encode(), keys=[Key().public_key])
    assert all(verdict.causes == () for verdict in (*before, *after))
    checks = {check.name: (check.status, check.cause) for check in after[0].checks}
    assert checks["result_hash"] == ("not_checkable", "text_not_kept")
    assert checks["rows_hash"] == ("not_checkable", "rows_not_kept")
    assert {checks[name][0] for name in ("plan_hash", "view_hash", "signature", "inclusion", "checkpoint")} == {
        "passed"
    }


def test_a_refusal_holds_no_values_and_not_a_byte_of_it_changes(cards: dict[str, Any]) -> None:
    assert strip_card(cards["refusal"]) == cards["refusal"]
    made = new_notebook(cells=[new_code_cell("x", outputs=[output(cards["refusal"])], id="a")])
    text = nbformat.writes(made)

    assert strip_notebook(text.encode(), faces) == (text, 0, 0)


def test_only_the_outputs_change_in_what_nbformat_wrote_and_it_stays_as_nbformat_writes(cards: dict[str, Any]) -> None:
    before = content(cards).decode()
    after = strip_notebook(before.encode(), faces).text

    assert outside_of_outputs(after) == outside_of_outputs(before)
    assert after.endswith("\n")
    assert nbformat.writes(nbformat.reads(after, 4)).rstrip() == after.rstrip()
    nbformat.validate(nbformat.reads(after, 4))
    changed = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    assert "Umsätze" not in "".join(changed)


@pytest.mark.parametrize(
    "layout",
    [
        {"indent": 1},
        {"indent": 2},
        {"indent": "\t"},
        {"indent": None},
        {"separators": (",", ":")},
        {"indent": 4, "ensure_ascii": True},
    ],
)
def test_whatever_wrote_the_notebook_its_layout_and_order_stay(layout: dict[str, Any], cards: dict[str, Any]) -> None:
    met = json.loads(content(cards))
    met = {"nbformat_minor": met["nbformat_minor"], "nbformat": 4, "cells": met["cells"], "metadata": met["metadata"]}
    options = {"ensure_ascii": False} | layout
    before = json.dumps(met, **options)

    after = strip_notebook(before.encode(), faces).text
    assert json.dumps(json.loads(after), **options) == after
    assert list(json.loads(after)) == list(met)
    again = strip_notebook(after.encode(), faces)
    assert again == (after, 0, 0)


def test_a_number_that_python_would_write_otherwise_stays_as_it_stands(cards: dict[str, Any]) -> None:
    text = content(cards).decode().replace('"note": 1.5', '"note": 1.50E+0')
    assert "1.50E+0" in text

    assert "1.50E+0" in strip_notebook(text.encode(), faces).text


def test_a_picture_of_the_values_beside_a_card_goes_and_other_outputs_stay_unless_told(cards: dict[str, Any]) -> None:
    made = notebook(cards)
    made.cells[1].outputs[0].data["image/png"] = "iVBORw0KGgo="
    made.cells[1].outputs[0].data["text/latex"] = SECRETS[1]
    text = nbformat.writes(made)

    stripped = strip_notebook(text.encode(), faces)
    met = json.loads(stripped.text)
    faces_left = met["cells"][1]["outputs"][0]["data"]
    assert "image/png" not in faces_left
    assert SECRETS[1] not in str(faces_left["text/latex"]), "a face of the card is made anew"
    assert met["cells"][2]["outputs"][0]["text"] == ["31337.25\n"]
    assert stripped.outputs == 0
    everything = strip_notebook(text.encode(), faces, all_outputs=True)
    assert everything.outputs == 1
    assert everything.cards == stripped.cards
    assert [len(cell.get("outputs", ())) for cell in json.loads(everything.text)["cells"]] == [0, 1, 1, 1, 0]
    assert not any(secret in everything.text for secret in SECRETS)
    assert [each.card["kind"] for each in find_cards(json.loads(everything.text))] == [
        "query",
        "clarification",
        "computation",
    ]


def test_execution_counts_ids_and_sources_stay(cards: dict[str, Any]) -> None:
    before = json.loads(content(cards))
    after = json.loads(strip_notebook(content(cards), faces, all_outputs=True).text)

    for name in ("id", "source", "execution_count", "metadata", "cell_type"):
        assert [cell.get(name) for cell in after["cells"]] == [cell.get(name) for cell in before["cells"]]
    assert after["cells"][1]["outputs"][0]["execution_count"] == 3


def test_a_card_by_itself_is_stripped_too(cards: dict[str, Any]) -> None:
    text = json.dumps(cards["query"], indent=1) + "\n"
    stripped = strip_file(text.encode(), faces)

    assert stripped.cards == 1
    assert not any(secret in stripped.text for secret in SECRETS)
    assert json.loads(stripped.text) == strip_card(cards["query"])
    assert strip_file(stripped.text.encode(), faces) == (stripped.text, 0, 0)


def test_an_answer_without_rows_has_nothing_to_take_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\nx,1\n")
    service = service_nb.create_service()
    service.connect(tmp_path / "t.csv")
    card = service.ask("sum b by a where a = 'none'").card

    assert card["view"]["row_count"] == 0
    assert strip_card(card) == card


def test_the_values_in_which_a_replay_differed_leave_and_an_identical_one_stays_whole() -> None:
    def card_of(replay: Replay) -> Any:
        made = build_replay_evidence(replay)
        return build_card("replay", canonical=made.canonical, digests=made.digests, view=made.view)

    same: Any = {"subject": "card", "kind": "query", "cause": None, "message": "…"}
    difference = Difference(path=(0, "revenue"), where="row 1, revenue", expected="31337.25", met="2", ulps=7)
    compared = Comparison(values=3, differing=1, differences=(difference,), largest_ulps=7)
    differs = strip_card(card_of(Replay(status="differs", comparison=compared, **same)))
    identical = card_of(Replay(status="identical", **same))

    assert "31337.25" not in json.dumps(differs)
    assert differs["canonical"] == {}
    assert strip_card(identical) == identical


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "malformed_json"),
        (b'{"nbformat": 4, "nbformat": 4}', "malformed_json"),
        (b'{"nbformat": 4, "cells": 1}', "malformed_notebook"),
        (b'{"nbformat": 4, "cells": [1]}', "malformed_notebook"),
        (b'{"nbformat": 4, "cells": [{"outputs": [{"data": {"' + CARD_MIME.encode() + b'": {}}}]}]}', "malformed_card"),
        (b"[]", "unknown_document"),
        (b'{"kind": "query"}', "malformed_card"),
        (b"[" * 100, "too_deep"),
    ],
)
def test_what_is_no_notebook_is_refused_with_the_cause_that_verify_names(text: bytes, reason: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        strip_file(text, faces)
    assert caught.value.reason == reason


def test_a_notebook_without_cards_stays_as_it_is() -> None:
    for text in ('{"nbformat":4,"cells":[]}', '{"nbformat":4,"metadata":{},"cells":[{"cell_type":"raw"}]}\n'):
        assert strip_file(text.encode(), faces) == (text, 0, 0)


def test_the_cards_of_widgets_lose_their_values_too(cards: dict[str, Any]) -> None:
    shown = [new_output("stream", text="about"), output(cards["query"])]
    made = new_notebook(cells=[], metadata={"widgets": widgets_of(*shown)})
    stripped = strip_notebook(nbformat.writes(made).encode(), faces)
    assert (stripped.cards, stripped.outputs) == (1, 0)
    assert [secret for secret in SECRETS if secret in stripped.text] == []
    (placed,) = find_cards(json.loads(stripped.text))
    assert (placed.subject, placed.card) == ("widget 1, output 2", strip_card(cards["query"]))
    assert "about" in stripped.text
    alone = strip_notebook(nbformat.writes(made).encode(), faces, all_outputs=True)
    assert (alone.cards, alone.outputs) == (1, 1)
    assert "about" not in alone.text


@pytest.mark.parametrize(
    "widgets",
    [
        None,
        [],
        {WIDGETS_MIME: {"state": "text"}},
        {WIDGETS_MIME: {"state": {"a": "text", "b": {"state": []}}}},
        {WIDGETS_MIME: {"state": {"a": {"state": {"outputs": {"data": 1}}}}}},
        {WIDGETS_MIME: {"state": {"a": {"state": {"outputs": ["x", 1, None, [], {"data": []}]}}}}},
    ],
)
def test_the_state_of_widgets_without_cards_stays(cards: dict[str, Any], widgets: Any) -> None:
    made = notebook(cards)
    made["metadata"]["widgets"] = widgets
    stripped = strip_notebook(json.dumps(made).encode(), faces)
    assert json.loads(stripped.text)["metadata"]["widgets"] == widgets
