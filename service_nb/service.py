"""`Service`: the client object, and the only module that joins policy, planning, engines and sources."""

from __future__ import annotations

import datetime
import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from service_nb import answers
from service_nb import project as projects
from service_nb.connectors.descriptor import local_input
from service_nb.errors import InvalidIntentError, QueryInterruptedError, SchemaRevisionMismatchError, ServiceError
from service_nb.memory import Memory, memory_key
from service_nb.query import plan as plans
from service_nb.query.policy import Policy, parse_policy
from service_nb.query.resolve import CONFIDENCE, Resolution, resolve
from service_nb.query.spec import parse_spec, shown
from service_nb.query.syntax import parse_ask
from service_nb.records.query import Plan, QuerySpec
from service_nb.records.source import DEFAULT_LIMITS, Limits
from service_nb.registry import Registered, Registry
from service_nb.results import QueryOutcome, ServiceSource
from service_nb.sources import Declared, Sources

DEFAULT_TIMEOUT_S = 300.0
SHOWN_ROWS = 20  # of a result in a card's view
REMEMBERED = 256  # questions and results: sources are immutable
REMEMBERED_ROWS = 1_000  # of a result that is remembered

Clock = Callable[[], datetime.datetime]


def local_clock() -> datetime.datetime:
    """Return the time now in the caller's zone."""
    return datetime.datetime.now().astimezone()


