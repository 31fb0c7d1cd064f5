"""Every outcome becomes an entry of the project's ledger, and its card carries the receipt.

Without a ledger cards are made when they are looked at, and carry hashes alone.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from service_nb._version import __version__
from service_nb.cards.build import build_card, portable
from service_nb.client import answers
from service_nb.client.results import Evidence
from service_nb.core.canonical import canonical_text, parse_strict
from service_nb.core.digest import sha256_hex
from service_nb.core.ids import new_id
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, LedgerError, LimitExceededError, ServiceError
from service_nb.schema.card import Card, CardKind
from service_nb.schema.entry import (
    ENTRY_VERSION,
    MOST_PLACE_CHARS,
    RECEIPT_BYTES,
    STATEMENT_BYTES,
    Input,
    Place,
    Predicate,
    Receipt,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from service_nb.ledger.entries import NewEntry, StoredEntry
    from service_nb.ledger.store import Ledger

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
Where = Callable[[], Place | None]
FOLDER, FILE = ".service", "ledger.sqlite"
LEDGER, OFF = "SERVICE_LEDGER", "off"


def ledger_folder(given: str | os.PathLike[str] | None, project: Path) -> Path | None:
    """Return where outcomes are written down: as given, as SERVICE_LEDGER says, or in the project; None for nowhere.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        What is given is no path.
    """
    if not isinstance(given, str | os.PathLike | None):
        raise InvalidIntentError(f"ledger is {shown(given)}; expected a folder, or 'off'.", path="ledger")
    told = os.fspath(given) if given is not None else os.environ.get(LEDGER) or os.fspath(project / FOLDER)
    return None if told.casefold() == OFF else Path(told).expanduser()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What there is to tell of an outcome: `evidence` for its card, the rest for its statement."""

    kind: CardKind
    id: str
    evidence: Evidence
    inputs: Sequence[Input] = ()
    bindings: Sequence[Mapping[str, Any]] = ()
    determinism: Mapping[str, Any] | None = None
    contract_hash: str | None = None
    tables: Mapping[str, pa.Table] = field(default_factory=dict)  # sources in memory, to be kept with what they gave
    release: Callable[[], None] = lambda: None  # called once they are kept, or cannot be

    def card(self) -> Card:
        """Return its card, not yet signed."""
        made = self.evidence
        return build_card(self.kind, canonical=made.canonical, digests=made.digests, view=made.view)


