"""Connect, describe, refresh, disconnect and forget the sources of a client, as its policy allows.

A policy that lists the fields of one name binds every other name of the same data.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from service_nb.client import project as projects
from service_nb.client.advice.reading import merge_options, write_magic
from service_nb.client.live_sources import DeployedSources, LiveSource, Offer, Offered, Unconnected, require_known
from service_nb.client.registry import Registered, Sources
from service_nb.client.results import ServiceSource
from service_nb.client.source_look import try_look
from service_nb.client.text_views import list_reasons
from service_nb.core.words import describe_value
from service_nb.errors import ForbiddenError, InvalidIntentError, PolicyDeniedError, SourceNotFoundError
from service_nb.query.policy import Policy, hide_column_names
from service_nb.query.similar_names import find_similar_names
from service_nb.query.spec import MAX_NAME
from service_nb.readers.dataset import Declared, ReadOptions, option_error
from service_nb.readers.descriptor import build_input, deployment_error, find_type, is_kept, is_live
from service_nb.readers.detect import find_table_of, read
from service_nb.schema.source import Field

SIMILAR_S = 5.0  # that a refusal waits for better names
_MAGIC = "*?["  # of a glob


def describe_source(sources: Sources, registered: Registered) -> ServiceSource:
    """Return the specification's description of a source, without what the policy denies."""
    registered, fields = sources.restrict(registered), sources.get_allowed_fields(registered)
    reasons, notes = list_reasons(sources.policy, registered), _list_notes(sources, registered, fields)
    options = merge_options(reasons, registered.reading)
    line = write_magic(registered.name, registered.origin, options) if options else None
    return ServiceSource(
        {
            "name": registered.name,
            "source_id": registered.source_id,
            "dataset_id": registered.source_id,
            "fields": list(fields),
            "typed_fields": [*map(_describe_field, fields.values())],
            "row_count": registered.row_count,
            "schema_revision": registered.schema_revision,
            "status": "ready",
            "content": registered.content.to_dict(),
            "reading": registered.reading,
            "aliases": {alias: target for alias, target in registered.aliases.items() if target in fields},
            "reasons": {each.column: each.to_dict() for each in reasons},
            "advice": {"options": options, "line": line} if line is not None else None,
            "notes": [*notes, *([f"Reconnect: {line}"] if line is not None else [])],
        },
        look=partial(try_look, sources, registered.name, registered.source_id),
    )


def _describe_field(field: Field) -> dict[str, str]:
    """Describe a column; `zone` is there of instants."""
    told = {"name": field.name, "type": field.type, "physical": field.physical}
    return told if field.zone is None else {**told, "zone": field.zone}


def _list_notes(sources: Sources, registered: Registered, allowed: Mapping[str, Field]) -> list[str]:
    """Return the notes; under a list of fields only those that begin with one of them and name no other."""
    if not sources.policy.restricts_fields(registered.name):
        return list(registered.notes)
    denied = [field.name for field in registered.fields if field.name not in allowed]
    return [
        note
        for note in registered.notes
        if note.startswith(tuple(f"{name}: " for name in allowed)) and not any(name in note for name in denied)
    ]


def list_values(sources: Sources, name: str, field: str) -> tuple[str, ...]:
    """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed."""
    if not (sources.policy.allows_source(name) and sources.policy.allows_field(name, field)):
        return ()
    registered = sources.registry.get(name)
    return registered.engine.list_known_values(field) if field in [each.name for each in registered.fields] else ()


# --- connect ----------------------------------------------------------------------------------------------------------


def connect_source(
    sources: Sources,
    origin: object,
    name: str | None,
    declared: Declared,
    *,
    defer: bool = False,
    keep: bool = False,
    anew: bool = False,
) -> ServiceSource:
    """Register `origin`, or with None what the project keeps under `name`; see `Service.connect`."""
    said, expected = declared, None
    if origin is None:
        dataset = _find_dataset(sources, name)
        if dataset is not None:
            return _reopen(sources, str(name), dataset, declared, keep=keep)
        origin, declared, expected = _read_stored(sources, name, declared)
    elif sources.policy.sources is None and sources.policy.fields is None:  # else what is there is not told
        origin = find_table_of(origin, sources.limits)
    declared.check()
    label = _require_label(sources, _choose_name(name, origin), said)
    _require_one_list(sources, label, origin)
    options = declared.build_options(sources.limits, defer=defer)
    if anew:
        _require_whole(sources, label)
    with hide_column_names(sources.policy, label, "registered"):
        registered = sources.registry.add(
            label,
            origin,
            options,
            declared.aliases or {},
            expected,
            visible=lambda field: sources.policy.allows_field(label, field),
            holds_table=not sources.policy.restricts_fields(label),
            anew=anew,
        )
    if keep:
        descriptor = projects.describe_input(origin, declared.to_dict())
        projects.persist(sources.project, label, descriptor, sources.restrict(registered).content.sha256)
    _warn_of_fields(sources, registered)
    return describe_source(sources, registered)


