"""The heads of an answer's columns: what each column is, in the words of its plan; `compose/heads.ts` is its twin.

`count wage` has a column `wage`, of how many values there are, and a column `count`, of how many rows. Those are
names for programs: rows, frames, exports and hashes have them. A reader sees `count of wage` and `rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from service_nb.cards import format as fmt
from service_nb.cards.used_rows import CELL_WIDTH
from service_nb.core.canonical import parse_strict
from service_nb.core.words import clip
from service_nb.errors import ServiceError
from service_nb.query.aggregations import RECORDS
from service_nb.query.plan import name_result_columns
from service_nb.query.spec import parse_spec
from service_nb.schema.card import Card, Column
from service_nb.schema.query import AskedMeasure, BinKey, DateKey, GroupKey, QuerySpec

ROWS = "rows"


class _Words(NamedTuple):
    """The words of a head: around the name of a column of the source, or alone."""

    before: str = ""
    name: str | None = None
    after: str = ""

    @property
    def is_name(self) -> bool:
        return not self.before and not self.after

    def write(self, write: Callable[[str], str]) -> str:
        return self.before + ("" if self.name is None else write(self.name)) + self.after


def write_heads(card: Card) -> list[str]:
    """Write the heads of an answer's columns, no two of them equal.

    Without a plan that gives these columns they are the names. A column that is called like another head stands in
    quotes.
    """
    columns = card["view"]["columns"]
    described = _describe_columns(card["canonical"].get("plan"), columns)
    if described is None:
        return [write_name_head(column) for column in columns]
    taken = {words.write(fmt.write_word) for words in described if not words.is_name}
    heads = [words.write(lambda name: _quote_taken(fmt.write_word(name), taken)) for words in described]
    return _number_equal(head + _write_zone(column) for head, column in zip(heads, columns, strict=True))


def write_name_head(column: Column) -> str:
    """Write the name of a column, and of instants and their periods whose clocks show them."""
    return fmt.write_word(column["name"]) + _write_zone(column)


def leave_out_plan(card: Card) -> Card:
    """Return the card without its plan: composed so, names are the heads, as versions `NAME_HEADS` wrote them."""
    return {**card, "canonical": {key: text for key, text in card["canonical"].items() if key != "plan"}}


def _write_zone(column: Column) -> str:
    zone = column.get("zone")
    return f" ({fmt.write_word(zone)})" if zone is not None else ""


def _quote_taken(word: str, taken: set[str]) -> str:
    return f"'{word}'" if word in taken else word


def _number_equal(heads: Iterable[str]) -> list[str]:
    """Cut heads to the width of a cell; those that are then equal to one before them get a number."""
    told: list[str] = []
    for head in heads:
        shown, number = clip(head, CELL_WIDTH), 1
        while shown in told:
            number += 1
            end = f" ({number})"
            shown = clip(head, CELL_WIDTH - len(end)) + end
        told.append(shown)
    return told


# --- words from the plan ----------------------------------------------------------------------------------------------


def _describe_columns(plan_text: str | None, columns: Sequence[Column]) -> list[_Words] | None:
    """Describe the columns of a plan's result; None where it is no plan, or its result has other columns."""
    try:
        plan = parse_strict(plan_text or "null")
        if not isinstance(plan, Mapping):
            return None
        if "inspect" in plan:  # it shows columns of the source, or says what it counts of them
            return [_Words(name=column["name"]) for column in columns]
        spec = parse_spec({key: value for key, value in plan.items() if key != "schema_revision"})
    except ServiceError:
        return None
    measures = _list_measures(spec)
    due = name_result_columns(spec.group_by, measures).names if measures else ()
    if [column["name"] for column in columns] != [*due]:
        return None
    return [*map(_describe_key, spec.group_by), *_describe_metrics(measures), _Words(before=ROWS)]


def _list_measures(spec: QuerySpec) -> tuple[AskedMeasure, ...]:
    if spec.aggregation is None:
        return ()
    return (AskedMeasure(aggregation=spec.aggregation, metric=spec.metric, percent=spec.percent), *spec.more)


def _describe_key(key: GroupKey) -> _Words:
    match key:
        case DateKey():
            return _Words(f"{key.unit} of ", key.column)
        case BinKey():
            return _Words("", key.column, f" in bins of {key.width:f}")
    return _Words(name=key)


def _describe_metrics(measures: Iterable[AskedMeasure]) -> Iterator[_Words]:
    for each in measures:
        if each.metric is not None:
            noun = RECORDS[each.aggregation].describe_noun(each.percent)
            yield _Words(f"{noun[0].lower()}{noun[1:]} ", each.metric)
