"""From a replay to its record: a replay is an outcome too, hashed and written down."""

from __future__ import annotations

from typing import Any

from service_nb.base.canonical import canonical_text
from service_nb.base.digest import REPLAY_DOMAIN, digest
from service_nb.records.replay import Replay
from service_nb.results import Evidence

_SHOWN = ("subject", "result_id", "question", "cause", "message", "digest", "expected", "met")


def replay_evidence(replay: Replay) -> Evidence:
    """Return what the card of a replay is made of."""
    told = replay.to_dict()
    report = canonical_text(told)
    view: dict[str, Any] = {"status": replay.status, **{key: told[key] for key in _SHOWN}}
    view |= {"sources": told["sources"], "changes": told["changes"]}
    differences = told["comparison"]["differences"] if told["comparison"] else []
    view["rows"] = [[each[key] for key in ("where", "expected", "met", "ulps")] for each in differences]
    view["row_count"] = told["comparison"]["differing"] if told["comparison"] else 0
    return Evidence(canonical={"report": report}, digests={"replay_hash": digest(REPLAY_DOMAIN, report)}, view=view)
