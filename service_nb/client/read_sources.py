"""The sources that a computation read, with what was decided of the columns that it used: by readers, and in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service_nb.client.registry import Registered, Sources, require_schema
from service_nb.compute.samples import find_pairs_by_place
from service_nb.query.condition_groups import list_form_leaves
from service_nb.schema.compute import Bound, Capability
from service_nb.schema.reading_notes import MOST_NOTES, ReadingNote, ReadingNoteText, choose_notes


@dataclass(frozen=True, slots=True)
class ReadSources:
    """The sources of a call, each once, and the notes on their reading that concern it."""

    registered: tuple[Registered, ...]
    reading_notes: tuple[ReadingNoteText, ...]

    def describe_reading(self) -> dict[str, list[ReadingNoteText]]:
        """Describe what the readers decided of what was used, with the key that cards and outcomes have."""
        return {"reading_notes": list(self.reading_notes)} if self.reading_notes else {}


def get_read_sources(sources: Sources, capability: Capability, bound: Sequence[Bound]) -> ReadSources:
    """Return the sources that bindings read; to be called at once, because they may have changed when a card is built.

    Of several sources each note names its own, because their columns may have the same names.
    """
    revisions = {one.binding.source: one.schema_revision for one in bound}
    read = []
    chosen = [ReadingNote("by_place", fields).to_dict() for fields in find_pairs_by_place(capability, bound)]
    for name, revision in revisions.items():
        registered = sources.get(name)
        restricted = sources.restrict(registered)
        require_schema(restricted, revision)
        read.append(registered)
        told = restricted.reading_notes
        if len(revisions) > 1:
            told = tuple(note.name_source(name) for note in told)
        if told:
            chosen += choose_notes(told, set(_iter_used_columns(name, bound)))
    return ReadSources(tuple(read), tuple(chosen[:MOST_NOTES]))


def _iter_used_columns(source: str, bound: Sequence[Bound]) -> Iterator[str]:
    """Yield the columns of a source that bindings read; that of `over` stands in the condition of its group."""
    for one in bound:
        if one.binding.source == source:
            yield from one.fields
            conditions = (one.filter or {}).get("conditions", ())
            yield from (str(each["column"]) for each in list_form_leaves(conditions))
