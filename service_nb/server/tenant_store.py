"""Store the connectors and sources of a tenant, sealed whole, descriptors and all.

Not only passwords are sealed: addresses, accounts and queries are nobody else's business, and a secret that was written
where none belongs is sealed, too. A connector is bound to its tenant and its id; a source to its tenant, its id and its
connector: whoever can write the file, and has no master key, can neither exchange them nor point a source elsewhere.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import msgspec

from service_nb.core.canonical import write_canonical_bytes, write_canonical_text
from service_nb.core.digest import digest
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import (
    ConnectorNotFoundError,
    ForbiddenError,
    LimitExceededError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
)
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Content, Field
from service_nb.server.deployment_store import Store, read_clock
from service_nb.server.secrets import Vault

_SECRET = "secret"  # {"secret": text}: how a Secret stands in what is sealed  # noqa: S105
_MARK_DOMAIN = "service:live-source:v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConnector:
    """A connector; `of_source`: made for one source, and forgotten with it."""

    id: str
    name: str | None
    descriptor: Descriptor
    created: int
    of_source: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShape:
    """The columns and size of a source when it was connected: enough to plan before it is reached again."""

    fields: tuple[Field, ...]
    row_count: int
    content: Content
    engine: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSource:
    """A source: what is read of which connector, what was declared of it, and what it was."""

    name: str
    connector: StoredConnector
    shape: SourceShape
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
        """A digest that differs for each source that ever has its name, and with other columns or content."""
        columns = [[each.name, each.type, each.physical] for each in self.shape.fields]
        secret = self.seed or self.connector.id  # older stores have no seed
        told = [secret, self.table, self.query, dict(self.types), columns, self.shape.content.sha256]
        return digest(_MARK_DOMAIN, write_canonical_text(told))

    def describe_definition(self) -> dict[str, object]:
        """Describe its definition: two sources of one name are the same where these are equal."""
        mine = {"table": self.table, "query": self.query, "types": dict(self.types), "aliases": dict(self.aliases)}
        connector = _reveal_descriptor(self.connector.descriptor) if self.connector.of_source else self.connector.id
        return {**mine, "connector": connector}


def build_connector(descriptor: Descriptor, name: str | None, *, of_source: bool = False) -> StoredConnector:
    """Build a connector that is not stored yet. Its id is random, whatever request it comes of."""
    made = f"connector_{secrets.token_hex(8)}"
    return StoredConnector(id=made, name=name, descriptor=descriptor, created=read_clock(), of_source=of_source)


def _encode_source(made: StoredSource) -> bytes:
    """Encode a source as it is sealed: its name too, which is mostly that of a table."""
    shape = msgspec.to_builtins(made.shape)
    del shape["content"]["fields"]  # of what a policy hides, which is never stored
    definition = {key: getattr(made, key) for key in ("name", "table", "query", "types", "aliases", "seed")}
    return write_canonical_bytes({**msgspec.to_builtins(definition), "shape": shape})


def _decode_definition(plain: bytes) -> dict[str, object]:
    """Decode the definition of a stored source, without the shape that it was found to have."""
    told: dict[str, object] = json.loads(plain)
    del told["shape"]
    return told


def _reveal_descriptor(descriptor: Descriptor) -> dict[str, object]:
    """Write a descriptor as JSON, its secrets revealed: to be sealed or compared, and for nothing else."""
    values = {each.name: getattr(descriptor, each.name) for each in fields(Descriptor)}
    return {key: _reveal_secrets(value) for key, value in values.items() if value is not None}


def _reveal_secrets(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _reveal_secrets(each) for key, each in value.items()}
    return {_SECRET: value.reveal()} if isinstance(value, Secret) else value


def _decode_descriptor(told: Mapping[str, Any]) -> Descriptor:
    """Read a descriptor from its JSON, its secrets hidden."""
    options = {key: _decode_secret(value) for key, value in told["options"].items()}
    return Descriptor(
        **{key: _decode_secret(value) for key, value in told.items() if key != "options"}, options=options
    )


def _decode_secret(value: object) -> Any:
    return Secret(value[_SECRET]) if isinstance(value, dict) else value


def build_connector_binding(row: Mapping[str, str] | sqlite3.Row) -> tuple[str, ...]:
    """Build the texts that a connector's sealed bytes are bound to."""
    return "connector", row["tenant"], row["id"]


