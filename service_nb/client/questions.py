"""Questions of one client: resolved, remembered, run on their source, and checked when they come back as plans."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from service_nb.client import answers
from service_nb.client.memory import Memory, memory_key
from service_nb.client.recording import Outcome, Recorder
from service_nb.client.registry import Registered, require_schema
from service_nb.client.results import QueryOutcome
from service_nb.client.seen import Clock
from service_nb.client.sources import Sources
from service_nb.core.ids import new_id
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, QueryInterruptedError, ServiceError
from service_nb.query import plan as plans
from service_nb.query.policy import unnamed
from service_nb.query.resolve import CONFIDENCE, Resolution, resolve
from service_nb.query.spec import parse_spec
from service_nb.query.syntax import parse_ask
from service_nb.schema.compute import Vector
from service_nb.schema.query import Plan, QuerySpec, Status
from service_nb.schema.source import Field

SHOWN_ROWS = 20  # of a result in a card's view
REMEMBERED = 256  # questions and results: sources are immutable
REMEMBERED_ROWS = 1_000  # of a result that is remembered

Named = Callable[[str], object]  # told of the source that a question names, before it is looked up


Similar = Callable[[str], list[str]]  # returns names that are not registered, and may be meant by one that nobody has


def not_sought(_name: str) -> None:
    """A question is answered by what is registered."""


def none_similar(_name: str) -> list[str]:
    """There are no other names than those that are registered."""
    return []


class Questions:
    """What `Service` does with questions; its methods are documented there."""

    def __init__(
        self,
        sources: Sources,
        clock: Clock,
        recorder: Recorder,
        *,
        named: Named = not_sought,
        similar: Similar = none_similar,
    ) -> None:
        self._sources = sources
        self._named, self._similar = named, similar
        self._recorder = recorder
        self._registry = sources.registry
        self._clock = clock
        self._resolutions: Memory[tuple[QuerySpec, Resolution]] = Memory(REMEMBERED)
        self._answers: Memory[answers.Answered] = Memory(REMEMBERED)

    def ask(
        self, spec: Mapping[str, object] | str, *, rows: str, shown_rows: int, timeout_s: float | None
    ) -> QueryOutcome:
        """Answer a question, or say why not."""
        started = time.perf_counter()
        shown_rows = 0 if rows == "none" else shown_rows
        if rows not in ("all", "none"):
            raise InvalidIntentError(f"`rows` must be 'all' or 'none', not {shown(rows)}.", path="rows")
        if type(shown_rows) is not int or shown_rows < 0:
            raise InvalidIntentError(
                f"`shown_rows` must be a whole number of at least 0, not {shown(shown_rows)}.", path="shown_rows"
            )
        question, resolution = self._resolve(spec)
        described = answers.resolution_of(resolution)
        if resolution.plan is None:
            return self._refusal(question, described, resolution.status)
        return self._outcome(resolution.plan, described, started, shown_rows=shown_rows, timeout_s=timeout_s)

    def _refusal(self, question: QuerySpec, resolution: Mapping[str, object], status: Status) -> QueryOutcome:
        outcome = Outcome(
            kind="clarification" if status == "needs_clarification" else "rejection",
            id=new_id("refusal"),
            evidence=answers.refusal_evidence(question, resolution, status),
            inputs=self._sources.inputs() if self._recorder.is_on else (),
        )
        payload: dict[str, Any] = {
            "status": status,
            "resolution": dict(resolution),
            "refusal_hash": outcome.evidence.digests["refusal_hash"],
            "result_id": outcome.id,
        }
        if question.source_name is not None and resolution["rejection_reason"] == "unknown_source":
            # Beside what is hashed: a replay knows what was registered, and not what a deployment had.
            similar = self._similar(question.source_name)
            if similar:
                payload["similar_sources"] = similar
        return QueryOutcome(payload, card=self._recorder.one(lambda: outcome))

    def resolve(self, spec: Mapping[str, Any] | str) -> dict[str, Any]:
        """Return the plan of a question without running it, or what it would be refused for."""
        _, resolution = self._resolve(spec)
        described = {"status": resolution.status, **answers.resolution_of(resolution)}
        plan = resolution.plan
        if plan is None:
            return described
        return described | {
            "plan_hash": plan.plan_hash,
            "schema_revision": plan.schema_revision,
            "steps": plans.steps(plan, _rows_read(self._registry.get(plan.source_name))),
            "decision_path": plan.decision_path,
            "confidence": CONFIDENCE[plan.decision_path],
            "validated": True,
        }

    def run(self, plan: Mapping[str, object], timeout_s: float | None, mark: str | None = None) -> QueryOutcome:
        """Run a stored plan; there is nothing to refuse or to resolve any more."""
        started = time.perf_counter()
        rebuilt = self._rebuilt(plan)
        return self._outcome(rebuilt, {}, started, shown_rows=SHOWN_ROWS, timeout_s=timeout_s, mark=mark)

    def columns(
        self, plan: Mapping[str, object], timeout_s: float | None, mark: str | None
    ) -> list[tuple[Field, Vector]]:
        """Return the group columns of a stored plan, not grouped, of the rows that meet its conditions."""
        rebuilt = self._rebuilt(plan)
        registered = self._sources.planned(rebuilt, mark)
        with unnamed(self._sources.policy, registered.name, "read"):
            vectors = registered.engine.columns(rebuilt, timeout_s)
        self._sources.unchanged(registered)
        fields = {field.name: field for field in registered.fields}
        return list(zip([fields[name] for name in rebuilt.group_by], vectors, strict=True))

    def verify(self, plan: Mapping[str, object], mark: str | None) -> dict[str, Any]:
        """Check a stored plan without running it."""
        passed: list[str] = []
        failure: ServiceError | None = None
        try:
            rebuilt = self._rebuilt(plan, passed.append)
            self._sources.planned(rebuilt, mark)
            passed.append("content")
        except ServiceError as error:
            failure = error
        return {"valid": failure is None, "checks": plans.check_list(passed, failure)}

    def _resolve(self, spec: Mapping[str, object] | str) -> tuple[QuerySpec, Resolution]:
        key = memory_key(spec, self._registry.version)
        known = self._resolutions.get(key)
        if known is not None:
            return known
        question = parse_spec(parse_ask(spec) if isinstance(spec, str) else spec)
        if question.source_name is not None:
            self._named(question.source_name)
            key = memory_key(spec, self._registry.version)
        resolved = question, resolve(question, self._sources.catalog(), self._clock())
        is_known = question.source_name is None or self._is_registered(question.source_name)
        # A relative period means something else tomorrow, and a name that nobody has may be somebody's by then.
        if question.time_filter is None and is_known:
            self._resolutions.put(key, resolved)
        return resolved

    def _is_registered(self, name: str) -> bool:
        return any(registered.name == name for registered in self._registry)

    def _rebuilt(self, raw: Mapping[str, object], passed: Callable[[str], None] = lambda _: None) -> Plan:
        """Read a stored plan and bind it again; `passed` hears of every check that it stands."""
        spec, stored = plans.plan_from_json(raw)
        passed("well_formed")
        name = str(spec.source_name)
        self._sources.policy.require_source(name)
        for column in plans.columns_of(spec):
            self._sources.require_field(name, column)
        passed("allowed")
        registered = self._registry.get(name)
        passed("registered")
        require_schema(self._sources.seen(registered), stored["schema_revision"])
        passed("schema_revision")
        plan = plans.restored(resolve(spec, self._sources.catalog(), self._clock()).plan, stored)
        passed("plan_hash")
        return plan

    def _outcome(
        self,
        plan: Plan,
        resolution: Mapping[str, object],
        started: float,
        *,
        shown_rows: int,
        timeout_s: float | None,
        mark: str | None = None,
    ) -> QueryOutcome:
        registered = self._sources.planned(plan, mark)
        answer = self._answer(plan, registered, timeout_s)
        self._sources.unchanged(registered)  # read while it was running, so look again before it is believed
        data = answers.data_of(
            answer,
            query_id=new_id("query"),
            rows_read=_rows_read(registered),
            scope=answers.DEPLOYMENT_SCOPE if registered.is_deployed else answers.LOCAL_SCOPE,
            latency_ms=round((time.perf_counter() - started) * 1_000, 3),
        )

        def outcome() -> Outcome:
            source = self._sources.input_of(registered)
            return Outcome(
                kind="query",
                id=data["query_id"],
                evidence=answers.evidence_of(answer, data, source, shown_rows=shown_rows),
                inputs=[source],
                tables=self._sources.tables_of(registered),
                release=lambda: self._sources.release(registered),
            )

        return QueryOutcome(
            {"status": "ok", "data": data, "resolution": dict(resolution)},
            card=self._recorder.one(outcome),
            table=answer.table,
        )

    def _answer(self, plan: Plan, registered: Registered, timeout_s: float | None) -> answers.Answered:
        key = (plan.plan_hash, registered.source_id)
        known = None if registered.is_live else self._answers.get(key)  # its data may be other by now
        if known is not None:
            return replace(known, plan=plan)  # the same plan, perhaps of a question in other words
        engine = registered.engine
        fields = {field.name: field for field in registered.fields}
        try:
            with unnamed(self._sources.policy, registered.name, "read"):
                computed = engine.aggregate(plan, timeout_s)
            answer = answers.answered(plan, fields, computed.groups, computed.method, computed.engine or engine.name)
        except KeyboardInterrupt:  # the engine's own work is stopped by itself; this is ours around it
            raise QueryInterruptedError(
                "The question was interrupted.", hint="Sources and session are intact."
            ) from None
        if len(answer.table.values) <= REMEMBERED_ROWS and not registered.is_live:
            self._answers.put(key, answer)
        return answer


def _rows_read(registered: Registered) -> int | None:
    """Return how many rows a source has; None of a live one, which may have others by now."""
    return None if registered.is_live else registered.row_count
