"""Compare a run with the stored outcome: find the values that differ, and the cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from service_nb.client.replay.find import RefusedError
from service_nb.client.replay.read import StoredOutcome
from service_nb.client.replay.run import Rerun
from service_nb.core.canonical import write_canonical_text
from service_nb.evidence.differences import DIFFERS, compare, find_cause, find_changes
from service_nb.schema.reports import Change, Comparison, Replay

_BY_POLICY = "policy_denied"
# What a run may show otherwise: its ids and its time, and where it ran, whose differences are told as changes.
_PASSING = ("query_id", "request_id", "latency_ms", "determinism", "promise", "scope")


def compare_run(replay: Replay, stored: StoredOutcome, ran: Rerun) -> Replay:
    """Compare a run with the stored outcome: identical, or the differences with their likeliest cause.

    Raises
    ------
    RefusedError
        `not_replayable`: a policy refused the question, and this client has another.
    """
    expected, text = stored.digests[ran.digest], stored.texts.get(ran.name)
    changed = (*ran.changes, *find_changes(stored.ground, ran.ground))
    replay = replace(replay, met=ran.met, changes=changed)
    is_altered = f"{ran.digest}_mismatch" in stored.verdict.causes
    replay = replace(replay, question=ran.question or replay.question)
    if ran.met == expected and not is_altered and text in (None, ran.text):
        causes = {change.cause for change in changed}
        shown = _replace_reading(stored.view, ran.view) if "reading_changed" in causes else stored.view
        contradicted = _find_contradiction(shown, ran.view, leaves_sources="source_content_changed" in causes)
        if contradicted is not None:
            cause = "view_contradicted"
            return replace(replay, status="differs", cause=cause, message=DIFFERS[cause], comparison=contradicted)
        return replace(replay, status="identical", cause=None, message=_describe_identical(stored, changed))
    if stored.kind == "rejection" and str(stored.record("resolution").get("rejection_reason")).startswith(_BY_POLICY):
        raise RefusedError(
            "not_replayable",
            "A policy refused it, and cards do not hold policies: replay it with a client that has that policy.",
        )
    comparison: Comparison | None = None
    if text is not None and ran.text is not None:
        comparison = compare(text, ran.text, ran.types, ran.keys)
    cause, message = _find_cause(stored, changed, is_altered=is_altered)
    if ran.text is None:
        message += " The question is answered now."
    return replace(replay, status="differs", cause=cause, message=message, comparison=comparison)


def _find_cause(stored: StoredOutcome, changed: tuple[Change, ...], *, is_altered: bool) -> tuple[str, str]:
    if is_altered:
        return "result_tampered", DIFFERS["result_tampered"]
    if stored.is_live and not any(change.cause in ("source_content_changed", "schema_changed") for change in changed):
        return "live_source", DIFFERS["live_source"]
    if stored.is_hidden and not changed:
        why = "A policy hid columns of its source, so no digest tells whether the data are what they were."
        return "unknown", why
    is_refusal = stored.kind not in ("query", "computation")
    if is_refusal and not changed:  # of which no evidence tells all that it was judged by
        return "unknown", "The sources or the policy may be others than when it was asked, or the card was altered."
    tier = (stored.ground.determinism or {}).get("tier")
    return find_cause(
        changed,
        tier=tier if isinstance(tier, str) else None,
        is_trusted=stored.is_trusted,
        knows_readings=stored.kind == "computation" or stored.ground.knows_readings,  # a call hashes its values
    )


def _find_contradiction(shown: Mapping[str, Any], ran: Mapping[str, Any], *, leaves_sources: bool) -> Comparison | None:
    """Find where a card contradicts a card of the run; it may show fewer rows.

    Compared is all that it shows, but for ids, the time that it took, the version of its engine, and, where other data
    were accepted, which is told as a change, what it shows of its sources and of the engine that suited them.
    """
    told, due = (_select_parts(view, leaves_sources=leaves_sources) for view in (shown, ran))
    if isinstance(told.get("rows"), list) and "rows" in due:
        due["rows"] = due["rows"][: len(told["rows"])]
    comparison = compare(write_canonical_text(told), write_canonical_text(due), "string")
    return comparison if comparison.differing else None


def _replace_reading(view: Mapping[str, Any], ran: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a view whose source was read in another way, which is told as a change, with the run's reading."""
    if not isinstance(view.get("source"), Mapping) or not isinstance(ran.get("source"), Mapping):
        return view
    return {**view, "source": {**view["source"], **{key: ran["source"].get(key) for key in ("source_id", "reading")}}}


def _select_parts(view: Mapping[str, Any], *, leaves_sources: bool) -> dict[str, Any]:
    left_out = (*_PASSING, *(("source", "bindings", "engine", "method") if leaves_sources else ()))
    parts = {key: value for key, value in view.items() if key not in left_out}
    if leaves_sources and isinstance(parts.get("plan"), list):
        parts["plan"] = parts["plan"][1:]  # the first step says how many rows were read
    if isinstance(parts.get("engine"), str):
        parts["engine"] = parts["engine"].partition(" ")[0]
    return parts


_SAME = {
    "query": "The same plan on the same content gave the same rows.",
    "computation": "The same call gave the same value, bit for bit.",
}


def _describe_identical(stored: StoredOutcome, changed: Sequence[Change]) -> str:
    told = _SAME.get(stored.kind, "The same question was refused for the same reason.")
    if stored.is_live and stored.kind == "query":
        told = "The same plan gave the same rows of the live source."
    if changed:
        told += f" What changed since then made no difference: {', '.join(change.what for change in changed)}."
    if stored.verdict.status == "altered":
        told += " The card itself does not verify."
    return told
