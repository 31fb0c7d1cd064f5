"""A live SQL source: plans are computed inside the user's own database, exactly, or not there at all.

The data may change between two statements, so an answer is one SELECT that proves itself. What is assumed of a column
comes from a few rows, and is believed until a certificate fails; then it is read from all of them, and if that does not
do either, the rows are read and summed here. The same happens for a database that did not pass the canary.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import zip_longest
from typing import TypeVar

from sqlglot import exp

from service_nb.connectors.base import SqlLink
from service_nb.core.words import describe_value
from service_nb.engines.canary import CanaryVerdict, run_canary
from service_nb.engines.engine import (
    EngineAnswer,
    Row,
    build_vector,
    join_methods,
)
from service_nb.engines.extracted_rows import extract_rows, hold_rows, sort_rows
from service_nb.engines.pushed_inspection import REFUSED, InspectedTable
from service_nb.engines.pushing import Pushed, Range, Target, derive_range, guess_range, push_plan, read_statistics
from service_nb.engines.running import Runner, compute_wait, stopped_as_told
from service_nb.engines.value_counts import build_value_counts
from service_nb.errors import (
    ConnectorError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.query.aggregations import RECORDS
from service_nb.query.group_keys import get_key_column, list_key_columns
from service_nb.query.plan import list_named_columns
from service_nb.query.sql import describe_method, find_fixed_method
from service_nb.query.sql_keys import can_compute_key
from service_nb.readers.dataset import Dataset
from service_nb.schema.compute import Vector
from service_nb.schema.query import Inspection, Plan
from service_nb.schema.source import DEFAULT_LIMITS, Field, Limits

T = TypeVar("T")

OpenLink = Callable[[float], SqlLink]
LONGEST_S = 3_600.0  # where nobody sets a limit
MOST_LINKS = 4
PATIENCE_S = 3.0  # for a statement to end that was cancelled
CANCEL_AGAIN_S = 0.5
IDLE_S = 300.0  # after which a session is not believed to live any more


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
        trusted = self.is_trusted(deadline)
        found: Pushed | str = "the database failed the canary"
        if trusted and plan.more:  # not every database keeps one state for several statements, so one reads all rows
            found = "several measures of one state of the data"
        elif trusted:
            found = self._run_checked(lambda link: self._try_pushing(link, plan, deadline), deadline)
        if isinstance(found, Pushed):
            return EngineAnswer(groups=found.groups, method=describe_method(plan, found.shape))
        return self._aggregate_rows(plan, deadline, found, pushes=trusted)

    def read_columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:
        """Read the plan's group columns, not grouped, of the rows that meet its conditions.

        A database keeps no order of rows; they come in one of their own, by the columns as they are asked for.
        """
        deadline = _compute_deadline(timeout_s)
        trusted = self.is_trusted(deadline)  # asked once: what is read and what is done with it go together
        names = list_key_columns(plan.group_by) if trusted else list_named_columns(plan)
        dataset = self._read_rows(plan, names, deadline, pushes=trusted)
        table = sort_rows(dataset)
        if trusted:
            kinds = [field.physical for field in dataset.fields]
            return [build_vector(kind, column) for kind, column in zip(kinds, table.columns, strict=True)]
        with closing(hold_rows(replace(dataset, table=table), self._limits)) as engine:
            return engine.read_columns(plan, _compute_time_left(deadline))

    def inspect(
        self,
        plan: Inspection,
        fields: Sequence[Field],
        rows: int,  # noqa: ARG002  # there may be others by now
        timeout_s: float | None = None,
    ) -> list[Row]:
        """Show columns: the first rows in an order of all of them, or what each holds."""
        deadline = _compute_deadline(timeout_s)
        target, shown = self._target, tuple(fields)
        answer = None
        if self.is_trusted(deadline):
            answer = self._run_checked(lambda link: InspectedTable(link, target, shown, deadline).push(plan), deadline)
        if answer is not None:
            return answer
        return self._run_checked(lambda link: InspectedTable(link, target, shown, deadline).read(plan), deadline)

    def check(self, timeout_s: float | None = None) -> None:
        """Raise `source_changed` unless the database still has the columns that were registered."""
        deadline = _compute_deadline(timeout_s)
        self._run_on_session(lambda link: self._check_source(link, deadline), deadline)

    def list_known_values(self, name: str) -> tuple[str, ...]:  # noqa: ARG002
        """List nothing: what a database holds is not known without a scan."""
        return ()

    def close(self) -> None:
        """Close all sessions."""
        self._links.close()

    # --- what a database may be trusted with ------------------------------------------------------------------------

    def is_trusted(self, deadline: float) -> bool:
        """Tell whether the database passed the canary within a day; run the canary when that is not known."""
        known = self._trust.find_verdict()
        if known is None:
            known = self._trust.learn_verdict(
                lambda: self._run_checked(lambda link: run_canary(link, deadline), deadline), deadline
            )
        return known

    # --- inside the database ----------------------------------------------------------------------------------------

    def _try_pushing(self, link: SqlLink, plan: Plan, deadline: float) -> Pushed | str:
        """Return the groups as the database has added them, or why it could not."""
        keyed = [(key, self._target.fields[get_key_column(key)]) for key in plan.group_by]
        if not all(can_compute_key(link.spelling, key, field) for key, field in keyed):
            return "the database does not compute the groups' keys"
        try:
            return self._ask_indexed(lambda target: self._push_certified(link, target, plan, deadline), plan)
        except REFUSED as error:  # it cannot add so much, or a value is not of its column's type: rows will tell
            return f"the database did not answer the plan ({error.details.get('code') or error.code})"

    def _push_certified(self, link: SqlLink, target: Target, plan: Plan, deadline: float) -> Pushed | str:
        known = self._find_range(link, plan, deadline, anew=False)
        found = push_plan(link, target, plan, known, deadline)
        if found is None and known is not None:
            known = self._find_range(link, plan, deadline, anew=True)
            found = push_plan(link, target, plan, known, deadline)
        if build_value_counts(plan) is not None:
            return found or "it has too many different values for each to be counted"
        if find_fixed_method(plan) is None:
            return found or "its values are too far apart to be added as integers, or changed during the query"
        return found or "it did not number the rows of each group together"

    def _ask_indexed(self, ask: Callable[[Target], T], plan: Plan) -> T:
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
        if build_value_counts(plan) is not None:
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
        dataset = self._read_rows(plan, list_named_columns(plan), deadline, pushes=pushes)
        with closing(hold_rows(dataset, self._limits)) as engine:
            answer = engine.aggregate(plan, _compute_time_left(deadline))
        methods = join_methods(
            RECORDS[each.aggregation].describe_method(
                "int64" if each.metric is None else self._target.fields[each.metric].physical, extracted=True
            )
            for each in plan.measures
        )
        return EngineAnswer(groups=answer.groups, method=f"{methods}: {reason}")

    def _read_rows(self, plan: Plan, names: Sequence[str], deadline: float, *, pushes: bool) -> Dataset:
        """Read columns; a database that is trusted leaves out rows that do not meet the conditions."""
        conditions = plan.conditions if pushes else ()

        def read(link: SqlLink) -> Dataset:
            return self._ask_indexed(lambda target: extract_rows(link, target, names, conditions, deadline), plan)

        return self._run_checked(read, deadline)

    # --- sessions ---------------------------------------------------------------------------------------------------

    def _run_checked(self, work: Callable[[SqlLink], T], deadline: float) -> T:
        """Run `work` on a session whose database has the columns that were registered, from its beginning to its end.

        Where none can hold them for so long they are looked at once more: they may have changed meanwhile.
        """

        def check_around(link: SqlLink) -> T:
            with link.begin_question(deadline):
                self._check_source(link, deadline)
                result = work(link)
                if not link.holds:
                    self._check_source(link, deadline)
            return result

        return self._run_on_session(check_around, deadline)

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


def _compute_deadline(timeout_s: float | None) -> float:
    return time.monotonic() + (LONGEST_S if timeout_s is None else timeout_s)


def _compute_time_left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.0)


# --- sessions -------------------------------------------------------------------------------------------------------


class Links:
    """At most `most` sessions. Safe to use from several threads."""

    def __init__(self, open_link: OpenLink, most: int, first: SqlLink | None = None) -> None:
        self._open_link = open_link
        self._free: list[tuple[SqlLink, float]] = [] if first is None else [(first, time.monotonic())]
        self._busy = 0
        self._most = most
        self._state = threading.Condition()
        self._closed = False

    def run(self, work: Callable[[SqlLink], T], deadline: float, *, fresh: bool = False) -> T:
        """Run `work` on a session, by the deadline; on one that was opened for it where `fresh`.

        A session goes back when the work has returned. After any error it is closed: a request to cancel may still be
        on its way to it, or half an answer.
        """
        with self._place(deadline):
            link = self._take_session(deadline, fresh=fresh)
            runner = Runner(link.cancel, again_s=CANCEL_AGAIN_S, patience_s=PATIENCE_S)
            try:
                result = runner.run(lambda: work(link), deadline)
            except BaseException:  # Ctrl-C too: half an answer may still be on its way
                _close_unwaited(link)
                raise
            self._give_back(link)
            return result

    def close(self) -> None:
        """Close all sessions; those in use when their work is done."""
        with self._state:
            self._closed = True
            free, self._free = self._free, []
            self._state.notify_all()
        for link, _ in free:
            link.close()

    @contextmanager
    def _place(self, deadline: float) -> Iterator[None]:
        """Wait until one more session may be used."""
        with stopped_as_told(), self._state:
            while self._busy >= self._most and not self._closed:
                self._state.wait(compute_wait(deadline))
            if self._closed:
                raise SourceNotFoundError("The source was closed.")
            self._busy += 1
        try:
            yield
        finally:
            with self._state:
                self._busy -= 1
                self._state.notify()

    def _take_session(self, deadline: float, *, fresh: bool) -> SqlLink:
        earliest = time.monotonic() - IDLE_S
        with self._state:
            free = [] if fresh else [(link, since) for link, since in self._free if since > earliest]
            stale = [pair for pair in self._free if pair not in free]
            found = free.pop() if free else None
            self._free = free
        for link, _ in stale:
            _close_unwaited(link)
        return found[0] if found is not None else self._open_session(deadline)

    def _open_session(self, deadline: float) -> SqlLink:
        """Open a session in a thread that can be left: a database that hangs must not hold up who asks."""
        unwanted = threading.Event()

        def work() -> SqlLink:
            link = self._open_link(deadline)
            if unwanted.is_set():
                link.close()
            return link

        try:
            return Runner(lambda: None, patience_s=0.0).run(work, deadline)
        except ServiceError:
            unwanted.set()
            raise

    def _give_back(self, link: SqlLink) -> None:
        with self._state:
            wanted = not self._closed
            if wanted:
                self._free.append((link, time.monotonic()))
        if not wanted:
            link.close()


def _close_unwaited(link: SqlLink) -> None:
    """Close a session that something went wrong with, without waiting for it: a statement may still run on it."""
    threading.Thread(target=link.close, daemon=True).start()
