"""Say beside a refusal, or in an error, why a column is text and what reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service_nb.client.registration import describe_source
from service_nb.client.registry import Sources
from service_nb.core.words import write_name
from service_nb.errors import InvalidIntentError, ServiceError, SourceNotFoundError
from service_nb.query.policy import denied_field_error
from service_nb.query.refusals import Resolution
from service_nb.query.text_columns import explain_cause
from service_nb.schema.compute import Binding


def explain_text(sources: Sources, name: str, column: str) -> dict[str, Any]:
    """Explain why a column is text, with the value that decided, and write the line that reads it.

    They are `hint` and `details` of an outcome and stand on no card, which may travel further than the data. Of an
    error only the details are: its hint is on its card, which tells no path.
    """
    registered = sources.registry.find(name)
    described = None if registered is None else describe_source(sources, registered)
    reason = None if described is None else described["reasons"].get(column)
    is_text = described is not None and any(
        (each["name"], each["type"]) == (column, "string") for each in described["typed_fields"]
    )
    if described is None or reason is None or not is_text:
        return {"details": {"column": column}}
    advice = described["advice"] if reason.get("options") else None
    way = "" if advice is None else f" Read it again, then ask again: {advice['line']}"
    options = {} if advice is None else {"options": advice["options"], "connect": advice["line"]}
    return {
        "hint": f"{write_name(column)} was {reason['text']}.{way}",
        "details": {"column": column, "cause": reason, **options},
    }


def explain_refused_text(sources: Sources, source: str | None, resolution: Resolution) -> dict[str, Any]:
    """Explain why the column is text that a refusal is of; nothing where it is of none."""
    column = None if resolution.leading is None else resolution.leading.column
    allowed = sources.list_allowed()
    name = source if source is not None or len(allowed) != 1 else allowed[0].name
    return {} if column is None or name is None else explain_text(sources, name, column)


def explain_text_error(sources: Sources, source: str, texts: Sequence[str], error: InvalidIntentError) -> ServiceError:
    """Return the error of a binding, where its column is one of text with why it is text."""
    column = str(error.details.get("field"))
    view = sources.build_catalog().sources[source]
    if column not in texts or error.details.get("expected") != "a number":
        return error
    cause = explain_cause(column, view.find_text_order(column), view.reasons.get(column))
    details = explain_text(sources, source, column)["details"]
    return InvalidIntentError(error.message + cause, hint=error.hint, **error.details, **details)


def build_binding_error(sources: Sources, binding: Binding, resolution: Resolution) -> ServiceError:
    """Build the error of a binding that cannot be resolved."""
    told = resolution.to_json()
    reason, near = told["reason"], told["did_you_mean"] or None
    facts = {"parameter": binding.parameters[0], "met": binding.source, "did_you_mean": near}
    hint = f"Did you mean {near[0]!r}?" if near else None
    for refusal in resolution.refusals:
        if refusal.code == "policy_denied_field" and refusal.name is not None:
            return denied_field_error(
                binding.source, refusal.name, refusal.did_you_mean, parameter=binding.parameters[0]
            )
    if any(
        refusal.code == "unknown_source" or "source_name" in (refusal.missing, *(way.slot for way in refusal.ways[:1]))
        for refusal in resolution.refusals
    ):
        return SourceNotFoundError(reason, hint=hint, **facts)
    facts |= {"met": ", ".join(binding.fields), "expected": f"columns of {binding.source}"}
    column = None if resolution.leading is None else resolution.leading.column
    told = {} if column is None else explain_text(sources, binding.source, column)
    return InvalidIntentError(reason, hint=hint, **facts, **told.get("details", {}))
