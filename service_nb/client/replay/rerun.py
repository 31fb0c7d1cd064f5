"""Run a stored result again, without any cache, on sources that were found again, and compare the two."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from service_nb._version import __version__
from service_nb.client.computation import bind_stored_call, build_envelope, check_call, record_values, run_calls
from service_nb.client.context import Context, Library
from service_nb.client.first_look import run_stored_inspection
from service_nb.client.question import (
    build_refusal_evidence,
    describe_resolution,
    record_answer,
    resolve_question,
    restore_plan,
    run_plan,
)
from service_nb.client.record import Recorder
from service_nb.client.registry import Registry
from service_nb.client.replay.find import FoundSource, RefusedError, narrow_as_then
from service_nb.client.replay.read import StoredOutcome, build_invalid_error
from service_nb.compute.call_arguments import describe_binding, hash_computation, iter_value_blocks
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.zones import UTC
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.evidence.differences import DIFFERS, MOST_BYTES, Ground, Types, compare, find_cause, find_changes
from service_nb.query.aggregations.aggregation import AS_READ, UNROUNDED
from service_nb.query.ask_line import format_ask
from service_nb.query.group_keys import name_keys
from service_nb.query.inspection import is_inspection
from service_nb.query.plan import PLAN_VERSION, describe_question
from service_nb.query.spec import parse_spec, write_spec
from service_nb.schema.query import Status
from service_nb.schema.reading_notes import drop_values
from service_nb.schema.reports import Change, Comparison, Replay
from service_nb.schema.source import write_exact_text

_TZ = re.compile(r", tz (\w+)")
_BY_POLICY = "policy_denied"
# What a run may show otherwise: its ids and its time, and where it ran, whose differences are told as changes.
_PASSING = ("query_id", "request_id", "latency_ms", "determinism", "promise", "scope")
_SAME = {
    "query": "The same plan on the same content gave the same rows.",
    "computation": "The same call gave the same value, bit for bit.",
}
_IDENTITY = ("args", "function", "kwargs", "module", "resolved_bindings", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The result of a replayed run: `name` and `digest` name its text and hash; `met` is None without a result."""

    name: str
    digest: str
    met: str | None
    text: str | None
    ground: Ground
    types: Types = None
    keys: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()  # that no envelope tells
    view: Mapping[str, object] = field(default_factory=dict)  # what a card of it shows
    question: str | None = None  # in words, by what was run and not by what the card says


def run_stored(context: Context, stored: StoredOutcome, found: Sequence[FoundSource]) -> Rerun:
    """Run a stored result again on the sources that were found, with empty caches, recording nothing.

    Raises
    ------
    RefusedError
        Its texts are not kept, or malformed.
    ServiceError
        It cannot be run here, or is not allowed.
    """
    registry = Registry()
    for each in found:
        registry.adopt(each.registered)
    sources = replace(narrow_as_then(context.sources, stored.inputs), registry=registry, live=None)
    silent = context.copy_with_sources(sources, Recorder(folder=None, tenant=None, clock=context.clock))
    match stored.kind:
        case "query":
            ran = _run_query(silent, stored)
        case "computation":
            ran = _run_computation(silent, stored)
        case _:
            ran = _run_refusal(silent, stored)
    known = [sources.restrict(each) for each in registry]
    ground = replace(
        ran.ground,
        sources={each.name: (each.content.sha256, each.schema_revision) for each in known},
        readings={each.name: (write_canonical_text(each.reading), each.source_id) for each in known},
        service_nb=__version__,
    )
    return replace(ran, ground=ground)


# --- questions --------------------------------------------------------------------------------------------------------


def _run_query(context: Context, stored: StoredOutcome) -> Rerun:
    if is_inspection(stored.record("plan")):
        return _run_inspection(context, stored)
    started = time.perf_counter()
    path = stored.view.get("decision_path")
    raw = {
        **stored.record("plan"),
        "version": PLAN_VERSION,
        "source_name": stored.inputs[0]["name"] if stored.inputs else None,
        "decision_path": path if isinstance(path, str) else "exact_spec",
        "plan_hash": stored.digests["plan_hash"],
        "notes": stored.record("provenance").get("notes", {}),
    }
    plan = restore_plan(context, raw)
    registered, table = run_plan(context, plan, context.timeout_s)
    card = record_answer(context, registered, table, {}, started=started).card
    return Rerun(
        name="result",
        digest="result_hash",
        met=table.result_hash,
        text=table.result_text,
        ground=Ground(),
        # A card shows the first rows; one of before may show more of them than a card does by default.
        view=_write_as_stored(
            stored, {**card["view"], "rows": [list(map(write_exact_text, row)) for row in table.values]}
        ),
        question=describe_question(plan),
        types={column["name"]: column["physical"] for column in table.columns if column["role"] != "count"},
        keys=name_keys(plan.group_by),
        changes=_list_rule_changes(stored.record("provenance").get("engine"), table.engine),
    )


