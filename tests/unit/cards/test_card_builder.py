"""Cards from their parts, and the cap on their size."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service_nb.cards.card_builder import build_card, measure_card
from service_nb.cards.faces import to_bundle
from service_nb.schema.card import CARD_BYTES, CARD_MIME, CARD_VERSION
from tests.unit.cards import samples


def wide(cell: str, rows: int = 20, **texts: str) -> Any:
    return samples.query(
        canonical={"plan": samples.PLAN, "result": "[]"} | texts, rows=[[cell, "1", "1"]] * rows, row_count=rows
    )


def test_a_small_card_keeps_all_that_it_was_given() -> None:
    card = samples.query()
    assert card["canonical"] == {"plan": samples.PLAN, "result": "[]"}
    assert card["view"]["rows"] == samples.AVERAGES
    assert (card["kind"], card["version"], card["receipt"]) == ("query", CARD_VERSION, None)


def test_the_kind_of_a_refusal_follows_its_status() -> None:
    assert samples.refusal()["kind"] == "clarification"
    assert samples.rejection()["kind"] == "rejection"


def test_a_large_result_leaves_the_card_and_its_digest_stays() -> None:
    card = wide("x", result="x" * CARD_BYTES)
    assert card["canonical"] == {"plan": samples.PLAN}
    assert card["digests"].items() > samples.DIGESTS.items()
    assert len(card["view"]["rows"]) == 20


def test_large_rows_leave_the_view_and_the_row_count_stays() -> None:
    card = wide("x" * 9_000)
    assert 0 < len(card["view"]["rows"]) < 20
    assert card["view"]["row_count"] == 20
    assert "result" not in card["canonical"]


@pytest.mark.parametrize("char", ["x", "\u0000", '"', "\U0001f600", "\ud800"])
@pytest.mark.parametrize("chars", [3_000, 200_000])
def test_no_card_is_larger_than_the_cap_as_any_json_writer_would_write_it(char: str, chars: int) -> None:
    text = char * chars
    cards = [
        wide(text),
        wide("x", plan=text),
        samples.query(question=text, ask=text, plan=[text] * 9, columns=[samples.KEY | {"name": text}] * 18, rows=[]),
        samples.refusal(
            reason=text, ask=text, candidates=[{"slot": "metric", "name": text, "type": "x", "ask": text}] * 9
        ),
        samples.error(message=text, hint=text),
    ]
    for card in cards:
        assert measure_card(card) <= CARD_BYTES
        assert len(json.dumps(card, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= CARD_BYTES
        assert len(to_bundle(card)[0]["text/plain"]) < 4 * CARD_BYTES


def test_a_card_without_values_holds_none_of_them_on_any_face() -> None:
    data, _ = to_bundle(samples.WITHHELD)
    written = json.dumps(data)
    values = [value for row in samples.AVERAGES for value in row[1:] if value is not None]
    assert [value for value in values if len(value) > 3 and value in written] == []
    assert samples.DIGESTS["result_hash"] in written


def test_what_was_passed_in_is_not_changed() -> None:
    view = samples.view(rows=[["x" * 9_000, "1", "1"]] * 20)
    build_card("query", canonical={"plan": samples.PLAN}, digests=samples.DIGESTS, view=view)
    assert len(view["rows"]) == 20


def test_the_bundle_holds_the_card_and_three_faces() -> None:
    data, metadata = to_bundle(samples.SINGLE)
    assert data.keys() == {CARD_MIME, "text/html", "text/latex", "text/markdown", "text/plain"}
    assert data[CARD_MIME] == samples.SINGLE
    assert metadata == {}


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (2**53, "9007199254740992"),
        (1e17, "100000000000000000"),
        (-1e300, "-1e+300"),
        (2**53 - 1, 2**53 - 1),
        (0.1, 0.1),
    ],
)
def test_no_number_of_a_view_is_one_that_a_front_end_would_round(number: float, shown: object) -> None:
    assert samples.query(latency_ms=number)["view"]["latency_ms"] == shown
