"""Documents: told apart, bounded before they are read, and their indexes made and held to their cards."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service_nb.errors import EvidenceError
from service_nb.evidence.documents import build_seal, check_card, check_document, check_parsed, find_cards
from service_nb.evidence.standalone import CARD_BYTES, DOCUMENT_BYTES, Verdict, compute_card_digest
from tests.unit.evidence.test_receipt import SIGNER
from tests.vectors import evidence_maker as maker
from tests.vectors.evidence_cards import edited
from tests.vectors.evidence_cases import ALICE, KNOWN, MALLORY, TRUSTED
from tests.vectors.evidence_documents import CARDS, FIRST, PLACED, SEALED

TIME = "2026-11-21T13:30:00.000000Z"
TEXT = json.dumps(FIRST)


def statuses(verdicts: list[Verdict]) -> list[str]:
    return [verdict.status for verdict in verdicts]


def form(content: bytes) -> tuple[str, str | None]:
    """The subject and the cause of a document that is refused as a whole."""
    (verdict,) = check_document(content)
    (check,) = verdict.checks
    assert (check.name, check.status) == ("form", "failed")
    return verdict.subject, check.cause


# --- limits -------------------------------------------------------------------------------------------------------


def test_a_card_alone_has_at_most_a_mebibyte() -> None:
    room = CARD_BYTES - len(TEXT.encode())
    assert statuses(check_document((TEXT + " " * room).encode(), keys=TRUSTED)) == ["verified"]
    assert form((TEXT + " " * (room + 1)).encode()) == ("card", "too_large")


def test_a_document_has_at_most_16_mebibytes() -> None:
    text = json.dumps(SEALED).encode()
    fitting = text + b" " * (DOCUMENT_BYTES - len(text))
    assert statuses(check_document(fitting, keys=TRUSTED)) == ["verified"] * 4
    assert form(fitting + b" ") == ("document", "too_large")


def test_a_hostile_document_is_refused_without_being_expanded() -> None:
    for content in (b"[" * 1_000_000, b'{"nbformat":' * 100_000, b"1" * 1_000_000, b'"' + b"\\" * 1_000_001):
        assert form(content)[0] == "document"


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_judged(content: bytes) -> None:
    for verdict in check_document(content, keys=TRUSTED):
        assert verdict.status == "altered"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
_PARTS = ("kind", "version", "canonical", "digests", "receipt", "view")


@given(_JSON)
def test_any_value_is_judged_as_a_card(value: Any) -> None:
    assert check_card(value).status == "altered"


@given(st.sampled_from(_PARTS), _JSON)
@example("version", True)
@example("version", 1.0)
def test_any_value_in_the_place_of_a_part_is_judged(part: str, value: Any) -> None:
    made = FIRST | {part: value}
    verdict = check_card(made, keys=TRUSTED, contracts=KNOWN)
    is_same = value == FIRST[part] and value is not True  # 1.0 says what 1 says, and true does not
    assert (verdict.status == "verified") == is_same


@given(_JSON)
def test_any_value_in_the_place_of_a_receipts_part_is_judged(value: Any) -> None:
    for way in (("envelope",), ("log",), ("public_key",), ("log", "proof"), ("envelope", "signatures")):
        assert check_card(edited(FIRST, "receipt", *way, to=value), keys=TRUSTED).status == "altered"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, -(2**53)])
def test_a_value_that_json_would_not_keep_is_refused_in_a_card_that_was_never_json(value: Any) -> None:
    verdict = check_card(edited(FIRST, "view", "latency_ms", to=value))
    assert verdict.causes == ("unsafe_number",)


@pytest.mark.parametrize("value", [(1, 2), {1}, b"x", {1: 2}, object(), "\ud800", {"\ud800": 1}])
def test_what_json_does_not_have_is_refused_in_a_card_that_was_never_json(value: Any) -> None:
    assert check_card(edited(FIRST, "view", "notes", to=value)).causes == ("malformed_json",)


def test_a_card_that_holds_itself_is_too_deep() -> None:
    made = edited(FIRST, "view", "notes", to=[])
    made["view"]["notes"].append(made["view"]["notes"])
    assert check_card(made).causes == ("too_deep",)


# --- mutation -----------------------------------------------------------------------------------------------------


def test_no_character_of_a_signed_card_can_change_unnoticed() -> None:
    """Only what says the same in JSON may: a blank, a digit of an escape in capitals."""
    text = json.dumps(maker.signed(maker.card("error"), ALICE), ensure_ascii=False)
    same = json.loads(text)
    for at in range(len(text)):
        mutant = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
        (verdict,) = check_document(mutant.encode(), keys=TRUSTED)
        if verdict.status == "verified":
            assert json.loads(mutant) == same, (at, mutant[at - 20 : at + 20])
        else:
            assert verdict.status == "altered"
            assert all(verdict.causes)


def test_no_character_of_a_signed_card_can_be_dropped_unnoticed() -> None:
    text = json.dumps(maker.signed(maker.card("error"), ALICE), ensure_ascii=False)
    same = json.loads(text)
    for at in range(len(text)):
        mutant = text[:at] + text[at + 1 :]
        (verdict,) = check_document(mutant.encode(), keys=TRUSTED)
        if verdict.status == "verified":
            assert json.loads(mutant) == same


def test_a_ledger_document_is_verified_as_outside_tools_make_it() -> None:
    (verdict,) = check_document(json.dumps(maker.ledger(CARDS, ALICE)).encode(), keys=TRUSTED)
    assert (verdict.subject, verdict.status) == ("ledger", "verified")


# --- indexes ------------------------------------------------------------------------------------------------------


def test_an_index_is_made_and_holds() -> None:
    notebook = {name: value for name, value in SEALED.items() if name != "metadata"}
    placed = find_cards(notebook)
    index = build_seal(placed, time=TIME, signer=SIGNER)
    sealed = notebook | {"metadata": {"service_nb": index}}
    assert statuses(check_document(json.dumps(sealed).encode(), keys=TRUSTED)) == ["verified"] * 4


def test_an_index_says_what_outside_tools_would_say_but_for_the_ids_of_the_receipts() -> None:
    index: Any = build_seal(find_cards(SEALED), time=TIME, signer=SIGNER)
    outside = maker.index(PLACED, ALICE)

    def predicate(made: Any) -> Any:
        return json.loads(base64.b64decode(made["envelope"]["payload"]))["predicate"]

    listed = predicate(index)["cards"]
    assert [card.pop("id") for card in listed] == [f"query_{0:016x}", f"refusal_{2:016x}", f"error_{3:016x}"]
    assert listed == [{k: v for k, v in card.items() if k != "id"} for card in predicate(outside)["cards"]]
    assert index["public_key"] == outside["public_key"]


def test_an_index_of_unsigned_cards_has_no_ids() -> None:
    notebook = maker.notebook(maker.code(1, maker.card("query")))
    index: Any = build_seal(find_cards(notebook), time=TIME, signer=SIGNER)
    (card,) = json.loads(base64.b64decode(index["envelope"]["payload"]))["predicate"]["cards"]
    assert card["id"] is None


def test_what_is_no_card_cannot_be_sealed() -> None:
    for value in (None, "card", {}, {"digests": {"a": 1}}, {"digests": {}, "kind": 1}):
        with pytest.raises(EvidenceError) as caught:
            build_seal(find_cards(maker.notebook(maker.code(1, value))), time=TIME, signer=SIGNER)
        assert caught.value.reason == "malformed_card"
    assert compute_card_digest({"digests": {"a": 1}}) is None


def test_a_card_that_is_sealed_is_its_digests_and_not_its_rows() -> None:
    assert compute_card_digest(maker.stripped(FIRST, "result")) == compute_card_digest(FIRST)
    assert compute_card_digest(FIRST | {"receipt": None}) == compute_card_digest(FIRST)
    assert compute_card_digest(maker.signed(maker.card("query", latency_ms=1), MALLORY)) != compute_card_digest(FIRST)


def test_cards_are_found_where_they_stand() -> None:
    assert [(each.subject, each.cell_id) for each in find_cards(SEALED)] == [
        ("cell 2, output 1", "cell-2"),
        ("cell 3, output 1", "cell-3"),
        ("cell 3, output 2", "cell-3"),
    ]
    old = maker.notebook(maker.code(1, FIRST))
    del old["cells"][0]["id"]
    assert [each.cell_id for each in find_cards(old)] == [None]


def test_the_card_that_a_seal_misses_is_named() -> None:
    left = json.loads(json.dumps(SEALED))
    del left["cells"][2]["outputs"][0]
    (*_, index) = check_parsed(left, 0, TRUSTED, ())
    (check,) = (each for each in index.checks if each.status == "failed")
    assert check.cause == "card_missing"
    assert "card 2: rejection, below the cell cell-3" in check.message


def test_a_parsed_notebook_is_verified_too() -> None:
    assert statuses(check_parsed(SEALED, 0, TRUSTED, ())) == ["verified"] * 4
    (verdict,) = check_parsed({"nbformat": 4}, 0, TRUSTED, ())
    assert (verdict.subject, verdict.causes) == ("document", ("malformed_notebook",))
