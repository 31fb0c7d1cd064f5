"""Every cause that a check may name: what it means, in one sentence, and what to do about it.

A cause is the same word in the Python, the TypeScript and the standalone verifier, in JSON, in JUnit and on the page,
and is never reused for something else. Beside them, what each check proves when it passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Cause(NamedTuple):
    """What a cause means, and what to do."""

    means: str
    remedy: str


def explained(cause: str | None) -> Cause:
    """Return what a cause means; one that is not known here says so."""
    return CAUSES.get(cause or "", _UNKNOWN)


_UNKNOWN = Cause(
    "This version does not know the cause.", "Verify with the version that wrote the document, or a newer."
)

_ASK_AGAIN = "Take the document from its author again, or ask the question anew; do not use the figure."
_REPLAY = "Replay it from the source: `service-nb replay` says which value the source gives."
_FROM_LEDGER = "Take the card from the ledger it came from, with `service-nb show ID --card`."
_NEWER = "Update service-nb: a newer version may know it; if none does, the document was altered."
_SAVE_AGAIN = "Save it again from Jupyter, or take it from its author again."
_PIN = "Ask its author for the public key by another way than the document, and give it with `--key`."

_FORM = {
    "malformed_json": Cause(
        "The document is not JSON that all readers read alike: syntax, encoding, a key twice, no number.",
        _SAVE_AGAIN,
    ),
    "too_large": Cause(
        "The document has more bytes than a verifier reads: 1 MB for a card, 16 MB for a notebook or a ledger.",
        "Verify the ledger in its folder, or strip rows from the notebook with `service-nb strip`.",
    ),
    "too_deep": Cause("Its objects and lists are nested deeper than 64.", "No card is; take it from its author again."),
    "unsafe_number": Cause(
        "A number is larger than every reader keeps exactly, so readers would see different values.",
        "Cards hold such values as text; take it from its author again.",
    ),
    "malformed_card": Cause("It does not have the shape of a card: a key, a type or a digest is wrong.", _ASK_AGAIN),
    "unknown_version": Cause("The card is of a version that is not known here.", _NEWER),
    "unknown_kind": Cause("The card is of a kind that is not known here.", _NEWER),
    "unknown_document": Cause(
        "It is no notebook, no card and no ledger document.",
        "Give a .ipynb file, a card or ledger as JSON, or the folder of a ledger.",
    ),
    "no_cards": Cause(
        "The notebook holds no card, so there is nothing to verify.",
        "Run it with service_nb and save it; if it had cards, its outputs were cleared.",
    ),
    "malformed_ledger": Cause("It does not have the shape of a ledger document.", "Export the ledger again."),
    "malformed_notebook": Cause("It says that it is a notebook, but has not the shape of one.", _SAVE_AGAIN),
}

_DIGESTS = {
    "plan_hash_mismatch": Cause("The plan is not the one that was asked: its text has another hash.", _ASK_AGAIN),
    "result_hash_mismatch": Cause("The result is not the one that this plan gave: its text has another hash.", _REPLAY),
    "schema_revision_mismatch": Cause("The plan is for another schema than the card says.", _ASK_AGAIN),
    "refusal_hash_mismatch": Cause("The refused question or its reason was changed.", _ASK_AGAIN),
    "error_hash_mismatch": Cause("The error is not the one that was met: its text has another hash.", _ASK_AGAIN),
    "input_hash_mismatch": Cause("The arguments are not those of the call: their text has another hash.", _ASK_AGAIN),
    "invocation_hash_mismatch": Cause("The call is not the one that was made: its text has another hash.", _ASK_AGAIN),
    "computation_hash_mismatch": Cause("The value is not the one that this call gave: it has another hash.", _REPLAY),
    "contract_hash_mismatch": Cause("The call names another contract than the card.", _ASK_AGAIN),
    "replay_hash_mismatch": Cause("The report of the replay was changed: its text has another hash.", _REPLAY),
    "view_hash_mismatch": Cause(
        "What the card shows beside its rows was changed after it was made.",
        f"Do not believe what it shows; the hashed texts may still hold. {_FROM_LEDGER}",
    ),
    "rows_hash_mismatch": Cause(
        "The rows that the card shows were changed after it was made.",
        f"Do not believe the rows it shows; the hashed texts may still hold. {_FROM_LEDGER}",
    ),
    "rows_not_kept": Cause("The rows were taken out of the card; only their hash is left.", _FROM_LEDGER),
    "text_not_kept": Cause(
        "The card holds the hash and not the text, as of long columns, so the hash cannot be recomputed here.",
        "Replay it: that computes the hash anew. The ledger may hold the text: `service-nb show ID --card`.",
    ),
    "kind_contradicted": Cause("The card shows another outcome than the kind that it states.", _ASK_AGAIN),
}

_RECEIPT = {
    "unsigned": Cause(
        "Its hashes hold together, but nobody signed it, so nobody vouches for it.",
        "Log in with `service-nb login`; what is made from then on is signed.",
    ),
    "receipt_missing": Cause(
        "A signature was demanded, and there is none; the receipt may have been cut off.",
        "Ask its author for the signed card, or verify without demanding a signature.",
    ),
    "receipt_malformed": Cause("The receipt does not have the shape of one.", _FROM_LEDGER),
    "signature_invalid": Cause("The key has not signed this: the statement or the signature was changed.", _ASK_AGAIN),
    "unknown_signer": Cause("It is signed by a key that is not among the trusted ones.", _PIN),
    "no_trusted_keys": Cause("The signature holds, but whose key it is nobody said.", _PIN),
    "statement_malformed": Cause("What was signed is no statement about a result.", _FROM_LEDGER),
    "receipt_of_another_card": Cause("The receipt is genuine, but belongs to another card.", _FROM_LEDGER),
    "inclusion_invalid": Cause("The proof does not lead from this entry to the root of its ledger.", _FROM_LEDGER),
    "checkpoint_malformed": Cause("The checkpoint of the ledger does not have the form of one.", _FROM_LEDGER),
    "checkpoint_invalid": Cause("The key has not signed the checkpoint of the ledger.", _FROM_LEDGER),
    "contract_unknown": Cause(
        "It was computed under a contract of capabilities that is not the installed one.",
        "Install the version of service-nb that its author had, or replay it under this one.",
    ),
    "no_known_contracts": Cause("No contract was given to compare with.", "Verify where service-nb is installed."),
}

_LEDGER = {
    "not_a_ledger": Cause("The database is none of a ledger.", "Give the folder `.service` of a project."),
    "damaged": Cause("The database of the ledger cannot be read to its end.", "Restore the ledger from a copy."),
    "too_new": Cause("A newer version wrote the ledger.", "Update service-nb."),
    "entry_missing": Cause("An entry of the ledger is gone.", "Restore the ledger from a copy."),
    "entry_added": Cause("The ledger holds an entry that its checkpoint does not know.", "Restore it from a copy."),
    "entry_replaced": Cause("An entry is not the one that was appended at its place.", "Restore it from a copy."),
    "node_mismatch": Cause("The stored tree is not the one that the entries give.", "Restore it from a copy."),
    "entry_malformed": Cause("An entry of the ledger is no statement about a result.", "Restore the ledger."),
    "duplicate_id": Cause("Two entries of the ledger have the same id.", "Restore the ledger from a copy."),
    "text_mismatch": Cause("A stored text has another hash than the name it is kept under.", "Restore it from a copy."),
    "text_unknown": Cause("A stored text belongs to no entry.", "Export the ledger again from where it was made."),
    "text_missing": Cause("A text that an entry stands for is not in the ledger.", "Restore the ledger from a copy."),
    "root_mismatch": Cause(
        "The entries do not give the root that the checkpoint states: one was changed, added, removed or moved.",
        "Restore the ledger from a copy; receipts that were handed out show what it held.",
    ),
    "rolled_back": Cause(
        "The ledger is shorter than, or another than, the one that this receipt or this machine has seen.",
        "Restore the newest copy; what was recorded since then is missing from this one.",
    ),
    "entry_not_in_ledger": Cause(
        "The ledger has no such entry where the receipt says it stands.",
        "Verify against the ledger that the card came from; if this is it, one of the two was altered.",
    ),
}

_INDEX = {
    "index_malformed": Cause("The notebook's index of cards does not have the shape of one.", "Seal it again."),
    "seal_missing": Cause("The notebook is not sealed, so nothing tells whether a card was taken out.", "Seal it."),
    "face_differs": Cause(
        "Another form of this output (HTML, Markdown, LaTeX, text or JSON) does not show what the card shows.",
        "Read only the card. Run the cell again to write all forms anew.",
    ),
    "face_of_another_version": Cause(
        "The other forms of this output were written by another version, so they cannot be compared here.",
        "Read only the card, or verify with the version that the output names.",
    ),
    "cell_edited": Cause("The cell was edited since this result.", "Run the cell again, or restore its source."),
    "card_missing": Cause("A card that was there is gone.", _ASK_AGAIN),
    "card_added": Cause(
        "A card was added after the notebook was sealed.", "Seal it again, if it was you who added it."
    ),
    "card_replaced": Cause("A card is not the one that was sealed, or recorded, at its place.", _ASK_AGAIN),
    "card_moved": Cause(
        "The cards are those of the seal, in another order.", "Seal it again, if it was you who did it."
    ),
}

CAUSES: Mapping[str, Cause] = MappingProxyType(_FORM | _DIGESTS | _RECEIPT | _LEDGER | _INDEX)

CHECKS: Mapping[str, str] = MappingProxyType(
    {
        "form": "The document is read by everybody alike, and has exactly the shape of what it says it is.",
        "plan_hash": "The plan is the one that was asked.",
        "result_hash": "The result is the one that this plan gave.",
        "schema_revision": "The plan is for the schema that the card names.",
        "refusal_hash": "The refused question and its reason are as they were.",
        "error_hash": "The error is the one that was met.",
        "input_hash": "The arguments are those of the call.",
        "invocation_hash": "The call is the one that was made.",
        "computation_hash": "The value is the one that this call gave.",
        "contract_hash": "The call is under the contract that the card names.",
        "replay_hash": "The report of the replay is as it was written.",
        "view_hash": "What is shown beside the rows is what was shown when the card was made.",
        "rows_hash": "The shown rows are those that were shown when the card was made.",
        "kind": "What is shown is an outcome of the kind that the card states.",
        "signature": "The holder of the key has signed these hashes.",
        "signer": "The key is one that you trust.",
        "statement": "What was signed is about this card, and no other.",
        "inclusion": "The entry stands in the ledger, at its place.",
        "checkpoint": "The holder of the key has signed the state of the ledger.",
        "contract": "The contract of capabilities is one that is known here.",
        "ledger": "The ledger that was given holds this very entry, and goes on from the state that the receipt saw.",
        "entry": "Each entry is a signed statement about a result.",
        "order": "No two entries have the same id.",
        "texts": "Each stored text has its hash, and belongs to an entry.",
        "root": "The entries give the root that the checkpoint states.",
        "remembered": "The ledger goes on from the state in which this machine saw it last.",
        "faces": "The other forms of this output (HTML, Markdown, LaTeX, text) show what the card shows.",
        "cell": "The cell has the source that gave this result.",
        "cards": "The notebook's cards are those of its seal, in their order.",
    }
)
