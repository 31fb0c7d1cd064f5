"""What replays for a client, put together from its parts and from what is wished of the replays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from service_nb.client.recording import Recorder
from service_nb.client.replay.finding import Places, kept_nowhere
from service_nb.client.replay.replaying import Replaying, Told, Trust
from service_nb.client.replay.running import Runner
from service_nb.client.verify import local_terms
from service_nb.ledger.attachments import find_kept_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is wished of replays; `Service.replaying` says what each means."""

    sources: Mapping[str, Any]
    keys: tuple[str, ...] = ()
    accepts_changed: bool = False
    is_forced: bool = False
    ledger: Path | None = None


def assembled(runner: Runner, recorder: Recorder, wishes: Wishes, told: Told) -> Replaying:
    """Return what replays; results are those of the recorder's ledger, or of the one that is wished for."""
    stored = recorder
    if wishes.ledger is not None and not _is_same(wishes.ledger, recorder.folder):
        stored = Recorder(folder=wishes.ledger, tenant=recorder.tenant, clock=recorder.clock)
    kept = kept_nowhere if stored.folder is None else partial(find_kept_source, stored.folder, tenant=stored.tenant)
    return Replaying(
        runner,
        recorder,
        places=Places(given=wishes.sources, kept=kept, accepts_changed=wishes.accepts_changed),
        trust=Trust(terms=local_terms(wishes.keys), demands_key=bool(wishes.keys), is_forced=wishes.is_forced),
        told=told,
        stored=stored,
    )


def _is_same(one: Path, other: Path | None) -> bool:
    return other is not None and one.resolve() == other.resolve()
