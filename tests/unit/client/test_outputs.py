"""The other forms of an output are those of its card, and a cell that was edited since is told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, cast

import pytest

import service_nb
from service_nb.cards.faces import to_bundle
from service_nb.client.verification import Terms, check_faces, verify_content
from service_nb.evidence.standalone import WIDGETS_MIME, Check, Verdict
from service_nb.schema.card import CARD_MIME, Card
from tests.unit.cards import samples
from tests.vectors import faces_cards
from tests.vectors.make_faces import CARDS

EVERY = [(f"{kind}: {name}", card) for kind, named in CARDS.items() for name, card in named()]
MIMES = ("text/html", "text/markdown", "text/latex", "text/plain")
ASKED = "%service_ask sum revenue by region from sales"
Data = dict[str, Any]


def data_of(card: Any = samples.EXACT) -> Data:
    """An output's data as Jupyter saves it: all of it through JSON with sorted keys, texts as lines."""
    data = json.loads(json.dumps(to_bundle(card)[0], sort_keys=True))
    return {mime: value.splitlines(keepends=True) if mime != CARD_MIME else value for mime, value in data.items()}


def faces(data: Data) -> Check:
    return check_faces(data, data[CARD_MIME])


@pytest.mark.parametrize(("name", "card"), EVERY, ids=[name for name, _ in EVERY])
def test_the_faces_of_every_card_are_its_own_after_they_were_saved(name: str, card: Any) -> None:
    assert faces(data_of(card)).status == "passed"


@pytest.mark.parametrize("mime", MIMES)
def test_one_changed_character_of_a_face_is_told(mime: str) -> None:
    data = data_of()
    text = "".join(data[mime])
    assert text.count("567,890") == 1
    data[mime] = text.replace("567,890", "567,990")
    check = faces(data)
    assert (check.status, check.cause) == ("failed", "face_differs")
    assert mime in check.message


@pytest.mark.parametrize("mime", ["application/json", "text/x-rst", "image/png", "application/vnd.vega.v5+json"])
def test_a_form_that_no_card_has_is_told(mime: str) -> None:
    check = faces(data_of() | {mime: {"value": 1}})
    assert (check.status, check.cause) == ("failed", "face_differs")
    assert mime in check.message


def test_a_card_by_itself_and_a_card_with_some_of_its_faces_hold() -> None:
    whole = data_of()
    for kept in ([], ["text/html"], ["text/plain", "text/latex"]):
        assert faces({mime: whole[mime] for mime in (CARD_MIME, *kept)}).status == "passed"


@pytest.mark.parametrize("value", [None, 7, {}, [], ["a", 1], ""])
def test_a_face_that_is_no_text_is_told(value: Any) -> None:
    assert faces(data_of() | {"text/html": value}).cause == "face_differs"


def renamed(data: Data, version: str, mimes: tuple[str, ...] = MIMES) -> Data:
    """What another version would have written, if it writes faces as this one does."""
    texts = {mime: "".join(data[mime]).replace(service_nb.__version__, version) for mime in mimes}
    return data | texts


def test_another_version_that_writes_the_same_faces_holds() -> None:
    assert faces(renamed(data_of(), "0.9.2")).status == "passed"


def test_what_another_version_wrote_otherwise_cannot_be_compared_and_says_which_version() -> None:
    data = renamed(data_of(), "0.9.2")
    data["text/html"] = data["text/html"].replace("Sum of", "The sum of")
    check = faces(data)
    assert (check.status, check.cause) == ("not_checkable", "face_of_another_version")
    assert "0.9.2" in check.message


def test_one_foreign_face_does_not_hide_a_forged_one() -> None:
    data = renamed(data_of(), "0.9.2", mimes=("text/html",))
    data["text/html"] = data["text/html"].replace("890.12", "990.12")
    assert faces(data).cause == "face_of_another_version"
    data["text/plain"] = "".join(data["text/plain"]).replace("890.12", "990.12")
    assert faces(data).cause == "face_differs"


def test_a_card_that_cannot_be_shown_has_no_faces() -> None:
    data = data_of()
    del data[CARD_MIME]["view"]["columns"]
    assert faces(data).cause == "face_differs"
    assert faces({CARD_MIME: data[CARD_MIME]}).status == "passed"


# --- in notebooks -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Any], Card]]:
    """Ask, in a place that is told, and return the signed card."""
    places: list[Any] = []
    folder = tmp_path_factory.mktemp("asked")
    rows = [{"region": "north", "revenue": 1.5}, {"region": "south", "revenue": 2.25}]
    service = service_nb.create_service(
        project=folder, ledger=folder / "ledger", where=lambda: places[-1], runtime="in_process"
    )
    with closing(service):
        service.connect({"records": rows}, name="sales")

        def ask(place: Any) -> Card:
            places.append(place)
            return cast(Card, service.ask("sum revenue by region from sales").card)

        yield ask


def hashed(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def cell(source: str, *data: Data, cell_id: str = "a1") -> dict[str, Any]:
    outputs = [{"output_type": "display_data", "metadata": {}, "data": each} for each in data]
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "id": cell_id, "metadata": {}, "source": lines, "outputs": outputs}


