"""Resolve a well-formed question to a plan, a request for clarification, or a rejection. Never a guess.

The resolver is given views of sources from which everything the policy denies has been left out already, so it cannot
name, suggest or compare with what it does not know.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from service_nb.core.words import describe_value
from service_nb.core.zones import is_utc
from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import Aggregation, Measure
from service_nb.query.condition_groups import change_leaves, join_conditions, list_leaves, sort_conditions
from service_nb.query.conditions import (
    OPERATORS,
    OperandError,
    bind_condition,
    build_period_conditions,
    list_rounded_operands,
)
from service_nb.query.group_keys import explain_misfit, form_series, get_key_column
from service_nb.query.measures import build_measure_field, spell_measure
from service_nb.query.offers import Offers
from service_nb.query.plan import build_result_columns, seal_plan
from service_nb.query.policy import describe_denied_field
from service_nb.query.refusals import Refusal, Resolution, Way
from service_nb.query.similar_names import MOST_SEARCHED, find_similar_names, match_name
from service_nb.query.spec import MAX_MEASURES
from service_nb.query.text_columns import ORDER_RULE, explain_cause, explain_order
from service_nb.schema.query import (
    AskedMeasure,
    Condition,
    ConditionTree,
    DateKey,
    DecisionPath,
    GroupKey,
    Order,
    Plan,
    QuerySpec,
)
from service_nb.schema.source import FIELD_TYPES, Field, TypeReason
from service_nb.schema.text_order import LETTERS_NOTE, OTHER_TEXT, UNKNOWN_ORDER, TextOrder

CONFIDENCE: Mapping[DecisionPath, float] = {"exact_spec": 1, "alias": 1, "normalized_name": 0.9}
MOST_REFUSALS = 5  # of one question: looking for similar names in a wide source takes time, and nobody reads more
_PATHS: tuple[DecisionPath, ...] = ("exact_spec", "alias", "normalized_name")  # weakest last
_MOST_ROUNDED = 3  # operands of a column that a note names
_DIGIT = re.compile("[0-9]")
_PERCENTS = (50, 90, 95, 99)  # that are offered to a percentile without one
ORDERED = (Measure.LEAST, Measure.GREATEST, Measure.MIDDLES)
_SOURCES, _COLUMNS = "sources are named", "columns are named exactly"


def find_no_order(_: str) -> TextOrder:
    """Take the texts of every column for names, whose letters may be compared."""
    return OTHER_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A source as resolution sees it: allowed fields only. `restricted`: an allow-list of fields is in force.

    `find_text_order` tells of a column of text what its values read as, and is asked only where that matters;
    `reasons` tell why columns are text.
    """

    name: str
    fields: Mapping[str, Field]
    schema_revision: str
    row_count: int
    aliases: Mapping[str, str]
    restricted: bool
    find_text_order: Callable[[str], TextOrder] = find_no_order
    reasons: Mapping[str, TypeReason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The allowed sources by name. `restricted` says that an allow-list of sources is in force."""

    sources: Mapping[str, SourceView]
    restricted: bool


def resolve(
    spec: QuerySpec,
    catalog: Catalog,
    now: datetime.datetime,
    unknown: tuple[Refusal, ...] = (),
    *,
    is_stored: bool = False,
) -> Resolution:
    """Return the plan of a question, or every reason why there is none.

    Parameters
    ----------
    unknown : tuple of Refusal
        Of values that the question was read without, because they are none of their choices.
    is_stored : bool
        Whether it is that of a stored plan, which means what it meant when it was made: it may compare letters.
    now : datetime
        The caller's clock with its zone; relative periods are made absolute by its date.
    """
    near: dict[tuple[str, str], list[str]] = {}

    def bind(question: QuerySpec) -> Resolution:
        source = _find_source(question, catalog)
        if isinstance(source, Refusal):
            return Resolution(refusals=(source,))
        named = replace(question, source_name=source.name)
        view = replace(source, find_text_order=find_no_order) if is_stored else source
        return _Binder(spec=named, source=view, now=now, near=near).bind()

    resolution = bind(spec)
    if unknown:
        resolution = Resolution(refusals=(*unknown, *(each for each in resolution.refusals if not _is_implied(each))))
    if resolution.status != "needs_clarification":
        return resolution
    offers = Offers(bind)
    refusals = [replace(each, candidates=offers.find_candidates(each.ways)) for each in resolution.refusals]
    if not any(refusal.candidates for refusal in refusals):  # no similar name resolves: nothing is to be clarified
        refusals = [_convert_to_rejection(each) if each.ways and not each.missing else each for each in refusals]
    return Resolution(refusals=tuple(refusals))


def _is_implied(refusal: Refusal) -> bool:
    """Tell whether a refusal is of the aggregation that the question was read without."""
    return refusal.missing == "aggregation"


def _convert_to_rejection(refusal: Refusal) -> Refusal:
    if refusal.unknown is not None:
        slot = refusal.unknown[0]
        return replace(refusal, status="rejected", code=f"unknown_{slot}", rule=f"{slot}s are named exactly", ways=())
    code, rule = ("unknown_source", _SOURCES) if refusal.name is None else ("unknown_field", _COLUMNS)
    return replace(refusal, status="rejected", code=code, rule=rule, ways=())


def _find_source(spec: QuerySpec, catalog: Catalog) -> SourceView | Refusal:
    known = catalog.sources
    if spec.source_name is None:
        if len(known) == 1:
            return next(iter(known.values()))
        if not known:
            return Refusal(
                status="rejected", code="no_source", reason="No source is registered.", rule="a question needs a source"
            )
        return Refusal(
            status="needs_clarification",
            reason=f"{len(known)} sources are registered and the question names none.",
            missing="source_name",
            ways=tuple(_build_way(spec, "source_name", name, "source", source_name=name) for name in sorted(known)),
        )
    if spec.source_name in known:
        return known[spec.source_name]
    near = find_similar_names(spec.source_name, known)
    if catalog.restricted:
        return Refusal(
            status="rejected",
            code="policy_denied_source",
            reason=f"The policy does not allow the source {describe_value(spec.source_name)}.",
            rule="allowed_sources",
            did_you_mean=tuple(near),
        )
    if near:
        return Refusal(
            status="needs_clarification",
            reason=f"No source is named {describe_value(spec.source_name)}; some have similar names.",
            did_you_mean=tuple(near),
            ways=tuple(_build_way(spec, "source_name", name, "source", source_name=name) for name in near),
        )
    return Refusal(
        status="rejected",
        code="unknown_source",
        reason=f"No source is named {describe_value(spec.source_name)}.",
        rule=_SOURCES,
    )


def _build_way(spec: QuerySpec, slot: str, name: str, kind: str, **changes: Any) -> Way:
    return Way(slot=slot, name=name, type=kind, spec=replace(spec, **changes))


Suits = Callable[[Field], bool]
ROWS = AskedMeasure(aggregation="count")
Bound = tuple[Condition, ...]
BindCondition = Callable[[Condition], Bound]


@dataclass(slots=True, kw_only=True)
class _Binder:
    """Binds the parts of one question to one source, noting every refusal on the way."""

    spec: QuerySpec
    source: SourceView
    now: datetime.datetime
    near: dict[tuple[str, str], list[str]]  # similar names, which take time to find
    letters: dict[str, None] = field(default_factory=dict)  # columns that are compared letter by letter
    rounded: dict[str, dict[str, None]] = field(default_factory=dict)  # operands of columns of doubles, in words
    refusals: list[Refusal] = field(default_factory=list)
    path: DecisionPath = "exact_spec"

    def bind(self) -> Resolution:
        measures = self._bind_measures()
        group_by = tuple(self._bind_key(key) for key in self.spec.group_by)
        conditions = self._bind_conditions()
        having = self._bind_having(measures)
        self._refuse_doubles(measures, group_by)
        if self.refusals:
            return Resolution(refusals=tuple(self.refusals))
        plan = Plan(
            source_name=self.source.name,
            schema_revision=self.source.schema_revision,
            aggregation=measures[0].aggregation,
            metric=measures[0].metric,
            percent=measures[0].percent,
            more=tuple(measures[1:]),
            group_by=tuple(key for key in group_by if key is not None),
            conditions=conditions,
            having=having,
            order=self.spec.order or "desc",
            limit=self.spec.limit,
            decision_path=self.path,
            plan_hash="",
            notes={**self.spec.variables, **self._note_clock(), **self._note_zones(conditions)},
        )
        ordered = self._bind_order(plan)
        if ordered is None:
            return Resolution(refusals=tuple(self.refusals))
        letters = {LETTERS_NOTE: ", ".join(self.letters)} if self.letters else {}
        notes = {**ordered.notes, **letters, **self._note_rounded()}
        return Resolution(plan=seal_plan(replace(ordered, notes=notes)))

    def _bind_measures(self) -> list[AskedMeasure]:
        """Bind what is asked for; a measure that cannot be bound leaves a refusal in its place."""
        name = self.spec.aggregation
        if name is None:
            self._refuse_no_aggregation()
            self._bind_metric(None, self.spec.metric)
            return []
        bound = []
        first = AskedMeasure(aggregation=name, metric=self.spec.metric, percent=self.spec.percent)
        for place, each in enumerate((first, *self.spec.more)):
            metric = self._bind_metric(RECORDS[each.aggregation], each.metric)
            self._refuse_no_percent(each, place)
            bound.append(replace(each, metric=None if metric is None else metric.name))
        return bound

    def _refuse_no_percent(self, measure: AskedMeasure, place: int) -> None:
        if measure.percent is not None or not RECORDS[measure.aggregation].takes_percent:
            return
        ways = []
        for percent in map(Decimal, _PERCENTS):
            more = [
                replace(each, percent=percent) if at == place else each for at, each in enumerate(self.spec.more, 1)
            ]
            first = self.spec.percent if place else percent
            ways.append(_build_way(self.spec, "percent", f"{percent:f}", "number", percent=first, more=tuple(more)))
        reason = "The question names no percent, and none is the default."
        self.refusals.append(Refusal(status="needs_clarification", reason=reason, missing="percent", ways=tuple(ways)))

    def _refuse_no_aggregation(self) -> None:
        named = self.source.fields.get(self.spec.metric or "")
        fit = (name for name, record in RECORDS.items() if named is None or named.type in record.accepts)
        choices = [name for name in fit if not RECORDS[name].takes_percent]  # a percent would be a second slot
        reason = "The question names no aggregation, and none is the default."
        self._clarify(reason, "aggregation", dict.fromkeys(choices, "aggregation"), missing="aggregation")

    def _bind_metric(self, record: Aggregation | None, name: str | None, slot: str = "metric") -> Field | None:
        if name is None:
            if record is not None and record.rows_step is None:
                fields = sorted(self.source.fields.values(), key=lambda each: each.name != self.spec.metric)
                options = {each.name: each.type for each in fields if each.type in record.accepts}
                reason = f"{record.name} needs a column, and the question names none."
                self._clarify(reason, slot, options, missing="metric")
            return None
        accepts = FIELD_TYPES if record is None else record.accepts
        metric = self._bind_column(name, slot, lambda column: column.type in accepts)
        if metric is not None and record is not None and metric.type not in accepts:
            reason = f"{record.name} needs {record.needs}; {metric.name} is {metric.type}."
            self._reject_type(metric, reason, "aggregations fit their column")
        elif metric is not None and record is not None and record.measure in ORDERED:
            self._require_order(metric, record.name)
        return metric

    def _require_order(self, column: Field, what: str, operands: Iterable[object] = ()) -> bool:
        """Refuse the order of letters where it is not that of what the texts of a column read as."""
        order = self._find_text_order(column)
        reason = None if order is None else explain_order(column.name, order, what, operands)
        if order is None or reason is None:
            self.letters |= {column.name: None} if order == UNKNOWN_ORDER else {}
        else:
            self._reject_type(column, reason, ORDER_RULE)
        return reason is None

    def _note_letters(self, column: Field, operands: Iterable[object]) -> None:
        """Note a column whose texts read as numbers or dates, and are the same as others by their letters alone."""
        if not any(isinstance(each, str) and _DIGIT.search(each) for each in operands):
            return  # no text that reads so, and the column need not be looked at
        order = self._find_text_order(column)
        if order is not None and explain_order(column.name, order, "", operands) is not None:
            self.letters |= {column.name: None}

    def _find_text_order(self, column: Field) -> TextOrder | None:
        return self.source.find_text_order(column.name) if column.type == "string" else None

    def _reject_type(self, column: Field | None, reason: str, rule: str) -> None:
        """Refuse a column of the wrong type; of text it is told why it is text."""
        order = None if column is None else self._find_text_order(column)
        if column is None or order is None:
            self._reject("type_mismatch", reason, rule)
            return
        cause = explain_cause(column.name, order, self.source.reasons.get(column.name), rule)
        self._reject("type_mismatch", reason + cause, rule, column=column.name)

    def _bind_key(self, key: GroupKey) -> GroupKey | None:
        field = self._bind_column(get_key_column(key), "group_by")
        if field is None:
            return None
        if isinstance(key, str):
            return field.name
        if (misfit := explain_misfit(key, field)) is not None:
            self._reject_type(field, misfit, "group keys fit their column")
        if isinstance(key, DateKey) and key.zone is not None and is_utc(key.zone):
            key = replace(key, zone=None)
        return replace(key, column=field.name)

    def _bind_order(self, plan: Plan) -> Plan | None:
        """Return the plan with its order; None where `order_by` names no column of the result."""
        name, columns = self.spec.order_by, build_result_columns(plan)
        if name is None:
            is_series = self.spec.order is None and form_series(plan.group_by, plan.limit)
            return replace(plan, order_by=columns.keys[0], order="asc") if is_series else plan
        path, found = match_name(name, dict.fromkeys(columns.names), {})
        if len(found) != 1:
            self._refuse_order(name, columns.names)
            return None
        default: Order = "asc" if found[0] in columns.keys else "desc"
        key = plan.group_by[columns.keys.index(found[0])] if found[0] in columns.keys else None
        if isinstance(key, str) and not self._require_order(self.source.fields[key], "order by"):
            return None
        return replace(
            plan,
            order_by=None if found[0] == columns.measures[0] else found[0],
            order=self.spec.order or default,
            decision_path=max(self.path, path, key=_PATHS.index),
        )

    def _refuse_order(self, name: str, names: tuple[str, ...]) -> None:
        """Refuse what no column of the result is called; those that there are, are the question's own words."""
        near = find_similar_names(name, names)
        listed = ", ".join(map(describe_value, names))
        reason = f"order_by is {describe_value(name)}; the result has the columns {listed}."
        if not near:
            self._reject("unknown_field", reason, "order_by names a column of the result", list(names))
            return
        ways = [_build_way(self.spec, "order_by", each, "column", order_by=each) for each in near]
        self.refusals.append(
            Refusal(status="needs_clarification", reason=reason, did_you_mean=tuple(near), ways=tuple(ways))
        )

    def _bind_column(self, name: str, slot: str, suits: Suits | None = None) -> Field | None:
        if len(self.refusals) >= MOST_REFUSALS:
            return None
        path, found = match_name(name, self.source.fields, self.source.aliases)
        if len(found) == 1:
            self.path = max(self.path, path, key=_PATHS.index)
            return self.source.fields[found[0]]
        near = list(found or self._find_similar(name))
        if suits is not None:
            near.sort(key=lambda other: not suits(self.source.fields[other]))  # stable: the fitting ones first
        if self.source.restricted:
            self._reject(
                "policy_denied_field", describe_denied_field(self.source.name, name), "allowed_fields", near, name
            )
        elif not near:
            self._reject(
                "unknown_field", f"{self.source.name} has no column {describe_value(name)}.", _COLUMNS, None, name
            )
        else:
            why = "is the folded name of several" if len(found) > 1 else "is no column, but similar names are"
            reason = f"{describe_value(name)} {why} in {self.source.name}."
            options = {other: self.source.fields[other].type for other in near}
            self._clarify(reason, slot, options, name=name, did_you_mean=tuple(near))
        return None

    def _find_similar(self, name: str) -> list[str]:
        key = (self.source.name, name)
        if key not in self.near:
            if len(self.near) >= MOST_SEARCHED:
                return []
            self.near[key] = find_similar_names(name, self.source.fields)
        return self.near[key]

    def _clarify(self, reason: str, slot: str, choices: Mapping[str, str], **how: Any) -> None:
        """Note that one of some names, each with its type, has to stand in a slot."""
        ways = [
            _build_way(self.spec, slot, other, kind, **self._replace_name(slot, how.get("name"), other))
            for other, kind in choices.items()
        ]
        self.refusals.append(Refusal(status="needs_clarification", reason=reason, ways=tuple(ways), **how))

    def _replace_name(self, slot: str, name: str | None, other: str) -> dict[str, object]:
        match slot:
            case "aggregation":
                return {"aggregation": other, "percent": None}
            case "metric":
                more = [self._replace_metric(each, name, other) for each in self.spec.more]
                first = other if self.spec.metric == name and not self._is_row_count(self.spec) else self.spec.metric
                return {"metric": first, "more": tuple(more)}
            case "group_by":
                keys = (_replace_column(key, name, other) for key in self.spec.group_by)
                return {"group_by": (other,) if name is None else tuple(dict.fromkeys(keys))}
            case "having":
                change = partial(self._replace_measured, name=name, other=other)
                return {"having": tuple(change_leaves(each, change) for each in self.spec.having)}
        time_filter = self.spec.time_filter
        if time_filter is not None and time_filter.column == name:
            time_filter = replace(time_filter, column=other)
        conditions = tuple(
            change_leaves(tree, lambda each: replace(each, column=other) if each.column == name else each)
            for tree in self.spec.conditions
        )
        return {"conditions": conditions, "time_filter": time_filter}

    def _replace_metric(self, measure: AskedMeasure, name: str | None, other: str) -> AskedMeasure:
        is_meant = measure.metric == name and not self._is_row_count(measure)
        return replace(measure, metric=other) if is_meant else measure

    def _replace_measured(self, condition: Condition, name: str | None, other: str) -> Condition:
        measure = self._replace_metric(condition.measure or ROWS, name, other)
        return replace(condition, measure=measure, column=spell_measure(measure))

    @staticmethod
    def _is_row_count(measure: AskedMeasure | QuerySpec) -> bool:
        """Tell whether a measure needs no column; where the aggregation is missing too, nobody knows."""
        record = RECORDS.get(measure.aggregation or "")
        return measure.metric is None and record is not None and record.rows_step is not None

    def _bind_conditions(self) -> tuple[ConditionTree, ...]:
        bound = self._bind_trees(self.spec.conditions, self._bind_condition)
        period = self.spec.time_filter
        if period is not None:
            column = self._bind_column(period.column, "filter", lambda f: f.type in ("date", "datetime"))
            if column is not None:
                today = self.now.date()
                bound += self._bind_or_reject(lambda: build_period_conditions(column, period.period, today), column)
        return sort_conditions("all", bound)

    def _bind_condition(self, condition: Condition) -> tuple[Condition, ...]:
        column = self._bind_column(condition.column, "filter")
        if column is None:
            return ()
        bound = self._bind_operands(condition, column, column)
        record, operand = OPERATORS[condition.op], condition.operand
        operands = operand if isinstance(operand, tuple) else (operand,)
        if bound and record.is_ordered:
            self._require_order(column, record.ask[0], operands)
        elif bound and record.takes in ("one", "list"):
            self._note_letters(column, operands)
        return bound

    def _bind_having(self, measures: Sequence[AskedMeasure]) -> tuple[ConditionTree, ...]:
        """Bind conditions on measures, once these are bound themselves."""
        if not self.spec.having or self.refusals:
            return ()
        if not self.spec.group_by:
            options = {name: each.type for name, each in self.source.fields.items()}
            reason = "having keeps some of several groups, and the question groups by nothing."
            self._clarify(reason, "group_by", options, missing="group_by")
        return sort_conditions("all", self._bind_trees(self.spec.having, partial(self._bind_measured, measures)))

    def _bind_measured(self, measures: Sequence[AskedMeasure], condition: Condition) -> tuple[Condition, ...]:
        """Bind a condition to a measure that the question asks for; the count of rows is in every answer."""
        asked = condition.measure or ROWS
        metric = self._bind_metric(RECORDS[asked.aggregation], asked.metric, "having")
        measure = replace(asked, metric=None if metric is None else metric.name)
        if metric is None and not (asked.metric is None and self._is_row_count(asked)):
            return ()
        if metric is not None and measure not in measures:
            self._refuse_unasked(measure)
            return ()
        field = build_measure_field(spell_measure(measure), measure, self.source.fields)
        return self._bind_operands(replace(condition, measure=measure), field, metric)

    def _refuse_unasked(self, measure: AskedMeasure) -> None:
        """Refuse a condition on what the question does not ask for, and offer the question that asks for it too."""
        words = spell_measure(measure)
        reason = f"having compares {words}, and the question does not ask for it."
        more = (*self.spec.more, measure)
        ways = [_build_way(self.spec, "measures", words, "aggregation", more=more)] if len(more) < MAX_MEASURES else []
        self.refusals.append(Refusal(status="needs_clarification", reason=reason, missing="measures", ways=tuple(ways)))

    def _bind_trees(self, trees: Iterable[ConditionTree], bind: BindCondition) -> list[ConditionTree]:
        """Bind conditions that all have to hold; of those that cannot be bound there is a refusal."""
        return [bound for tree in trees for bound in self._bind_tree(tree, bind)]

    def _bind_tree(self, tree: ConditionTree, bind: BindCondition) -> Sequence[ConditionTree]:
        if isinstance(tree, Condition):
            return bind(tree)
        if tree.joiner == "all":
            return self._bind_trees(tree.parts, bind)
        parts = [sort_conditions("all", bound) for part in tree.parts if (bound := self._bind_tree(part, bind))]
        joined = [join_conditions("all", part) for part in parts]
        return [join_conditions("any", sort_conditions("any", joined))] if joined else ()

    def _bind_operands(self, condition: Condition, field: Field, column: Field | None) -> tuple[Condition, ...]:
        """Bind a condition to its column or measure, and remember which operands no double of it equals."""
        bound = self._bind_or_reject(lambda: bind_condition(condition, field), column)
        if bound and (told := list_rounded_operands(condition, field)):
            self.rounded.setdefault(field.name, {}).update(dict.fromkeys(told))
        return bound

    def _bind_or_reject(self, bind: Callable[[], Bound], column: Field | None) -> Bound:
        try:
            return bind()
        except OperandError as error:
            self._reject_type(column, f"{str(error)[0].upper()}{str(error)[1:]}.", "operands fit their column")
            return ()

    def _refuse_doubles(self, measures: list[AskedMeasure], group_by: tuple[GroupKey | None, ...]) -> None:
        keys = [key for key in group_by if key is not None]
        for name in sorted({get_key_column(key) for key in keys if keys.count(key) > 1}):
            self._reject("duplicate_field", f"group_by names {name} twice.", "a column groups once")
        if not self.refusals and len(set(measures)) < len(measures):
            twice = next(each for each in measures if measures.count(each) > 1)
            reason = f"measures names {spell_measure(twice)} twice."
            self._reject("duplicate_field", reason, "a measure is asked for once")

    def _reject(
        self,
        code: str,
        reason: str,
        rule: str,
        near: list[str] | None = None,
        name: str | None = None,
        *,
        column: str | None = None,
    ) -> None:
        refusal = Refusal(status="rejected", code=code, reason=reason, rule=rule, name=name, column=column)
        self.refusals.append(replace(refusal, did_you_mean=tuple(near or ())))

    def _note_zones(self, conditions: tuple[ConditionTree, ...]) -> Mapping[str, str]:
        """Note of which zone the times of conditions are; the heads of the result say it of what it shows."""
        names = dict.fromkeys(each.column for each in list_leaves(conditions))
        zones = {name: zone for name in names if (zone := self.source.fields[name].zone) is not None}
        return {f"times of {name}": f"in {zone}" for name, zone in zones.items()}

    def _note_rounded(self) -> Mapping[str, str]:
        """Note which operands are compared as the nearest double, because they are no number that the column has."""
        notes = {}
        for name, each in self.rounded.items():
            told, more = list(each)[:_MOST_ROUNDED], len(each) - _MOST_ROUNDED
            listed = ", ".join([*told, *([f"{more:,} more"] if more > 0 else [])])
            notes[f"compared with {name}"] = f"{listed}, the nearest double{'s' if len(each) > 1 else ''}"
        return notes

    def _note_clock(self) -> Mapping[str, str]:
        period = self.spec.time_filter
        if period is None:
            return {}
        return {
            "period": f"{period.period} of {period.column}",
            "clock": self.now.isoformat(timespec="seconds"),
            "zone": self.now.tzname() or "",
        }


def _replace_column(key: GroupKey, name: str | None, other: str) -> GroupKey:
    if get_key_column(key) != name:
        return key
    return other if isinstance(key, str) else replace(key, column=other)
