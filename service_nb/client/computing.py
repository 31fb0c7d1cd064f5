"""Computations of one client: found in the contract, checked, bound to columns, run, and hashed before and after."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from service_nb.client import computed as results
from service_nb.client.recording import Outcome, Recorder
from service_nb.client.registry import Registered, require_schema
from service_nb.client.results import Computation
from service_nb.client.seen import Clock
from service_nb.client.sources import Sources
from service_nb.compute.binding import Columns, bind, groups, provenance
from service_nb.compute.contract import Contract
from service_nb.compute.search import Index
from service_nb.compute.validate import Signature, parse_call
from service_nb.core.canonical import canonical_text
from service_nb.core.ids import new_id
from service_nb.core.words import shown
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    ServiceError,
    SourceNotFoundError,
    UnsupportedOperationError,
)
from service_nb.query.plan import hashed_form
from service_nb.query.policy import denied_field, unnamed
from service_nb.query.resolve import Resolution, resolve
from service_nb.query.rows import json_value
from service_nb.query.spec import parse_spec
from service_nb.runtimes.base import Invocation, Runtime
from service_nb.schema.compute import Binding, Bound, Call, Checked
from service_nb.schema.query import Plan, QuerySpec

MOST_CALLS = 10_000  # of `compute_many`, and groups of `over`
_SOONEST_S = 0.001


class Library:
    """The contract and what is made of it on first use; clients of one family share it."""

    def __init__(self, load: Callable[[], bytes]) -> None:
        self._load = load
        self._signatures: dict[str, Signature] = {}
        self._lock = threading.Lock()

    @cached_property
    def contract(self) -> Contract:
        """The capabilities."""
        return Contract(self._load())

    @property
    def index(self) -> Index:
        """The capabilities, to be searched."""
        with self._lock:  # built once, also when several threads ask first
            return self._index

    @cached_property
    def _index(self) -> Index:
        return Index(self.contract)

    def signature(self, name: str) -> Signature | None:
        """Return what checks the calls of a capability; None if there is none of that name."""
        known = self._signatures.get(name)
        if known is None and name in self.contract:
            known = self._signatures[name] = Signature(self.contract[name])
        return known


class Computing:
    """What `Service` does with computations; its methods are documented there."""

    def __init__(
        self,
        sources: Sources,
        clock: Clock,
        library: Library,
        *,
        runtime: Callable[[], Runtime],
        recorder: Recorder,
        named: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._sources = sources
        self._named = named
        self._recorder = recorder
        self._clock = clock
        self._library = library
        self._runtime = runtime

    # --- what there is ------------------------------------------------------------------------------------------

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """Return the capabilities that fit a query and that the policy allows."""
        return self._library.index.search(query, limit, self._sources.policy.allows_function)

    def names(self) -> list[str]:
        """Return the names of all capabilities that the policy allows, sorted."""
        return [name for name in self._library.contract if self._sources.policy.allows_function(name)]

    def entry(self, name: str) -> dict[str, Any]:
        """Return all that the contract says of a capability."""
        self._signature(name)
        return self._library.contract.entry(name)

    def _signature(self, name: str) -> Signature:
        if not isinstance(name, str):
            raise InvalidIntentError(f"The name is {shown(name)}; expected text.", path="name", met=shown(name))
        self._sources.policy.require_function(name)
        signature = self._library.signature(name)
        if signature is not None:
            return signature
        near = self._library.index.nearest(name, self._sources.policy.allows_function)
        raise UnsupportedOperationError(
            f"The contract has no capability {shown(name)}.",
            hint=f"Did you mean {near[0]}?" if near else "Search for it: search_capabilities(…).",
            nearest_matches=near,
            met=name,
        )

    # --- calls --------------------------------------------------------------------------------------------------

    def one(self, spec: Mapping[str, object], mode: str, timeout_s: float | None) -> Computation:
        """Run one call."""
        return self._all([self._checked(parse_call(spec))], mode, timeout_s)[0]

    def many(self, specs: Sequence[Mapping[str, object]], mode: str, timeout_s: float | None) -> list[Computation]:
        """Run several calls; all are checked before the first one runs."""
        if not isinstance(specs, list | tuple) or len(specs) > MOST_CALLS:
            raise InvalidIntentError(
                f"`compute_many` takes a list of at most {MOST_CALLS:,} calls.", path="specs", met=shown(specs)
            )
        return self._all([self._checked(parse_call(spec)) for spec in specs], mode, timeout_s)

    def over(self, spec: Mapping[str, object], field: str, mode: str, timeout_s: float | None) -> list[Computation]:
        """Run one call for each value of a column of its bindings' source, in the order of the values."""
        started = time.perf_counter()
        checked = self._checked(parse_call(spec))
        names = {binding.source for binding in checked.bindings}
        if len(names) != 1 or not isinstance(field, str) or not field:
            raise InvalidIntentError(
                f"`over` is {shown(field)}, and needs exactly one bound source; this call has {len(names)}.",
                hint="`over` runs a call once for each value of a column of the bound source.",
                path="over",
                met=shown(field),
                expected="a column of the bound source",
            )
        read = [self._columns(binding, timeout_s, over=field) for binding in checked.bindings]
        keys = _keys(read)
        groups = []
        for key in keys[0]:
            with _named_group(field, [key]):
                group = self._group(checked, [(columns, rows.get(key)) for columns, rows in keys[1]], key)
            groups.append(results.assembled(*group))
        with _named_group(field, keys[0]):
            return self._run(groups, mode, timeout_s, started)

    def _group(
        self, checked: Checked, read: Sequence[tuple[Columns, Any]], key: Any
    ) -> tuple[Checked, tuple[Bound, ...]]:
        """Return the call of one group: its bindings narrowed to it, and its rows bound."""
        condition = _condition(read[0][0].fields[-1].name, key)
        bindings, bound = [], []
        for binding, (columns, rows) in zip(checked.bindings, read, strict=True):
            narrowed = replace(binding, filter=_narrowed(columns.filter, condition))
            some = columns.taken(np.array([], dtype=np.intp) if rows is None else rows)
            few = replace(some, fields=some.fields[:-1], vectors=some.vectors[:-1], filter=narrowed.filter)
            bindings.append(narrowed)
            bound.append(self._bind(checked, narrowed, few))
        return replace(checked, bindings=tuple(bindings)), tuple(bound)

    def _checked(self, call: Call) -> Checked:
        return self._signature(call.id).check(call)

    def _all(self, calls: Sequence[Checked], mode: str, timeout_s: float | None) -> list[Computation]:
        started = time.perf_counter()
        return self._run([self._assembled(checked, timeout_s) for checked in calls], mode, timeout_s, started)

    def _assembled(self, checked: Checked, timeout_s: float | None) -> results.Assembled:
        columns = (self._bind(checked, binding, self._columns(binding, timeout_s)) for binding in checked.bindings)
        return results.assembled(checked, tuple(columns))

    def _run(
        self,
        calls: Sequence[results.Assembled],
        mode: str,
        timeout_s: float | None,
        started: float,
    ) -> list[Computation]:
        """Run calls in one round trip, hash what they are while it lasts, and then their values."""
        runtime = self._runtime()
        made: list[tuple[results.Prepared, dict[str, Any]]] = []
        met = None

        def prepare() -> None:
            nonlocal met
            met, hashed = runtime.describe(), self._library.contract.hash
            for call in calls:
                one = results.prepared(call, contract_hash=hashed, description=met, mode=mode)
                made.append((one, results.blank(one, new_id("service"))))

        invocations = [Invocation(call.checked.capability.id, call.arguments, call.checked.seed) for call in calls]
        if timeout_s is not None and len(calls) == 1:  # to read its columns was part of a call's time
            timeout_s = max(_SOONEST_S, timeout_s - (time.perf_counter() - started))
        values, description, setup_s = runtime.run(invocations, timeout_s=timeout_s, meanwhile=prepare)
        if description is not met:  # another runtime took the place of the one that was there when they were prepared
            made.clear()
            prepare()
        computed = [
            results.Computed(
                prepared=one,
                value=value,
                computation_hash=results.hash_of(one, value),
                request_id=result["request_id"],
                latency_ms=round((time.perf_counter() - started - setup_s) * 1_000, 3),
            )
            for (one, result), value in zip(made, values, strict=True)
        ]
        cards = self._recorder.record([partial(self._outcome, one, self._read(one.prepared)) for one in computed])
        return [
            Computation(
                results.filled(result, one),
                value=one.value,
                card=card,
                setup_ms=round(setup_s * 1_000, 3),
            )
            for one, (_, result), card in zip(computed, made, cards, strict=True)
        ]

    def _read(self, made: results.Prepared) -> list[Registered]:
        """Return the sources that were read, as they are registered now: when a card is made, they may be others."""
        revisions = {one.binding.source: one.schema_revision for one in made.bound}
        read = [self._sources.get(name) for name in revisions]
        for registered in read:
            require_schema(self._sources.seen(registered), revisions[registered.name])
        return read

    def _outcome(self, computed: results.Computed, read: Sequence[Registered]) -> Outcome:
        made = computed.prepared
        inputs = [self._sources.input_of(registered) for registered in read]
        definition = self._library.contract.definition(made.checked.capability.id)
        return Outcome(
            kind="computation",
            id=computed.request_id,
            evidence=results.evidence_of(computed, definition=definition, inputs=inputs),
            inputs=inputs,
            tables={digest: table for each in read for digest, table in self._sources.tables_of(each).items()},
            release=lambda: self._sources.release(*read),
            bindings=[provenance(one) for one in made.bound],
            determinism=results.envelope(made),
            contract_hash=made.contract_hash,
        )

    # --- bindings -----------------------------------------------------------------------------------------------

    def _bind(self, checked: Checked, binding: Binding, columns: Columns) -> Bound:
        taken = {parameter.name: parameter for parameter in checked.capability.parameters}
        return bind(binding, [taken[name] for name in binding.parameters], columns)

    def _columns(self, binding: Binding, timeout_s: float | None, *, over: str | None = None) -> Columns:
        """Read the columns of a binding as the question plane would: by the same names, conditions and policy."""
        wanted = [*binding.fields, *([] if over is None else [over])]
        plan = self._plan(binding, tuple(dict.fromkeys(wanted)))
        registered = self._sources.planned(plan)
        with unnamed(self._sources.policy, registered.name, "read"):
            vectors = registered.engine.columns(plan, timeout_s)
        self._sources.unchanged(registered)
        known = {field.name: field for field in registered.fields}
        read = {
            asked: (known[name], vector)
            for asked, name, vector in zip(dict.fromkeys(wanted), plan.group_by, vectors, strict=True)
        }
        return Columns(
            fields=tuple(read[name][0] for name in wanted),
            vectors=tuple(read[name][1] for name in wanted),
            schema_revision=plan.schema_revision,
            filter=hashed_form(plan).get("filter"),
        )

    def _plan(self, binding: Binding, fields: tuple[str, ...]) -> Plan:
        self._sources.policy.require_source(binding.source)
        self._named(binding.source)
        filtered = parse_spec({} if binding.filter is None else {"filter": binding.filter})
        question = QuerySpec(
            aggregation="count",
            group_by=fields,
            conditions=filtered.conditions,
            time_filter=filtered.time_filter,
            source_name=binding.source,
        )
        resolution = resolve(question, self._sources.catalog(), self._clock())
        if resolution.plan is None:
            raise _refused(binding, resolution)
        return resolution.plan


