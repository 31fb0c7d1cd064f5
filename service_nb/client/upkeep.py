"""What becomes of sources after they were connected, or before: refreshed, let go, forgotten, opened by a question."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from service_nb.client import project as projects
from service_nb.client.live import Live, LiveSource, Offered
from service_nb.client.registry import Registered
from service_nb.client.results import ServiceSource
from service_nb.client.sources import Sources
from service_nb.core.words import shown
from service_nb.errors import ForbiddenError, InvalidIntentError, ServiceError, SourceNotFoundError
from service_nb.query.names import similar
from service_nb.query.spec import MAX_NAME
from service_nb.readers.base import Declared
from service_nb.schema.source import Field

Place = Literal["service.toml", "deployment"]
SIMILAR_S = 5.0  # that a refusal waits to know better names


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A source that a name alone would connect. Columns are known of what the deployment has, and of nothing else."""

    name: str
    place: Place
    fields: tuple[Field, ...] = ()
    row_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconnected:
    """What is not connected, by name; `fault` is why a deployment is not, or not well, known."""

    sources: tuple[Offer, ...] = ()
    fault: ServiceError | None = None


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What `Service` does with sources that are there already; its methods are documented there."""

    sources: Sources

    # --- letting go ---------------------------------------------------------------------------------------------------

    def disconnect(self, name: str, *, persist: bool) -> None:
        """Let go of a source here, and perhaps in the project."""
        self.sources.require_whole(name)
        is_kept = self._stored(name) is not None
        if self._registered(name) is None and not (persist and is_kept):
            raise SourceNotFoundError(
                f"{shown(name)} is not connected.",
                hint="It is in service.toml; pass persist=True to remove it there." if is_kept else None,
                met=name,
            )
        if persist and is_kept:
            projects.forget(self.sources.project, name)
        self.sources.registry.remove(name)

    def forget(self, name: str) -> list[str]:
        """Forget a source wherever it is, the deployment first: if that fails, it stays where it was."""
        self.sources.require_whole(name)
        registered, stored = self._registered(name), self._stored(name)
        dataset = self._dataset(name, registered, stored)
        places = []
        is_known = registered is not None or stored is not None
        if dataset is not None and self._forgotten_there(dataset, is_known=is_known):
            places.append("deployment")
        # A file of the same name as a live source is another one.
        if stored is not None and (stored.get(projects.DEPLOYMENT) is True) == (dataset is not None):
            projects.forget(self.sources.project, name)
            places.insert(0, "service.toml")
        if registered is not None:
            self.sources.registry.remove(name)
            places.insert(0, "session")
        return places

    def _forgotten_there(self, dataset: str, *, is_known: bool) -> bool:
        """Have the deployment forget a source; one that was forgotten there before may still be known here."""
        try:
            self.sources.deployment(None).forget(dataset)
        except SourceNotFoundError:
            if not is_known:
                raise
            return False
        return True

    # --- describing anew ----------------------------------------------------------------------------------------------

    def refresh(self, name: str) -> ServiceSource:
        """Have a live source described as it is now, and register it so."""
        self.sources.require_whole(name)
        registered = self._registered(name)
        dataset = self._dataset(name, registered, self._stored(name))
        if dataset is None:
            raise InvalidIntentError(
                f"{shown(name)} is not a live source: its data never changes.",
                hint="Disconnect it, and connect the new content.",
                path="name",
                met=name,
            )
        found = self._refreshed(dataset, registered)
        columns = [field.name for field in found.fields]
        aliases = found.aliases if registered is None else registered.aliases
        fitting = {alias: told for alias, told in aliases.items() if told in columns and alias not in columns}
        made = replace(found, name=name, aliases=fitting)
        return self.sources.described(self.sources.registered(name, lambda: made, anew=True))

    def _refreshed(self, dataset: str, registered: Registered | None) -> LiveSource:
        live = self.sources.deployment(None)
        try:
            return live.refresh(dataset)
        except ForbiddenError:
            known = live.open(dataset)
            if registered is None or known.mark == registered.mark:
                raise
            return known  # somebody who may has refreshed it

    # --- what is not connected ----------------------------------------------------------------------------------------

    def unconnected(self, wait_s: float) -> Unconnected:
        """Return what a name alone would connect, as far as it is known within that time."""
        if self.sources.is_narrowed:
            return Unconnected()
        here = {registered.name for registered in self.sources.allowed()}
        live = self.sources.live
        told = Offered() if live is None else live.offered(wait_s)
        found = {name: Offer(name=name, place="service.toml") for name in self.sources.kept_names()}
        for source in told.sources:
            if self._is_fit(source.name) and (source.name not in found or self._is_kept(source.name)):
                found[source.name] = self._offer(source)
        offers = tuple(found[name] for name in sorted(found) if name not in here)
        return Unconnected(sources=offers, fault=told.fault)

    def _is_kept(self, name: str) -> bool:
        """Whether `service.toml` keeps, under its name, a source of the deployment."""
        return self._dataset(name, None, self._stored(name)) == name

    def _offer(self, source: LiveSource) -> Offer:
        policy = self.sources.policy
        fields = tuple(field for field in source.fields if policy.allows_field(source.name, field.name))
        return Offer(name=source.name, place="deployment", fields=fields, row_count=source.row_count)

    def connect_named(self, name: str) -> None:
        """Connect what a question names and nothing here has, where the deployment has a source of exactly that name.

        That is no guess: whoever asks could have connected it by the same name in the line before. A file that the
        project keeps under the name is another source: then nothing is connected, and the question refused as ever.
        """
        live = self._opening()
        if live is None or not self._is_fit(name) or self._registered(name) is not None:
            return
        dataset = self._dataset(name, None, self._stored(name))
        if dataset is None:
            return
        with suppress(SourceNotFoundError):  # the question names nothing: to say so is for who resolves it
            self.sources.reopen(name, dataset, Declared(), keep=False, soon=True)

    def similar_names(self, name: str) -> list[str]:
        """Return what the deployment has under similar names, of what is not connected; of no other is it asked."""
        live = self._opening()
        if live is None or self._registered(name) is not None:
            return []
        names = {source.name for source in live.offered(SIMILAR_S).sources if self._is_fit(source.name)}
        return similar(name, sorted(each for each in names if self._registered(each) is None))

    def _opening(self) -> Live | None:
        """Return what opens sources by their names, if this client may have it open some."""
        live = self.sources.live
        return None if live is None or self.sources.is_narrowed or not live.opens_by_name else live

    # --- one name -----------------------------------------------------------------------------------------------------

    def _dataset(self, name: str, registered: Registered | None, stored: Mapping[str, Any] | None) -> str | None:
        """Return what the deployment calls the source that a name stands for here; None of one that is read here."""
        if registered is not None:
            return registered.dataset
        if stored is not None:
            return stored["dataset"] if stored.get(projects.DEPLOYMENT) is True else None
        if self.sources.live is None:
            raise SourceNotFoundError(f"No source is named {shown(name)}.", met=name)
        return name

    def _is_fit(self, name: str) -> bool:
        return 0 < len(name) <= MAX_NAME and name.isprintable() and self.sources.policy.allows_source(name)

    def _registered(self, name: str) -> Registered | None:
        return next((each for each in self.sources.registry if each.name == name), None)

    def _stored(self, name: str) -> Mapping[str, Any] | None:
        try:
            return projects.stored_descriptor(self.sources.project, name)
        except SourceNotFoundError:
            return None
