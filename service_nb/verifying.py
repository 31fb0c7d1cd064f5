"""Files verified with what this machine knows: trusted keys, its own key, the installed contract, a ledger beside them.

Keys that are given are the trusted ones, and every signature must be of one of them. Without any, this machine's own
key is known, and a card of another key is not refused: its signature holds or not, and whose it is stays open.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from service_nb._version import __version__
from service_nb.base.digest import sha256_hex
from service_nb.base.places import place
from service_nb.device import device
from service_nb.errors import EvidenceError, InvalidIntentError, LedgerError, ServiceError
from service_nb.evidence.checkpoint import Checkpoint
from service_nb.evidence.checkpoint import opened as opened_checkpoint
from service_nb.evidence.documents import cards_in, check_document
from service_nb.evidence.held import DocumentLog, Log, check_held
from service_nb.evidence.keys import KEY_BYTES, decoded, encoded
from service_nb.evidence.merkle import verify_consistency
from service_nb.evidence.reading import DOCUMENT_BYTES, read_json
from service_nb.evidence.report import FileReport, Report, words_of
from service_nb.records.verdict import Check, Verdict

if TYPE_CHECKING:
    from service_nb.ledger.store import Ledger

LEDGER_FILE = "ledger.sqlite"
FOLDER = ".service"

_KEY_FILE_BYTES = 64 * 1024
_PAGE = 128  # entries that are read at once
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Under which terms is verified.

    `trusted` are the keys that were given, base64; `own` is this machine's key, if it has one.
    """

    trusted: tuple[str, ...] = ()
    own: str | None = None
    contracts: tuple[str, ...] = ()
    requires_signature: bool = False
    requires_seal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the terms as a report states them."""
        return {
            "service_nb": __version__,
            "verified": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "trusted_keys": list(self.trusted),
            "key_of_this_machine": [self.own] if self.own else [],
            "known_contracts": list(self.contracts),
            "signature_required": "yes" if self.requires_signature or self.trusted else "no",
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
        The trusted keys: each the base64 of 32 bytes, or a file that holds some.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        One of them is no key, and no file of keys.
    """
    from service_nb.runtimes.base import packaged_contract  # noqa: PLC0415  # lazy: megabytes, and only its head counts

    trusted = tuple(dict.fromkeys(key for given in keys for key in _keys(given)))
    head = read_json(packaged_contract().partition(b"\n")[0] + b"}}")
    return Terms(
        trusted=trusted, own=_own_key(), contracts=(str(head["contract_hash"]),), requires_signature=requires_signature
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
    keys = terms.trusted or ((terms.own,) if terms.own else ())
    verdicts = [_softened(verdict, terms) for verdict in check_document(content, keys=keys, contracts=terms.contracts)]
    cards = _cards(content, verdicts)
    if terms.requires_seal and _is_unsealed(content, verdicts):
        verdicts.append(Verdict(subject="index", checks=(Check(name="cards", status="failed", cause="seal_missing"),)))
    if logs:
        verdicts = [_held(verdict, cards, logs) for verdict in verdicts]
    if not verdicts:
        verdicts = [
            Verdict(subject="notebook", checks=(Check(name="cards", status="not_checkable", cause="no_cards"),))
        ]
    words = {subject: words_of(card) for subject, card in cards.items()}
    sha256 = sha256_hex(content) if len(content) <= DOCUMENT_BYTES else None
    return FileReport(name=name, verdicts=tuple(verdicts), words=words, sha256=sha256)


def verify_card(card: Any, terms: Terms, *, subject: str) -> Verdict:
    """Verify one card that is at hand."""
    from service_nb.evidence.check import check_card  # noqa: PLC0415

    keys = terms.trusted or ((terms.own,) if terms.own else ())
    return replace(_softened(check_card(card, keys=keys, contracts=terms.contracts), terms), subject=subject)


# --- keys ---------------------------------------------------------------------------------------------------------


def _own_key() -> str | None:
    try:
        found = device()
    except ServiceError:  # a broken key of this machine says nothing about the documents of others
        return None
    return None if found is None else found.public_key


def _keys(given: str) -> list[str]:
    if decoded(given, KEY_BYTES) is not None:
        return [given]
    content = _small(Path(given).expanduser(), given)
    found = _pem(content) if b"-----BEGIN" in content else _listed(content)
    if not found:
        raise InvalidIntentError(
            f"{Path(given).name} holds no public key.",
            hint="Expected base64 of 32 bytes, one a line, or an Ed25519 public key in PEM.",
            path="--key",
        )
    return found


def _pem(content: bytes) -> list[str]:
    try:
        key = load_pem_public_key(content)
    except ValueError:
        return []
    return [encoded(key.public_bytes_raw())] if isinstance(key, Ed25519PublicKey) else []


def _listed(content: bytes) -> list[str]:
    """The keys of a list: one a line, `#` and what follows is for people. A line that is no key spoils the list."""
    lines = [line.partition("#")[0].strip() for line in content.decode("utf-8", "replace").splitlines()]
    keys = [line for line in lines if line]
    return keys if all(decoded(key, KEY_BYTES) is not None for key in keys) else []


def _small(path: Path, given: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_KEY_FILE_BYTES)
    except OSError as error:
        raise InvalidIntentError(
            f"{given[:60]!r} is no public key, and no file that can be read.",
            hint="Give the base64 of 32 bytes, or a file that holds it; `service-nb login --json` prints your own.",
            path="--key",
        ) from error


def read_document(path: Path) -> bytes:
    """Return the bytes of a file, and no more than one beyond what a verifier reads: that much tells it is too large.

    Raises
    ------
    OSError
        It cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
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
            raise _unusable(name, f"is a database, but no ledger is called anything but {LEDGER_FILE}")
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


def _cards(content: bytes, verdicts: Sequence[Verdict]) -> Mapping[str, Any]:
    """The cards of a document by the subject of their verdicts; none of one that could not be read."""
    if any(verdict.subject in ("document", "ledger") for verdict in verdicts):
        return {}
    document = json.loads(content)  # which has been read strictly, so this reads the same, only faster
    if "nbformat" in document:
        return {each.subject: each.card for each in cards_in(document)}
    return {verdict.subject: document for verdict in verdicts}


def _is_unsealed(content: bytes, verdicts: Sequence[Verdict]) -> bool:
    if any(verdict.subject == "index" for verdict in verdicts):
        return False
    try:
        document = read_json(content)
    except EvidenceError:
        return False  # its own verdict says what is wrong with it
    return isinstance(document, dict) and "nbformat" in document


# --- trust, and ledgers -------------------------------------------------------------------------------------------


def _softened(verdict: Verdict, terms: Terms) -> Verdict:
    """What the terms make of a missing signature, and of one by a key that nobody vouched for."""
    is_signed = not any(check.name == "checkpoint" and check.cause == "unsigned" for check in verdict.checks)
    return replace(verdict, checks=tuple(_under(check, terms, is_signed=is_signed) for check in verdict.checks))


def _under(check: Check, terms: Terms, *, is_signed: bool) -> Check:
    if check.cause in ("receipt_missing", "unsigned"):
        if terms.trusted or terms.requires_signature:
            return replace(check, status="failed", cause="receipt_missing")
        return replace(check, status="not_checkable", cause="unsigned")
    if check.cause == "unknown_signer" and not terms.trusted:
        if not is_signed:
            return _under(replace(check, cause="unsigned"), terms, is_signed=False)
        message = f"{check.message.partition(',')[0]}: another than this machine's, and not known here."
        return replace(check, status="not_checkable", cause="no_trusted_keys", message=message)
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
    keys = terms.trusted or ((terms.own,) if terms.own else ())
    return FileReport(name=name, verdicts=(_softened(ledger.verify(keys=keys), terms),))


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
