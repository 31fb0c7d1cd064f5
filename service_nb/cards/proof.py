"""What a card says of its own proof: its digests, and who signed it where."""

from __future__ import annotations

from collections.abc import Iterator

from service_nb.cards.blocks import Fact, Span
from service_nb.schema.card import Card

_LABELS = {
    "plan_hash": "plan",
    "result_hash": "result",
    "schema_revision": "schema",
    "refusal_hash": "refusal",
    "error_hash": "error",
    "invocation_hash": "invocation",
    "computation_hash": "computation",
    "input_hash": "input",
    "contract_hash": "contract",
    "replay_hash": "replay",
}


def proof(card: Card, *shown: str) -> Iterator[Fact]:
    """Yield the digests of what was asked and answered, but for those `shown` elsewhere, and the signature."""
    # The digests of the view are for verifiers: a person sees the view itself.
    digests = card["digests"]
    # In this order, whatever order the keys have: who saves a notebook may sort them.
    told = {label: digests[name] for name, label in _LABELS.items() if name in digests and digests[name] not in shown}
    lines = ((Span(f"{label} "), Span(digest.removeprefix("sha256:"), "digest")) for label, digest in told.items())
    yield Fact(label="hashes", lines=tuple(lines))
    yield Fact(label="signed", lines=(tuple(_signature(card)),))


def _signature(card: Card) -> Iterator[Span]:
    receipt = card["receipt"]
    if receipt is None:
        yield Span("no; the hashes stand for themselves")
        return
    signatures, log = receipt["envelope"]["signatures"], receipt["log"]
    yield Span("by device ")
    yield Span(signatures[0]["keyid"], "code")
    yield Span(f" · entry {log['index'] + 1:,} of the ledger ")
    yield Span(log["checkpoint"].partition("\n")[0].removeprefix("service-nb/"), "digest")
