"""Process Run Crate 0.5 (RO-Crate 1.1): a folder or zip that a research repository takes, with the cards in it.

Every outcome is an action, also one that was refused. What a repository does not know stays as it is beside the
metadata: the card itself, its hashed texts byte for byte, the signed statement. The agent is the key that signed; a
person is named by whoever deposits the crate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import EvidenceError
from service_nb.ledger.exports.card_run import TERMS, CardRun, RunSource, read_run
from service_nb.ledger.exports.csv_rows import to_csv
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, Files, drop_unknown, require_cards
from service_nb.ledger.exports.table import build_table
from service_nb.schema.card import CARD_MIME, Card

METADATA = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_CRATE = "https://w3id.org/ro/crate/1.1"
_CONTEXT = [f"{_CRATE}/context", "https://w3id.org/ro/terms/workflow-run/context", {"service_nb": TERMS}]
_APPLICATION = "#service_nb"
_STATUS = {"completed": "CompletedActionStatus", "failed": "FailedActionStatus"}
_TEXTS = {  # the folder of a hashed text, what it is, and what it is to the action
    "result": ("results", "the result", "result"),
    "value": ("results", "the value", "result"),
    "report": ("results", "the report of the replay", "result"),
    "arguments": ("inputs", "the arguments", "object"),
    "identity": ("inputs", "the call with its contract and bindings", "object"),
    "spec": ("inputs", "the question", "object"),
    "plan": ("plans", "the plan", "instrument"),
    "resolution": ("results", "why it was not run", "result"),
    "error": ("results", "the error", "result"),
    "definition": ("plans", "what the contract says of the capability", "instrument"),
    "provenance": ("cards", "how it came about", "subjectOf"),
}
_OTHER = ("inputs", "another text", "object")


@dataclass(slots=True)
class _Crate:
    """A crate as it grows: files by path, entities by id."""

    files: dict[str, bytes] = field(default_factory=dict)
    entities: dict[str, dict[str, object]] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    def put(self, id_: str, type_: str, **properties: object) -> dict[str, str]:
        """Describe an entity, once, and return the reference to it."""
        self.entities.setdefault(id_, {"@id": id_, "@type": type_, **drop_unknown(properties)})
        return {"@id": id_}

    def add(self, path: str, content: bytes, *, media: str, name: str, **properties: object) -> dict[str, str]:
        """Put a file in, and return the reference to it."""
        self.files[path] = content
        self.parts.append(path)
        size, sha256 = str(len(content)), compute_sha256_hex(content)
        about = {"name": name, "encodingFormat": media, "contentSize": size, "sha256": sha256}
        return self.put(path, "File", **about, **properties)


def export(material: ExportMaterial) -> Files:
    """Return the files of a crate that holds the cards."""
    crate = _Crate()
    runs = [read_run(card) for card in require_cards(material, "make a crate of")]
    for number, (card, run) in enumerate(zip(material.cards, runs, strict=True), 1):
        _put_action(crate, f"{number:03}-{_build_file_name(run.id)}", card, run)
    graph = [*_iter_roots(crate, runs, material.time), *crate.entities.values()]
    metadata = {"@context": _CONTEXT, "@graph": graph}
    return {METADATA: (json.dumps(metadata, ensure_ascii=False, indent=2) + "\n").encode(), **crate.files}


def _iter_roots(crate: _Crate, runs: Sequence[CardRun], time: str) -> Iterator[dict[str, Any]]:
    yield {"@id": METADATA, "@type": "CreativeWork", "conformsTo": {"@id": _CRATE}, "about": {"@id": "./"}}
    titles = runs[0].title if len(runs) == 1 else f"{len(runs)} outcomes of service_nb"
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": titles,
        "description": "Questions and computations with their results, each with the evidence that it can be checked "
        "by and replayed from: the cards in the folder cards.",
        "datePublished": time,
        "license": "The depositor states the licence; none was stated on export.",
        "conformsTo": {"@id": PROFILE},
        "hasPart": [{"@id": path} for path in crate.parts],
        "mentions": [{"@id": action} for action in crate.actions],
    }
    yield {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}


def _put_action(crate: _Crate, stem: str, card: Card, run: CardRun) -> None:
    objects = [_put_source(crate, source) for source in run.sources]
    made = _put_texts(crate, stem, run)
    objects += made["object"]
    results = made["result"]
    rows = _write_rows(card)
    if rows is not None:
        name = f"{run.title}: the rows for spreadsheets"
        results.append(crate.add(f"results/{stem}.csv", rows, media="text/csv", name=name))
    action = f"#{quote(run.id)}" if f"#{quote(run.id)}" not in crate.entities else f"#{quote(stem)}"
    crate.put(
        action,
        "CreateAction",
        name=run.title,
        description=f"{run.tool} (kind: {run.kind})",
        startTime=_time(run.start),
        endTime=_time(run.end),
        instrument=[*_put_instruments(crate, run), *made["instrument"]],
        agent=_put_device(crate, run),
        object=objects,
        result=results,
        actionStatus=f"http://schema.org/{_STATUS[run.ended]}",
        error=run.error,
        identifier=run.id,
        subjectOf=[*_put_evidence(crate, stem, card), *made["subjectOf"]],
        **{f"service_nb:{name}": digest for name, digest in run.digests.items()},
    )
    crate.actions.append(action)


def _put_texts(crate: _Crate, stem: str, run: CardRun) -> dict[str, list[dict[str, str]]]:
    """Put the hashed texts in; return the references to them by what they are to the action."""
    made: dict[str, list[dict[str, str]]] = {role: [] for *_, role in (*_TEXTS.values(), _OTHER)}
    for name, text in run.texts.items():
        folder, what, role = _TEXTS.get(name, _OTHER)
        path, title = f"{folder}/{stem}.{name}.json", f"{run.title}: {what}, as it was hashed"
        made[role].append(crate.add(path, text.encode(), media="application/json", name=title))
        if role == "instrument":
            crate.entities[path]["@type"] = ["File", "SoftwareSourceCode"]
    return made


def _put_evidence(crate: _Crate, stem: str, card: Card) -> list[dict[str, str]]:
    content = json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode()
    found = [crate.add(f"cards/{stem}.servicecard.json", content, media=CARD_MIME, name=f"card {stem}")]
    if card["receipt"] is not None:
        envelope = json.dumps(card["receipt"]["envelope"]).encode()
        name = f"signed statement {stem}"
        found.append(crate.add(f"cards/{stem}.intoto.json", envelope, media="application/json", name=name))
    return found


def _put_instruments(crate: _Crate, run: CardRun) -> list[Mapping[str, str]]:
    version = run.service_version
    application = _APPLICATION if version is None else f"{_APPLICATION}-{quote(version)}"
    used: list[Mapping[str, str]] = [
        crate.put(application, "SoftwareApplication", name="service_nb", softwareVersion=version, license="Apache-2.0")
    ]
    if run.kind != "computation":
        return used
    capability = crate.put(
        f"#{quote(run.tool)}-{run.tool_version or '0'}",
        "SoftwareApplication",
        name=run.tool,
        softwareVersion=run.tool_version,
        isPartOf=used[0],
        **({} if run.contract_hash is None else {"service_nb:contract_hash": run.contract_hash}),
    )
    return [*used, capability]


def _put_source(crate: _Crate, source: RunSource) -> dict[str, str]:
    # Not a File: the data stay where they are, and are known by their digests.
    return crate.put(
        f"#source-{quote(source.id)}",
        "CreativeWork",
        name=source.name,
        alternateName=source.file,
        identifier=source.id,
        **{f"service_nb:{name.replace('-', '_')}": digest for name, digest in source.hashes.items()},
        **({} if source.reading is None else {"service_nb:reading": source.reading}),
        **({} if source.row_count is None else {"service_nb:row_count": str(source.row_count)}),
    )


def _put_device(crate: _Crate, run: CardRun) -> dict[str, str] | None:
    if run.keyid is None:
        return None
    return crate.put(
        f"#device-{run.keyid}",
        "Thing",
        name=f"device key {run.keyid}",
        description="The Ed25519 key of the machine that ran and signed it; its holder states whose key it is.",
        identifier=run.keyid,
        **{"service_nb:public_key": run.public_key},
    )


def _write_rows(card: Card) -> bytes | None:
    if card["kind"] not in ("query", "computation"):
        return None
    try:
        return to_csv(build_table(card))
    except EvidenceError as error:
        if error.reason != "text_not_kept":
            raise
        return None  # the card says what it left out, and its hash stands for it


def _time(time: str | None) -> str | None:
    """A time in the one form that validators of the profile take: milliseconds, and the offset in digits."""
    return None if time is None else datetime.fromisoformat(time).isoformat(timespec="milliseconds")


def _build_file_name(id_: str) -> str:
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "-" for char in id_)[:64]


FORMAT = ExportFormat(
    name="ro-crate", ending="", words="a research object (Process Run Crate 0.5), a folder or a .zip", write=export
)
