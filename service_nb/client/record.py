"""Record outcomes: each becomes an entry of the project's ledger, and its card carries the receipt.

What was received is never written to: where the ledger beside a project is one that this machine did not write, entries
go to the user's own, and the user is told once. Without a ledger a card is built when it is first looked at, and
carries hashes alone.
"""

from __future__ import annotations

import datetime
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from service_nb._version import __version__
from service_nb.cards.card_builder import build_card, make_portable
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import ERROR_DOMAIN, compute_sha256_hex, create_id, digest
from service_nb.core.own_files import describe_place, find_folders, make_private
from service_nb.core.words import describe_value
from service_nb.errors import (
    InvalidIntentError,
    LedgerError,
    LimitExceededError,
    ResultNotFoundError,
    RuntimeProvisionError,
    ServiceError,
)
from service_nb.schema.card import Card, CardKind, ErrorView
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

    from service_nb.ledger.entries import StoredEntry
    from service_nb.ledger.store import Ledger, NewEntry

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
Where = Callable[[], Place | None]
Clock = Callable[[], datetime.datetime]
FOLDER, FILE = ".service", "ledger.sqlite"
LEDGER, OFF = "SERVICE_LEDGER", "off"


def find_no_place() -> Place | None:
    """Return no place: whoever asks outside of a notebook has none."""
    return None


def read_local_clock() -> datetime.datetime:
    """Read the current time in the local time zone."""
    return datetime.datetime.now().astimezone()


def find_ledger(given: str | os.PathLike[str] | None, project: Path) -> Path | None:
    """Find the folder of the ledger: as given, from SERVICE_LEDGER, or in the project; None for no ledger.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        What is given is no path.
    """
    if not isinstance(given, str | os.PathLike | None):
        raise InvalidIntentError(f"ledger is {describe_value(given)}; expected a folder, or 'off'.", path="ledger")
    told = os.fspath(given) if given is not None else os.environ.get(LEDGER) or os.fspath(project / FOLDER)
    return None if told.casefold() == OFF else Path(told).expanduser()


def find_own_ledger(given: str | os.PathLike[str] | None = None) -> Path | None:
    """Find the folder of the user's own ledger; None where a ledger is named, which then takes every entry."""
    return None if given is not None or os.environ.get(LEDGER) else find_folders().data / "ledger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The parts of a card: hashed texts, their digests, and the view.

    `kept` are hashed texts that the ledger keeps and the card does not hold; `left_out` has the plain SHA-256 of those
    that are too large to be kept at all.
    """

    canonical: Mapping[str, str]
    digests: Mapping[str, str]
    view: Mapping[str, object]
    kept: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An outcome to be recorded: `evidence` is for its card, the rest for its statement."""

    kind: CardKind
    id: str
    evidence: Evidence
    inputs: Sequence[Input] = ()
    bindings: Sequence[Mapping[str, object]] = ()
    determinism: Mapping[str, object] | None = None
    contract_hash: str | None = None
    tables: Mapping[str, pa.Table] = field(default_factory=dict)  # sources in memory, kept beside the ledger

    def build_card(self) -> Card:
        """Build the card, not yet signed."""
        parts = self.evidence
        return build_card(self.kind, canonical=parts.canonical, digests=parts.digests, view=parts.view)


