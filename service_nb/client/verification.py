"""Verify documents and ledgers with this machine's trusted keys, own key and installed contract.

`.verify()` of a result, `%service_verify`, the command, the pytest plugin, replays and reports all verify here, in this
order: a document is read once; its form, its hashes, its receipts, and where cards stand in a notebook are checked
(`evidence/standalone.py`); the other forms of an output are compared with its card (`faces`); receipts are held against
ledgers, if some were given; and `Terms` say what is demanded beyond that.

Trusted are the keys that are given; where none is, this machine's own and those that its user trusts. A signature by
any other key leaves a card `unaltered`, and not `verified`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from service_nb._version import __version__
from service_nb.cards.blocks import Figure, Sentence, Table
from service_nb.cards.card_blocks import compose_card, find_answer
from service_nb.cards.digits import FACE_DIGITS
from service_nb.cards.faces import render_faces
from service_nb.cards.heads import leave_out_plan
from service_nb.client.user_keys import TrustedKey, find_device, read_keys, read_trusted_keys
from service_nb.core.digest import compute_sha256_hex, verify_consistency
from service_nb.core.own_files import describe_place
from service_nb.errors import EvidenceError, InvalidIntentError, LedgerError, ServiceError
from service_nb.evidence.documents import check_card as check_card_alone
from service_nb.evidence.documents import (
    check_parsed,
    find_cards,
    open_checkpoint,
    read_json,
)
from service_nb.evidence.held import DocumentLog, Log, check_held
from service_nb.evidence.standalone import (
    DOCUMENT_BYTES,
    SEAL_KEY,
    YOU,
    Check,
    Checkpoint,
    Output,
    Verdict,
    compute_key_id,
    decode_base64,
)
from service_nb.evidence.verdicts import FileReport, Report, describe_card
from service_nb.schema.card import CARD_MIME, FACE_MIMES, NAME_HEADS, Card, join_text_lines, read_mark
from service_nb.schema.reports import CardSigner, ShownAnswer

if TYPE_CHECKING:
    from service_nb.ledger.store import Ledger

LEDGER_FILE = "ledger.sqlite"
FOLDER = ".service"

_PAGE = 128  # entries that are read at once
_SQLITE = b"SQLite format 3\0"
# What composing a card raises whose view does not have its shape.
_UNSHOWABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of a verification: trusted keys, known contracts, and what is required.

    `trusted` are the keys that are trusted, base64, with the names that the reader gave them; `own` is this machine's
    key, if it has one.
    """

    trusted: Mapping[str, str] = field(default_factory=dict)
    own: str | None = None
    contracts: tuple[str, ...] = ()
    requires_signature: bool = False
    requires_seal: bool = False

    def to_dict(self) -> dict[str, object]:
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


class CheckedDocument(NamedTuple):
    """The verdicts of a document, and its cards by the subjects of their verdicts."""

    verdicts: list[Verdict]
    cards: dict[str, object]


