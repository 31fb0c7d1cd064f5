"""Notebooks as readers get them, and what is right of each: genuine, of strangers, altered, forged, stripped, sealed.

Answers are those of a real client. Keys are of a fixed seed, so that whoever alters a card can also sign it anew: its
reader, people that the reader trusts, somebody unknown, an attacker.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service_nb.cards.faces import render_faces, to_bundle
from service_nb.evidence.stripping import strip_file
from tests.simulators import evidence as genuine
from tests.simulators.altered import rehashed, resigned, signed, statement_of
from tests.simulators.evidence import AUTHOR, FORGER, MIME, Key, index_of, sha256
from tests.simulators.forged import RICHER
from tests.vectors.evidence_outputs import keeping, output, widget

Json = dict[str, Any]

READER, ADA, UNNAMED, STRANGER = Key("the reader"), Key("Ada"), Key("of no name"), AUTHOR
NAMES = {ADA.public_key: "Ada Lovelace", UNNAMED.public_key: ""}  # of the keys that the reader trusts
DEVICE_KEY = base64.b64encode(sha256(READER.name.encode())).decode()  # for SERVICE_DEVICE_KEY

V, U, C = "verified", "unaltered", "consistent"


@dataclass(frozen=True)
class Notebook:
    """A notebook and what is right of it: of each verdict the status, and where something decided it the cause."""

    name: str
    document: Json
    expected: tuple[str, ...]

    @property
    def content(self) -> bytes:
        """The file, as Jupyter writes it."""
        return (json.dumps(self.document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


# --- parts ------------------------------------------------------------------------------------------------------------


def source_of(number: int) -> str:
    return f"# card {number}"


def notebook(*cards: Mapping[str, Any]) -> Json:
    """A notebook that was run and saved: a cell of prose, then one for each card, with all of its faces."""
    cells: list[Json] = [{"cell_type": "markdown", "id": "prose", "metadata": {}, "source": "# Cards"}]
    for number, card in enumerate(cards):
        shown = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": bundle(card)}
        cell = {"cell_type": "code", "id": f"card-{number}", "metadata": {}, "source": source_of(number)}
        cells.append(cell | {"execution_count": number, "outputs": [shown]})
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


def bundle(card: Mapping[str, Any]) -> Json:
    """A card with its faces; alone where it cannot be shown."""
    try:
        return to_bundle(card)[0]  # type: ignore[arg-type]
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        return {MIME: dict(card)}


def by(key: Key, card: Json, **predicate: Any) -> Json:
    """The card, its hashes as they are, signed with a key."""
    stated = statement_of(card)
    return resigned(card, stated | {"predicate": stated["predicate"] | predicate}, key)


def made_in(card: Json, number: int, key: Key = READER, cell: str | None = None) -> Json:
    """The card, signed as one that the cell of that number gave."""
    place = {"notebook": "report.ipynb", "cell": cell or f"card-{number}"}
    return by(key, card, place=place | {"source": sha256(source_of(number).encode()).hex()})


def in_view(card: Json, **changes: Any) -> Json:
    return rehashed(card | {"view": card["view"] | changes})


def without_receipt(card: Json) -> Json:
    return card | {"receipt": None}


def faced(card: Json, change: Callable[[Json], Any]) -> Json:
    """A notebook of one card, in whose output a form is another."""
    made = copy.deepcopy(notebook(card))
    change(made["cells"][1]["outputs"][0]["data"])
    return made


def sealed(document: Json, cards: list[Json], key: Key = READER) -> Json:
    return document | {"metadata": document["metadata"] | {"service_nb": index_of(cards, key)}}


def stripped(document: Json) -> Json:
    """The notebook as `service-nb strip` leaves it."""
    return dict(json.loads(strip_file(json.dumps(document).encode(), lambda card: to_bundle(card)[0]).text))


def put(document: Json, *path: Any, to: Any) -> Json:
    made = copy.deepcopy(document)
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    return made


# --- all of them ------------------------------------------------------------------------------------------------------


def notebooks(kinds: Mapping[str, Json]) -> list[Notebook]:
    """Return all notebooks; `kinds` are signed cards of their reader, by what they are."""
    sources = (of_signers, of_contents, of_contracts, of_faces, of_cells, of_less, of_seals, of_widgets)
    sources = (*sources, of_places, of_odd)
    return [Notebook(name, document, expected) for source in sources for name, document, expected in source(kinds)]


Made = Iterator[tuple[str, Json, tuple[str, ...]]]


def of_signers(kinds: Mapping[str, Json]) -> Made:
    query, computed = kinds["table"], kinds["computation"]
    every = [card for name, card in kinds.items() if name != "capped"]
    yield "signed by its reader", notebook(query), (V,)
    yield "every kind of outcome", notebook(*every), (V,) * len(every)
    yield "every kind of outcome, of a stranger", notebook(*(by(STRANGER, each) for each in every)), (U,) * len(every)
    yield "every kind of outcome, unsigned", notebook(*map(without_receipt, every)), (C,) * len(every)
    yield "signed by a trusted key with a name", notebook(by(ADA, query), by(ADA, computed)), (V, V)
    yield "signed by a trusted key without a name", notebook(by(UNNAMED, query)), (V,)
    yield "signed by an unknown key", notebook(by(STRANGER, query)), (U,)
    mixed = notebook(query, by(ADA, query), by(STRANGER, computed), without_receipt(query))
    yield "signed by several, and by nobody", mixed, (V, V, U, C)


def of_contents(kinds: Mapping[str, Json]) -> Made:
    query, computed = kinds["table"], kinds["computation"]
    rows = [[query["view"]["rows"][0][0], "9999999.99"], *query["view"]["rows"][1:]]
    altered = query | {"view": query["view"] | {"rows": rows}}
    yield "rows altered", notebook(altered, query), ("altered: rows_hash_mismatch", V)
    shown = in_view(query, rows=rows)
    yield "rows altered and hashed anew", notebook(shown), ("altered: shown_differs",)
    yield "rows altered, hashed anew, unsigned", notebook(without_receipt(shown)), ("altered: shown_differs",)
    yield "rows altered, signed by an attacker", notebook(by(FORGER, shown)), ("altered: shown_differs",)
    yield "rows altered, signed by their author", notebook(by(READER, shown)), ("altered: shown_differs",)
    formula = by(READER, in_view(computed, formula="twice everything"))
    yield "a formula altered, signed by its author", notebook(formula), ("altered: shown_differs",)
    forged = genuine.signed_alone(RICHER, FORGER)
    yield "all of a card made anew by an attacker", notebook(forged), (U,)
    pasted = put(query, "receipt", to=kinds["figure"]["receipt"])
    yield "the receipt of another card", notebook(pasted), ("altered: receipt_of_another_card",)
    claimed = put(by(FORGER, query), "receipt", "public_key", to=READER.public_key)
    yield "signed by an attacker in the reader's name", notebook(claimed), ("altered: signature_invalid",)
    reworded = in_view(kinds["rejection"], reason="It is all right.")
    yield "a refusal reworded", notebook(by(READER, reworded)), ("altered: shown_differs",)


def of_contracts(kinds: Mapping[str, Json]) -> Made:
    computed = kinds["computation"]
    definition = genuine.value(computed["canonical"]["definition"])
    invented = definition | {"capability": definition["capability"] | {"summary": "The value that the author likes."}}
    texts = computed["canonical"] | {"definition": genuine.text(invented)}
    card = rehashed(computed | {"canonical": texts, "view": computed["view"] | {"summary": "The value he likes."}})
    yield "an invented capability, signed by its author", notebook(by(READER, card)), ("altered: shown_differs",)
    told = in_view(card, summary="The value that the author likes.")
    name = "an invented capability, shown as it is defined"
    yield name, notebook(by(READER, told)), ("altered: capability_not_in_contract",)
    elsewhere = genuine.computation_card()
    (signed_elsewhere,) = genuine.signed([elsewhere], READER)
    name = "computed under a contract that nobody here knows"
    yield name, notebook(signed_elsewhere, computed), ("not_checkable: contract_unknown", V)
    yield f"{name}, unsigned", notebook(elsewhere), ("not_checkable: contract_unknown",)


def of_faces(kinds: Mapping[str, Json]) -> Made:
    query = kinds["table"]
    old = render_faces(query, version="0.0.9")  # type: ignore[arg-type]
    differs, foreign = "altered: face_differs", "not_checkable: face_of_another_version"

    def forge(mime: str) -> Callable[[Json], Any]:
        return lambda data: data.update({mime: data[mime].replace("234", "934")})

    for mime in ("text/html", "text/markdown", "text/latex", "text/plain"):
        yield f"a {mime} that shows another number", faced(query, forge(mime)), (differs,)
    beside = faced(query, lambda data: data.update({"application/json": {"north": 9}}))
    yield "application/json beside the card", beside, (differs,)
    yield "faces of an older version, with the same words", faced(query, lambda data: data.update(old)), (V,)
    other = {"text/html": old["text/html"].replace("1,234.5", "1234.5")}
    yield "a face of an older version, with other words", faced(query, lambda data: data.update(other)), (foreign,)
    lines = faced(query, lambda data: data.update({"text/html": data["text/html"].splitlines(keepends=True)}))
    yield "faces as lists of lines", lines, (V,)
    alone = faced(query, lambda data: [data.pop(mime) for mime in list(data) if mime != MIME])
    yield "a card without faces", alone, (V,)
    out = faced(query, lambda data: data.pop(MIME))
    yield "a card taken out, its faces kept", out, ("altered: card_missing",)
    unsigned = faced(without_receipt(query), forge("text/html"))
    yield "an unsigned card, whose face shows another number", unsigned, (differs,)


def of_cells(kinds: Mapping[str, Json]) -> Made:
    query, edited = kinds["table"], "not_checkable: cell_edited"
    said = notebook(made_in(query, 0), made_in(kinds["computation"], 1, STRANGER))
    yield "cells that say what gave their cards", said, (V, U)
    yield "a cell edited", put(said, "cells", 1, "source", to="# another question"), (edited, U)
    yield "the cell of a stranger's card edited", put(said, "cells", 2, "source", to=""), (V, edited)
    elsewhere = notebook(made_in(query, 1, cell="card-1"), kinds["figure"])
    other = "not_checkable: card_of_another_cell"
    yield "a card shown below another cell than the one that gave it", elsewhere, (other, V)
    swapped = copy.deepcopy(said)
    one, two = swapped["cells"][1], swapped["cells"][2]
    one["outputs"], two["outputs"] = two["outputs"], one["outputs"]
    yield "two outputs swapped", swapped, (other, other)
    for kind in ("raw", "markdown"):
        kept = put(said, "cells", 1, "source", to="# another question")
        kept["cells"].append({"cell_type": kind, "id": "old", "metadata": {}, "source": source_of(0)})
        yield f"a cell edited, its old source in a {kind} cell", kept, (edited, U)
    lines = put(said, "cells", 1, "source", to=["# card", " 0"])
    yield "a source as a list of lines", lines, (V, U)
    gone = put(notebook(made_in(query, 0, cell="gone")), "cells", 0, "source", to="# Report")
    yield "a cell that has another id now", gone, (V,)
    altered = in_view(made_in(query, 0), question="What is it?")
    both = put(notebook(altered), "cells", 1, "source", to="# another")
    yield "a cell edited, and its card altered", both, ("altered: shown_differs",)


def of_less(kinds: Mapping[str, Json]) -> Made:
    query = kinds["table"]
    values = [query, kinds["computation"], kinds["replay"], kinds["rejection"]]
    yield "rows taken out by `service-nb strip`", stripped(notebook(*values)), (V,) * 4
    unsigned = stripped(notebook(*map(without_receipt, values)))
    yield "rows of unsigned cards taken out", unsigned, (C,) * 4
    yield "rows of a stranger's card taken out", stripped(notebook(by(STRANGER, query))), (U,)
    refilled = stripped(notebook(query))
    card = refilled["cells"][1]["outputs"][0]["data"][MIME]
    again = in_view(card, rows=[["north", "9999.5", "1"]])
    yield "rows taken out, others put in", notebook(by(READER, again)), ("not_checkable: shown_not_kept",)
    yield "a card too large for its result", notebook(kinds["capped"]), ("not_checkable: shown_not_kept",)
    half = kinds["capped"]
    rows = [[*half["view"]["rows"][0][:-1], "9999"], *half["view"]["rows"][1:]]
    name = "a card too large for its result, with another row"
    yield name, notebook(by(READER, in_view(half, rows=rows))), ("not_checkable: shown_not_kept",)
    bare = query | {"canonical": {name: text for name, text in query["canonical"].items() if name != "plan"}}
    yield "a card whose plan was taken out", notebook(bare), ("not_checkable: shown_not_kept",)


def of_seals(kinds: Mapping[str, Json]) -> Made:
    cards = [kinds[name] for name in ("table", "computation", "rejection")]
    book, three = notebook(*cards), (V, V, V)
    yield "sealed by its reader", sealed(book, cards), (*three, V)
    yield "sealed by a trusted key with a name", sealed(book, cards, ADA), (*three, V)
    yield "sealed by a stranger", sealed(book, cards, STRANGER), (*three, U)
    yield "sealed, a card missing", sealed(notebook(*cards[:2]), cards), (V, V, "altered: card_missing")
    yield "sealed, a card moved", sealed(notebook(*reversed(cards)), cards), (*three, "altered: card_moved")
    replaced = notebook(*cards[:2], kinds["error"])
    yield "sealed, a card replaced", sealed(replaced, cards), (*three, "altered: card_replaced")
    added = notebook(*cards, kinds["error"])
    yield "sealed, a card added", sealed(added, cards), (*three, V, "altered: card_added")
    forged = put(sealed(book, cards, FORGER), "metadata", "service_nb", "public_key", to=READER.public_key)
    yield "sealed by an attacker in the reader's name", forged, (*three, "altered: signature_invalid")
    broken = put(book, "metadata", "service_nb", to={"version": 1})
    yield "a malformed seal", broken, (*three, "altered: index_malformed")
    kept = copy.deepcopy(sealed(book, cards))
    del kept["cells"][3]["outputs"][0]["data"][MIME]
    missing = "altered: card_missing"
    yield "sealed, a card taken out, its faces kept", kept, (V, V, missing, missing)


def of_widgets(kinds: Mapping[str, Json]) -> Made:
    query, computed = kinds["table"], kinds["computation"]
    below = notebook(query)["cells"]
    held = output(bundle(computed))
    inside = "not_checkable: in_widget"
    yield "a card that a widget shows", keeping(*below, state={"a": widget(held)}), (V, inside)
    yield "cards that widgets alone show", keeping(state={"a": widget(held), "b": widget(held)}), (inside, inside)
    both = sealed(keeping(*below, state={"a": widget(held)}), [query, computed])
    yield "sealed, a card in a widget", both, (V, inside, V)
    rows = output(bundle(computed | {"view": computed["view"] | {"rows": [["9"]]}}))
    altered = keeping(*below, state={"a": widget(rows)})
    yield "a card that a widget shows, altered", altered, (V, "altered: rows_hash_mismatch")
    empty = sealed(keeping(*below, state={"a": widget()}), [query, computed])
    yield "sealed, a card taken out of a widget", empty, (V, "altered: card_missing")


def of_places(kinds: Mapping[str, Json]) -> Made:
    """Cards in places that no viewer shows, and notebooks of forms that viewers do not read alike."""
    two, hidden = notebook(kinds["table"], kinds["figure"]), "altered: card_not_shown"
    for kind in ("stream", "error"):
        yield f"an output made a {kind}", put(two, "cells", 1, "outputs", 0, "output_type", to=kind), (hidden, V)
    odd = "not_checkable: notebook_form"
    unknown = put(two, "cells", 1, "outputs", 0, "output_type", to="pyout")
    yield "an output of the third format", unknown, (hidden, V, odd)
    for kind in ("markdown", "raw"):
        yield f"a cell made {kind}", put(two, "cells", 1, "cell_type", to=kind), (hidden, V)
    yield "a cell of an unknown kind", put(two, "cells", 0, "cell_type", to="heading"), (V, V, odd)
    kept = put(two, "cells", 0, "attachments", to={"a": bundle(kinds["error"])})
    yield "a card in an attachment", kept, (V, V, hidden)
    kept = put(two, "metadata", "more", to=bundle(kinds["error"]))
    yield "a card in the metadata of the notebook", kept, (V, V, hidden)
    both = sealed(put(two, "cells", 2, "cell_type", to="raw"), [kinds["table"], kinds["figure"]])
    yield "sealed, a cell made raw", both, (V, hidden, "altered: card_missing")
    yield "worksheets beside the cells", two | {"worksheets": []}, (odd,)
    for version in (3, 5, "4"):
        yield f"of nbformat {version!r}", two | {"nbformat": version}, (odd,)
    again = copy.deepcopy(two)
    again["cells"].append(again["cells"][1] | {"id": "again"})
    yield "a card repeated, not sealed", again, (V, V, V)


def of_odd(kinds: Mapping[str, Json]) -> Made:
    query = kinds["table"]
    yield "no cards", notebook(), ("not_checkable: no_cards",)
    yield "a card of an unknown version", notebook(query | {"version": 2}, query), ("altered: unknown_version", V)
    yield "a card of an unknown kind", notebook(query | {"kind": "oracle"}), ("altered",)
    for what, card in (("text", "a card"), ("list", [query]), ("nothing", None), ("card without a view", _bare(query))):
        held = faced(query, lambda data, card=card: data.update({MIME: card}))  # type: ignore[misc]
        yield f"a {what} where a card should be", held, ("altered",)
    receipt = put(query, "receipt", to={"version": 1})
    yield "a malformed receipt", notebook(receipt), ("altered: receipt_malformed",)
    unsafe = put(query, "view", "latency_ms", to=2**60)
    yield "a number that no browser holds", notebook(unsafe), ("altered: unsafe_number",)
    hashed = by(READER, in_view(query, latency_ms=2.0**60))
    rounded = faced(hashed, lambda data: data.update({MIME: put(hashed, "view", "latency_ms", to=2**60)}))
    yield "a number that no browser holds, hashed as one does", rounded, ("altered: unsafe_number",)
    hostile = by(FORGER, in_view(query, question="<img src=x onerror=alert(1)>"))
    yield "markup in a question", notebook(hostile), ("altered: shown_differs",)
    statement = statement_of(query)
    log = signed(query, statement | {"predicate": statement["predicate"] | {"kind": "error"}}, READER)
    yield "a statement about another kind", notebook(log), ("altered",)
    yield "cells that are no list", {"nbformat": 4, "metadata": {}, "cells": {}}, ("altered: malformed_notebook",)


def _bare(card: Json) -> Json:
    return {key: value for key, value in card.items() if key != "view"}
