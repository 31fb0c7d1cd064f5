"""The connectors and sources of one tenant, as the store has them: sealed whole, descriptors and all.

Not only passwords are sealed: addresses, accounts and queries are nobody's business either, and whoever writes a secret
where none belongs finds it sealed too. What is sealed is bound to its tenant and its id, and opens nowhere else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from service_nb.core.words import shown
from service_nb.errors import (
    ConnectorNotFoundError,
    ForbiddenError,
    LimitExceededError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
)
from service_nb.schema.connector import Descriptor
from service_nb.server.keeping import (
    KeptConnector,
    KeptSource,
    connector_bytes,
    descriptor_from,
    new_connector,
    plain,
    read_of,
    shape_from,
    source_bytes,
)
from service_nb.server.keys import iso
from service_nb.server.sealing import bound_connector, bound_source, bring_over, new_source_id
from service_nb.server.secrets import Vault
from service_nb.server.store import Store, now

_ALL = "SELECT * FROM source WHERE tenant = ?"


class _TakenError(Exception):
    """The name has a source meanwhile."""


class Kept:
    """What the store has of one tenant. Nothing of another tenant is found, whatever the id."""

    def __init__(self, store: Store, vault: Vault, tenant: str, most: int) -> None:
        self._store, self._vault, self._tenant, self._most = store, vault, tenant, most
        self._ids: dict[str, str] = {}  # of sources by name, as they were seen last
        bring_over(store, vault)

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
            if (known.name, plain(known.descriptor)) == (name, plain(descriptor)):
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
            raise ForbiddenError("Sources use this connector.", hint="Delete them first.") from None
        if not removed:
            raise _no_connector(connector_id)

    # --- sources --------------------------------------------------------------------------------------------------

    def sources(self) -> list[KeptSource]:
        """Return the sources, by name."""
        return sorted(map(self._source, self._store.rows(_ALL, (self._tenant,))), key=lambda each: each.name)

    def names(self) -> list[str]:
        """Return the names of the sources, sorted."""
        return sorted(self._by_name(self._store.rows(_ALL, (self._tenant,))))

    def marks(self) -> dict[str, tuple[Any, ...]]:
        """Return what tells each source from another that was kept under its name before or after it."""
        rows = self._by_name(self._store.rows(_ALL, (self._tenant,)))
        return {name: (row["connector"], row["id"], row["created"]) for name, row in sorted(rows.items())}

    def source(self, name: str) -> KeptSource:
        """Return one source, or raise `source_not_found`."""
        row = self._store.row(f"{_ALL} AND id = ?", (self._tenant, self._ids.get(name, "")))
        if row is None:  # not seen before, or another by now
            row = self._by_name(self._store.rows(_ALL, (self._tenant,))).get(name)
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
                hint="Use another name, or delete that source first.",
                met=made.name,
            )
        return found

    def add_source(self, made: KeptSource) -> KeptSource:
        """Keep a source, and the connector that was made for it; of two at once, one is kept and both get it."""
        row = {"id": new_source_id(), "tenant": self._tenant, "connector": made.connector.id}
        try:
            with self._store.writing() as connection:
                self._room(connection, "source")
                self._require_free(connection, made.name)
                if made.connector.of_source:
                    self._insert(connection, made.connector)
                sealed = self._vault.seal(source_bytes(made), *bound_source(row))
                connection.execute(
                    "INSERT INTO source (id, tenant, connector, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
                    (*row.values(), *sealed, now()),
                )
        except (_TakenError, sqlite3.IntegrityError):
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
        with self._store.writing() as connection:
            row = self._find(connection, made.name)
            if row is None or row["connector"] != made.connector.id:
                raise _no_source(made.name)
            if read_of(self._opened(row)) != read_of(source_bytes(made)):
                raise _no_source(made.name)
            key_id, sealed = self._vault.seal(source_bytes(made), *bound_source(row))
            # The moment grows at least by one: other servers of the store learn by it that the source is another.
            statement = "UPDATE source SET key_id = ?, sealed = ?, created = max(created + 1, ?) WHERE id = ?"
            connection.execute(statement, (key_id, sealed, now(), row["id"]))

    def remove_source(self, name: str) -> None:
        """Forget a source, and the connector that was made for it. Raises `source_not_found`."""
        with self._store.writing() as connection:
            row = self._find(connection, name)
            if row is None:
                raise _no_source(name)
            connection.execute("DELETE FROM source WHERE id = ?", (row["id"],))
            connection.execute(
                "DELETE FROM connector WHERE tenant = ? AND of_source = 1 "
                "AND id NOT IN (SELECT connector FROM source WHERE tenant = ?)",
                (self._tenant, self._tenant),
            )
        self._ids.pop(name, None)

    def _require_free(self, connection: sqlite3.Connection, name: str) -> None:
        if self._find(connection, name) is not None:
            raise _TakenError

    def _find(self, connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
        """Return the row of a source within a transaction."""
        return self._by_name(connection.execute(_ALL, (self._tenant,)).fetchall()).get(name)

    def _by_name(self, rows: Iterable[sqlite3.Row]) -> dict[str, sqlite3.Row]:
        """Return rows by the names that are sealed in them."""
        named = {json.loads(self._opened(row))["name"]: row for row in rows}
        self._ids = {name: row["id"] for name, row in named.items()}
        return named

    def _opened(self, row: sqlite3.Row) -> bytes:
        return self._vault.open(row["key_id"], row["sealed"], *bound_source(row))

    # --- sealed ---------------------------------------------------------------------------------------------------

    def _insert(self, connection: sqlite3.Connection, made: KeptConnector) -> None:
        self._room(connection, "connector")
        row = {"id": made.id, "tenant": self._tenant}
        key_id, sealed = self._vault.seal(connector_bytes(made), *bound_connector(row))
        connection.execute(
            "INSERT INTO connector (id, tenant, of_source, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
            (made.id, self._tenant, int(made.of_source), key_id, sealed, now()),
        )

    def _room(self, connection: sqlite3.Connection, table: str) -> None:
        statement = f"SELECT count(*) FROM {table} WHERE tenant = ?"  # noqa: S608  # one of two words of ours
        (count,) = connection.execute(statement, (self._tenant,)).fetchone()
        if count >= self._most:
            raise LimitExceededError(
                f"There are {count:,} {table}s, the limit is {self._most:,}.",
                hint="Delete some, or raise connectors.most.",
                limit=self._most,
                value=count,
            )

    def _connector(self, row: sqlite3.Row) -> KeptConnector:
        told = json.loads(self._vault.open(row["key_id"], row["sealed"], *bound_connector(row)))
        return KeptConnector(
            id=row["id"],
            name=told["name"],
            descriptor=descriptor_from(told["descriptor"]),
            created=iso(row["created"]),
            of_source=bool(row["of_source"]),
        )

    def _source(self, row: sqlite3.Row) -> KeptSource:
        told = json.loads(self._opened(row))
        connector = self._store.row(
            "SELECT * FROM connector WHERE id = ? AND tenant = ?", (row["connector"], self._tenant)
        )
        if connector is None:  # forgotten between two looks
            raise _no_source(told["name"])
        return KeptSource(**{**told, "connector": self._connector(connector), "shape": shape_from(told["shape"])})


def _no_connector(connector_id: str) -> ConnectorNotFoundError:
    return ConnectorNotFoundError("There is no connector of that id.", met=connector_id[:100])


def _no_source(name: str) -> SourceNotFoundError:
    return SourceNotFoundError(f"No source is named {shown(name)}.", met=name)