def connect_any(
    sources: Sources,
    source: object,
    described: Any,
    name: str | None,
    said: Declared,
    *,
    keep: bool,
    anew: bool,
    content: str,
) -> ServiceSource:
    """Register a source that is live, described or given."""
    if content not in ("now", "deferred"):
        raise option_error("content", content, "'now' or 'deferred'")
    if described is not None and sources.live is not None and is_live(described):
        if anew:
            raise InvalidIntentError(
                "replace means nothing for a live source: `refresh` describes it as it is now.", path="replace"
            )
        return connect_live(sources, described, name, said, keep=keep)
    given = source if described is None else build_input(described)
    return connect_source(sources, given, name, said, defer=content == "deferred", keep=keep, anew=anew)


def connect_live(
    sources: Sources, connector: Mapping[str, object], name: str | None, declared: Declared, *, keep: bool
) -> ServiceSource:
    """Register what a connector's descriptor reaches, through the deployment."""
    _require_live_options(declared)
    declared.check()
    label = _require_label(sources, _choose_name(name if name is not None else connector.get("table"), None), declared)
    live, types, aliases = require_live(sources, connector), declared.types or {}, declared.aliases or {}

    def reach() -> LiveSource:
        found = live.connect(label, connector, types=types, aliases=aliases)
        return replace(found, aliases=dict(aliases or found.aliases))  # the deployment may have it under others

    return _add_live(sources, label, reach, keep=keep)


def _reopen(
    sources: Sources, label: str, dataset: str, declared: Declared, *, keep: bool, soon: bool = False
) -> ServiceSource:
    """Register a source that the deployment has already; `soon`: a question waits for it."""
    _require_live_options(declared)
    if declared.types:
        raise InvalidIntentError(
            f"{label} is already a source of the deployment, which declares its types.",
            hint="Declare types when you connect a connector.",
            path="types",
        )
    declared.check()
    _require_label(sources, label, declared)
    live = require_live(sources, None)

    def reach() -> LiveSource:
        found = live.open_named(dataset) if soon else live.open(dataset)
        return replace(found, name=label, aliases=dict(declared.aliases or found.aliases))

    return _add_live(sources, label, reach, keep=keep)


def _add_live(
    sources: Sources, label: str, reach: Callable[[], LiveSource], *, keep: bool = False, anew: bool = False
) -> ServiceSource:
    """Register a live source; with `anew` it replaces the one of that name."""
    with hide_column_names(sources.policy, label, "registered"):
        registered = sources.registry.add_live(
            reach(), visible=lambda field: sources.policy.allows_field(label, field), limits=sources.limits, anew=anew
        )
    if keep:
        projects.persist_live(sources.project, label, registered.aliases)
    if not anew:
        _warn_of_fields(sources, registered)
    return describe_source(sources, registered)


def _require_label(sources: Sources, label: str, declared: Declared) -> str:
    """Check the name and the declared columns of a source against the policy, and return the name."""
    sources.policy.require_source(label)
    for column in declared.list_columns():
        sources.require_field(label, column)
    return label


def _require_one_list(sources: Sources, label: str, origin: object) -> None:
    """Raise `policy_denied_source` where the input has another name, of which the policy lists other fields."""
    if sources.policy.fields is None:
        return
    _compare_lists(sources.policy, label, origin, [(each.name, each.origin) for each in sources.registry])
    for name in list_stored(sources):
        stored = projects.read_descriptor(sources.project, name)
        if "path" in stored:
            _compare_lists(sources.policy, label, origin, [(name, _build_origin(stored))])


