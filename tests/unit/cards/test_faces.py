"""What every face says, and in which order. How it looks is held by the golden files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from service_nb.cards import format as fmt
from service_nb.cards.blocks import UNVERIFIED, Table
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces import write_bundle
from service_nb.cards.faces.text import write_text
from service_nb.cards.page_blocks import compose_source, compose_source_list
from service_nb.core.words import measure_width
from service_nb.schema.card import Card
from tests.faces import to_html, to_markdown, to_text
from tests.unit.cards import samples

GOLDEN = Path(__file__).parent / "golden"
FACES: list[Callable[[Card], str]] = [to_text, to_html, to_markdown]
each_face = pytest.mark.parametrize("face", FACES, ids=["text", "html", "markdown"])
each_card = pytest.mark.parametrize("name", samples.CARDS)


def plain(face: str) -> str:
    """The words of a face without tags and marks."""
    return re.sub(r"<[^>]+>|[*`|]|&#[x0-9a-f]+;", "", face)


@each_face
@each_card
def test_the_question_or_the_reason_comes_first(face: Callable[[Card], str], name: str) -> None:
    card = samples.CARDS[name]
    first = {"query": "question", "error": "message"}.get(card["kind"], "reason")
    assert " ".join(plain(face(card)).replace("'", "").split()).startswith(re.sub("[`']", "", card["view"][first]))


@each_face
@each_card
def test_no_card_wears_a_tick_that_nobody_verified(face: Callable[[Card], str], name: str) -> None:
    assert not re.search("✓|✔|#2e9f6e|green", face(samples.CARDS[name]))


@pytest.mark.parametrize("face", [to_html, to_markdown])
@each_card
def test_a_face_that_outlives_its_run_says_that_nobody_verified_it(face: Callable[[Card], str], name: str) -> None:
    assert face(samples.CARDS[name]).count(UNVERIFIED) == 1


@each_face
def test_the_question_precedes_the_answer_and_the_answer_its_status_and_details(face: Callable[[Card], str]) -> None:
    said = plain(face(samples.CARDS["answered"]))
    places = [said.index(part) for part in ("Average of arr_delay", "21.9207", "16 rows", "Answered", "hashes")]
    assert places == sorted(places)


@each_face
@each_card
def test_every_digest_is_on_the_face(face: Callable[[Card], str], name: str) -> None:
    card = samples.CARDS[name]
    size = fmt.SHORT_DIGEST if face is to_text else 64
    told = {key: digest for key, digest in card["digests"].items() if key not in samples.OF_THE_VIEW}
    assert [key for key, digest in told.items() if digest[:size] not in face(card)] == []


@each_face
def test_a_cut_table_says_how_much_is_not_shown(face: Callable[[Card], str]) -> None:
    assert "First 3 of 4,044 rows; 4,041 not shown" in face(samples.CUT)


@each_face
def test_candidates_are_lines_that_run_as_they_stand(face: Callable[[Card], str]) -> None:
    for candidate in samples.refusal()["view"]["candidates"]:
        assert f"%service_ask {candidate['ask']}" in face(samples.refusal())


@each_face
def test_values_withheld_are_told_from_an_empty_result(face: Callable[[Card], str]) -> None:
    assert "not kept in this card" in face(samples.WITHHELD)
    assert "not kept in this card" not in face(samples.EMPTY)


def test_quantities_align_at_the_decimal_point() -> None:
    lines = [line for line in to_text(samples.CARDS["answered"]).split("\n") if re.search(r"\d\.\d{3,4} ", line)]
    assert len(lines) == 16
    assert {line.index(".") for line in lines} == {lines[0].index(".")}


def test_columns_stay_aligned_beside_wide_characters() -> None:
    rows = [["漢字", "1", "1"], ["ab", "22", "22"], ["e\u0301", "333", "333"]]
    lines = to_text(samples.query(rows=rows, row_count=3)).split("\n")[4:7]
    assert {measure_width(line) for line in lines} == {measure_width(lines[0])}


def test_lines_keep_within_the_width_where_numbers_allow() -> None:
    long = "word " * 40
    card = samples.query(rows=[[long, "1", "1"]], row_count=1, question=long, plan=[long], method=long, ask="short")
    for width in (60, 80, 120):
        assert max(map(measure_width, to_text(card, width=width).split("\n"))) <= width


def test_a_long_number_is_never_cut() -> None:
    assert "123,456,789,012,345,678,901,234,567,890.12" in to_text(samples.EXACT, width=40)


@pytest.mark.parametrize("face", ["text/plain", "text/html", "text/markdown", "text/latex"])
def test_sources_show_rows_fields_and_revision(face: str) -> None:
    said = write_bundle(compose_source(samples.SERVICE_SOURCE))[0][face].replace("\\_", "_")
    short = fmt.SHORT_DIGEST
    assert all(
        word in said for word in ("flights", "336,776 rows", "arr_delay", samples.SOURCE["schema_revision"][:short])
    )
    said = write_bundle(compose_source_list([samples.SERVICE_SOURCE, samples.AIRLINES]))[0][face]
    assert all(word in said for word in ("flights", "airlines", "336,776", samples.AIRLINES["schema_revision"][:short]))


def test_a_wide_source_shows_its_first_fields_and_the_number_of_all() -> None:
    fields = [{"name": f"f{index}", "type": "number", "physical": "int64"} for index in range(4_096)]
    said = write_text(compose_source(samples.SERVICE_SOURCE | {"typed_fields": fields}))
    assert "First 40 of 4,096 fields; 4,056 not shown" in said
    assert len(said) < 5_000


def test_a_pending_digest_is_said_to_be_pending() -> None:
    content = {"algorithm": "sha256-files", "sha256": None, "bytes": 7}
    assert "pending" in write_text(compose_source(samples.SERVICE_SOURCE | {"content": content}))


def test_no_source_tells_how_to_get_one() -> None:
    assert "%service_connect" in write_bundle(compose_source_list([]))[0]["text/plain"]


@pytest.mark.parametrize(
    ("name", "face", "ending"),
    [
        *((name, to_text, "txt") for name in samples.CARDS),
        ("answered", to_html, "html"),
        ("clarification", to_html, "html"),
        ("cut", to_markdown, "md"),
        ("rejection", to_markdown, "md"),
    ],
)
def test_the_face_is_the_one_that_was_looked_at(name: str, face: Callable[[Card], str], ending: str) -> None:
    # After a wanted change: `python -m tests.unit.cards.golden`, then look at the difference before committing it.
    golden = (GOLDEN / f"{name}.{ending}").read_text(encoding="utf-8")
    assert face(samples.CARDS[name]).rstrip("\n") == golden.rstrip("\n")


@each_card
def test_every_digit_of_a_rounded_table_stands_in_the_details(name: str) -> None:
    card = samples.CARDS[name]
    table = next((block for block in compose_face(card) if isinstance(block, Table)), None)
    if table is None or not table.exact:
        assert "Exact values" not in to_html(card)
        return
    seen, _, details = to_html(card).partition("<details>")
    assert "rounded; every digit in Details" in seen
    assert "rounded; every digit" not in details
    exact = plain(details).replace(",", "")
    assert all(value in exact for row in card["view"]["rows"] for value in row if value and fmt.is_number(value))


def test_details_repeat_no_table_that_is_shown_whole() -> None:
    rounded = [name for name, card in samples.CARDS.items() if "Exact values" in to_html(card)]
    assert 0 < len(rounded) < len(samples.CARDS)
    assert all("Exact values" not in face(samples.CARDS[name]) for name in rounded for face in (to_text, to_markdown))