def _build_source_binding(row: Mapping[str, str] | sqlite3.Row) -> tuple[str, ...]:
    """Build the texts that a source's sealed bytes are bound to."""
    return "source", row["tenant"], row["id"], row["connector"]


def _build_version(row: sqlite3.Row) -> tuple[object, ...]:
    return row["connector"], row["id"], row["created"]


def _create_source_id() -> str:
    """Return the id of a new source: random, so that it tells nothing."""
    return f"source_{secrets.token_hex(8)}"


def reseal_all(connection: sqlite3.Connection, vault: Vault) -> int:
    """Seal everything with the key that seals now, in a transaction that is under way, and return how much it was."""
    _migrate_sources(connection, vault)
    count = 0
    for table, bound_of in (("connector", build_connector_binding), ("source", _build_source_binding)):
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  # words of ours
        for row in rows:
            bound = bound_of(row)
            key_id, sealed = vault.seal(vault.open(row["key_id"], row["sealed"], *bound), *bound)
            statement = f"UPDATE {table} SET key_id = ?, sealed = ? WHERE id = ?"  # noqa: S608  # as above
            connection.execute(statement, (key_id, sealed, row["id"]))
            count += 1
    return count


def migrate_sources(store: Store, vault: Vault) -> None:
    """Seal as this version does what an earlier one kept; all of it or nothing."""
    if store.select_one("SELECT 1 FROM source_1 LIMIT 1") is None:
        return
    with store.transaction() as connection:
        _migrate_sources(connection, vault)
    store.flush_log()  # the names that stood there are in the log as well


def _migrate_sources(connection: sqlite3.Connection, vault: Vault) -> None:
    """Take in the sources of the first version, whose names stood open and whose connectors were not bound to them."""
    for row in connection.execute("SELECT * FROM source_1 ORDER BY rowid").fetchall():
        told = json.loads(vault.open(row["key_id"], row["sealed"], "source", row["tenant"], row["name"]))
        made = {"id": _create_source_id(), "tenant": row["tenant"], "connector": row["connector"]}
        key_id, sealed = vault.seal(write_canonical_bytes({**told, "name": row["name"]}), *_build_source_binding(made))
        connection.execute(
            "INSERT INTO source (id, tenant, connector, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
            (*made.values(), key_id, sealed, row["created"]),
        )
    connection.execute("DELETE FROM source_1")


_ALL = "SELECT * FROM source WHERE tenant = ?"


