"""The look of a source: what is known of its columns, without a record and fast, and lines to go on with."""

from __future__ import annotations

from collections.abc import Mapping

from service_nb.cards.page_blocks import ColumnLook, SourceLook
from service_nb.client.advice.starters import list_starters
from service_nb.client.context import guard_run
from service_nb.client.record import read_local_clock
from service_nb.client.registry import Registered, Sources
from service_nb.core.words import write_name
from service_nb.engines.engine import LocalEngine
from service_nb.errors import ServiceError
from service_nb.query.ask_line import parse_ask
from service_nb.query.resolve import resolve
from service_nb.query.spec import parse_spec
from service_nb.schema.source import ColumnProfile, Field, FieldStats, write_exact_text

AT_ONCE_CELLS = 2_000_000  # that are counted without being asked for: a tenth of a second at most
LOOKED_CELLS = 50_000_000  # that a look counts: a few seconds at most


def try_look(sources: Sources, name: str, source_id: str) -> SourceLook | None:
    """Look at a source that was registered; None if it is no longer there, or cannot be read."""
    try:
        registered = sources.get(name)
        return find_look(sources, name, AT_ONCE_CELLS) if sources.restrict(registered).source_id == source_id else None
    except ServiceError:
        return None


def find_look(sources: Sources, name: str, most_cells: int = LOOKED_CELLS) -> SourceLook:
    """Tell what is known of the allowed columns of a source, and lines to go on with; nothing is recorded.

    All is counted where there are at most `most_cells`, or was counted before; else what was found as it was read.
    """
    registered = sources.get(name)
    engine, fields = registered.engine, list(sources.get_allowed_fields(registered).values())
    columns: dict[str, ColumnLook] = {}
    names = [field.name for field in fields]
    if isinstance(engine, LocalEngine):
        if engine.has_profiles(names) or registered.row_count * len(names) <= most_cells:
            with guard_run(sources, registered):
                profiles = engine.profile_columns(names, None)
            columns = {field.name: _tell_profile(each) for field, each in zip(fields, profiles, strict=True)}
        else:
            known = [(field, engine.find_statistics(field.name)) for field in fields]
            columns = {field.name: _tell_statistics(stats) for field, stats in known if stats is not None}
    return SourceLook(columns, _suggest_lines(sources, registered, fields, columns))


def _tell_profile(profile: ColumnProfile) -> ColumnLook:
    return ColumnLook(
        nulls=profile.nulls,
        distinct=profile.distinct,
        minimum=write_exact_text(profile.minimum),
        maximum=write_exact_text(profile.maximum),
        counts=profile.counts,
    )


def _tell_statistics(stats: FieldStats) -> ColumnLook:
    return ColumnLook(
        nulls=stats.nulls,
        distinct=None if stats.distinct is None else len(stats.distinct),
        minimum=None if stats.nonfinite else write_exact_text(stats.minimum),
        maximum=None if stats.nonfinite else write_exact_text(stats.maximum),
        counts=None,
    )


def _suggest_lines(
    sources: Sources, registered: Registered, fields: list[Field], columns: Mapping[str, ColumnLook]
) -> list[str]:
    """Suggest magics that show and ask a source; each question is resolved before it is suggested."""
    name = write_name(registered.name)
    asked = list_starters(registered.name, fields, columns)
    catalog, now = sources.build_catalog(), read_local_clock()
    runs = [line for line in asked if resolve(parse_spec(parse_ask(line)), catalog, now).plan is not None]
    shows = [f"%service_preview {name}", f"%service_profile {name}"]
    return [*shows, *(f"%service_ask {line}" for line in runs)]
