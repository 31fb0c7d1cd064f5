"""Files verified with what this machine knows: trusted keys, its own key, the installed contract, a ledger beside them.

Trusted are the keys that are given; where none is, this machine's own and those that its user trusts (`trust.py`). A
signature by any other key leaves a card `unaltered`, and not `verified`.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb._version import __version__
from service_nb.client.device_key import device
from service_nb.client.outputs import check_outputs
from service_nb.client.reported import answers_of, signers_of_cards
from service_nb.client.trusted_keys import TrustedKey, read_keys, trusted_keys
from service_nb.core.digest import sha256_hex
from service_nb.core.merkle import verify_consistency
from service_nb.core.places import place
from service_nb.errors import EvidenceError, InvalidIntentError, LedgerError, ServiceError
from service_nb.evidence.checkpoint import Checkpoint
from service_nb.evidence.checkpoint import opened as opened_checkpoint
from service_nb.evidence.checks import YOU
from service_nb.evidence.documents import cards_in, check_document
from service_nb.evidence.held import DocumentLog, Log, check_held
from service_nb.evidence.reading import DOCUMENT_BYTES, read_json
from service_nb.evidence.report import FileReport, Report, words_of
from service_nb.schema.verdict import Check, Verdict

if TYPE_CHECKING:
    from service_nb.ledger.store import Ledger

LEDGER_FILE = "ledger.sqlite"
FOLDER = ".service"

_PAGE = 128  # entries that are read at once
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Under which terms is verified.

    `trusted` are the keys that are trusted, base64, with the names that the reader gave them; `own` is this machine's
    key, if it has one.
    """

    trusted: Mapping[str, str] = field(default_factory=dict)
    own: str | None = None
    contracts: tuple[str, ...] = ()
    requires_signature: bool = False
    requires_seal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the terms as a report states them."""
        return {
            "service_nb": __version__,
            "verified": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "trusted_keys": [f"{key} {name}".strip() for key, name in self.trusted.items()],
            "key_of_this_machine": [self.own] if self.own else [],
            "known_contracts": list(self.contracts),
            "signature_required": "yes" if self.requires_signature else "no",
            "seal_required": "yes" if self.requires_seal else "no",
        }


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that was read: a document's bytes, or the folder of a ledger."""

    name: str
    content: bytes | None
    ledger: Path | None


def local_terms(keys: Sequence[str] = (), *, requires_signature: bool = False) -> Terms:
    """Return the terms of this machine.

    Parameters
    ----------
    keys : list of str
        The trusted keys: each the base64 of 32 bytes, or a file that holds some. Without any, this machine's own key
        and those that its user trusts.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        One of them is no key, and no file of keys.
    """
    from service_nb.runtimes.base import packaged_contract  # noqa: PLC0415  # lazy: megabytes, and only its head counts

    own, given = _own_key(), [each for text in keys for each in read_keys(text)]
    known = given or [*([TrustedKey(own, YOU)] if own else []), *trusted_keys()]
    trusted = {each.key: YOU if each.key == own else each.name for each in known}
    head = read_json(packaged_contract().partition(b"\n")[0] + b"}}")
    return Terms(
        trusted=trusted, own=own, contracts=(str(head["contract_hash"]),), requires_signature=requires_signature
    )


def verify_files(paths: Sequence[str], terms: Terms, *, strict: bool = False) -> Report:
    """Verify notebooks, cards, ledger documents and ledgers; receipts are held against every ledger among them.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no such file, or it is neither a file nor the folder of a ledger.
    LedgerError [ledger_unavailable]
        A ledger cannot be read now.
    """
    files = [_read(path) for path in paths]
    with ExitStack() as opened:
        ledgers = {file.ledger: _opened(file.ledger, opened) for file in files if file.ledger is not None}
        logs = [log for ledger in ledgers.values() for log in _ledger_logs(ledger)]
        logs += [log for file in files if file.content is not None for log in _document_logs(file.content)]
        reports = []
        for file in files:
            if file.ledger is not None:
                reports.append(_ledger_report(file.name, ledgers[file.ledger], terms))
            elif file.content is not None:
                reports.append(verify_content(file.name, file.content, terms, logs=logs))
    return Report(files=tuple(reports), conditions=terms.to_dict(), strict=strict)


def verify_content(name: str, content: bytes, terms: Terms, *, logs: Sequence[Log] = ()) -> FileReport:
    """Verify one document, and hold its receipts against ledgers if there are some."""
    found = check_document(content, keys=terms.trusted, contracts=terms.contracts)
    verdicts = [_judged(verdict, terms) for verdict in found]
    document = _document(content, verdicts)
    if "nbformat" in document:
        verdicts = check_outputs(document, verdicts)
    cards = _cards(document)
    if terms.requires_seal and "nbformat" in document and "service_nb" not in document.get("metadata", {}):
        verdicts.append(Verdict(subject="index", checks=(Check(name="cards", status="failed", cause="seal_missing"),)))
    if logs:
        verdicts = [_held(verdict, cards, logs) for verdict in verdicts]
    if not verdicts:
        verdicts = [
            Verdict(subject="notebook", checks=(Check(name="cards", status="not_checkable", cause="no_cards"),))
        ]
    by_subject = {verdict.subject: verdict for verdict in verdicts}
    return FileReport(
        name=name,
        verdicts=tuple(verdicts),
        words={subject: words_of(card) for subject, card in cards.items()},
        answers=answers_of(cards, by_subject),
        signers=signers_of_cards(cards, by_subject, terms.trusted),
        sha256=sha256_hex(content) if len(content) <= DOCUMENT_BYTES else None,
    )


