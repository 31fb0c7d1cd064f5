"""Verification of documents: notebooks, cards and ledgers, told apart by what they hold.

The bytes are read strictly, as `reading.py` says, whatever the document is: at most 16 MiB, nesting up to 64 from the
document's own root, no key twice, no NaN, no overflowing number, none of more than 400 characters. If that fails there
is one verdict, of the `document`, with the one check `form`. So it is for a document that is none of these
(`unknown_document`), and for a notebook that has not the shape of one (`malformed_notebook`: `cells` is a list of
objects; `metadata` of the notebook, and `data` of an output, are objects where they are there; `outputs` of a cell,
where they are there, are a list of objects).

In a notebook only cards and the index are ours. An integer beyond ±(2**53 - 1) elsewhere is nobody's fault; in a card
it is that card's `unsafe_number`, in a ledger document that document's. A card that stands alone has at most 1 MiB, or
it is `too_large`.

==============================  ==========================================================
document                        verdicts, by their subject
==============================  ==========================================================
``{"nbformat": …}``             `cell <c>, output <o>` of each card; `index`, if there is one
``{"kind": …}``                 `card`
``{"service_nb_ledger": …}``    `ledger`
==============================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from service_nb.errors import EvidenceError
from service_nb.evidence.check import card_checks, check_card
from service_nb.evidence.checks import failed, refuse
from service_nb.evidence.index import METADATA_KEY, Placed, index_checks
from service_nb.evidence.ledger_document import ledger_checks
from service_nb.evidence.reading import DOCUMENT_BYTES, read_json
from service_nb.records.card import CARD_MIME
from service_nb.records.verdict import Verdict

BARE_CARD_BYTES = 1024**2

__all__ = ["BARE_CARD_BYTES", "DOCUMENT_BYTES", "Placed", "cards_in", "check_document", "check_notebook"]


def check_document(content: bytes, *, keys: Collection[str] = (), contracts: Collection[str] = ()) -> list[Verdict]:
    """Verify the bytes of a notebook, a card or a ledger document; `keys` and `contracts` as of `check_card`.

    A notebook without cards and without an index has no verdicts.
    """
    try:
        document = read_json(content)
        if isinstance(document, dict) and "nbformat" in document:
            return check_notebook(document, keys=keys, contracts=contracts)
        if isinstance(document, dict) and "kind" in document:
            return [_bare_card(content, document, keys, contracts)]
        if isinstance(document, dict) and "service_nb_ledger" in document:
            return [Verdict(subject="ledger", checks=tuple(ledger_checks(document, keys)))]
        refuse("unknown_document", "It is no notebook, no card and no ledger document.")
    except EvidenceError as error:
        return [Verdict(subject="document", checks=(failed("form", error),))]


def _bare_card(content: bytes, card: Any, keys: Collection[str], contracts: Collection[str]) -> Verdict:
    if len(content) <= BARE_CARD_BYTES:
        return check_card(card, keys=keys, contracts=contracts)
    message = f"The card has {len(content)} bytes, more than the {BARE_CARD_BYTES} allowed."
    return Verdict(subject="card", checks=(failed("form", EvidenceError(message, reason="too_large")),))


def check_notebook(
    notebook: Mapping[str, Any], *, keys: Collection[str] = (), contracts: Collection[str] = ()
) -> list[Verdict]:
    """Verify the cards of a parsed notebook, and its index.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It does not have the shape of a notebook; reason `malformed_notebook`.
    """
    cards = cards_in(notebook)
    verdicts = [
        Verdict(
            subject=f"cell {placed.cell}, output {placed.output}",
            checks=tuple(card_checks(placed.card, keys, contracts)),
        )
        for placed in cards
    ]
    metadata = notebook.get("metadata", {})
    if METADATA_KEY in metadata:
        checks = tuple(index_checks(metadata[METADATA_KEY], cards, keys))
        verdicts.append(Verdict(subject="index", checks=checks))
    return verdicts


def cards_in(notebook: Mapping[str, Any]) -> list[Placed]:
    """Return what stands where cards stand in a parsed notebook, in the order of its cells.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It does not have the shape of a notebook; reason `malformed_notebook`.
    """
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not isinstance(notebook.get("metadata", {}), dict):
        refuse("malformed_notebook", "The notebook has no list of cells, or its metadata is no object.")
    return [placed for number, cell in enumerate(cells, 1) for placed in _cards_of(cell, number)]


def _cards_of(cell: Any, number: int) -> Iterator[Placed]:
    outputs = cell.get("outputs", []) if isinstance(cell, dict) else None
    if not isinstance(outputs, list):
        refuse("malformed_notebook", f"Cell {number} is no object, or its outputs are no list.")
    cell_id = cell["id"] if isinstance(cell.get("id"), str) else None
    for place, output in enumerate(outputs, 1):
        data = output.get("data", {}) if isinstance(output, dict) else None
        if not isinstance(data, dict):
            refuse("malformed_notebook", f"Cell {number}: output {place} is no object, or its data is none.")
        if CARD_MIME in data:
            yield Placed(number, place, cell_id, data[CARD_MIME])
