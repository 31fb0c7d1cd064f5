"""The registered sources of a session, each read once and immutable, and what the policy of a client shows of them."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from service_nb.client.live_sources import DeployedSources, LiveSource
from service_nb.client.text_views import find_text_order, list_reasons
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import hash_schema, identify_source
from service_nb.core.words import describe_value
from service_nb.engines.engine import Engine
from service_nb.engines.memory import MOST_ROWS, MemoryEngine
from service_nb.errors import (
    PolicyDeniedError,
    SchemaRevisionMismatchError,
    ServiceError,
    SourceAlreadyRegisteredError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.query.policy import Policy, denied_field_error, hide_column_names, narrow_reading
from service_nb.query.resolve import Catalog, SourceView
from service_nb.query.similar_names import find_similar_names
from service_nb.query.spec import MAX_NAME
from service_nb.readers.dataset import READING, Dataset, ReadOptions, check_aliases
from service_nb.readers.detect import read
from service_nb.readers.source_files import has_changed
from service_nb.schema.compute import Vector
from service_nb.schema.entry import READING_CHARS, Input, Origin
from service_nb.schema.query import Inspection, Plan
from service_nb.schema.reading_notes import ReadingNote, narrow_notes
from service_nb.schema.source import DEFAULT_LIMITS, Content, Field, FileStamp, Limits, Reading, TypeReason

MOST_INPUTS = 20  # that a refusal tells of
MOST_NAMED = 4_000  # characters of the names that the content of a source tells, where others are hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A registered source: its description, and the engine that holds its data; `origin` is kept for files only.

    A live source has no stamps; its `row_count` is how many rows there were when it was connected.
    """

    name: str
    source_id: str
    fields: tuple[Field, ...]
    row_count: int
    schema_revision: str
    content: Content
    notes: tuple[str, ...]
    aliases: Mapping[str, str]
    stamps: tuple[FileStamp, ...]
    options: ReadOptions
    reading: Reading
    origin: object
    engine: Engine
    dataset: str | None = None  # what the deployment calls it that reaches it
    reasons: tuple[TypeReason, ...] = ()  # why columns of a text file have their type
    reading_notes: tuple[ReadingNote, ...] = ()  # that cards of its columns tell
    mark: str | None = None  # of a live source, on the deployment: see `LiveSource`

    @property
    def is_deployed(self) -> bool:
        """Tell whether the source is on a deployment."""
        return self.dataset is not None

    @property
    def is_live(self) -> bool:
        """Tell whether the data may change between two questions."""
        return self.content.is_live


