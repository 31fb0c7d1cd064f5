"""`Service`: typed questions and named computations over registered sources. Made by `create_service`.

Each method is documented here and is one step into a flow: `question.py`, `computation.py`, `record.py`,
`registration.py`, `history.py`, `replay/`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from service_nb.cards.page_blocks import SourceLook
from service_nb.client import computation as computing
from service_nb.client import first_look, registration
from service_nb.client import question as asking
from service_nb.client.advice.offers import ADVISED, add_advice
from service_nb.client.caller_forms import read_call, read_connect_options, split_descriptor
from service_nb.client.compute_line import parse_call_line
from service_nb.client.context import Context, Mode
from service_nb.client.history import get_result, list_log, remember_outcome
from service_nb.client.live_sources import Unconnected
from service_nb.client.results import (
    Computation,
    ComputationList,
    QueryOutcome,
    Replayable,
    ServiceSource,
    StoredResult,
    get_result_id,
)
from service_nb.client.source_look import find_look
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.query.policy import Policy, hide_test_message, parse_policy
from service_nb.readers.dataset import Declared
from service_nb.readers.descriptor import build_input, is_live, read_descriptor
from service_nb.schema.compute import Vector
from service_nb.schema.source import Field, Limits

if TYPE_CHECKING:
    from service_nb.client.replay.flow import Progress, Replayer, ReplayOutcome, Replays
    from service_nb.evidence.standalone import Verdict
    from service_nb.schema.card import Card

Spec = Mapping[str, Any] | str
Connector = Mapping[str, Any] | str | os.PathLike[str]  # a descriptor, or a file that holds one
_UNSAID = (Declared(percent=False, trim=False), None, None, False, False, "now")  # the defaults of `connect`
TEST_S = 15.0  # that trying a connector may take
Result = TypeVar("Result", bound=Replayable)


class Service:
    """Typed questions to registered sources; read-only. Made by `create_service`.

    Examples
    --------
    >>> service = service_nb.create_service(ledger="off")
    >>> source = service.connect([{"region": "north", "revenue": 3}], name="sales")
    >>> service.ask("sum revenue by region from sales").rows
    [{'region': 'north', 'revenue': 3, 'count': 1}]
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sources = context.sources

    @property
    def policy(self) -> Policy:
        """The policy of this client; `narrow` returns a client that is allowed less, and nothing widens it."""
        return self._sources.policy

    @property
    def mode(self) -> Mode:
        """`deployment` when SERVICE_DEPLOYMENT_URL was set as the client was made, or it was told so; else `local`."""
        return self._context.mode

    @property
    def timeout_s(self) -> float | None:
        """Seconds that one question may run; None for no limit."""
        return self._context.timeout_s

    @property
    def limits(self) -> Limits:
        """The size limits of sources and answers."""
        return self._sources.limits

    @property
    def project(self) -> Path:
        """The folder of `service.toml`."""
        return self._sources.project

    @property
    def tenant_id(self) -> str | None:
        """The tenant that outcomes are recorded for."""
        return self._context.recorder.tenant

    # --- questions ----------------------------------------------------------------------------------------------------

    def ask(
        self,
        spec: Spec,
        *,
        variables: Mapping[str, Any] | None = None,
        rows: str = "all",
        shown_rows: int = asking.SHOWN_ROWS,
        timeout: float | None = None,
    ) -> QueryOutcome:
        """Answer a question, or refuse it with a reason: exactly one of `ok`, `needs_clarification`, `rejected`.

        Parameters
        ----------
        spec : dict or str
            A QuerySpec, or the same as an ask line: ``"sum revenue by region from sales where year = 2024"``.
        variables : dict, optional
            What `$name` stands for in a condition: ``{"year": 2024}`` for ``"… where year = $year"``.
        rows : "all" or "none"
            "none" keeps values out of the card: hash and shape only.
        shown_rows : int
            Rows that the card shows; the answer itself is whole.
        timeout : float, optional
            Seconds; the client's own by default.

        Returns
        -------
        QueryOutcome
            A dict of `status`, `data` and `resolution`, with `rows`, `card` and conversions. Refusals are outcomes.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            The spec or the line is malformed.
        SourceChangedError, QueryTimeoutError, QueryInterruptedError, LimitExceededError

        Examples
        --------
        >>> service.ask("sum revenue by region from sales").rows
        [{'region': 'north', 'revenue': 8, 'count': 2}, {'region': 'south', 'revenue': 2, 'count': 1}]
        >>> service.ask("sum profit from sales")["resolution"]["rejection_reason"]
        'unknown_field'
        """
        context = self._context
        with context.recorder.record_errors():
            limit_s = context.limit_time(timeout)
            try:
                outcome = asking.ask(
                    context, spec, variables=variables, rows=rows, shown_rows=shown_rows, timeout_s=limit_s
                )
            except InvalidIntentError as error:
                add_advice(error, spec, self)
                raise
        self._sources.warn_of_sources()
        return self._attach_client(outcome)

    def preview(self, name: str, rows: int = 20, *, timeout: float | None = None) -> QueryOutcome:
        """Show the first rows of a source: a result like any other, hashed and recorded.

        They are in the order of the source; of a live source, which has none, in ascending order of all columns.

        Parameters
        ----------
        name : str
            A source.
        rows : int
            How many, at most 10,000.
        timeout : float, optional
            Seconds; the client's own by default.

        Returns
        -------
        QueryOutcome
            Its rows are those of the source, without columns that the policy denies.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            `rows` is no number of rows.
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source]

        Examples
        --------
        >>> service.preview("sales", 1).rows
        [{'region': 'north', 'revenue': 3}]
        """
        with self._context.recorder.record_errors():
            outcome = first_look.preview_source(self._context, name, rows, self._context.limit_time(timeout))
        return self._attach_client(outcome)

    def profile(self, name: str, *, timeout: float | None = None) -> QueryOutcome:
        """Show what each column of a source holds, counted exactly: a result like any other, hashed and recorded.

        Parameters
        ----------
        name : str
            A source.
        timeout : float, optional
            Seconds; the client's own by default.

        Returns
        -------
        QueryOutcome
            A row for each column that the policy allows: `column`, `type`, `physical`, `rows`, `nulls`, `distinct`,
            `minimum` and `maximum` as exact texts, and `distribution`, a JSON list: of numbers and dates bins
            ``[from, below, count]``, of others the five most frequent values ``[value, count]``; empty of a live source
            of more than a million cells, which its database counts.

        Raises
        ------
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source]

        Examples
        --------
        >>> [(row["column"], row["distinct"], row["minimum"]) for row in service.profile("sales").rows]
        [('region', 2, 'north'), ('revenue', 3, '2')]
        """
        with self._context.recorder.record_errors():
            outcome = first_look.profile_source(self._context, name, self._context.limit_time(timeout))
        return self._attach_client(outcome)

    def resolve(self, spec: Spec, *, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the plan of a question without running it, or what `ask` would refuse it for.

        Parameters
        ----------
        spec : dict or str
            A QuerySpec or an ask line, as `ask` takes it.
        variables : dict, optional
            As `ask` takes them.

        Returns
        -------
        dict
            `status`; if it is ``"ok"``, `plan`, `plan_hash` and `steps`, else `reason`, `candidates` and
            `rejection_reason`.

        Examples
        --------
        >>> service.resolve("max revenue from sales")["status"]
        'ok'
        """
        try:
            return asking.describe_plan(self._context, spec, variables)
        except InvalidIntentError as error:
            add_advice(error, spec, self)
            raise

    def query(self, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run a stored plan and return its rows as `data["result"]` has them.

        Parameters
        ----------
        plan : dict
            `outcome["resolution"]["plan"]` of an earlier question, or a response of `resolve`.

        Returns
        -------
        list of dict
            Values as JSON has them; `run(plan).rows` has native ones.

        Examples
        --------
        >>> service.query(service.resolve("max revenue from sales")["plan"])
        [{'revenue': 5, 'count': 3}]
        """
        rows: list[dict[str, Any]] = self.query_with_metadata(plan)["result"]
        return rows

    def query_with_metadata(self, plan: Mapping[str, object]) -> dict[str, Any]:
        """Run a stored plan and return the full `data` of its outcome.

        Parameters
        ----------
        plan : dict
            `outcome["resolution"]["plan"]` of an earlier question, or a response of `resolve`.

        Returns
        -------
        dict
            `result`, `plan_hash`, `result_hash`, `query_id` and the rest of an outcome's `data`.

        Raises
        ------
        PlanInvalidError [plan_invalid], SchemaRevisionMismatchError [schema_revision_mismatch],
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source, policy_denied_field]

        Examples
        --------
        >>> service.query_with_metadata(service.resolve("max revenue from sales")["plan"])["result"]
        [{'revenue': 5, 'count': 3}]
        """
        return dict(self.run(plan)["data"])

    def run(self, plan: Mapping[str, object], *, timeout: float | None = None, mark: str | None = None) -> QueryOutcome:
        """Run a stored plan and return its outcome, as `ask` would; see `query_with_metadata`.

        Parameters
        ----------
        plan : dict
            `outcome["resolution"]["plan"]` of an earlier question, or a response of `resolve`.
        mark : str, optional
            The mark that a deployment gave to a live source: only that source answers, as it was then.

        Returns
        -------
        QueryOutcome
            Always `ok`: a plan that no longer holds raises.

        Examples
        --------
        >>> service.run(service.resolve("max revenue from sales")["plan"]).rows
        [{'revenue': 5, 'count': 3}]
        """
        with self._context.recorder.record_errors():
            outcome = asking.run_stored_plan(self._context, plan, self._context.limit_time(timeout), mark)
        return self._attach_client(outcome)

    def columns(
        self, plan: Mapping[str, object], *, timeout: float | None = None, mark: str | None = None
    ) -> list[tuple[Field, Vector]]:
        """Return the group columns of a stored plan, not grouped: of each row that meets its conditions, in order.

        Nothing is recorded.

        Parameters
        ----------
        plan : dict
            `outcome["resolution"]["plan"]` of an earlier question; or what shows a source, as a deployment is asked it.
        timeout : float, optional
            Seconds; the client's own by default.
        mark : str, optional
            The mark that a deployment gave to a live source: only that source answers, as it was then.

        Returns
        -------
        list of (Field, Vector)
            Arrays of float64 and int64, lists of all other types; with them where they are null.

        Examples
        --------
        >>> plan = service.resolve("sum revenue by region from sales")["plan"]
        >>> [vector.values for _, vector in service.columns(plan)]
        [['north', 'south', 'north']]
        """
        return first_look.read_columns(self._context, plan, self._context.limit_time(timeout), mark)

    def verify(self, plan: Mapping[str, Any], *, mark: str | None = None) -> dict[str, Any]:
        """Check a stored plan against this client without running it: ``{"valid": …, "checks": […]}``.

        Parameters
        ----------
        plan : dict
            `outcome["resolution"]["plan"]` of an earlier question, or a response of `resolve`.
        mark : str, optional
            The mark that a deployment gave to a live source: only that source answers, as it was then.

        Returns
        -------
        dict
            `valid`, and `checks`: of each `check` its `status`, and a `cause` and `message` if it failed.

        Examples
        --------
        >>> service.verify(service.resolve("max revenue from sales")["plan"])["valid"]
        True
        """
        return asking.verify_plan(self._context, plan, mark)

    # --- computations -------------------------------------------------------------------------------------------------

    @overload
    def compute(
        self,
        spec: Spec | None = None,
        *,
        module: str | None = None,
        function: str | None = None,
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
        spec: Spec | None = None,
        *,
        module: str | None = None,
        function: str | None = None,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
        bindings: Sequence[Mapping[str, object]] | None = None,
        seed: int | None = None,
        over: str,
        timeout: float | None = None,
    ) -> list[Computation]: ...
    def compute(
        self,
        spec: Spec | None = None,
        *,
        module: str | None = None,
        function: str | None = None,
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
            ``"finance.npv rate=0.1 cashflows=budget.flow"``; or nothing, with `module`, `function` and the rest beside.
        args, kwargs : list, dict
            Literals by place and by name. Arrays are lists or NumPy's; whole numbers beyond 2**53 - 1 may be texts.
        bindings : list of dict
            Columns: ``{"parameter": "cashflows", "source": "budget", "field": "flow"}``, or several of one source row
            by row: ``{"parameters": ["x", "y"], "fields": ["a", "b"], "source": "s", "alignment": "rowwise"}``. Paired
            parameters lose rows with a null together, independent samples each its own. And
            optionally a `filter` as in a question, and a `null_policy`, "refuse" (the default) or "drop".
        seed : int, optional
            Of simulations, and only of them.
        over : str, optional
            A column of the bindings' source: the call is run once for each of its values, and a list comes back.
        timeout : float, optional
            Seconds; the client's own by default.

        Returns
        -------
        Computation, or a list of them if `over` is given
            A dict with the specification's fields; `value` is the result, `card` its evidence.

        Raises
        ------
        InvalidIntentError, UnsupportedOperationError, DuplicateArgumentBindingError, SeedRequiredError, DomainError,
        UndecidedError, LimitExceededError, PolicyDeniedError, SourceNotFoundError, SourceChangedError,
        QueryTimeoutError, QueryInterruptedError, ComputeRuntimeUnavailableError

        Examples
        --------
        >>> service.compute("finance.npv", args=[0.1, [-100, 60, 60]]).value
        4.132231404958677
        >>> service.compute("stats.mean values=sales.revenue where region = 'north'").value
        4.0
        """
        context = self._context
        given = {"args": args, "kwargs": kwargs, "bindings": bindings, "seed": seed}
        with context.recorder.record_errors():
            try:
                call = parse_call_line(*read_call(spec, {"module": module, "function": function}, given))
                limit_s = context.limit_time(timeout)
                if over is None:
                    computed = computing.compute(context, [call], limit_s)
                else:
                    computed = computing.compute_over(context, call, over, limit_s)
            except ADVISED as error:
                add_advice(error, spec or {}, self, computes=True)
                raise
        self._sources.warn_of_sources()
        results = ComputationList(map(self._attach_client, computed))
        return results[0] if over is None else results

    def compute_many(self, specs: Sequence[Mapping[str, Any]], *, timeout: float | None = None) -> list[Computation]:
        """Run several ComputationSpecs in order. All are checked before the first runs; the first error ends it.

        Parameters
        ----------
        specs : list of dict
            ComputationSpecs, as `compute` takes them.
        timeout : float, optional
            Seconds for all of them; the client's own by default.

        Returns
        -------
        list of Computation
            In the order of `specs`.

        Examples
        --------
        >>> call = {"module": "stats", "function": "mean", "args": [[1, 2]]}
        >>> [result.value for result in service.compute_many([call, call])]
        [1.5, 1.5]
        """
        with self._context.recorder.record_errors():
            calls = computing.check_list(specs)
            computed = computing.compute(self._context, calls, self._context.limit_time(timeout))
        return ComputationList(map(self._attach_client, computed))

    def search_capabilities(self, query: str, limit: int = 10) -> list[dict[str, Any]]:
        """Return the capabilities that fit a text, the best first.

        Beginnings of words and small spelling errors are forgiven. A name of another library finds its counterpart.

        Parameters
        ----------
        query : str
            Words of a name, a summary or a unit; or ``np.std``, ``STDEV.S``, ``t.test``.
        limit : int
            At most so many.

        Returns
        -------
        list of dict
            `name`, its `module` and `function`, `summary`, `signature`, `tier`, `grade` (of evidence), `units` (by
            parameter, and of the `result`), `entry` (all that the contract says), `score`, `match` and `note`. `match`
            is `name`, `counterpart` (of another library's name), `nearest` (to a method that is not here), `words`, or
            `weak` (some of the words, as chance has it); `note` says how it differs from what was asked for.

        Examples
        --------
        >>> service.search_capabilities("net present value")[0]["name"]
        'finance.npv'
        """
        return self._context.library.index.search(query, limit, self.policy.allows_function)

    def capability(self, name: str) -> dict[str, Any]:
        """Return all that the contract says of a capability.

        Parameters
        ----------
        name : str
            Module and function: ``"stats.mean"``.

        Returns
        -------
        dict
            `id`, `summary`, `params`, `result`, `tier`, `grade`, `source` (the citation), `limits` and more.

        Raises
        ------
        UnsupportedOperationError [unsupported_operation]
            There is none of that name; `nearest_matches` may have it.

        Examples
        --------
        >>> service.capability("stats.mean")["id"]
        'stats.mean'
        """
        computing.get_signature(self._context, name)
        return self._context.library.contract.read_entry(name)

    def capabilities(self) -> list[str]:
        """Return the names of all capabilities that the policy allows, sorted.

        Returns
        -------
        list of str
            Names as `compute` takes them: ``"stats.mean"``.

        Examples
        --------
        >>> "stats.mean" in service.capabilities()
        True
        """
        return [name for name in self._context.library.contract if self.policy.allows_function(name)]

    @property
    def contract_hash(self) -> str:
        """The hash of the contract that the capabilities stand in."""
        return self._context.library.contract.hash

    # --- sources ------------------------------------------------------------------------------------------------------

    def connect(
        self,
        source: Any = None,
        options: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        dataset_name: str | None = None,
        connector: Connector | None = None,
        persist: bool = False,
        replace: bool = False,
        aliases: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
        sheet: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        nulls: Sequence[str] | None = None,
        thousands: str | None = None,
        decimal: str | None = None,
        date_format: str | None = None,
        percent: bool = False,
        trim: bool = False,
        currency: str | None = None,
        content: str = "now",
    ) -> ServiceSource:
        """Register a source and return its description. The source never changes afterwards, unless it is replaced.

        How it is read is part of what it is: the same file with other `types`, `nulls`, `delimiter`, `decimal` or
        another option of reading is another source, which takes another name, or `replace=True`.

        Parameters
        ----------
        source : path, frame, list of dicts, dict, or None
            A file (CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow IPC), a folder or glob of Parquet, rows, ``{"records":
            […]}``, ``{"provider": "sqlite", "path": …, "table" | "query": …}``, or any frame that speaks Arrow. None
            with a `name` reconnects what `persist` wrote to the project's `service.toml`, or else the source that the
            deployment has under it.
        options : dict, optional
            In place of the arguments below: ``{"name": "sales"}``, as other clients write them; camelCase too.
        name : str, optional
            Defaults to a file's name without its ending. `dataset_name` is the same for live sources.
        connector : dict or path, optional
            A live source's descriptor, ``{"type": "postgres", "host": …, "table" | "query": …, "password":
            "env:NAME"}``, or a TOML or JSON file that holds one; needs a deployment, which looks the secrets up that
            it refers to. Of a live source only `aliases` and `types` may be said beside it. Its data may change at
            any time: an answer tells what they were when it was asked.
        replace : bool
            Take the place of the source that has this name, if it is another. Not of live sources: see `refresh`.
        aliases : dict, optional
            Other names for columns: ``{"turnover": "revenue"}``.
        types : dict, optional
            Declared types that replace inference: ``{"zip": "string", "amount": "decimal(12,2)"}``.
        nulls : list of str, optional
            What stands for null in delimited text beside the empty cell: ``["NA"]``.
        decimal, thousands, date_format, percent, trim, currency : optional
            The form of texts: ``decimal=",", thousands=".", date_format="%d.%m.%Y"`` reads 1.143,22 and 22.12.2024,
            ``currency="€"`` 5 €. `percent` reads 10% as exactly 0.10, `trim` removes blanks around values.
        content : "now" or "deferred"
            When to hash large Parquet: at once, or in the background; then `content` has a digest only later.

        Returns
        -------
        ServiceSource
            A dict: `name`, `fields`, `typed_fields`, `row_count`, `content` (a digest) and more, of what the policy
            allows.

        Raises
        ------
        SourceAlreadyRegisteredError, SourceMalformedError, SourceUnreadableError, UnsupportedSourceError,
        DeploymentRequiredError, LimitExceededError, PolicyDeniedError, InvalidIntentError; of live sources also
        ConnectorError, SecretUnavailableError, UnauthenticatedError, ForbiddenError, DeploymentUnavailableError

        Examples
        --------
        >>> service.connect([{"day": "2024-05-01", "hours": 7.5}], name="shifts")["fields"]
        ['day', 'hours']
        """
        form: dict[str, Any] = {"decimal": decimal, "thousands": thousands, "date_format": date_format}
        form |= {"percent": percent, "trim": trim, "aliases": aliases, "currency": currency}
        said = Declared(types=types, sheet=sheet, delimiter=delimiter, encoding=encoding, nulls=nulls, **form)
        name = name if name is not None else dataset_name
        if options is not None:
            is_alone = (said, name, connector, persist, replace, content) == _UNSAID
            return self.connect(source, **read_connect_options(options, source, is_alone=is_alone))
        self._sources.require_choice()
        how: dict[str, Any] = {"keep": persist, "anew": replace, "content": content}
        return registration.connect_any(self._sources, source, read_descriptor(connector), name, said, **how)

    def sources(self) -> list[ServiceSource]:
        """Return the registered sources that the policy allows, by name.

        Returns
        -------
        list of ServiceSource
            As `connect` returned them.

        Examples
        --------
        >>> [source["name"] for source in service.sources()]
        ['sales']
        """
        return [registration.describe_source(self._sources, registered) for registered in self._sources.list_allowed()]

    def source(self, name: str) -> ServiceSource:
        """Return one registered source.

        Parameters
        ----------
        name : str
            The name that it was connected under.

        Returns
        -------
        ServiceSource
            As `connect` returned it.

        Raises
        ------
        SourceNotFoundError [source_not_found], PolicyDeniedError [policy_denied_source]

        Examples
        --------
        >>> service.source("sales")["fields"]
        ['region', 'revenue']
        """
        return registration.describe_source(self._sources, self._sources.get(name))

    def look(self, name: str) -> SourceLook:
        """Tell what is known of the columns of a source, as `profile` counts it; nothing is recorded.

        Parameters
        ----------
        name : str
            A registered source. Of one that is large and was not profiled before, only what reading it told is known;
            of a live source nothing.

        Returns
        -------
        SourceLook
            `columns` by name, and `lines` to go on with.

        Examples
        --------
        >>> service.look("sales").columns["revenue"].maximum
        '5'
        """
        return find_look(self._sources, name)

    def values(self, source_name: str, field: str) -> tuple[str, ...]:
        """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed.

        Parameters
        ----------
        source_name : str
            A registered source.
        field : str
            One of its string columns.

        Returns
        -------
        tuple of str
            Distinct and sorted.

        Examples
        --------
        >>> service.values("sales", "region")
        ('north', 'south')
        """
        return registration.list_values(self._sources, source_name, field)

    def disconnect(self, name: str, *, persist: bool = False) -> None:
        """Let go of a source: its name is free again, and nothing that was recorded of it is lost.

        Parameters
        ----------
        name : str
            The name that it was connected under.
        persist : bool
            Take it out of the project's `service.toml` too. What a deployment has of it stays there: `forget`.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            It is not registered here, and not kept.
        PolicyDeniedError [policy_denied_source]
            The policy does not allow it, or hides some of its fields: then it is not this client's to let go.

        Examples
        --------
        >>> service.disconnect("sales")
        >>> service.sources()
        []
        """
        registration.disconnect_source(self._sources, name, persist=persist)

    def forget(self, name: str) -> list[str]:
        """Forget a source everywhere: here, in `service.toml`, and a live one at the deployment with its secrets.

        Nobody of the tenant can ask it from then on. What was recorded of it stays, in every ledger, and verifies.

        Parameters
        ----------
        name : str
            A source that is connected, kept, or at the deployment.

        Returns
        -------
        list of str
            Where it was: ``"session"``, ``"service.toml"``, ``"deployment"``.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            It is nowhere.
        ForbiddenError [forbidden], PolicyDeniedError [policy_denied_source], DeploymentRequiredError
        [deployment_required], UnauthenticatedError, DeploymentUnavailableError
            Then it is where it was.

        Examples
        --------
        >>> service.forget("sales")
        ['session']
        """
        return registration.forget_source(self._sources, name)

    def refresh(self, name: str) -> ServiceSource:
        """Describe a live source anew: its current columns, content and database.

        Plans that were made for other columns are refused from then on; cards and receipts of before stay what they
        were. A key that may not make sources takes what the deployment knows by now.

        Parameters
        ----------
        name : str
            A registered live source.

        Returns
        -------
        ServiceSource
            As `connect` returns it, with the current columns.

        Raises
        ------
        SourceNotFoundError [source_not_found], InvalidIntentError [invalid_intent]
            There is no such source; it is a file, which never changes.
        ConnectorError, ForbiddenError, UnauthenticatedError, DeploymentUnavailableError, DeploymentRequiredError

        Examples
        --------
        >>> service.refresh("sales")
        Traceback (most recent call last):
            ...
        service_nb.errors.InvalidIntentError: ...
        """
        return registration.refresh_source(self._sources, name)

    def stored_sources(self) -> list[str]:
        """Return the names in the project's `service.toml` that the policy allows; none for a narrowed client.

        Returns
        -------
        list of str
            Each can be connected by ``connect(name=…)``.

        Examples
        --------
        >>> service.stored_sources()
        []
        """
        return [] if self._sources.is_narrowed else registration.list_stored(self._sources)

    def live_sources(self) -> list[str]:
        """Return the names of the deployment's sources that the policy allows: `connect(name=…)` registers one.

        Without a deployment there are none, nor for a narrowed client, which connects nothing.

        Returns
        -------
        list of str
            Sorted.

        Examples
        --------
        >>> service.live_sources()
        []
        """
        return [] if self._sources.is_narrowed else registration.list_live_names(self._sources)

    def unconnected(self, *, wait: float = TEST_S) -> Unconnected:
        """List the sources of the deployment and of `service.toml` that can be connected by name and are not yet.

        Never fails where the deployment does not answer within `wait` seconds: `fault` says why it is not known.

        Parameters
        ----------
        wait : float
            Seconds to wait for the deployment.

        Returns
        -------
        Unconnected
            `sources` with name and origin, and `fault`.

        Examples
        --------
        >>> service.unconnected().sources
        ()
        """
        return registration.list_unconnected(self._sources, wait)

    # --- connectors ---------------------------------------------------------------------------------------------------

    def test_connector(self, descriptor: Connector) -> dict[str, Any]:
        """Try a connector's descriptor and return ``{"success": …, "message": …}``; nothing is registered or kept.

        A live one is tried by the deployment; the answer comes within `TEST_S` seconds, whatever the other side does.

        Parameters
        ----------
        descriptor : dict or path
            As `connect` takes it for `connector`.

        Returns
        -------
        dict
            `success`, a `message` that begins with the error's code if it failed, and then this `code`.

        Examples
        --------
        >>> service.test_connector({"type": "csv", "path": "nowhere.csv"})["success"]
        False
        """
        try:
            self._sources.require_choice()
            described = read_descriptor(descriptor)
            if described is not None and self._sources.live is not None and is_live(described):
                return hide_test_message(
                    self.policy, registration.require_live(self._sources, described).test(described, TEST_S)
                )
            rows = registration.count_rows(self._sources, build_input(described))
        except ServiceError as error:
            return {"success": False, "message": f"{error.code}: {error}", "code": error.code}
        return {"success": True, "message": f"{rows:,} rows can be read."}

    def create_connector(self, descriptor: Connector, *, name: str | None = None) -> dict[str, Any]:
        """Have the deployment keep a connector, for sources to be made of.

        Parameters
        ----------
        descriptor : dict or path
            As `connect` takes it for `connector`. A table or query in it is not kept: it comes back with the result.
        name : str, optional
            Shown to whoever lists connectors.

        Returns
        -------
        dict
            ``{"id": …, "type": …, …}``: what it is, without its secrets.

        Raises
        ------
        DeploymentRequiredError [deployment_required], InvalidIntentError [invalid_intent], UnsupportedSourceError
        [unsupported_source], ForbiddenError [forbidden], UnauthenticatedError [unauthenticated],
        DeploymentUnavailableError [deployment_unavailable]

        Examples
        --------
        >>> service.create_connector({"type": "postgres", "host": "db"})
        Traceback (most recent call last):
            ...
        service_nb.errors.DeploymentRequiredError: ...
        """
        self._sources.require_choice()
        described, selected = split_descriptor(read_descriptor(descriptor))
        if not isinstance(name, str | None):
            raise InvalidIntentError(f"The connector's name is {describe_value(name)}; expected text.", path="name")
        return registration.require_live(self._sources, described).create(described, name) | selected

    def connectors(self) -> list[dict[str, Any]]:
        """Return the connectors that `create_connector` has the deployment keep, by age, without their secrets.

        Returns
        -------
        list of dict
            `id`, `type`, `name` and how each is reached.

        Examples
        --------
        >>> service.connectors()
        Traceback (most recent call last):
            ...
        service_nb.errors.DeploymentRequiredError: ...
        """
        self._sources.require_choice()
        return registration.require_live(self._sources, None).list_connectors()

    def forget_connector(self, connector_id: str) -> None:
        """Have the deployment forget a connector and its secrets.

        Parameters
        ----------
        connector_id : str
            The `id` that `connectors` lists.

        Raises
        ------
        ConnectorNotFoundError [connector_not_found], ForbiddenError [forbidden]
            There is none of that id; sources use it, or the key may not.

        Examples
        --------
        >>> service.forget_connector("c1")
        Traceback (most recent call last):
            ...
        service_nb.errors.DeploymentRequiredError: ...
        """
        self._sources.require_choice()
        registration.require_live(self._sources, None).forget_connector(connector_id)

    # --- what was recorded --------------------------------------------------------------------------------------------

    def get_result(self, result_id: str) -> StoredResult:
        """Return a stored outcome, found by its `data["query_id"]`, `request_id` or `result_id`.

        Parameters
        ----------
        result_id : str
            One of the three ids.

        Returns
        -------
        StoredResult
            `id`, `kind`, `time`, and its `card` with the receipt.

        Raises
        ------
        ResultNotFoundError [result_not_found]
            None of that id is stored for this tenant, or the policy does not allow what it was made from.
        LedgerError [ledger_unavailable]

        Examples
        --------
        >>> service.get_result(service.ask("max revenue from sales")["data"]["query_id"])["kind"]
        'query'
        """
        return self._attach_client(get_result(self._sources, self._context.recorder, result_id))

    def log(self, limit: int = 20, kind: str | None = None, *, own: bool = False) -> list[dict[str, Any]]:
        """List the latest ledger entries, newest first: `id`, `time`, `kind`, `status`, `question`, `digests`.

        Parameters
        ----------
        limit : int
            At most so many.
        kind : str, optional
            Only ``"query"``, ``"clarification"``, ``"rejection"``, ``"error"``, ``"computation"`` or ``"replay"``.
        own : bool
            List the user's own ledger, which takes what the project's must not, in the place of the project's.

        Returns
        -------
        list of dict
            Only what the policy allows.

        Examples
        --------
        >>> outcome = service.ask("max revenue from sales")
        >>> [entry["kind"] for entry in service.log()]
        ['query']
        """
        return list_log(self._sources, self._context.recorder, limit, kind, own=own)

    def record_errors(self) -> AbstractContextManager[None]:
        """Return a block whose error is recorded, as those of `ask` and `compute` are: for who reads what they take.

        Returns
        -------
        context manager
            The error is raised again after it was recorded.

        Examples
        --------
        >>> with service.record_errors():
        ...     service.source("nowhere")
        Traceback (most recent call last):
            ...
        service_nb.errors.SourceNotFoundError: ...
        """
        return self._context.recorder.record_errors()

    def replay(self, what: Any, *, sources: Mapping[str, Any] | None = None, **options: Any) -> ReplayOutcome | Replays:
        """Run stored results again, and compare every value; the replay is recorded too.

        Parameters
        ----------
        what : str, dict or list
            A result, the id of a stored one, ``"ledger"`` for all, a card, a parsed notebook, or a list of cards.
        sources : dict, optional
            Where sources are now, by name: ``{"sales": "moved/sales.csv"}``. Their content must be what it was.
        **options
            As `replaying` takes them.

        Returns
        -------
        ReplayOutcome or Replays
            Of each result `identical`, `differs` (how far each value is off, and why), or `refused` (why).

        Examples
        --------
        >>> service.replay(service.ask("max revenue from sales").card)["status"]
        'identical'
        """
        with closing(self.replaying(sources=sources, **options)) as replayer:
            return replayer.replay(what)

    def replaying(
        self,
        *,
        sources: Mapping[str, Any] | None = None,
        keys: Sequence[str] = (),
        changed_sources: bool = False,
        unverified: bool = False,
        ledger: str | os.PathLike[str] | None = None,
        told: Progress | None = None,
    ) -> Replayer:
        """Build the replayer of this client; close it after use.

        Parameters
        ----------
        sources : dict, optional
            Where sources are now, by name.
        keys : list of str
            Public keys (base64) that are trusted; a card that none of them signed is not run then.
        changed_sources : bool
            Run on a source of the same name whose content is another, and tell what differs.
        unverified : bool
            Run also what does not verify.
        ledger : path, optional
            The folder of another ledger, whose results are replayed.
        told : callable, optional
            Called before each replay with how many are done, of how many, and which comes next.

        Returns
        -------
        Replayer
            A context manager: ``replay(what)`` runs, as `replay` does.

        Examples
        --------
        >>> card = service.ask("max revenue from sales").card
        >>> with closing(service.replaying()) as replayer:
        ...     replayer.replay(card)["status"]
        'identical'
        """
        # Lazy: whoever asks and never replays loads neither the comparisons nor the reader of Parquet.
        from service_nb.client.factory import compose_replayer  # noqa: PLC0415

        return compose_replayer(
            self._context,
            sources=sources,
            keys=keys,
            accepts_changed=changed_sources,
            is_forced=unverified,
            ledger=ledger,
            progress=told,
        )

    def _attach_client(self, result: Result) -> Result:
        """Attach this client to a result, so that the result can replay and verify itself."""
        result.belong_to(self._replay_result, _verify_card, self.ask)
        remember_outcome(self, result)
        return result

    def _replay_result(self, result: Replayable) -> ReplayOutcome:
        # From the ledger, which may keep more than the card holds; from the card where the ledger tells nothing.
        with closing(self.replaying()) as replayer:
            return replayer.replay_session([(get_result_id(result), result.card)])[0]

    # --- the client itself --------------------------------------------------------------------------------------------

    def narrow(self, policy: Mapping[str, object]) -> Service:
        """Return a client of the same sources that is allowed only what both policies allow.

        It chooses no sources: what is connected, or let go of, is for the client that it came from.

        Parameters
        ----------
        policy : dict
            As `create_service` takes it.

        Returns
        -------
        Service
            It shares sources, ledger and runtime with this one.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            The policy is malformed, or lists fields of a source that is also connected under a name with other fields.

        Examples
        --------
        >>> narrowed = service.narrow({"allowed_fields": {"sales": ["region"]}})
        >>> narrowed.source("sales")["fields"]
        ['region']
        """
        narrowed = self.under(self.policy.narrow(parse_policy(policy)))
        registration.require_lists(narrowed._sources)  # noqa: SLF001  # another of this class
        return narrowed

    def under(self, policy: Policy) -> Service:
        """Return a narrowed client under a policy that has been parsed and narrowed already.

        Parameters
        ----------
        policy : Policy
            `service.policy.narrow(…)`: nothing checks that it is no wider.

        Returns
        -------
        Service
            As `narrow` returns it.

        Examples
        --------
        >>> service.under(service.policy).source("sales")["name"]
        'sales'
        """
        return Service(self._context.narrow(policy))

    def panel(self) -> Any:
        """Open the panel of this client in a notebook: forms that ask and compute, under this client's policy.

        Needs ``%load_ext service_nb`` and the extra `service-nb[ui]`; the same as ``service_nb.panel(client)``.

        Returns
        -------
        Panel
            A widget, which shows itself as the last value of a cell.

        Raises
        ------
        DriverMissingError [driver_missing], InvalidIntentError [invalid_intent]

        Examples
        --------
        >>> service.panel()  # doctest: +SKIP
        """
        from service_nb import panel  # noqa: PLC0415  # by its public name: a face stands above the client

        return panel(self)

    def close(self) -> None:
        """Forget all sources and give back their memory. The managed runtime lives on for other notebooks.

        A narrowed client has nothing of its own, and closes nothing.

        Examples
        --------
        >>> service.close()
        """
        if self._sources.is_narrowed:
            return
        self._sources.registry.close()
        self._context.runtime.close()
        self._context.recorder.close()
        if self._sources.live is not None:
            self._sources.live.close()

    def __enter__(self) -> Self:
        """Return the client: ``with create_service() as service`` closes it at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the client."""
        self.close()


def _verify_card(card: Card, keys: Collection[str]) -> Verdict:
    from service_nb.client.verification import build_terms, verify_card  # noqa: PLC0415  # lazy: loads cryptography

    return verify_card(card, build_terms(list(keys)), subject="card")
