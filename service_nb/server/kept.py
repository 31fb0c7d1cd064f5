"""The connectors and sources of one tenant, as the store has them: sealed whole, descriptors and all.

Not only passwords are sealed: addresses, accounts and queries are nobody's business either, and whoever writes a secret
where none belongs finds it sealed too. What is sealed is bound to its tenant and its id, and opens nowhere else.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from service_nb.base.canonical import canonical_bytes, canonical_text
from service_nb.base.digest import digest
from service_nb.base.secret import Secret
from service_nb.base.words import shown
from service_nb.errors import (
    ConnectorNotFoundError,
    ForbiddenError,
    LimitExceededError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
)
from service_nb.records.connector import Descriptor
from service_nb.records.source import Content, Field
from service_nb.server.keys import iso
from service_nb.server.secrets import Vault
from service_nb.server.store import Store, now

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

    @property
    def descriptor(self) -> Descriptor:
        """The connector's descriptor with what is read of it."""
        kept = self.connector.descriptor
        return replace(kept, table=self.table or kept.table, query=self.query or kept.query)

    @property
    def mark(self) -> str:
        """What tells it from all that had or will have its name, also from itself with other columns or content."""
        columns = [[each.name, each.type, each.physical] for each in self.shape.fields]
        told = [self.connector.id, self.table, self.query, dict(self.types), columns, self.shape.content.sha256]
        return digest(_MARK_DOMAIN, canonical_text(told))

    def told(self) -> dict[str, Any]:
        """What makes it the same source as another of its name."""
        mine = {"table": self.table, "query": self.query, "types": dict(self.types), "aliases": dict(self.aliases)}
        connector = _plain(self.connector.descriptor) if self.connector.of_source else self.connector.id
        return {**mine, "connector": connector}


