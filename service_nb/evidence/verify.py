"""The verifier as the package uses it: `standalone.py`, with OpenSSL for signatures, and errors of ours for faults.

`standalone.py` decides everything: the form, the hashes, the checks and their order. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service_nb.errors import EvidenceError
from service_nb.evidence import standalone
from service_nb.evidence.standalone import CARD_MIME, Anchors, Fault, Output, Sealed, Verdict

P = ParamSpec("P")
T = TypeVar("T")


def check_document(content: bytes, *, keys: Collection[str] = (), contracts: Collection[str] = ()) -> list[Verdict]:
    """Verify the bytes of a notebook, a card or a ledger document.

    A document that cannot be read, or is none of these, has one verdict, of the `document`; a notebook without cards
    and without a seal has none.

    Parameters
    ----------
    content : bytes
        The document; nothing is assumed of it.
    keys : collection of str, optional
        The base64 of public keys that are trusted; a mapping has their owners' names.
    contracts : collection of str, optional
        The contract hashes that are known, `sha256:…`.
    """
    return standalone.check_document(content, Anchors(keys, contracts, is_signature))


def check_parsed(document: object, size: int, keys: Collection[str], contracts: Collection[str]) -> list[Verdict]:
    """Verify a document that was read from so many bytes; else as `check_document`."""
    return standalone.check_parsed(document, size, Anchors(keys, contracts, is_signature))


def check_card(
    card: object, *, keys: Collection[str] = (), contracts: Collection[str] = (), subject: str = "card"
) -> Verdict:
    """Verify a parsed card; nothing is assumed of it."""
    return Verdict(subject, tuple(standalone.check_card(card, Anchors(keys, contracts, is_signature))))


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a key signed a message, by the strict rules of `standalone.verify_ed25519`."""
    return standalone.verify_ed25519(key, message, signature, _is_accepted_by_openssl)


def is_signed_by(sealed: Sealed, key: bytes) -> bool:
    """Tell whether a key signed an envelope, under its own id."""
    return standalone.is_signed_by(sealed, key, is_signature)


def _is_accepted_by_openssl(key: bytes, message: bytes, signature: bytes) -> bool:
    opened = _load_key(key)
    if opened is None:
        return False
    try:
        opened.verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=64)
def _load_key(key: bytes) -> Ed25519PublicKey | None:
    try:
        return Ed25519PublicKey.from_public_bytes(key)
    except ValueError:
        return None


def _raise_faults(read: Callable[P, T]) -> Callable[P, T]:
    """Let a function of `standalone.py` raise `EvidenceError`, whose reason is the cause."""

    @wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(*args, **kwargs)
        except Fault as fault:
            raise EvidenceError(fault.message, reason=fault.cause) from None

    return reading


# Each raises EvidenceError [evidence_invalid] where what it reads has another form.
read_json = _raise_faults(standalone.parse_json)
require_card = _raise_faults(standalone.require_card)
open_envelope = _raise_faults(standalone.open_envelope)
open_receipt = _raise_faults(standalone.open_receipt)
open_outcome = _raise_faults(standalone.open_outcome)
open_checkpoint = _raise_faults(standalone.open_checkpoint)
find_outputs = _raise_faults(standalone.find_outputs)


@_raise_faults
def verify_checkpoint(text: str, key: bytes) -> standalone.Checkpoint:
    """Read a checkpoint that a key has signed; reason of a refusal: `checkpoint_invalid`."""
    return standalone.verify_checkpoint(text, key, is_signature)


def find_cards(notebook: Mapping[str, object]) -> list[Output]:
    """Return the outputs of a parsed notebook that hold a card, in the order of its cells, then of its widgets."""
    return [output for output in find_outputs(notebook) if CARD_MIME in output.data]
