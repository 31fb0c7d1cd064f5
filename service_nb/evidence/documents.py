"""Verification of documents: notebooks, cards and ledgers, told apart by what they hold.

The bytes are read strictly, as `reading.py` says, whatever the document is: at most 32 MiB, nesting up to 64 from the
document's own root, no key twice, no NaN, no overflowing number, none of more than 400 characters. If that fails there
is one verdict, of the `document`, with the one check `form`. So it is for a document that is none of these
(`unknown_document`), and for a notebook that has not the shape of one (`malformed_notebook`: `cells` is a list of
objects; `metadata` of the notebook, and `data` of an output, are objects where they are there; `outputs` of a cell,
where they are there, are a list of objects).

In a notebook only cards, their faces and the index are ours. An output that is marked as a card's face and holds no
card has one check, `faces`, which fails: `card_missing`. An integer beyond ±(2**53 - 1) elsewhere is nobody's fault; in
a card it is that card's `unsafe_number`, in a ledger document that document's. A card that stands alone has at most
1 MiB, or it is `too_large`.

==============================  =====================================================================
document                        verdicts, by their subject
==============================  =====================================================================
``{"nbformat": …}``             `cell <c>, output <o>` or `widget <w>, output <o>` of each card; then
                                `index`, if there is one
``{"kind": …}``                 `card`
``{"service_nb_ledger": …}``    `ledger`
==============================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from service_nb.errors import EvidenceError
from service_nb.evidence.check import card_checks, check_card
from service_nb.evidence.checks import failed, refuse
from service_nb.evidence.index import METADATA_KEY, Placed, index_checks
from service_nb.evidence.ledger_document import ledger_checks
from service_nb.evidence.places import Shown, outputs_in
from service_nb.evidence.reading import DOCUMENT_BYTES, read_json
from service_nb.schema.card import CARD_MIME
from service_nb.schema.face import read_mark
from service_nb.schema.verdict import Verdict

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
    shown = outputs_in(notebook)
    verdicts = [verdict for each in shown for verdict in _output_verdicts(each, keys, contracts)]
    metadata = notebook.get("metadata", {})
    if METADATA_KEY in metadata:
        checks = tuple(index_checks(metadata[METADATA_KEY], _placed(shown), keys))
        verdicts.append(Verdict(subject="index", checks=checks))
    return verdicts


def cards_in(notebook: Mapping[str, Any]) -> list[Placed]:
    """Return what stands where cards stand in a parsed notebook, in the order of its cells, then of its widgets.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It does not have the shape of a notebook; reason `malformed_notebook`.
    """
    return _placed(outputs_in(notebook))


def _placed(shown: Iterable[Shown]) -> list[Placed]:
    return [Placed(each.subject, _id_of(each.cell), each.data[CARD_MIME]) for each in shown if CARD_MIME in each.data]


def _id_of(cell: Mapping[str, Any] | None) -> str | None:
    cell_id = None if cell is None else cell.get("id")
    return cell_id if isinstance(cell_id, str) else None


def _output_verdicts(shown: Shown, keys: Collection[str], contracts: Collection[str]) -> Iterator[Verdict]:
    if CARD_MIME in shown.data:
        yield Verdict(subject=shown.subject, checks=tuple(card_checks(shown.data[CARD_MIME], keys, contracts)))
    elif read_mark(shown.data) is not None:
        error = EvidenceError("The output shows a card, and holds none.", reason="card_missing")
        yield Verdict(subject=shown.subject, checks=(failed("faces", error),))