@dataclass(slots=True, kw_only=True)
class Recorder:
    """The recorder of outcomes in the ledger at `folder`; None records nothing. Files are made at the first record.

    With `own`, the folder of the user's own ledger, entries go there where the ledger at `folder` is not this
    machine's, cannot be written, or would be begun by a replay, which reads what somebody made.
    """

    folder: Path | None
    tenant: str | None
    clock: Clock
    where: Where = find_no_place
    own: Path | None = None
    _ledger: Ledger | None = field(default=None, init=False)
    _own_ledger: Ledger | None = field(default=None, init=False)
    _diverts: bool = field(default=False, init=False)
    _told: bool = field(default=False, init=False)
    _is_off: bool = field(default=False, init=False)
    _making: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @property
    def is_on(self) -> bool:
        """Tell whether outcomes are recorded."""
        return self.folder is not None and not self._is_off

    @property
    def exists(self) -> bool:
        """Tell whether the file of the ledger exists."""
        return self.folder is not None and (self.folder / FILE).is_file()

    @property
    def ledger(self) -> Ledger | None:
        """The ledger of the project, if one is kept."""
        if self._ledger is None and self.folder is not None:
            with self._making:  # threads that record first at once share one, whose turns they take
                self._ledger = self._ledger or self._open(self.folder, continues_any=self.own is None)
        return self._ledger

    @property
    def own_ledger(self) -> Ledger | None:
        """The user's own ledger, if entries may go there."""
        if self._own_ledger is None and self.own is not None:
            with self._making:
                self._own_ledger = self._own_ledger or self._open(self.own, continues_any=True)
        return self._own_ledger

    def _open(self, folder: Path, *, continues_any: bool) -> Ledger:
        # Lazy: a session that records nothing loads neither SQLite nor cryptography.
        from service_nb.client.user_keys import find_device  # noqa: PLC0415
        from service_nb.ledger.store import Ledger  # noqa: PLC0415

        return Ledger(folder, find_device, tenant=self.tenant, continues_any=continues_any)

    def list_ledgers(self) -> list[Ledger]:
        """List the ledgers that hold results of this client: the project's, and the user's own if it exists."""
        found = [self.ledger] if self.folder is not None else []
        if self.own is not None and (self.own / FILE).is_file():
            found.append(self.own_ledger)
        return [each for each in found if each is not None]

    def list_folders(self) -> list[Path]:
        """List the folders in which evidence of this client may lie: the project's, and the user's own."""
        return [each for each in (self.folder, self.own) if each is not None]

    def find_entry(self, result_id: str) -> tuple[Ledger, StoredEntry]:
        """Find an entry of this tenant, and the ledger that holds it.

        Raises `result_not_found`, and `ledger_unavailable` where none is kept.
        """
        ledgers = self.list_ledgers()
        for ledger in ledgers[:-1]:
            with suppress(ResultNotFoundError):
                return ledger, ledger.get(result_id, self.tenant)
        last = ledgers[-1] if ledgers else raise_off()
        return last, last.get(result_id, self.tenant)

    def choose_folder(self) -> Path:
        """Choose the folder to keep evidence in: beside the project's ledger if this machine writes it, else the own.

        Raises `ledger_unavailable` where no ledger is kept.
        """
        if self.folder is None:
            raise_off()
        ledger = self.ledger
        if self.own is None or ledger is None or ledger.is_continued_here():
            return self.folder
        self._tell("foreign")
        return self.own

    def record(self, makes: Sequence[Callable[[], Outcome]]) -> list[Callable[[], Card]]:
        """Record outcomes in one transaction, and return functions that build their cards.

        Those that bear ids under which the very same was written down before, are not written down again.

        Raises
        ------
        LedgerError [ledger_unavailable]
            They could not be written; nothing of them was. Reason `duplicate_id`: something else has the id of one.
        """
        if not self.is_on:
            return [lambda make=make: make().build_card() for make in makes]  # type: ignore[misc]
        outcomes = [make() for make in makes]
        cards = [outcome.build_card() for outcome in outcomes]
        entries = [self._build_entry(outcome, card) for outcome, card in zip(outcomes, cards, strict=True)]
        begins = any(outcome.kind != "replay" for outcome in outcomes)
        try:
            receipts, folder = self._append(entries, begins=begins)
        except LedgerError as fault:
            if fault.reason != "duplicate_id":
                raise
            return [lambda card=card: card for card in self._read_recorded(outcomes, fault)]  # type: ignore[misc]
        self._keep_tables(folder, {sha256: table for outcome in outcomes for sha256, table in outcome.tables.items()})
        signed = [_add_receipt(card, receipt) for card, receipt in zip(cards, receipts, strict=True)]
        return [lambda card=card: card for card in signed]  # type: ignore[misc]

    def record_one(self, make: Callable[[], Outcome]) -> Callable[[], Card]:
        """Record one outcome."""
        return self.record([make])[0]

    @contextmanager
    def record_errors(self) -> Iterator[None]:
        """Record the error that ends the block, and raise it unchanged."""
        try:
            yield
        except LedgerError:
            raise
        except ServiceError as error:
            if self.is_on and error.card is None:
                self._record_error(error)
            raise

    def _record_error(self, error: ServiceError) -> None:
        told = error.to_dict()
        try:
            outcome = Outcome(kind="error", id=create_id("error"), evidence=build_error_evidence(told))
            error.card = self.record_one(lambda: outcome)()
        except ServiceError as fault:
            error.add_note(f"This error was not recorded: {fault}")

    def _append(self, entries: Sequence[NewEntry], *, begins: bool) -> tuple[Sequence[Receipt | None], Path | None]:
        """Append to the project's ledger, else to the user's own; return the receipts, and the folder of the ledger."""
        if self.own is not None and not self._diverts and not begins and not self.exists:
            return self._append_to_own(entries, "replay")
        if not self._diverts:
            ledger = cast("Ledger", self.ledger)
            try:
                return ledger.append(entries), ledger.folder
            except LedgerError as fault:
                if fault.reason not in ("foreign", "not_writable") or (self.own is None and self.exists):
                    raise
                if self.own is None:
                    return self._leave_off(entries, fault)
                self._diverts = True
                return self._append_to_own(entries, fault.reason)
        return self._append_to_own(entries, "foreign")

    def _append_to_own(self, entries: Sequence[NewEntry], reason: str) -> tuple[Sequence[Receipt | None], Path | None]:
        own = cast("Ledger", self.own_ledger)
        try:
            make_private(own.folder.parent)
            receipts = own.append(entries)
        except (LedgerError, RuntimeProvisionError) as fault:
            if isinstance(fault, LedgerError) and fault.reason != "not_writable":
                raise
            return self._leave_off(entries, fault)
        self._tell(reason)
        return receipts, own.folder

    def _leave_off(self, entries: Sequence[NewEntry], fault: ServiceError) -> tuple[Sequence[Receipt | None], None]:
        """Record nothing from now on: its cards are not signed."""
        warn_user(f"Results are not recorded: {fault}")
        self._is_off = True
        return [None] * len(entries), None

    def _tell(self, reason: str) -> None:
        """Say once where entries go, and why not into the project's ledger."""
        if self._told or self.own is None:
            return
        self._told = True
        warn_user(f"{_WHY_OWN[reason]} Recorded in your own ledger, {describe_place(self.own)}: service-nb log --own")

    def _read_recorded(self, outcomes: Sequence[Outcome], fault: LedgerError) -> list[Card]:
        """Return the cards of outcomes that were recorded before, under the same ids; a retried call is one of them."""
        cards = []
        for outcome in outcomes:
            ledger, stored = self.find_entry(outcome.id)
            card = build_stored_card(stored, ledger.read_receipt(stored.index))
            if not outcome.evidence.digests.items() <= card["digests"].items():
                raise fault  # it is another outcome by now: a live source has other data
            cards.append(card)
        return cards

    def _keep_tables(self, folder: Path | None, tables: Mapping[str, pa.Table]) -> None:
        if not tables or folder is None:
            return
        from service_nb.ledger.attachments import keep_source  # noqa: PLC0415  # lazy: loads the Parquet writer

        try:
            for sha256, table in tables.items():
                keep_source(folder, sha256, table, self.tenant)
        except OSError as fault:  # the entries are there; they can be replayed from the same values elsewhere
            warn_user(f"A source in memory was not kept beside the ledger: {fault.strerror}.")

    def find_kept_source(self, sha256: str) -> Path | None:
        """Find the file that keeps the values of a source that was in memory."""
        from service_nb.ledger.attachments import find_kept_source  # noqa: PLC0415  # lazy: as above

        found = (find_kept_source(folder, sha256, self.tenant) for folder in self.list_folders())
        return next((each for each in found if each is not None), None)

    def _build_entry(self, outcome: Outcome, card: Card) -> NewEntry:
        from service_nb.evidence.documents import build_statement  # noqa: PLC0415  # lazy: as the ledger
        from service_nb.ledger.store import NewEntry  # noqa: PLC0415

        texts = dict(outcome.evidence.canonical) | dict(outcome.evidence.kept)
        moment = self.clock().astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        predicate = Predicate(
            version=ENTRY_VERSION,
            id=outcome.id,
            kind=outcome.kind,
            time=moment,
            tenant=self.tenant,
            digests=card["digests"],
            inputs=make_portable(outcome.inputs),
            bindings=make_portable(outcome.bindings),
            determinism=None if outcome.determinism is None else make_portable(outcome.determinism),
            place=_check_place(self.where()),
            made_by={"service_nb": __version__, "contract_hash": outcome.contract_hash},
        )
        subjects = {name: compute_sha256_hex(text.encode()) for name, text in texts.items()} | dict(
            outcome.evidence.left_out
        )
        payloads = (build_statement(outcome.kind, subjects, shorter) for shorter in _shorten(predicate))
        payload = next(payloads)
        while len(payload) > STATEMENT_BYTES:
            payload = next(payloads, b"") or _refuse_size(len(payload))
        return NewEntry(payload=payload, texts=texts, card=write_canonical_text(card))

    def close(self) -> None:
        """Close the ledgers."""
        for ledger in (self._ledger, self._own_ledger):
            if ledger is not None:
                ledger.close()
        self._ledger = self._own_ledger = None


