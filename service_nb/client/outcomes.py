"""Build the outcomes of the flows: the hashed texts, digests and view of an answer, a refusal, a computation, a replay.

Pure: ids and times come in. `record.py` makes a card and an entry of the ledger of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service_nb.cards.build import build_card, make_portable
from service_nb.compute.binding import describe_binding
from service_nb.compute.contract import format_result_type
from service_nb.compute.identity import iter_arguments_blocks, iter_identity_blocks, iter_value_blocks
from service_nb.compute.words import describe_promise, format_call
from service_nb.core.canonical import MAX_SAFE_INTEGER, parse_strict, write_canonical_text
from service_nb.core.digest import (
    DEFINITION_DOMAIN,
    ERROR_DOMAIN,
    PROVENANCE_DOMAIN,
    REFUSAL_DOMAIN,
    REPLAY_DOMAIN,
    digest,
)
from service_nb.query import plan as plans
from service_nb.query.ask_line import format_ask
from service_nb.query.exact import write_exact_text
from service_nb.query.spec import write_spec
from service_nb.schema.card import (
    CARD_BYTES,
    Card,
    CardKind,
    ComputationView,
    ErrorView,
    QueryView,
    RefusalView,
    ReplayView,
)
from service_nb.schema.entry import Input
from service_nb.schema.query import QuerySpec, Status
from service_nb.schema.replay import Replay

if TYPE_CHECKING:
    import pyarrow as pa

    from service_nb.client.ask import ResultTable
    from service_nb.client.compute import ComputedValue

DEFAULT_ORDER = "desc"
PRECISION_MODE = "float64"
THREAD_COUNT = 1
SHOWN_VALUES = 20  # of an array in a card's view
_KEPT_BYTES = 8 * 1024**2  # of one text in the ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The parts of a card: hashed texts, their digests, and the view.

    `kept` are hashed texts that the ledger keeps and the card does not hold; `left_out` has the plain SHA-256 of those
    that are too large to be kept at all.
    """

    canonical: Mapping[str, str]
    digests: Mapping[str, str]
    view: Mapping[str, object]
    kept: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An outcome to be recorded: `evidence` is for its card, the rest for its statement."""

    kind: CardKind
    id: str
    evidence: Evidence
    inputs: Sequence[Input] = ()
    bindings: Sequence[Mapping[str, object]] = ()
    determinism: Mapping[str, object] | None = None
    contract_hash: str | None = None
    tables: Mapping[str, pa.Table] = field(default_factory=dict)  # sources in memory, kept beside the ledger

    def build_card(self) -> Card:
        """Build the card, not yet signed."""
        made = self.evidence
        return build_card(self.kind, canonical=made.canonical, digests=made.digests, view=made.view)


# --- questions --------------------------------------------------------------------------------------------------------


def build_answer_evidence(
    table: ResultTable, data: Mapping[str, object], source: Input, *, shown_rows: int
) -> Evidence:
    """Build the parts of an answer's card. With no row shown, the card holds their hash and shape only."""
    plan, result = table.plan, {"result": table.result_text}
    describe_binding = write_canonical_text(
        make_portable(
            {
                "columns": list(table.columns),
                "decision_path": plan.decision_path,
                "engine": table.engine,
                "method": table.method,
                "notes": dict(plan.notes),
                "row_count": len(table.values),
                "shown_rows": min(shown_rows, len(table.values)),
                "sources": [source],
            }
        )
    )
    return Evidence(
        canonical={"plan": table.plan_text, "provenance": describe_binding} | (result if shown_rows else {}),
        kept={} if shown_rows else result,
        digests={
            "plan_hash": plan.plan_hash,
            "result_hash": table.result_hash,
            "schema_revision": plan.schema_revision,
            "provenance_hash": digest(PROVENANCE_DOMAIN, describe_binding),
        },
        view=QueryView(
            status="ok",
            question=plans.describe_question(plan),
            ask=format_plan(table.plan_text, plan.source_name),
            columns=list(table.columns),
            rows=[[write_exact_text(value) for value in row] for row in table.values[:shown_rows]],
            row_count=len(table.values),
            plan=list(data["plan"]),  # type: ignore[call-overload]
            source={key: value for key, value in source.items() if key != "origin"},
            decision_path=plan.decision_path,
            method=table.method,
            engine=table.engine,
            query_id=str(data["query_id"]),
            latency_ms=data["latency_ms"],  # type: ignore[typeddict-item]
            notes=[f"{key}: {value}" for key, value in sorted(plan.notes.items())],
        ),
    )


def format_plan(plan_text: str, source_name: str) -> str:
    """Write the ask line of a recorded plan, from the text that is hashed; the default order is left out."""
    plan = parse_strict(plan_text)
    told = {key: value for key, value in plan.items() if (key, value) != ("order", DEFAULT_ORDER)}
    return format_ask(told | {"source_name": source_name})


def build_refusal_evidence(spec: QuerySpec, resolution: Mapping[str, object], status: Status) -> Evidence:
    """Build the parts of a refusal's card: refusals are results too, and hashed."""
    spec_text, resolution_text = write_canonical_text(write_spec(spec)), write_canonical_text(resolution)
    ask = format_ask(parse_strict(spec_text))
    shown = ("reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates")
    return Evidence(
        canonical={"spec": spec_text, "resolution": resolution_text},
        digests={"refusal_hash": digest(REFUSAL_DOMAIN, spec_text, b"\0", resolution_text)},
        view=RefusalView(status=status, question=ask, ask=ask, **{key: resolution[key] for key in shown}),  # type: ignore[typeddict-item]
    )


