"""The shapes of conditions in hashed texts: on columns, of rows, and on measures, of groups."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from service_nb.schema.primitives import Name, Percent, Scalar
from service_nb.schema.query import AggregationName, ComparisonOp, ListOp, NullOp, RangeOp


class ComparisonText(TypedDict):
    """A column compared with one value."""

    column: Name
    op: ComparisonOp
    value: Scalar


class ListText(TypedDict):
    """A column compared with a list of values."""

    column: Name
    op: ListOp
    values: list[Scalar]


class RangeText(TypedDict):
    """A column between two values, both included."""

    column: Name
    op: RangeOp
    values: Annotated[list[Scalar], Meta(min_length=2, max_length=2)]


class NullText(TypedDict):
    """A column that holds null, or does not."""

    column: Name
    op: NullOp


class AnyText(TypedDict):
    """Conditions of which one holds, or more."""

    any: Annotated[list[ConditionText], Meta(min_length=2)]


class AllText(TypedDict):
    """Conditions that all hold, as one of several alternatives."""

    all: Annotated[list[ConditionText], Meta(min_length=2)]


ConditionText: TypeAlias = Annotated[
    AnyText | AllText | NullText | ListText | RangeText | ComparisonText, Meta(title="ConditionText")
]


class MeasureText(TypedDict):
    """One of several aggregations that are asked for."""

    aggregation: AggregationName
    metric: NotRequired[Name]
    percent: NotRequired[Percent]


class HavingValue(MeasureText):
    """A measure compared with one value."""

    op: ComparisonOp
    value: Scalar


class HavingList(MeasureText):
    """A measure compared with a list of values."""

    op: ListOp
    values: list[Scalar]


class HavingRange(MeasureText):
    """A measure between two values, both included."""

    op: RangeOp
    values: Annotated[list[Scalar], Meta(min_length=2, max_length=2)]


class HavingNull(MeasureText):
    """A measure that is null, or is not."""

    op: NullOp


class HavingAny(TypedDict):
    """Conditions on measures of which one holds, or more."""

    any: Annotated[list[HavingCondition], Meta(min_length=2)]


class HavingAll(TypedDict):
    """Conditions on measures that all hold, as one of several alternatives."""

    all: Annotated[list[HavingCondition], Meta(min_length=2)]


HavingCondition: TypeAlias = Annotated[
    HavingAny | HavingAll | HavingNull | HavingList | HavingRange | HavingValue,
    Meta(title="HavingCondition"),
]


class HavingText(TypedDict):
    """Conditions that all hold of each group in a result."""

    conditions: Annotated[list[HavingCondition], Meta(min_length=1)]