_WHY_OWN = {
    "foreign": "The ledger here is not one that this machine wrote, and stays as it is.",
    "not_writable": "The ledger here cannot be written.",
    "replay": "There is no ledger here, and a replay begins none.",
}


def warn_user(message: str) -> None:
    """Warn in one line: of the code that warns nothing is shown."""
    warnings.warn_explicit(message, UserWarning, "service_nb", 1)


def raise_off() -> NoReturn:
    """Say that no ledger is kept."""
    raise LedgerError(
        "There is no ledger here.",
        reason="off",
        hint="Unset SERVICE_LEDGER, or pass ledger=… to create_service.",
    )


def build_error_evidence(error: Mapping[str, object]) -> Evidence:
    """Build the parts of an error's card from its `ServiceError.to_dict()`; lone surrogates are escaped."""
    told = {key: _escape_surrogates(error[key]) for key in ("code", "message", "hint", "source", "retryable")}
    text = write_canonical_text(told)
    return Evidence(
        canonical={"error": text},
        digests={"error_hash": digest(ERROR_DOMAIN, text)},
        view=ErrorView(status="error", code=told["code"], message=told["message"], hint=told["hint"]),  # type: ignore[typeddict-item]
    )


def _escape_surrogates(value: object) -> object:
    """Escape lone surrogates: messages may quote user input."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _check_place(told: object) -> Place | None:
    """Check the place that the caller's function returned, and return it."""
    if told is None:
        return None
    if not isinstance(told, dict) or not all(_is_place_text(key, text) for key, text in told.items()):
        raise InvalidIntentError(
            f"where() returned {describe_value(told)}; expected None, or the texts `notebook`, `cell` and `source`.",
            hint="`source` is the hex of the SHA-256 of the cell's source.",
            path="where",
        )
    return cast(Place, told)


