"""Verdicts and the log in a notebook: plain data that shows itself, whatever a card says of itself."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from nbconvert.filters.strings import clean_html

from service_nb.cards.page_blocks import compose_log
from service_nb.evidence.documents import check_document
from service_nb.evidence.standalone import Check, Verdict
from service_nb.evidence.verdicts import describe_verdict, explain_cause
from service_nb.notebook.displays import ShownList
from service_nb.notebook.evidence_pages import show_verdict, show_verdicts
from tests.simulators.contracts import CONTRACT
from tests.simulators.evidence import AUTHOR, MIME, cards, sealed_notebook, signed

HOSTILE = ["<script>alert(1)</script>", "\x1b[31mred", "$x$ [a](http://b.c) `d`", "a\nb\u202ec", "|x|y|"]
LINE = {
    "index": 3,
    "id": "query_3e3eb22ea1a21976",
    "time": "2026-11-21T14:08:25.218683Z",
    "kind": "query",
    "status": "ok",
    "question": "Sum of revenue by region in sales",
    "digests": {"plan_hash": "a" * 64, "result_hash": "4909a268904f" + "b" * 52, "view_hash": "c" * 64},
    "signed": "affb6d377e045c42",
}


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    """Verdicts of a notebook in which one shown row was changed."""
    book = copy.deepcopy(sealed_notebook(signed(cards())))
    book["cells"][1]["outputs"][0]["data"][MIME]["view"]["rows"][0][1] = "9.5"
    return check_document(json.dumps(book).encode(), keys=[AUTHOR.public_key])


def face(page: Any, kind: str = "text/plain") -> str:
    data, metadata = page._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "text/markdown", "text/latex"}
    assert metadata == {}
    return str(data[kind])


def test_a_verdict_stays_the_data_it_is(verdicts: list[Verdict]) -> None:
    page = show_verdict(verdicts[0])
    assert dict(page) == verdicts[0].to_dict() | {"headline": describe_verdict(verdicts[0])}
    assert page["status"] == "altered"
    assert json.loads(json.dumps(show_verdicts(verdicts))) == [
        verdict.to_dict() | {"headline": describe_verdict(verdict)} for verdict in verdicts
    ]


def test_a_verdict_shows_each_check_and_the_cause_in_words(verdicts: list[Verdict]) -> None:
    for kind in ("text/plain", "text/html", "text/markdown"):
        shown = face(show_verdict(verdicts[0], "Sum of arr_delay"), kind)
        assert "rows&#95;hash&#95;mismatch" in shown or "rows_hash_mismatch" in shown
        assert shown.count("✓") == len(verdicts[0].checks) - 2
        assert shown.count("✗") == 4  # the two checks that the change fails, and the cause of each
    words = " ".join(face(show_verdict(verdicts[0])).split())
    assert explain_cause("rows_hash_mismatch").means in words


def judged(document: Any, *keys: str) -> list[Verdict]:
    return check_document(json.dumps(document).encode(), keys=keys, contracts=[CONTRACT])


def test_only_what_is_verified_has_the_tick_and_only_what_is_altered_the_cross(verdicts: list[Verdict]) -> None:
    card = signed(cards())[0]
    met = [judged(card, AUTHOR.public_key), judged(card), judged(card | {"receipt": None}), verdicts]
    met.append(judged(card | {"canonical": {}}, AUTHOR.public_key))
    first = {each[0].status: face(show_verdict(each[0])).partition(" ")[0] for each in met}
    assert first == {"verified": "✓", "unaltered": "?", "consistent": "?", "altered": "✕", "not_checkable": "?"}


def test_several_verdicts_show_the_worst_and_a_line_each(verdicts: list[Verdict]) -> None:
    shown = face(show_verdicts(verdicts, {verdicts[0].subject: "Sum of arr_delay"}))
    assert shown.startswith("✕")
    assert all(verdict.subject in shown for verdict in verdicts)
    assert face(show_verdicts([])).startswith("?")


def test_a_card_that_keeps_some_rows_is_told_quietly_unless_something_failed_or_is_open() -> None:
    part = Check("shown", "not_checkable", "shown_not_kept", "20 of 9,000 rows kept")
    verdict = Verdict("card", (part, Check("signer", "not_checkable", "unknown_signer")))
    assert show_verdict(verdict)._repr_mimebundle_()[0]["text/plain"].startswith("20 of 9,000 rows kept")
    listed = show_verdicts([verdict, verdict])
    assert face(listed).startswith("No failures; 2 of 2 not checkable")
    unsigned = Verdict("card", (part, Check("signature", "not_checkable", "unsigned")))
    assert describe_verdict(unsigned) == "20 of 9,000 rows kept · not signed"
    others = {
        "failed": Check("rows_hash", "failed", "rows_hash_mismatch", "9 of 9 rows kept"),
        "not_checkable": Check("cell", "not_checkable", "cell_edited"),
    }
    for status, other in others.items():
        for checks in ((part, other), (other, part)):
            told = describe_verdict(Verdict("card", checks))
            assert "rows kept" not in told
            assert told.startswith("Altered: " if status == "failed" else "Not checkable here: ")


@pytest.mark.parametrize("words", HOSTILE)
def test_what_a_card_says_of_itself_is_text(verdicts: list[Verdict], words: str) -> None:
    pages = (show_verdict(verdicts[0], words), show_verdicts(verdicts, {verdicts[0].subject: words}))
    for page in (*pages, ShownList([LINE | {"question": words}], compose_log)):
        html, text = face(page, "text/html"), face(page)
        assert re.findall(r"<(?!/?(?:div|span|strong|pre|code|ul|li|details|summary)\b)", html) == []
        assert "style=" not in clean_html(html)
        assert [char for char in text if char != "\n" and not char.isprintable()] == []


def test_the_log_is_a_line_each_with_the_hash_of_what_came_of_it() -> None:
    page = ShownList([LINE, LINE | {"signed": None, "kind": "error", "digests": {"error_hash": "d" * 64}}], compose_log)
    lines = [line.split() for line in face(page).splitlines()]
    told = next(line for line in lines if "query" in line)
    assert told[:3] == ["2026-11-21", "14:08:25", LINE["id"]]
    assert told[-2:] == ["4909a268904f", "yes"]
    assert next(line for line in lines if "error" in line)[-2:] == ["d" * 12, "no"]
    assert "Nothing" in face(ShownList([], compose_log))
