"""No datum of a card becomes markup, script, a link, mathematics, a formula or a terminal command on any face.

Payloads are put where data comes from outside: column names, group values, question, reasons, messages, candidates,
names of sources and fields. The rendered HTML and Markdown are parsed, and their structure must be that of a harmless
datum. Kinds of payloads: the OWASP cheat sheets on XSS and CSV injection, DOM clobbering (CVE-2024-43805), command
links (CVE-2026-42557), Trojan Source (CVE-2021-42574), ECMA-48 control sequences, GFM autolinks, MathJax `\\href`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
from markdown_it import MarkdownIt
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from service_nb.cards import format as fmt
from service_nb.cards.faces import write_bundle
from service_nb.cards.faces.html import LOOK
from service_nb.cards.faces.text import write_text
from service_nb.cards.page_blocks import compose_source
from service_nb.core.words import make_visible
from service_nb.schema.card import Card
from tests.faces import to_html, to_markdown, to_text
from tests.unit.cards import samples

VECTORS = Path(__file__).parents[1] / "vectors" / "cards" / "hostile_text.json"
HOSTILE: dict[str, list[str]] = json.loads(VECTORS.read_text(encoding="ascii"))
FORMULAS = HOSTILE["formula"]
PAYLOADS = [text for texts in HOSTILE.values() for text in texts]

HTML_TAGS = {"details", "summary", "div", "span", "strong", "code", "pre", "ul", "ol", "li"}
MARKDOWN_TAGS = {
    "details",
    "summary",
    "p",
    "strong",
    "code",
    "ul",
    "ol",
    "li",
    "span",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}


class Parsed(HTMLParser):
    """The tags and attributes of HTML in order, and its texts, each with whether it stands in code.

    The bare spans that keep single characters apart are no structure; they are counted in `texts` alone.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, bool]] = []
        self.odd: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append(tag)
        if tag != "span" or attrs:
            self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((data, "code" in self._open or "pre" in self._open))

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.texts)


def everywhere(datum: str) -> list[Card]:
    """Cards of each kind with the datum in every place that data or a caller can reach."""
    named = {"name": datum, "type": "string", "physical": "string"}
    return [
        samples.query(
            question=datum,
            ask=datum,
            columns=[named | {"role": "key"}, samples.METRIC | {"name": datum}, samples.COUNT],
            rows=[[datum, datum, "1"], ["x", "-1.5", "1"]],
            row_count=2,
            plan=[datum, datum],
            source=samples.SOURCE | {"name": datum, "source_id": datum},
            method=datum,
            engine=datum,
            notes=[datum, datum],
        ),
        samples.refusal(
            question=f"q {datum}",
            ask=datum,
            reason=datum,
            rule=datum,
            missing=[datum],
            did_you_mean=[datum],
            candidates=[{"slot": "metric", "name": datum, "type": "string", "ask": datum}] * 2,
        ),
        samples.rejection(question=f"q {datum}", ask=datum, reason=datum, rejection_reason=datum, rule=datum),
        samples.error(code=datum, message=datum, hint=datum),
    ]


def hostile_source(datum: str) -> dict[str, Any]:
    fields = [{"name": datum, "type": "string", "physical": "string"}]
    return samples.SERVICE_SOURCE | {"name": datum, "typed_fields": fields, "fields": [datum], "notes": [datum, datum]}


def source_face(face: str, datum: str) -> str:
    made: str = write_bundle(compose_source(hostile_source(datum), {datum: [datum]}))[0][face]
    return made


@cache
def htmls(datum: str) -> list[Parsed]:
    faces = [*map(to_html, everywhere(datum)), source_face("text/html", datum)]
    return [Parsed(face) for face in faces]


@cache
def markdowns(datum: str, render: Callable[[str], str]) -> list[Parsed]:
    faces = [*map(to_markdown, everywhere(datum)), source_face("text/markdown", datum)]
    return [Parsed(render(face)) for face in faces]


GFM = MarkdownIt("gfm-like", {"linkify": False})


def commonmark(markdown: str) -> str:
    return str(GFM.render(markdown))


RENDERERS: list[Callable[[str], str]] = [markdown2html_mistune, commonmark]
each_payload = pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
each_renderer = pytest.mark.parametrize("render", RENDERERS, ids=["nbconvert", "commonmark"])


def test_there_are_at_least_150_different_payloads() -> None:
    assert len(set(PAYLOADS)) >= 150
    assert len(set(FORMULAS)) >= 40


