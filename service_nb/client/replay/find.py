"""Find the sources of a stored result again, by the digest of their content, and read them as before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.client.registration import connect_source, list_stored
from service_nb.client.registry import Registered, Registry, Sources
from service_nb.client.verification import Terms
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import identify_source
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, PolicyDeniedError, ServiceError, SourceUnreadableError
from service_nb.query.policy import Policy
from service_nb.readers.dataset import Declared, ReadOptions
from service_nb.readers.detect import read
from service_nb.schema.entry import Input, Origin
from service_nb.schema.reports import HowFound

_SAY = "Give its present place: --source NAME=PATH, or sources=…"
LIVE, HIDDEN = "live", "hidden"  # algorithms of a content that has no digest
_CHOICES = ("table", "query", "sheet")  # of an origin or a reading: what is read of a file that holds several
SHORT = 12  # digits of a digest in a sentence


class RefusedError(Exception):
    """The reason why a result is not replayed; `cause` is its stable name."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(cause, message)
        self.cause, self.message = cause, message


def narrow_as_then(client: Sources, wanted: Sequence[Input]) -> Sources:
    """Narrow a client to the lists of fields that applied to the results, so that the same columns are hashed."""
    told = [(each["name"], each["content"].get("fields")) for each in wanted]
    fields = {name: frozenset(names) for name, names in told if isinstance(names, list)}
    return replace(client, policy=client.policy.narrow(Policy(fields=fields))) if fields else client


