"""What one client sees of the registered sources: what its policy denies is neither described nor hashed."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from service_nb.client import project as projects
from service_nb.client.live import Live
from service_nb.client.registry import Registered, Registry
from service_nb.client.results import ServiceSource
from service_nb.core.canonical import canonical_text
from service_nb.core.digest import hash_schema, identify_source
from service_nb.errors import SourceChangedError
from service_nb.query.names import similar
from service_nb.query.policy import Policy, denied_field, narrowed_reading
from service_nb.query.resolve import Catalog, SourceView
from service_nb.schema.entry import READING_CHARS, Input
from service_nb.schema.query import Plan
from service_nb.schema.source import Content, Field

Clock = Callable[[], datetime.datetime]
MOST_INPUTS = 20  # that a refusal tells of
MOST_NAMED = 4_000  # characters of the names that the content of a source tells, where others are hidden


def local_clock() -> datetime.datetime:
    """Return the time now in the caller's zone."""
    return datetime.datetime.now().astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Registered sources behind a policy."""

    registry: Registry
    policy: Policy
    project: Path
    live: Live | None = None  # where live sources come from; None: there is no deployment

    def require_field(self, source: str, field: str) -> None:
        """Raise `policy_denied_field` unless the field is allowed. Whether it exists makes no difference."""
        if not self.policy.allows_field(source, field):
            fields = [name for each in self.registry if each.name == source for name in self._fields(each)]
            raise denied_field(source, field, similar(field, fields))

    def allowed(self) -> list[Registered]:
        """Return the registered sources that the policy allows, by name."""
        seen = (registered for registered in self.registry if self.policy.allows_source(registered.name))
        return sorted(seen, key=lambda registered: registered.name)

    def get(self, name: str) -> Registered:
        """Return one registered source."""
        self.policy.require_source(name)
        return self.registry.get(name)

    def seen(self, registered: Registered) -> Registered:
        """Return a source as this client may know it.

        Under a list of fields its schema, its id and its content are those of the columns on the list: a hash over
        others would tell whoever guesses them that the guess is right.
        """
        if not self.policy.restricts_fields(registered.name):
            return registered
        fields = self._fields(registered)
        content = Content(algorithm="live", sha256=None, size=registered.row_count)
        if not registered.is_deployed:
            names = tuple(fields) if sum(map(len, fields)) <= MOST_NAMED else None
            content = replace(content, algorithm="hidden", fields=names)
        reading = narrowed_reading(registered.reading, fields)
        return replace(
            registered,
            schema_revision=hash_schema(fields.values()),
            source_id=identify_source(registered.name, fields.values(), content.algorithm, reading),
            content=content,
            reading=reading,
        )

    def may_tell(self, recorded: Mapping[str, Any]) -> bool:
        """Whether a source, as an entry of the ledger has it, is described as this client may know it."""
        if not self.policy.restricts_fields(recorded["name"]):
            return True
        known = [self.seen(each) for each in self.registry if each.name == recorded["name"]]
        told = recorded["schema_revision"], recorded["content"]["sha256"]
        return told in [(each.schema_revision, None) for each in known]

    def planned(self, plan: Plan, mark: str | None = None) -> Registered:
        """Return the source that a plan is run on; see `Registry.planned`."""
        with self._untold(plan.source_name):
            return self.registry.planned(plan.source_name, plan.schema_revision, mark, seen=self.seen)

    def unchanged(self, registered: Registered) -> Registered:
        """Return the source, provided that its files are still what was read; see `Registry.unchanged`."""
        with self._untold(registered.name):
            return self.registry.unchanged(registered)

    @contextmanager
    def _untold(self, name: str) -> Iterator[None]:
        """Have what is raised of a changed source tell no digest, where the policy hides some of its fields."""
        try:
            yield
        except SourceChangedError as error:
            if not self.policy.restricts_fields(name):
                raise
            kept = {key: error.details[key] for key in ("changed",) if key in error.details}
            raise SourceChangedError(error.message, hint=error.hint, **kept) from None

    def kept_names(self) -> list[str]:
        """Return the names in the project's `service.toml` that the policy allows."""
        return [name for name in projects.stored_names(self.project) if self.policy.allows_source(name)]

    def values(self, name: str, field: str) -> tuple[str, ...]:
        """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed."""
        if not (self.policy.allows_source(name) and self.policy.allows_field(name, field)):
            return ()
        registered = self.registry.get(name)
        known = any(column.name == field for column in registered.fields)
        return registered.known_values(field) if known else ()

    def described(self, registered: Registered) -> ServiceSource:
        """Return the specification's description of a source, without what the policy denies."""
        registered, fields = self.seen(registered), self._fields(registered)
        return ServiceSource(
            name=registered.name,
            source_id=registered.source_id,
            dataset_id=registered.source_id,
            fields=list(fields),
            typed_fields=[{"name": f.name, "type": f.type, "physical": f.physical} for f in fields.values()],
            row_count=registered.row_count,
            schema_revision=registered.schema_revision,
            status="ready",
            content=registered.content.to_dict(),
            reading=registered.reading,
            aliases={alias: target for alias, target in registered.aliases.items() if target in fields},
            notes=self._notes(registered, fields),
        )

    def _notes(self, registered: Registered, allowed: Mapping[str, Field]) -> list[str]:
        """The notes; under a list of fields only those that begin with one of them and name no other."""
        if not self.policy.restricts_fields(registered.name):
            return list(registered.notes)
        denied = [field.name for field in registered.fields if field.name not in allowed]
        return [
            note
            for note in registered.notes
            if note.startswith(tuple(f"{name}: " for name in allowed)) and not any(name in note for name in denied)
        ]

    def inputs(self) -> list[Input]:
        """Return what a refusal was judged by: the sources that the policy allows, the first twenty by name."""
        return [self.input_of(registered) for registered in self.allowed()[:MOST_INPUTS]]

    def input_of(self, registered: Registered) -> Input:
        """Return a source as evidence names it; of one whose fields a policy hides in part not where it was read."""
        registered = self.seen(self.registry.hashed(registered))
        is_whole = not self.policy.restricts_fields(registered.name)
        return Input(
            name=registered.name,
            source_id=registered.source_id,
            schema_revision=registered.schema_revision,
            row_count=registered.row_count,
            content=registered.content.to_dict(),
            origin=projects.origin_of(self.project, registered.origin) if is_whole else None,
            reading=registered.reading if len(canonical_text(registered.reading)) <= READING_CHARS else None,
        )

    def tables_of(self, registered: Registered) -> dict[str, pa.Table]:
        """Return the values of a source in memory by their digest, until they are released; none of what is hidden."""
        if self.policy.restricts_fields(registered.name) or registered.content.sha256 is None:
            return {}
        table = self.registry.held_table(registered)
        return {} if table is None else {registered.content.sha256: table}

    def release(self, *sources: Registered) -> None:
        """Hold their values no longer; a source that the policy hides in part is not this client's to release."""
        for registered in sources:
            if not self.policy.restricts_fields(registered.name):
                self.registry.release_table(registered)

    def catalog(self) -> Catalog:
        """Return what resolution may know."""
        return Catalog(
            sources={registered.name: self._view(registered) for registered in self.allowed()},
            restricted=self.policy.sources is not None,
        )

    def _view(self, registered: Registered) -> SourceView:
        registered, fields = self.seen(registered), self._fields(registered)
        return SourceView(
            name=registered.name,
            fields=fields,
            schema_revision=registered.schema_revision,
            row_count=registered.row_count,
            aliases={alias: target for alias, target in registered.aliases.items() if target in fields},
            restricted=self.policy.restricts_fields(registered.name),
        )

    def _fields(self, registered: Registered) -> dict[str, Field]:
        name = registered.name
        return {field.name: field for field in registered.fields if self.policy.allows_field(name, field.name)}