def verdicts(*cells: dict[str, Any], **metadata: Any) -> list[Verdict]:
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}
    return list(verify_content("report.ipynb", json.dumps(document).encode(), Terms()).verdicts)


def cell_checks(*cells: dict[str, Any], **metadata: Any) -> list[tuple[str, str | None] | None]:
    """The status and cause of the check `cell` of each card; None where there is no such check."""
    found = [[check for check in verdict.checks if check.name == "cell"] for verdict in verdicts(*cells, **metadata)]
    return [(checks[0].status, checks[0].cause) if checks else None for checks in found]


EDITED = ("not_checkable", "cell_edited")
HELD = ("passed", None)
ELSEWHERE = ("not_checkable", "card_of_another_cell")  # the cell of an output is the one it stands in


def test_the_cell_that_was_run_is_the_one_that_is_saved(asked: Any) -> None:
    card = asked({"cell": "a1", "source": hashed(ASKED)})
    assert cell_checks(cell(ASKED, data_of(card))) == [HELD]


@pytest.mark.parametrize("source", ["", ASKED + " ", ASKED + "\n", ASKED.replace("sum", "avg"), "# " + ASKED])
def test_a_cell_that_was_edited_since_its_result_is_told(asked: Any, source: str) -> None:
    card = asked({"cell": "a1", "source": hashed(ASKED)})
    assert cell_checks(cell(source, data_of(card))) == [EDITED]


def test_a_result_that_another_cell_shows_is_held_to_the_cell_that_gave_it(asked: Any) -> None:
    card = asked({"cell": "a1", "source": hashed(f"x = {ASKED}")})
    shows = cell("x", data_of(card), cell_id="b2")
    assert cell_checks(cell(f"x = {ASKED}"), shows) == [ELSEWHERE]
    assert cell_checks(cell(f"x = {ASKED} limit 1"), shows)[0][0] == "not_checkable"  # type: ignore[index]


def test_a_copy_of_the_source_does_not_stand_for_the_cell_that_the_statement_names(asked: Any) -> None:
    card = asked({"cell": "a1", "source": hashed(ASKED)})
    edited = cell(ASKED + " limit 1", data_of(card))
    assert cell_checks(edited, cell(ASKED, cell_id="b2")) == [EDITED]


@pytest.mark.parametrize("place", [{}, {"cell": "gone"}])
def test_where_no_cell_is_known_any_cell_may_have_given_it(asked: Any, place: dict[str, str]) -> None:
    card = asked(place | {"source": hashed(f"x = {ASKED}")})
    shows = cell("x", data_of(card), cell_id="b2")
    assert cell_checks(cell(f"x = {ASKED}"), shows) == [ELSEWHERE]
    assert cell_checks(cell("y = 1"), shows) == [EDITED]


@pytest.mark.parametrize("place", [None, {"cell": "a1"}])
def test_what_states_no_source_has_no_such_check(asked: Any, place: Any) -> None:
    assert cell_checks(cell("anything", data_of(asked(place)))) == [None]


def test_a_card_that_nobody_signed_states_no_source() -> None:
    assert cell_checks(cell("anything", data_of())) == [None]


def test_a_card_in_a_widget_is_checked_with_its_faces_and_the_cell_that_gave_it(asked: Any) -> None:
    data = data_of(asked({"cell": "a1", "source": hashed(ASKED)}))
    model = {"state": {"outputs": [{"output_type": "display_data", "metadata": {}, "data": data}]}}
    widgets = {WIDGETS_MIME: {"state": {"0a": model}}}
    assert cell_checks(cell(ASKED), widgets=widgets) == [("not_checkable", "in_widget")]
    data["text/html"] = "<b>9,999,999.99</b>"
    (verdict,) = verdicts(cell(ASKED), widgets=widgets)
    assert (verdict.subject, verdict.causes) == ("widget 1, output 1", ("face_differs",))


def test_a_face_and_a_cell_are_checked_in_this_order_behind_what_a_card_proves_alone(asked: Any) -> None:
    card = asked({"cell": "a1", "source": hashed(ASKED)})
    (verdict,) = verdicts(cell(ASKED, data_of(card)))
    assert [check.name for check in verdict.checks][-3:] == ["faces", "cell", "cards"]


def test_a_malformed_card_has_the_check_of_its_form_alone() -> None:
    (verdict,) = verdicts(cell("x", {CARD_MIME: {"kind": "query"}, "text/html": "<b>1</b>"}))
    assert [check.name for check in verdict.checks] == ["form"]


def test_a_face_whose_card_was_deleted_is_a_verdict_of_its_own(asked: Any) -> None:
    data = data_of(asked(None))
    del data[CARD_MIME]
    (verdict,) = verdicts(cell(ASKED, data))
    assert (verdict.subject, verdict.causes) == ("cell 1, output 1", ("card_missing",))


def test_the_samples_have_every_kind() -> None:
    assert {card["kind"] for _, card in EVERY} == {
        "query",
        "computation",
        "clarification",
        "rejection",
        "error",
        "replay",
    }
    assert len(list(faces_cards.queries())) > 10