def build_terms(keys: Sequence[str] = (), *, requires_signature: bool = False) -> Terms:
    """Build the terms of this machine.

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
    from service_nb.runtimes.interface import map_packaged_contract  # noqa: PLC0415  # lazy: the kernels

    own, given = _read_own_key(), [each for text in keys for each in read_keys(text)]
    known = given or [*([TrustedKey(own, YOU)] if own else []), *read_trusted_keys()]
    trusted = {each.key: YOU if each.key == own else each.name for each in known}
    head = read_json(map_packaged_contract().readline() + b"}}")
    return Terms(
        trusted=trusted, own=own, contracts=(str(head["contract_hash"]),), requires_signature=requires_signature
    )


def _read_own_key() -> str | None:
    try:
        found = find_device()
    except ServiceError:  # a broken key of this machine says nothing about the documents of others
        return None
    return None if found is None else found.public_key


# --- what is verified ---------------------------------------------------------------------------------------------


def verify_files(paths: Sequence[str], terms: Terms, *, strict: bool = False) -> Report:
    """Verify notebooks, cards, ledger documents and ledgers; receipts are held against every ledger among them.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no such file, or it is neither a file nor the folder of a ledger.
    LedgerError [ledger_unavailable]
        A ledger cannot be read now.
    """
    files = [_read_input(path) for path in paths]
    with ExitStack() as opened:
        ledgers = {file.ledger: _open_ledger(file.ledger, opened) for file in files if file.ledger is not None}
        logs = [log for ledger in ledgers.values() for log in _list_ledger_logs(ledger)]
        logs += [log for file in files for log in _list_document_logs(file.content)]
        reports = []
        for file in files:
            if file.ledger is not None:
                verdict = _judge(ledgers[file.ledger].verify(keys=terms.trusted), terms)
                reports.append(FileReport(name=file.name, verdicts=(verdict,)))
            else:
                reports.append(verify_content(file.name, file.content, terms, logs=logs))
    return Report(files=tuple(reports), conditions=terms.to_dict(), strict=strict)


def verify_content(name: str, content: bytes, terms: Terms, *, logs: Sequence[Log] = ()) -> FileReport:
    """Verify the bytes of a document, and describe its cards and their signers."""
    verdicts, cards = verify_document(content, terms, logs=logs)
    if not verdicts:
        verdicts = [Verdict("notebook", (Check("cards", "not_checkable", "no_cards"),))]
    by_subject = {verdict.subject: verdict for verdict in verdicts}
    answers = {
        subject: _read_answer(card) for subject, card in cards.items() if by_subject[subject].status != "altered"
    }
    return FileReport(
        name=name,
        verdicts=tuple(verdicts),
        words={subject: describe_card(card) for subject, card in cards.items()},
        answers={subject: answer for subject, answer in answers.items() if answer is not None},
        signers=_find_signers(cards, by_subject, terms.trusted),
        sha256=compute_sha256_hex(content) if len(content) <= DOCUMENT_BYTES else None,
    )


def verify_card(card: object, terms: Terms, *, subject: str) -> Verdict:
    """Verify one card."""
    return _judge(check_card_alone(card, keys=terms.trusted, contracts=terms.contracts, subject=subject), terms)


def verify_document(content: bytes, terms: Terms, *, logs: Sequence[Log] = ()) -> CheckedDocument:
    """Read a document, check its form, hashes and receipts, its outputs and ledgers, and judge it by the terms."""
    try:
        document = read_json(content)
    except EvidenceError as error:
        return CheckedDocument([Verdict("document", (Check("form", "failed", error.reason, str(error)),))], {})
    verdicts = check_parsed(document, len(content), terms.trusted, terms.contracts)
    cards: dict[str, object] = {}
    if any(verdict.subject in ("document", "ledger") for verdict in verdicts):
        pass  # it has no cards
    elif "nbformat" in document:
        outputs = find_cards(document)
        cards = {output.subject: output.card for output in outputs}
        verdicts = _check_outputs(outputs, verdicts)
        if terms.requires_seal and SEAL_KEY not in document.get("metadata", {}):
            verdicts.append(Verdict("index", (Check("cards", "failed", "seal_missing"),)))
    else:
        cards = {"card": document}
    if logs:
        verdicts = [_check_ledgers(verdict, cards, logs) for verdict in verdicts]
    return CheckedDocument([_judge(verdict, terms) for verdict in verdicts], cards)


def list_signers(path: Path) -> tuple[TrustedKey, ...]:
    """List the keys with a valid signature on unaltered cards of a document.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The document cannot be read.
    """
    read = _read_input(str(path))
    if read.ledger is not None:
        return ()
    verdicts, cards = verify_document(read.content, Terms())
    by_subject = {verdict.subject: verdict for verdict in verdicts if verdict.status != "altered"}
    keys = [signer["key"] for signer in _find_signers(cards, by_subject, {}).values()]
    return tuple(map(TrustedKey, dict.fromkeys(keys)))


def _judge(verdict: Verdict, terms: Terms) -> Verdict:
    """Turn a missing signature into a failure where one is required."""
    if not terms.requires_signature:
        return verdict
    return Verdict(
        verdict.subject,
        tuple(
            replace(check, status="failed", cause="receipt_missing") if check.cause == "unsigned" else check
            for check in verdict.checks
        ),
    )


# --- files --------------------------------------------------------------------------------------------------------


class _InputFile(NamedTuple):
    """A file that was read: a document's bytes, or the folder of a ledger."""

    name: str
    content: bytes
    ledger: Path | None


