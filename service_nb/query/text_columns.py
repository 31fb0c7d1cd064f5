"""Say of a column of text why it is text, and when the order of its letters answers another question than was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service_nb.core.words import describe_value
from service_nb.schema.source import TypeReason
from service_nb.schema.text_order import TEXT_CAUSES, TextOrder

ORDER_RULE = "text that reads as numbers or dates is not compared by its letters"
LABELS = {"decimal": "decimal", "thousands": "thousands", "date_format": "the date format", "currency": "currency"}


def explain_order(column: str, order: TextOrder, what: str, operands: Iterable[object] = ()) -> str | None:
    """Explain why letters are not compared; None where they may be.

    Parameters
    ----------
    what : str
        What would compare them: `max`, `>=`, `order by`.
    operands : iterable
        The texts that they are compared with. Where the letters of a column are in order, so are those of a text of
        the same shape, and of no other.
    """
    if order.reads_as is None:
        return None
    if order.shape is not None:
        other = next((each for each in operands if write_shape(each) != order.shape), None)
        if other is None:
            return None
        told = f"{column} is text of the shape {order.shape}, and {describe_value(other)} has another"
        return f"{told}, so {what} would go letter by letter. Compare it with a text of that shape."
    among = ", among other texts" if order.is_mixed else ""
    return f"{column} is text that reads as {order.reads_as}{among}, so {what} would go letter by letter."


def write_shape(text: object) -> str | None:
    """Write a text with 0 for each of its digits."""
    return "".join("0" if "0" <= letter <= "9" else letter for letter in text) if isinstance(text, str) else None


def explain_cause(column: str, order: TextOrder, reason: TypeReason | None, rule: str = "") -> str:
    """Explain, as sentences behind another one, why a column is text and how it is read; no value of it is told."""
    if order.shape is not None and rule == ORDER_RULE:
        return ""
    told = ""
    if reason is not None and reason.code in TEXT_CAUSES:
        cause, way = TEXT_CAUSES[reason.code]
        options = describe_options(reason.options)
        ways = f" Read it again with {options}." if options else f" {way}" if way else ""
        told = f" It was read as text, because {cause}.{ways}"
    elif order.reads_as is not None:
        told = f" Convert it to {order.reads_as} before it is connected."
    if rule == ORDER_RULE:
        told += f" To compare letters, declare it to be text: types {describe_value(column)}=string."
    return told


def describe_options(options: Mapping[str, object]) -> str:
    """Describe reading options in words that no language owns; what stands for null is not told."""
    told = [f"{label} {describe_value(options[key])}" for key, label in LABELS.items() if key in options]
    told += [f"its {key} named" for key in ("nulls",) if key in options]
    told += [key for key in ("percent", "trim") if key in options]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