def _list_rule_changes(then: object, now: str) -> tuple[Change, ...]:
    """List the release of the tz database, where engines tell that it is another one."""
    told, met = (_TZ.search(each) if isinstance(each, str) else None for each in (then, now))
    if told is None or met is None or told[1] == met[1]:
        return ()
    return (Change(cause="zone_rules_changed", what="the tz database", expected=told[1], met=met[1]),)


def _write_as_stored(stored: StoredOutcome, view: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the view of a run with what older cards leave out left out, where the stored one does so.

    The line of a series by its first measure did not say so, and columns not that they are of UTC.
    """
    shown = stored.view.get("columns")
    if isinstance(shown, list) and not any(isinstance(each, Mapping) and "zone" in each for each in shown):
        columns = [{key: each[key] for key in each if (key, each[key]) != ("zone", UTC)} for each in view["columns"]]
        view = {**view, "columns": columns}
    plan = stored.record("plan")
    asked = {key: value for key, value in plan.items() if key != "order" or plan["order"] != "desc"}
    short = format_ask({**asked, "source_name": view["source"]["name"]})
    is_short = "order_by" not in plan and stored.view.get("ask") == short
    return {**view, "ask": short} if is_short else view


def _run_inspection(context: Context, stored: StoredOutcome) -> Rerun:
    name = stored.inputs[0]["name"] if stored.inputs else ""
    outcome, table = run_stored_inspection(context, stored.record("plan"), name, stored.digests["plan_hash"])
    return Rerun(
        name="result",
        digest="result_hash",
        met=table.result_hash,
        text=table.result_text,
        ground=Ground(),
        view={**outcome.card["view"], "rows": [list(map(write_exact_text, row)) for row in table.values]},
        question=outcome.card["view"]["question"],
        types={column["name"]: column["physical"] for column in table.columns},
    )


def _run_refusal(context: Context, stored: StoredOutcome) -> Rerun:
    spec = stored.record("spec")
    if parse_spec(spec).time_filter is not None:
        raise RefusedError("not_replayable", "The question uses a period relative to the day on which it was asked.")
    if stored.record("resolution").get("unknown"):
        raise RefusedError("not_replayable", "The question holds a value that no question has, whoever asks it.")
    question, resolution = resolve_question(context, spec)
    told: Status = "needs_clarification" if stored.kind == "clarification" else "rejected"
    asked = format_ask(write_spec(question))
    if resolution.plan is not None:
        return Rerun(name="resolution", digest="refusal_hash", met=None, text=None, ground=Ground(), question=asked)
    evidence = build_refusal_evidence(question, describe_resolution(resolution), told)
    return Rerun(
        name="resolution",
        digest="refusal_hash",
        met=evidence.digests["refusal_hash"],
        text=evidence.canonical["resolution"],
        ground=Ground(),
        view=evidence.view,
        question=asked,
    )


# --- computations -----------------------------------------------------------------------------------------------------


def _run_computation(context: Context, stored: StoredOutcome) -> Rerun:
    started = time.perf_counter()
    identity = _read_identity(stored.get_text("identity"))
    bindings = stored.bindings
    if not _is_resolved(bindings, identity["resolved_bindings"]):
        raise build_invalid_error("its bindings are not those of its identity")
    checked = check_call(
        context,
        {
            "module": identity["module"],
            "function": identity["function"],
            "seed": identity["seed"],
            "bindings": [*map(_build_binding, bindings)],
            **_read_literals(context.library, identity),
        },
    )
    call = bind_stored_call(context, checked, context.timeout_s)
    [computed], setup_s = run_calls(context, [call], context.timeout_s, started)
    view = record_values(context, [computed], setup_s)[0].card["view"]
    blocks = list(iter_value_blocks(computed.value))
    return Rerun(
        name="value",
        digest="computation_hash",
        # Over the stored identity: that it names another contract is a change, and no other value.
        met=hash_computation(stored.digests["invocation_hash"], blocks),
        text=b"".join(blocks).decode(),
        ground=Ground(contract_hash=computed.contract_hash, determinism=build_envelope(computed), scope=computed.scope),
        types=_list_value_types(checked.capability.entry["result"]),
        view=view,
        question=view["question"],
        changes=tuple(_list_other_values(bindings, [describe_binding(one) for one in call.bound])),
    )


def _read_literals(library: Library, identity: Mapping[str, object]) -> dict[str, object]:
    """Read the literals of a call: doubles from 2**53 on are stored as bare digits, which parse as integers."""
    args, kwargs = identity["args"], identity["kwargs"]
    capability = library.contract.get(f"{identity['module']}.{identity['function']}")
    if capability is None or not isinstance(args, list) or not isinstance(kwargs, dict):
        return {"args": args, "kwargs": kwargs}
    scalars = {parameter.name: parameter.scalar for parameter in capability.parameters}
    placed = dict(zip(capability.names, args, strict=False))
    named = {
        name: _read_doubles(value) if scalars.get(name) == "float64" else value
        for name, value in (placed | kwargs).items()
    }
    rest = args[len(placed) :]
    return {"args": [named[name] for name in placed] + rest, "kwargs": {name: named[name] for name in kwargs}}


def _list_value_types(result: Mapping[str, Any]) -> Types:
    if result["type"] == "record":
        return {name: _get_scalar_type(field) for name, field in result["fields"].items()}
    return _get_scalar_type(result)


def _get_scalar_type(result: Mapping[str, object]) -> str:
    return str(result["type"]).replace("[]", "")


def _read_doubles(value: object) -> object:
    if isinstance(value, list):
        return [_read_doubles(item) for item in value]
    return float(value) if type(value) is int else value


def _read_identity(text: str) -> dict[str, Any]:
    try:
        identity = parse_strict(text, max_bytes=MOST_BYTES)
    except (CanonicalJsonError, LimitExceededError) as error:
        raise build_invalid_error("its identity is not an object in strict JSON") from error
    if not isinstance(identity, dict) or not identity.keys() >= set(_IDENTITY):
        raise build_invalid_error(f"its identity does not hold {', '.join(_IDENTITY)}")
    if not isinstance(identity["resolved_bindings"], list):
        raise build_invalid_error("its bindings are not a list")
    return identity


def _is_resolved(bindings: Sequence[Mapping[str, object]], resolved: list[object]) -> bool:
    """Tell whether bindings read what an identity says was read; which parameter got it is seen when they are run."""
    told: list[object] = []
    for one in bindings:
        hashes = one.get("input_hashes", [one.get("input_hash")])
        told += hashes if isinstance(hashes, list) else [None]
    read = [each.get("input_hash") if isinstance(each, dict) else None for each in resolved]
    return sorted(map(str, told)) == sorted(map(str, read))


def _build_binding(told: Mapping[str, object]) -> dict[str, object]:
    """Build the binding of a spec from the provenance of one."""
    binding: dict[str, object] = {
        "source": told.get("source_name"),
        "null_policy": "drop" if told.get("dropped") else "refuse",
        "parameters": told.get("parameters"),
        "fields": told.get("fields"),
        "alignment": "rowwise",
    }
    if "filter" in told and told["filter"] is None:
        raise RefusedError("text_not_kept", "The filter of a binding was too long to be recorded.")
    return binding | ({"filter": told["filter"]} if "filter" in told else {})


def _list_other_values(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[Change]:
    """List the bindings for which a source now gives other values than before."""
    return [
        Change(
            cause="source_content_changed",
            what=f"values of {', '.join(map(str, one['fields']))} in {one['source_name']}",
            expected=one["input_hash"],
            met=other["input_hash"],
        )
        for one, other in zip(before, now, strict=True)
        if one["input_hash"] != other["input_hash"]
    ]


# --- compare ----------------------------------------------------------------------------------------------------------


def compare_run(replay: Replay, stored: StoredOutcome, ran: Rerun) -> Replay:
    """Compare a run with the stored outcome: identical, or the differences with their likeliest cause.

    Raises
    ------
    RefusedError
        `not_replayable`: a policy refused the question, and this client has another.
    """
    expected, text = stored.digests[ran.digest], stored.texts.get(ran.name)
    changed = (*ran.changes, *find_changes(stored.ground, ran.ground))
    replay = structs.replace(replay, met=ran.met, changes=changed)
    is_altered = f"{ran.digest}_mismatch" in stored.verdict.causes
    replay = structs.replace(replay, question=ran.question or replay.question)
    if ran.met == expected and not is_altered and text in (None, ran.text):
        causes = {change.cause for change in changed}
        shown = _replace_reading(stored.view, ran.view) if "reading_changed" in causes else stored.view
        contradicted = _find_contradiction(shown, ran.view, leaves_sources="source_content_changed" in causes)
        if contradicted is not None:
            cause = "view_contradicted"
            return structs.replace(
                replay, status="differs", cause=cause, message=DIFFERS[cause], comparison=contradicted
            )
        return structs.replace(replay, status="identical", cause=None, message=_describe_identical(stored, changed))
    if stored.kind == "rejection" and str(stored.record("resolution").get("rejection_reason")).startswith(_BY_POLICY):
        raise RefusedError(
            "not_replayable",
            "A policy refused it, and cards do not hold policies: replay it with a client that has that policy.",
        )
    comparison: Comparison | None = None
    if text is not None and ran.text is not None:
        comparison = compare(text, ran.text, ran.types, ran.keys)
    cause, message = _find_cause(stored, changed, is_altered=is_altered)
    if ran.text is None:
        message += " The question is answered now."
    return structs.replace(replay, status="differs", cause=cause, message=message, comparison=comparison)


def _find_cause(stored: StoredOutcome, changed: tuple[Change, ...], *, is_altered: bool) -> tuple[str, str]:
    if is_altered:
        return "result_tampered", DIFFERS["result_tampered"]
    if stored.is_live and not any(change.cause in ("source_content_changed", "schema_changed") for change in changed):
        return "live_source", DIFFERS["live_source"]
    if stored.is_hidden and not changed:
        why = "A policy hid columns of its source, so no digest tells whether the data are what they were."
        return "unknown", why
    is_refusal = stored.kind not in ("query", "computation")
    if is_refusal and not changed:  # of which no evidence tells all that it was judged by
        return "unknown", "The sources or the policy may be others than when it was asked, or the card was altered."
    tier = (stored.ground.determinism or {}).get("tier")
    return find_cause(
        changed,
        tier=tier if isinstance(tier, str) else None,
        is_trusted=stored.is_trusted,
        knows_readings=stored.kind == "computation" or stored.ground.knows_readings,  # a call hashes its values
    )


def _find_contradiction(
    shown: Mapping[str, object], ran: Mapping[str, object], *, leaves_sources: bool
) -> Comparison | None:
    """Find where a card contradicts a card of the run; it may show fewer rows.

    Compared is all that it shows, but for ids, the time that it took, the version of its engine, and, where other data
    were accepted, which is told as a change, what it shows of its sources and of the engine that suited them.
    """
    told, due = (_select_parts(view, leaves_sources=leaves_sources) for view in (shown, ran))
    if told.get("reading_notes") == [*map(drop_values, due.get("reading_notes", ()))]:  # a card without values
        due["reading_notes"] = told["reading_notes"]
    if "reading_notes" not in told:  # as of a card of an earlier version
        due.pop("reading_notes", None)
        if "method" in due:
            due["method"] = str(due["method"]).replace(AS_READ, UNROUNDED)
    if isinstance(told.get("rows"), list) and "rows" in due:
        due["rows"] = due["rows"][: len(told["rows"])]
    comparison = compare(write_canonical_text(told), write_canonical_text(due), "string")
    return comparison if comparison.differing else None


def _replace_reading(view: Mapping[str, Any], ran: Mapping[str, Any]) -> Mapping[str, object]:
    """Return a view whose source was read in another way, which is told as a change, with the run's reading."""
    if not isinstance(view.get("source"), Mapping) or not isinstance(ran.get("source"), Mapping):
        return view
    return {**view, "source": {**view["source"], **{key: ran["source"].get(key) for key in ("source_id", "reading")}}}


def _select_parts(view: Mapping[str, Any], *, leaves_sources: bool) -> dict[str, Any]:
    left_out = (*_PASSING, *(("source", "bindings", "engine", "method", "reading_notes") if leaves_sources else ()))
    parts = {key: value for key, value in view.items() if key not in left_out}
    if leaves_sources and isinstance(parts.get("plan"), list):
        parts["plan"] = parts["plan"][1:]  # the first step says how many rows were read
    if isinstance(parts.get("engine"), str):
        parts["engine"] = parts["engine"].partition(" ")[0]
    return parts


def _describe_identical(stored: StoredOutcome, changed: Sequence[Change]) -> str:
    told = _SAME.get(stored.kind, "The same question was refused for the same reason.")
    if stored.is_live and stored.kind == "query":
        told = "The same plan gave the same rows of the live source."
    if changed:
        told += f" What changed since then made no difference: {', '.join(change.what for change in changed)}."
    if stored.verdict.status == "altered":
        told += " The card itself does not verify."
    return told
