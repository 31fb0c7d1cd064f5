"""From a value to a computation: hashes, envelope, provenance, evidence. Pure: ids and times come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from service_nb.cards.build import portable
from service_nb.client.results import Evidence
from service_nb.compute.binding import provenance
from service_nb.compute.contract import result_type
from service_nb.compute.identity import (
    arguments_blocks,
    computation_hash,
    execution_scope,
    hashes,
    identity_blocks,
    positional,
    value_blocks,
)
from service_nb.compute.words import call_in_words, promise
from service_nb.core.canonical import MAX_SAFE_INTEGER, canonical_text
from service_nb.core.digest import DEFINITION_DOMAIN, PROVENANCE_DOMAIN, digest
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.schema.card import CARD_BYTES, ComputationView
from service_nb.schema.compute import Bound, Checked, RuntimeDescription
from service_nb.schema.entry import Input

PRECISION_MODE = "float64"
THREAD_COUNT = 1
SHOWN_VALUES = 20  # of an array in a card's view
_KEPT_BYTES = 8 * 1024**2  # of one text in the ledger


class Assembled(NamedTuple):
    """A call with its arguments, ready to run."""

    checked: Checked
    bound: tuple[Bound, ...]
    arguments: list[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A computation whose identity is known."""

    checked: Checked
    bound: tuple[Bound, ...]
    arguments: list[Any]
    contract_hash: str
    description: RuntimeDescription
    scope: str
    invocation_hash: str
    input_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A computation after it ran."""

    prepared: Prepared
    value: Any
    computation_hash: str
    request_id: str
    latency_ms: float


def assembled(checked: Checked, bound: tuple[Bound, ...]) -> Assembled:
    """Put the arguments in order."""
    return Assembled(checked, bound, positional(checked, bound))


def prepared(call: Assembled, *, contract_hash: str, description: RuntimeDescription, mode: str) -> Prepared:
    """Hash the arguments and the identity."""
    checked, bound, arguments = call
    scope = execution_scope(description.platform, mode)
    invocation, given = hashes(checked, bound, arguments, contract_hash=contract_hash, scope=scope)
    return Prepared(
        checked=checked,
        bound=bound,
        arguments=arguments,
        contract_hash=contract_hash,
        description=description,
        scope=scope,
        invocation_hash=invocation,
        input_hash=given,
    )


def hash_of(prepared: Prepared, value: object) -> str:
    """Return the `computation_hash` of a value.

    Raises
    ------
    LimitExceededError [limit_exceeded]
        A whole number of the value has more digits than JSON carries.
    """
    try:
        return computation_hash(prepared.invocation_hash, value_blocks(value))
    except CanonicalJsonError as error:
        raise LimitExceededError(
            f"The value of {prepared.checked.capability.id} cannot be carried: {error.message}",
            reason=error.details.get("reason"),
        ) from error


def blank(made: Prepared, request_id: str) -> dict[str, Any]:
    """Return the specification's fields of a result, in their order and ready for JSON; three wait for the value."""
    capability = made.checked.capability
    result = {
        "status": "ok",
        "value": None,
        "value_type": capability.result_type,
        "module": capability.module,
        "function": capability.function,
        "invocation_hash": made.invocation_hash,
        "computation_hash": None,
        "contract_hash": made.contract_hash,
        "determinism": envelope(made),
        "latency_ms": None,
        "request_id": request_id,
    }
    if made.bound:
        result["provenance"] = {"bindings": [provenance(one) for one in made.bound]}
    return result


def filled(result: dict[str, Any], computed: Computed) -> dict[str, Any]:
    """Put what is known of a result after it ran into its fields."""
    result["value"] = json_value(computed.value)
    result["computation_hash"] = computed.computation_hash
    result["latency_ms"] = computed.latency_ms
    return result


def envelope(made: Prepared) -> dict[str, Any]:
    """Return the determinism envelope."""
    capability, description = made.checked.capability, made.description
    envelope: dict[str, Any] = {
        "runtime_bundle_version": description.bundle_version,
        "runtime_bundle_sha256": description.bundle_sha256,
        "platform": description.platform,
        "architecture": description.architecture,
        "kernel_build": description.kernel_build,
        "precision_mode": PRECISION_MODE,
        "thread_count": THREAD_COUNT,
        "input_hash": made.input_hash,
        "tier": capability.tier,
        "capability_version": capability.version,
        "libraries": dict(description.libraries),
    }
    if made.checked.seed is not None:
        envelope["seed"] = made.checked.seed
    if description.profile is not None:
        envelope["profile"] = description.profile
    if description.modules:
        envelope["runtime_modules"] = list(description.modules)
    if capability.tier != "certified":
        envelope["pinning"] = "pinned" if description.is_pinned else "unpinned"
    return envelope


