"""The sources of one client: what is registered, seen through the client's policy."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from service_nb import project as projects
from service_nb.base.canonical import canonical_text
from service_nb.base.digest import schema_revision, source_id
from service_nb.base.words import shown
from service_nb.connectors.base import ReadOptions
from service_nb.connectors.declared import Declared
from service_nb.connectors.descriptor import connector_type, is_kept, no_deployment
from service_nb.connectors.detect import read
from service_nb.errors import InvalidIntentError, PolicyDeniedError, SourceNotFoundError
from service_nb.live import Live, LiveSource, found
from service_nb.query.policy import Policy, narrowed_reading, unnamed
from service_nb.query.resolve import Catalog, SourceView
from service_nb.query.spec import MAX_NAME
from service_nb.records.entry import READING_CHARS, Input
from service_nb.records.query import Plan
from service_nb.records.source import Content, Field, Limits
from service_nb.registry import Registered, Registry
from service_nb.results import ServiceSource

Clock = Callable[[], datetime.datetime]
MOST_INPUTS = 20  # that a refusal tells of


def local_clock() -> datetime.datetime:
    """Return the time now in the caller's zone."""
    return datetime.datetime.now().astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Registered sources behind a policy: whatever it denies is neither read, named nor described."""

    registry: Registry
    policy: Policy
    limits: Limits
    project: Path
    live: Live | None = None  # where live sources come from; None: there is no deployment

    def connect(self, origin: Any, name: str | None, declared: Declared, *, defer: bool, keep: bool) -> ServiceSource:
        """Register `origin`, or with None what the project keeps under `name`; see `Service.connect`."""
        said, expected = declared, None
        if origin is None:
            dataset = self._dataset(name)
            if dataset is not None:
                return self.reopen(str(name), dataset, declared, keep=keep)
            origin, declared, expected = self._kept(name, declared)
        declared.check()
        label = source_name(name, origin)
        self.policy.require_source(label)
        for column in said.columns():
            self.require_field(label, column)
        options = declared.options(self.limits, defer=defer)
        registered = self._register(label, origin, options, declared.aliases or {}, expected)
        if keep:
            descriptor = projects.describe_input(origin, declared.to_dict())
            projects.persist(self.project, label, descriptor, registered.content.sha256)
        return self.described(registered)

    def connect_live(
        self, connector: Mapping[str, Any], name: str | None, declared: Declared, *, keep: bool
    ) -> ServiceSource:
        """Register what a connector's descriptor reaches, through the deployment."""
        _only_types_and_aliases(declared)
        declared.check()
        label = source_name(name if name is not None else connector.get("table"), None)
        self.policy.require_source(label)
        for column in declared.columns():
            self.require_field(label, column)
        live = self.deployment(connector)
        types, aliases = declared.types or {}, declared.aliases or {}
        registered = self.registered(label, lambda: live.connect(label, connector, types=types, aliases=aliases))
        if keep:
            projects.persist_live(self.project, label, aliases)
        return self.described(registered)

    def reopen(self, label: str, dataset: str, declared: Declared, *, keep: bool, soon: bool = False) -> ServiceSource:
        """Register a source that the deployment has already; `soon`: a question waits for it."""
        _only_types_and_aliases(declared)
        if declared.types:
            raise InvalidIntentError(
                f"{label} is a source of the deployment already, with types of its own.",
                hint="Types are declared where a connector is connected.",
                path="types",
            )
        declared.check()
        for column in declared.columns():
            self.require_field(label, column)
        live = self.deployment(None)

        def opened() -> LiveSource:
            found = live.named(dataset) if soon else live.open(dataset)
            return replace(found, name=label, aliases=dict(declared.aliases or found.aliases))

        registered = self.registered(label, opened)
        if keep:
            projects.persist_live(self.project, label, registered.aliases)
        return self.described(registered)

    def registered(self, label: str, reach: Callable[[], LiveSource], *, anew: bool = False) -> Registered:
        """Register what is reached under a name; with `anew` in the place of what had it."""

        def visible(field: str) -> bool:
            return self.policy.allows_field(label, field)

        with unnamed(self.policy, label, "registered"):
            return self.registry.add_live(reach(), visible=visible, limits=self.limits, anew=anew)

    def deployment(self, connector: Mapping[str, Any] | None) -> Live:
        """Return where live sources come from, provided that a connector's descriptor is one."""
        kind = None if connector is None or is_kept(connector) else connector_type(connector, any_key=True)
        if self.live is None:
            raise no_deployment(kind)
        return self.live

    def _dataset(self, name: Any) -> str | None:
        """Return what the deployment calls a source that is named only; None if the project keeps a file for it."""
        if not isinstance(name, str):
            return None
        self.policy.require_source(name)
        try:
            stored = projects.stored_descriptor(self.project, name)
        except SourceNotFoundError:
            return None if self.live is None else found(name, self.live_names())
        return stored["dataset"] if stored.get(projects.DEPLOYMENT) is True else None

    def live_names(self) -> list[str]:
        """Return the names of the deployment's sources that the policy allows, sorted; none without a deployment."""
        names = [] if self.live is None else self.live.names()
        return sorted(name for name in names if self.policy.allows_source(name))

    def _kept(self, name: str | None, declared: Declared) -> tuple[Any, Declared, str | None]:
        if name is None:
            hint = "Pass a path, a frame, rows, or the name of a kept source."
            raise InvalidIntentError("There is nothing to connect.", hint=hint)
        if not isinstance(name, str):
            raise InvalidIntentError(f"The source's name is {shown(name)}; expected text.", path="name")
        self.policy.require_source(name)
        stored = projects.stored_descriptor(self.project, name)
        origin: Any = stored["path"]
        if "provider" in stored:
            origin = {key: stored[key] for key in ("provider", "path", "table", "query") if key in stored}
        return origin, declared.over(stored), stored.get("sha256")

    def _register(
        self, label: str, origin: Any, options: ReadOptions, aliases: Mapping[str, str], expected: str | None
    ) -> Registered:
        with unnamed(self.policy, label, "registered"):
            return self.registry.add(
                label,
                origin,
                options,
                aliases,
                expected,
                visible=lambda field: self.policy.allows_field(label, field),
                holds_table=not self.policy.restricts_fields(label),
            )

    def reached(self, connector: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Have the deployment try a connector, and return ``{"success": …, "message": …}``."""
        return self.deployment(connector).test(connector, timeout_s)

    def created(self, connector: Mapping[str, Any], name: str | None) -> dict[str, Any]:
        """Have the deployment keep a connector, and return its description."""
        if not isinstance(name, str | None):
            raise InvalidIntentError(f"The connector's name is {shown(name)}; expected text.", path="name")
        return self.deployment(connector).create(connector, name)

    def tried(self, origin: Any) -> int:
        """Read `origin` without registering it and return its number of rows."""
        self.policy.require_source(source_name(None, origin))
        return read(origin, ReadOptions(limits=self.limits)).row_count

    def require_field(self, source: str, field: str) -> None:
        """Raise `policy_denied_field` unless the field is allowed. Whether it exists makes no difference."""
        if not self.policy.allows_field(source, field):
            raise PolicyDeniedError(
                f"The policy does not allow the field {shown(field)} of {shown(source)}.", denied="field", met=field
            )

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

        In a deployment the schema of a source, its id and its content are those of the columns that a key may see: a
        hash over others would tell whoever guesses them that the guess is right.
        """
        if not self._hides(registered.name):
            return registered
        content = Content(algorithm="live", sha256=None, size=registered.row_count)
        fields = self._fields(registered)
        reading = narrowed_reading(registered.reading, fields)
        return replace(
            registered,
            schema_revision=schema_revision(fields.values()),
            source_id=source_id(registered.name, fields.values(), content.algorithm, reading),
            content=content,
        )

    def may_tell(self, recorded: Mapping[str, Any]) -> bool:
        """Whether a source, as an entry of the ledger has it, is described as this client may know it."""
        if not self._hides(recorded["name"]):
            return True
        known = [self.seen(each).schema_revision for each in self.registry if each.name == recorded["name"]]
        return recorded["schema_revision"] in known

    def _hides(self, name: str) -> bool:
        return self.live is not None and self.live.answers_keys and self.policy.restricts_fields(name)

    def planned(self, plan: Plan, mark: str | None = None) -> Registered:
        """Return the source that a plan is run on; see `Registry.planned`."""
        return self.registry.planned(plan.source_name, plan.schema_revision, mark, seen=self.seen)

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
            reading=narrowed_reading(registered.reading, fields),
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
        reading = narrowed_reading(registered.reading, self._fields(registered))
        return Input(
            name=registered.name,
            source_id=registered.source_id,
            schema_revision=registered.schema_revision,
            row_count=registered.row_count,
            content=registered.content.to_dict(),
            origin=projects.origin_of(self.project, registered.origin) if is_whole else None,
            reading=reading if len(canonical_text(reading)) <= READING_CHARS else None,
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


def _only_types_and_aliases(declared: Declared) -> None:
    said = [key for key in declared.to_dict() if key not in ("types", "aliases")]
    if said:
        raise InvalidIntentError(f"{said[0]} means nothing for a live source.", path=said[0], expected="types, aliases")


def source_name(name: str | None, origin: Any) -> str:
    """Return the name given, or the one that a file or table suggests.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is none, or it is not printable text.
    """
    if name is None and isinstance(origin, str | os.PathLike):
        name = Path(os.fspath(origin)).stem
    if name is None and isinstance(origin, Mapping) and origin.get("provider") == "sqlite":
        name = str(origin.get("table") or "")
    if not isinstance(name, str) or not name or len(name) > MAX_NAME or not name.isprintable():
        met = shown(name)
        raise InvalidIntentError(
            f"The source's name is {met}; expected printable text.", hint="Pass name=…", path="name", met=met
        )
    return name
