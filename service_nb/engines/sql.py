"""A live SQL source: plans are computed inside the user's own database, exactly, or not there at all.

The data may change between two statements, so an answer is one SELECT that proves itself. What is assumed of a column
comes from a few rows, and is believed until a certificate fails; then it is read from all of them, and if that does not
do either, the rows are read and summed here. The same happens for a database that did not pass the canary.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from typing import TypeVar

from sqlglot import exp

from service_nb.connectors.base import SqlLink
from service_nb.core.words import describe_value
from service_nb.engines import canary
from service_nb.engines.base import Engine, EngineAnswer
from service_nb.engines.direct import MOST_ROWS as MOST_DIRECT
from service_nb.engines.direct import DirectEngine
from service_nb.engines.duckdb import DuckDBEngine
from service_nb.engines.extracting import extract_rows, list_plan_columns, sort_rows
from service_nb.engines.links import Links, OpenLink
from service_nb.engines.pushing import Pushed, Range, Target, derive_range, guess_range, push_plan, read_statistics
from service_nb.engines.running import compute_wait, stopped_as_told
from service_nb.engines.vectors import build_vector
from service_nb.errors import ConnectorError, EngineError, InvalidIntentError, SourceChangedError, SourceMalformedError
from service_nb.query.aggregations import RECORDS
from service_nb.query.sql import describe_method, find_fixed_method
from service_nb.readers.dataset import Dataset
from service_nb.schema.compute import Vector
from service_nb.schema.query import Plan
from service_nb.schema.source import DEFAULT_LIMITS, Field, FieldStats, Limits

T = TypeVar("T")

LONGEST_S = 3_600.0  # where nobody sets a limit
MOST_LINKS = 4
DAY_S = 86_400.0
REFUSED = (EngineError, InvalidIntentError, SourceMalformedError)  # what links make of a statement that fails


class CanaryVerdict:
    """The canary's verdict on one database, shared by all engines over it: whether the database adds exactly.

    It is believed for a day. Safe to share between threads: of several that ask at once, one tries it.
    """

    def __init__(self) -> None:
        self._given = False
        self._until: float | None = None
        self._trying = threading.Lock()

    def known(self) -> bool | None:
        """Return the canary's verdict on the database; None when it did not run within a day."""
        return self._given if self._until is not None and time.monotonic() <= self._until else None

    def forget_verdict(self) -> None:
        """Believe nothing of before: the database is tried when it is asked next."""
        self._until = None

    def learn_verdict(self, passes: Callable[[], bool], deadline: float) -> bool:
        """Return the verdict, or run `passes` to find it; other threads wait meanwhile."""
        with stopped_as_told():
            while not self._trying.acquire(timeout=compute_wait(deadline)):
                pass
        try:
            known = self.known()
            if known is None:
                known = self._given = passes()
                self._until = time.monotonic() + DAY_S
            return known
        finally:
            self._trying.release()