def assert_html_is_inert(datum: str) -> None:
    for met, harmless in zip(htmls(datum), htmls("x"), strict=True):
        assert met.tags == harmless.tags
        assert met.odd == []
        assert {tag for tag, _ in met.tags} <= HTML_TAGS
        for _, attributes in met.tags:
            assert attributes.keys() <= {"class", "style", "tabindex"}
            assert attributes.get("tabindex", "0") == "0"  # a table that scrolls takes the keyboard
            assert "style" not in attributes or LOOK[str(attributes["class"])] == attributes["style"]


def assert_markdown_is_inert(datum: str, render: Callable[[str], str]) -> None:
    for met, harmless in zip(markdowns(datum, render), markdowns("x", render), strict=True):
        assert [tag for tag, _ in met.tags] == [tag for tag, _ in harmless.tags]
        assert met.odd == []
        assert {tag for tag, _ in met.tags} <= MARKDOWN_TAGS
        assert {name for _, attributes in met.tags for name in attributes} <= {"style"}  # of aligned cells


@each_payload
def test_html_has_the_structure_of_a_harmless_datum(payload: str) -> None:
    assert_html_is_inert(payload)


@each_renderer
@each_payload
def test_markdown_has_the_structure_of_a_harmless_datum(payload: str, render: Callable[[str], str]) -> None:
    assert_markdown_is_inert(payload, render)


@hypothesis.given(
    st.text(st.sampled_from("<>&\"'`*_~[](){}#+-=.:!|\\$@/ \n\t1aw\u202e\u3000"), min_size=1, max_size=12)
)
def test_generated_text_changes_no_structure(datum: str) -> None:
    hypothesis.assume(datum.strip(" \u3000"))  # a blank sentence is no paragraph
    assert_html_is_inert(datum)
    for render in RENDERERS:
        assert_markdown_is_inert(datum, render)


@each_payload
def test_every_face_still_says_what_the_datum_was(payload: str) -> None:
    shown = words(make_visible(payload))
    for face in (*htmls(payload), *markdowns(payload, commonmark), *markdowns(payload, markdown2html_mistune)):
        assert shown in words(face.text)


def words(text: str) -> str:
    """Text as a page shows it: runs of white space are one."""
    return " ".join(text.split())


@each_payload
def test_html_stays_one_block_of_a_markdown_document(payload: str) -> None:
    for face in (*map(to_html, everywhere(payload)), source_face("text/html", payload)):
        assert all(line.strip() for line in face.split("\n"))
        assert face.encode("utf-8")


@each_payload
def test_no_text_outside_code_can_pair_into_mathematics(payload: str) -> None:
    for face in (*htmls(payload), *markdowns(payload, commonmark), *markdowns(payload, markdown2html_mistune)):
        texts = [text for text, in_code in face.texts if not in_code]
        assert [text for text in texts if len(text) > 1 and ("$" in text or "\\" in text)] == []


@each_payload
def test_no_address_is_left_whole_for_an_autolinker(payload: str) -> None:
    for face in markdowns(payload, commonmark):
        texts = [text.lower() for text, in_code in face.texts if not in_code]
        assert [text for text in texts if any(mark in text for mark in ("://", "www.")) or "@" in text[1:]] == []


@pytest.mark.parametrize("formula", FORMULAS, ids=ascii)
@each_renderer
def test_no_cell_of_a_markdown_table_reads_as_a_formula(formula: str, render: Callable[[str], str]) -> None:
    for cell in cells(formula, render):
        assert fmt.is_number(cell.replace(",", "")) or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_negative_number_stays_a_number_in_markdown() -> None:
    assert "-1.5" in cells("x", commonmark)


def cells(datum: str, render: Callable[[str], str]) -> list[str]:
    """The texts of all headings and cells of the rendered tables."""
    html = render(to_markdown(everywhere(datum)[0])).replace("<th>", "<td>").replace("<th ", "<td ")
    return [Parsed("<b" + part.split("</t", 1)[0] + "</b>").text for part in html.split("<td")[1:]]


@each_payload
def test_text_holds_nothing_that_a_terminal_obeys(payload: str) -> None:
    faces = [
        *map(to_text, everywhere(payload)),
        write_text(compose_source(hostile_source(payload), {payload: [payload]})),
    ]
    for face in faces:
        steering = [
            char for char in face if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\n"
        ]
        assert steering == []
        assert face.encode("utf-8")


def test_two_values_that_differ_only_in_hidden_characters_look_different() -> None:
    shown = [
        fmt.write_cell(value, type_="string", separated=False) for value in ("a", "a\u200b", "a ", "a\x00", "\u202ea")
    ]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize("value", ["", " ", "—", "'x'", " x", "x "])
def test_text_that_could_pass_for_null_or_for_nothing_is_quoted(value: str) -> None:
    assert fmt.write_cell(value, type_="string", separated=False) not in (
        fmt.write_cell(None, type_="string", separated=False),
        value,
    )
