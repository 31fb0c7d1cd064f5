"""Inspections: plans of a preview or a profile, their JSON form, hash and words, and the columns of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import PLAN_DOMAIN, digest
from service_nb.core.words import describe_value, write_name
from service_nb.errors import InvalidIntentError, PlanInvalidError, ServiceError
from service_nb.schema.card import Column
from service_nb.schema.query import Inspection, InspectionKind, InspectionOrder
from service_nb.schema.source import ColumnProfile, Field, Value, write_exact_text

MOST_PREVIEWED = 10_000  # rows

PROFILE_COLUMNS: tuple[Column, ...] = (
    *(Column(name=name, type="string", physical="string", role="key") for name in ("column", "type", "physical")),
    *(Column(name=name, type="number", physical="int64", role="count") for name in ("rows", "nulls", "distinct")),
    *(Column(name=name, type="string", physical="string", role="key") for name in ("minimum", "maximum")),
    Column(name="distribution", type="string", physical="counts", role="key"),
)


def build_preview(source_name: str, schema_revision: str, rows: object, *, is_live: bool = False) -> Inspection:
    """Build the plan of a source's first rows: in its order, or by all columns, for a database has no order of rows.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        `rows` is no whole number from 1 to 10,000.
    """
    if not isinstance(rows, int) or isinstance(rows, bool) or not 1 <= rows <= MOST_PREVIEWED:
        raise InvalidIntentError(
            f"`rows` must be a whole number from 1 to {MOST_PREVIEWED:,}, not {describe_value(rows)}.", path="rows"
        )
    order = find_order("preview", is_live=is_live)
    return _seal(
        Inspection(inspect="preview", limit=rows, order=order, source_name=source_name, schema_revision=schema_revision)
    )


def find_order(kind: InspectionKind, *, is_live: bool) -> InspectionOrder | None:
    """Find the order of what is shown."""
    return "columns" if is_live and kind == "preview" else None


def build_profile(source_name: str, schema_revision: str) -> Inspection:
    """Build the plan of what each column of a source holds."""
    return _seal(Inspection(inspect="profile", source_name=source_name, schema_revision=schema_revision))


def is_inspection(plan: Mapping[str, object]) -> bool:
    """Tell whether the hashed form of a plan is that of an inspection."""
    return "inspect" in plan


def read_inspection(form: Mapping[str, Any], source_name: str, plan_hash: str) -> Inspection:
    """Read the hashed form of an inspection.

    Raises
    ------
    PlanInvalidError [plan_invalid]
        It is malformed, or does not have that hash.
    """
    kind, revision, limit = form.get("inspect"), form.get("schema_revision"), form.get("limit")
    order = form.get("order")
    is_whole = type(limit) is int and 1 <= limit <= MOST_PREVIEWED
    if form.keys() - {"inspect", "schema_revision", "limit", "order"} or not isinstance(revision, str):
        raise PlanInvalidError("The plan is malformed.", met=describe_value(sorted(form)))
    if kind not in ("preview", "profile") or (is_whole if kind == "profile" else not is_whole):
        raise PlanInvalidError("The plan is malformed.", path="inspect", met=describe_value(kind))
    if order not in (None, "columns") or (order is not None and kind == "profile"):
        raise PlanInvalidError("The plan is malformed.", path="order", met=describe_value(order))
    read = Inspection(
        inspect=cast(InspectionKind, kind),
        limit=limit,
        order=order,
        source_name=source_name,
        schema_revision=revision,
    )
    if _seal(read).plan_hash != plan_hash:
        raise PlanInvalidError("The plan's content does not have the plan_hash that it carries: it was altered.")
    return _seal(read)


def write_inspection_text(plan: Inspection) -> str:
    """Return the canonical text that is hashed."""
    return write_canonical_text(build_form(plan))


def build_form(plan: Inspection) -> dict[str, object]:
    """Build the hashed form."""
    form = {
        "inspect": plan.inspect,
        "schema_revision": plan.schema_revision,
        "limit": plan.limit,
        "order": plan.order,
    }
    return {key: value for key, value in form.items() if value is not None}


def rewrite_schema(plan: Inspection, schema_revision: str) -> Inspection:
    """Return the same plan for a source whose schema has another hash where it is held."""
    return _seal(replace(plan, schema_revision=schema_revision))


def _seal(plan: Inspection) -> Inspection:
    return replace(plan, plan_hash=digest(PLAN_DOMAIN, write_inspection_text(plan)))


# --- results ----------------------------------------------------------------------------------------------------------


def list_columns(plan: Inspection, fields: Sequence[Field]) -> tuple[Column, ...]:
    """Return the columns of the result: of a preview those of the source."""
    if plan.inspect == "profile":
        return PROFILE_COLUMNS
    return tuple(Column(name=each.name, type=each.type, physical=each.physical, role="key") for each in fields)


def build_profile_row(field: Field, rows: int, profile: ColumnProfile) -> tuple[Value, ...]:
    """Build the row of a profile that tells of one column; extremes are exact texts, the distribution is JSON."""
    return (
        *(field.name, field.type, field.physical, rows, profile.nulls, profile.distinct),
        *(write_exact_text(profile.minimum), write_exact_text(profile.maximum)),
        write_canonical_text([list(each) for each in profile.counts]),
    )


def fits_plan(plan: Inspection, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> bool:
    """Tell whether rows from elsewhere are what a plan shows of these columns, as far as they tell themselves."""
    if plan.limit is not None:
        ranks = [list(map(_rank, row)) for row in rows]
        return len(rows) <= plan.limit and (plan.order is None or all(one <= two for one, two in pairwise(ranks)))
    named = [(field.name, field.type, field.physical) for field in fields]
    is_one_state = len({row[3] for row in rows}) <= 1
    return is_one_state and [tuple(row[:3]) for row in rows] == named and all(map(_is_counted, rows))


def _rank(value: Value) -> tuple[int, Any]:
    """Build the sort key of a value: numbers, then NaN, then null."""
    if value is None:
        return 2, 0
    return (1, 0) if value != value else (0, value)


def _is_counted(row: Sequence[Any]) -> bool:
    """Tell whether the counts of a profiled column are some of its rows."""
    *_, rows, nulls, distinct, _low, _high, distribution = row
    try:
        counts = [each[-1] for each in parse_strict(distribution or "")]
        return bool(min(nulls, distinct, *counts) >= 0 and nulls + max(distinct, sum(counts)) <= rows)
    except (ServiceError, TypeError, LookupError):
        return False


# --- words ------------------------------------------------------------------------------------------------------------


def describe_inspection(plan: Inspection) -> str:
    """Describe an inspection in one line of words."""
    if plan.limit is None:
        return f"Profile of {plan.source_name}"
    return f"First {plan.limit:,} rows of {plan.source_name}"


def describe_inspection_method(plan: Inspection) -> str:
    """Describe for a card how what is shown was found."""
    if plan.limit is None:
        return "exact counts over all rows; extremes leave out null and NaN"
    if plan.order is None:
        return "the rows as they stand in the source, in its order"
    return "the first rows in ascending order of all columns, nulls last"


def list_inspection_steps(plan: Inspection, rows: int | None) -> list[str]:
    """Return the plan in words, one step a line."""
    size = f"{rows:,} rows, " if rows is not None else ""
    lines = [f"Read {plan.source_name} ({size}schema {plan.schema_revision[:12]})"]
    if plan.limit is not None:
        how = "in ascending order of all columns, nulls last" if plan.order else "in the order of the source"
        return [*lines, f"Keep the first {plan.limit:,} rows {how}"]
    return [*lines, "Count the nulls and the different values of each column, and find its extremes", *_COUNTING]


_COUNTING = ("Count the values in bins between round numbers or dates; of text and truth the most frequent values",)


def write_inspection_line(plan: Inspection) -> str:
    """Write the magic that shows the same."""
    rows = "" if plan.limit is None else f" --rows {plan.limit}"
    return f"%service_{plan.inspect} {write_name(plan.source_name)}{rows}"
