"""Inspections: plans of a preview or a profile, their JSON form, hash and words, and the columns of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import PLAN_DOMAIN, digest
from service_nb.core.words import describe_value, write_name
from service_nb.errors import InvalidIntentError, PlanInvalidError
from service_nb.schema.card import Column
from service_nb.schema.query import Inspection, InspectionKind
from service_nb.schema.source import ColumnProfile, Field, Value, write_exact_text

MOST_PREVIEWED = 10_000  # rows

PROFILE_COLUMNS: tuple[Column, ...] = (
    *(Column(name=name, type="string", physical="string", role="key") for name in ("column", "type", "physical")),
    *(Column(name=name, type="number", physical="int64", role="count") for name in ("rows", "nulls", "distinct")),
    *(Column(name=name, type="string", physical="string", role="key") for name in ("minimum", "maximum")),
    Column(name="distribution", type="string", physical="counts", role="key"),
)


def build_preview(source_name: str, schema_revision: str, rows: object) -> Inspection:
    """Build the plan of a source's first rows.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        `rows` is no whole number from 1 to 10,000.
    """
    if not isinstance(rows, int) or isinstance(rows, bool) or not 1 <= rows <= MOST_PREVIEWED:
        raise InvalidIntentError(
            f"`rows` must be a whole number from 1 to {MOST_PREVIEWED:,}, not {describe_value(rows)}.", path="rows"
        )
    return _seal(Inspection(inspect="preview", limit=rows, source_name=source_name, schema_revision=schema_revision))


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
    is_whole = type(limit) is int and 1 <= limit <= MOST_PREVIEWED
    if form.keys() - {"inspect", "schema_revision", "limit"} or not isinstance(revision, str):
        raise PlanInvalidError("The plan is malformed.", met=describe_value(sorted(form)))
    if kind not in ("preview", "profile") or (is_whole if kind == "profile" else not is_whole):
        raise PlanInvalidError("The plan is malformed.", path="inspect", met=describe_value(kind))
    read = Inspection(
        inspect=cast(InspectionKind, kind), limit=limit, source_name=source_name, schema_revision=revision
    )
    if _seal(read).plan_hash != plan_hash:
        raise PlanInvalidError("The plan's content does not have the plan_hash that it carries: it was altered.")
    return _seal(read)


def write_inspection_text(plan: Inspection) -> str:
    """Return the canonical text that is hashed."""
    form: dict[str, object] = {"inspect": plan.inspect, "schema_revision": plan.schema_revision}
    return write_canonical_text(form if plan.limit is None else {**form, "limit": plan.limit})


def _seal(plan: Inspection) -> Inspection:
    return replace(plan, plan_hash=digest(PLAN_DOMAIN, write_inspection_text(plan)))


# --- results ----------------------------------------------------------------------------------------------------------


def list_preview_columns(fields: Sequence[Field]) -> tuple[Column, ...]:
    """Return the columns of a preview: those of the source."""
    return tuple(Column(name=each.name, type=each.type, physical=each.physical, role="key") for each in fields)


def build_profile_row(field: Field, rows: int, profile: ColumnProfile) -> tuple[Value, ...]:
    """Build the row of a profile that tells of one column; extremes are exact texts, the distribution is JSON."""
    return (
        *(field.name, field.type, field.physical, rows, profile.nulls, profile.distinct),
        *(write_exact_text(profile.minimum), write_exact_text(profile.maximum)),
        write_canonical_text([list(each) for each in profile.counts]),
    )


# --- words ------------------------------------------------------------------------------------------------------------


def describe_inspection(plan: Inspection) -> str:
    """Describe an inspection in one line of words."""
    if plan.limit is None:
        return f"Profile of {plan.source_name}"
    return f"First {plan.limit:,} rows of {plan.source_name}"


def list_inspection_steps(plan: Inspection, rows: int | None) -> list[str]:
    """Return the plan in words, one step a line."""
    size = f"{rows:,} rows, " if rows is not None else ""
    lines = [f"Read {plan.source_name} ({size}schema {plan.schema_revision[:12]})"]
    if plan.limit is not None:
        return [*lines, f"Keep the first {plan.limit:,} rows in the order of the source"]
    return [*lines, "Count the nulls and the different values of each column, and find its extremes", *_COUNTING]


_COUNTING = ("Count the values in bins between round numbers or dates; of text and truth the most frequent values",)


def write_inspection_line(plan: Inspection) -> str:
    """Write the magic that shows the same."""
    rows = "" if plan.limit is None else f" --rows {plan.limit}"
    return f"%service_{plan.inspect} {write_name(plan.source_name)}{rows}"