def json_value(value: object) -> Any:
    """Return a value as JSON carries it without loss: whole numbers beyond 2**53 - 1 are texts of their digits."""
    if type(value) is float:
        return value
    if type(value) is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    return value


# --- evidence ---------------------------------------------------------------------------------------------------------


def evidence_of(computed: Computed, *, definition: str, inputs: Sequence[Input]) -> Evidence:
    """Build what the card of a computation is made of. Texts that no card could hold are left to the ledger.

    Long arguments are left to their hash: literals stand in the identity too, and columns in their source.
    """
    made = computed.prepared
    sources = {"bindings": [provenance(one) for one in made.bound], "determinism": envelope(made), "sources": inputs}
    told = {"definition": definition, "provenance": canonical_text(portable(sources))}
    identity = identity_blocks(made.checked, made.bound, contract_hash=made.contract_hash, scope=made.scope)
    long_ones = {"identity": _text(identity, _KEPT_BYTES), "value": _text(value_blocks(computed.value), _KEPT_BYTES)}
    arguments = _text(arguments_blocks(made.arguments), CARD_BYTES)
    texts = told | {name: text for name, text in long_ones.items() if text is not None}
    kept = {name: text for name, text in texts.items() if len(text) > CARD_BYTES}
    shown = {name: text for name, text in texts.items() if name not in kept}
    return Evidence(
        canonical=shown if arguments is None else shown | {"arguments": arguments},
        kept=kept,
        left_out={"arguments": made.input_hash} if arguments is None else {},
        digests={
            "invocation_hash": made.invocation_hash,
            "computation_hash": computed.computation_hash,
            "input_hash": made.input_hash,
            "contract_hash": made.contract_hash,
            "definition_hash": digest(DEFINITION_DOMAIN, definition),
            "provenance_hash": digest(PROVENANCE_DOMAIN, told["provenance"]),
        },
        view=_view(computed),
    )


def _text(blocks: Iterable[bytes], most: int) -> str | None:
    kept, size = [], 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size > most:
            return None
    return b"".join(kept).decode()


def _view(computed: Computed) -> ComputationView:
    made = computed.prepared
    capability = made.checked.capability
    entry = capability.entry
    return ComputationView(
        status="ok",
        call=capability.id,
        question=call_in_words(made.checked, made.bound),
        summary=capability.summary,
        columns=_columns(entry["result"]),
        rows=_rows(computed.value, entry["result"]),
        row_count=len(computed.value) if isinstance(computed.value, list | dict) else 1,
        value_type=result_type(entry["result"]),
        formula=entry.get("formula"),
        latex=entry.get("latex"),
        citation=entry["source"],
        tier=capability.tier,
        promise=promise(capability.tier, is_pinned=made.description.is_pinned),
        version=capability.version,
        bindings=[provenance(one) for one in made.bound],
        determinism=envelope(made),
        scope=made.scope,
        request_id=computed.request_id,
        latency_ms=computed.latency_ms,
    )


def _columns(result: Mapping[str, Any]) -> list[str]:
    if result["type"] == "record":
        return ["name", "value", "unit"]
    if result["type"].endswith("[][]"):
        return []  # as many as the matrix has
    return ["item", "value"] if result["type"].endswith("[]") else ["value", "unit", "about"]


def _rows(value: Any, result: Mapping[str, Any]) -> list[list[str]]:
    if isinstance(value, dict):
        fields = result["fields"]
        return [[name, _shown(value[name]), fields[name].get("unit", "1")] for name in sorted(fields)]
    if not isinstance(value, list):
        return [[_shown(value), result.get("unit", "1"), result.get("about", "")]]
    if result["type"].endswith("[][]"):
        return [[_shown(item) for item in row[:SHOWN_VALUES]] for row in value[:SHOWN_VALUES]]
    return [[str(index), _shown(item)] for index, item in enumerate(value[:SHOWN_VALUES])]


def _shown(value: object) -> str:
    """Return the exact text of a value: its canonical JSON, without quotes."""
    if isinstance(value, list):
        cut = value[:SHOWN_VALUES]
        return "[" + ", ".join(map(_shown, cut)) + (", …]" if len(value) > len(cut) else "]")
    ready = json_value(value)
    return ready if isinstance(ready, str) else canonical_text(ready)