class Service:
    """Typed questions to registered sources; read-only. Made by `create_service`."""

    def __init__(
        self,
        *,
        policy: Policy,
        tenant_id: str | None,
        timeout_s: float | None,
        limits: Limits,
        project: Path,
        clock: Clock,
        registry: Registry,
    ) -> None:
        self.tenant_id = tenant_id
        self.timeout_s = timeout_s
        self.limits = limits
        self.project = project
        self._clock = clock
        self._registry = registry
        self._sources = Sources(registry=registry, policy=policy, limits=limits, project=project)
        self._resolutions: Memory[tuple[QuerySpec, Resolution]] = Memory(REMEMBERED)
        self._answers: Memory[answers.Answered] = Memory(REMEMBERED)

    @property
    def policy(self) -> Policy:
        """What this client is allowed; `narrow` returns a client that is allowed less, nothing one with more."""
        return self._sources.policy

    @property
    def mode(self) -> str:
        """`deployment` when SERVICE_DEPLOYMENT_URL is set, else `local`."""
        return "deployment" if os.environ.get("SERVICE_DEPLOYMENT_URL") else "local"

    # --- sources ------------------------------------------------------------------------------------------------

    def connect(
        self,
        source: Any = None,
        *,
        name: str | None = None,
        dataset_name: str | None = None,
        connector: Mapping[str, Any] | None = None,
        persist: bool = False,
        aliases: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
        sheet: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        nulls: Sequence[str] | None = None,
        content: str = "now",
    ) -> ServiceSource:
        """Register a source and return its description. The source never changes afterwards.

        Parameters
        ----------
        source : path, frame, list of dicts, dict, or None
            A file (CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow IPC), a folder or glob of Parquet, rows, ``{"records":
            […]}``, ``{"provider": "sqlite", "path": …, "table" | "query": …}``, or any frame that speaks Arrow. None
            with a `name` reconnects what `persist` wrote to the project's `service.toml`.
        name : str, optional
            Defaults to a file's name without its ending. `dataset_name` is the same for live sources.
        connector : dict, optional
            A live source's descriptor; needs a deployment.
        aliases : dict, optional
            Other names for columns: ``{"turnover": "revenue"}``.
        types : dict, optional
            Declared types that replace inference: ``{"zip": "string", "amount": "decimal(12,2)"}``.
        nulls : list of str, optional
            What stands for null in delimited text beside the empty cell: ``["NA"]``.
        content : "now" or "deferred"
            When to hash large Parquet: at once, or in the background; then `content` has a digest only later.

        Raises
        ------
        SourceAlreadyRegisteredError, SourceMalformedError, SourceUnreadableError, UnsupportedSourceError,
        DeploymentRequiredError, LimitExceededError, PolicyDeniedError, InvalidIntentError
        """
        if content not in ("now", "deferred"):
            raise InvalidIntentError(f"content is {shown(content)}; it may be 'now' or 'deferred'.", path="content")
        return self._sources.connect(
            source if connector is None else local_input(connector),
            name if name is not None else dataset_name,
            Declared(types=types, sheet=sheet, delimiter=delimiter, encoding=encoding, nulls=nulls, aliases=aliases),
            defer=content == "deferred",
            keep=persist,
        )

    def test_connector(self, descriptor: Mapping[str, Any]) -> dict[str, Any]:
        """Try a connector's descriptor and return ``{"success": …, "message": …}``; nothing is registered or kept."""
        try:
            rows = self._sources.tried(local_input(descriptor))
        except ServiceError as error:
            return {"success": False, "message": f"{error.code}: {error}"}
        return {"success": True, "message": f"{rows:,} rows can be read."}

    def sources(self) -> list[ServiceSource]:
        """Return the registered sources that the policy allows, by name."""
        return [self._sources.described(registered) for registered in self._sources.allowed()]

    def source(self, name: str) -> ServiceSource:
        """Return one registered source."""
        return self._sources.described(self._sources.get(name))

    def stored_sources(self) -> list[str]:
        """Return the names in the project's `service.toml` that the policy allows."""
        return self._sources.kept_names()

    def values(self, source_name: str, field: str) -> tuple[str, ...]:
        """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed."""
        return self._sources.values(source_name, field)

    # --- questions ----------------------------------------------------------------------------------------------

    def ask(
        self,
        spec: Mapping[str, Any] | str,
        *,
        rows: str = "all",
        shown_rows: int = SHOWN_ROWS,
        timeout: float | None = None,
    ) -> QueryOutcome:
        """Answer a question, or say why not: exactly one of `ok`, `needs_clarification`, `rejected`.

        Parameters
        ----------
        spec : dict or str
            A QuerySpec, or the same as an ask line: ``"sum revenue by region from sales where year = 2024"``.
        rows : "all" or "none"
            "none" keeps values out of the card: hash and shape only.
        shown_rows : int
            Rows that the card shows; the answer itself is whole.
        timeout : float, optional
            Seconds; the client's own by default.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            The spec or the line is malformed. Refusals are outcomes, not errors.
        SourceChangedError, QueryTimeoutError, QueryInterruptedError, LimitExceededError
        """
        started = time.perf_counter()
        limit_s = self.timeout_s if timeout is None else seconds(timeout)
        shown_rows = 0 if rows == "none" else shown_rows
        if rows not in ("all", "none"):
            raise InvalidIntentError(f"rows is {shown(rows)}; it may be 'all' or 'none'.", path="rows")
        if type(shown_rows) is not int or shown_rows < 0:
            raise InvalidIntentError(f"shown_rows is {shown(shown_rows)}; expected a number from 0.", path="shown_rows")
        question, resolution = self._resolve(spec)
        described = answers.resolution_of(resolution)
        if resolution.plan is None:
            status = resolution.status
            evidence = answers.refusal_evidence(question, described, status)
            payload = {"status": status, "resolution": described, "refusal_hash": evidence.digests["refusal_hash"]}
            return QueryOutcome(payload, evidence=lambda: evidence)
        return self._outcome(resolution.plan, described, started, shown_rows=shown_rows, timeout_s=limit_s)

    def resolve(self, spec: Mapping[str, Any] | str) -> dict[str, Any]:
        """Return the plan of a question without running it, or what `ask` would refuse it for."""
        _, resolution = self._resolve(spec)
        described = {"status": resolution.status, **answers.resolution_of(resolution)}
        plan = resolution.plan
        if plan is None:
            return described
        return described | {
            "plan_hash": plan.plan_hash,
            "schema_revision": plan.schema_revision,
            "steps": plans.steps(plan, self._registry.get(plan.source_name).row_count),
            "decision_path": plan.decision_path,
            "confidence": CONFIDENCE[plan.decision_path],
            "validated": True,
        }

    def query(self, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run a stored plan and return its rows as `data["result"]` has them."""
        rows: list[dict[str, Any]] = self.query_with_metadata(plan)["result"]
        return rows

    def query_with_metadata(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """Run a stored plan and return the full `data` of its outcome.

        Raises
        ------
        PlanInvalidError [plan_invalid], SchemaRevisionMismatchError [schema_revision_mismatch],
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source, policy_denied_field]
        """
        started = time.perf_counter()
        rebuilt = self._rebuilt(plan)
        data: dict[str, Any] = self._outcome(rebuilt, {}, started, shown_rows=SHOWN_ROWS, timeout_s=self.timeout_s)[
            "data"
        ]
        return data

    def verify(self, plan: Mapping[str, Any]) -> dict[str, Any]:
        """Check a stored plan against this client without running it: ``{"valid": …, "checks": […]}``."""
        passed: list[str] = []
        failure: ServiceError | None = None
        try:
            rebuilt = self._rebuilt(plan, passed.append)
            self._registry.unchanged(self._registry.get(rebuilt.source_name))
            passed.append("content")
        except ServiceError as error:
            failure = error
        return {"valid": failure is None, "checks": plans.check_list(passed, failure)}

    def _resolve(self, spec: Mapping[str, Any] | str) -> tuple[QuerySpec, Resolution]:
        key = memory_key(spec, self._registry.version)
        known = self._resolutions.get(key)
        if known is not None:
            return known
        question = parse_spec(parse_ask(spec) if isinstance(spec, str) else spec)
        resolved = question, resolve(question, self._sources.catalog(), self._clock())
        if question.time_filter is None:  # a relative period means something else tomorrow
            self._resolutions.put(key, resolved)
        return resolved

    def _rebuilt(self, raw: Mapping[str, Any], passed: Callable[[str], None] = lambda _: None) -> Plan:
        """Read a stored plan and bind it again; `passed` hears of every check that it stands."""
        spec, stored = plans.plan_from_json(raw)
        passed("well_formed")
        name = str(spec.source_name)
        self.policy.require_source(name)
        for column in plans.columns_of(spec):
            self._sources.require_field(name, column)
        passed("allowed")
        registered = self._registry.get(name)
        passed("registered")
        if stored["schema_revision"] != registered.schema_revision:
            raise SchemaRevisionMismatchError(
                f"The plan was made for another schema of {shown(name)}.",
                hint="Resolve the question again.",
                met=registered.schema_revision,
                expected=stored["schema_revision"],
            )
        passed("schema_revision")
        plan = plans.restored(resolve(spec, self._sources.catalog(), self._clock()).plan, stored)
        passed("plan_hash")
        return plan

    def _outcome(
        self,
        plan: Plan,
        resolution: Mapping[str, Any],
        started: float,
        *,
        shown_rows: int,
        timeout_s: float | None,
        remembered: bool = True,
    ) -> QueryOutcome:
        registered = self._registry.unchanged(self._registry.get(plan.source_name))
        answer = self._answer(plan, registered, timeout_s, remembered)
        self._registry.unchanged(registered)  # read while it was running, so look again before it is believed
        data = answers.data_of(
            answer,
            query_id=f"query_{secrets.token_hex(8)}",
            rows_read=registered.row_count,
            latency_ms=round((time.perf_counter() - started) * 1_000, 3),
        )
        return QueryOutcome(
            {"status": "ok", "data": data, "resolution": dict(resolution)},
            evidence=lambda: answers.evidence_of(
                answer, data, self._sources.described(registered), shown_rows=shown_rows
            ),
            table=answer.table,
            rerun=lambda: self._outcome(
                plan, resolution, time.perf_counter(), shown_rows=shown_rows, timeout_s=timeout_s, remembered=False
            ),
        )

    def _answer(
        self, plan: Plan, registered: Registered, timeout_s: float | None, remembered: bool
    ) -> answers.Answered:
        key = (plan.plan_hash, registered.source_id)
        known = self._answers.get(key) if remembered else None
        if known is not None:
            return replace(known, plan=plan)  # the same plan, perhaps of a question in other words
        engine = registered.engine
        fields = {field.name: field for field in registered.fields}
        try:
            computed = engine.aggregate(plan, timeout_s)
            answer = answers.answered(plan, fields, computed.groups, computed.method, engine.name)
        except KeyboardInterrupt:  # the engine's own work is stopped by itself; this is ours around it
            raise QueryInterruptedError("The question was stopped.", hint="Sources and session are intact.") from None
        if len(answer.table.values) <= REMEMBERED_ROWS:
            self._answers.put(key, answer)
        return answer

    # --- the client itself --------------------------------------------------------------------------------------

    def narrow(self, policy: Mapping[str, Any]) -> Service:
        """Return a client of the same sources that is allowed only what both policies allow."""
        return Service(
            policy=self.policy.narrow(parse_policy(policy)),
            tenant_id=self.tenant_id,
            timeout_s=self.timeout_s,
            limits=self.limits,
            project=self.project,
            clock=self._clock,
            registry=self._registry,
        )

    def close(self) -> None:
        """Forget all sources and give back their memory."""
        self._registry.close()


def seconds(timeout: float) -> float:
    """Return the timeout as it is, provided that it is a time.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no number above 0.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise InvalidIntentError(f"timeout is {shown(timeout)}; expected seconds above 0.", path="timeout")
    return timeout


