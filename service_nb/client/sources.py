"""The sources of one client: what is registered, seen through the client's policy."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from service_nb.client import project as projects
from service_nb.client.live import Live, LiveSource, found
from service_nb.client.registry import Registered
from service_nb.client.results import ServiceSource
from service_nb.client.same_data import require_one_list, require_same_list
from service_nb.client.seen import Seen
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, PolicyDeniedError, SourceNotFoundError
from service_nb.query.policy import unnamed, untold
from service_nb.query.spec import MAX_NAME
from service_nb.readers.base import Declared, ReadOptions
from service_nb.readers.descriptor import deployment_error, find_type, is_kept
from service_nb.readers.detect import find_table_of, read
from service_nb.schema.source import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources(Seen):
    """What a client registers, and sees of it: whatever its policy denies is neither read, named nor described.

    A client that came out of `narrow` chooses no sources: what it has is what the client has that it came from.
    """

    limits: Limits
    is_narrowed: bool = False
    warned: set[str] = field(default_factory=set)  # of what is warned once

    def require_choice(self) -> None:
        """Raise `policy_denied_source` if this client chooses no sources. Whatever was named makes no difference."""
        if self.is_narrowed:
            raise PolicyDeniedError(
                "A narrowed client chooses no sources.",
                denied="source",
                hint="Do this with the client that it was narrowed from: what that one has, this one sees at once.",
            )

    def connect(
        self, origin: object, name: str | None, declared: Declared, *, defer: bool, keep: bool, anew: bool = False
    ) -> ServiceSource:
        """Register `origin`, or with None what the project keeps under `name`; see `Service.connect`."""
        said, expected = declared, None
        if origin is None:
            dataset = self._dataset(name)
            if dataset is not None:
                return self.reopen(str(name), dataset, declared, keep=keep)
            origin, declared, expected = self._kept(name, declared)
        elif self.policy.sources is None and self.policy.fields is None:  # else what is there is not told
            origin = find_table_of(origin, self.limits)
        declared.check()
        label = source_name(name, origin)
        self.policy.require_source(label)
        for column in said.columns():
            self.require_field(label, column)
        self._require_one_list(label, origin)
        options = declared.options(self.limits, defer=defer)
        if anew:
            self.require_whole(label)
        registered = self._register(label, origin, options, declared.aliases or {}, expected, anew=anew)
        if keep:
            descriptor = projects.describe_input(origin, declared.to_dict())
            projects.persist(self.project, label, descriptor, self.seen(registered).content.sha256)
        self.warn_of_fields(registered)
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
        self.warn_of_fields(registered)
        return self.described(registered)

    def reopen(self, label: str, dataset: str, declared: Declared, *, keep: bool, soon: bool = False) -> ServiceSource:
        """Register a source that the deployment has already; `soon`: a question waits for it."""
        _only_types_and_aliases(declared)
        if declared.types:
            raise InvalidIntentError(
                f"{label} is already a source of the deployment, which declares its types.",
                hint="Declare types when you connect a connector.",
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
        self.warn_of_fields(registered)
        return self.described(registered)

    def registered(self, label: str, reach: Callable[[], LiveSource], *, anew: bool = False) -> Registered:
        """Register what is reached under a name; with `anew` in the place of what had it."""

        def visible(field: str) -> bool:
            return self.policy.allows_field(label, field)

        with unnamed(self.policy, label, "registered"):
            return self.registry.add_live(reach(), visible=visible, limits=self.limits, anew=anew)

    def deployment(self, connector: Mapping[str, object] | None) -> Live:
        """Return where live sources come from, provided that a connector's descriptor is one."""
        kind = None if connector is None or is_kept(connector) else find_type(connector, any_key=True)
        if self.live is None:
            raise deployment_error(kind)
        return self.live

    def _dataset(self, name: object) -> str | None:
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
            hint = "Pass a path, a frame, rows, or the name of a stored source."
            raise InvalidIntentError("Nothing to connect was given.", hint=hint)
        if not isinstance(name, str):
            raise InvalidIntentError(f"The source's name is {shown(name)}; expected text.", path="name")
        self.policy.require_source(name)
        stored = projects.stored_descriptor(self.project, name)
        return _origin_of(stored), declared.over(stored), stored.get("sha256")

    def _register(
        self,
        label: str,
        origin: object,
        options: ReadOptions,
        aliases: Mapping[str, str],
        expected: str | None,
        *,
        anew: bool,
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
                anew=anew,
            )

    def _require_one_list(self, label: str, origin: object) -> None:
        """Raise `policy_denied_source` where the input has another name, of which the policy lists other fields."""
        if self.policy.fields is None:
            return
        require_one_list(self.policy, label, origin, [(each.name, each.origin) for each in self.registry])
        for name in self.kept_names():
            stored = projects.stored_descriptor(self.project, name)
            if "path" in stored:
                require_one_list(self.policy, label, origin, [(name, _origin_of(stored))])

    def warn_of_fields(self, registered: Registered) -> None:
        """Warn of listed fields that a source does not have: each is perhaps misspelt, and then hidden."""
        listed = (self.policy.fields or {}).get(registered.name, frozenset())
        for name in sorted(listed - {each.name for each in registered.fields}):
            warnings.warn(
                f"The policy lists the field {shown(name)} of {shown(registered.name)}, which has no such column.",
                stacklevel=4,
            )

    def warn_of_sources(self) -> None:
        """Warn, once, of lists of fields for sources that are not there, while others are there that no list names."""
        lists = self.policy.fields
        if not lists or (self.live is not None and not self.live.opens_by_name):
            return
        there = {each.name for each in self.allowed()}
        unlisted = sorted(there - lists.keys())
        for name in sorted(lists.keys() - there - self.warned):
            if unlisted and self.policy.allows_source(name):
                self.warned.add(name)
                warnings.warn(
                    f"The policy lists fields of {shown(name)}, and no source of that name is connected. It hides"
                    f" nothing of {shown(unlisted[0])}.",
                    stacklevel=4,
                )

    def require_lists(self) -> None:
        """Raise `invalid_intent` where the policy shows under one name what it hides under another; warn of gaps."""
        for one in self.allowed() if self.policy.fields is not None else ():
            self.warn_of_fields(one)
            try:
                known = [(each.name, each.origin) for each in self.allowed()]
                require_one_list(self.policy, one.name, one.origin, known)
                for other in self.allowed():
                    if other.content.sha256 is not None and other.content.sha256 == one.content.sha256:
                        require_same_list(self.policy, one.name, other.name)
            except PolicyDeniedError as error:
                raise InvalidIntentError(
                    f"{shown(one.name)} holds the same data as a source of which the policy lists other fields.",
                    hint="List the same fields of both, or leave one out of allowed_sources.",
                    path="policy.allowed_fields",
                ) from error

    def reached(self, connector: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """Have the deployment try a connector, and return ``{"success": …, "message": …}``."""
        return untold(self.policy, self.deployment(connector).test(connector, timeout_s))

    def created(self, connector: Mapping[str, object], name: str | None) -> dict[str, Any]:
        """Have the deployment keep a connector, and return its description."""
        if not isinstance(name, str | None):
            raise InvalidIntentError(f"The connector's name is {shown(name)}; expected text.", path="name")
        return self.deployment(connector).create(connector, name)

    def tried(self, origin: object) -> int:
        """Read `origin` without registering it and return its number of rows."""
        label = source_name(None, origin)
        self.policy.require_source(label)
        self._require_one_list(label, origin)
        with unnamed(self.policy, label, "read"):
            return read(origin, ReadOptions(limits=self.limits)).row_count

    def require_whole(self, name: object) -> None:
        """Raise unless this client may change a source: others may see more of it than this one."""
        self.require_choice()
        if not isinstance(name, str):
            raise InvalidIntentError(f"The source's name is {shown(name)}; expected text.", path="name")
        self.policy.require_source(name)
        if self.policy.restricts_fields(name):
            raise PolicyDeniedError(
                f"The policy hides fields of {shown(name)}, so this client cannot change it.",
                denied="source",
                met=name,
            )


def _origin_of(stored: Mapping[str, object]) -> Any:
    """Return the input that a descriptor of the project stands for."""
    if "provider" not in stored:
        return stored["path"]
    return {key: stored[key] for key in ("provider", "path", "table", "query") if key in stored}


def _only_types_and_aliases(declared: Declared) -> None:
    said = [key for key in declared.to_dict() if key not in ("types", "aliases")]
    if said:
        raise InvalidIntentError(
            f"`{said[0]}` does not apply to a live source.", path=said[0], expected="types, aliases"
        )


def source_name(name: str | None, origin: object) -> str:
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