def _refused(binding: Binding, resolution: Resolution) -> Exception:
    told = resolution.to_json()
    reason, near = told["reason"], told["did_you_mean"] or None
    facts = {"parameter": binding.parameters[0], "met": binding.source, "did_you_mean": near}
    hint = f"Did you mean {near[0]!r}?" if near else None
    for refusal in resolution.refusals:
        if refusal.code == "policy_denied_field" and refusal.name is not None:
            return denied_field(binding.source, refusal.name, refusal.did_you_mean, parameter=binding.parameters[0])
    if any(
        refusal.code == "unknown_source" or "source_name" in (refusal.missing, *(way.slot for way in refusal.ways[:1]))
        for refusal in resolution.refusals
    ):
        return SourceNotFoundError(reason, hint=hint, **facts)
    return InvalidIntentError(
        reason, hint=hint, **(facts | {"met": ", ".join(binding.fields), "expected": f"columns of {binding.source}"})
    )


Rows = Mapping[Any, Any]


def _keys(read: Sequence[Columns]) -> tuple[list[Any], list[tuple[Columns, Rows]]]:
    """Return the values of the last column of what was read, in their order, and the rows of each."""
    field = read[0].fields[-1]
    if field.physical == "float64":
        raise InvalidIntentError(
            f"over is {shown(field.name)}, a float64 column; expected text, whole numbers, dates or booleans.",
            path="over",
            met=field.physical,
            expected="string, int64, decimal, boolean, date or datetime",
        )
    found = [groups(columns.vectors[-1]) for columns in read]
    keys = {key for pairs in found for key, _ in pairs}
    if len(keys) > MOST_CALLS:
        raise LimitExceededError(
            f"{field.name} has {len(keys):,} values; `over` takes at most {MOST_CALLS:,}.",
            limit=MOST_CALLS,
            value=len(keys),
        )
    ordered = sorted(key for key in keys if key is not None)
    rows: list[tuple[Columns, Rows]] = [(columns, dict(pairs)) for columns, pairs in zip(read, found, strict=True)]
    return [*ordered, *([None] if None in keys else [])], rows


@contextmanager
def _named_group(field: str, keys: Sequence[object]) -> Iterator[None]:
    """Name in an error the group that failed: the only one, or the one that its `call` counts."""
    try:
        yield
    except ServiceError as error:
        index = error.details.pop("call", 0 if len(keys) == 1 else -1)
        if 0 <= index < len(keys):
            key = keys[index]
            error.message = f"In the group {field} = {shown(key)}: {error.message}"
            error.details["group"] = json_value(key)
        raise


def _condition(field: str, key: Any) -> dict[str, Any]:
    if key is None:
        return {"column": field, "op": "is_null"}
    return {"column": field, "op": "eq", "value": json_value(key)}


def _narrowed(filter_: Mapping[str, Any] | None, condition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filter with one more condition, in the order that a resolved filter has."""
    conditions = [*(filter_ or {}).get("conditions", ()), condition]
    ranked = {
        canonical_text([each["column"], each["op"], each.get("values", each.get("value"))]): each for each in conditions
    }
    return {"conditions": [ranked[text] for text in sorted(ranked)]}
