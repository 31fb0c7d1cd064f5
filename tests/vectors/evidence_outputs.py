"""Cases of outputs: those of widgets, whose state the notebook keeps, and faces whose card was taken out."""

from __future__ import annotations

from typing import Any

from tests.vectors.evidence_cases import ALICE, FACES, Cases, Verdict, case, loose, of, verdict
from tests.vectors.evidence_cases import below as placed_below
from tests.vectors.evidence_documents import FIRST, PLACED, SECOND, THIRD, sealed
from tests.vectors.evidence_maker import MIME, Json, code, index, notebook, words

STATE = "application/vnd.jupyter.widget-state+json"
TEXT = "● Answered · 4 rows of sales in 2.1 ms\n\n  North  1.5\n\n  signed  by device 0011\n  Card of service_nb 0.1.0"
MARKDOWN = "**● Answered** · not verified in this view\n\nCard of service_nb 0.1.0\n"
LATEX = "{\\small\\raggedright\\parindent0pt\n\\textbf{Answered}\n\nCard of service\\_nb 0.1.0\n\\par}\n"
HTML = (
    '<div class="service-card">\n<div class="service-mark" style="opacity: 0.75">Card of service_nb 0.1.0</div>\n</div>'
)


def output(data: Any) -> Json:
    return {"output_type": "display_data", "metadata": {}, "data": data}


def below(number: int, *data: Any) -> Json:
    """A code cell that shows bundles."""
    return code(number) | {"outputs": [output(each) for each in data]}


def widget(*outputs: Any) -> Json:
    return {"model_name": "OutputModel", "model_module": "@jupyter-widgets/output", "state": {"outputs": list(outputs)}}


def keeping(*cells: Json, state: Any, **metadata: Any) -> Json:
    return notebook(*cells, widgets={STATE: {"version_major": 2, "version_minor": 0, "state": state}}, **metadata)


def missing(subject: str) -> Verdict:
    return verdict(subject, "faces", faces="card_missing")


def inside(each: Verdict) -> Verdict:
    """The verdict of a card in a widget, which may show it or not."""
    return placed_below(each, "in_widget")


def in_widgets() -> Cases:
    first, second, third = (output({"text/plain": "a card", MIME: card}) for card in (FIRST, SECOND, THIRD))
    yield case(
        "a card that a widget shows is counted",
        keeping(code(1, SECOND), state={"0a": widget(first)}),
        *loose(of("rejection", subject="cell 1, output 1"), inside(of("query", subject="widget 1, output 1"))),
        FACES,
    )
    yield case(
        "widgets are counted in the order of their ids, and those without outputs are not",
        keeping(state={"b": widget(first), "10": widget(second, third), "9": widget(), "a": {"state": {}}}),
        *loose(inside(of("rejection", subject="widget 1, output 1"))),
        *loose(inside(of("error", subject="widget 1, output 2"))),
        *loose(inside(of("query", subject="widget 2, output 1"))),
        FACES,
    )
    yield case(
        "ids are ordered by their UTF-16",
        keeping(state={"\ufb33": widget(first), "\U0001f600": widget(second)}),
        *loose(inside(of("rejection", subject="widget 1, output 1"))),
        *loose(inside(of("query", subject="widget 2, output 1"))),
        FACES,
    )
    yield case(
        "other outputs of a widget are passed over, and counted",
        keeping(state={"a": widget({"output_type": "stream", "name": "stdout", "text": "x"}, first)}),
        *loose(inside(of("query", subject="widget 1, output 2"))),
        FACES,
    )
    changed = output({MIME: FIRST | {"view": FIRST["view"] | {"rows": [["North", "9.9"]]}}})
    yield case(
        "a card that a widget shows is verified like any other",
        keeping(state={"a": widget(changed)}),
        *loose(
            inside(of("query", subject="widget 1, output 1", rows_hash="rows_hash_mismatch", shown="shown_differs"))
        ),
    )
    yield case(
        "a face without its card in a widget",
        keeping(state={"a": widget(output({"text/html": HTML}))}),
        missing("widget 1, output 1"),
    )
    placed = [("cell-1", SECOND), (None, FIRST)]
    yield case(
        "a seal lists the cards of widgets after those of cells",
        keeping(code(1, SECOND), state={"a": widget(first)}, service_nb=index(placed, ALICE)),
        of("rejection", subject="cell 1, output 1"),
        inside(of("query", subject="widget 1, output 1")),
        sealed(),
        FACES,
    )
    yield case(
        "a card taken out of a widget is missed by the seal",
        keeping(code(1, SECOND), state={"a": widget()}, service_nb=index(placed, ALICE)),
        of("rejection", subject="cell 1, output 1"),
        sealed(cards="card_missing"),
    )