def count_rows(sources: Sources, origin: object) -> int:
    """Read `origin` without registering it and return its number of rows."""
    label = _choose_name(None, origin)
    sources.policy.require_source(label)
    _require_one_list(sources, label, origin)
    with hide_column_names(sources.policy, label, "read"):
        return read(origin, ReadOptions(limits=sources.limits)).row_count


def require_live(sources: Sources, connector: Mapping[str, object] | None) -> DeployedSources:
    """Check a connector's descriptor, and return the provider of live sources."""
    kind = None if connector is None or is_kept(connector) else find_type(connector, any_key=True)
    if sources.live is None:
        raise deployment_error(kind)
    return sources.live


# --- disconnect, forget, refresh --------------------------------------------------------------------------------------


def disconnect_source(sources: Sources, name: str, *, persist: bool) -> None:
    """Disconnect a source here, and optionally remove it from the project."""
    _require_whole(sources, name)
    is_stored = _find_stored(sources, name) is not None
    if name not in sources.registry and not (persist and is_stored):
        raise SourceNotFoundError(
            f"{describe_value(name)} is not connected.",
            hint="It is in service.toml; pass persist=True to remove it there." if is_stored else None,
            met=name,
        )
    if persist and is_stored:
        projects.forget(sources.project, name)
    sources.registry.remove(name)


def forget_source(sources: Sources, name: str) -> list[str]:
    """Forget a source wherever it is, the deployment first: if that fails, it stays where it was."""
    _require_whole(sources, name)
    registered, stored = sources.registry.find(name), _find_stored(sources, name)
    dataset = _get_dataset(sources, name, registered, stored)
    places = []
    if dataset is not None and _forget_there(sources, dataset, is_known=bool(registered or stored)):
        places.append("deployment")
    # A file of the same name as a live source is another one.
    if stored is not None and (stored.get(projects.DEPLOYMENT) is True) == (dataset is not None):
        projects.forget(sources.project, name)
        places.insert(0, "service.toml")
    if registered is not None:
        sources.registry.remove(name)
        places.insert(0, "session")
    return places


def _forget_there(sources: Sources, dataset: str, *, is_known: bool) -> bool:
    """Forget a source at the deployment, which may have forgotten it already."""
    try:
        require_live(sources, None).forget(dataset)
    except SourceNotFoundError:
        if not is_known:
            raise
        return False
    return True


def refresh_source(sources: Sources, name: str) -> ServiceSource:
    """Refresh a live source: register its current description."""
    _require_whole(sources, name)
    registered = sources.registry.find(name)
    dataset = _get_dataset(sources, name, registered, _find_stored(sources, name))
    if dataset is None:
        raise InvalidIntentError(
            f"{describe_value(name)} is not a live source: its data never changes.",
            hint="Disconnect it, and connect the new content.",
            path="name",
            met=name,
        )
    live = require_live(sources, None)
    try:
        found = live.refresh(dataset)
    except ForbiddenError:
        found = live.open(dataset)  # somebody who may has perhaps refreshed it
        if registered is None or found.mark == registered.mark:
            raise
    columns = [field.name for field in found.fields]
    aliases = found.aliases if registered is None else registered.aliases
    fitting = {alias: target for alias, target in aliases.items() if target in columns and alias not in columns}
    return _add_live(sources, name, lambda: replace(found, name=name, aliases=fitting), anew=True)


def _require_whole(sources: Sources, name: object) -> None:
    """Raise unless this client may change a source: others may see more of it than this one."""
    sources.require_choice()
    _require_name(sources, name)
    if sources.policy.restricts_fields(str(name)):
        raise PolicyDeniedError(
            f"The policy hides fields of {describe_value(name)}, so this client cannot change it.",
            denied="source",
            met=name,
        )


def _require_name(sources: Sources, name: object) -> None:
    if not isinstance(name, str):
        raise InvalidIntentError(f"The source's name is {describe_value(name)}; expected text.", path="name")
    sources.policy.require_source(name)


# --- what is not connected yet ----------------------------------------------------------------------------------------


def list_stored(sources: Sources) -> list[str]:
    """Return the names in the project's `service.toml` that the policy allows."""
    return [name for name in projects.list_stored_names(sources.project) if sources.policy.allows_source(name)]


def list_live_names(sources: Sources) -> list[str]:
    """Return the names of the deployment's sources that the policy allows, sorted; none without a deployment."""
    names = [] if sources.live is None else sources.live.list_names()
    return sorted(name for name in names if sources.policy.allows_source(name))


