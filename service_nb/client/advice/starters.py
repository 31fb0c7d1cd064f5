"""Choose what to ask first of a source: after connect, load or help, and never in the place of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from service_nb.cards.page_blocks import ColumnLook
from service_nb.client.advice.scan import read_words
from service_nb.core.words import write_name
from service_nb.query.similar_names import fold_name, split_words
from service_nb.schema.source import Field

if TYPE_CHECKING:
    from service_nb.client.service import Service

FEW = 50  # values of a column to group by


def list_starters(source: str, fields: Sequence[Field], columns: Mapping[str, ColumnLook]) -> Iterator[str]:
    """Yield first questions: the sum of what is known to be summed, and a count, by a column of few values."""
    group, number = _choose_group(fields, columns), find_summed(fields)
    by = "" if group is None else f" by {write_name(group)}"
    if number is not None:
        yield f"sum {write_name(number)}{by} from {write_name(source)}"
    yield f"count{by} from {write_name(source)}"


def find_summed(fields: Sequence[Field]) -> str | None:
    """Find the number whose sum means something, by the reviewed list of names; of others the sum is not offered.

    An identifier, a code, a time of day, or a price per unit is never among them.
    """
    summed = read_words()["summed"]
    numbers = (field.name for field in fields if field.type == "number")
    return next((name for name in numbers if fold_name(name) in summed or _has_summed_words(name, summed)), None)


def _has_summed_words(name: str, summed: frozenset[str]) -> bool:
    """Tell whether all words of a name are of the list, or say of what: `total_amount`, `amount (€)`."""
    words = split_words(name)
    return bool(words) and words <= summed


def _choose_group(fields: Sequence[Field], columns: Mapping[str, ColumnLook]) -> str | None:
    """Choose a column of two to fifty values, as far as that is known."""
    kinds = [each.name for each in fields if each.type in ("string", "boolean")]
    return next((name for name in kinds if name in columns and 2 <= (columns[name].distinct or 0) <= FEW), None)


def list_first_lines(client: Service, source: str | None = None) -> list[str]:
    """List the first questions about a source, by default the one connected last."""
    sources = client.sources()
    name = source if source is not None else next((str(each["name"]) for each in reversed(sources)), None)
    if name is None:
        return []
    return [line.removeprefix("%service_ask ") for line in client.look(name).lines if line.startswith("%service_ask ")]