def odd_widgets() -> Cases:
    card = output({MIME: FIRST})
    for what, widgets in (
        ("are null", None),
        ("are a list", [widget(card)]),
        ("are those of Colab, in a shape of their own", {"0a": widget(card)}),
        ("are of another type", {"application/json": {"state": {"a": widget(card)}}}),
        ("have a list as state", {STATE: {"state": [widget(card)]}}),
        ("hold a model that is a text", {STATE: {"state": {"a": "OutputModel"}}}),
        ("hold a model whose state is null", {STATE: {"state": {"a": {"state": None}}}}),
        ("hold outputs that are an object", {STATE: {"state": {"a": {"state": {"outputs": {"0": card}}}}}}),
        ("hold outputs that are texts", {STATE: {"state": {"a": widget("card", None, 1)}}}),
        ("hold an output whose data are a list", {STATE: {"state": {"a": widget(output([MIME]))}}}),
    ):
        yield case(f"widgets that {what} show no card", notebook(words(1), widgets=widgets))


def without_cards() -> Cases:
    for what, data in (
        ("in HTML", {"text/html": HTML}),
        ("in HTML as lines", {"text/html": HTML.splitlines(keepends=True), "text/plain": "<div>"}),
        ("in HTML without attributes", {"text/html": "<div><p> Card of service_nb 0.1.0 </p></div>"}),
        ("in Markdown", {"text/markdown": MARKDOWN}),
        ("in LaTeX", {"text/latex": LATEX.splitlines(keepends=True)}),
        ("in text", {"text/plain": TEXT}),
        ("in a list of two", {"text/plain": f"[{TEXT}, {TEXT}]"}),
        ("of a later version", {"text/plain": "Card of service_nb 12.3.4rc1+local"}),
        ("beside a picture", {"image/png": "aGVsbG8=", "text/html": [HTML]}),
    ):
        yield case(f"a face without its card, {what}", notebook(below(1, data)), missing("cell 1, output 1"))
    for what, data in (
        ("that speaks of cards", {"text/plain": "A Card of service_nb 0.1.0"}),
        ("that goes on behind the mark", {"text/markdown": "Card of service_nb 0.1.0 is the mark."}),
        ("that names no version", {"text/html": "<p>Card of service_nb </p>"}),
        ("of another type", {"text/x-rst": "Card of service_nb 0.1.0"}),
        ("whose lines are no texts", {"text/plain": ["Card of service_nb 0.1.0", 1]}),
        ("that is an object", {"text/html": {"0": HTML}}),
        ("with a mark of other letters", {"text/plain": "Card of service_nb \u0966.\u0967.\u0966"}),
    ):
        yield case(f"an output {what} is no face", notebook(below(1, data)))
    yield case(
        "a card taken out between two others",
        notebook(below(1, {MIME: FIRST}, {"text/html": HTML}, {MIME: THIRD})),
        *loose(of("query", subject="cell 1, output 1")),
        missing("cell 1, output 2"),
        *loose(of("error", subject="cell 1, output 3")),
    )
    yield case(
        "a face left in a sealed notebook, whose card was taken out",
        notebook(
            words(1), code(2, FIRST), below(3, {MIME: SECOND}, {"text/plain": TEXT}), service_nb=index(PLACED, ALICE)
        ),
        of("query", subject="cell 2, output 1"),
        of("rejection", subject="cell 3, output 1"),
        missing("cell 3, output 2"),
        sealed(cards="card_missing"),
    )


def cases() -> Cases:
    yield from in_widgets()
    yield from odd_widgets()
    yield from without_cards()
