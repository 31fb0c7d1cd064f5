"""A source behind a deployment: plans go there, and what comes back is believed only with the hash that it must have.

The deployment checks the plan again under the key's policy and runs it in the source's own database. Its rows are read
back here by the physical types of this side's schema, put in order, and hashed: another hash than the deployment's is
`answer_mismatch`, and no answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import RESULT_DOMAIN, digest
from service_nb.core.words import describe_value, make_visible
from service_nb.deployment.http import DeploymentCall, DeploymentClient
from service_nb.deployment.messages import ColumnsAnswer, ColumnValues, QueryAnswer, QueryData, QueryProvenance
from service_nb.deployment.values import hash_column
from service_nb.engines.engine import (
    MOST_ROWS,
    EngineAnswer,
    Row,
    too_many_groups_error,
    too_many_rows_error,
)
from service_nb.engines.inspecting import list_rows
from service_nb.engines.memory import build_vector_of_values
from service_nb.errors import (
    AnswerMismatchError,
    SchemaRevisionMismatchError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.query.inspection import build_form, fits_plan, list_columns, rewrite_schema
from service_nb.query.plan import (
    ResultColumns,
    build_result_columns,
    build_row,
    list_result_fields,
    plan_to_json,
    seal_plan,
    sort_groups,
)
from service_nb.query.used_rows import UsedRows, count_used_rows
from service_nb.schema.compute import Vector
from service_nb.schema.native import Read, UnreadableError, find_reader
from service_nb.schema.query import Group, Inspection, Plan
from service_nb.schema.source import DEFAULT_LIMITS, Field, Limits, Value, convert_to_json

T = TypeVar("T")

MOST_BYTES = 1024**3  # of the columns that a computation is bound to
ANEW = "%service_refresh, or `refresh`, describes it as it is now; existing plans and cards do not change."
GONE = "%service_disconnect, or `disconnect`, disconnects it here; connect its table again to use it."
MOST_WORDS = 200  # characters of a method or an engine's name


class RemoteEngine:
    """One source of a deployment.

    Parameters
    ----------
    deployment : DeploymentClient
    dataset : str
        What the deployment calls the source; plans may call it otherwise here.
    fields : sequence of Field
    revision : str
        The schema's.
    engine : str
        What computes there, as far as it is known before the first answer.
    mark : str, optional
        What tells the source from others of its name, there: no other may answer.
    """

    def __init__(
        self,
        deployment: DeploymentClient,
        dataset: str,
        fields: Sequence[Field],
        revision: str,
        *,
        engine: str = "deployment",
        limits: Limits = DEFAULT_LIMITS,
        mark: str | None = None,
    ) -> None:
        self.name = make_visible(engine[:MOST_WORDS])
        self._deployment = deployment
        self._dataset = dataset
        self._fields = {field.name: field for field in fields}
        self._revision = revision
        self._told = {} if mark is None else {"mark": mark}
        self._limits = limits

    # --- questions --------------------------------------------------------------------------------------------------

    def aggregate(self, plan: Plan, timeout_s: float | None = None) -> EngineAnswer:
        """Have the deployment run the plan; see `Engine.aggregate`.

        Raises
        ------
        AnswerMismatchError [answer_mismatch]
            The rows do not have the hash that the deployment gives, or answer another plan.
        DeploymentUnavailableError, ConnectorError, SchemaRevisionMismatchError, SourceNotFoundError, PolicyDeniedError
            As the deployment says.
        """
        plan = self._rewrite_plan(plan)
        answer = self._call(self._build_call("/v1/query/execute", plan, timeout_s), QueryAnswer)
        if answer.data is None or answer.status != "ok":
            raise _mismatch_error(f"is {answer.status}, and a resolved plan was sent", plan)
        fields = list_result_fields(plan, self._fields)
        due = [(field.name, field.type, field.physical) for field in fields]
        if answer.columns is not None and [(each.name, each.type, each.physical) for each in answer.columns] != due:
            raise _mismatch_error("describes other columns", plan)
        return self._check_answer(plan, answer.data)

    def _rewrite_plan(self, plan: Plan) -> Plan:
        """Return a plan as the key may ask it: a policy of this side may hide more columns, and so another schema."""
        return seal_plan(replace(plan, schema_revision=self._revision))

    def _build_call(self, path: str, plan: Plan, timeout_s: float | None, **how: Any) -> DeploymentCall:
        body = {"plan": plan_to_json(plan) | {"source_name": self._dataset}, **self._told}
        return DeploymentCall(method="POST", path=path, body=body, timeout_s=timeout_s, **how)

    def _call(self, ask: DeploymentCall, answer: type[T]) -> T:
        """Make a call; where the source is another by now, say what to do about it on this side."""
        try:
            return self._deployment.call(ask, answer)
        except SchemaRevisionMismatchError as error:
            message = (
                f"The deployment has {describe_value(self._dataset)} with other columns than when it was connected."
            )
            raise type(error)(message, hint=ANEW, changed="columns", **error.details) from None
        except SourceChangedError as error:
            raise type(error)(error.message, hint=ANEW, **error.details) from None
        except SourceNotFoundError as error:
            if error.details.get("met") != self._dataset:  # what it reads is not there
                raise
            message = (
                f"The deployment has no source {describe_value(self._dataset)} any more, or this key may not see it."
            )
            raise type(error)(message, hint=GONE, **error.details) from None

    def _check_answer(self, plan: Plan, data: QueryData) -> EngineAnswer:
        if len(data.result) > self._limits.groups:
            raise too_many_groups_error(self._limits)
        if data.plan_hash != plan.plan_hash or data.schema_revision != plan.schema_revision:
            raise _mismatch_error("is of another plan", plan)
        if data.row_count != len(data.result) or not data.validated:
            raise _mismatch_error("counts other rows than it has, or was not validated", plan)
        names = build_result_columns(plan)
        groups = _read_groups(plan, names, self._fields, data.result)
        rows = [build_row(group, names) for group in sort_groups(groups, plan)]
        text = write_canonical_text([dict(zip(names.names, map(convert_to_json, row), strict=True)) for row in rows])
        met = digest(RESULT_DOMAIN, plan.plan_hash, text)
        if len(rows) != len(groups) or met != data.result_hash:
            raise _mismatch_error("does not have the hash that it carries", plan, met=met, expected=data.result_hash)
        told = data.provenance
        return EngineAnswer(
            groups=groups,
            method=make_visible(told.method[:MOST_WORDS]),
            engine=make_visible(told.engine[:MOST_WORDS]),
            is_cut=True,
            used=_read_used_rows(plan, groups, told),
        )

    # --- columns ----------------------------------------------------------------------------------------------------

    def read_columns(self, plan: Plan, timeout_s: float | None = None) -> list[Vector]:
        """Have the deployment read the plan's group columns, not grouped; see `Engine.columns`."""
        plan = self._rewrite_plan(plan)
        ask = self._build_call("/v1/query/columns", plan, timeout_s, most_bytes=MOST_BYTES)
        told = self._call(ask, ColumnsAnswer).columns
        lengths = {len(column.values) for column in told}
        if tuple(column.name for column in told) != plan.group_by or len(lengths) > 1:
            raise _mismatch_error("has other columns than were asked for", plan)
        if max(lengths, default=0) > MOST_ROWS:
            raise too_many_rows_error()
        for column in told:
            if column.physical != self._fields[column.name].physical:
                raise _mismatch_error(f"has {make_visible(column.name)} as {make_visible(column.physical)}", plan)
        return [self._read_checked(plan, column) for column in told]

    def _read_checked(self, plan: Plan | Inspection, column: ColumnValues) -> Vector:
        """Read a column that has the digest that it carries."""
        vector = self._read_vector(plan, column.name, column.physical, column.values)
        if hash_column(vector) != column.sha256:
            raise _mismatch_error(
                f"has values in {make_visible(column.name)} that do not have the digest that it carries", plan
            )
        return vector

    def _read_vector(self, plan: Plan | Inspection, name: str, physical: str, values: list[Any]) -> Vector:
        physical = "string" if physical == "counts" else physical
        try:
            native = list(map(find_reader(physical), values))
        except UnreadableError:
            raise _mismatch_error(f"has a value in {make_visible(name)} that is no {physical}", plan) from None
        try:
            return build_vector_of_values(physical, native)
        except OverflowError:
            raise _mismatch_error(f"has a whole number in {make_visible(name)} that is no {physical}", plan) from None

    # --- what shows the source --------------------------------------------------------------------------------------

    def inspect(
        self,
        plan: Inspection,
        fields: Sequence[Field],
        rows: int,  # noqa: ARG002  # there may be others by now
        timeout_s: float | None = None,
    ) -> list[Row]:
        """Have the deployment show columns; see `LiveEngine.inspect`.

        Raises
        ------
        AnswerMismatchError [answer_mismatch]
            They are not what the plan shows, or a column does not have the digest that it carries.
        """
        plan = rewrite_schema(plan, self._revision)
        names = [field.name for field in fields]
        told = {"source_name": self._dataset, "plan_hash": plan.plan_hash, "fields": names}
        ask = DeploymentCall(
            method="POST",
            path="/v1/query/columns",
            body={"plan": {**build_form(plan), **told}, **self._told},
            timeout_s=timeout_s,
            most_bytes=MOST_BYTES,
        )
        answer = self._call(ask, ColumnsAnswer)
        due = [(column["name"], column["physical"]) for column in list_columns(plan, fields)]
        if [(column.name, column.physical) for column in answer.columns] != due:
            raise _mismatch_error("has other columns than were asked for", plan)
        vectors = [self._read_checked(plan, column) for column in answer.columns]
        if len({len(vector.values) for vector in vectors}) > 1:
            raise _mismatch_error("has columns of several lengths", plan)
        shown = list_rows(vectors)
        if not fits_plan(plan, fields, shown):
            raise _mismatch_error("does not show what the plan asks for", plan)
        return shown

    def list_known_values(self, name: str) -> tuple[str, ...]:  # noqa: ARG002
        """List nothing: every other answer would cost a scan of somebody's database."""
        return ()

    def close(self) -> None:
        """Nothing is held; the deployment's connections are for whoever opened them to close."""


