"""Clients that record, and clients that replay: another session, perhaps of another person on another machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from service_nb.client.computing import Library
from service_nb.client.placement import Placement
from service_nb.client.recording import Recorder
from service_nb.client.registry import Registry
from service_nb.client.replay.finding import Places, kept_nowhere
from service_nb.client.replay.replaying import Replaying, Trust
from service_nb.client.replay.running import Runner
from service_nb.client.seen import Clock, local_clock
from service_nb.client.service import Service
from service_nb.client.verify import Terms
from service_nb.ledger.attachments import find_kept_source
from service_nb.query.policy import parse_policy
from service_nb.runtimes.base import Invocation, Ran, Runtime, nothing
from service_nb.schema.compute import RuntimeDescription
from service_nb.schema.source import DEFAULT_LIMITS
from tests.simulators.compute import DESCRIPTION, ENTRIES, Simulator, contract


class Elsewhere(Simulator):
    """A runtime of another description, whose values may be others too."""

    def __init__(
        self, description: RuntimeDescription = DESCRIPTION, changed: Callable[[Any], Any] = lambda value: value
    ) -> None:
        super().__init__()
        self._description = description
        self._changed = changed

    def run(
        self, calls: Sequence[Invocation], *, timeout_s: float | None = None, meanwhile: Callable[[], object] = nothing
    ) -> Ran:
        ran = super().run(calls, timeout_s=timeout_s, meanwhile=meanwhile)
        return Ran([self._changed(value) for value in ran.values], self._description)

    def describe(self) -> RuntimeDescription:
        return self._description


def client(
    project: Path,
    policy: dict[str, Any] | None = None,
    *,
    ledger: Path | None = None,
    runtime: Runtime | None = None,
    entries: Sequence[dict[str, Any]] = ENTRIES,
    contract_text: bytes | None = None,
    clock: Clock = local_clock,
    tenant: str | None = None,
) -> Service:
    """A client of the small contract, recording in a ledger if there is one."""
    text = contract(entries) if contract_text is None else contract_text
    return Service(
        policy=parse_policy(policy),
        timeout_s=60.0,
        limits=DEFAULT_LIMITS,
        project=project,
        clock=clock,
        registry=Registry(holds_tables=ledger is not None),
        library=Library(lambda: text),
        runtime=Placement(Simulator() if runtime is None else runtime),
        recorder=Recorder(folder=ledger, tenant=tenant, clock=clock),
    )


def replaying(
    service: Service,
    *,
    sources: dict[str, Any] | None = None,
    accepts_changed: bool = False,
    is_forced: bool = False,
    keys: Sequence[str] = (),
) -> Replaying:
    """What replays for a client, as `Service` makes it."""
    runner = Runner(
        client=service._sources,
        clock=service._clock,
        library=service._library,
        runtime=service._runtime,
        mode=service._runtime.mode,
        timeout_s=service.timeout_s,
    )
    folder = service._recorder.folder
    kept = kept_nowhere if folder is None else partial(find_kept_source, folder)
    return Replaying(
        runner,
        service._recorder,
        places=Places(given=sources or {}, kept=kept, accepts_changed=accepts_changed),
        trust=Trust(terms=Terms(trusted=dict.fromkeys(keys, "")), demands_key=bool(keys), is_forced=is_forced),
    )
