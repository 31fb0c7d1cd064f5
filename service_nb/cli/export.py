"""Write a result, a notebook's cards or the ledger in a format that other tools read.

examples:
  service-nb export query_3f9c1d20b7a84e65 --format csv
  service-nb export report.ipynb --format ro-crate --output report.zip
  service-nb export report.ipynb --card 2 --format xlsx
  service-nb export query_3f9c1d20b7a84e65 --format in-toto --output -
  service-nb export --format ledger --without-values --output ledger.json

What does not verify is not exported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import service_nb
from service_nb.cli.reading import RESULT_ID, refuse_altered
from service_nb.cli.verb import PROJECT, Option, Reply, Verb
from service_nb.client.factory import build_recorder
from service_nb.client.record import raise_off
from service_nb.client.user_keys import find_device
from service_nb.core.canonical import DEFAULT_MAX_BYTES
from service_nb.errors import EvidenceError, InvalidIntentError, LimitExceededError
from service_nb.evidence.documents import check_document, find_cards, open_checkpoint, read_json
from service_nb.evidence.stripping import strip_card
from service_nb.ledger.entries import StoredEntry
from service_nb.ledger.exports.files import read_document, write_file, write_folder, zip_files
from service_nb.ledger.exports.formats import ExportMaterial, Files, LedgerPart, find_format, find_formats
from service_nb.ledger.store import Ledger
from service_nb.schema.card import Card

_VALUES = ("result", "value", "arguments", "report")  # hashed texts that hold what was answered and computed


def run(arguments: argparse.Namespace) -> Reply:
    """Collect, export, write."""
    form = find_format(arguments.format)
    material, stem = (
        _collect_ledger(arguments) if form.of == "ledger" else _collect_results(arguments, is_signed=form.is_signed)
    )
    exported = form.write(material)
    target = Path(arguments.output or stem + (form.ending or "-crate"))
    if arguments.output == "-":
        if not isinstance(exported, bytes):
            raise InvalidIntentError("A folder cannot be printed.", hint="Give --output PATH.", path="--output")
        sys.stdout.buffer.write(exported)
        return Reply()
    _write_export(exported, target, material.time, over=arguments.force)
    size = f"{len(exported):,} {'bytes' if isinstance(exported, bytes) else 'files'}"
    document = {"status": "ok", "format": form.name, "file": target.name, "results": len(material.cards) or None}
    return Reply(document, f"{target.name}: {size} of {arguments.format}.")


def _write_export(exported: bytes | Files, target: Path, time: str, *, over: bool) -> None:
    if isinstance(exported, bytes):
        write_file(target, exported, over=over)
    elif target.suffix == ".zip":
        write_file(target, zip_files(exported, at=datetime.fromisoformat(time)), over=over)
    else:
        write_folder(target, exported)


# --- what is exported -------------------------------------------------------------------------------------------------


def _collect_results(arguments: argparse.Namespace, *, is_signed: bool) -> tuple[ExportMaterial, str]:
    """Collect the cards, and name their file unless --output does."""
    subject = arguments.subject
    if subject is None:
        raise InvalidIntentError(
            f"--format {arguments.format} needs a result: give its id, or a file.", hint="See `service-nb log`."
        )
    if RESULT_ID.fullmatch(subject) and not Path(subject).exists():
        cards, stem = [_get_card(subject, arguments)], subject
    else:
        cards, stem = _read_cards(Path(subject), arguments.card), Path(subject).name.partition(".")[0] or "export"
    if arguments.without_values:
        cards = [strip_card(card) for card in cards]
    signer = find_device() if is_signed else None
    return ExportMaterial(cards=cards, time=_format_now(), signer=signer), stem


def _get_card(result_id: str, arguments: argparse.Namespace) -> Card:
    """Get a result of the ledger with all its texts; in the format `card` with those of the card alone."""
    with closing(service_nb.create_service(project=arguments.project)) as service:
        stored = service.get_result(result_id)
    return stored.card if arguments.format == "card" else {**stored.card, "canonical": dict(stored.texts)}


def _read_cards(path: Path, number: int | None) -> list[Card]:
    """Read the cards of a notebook, or the one of a card's file; raise if any of them does not verify."""
    content = read_document(path)
    refuse_altered(path.name, check_document(content), "exported")
    document = read_json(content)
    if "service_nb_ledger" in document:
        raise InvalidIntentError(f"{path.name} is a ledger document.", hint="Export from the project that has it.")
    cards: list[Card] = [each.card for each in find_cards(document)] if "nbformat" in document else [document]
    return cards if number is None else [_pick_card(cards, number, path.name)]


