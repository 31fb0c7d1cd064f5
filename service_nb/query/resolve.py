"""Resolve a well-formed question to a plan, a request for clarification, or a rejection. Never a guess.

The resolver is given views of sources from which everything the policy denies has been left out already, so it cannot
name, suggest or compare with what it does not know.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from typing import Any, Literal

from service_nb.core.words import describe_value
from service_nb.query.aggregations import RECORDS
from service_nb.query.ask_line import format_ask
from service_nb.query.condition_groups import change_leaves, join_conditions, sort_conditions
from service_nb.query.conditions import OperandError, bind_condition, build_period_conditions
from service_nb.query.plan import seal_plan
from service_nb.query.policy import describe_denied_field
from service_nb.query.spec import write_spec
from service_nb.schema.card import Candidate
from service_nb.schema.query import AggregationName, Condition, ConditionTree, DecisionPath, Plan, QuerySpec, Status
from service_nb.schema.source import FIELD_TYPES, Field

CONFIDENCE: Mapping[DecisionPath, float] = {"exact_spec": 1, "alias": 1, "normalized_name": 0.9}
MOST_TRIED = 100  # questions that are resolved in order to offer some of them
MOST_OFFERED = 20  # for one fault
MOST_REFUSALS = 5  # of one question: looking for similar names in a wide source takes time, and nobody reads more
_PATHS: tuple[DecisionPath, ...] = ("exact_spec", "alias", "normalized_name")  # weakest last
_SOURCES, _COLUMNS = "sources are named", "columns are named exactly"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A source as resolution sees it: allowed fields only. `restricted`: an allow-list of fields is in force."""

    name: str
    fields: Mapping[str, Field]
    schema_revision: str
    row_count: int
    aliases: Mapping[str, str]
    restricted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The allowed sources by name. `restricted` says that an allow-list of sources is in force."""

    sources: Mapping[str, SourceView]
    restricted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A question with one fault mended: `name`, of `type`, stands in its `slot` now."""

    slot: str
    name: str
    type: str
    spec: QuerySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why one part of a question cannot be resolved, with alternatives.

    `ways` may lead to what is refused too; `candidates` are those of them that resolve.
    """

    status: Literal["needs_clarification", "rejected"]
    reason: str
    code: str | None = None  # of a rejection
    name: str | None = None  # that is not one of a column that may be named
    rule: str | None = None
    missing: str | None = None
    did_you_mean: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result of resolving a question: either a `plan` or `refusals`, never both."""

    plan: Plan | None = None
    refusals: tuple[Refusal, ...] = ()

    @property
    def status(self) -> Status:
        """`rejected` when any part of the question is."""
        if self.plan is not None:
            return "ok"
        return "rejected" if any(refusal.status == "rejected" for refusal in self.refusals) else "needs_clarification"

    def to_json(self) -> dict[str, Any]:
        """The `resolution` of an outcome."""
        leading = next((refusal for refusal in self.refusals if refusal.status == self.status), None)
        return {
            "candidates": [dict(candidate) for refusal in self.refusals for candidate in refusal.candidates],
            "rejection_reason": leading.code if leading else None,
            "reason": leading.reason if leading else None,
            "rule": leading.rule if leading else None,
            "missing": [refusal.missing for refusal in self.refusals if refusal.missing],
            "did_you_mean": list(dict.fromkeys(name for refusal in self.refusals for name in refusal.did_you_mean)),
        }


def resolve(spec: QuerySpec, catalog: Catalog, now: datetime.datetime) -> Resolution:
    """Return the plan of a question, or every reason why there is none.

    Parameters
    ----------
    now : datetime
        The caller's clock with its zone; relative periods are made absolute by its date.
    """
    near: dict[tuple[str, str], list[str]] = {}

    def bind(question: QuerySpec) -> Resolution:
        source = _find_source(question, catalog)
        if isinstance(source, Refusal):
            return Resolution(refusals=(source,))
        return _Binder(spec=replace(question, source_name=source.name), source=source, now=now, near=near).bind()

    resolution = bind(spec)
    if resolution.status != "needs_clarification":
        return resolution
    offers = _Offers(bind)
    refusals = [replace(each, candidates=offers.find_candidates(each.ways)) for each in resolution.refusals]
    if not any(refusal.candidates for refusal in refusals):  # no similar name resolves: nothing is to be clarified
        refusals = [_convert_to_rejection(each) if each.ways and not each.missing else each for each in refusals]
    return Resolution(refusals=tuple(refusals))


def _convert_to_rejection(refusal: Refusal) -> Refusal:
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