def build_error_evidence(error: Mapping[str, object]) -> Evidence:
    """Build the parts of an error's card from its `ServiceError.to_dict()`; lone surrogates are escaped."""
    told = {key: _escape_surrogates(error[key]) for key in ("code", "message", "hint", "source", "retryable")}
    text = write_canonical_text(told)
    return Evidence(
        canonical={"error": text},
        digests={"error_hash": digest(ERROR_DOMAIN, text)},
        view=ErrorView(status="error", code=told["code"], message=told["message"], hint=told["hint"]),  # type: ignore[typeddict-item]
    )


def _escape_surrogates(value: object) -> object:
    """Escape lone surrogates: messages may quote user input."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


# --- computations -----------------------------------------------------------------------------------------------------


def build_computation_evidence(computed: ComputedValue, *, definition: str, inputs: Sequence[Input]) -> Evidence:
    """Build the parts of a computation's card. Texts that no card could hold are left to the ledger.

    Long arguments are left to their hash: literals stand in the identity too, and columns in their source.
    """
    call = computed.call
    envelope = build_envelope(computed)
    bindings = [describe_binding(one) for one in call.bound]
    sources = write_canonical_text(make_portable({"bindings": bindings, "determinism": envelope, "sources": inputs}))
    identity = iter_identity_blocks(
        call.checked, call.bound, contract_hash=computed.contract_hash, scope=computed.scope
    )
    long_ones = {
        "identity": _join(identity, _KEPT_BYTES),
        "value": _join(iter_value_blocks(computed.value), _KEPT_BYTES),
    }
    arguments = _join(iter_arguments_blocks(call.arguments), CARD_BYTES)
    texts = {"definition": definition, "provenance": sources}
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
            "provenance_hash": digest(PROVENANCE_DOMAIN, sources),
        },
        view=_build_computation_view(computed, envelope, bindings),
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


def encode_value(value: object) -> object:
    """Return a value as JSON carries it without loss: whole numbers beyond 2**53 - 1 are texts of their digits."""
    if type(value) is float:
        return value
    if type(value) is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, dict):
        return {name: encode_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [encode_value(item) for item in value]
    return value


def _build_computation_view(
    computed: ComputedValue, envelope: Mapping[str, object], bindings: Sequence[Mapping[str, object]]
) -> ComputationView:
    call = computed.call
    capability, entry = call.checked.capability, call.checked.capability.entry
    return ComputationView(
        status="ok",
        call=capability.id,
        question=format_call(call.checked, call.bound),
        summary=capability.summary,
        columns=_list_columns(entry["result"]),
        rows=_list_rows(computed.value, entry["result"]),
        row_count=len(computed.value) if isinstance(computed.value, list | dict) else 1,
        value_type=format_result_type(entry["result"]),
        formula=entry.get("formula"),
        latex=entry.get("latex"),
        citation=entry["source"],
        tier=capability.tier,
        promise=describe_promise(capability.tier, is_pinned=computed.description.is_pinned),
        version=capability.version,
        bindings=list(bindings),  # type: ignore[arg-type]
        determinism=dict(envelope),
        scope=computed.scope,
        request_id=computed.request_id,
        latency_ms=computed.latency_ms,
    )


def _list_columns(result: Mapping[str, str]) -> list[str]:
    if result["type"] == "record":
        return ["name", "value", "unit"]
    if result["type"].endswith("[][]"):
        return []  # as many as the matrix has
    return ["item", "value"] if result["type"].endswith("[]") else ["value", "unit", "about"]


def _list_rows(value: object, result: Mapping[str, object]) -> list[list[str]]:
    if isinstance(value, dict):
        fields: Mapping[str, Mapping[str, str]] = result["fields"]  # type: ignore[assignment]
        return [[name, _show_value(value[name]), fields[name].get("unit", "1")] for name in sorted(fields)]
    if not isinstance(value, list):
        return [[_show_value(value), str(result.get("unit", "1")), str(result.get("about", ""))]]
    if str(result["type"]).endswith("[][]"):
        return [[_show_value(item) for item in row[:SHOWN_VALUES]] for row in value[:SHOWN_VALUES]]
    return [[str(index), _show_value(item)] for index, item in enumerate(value[:SHOWN_VALUES])]


def _show_value(value: object) -> str:
    """Return the exact text of a value: its canonical JSON, without quotes; long lists are cut."""
    if isinstance(value, list):
        cut = value[:SHOWN_VALUES]
        return "[" + ", ".join(map(_show_value, cut)) + (", …]" if len(value) > len(cut) else "]")
    ready = encode_value(value)
    return ready if isinstance(ready, str) else write_canonical_text(ready)


# --- replays ----------------------------------------------------------------------------------------------------------


def build_replay_evidence(replay: Replay) -> Evidence:
    """Build the parts of a replay's card."""
    told = replay.to_dict()
    report = write_canonical_text(told)
    compared = told["comparison"] or {"differences": [], "differing": 0}
    view = ReplayView(
        status=replay.status,
        subject=replay.subject,
        result_id=replay.result_id,
        question=replay.question,
        cause=replay.cause,
        message=replay.message,
        digest=replay.digest,
        expected=replay.expected,
        met=replay.met,
        sources=told["sources"],
        changes=told["changes"],
        rows=[[each[key] for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]],
        row_count=compared["differing"],
    )
    return Evidence(canonical={"report": report}, digests={"replay_hash": digest(REPLAY_DOMAIN, report)}, view=view)