def _pick_card(cards: Sequence[Card], number: int, name: str) -> Card:
    if not 1 <= number <= len(cards):
        raise InvalidIntentError(
            f"{name} has no card {number}; it has {len(cards)}.", path="--card", met=number, expected=len(cards)
        )
    return cards[number - 1]


def _collect_ledger(arguments: argparse.Namespace) -> tuple[ExportMaterial, str]:
    if arguments.subject is not None or arguments.card is not None:
        raise InvalidIntentError(
            "--format ledger exports the whole ledger: only all entries prove its root.",
            hint="Leave out the id. For one result with its proof, use --format card.",
        )
    part = _read_ledger(arguments.project, without_values=arguments.without_values)
    return ExportMaterial(time=_format_now(), ledger=part), "ledger"


def _read_ledger(project: Path | None, *, without_values: bool) -> LedgerPart:
    """Read the whole ledger of a project; refuse one that does not verify."""
    with closing(build_recorder(project)) as recorder:
        ledger = recorder.ledger or raise_off()
        checkpoint, name = ledger.read_checkpoint(), ledger.read_id() or ""
        verdict = ledger.verify()
        if verdict.status == "altered":
            raise EvidenceError(
                "The ledger does not verify, so it is not exported.",
                reason=verdict.causes[0],
                hint="Run `service-nb verify` on its folder for details.",
            )
        entries = list(
            ledger.iter_entries(stop=open_checkpoint(checkpoint).checkpoint.size)
        )  # others may append meanwhile
        return LedgerPart(
            ledger=name,
            entries=[entry.envelope for entry in entries],
            public_key=_require_one_key(entries),
            checkpoint=checkpoint,
            texts=_collect_texts(ledger, entries, without_values=without_values),
        )


def _require_one_key(entries: list[StoredEntry]) -> str | None:
    keys = {entry.public_key for entry in entries if entry.public_key is not None}
    if len(keys) > 1:
        raise EvidenceError(
            f"{len(keys)} keys have signed in this ledger, and a ledger document has one key.",
            reason="several_keys",
            hint="Share the folder of the ledger, which `service-nb verify` reads, or export each result.",
        )
    return next(iter(keys), None)


def _collect_texts(ledger: Ledger, entries: list[StoredEntry], *, without_values: bool) -> dict[str, str]:
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
                hint="Leave the values out with --without-values, or share the folder of the ledger.",
                limit=DEFAULT_MAX_BYTES,
                value=size,
            )
    return kept


def _format_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _list_formats() -> str:
    return "\n".join(["formats:", *(f"  {form.name:<12} {form.words}" for form in find_formats().values())])


VERB = Verb(
    run=run,
    options=(
        Option("subject ID|FILE", "a recorded result, a notebook or a card", nargs="?"),
        Option("--format FORMAT", "see below", required=True),
        Option("--output --out PATH", "output file; default: named after its subject; - prints"),
        Option("--card N", "export only the Nth card of the notebook, counted from 1", type=int),
        Option("--without-values", "leave out the values"),
        Option("--force", "replace an existing file"),
        PROJECT,
    ),
    find_more=_list_formats,
)
