"""The shapes of the query plane: specs, plans and groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from service_nb.schema.source import Value

AggregationName = Literal[
    "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"
]
AGGREGATIONS: tuple[AggregationName, ...] = get_args(AggregationName)

ComparisonOp = Literal["eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"]
ListOp = Literal["in", "not_in"]
RangeOp = Literal["between"]
NullOp = Literal["is_null", "is_not_null"]
Op = Literal[ComparisonOp, ListOp, RangeOp, NullOp]
Order = Literal["asc", "desc"]
Joiner = Literal["all", "any"]
JOINERS: tuple[Joiner, ...] = get_args(Joiner)
Period = Literal["this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year"]
PERIODS: tuple[Period, ...] = get_args(Period)

InspectionKind = Literal["preview", "profile"]
InspectionOrder = Literal["columns"]  # by each column in turn, ascending, nulls last
DateUnit = Literal["day", "week", "month", "quarter", "year"]
DATE_UNITS: tuple[DateUnit, ...] = get_args(DateUnit)

Status = Literal["ok", "needs_clarification", "rejected"]
DecisionPath = Literal["exact_spec", "normalized_name", "alias"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition. `operand` is None for is_null and is_not_null, a tuple for in, not_in and between.

    That of a filter is of a column. That of `having` is of a measure, and `column` is how an ask line spells it.
    """

    column: str
    op: Op
    operand: Any = None
    measure: AskedMeasure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionGroup:
    """Conditions of which all have to hold, or any: two or more, and no group of the same kind among them."""

    joiner: Joiner
    parts: tuple[ConditionTree, ...]


ConditionTree: TypeAlias = Condition | ConditionGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """A calendar period relative to the moment of asking."""

    column: str
    period: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMeasure:
    """One aggregation of a question that asks for several: of a column, or of the rows.

    `percent` belongs to percentiles.
    """

    aggregation: AggregationName
    metric: str | None = None
    percent: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateKey:
    """A group key: the first day of the period in which a date or a time lies. Weeks begin on Monday.

    `zone` is whose days they are, of instants; None is UTC.
    """

    column: str
    unit: DateUnit
    zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BinKey:
    """A group key: the lower edge of the bin in which a number lies; edges are the multiples of `width`."""

    column: str
    width: Decimal


GroupKey = str | DateKey | BinKey  # a text is a column, whose values are the keys


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """A typed question, well-formed but not yet resolved against any source.

    `more` are the measures after the first, which is `aggregation` and `metric`. `order_by` names a column of the
    result; where it does and `order` is None, a key is ordered ascending and a measure descending. Where both are None,
    the groups are a series (`group_keys.form_series`) in the order of its keys.
    `having` are conditions on the measures of a group.
    `variables` are notes on what stood in place of values that conditions have.
    """

    metric: str | None = None
    aggregation: AggregationName | None = None
    percent: Decimal | None = None
    more: tuple[AskedMeasure, ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    conditions: tuple[ConditionTree, ...] = ()
    time_filter: TimeFilter | None = None
    having: tuple[ConditionTree, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    order_by: str | None = None
    order: Order | None = "desc"
    limit: int | None = None
    source_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question resolved against one schema. Its meaning never changes: relative dates and defaults are resolved.

    Conditions hold resolved column names and typed operands (int, float, Decimal, str, bool, date, datetime, or a
    tuple of them). `notes` (for example the clock behind a relative period) are kept but not part of the hash.

    Most questions have one measure, `aggregation` and `metric` (and `percent`); `more` are those after it. `order_by`
    is None where the first measure orders the result. `having` decides by finished values which groups are in the
    result: engines compute all of them and do not know it.
    """

    aggregation: AggregationName
    metric: str | None = None
    percent: Decimal | None = None
    more: tuple[AskedMeasure, ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    conditions: tuple[ConditionTree, ...] = ()
    having: tuple[ConditionTree, ...] = ()
    order_by: str | None = None
    order: Order = "desc"
    limit: int | None = None
    source_name: str = ""
    schema_revision: str = ""
    decision_path: DecisionPath = "exact_spec"
    plan_hash: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[AskedMeasure, ...]:
        """All measures, the first among them."""
        return (AskedMeasure(aggregation=self.aggregation, metric=self.metric, percent=self.percent), *self.more)

    def split(self) -> tuple[Plan, ...]:
        """Return the plans of each measure alone, for engines that compute one at a time; without hashes of theirs."""
        return tuple(
            replace(
                self,
                aggregation=each.aggregation,
                metric=each.metric,
                percent=each.percent,
                more=(),
                having=(),
                order_by=None,
            )
            for each in self.measures
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A plan that shows a source and asks nothing of it: its first rows, or what each column holds."""

    inspect: InspectionKind
    limit: int | None = None  # rows of a preview
    order: InspectionOrder | None = None  # of a preview; None: the source's own
    source_name: str
    schema_revision: str
    plan_hash: str = ""
    decision_path: DecisionPath = "exact_spec"
    notes: Mapping[str, str] = field(default_factory=dict)


class Group(NamedTuple):
    """One group of a result: its key values, its rows, its aggregate. A tuple, because there may be a million.

    `more` are the values of the measures after the first; `nulls` counts those that each measure leaves out, and is
    empty where none does.
    """

    keys: tuple[Value, ...]
    rows: int
    value: Value
    more: tuple[Value, ...] = ()
    nulls: tuple[int, ...] = ()
