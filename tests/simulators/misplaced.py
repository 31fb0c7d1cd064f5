"""Notebooks that somebody without a key has altered: another number is where readers look, and no card was touched.

The genuine notebook has four cards of a real client, signed and sealed, each with a number of its own. A forged number
has `777`; no genuine one does. What verifiers say of each is compared with what JupyterLab shows of it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service_nb import create_service
from service_nb.cards.faces import to_bundle
from service_nb.cli.main import main
from service_nb.core.digest import compute_sha256_hex
from tests.simulators.evidence import MIME

Json = dict[str, Any]
FORGED = "777777.25"  # as a forger writes it
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
LINES = [f"sum amount from sales where region = '{region}'" for region in ("north", "east", "south", "west")]
NUMBERS = ("1234.5", "2345.75", "3456.125", "4567.0625")  # of the cards, one each
SALES = "".join(
    f"{region},{number}\n" for region, number in zip(("north", "east", "south", "west"), NUMBERS, strict=True)
)
CARDS = (1, 2, 3, 4)  # the cells with a card; cell 0 is prose


@dataclass(frozen=True)
class Misplaced:
    """An altered notebook, as the text of its file."""

    name: str
    text: str
    is_sealed: bool


def genuine(folder: Path) -> Json:
    """The notebook, signed and sealed by this machine's key, as `service-nb` leaves it."""
    source = ""

    def where() -> Any:
        return {"notebook": "report.ipynb", "cell": f"cell-{len(cells)}", "source": compute_sha256_hex(source.encode())}

    cells: list[Json] = [{"cell_type": "markdown", "id": "cell-0", "metadata": {}, "source": "# Sales by region"}]
    (folder / "sales.csv").write_text(f"region,amount\n{SALES}", encoding="utf-8")
    service = create_service(runtime="in_process", project=folder, ledger=folder / "ledger", where=where)
    with closing(service):
        service.connect(folder / "sales.csv", name="sales")
        for number, line in enumerate(LINES, 1):
            source = f"%service_ask {line}"
            data, metadata = to_bundle(service.ask(line).card)
            output = {"output_type": "execute_result", "execution_count": number, "metadata": metadata, "data": data}
            cell = {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source}
            cells.append({**cell, "execution_count": number, "outputs": [output]})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    path = folder / "genuine.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}))
    assert main(["seal", str(path)]) == 0
    made: Json = json.loads(path.read_bytes())
    return made


def mutants(genuine: Json) -> list[Misplaced]:
    """All of them; where it makes a difference, also with the seal taken out."""
    groups = (kinds_of_outputs, kinds_of_cells, forms, other_places, other_data, other_faces, other_sources, orders)
    made = []
    for group in groups:
        for name, change in group():
            book = copy.deepcopy(genuine)
            text = change(book)
            is_text = isinstance(text, str) and text.startswith("{")  # what no object can hold, such as a key twice
            made.append(Misplaced(name, text if is_text else json.dumps(book), is_sealed=True))
            if group in (other_places, other_sources, orders):
                bare = copy.deepcopy(genuine)
                del bare["metadata"]["service_nb"]
                change(bare)
                made.append(Misplaced(f"{name}, without its seal", json.dumps(bare), is_sealed=False))
    return made


Change = Callable[[Json], Any]
Changes = Iterator[tuple[str, Change]]


def output_of(book: Json, at: int = 2) -> Json:
    found: Json = book["cells"][at]["outputs"][0]
    return found


def plain(text: str = FORGED) -> Json:
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": text}}


# What each kind of output shows, all in one: whatever kind it is taken for, a viewer finds the forged number.
SHOWN_TEXTS = {"name": "stdout", "text": FORGED, "ename": "Sum", "evalue": FORGED, "traceback": [FORGED]}


def kinds_of_outputs() -> Changes:
    def become(at: int, kind: object) -> Change:
        return lambda book: output_of(book, at).update(SHOWN_TEXTS, output_type=kind)

    for at in CARDS:
        for kind in ("stream", "error", "pyout"):
            yield f"the output of card {at} is made a {kind}", become(at, kind)
    for other in ("Display_Data", "display_data ", "pyerr", "text", "", "data", None, 1, True, ["display_data"], {}):
        yield f"an output is made of the kind {other!r}", become(2, other)
    yield (
        "an output has no kind",
        lambda book: (output_of(book).update(SHOWN_TEXTS), output_of(book).pop("output_type")),
    )

    def every(book: Json) -> None:
        for at in CARDS:
            become(at, "stream")(book)

    yield "every output is made a stream", every
    yield "a stream of stderr", lambda book: output_of(book).update(SHOWN_TEXTS, output_type="stream", name="stderr")
    lines = {"output_type": "stream", "name": "stdout", "text": ["Sum of amount\n", FORGED]}
    yield "a stream whose text is lines", lambda book: output_of(book).update(lines)
    yield (
        "an error without a traceback",
        lambda book: output_of(book).update(SHOWN_TEXTS, output_type="error", traceback=[]),
    )