class FoundSource(NamedTuple):
    """A source as a replay reads it, and where it was found."""

    registered: Registered
    how: HowFound


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The sources and the evidence that a replay accepts.

    Beside the client and its project, sources are searched in `given`, inputs by the name of the source, and by
    `find_kept`, which returns the Parquet file of a source in memory that the ledger kept. With `accepts_changed` a
    source of the same name and another content will do. Evidence is verified by `terms`; with `demands_key` one of
    their keys must have signed it, and with `is_forced` altered cards run, too.
    """

    terms: Terms
    given: Mapping[str, object] = field(default_factory=dict)
    find_kept: Callable[[str], Path | None] | None = None
    accepts_changed: bool = False
    demands_key: bool = False
    is_forced: bool = False


class Finder:
    """The search for sources of replays, under the policy of a client; it holds what it opens until it is closed."""

    def __init__(self, client: Sources, options: ReplayOptions) -> None:
        self._client = client
        self._options = options
        self._opened: list[Registry] = []
        self._known: dict[tuple[object, ...], FoundSource | RefusedError] = {}

    def find(self, wanted: Input, *, is_own: bool = False) -> FoundSource:
        """Return the source that a result was made from.

        Parameters
        ----------
        wanted : Input
            As the statement names it. Without a digest of its content the name alone must do.
        is_own : bool
            Whether the client's own ledger wrote the result, so that what it kept, and the file that it names, may be
            read under any policy.

        Raises
        ------
        RefusedError
            `source_missing` or `source_content_mismatch`.
        PolicyDeniedError
            The policy does not allow the source.
        """
        self._client.policy.require_source(wanted["name"])
        key = (write_canonical_text({**wanted, "origin": None, "row_count": 0}), is_own)
        if key not in self._known:
            try:
                self._known[key] = self._search(wanted, is_own=is_own)
            except RefusedError as refused:
                self._known[key] = refused
        known = self._known[key]
        if isinstance(known, RefusedError):
            raise known
        return known

    def close(self) -> None:
        """Close the sources that were opened."""
        for registry in self._opened:
            registry.close()
        self._opened.clear()
        self._known.clear()

    def _search(self, wanted: Input, *, is_own: bool) -> FoundSource:
        others: list[FoundSource] = []
        faults: list[ServiceError] = []
        client = narrow_as_then(self._client, [wanted])
        for how, look in self._list_candidates(wanted, is_own=is_own):
            try:
                registered = look()
            except PolicyDeniedError:
                raise
            except ServiceError as fault:
                faults.append(fault)
                continue
            if registered is not None:
                found = FoundSource(_restore_name(registered, wanted), how)
                seen = client.restrict(found.registered)
                if _has_wanted_content(seen, wanted) and _is_alike(seen, wanted):
                    return found
                others.append(found)
        # The same content read in another way: that its schema is another is for the plan to say, and that its values
        # are is for the comparison.
        of_content = [found for found in others if _has_wanted_content(client.restrict(found.registered), wanted)]
        of_content.sort(
            key=lambda found: client.restrict(found.registered).schema_revision != wanted["schema_revision"]
        )
        if of_content or (others and self._options.accepts_changed):
            return (of_content or others)[0]
        raise _build_refused_error(wanted, [(client.restrict(met), how) for met, how in others], faults)

    def _list_candidates(
        self, wanted: Input, *, is_own: bool
    ) -> Iterator[tuple[HowFound, Callable[[], Registered | None]]]:
        name, sha256 = wanted["name"], wanted["content"].get("sha256")
        declared = Declared(**(wanted["reading"] or {}))
        if self._client.is_narrowed:  # which chooses no sources, and lets no card choose some
            for registered in self._list_registered(name, None):
                yield "registered", lambda registered=registered: registered  # type: ignore[misc]
            return
        if name in self._options.given:  # whoever says where it is means that and nothing else
            yield "given", lambda: self._read_given(self._options.given[name], wanted, is_own=is_own)
            return
        is_free = is_own or self._is_unrestricted()
        for registered in self._list_registered(name, sha256):
            yield "registered", lambda registered=registered: registered  # type: ignore[misc]
            if registered.origin is not None and sha256 == registered.content.sha256 and is_free:
                yield "registered", partial(self._connect, registered.origin, name, declared)
        if sha256 and is_free:
            yield "kept", lambda: self._read_kept(sha256, name)
        origin = wanted["origin"]
        if origin is not None and is_free:
            yield "origin", lambda: self._read_origin(origin, name, declared)
        if name in list_stored(self._client):
            yield "service.toml", lambda: self._connect(None, name, Declared())
        elif wanted["origin"] is None and self._client.live is not None:
            yield "deployment", lambda: self._connect(None, name, Declared())

    def _list_registered(self, name: str, sha256: str | None) -> list[Registered]:
        """List the client's own sources of that name, then others of that content without hidden fields."""
        sources = self._client.list_allowed()
        same = [self._client.registry.wait_for_digest(each) for each in sources if each.name == name]
        content = [
            each
            for each in sources
            if each.name != name
            and sha256 is not None
            and each.content.sha256 == sha256
            and not self._client.policy.restricts_fields(each.name)
        ]
        return same + content

    def _is_unrestricted(self) -> bool:
        """Tell whether the policy hides neither sources nor fields.

        Where it does, no card of others says what is read: it could have another file stand for an allowed name, or a
        query that gives a hidden column the name of one that is allowed.
        """
        return self._client.policy.sources is None and self._client.policy.fields is None

    def _read_given(self, given: object, wanted: Input, *, is_own: bool) -> Registered | None:
        origin: Origin = wanted["origin"] or {}
        name, declared = wanted["name"], Declared(**(wanted["reading"] or {}))
        if not isinstance(given, str | os.PathLike):
            return self._connect(given, name, declared)
        path = os.fspath(given)
        chosen = {*origin, *(wanted["reading"] or {})}
        if not (is_own or self._is_unrestricted()) and not chosen.isdisjoint(_CHOICES):
            raise PolicyDeniedError(
                "Under a policy the table, query or sheet that a card names is not read.",
                denied="source",
                hint='Pass it: sources={"sales": {"provider": "sqlite", "path": "sales.db", "table": "sales"}}.',
            )
        if origin.get("provider") == "sqlite":
            return self._connect(_build_origin(path, origin), name, declared)
        try:
            registered = self._connect(path, name, declared)
        except InvalidIntentError:  # the options were of another format
            registered = self._connect(path, name, Declared())
        if _has_wanted_content(registered, wanted) or wanted["content"].get("algorithm") != "sha256-arrow":
            return registered
        return self._connect(self._read_values(path, declared), name, Declared())

    def _read_values(self, path: str, declared: Declared) -> pa.Table:
        """Read the values of a file, to compare them with the digest of values in memory."""
        dataset = read(path, ReadOptions(types=declared.types or {}, limits=self._client.limits))
        if dataset.table is not None:
            return dataset.table
        try:
            return pa.concat_tables([pq.read_table(file) for file in dataset.parquet or ()])
        except (pa.ArrowException, OSError) as error:
            raise SourceUnreadableError("The Parquet file cannot be read.", expected="Parquet") from error

    def _read_kept(self, sha256: str, name: str) -> Registered | None:
        path = None if self._options.find_kept is None else self._options.find_kept(sha256)
        return None if path is None else self._connect(self._read_values(str(path), Declared()), name, Declared())

    def _read_origin(self, origin: Origin, name: str, declared: Declared) -> Registered | None:
        path = self._resolve_below_project(origin.get("file", ""))
        if path is None:
            return None
        return self._connect(_build_origin(path, origin), name, declared)

    def _resolve_below_project(self, file: str) -> str | None:
        """Resolve the path of a file below the project; None for a path that leads out of it."""
        root = self._client.project.resolve()
        try:
            place = (root / file).resolve()
        except (OSError, ValueError, RuntimeError):
            return None
        return str(place) if file and place.is_relative_to(root) and place != root else None

    def _connect(self, origin: object, name: str, declared: Declared) -> Registered:
        registry = Registry()
        self._opened.append(registry)
        connect_source(replace(self._client, registry=registry), origin, name, declared)
        return registry.get(name)


