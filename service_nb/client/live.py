"""Live sources: what is reached through a deployment, seen from the client and from the deployment itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from service_nb.core.words import shown
from service_nb.engines.base import Engine
from service_nb.errors import ServiceError, SourceNotFoundError
from service_nb.query.names import similar
from service_nb.schema.source import Content, Field, Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSource:
    """A live source that can be asked: its columns as they are, and the engine that reaches it.

    On a client `fields` are those that the key may see, and the schema's revision is theirs. `mark` tells it from all
    that had or will have its name, also from itself with other columns.
    """

    name: str
    fields: tuple[Field, ...]
    row_count: int
    content: Content
    engine: Engine
    notes: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)  # the types that were declared, of columns that are seen here
    mark: str | None = None
    dataset: str | None = None  # what the deployment calls it; None: the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What a deployment has, as far as that is known at the moment; `fault` is why it is not known better."""

    sources: tuple[LiveSource, ...] = ()
    fault: ServiceError | None = None


class Live(Protocol):
    """Where live sources come from: on a client a deployment, in the deployment the connectors themselves."""

    def connect(
        self, name: str, connector: Mapping[str, object], *, types: Mapping[str, str], aliases: Mapping[str, str]
    ) -> LiveSource:
        """Make a source of a connector descriptor; the same again is the same source."""
        ...

    def open(self, name: str) -> LiveSource:
        """Return a source that was connected before, or raise `source_not_found`."""
        ...

    def named(self, name: str) -> LiveSource:
        """Return a source that a question names, as `open` does: in a few seconds, or not at all."""
        ...

    def refresh(self, name: str) -> LiveSource:
        """Describe a source as it is now: its columns, its rows, what is known of its database."""
        ...

    def forget(self, name: str) -> None:
        """Forget a source, and the connector that was made for it, or raise `source_not_found`."""
        ...

    def test(self, connector: Mapping[str, object], deadline_s: float) -> dict[str, Any]:
        """Try a connector: ``{"success": …, "message": …}``, by the deadline whatever the other side does."""
        ...

    def create(self, connector: Mapping[str, object], name: str | None) -> dict[str, Any]:
        """Keep a connector without a table or query, and return its description: ``{"id": …, "type": …, …}``."""
        ...

    def connectors(self) -> list[dict[str, Any]]:
        """Return the connectors that are kept, by age, without their secrets."""
        ...

    def forget_connector(self, connector_id: str) -> None:
        """Forget a connector with its secrets, or raise `connector_not_found`; `forbidden` while sources use it."""
        ...

    @property
    def opens_by_name(self) -> bool:
        """Whether a question that names a source may connect it: not where all that there is is registered."""
        ...

    def names(self) -> list[str]:
        """Return the names of the sources that were connected before and may be opened."""
        ...

    def offered(self, wait_s: float) -> Offered:
        """Return the sources that may be opened, as far as they are known by then; raises nothing."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


def found(name: str, names: Sequence[str]) -> str:
    """Return a name that the deployment has, or raise `source_not_found` with those that it is like."""
    if name in names:
        return name
    near = similar(name, names)
    raise SourceNotFoundError(
        f"Neither the project nor the deployment has a source named {shown(name)}.",
        hint=f"Did you mean {shown(near[0])}?" if near else "Pass the data to connect, and persist=True to save it.",
        met=name,
        did_you_mean=near or None,
    )
