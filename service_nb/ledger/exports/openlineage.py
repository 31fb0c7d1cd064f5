"""OpenLineage 2-0-2: each outcome as the START and the last event of a run, one event a line, for data catalogues.

Refusals and errors end in FAIL with the standard facet for error messages. Our hashes are in the custom facet
`serviceNb_evidence` of the run and of every dataset.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from service_nb._version import __version__
from service_nb.core.digest import compute_sha256_hex
from service_nb.ledger.exports.card_run import CardRun, RunSource, read_run
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, drop_unknown, require_cards

_SPEC = "https://openlineage.io/spec"
EVENT_SCHEMA = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
ERROR_SCHEMA = f"{_SPEC}/facets/1-0-0/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet"
EVIDENCE_SCHEMA = "urn:service-nb:openlineage:evidence:v1"
NAMESPACE = "service_nb"
_LAST = {"completed": "COMPLETE", "failed": "FAIL"}


def export(material: ExportMaterial) -> bytes:
    """Return the events of the cards, oldest first."""
    events = [event for card in require_cards(material) for event in _iter_events(read_run(card), material.time)]
    return "".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events).encode()


def _iter_events(run: CardRun, exported: str) -> Iterator[dict[str, object]]:
    end = run.end or exported  # an unsigned card states no time
    yield _build_event(run, "START", run.start or end, outputs=[])
    yield _build_event(run, _LAST[run.ended], end, outputs=[_build_output(run)] if run.ended == "completed" else [])


def _build_event(run: CardRun, kind: str, time: str, *, outputs: list[object]) -> dict[str, Any]:
    facets = {"serviceNb_evidence": _build_evidence(run, kind)}
    if kind == "FAIL":
        facets["errorMessage"] = {
            **_build_facet(run, ERROR_SCHEMA),
            "message": run.error or run.kind,
            "programmingLanguage": "Python",
        }
    return {
        "eventType": kind,
        "eventTime": time,
        "run": {"runId": _compute_uuid(run), "facets": facets},
        "job": {"namespace": NAMESPACE, "name": run.tool},
        "inputs": [_build_input(run, source) for source in run.sources],
        "outputs": outputs,
        "producer": _build_producer(run),
        "schemaURL": EVENT_SCHEMA,
    }


def _build_evidence(run: CardRun, kind: str) -> dict[str, object]:
    """Build the evidence facet: the question before the run; every hash and the signer after it."""
    told = {"id": run.id, "kind": run.kind, "question": run.title}
    if kind == "START":
        return _build_facet(run, EVIDENCE_SCHEMA) | told
    after = {"digests": dict(run.digests), "keyid": run.keyid, "publicKey": run.public_key}
    return _build_facet(run, EVIDENCE_SCHEMA) | told | drop_unknown(after)


def _build_input(run: CardRun, source: RunSource) -> dict[str, Any]:
    facet = _build_facet(run, EVIDENCE_SCHEMA) | drop_unknown(
        {"digests": dict(source.hashes), "rowCount": source.row_count, "reading": source.reading}
    )
    return {"namespace": NAMESPACE, "name": source.name, "facets": {"serviceNb_evidence": facet}}


def _build_output(run: CardRun) -> dict[str, Any]:
    named = ("result_hash", "computation_hash", "replay_hash")
    digests = {name: run.digests[name] for name in named if name in run.digests}
    facet = _build_facet(run, EVIDENCE_SCHEMA) | {"digests": digests}
    return {"namespace": NAMESPACE, "name": run.id, "facets": {"serviceNb_evidence": facet}}


def _build_facet(run: CardRun, schema: str) -> dict[str, object]:
    return {"_producer": _build_producer(run), "_schemaURL": schema}


def _build_producer(run: CardRun) -> str:
    return f"urn:service-nb:{run.service_version or __version__}"


def _compute_uuid(run: CardRun) -> str:
    """The same id of the same run each time: a UUID of version 8, whose bits are ours to choose."""
    bits = compute_sha256_hex(json.dumps([run.id, dict(run.digests)], sort_keys=True).encode())
    return f"{bits[:8]}-{bits[8:12]}-8{bits[13:16]}-{'89ab'[int(bits[16], 16) % 4]}{bits[17:20]}-{bits[20:32]}"


FORMAT = ExportFormat(
    name="openlineage", ending=".openlineage.ndjson", words="OpenLineage events, one a line", write=export
)