def kinds_of_cells() -> Changes:
    def become(at: int, kind: object) -> Change:
        return lambda book: book["cells"][at].update(cell_type=kind, source=f"Sum of amount: {FORGED}")

    for at in CARDS:
        for kind in ("markdown", "raw"):
            yield f"the cell of card {at} is made {kind}", become(at, kind)
    for other in ("Code", "code ", "heading", "text", "sql", "", None, 1, ["code"]):
        yield f"a cell is made of the kind {other!r}", become(3, other)
    yield "a cell has no kind", lambda book: (become(3, "")(book), book["cells"][3].pop("cell_type"))

    def every(book: Json) -> None:
        for at in CARDS:
            become(at, "markdown")(book)

    yield "every cell is made Markdown", every

    def folded(book: Json) -> None:
        become(2, "markdown")(book)
        book["cells"][2]["metadata"] = {"jp-MarkdownHeadingCollapsed": True, "collapsed": True}

    yield "a Markdown cell with folded metadata", folded


def forms() -> Changes:
    sheet = {"cells": [{"cell_type": "code", "input": "", "outputs": [{"output_type": "stream", "text": FORGED}]}]}
    old = {"output_type": "pyout", "prompt_number": 1, "text": FORGED, "metadata": {}}
    yield "worksheets beside the cells", lambda book: book.update(worksheets=[sheet])
    yield (
        "worksheets of the third format",
        lambda book: book.update(worksheets=[{"cells": [{"outputs": [old]}]}], nbformat=3),
    )
    yield "an empty list of worksheets", lambda book: book.update(worksheets=[])
    for version in (99, 5, 3, 2, 1, 0, -4, "4", 4.5, True, [4], None):
        yield f"of nbformat {version!r}", lambda book, version=version: book.update(nbformat=version)  # type: ignore[misc]
    yield "without nbformat", lambda book: [book.pop(key) for key in ("nbformat", "nbformat_minor")]
    twice = f'"cells": [{{"cell_type": "markdown", "metadata": {{}}, "source": "{FORGED}"}}]'
    yield "with two keys for cells", lambda book: json.dumps(book)[:-1] + f", {twice}}}"


def other_places() -> Changes:
    """A card is kept elsewhere, and a forged number stands where it was."""

    def moved(place: Callable[[Json, Json], Any], at: int = 4) -> Change:
        def change(book: Json) -> None:
            output = copy.deepcopy(output_of(book, at))
            book["cells"][at]["outputs"] = [plain()]
            place(book, output)

        return change

    def keep(*path: Any) -> Callable[[Json, Json], Any]:
        def place(book: Json, output: Json) -> None:
            holder: Any = book
            for step in path:
                holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
            holder.update(output["data"])

        return place

    yield "a card in an attachment of the prose", moved(keep("cells", 0, "attachments", "card"))
    yield "a card in an attachment of its cell", moved(keep("cells", 4, "attachments", "card"))
    yield "a card in the metadata of a cell", moved(keep("cells", 4, "metadata"))
    yield "a card in the metadata of the notebook", moved(keep("metadata"))
    yield "a card deep in the metadata of the notebook", moved(keep("metadata", "kernelspec", "more"))
    yield (
        "a card in the metadata of an output",
        moved(lambda book, output: output_of(book, 4)["metadata"].update(output["data"])),
    )
    yield "a card beside the data of an output", moved(lambda book, output: output_of(book, 4).update(output["data"]))
    yield "a card as a key of its cell", moved(lambda book, output: book["cells"][4].update(output["data"]))
    yield "a card as a key of the notebook", moved(lambda book, output: book.update(output["data"]))
    yield (
        "a card within another type of data",
        moved(lambda book, output: output_of(book, 4)["data"].update({"application/x-unknown": output["data"]})),
    )
    yield (
        "a card within JSON",
        moved(lambda book, output: output_of(book, 4)["data"].update({"application/json": output})),
    )
    yield "an output below the prose", moved(lambda book, output: book["cells"][0].update(outputs=[output]))
    yield (
        "an output below a raw cell",
        moved(
            lambda book, output: book["cells"].append(
                {**book["cells"][0], "id": "x", "cell_type": "raw", "outputs": [output]}
            )
        ),
    )
    yield (
        "an output in a stream of its own",
        moved(
            lambda book, output: book["cells"][4]["outputs"].append(
                {**output, "output_type": "stream", "name": "stdout", "text": ""}
            )
        ),
    )
    yield "an output in the transient data", moved(lambda book, output: output_of(book, 4).update(transient=output))

    def in_widget(shape: Callable[[Json], Any]) -> Callable[[Json, Json], Any]:
        def place(book: Json, output: Json) -> None:
            state = {
                "a": {"model_name": "OutputModel", "model_module": "@jupyter-widgets/output", "state": shape(output)}
            }
            book["metadata"]["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": state}}

        return place

    yield "a card in a widget that nothing shows", moved(in_widget(lambda output: {"outputs": [output]}))
    yield (
        "a card in a stream of a widget",
        moved(
            in_widget(
                lambda output: {"outputs": [{**output, "output_type": "stream", "name": "stdout", "text": FORGED}]}
            )
        ),
    )
    yield (
        "a card in the outputs of a model of another shape",
        moved(in_widget(lambda output: {"outputs": {"0": output}})),
    )

    def behind_view(book: Json, output: Json) -> None:
        in_widget(lambda held: {"outputs": [held]})(book, output)
        output_of(book, 4)["data"][VIEW] = {"model_id": "a", "version_major": 2, "version_minor": 0}

    yield "a card in a widget behind a text", moved(behind_view)