def _is_place_text(key: object, text: object) -> bool:
    if not isinstance(text, str) or len(text) > MOST_PLACE_CHARS or not text.isprintable():
        return False
    return key in ("notebook", "cell") or (key == "source" and _SHA256.fullmatch(text) is not None)


def _shorten(predicate: Predicate) -> Iterator[Predicate]:
    """Yield the predicate, then shorter ones: first without origins, then without filters.

    A filter that is left out is None; a binding that had none has no such key.
    """
    yield predicate
    predicate = {**predicate, "inputs": [{**each, "origin": None} for each in predicate["inputs"]]}
    yield predicate
    bindings = [{**each, "filter": None} if "filter" in each else each for each in predicate["bindings"]]
    yield {**predicate, "bindings": bindings}


def _refuse_size(size: int) -> NoReturn:
    raise LimitExceededError(
        f"What is to be recorded of the outcome has {size:,} bytes; at most {STATEMENT_BYTES:,} are taken.",
        limit=STATEMENT_BYTES,
        value=size,
    )


def build_stored_card(stored: StoredEntry, receipt: Receipt | None) -> Card:
    """Build the card of a stored outcome, with its receipt."""
    return _add_receipt(cast(Card, parse_strict(stored.card or "{}")), receipt)


def _add_receipt(card: Card, receipt: Receipt | None) -> Card:
    """Put the receipt into the card, unless it is too large for one: then it stays in the ledger."""
    if receipt is None or len(receipt["envelope"]["payload"]) > RECEIPT_BYTES - 4_096:
        return card
    return cast(Card, {**card, "receipt": receipt})