def read_document(path: Path) -> bytes:
    """Read a file, at most one byte beyond the limit: that byte shows that the file is too large.

    Raises
    ------
    OSError
        It cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    with path.open("rb") as file:
        return file.read(DOCUMENT_BYTES + 1)


def _read_input(given: str) -> _InputFile:
    path, name = Path(given), _name_path(given)
    try:
        for folder in (path, path / FOLDER):
            if (folder / LEDGER_FILE).is_file():
                return _InputFile(name, b"", folder)
        content = read_document(path)
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "no path"
        raise _build_path_error(name, f"cannot be read: {told}") from error
    if content.startswith(_SQLITE):
        if path.name != LEDGER_FILE:
            raise _build_path_error(name, f"is a database, but not {LEDGER_FILE}, the name of every ledger")
        return _InputFile(name, b"", path.parent)
    return _InputFile(name, content, None)


def _name_path(given: str) -> str:
    """Format a path for reports: as it was given, unless it names folders of this machine."""
    path = Path(given)
    if not path.is_absolute():
        return given
    here = Path.cwd()
    return os.fspath(path.relative_to(here)) if path.is_relative_to(here) else describe_place(path)


def _build_path_error(name: str, what: str) -> InvalidIntentError:
    return InvalidIntentError(
        f"{name} {what}.", hint="Give a notebook, a card or a ledger as JSON, or the folder of a ledger.", path=name
    )


# --- cards where they stand in a notebook -------------------------------------------------------------------------


AROUND = {"cell", "cards"}  # the checks of where a card stands, which come after those of its output


def _check_outputs(outputs: Iterable[Output], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Add to the verdicts of cards the check of the outputs that hold them."""
    held, checked = {output.subject: output for output in outputs}, []
    for verdict in verdicts:
        output, checks = held.get(verdict.subject), verdict.checks
        if output is not None and checks[0].status == "passed":
            at = sum(check.name not in AROUND for check in checks)
            checks = (*checks[:at], check_faces(output.data, output.card), *checks[at:])
        checked.append(replace(verdict, checks=checks))
    return checked


def check_faces(data: Mapping[str, object], card: Mapping[str, object]) -> Check:
    """Compare the other MIME forms of an output with those rendered from its card.

    A face that names another version is compared with what this version would have written under that name, and where
    that differs nothing is known: `face_of_another_version`. Of a version of `NAME_HEADS` it may have names as heads.
    """
    others = [mime for mime in data if mime != CARD_MIME]
    if strange := [mime for mime in others if mime not in FACE_MIMES]:
        return Check("faces", "failed", "face_differs", f"The output holds {strange[0]!r}, a format that no card has.")
    forms = (cast(Card, card), leave_out_plan(cast(Card, card)))
    by_version = cache(lambda form, version, digits: render_faces(forms[form], version=version, digits=digits))
    foreign: dict[str, str] = {}
    for mime in others:
        version = read_mark({mime: data[mime]}) or __version__
        try:
            # Numbers are shown with the digits that somebody asked for; every number of digits is a face of the card.
            text = join_text_lines(data[mime])
            tried = product((0, 1) if version in NAME_HEADS else (0,), FACE_DIGITS)
            is_same = any(text == by_version(form, version, digits)[mime] for form, digits in tried)
        except _UNSHOWABLE:
            told = f"The {mime} cannot be what the card shows: the card cannot be shown."
            return Check("faces", "failed", "face_differs", told)
        if not is_same and version == __version__:
            return Check("faces", "failed", "face_differs", f"The {mime} of the output is not what the card shows.")
        if not is_same:
            foreign[mime] = version
    for mime, version in foreign.items():
        told = f"The {mime} of the output was written by version {version}; this is {__version__}."
        return Check("faces", "not_checkable", "face_of_another_version", told)
    return Check("faces")