@dataclass(slots=True, kw_only=True)
class Recorder:
    """Writes outcomes down in the ledger of `folder`; None keeps no ledger. Nothing is made before it is needed."""

    folder: Path | None
    tenant: str | None
    clock: Callable[[], Any]
    where: Where = lambda: None
    _ledger: Ledger | None = field(default=None, init=False)
    _making: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @property
    def is_on(self) -> bool:
        """Whether outcomes are written down."""
        return self.folder is not None

    @property
    def exists(self) -> bool:
        """Whether the ledger has been made."""
        return self.folder is not None and (self.folder / FILE).is_file()

    @property
    def ledger(self) -> Ledger | None:
        """The ledger, if one is kept."""
        if self._ledger is None and self.folder is not None:
            # Lazy: a session that records nothing loads neither SQLite nor cryptography.
            from service_nb.client.device_key import device  # noqa: PLC0415
            from service_nb.ledger.store import Ledger  # noqa: PLC0415

            with self._making:  # threads that record first at once share one, whose turns they take
                self._ledger = self._ledger or Ledger(self.folder, device, tenant=self.tenant)
        return self._ledger

    def record(self, makes: Sequence[Callable[[], Outcome]]) -> list[Callable[[], Card]]:
        """Write outcomes down in one transaction, and return what gives their cards.

        Those that bear ids under which the very same was written down before, are not written down again.

        Raises
        ------
        LedgerError [ledger_unavailable]
            They could not be written; nothing of them was. Reason `duplicate_id`: something else has the id of one.
        """
        ledger = self.ledger
        if ledger is None:
            return [_later(make) for make in makes]
        outcomes = [make() for make in makes]
        cards = [outcome.card() for outcome in outcomes]
        entries = [self._entry(outcome, card) for outcome, card in zip(outcomes, cards, strict=True)]
        try:
            receipts = self._append(ledger, entries)
        except LedgerError as fault:
            if fault.reason != "duplicate_id":
                raise
            return list(map(_now, self._recorded(ledger, outcomes, fault)))
        self._keep({sha256: table for outcome in outcomes for sha256, table in outcome.tables.items()})
        for outcome in outcomes:
            outcome.release()
        return [_now(_receipted(card, receipt)) for card, receipt in zip(cards, receipts, strict=True)]

    def one(self, make: Callable[[], Outcome]) -> Callable[[], Card]:
        """Write one outcome down."""
        return self.record([make])[0]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Write down the error that ends the block; it leaves the block as it came."""
        try:
            yield
        except LedgerError:
            raise
        except ServiceError as error:
            if self.is_on and error.card is None:
                self._error(error)
            raise

    def _error(self, error: ServiceError) -> None:
        told = error.to_dict()
        try:
            outcome = Outcome(kind="error", id=new_id("error"), evidence=answers.error_evidence(told))
            error.card = self.one(lambda: outcome)()
        except ServiceError as fault:
            error.add_note(f"This error was not recorded: {fault}")

    def _append(self, ledger: Ledger, entries: Sequence[NewEntry]) -> Sequence[Receipt | None]:
        try:
            return ledger.append(entries)
        except LedgerError as fault:
            if fault.reason != "not_writable" or self.exists:
                raise
            # A folder that can only be read is a fine place for a notebook; its cards are not signed there.
            warnings.warn(f"Results are not recorded: {fault}", stacklevel=2)
            self.folder = self._ledger = None
            return [None] * len(entries)

    def _recorded(self, ledger: Ledger, outcomes: Sequence[Outcome], fault: LedgerError) -> list[Card]:
        """Return the cards of outcomes that were recorded before, under the same ids; a retried call is one of them."""
        cards = []
        for outcome in outcomes:
            stored = ledger.get(outcome.id, self.tenant)
            card = stored_card(stored, ledger.receipt(stored.index))
            if not outcome.evidence.digests.items() <= card["digests"].items():
                raise fault  # it is another outcome by now: a live source has other data
            cards.append(card)
            outcome.release()
        return cards

    def _keep(self, tables: Mapping[str, pa.Table]) -> None:
        if not tables or self.folder is None:
            return
        from service_nb.ledger.attachments import keep_source  # noqa: PLC0415  # lazy: loads the Parquet writer

        try:
            for sha256, table in tables.items():
                keep_source(self.folder, sha256, table, self.tenant)
        except OSError as fault:  # the entries are there; they can be replayed from the same values elsewhere
            warnings.warn(f"A source in memory was not kept beside the ledger: {fault.strerror}.", stacklevel=2)

    def _entry(self, outcome: Outcome, card: Card) -> NewEntry:
        from service_nb.evidence.sign import build_statement  # noqa: PLC0415  # lazy: as the ledger
        from service_nb.ledger.entries import NewEntry  # noqa: PLC0415

        texts = dict(outcome.evidence.canonical) | dict(outcome.evidence.kept)
        moment = self.clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        predicate = Predicate(
            version=ENTRY_VERSION,
            id=outcome.id,
            kind=outcome.kind,
            time=moment,
            tenant=self.tenant,
            digests=card["digests"],
            inputs=portable(outcome.inputs),
            bindings=portable(outcome.bindings),
            determinism=None if outcome.determinism is None else portable(outcome.determinism),
            place=_place(self.where()),
            made_by={"service_nb": __version__, "contract_hash": outcome.contract_hash},
        )
        subjects = {name: sha256_hex(text.encode()) for name, text in texts.items()} | dict(outcome.evidence.left_out)
        payloads = (build_statement(outcome.kind, subjects, shorter) for shorter in _ever_shorter(predicate))
        payload = next(payloads)
        while len(payload) > STATEMENT_BYTES:
            payload = next(payloads, b"") or _too_large(len(payload))
        return NewEntry(
            id=outcome.id,
            kind=outcome.kind,
            time=moment,
            payload=payload,
            texts=texts,
            card=canonical_text(card),
        )

    def close(self) -> None:
        """Close the ledger."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None


def _place(told: object) -> Place | None:
    """Return what a caller's function says of the place, which is to stand in a statement."""
    if told is None:
        return None
    if not isinstance(told, dict) or not all(_is_told(key, text) for key, text in told.items()):
        raise InvalidIntentError(
            f"where() returned {shown(told)}; expected None, or the texts `notebook`, `cell` and `source`.",
            hint="`source` is the hex of the SHA-256 of the cell's source.",
            path="where",
        )
    return cast(Place, told)


def _is_told(key: object, text: object) -> bool:
    if not isinstance(text, str) or len(text) > MOST_PLACE_CHARS or not text.isprintable():
        return False
    return key in ("notebook", "cell") or (key == "source" and _SHA256.fullmatch(text) is not None)


def _ever_shorter(predicate: Predicate) -> Iterator[Predicate]:
    """Yield what is said of an outcome, then without what may be very long: where sources were read, filters.

    A filter that is left out is None; a binding that had none has no such key.
    """
    yield predicate
    predicate = {**predicate, "inputs": [{**each, "origin": None} for each in predicate["inputs"]]}
    yield predicate
    bindings = [{**each, "filter": None} if "filter" in each else each for each in predicate["bindings"]]
    yield {**predicate, "bindings": bindings}


def _too_large(size: int) -> NoReturn:
    raise LimitExceededError(
        f"What is to be recorded of the outcome has {size:,} bytes; at most {STATEMENT_BYTES:,} are taken.",
        limit=STATEMENT_BYTES,
        value=size,
    )


def stored_card(stored: StoredEntry, receipt: Receipt | None) -> Card:
    """Return the card of a stored outcome, as it was."""
    return _receipted(cast(Card, parse_strict(stored.card or "{}")), receipt)


def _later(make: Callable[[], Outcome]) -> Callable[[], Card]:
    return cache(lambda: make().card())


def _now(card: Card) -> Callable[[], Card]:
    return lambda: card


def _receipted(card: Card, receipt: Receipt | None) -> Card:
    """Put the receipt into the card, unless it is too large for one: then it stays in the ledger."""
    if receipt is None or len(receipt["envelope"]["payload"]) > RECEIPT_BYTES - 4_096:
        return card
    return cast(Card, {**card, "receipt": receipt})