def create_service(
    policy: Mapping[str, Any] | Policy | None = None,
    tenant_id: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT_S,
    *,
    limits: Limits = DEFAULT_LIMITS,
    project: str | os.PathLike[str] | None = None,
    clock: Clock = local_clock,
) -> Service:
    """Return a client.

    Parameters
    ----------
    policy : dict, optional
        ``{"allowed_sources": […], "allowed_fields": {source: […]}, "allowed_functions": "all-readonly" | […]}``.
        What is left out is not restricted. Frozen: later changes of the dict change nothing.
    tenant_id : str, optional
        Recorded with what is stored.
    timeout : float or None
        Seconds that one question may run; None for no limit.
    project : path, optional
        The folder of `service.toml`; by default searched upward from the working folder.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The policy or another argument is malformed.
    """
    if tenant_id is not None and (not isinstance(tenant_id, str) or not tenant_id):
        raise InvalidIntentError(f"tenant_id is {shown(tenant_id)}; expected text.", path="tenant_id")
    return Service(
        policy=parse_policy(policy),
        tenant_id=tenant_id,
        timeout_s=None if timeout is None else seconds(timeout),
        limits=limits,
        project=Path(project) if project is not None else projects.find_project(Path.cwd()),
        clock=clock,
        registry=Registry(),
    )
