"""A stored question or computation, run again on sources that were found again, with no memory of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service_nb._version import __version__
from service_nb.client.answers import refusal_evidence
from service_nb.client.computing import Computing, Library
from service_nb.client.questions import Questions
from service_nb.client.recording import Recorder
from service_nb.client.registry import Registered, Registry
from service_nb.client.replay.finding import Found, RefusedError, listed
from service_nb.client.replay.stored import Stored, invalid
from service_nb.client.seen import Clock
from service_nb.client.sources import Sources
from service_nb.compute.identity import computation_hash, value_blocks
from service_nb.core.canonical import canonical_text, parse_strict
from service_nb.core.digest import hash_refusal
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.evidence.changes import Ground
from service_nb.evidence.compare import MOST_BYTES, Types
from service_nb.query.aggregations import RECORDS
from service_nb.query.plan import PLAN_VERSION, in_words, plan_from_json
from service_nb.query.resolve import resolve
from service_nb.query.spec import parse_spec, spec_to_json
from service_nb.query.syntax import format_ask
from service_nb.runtimes.base import Runtime
from service_nb.schema.query import Status
from service_nb.schema.replay import Change

_IDENTITY = ("args", "function", "kwargs", "module", "resolved_bindings", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of a run. `name` is that of the text and `digest` that of its hash; `met` is None where none came."""

    name: str
    digest: str
    met: str | None
    text: str | None
    ground: Ground
    types: Types = None
    keys: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()  # that no envelope tells
    view: Mapping[str, Any] = field(default_factory=dict)  # what a card of it shows
    question: str | None = None  # in words, by what was run and not by what the card says


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """What runs stored results again: the planes of a client, on a registry of their own, recording nothing."""

    client: Sources
    clock: Clock
    library: Library
    runtime: Callable[[], Runtime]
    mode: str
    timeout_s: float | None

    def run(self, stored: Stored, found: Sequence[Found]) -> Ran:
        """Run a stored result again.

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
        sources = replace(listed(self.client, stored.inputs), registry=registry)
        match stored.kind:
            case "query":
                ran = self._query(stored, sources)
            case "computation":
                ran = self._computation(stored, sources)
            case _:
                ran = self._refusal(stored, sources)
        ground = replace(ran.ground, sources=_contents(sources), readings=_readings(sources), service_nb=__version__)
        return replace(ran, ground=ground)

    def _silent(self) -> Recorder:
        return Recorder(folder=None, tenant=None, clock=self.clock)

    # --- questions ----------------------------------------------------------------------------------------------

    def _query(self, stored: Stored, sources: Sources) -> Ran:
        plan = stored.record("plan")
        name = stored.inputs[0]["name"] if stored.inputs else None
        path = stored.view.get("decision_path")
        raw = {
            **plan,
            "version": PLAN_VERSION,
            "source_name": name,
            "decision_path": path if isinstance(path, str) else "exact_spec",
            "plan_hash": stored.digests["plan_hash"],
            "notes": stored.record("provenance").get("notes", {}),
        }
        outcome = Questions(sources, self.clock, self._silent()).run(raw, self.timeout_s)
        data = outcome["data"]
        rows = data["result"]
        asked = resolve(plan_from_json(raw)[0], sources.catalog(), self.clock()).plan
        fields = {field.name: field.physical for field in sources.registry.get(str(name)).fields}
        return Ran(
            name="result",
            digest="result_hash",
            met=data["result_hash"],
            text=canonical_text(rows),
            ground=Ground(),
            # A card shows the first rows; one of before may show more of them than a card does by default.
            view={**outcome.card["view"], "rows": [list(map(_exact, row.values())) for row in rows]},
            question=None if asked is None else in_words(asked),
            types=_column_types(plan, fields),
            keys=tuple(plan.get("group_by", ())),
        )

    def _refusal(self, stored: Stored, sources: Sources) -> Ran:
        spec = stored.record("spec")
        question = parse_spec(spec)
        if question.time_filter is not None:
            raise RefusedError("not_replayable", "The question speaks of a period relative to the day it was asked on.")
        resolution = Questions(sources, self.clock, self._silent()).resolve(spec)
        status = resolution.pop("status")
        told: Status = "needs_clarification" if stored.kind == "clarification" else "rejected"
        text = None if status == "ok" else canonical_text(resolution)
        return Ran(
            name="resolution",
            digest="refusal_hash",
            met=None if text is None else hash_refusal(canonical_text(spec_to_json(question)), text),
            text=text,
            ground=Ground(),
            view=refusal_evidence(question, resolution, told).view if text is not None else {},
            question=format_ask(spec_to_json(question)),
        )

    # --- computations -------------------------------------------------------------------------------------------

    def _computation(self, stored: Stored, sources: Sources) -> Ran:
        identity = _identity(stored.text("identity"))
        computing = Computing(sources, self.clock, self.library, runtime=self.runtime, recorder=self._silent())
        bindings = identity["resolved_bindings"]
        if len(bindings) != len(stored.bindings):
            raise invalid("it does not have as many bindings as its identity")
        made = computing.one(
            {
                "module": identity["module"],
                "function": identity["function"],
                "seed": identity["seed"],
                "bindings": [_binding(*pair) for pair in zip(bindings, stored.bindings, strict=True)],
                **self._literals(identity),
            },
            self.mode,
            self.timeout_s,
        )
        blocks = list(value_blocks(made.value))
        view = made.card["view"]
        entry = self.library.contract.entry(f"{made['module']}.{made['function']}")
        return Ran(
            name="value",
            digest="computation_hash",
            # Over the stored identity: that it names another contract is a change, and no other value.
            met=computation_hash(stored.digests["invocation_hash"], blocks),
            text=b"".join(blocks).decode(),
            ground=Ground(
                contract_hash=made["contract_hash"], determinism=made["determinism"], scope=str(view["scope"])
            ),
            types=_value_types(entry["result"]),
            view=view,
            question=view["question"],
            changes=tuple(_other_values(bindings, made.get("provenance", {}).get("bindings", []))),
        )

    def _literals(self, identity: Mapping[str, object]) -> dict[str, Any]:
        """Return the literals of a call. Doubles from 2**53 on stand in it as bare digits, which read as integers."""
        args, kwargs = identity["args"], identity["kwargs"]
        capability = self.library.contract.get(f"{identity['module']}.{identity['function']}")
        if capability is None or not isinstance(args, list) or not isinstance(kwargs, dict):
            return {"args": args, "kwargs": kwargs}
        scalars = {parameter.name: parameter.scalar for parameter in capability.parameters}
        placed = dict(zip(capability.names, args, strict=False))
        named = {
            name: _doubles(value) if scalars.get(name) == "float64" else value
            for name, value in (placed | kwargs).items()
        }
        rest = args[len(placed) :]
        return {"args": [named[name] for name in placed] + rest, "kwargs": {name: named[name] for name in kwargs}}


def _contents(sources: Sources) -> dict[str, tuple[str | None, str | None]]:
    seen: list[Registered] = [sources.seen(each) for each in sources.registry]
    return {each.name: (each.content.sha256, each.schema_revision) for each in seen}


def _readings(sources: Sources) -> dict[str, tuple[str | None, str]]:
    seen: list[Registered] = [sources.seen(each) for each in sources.registry]
    return {each.name: (canonical_text(each.reading), each.source_id) for each in seen}


def _exact(value: object) -> str | None:
    """Return the exact text of a value, as cards show it."""
    return value if value is None or isinstance(value, str) else canonical_text(value)


def _column_types(plan: Mapping[str, Any], fields: Mapping[str, str]) -> Types:
    """Return the physical types of a result's columns; what is not named here is the count of rows."""
    metric, aggregation = plan.get("metric"), plan["aggregation"]
    types = {name: fields[name] for name in plan.get("group_by", ())}
    if metric is not None:
        types[f"{aggregation}_{metric}" if metric in types else metric] = RECORDS[aggregation].hold(fields[metric])
    return types