def other_data() -> Changes:
    def on(change: Callable[[Json], Any]) -> Change:
        def changed(book: Json) -> None:
            output = output_of(book, 2)
            change(output)
            output.setdefault("data", {})

        return changed

    def instead(data: Any) -> Change:
        return on(lambda output: output.update(SHOWN_TEXTS, data=data))

    yield "data that are a list", instead([FORGED])
    yield "data that are null", instead(None)
    yield "data that are a text", instead(FORGED)
    yield (
        "no data, and the keys of the third format",
        on(lambda output: (output.update({"text": FORGED, "html": FORGED}), output.pop("data"))),
    )
    card = "a card as a text of JSON"
    yield card, on(lambda output: output["data"].update({MIME: json.dumps(output["data"][MIME]), "text/plain": FORGED}))
    upper = "a card under its type in capitals"
    yield upper, on(lambda output: output.update(data={MIME.upper(): output["data"][MIME], "text/plain": FORGED}))
    some = "a card under its type with a parameter"
    yield some, on(lambda output: output.update(data={f"{MIME};v=1": output["data"][MIME], "text/plain": FORGED}))
    yield "an empty bundle", instead({})
    yield "a card that is an empty object", on(lambda output: output["data"].update({MIME: {}, "text/plain": FORGED}))
    yield "outputs that are an object", lambda book: book["cells"][2].update(outputs={"0": output_of(book)})
    yield "outputs that are null", lambda book: book["cells"][2].update(outputs=None)
    yield "cells that are an object", lambda book: book.update(cells=dict(enumerate(book["cells"])))
    yield "a cell within a list", lambda book: book["cells"].__setitem__(2, [book["cells"][2]])

    def twice(book: Json) -> str:
        text = json.dumps(book)
        return text.replace(
            '"output_type": "execute_result"',
            f'"output_type": "execute_result", "text": "{FORGED}", "output_type": "stream", "name": "stdout"',
            1,
        )

    yield "an output with two kinds", twice
    data = f'"data": {{"text/plain": "{FORGED}"}}, "data": {{'
    yield "an output with two data", lambda book: json.dumps(book).replace('"data": {', data, 1)


