"""What is kept of connectors and sources, and the form in which it is sealed."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from service_nb.core.canonical import canonical_bytes, canonical_text
from service_nb.core.digest import digest
from service_nb.core.secret import Secret
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Content, Field
from service_nb.server.keys import iso
from service_nb.server.store import now

_SECRET = "secret"  # {"secret": text}: how a Secret stands in what is sealed  # noqa: S105
_MARK_DOMAIN = "service:live-source:v1"
_DESCRIPTOR = tuple(each.name for each in fields(Descriptor) if each.name != "options")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptConnector:
    """A connector; `of_source`: made for one source, and forgotten with it."""

    id: str
    name: str | None
    descriptor: Descriptor
    created: str
    of_source: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a source was when it was connected: enough to plan questions before it is reached again."""

    fields: tuple[Field, ...]
    row_count: int
    content: Content
    engine: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSource:
    """A source: what is read of which connector, what was declared of it, and what it was."""

    name: str
    connector: KeptConnector
    shape: Shape
    table: str | None = None
    query: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    seed: str = ""  # random, and told to nobody: no mark can be computed from what somebody guesses

    @property
    def descriptor(self) -> Descriptor:
        """The connector's descriptor with what is read of it."""
        kept = self.connector.descriptor
        return replace(kept, table=self.table or kept.table, query=self.query or kept.query)

    @property
    def mark(self) -> str:
        """What tells it from all that had or will have its name, also from itself with other columns or content."""
        columns = [[each.name, each.type, each.physical] for each in self.shape.fields]
        secret = self.seed or self.connector.id  # older stores have no seed
        told = [secret, self.table, self.query, dict(self.types), columns, self.shape.content.sha256]
        return digest(_MARK_DOMAIN, canonical_text(told))

    def told(self) -> dict[str, Any]:
        """What makes it the same source as another of its name."""
        mine = {"table": self.table, "query": self.query, "types": dict(self.types), "aliases": dict(self.aliases)}
        connector = plain(self.connector.descriptor) if self.connector.of_source else self.connector.id
        return {**mine, "connector": connector}


def new_connector(descriptor: Descriptor, name: str | None, *, of_source: bool = False) -> KeptConnector:
    """Return a connector that is not kept yet. Its id is random, whatever request it comes of."""
    made = f"connector_{secrets.token_hex(8)}"
    return KeptConnector(id=made, name=name, descriptor=descriptor, created=iso(now()), of_source=of_source)


def new_seed() -> str:
    """Return what makes the marks of a new source."""
    return secrets.token_hex(16)


def connector_bytes(made: KeptConnector) -> bytes:
    """Return what of a connector is sealed."""
    return canonical_bytes({"name": made.name, "descriptor": plain(made.descriptor)})


def source_bytes(made: KeptSource) -> bytes:
    """Return what of a source is sealed: its name too, which is mostly that of a table."""
    shape = made.shape
    content = {"algorithm": shape.content.algorithm, "sha256": shape.content.sha256, "size": shape.content.size}
    described = {
        "fields": [{"name": each.name, "type": each.type, "physical": each.physical} for each in shape.fields],
        "row_count": shape.row_count,
        "content": content,
        "engine": shape.engine,
        "notes": list(shape.notes),
    }
    told = {
        "name": made.name,
        "table": made.table,
        "query": made.query,
        "types": dict(made.types),
        "aliases": dict(made.aliases),
        "seed": made.seed,
    }
    return canonical_bytes({**told, "shape": described})


def read_of(plain: bytes) -> dict[str, Any]:
    """Return what of a kept source says what is read; the rest is what it was found to be."""
    told: dict[str, Any] = json.loads(plain)
    del told["shape"]
    return told


def shape_from(told: Mapping[str, Any]) -> Shape:
    """Return what a source was, from its JSON."""
    return Shape(
        fields=tuple(Field(**each) for each in told["fields"]),
        row_count=told["row_count"],
        content=Content(**told["content"]),
        engine=told["engine"],
        notes=tuple(told["notes"]),
    )


def plain(descriptor: Descriptor) -> dict[str, Any]:
    """Return a descriptor as JSON, its secrets revealed: to be sealed or compared, and for nothing else."""
    told = {key: getattr(descriptor, key) for key in _DESCRIPTOR} | {"options": dict(descriptor.options)}
    told["options"] = {key: _revealed(value) for key, value in told["options"].items()}
    return {key: _revealed(value) for key, value in told.items() if value is not None}


def _revealed(value: Any) -> Any:
    return {_SECRET: value.reveal()} if isinstance(value, Secret) else value


def descriptor_from(told: Mapping[str, Any]) -> Descriptor:
    """Return a descriptor from its JSON, its secrets hidden."""
    options = {key: _hidden(value) for key, value in told["options"].items()}
    return Descriptor(**{key: _hidden(value) for key, value in told.items() if key != "options"}, options=options)


def _hidden(value: Any) -> Any:
    return Secret(value[_SECRET]) if isinstance(value, dict) else value