@dataclass(slots=True)
class _Offers:
    """Finds lines to offer in place of a question that cannot be resolved; each of them can be, all faults mended."""

    bind: Callable[[QuerySpec], Resolution]
    left: int = MOST_TRIED
    lines: set[str] = field(default_factory=set)

    def find_candidates(self, ways: tuple[Way, ...]) -> tuple[Candidate, ...]:
        """Find a candidate for each way that leads to a question that resolves, each line once."""
        found: list[Candidate] = []
        for way in ways:
            mended = self._find_repaired_spec(way.spec)
            line = "" if mended is None else format_ask(write_spec(mended))
            if line and line not in self.lines and len(found) < MOST_OFFERED:
                self.lines.add(line)
                found.append(Candidate(slot=way.slot, name=way.name, type=way.type, ask=line))
        return tuple(found)

    def _find_repaired_spec(self, spec: QuerySpec) -> QuerySpec | None:
        """Mend what is still wrong with the question by the likeliest names."""
        if not self.left:
            return None
        self.left -= 1
        met = self.bind(spec)
        if met.plan is not None:
            return spec
        ways = met.refusals[0].ways if met.status == "needs_clarification" else ()
        return next((found for way in ways if (found := self._find_repaired_spec(way.spec)) is not None), None)


Suits = Callable[[Field], bool]


@dataclass(slots=True, kw_only=True)
class _Binder:
    """Binds the parts of one question to one source, noting every refusal on the way."""

    spec: QuerySpec
    source: SourceView
    now: datetime.datetime
    near: dict[tuple[str, str], list[str]]  # similar names, which take time to find
    refusals: list[Refusal] = field(default_factory=list)
    path: DecisionPath = "exact_spec"

    def bind(self) -> Resolution:
        aggregation = self._bind_aggregation()
        metric = self._bind_metric()
        group_by = tuple(self._bind_column(name, "group_by") for name in self.spec.group_by)
        conditions = self._bind_conditions()
        self._refuse_doubles(group_by)
        if self.refusals or aggregation is None:
            return Resolution(refusals=tuple(self.refusals))
        plan = Plan(
            source_name=self.source.name,
            schema_revision=self.source.schema_revision,
            aggregation=aggregation,
            metric=None if metric is None else metric.name,
            group_by=tuple(column.name for column in group_by if column is not None),
            conditions=conditions,
            order=self.spec.order,
            limit=self.spec.limit,
            decision_path=self.path,
            plan_hash="",
            notes={**self.spec.variables, **self._note_clock()},
        )
        return Resolution(plan=seal_plan(plan))

    def _bind_aggregation(self) -> AggregationName | None:
        if self.spec.aggregation is not None:
            return self.spec.aggregation
        named = self.source.fields.get(self.spec.metric or "")
        choices = [way for way, record in RECORDS.items() if named is None or named.type in record.accepts]
        reason = "The question names no aggregation, and none is the default."
        self._clarify(reason, "aggregation", dict.fromkeys(choices, "aggregation"), missing="aggregation")
        return None

    def _bind_metric(self) -> Field | None:
        record = None if self.spec.aggregation is None else RECORDS[self.spec.aggregation]
        if self.spec.metric is None:
            if record is not None and record.rows_step is None:
                options = {each.name: each.type for each in self.source.fields.values() if each.type in record.accepts}
                reason = f"{record.name} needs a column, and the question names none."
                self._clarify(reason, "metric", options, missing="metric")
            return None
        accepts = FIELD_TYPES if record is None else record.accepts
        metric = self._bind_column(self.spec.metric, "metric", lambda column: column.type in accepts)
        if metric is not None and record is not None and metric.type not in accepts:
            reason = f"{record.name} needs {record.needs}; {metric.name} is {metric.type}."
            self._reject("type_mismatch", reason, "aggregations fit their column")
        return metric

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
            case "metric" | "aggregation":
                return {slot: other}
            case "group_by":
                return {
                    "group_by": tuple(
                        dict.fromkeys(other if column == name else column for column in self.spec.group_by)
                    )
                }
        time_filter = self.spec.time_filter
        if time_filter is not None and time_filter.column == name:
            time_filter = replace(time_filter, column=other)
        conditions = tuple(
            change_leaves(tree, lambda each: replace(each, column=other) if each.column == name else each)
            for tree in self.spec.conditions
        )
        return {"conditions": conditions, "time_filter": time_filter}

    def _bind_conditions(self) -> tuple[ConditionTree, ...]:
        bound = self._bind_trees(self.spec.conditions)
        period = self.spec.time_filter
        if period is not None:
            column = self._bind_column(period.column, "filter", lambda f: f.type in ("date", "datetime"))
            if column is not None:
                today = self.now.date()
                bound += self._bind_or_reject(lambda: build_period_conditions(column, period.period, today))
        return sort_conditions("all", bound)

    def _bind_trees(self, trees: Iterable[ConditionTree]) -> list[ConditionTree]:
        """Bind conditions that all have to hold; of those that cannot be bound there is a refusal."""
        return [bound for tree in trees for bound in self._bind_tree(tree)]

    def _bind_tree(self, tree: ConditionTree) -> Sequence[ConditionTree]:
        if isinstance(tree, Condition):
            column = self._bind_column(tree.column, "filter")
            return () if column is None else self._bind_or_reject(lambda: bind_condition(tree, column))
        if tree.joiner == "all":
            return self._bind_trees(tree.parts)
        parts = [sort_conditions("all", bound) for part in tree.parts if (bound := self._bind_tree(part))]
        joined = [join_conditions("all", part) for part in parts]
        return [join_conditions("any", sort_conditions("any", joined))] if joined else ()

    def _bind_or_reject(self, bind: Callable[[], tuple[Condition, ...]]) -> tuple[Condition, ...]:
        try:
            return bind()
        except OperandError as error:
            self._reject("type_mismatch", f"{str(error)[0].upper()}{str(error)[1:]}.", "operands fit their column")
            return ()

    def _refuse_doubles(self, group_by: tuple[Field | None, ...]) -> None:
        found = [column.name for column in group_by if column is not None]
        for name in sorted({name for name in found if found.count(name) > 1}):
            self._reject("duplicate_field", f"group_by names {name} twice.", "a column groups once")

    def _reject(
        self, code: str, reason: str, rule: str, near: list[str] | None = None, name: str | None = None
    ) -> None:
        self.refusals.append(
            Refusal(status="rejected", code=code, reason=reason, rule=rule, name=name, did_you_mean=tuple(near or ()))
        )

    def _note_clock(self) -> Mapping[str, str]:
        period = self.spec.time_filter
        if period is None:
            return {}
        return {
            "period": f"{period.period} of {period.column}",
            "clock": self.now.isoformat(timespec="seconds"),
            "zone": self.now.tzname() or "",
        }