def _build_origin(path: str, origin: Origin) -> Any:
    if origin.get("provider") != "sqlite":
        return path
    named = {key: origin[key] for key in ("table", "query") if key in origin}
    return {"provider": "sqlite", "path": path, **named}


def _is_live(wanted: Input) -> bool:
    return wanted["content"].get("algorithm") == LIVE


def _has_wanted_content(registered: Registered, wanted: Input) -> bool:
    algorithm = wanted["content"].get("algorithm")
    if algorithm in (LIVE, HIDDEN):  # of which there is no digest: its name and its schema say which it is
        return bool(registered.content.algorithm == algorithm)
    sha256 = wanted["content"].get("sha256")
    return sha256 is None or registered.content.sha256 == sha256


def _is_alike(registered: Registered, wanted: Input) -> bool:
    """Tell whether a source with matching content also has the wanted schema and reading."""
    if registered.schema_revision != wanted["schema_revision"]:
        return False
    if registered.source_id == wanted["source_id"] or _is_live(wanted):
        return True
    if wanted["reading"] is None:
        return not wanted["source_id"]  # of which nothing is known; an identity would have told
    return registered.reading == wanted["reading"]


def _restore_name(registered: Registered, wanted: Input) -> Registered:
    """Rename a source to the name that it had when the result was made.

    Of values the digest is of what was read, so that the same values are that source however they come here.
    """
    name, reading = wanted["name"], registered.reading
    if (
        registered.content.algorithm == "sha256-arrow"
        and _has_wanted_content(registered, wanted)
        and wanted["reading"] is not None
    ):
        reading = wanted["reading"]
    if (registered.name, registered.reading) == (name, reading):
        return registered
    content = registered.content.sha256 or registered.content.algorithm
    identity = identify_source(name, registered.fields, content, reading)
    return replace(registered, name=name, reading=reading, source_id=identity)


_PLACES: Mapping[HowFound, str] = {
    "registered": "as it is registered",
    "given": "where it was said to be",
    "kept": "as the ledger kept it",
    "origin": "where it was read from",
    "service.toml": "where service.toml has it",
    "deployment": "as the deployment has it",
}


def _build_refused_error(
    wanted: Input, others: Sequence[tuple[Registered, HowFound]], faults: Sequence[ServiceError]
) -> RefusedError:
    name = wanted["name"]
    if others:
        met, how = others[0]
        if HIDDEN in (met.content.algorithm, wanted["content"].get("algorithm")):
            return RefusedError(
                "policy_denied",
                f"{describe_value(name)} was found {_PLACES[how]}, and the result was made under another list of"
                " fields. Replay it with a client under that list: `narrow` returns one.",
            )
        if _is_live(wanted):
            return RefusedError(
                "source_content_mismatch",
                f"{describe_value(name)} was found {_PLACES[how]}, with content {_shorten(met.content.sha256)};"
                " the result was"
                f" made from a live source. {_SAY}",
            )
        return RefusedError(
            "source_content_mismatch",
            f"{describe_value(name)} was found {_PLACES[how]}, and its content is {_shorten(met.content.sha256)};"
            " the result was"
            f" made from {_shorten(wanted['content'].get('sha256'))}. {_SAY}",
        )
    why = f" {faults[0].message}" if faults else ""
    if _is_live(wanted):
        return RefusedError(
            "source_missing",
            f"{describe_value(name)} is a live source, and was not found.{why} It is asked through its deployment:"
            " SERVICE_DEPLOYMENT_URL names it.",
        )
    sha256 = wanted["content"].get("sha256")
    content = "" if sha256 is None else f", of content {_shorten(sha256)},"
    return RefusedError("source_missing", f"{describe_value(name)}{content} was not found.{why} {_SAY}")


def _shorten(sha256: str | None) -> str:
    return "not hashed" if sha256 is None else sha256[:SHORT]