def _read_groups(
    plan: Plan, names: ResultColumns, fields: Mapping[str, Field], rows: Sequence[Mapping[str, object]]
) -> list[Group]:
    try:
        reads = [find_reader(field.physical) for field in list_result_fields(plan, fields)]
        return [_read_group(names, reads, row) for row in rows]
    except (UnreadableError, KeyError):
        raise _mismatch_error("has a value that does not fit its column's type", plan) from None


def _read_group(names: ResultColumns, reads: Sequence[Read], row: Mapping[str, object]) -> Group:
    if len(row) != len(names.names):
        raise UnreadableError
    values: list[Value] = [read(row[name]) for name, read in zip(names.names, reads, strict=True)]
    count = values[-1]
    if type(count) is not int:
        raise UnreadableError
    keys = tuple(map(_unify_nan, values[: len(names.keys)]))
    metrics = iter(values[len(names.keys) : -1])
    first, *more = (count if name == names.count else next(metrics) for name in names.measures)
    return Group(keys, count, first, tuple(more))


def _read_used_rows(plan: Plan, groups: Sequence[Group], told: QueryProvenance) -> UsedRows | None:
    """Read what the deployment says of the rows that it used, which must fit the groups; an older one says nothing."""
    counted = count_used_rows(plan, groups).count
    is_whole = plan.limit is None and not plan.having
    if told.used_rows is None:
        return UsedRows(count=counted) if is_whole else None
    metrics = {each.metric for each in plan.measures}
    is_null_count = all(name in metrics and 0 < count <= told.used_rows for name, count in told.dropped.items())
    if told.used_rows < counted or (is_whole and told.used_rows != counted) or not is_null_count:
        raise _mismatch_error("counts other rows than its groups have", plan)
    return UsedRows(count=told.used_rows, nulls=told.dropped)


def _unify_nan(key: Value) -> Value:
    """Return a group's key; all NaN are one object, as every engine has them."""
    return math.nan if isinstance(key, float) and key != key else key


def _mismatch_error(what: str, plan: Plan | Inspection, **details: object) -> ServiceError:
    return AnswerMismatchError(
        f"The deployment's answer {what}.",
        hint="It is not used. Ask again; if that does not help, use the same release on both sides.",
        plan_hash=plan.plan_hash,
        **details,
    )
