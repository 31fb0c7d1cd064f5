"""Clients that record, and clients that replay: another session, perhaps of another person on another machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from service_nb.client.context import LazyRuntime, Library
from service_nb.client.factory import compose
from service_nb.client.record import Clock, Recorder, read_local_clock
from service_nb.client.replay.find import ReplayOptions
from service_nb.client.replay.flow import Replayer
from service_nb.client.service import Service
from service_nb.client.verification import Terms
from service_nb.ledger.attachments import find_kept_source
from service_nb.query.policy import parse_policy
from service_nb.runtimes.interface import Invocation, RunResult, Runtime
from service_nb.schema.compute import RuntimeDescription
from tests.simulators.compute import DESCRIPTION, ENTRIES, Simulator, contract


class Elsewhere(Simulator):
    """A runtime of another description, whose values may be others too."""

    def __init__(
        self, description: RuntimeDescription = DESCRIPTION, changed: Callable[[Any], Any] = lambda value: value
    ) -> None:
        super().__init__()
        self._description = description
        self._changed = changed

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        ran = super().run(calls, timeout_s=timeout_s)
        return RunResult([self._changed(value) for value in ran.values], self._description)

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
    clock: Clock = read_local_clock,
    tenant: str | None = None,
) -> Service:
    """A client of the small contract, recording in a ledger if there is one."""
    text = contract(entries) if contract_text is None else contract_text
    return compose(
        policy=parse_policy(policy),
        timeout_s=60.0,
        project=project,
        library=Library(lambda: text),
        runtime=LazyRuntime(Simulator() if runtime is None else runtime),
        recorder=Recorder(folder=ledger, tenant=tenant, clock=clock),
    )


def replaying(
    service: Service,
    *,
    sources: dict[str, Any] | None = None,
    accepts_changed: bool = False,
    is_forced: bool = False,
    keys: Sequence[str] = (),
) -> Replayer:
    """What replays for a client, as `Service` makes it."""
    context = service._context
    folder = context.recorder.folder
    return Replayer(
        context,
        options=ReplayOptions(
            terms=Terms(trusted=dict.fromkeys(keys, "")),
            given=sources or {},
            find_kept=None if folder is None else partial(find_kept_source, folder),
            accepts_changed=accepts_changed,
            demands_key=bool(keys),
            is_forced=is_forced,
        ),
    )