def list_unconnected(sources: Sources, wait_s: float) -> Unconnected:
    """List the sources that can be connected by name, as far as they are known within that time."""
    if sources.is_narrowed:
        return Unconnected()
    here = {registered.name for registered in sources.list_allowed()}
    told = Offered() if sources.live is None else sources.live.list_offered(wait_s)
    found = {name: Offer(name=name, place="service.toml") for name in list_stored(sources)}
    for source in told.sources:
        if sources.can_open(source.name) and (source.name not in found or _is_stored_live(sources, source.name)):
            fields = tuple(each for each in source.fields if sources.policy.allows_field(source.name, each.name))
            found[source.name] = Offer(name=source.name, place="deployment", fields=fields, row_count=source.row_count)
    return Unconnected(sources=tuple(found[name] for name in sorted(found) if name not in here), fault=told.fault)


def _is_stored_live(sources: Sources, name: str) -> bool:
    """Tell whether `service.toml` has a source of the deployment under the deployment's own name."""
    return _get_dataset(sources, name, None, _find_stored(sources, name)) == name


def connect_named(sources: Sources, name: str) -> None:
    """Connect a source that a question names, if the deployment has one of exactly that name.

    That is no guess: whoever asks could have connected it by the same name in the line before. A file that the
    project keeps under the name is another source: then nothing is connected, and the question refused as ever.
    """
    dataset = _get_dataset(sources, name, None, _find_stored(sources, name))
    if dataset is not None:
        with suppress(SourceNotFoundError):  # the question names nothing: to say so is for who resolves it
            _reopen(sources, name, dataset, Declared(), keep=False, soon=True)


def find_similar_sources(sources: Sources, name: str) -> list[str]:
    """Find unconnected sources of the deployment with similar names."""
    if sources.live is None or sources.is_narrowed or name in sources.registry:
        return []
    names = {each.name for each in sources.live.list_offered(SIMILAR_S).sources if sources.can_open(each.name)}
    return find_similar_names(name, sorted(names))


# --- one name ---------------------------------------------------------------------------------------------------------


def _get_dataset(
    sources: Sources, name: str, registered: Registered | None, stored: Mapping[str, Any] | None
) -> str | None:
    """Return the deployment's name of a source; None for a source that is read here."""
    if registered is not None:
        return registered.dataset
    if stored is not None:
        return stored["dataset"] if stored.get(projects.DEPLOYMENT) is True else None
    if sources.live is None:
        raise SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)
    return name


def _find_dataset(sources: Sources, name: str | None) -> str | None:
    """Find the deployment's name of an unregistered source; None if the project has a file for it."""
    if not isinstance(name, str):
        return None
    sources.policy.require_source(name)
    stored = _find_stored(sources, name)
    if stored is None and sources.live is not None:
        return require_known(name, list_live_names(sources))
    return None if stored is None else _get_dataset(sources, name, None, stored)


def _find_stored(sources: Sources, name: str) -> Mapping[str, object] | None:
    try:
        return projects.read_descriptor(sources.project, name)
    except SourceNotFoundError:
        return None


def _read_stored(sources: Sources, name: str | None, declared: Declared) -> tuple[object, Declared, str | None]:
    if name is None:
        hint = "Pass a path, a frame, rows, or the name of a stored source."
        raise InvalidIntentError("No data to connect was given.", hint=hint)
    _require_name(sources, name)
    stored = projects.read_descriptor(sources.project, name)
    return _build_origin(stored), declared.merge_stored(stored), stored.get("sha256")


# --- lists of fields --------------------------------------------------------------------------------------------------


def _warn_of_fields(sources: Sources, registered: Registered) -> None:
    """Warn of listed fields that a source does not have: each is perhaps misspelt, and then hidden."""
    listed = (sources.policy.fields or {}).get(registered.name, frozenset())
    for name in sorted(listed - {each.name for each in registered.fields}):
        warnings.warn(
            f"The policy lists the field {describe_value(name)} of {describe_value(registered.name)}, which"
            " has no such column.",
            stacklevel=4,
        )