class Registry:
    """Sources by name. Safe to use from several threads."""

    def __init__(self, *, holds_tables: bool = False) -> None:
        self._sources: dict[str, Registered] = {}
        self._tables: dict[str, pa.Table] | None = {} if holds_tables else None
        self._hashing: dict[str, threading.Thread] = {}
        self._borrowed: set[str] = set()  # names of sources that another registry closes
        self._lock = threading.Lock()
        self.version = 0  # grows with every change, so that resolutions can be remembered

    def __iter__(self) -> Iterator[Registered]:
        return iter(list(self._sources.values()))  # at once, for another thread may register one meanwhile

    def __contains__(self, name: object) -> bool:
        return self.find(name) is not None

    def find(self, name: object) -> Registered | None:
        """Return the source of that name, if there is one."""
        return self._sources.get(name) if isinstance(name, str) else None

    def get(self, name: str) -> Registered:
        """Return the source of that name, or raise `source_not_found`."""
        found = self.find(name)
        if found is None:
            raise SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)
        return found

    def add(
        self,
        name: str,
        origin: object,
        options: ReadOptions,
        aliases: Mapping[str, str],
        expected: str | None = None,
        *,
        visible: Callable[[str], bool] = lambda _: True,
        holds_table: bool = True,
        anew: bool = False,
    ) -> Registered:
        """Read `origin` and register it; the same data, read in the same way, under the same name is the same source.

        With `anew` it takes the place of the one that had its name, at once for all who ask.
        An alias may be the name of a column that is not `visible`: to say that it is taken would tell that it exists.
        With `holds_table` the values of a source in memory are held until they have been kept with what they gave.

        Raises
        ------
        SourceAlreadyRegisteredError [source_already_registered]
            The name is bound to other data, or to another reading of them.
        SourceChangedError [source_changed]
            The content does not have the `expected` digest.
        """
        dataset = read(origin, options)
        if expected is not None and dataset.content.sha256 != expected:
            raise _build_changed_error(name, dataset.content.sha256, expected)
        revision = hash_schema(dataset.fields)
        content = dataset.content.sha256 or _describe_stamps(dataset.stamps)
        identity = identify_source(name, dataset.fields, content, options.reading)
        check_aliases(aliases, [field.name for field in dataset.fields if visible(field.name)])
        with self._lock:
            known = self._sources.get(name)
            if known is not None and _is_same_file(known, dataset, options.reading):
                identity = known.source_id
            if known is not None and not (anew and known.source_id != identity):
                return self._require_same(known, identity, dataset, options.reading, aliases)
            registered = Registered(
                name=name,
                source_id=identity,
                fields=dataset.fields,
                row_count=dataset.row_count,
                schema_revision=revision,
                content=dataset.content,
                notes=dataset.notes,
                reasons=dataset.reasons,
                reading_notes=dataset.reading_notes,
                aliases=dict(aliases),
                stamps=dataset.stamps,
                options=options,
                reading=options.reading,
                origin=origin if dataset.stamps else None,
                engine=open_engine(dataset, options.limits),
            )
            self._replace(known, registered)
            if self._tables is not None and holds_table and not dataset.stamps and dataset.table is not None:
                self._tables[identity] = dataset.table
        if dataset.content.sha256 is None:
            thread = self._hashing[name] = threading.Thread(target=self._hash_deferred, args=(registered,), daemon=True)
            thread.start()
        return registered

    def add_live(
        self,
        source: LiveSource,
        *,
        visible: Callable[[str], bool] = lambda _: True,
        limits: Limits = DEFAULT_LIMITS,
        anew: bool = False,
    ) -> Registered:
        """Register a live source; the same schema under the same name is the same source, whatever its rows are now.

        With `anew` it takes the place of the one that had its name, at once for all who ask.

        Raises
        ------
        SourceAlreadyRegisteredError [source_already_registered]
            The name is bound to other data, or the source has other columns by now.
        """
        revision = hash_schema(source.fields)
        identity = identify_source(
            source.name, source.fields, source.content.sha256 or source.content.algorithm, source.reading
        )
        check_aliases(source.aliases, [field.name for field in source.fields if visible(field.name)])
        with self._lock:
            known = self._sources.get(source.name)
            if known is not None and not anew:
                return self._require_same(known, identity, source, source.reading, source.aliases)
            registered = Registered(
                name=source.name,
                source_id=identity,
                fields=source.fields,
                row_count=source.row_count,
                schema_revision=revision,
                content=source.content,
                notes=source.notes,
                aliases=dict(source.aliases),
                stamps=(),
                options=ReadOptions(limits=limits),
                reading=source.reading,
                origin=None,
                engine=source.engine,
                dataset=source.dataset or source.name,
                mark=source.mark,
            )
            self._replace(known, registered)
        return registered

    def wait_for_digest(self, registered: Registered) -> Registered:
        """Return the source with its digest, waiting for one that was deferred."""
        if registered.content.sha256 is None and registered.name in self._hashing:
            self._hashing[registered.name].join()
            return self._sources.get(registered.name, registered) if self._holds(registered) else registered
        return registered

    def _holds(self, registered: Registered) -> bool:
        """Tell whether this source is still the one registered under its name."""
        current = self._sources.get(registered.name)
        return current is not None and current.engine is registered.engine

    def get_table(self, registered: Registered) -> pa.Table | None:
        """Return the table of a source in memory, so that it can be stored with its results."""
        return None if self._tables is None else self._tables.get(registered.source_id)

    def release_table(self, registered: Registered) -> None:
        """Release the table of a source in memory."""
        if self._tables is not None:
            self._tables.pop(registered.source_id, None)

    def _hash_deferred(self, registered: Registered) -> None:
        """Compute the deferred digest; if the file has changed meanwhile, the next question reports it."""
        try:
            dataset = read(registered.origin, replace(registered.options, defer_digest=False))
        except ServiceError:
            return
        with self._lock:
            current = self._sources.get(registered.name)
            if current is not None and self._holds(registered) and current.stamps == dataset.stamps:
                content = dataset.content.sha256 or ""
                identity = identify_source(current.name, current.fields, content, current.reading)
                self._put(replace(current, content=dataset.content, source_id=identity))

    def _require_same(
        self,
        known: Registered,
        identity: str,
        found: Dataset | LiveSource,
        reading: Reading,
        aliases: Mapping[str, str],
    ) -> Registered:
        if known.source_id != identity:
            if known.content == found.content and known.reading != reading:
                names = [key for key in READING if known.reading.get(key) != reading.get(key)]
                what = f"the same content, read with other options ({', '.join(names)})"
            else:
                what = "other data or types"
            hint = "To read it again, add replace=True, or --replace in a notebook; another name keeps both."
            raise SourceAlreadyRegisteredError(
                f"{known.name} is already registered with {what}; a source never changes by itself.",
                hint="Run %service_refresh, or `refresh`, to describe it again." if known.is_deployed else hint,
                met=identity,
                expected=known.source_id,
            )
        if aliases and dict(aliases) != dict(known.aliases):
            known = replace(known, aliases=dict(aliases))
            self._put(known)
        return known

    def adopt(self, registered: Registered) -> None:
        """Take over a source from another registry, which still closes it."""
        with self._lock:
            self._borrowed.add(registered.name)
            self._put(registered)

    def remove(self, name: str) -> None:
        """Remove a source and free its engine; nothing happens if there is none of that name."""
        with self._lock:
            registered = self._sources.pop(name, None)
            self.version += 1
            is_borrowed = name in self._borrowed
            self._borrowed.discard(name)
            if registered is not None and self._tables is not None:
                self._tables.pop(registered.source_id, None)
        if registered is not None and not is_borrowed:
            registered.engine.close()

    def _replace(self, known: Registered | None, registered: Registered) -> None:
        """Replace a source by another, and free the engine of the old one."""
        self._put(registered)
        is_borrowed = registered.name in self._borrowed
        self._borrowed.discard(registered.name)
        self._hashing.pop(registered.name, None)
        if known is None:
            return
        if self._tables is not None:
            self._tables.pop(known.source_id, None)
        if not is_borrowed and known.engine is not registered.engine:
            known.engine.close()

    def _put(self, registered: Registered) -> None:
        self._sources[registered.name] = registered
        self.version += 1

    def require_unchanged(self, registered: Registered) -> Registered:
        """Check that the files of a source are unchanged, and return the source.

        Size, times and identity of the files are compared; where they differ, the content is read again and its digest
        decides. Without a digest (content="deferred") a file that looks different is a changed file.
        """
        if not registered.stamps or not has_changed(registered.stamps):
            return registered
        expected = registered.content.sha256
        try:
            dataset = read(registered.origin, registered.options)
        except ServiceError:  # gone, or no longer readable as what it was
            raise _build_changed_error(registered.name, None, expected) from None
        if expected is None or dataset.content.sha256 != expected or dataset.fields != registered.fields:
            raise _build_changed_error(registered.name, dataset.content.sha256, expected)
        with self._lock:
            touched = replace(registered, stamps=dataset.stamps)
            if self._holds(registered):
                self._sources[registered.name] = touched
        return touched

    def close(self) -> None:
        """Close all engines."""
        with self._lock:
            for registered in self._sources.values():
                if registered.name not in self._borrowed:
                    registered.engine.close()
            self._sources.clear()
            self._borrowed.clear()
            if self._tables is not None:
                self._tables.clear()
            self.version += 1