# --- names as people write them --------------------------------------------------------------------------------------

_SEPARATORS = re.compile(r"[\s_\-./]+")
_WORDS = re.compile(r"[\s_\-./]+|(?<=[a-z0-9])(?=[A-Z])")
SIMILAR = 0.6
MOST = 10
COMPARED = 100  # characters of a name: comparing takes the square of their number
MOST_SEARCHED = 10  # unknown names of a question; for the others no similar ones are named
MOST_MATCHED = 100  # names that are compared letter by letter
FARTHEST = 0.2  # from the likeliest: weaker ones would only distract


@lru_cache(maxsize=1 << 14)  # a wide source is searched for each name that it does not have
def fold_name(name: str) -> str:
    """Return the name without case and separators: `Order Date` and `order_date` fold to the same."""
    return _SEPARATORS.sub("", unicodedata.normalize("NFC", name).casefold())


def match_name(name: str, names: Iterable[str], aliases: Mapping[str, str]) -> tuple[DecisionPath, list[str]]:
    """Match `name`: return the way and the names found. One is an answer, several are ambiguous, none is no match."""
    known = list(names)
    if name in known:
        return "exact_spec", [name]
    if name in aliases and aliases[name] in known:
        return "alias", [aliases[name]]
    folded = fold_name(name)
    return "normalized_name", [other for other in known if fold_name(other) == folded]


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that `name` may stand for, the likeliest first, at most ten."""
    scored: list[tuple[float, str]] = []
    spelt: list[tuple[float, str, SequenceMatcher[str]]] = []
    words = _split_words(name)
    for other in names:
        short, long = sorted((fold_name(name)[:COMPARED], fold_name(other)[:COMPARED]), key=len)
        if len(short) >= 3 and short in long:
            scored.append((0.9 + 0.1 * len(short) / len(long), other))
        elif words & _split_words(other):
            scored.append((0.8, other))
        elif 2 * len(short) >= SIMILAR * (len(short) + len(long)):
            matcher = SequenceMatcher(None, short, long, autojunk=False)
            spelt.append((matcher.quick_ratio(), other, matcher))
    # The quick ratio is an upper bound of the ratio, and costs a hundredth.
    for _, other, matcher in nlargest(MOST_MATCHED, spelt, key=lambda entry: (entry[0], entry[1])):
        scored.append((matcher.ratio() * 0.9, other))
    ranked = sorted((pair for pair in scored if pair[0] >= SIMILAR), key=lambda pair: (-pair[0], pair[1]))
    return [other for score, other in ranked[:MOST] if score > ranked[0][0] - FARTHEST]


@lru_cache(maxsize=1 << 14)
def _split_words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORDS.split(name) if len(word) >= 3)