def require_lists(sources: Sources) -> None:
    """Raise `invalid_intent` where the policy shows under one name what it hides under another; warn of gaps."""
    allowed = sources.list_allowed() if sources.policy.fields is not None else []
    for one in allowed:
        _warn_of_fields(sources, one)
        try:
            _compare_lists(sources.policy, one.name, one.origin, [(each.name, each.origin) for each in allowed])
            for other in allowed:
                if other.content.sha256 is not None and other.content.sha256 == one.content.sha256:
                    _require_same_list(sources.policy, one.name, other.name)
        except PolicyDeniedError as error:
            raise InvalidIntentError(
                f"{describe_value(one.name)} holds the same data as a source of which the policy lists other fields.",
                hint="List the same fields of both, or leave one out of allowed_sources.",
                path="policy.allowed_fields",
            ) from error


def _require_live_options(declared: Declared) -> None:
    said = [key for key in declared.to_dict() if key not in ("types", "aliases")]
    if said:
        raise InvalidIntentError(
            f"`{said[0]}` does not apply to a live source.", path=said[0], expected="types, aliases"
        )


# --- where data are ---------------------------------------------------------------------------------------------------


def _choose_name(name: object, origin: object) -> str:
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
        met = describe_value(name)
        raise InvalidIntentError(
            f"The source's name is {met}; expected printable text.", hint="Pass name=…", path="name", met=met
        )
    return name


def _build_origin(stored: Mapping[str, object]) -> object:
    """Build the input that a descriptor in `service.toml` describes."""
    if "provider" not in stored:
        return stored["path"]
    return {key: stored[key] for key in ("provider", "path", "table", "query") if key in stored}


@dataclass(frozen=True, slots=True, kw_only=True)
class _DataPlace:
    """The location of data: a file or folder, and for a database the table; None for a query."""

    path: Path
    table: str | None = None
    is_database: bool = False

    def is_overlapping(self, other: _DataPlace) -> bool:
        """Tell whether the two places may share data."""
        if self.is_database and other.is_database and self.path == other.path:
            return self.table is None or other.table is None or self.table.casefold() == other.table.casefold()
        return self.path == other.path or self.path in other.path.parents or other.path in self.path.parents


def _find_place(origin: Any) -> _DataPlace | None:
    """Find the location that an input is read from; None for data in memory or an invalid input."""
    is_database = isinstance(origin, Mapping) and origin.get("provider") == "sqlite"
    path = origin.get("path") if is_database else origin
    if not isinstance(path, str | os.PathLike):
        return None
    try:
        place = Path(os.fspath(path)).expanduser()
        while any(sign in place.name for sign in _MAGIC) and place != place.parent:
            place = place.parent
        place = place.resolve()
    except (OSError, ValueError, RuntimeError, TypeError):
        return None
    table = origin.get("table") if is_database else None
    return _DataPlace(path=place, table=table if isinstance(table, str) else None, is_database=is_database)


def _compare_lists(policy: Policy, label: str, origin: object, known: Iterable[tuple[str, object]]) -> None:
    """Refuse an origin that is also known under another name for which the policy lists other fields.

    Parameters
    ----------
    label : str
        The name that it is to have.
    known : iterable of (str, origin)
        What other names stand for. A file, or a table, also stands for the name that it bears.
    """
    place = _find_place(origin)
    if policy.fields is None or place is None:
        return
    for name in policy.fields:
        if _has_name(name, origin, place):
            _require_same_list(policy, label, name)
    for name, other in known:
        met = _find_place(other)
        if met is not None and place.is_overlapping(met):
            _require_same_list(policy, label, name)


def _require_same_list(policy: Policy, label: str, name: str) -> None:
    """Raise `policy_denied_source` unless the policy shows the same fields under both names."""
    lists = policy.fields or {}
    if label != name and lists.get(label) != lists.get(name):
        raise PolicyDeniedError(
            f"What is to be connected as {describe_value(label)} is {describe_value(name)} too, and the policy"
            " does not list the same"
            " fields of both.",
            denied="source",
            hint=f"Connect it as {describe_value(name)}, or list the same fields for both names.",
            met=label,
        )


def _has_name(name: str, origin: Any, place: _DataPlace) -> bool:
    """Tell whether a file, a table or a query has that name itself."""
    if not place.is_database:
        return name.casefold() == place.path.stem.casefold()
    if place.table is not None:
        return name.casefold() == place.table.casefold()
    return name.casefold() in str(origin.get("query")).casefold()