# --- what a report tells of a card beside its verdict -------------------------------------------------------------


def _find_signers(
    cards: Mapping[str, Any], verdicts: Mapping[str, Verdict], trusted: Mapping[str, str]
) -> dict[str, CardSigner]:
    """Find the signer of each card with a valid signature, by subject."""
    signed = Check("signature")
    keys = {
        subject: cards[subject]["receipt"]["public_key"]
        for subject, verdict in verdicts.items()
        if subject in cards and signed in verdict.checks
    }
    return {
        subject: CardSigner(
            key=key, id=compute_key_id(decode_base64(key) or b""), name=trusted.get(key, ""), trusted=key in trusted
        )
        for subject, key in keys.items()
    }


def _read_answer(card: object) -> ShownAnswer | None:
    """Read the answer from the blocks of a card."""
    try:
        block = find_answer(compose_card(cast(Card, card)))
    except _UNSHOWABLE:
        return None
    match block:
        case Table():
            return ShownAnswer(
                heads=[head.text for head in block.heads],
                aligned=[head.aligned for head in block.heads],
                rows=[list(row) for row in block.rows],
                note=block.caption,
            )
        case Figure():
            return ShownAnswer(value=block.value, note=block.caption)
        case Sentence():
            return ShownAnswer(text=block.text)


# --- ledgers ------------------------------------------------------------------------------------------------------


def _check_ledgers(verdict: Verdict, cards: Mapping[str, Any], logs: Sequence[Log]) -> Verdict:
    check = check_held(cards[verdict.subject], logs) if verdict.subject in cards else None
    return verdict if check is None else replace(verdict, checks=(*verdict.checks, check))


def _list_document_logs(content: bytes) -> list[Log]:
    if b"service_nb_ledger" not in content:
        return []
    try:
        document = read_json(content)
        return [DocumentLog(document)] if isinstance(document, dict) and "service_nb_ledger" in document else []
    except (EvidenceError, KeyError, TypeError):
        return []  # its own verdict says what is wrong with it


def _open_ledger(folder: Path, opened: ExitStack) -> Ledger:
    from service_nb.ledger.store import Ledger  # noqa: PLC0415  # lazy: most verify documents, which need no SQLite

    return opened.enter_context(Ledger(folder, lambda: None))


def _list_ledger_logs(ledger: Ledger) -> list[Log]:
    try:
        return [_StoredLog(ledger)]
    except (LedgerError, EvidenceError):
        return []  # its own verdict says what is wrong with it


class _StoredLog:
    """A ledger on the disk, as it was when it was opened."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._page: dict[int, bytes] = {}
        self.checkpoint: Checkpoint = open_checkpoint(ledger.read_checkpoint()).checkpoint

    def find_payload(self, index: int) -> bytes | None:
        """See `Log`."""
        if index not in self._page:
            start = index - index % _PAGE  # the cards of a notebook stand close to each other
            try:
                self._page = {entry.index: entry.payload for entry in self._ledger.iter_entries(start, start + _PAGE)}
            except LedgerError:
                return None
        return self._page.get(index)

    def has_prefix(self, old: Checkpoint) -> bool:
        """See `Log`."""
        now = self.checkpoint
        try:
            proof = self._ledger.prove_consistency(old.size, now.size)
        except LedgerError:
            return False
        return verify_consistency(old.size, now.size, old.root, now.root, proof)
