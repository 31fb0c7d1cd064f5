"""The faces in nbconvert: plain, through its sanitiser, and as Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nbformat
import pytest
from nbconvert import HTMLExporter, MarkdownExporter
from nbconvert.filters.strings import clean_html

from service_nb.cards.faces import to_bundle, write_bundle
from service_nb.cards.page_blocks import compose_source
from tests.faces import to_html, unfold
from tests.unit.cards import samples


class Text(HTMLParser):
    """The visible text of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_of(html: str) -> str:
    return "".join(Text(html).parts)


def digests() -> list[str]:
    pairs = (pair for card in samples.CARDS.values() for pair in card["digests"].items())
    return sorted({digest for name, digest in pairs if name not in samples.OF_THE_VIEW})


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    bundles = [to_bundle(card)[0] for card in samples.CARDS.values()] + [
        write_bundle(compose_source(samples.SERVICE_SOURCE))[0]
    ]
    outputs = [nbformat.v4.new_output("display_data", data=bundle) for bundle in bundles]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=outputs)])
    nbformat.validate(book)
    return book


@pytest.mark.parametrize("sanitize", [False, True], ids=["plain", "sanitised"])
def test_html_export_shows_every_digest_and_no_stray_tag(notebook: nbformat.NotebookNode, sanitize: bool) -> None:
    html, _ = HTMLExporter(sanitize_html=sanitize).from_notebook_node(notebook)
    shown = unfold(html[html.index("</head>") :])
    assert [digest for digest in digests() if digest not in shown] == []
    assert re.findall(r"&lt;/?[a-z]+", shown) == []


def test_markdown_export_shows_every_digest_and_no_stray_tag(notebook: nbformat.NotebookNode) -> None:
    markdown, _ = MarkdownExporter().from_notebook_node(notebook)
    assert [digest for digest in digests() if digest not in markdown] == []
    assert re.findall(r"&lt;/?[a-z]+", markdown) == []


@pytest.mark.parametrize("name", samples.CARDS)
def test_the_sanitiser_takes_styles_and_not_a_word(name: str) -> None:
    html = to_html(samples.CARDS[name])
    cleaned = unfold(clean_html(html))
    assert text_of(cleaned) == text_of(html)
    assert "style=" not in cleaned


def test_the_sanitiser_leaves_the_rows_of_a_table_on_lines_of_their_own() -> None:
    shown = text_of(clean_html(to_html(samples.CARDS["answered"])))
    rows = re.findall(r"^\S\S +-?\d+\.\d+ +[\d,]+$", shown, re.MULTILINE)
    assert len(rows) == 2 * 16  # as shown, and with every digit


def test_a_source_passes_the_sanitiser_too() -> None:
    html = write_bundle(compose_source(samples.SERVICE_SOURCE))[0]["text/html"]
    assert text_of(unfold(clean_html(html))) == text_of(html)