def require_schema(registered: Registered, revision: str) -> None:
    """Raise `schema_revision_mismatch` unless a source has the schema that a plan was made for."""
    if revision != registered.schema_revision:
        raise SchemaRevisionMismatchError(
            f"The plan was made for another schema of {describe_value(registered.name)}.",
            hint="Resolve the question again.",
            met=registered.schema_revision,
            expected=revision,
        )


def _is_same_file(known: Registered, found: Dataset, reading: Reading) -> bool:
    """Tell whether a file without a digest has the same stamps, fields and reading as a registered one."""
    if None not in (known.content.sha256, found.content.sha256):
        return False
    return bool(found.stamps) and (known.stamps, known.fields, known.reading) == (found.stamps, found.fields, reading)


def _describe_stamps(stamps: tuple[FileStamp, ...]) -> str:
    """Describe files before they are hashed: path, size, time and inode."""
    return write_canonical_text([[stamp.path, stamp.size, str(stamp.mtime_ns), str(stamp.inode)] for stamp in stamps])


def _build_changed_error(name: str, met: str | None, expected: str | None) -> SourceChangedError:
    return SourceChangedError(
        f"The file of {name} has changed since it was registered.",
        hint="Connect the new content under another name.",
        met=met,
        expected=expected,
    )


def open_engine(dataset: Dataset, limits: Limits) -> Engine:
    """Open the engine for a dataset: the memory engine for a small table, else DuckDB."""
    if dataset.table is not None and dataset.row_count <= MOST_ROWS:
        return MemoryEngine(dataset, limits)
    # Lazy: a session of small sources never loads the database.
    from service_nb.engines.duckdb import DuckDBEngine  # noqa: PLC0415

    return DuckDBEngine(dataset, limits)