class Kept:
    """What the store has of one tenant. Nothing of another tenant is found, whatever the id."""

    def __init__(self, store: Store, vault: Vault, tenant: str, most: int) -> None:
        self._store, self._vault, self._tenant, self._most = store, vault, tenant, most

    # --- connectors -----------------------------------------------------------------------------------------------

    def connectors(self) -> list[KeptConnector]:
        """Return the connectors that were made as such, by age."""
        statement = "SELECT * FROM connector WHERE tenant = ? AND of_source = 0 ORDER BY created, rowid"
        return [self._connector(row) for row in self._store.rows(statement, (self._tenant,))]

    def connector(self, connector_id: str) -> KeptConnector:
        """Return one connector, or raise `connector_not_found`: in the same words whoever else may have it."""
        row = self._store.row("SELECT * FROM connector WHERE id = ? AND tenant = ?", (connector_id, self._tenant))
        if row is None or row["of_source"]:
            raise _no_connector(connector_id)
        return self._connector(row)

    def add_connector(self, descriptor: Descriptor, name: str | None) -> KeptConnector:
        """Keep a connector; the same under the same name is the same.

        Raises
        ------
        LimitExceededError [limit_exceeded]
            The tenant has as many as it may.
        """
        for known in self.connectors():
            if (known.name, _plain(known.descriptor)) == (name, _plain(descriptor)):
                return known
        made = new_connector(descriptor, name)
        with self._store.writing() as connection:
            self._insert(connection, made)
        return made

    def remove_connector(self, connector_id: str) -> None:
        """Forget a connector.

        Raises
        ------
        ConnectorNotFoundError [connector_not_found], ForbiddenError [forbidden]
            There is none; sources use it.
        """
        self.connector(connector_id)
        try:
            statement = "DELETE FROM connector WHERE id = ? AND tenant = ? AND of_source = 0"
            removed = self._store.write(statement, (connector_id, self._tenant))
        except sqlite3.IntegrityError:
            raise ForbiddenError("Sources use this connector.", hint="Forget them first.") from None
        if not removed:
            raise _no_connector(connector_id)

    # --- sources --------------------------------------------------------------------------------------------------

    def sources(self) -> list[KeptSource]:
        """Return the sources, by name."""
        return [self._source(row) for row in self._store.rows(f"{_SOURCES} ORDER BY source.name", (self._tenant,))]

    def names(self) -> list[str]:
        """Return the names of the sources, sorted."""
        rows = self._store.rows("SELECT name FROM source WHERE tenant = ? ORDER BY name", (self._tenant,))
        return [row["name"] for row in rows]

    def marks(self) -> dict[str, tuple[Any, ...]]:
        """Return what tells each source from another that was kept under its name before or after it."""
        statement = "SELECT name, connector, rowid, created FROM source WHERE tenant = ? ORDER BY name"
        return {row["name"]: tuple(row)[1:] for row in self._store.rows(statement, (self._tenant,))}

    def source(self, name: str) -> KeptSource:
        """Return one source, or raise `source_not_found`."""
        row = self._store.row(f"{_SOURCES} AND source.name = ?", (self._tenant, name))
        if row is None:
            raise _no_source(name)
        return self._source(row)

    def known(self, made: KeptSource) -> KeptSource | None:
        """Return the source of that name if it is the same, None if there is none.

        Raises
        ------
        SourceAlreadyRegisteredError [source_already_registered]
            The name is bound to something else.
        """
        try:
            found = self.source(made.name)
        except SourceNotFoundError:
            return None
        if found.told() != made.told():
            raise SourceAlreadyRegisteredError(
                f"{shown(made.name)} is already registered with another connector, table, query or types.",
                hint="Choose another name, or forget that source first.",
                met=made.name,
            )
        return found

    def add_source(self, made: KeptSource) -> KeptSource:
        """Keep a source, and the connector that was made for it; of two at once, one is kept and both get it."""
        try:
            with self._store.writing() as connection:
                self._room(connection, "source")
                if made.connector.of_source:
                    self._insert(connection, made.connector)
                key_id, sealed = self._vault.seal(_source_bytes(made), *self._bound("source", made.name))
                connection.execute(
                    "INSERT INTO source (tenant, name, connector, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
                    (self._tenant, made.name, made.connector.id, key_id, sealed, now()),
                )
        except sqlite3.IntegrityError:
            known = self.known(made)  # somebody was faster; or the connector has gone meanwhile
            if known is None:
                raise _no_connector(made.connector.id) from None
            return known
        return made

    def reshape(self, made: KeptSource) -> None:
        """Keep what a source is by now, provided that it is still the same table or query of the same connector.

        Raises
        ------
        SourceNotFoundError [source_not_found]
            It was forgotten meanwhile, perhaps for another of its name.
        """
        bound, which = self._bound("source", made.name), (self._tenant, made.name, made.connector.id)
        with self._store.writing() as connection:
            where = "WHERE tenant = ? AND name = ? AND connector = ?"
            row = connection.execute(f"SELECT key_id, sealed FROM source {where}", which).fetchone()  # noqa: S608
            if row is None or _read_of(self._vault.open(*row, *bound)) != _read_of(_source_bytes(made)):
                raise _no_source(made.name)
            key_id, sealed = self._vault.seal(_source_bytes(made), *bound)
            # The moment grows at least by one: other servers of the store learn by it that the source is another.
            statement = f"UPDATE source SET key_id = ?, sealed = ?, created = max(created + 1, ?) {where}"  # noqa: S608
            connection.execute(statement, (key_id, sealed, now(), *which))

    def remove_source(self, name: str) -> None:
        """Forget a source, and the connector that was made for it. Raises `source_not_found`."""
        with self._store.writing() as connection:
            removed = connection.execute("DELETE FROM source WHERE tenant = ? AND name = ?", (self._tenant, name))
            if not removed.rowcount:
                raise _no_source(name)
            connection.execute(
                "DELETE FROM connector WHERE tenant = ? AND of_source = 1 "
                "AND id NOT IN (SELECT connector FROM source WHERE tenant = ?)",
                (self._tenant, self._tenant),
            )

    # --- sealed ---------------------------------------------------------------------------------------------------

    def _insert(self, connection: sqlite3.Connection, made: KeptConnector) -> None:
        self._room(connection, "connector")
        plain = canonical_bytes({"name": made.name, "descriptor": _plain(made.descriptor)})
        key_id, sealed = self._vault.seal(plain, *self._bound("connector", made.id))
        connection.execute(
            "INSERT INTO connector (id, tenant, of_source, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
            (made.id, self._tenant, int(made.of_source), key_id, sealed, now()),
        )

    def _room(self, connection: sqlite3.Connection, table: str) -> None:
        statement = f"SELECT count(*) FROM {table} WHERE tenant = ?"  # noqa: S608  # one of two words of ours
        (count,) = connection.execute(statement, (self._tenant,)).fetchone()
        if count >= self._most:
            raise LimitExceededError(
                f"There are {count:,} {table}s, and no more than {self._most:,} are kept.",
                hint="Forget some, or raise connectors.most.",
                limit=self._most,
                value=count,
            )

    def _connector(self, row: sqlite3.Row) -> KeptConnector:
        plain = self._vault.open(row["key_id"], row["sealed"], *self._bound("connector", row["id"]))
        told = json.loads(plain)
        return KeptConnector(
            id=row["id"],
            name=told["name"],
            descriptor=_descriptor(told["descriptor"]),
            created=iso(row["created"]),
            of_source=bool(row["of_source"]),
        )

    def _source(self, row: sqlite3.Row) -> KeptSource:
        told = json.loads(self._vault.open(row["key_id"], row["sealed"], *self._bound("source", row["name"])))
        connector = self._store.row(
            "SELECT * FROM connector WHERE id = ? AND tenant = ?", (row["connector"], self._tenant)
        )
        if connector is None:  # forgotten between two looks
            raise _no_source(row["name"])
        shape = told.pop("shape")
        return KeptSource(
            name=row["name"],
            connector=self._connector(connector),
            shape=Shape(
                fields=tuple(Field(**each) for each in shape["fields"]),
                row_count=shape["row_count"],
                content=Content(**shape["content"]),
                engine=shape["engine"],
                notes=tuple(shape["notes"]),
            ),
            **told,
        )

    def _bound(self, kind: str, name: str) -> tuple[str, str, str]:
        return kind, self._tenant, name


