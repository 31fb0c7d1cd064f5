"""From a replay to its record: a replay is an outcome too, hashed and written down."""

from __future__ import annotations

from service_nb.client.results import Evidence
from service_nb.core.canonical import canonical_text
from service_nb.core.digest import REPLAY_DOMAIN, digest
from service_nb.schema.card import ReplayView
from service_nb.schema.replay import Replay


def replay_evidence(replay: Replay) -> Evidence:
    """Return what the card of a replay is made of."""
    told = replay.to_dict()
    report = canonical_text(told)
    compared = told["comparison"] or {"differences": [], "differing": 0}
    view = ReplayView(
        status=replay.status,
        subject=replay.subject,
        result_id=replay.result_id,
        question=replay.question,
        cause=replay.cause,
        message=replay.message,
        digest=replay.digest,
        expected=replay.expected,
        met=replay.met,
        sources=told["sources"],
        changes=told["changes"],
        rows=[[each[key] for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]],
        row_count=compared["differing"],
    )
    return Evidence(canonical={"report": report}, digests={"replay_hash": digest(REPLAY_DOMAIN, report)}, view=view)
