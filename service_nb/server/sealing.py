"""Everything that is sealed in a store, sealed anew: with another key, or as this version seals it.

A connector is bound to its tenant and its id; a source to its tenant, its id and its connector. Whoever can write the
file, and has no master key, can neither exchange them nor point a source at another connector.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from typing import Any

from service_nb.core.canonical import canonical_bytes
from service_nb.server.secrets import Vault
from service_nb.server.store import Store


def bound_connector(row: Mapping[str, Any] | sqlite3.Row) -> tuple[str, ...]:
    """Return what a connector is sealed for."""
    return "connector", row["tenant"], row["id"]


def bound_source(row: Mapping[str, Any] | sqlite3.Row) -> tuple[str, ...]:
    """Return what a source is sealed for."""
    return "source", row["tenant"], row["id"], row["connector"]


def new_source_id() -> str:
    """Return the id of a new source: random, so that it tells nothing."""
    return f"source_{secrets.token_hex(8)}"


def reseal(connection: sqlite3.Connection, vault: Vault) -> int:
    """Seal everything with the key that seals now, in a transaction that is under way, and return how much it was.

    Raises
    ------
    DeploymentUnavailableError [deployment_unavailable]
        Something does not open; then nothing was changed.
    """
    _bring_over(connection, vault)
    count = 0
    for table, bound_of in (("connector", bound_connector), ("source", bound_source)):
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  # words of ours
        for row in rows:
            bound = bound_of(row)
            key_id, sealed = vault.seal(vault.open(row["key_id"], row["sealed"], *bound), *bound)
            statement = f"UPDATE {table} SET key_id = ?, sealed = ? WHERE id = ?"  # noqa: S608  # as above
            connection.execute(statement, (key_id, sealed, row["id"]))
            count += 1
    return count


def bring_over(store: Store, vault: Vault) -> None:
    """Seal as this version does what an earlier one kept; all of it or nothing.

    Raises
    ------
    DeploymentUnavailableError [deployment_unavailable]
        Something does not open; then nothing was changed.
    """
    if store.row("SELECT 1 FROM source_1 LIMIT 1") is None:
        return
    with store.writing() as connection:
        _bring_over(connection, vault)
    store.settle()  # the names that stood there are in the log as well


def _bring_over(connection: sqlite3.Connection, vault: Vault) -> None:
    """Take in the sources of the first version, whose names stood open and whose connectors were not bound to them."""
    for row in connection.execute("SELECT * FROM source_1 ORDER BY rowid").fetchall():
        told = json.loads(vault.open(row["key_id"], row["sealed"], "source", row["tenant"], row["name"]))
        made = {"id": new_source_id(), "tenant": row["tenant"], "connector": row["connector"]}
        key_id, sealed = vault.seal(canonical_bytes({**told, "name": row["name"]}), *bound_source(made))
        connection.execute(
            "INSERT INTO source (id, tenant, connector, key_id, sealed, created) VALUES (?, ?, ?, ?, ?, ?)",
            (*made.values(), key_id, sealed, row["created"]),
        )
    connection.execute("DELETE FROM source_1")
