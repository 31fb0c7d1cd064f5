"""API keys: 256 random bits, shown once and kept as a hash; each of one tenant, with scopes, a policy and an end."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from sqlite3 import Connection, Row
from typing import Any, cast

from service_nb.core.canonical import canonical_text
from service_nb.core.digest import digest
from service_nb.core.secret import Secret
from service_nb.core.words import nearest, shown
from service_nb.deployment.messages import Scope
from service_nb.errors import InvalidIntentError, UnauthenticatedError
from service_nb.query.policy import Policy, parse_policy
from service_nb.server.ports import SCOPES, Caller
from service_nb.server.secrets import TENANT
from service_nb.server.store import Store, now

PREFIX = "snb_"
USUAL: tuple[Scope, ...] = ("query", "compute", "sources", "connectors", "results")  # metrics tell of every tenant
# A key that makes sources decides what a name stands for, and no policy on names and fields could hold it.
BOUND: tuple[Scope, ...] = ("query", "compute", "results")
_DOMAIN = "service:api-key:v1"
_DAY_S = 86_400
_MOST_CHARS = 200
_NO_HASH = bytes(32)
_REFUSED = "The key is unknown, expired or revoked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a new key may do: for whom, with which scopes, under which policy, until when (seconds since 1970)."""

    tenant: str
    label: str = ""
    scopes: tuple[Scope, ...] = USUAL
    policy: Mapping[str, Any] = field(default_factory=dict)
    expires: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no key can have, before one is made."""
        require_tenant(self.tenant)
        if len(self.label) > _MOST_CHARS or not self.label.isprintable():
            raise InvalidIntentError(f"The key's label is {shown(self.label)}; expected printable text.", path="label")
        for scope in self.scopes:
            if scope not in SCOPES:
                raise InvalidIntentError(
                    f"There is no scope {shown(scope)}; there are {', '.join(SCOPES)}.",
                    path="scopes",
                    did_you_mean=nearest(str(scope), SCOPES) or None,
                )
        parse_policy(self.policy)


def require_tenant(name: str) -> None:
    """Raise `invalid_intent` unless it is a tenant's name: lower case letters, digits, single hyphens between them."""
    if not isinstance(name, str) or len(name) > 63 or not TENANT.fullmatch(name):
        raise InvalidIntentError(
            f"The tenant is {shown(name)}; expected at most 63 lower case letters, digits and single hyphens.",
            path="tenant",
            met=shown(name),
        )


class Keys:
    """The keys of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, grant: Grant) -> tuple[str, Secret]:
        """Make a key, and return its id and the key itself, which can never be shown again."""
        key = Secret(PREFIX + secrets.token_urlsafe(32))
        with self._store.writing() as connection:
            return put(connection, grant, key), key

    def authenticate(self, bearer: str) -> Caller:
        """Return whoever holds the key.

        What it costs is the same for every text: one hash, one look at an index by that hash, one comparison.

        Raises
        ------
        UnauthenticatedError [unauthenticated]
            The key is not known, has ended or was revoked; which of them is not told.
        """
        met = key_hash(bearer[: 2 * _MOST_CHARS])
        row = self._store.row("SELECT * FROM api_key WHERE hash = ?", (met,))
        is_known = secrets.compare_digest(_NO_HASH if row is None else row["hash"], met)
        moment = now()
        if row is None or not is_known or row["revoked"] is not None or (row["expires"] or moment + 1) <= moment:
            raise UnauthenticatedError(_REFUSED, hint="Its operator makes another: service-nb serve key create.")
        self._used(row, moment // _DAY_S)
        return Caller(
            tenant=row["tenant"],
            key_id=row["id"],
            policy=_policy(row),
            scopes=frozenset(json.loads(row["scopes"])),
        )

    def list(self, tenant: str | None = None) -> list[dict[str, Any]]:
        """Return what is known of the keys, by age: never a key."""
        rows = self._store.rows(
            "SELECT * FROM api_key WHERE tenant = ? OR ? IS NULL ORDER BY created, rowid", (tenant, tenant)
        )
        return [_described(row) for row in rows]

    def revoke(self, key_id: str) -> bool:
        """Take a key back, at once and for ever; False if there is none of that id, or it was taken back before."""
        statement = "UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL"
        return self._store.write(statement, (now(), key_id)) == 1

    def _used(self, row: Row, day: int) -> None:
        """Remember the day, which is written once a day."""
        if row["used_day"] != day:
            self._store.write("UPDATE api_key SET used_day = ? WHERE id = ?", (day, row["id"]))


def put(connection: Connection, grant: Grant, key: Secret) -> str:
    """Keep the hash of a key in a transaction that is under way, and return the key's id."""
    key_id = f"key_{secrets.token_hex(8)}"  # random, whatever request it comes of
    policy = canonical_text(dict(parse_policy(grant.policy).to_dict()))
    connection.execute(
        "INSERT INTO api_key (id, hash, tenant, label, scopes, policy, created, expires) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key_id,
            key_hash(key.reveal()),
            grant.tenant,
            grant.label,
            canonical_text(sorted(set(grant.scopes))),
            policy,
            now(),
            grant.expires,
        ),
    )
    return key_id


def key_hash(key: str) -> bytes:
    """Return what a store has of a key. Without salt and without work: nobody guesses 256 random bits."""
    return bytes.fromhex(digest(_DOMAIN, key.encode("utf-8", "surrogatepass")))


def _policy(row: Row) -> Policy:
    return parse_policy(json.loads(row["policy"]))


def _described(row: Row) -> dict[str, Any]:
    day = row["used_day"]
    return {
        "id": row["id"],
        "tenant": row["tenant"],
        "label": row["label"],
        "scopes": cast(Sequence[str], json.loads(row["scopes"])),
        "policy": json.loads(row["policy"]),
        "created": iso(row["created"]),
        "expires": None if row["expires"] is None else iso(row["expires"]),
        "revoked": None if row["revoked"] is None else iso(row["revoked"]),
        "last_used": None if day is None else iso(day * _DAY_S)[:10],
    }


def iso(moment: int) -> str:
    """Return a moment as people and programs read it: UTC, to the second."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
