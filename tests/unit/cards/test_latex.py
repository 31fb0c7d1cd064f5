"""LaTeX in which no text can be a command: what TeX sets is read back, and is the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.cards.blocks import Fact, Facts, Figure, Formula, Head, Sentence, Status, Table, TextSpan
from service_nb.cards.faces.latex import escape, write_latex
from service_nb.cards.format import is_plain_latex
from service_nb.core.words import make_visible

CONTRACT = Path(__file__).parents[3] / "kernels" / "service_nb_kernels" / "contract.json"
HOSTILE = Path(__file__).parents[2] / "vectors" / "hostile" / "payloads.json"
VECTORS = json.loads(HOSTILE.read_text(encoding="utf-8"))["payloads"]
PAYLOADS = [each.get("text") or json.dumps(each) for each in VECTORS]
OF_TEX = [
    *(r"\input{/etc/passwd}", r"\write18{id}", r"\end{document}", r"\def\x{y}", "^^5cinput", r"\[", r"\\*", r"\\[9pt]"),
    *("$x$", "$$", "%", "50% of it", "{", "}", "}}{{", "&", "a & b", "#1", "~", "a_b^c", "[x]", "*"),
    *("--", "---", "``a''", "?`", "!`", "<<a>>", ",,a", '"', "|", "\u00a0", "é ß ž", "漢字", "\u202eabc", "a\nb", ""),
    *("x" * 500, "\\" * 200, "\0" * 3),
    *("-\u2014", "\u2014-", "-\u2013-", "\u2212"),
]
# What TeX makes of the commands that a text may be written with, by TeX's own documentation.
READ = {
    **{rf"\text{name}{{}}": char for name, char in {"backslash": "\\", "asciicircum": "^", "asciitilde": "~"}.items()},
    **{rf"\text{name}{{}}": char for name, char in {"asciigrave": "`", "quotesingle": "'", "quotedbl": '"'}.items()},
    **{rf"\text{name}{{}}": char for name, char in {"less": "<", "greater": ">", "bar": "|"}.items()},
    **{rf"\{char}": char for char in "{}$&#%_"},
    **{f"{{{char}}}": char for char in "[]*"},
    r"\ldots{}": "…",
    r"\allowbreak{}": "",
    "{---}": "—",
    "{--}": "\u2013",
    "-{}": "-",
    ",{}": ",",
    **dict(
        zip(
            (r"$\le$", r"$\ge$", r"$\ne$", r"$\to$", "$-$", r"$\infty$", r"$\pi$", r"$\Omega$"),
            "≤≥≠→\u2212∞πΩ",
            strict=True,
        )
    ),
}
TOKEN = re.compile(
    r"\\texttt\{U\+([0-9A-F]{4,6})\}|(" + "|".join(map(re.escape, sorted(READ, key=len, reverse=True))) + r")"
    r"|([^\\{}$&#%_^~`'\"<>|\[\]*\n])"
)


def read(latex: str) -> str:
    """The text that TeX would set; anything but letters and the commands above is no text, and fails."""
    said, at = [], 0
    while at < len(latex):
        token = TOKEN.match(latex, at)
        assert token, f"{latex[at : at + 20]!r} is a command, not text"
        said.append(chr(int(token[1], 16)) if token[1] else READ[token[2]] if token[2] else token[3])
        at = token.end()
    return "".join(said)


@pytest.mark.parametrize("text", [*PAYLOADS, *OF_TEX])
def test_hostile_text_is_set_as_it_is(text: str) -> None:
    assert read(escape(text)) == make_visible(text)


@given(st.text())
def test_any_text_is_set_as_it_is(text: str) -> None:
    assert read(escape(text)) == make_visible(text)


@pytest.mark.parametrize("text", ["漢", "ж", "😀", "\u03b1"])
def test_what_the_font_lacks_is_named_and_not_lost(text: str) -> None:
    assert escape(text) == "".join(f"\\texttt{{U+{ord(char):04X}}}" for char in make_visible(text))


@pytest.mark.parametrize("text", [*PAYLOADS, *OF_TEX])
def test_no_text_ends_the_group_of_its_card(text: str) -> None:
    head = Head(text=text, aligned="point")
    blocks = [
        Status(tone="answered", label=text, note=text, is_evidence=True),
        Figure(value=text, caption=text),
        Table(heads=(head, Head(text=text, aligned="left")), rows=((text, text), ("1.5", text)), caption=text),
        Sentence(text=text, role="question"),
        Formula(text="text", latex=text),
        Facts(facts=(Fact(label=text, lines=((TextSpan(text=text), TextSpan(text=text, kind="code")),)),)),
    ]
    said = re.sub(r"\\[\\{}$&#%_]", "", write_latex(blocks))
    assert said.count("{") == said.count("}")
    assert said.count("$") % 2 == 0
    begun = re.findall(r"\\(begin|end)\{(\w+)\}", said)
    assert begun in ([], [("begin", "longtable"), ("end", "longtable")])  # a long text's table is written row by row
    assert set(re.findall(r"\\([A-Za-z]+)", said)) & {"input", "write", "def", "document", "include", "csname"} == set()


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\frac{a", "a}", r"}{", r"\begin{cases} a", r"\end{cases} a \begin{cases}", ""),
        *(
            r"\input{x}",
            r"\end{document}",
            r"\openin0",
            r"\expandafter a",
            r"a \\{",
            r"\\} a",
            r"\begin{document}",
            r"\loop a",
        ),
        *("\\", "a\\", r"a \\ b", "a & b", "a__b", "a_", "a^^b", "{a^}"),
    ],
)
def test_a_formula_that_is_not_whole_is_shown_as_text(latex: str) -> None:
    assert write_latex([Formula(text="a / b", latex=latex)]).count(r"\texttt{a / b}") == 1


def test_a_formula_is_set() -> None:
    assert r"\[\frac{a}{b}\]" in write_latex([Formula(text="a / b", latex=r"\frac{a}{b}")])


def test_every_formula_of_the_contract_is_set() -> None:
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    formulas = {each["latex"] for each in objects(contract) if is_plain_latex(each.get("latex", ""))}
    assert len(formulas) > 1_000
    assert [
        latex for latex in formulas if write_latex([Formula(text="", latex=latex)]).count(f"\\[{latex}\\]") != 1
    ] == []


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(each)


def test_quantities_meet_at_their_point_and_whole_numbers_stay_whole() -> None:
    heads = tuple(Head(text=name, aligned="point") for name in ("mean", "count"))
    said = write_latex([Table(heads=heads, rows=(("1.50", "12"), ("-3", "4")), caption="2 rows")])
    assert "{r@{}lr}" in said
    assert "1 & .50 & 12" in said
    assert "-3 &  & 4" in said


def test_a_long_word_is_broken_before_it_leaves_its_column() -> None:
    head = Head(text="stored", aligned="left")
    said = write_latex([Table(heads=(head,), rows=(("x" * 60,),), caption="1 row")])
    assert max(map(len, re.findall("x+", said))) <= 18


def test_a_table_that_is_wider_than_the_page_is_written_row_by_row() -> None:
    heads = tuple(Head(text=f"column_{index}", aligned="left") for index in range(12))
    said = write_latex([Table(heads=heads, rows=(("x",) * 12,), caption="1 row")])
    assert "longtable" not in said
    assert said.count(": x") == 12
