"""Write the vectors of faces: `python -m tests.vectors.make_faces`, from the repository's root.

Each case is a card and the blocks that `service_nb.cards.card_blocks` makes of it. They are no proof that the words are
right, which the tests of the faces give; they hold the two languages to the same words.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

from service_nb.cards import format as fmt
from service_nb.cards.blocks import (
    Block,
    Command,
    Commands,
    Fact,
    Facts,
    Figure,
    Formula,
    Head,
    Mark,
    Sentence,
    Status,
    Table,
    TextSpan,
    Title,
)
from service_nb.cards.card_blocks import compose_card
from service_nb.cards.faces import render_faces, write_bundle
from service_nb.cards.format import is_plain_latex
from service_nb.cards.formulas import write_formula
from service_nb.core.words import clip, make_visible
from service_nb.schema.card import Card
from tests.vectors import faces_cards
from tests.vectors.evidence_maker import PARTS

FOLDER = Path(__file__).parent / "faces"
FORMULAS = Path(__file__).with_name("formulas.txt")
MOST_BYTES = 1_520_000  # of all files
LATEX = [
    PARTS["computation"]["view"]["latex"],
    "",
    "x",
    r"\frac{a}{b} < c \& d",
    r"a<b",
    r"a< b",
    r"\left(1 + r\right)^{t}",
    r"\(x\)",
    r"\[x\]",
    r"\href{x}{y}",
    r"\letter",
    r"\newcommand{\a}{b}",
    r"\def\a{b}",
    r"\renewcommand{\a}{b}",
    r"\tag{1}",
    r"\label{a}",
    r"\text{Zürich}",
    "a\nb",
    "a\n",
    "$x$",
    r"\style{color:red}{x}",
    r"\unicode{x41}",
    r"\bbox[red]{x}",
    r"\providecommand{\a}{b}",
    r"\DeclareMathOperator{\sin}{cos}",
    r"\newenvironment{cases}{}{}",
    r"\begin{cases} a & b \\ c & d \end{cases}",
    r"\begin{array}{c} a \end{array}",
    "\\",
]

Case = dict[str, Any]


def cards(named: Callable[[], faces_cards.Named]) -> Iterator[Case]:
    """Yield a case for each card."""
    for name, card in named():
        yield {"name": name, "card": card, "blocks": [_written(block) for block in compose_card(cast(Card, card))]}


def rendered() -> Iterator[Case]:
    """Yield the faces of each card of the other files, as version 0.1.0 marks them."""
    for kind, named in CARDS.items():
        for name, card in named():
            yield {"file": kind, "name": name, "faces": render_faces(cast(Card, card), version="0.1.0")}


def texts() -> Iterator[Case]:
    """Yield how texts and numbers are written."""
    for text in [*faces_cards.TEXTS, *faces_cards.NUMBERS]:
        yield {
            "text": text,
            "visible": make_visible(text),
            "word": fmt.write_word(text),
            "number": fmt.write_number(text),
            "is_number": fmt.is_number(text),
            "clipped": [clip(make_visible(text), cells) for cells in (1, 8, 64)],
        }


def written() -> Iterator[Case]:
    """Yield texts in every block, at every place where a text can be, and the SHA-256 of the faces of these blocks."""
    odd = ["www.a.b/c_d_ e_f", "1. a", "12) b", "- c", "+d", ":e", "a@b.c", "http://a", "a -- b,, c", "word " * 60]
    for text in [*faces_cards.TEXTS, *odd, *LATEX, " ".join(faces_cards.NUMBERS)]:
        blocks = list(_everywhere(text))
        faces = write_bundle(blocks)[0]
        digests = {mime: hashlib.sha256(face.encode()).hexdigest() for mime, face in faces.items()}
        yield {"text": text, "blocks": [_written(block) for block in blocks], "sha256": digests}


def _everywhere(text: str) -> Iterator[Block]:
    shown = fmt.write_word(text)
    cell, span, command = clip(shown, 64), TextSpan(text), Command(line=text, note=text)
    heads = tuple(Head(text=cell, aligned=aligned) for aligned in ("left", "point"))
    for tone in ("source", "error"):
        yield Title(text=text, note=text, tone=tone)  # type: ignore[arg-type]  # one of them
    yield Title(text=text)
    yield Figure(value=shown, caption=text)
    yield Table(heads=heads, rows=((cell, "1.25"), ("x", cell), ("", "-10")), caption=text)
    yield Table(heads=heads * 3, rows=((cell, "1.25") * 3,), caption=text)
    for role in ("question", "message", "hint"):
        yield Sentence(text=text, role=role)  # type: ignore[arg-type]  # one of the three
    yield Formula(text=f"{text}\n{text}", latex="")
    yield Formula(text=text, latex=text)
    yield Commands(commands=(command,))
    yield Commands(commands=(command, Command(line="y")), title=text)
    lines = ((span, TextSpan(text, "code")), (TextSpan(text, "digest"),))
    facts = [
        Fact(label="steps", lines=lines, is_steps=True),
        Fact(label=cell, lines=lines),
        Fact.from_texts("one", text),
    ]
    yield Status(tone="unclear", label=text, note=text, is_evidence=True)
    yield Formula(text=text, latex=text)
    yield Facts(facts=tuple(facts))
    yield Mark(version="0.1.0")


def durations() -> Iterator[Case]:
    """Yield how durations are written."""
    for milliseconds in (*faces_cards.DURATIONS, 1_234_567.0):
        yield {"milliseconds": milliseconds, "said": fmt.write_duration(milliseconds)}


def formulas() -> Iterator[Case]:
    """Formulas of every construct that the contract has, and what no formula is; with what is read of them."""
    for latex_text in FORMULAS.read_text(encoding="utf-8").split("\n")[:-1]:
        yield {"latex": latex_text, "shown": write_formula("as computed", latex_text)}


def latex() -> Iterator[Case]:
    """Yield which LaTeX is mathematics and nothing else."""
    for text in LATEX:
        yield {"latex": text, "is_plain": is_plain_latex(text)}


CARDS: Mapping[str, Callable[[], faces_cards.Named]] = {
    "queries": faces_cards.queries,
    "computations": faces_cards.computations,
    "refusals": faces_cards.refusals,
    "errors": faces_cards.errors,
    "replays": faces_cards.replays,
}
FILES: Mapping[str, Callable[[], Iterator[Case]]] = {
    **{kind: partial(cards, named) for kind, named in CARDS.items()},
    "rendered": rendered,
    "texts": texts,
    "written": written,
    "durations": durations,
    "latex": latex,
    "formulas": formulas,
}


def _written(block: Block) -> Case:
    """Return a block as TypeScript has it, but for what only one of the languages carries."""
    written = {"block": type(block).__name__.lower()} | asdict(block)
    for key in ("is_evidence", "is_answer", "exact"):
        written.pop(key, None)
    for head in written.get("heads", ()):
        del head["is_whole"]
    for fact in written.get("facts", ()):
        fact["isSteps"] = fact.pop("is_steps")
    return written


def main() -> None:
    for name, cases in FILES.items():
        made = list(cases())
        names = Counter(case.get("name", str(at)) for at, case in enumerate(made))
        assert max(names.values()) == 1, names.most_common(3)
        lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in made)
        (FOLDER / f"{name}.json").write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{name}.json: {len(made)} cases")


if __name__ == "__main__":
    main()
