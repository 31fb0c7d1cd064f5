"""W3C PROV-JSON: outcomes as activities, with what they used, what came of them and which key vouches for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from service_nb.ledger.exports.card_run import TERMS, CardRun, RunSource, read_run
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, drop_unknown, require_cards

_PREFIX = "service_nb"
_OUTPUTS = ("result_hash", "computation_hash", "replay_hash", "refusal_hash", "error_hash")
_REQUESTS = ("plan_hash", "invocation_hash")


class _Document:
    """A PROV document as it grows: records by kind and id, relations numbered."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, object]] = {"prefix": {_PREFIX: TERMS}}
        self._relations = 0

    def put(self, kind: str, name: str, attributes: Mapping[str, Any]) -> str:
        """Write a record down, once, and return its id."""
        id_ = f"{_PREFIX}:{quote(name, safe='')}"
        said = {f"{_PREFIX}:{key}" if ":" not in key else key: value for key, value in attributes.items()}
        self.records.setdefault(kind, {}).setdefault(id_, drop_unknown(said))
        return id_

    def relate(self, kind: str, **ends: str | None) -> None:
        """Write a relation down between two records or more."""
        self._relations += 1
        self.records.setdefault(kind, {})[f"_:r{self._relations}"] = drop_unknown(
            {f"prov:{name}": end for name, end in ends.items()}
        )


def export(material: ExportMaterial) -> bytes:
    """Return one document of all cards."""
    document = _Document()
    for card in require_cards(material):
        _put_run(document, read_run(card))
    return (json.dumps(document.records, ensure_ascii=False, indent=2) + "\n").encode()


def _put_run(document: _Document, run: CardRun) -> None:
    times = {"prov:startTime": run.start, "prov:endTime": run.end}
    said = {"prov:label": run.title, "kind": run.kind, "status": run.ended, "error": run.error}
    activity = document.put("activity", run.id, times | said | _list_hashes(run, exclude=(*_OUTPUTS, *_REQUESTS)))
    used = [_put_source(document, source) for source in run.sources]
    for source in used:
        document.relate("used", activity=activity, entity=source)
    agents = _put_agents(document, run)
    plan = _put_request(document, run)
    document.relate("wasAssociatedWith", activity=activity, agent=agents[0], plan=plan)
    for agent in agents[1:]:
        document.relate("wasAssociatedWith", activity=activity, agent=agent)
    outcome = _put_outcome(document, run)
    document.relate("wasGeneratedBy", entity=outcome, activity=activity, time=run.end)
    for source in used:
        document.relate("wasDerivedFrom", generatedEntity=outcome, usedEntity=source, activity=activity)
    for agent in agents[1:]:
        document.relate("wasAttributedTo", entity=outcome, agent=agent)


def _put_agents(document: _Document, run: CardRun) -> list[str]:
    """The code that ran, and the key that signed if one did."""
    name = "service_nb" if run.service_version is None else f"service_nb-{run.service_version}"
    software = {"prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"}}
    told = {"prov:label": "service_nb", **software, "version": run.service_version}
    agents = [document.put("agent", name, told)]
    if run.keyid is not None:
        told = {"prov:label": f"device key {run.keyid}", "public_key": run.public_key}
        agents.append(document.put("agent", f"device-{run.keyid}", told))
    return agents


def _put_request(document: _Document, run: CardRun) -> str:
    """Add the plan or the call of the run to the document, and return its name."""
    hashes = {name: run.digests[name] for name in _REQUESTS if name in run.digests}
    name = f"plan-{next(iter(hashes.values()))[:16]}" if hashes else f"plan-of-{run.id}"
    text = run.texts.get("plan") or run.texts.get("identity") or run.texts.get("spec")
    kind = {"prov:type": {"$": "prov:Plan", "type": "prov:QUALIFIED_NAME"}}
    told = {"prov:label": run.tool, **kind, "contract_hash": run.contract_hash, "canonical": text}
    return document.put("entity", name, told | hashes)


def _put_outcome(document: _Document, run: CardRun) -> str:
    hashes = {name: run.digests[name] for name in _OUTPUTS if name in run.digests}
    text = next(
        (run.texts[name] for name in ("result", "value", "report", "resolution", "error") if name in run.texts), None
    )
    label = {"prov:label": f"{'result' if run.ended == 'completed' else 'refusal'} of {run.id}"}
    return document.put("entity", f"outcome-{run.id}", label | hashes | {"prov:value": text})


def _put_source(document: _Document, source: RunSource) -> str:
    told = {"prov:label": source.name, "row_count": source.row_count, "file": source.file, "reading": source.reading}
    hashes = {name.replace("-", "_"): value for name, value in source.hashes.items()}
    return document.put("entity", f"source-{source.id}", told | hashes)


def _list_hashes(run: CardRun, *, exclude: tuple[str, ...]) -> dict[str, str]:
    return {name: value for name, value in run.digests.items() if name not in exclude}


FORMAT = ExportFormat(name="prov-json", ending=".prov.json", words="W3C PROV-JSON", write=export)