def _value_types(result: Mapping[str, Any]) -> Types:
    if result["type"] == "record":
        return {name: _scalar(field) for name, field in result["fields"].items()}
    return _scalar(result)


def _scalar(result: Mapping[str, object]) -> str:
    return str(result["type"]).replace("[]", "")


def _doubles(value: object) -> Any:
    if isinstance(value, list):
        return [_doubles(item) for item in value]
    return float(value) if type(value) is int else value


def _identity(text: str) -> dict[str, Any]:
    try:
        identity = parse_strict(text, max_bytes=MOST_BYTES)
    except (CanonicalJsonError, LimitExceededError) as error:
        raise invalid("its identity is not an object in strict JSON") from error
    if not isinstance(identity, dict) or not identity.keys() >= set(_IDENTITY):
        raise invalid(f"its identity does not hold {', '.join(_IDENTITY)}")
    if not isinstance(identity["resolved_bindings"], list):
        raise invalid("its bindings are not a list")
    return identity


def _binding(resolved: object, told: Mapping[str, object]) -> dict[str, Any]:
    """Return the binding of a spec: its columns from the identity, its filter and null policy from its provenance."""
    if not isinstance(resolved, dict) or not isinstance(resolved.get("fields"), list) or not resolved["fields"]:
        raise invalid("a binding names no columns")
    source, fields = resolved.get("source_name"), resolved["fields"]
    if told.get("source_name") != source or told.get("input_hash") != resolved.get("input_hash"):
        raise invalid("its bindings are not those of its identity")
    binding: dict[str, Any] = {"source": source, "null_policy": "drop" if told.get("dropped") else "refuse"}
    if "parameters" in resolved:
        binding |= {"parameters": resolved["parameters"], "fields": fields, "alignment": "rowwise"}
    else:
        binding |= {"parameter": resolved.get("parameter"), "field": fields[0]}
    if "filter" in told and told["filter"] is None:
        raise RefusedError("text_not_kept", "The filter of a binding was too long to be recorded.")
    return binding | ({"filter": told["filter"]} if "filter" in told else {})


def _other_values(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Return where a source gives other values to a call than it gave."""
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