class TenantStore:
    """The connectors and sources of one tenant. Nothing of another tenant is found, whatever the id."""

    def __init__(self, store: Store, vault: Vault, tenant: str, most: int) -> None:
        self._store, self._vault, self._tenant, self._most = store, vault, tenant, most
        self._ids: dict[str, str] = {}  # of sources by name, as they were seen last
        migrate_sources(store, vault)

    # --- connectors -----------------------------------------------------------------------------------------------

    def list_connectors(self) -> list[StoredConnector]:
        """List the connectors that were made as such, by age."""
        statement = "SELECT * FROM connector WHERE tenant = ? AND of_source = 0 ORDER BY created, rowid"
        return [self._decode_connector(row) for row in self._store.select(statement, (self._tenant,))]

    def find_connector(self, connector_id: str) -> StoredConnector:
        """Find one connector, or raise `connector_not_found`: in the same words whoever else may have it."""
        row = self._store.select_one(
            "SELECT * FROM connector WHERE id = ? AND tenant = ?", (connector_id, self._tenant)
        )
        if row is None or row["of_source"]:
            raise _build_no_connector(connector_id)
        return self._decode_connector(row)

    def add_connector(self, descriptor: Descriptor, name: str | None) -> StoredConnector:
        """Keep a connector; the same under the same name is the same."""
        for known in self.list_connectors():
            if (known.name, _reveal_descriptor(known.descriptor)) == (name, _reveal_descriptor(descriptor)):
                return known
        made = build_connector(descriptor, name)
        with self._store.transaction() as connection:
            self._insert_connector(connection, made)
        return made

    def delete_connector(self, connector_id: str) -> None:
        """Forget a connector."""
        self.find_connector(connector_id)
        try:
            statement = "DELETE FROM connector WHERE id = ? AND tenant = ? AND of_source = 0"
            removed = self._store.write(statement, (connector_id, self._tenant))
        except sqlite3.IntegrityError:
            raise ForbiddenError("Sources use this connector.", hint="Delete them first.") from None
        if not removed:
            raise _build_no_connector(connector_id)

    # --- sources --------------------------------------------------------------------------------------------------

    def list_sources(self) -> list[StoredSource]:
        """List the sources, by name."""
        return sorted(map(self._decode_source, self._store.select(_ALL, (self._tenant,))), key=lambda each: each.name)

    def list_names(self) -> list[str]:
        """List the names of the sources, sorted."""
        return sorted(self._map_by_name(self._store.select(_ALL, (self._tenant,))))

    def read_versions(self) -> dict[str, tuple[object, ...]]:
        """Read the versions of the sources by name: another source of the name has another."""
        rows = self._map_by_name(self._store.select(_ALL, (self._tenant,)))
        return {name: _build_version(row) for name, row in sorted(rows.items())}

    def read_version(self, name: str) -> tuple[object, ...] | None:
        """Read the version of one source; None if there is none."""
        row = self._find_named(name)
        return None if row is None else _build_version(row)

    def find_source(self, name: str) -> StoredSource:
        """Find one source, or raise `source_not_found`."""
        row = self._find_named(name)
        if row is None:
            raise _build_no_source(name)
        return self._decode_source(row)

    def find_same(self, made: StoredSource) -> StoredSource | None:
        """Return the source of that name if it is the same, None if there is none."""
        try:
            found = self.find_source(made.name)
        except SourceNotFoundError:
            return None
        if found.describe_definition() != made.describe_definition():
            raise SourceAlreadyRegisteredError(
                f"{describe_value(made.name)} is already registered with another connector, table, query or types.",
                hint="Use another name, or delete that source first.",
                met=made.name,
            )
        return found

    def add_source(self, made: StoredSource) -> StoredSource:
        """Keep a source, and the connector that was made for it; of two at once, one is kept and both get it."""
        row = {"id": _create_source_id(), "tenant": self._tenant, "connector": made.connector.id}
        try:
            with self._store.transaction() as connection:
                self._check_room(connection, "source")
                is_free = self._find_row(connection, made.name) is None
                if is_free:
                    if made.connector.of_source:
                        self._insert_connector(connection, made.connector)
                    sealed = self._vault.seal(_encode_source(made), *_build_source_binding(row))
                    connection.execute(
                        "INSERT INTO source (id, tenant, connector, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
                        (*row.values(), *sealed, read_clock()),
                    )
        except sqlite3.IntegrityError:  # the connector has gone meanwhile
            is_free = False
        if is_free:
            return made
        known = self.find_same(made)  # somebody was faster
        if known is None:
            raise _build_no_connector(made.connector.id)
        return known

    def update_shape(self, made: StoredSource) -> None:
        """Keep what a source is by now, provided that it is still the same table or query of the same connector."""
        with self._store.transaction() as connection:
            row = self._find_row(connection, made.name)
            if row is None or row["connector"] != made.connector.id:
                raise _build_no_source(made.name)
            if _decode_definition(self._open_sealed(row)) != _decode_definition(_encode_source(made)):
                raise _build_no_source(made.name)
            key_id, sealed = self._vault.seal(_encode_source(made), *_build_source_binding(row))
            # The moment grows at least by one: other servers of the store learn by it that the source is another.
            statement = "UPDATE source SET key_id = ?, sealed = ?, created = max(created + 1, ?) WHERE id = ?"
            connection.execute(statement, (key_id, sealed, read_clock(), row["id"]))

    def delete_source(self, name: str) -> None:
        """Forget a source, and the connector that was made for it. Raises `source_not_found`."""
        with self._store.transaction() as connection:
            row = self._find_row(connection, name)
            if row is None:
                raise _build_no_source(name)
            connection.execute("DELETE FROM source WHERE id = ?", (row["id"],))
            connection.execute(
                "DELETE FROM connector WHERE tenant = ? AND of_source = 1 "
                "AND id NOT IN (SELECT connector FROM source WHERE tenant = ?)",
                (self._tenant, self._tenant),
            )
        self._ids.pop(name, None)

    def _find_named(self, name: str) -> sqlite3.Row | None:
        row = self._store.select_one(f"{_ALL} AND id = ?", (self._tenant, self._ids.get(name, "")))
        if row is None:  # not seen before, or another by now
            row = self._map_by_name(self._store.select(_ALL, (self._tenant,))).get(name)
        return row

    def _find_row(self, connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
        """Return the row of a source within a transaction."""
        return self._map_by_name(connection.execute(_ALL, (self._tenant,)).fetchall()).get(name)

    def _map_by_name(self, rows: Iterable[sqlite3.Row]) -> dict[str, sqlite3.Row]:
        """Map rows by the names that are sealed in them."""
        named = {json.loads(self._open_sealed(row))["name"]: row for row in rows}
        self._ids = {name: row["id"] for name, row in named.items()}
        return named

    def _open_sealed(self, row: sqlite3.Row) -> bytes:
        return self._vault.open(row["key_id"], row["sealed"], *_build_source_binding(row))

    # --- sealed ---------------------------------------------------------------------------------------------------

    def _insert_connector(self, connection: sqlite3.Connection, made: StoredConnector) -> None:
        self._check_room(connection, "connector")
        row = {"id": made.id, "tenant": self._tenant}
        content = {"name": made.name, "descriptor": _reveal_descriptor(made.descriptor)}
        key_id, sealed = self._vault.seal(write_canonical_bytes(content), *build_connector_binding(row))
        connection.execute(
            "INSERT INTO connector (id, tenant, of_source, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
            (made.id, self._tenant, int(made.of_source), key_id, sealed, made.created),
        )

    def _check_room(self, connection: sqlite3.Connection, table: str) -> None:
        statement = f"SELECT count(*) FROM {table} WHERE tenant = ?"  # noqa: S608  # one of two words of ours
        (count,) = connection.execute(statement, (self._tenant,)).fetchone()
        if count >= self._most:
            raise LimitExceededError(
                f"There are {count:,} {table}s, the limit is {self._most:,}.",
                hint="Delete some, or raise connectors.most.",
                limit=self._most,
                value=count,
            )

    def _decode_connector(self, row: sqlite3.Row) -> StoredConnector:
        told = json.loads(self._vault.open(row["key_id"], row["sealed"], *build_connector_binding(row)))
        return StoredConnector(
            id=row["id"],
            name=told["name"],
            descriptor=_decode_descriptor(told["descriptor"]),
            created=row["created"],
            of_source=bool(row["of_source"]),
        )

    def _decode_source(self, row: sqlite3.Row) -> StoredSource:
        told = json.loads(self._open_sealed(row))
        connector = self._store.select_one(
            "SELECT * FROM connector WHERE id = ? AND tenant = ?", (row["connector"], self._tenant)
        )
        if connector is None:  # forgotten between two looks
            raise _build_no_source(told["name"])
        return StoredSource(
            **{
                **told,
                "connector": self._decode_connector(connector),
                "shape": msgspec.convert(told["shape"], SourceShape),
            }
        )


def _build_no_connector(connector_id: str) -> ConnectorNotFoundError:
    return ConnectorNotFoundError("There is no connector of that id.", met=connector_id[:100])


def _build_no_source(name: str) -> SourceNotFoundError:
    return SourceNotFoundError(f"No source is named {describe_value(name)}.", met=name)
