"""Computations: parse, check, bind, run, identify, finish, record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from service_nb.cards.card_builder import make_portable
from service_nb.client.context import Context
from service_nb.client.read_sources import ReadSources, get_read_sources
from service_nb.client.record import Evidence, Outcome
from service_nb.client.registration import connect_named
from service_nb.client.results import Computation
from service_nb.client.sample_errors import broken_pair_error, find_opposite_condition, same_sample_error
from service_nb.client.text_columns import build_binding_error, explain_text_error
from service_nb.compute.call import (
    Signature,
    describe_promise,
    encode_value,
    format_call,
    list_result_columns,
    list_result_rows,
    parse_call,
)
from service_nb.compute.call_arguments import (
    BindingColumns,
    bind,
    bind_rows,
    compute_hashes,
    describe_binding,
    group_rows,
    hash_computation,
    iter_arguments_blocks,
    iter_identity_blocks,
    iter_value_blocks,
    order_arguments,
    write_scope,
)
from service_nb.compute.contract import format_type
from service_nb.compute.samples import (
    BoundColumn,
    find_broken_pair,
    find_same_sample,
    has_nulls,
    list_columns,
)
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import DEFINITION_DOMAIN, PROVENANCE_DOMAIN, create_id, digest
from service_nb.core.words import describe_value
from service_nb.errors import (
    CanonicalJsonError,
    InvalidIntentError,
    LimitExceededError,
    ServiceError,
    UnsupportedOperationError,
)
from service_nb.query.condition_groups import sort_forms
from service_nb.query.plan import build_hashed_form
from service_nb.query.resolve import resolve
from service_nb.query.spec import parse_spec
from service_nb.runtimes.interface import Invocation
from service_nb.schema.card import CARD_BYTES, ComputationView
from service_nb.schema.compute import Binding, Bound, Checked, Parameter, RuntimeDescription
from service_nb.schema.entry import Input
from service_nb.schema.query import Plan, QuerySpec
from service_nb.schema.source import convert_to_json

MOST_CALLS = 10_000  # of `compute_many`, and groups of `over`
PRECISION_MODE = "float64"
THREAD_COUNT = 1
_KEPT_BYTES = 8 * 1024**2  # of one text in the ledger
_SOONEST_S = 0.001


@dataclass(frozen=True, slots=True)
class BoundCall:
    """A checked call with its columns read and its arguments in order, ready to run."""

    checked: Checked
    bound: tuple[Bound, ...]
    arguments: list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedValue:
    """A call after it ran: its value, what computed it, and the hashes over both."""

    call: BoundCall
    value: object
    description: RuntimeDescription
    scope: str
    contract_hash: str
    invocation_hash: str
    input_hash: str
    computation_hash: str
    request_id: str
    latency_ms: float


# --- the flow ---------------------------------------------------------------------------------------------------------


def compute(context: Context, specs: Sequence[Mapping[str, object]], timeout_s: float | None) -> list[Computation]:
    """Run calls in order; all are checked before the first column is read."""
    checked = [check_call(context, spec) for spec in specs]
    started = time.perf_counter()
    calls = [bind_call(context, each, timeout_s) for each in checked]
    computed, setup_s = run_calls(context, calls, timeout_s, started)
    return record_values(context, computed, setup_s)


def compute_over(
    context: Context, spec: Mapping[str, object], field: str, timeout_s: float | None
) -> list[Computation]:
    """Run one call for each value of a column of its bindings' source, in the order of the values."""
    checked, started = check_call(context, spec), time.perf_counter()
    _require_one_source(checked, field)
    read = [read_columns(context, binding, timeout_s, over=field) for binding in checked.bindings]
    keys, rows = _collect_groups(read)
    calls = []
    for key in keys:
        with _name_group(field, [key]):
            calls.append(_bind_group(context, checked, [(columns, some.get(key)) for columns, some in rows], key))
    with _name_group(field, keys):
        computed, setup_s = run_calls(context, calls, timeout_s, started)
        recorded = record_values(context, computed, setup_s)
    for each, key in zip(recorded, keys, strict=True):
        each.group = field, key
    return recorded


def run_calls(
    context: Context, calls: Sequence[BoundCall], timeout_s: float | None, started: float
) -> tuple[list[ComputedValue], float]:
    """Run calls in one round trip and hash them and their values; return the setup time in seconds, too."""
    if timeout_s is not None and len(calls) == 1:  # to read its columns was part of a call's time
        timeout_s = max(_SOONEST_S, timeout_s - (time.perf_counter() - started))
    invocations = [Invocation(call.checked.capability.id, call.arguments, call.checked.seed) for call in calls]
    values, description, setup_s = context.runtime.get().run(invocations, timeout_s=timeout_s)
    spent_s = time.perf_counter() - started - setup_s
    pairs = zip(calls, values, strict=True)
    return [_finish_call(context, call, value, description, spent_s) for call, value in pairs], setup_s


