"""Cases of places: where viewers show a card, and where none does; cells and the order of cards."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.vectors.evidence_cards import edited, without
from tests.vectors.evidence_cases import ALICE, FACES, Cases, bad_form, below, case, loose, of, open_form
from tests.vectors.evidence_documents import FIRST, SECOND, sealed
from tests.vectors.evidence_maker import (
    MIME,
    Json,
    canonical,
    card,
    code,
    index,
    notebook,
    receipt,
    sha,
    statement,
    words,
)
from tests.vectors.evidence_outputs import HTML, keeping, output, widget

ONE, TWO = of("query", subject="cell 1, output 1"), of("rejection", subject="cell 2, output 1")
BOTH = notebook(code(1, FIRST), code(2, SECOND))
TEXTS = {"name": "stdout", "text": "777", "ename": "E", "evalue": "777", "traceback": ["777"]}


def hidden(subject: str) -> Json:
    return bad_form("card_not_shown", subject)


def kinds() -> Cases:
    """An output, or a cell, of another kind: viewers show its text, and not its data."""
    for kind in ("execute_result", "update_display_data"):
        made = edited(BOTH, "cells", 0, "outputs", 0, "output_type", to=kind)
        yield case(f"a card in an output of the kind {kind}", made, *loose(ONE, TWO))
    for kind in ("stream", "error"):
        made = copy.deepcopy(BOTH)
        made["cells"][0]["outputs"][0] |= {**TEXTS, "output_type": kind}
        yield case(f"a card in an output of the kind {kind}", made, hidden("cell 1, output 1"), *loose(TWO))
    for odd in ("pyout", "Display_Data", "display_data ", "", None, 1, ["display_data"], {"display_data": 1}):
        made = edited(BOTH, "cells", 0, "outputs", 0, "output_type", to=odd)
        told = hidden("cell 1, output 1"), *loose(TWO), open_form("notebook")
        yield case(f"a card in an output of the kind {odd!r}", made, *told)
        made = edited(BOTH, "cells", 1, "cell_type", to=odd)
        told = *loose(ONE), hidden("cell 2, output 1"), open_form("notebook")
        yield case(f"a card below a cell of the kind {odd!r}", made, *told)
    for path, name in ((("outputs", 0, "output_type"), "an output"), (("cell_type",), "a cell")):
        made = without(BOTH, "cells", 0, *path)
        yield case(f"{name} of no kind", made, hidden("cell 1, output 1"), *loose(TWO), open_form("notebook"))
    for kind in ("markdown", "raw"):
        made = edited(BOTH, "cells", 1, "cell_type", to=kind)
        yield case(f"a card below a cell of the kind {kind}", made, *loose(ONE), hidden("cell 2, output 1"))
    made = edited(BOTH, "cells", 0, "outputs", 0, to={"output_type": "stream", "data": {"text/html": HTML}})
    yield case("a face in a stream is not shown", made, *loose(TWO))
    odd_one = notebook(*BOTH["cells"], words(3) | {"cell_type": "heading"})
    yield case("a cell of an unknown kind without a card", odd_one, *loose(ONE, TWO), open_form("notebook"))
    odd_one = notebook(code(1, FIRST), code(2) | {"outputs": [{"output_type": "pyout", "text": "777"}]})
    yield case("an output of an unknown kind without a card", odd_one, *loose(ONE), open_form("notebook"))
    every = notebook(*BOTH["cells"], service_nb=index([("cell-1", FIRST), ("cell-2", SECOND)], ALICE))
    made = edited(every, "cells", 1, "cell_type", to="raw")
    yield case("a sealed card below a raw cell", made, ONE, hidden("cell 2, output 1"), sealed(cards="card_missing"))


def forms() -> Cases:
    for version in (3, 5, 99, 0, -4, 4.5, "4", True, None, [4], {}):
        yield case(f"a notebook of nbformat {version!r}", BOTH | {"nbformat": version}, open_form())
    yield case(
        "a notebook of nbformat 4.0", json.dumps(BOTH).replace('"nbformat": 4,', '"nbformat": 4.0,'), *loose(ONE, TWO)
    )
    for minor in (0, 1, 4, 6, None, "5"):
        yield case(f"a notebook of minor version {minor!r}", BOTH | {"nbformat_minor": minor}, *loose(ONE, TWO))
    yield case("a notebook of no minor version", without(BOTH, "nbformat_minor"), *loose(ONE, TWO))
    for sheets in ([], [{"cells": []}], None):
        yield case(f"worksheets that are {sheets!r} beside cells", BOTH | {"worksheets": sheets}, open_form())
    third = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": []}]}
    yield case("a notebook of the third format", third, open_form())
    yield case("cells without ids under minor 5", without(BOTH, "cells", 0, "id"), *loose(ONE, TWO))
    yield case("an output without metadata", without(BOTH, "cells", 0, "outputs", 0, "metadata"), *loose(ONE, TWO))
    folded = {"collapsed": True, "jupyter": {"outputs_hidden": True, "source_hidden": True}}
    yield case("folded outputs, which a click shows", edited(BOTH, "cells", 0, "metadata", to=folded), *loose(ONE, TWO))


def strays() -> Cases:
    """Cards outside of outputs, in a notebook with another one that is shown."""
    bundle = {MIME: SECOND, "text/plain": "777"}
    for name, subject, path in (
        ("in an attachment", "cell 1", ("cells", 0, "attachments")),
        ("in the metadata of a cell", "cell 1", ("cells", 0, "metadata")),
        ("deep in the metadata of a cell", "cell 1", ("cells", 0, "metadata", "other")),
        ("in the metadata of an output", "cell 1", ("cells", 0, "outputs", 0, "metadata")),
        ("within data of another type", "cell 1", ("cells", 0, "outputs", 1, "data", "application/x-other")),
        ("as transient data", "cell 1", ("cells", 0, "outputs", 1, "transient")),
        ("in the metadata of the notebook", "notebook", ("metadata", "other")),
        ("as a key of the notebook", "notebook", ("other",)),
    ):
        plain = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "777"}}
        made = notebook(code(1, FIRST))
        made["cells"][0]["outputs"].append(plain)
        held: Any = made
        for step in path[:-1]:
            held = held.setdefault(step, {}) if isinstance(held, dict) else held[step]
        held[path[-1]] = bundle if path[-1] in ("metadata", "other", "transient") else {"card": bundle}
        yield case(f"a card {name}", made, *loose(ONE), hidden(subject))
    hint = edited(BOTH, "cells", 0, "outputs", 0, "metadata", to={MIME: {"digits": 4}})
    yield case("the metadata of an output say how its card is shown", hint, *loose(ONE, TWO))
    stream = {**output({MIME: FIRST}), "output_type": "stream", "name": "stdout", "text": "777"}
    yield case(
        "a card in a stream of a widget",
        keeping(code(1, SECOND), state={"a": widget(stream)}),
        *loose(of("rejection", subject="cell 1, output 1")),
        hidden("widget 1, output 1"),
    )
    colab = notebook(
        code(1, FIRST), widgets={"application/vnd.jupyter.widget-state+json": {"a": widget(output({MIME: SECOND}))}}
    )
    yield case("the widgets of another front end are nobody's fault", colab, *loose(ONE))
    yield case(
        "a card beside another form",
        edited(BOTH, "cells", 0, "outputs", 0, "data", "text/plain", to="777"),
        *loose(ONE, TWO),
        FACES,
    )
    twice = json.dumps(BOTH).replace(
        '"output_type": "display_data"', '"output_type": "display_data", "output_type": "stream"', 1
    )
    yield case("an output of two kinds", twice, bad_form("malformed_json", "document"))


def made_in(source: str, cell: str | None, number: int, **place: int) -> Json:
    """A card that a cell of this source gave, as its statement says."""
    made = card("query", latency_ms=1.0 + number)
    stated = {"notebook": "report.ipynb", "cell": cell, "source": sha(source)}
    return made | {"receipt": receipt(canonical(statement(made, number, place=stated)).encode(), ALICE, **place)}


def cell(number: int, source: Any, *cards: Json, kind: str = "code") -> Json:
    return code(number, *cards) | {"source": source, "cell_type": kind}


def cells() -> Cases:
    first, second = made_in("# 1", "cell-1", 1), made_in("# 2", "cell-2", 2)
    one, two = of("query", subject="cell 1, output 1"), of("query", subject="cell 2, output 1")
    edited_one, other = below(one, "cell_edited"), "card_of_another_cell"
    yield case(
        "cells that gave their cards",
        notebook(cell(1, "# 1", first), cell(2, ["# ", "2"], second)),
        *loose(below(one), below(two)),
    )
    yield case("a cell edited", notebook(cell(1, "# 3", first)), *loose(edited_one))
    for kind in ("markdown", "raw"):
        old = {"cell_type": kind, "id": "old", "metadata": {}, "source": "# 1"}
        yield case(
            f"a cell edited, its source in a {kind} cell", notebook(cell(1, "# 3", first), old), *loose(edited_one)
        )
    yield case(
        "a cell edited, its source in another code cell",
        notebook(cell(1, "# 3", first), cell(5, "# 1")),
        *loose(edited_one),
    )
    elsewhere = notebook(cell(1, "# 1"), cell(2, "x", first))
    yield case("a card below another cell than the one that gave it", elsewhere, *loose(below(two, other)))
    yield case(
        "the same without ids",
        notebook(*(without(each, "id") for each in elsewhere["cells"])),
        *loose(below(two, other)),
    )
    yield case(
        "a card whose cell has gone",
        notebook(cell(2, "x"), cell(3, "y", first)),
        *loose(below(of("query", subject="cell 2, output 1"), "cell_edited")),
    )
    yield case("a cell of another id with the source", notebook(cell(9, "# 1", first)), *loose(below(one)))
    swapped = notebook(cell(1, "# 1", second), cell(2, "# 2", first))
    yield case("two outputs swapped", swapped, *loose(below(one, other), below(two, other)))
    for what, source in (("null", None), ("a number", 1), ("a list of numbers", [1]), ("an object", {})):
        yield case(f"a source that is {what}", notebook(cell(1, source, first)), *loose(edited_one))
    yield case("a cell without a source", notebook(without(cell(1, "", first), "source")), *loose(edited_one))
    mark = sealed()
    whole = notebook(cell(1, "# 3", first), service_nb=index([("cell-1", first)], ALICE))
    yield case("a cell edited in a sealed notebook", whole, edited_one, mark)


def orders() -> Cases:
    first, second = made_in("#", None, 1, index=1), made_in("#", None, 2, index=2)
    third = made_in("#", None, 3, index=3)
    one, two, three = (below(of("query", subject=f"cell {at}, output 1")) for at in (1, 2, 3))
    book = notebook(*(cell(at, "#", each) for at, each in enumerate((first, second, third), 1)))
    yield case("cards in the order in which they were recorded", book, *loose(one, two, three))
    turned = notebook(*(cell(at, "#", each) for at, each in enumerate((second, third, first), 1)))
    yield case(
        "a card recorded before one above it", turned, *loose(one, two), *loose(three, cause="card_out_of_order")
    )
    twice = notebook(*(cell(at, "#", each) for at, each in enumerate((second, first, first), 1)))
    late = *loose(two, cause="card_out_of_order"), *loose(three, cause="card_repeated")
    yield case("a card that stands there twice", twice, *loose(one), *late)
    both = notebook(cell(1, "#", first, first))
    again = below(of("query", subject="cell 1, output 2"))
    yield case("a card twice below its cell", both, *loose(one), *loose(again, cause="card_repeated"))
    unsigned = [each | {"receipt": None} for each in (first, second)]
    bare = [of("query", subject=f"cell {at}, output 1", is_signed=False, signature="?unsigned") for at in (1, 2, 3)]
    book = notebook(*(cell(at, "#", each) for at, each in enumerate((*unsigned, unsigned[0]), 1)))
    yield case(
        "an unsigned card that stands there twice", book, *loose(*bare[:2]), *loose(bare[2], cause="card_repeated")
    )
    seal = index([("cell-1", second), ("cell-2", first)], ALICE)
    book = notebook(cell(1, "#", second), cell(2, "#", first), service_nb=seal)
    yield case("sealed in another order than recorded", book, one, two, sealed())


def cases() -> Cases:
    yield from kinds()
    yield from forms()
    yield from strays()
    yield from cells()
    yield from orders()