def other_faces() -> Changes:
    def beside(**kinds: Any) -> Change:
        return lambda book: output_of(book)["data"].update(kinds)

    html = f"<b>{FORGED}</b>"
    for mime, value in (
        ("text/html", html),
        ("text/html", ["<b>", FORGED, "</b>"]),
        ("text/plain", FORGED),
        ("text/markdown", f"**{FORGED}**"),
        ("text/latex", f"${FORGED}$"),
        ("application/json", {"sum": FORGED}),
        ("application/javascript", f"element.textContent = '{FORGED}'"),
        ("application/geo+json", {"type": "Point", "coordinates": [1, 2]}),
        ("application/vnd.vegalite.v5+json", {"mark": "text", "data": {"values": [{}]}, "title": FORGED}),
        ("image/svg+xml", f"<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>{FORGED}</text></svg>"),
        ("application/vnd.jupyter.stdout", FORGED),
        ("application/vnd.jupyter.stderr", FORGED),
        ("application/vnd.jupyter.error", {"ename": "", "evalue": FORGED, "traceback": [FORGED]}),
        (VIEW, {"model_id": "a", "version_major": 2, "version_minor": 0}),
        ("TEXT/HTML", html),
        ("text/html;charset=utf-8", html),
    ):
        kind = "lines of " if isinstance(value, list) else ""
        yield f"{kind}{mime} beside the card", beside(**{mime: value})

    def without_html(book: Json) -> None:
        data = output_of(book)["data"]
        output_of(book)["data"] = {MIME: data[MIME], "text/plain": FORGED}

    yield "a text alone beside the card", without_html


def other_sources() -> Changes:
    """The source above a card is another one, and its own stands elsewhere."""
    asked, other = f"%service_ask {LINES[1]}", "%service_ask sum amount from sales where region = 'abroad'"

    def edited(*more: Json, at: int = 2, before: bool = True) -> Change:
        def change(book: Json) -> None:
            book["cells"][at]["source"] = other
            place = at if before else len(book["cells"])
            book["cells"][place:place] = copy.deepcopy([*more])

        return change

    def cell(kind: str, source: str = asked, **more: Any) -> Json:
        code = {"execution_count": None, "outputs": []} if kind == "code" else {}
        return {"cell_type": kind, "id": "old", "metadata": {}, "source": source, **code, **more}

    yield "the source edited", edited()
    for kind in ("raw", "markdown", "code"):
        yield f"the source edited, and a {kind} cell above has it", edited(cell(kind))
        yield f"the source edited, and a {kind} cell at the end has it", edited(cell(kind), before=False)
        yield (
            f"the source edited, and a {kind} cell has it and no id",
            edited({k: v for k, v in cell(kind).items() if k != "id"}),
        )
    hidden = {"jupyter": {"source_hidden": True, "outputs_hidden": True}, "collapsed": True}
    yield "the source edited, and a folded cell has it", edited(cell("code", metadata=hidden))

    def with_id(book: Json) -> None:
        edited(cell("code"))(book)
        book["cells"][2]["id"], book["cells"][3]["id"] = "cell-2", "new"

    yield "the source edited, and a cell of its id has it", with_id
    yield "the source as lines of another", lambda book: book["cells"][2].update(source=["%service_ask ", "nothing"])
    yield "the source in the input of the third format", lambda book: book["cells"][2].update(source=other, input=asked)
    yield "the source taken out", lambda book: book["cells"][2].pop("source")
    yield "the source null", lambda book: book["cells"][2].update(source=None)
    yield "an outputless twin of the edited cell", edited(cell("code", id="cell-2"))


def orders() -> Changes:
    """Cards change places, are taken out or repeated."""

    def swap(left: int, right: int) -> Change:
        def change(book: Json) -> None:
            one, other = book["cells"][left], book["cells"][right]
            one["outputs"], other["outputs"] = other["outputs"], one["outputs"]

        return change

    def turn(left: int, right: int) -> Change:
        def change(book: Json) -> None:
            cells = book["cells"]
            cells[left], cells[right] = cells[right], cells[left]

        return change

    yield "the outputs of two cells swapped", swap(1, 3)
    yield "the outputs of neighbours swapped", swap(2, 3)
    yield "two cells swapped with their outputs", turn(1, 4)
    yield "two neighbours swapped with their outputs", turn(2, 3)
    yield "the cells turned around", lambda book: book["cells"].reverse()
    yield "an output taken out", lambda book: book["cells"][3].update(outputs=[])
    yield "a cell taken out", lambda book: book["cells"].pop(3)
    yield "an output replaced by a text", lambda book: book["cells"][3].update(outputs=[plain()])
    yield "an output repeated below its cell", lambda book: book["cells"][2]["outputs"].append(output_of(book))
    yield "an output in the place of another", lambda book: book["cells"][3].update(outputs=[output_of(book)])
    yield "a cell repeated at the end", lambda book: book["cells"].append({**book["cells"][2], "id": "again"})
    yield (
        "an output moved below another",
        lambda book: book["cells"][4]["outputs"].append(book["cells"][1]["outputs"].pop()),
    )
    yield (
        "all outputs below one cell",
        lambda book: book["cells"][4].update(outputs=[book["cells"][at]["outputs"].pop() for at in CARDS]),
    )
