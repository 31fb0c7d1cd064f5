"""Cards where nothing of ours runs: exported by nbconvert, shown by GitHub, printed by a terminal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter

from service_nb.cards import format as fmt
from service_nb.cards.blocks import UNVERIFIED
from service_nb.cards.faces import to_bundle
from service_nb.notebook.markdown_exporter import CardMarkdownExporter
from tests.faces import FOLDING, to_html, to_latex, to_markdown, to_text, unfold
from tests.surfaces.faces.cards import CARDS, EVERY_CARD, FOLDER, VIEWS, sanitised

# What GitHub keeps of the HTML in a notebook. It drops styles, and classes cannot be relied on; of tags that fold, too,
# every word stays.
GITHUB = {
    "div",
    "span",
    "b",
    "strong",
    "em",
    "i",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "a",
    "blockquote",
    "table",
    "tr",
    "td",
}
EXPORTERS = {
    "html": (HTMLExporter, to_html),
    "sanitised": (lambda: HTMLExporter(sanitize_html=True), sanitised),
    "markdown": (MarkdownExporter, to_html),  # it takes HTML where there is some; the Markdown face is for others
    "latex": (LatexExporter, to_latex),
}
# For verifiers: a person sees itself what these are of.
OF_THE_VIEW = {"view_hash", "rows_hash", "provenance_hash", "definition_hash"}
each_card = pytest.mark.parametrize("name", EVERY_CARD)


class Parsed(HTMLParser):
    """The elements of HTML, whether they are closed in order, and the text that a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def digests(card: Any) -> list[str]:
    told = [digest for name, digest in card["digests"].items() if name not in OF_THE_VIEW]
    return [digest.removeprefix("sha256:") for digest in told]


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    outputs = [nbformat.v4.new_output("display_data", data=to_bundle(card)[0]) for card in CARDS.values()]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=outputs)])
    nbformat.validate(book)
    return book


@pytest.mark.parametrize("ending", VIEWS)
@pytest.mark.parametrize("name", CARDS)
def test_a_card_looks_as_it_did_when_somebody_looked_at_it(name: str, ending: str) -> None:
    # After a wanted change: `python -m tests.surfaces.faces`, then look at the difference before committing it.
    golden = (FOLDER / f"{name}.{ending}").read_text(encoding="utf-8")
    assert VIEWS[ending](CARDS[name]).rstrip("\n") == golden.rstrip("\n")


@pytest.mark.parametrize("export", EXPORTERS)
def test_an_export_shows_every_card_as_its_face_is(notebook: nbformat.NotebookNode, export: str) -> None:
    exporter, face = EXPORTERS[export]
    told, _ = exporter().from_notebook_node(notebook)
    told = unfold(told)
    assert [name for name, card in CARDS.items() if seen(unfold(face(card))) not in seen(told)] == []
    assert re.findall(r"&lt;/?[a-z]+", told[told.find("</head>") + 1 :]) == []


def seen(view: str) -> str:
    """The words of HTML; LaTeX has no tags, and is taken as it is."""
    said = view if view.lstrip().startswith(("{", "\\")) else Parsed(view).text
    return " ".join(said.split())


@each_card
def test_every_view_has_every_digest_and_says_once_that_nobody_verified_it(name: str) -> None:
    card = EVERY_CARD[name]
    for view in (to_html(card), sanitised(card), to_markdown(card), to_latex(card)):
        assert [digest for digest in digests(card) if digest not in view] == []
        assert view.count(UNVERIFIED) == 1
    assert [digest for digest in digests(card) if digest[: fmt.SHORT_DIGEST] not in to_text(card)] == []


@each_card
def test_github_shows_the_same_words_with_nothing_but_what_it_keeps(name: str) -> None:
    shown = Parsed(to_html(EVERY_CARD[name]))
    assert shown.tags <= GITHUB | FOLDING
    assert shown.attributes <= {"class", "style", "tabindex"}
    assert shown.open == []
    bare = Parsed(re.sub(r' (class|style|tabindex)="[^"]*"', "", to_html(EVERY_CARD[name])))
    assert bare.attributes == set()
    assert bare.text == shown.text == Parsed(unfold(sanitised(EVERY_CARD[name]))).text


def test_latex_takes_little_of_what_a_notebook_stores() -> None:
    sizes = [{kind: len(json.dumps(face)) for kind, face in to_bundle(card)[0].items()} for card in CARDS.values()]
    total = sum(sum(each.values()) for each in sizes)
    assert sum(each["text/latex"] for each in sizes) < 0.15 * total


def test_our_exporter_of_nbconvert_writes_cards_as_markdown_tables(notebook: nbformat.NotebookNode) -> None:
    written, _ = CardMarkdownExporter().from_notebook_node(notebook)
    assert "<div" not in written
    assert "|:---|" in written
    assert written.count("not verified in this view") == len(CARDS)
    assert written.count("<details><summary>Details</summary>") == written.count("</details>") >= len(CARDS)


def test_nbconvert_finds_our_exporter_by_its_entry_point(notebook: nbformat.NotebookNode, tmp_path: Path) -> None:
    declared = tomllib.loads(Path("pyproject.toml").read_text())["project"]["entry-points"]["nbconvert.exporters"]
    path = declared["service-nb-markdown"].replace(":", ".")
    nbformat.write(notebook, tmp_path / "cards.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", path, "cards.ipynb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "cards.md").read_text() == CardMarkdownExporter().from_notebook_node(notebook)[0]
