"""Verify evidence from another project, and store it beside the ledger with its own signature.

what it reads:
  a card (*.servicecard.json), a ledger document (*.serviceledger.json), signed statements (*.intoto.jsonl)

examples:
  service-nb import query_3f9c1d20b7a84e65.servicecard.json --key colleague.key
  service-nb import ledger.serviceledger.json
  service-nb import

Without a file it lists what was imported. What is imported never becomes an entry of this ledger: it was not made here.
Where the ledger of the project is not yours, the evidence is stored beside your own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from service_nb.cli.reading import refuse_altered
from service_nb.cli.verb import PROJECT, Option, Reply, Verb
from service_nb.client.factory import build_recorder
from service_nb.client.record import Recorder
from service_nb.client.verification import Terms, build_terms, verify_content
from service_nb.core.words import clip, make_visible
from service_nb.errors import EvidenceError
from service_nb.evidence.imported import ImportedResult, check_envelopes, has_envelopes, list_imported_results
from service_nb.evidence.standalone import Verdict, compute_key_id, decode_base64
from service_nb.evidence.verdicts import find_worst
from service_nb.ledger.attachments import iter_documents, keep_document
from service_nb.ledger.exports.files import read_document

_WIDTH = 72
_SHOWN = 20  # results of one document


def run(arguments: argparse.Namespace) -> Reply:
    """Verify all, then keep all; without files, list what there is."""
    terms = build_terms(arguments.key)
    with closing(build_recorder(arguments.project)) as recorder:
        found = (
            list(_list_imported(recorder, terms))
            if not arguments.files
            else _import_files(arguments.files, recorder, terms)
        )
    text = "\n".join(map(_write_document, found)) or "Nothing was imported."
    return Reply({"status": "ok", "imported": found}, text)


def _import_files(files: Sequence[Path], recorder: Recorder, terms: Terms) -> list[dict[str, Any]]:
    # All are verified before one is kept: of two that belong together, none comes alone.
    contents = [(path.name, read_document(path)) for path in files]
    for name, content in contents:
        _require_evidence(name, content, terms)
    folder = recorder.choose_folder()
    return [
        _describe_document(name, content, terms)
        | dict(zip(("sha256", "new"), keep_document(folder, content), strict=True))
        for name, content in contents
    ]


def _list_imported(recorder: Recorder, terms: Terms) -> Iterator[dict[str, object]]:
    for folder in recorder.list_folders():
        for sha256, content in iter_documents(folder):
            yield _describe_document(f"{sha256[:12]}…", content, terms) | {"sha256": sha256}


def _require_evidence(name: str, content: bytes, terms: Terms) -> None:
    """Refuse a document that does not verify, or that cannot be checked here."""
    verdicts = _verify_document(name, content, terms)
    refuse_altered(name, verdicts, "imported", " Ask its author for it again.")
    for verdict in verdicts:
        if verdict.status == "not_checkable" and has_envelopes(content):
            raise EvidenceError(
                f"{name}, {verdict.subject}: it gives only the id of its key, and no known key signed it.",
                reason=str(verdict.checks[-1].cause),
                hint="Give the signer's public key: --key BASE64, or --key FILE.",
            )
    list_imported_results(content)  # a notebook holds, and is nothing to keep here


def _describe_document(name: str, content: bytes, terms: Terms) -> dict[str, object]:
    """Describe a document: its results, and the status and causes of its checks."""
    verdicts = _verify_document(name, content, terms)
    causes = {check.name: check.cause for verdict in verdicts for check in verdict.checks if check.cause}
    status = find_worst(verdict.status for verdict in verdicts)
    results = [] if status == "altered" else [_add_signer(each, terms) for each in list_imported_results(content)]
    return {"name": name, "status": status, "causes": causes, "results": results}


def _verify_document(name: str, content: bytes, terms: Terms) -> Sequence[Verdict]:
    if has_envelopes(content):
        return check_envelopes(content, terms.trusted)
    return verify_content(name, content, terms).verdicts


def _add_signer(result: ImportedResult, terms: Terms) -> dict[str, object]:
    """Add to a result the kind of its signer: trusted, this machine's own, unknown, or nobody."""
    trusted = {compute_key_id(decode_base64(key) or b"") for key in terms.trusted}
    own = None if terms.own is None else compute_key_id(decode_base64(terms.own) or b"")
    known = {None: "nobody"} | dict.fromkeys(trusted, "trusted") | ({} if own is None else {own: "own"})
    return dict(to_builtins(result)) | {"signer": known.get(result.signed, "unknown")}


_WHOSE = {
    "nobody": "not signed",
    "trusted": "signed by the trusted key {}",
    "own": "signed by this machine's key {}",
    "unknown": "signed by the unknown key {}",
}


def _write_document(document: dict[str, Any]) -> str:
    state = " (already imported)" if document.get("new") is False else ""
    lines = [f"{document['name']}: {document['status']}, stored as {document['sha256'][:12]}…{state}"]
    for result in document["results"][:_SHOWN]:
        question = f"  {clip(make_visible(result['question']), _WIDTH)}" if result["question"] else ""
        lines.append(f"  {result['id'] or result['kind']}  {result['time'] or 'no time'}{question}")
        lines.append(f"    {_WHOSE[result['signer']].format(result['signed'])}")
    if len(document["results"]) > _SHOWN:
        lines.append(f"  … and {len(document['results']) - _SHOWN:,} more; --json has all")
    return "\n".join(lines)


VERB = Verb(
    run=run,
    options=(
        Option("files FILE", "what another project exported", nargs="*", type=Path),
        Option("--key KEY", "a trusted public key; may be repeated", action="append", default=[]),
        PROJECT,
    ),
)
