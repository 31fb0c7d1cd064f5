"""The shapes of a card's hashed texts: specs, plans, calls, definitions and provenance."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

from service_nb.schema.card import Column
from service_nb.schema.compute import Tier
from service_nb.schema.condition_texts import ConditionText, HavingText, MeasureText
from service_nb.schema.entry import Input
from service_nb.schema.primitives import Anything, Hash, Items, Members, Name, Percent, Whole, Width
from service_nb.schema.query import (
    AggregationName,
    DateUnit,
    InspectionKind,
    InspectionOrder,
    Order,
)
from service_nb.schema.reading_notes import ReadingNoteText


class PeriodText(TypedDict):
    """A calendar period, as it was asked for."""

    column: Name
    period: str


class FilterText(TypedDict, total=False):
    """The filter of a question."""

    conditions: list[ConditionText]
    time_filter: PeriodText


class PlanFilterText(TypedDict):
    """The filter of a plan: no period is left in it."""

    conditions: list[ConditionText]


class KeyText(TypedDict):
    """A group key made of a column: the period of a date, or the bin of a number; it has one of the two."""

    column: Name
    unit: NotRequired[DateUnit]
    width: NotRequired[Width]
    zone: NotRequired[Name]  # of a unit


class SpecText(TypedDict, total=False):
    """A question as it was asked."""

    aggregation: AggregationName
    metric: Name
    percent: Percent
    measures: list[MeasureText]
    group_by: list[Name | KeyText]
    filter: FilterText
    having: HavingText
    order_by: Name
    order: Order
    limit: Whole
    source_name: Name


class PlanText(TypedDict):
    """A plan, as `plan_hash` covers it: it has an aggregation, or several measures."""

    order: Order
    schema_revision: Hash
    aggregation: NotRequired[AggregationName]
    metric: NotRequired[Name]
    percent: NotRequired[Percent]
    measures: NotRequired[list[MeasureText]]
    group_by: NotRequired[list[Name | KeyText]]
    order_by: NotRequired[Name]
    filter: NotRequired[PlanFilterText]
    having: NotRequired[HavingText]
    limit: NotRequired[Whole]


class InspectionText(TypedDict):
    """A plan that shows a source, as `plan_hash` covers it."""

    inspect: InspectionKind
    schema_revision: Hash
    limit: NotRequired[Whole]
    order: NotRequired[InspectionOrder]


class AnswerProvenance(TypedDict):
    """The provenance of a question's answer."""

    columns: list[Column]
    decision_path: str
    engine: str
    method: str
    notes: dict[str, str]
    row_count: Whole
    shown_rows: Whole
    sources: Annotated[list[Input], Meta(min_length=1, max_length=1)]
    used_rows: NotRequired[Whole]  # that met the conditions
    dropped: NotRequired[dict[Name, Whole]]  # nulls that were left out, by column
    reading_notes: NotRequired[list[ReadingNoteText]]  # what the reader decided of what was used


class BoundColumns(TypedDict):
    """Columns of a source that a computation read."""

    source_name: Name
    fields: list[Name]
    parameters: list[Name]
    input_hash: Hash
    input_hashes: NotRequired[list[Hash]]
    schema_revision: NotRequired[Anything]
    row_count: NotRequired[Anything]
    dropped: NotRequired[Anything]
    source_rows: NotRequired[Whole]  # of the source, unless it is live
    filter: NotRequired[Anything]


class RunProvenance(TypedDict):
    """The provenance of a computation."""

    bindings: list[BoundColumns]
    determinism: Members
    sources: list[Input]
    reading_notes: NotRequired[list[ReadingNoteText]]  # what the readers decided of what was used


class ResolvedBinding(TypedDict):
    """A bound parameter in the identity of a call."""

    input_hash: Hash


class CallIdentity(TypedDict):
    """The identity of a call, as `invocation_hash` covers it."""

    args: Items
    contract_hash: str
    execution_scope: str
    function: Name
    kwargs: Members
    module: Name
    resolved_bindings: list[ResolvedBinding | None]
    seed: Whole | None


class ValueType(TypedDict):
    """The type of one value of a result."""

    type: str
    unit: str
    about: NotRequired[str]
    name: NotRequired[str]
    shape: NotRequired[list[str]]
    range: NotRequired[str]  # where every value lies


class RecordType(TypedDict):
    """The type of a result that has named values."""

    type: Literal["record"]
    fields: dict[str, ValueType]
    about: NotRequired[str]


class ParameterEntry(TypedDict):
    """A parameter, as the contract has it."""

    name: Name
    type: str
    unit: str
    about: NotRequired[str]
    shape: NotRequired[list[str]]
    domain: NotRequired[Anything]
    symbol: NotRequired[Anything]
    min_size: NotRequired[Anything]
    structure: NotRequired[str]
    choices: NotRequired[Anything]
    default: NotRequired[Anything]


class CapabilityEntry(TypedDict):
    """A capability, as the contract has it."""

    id: Name
    module: Name
    function: Name
    summary: Name
    source: Name
    version: Whole
    tier: Tier
    grade: NotRequired[Name]  # of evidence; contracts before it have none, later ones may have others
    params: list[ParameterEntry]
    result: RecordType | ValueType
    formula: NotRequired[str]
    latex: NotRequired[str]
    call: NotRequired[str]
    entry: NotRequired[str]
    requires: NotRequired[Items]
    limits: NotRequired[Members]
    compares: NotRequired[list[Name]]  # parameters that are set against each other


class Definition(TypedDict):
    """A contract entry and the proof that the contract has it, as `definition_hash` covers them."""

    capability: CapabilityEntry
    index: Whole
    proof: list[Hash]
    size: Whole