def record_values(context: Context, computed: Sequence[ComputedValue], setup_s: float) -> list[Computation]:
    """Record values in one transaction, and return them with their cards."""
    read = [get_read_sources(context.sources, each.call.checked.capability, each.call.bound) for each in computed]
    makes = [partial(_build_outcome, context, *each) for each in zip(computed, read, strict=True)]
    cards = context.recorder.record(makes)
    context.sources.release_tables(*(registered for each in read for registered in each.registered))
    return [
        Computation(_build_result(each, of), value=each.value, card=card, setup_ms=round(setup_s * 1_000, 3))
        for each, of, card in zip(computed, read, cards, strict=True)
    ]


# --- check ------------------------------------------------------------------------------------------------------------


def check_call(context: Context, spec: Mapping[str, object]) -> Checked:
    """Parse a call and check it against the signature of its capability and against the policy."""
    call = parse_call(spec)
    return get_signature(context, call.capability_id).check(call)


def check_list(specs: Sequence[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """Check that the argument of `compute_many` is a list of acceptable length, and return it."""
    if not isinstance(specs, list | tuple) or len(specs) > MOST_CALLS:
        raise InvalidIntentError(
            f"`compute_many` takes a list of at most {MOST_CALLS:,} calls.", path="specs", met=describe_value(specs)
        )
    return specs


def get_signature(context: Context, name: str) -> Signature:
    """Return the signature of a capability that the policy allows.

    Raises
    ------
    InvalidIntentError, PolicyDeniedError, UnsupportedOperationError
    """
    policy, library = context.sources.policy, context.library
    if not isinstance(name, str):
        raise InvalidIntentError(
            f"The name is {describe_value(name)}; expected text.", path="name", met=describe_value(name)
        )
    policy.require_function(name)
    signature = library.get_signature(name)
    if signature is not None:
        return signature
    near, known = context.find_nearest_names(name), library.index.explain_name(name, policy.allows_function)
    meant = f"Did you mean {near[0]}?" if near else "Search for it: search_capabilities(…)."
    raise UnsupportedOperationError(
        f"The contract has no capability {describe_value(name)}.",
        hint=known or meant,
        nearest_matches=near,
        met=name,
    )


# --- bind -------------------------------------------------------------------------------------------------------------


def bind_call(context: Context, checked: Checked, timeout_s: float | None) -> BoundCall:
    """Read the columns that a call binds, and put all arguments in order."""
    read = [(binding, read_columns(context, binding, timeout_s)) for binding in checked.bindings]
    bound = [_bind_columns(context, checked, binding, columns) for binding, columns in read]
    return _join_samples(checked, bound, partial(_find_others, context, timeout_s))


def bind_stored_call(context: Context, checked: Checked, timeout_s: float | None) -> BoundCall:
    """Read the columns of a call that was recorded: its bindings say which rows were dropped together."""
    read = [(binding, read_columns(context, binding, timeout_s, is_stored=True)) for binding in checked.bindings]
    return _assemble_call(
        checked, tuple(bind_rows(*_find_bound(checked, binding), columns) for binding, columns in read)
    )


def _join_samples(
    checked: Checked,
    bound: Iterable[tuple[Bound, ...]],
    find_others: Callable[[Checked, BoundColumn], Mapping[str, Any] | None] = lambda *_: None,
) -> BoundCall:
    """Build a call of bound columns, which neither compares a sample with itself nor pairs values of other rows."""
    joined = tuple(one for several in bound for one in several)
    same = find_same_sample(checked.capability, joined)
    if same is not None:
        columns = list_columns(joined)
        others = find_others(checked, columns[same[0]]) if len(columns) == len(same) else None
        raise same_sample_error(checked, joined, same, others)
    broken = find_broken_pair(checked.capability, joined)
    if broken is not None:
        raise broken_pair_error(checked, joined, broken)
    return _assemble_call(checked, joined)


def _find_others(
    context: Context, timeout_s: float | None, checked: Checked, column: BoundColumn
) -> Mapping[str, Any] | None:
    """Find the condition of the rows that a column's own leaves out, if both are enough for the call."""
    others = find_opposite_condition(column.bound.filter)
    if others is None or column.bound.dropped:
        return None
    binding = replace(column.bound.binding, fields=(column.field,), filter={"conditions": [others]})
    (vector,) = read_columns(context, binding, timeout_s).vectors
    least = max(each.get("min_size", 1) for each in checked.capability.entry["params"])
    is_enough = min(column.bound.row_count, len(vector.values)) >= least and not has_nulls(vector)
    return others if is_enough else None


def _assemble_call(checked: Checked, bound: tuple[Bound, ...]) -> BoundCall:
    """Build a call with its arguments in order and arrays read-only: arrays are hashed after the run."""
    return BoundCall(checked, bound, [_freeze_argument(argument) for argument in order_arguments(checked, bound)])


def _freeze_argument(argument: object) -> object:
    if isinstance(argument, np.ndarray) and argument.flags.writeable:
        argument = argument.view()
        argument.flags.writeable = False
    return argument


def _find_bound(checked: Checked, binding: Binding) -> tuple[Binding, list[Parameter]]:
    """Find the parameters of a binding, and return both."""
    parameters = {parameter.name: parameter for parameter in checked.capability.parameters}
    return binding, [parameters[name] for name in binding.parameters]


def _bind_columns(context: Context, checked: Checked, binding: Binding, columns: BindingColumns) -> tuple[Bound, ...]:
    """Bind columns to their parameters; of one of text that is to have numbers it is told why it is text."""
    try:
        return bind(*_find_bound(checked, binding), columns)
    except InvalidIntentError as error:
        texts = [each.name for each in columns.fields if each.type == "string"]
        raise explain_text_error(context.sources, binding.source, texts, error) from None


def read_columns(
    context: Context,
    binding: Binding,
    timeout_s: float | None,
    *,
    over: str | None = None,
    is_stored: bool = False,
) -> BindingColumns:
    """Read the columns of a binding as a question would: by the same names, conditions and policy."""
    wanted = [*binding.fields, *([] if over is None else [over])]
    plan = _plan_binding(context, binding, tuple(dict.fromkeys(wanted)), is_stored=is_stored)
    registered = context.sources.get_for_plan(plan)
    vectors = context.sources.read_columns(registered, plan, timeout_s)
    fields = {field.name: field for field in registered.fields}
    columns = zip(dict.fromkeys(wanted), map(str, plan.group_by), vectors, strict=True)
    read = {asked: (fields[name], vector) for asked, name, vector in columns}
    return BindingColumns(
        fields=tuple(read[name][0] for name in wanted),
        vectors=tuple(read[name][1] for name in wanted),
        schema_revision=plan.schema_revision,
        filter=build_hashed_form(plan).get("filter"),
        source_rows=None if registered.is_live else registered.row_count,
    )


def _plan_binding(context: Context, binding: Binding, fields: tuple[str, ...], *, is_stored: bool) -> Plan:
    context.sources.policy.require_source(binding.source)
    if context.sources.can_open(binding.source):
        connect_named(context.sources, binding.source)
    filtered = QuerySpec() if binding.filter is None else parse_spec({"filter": binding.filter})
    question = QuerySpec(
        aggregation="count",
        group_by=fields,
        conditions=filtered.conditions,
        time_filter=filtered.time_filter,
        source_name=binding.source,
    )
    resolution = resolve(question, context.sources.build_catalog(), context.clock(), is_stored=is_stored)
    if resolution.plan is None:
        raise build_binding_error(context.sources, binding, resolution)
    return resolution.plan


# --- groups -----------------------------------------------------------------------------------------------------------


def _require_one_source(checked: Checked, field: str) -> None:
    names = {binding.source for binding in checked.bindings}
    if len(names) != 1 or not isinstance(field, str) or not field:
        raise InvalidIntentError(
            f"`over` is {describe_value(field)}, and needs exactly one bound source; this call has {len(names)}.",
            hint="`over` runs a call once for each value of a column of the bound source.",
            path="over",
            met=describe_value(field),
            expected="a column of the bound source",
        )


def _collect_groups(
    read: Sequence[BindingColumns],
) -> tuple[list[object], list[tuple[BindingColumns, Mapping[Any, object]]]]:
    """Group rows by the last column that was read: return its values in order, and the rows of each."""
    field = read[0].fields[-1]
    if field.physical == "float64":
        raise InvalidIntentError(
            f"over is {describe_value(field.name)}, a float64 column; expected text, whole numbers, dates or booleans.",
            path="over",
            met=field.physical,
            expected="string, int64, decimal, boolean, date or datetime",
        )
    found = [dict(group_rows(columns.vectors[-1])) for columns in read]
    keys = {key for rows in found for key in rows}
    if len(keys) > MOST_CALLS:
        raise LimitExceededError(
            f"{field.name} has {len(keys):,} values; `over` takes at most {MOST_CALLS:,}.",
            limit=MOST_CALLS,
            value=len(keys),
        )
    in_order = sorted(key for key in keys if key is not None)
    return [*in_order, *([None] if None in keys else [])], list(zip(read, found, strict=True))


def _bind_group(context: Context, checked: Checked, read: Sequence[tuple[BindingColumns, Any]], key: Any) -> BoundCall:
    """Build the call of one group: its bindings narrowed to it, and its rows bound."""
    name = read[0][0].fields[-1].name
    condition = {"column": name, "op": "is_null"} if key is None else {"column": name, "op": "eq"}
    condition |= {} if key is None else {"value": convert_to_json(key)}
    bindings, bound = [], []
    for binding, (columns, rows) in zip(checked.bindings, read, strict=True):
        narrowed = replace(binding, filter=_add_condition(columns.filter, condition))
        some = columns.take_rows(np.array([], dtype=np.intp) if rows is None else rows)
        few = replace(some, fields=some.fields[:-1], vectors=some.vectors[:-1], filter=narrowed.filter)
        bindings.append(narrowed)
        bound.append(_bind_columns(context, checked, narrowed, few))
    return _join_samples(replace(checked, bindings=tuple(bindings)), bound)


def _add_condition(filter_: Mapping[str, Any] | None, condition: Mapping[str, object]) -> dict[str, object]:
    """Return the filter with one more condition, in the order that a resolved filter has."""
    conditions = [*(filter_ or {}).get("conditions", ()), condition]
    return {"conditions": sort_forms(conditions)}


@contextmanager
def _name_group(field: str, keys: Sequence[object]) -> Iterator[None]:
    """Name in an error the group that failed: the only one, or the one that its `call` counts."""
    try:
        yield
    except ServiceError as error:
        index = error.details.pop("call", 0 if len(keys) == 1 else -1)
        if 0 <= index < len(keys):
            value = convert_to_json(keys[index])
            error.message = f"In the group {field} = {describe_value(value)}: {error.message}"
            error.details["group"] = value
        raise


# --- identify, finish, record -----------------------------------------------------------------------------------------


def _finish_call(
    context: Context, call: BoundCall, value: object, description: RuntimeDescription, spent_s: float
) -> ComputedValue:
    """Hash a call as its identity, and its value after it.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        A whole number of the value has more digits than JSON carries.
    """
    contract_hash = context.library.contract.hash
    scope = write_scope(description.platform, context.runtime.mode)
    invocation_hash, input_hash = compute_hashes(
        call.checked, call.bound, call.arguments, contract_hash=contract_hash, scope=scope
    )
    try:
        hashed = hash_computation(invocation_hash, iter_value_blocks(value))
    except CanonicalJsonError as error:
        raise LimitExceededError(
            f"The value of {call.checked.capability.id} cannot be carried: {error.message}",
            reason=error.details.get("reason"),
        ) from error
    return ComputedValue(
        call=call,
        value=value,
        description=description,
        scope=scope,
        contract_hash=contract_hash,
        invocation_hash=invocation_hash,
        input_hash=input_hash,
        computation_hash=hashed,
        request_id=create_id("service"),
        latency_ms=round(spent_s * 1_000, 3),
    )


def _build_result(computed: ComputedValue, read: ReadSources) -> dict[str, object]:
    """Build the specification's fields of a result, in their order and ready for JSON."""
    capability = computed.call.checked.capability
    result = {
        "status": "ok",
        "value": encode_value(computed.value),
        "value_type": capability.result_type,
        "module": capability.module,
        "function": capability.function,
        "invocation_hash": computed.invocation_hash,
        "computation_hash": computed.computation_hash,
        "contract_hash": computed.contract_hash,
        "determinism": build_envelope(computed),
        "latency_ms": computed.latency_ms,
        "request_id": computed.request_id,
    }
    if computed.call.bound:
        bindings = [describe_binding(one) for one in computed.call.bound]
        result["provenance"] = {"bindings": bindings, **read.describe_reading()}
    return result


def _build_outcome(context: Context, computed: ComputedValue, read: ReadSources) -> Outcome:
    sources, bound = context.sources, computed.call.bound
    inputs = [sources.build_input(registered) for registered in read.registered]
    definition = context.library.contract.build_definition(computed.call.checked.capability.id)
    return Outcome(
        kind="computation",
        id=computed.request_id,
        evidence=_build_computation_evidence(computed, read, definition=definition, inputs=inputs),
        inputs=inputs,
        tables=sources.get_tables(*read.registered),
        bindings=[describe_binding(one) for one in bound],
        determinism=build_envelope(computed),
        contract_hash=computed.contract_hash,
    )


# --- evidence ---------------------------------------------------------------------------------------------------------


def _build_computation_evidence(
    computed: ComputedValue, read: ReadSources, *, definition: str, inputs: Sequence[Input]
) -> Evidence:
    """Build the parts of a computation's card. Texts that no card could hold are left to the ledger.

    Long arguments are left to their hash: literals stand in the identity too, and columns in their source.
    """
    call = computed.call
    envelope = build_envelope(computed)
    bindings = [describe_binding(one) for one in call.bound]
    how = {"bindings": bindings, "determinism": envelope, "sources": inputs, **read.describe_reading()}
    provenance = write_canonical_text(make_portable(how))
    identity = iter_identity_blocks(
        call.checked, call.bound, contract_hash=computed.contract_hash, scope=computed.scope
    )
    long_ones = {
        "identity": _join(identity, _KEPT_BYTES),
        "value": _join(iter_value_blocks(computed.value), _KEPT_BYTES),
    }
    arguments = _join(iter_arguments_blocks(call.arguments), CARD_BYTES)
    texts = {"definition": definition, "provenance": provenance}
    texts |= {name: text for name, text in long_ones.items() if text is not None}
    kept = {name: text for name, text in texts.items() if len(text) > CARD_BYTES}
    shown = {name: text for name, text in texts.items() if name not in kept}
    return Evidence(
        canonical=shown if arguments is None else shown | {"arguments": arguments},
        kept=kept,
        left_out={"arguments": computed.input_hash} if arguments is None else {},
        digests={
            "invocation_hash": computed.invocation_hash,
            "computation_hash": computed.computation_hash,
            "input_hash": computed.input_hash,
            "contract_hash": computed.contract_hash,
            "definition_hash": digest(DEFINITION_DOMAIN, definition),
            "provenance_hash": digest(PROVENANCE_DOMAIN, provenance),
        },
        view={**_build_computation_view(computed, envelope, bindings), **read.describe_reading()},
    )


def _join(blocks: Iterable[bytes], most: int) -> str | None:
    kept, size = [], 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size > most:
            return None
    return b"".join(kept).decode()


def build_envelope(computed: ComputedValue) -> dict[str, object]:
    """Build the determinism envelope: all that a value is promised to depend on."""
    call, description = computed.call, computed.description
    capability = call.checked.capability
    envelope: dict[str, object] = {
        "runtime_bundle_version": description.bundle_version,
        "runtime_bundle_sha256": description.bundle_sha256,
        "platform": description.platform,
        "architecture": description.architecture,
        "kernel_build": description.kernel_build,
        "precision_mode": PRECISION_MODE,
        "thread_count": THREAD_COUNT,
        "input_hash": computed.input_hash,
        "tier": capability.tier,
        "capability_version": capability.version,
        "libraries": dict(description.libraries),
    }
    if call.checked.seed is not None:
        envelope["seed"] = call.checked.seed
    if description.profile is not None:
        envelope["profile"] = description.profile
    if description.modules:
        envelope["runtime_modules"] = list(description.modules)
    if capability.tier != "certified":
        envelope["pinning"] = "pinned" if description.is_pinned else "unpinned"
    return envelope


def _build_computation_view(
    computed: ComputedValue, envelope: Mapping[str, object], bindings: Sequence[Mapping[str, object]]
) -> ComputationView:
    capability, entry = computed.call.checked.capability, computed.call.checked.capability.entry
    return ComputationView(
        status="ok",
        call=capability.id,
        question=format_call(computed.call.checked, computed.call.bound),
        summary=capability.summary,
        columns=list_result_columns(entry["result"]),
        rows=list_result_rows(computed.value, entry["result"]),
        row_count=len(computed.value) if isinstance(computed.value, list | dict) else 1,
        value_type=format_type(entry["result"]),
        formula=entry.get("formula"),
        latex=entry.get("latex"),
        citation=entry["source"],
        tier=capability.tier,
        grade=capability.grade,
        promise=describe_promise(capability.tier, is_pinned=computed.description.is_pinned),
        version=capability.version,
        bindings=list(bindings),  # type: ignore[arg-type]
        determinism=dict(envelope),
        scope=computed.scope,
        request_id=computed.request_id,
        latency_ms=computed.latency_ms,
    )
