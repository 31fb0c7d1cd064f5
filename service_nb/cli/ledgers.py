"""How verbs come to the ledger of a project, to all of it at once, and to what was imported beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from service_nb.base.parse import DEFAULT_MAX_BYTES
from service_nb.errors import EvidenceError, LedgerError, LimitExceededError

if TYPE_CHECKING:
    from service_nb.exports.material import LedgerPart
    from service_nb.ledger.entries import Stored
    from service_nb.ledger.store import Ledger

_VALUES = ("result", "value", "arguments", "report")


def ledger_folder(project: Path | None) -> Path:
    """Return the folder of the project's ledger, whether or not it exists.

    Raises
    ------
    LedgerError [ledger_unavailable]
        Reason `off`: none is kept.
    """
    from service_nb.create import _ledger_folder  # noqa: PLC0415
    from service_nb.project import find_project  # noqa: PLC0415

    folder = _ledger_folder(None, find_project(Path.cwd()) if project is None else project)
    if folder is None:
        raise LedgerError(
            "No ledger is kept here.", reason="off", hint="Unset SERVICE_LEDGER, or let it name a folder."
        )
    return folder


def ledger_part(project: Path | None, *, without_values: bool) -> LedgerPart:
    """Return the whole ledger of a project, verified.

    Raises
    ------
    LedgerError [ledger_unavailable]
        There is none, or it cannot be read.
    EvidenceError [evidence_invalid]
        It does not verify; the reason is the first cause. Reason `several_keys`: one document states one key.
    LimitExceededError [limit_exceeded]
        It is larger than a document may be.
    """
    from service_nb.evidence.checkpoint import opened  # noqa: PLC0415
    from service_nb.exports.material import LedgerPart  # noqa: PLC0415
    from service_nb.ledger.store import Ledger  # noqa: PLC0415

    with Ledger(ledger_folder(project), lambda: None) as ledger:
        checkpoint, name = ledger.checkpoint(), ledger.id() or ""
        verdict = ledger.verify()
        if verdict.status == "mismatch":
            raise EvidenceError(
                "The ledger does not verify, so it is not exported.",
                reason=verdict.causes[0],
                hint="`service-nb verify` on its folder says more.",
            )
        entries = list(ledger.entries(stop=opened(checkpoint).checkpoint.size))  # others may append meanwhile
        return LedgerPart(
            ledger=name,
            entries=[entry.envelope for entry in entries],
            public_key=_only_key(entries),
            checkpoint=checkpoint,
            texts=_texts(ledger, entries, without_values=without_values),
        )


def _only_key(entries: list[Stored]) -> str | None:
    keys = {entry.public_key for entry in entries if entry.public_key is not None}
    if len(keys) > 1:
        raise EvidenceError(
            f"{len(keys)} keys have signed in this ledger, and a ledger document states one.",
            reason="several_keys",
            hint="Hand on the folder of the ledger, which `service-nb verify` reads, or each result by itself.",
        )
    return next(iter(keys), None)


def _texts(ledger: Ledger, entries: list[Stored], *, without_values: bool) -> dict[str, str]:
    kept: dict[str, str] = {}
    size = sum(len(entry.payload) * 4 // 3 + 256 for entry in entries)
    for entry in entries:
        for name, text in ledger.get(entry.id, entry.tenant).texts.items():
            if not (without_values and name in _VALUES) and entry.subjects[name] not in kept:
                kept[entry.subjects[name]] = text
                size += len(text.encode()) + 70
        if size > DEFAULT_MAX_BYTES:
            raise LimitExceededError(
                f"A ledger document has at most {DEFAULT_MAX_BYTES:,} bytes, and this ledger needs more.",
                hint="Leave the values out with --without-values, or hand on the folder of the ledger.",
                limit=DEFAULT_MAX_BYTES,
                value=size,
            )
    return kept
