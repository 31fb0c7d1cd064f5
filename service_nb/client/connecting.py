"""The part of a client that speaks of sources: files, frames and databases here, and live ones at a deployment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.client.live import Live
from service_nb.client.recalling import Recalling
from service_nb.client.recording import Recorder
from service_nb.client.results import ServiceSource
from service_nb.client.sources import Sources
from service_nb.client.upkeep import Unconnected, Upkeep
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.readers.base import Declared
from service_nb.readers.descriptor import build_input, is_live, read_descriptor

Connector = Mapping[str, Any] | str | os.PathLike[str]  # a descriptor, or a file that holds one
TEST_S = 15.0  # that trying a connector may take


class Connecting(Recalling):
    """What `Service` does with sources, under its own policy."""

    def __init__(self, sources: Sources, recorder: Recorder, live: Live | None) -> None:
        super().__init__(sources, recorder)
        self._upkeep = Upkeep(sources)
        self._live = live

    def connect(
        self,
        source: object = None,
        *,
        name: str | None = None,
        dataset_name: str | None = None,
        connector: Connector | None = None,
        persist: bool = False,
        replace: bool = False,
        aliases: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
        sheet: str | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        nulls: Sequence[str] | None = None,
        content: str = "now",
    ) -> ServiceSource:
        """Register a source and return its description. The source never changes afterwards, unless it is replaced.

        How it is read is part of what it is: the same file with other `types`, `nulls`, `delimiter`, `encoding` or
        `sheet` is another source, which takes another name, or `replace=True`.

        Parameters
        ----------
        source : path, frame, list of dicts, dict, or None
            A file (CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow IPC), a folder or glob of Parquet, rows, ``{"records":
            […]}``, ``{"provider": "sqlite", "path": …, "table" | "query": …}``, or any frame that speaks Arrow. None
            with a `name` reconnects what `persist` wrote to the project's `service.toml`, or else the source that the
            deployment has under it.
        name : str, optional
            Defaults to a file's name without its ending. `dataset_name` is the same for live sources.
        connector : dict or path, optional
            A live source's descriptor, ``{"type": "postgres", "host": …, "table" | "query": …, "password":
            "env:NAME"}``, or a TOML or JSON file that holds one; needs a deployment, which looks the secrets up that
            it refers to. Of a live source only `aliases` and `types` may be said beside it. Its data may change at
            any time: an answer tells what they were when it was asked.
        replace : bool
            Take the place of the source that has this name, if it is another. Not of live sources: see `refresh`.
        aliases : dict, optional
            Other names for columns: ``{"turnover": "revenue"}``.
        types : dict, optional
            Declared types that replace inference: ``{"zip": "string", "amount": "decimal(12,2)"}``.
        nulls : list of str, optional
            What stands for null in delimited text beside the empty cell: ``["NA"]``.
        content : "now" or "deferred"
            When to hash large Parquet: at once, or in the background; then `content` has a digest only later.

        Raises
        ------
        SourceAlreadyRegisteredError, SourceMalformedError, SourceUnreadableError, UnsupportedSourceError,
        DeploymentRequiredError, LimitExceededError, PolicyDeniedError, InvalidIntentError; of live sources also
        ConnectorError, SecretUnavailableError, UnauthenticatedError, ForbiddenError, DeploymentUnavailableError
        """
        self._sources.require_choice()
        if content not in ("now", "deferred"):
            raise InvalidIntentError(f"`content` must be 'now' or 'deferred', not {shown(content)}.", path="content")
        name, described = name if name is not None else dataset_name, read_descriptor(connector)
        said = Declared(types=types, sheet=sheet, delimiter=delimiter, encoding=encoding, nulls=nulls, aliases=aliases)
        if described is not None and self._live is not None and is_live(described):
            if replace:
                raise InvalidIntentError(
                    "replace means nothing for a live source: `refresh` describes it as it is now.", path="replace"
                )
            return self._sources.connect_live(described, name, said, keep=persist)
        given = source if described is None else build_input(described)
        return self._sources.connect(given, name, said, defer=content == "deferred", keep=persist, anew=replace)

    def test_connector(self, descriptor: Connector) -> dict[str, Any]:
        """Try a connector's descriptor and return ``{"success": …, "message": …}``; nothing is registered or kept.

        A live one is tried by the deployment; the answer comes within `TEST_S` seconds, whatever the other side does.
        """
        try:
            self._sources.require_choice()
            described = read_descriptor(descriptor)
            if self._live is not None and is_live(described):
                return self._sources.reached(described, TEST_S)
            rows = self._sources.tried(build_input(described))
        except ServiceError as error:
            return {"success": False, "message": f"{error.code}: {error}"}
        return {"success": True, "message": f"{rows:,} rows can be read."}

    def create_connector(self, descriptor: Connector, *, name: str | None = None) -> dict[str, Any]:
        """Have the deployment keep a connector without a table or query, for sources to be made of.

        Returns
        -------
        dict
            ``{"id": …, "type": …, …}``: what it is, without its secrets.

        Raises
        ------
        DeploymentRequiredError [deployment_required], InvalidIntentError [invalid_intent], UnsupportedSourceError
        [unsupported_source], ForbiddenError [forbidden], UnauthenticatedError [unauthenticated],
        DeploymentUnavailableError [deployment_unavailable]
        """
        self._sources.require_choice()
        return self._sources.created(read_descriptor(descriptor), name)

    def disconnect(self, name: str, *, persist: bool = False) -> None:
        """Let go of a source: its name is free again, and nothing that was recorded of it is lost.

        Parameters
        ----------
        persist : bool
            Take it out of the project's `service.toml` too. What a deployment has of it stays there: `forget`.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            It is not registered here, and not kept.
        PolicyDeniedError [policy_denied_source]
            The policy does not allow it, or hides some of its fields: then it is not this client's to let go.
        """
        self._upkeep.disconnect(name, persist=persist)

    def forget(self, name: str) -> list[str]:
        """Forget a source everywhere: here, in `service.toml`, and a live one at the deployment with its secrets.

        Nobody of the tenant can ask it from then on. What was recorded of it stays, in every ledger, and verifies.

        Returns
        -------
        list of str
            Where it was: ``"session"``, ``"service.toml"``, ``"deployment"``.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            It is nowhere.
        ForbiddenError [forbidden], PolicyDeniedError [policy_denied_source], DeploymentRequiredError
        [deployment_required], UnauthenticatedError, DeploymentUnavailableError
            Then it is where it was.
        """
        return self._upkeep.forget(name)

    def refresh(self, name: str) -> ServiceSource:
        """Have a live source described as it is now: other columns, another content, what is known of its database.

        Plans that were made for other columns are refused from then on; cards and receipts of before stay what they
        were. A key that may not make sources takes what the deployment knows by now.

        Raises
        ------
        SourceNotFoundError [source_not_found], InvalidIntentError [invalid_intent]
            There is no such source; it is a file, which never changes.
        ConnectorError, ForbiddenError, UnauthenticatedError, DeploymentUnavailableError, DeploymentRequiredError
        """
        return self._upkeep.refresh(name)

    def connectors(self) -> list[dict[str, Any]]:
        """Return the connectors that `create_connector` has the deployment keep, by age, without their secrets."""
        self._sources.require_choice()
        return self._sources.deployment(None).connectors()

    def forget_connector(self, connector_id: str) -> None:
        """Have the deployment forget a connector and its secrets.

        Raises
        ------
        ConnectorNotFoundError [connector_not_found], ForbiddenError [forbidden]
            There is none of that id; sources use it, or the key may not.
        """
        self._sources.require_choice()
        self._sources.deployment(None).forget_connector(connector_id)

    def unconnected(self, *, wait: float = TEST_S) -> Unconnected:
        """Return what a name alone would connect: sources of the deployment and of `service.toml` that are not yet.

        Never fails where the deployment does not answer within `wait` seconds: `fault` says why it is not known.
        """
        return self._upkeep.unconnected(wait)

    def live_sources(self) -> list[str]:
        """Return the names of the deployment's sources that the policy allows: `connect(name=…)` registers one.

        Without a deployment there are none, nor for a narrowed client, which connects nothing.
        """
        return [] if self._sources.is_narrowed else self._sources.live_names()

    def sources(self) -> list[ServiceSource]:
        """Return the registered sources that the policy allows, by name."""
        return [self._sources.described(registered) for registered in self._sources.allowed()]

    def source(self, name: str) -> ServiceSource:
        """Return one registered source."""
        return self._sources.described(self._sources.get(name))

    def stored_sources(self) -> list[str]:
        """Return the names in the project's `service.toml` that the policy allows; none for a narrowed client."""
        return [] if self._sources.is_narrowed else self._sources.kept_names()

    def values(self, source_name: str, field: str) -> tuple[str, ...]:
        """Return the values of a low-cardinality string column; empty for every other, and for what is not allowed."""
        return self._sources.values(source_name, field)