_SOURCES = "SELECT source.* FROM source WHERE source.tenant = ?"


def new_connector(descriptor: Descriptor, name: str | None, *, of_source: bool = False) -> KeptConnector:
    """Return a connector that is not kept yet. Its id is random, whatever request it comes of."""
    made = f"connector_{secrets.token_hex(8)}"
    return KeptConnector(id=made, name=name, descriptor=descriptor, created=iso(now()), of_source=of_source)


def reseal(connection: sqlite3.Connection, vault: Vault) -> int:
    """Seal everything with the key that seals now, in a transaction that is under way, and return how much it was.

    Raises
    ------
    DeploymentUnavailableError [deployment_unavailable]
        Something does not open; then nothing was changed.
    """
    count = 0
    for table, column in (("connector", "id"), ("source", "name")):
        rows = connection.execute(f"SELECT rowid, * FROM {table}").fetchall()  # noqa: S608  # words of ours
        for row in rows:
            bound = (table, row["tenant"], row[column])
            key_id, sealed = vault.seal(vault.open(row["key_id"], row["sealed"], *bound), *bound)
            statement = f"UPDATE {table} SET key_id = ?, sealed = ? WHERE rowid = ?"  # noqa: S608  # as above
            connection.execute(statement, (key_id, sealed, row["rowid"]))
            count += 1
    return count


def _source_bytes(made: KeptSource) -> bytes:
    shape = made.shape
    content = {"algorithm": shape.content.algorithm, "sha256": shape.content.sha256, "size": shape.content.size}
    described = {
        "fields": [{"name": each.name, "type": each.type, "physical": each.physical} for each in shape.fields],
        "row_count": shape.row_count,
        "content": content,
        "engine": shape.engine,
        "notes": list(shape.notes),
    }
    told = {"table": made.table, "query": made.query, "types": dict(made.types), "aliases": dict(made.aliases)}
    return canonical_bytes({**told, "shape": described})


def _read_of(plain: bytes) -> dict[str, Any]:
    """Return what of a kept source says what is read; the rest is what it was found to be."""
    told: dict[str, Any] = json.loads(plain)
    del told["shape"]
    return told


def _plain(descriptor: Descriptor) -> dict[str, Any]:
    """Return a descriptor as JSON, its secrets revealed: to be sealed or compared, and for nothing else."""
    told = {key: getattr(descriptor, key) for key in _DESCRIPTOR} | {"options": dict(descriptor.options)}
    told["options"] = {key: _revealed(value) for key, value in told["options"].items()}
    return {key: _revealed(value) for key, value in told.items() if value is not None}


def _revealed(value: Any) -> Any:
    return {_SECRET: value.reveal()} if isinstance(value, Secret) else value


def _descriptor(told: Mapping[str, Any]) -> Descriptor:
    options = {key: _hidden(value) for key, value in told["options"].items()}
    return Descriptor(**{key: _hidden(value) for key, value in told.items() if key != "options"}, options=options)


def _hidden(value: Any) -> Any:
    return Secret(value[_SECRET]) if isinstance(value, dict) else value


def _no_connector(connector_id: str) -> ConnectorNotFoundError:
    return ConnectorNotFoundError("There is no connector of that id.", met=connector_id[:100])


def _no_source(name: str) -> SourceNotFoundError:
    return SourceNotFoundError(f"No source is named {shown(name)}.", met=name)
