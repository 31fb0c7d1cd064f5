"""Read the run from a card: its time, sources, code and outcome.

The signed statement is believed before the view, which is for display. What only the statement says (the time, the key,
the version of the code) stays unknown where a card has no receipt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import EvidenceError
from service_nb.evidence.documents import open_outcome, open_receipt
from service_nb.evidence.standalone import OpenedReceipt, encode_base64, is_whole
from service_nb.schema.card import Card

TERMS = "urn:service-nb:terms:v1#"  # what every name of ours is a name in
_WORD = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSource:
    """A source that took part, by name and digests."""

    name: str
    id: str  # its source_id; its name, where a card tells no more
    row_count: int | None
    hashes: Mapping[str, str]  # schema_revision, and the content's digest by the name of its algorithm
    file: str | None = None
    reading: str | None = None  # the options that it was read with, as canonical JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRun:
    """One outcome as a run: of a plan, or of a capability."""

    id: str
    kind: str
    title: str  # the question, or the call, in words
    ended: Literal["completed", "failed"]
    error: str | None  # why, where it failed
    start: str | None
    end: str | None
    tool: str  # finance.npv, or the plan
    tool_version: str | None
    service_version: str | None
    contract_hash: str | None
    keyid: str | None
    public_key: str | None
    digests: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)  # the hashed texts that the card holds
    sources: tuple[RunSource, ...] = ()


def read_run(card: Card) -> CardRun:
    """Read the run from a card. Raises `evidence_invalid`."""
    try:
        return _read_card(card, None if card["receipt"] is None else open_receipt(card["receipt"]))
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise EvidenceError("Malformed card.", reason="malformed_card") from error


def _read_card(card: Card, receipt: OpenedReceipt | None) -> CardRun:
    kind, view = card["kind"], card["view"]
    told = {} if receipt is None else open_outcome(receipt.sealed.payload)["predicate"]
    made_by = told.get("made_by", {})
    is_answer = kind in ("query", "computation", "replay")
    return CardRun(
        id=_find_first_text(told.get("id"), view.get("query_id"), view.get("request_id")) or _make_id(card),
        kind=kind,
        title=_find_first_text(view.get("question"), view.get("message")) or kind,
        ended="completed" if is_answer else "failed",
        error=None if is_answer else _format_reason(view),
        start=_find_start(told.get("time"), view.get("latency_ms")),
        end=None if "time" not in told else write_time(_parse_moment(told["time"])),
        tool=_find_first_text(view.get("call"), view.get("ask")) or kind,
        tool_version=None if "version" not in view else str(view["version"]),
        service_version=_find_first_text(made_by.get("service_nb")),
        contract_hash=_find_first_text(made_by.get("contract_hash"), card["digests"].get("contract_hash")),
        keyid=None if receipt is None else receipt.sealed.keyid,
        public_key=None if receipt is None else encode_base64(receipt.key),
        digests=card["digests"],
        texts=card["canonical"],
        sources=tuple(map(_read_source, told.get("inputs") or _list_inputs(view))),
    )


def _find_first_text(*told: object) -> str | None:
    """The first that is a text and says something."""
    return next((each for each in told if isinstance(each, str) and each), None)


def _make_id(card: Card) -> str:
    """An id for a card that states none: of its digests, so that it is the same each time."""
    return f"{card['kind']}_{compute_sha256_hex(write_canonical_text(card['digests']).encode())[:16]}"


def _format_reason(view: Mapping[str, object]) -> str:
    code = view.get("rejection_reason") or view.get("code") or view.get("status")
    return f"{code}: {view.get('reason') or view.get('message') or ''}".rstrip(": ")


def _find_start(time: str | None, latency_ms: float | None) -> str | None:
    """When it began: an entry's time is when it was written down, right after the run."""
    if time is None or latency_ms is None:
        return None
    return write_time(_parse_moment(time) - timedelta(milliseconds=float(latency_ms)))


def _parse_moment(time: str) -> datetime:
    moment = datetime.fromisoformat(time)
    if moment.tzinfo is None:
        raise ValueError(time)
    return moment


def write_time(moment: datetime) -> str:
    """Return a time as statements have it: UTC, with six digits of the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _list_inputs(view: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = [view["source"]] if "source" in view else list(view.get("bindings", ()))
    return list({one.get("source_id") or one["source_name"]: one for one in found}.values())


def _read_source(told: Mapping[str, Any]) -> RunSource:
    """A source as a statement or a query's view tells of it, or a binding of a computation's view."""
    name = told.get("name") or told["source_name"]
    content = told.get("content") or {}
    algorithm = content.get("algorithm", "sha256")
    if not _WORD.fullmatch(algorithm):
        raise ValueError(algorithm)
    hashes = {
        "schema_revision": told.get("schema_revision"),
        "input_hash": told.get("input_hash"),
        algorithm: content.get("sha256"),
    }
    return RunSource(
        name=str(name),
        id=str(told.get("source_id") or name),
        row_count=int(told["row_count"]) if is_whole(told.get("row_count")) else None,
        hashes={label: str(value) for label, value in hashes.items() if value},
        file=_find_first_text((told.get("origin") or {}).get("file")),
        reading=write_canonical_text(told["reading"]) if told.get("reading") else None,
    )