class SqlEngine:
    """One table or query of a database. Safe to use from several threads.

    Parameters
    ----------
    open_link : callable
        Opens a session that cannot write, by a moment of `time.monotonic()`.
    relation : sqlglot.exp.Expr
        The table or subquery that is read.
    fields : sequence of Field
        Its columns as they were when the source was connected; with others it is another source.
    link : SqlLink, optional
        A session that is open already, and becomes the engine's.
    trust : Trust, optional
        What is known of the database already, and learned of it here.
    """

    def __init__(
        self,
        open_link: OpenLink,
        relation: exp.Expr,
        fields: Sequence[Field],
        limits: Limits = DEFAULT_LIMITS,
        *,
        link: SqlLink | None = None,
        trust: CanaryVerdict | None = None,
    ) -> None:
        self.name = "sql" if link is None else link.name  # until a session tells it
        self._target = Target(relation=relation, fields={field.name: field for field in fields}, limits=limits)
        self._limits = limits
        self._links = Links(open_link, MOST_LINKS, link)
        self._ranges: dict[str, Range] = {}
        self._trust = CanaryVerdict() if trust is None else trust

    # --- Engine ---------------------------------------------------------------------------------------------------

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> EngineAnswer:
        """Compute the plan's groups inside the database; from rows that were read where it cannot be trusted to."""
        deadline = _compute_deadline(timeout_s)
        trusted = self.trusted(deadline)
        found: Pushed | str = "the database failed the canary"
        if trusted:
            found = self._run_checked(lambda link: self._try_pushing(link, plan, deadline), deadline)
        if isinstance(found, Pushed):
            return EngineAnswer(groups=found.groups, method=describe_method(plan, found.shape))
        return self._aggregate_rows(plan, deadline, found, pushes=trusted)

    def columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:
        """Return the plan's group columns, not grouped, of the rows that meet its conditions.

        A database keeps no order of rows; they come in one of their own, by the columns as they are asked for.
        """
        deadline = _compute_deadline(timeout_s)
        trusted = self.trusted(deadline)  # asked once: what is read and what is done with it go together
        names = plan.group_by if trusted else list_plan_columns(plan)
        dataset = self._read_rows(plan, names, deadline, pushes=trusted)
        table = sort_rows(dataset)
        if trusted:
            kinds = [field.physical for field in dataset.fields]
            return [build_vector(kind, column) for kind, column in zip(kinds, table.columns, strict=True)]
        with closing(self._build_local_engine(replace(dataset, table=table))) as engine:
            return engine.columns(plan, _compute_time_left(deadline))

    def check(self, timeout_s: float | None = None) -> None:
        """Raise `source_changed` unless the database still has the columns that were registered."""
        deadline = _compute_deadline(timeout_s)
        self._run_on_session(lambda link: self._check_source(link, deadline), deadline)

    def statistics(self, name: str) -> FieldStats:
        """Read the statistics of a column's values anew."""
        deadline = _compute_deadline(None)
        field = self._target.fields[name]
        return self._run_checked(lambda link: read_statistics(link, self._target, field, deadline)[0], deadline)

    def known_values(self, name: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: what a database holds is not known without a scan."""
        return ()

    def close(self) -> None:
        """Close all sessions."""
        self._links.close()

    # --- what a database may be trusted with ------------------------------------------------------------------------

    def trusted(self, deadline: float) -> bool:
        """Tell whether the database passed the canary within a day; run the canary when that is not known."""
        known = self._trust.known()
        if known is None:
            known = self._trust.learn_verdict(
                lambda: self._run_checked(lambda link: canary.run_canary(link, deadline), deadline), deadline
            )
        return known

    # --- inside the database ----------------------------------------------------------------------------------------

    def _try_pushing(self, link: SqlLink, plan: Plan, deadline: float) -> Pushed | str:
        """Return the groups as the database has added them, or why it could not."""
        try:
            return self._asked(lambda target: self._push_certified(link, target, plan, deadline), plan)
        except REFUSED as error:  # it cannot add so much, or a value is not of its column's type: rows will tell
            return f"the database did not answer the plan ({error.details.get('code') or error.code})"

    def _push_certified(self, link: SqlLink, target: Target, plan: Plan, deadline: float) -> Pushed | str:
        known = self._find_range(link, plan, deadline, anew=False)
        found = push_plan(link, target, plan, known, deadline)
        if found is None and known is not None:
            known = self._find_range(link, plan, deadline, anew=True)
            found = push_plan(link, target, plan, known, deadline)
        if find_fixed_method(plan) is None:
            return found or "its values are too far apart to be added as integers, or changed during the query"
        return found or "it did not number the rows of each group together"

    def _asked(self, ask: Callable[[Target], T], plan: Plan) -> T:
        """Ask with conditions that indexes answer; where the columns' own types do not take an operand, without."""
        try:
            return ask(self._target)
        except REFUSED:
            if not plan.conditions:
                raise
        return ask(replace(self._target, indexed=False))

    def _find_range(self, link: SqlLink, plan: Plan, deadline: float, *, anew: bool) -> Range | None:
        """Find the assumed range of the metric; None where the plan needs none."""
        field = None if plan.metric is None else self._target.fields[plan.metric]
        if field is None or field.physical != "float64" or find_fixed_method(plan) is not None:
            return None
        known = None if anew else self._ranges.get(field.name) or self._guess_range(link, field, deadline)
        if known is None:
            known = derive_range(*read_statistics(link, self._target, field, deadline))
        self._ranges[field.name] = known
        return known

    def _guess_range(self, link: SqlLink, field: Field, deadline: float) -> Range | None:
        try:
            return guess_range(link, self._target, field, deadline)
        except REFUSED:  # a few rows cannot be had of it: all of them, then
            return None

    # --- from rows --------------------------------------------------------------------------------------------------

    def _aggregate_rows(self, plan: Plan, deadline: float, reason: str, *, pushes: bool) -> EngineAnswer:
        dataset = self._read_rows(plan, list_plan_columns(plan), deadline, pushes=pushes)
        with closing(self._build_local_engine(dataset)) as engine:
            answer = engine.aggregate(plan, _compute_time_left(deadline))
        return EngineAnswer(groups=answer.groups, method=f"{describe_extraction(plan, self._target.fields)}: {reason}")

    def _read_rows(self, plan: Plan, names: Sequence[str], deadline: float, *, pushes: bool) -> Dataset:
        """Read columns; a database that is trusted leaves out rows that do not meet the conditions."""
        conditions = plan.conditions if pushes else ()

        def read(link: SqlLink) -> Dataset:
            return self._asked(lambda target: extract_rows(link, target, names, conditions, deadline), plan)

        return self._run_checked(read, deadline)

    def _build_local_engine(self, dataset: Dataset) -> Engine:
        if dataset.row_count <= MOST_DIRECT:
            return DirectEngine(dataset, self._limits)
        return DuckDBEngine(dataset, self._limits)

    # --- sessions ---------------------------------------------------------------------------------------------------

    def _run_checked(self, work: Callable[[SqlLink], T], deadline: float) -> T:
        """Run `work` on a session whose database has the columns that were registered, from its beginning to its end.

        Where none can hold them for so long they are looked at once more: they may have changed meanwhile.
        """

        def checked(link: SqlLink) -> T:
            with link.question(deadline):
                self._check_source(link, deadline)
                result = work(link)
                if not link.holds:
                    self._check_source(link, deadline)
            return result

        return self._run_on_session(checked, deadline)

    def _run_on_session(self, work: Callable[[SqlLink], T], deadline: float) -> T:
        """Run `work` on a session, and once more on a fresh one where the first breaks.

        Nothing has been returned yet, and nothing was written.
        """
        try:
            return self._links.run(work, deadline)
        except ConnectorError as error:
            if error.reason != "lost":
                raise
        return self._links.run(work, deadline, fresh=True)

    def _check_source(self, link: SqlLink, deadline: float) -> None:
        """Raise `source_changed` unless the columns are those that were registered."""
        self.name = link.name
        self._check_columns(link.describe(self._target.relation, deadline))

    def _check_columns(self, met: Sequence[Field]) -> None:
        expected = list(self._target.fields.values())
        if list(met) == expected:
            return
        pairs = zip_longest(expected, met)
        differing = next((one or other for one, other in pairs if one != other), None)
        name = "" if differing is None else differing.name
        raise SourceChangedError(
            f"The columns of the source have changed since it was connected: {describe_value(name)} differs.",
            hint="Run `refresh` to describe it again; older plans are refused from then on.",
            changed="columns",
            column=name,
        )


def describe_extraction(plan: Plan, fields: Mapping[str, Field]) -> str:
    """Describe for a card how an aggregate was computed exactly from rows that were read."""
    physical = "int64" if plan.metric is None else fields[plan.metric].physical
    return RECORDS[plan.aggregation].describe_method(physical, extracted=True)


def _compute_deadline(timeout_s: float | None) -> float:
    return time.monotonic() + (LONGEST_S if timeout_s is None else timeout_s)


def _compute_time_left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.0)
