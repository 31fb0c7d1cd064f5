"""`Service`: the client object, and the only module that joins policy, planning, engines and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from service_nb.client.advice import advising
from service_nb.client.computing import Computing, Library
from service_nb.client.connecting import Connecting
from service_nb.client.lines import computation
from service_nb.client.live import Live
from service_nb.client.placement import Mode, Placement
from service_nb.client.questions import SHOWN_ROWS, Questions
from service_nb.client.recording import Recorder
from service_nb.client.registry import Registry
from service_nb.client.results import Computation, ComputationList, QueryOutcome
from service_nb.client.seen import Clock
from service_nb.client.sources import Sources
from service_nb.compute.validate import named_spec
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.query.policy import Policy, parse_policy
from service_nb.schema.compute import Vector
from service_nb.schema.source import Field, Limits

if TYPE_CHECKING:
    from service_nb.client.replay.running import Runner


_NO_NAME = frozenset("( ")  # a sign of a line, which no name of a capability has


class Service(Connecting):
    """Typed questions to registered sources; read-only. Made by `create_service`."""

    def __init__(
        self,
        *,
        policy: Policy,
        timeout_s: float | None,
        limits: Limits,
        project: Path,
        clock: Clock,
        registry: Registry,
        library: Library,
        runtime: Placement,
        recorder: Recorder,
        mode: Mode = "local",
        live: Live | None = None,
        is_narrowed: bool = False,
    ) -> None:
        sources = Sources(
            registry=registry, policy=policy, limits=limits, project=project, live=live, is_narrowed=is_narrowed
        )
        super().__init__(sources, recorder, live)
        self._mode = mode
        self.timeout_s = timeout_s
        self.limits = limits
        self.project = project
        self._clock = clock
        self._registry = registry
        self._library = library
        self._runtime = runtime
        named = self._upkeep.connect_named
        self._questions = Questions(self._sources, clock, recorder, named=named, similar=self._upkeep.similar_names)
        self._computing = Computing(self._sources, clock, library, runtime=runtime, recorder=recorder, named=named)

    @property
    def policy(self) -> Policy:
        """What this client is allowed; `narrow` returns a client that is allowed less, nothing one with more."""
        return self._sources.policy

    @property
    def mode(self) -> Mode:
        """`deployment` when SERVICE_DEPLOYMENT_URL was set as the client was made, or it was told so; else `local`."""
        return self._mode

    # --- questions ----------------------------------------------------------------------------------------------

    def ask(
        self,
        spec: Mapping[str, object] | str,
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
        with self._recorder.errors(), advising(spec, self):
            outcome = self._questions.ask(spec, rows=rows, shown_rows=shown_rows, timeout_s=self._limit(timeout))
        self._sources.warn_of_sources()
        return self._replayable(outcome)

    def resolve(self, spec: Mapping[str, Any] | str) -> dict[str, Any]:
        """Return the plan of a question without running it, or what `ask` would refuse it for."""
        with advising(spec, self):
            return self._questions.resolve(spec)

    def query(self, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run a stored plan and return its rows as `data["result"]` has them."""
        rows: list[dict[str, Any]] = self.query_with_metadata(plan)["result"]
        return rows

    def query_with_metadata(self, plan: Mapping[str, object]) -> dict[str, Any]:
        """Run a stored plan and return the full `data` of its outcome.

        Raises
        ------
        PlanInvalidError [plan_invalid], SchemaRevisionMismatchError [schema_revision_mismatch],
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source, policy_denied_field]
        """
        data: dict[str, Any] = self.run(plan)["data"]
        return data

    def run(self, plan: Mapping[str, object], *, timeout: float | None = None, mark: str | None = None) -> QueryOutcome:
        """Run a stored plan and return its outcome, as `ask` would; see `query_with_metadata`.

        With the `mark` that a deployment gave to a live source, only that source answers, as it was then.
        """
        with self._recorder.errors():
            outcome = self._questions.run(plan, self._limit(timeout), mark)
        return self._replayable(outcome)

    def columns(
        self, plan: Mapping[str, object], *, timeout: float | None = None, mark: str | None = None
    ) -> list[tuple[Field, Vector]]:
        """Return the group columns of a stored plan as they are: of each row that meets its conditions, in order.

        Nothing is recorded: what is made of them is.

        Returns
        -------
        list of (Field, Vector)
            Arrays of float64 and int64, lists of all other types; with them where they are null.
        """
        return self._questions.columns(plan, self._limit(timeout), mark)

    def verify(self, plan: Mapping[str, object], *, mark: str | None = None) -> dict[str, Any]:
        """Check a stored plan against this client without running it: ``{"valid": …, "checks": […]}``."""
        return self._questions.verify(plan, mark)

    # --- computations -------------------------------------------------------------------------------------------

    @overload
    def compute(
        self,
        spec: Mapping[str, object] | str,
        *,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
        bindings: Sequence[Mapping[str, object]] | None = None,
        seed: int | None = None,
        over: None = None,
        timeout: float | None = None,
    ) -> Computation: ...
    @overload
    def compute(
        self,
        spec: Mapping[str, object] | str,
        *,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
        bindings: Sequence[Mapping[str, object]] | None = None,
        seed: int | None = None,
        over: str,
        timeout: float | None = None,
    ) -> list[Computation]: ...
    def compute(
        self,
        spec: Mapping[str, object] | str,
        *,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
        bindings: Sequence[Mapping[str, object]] | None = None,
        seed: int | None = None,
        over: str | None = None,
        timeout: float | None = None,
    ) -> Computation | list[Computation]:
        """Run a capability of the contract and return its value with everything that is needed to check it.

        Parameters
        ----------
        spec : dict or str
            A ComputationSpec, ``{"module": "finance", "function": "npv", "args": […], "kwargs": {…}, "bindings": […],
            "seed": …}``; or the capability's name, ``"finance.npv"``, with the rest beside it; or a compute line,
            ``"finance.npv rate=0.1 cashflows=budget.flow"``.
        args, kwargs : list, dict
            Literals by place and by name. Arrays are lists or NumPy's; whole numbers beyond 2**53 - 1 may be texts.
        bindings : list of dict
            Columns: ``{"parameter": "cashflows", "source": "budget", "field": "flow"}``, or several of one source row
            by row: ``{"parameters": ["x", "y"], "fields": ["a", "b"], "source": "s", "alignment": "rowwise"}``. And
            optionally a `filter` as in a question, and a `null_policy`, "refuse" (the default) or "drop".
        seed : int, optional
            Of simulations, and only of them.
        over : str, optional
            A column of the bindings' source: the call is run once for each of its values, and a list comes back.
        timeout : float, optional
            Seconds; the client's own by default.

        Raises
        ------
        InvalidIntentError, UnsupportedOperationError, DuplicateArgumentBindingError, SeedRequiredError, DomainError,
        UndecidedError, LimitExceededError, PolicyDeniedError, SourceNotFoundError, SourceChangedError,
        QueryTimeoutError, QueryInterruptedError, ComputeRuntimeUnavailableError
        """
        given = {"args": args, "kwargs": kwargs, "bindings": bindings, "seed": seed}
        beside = {key: value for key, value in given.items() if value is not None}
        with self._recorder.errors():
            with advising(spec, self, computes=True):
                call = _call(spec, beside)
            limit_s = self._limit(timeout)
            if over is None:
                made = [self._computing.one(call, self._runtime.mode, limit_s)]
            else:
                made = self._computing.over(call, over, self._runtime.mode, limit_s)
        self._sources.warn_of_sources()
        results = ComputationList(map(self._replayable, made))
        return results[0] if over is None else results

    def compute_many(self, specs: Sequence[Mapping[str, object]], *, timeout: float | None = None) -> list[Computation]:
        """Run several ComputationSpecs in order. All are checked before the first runs; the first error ends it."""
        with self._recorder.errors():
            found = self._computing.many(specs, self._runtime.mode, self._limit(timeout))
            return ComputationList(map(self._replayable, found))

    def search_capabilities(self, query: str, limit: int = 10) -> list[dict[str, Any]]:
        """Return the capabilities that fit a text, the best first.

        Each hit has `name`, `summary`, `signature`, `tier`, `units` (by parameter, and of the `result`), `entry` (all
        that the contract says) and `score`. Beginnings of words and small spelling errors are forgiven.
        """
        return self._computing.search(query, limit)

    def capability(self, name: str) -> dict[str, Any]:
        """Return all that the contract says of a capability, such as ``"finance.npv"``.

        Raises
        ------
        UnsupportedOperationError [unsupported_operation]
            There is none of that name; `nearest_matches` may have it.
        """
        return self._computing.entry(name)

    def capabilities(self) -> list[str]:
        """Return the names of all capabilities that the policy allows, sorted."""
        return self._computing.names()

    @property
    def contract_hash(self) -> str:
        """The hash of the contract that the capabilities stand in."""
        return self._library.contract.hash

    def record_errors(self) -> AbstractContextManager[None]:
        """Return a block whose error is recorded, as those of `ask` and `compute` are: for who reads what they take."""
        return self._recorder.errors()

    # --- faces --------------------------------------------------------------------------------------------------

    def panel(self) -> Any:
        """Open the panel of this client in a notebook: forms that ask and compute, under this client's policy.

        Needs ``%load_ext service_nb`` and the extra `service-nb[ui]`; the same as ``service_nb.panel(client)``.

        A panel is a face, and faces stand above the client, which knows none of them. So this method goes the way a
        caller would: through the public names of the package, which are resolved on first use. Nothing is imported
        until it is called, no list of faces is kept that could be set by anyone, and a client that never opens a
        panel needs no IPython.

        Raises
        ------
        DriverMissingError [driver_missing], InvalidIntentError [invalid_intent]
        """
        from service_nb import panel  # noqa: PLC0415  # as above

        return panel(self)

    # --- the client itself --------------------------------------------------------------------------------------

    def narrow(self, policy: Mapping[str, object]) -> Service:
        """Return a client of the same sources that is allowed only what both policies allow.

        It chooses no sources: what is connected, or let go of, is for the client that it came from.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            The policy is malformed, or lists fields of a source that is also connected under a name with other fields.
        """
        narrowed = self.under(self.policy.narrow(parse_policy(policy)))
        narrowed._sources.require_lists()  # noqa: SLF001  # another of this class
        return narrowed

    def under(self, policy: Policy) -> Service:
        """Return a narrowed client under a policy that has been looked at already."""
        return Service(
            policy=policy,
            timeout_s=self.timeout_s,
            limits=self.limits,
            project=self.project,
            clock=self._clock,
            registry=self._registry,
            library=self._library,
            runtime=self._runtime,
            recorder=self._recorder,
            mode=self._mode,
            live=self._live,
            is_narrowed=True,
        )

    def __enter__(self) -> Self:
        """Return the client: ``with create_service() as service`` closes it at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the client."""
        self.close()

    def close(self) -> None:
        """Forget all sources and give back their memory. The managed runtime lives on for other notebooks.

        A narrowed client has nothing of its own, and closes nothing.
        """
        if self._sources.is_narrowed:
            return
        self._registry.close()
        self._runtime.close()
        self._recorder.close()
        if self._live is not None:
            self._live.close()

    def _runner(self) -> Runner:
        from service_nb.client.replay.running import Runner  # noqa: PLC0415  # lazy: as in `recalling`

        return Runner(
            client=self._sources,
            clock=self._clock,
            library=self._library,
            runtime=self._runtime,
            mode=self._runtime.mode,
            timeout_s=self.timeout_s,
        )

    def _limit(self, timeout: float | None) -> float | None:
        return self.timeout_s if timeout is None else seconds(timeout)


def _call(spec: Mapping[str, object] | str, beside: Mapping[str, object]) -> Mapping[str, Any]:
    """Return the spec of a call, which may be a line or a name with the rest of the call beside it."""
    if isinstance(spec, str):
        is_line = "=" in spec or (not beside and not _NO_NAME.isdisjoint(spec))
        return (computation(spec) if is_line else named_spec(spec)) | dict(beside)
    if beside:
        raise InvalidIntentError(
            "A spec is the whole call: pass no other arguments with it.", path=next(iter(beside)), met=", ".join(beside)
        )
    return spec


def seconds(timeout: float) -> float:
    """Return the timeout as it is, provided that it is a time.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no number above 0.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise InvalidIntentError(f"`timeout` must be seconds above 0, not {shown(timeout)}.", path="timeout")
    return timeout