def verify_card(card: Any, terms: Terms, *, subject: str) -> Verdict:
    """Verify one card that is at hand."""
    from service_nb.evidence.check import check_card  # noqa: PLC0415

    return replace(_judged(check_card(card, keys=terms.trusted, contracts=terms.contracts), terms), subject=subject)


def signers_of(path: Path) -> tuple[TrustedKey, ...]:
    """Return the keys whose signatures the cards of a document bear, where these hold and nothing else is altered.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The document cannot be read.
    """
    read = _read(str(path))
    if read.content is None:
        return ()
    found = check_document(read.content)
    cards = _cards(_document(read.content, found))
    held = [verdict.subject for verdict in found if verdict.status != "altered" and verdict.subject in cards]
    keys = [cards[subject]["receipt"]["public_key"] for subject in held if cards[subject]["receipt"] is not None]
    return tuple(map(TrustedKey, dict.fromkeys(keys)))


# --- keys ---------------------------------------------------------------------------------------------------------


def _own_key() -> str | None:
    try:
        found = device()
    except ServiceError:  # a broken key of this machine says nothing about the documents of others
        return None
    return None if found is None else found.public_key


def read_document(path: Path) -> bytes:
    """Return the bytes of a file, and no more than one beyond what a verifier reads: that much tells it is too large.

    Raises
    ------
    OSError
        It cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    with path.open("rb") as file:
        return file.read(DOCUMENT_BYTES + 1)


# --- what was given -----------------------------------------------------------------------------------------------


def _read(given: str) -> _Read:
    path, name = Path(given), _name(given)
    try:
        for folder in (path, path / FOLDER):
            if (folder / LEDGER_FILE).is_file():
                return _Read(name, None, folder)
        content = read_document(path)
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "no path"
        raise _unusable(name, f"cannot be read: {told}") from error
    if content.startswith(_SQLITE):
        if path.name != LEDGER_FILE:
            raise _unusable(name, f"is a database, but not {LEDGER_FILE}, the name of every ledger")
        return _Read(name, None, path.parent)
    return _Read(name, content, None)


def _name(given: str) -> str:
    """A path as reports show it: as it was given, unless that names the folders of this machine."""
    path = Path(given)
    if not path.is_absolute():
        return given
    here = Path.cwd()
    return os.fspath(path.relative_to(here)) if path.is_relative_to(here) else place(path)


def _unusable(name: str, what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"{name} {what}.", hint="Give a notebook, a card or a ledger as JSON, or the folder of a ledger.", path=name
    )


def _document(content: bytes, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return a document of cards that was read strictly; this reads the same, only faster. Empty if it has none."""
    if any(verdict.subject in ("document", "ledger") for verdict in verdicts):
        return {}
    document: dict[str, Any] = json.loads(content)
    return document


def _cards(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the cards of a document by the subject of their verdicts."""
    if "nbformat" in document:
        return {each.subject: each.card for each in cards_in(document)}
    return {"card": document} if document else {}


# --- trust, and ledgers -------------------------------------------------------------------------------------------


def _judged(verdict: Verdict, terms: Terms) -> Verdict:
    """Say whose a signature is, and fail one that is missing where it is required."""
    return replace(verdict, checks=tuple(_under(check, terms) for check in verdict.checks))


def _under(check: Check, terms: Terms) -> Check:
    if check.cause == "unsigned" and terms.requires_signature:
        return replace(check, status="failed", cause="receipt_missing")
    return check


def _held(verdict: Verdict, cards: Mapping[str, Any], logs: Sequence[Log]) -> Verdict:
    check = check_held(cards[verdict.subject], logs) if verdict.subject in cards else None
    return verdict if check is None else replace(verdict, checks=(*verdict.checks, check))


def _document_logs(content: bytes) -> list[Log]:
    if b"service_nb_ledger" not in content:
        return []
    try:
        document = read_json(content)
        return [DocumentLog(document)] if isinstance(document, dict) and "service_nb_ledger" in document else []
    except (EvidenceError, KeyError, TypeError):
        return []  # its own verdict says what is wrong with it


def _opened(folder: Path, opened: ExitStack) -> Ledger:
    from service_nb.ledger.store import Ledger  # noqa: PLC0415  # lazy: most verify documents, which need no SQLite

    return opened.enter_context(Ledger(folder, lambda: None))


def _ledger_report(name: str, ledger: Ledger, terms: Terms) -> FileReport:
    return FileReport(name=name, verdicts=(_judged(ledger.verify(keys=terms.trusted), terms),))


def _ledger_logs(ledger: Ledger) -> list[Log]:
    try:
        return [_StoredLog(ledger)]
    except (LedgerError, EvidenceError):
        return []  # its own verdict says what is wrong with it


class _StoredLog:
    """A ledger on the disk, as it was when it was opened."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._page: dict[int, bytes] = {}
        self.checkpoint: Checkpoint = opened_checkpoint(ledger.checkpoint()).checkpoint

    def payload(self, index: int) -> bytes | None:
        """See `Log`."""
        if index not in self._page:
            start = index - index % _PAGE  # the cards of a notebook stand close to each other
            try:
                self._page = {entry.index: entry.payload for entry in self._ledger.entries(start, start + _PAGE)}
            except LedgerError:
                return None
        return self._page.get(index)

    def begins_with(self, old: Checkpoint) -> bool:
        """See `Log`."""
        now = self.checkpoint
        try:
            proof = self._ledger.consistency(old.size, now.size)
        except LedgerError:
            return False
        return verify_consistency(old.size, now.size, old.root, now.root, proof)
