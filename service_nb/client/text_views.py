"""Show resolution what it has to know of columns of text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service_nb.engines.engine import LocalEngine
from service_nb.query.policy import Policy
from service_nb.schema.source import TypeReason
from service_nb.schema.text_order import UNKNOWN_ORDER, TextOrder

if TYPE_CHECKING:
    from service_nb.client.registry import Registered


def list_reasons(policy: Policy, registered: Registered) -> list[TypeReason]:
    """List why columns have their types; under a list of fields without options, and none that names another."""
    if not policy.restricts_fields(registered.name):
        return list(registered.reasons)
    names = [field.name for field in registered.fields]
    denied = [name for name in names if not policy.allows_field(registered.name, name)]
    shown = [each for each in registered.reasons if each.column in names and each.column not in denied]
    return [replace(each, options={}) for each in shown if not any(name in each.text for name in denied)]


def find_text_order(registered: Registered, column: str) -> TextOrder:
    """Find what the texts of a column read as; of a live source, or of a column declared to be text, nobody looks."""
    is_declared = registered.reading.get("types", {}).get(column) == "string"
    if is_declared or registered.is_live or not isinstance(registered.engine, LocalEngine):
        return UNKNOWN_ORDER
    return registered.engine.find_text_order(column)