# --- what a policy shows ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Registered sources behind a policy: whatever it denies is neither read, named, described nor hashed.

    A client that came out of `narrow` chooses no sources: what it has is what the client has that it came from.
    """

    registry: Registry
    policy: Policy
    project: Path
    limits: Limits
    live: DeployedSources | None = None  # where live sources come from; None: there is no deployment
    is_narrowed: bool = False
    is_whole: bool = False  # every source that there is is registered: a tenant's, at its deployment
    warned: set[str] = field(default_factory=set)  # of what is warned once

    def list_allowed(self) -> list[Registered]:
        """Return the registered sources that the policy allows, by name."""
        allowed = (registered for registered in self.registry if self.policy.allows_source(registered.name))
        return sorted(allowed, key=lambda registered: registered.name)

    def get(self, name: str) -> Registered:
        """Return one registered source."""
        self.policy.require_source(name)
        return self.registry.get(name)

    def require_field(self, source: str, field: str) -> None:
        """Raise `policy_denied_field` unless the field is allowed. Whether it exists makes no difference."""
        if not self.policy.allows_field(source, field):
            registered = self.registry.find(source)
            fields = [] if registered is None else list(self.get_allowed_fields(registered))
            raise denied_field_error(source, field, find_similar_names(field, fields))

    def restrict(self, registered: Registered) -> Registered:
        """Restrict a source to the fields that this client may see.

        Under a list of fields its schema, its id and its content are those of the columns on the list: a hash over
        others would tell whoever guesses them that the guess is right.
        """
        if not self.policy.restricts_fields(registered.name):
            return registered
        fields = self.get_allowed_fields(registered)
        content = Content(algorithm="live", sha256=None, size=registered.row_count)
        if not registered.is_deployed:
            names = tuple(fields) if sum(map(len, fields)) <= MOST_NAMED else None
            content = replace(content, algorithm="hidden", fields=names)
        reading = narrow_reading(registered.reading, fields)
        return replace(
            registered,
            schema_revision=hash_schema(fields.values()),
            source_id=identify_source(registered.name, fields.values(), content.algorithm, reading),
            content=content,
            reading=reading,
            reading_notes=narrow_notes(registered.reading_notes, fields),
        )

    def get_allowed_fields(self, registered: Registered) -> dict[str, Field]:
        """Return the columns of a source that the policy allows, by name."""
        name = registered.name
        return {field.name: field for field in registered.fields if self.policy.allows_field(name, field.name)}

    def build_catalog(self) -> Catalog:
        """Build the catalog of sources and fields that resolution may use."""
        views = {}
        for registered in map(self.restrict, self.list_allowed()):
            fields = self.get_allowed_fields(registered)
            views[registered.name] = SourceView(
                name=registered.name,
                fields=fields,
                schema_revision=registered.schema_revision,
                row_count=registered.row_count,
                aliases={alias: target for alias, target in registered.aliases.items() if target in fields},
                restricted=self.policy.restricts_fields(registered.name),
                find_text_order=partial(find_text_order, registered),
                reasons={each.column: each for each in list_reasons(self.policy, registered)},
            )
        return Catalog(sources=views, restricted=self.policy.sources is not None)

    def can_tell(self, recorded: Mapping[str, Any]) -> bool:
        """Tell whether the ledger's description of a source matches what this client may know of it."""
        if not self.policy.restricts_fields(recorded["name"]):
            return True
        registered = self.registry.find(recorded["name"])
        known = None if registered is None else self.restrict(registered).schema_revision
        return (recorded["schema_revision"], recorded["content"]["sha256"]) == (known, None)

    def get_for_plan(self, plan: Plan | Inspection, mark: str | None = None) -> Registered:
        """Return the source that a plan is run on, as it is now: it may have become another of its name.

        Raises
        ------
        SourceNotFoundError [source_not_found], SchemaRevisionMismatchError [schema_revision_mismatch],
        SourceChangedError [source_changed]
            There is none of that name, none of that schema, or it is another than the one that has that mark.
        """
        registered = self.require_unchanged(self.registry.get(plan.source_name))
        require_schema(self.restrict(registered), plan.schema_revision)
        if mark not in (None, registered.mark):
            raise SourceChangedError(
                f"{describe_value(plan.source_name)} is not the source that the plan was made for: it was connected"
                " again, or its columns or content have changed.",
                hint="Run `refresh` to describe it again; older plans are refused from then on.",
                changed="source",
            )
        return registered

    def read_columns(self, registered: Registered, plan: Plan, timeout_s: float | None) -> list[Vector]:
        """Return the group columns of a plan, not grouped, of the rows that meet its conditions."""
        with hide_column_names(self.policy, registered.name, "read"):
            vectors = registered.engine.read_columns(plan, timeout_s)
        self.require_unchanged(registered)
        return vectors

    def require_unchanged(self, registered: Registered) -> Registered:
        """Check that the files of a source are unchanged; see `Registry.require_unchanged`.

        Where the policy hides some of its fields, the error tells no digests.
        """
        if not registered.stamps:
            return registered
        try:
            return self.registry.require_unchanged(registered)
        except SourceChangedError as error:
            if not self.policy.restricts_fields(registered.name):
                raise
            raise SourceChangedError(error.message, hint=error.hint) from None

    def list_inputs(self) -> list[Input]:
        """List the inputs of a refusal: the sources that the policy allows, the first twenty by name."""
        return [self.build_input(registered) for registered in self.list_allowed()[:MOST_INPUTS]]

    def build_input(self, registered: Registered) -> Input:
        """Describe a source as evidence names it; of one whose fields a policy hides in part not where it was read."""
        registered = self.restrict(self.registry.wait_for_digest(registered))
        is_whole = not self.policy.restricts_fields(registered.name)
        return Input(
            name=registered.name,
            source_id=registered.source_id,
            schema_revision=registered.schema_revision,
            row_count=registered.row_count,
            content=registered.content.to_dict(),
            origin=_describe_origin(self.project, registered.origin) if is_whole else None,
            reading=registered.reading if len(write_canonical_text(registered.reading)) <= READING_CHARS else None,
        )

    def get_tables(self, *sources: Registered) -> dict[str, pa.Table]:
        """Return the values of sources in memory by their digest, until they are released; none of what is hidden."""
        tables: dict[str, pa.Table] = {}
        for registered in sources:
            if not self.policy.restricts_fields(registered.name) and registered.content.sha256 is not None:
                table = self.registry.get_table(registered)
                tables |= {} if table is None else {registered.content.sha256: table}
        return tables

    def release_tables(self, *sources: Registered) -> None:
        """Release tables in memory; a source that the policy hides in part is not this client's to release."""
        for registered in sources:
            if not self.policy.restricts_fields(registered.name):
                self.registry.release_table(registered)

    def require_choice(self) -> None:
        """Raise `policy_denied_source` if this client chooses no sources. Whatever was named makes no difference."""
        if self.is_narrowed:
            raise PolicyDeniedError(
                "A narrowed client cannot change the sources.",
                denied="source",
                hint="Call this on the client that it was narrowed from; both share their sources.",
            )

    def can_open(self, name: str) -> bool:
        """Tell whether a question that names a source may connect it: it is new here, and allowed."""
        return (
            self.live is not None
            and not self.is_narrowed
            and 0 < len(name) <= MAX_NAME
            and name.isprintable()
            and self.policy.allows_source(name)
            and name not in self.registry
        )

    def warn_of_sources(self) -> None:
        """Warn, once, of lists of fields for sources that are not there, while others are there that no list names."""
        lists = self.policy.fields
        if not lists or self.is_whole:
            return
        there = {each.name for each in self.list_allowed()}
        unlisted = sorted(there - lists.keys())
        for name in sorted(lists.keys() - there - self.warned):
            if unlisted and self.policy.allows_source(name):
                self.warned.add(name)
                warnings.warn(
                    f"The policy lists fields of {describe_value(name)}, and no source of that name is connected."
                    " It hides"
                    f" nothing of {describe_value(unlisted[0])}.",
                    stacklevel=4,
                )


def _describe_origin(project: Path, source: Any) -> Origin | None:
    """Describe the origin of a source as evidence states it; None for a source in memory.

    Of a file below the project its place in it, of any other its name: folders name people and machines.
    """
    given = {"file": source} if isinstance(source, str | os.PathLike) else dict(source or {})
    path = given.pop("file", None) or given.pop("path", None)
    if path is None:
        return None
    place, root = Path(path).expanduser().resolve(), project.resolve()
    file = place.relative_to(root).as_posix() if place.is_relative_to(root) else place.name
    named = {key: str(given[key]) for key in ("provider", "table", "query") if given.get(key)}
    return cast(Origin, {"file": file, **named})
