"""The sources of one client behind its policy: list, connect, refresh and disconnect them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from service_nb.client import project as projects
from service_nb.client.live_sources import DeployedSources, LiveSource, Offer, Offered, Unconnected, require_known
from service_nb.client.origins import build_origin, choose_name, require_one_list, require_same_list
from service_nb.client.registry import Registered, Registry
from service_nb.client.results import ServiceSource
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import hash_schema, identify_source
from service_nb.core.words import describe_value
from service_nb.errors import (
    ForbiddenError,
    InvalidIntentError,
    PolicyDeniedError,
    SourceChangedError,
    SourceNotFoundError,
)
from service_nb.query.policy import Policy, denied_field_error, hide_column_names, narrow_reading
from service_nb.query.resolve import Catalog, SourceView, find_similar_names
from service_nb.query.spec import MAX_NAME
from service_nb.readers.dataset import Declared, ReadOptions
from service_nb.readers.descriptor import deployment_error, find_type, is_kept
from service_nb.readers.detect import find_table_of, read
from service_nb.schema.compute import Vector
from service_nb.schema.entry import READING_CHARS, Input
from service_nb.schema.query import Plan
from service_nb.schema.source import Content, Field, Limits

MOST_INPUTS = 20  # that a refusal tells of
MOST_NAMED = 4_000  # characters of the names that the content of a source tells, where others are hidden
SIMILAR_S = 5.0  # that a refusal waits for better names


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

    # --- what the policy shows ----------------------------------------------------------------------------------------

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
            fields = [] if registered is None else list(self._get_allowed_fields(registered))
            raise denied_field_error(source, field, find_similar_names(field, fields))

    def restrict(self, registered: Registered) -> Registered:
        """Restrict a source to the fields that this client may see.

        Under a list of fields its schema, its id and its content are those of the columns on the list: a hash over
        others would tell whoever guesses them that the guess is right.
        """
        if not self.policy.restricts_fields(registered.name):
            return registered
        fields = self._get_allowed_fields(registered)
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
        )

    def _get_allowed_fields(self, registered: Registered) -> dict[str, Field]:
        name = registered.name
        return {field.name: field for field in registered.fields if self.policy.allows_field(name, field.name)}

    def can_tell(self, recorded: Mapping[str, Any]) -> bool:
        """Tell whether the ledger's description of a source matches what this client may know of it."""
        if not self.policy.restricts_fields(recorded["name"]):
            return True
        registered = self.registry.find(recorded["name"])
        known = None if registered is None else self.restrict(registered).schema_revision
        return (recorded["schema_revision"], recorded["content"]["sha256"]) == (known, None)

    def build_catalog(self) -> Catalog:
        """Build the catalog of sources and fields that resolution may use."""
        views = {}
        for registered in map(self.restrict, self.list_allowed()):
            fields = self._get_allowed_fields(registered)
            views[registered.name] = SourceView(
                name=registered.name,
                fields=fields,
                schema_revision=registered.schema_revision,
                row_count=registered.row_count,
                aliases={alias: target for alias, target in registered.aliases.items() if target in fields},
                restricted=self.policy.restricts_fields(registered.name),
            )
        return Catalog(sources=views, restricted=self.policy.sources is not None)

    def describe(self, registered: Registered) -> ServiceSource:
        """Return the specification's description of a source, without what the policy denies."""
        registered, fields = self.restrict(registered), self._get_allowed_fields(registered)
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
            notes=self._list_notes(registered, fields),
        )

    def _list_notes(self, registered: Registered, allowed: Mapping[str, Field]) -> list[str]:
        """Return the notes; under a list of fields only those that begin with one of them and name no other."""
        if not self.policy.restricts_fields(registered.name):
            return list(registered.notes)
        denied = [field.name for field in registered.fields if field.name not in allowed]
        return [
            note
            for note in registered.notes
            if note.startswith(tuple(f"{name}: " for name in allowed)) and not any(name in note for name in denied)
        ]

    def list_values(self, name: str, field: str) -> tuple[str, ...]:
        """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed."""
        if not (self.policy.allows_source(name) and self.policy.allows_field(name, field)):
            return ()
        registered = self.registry.get(name)
        return registered.engine.known_values(field) if field in [each.name for each in registered.fields] else ()

    # --- what a run needs ---------------------------------------------------------------------------------------------

    def get_for_plan(self, plan: Plan, mark: str | None = None) -> Registered:
        """Return the source that a plan is run on; see `Registry.get_for_plan`."""
        with self._hide_digests(plan.source_name):
            return self.registry.get_for_plan(plan.source_name, plan.schema_revision, mark, restrict=self.restrict)

    def read_columns(self, registered: Registered, plan: Plan, timeout_s: float | None) -> list[Vector]:
        """Return the group columns of a plan, not grouped, of the rows that meet its conditions."""
        with hide_column_names(self.policy, registered.name, "read"):
            vectors = registered.engine.columns(plan, timeout_s)
        self.require_unchanged(registered)
        return vectors

    def require_unchanged(self, registered: Registered) -> Registered:
        """Return the source, provided that its files are still what was read; see `Registry.require_unchanged`."""
        if not registered.stamps:
            return registered
        with self._hide_digests(registered.name):
            return self.registry.require_unchanged(registered)

    @contextmanager
    def _hide_digests(self, name: str) -> Iterator[None]:
        """Leave digests out of the error of a changed source, where the policy hides some of its fields."""
        try:
            yield
        except SourceChangedError as error:
            if not self.policy.restricts_fields(name):
                raise
            kept = {key: error.details[key] for key in ("changed",) if key in error.details}
            raise SourceChangedError(error.message, hint=error.hint, **kept) from None

    # --- what evidence says of a source -------------------------------------------------------------------------------

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
            origin=projects.describe_origin(self.project, registered.origin) if is_whole else None,
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

    # --- what this client may change ----------------------------------------------------------------------------------

    def require_choice(self) -> None:
        """Raise `policy_denied_source` if this client chooses no sources. Whatever was named makes no difference."""
        if self.is_narrowed:
            raise PolicyDeniedError(
                "A narrowed client chooses no sources.",
                denied="source",
                hint="Do this with the client that it was narrowed from: what that one has, this one sees at once.",
            )

    def require_whole(self, name: object) -> None:
        """Raise unless this client may change a source: others may see more of it than this one."""
        self.require_choice()
        self._require_name(name)
        if self.policy.restricts_fields(str(name)):
            raise PolicyDeniedError(
                f"The policy hides fields of {describe_value(name)}, so this client cannot change it.",
                denied="source",
                met=name,
            )

    def _require_name(self, name: object) -> None:
        if not isinstance(name, str):
            raise InvalidIntentError(f"The source's name is {describe_value(name)}; expected text.", path="name")
        self.policy.require_source(name)

    # --- connecting ---------------------------------------------------------------------------------------------------

    def connect(
        self, origin: object, name: str | None, declared: Declared, *, defer: bool, keep: bool, anew: bool = False
    ) -> ServiceSource:
        """Register `origin`, or with None what the project keeps under `name`; see `Service.connect`."""
        said, expected = declared, None
        if origin is None:
            dataset = self._find_dataset(name)
            if dataset is not None:
                return self.reopen(str(name), dataset, declared, keep=keep)
            origin, declared, expected = self._read_stored(name, declared)
        elif self.policy.sources is None and self.policy.fields is None:  # else what is there is not told
            origin = find_table_of(origin, self.limits)
        declared.check()
        label = self._require_label(choose_name(name, origin), said)
        self._require_one_list(label, origin)
        options = declared.build_options(self.limits, defer=defer)
        if anew:
            self.require_whole(label)
        with hide_column_names(self.policy, label, "registered"):
            registered = self.registry.add(
                label,
                origin,
                options,
                declared.aliases or {},
                expected,
                visible=lambda field: self.policy.allows_field(label, field),
                holds_table=not self.policy.restricts_fields(label),
                anew=anew,
            )
        if keep:
            descriptor = projects.describe_input(origin, declared.to_dict())
            projects.persist(self.project, label, descriptor, self.restrict(registered).content.sha256)
        self.warn_of_fields(registered)
        return self.describe(registered)

    def connect_live(
        self, connector: Mapping[str, Any], name: str | None, declared: Declared, *, keep: bool
    ) -> ServiceSource:
        """Register what a connector's descriptor reaches, through the deployment."""
        _require_live_options(declared)
        declared.check()
        label = self._require_label(choose_name(name if name is not None else connector.get("table"), None), declared)
        live, types, aliases = self.require_live(connector), declared.types or {}, declared.aliases or {}
        return self._add_live(label, lambda: live.connect(label, connector, types=types, aliases=aliases), keep=keep)

    def reopen(self, label: str, dataset: str, declared: Declared, *, keep: bool, soon: bool = False) -> ServiceSource:
        """Register a source that the deployment has already; `soon`: a question waits for it."""
        _require_live_options(declared)
        if declared.types:
            raise InvalidIntentError(
                f"{label} is already a source of the deployment, which declares its types.",
                hint="Declare types when you connect a connector.",
                path="types",
            )
        declared.check()
        for column in declared.list_columns():
            self.require_field(label, column)
        live = self.require_live(None)

        def reach() -> LiveSource:
            found = live.open_named(dataset) if soon else live.open(dataset)
            return replace(found, name=label, aliases=dict(declared.aliases or found.aliases))

        return self._add_live(label, reach, keep=keep)

    def _add_live(
        self, label: str, reach: Callable[[], LiveSource], *, keep: bool = False, anew: bool = False
    ) -> ServiceSource:
        """Register a live source; with `anew` it replaces the one of that name."""
        with hide_column_names(self.policy, label, "registered"):
            registered = self.registry.add_live(
                reach(), visible=lambda field: self.policy.allows_field(label, field), limits=self.limits, anew=anew
            )
        if keep:
            projects.persist_live(self.project, label, registered.aliases)
        if not anew:
            self.warn_of_fields(registered)
        return self.describe(registered)

    def _require_label(self, label: str, declared: Declared) -> str:
        """Check the name and the declared columns of a source against the policy, and return the name."""
        self.policy.require_source(label)
        for column in declared.list_columns():
            self.require_field(label, column)
        return label

    def _require_one_list(self, label: str, origin: object) -> None:
        """Raise `policy_denied_source` where the input has another name, of which the policy lists other fields."""
        if self.policy.fields is None:
            return
        require_one_list(self.policy, label, origin, [(each.name, each.origin) for each in self.registry])
        for name in self.list_stored():
            stored = projects.read_descriptor(self.project, name)
            if "path" in stored:
                require_one_list(self.policy, label, origin, [(name, build_origin(stored))])

    def count_rows(self, origin: Any) -> int:
        """Read `origin` without registering it and return its number of rows."""
        label = choose_name(None, origin)
        self.policy.require_source(label)
        self._require_one_list(label, origin)
        with hide_column_names(self.policy, label, "read"):
            return read(origin, ReadOptions(limits=self.limits)).row_count

    def require_live(self, connector: Mapping[str, Any] | None) -> DeployedSources:
        """Check a connector's descriptor, and return the provider of live sources."""
        kind = None if connector is None or is_kept(connector) else find_type(connector, any_key=True)
        if self.live is None:
            raise deployment_error(kind)
        return self.live

    # --- refreshing and letting go ------------------------------------------------------------------------------------

    def disconnect(self, name: str, *, persist: bool) -> None:
        """Disconnect a source here, and optionally remove it from the project."""
        self.require_whole(name)
        is_stored = self._find_stored(name) is not None
        if name not in self.registry and not (persist and is_stored):
            raise SourceNotFoundError(
                f"{describe_value(name)} is not connected.",
                hint="It is in service.toml; pass persist=True to remove it there." if is_stored else None,
                met=name,
            )
        if persist and is_stored:
            projects.forget(self.project, name)
        self.registry.remove(name)

    def forget(self, name: str) -> list[str]:
        """Forget a source wherever it is, the deployment first: if that fails, it stays where it was."""
        self.require_whole(name)
        registered, stored = self.registry.find(name), self._find_stored(name)
        dataset = self._get_dataset(name, registered, stored)
        places = []
        if dataset is not None and self._forget_there(dataset, is_known=bool(registered or stored)):
            places.append("deployment")
        # A file of the same name as a live source is another one.
        if stored is not None and (stored.get(projects.DEPLOYMENT) is True) == (dataset is not None):
            projects.forget(self.project, name)
            places.insert(0, "service.toml")
        if registered is not None:
            self.registry.remove(name)
            places.insert(0, "session")
        return places

    def _forget_there(self, dataset: str, *, is_known: bool) -> bool:
        """Forget a source at the deployment, which may have forgotten it already."""
        try:
            self.require_live(None).forget(dataset)
        except SourceNotFoundError:
            if not is_known:
                raise
            return False
        return True

    def refresh(self, name: str) -> ServiceSource:
        """Refresh a live source: register its current description."""
        self.require_whole(name)
        registered = self.registry.find(name)
        dataset = self._get_dataset(name, registered, self._find_stored(name))
        if dataset is None:
            raise InvalidIntentError(
                f"{describe_value(name)} is not a live source: its data never changes.",
                hint="Disconnect it, and connect the new content.",
                path="name",
                met=name,
            )
        live = self.require_live(None)
        try:
            found = live.refresh(dataset)
        except ForbiddenError:
            found = live.open(dataset)  # somebody who may has perhaps refreshed it
            if registered is None or found.mark == registered.mark:
                raise
        columns = [field.name for field in found.fields]
        aliases = found.aliases if registered is None else registered.aliases
        fitting = {alias: target for alias, target in aliases.items() if target in columns and alias not in columns}
        return self._add_live(name, lambda: replace(found, name=name, aliases=fitting), anew=True)

    # --- what is not connected yet ------------------------------------------------------------------------------------

    def list_stored(self) -> list[str]:
        """Return the names in the project's `service.toml` that the policy allows."""
        return [name for name in projects.list_stored_names(self.project) if self.policy.allows_source(name)]

    def list_live_names(self) -> list[str]:
        """Return the names of the deployment's sources that the policy allows, sorted; none without a deployment."""
        names = [] if self.live is None else self.live.names()
        return sorted(name for name in names if self.policy.allows_source(name))

    def list_unconnected(self, wait_s: float) -> Unconnected:
        """List the sources that can be connected by name, as far as they are known within that time."""
        if self.is_narrowed:
            return Unconnected()
        here = {registered.name for registered in self.list_allowed()}
        told = Offered() if self.live is None else self.live.list_offered(wait_s)
        found = {name: Offer(name=name, place="service.toml") for name in self.list_stored()}
        for source in told.sources:
            if self._is_allowed_name(source.name) and (source.name not in found or self._is_stored_live(source.name)):
                fields = tuple(each for each in source.fields if self.policy.allows_field(source.name, each.name))
                found[source.name] = Offer(
                    name=source.name, place="deployment", fields=fields, row_count=source.row_count
                )
        return Unconnected(sources=tuple(found[name] for name in sorted(found) if name not in here), fault=told.fault)

    def _is_stored_live(self, name: str) -> bool:
        """Tell whether `service.toml` has a source of the deployment under the deployment's own name."""
        return self._get_dataset(name, None, self._find_stored(name)) == name

    def connect_named(self, name: str) -> None:
        """Connect a source that a question names, if the deployment has one of exactly that name and it is new here.

        That is no guess: whoever asks could have connected it by the same name in the line before. A file that the
        project keeps under the name is another source: then nothing is connected, and the question refused as ever.
        """
        if not self._can_open_by_name() or not self._is_allowed_name(name) or name in self.registry:
            return
        dataset = self._get_dataset(name, None, self._find_stored(name))
        if dataset is not None:
            with suppress(SourceNotFoundError):  # the question names nothing: to say so is for who resolves it
                self.reopen(name, dataset, Declared(), keep=False, soon=True)

    def find_similar(self, name: str) -> list[str]:
        """Find unconnected sources of the deployment with similar names."""
        if self.live is None or not self._can_open_by_name() or name in self.registry:
            return []
        names = {
            source.name for source in self.live.list_offered(SIMILAR_S).sources if self._is_allowed_name(source.name)
        }
        return find_similar_names(name, sorted(each for each in names if each not in self.registry))

    def _can_open_by_name(self) -> bool:
        return self.live is not None and not self.is_narrowed

    def _is_allowed_name(self, name: str) -> bool:
        return 0 < len(name) <= MAX_NAME and name.isprintable() and self.policy.allows_source(name)

    # --- one name -----------------------------------------------------------------------------------------------------

    def _get_dataset(self, name: str, registered: Registered | None, stored: Mapping[str, Any] | None) -> str | None:
        """Return the deployment's name of a source; None for a source that is read here."""
        if registered is not None:
            return registered.dataset
        if stored is not None:
            return stored["dataset"] if stored.get(projects.DEPLOYMENT) is True else None
        if self.live is None:
            raise SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)
        return name

    def _find_dataset(self, name: str | None) -> str | None:
        """Find the deployment's name of an unregistered source; None if the project has a file for it."""
        if not isinstance(name, str):
            return None
        self.policy.require_source(name)
        stored = self._find_stored(name)
        if stored is None and self.live is not None:
            return require_known(name, self.list_live_names())
        return None if stored is None else self._get_dataset(name, None, stored)

    def _find_stored(self, name: str) -> Mapping[str, Any] | None:
        try:
            return projects.read_descriptor(self.project, name)
        except SourceNotFoundError:
            return None

    def _read_stored(self, name: str | None, declared: Declared) -> tuple[Any, Declared, str | None]:
        if name is None:
            hint = "Pass a path, a frame, rows, or the name of a stored source."
            raise InvalidIntentError("Nothing to connect was given.", hint=hint)
        self._require_name(name)
        stored = projects.read_descriptor(self.project, name)
        return build_origin(stored), declared.merge_stored(stored), stored.get("sha256")

    # --- lists of fields ----------------------------------------------------------------------------------------------

    def warn_of_fields(self, registered: Registered) -> None:
        """Warn of listed fields that a source does not have: each is perhaps misspelt, and then hidden."""
        listed = (self.policy.fields or {}).get(registered.name, frozenset())
        for name in sorted(listed - {each.name for each in registered.fields}):
            warnings.warn(
                f"The policy lists the field {describe_value(name)} of {describe_value(registered.name)}, which"
                " has no such column.",
                stacklevel=4,
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

    def require_lists(self) -> None:
        """Raise `invalid_intent` where the policy shows under one name what it hides under another; warn of gaps."""
        allowed = self.list_allowed() if self.policy.fields is not None else []
        for one in allowed:
            self.warn_of_fields(one)
            try:
                require_one_list(self.policy, one.name, one.origin, [(each.name, each.origin) for each in allowed])
                for other in allowed:
                    if other.content.sha256 is not None and other.content.sha256 == one.content.sha256:
                        require_same_list(self.policy, one.name, other.name)
            except PolicyDeniedError as error:
                raise InvalidIntentError(
                    f"{describe_value(one.name)} holds the same data as a source of which the policy lists other"
                    " fields.",
                    hint="List the same fields of both, or leave one out of allowed_sources.",
                    path="policy.allowed_fields",
                ) from error


def _require_live_options(declared: Declared) -> None:
    said = [key for key in declared.to_dict() if key not in ("types", "aliases")]
    if said:
        raise InvalidIntentError(
            f"`{said[0]}` does not apply to a live source.", path=said[0], expected="types, aliases"
        )
