"""Issue, check and revoke API keys, directly or by device code (RFC 8628).

A key is 256 random bits, shown once and kept as a hash; it belongs to one tenant, with scopes, a policy and an end. A
device asks for codes, whoever runs the deployment approves, and the device fetches its key. The store has neither the
key nor the code of the device, only their hashes. The key is derived from that code, which the device alone knows, so
an answer that was lost can be asked for again until the key is used for the first time; then the code is void.
"""

from __future__ import annotations

import base64
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from sqlite3 import Connection, Row
from typing import Any, cast

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import digest
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value, find_nearest
from service_nb.deployment.messages import DeviceCodeAnswer, DeviceTokenAnswer, Scope
from service_nb.errors import InvalidIntentError, OverloadedError, RouteNotFoundError, UnauthenticatedError
from service_nb.query.policy import Policy, parse_policy
from service_nb.server.config import EnrolmentSection
from service_nb.server.deployment_store import Store, read_clock
from service_nb.server.secrets import TENANT

SCOPES: tuple[Scope, ...] = ("query", "compute", "sources", "connectors", "results", "metrics")
PREFIX = "snb_"
USUAL: tuple[Scope, ...] = ("query", "compute", "sources", "connectors", "results")  # metrics tell of every tenant
# A key that makes sources decides what a name stands for, and no policy on names and fields could hold it.
BOUND: tuple[Scope, ...] = ("query", "compute", "results")
_DOMAIN = "service:api-key:v1"
_DAY_S = 86_400
_MOST_CHARS = 200
_MOST_CALLERS = 1_024  # that are remembered as they were parsed
_NO_HASH = bytes(32)
_REFUSED = "The key is unknown, expired or revoked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The holder of a key: its tenant, policy and scopes, and the id (never the key) that logs may show."""

    tenant: str
    key_id: str
    policy: Policy
    scopes: frozenset[Scope]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The rights of a new key: its tenant, scopes and policy, and its end in seconds since 1970."""

    tenant: str
    label: str = ""
    scopes: tuple[Scope, ...] = USUAL
    policy: Mapping[str, object] = field(default_factory=dict)
    expires: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no key can have, before one is made."""
        check_tenant_name(self.tenant)
        if len(self.label) > _MOST_CHARS or not self.label.isprintable():
            raise InvalidIntentError(
                f"The key's label is {describe_value(self.label)}; expected printable text.", path="label"
            )
        check_scopes(self.scopes, "scopes")
        parse_policy(self.policy)


def check_scopes(names: Iterable[str], path: str) -> list[Scope]:
    """Return scopes, each once, or raise `invalid_intent` at a name that is none."""
    for name in names:
        if name not in SCOPES:
            raise InvalidIntentError(
                f"There is no scope {describe_value(name)}; there are {', '.join(SCOPES)}.",
                path=path,
                did_you_mean=find_nearest(str(name), SCOPES) or None,
            )
    return cast(list[Scope], list(dict.fromkeys(names)))


def check_tenant_name(name: str) -> None:
    """Raise `invalid_intent` unless it is a tenant's name: lower case letters, digits, single hyphens between them."""
    if not isinstance(name, str) or len(name) > 63 or not TENANT.fullmatch(name):
        raise InvalidIntentError(
            f"The tenant is {describe_value(name)}; expected at most 63 lower case letters, digits and single hyphens.",
            path="tenant",
            met=describe_value(name),
        )


class Keys:
    """The keys of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, grant: Grant) -> tuple[str, Secret]:
        """Create a key, and return its id and the key itself, which can never be shown again."""
        key = Secret(PREFIX + secrets.token_urlsafe(32))
        with self._store.transaction() as connection:
            return insert_key(connection, grant, key), key

    def authenticate(self, bearer: str) -> Caller:
        """Return whoever holds the key; raise `unauthenticated` where it is unknown, expired, revoked.

        What it costs is the same for every text: one hash, one look at an index by that hash, one comparison.
        """
        met = _hash_text(_DOMAIN, bearer[: 2 * _MOST_CHARS])
        row = self._store.select_one("SELECT * FROM api_key WHERE hash = ?", (met,))
        is_known = secrets.compare_digest(_NO_HASH if row is None else row["hash"], met)
        moment = read_clock()
        if row is None or not is_known or row["revoked"] is not None or (row["expires"] or moment + 1) <= moment:
            raise UnauthenticatedError(
                _REFUSED, hint="The operator of the deployment creates another: service-nb serve key create."
            )
        self._note_use(row, moment // _DAY_S)
        return _build_caller(row["tenant"], row["id"], row["policy"], row["scopes"])

    def list(self, tenant: str | None = None) -> list[dict[str, Any]]:
        """List what is known of the keys, by age: never a key."""
        rows = self._store.select(
            "SELECT * FROM api_key WHERE tenant = ? OR ? IS NULL ORDER BY created, rowid", (tenant, tenant)
        )
        return [_describe_key(row) for row in rows]

    def revoke(self, key_id: str) -> bool:
        """Revoke a key, at once and for ever; False if there is none of that id, or it was revoked before."""
        statement = "UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL"
        return self._store.write(statement, (read_clock(), key_id)) == 1

    def _note_use(self, row: Row, day: int) -> None:
        """Remember the day, which is written once a day."""
        if row["used_day"] != day:
            self._store.write("UPDATE api_key SET used_day = ? WHERE id = ?", (day, row["id"]))


@lru_cache(maxsize=_MOST_CALLERS)
def _build_caller(tenant: str, key_id: str, policy: str, scopes: str) -> Caller:
    """Build whoever holds a key from its row; of an equal row the same, whose policy need not be parsed again."""
    return Caller(
        tenant=tenant,
        key_id=key_id,
        policy=parse_policy(json.loads(policy)),
        scopes=frozenset(json.loads(scopes)),
    )


def insert_key(connection: Connection, grant: Grant, key: Secret) -> str:
    """Insert the hash of a key in a transaction that is under way, and return the key's id."""
    key_id = f"key_{secrets.token_hex(8)}"  # random, whatever request it comes of
    policy = write_canonical_text(dict(parse_policy(grant.policy).to_dict()))
    connection.execute(
        "INSERT INTO api_key (id, hash, tenant, label, scopes, policy, created, expires) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key_id,
            _hash_text(_DOMAIN, key.reveal()),
            grant.tenant,
            grant.label,
            write_canonical_text(sorted(set(grant.scopes))),
            policy,
            read_clock(),
            grant.expires,
        ),
    )
    return key_id


def _hash_text(domain: str, text: str) -> bytes:
    """Hash a key or a code as a store has it. Without salt and without work: nobody guesses 256 random bits."""
    return bytes.fromhex(digest(domain, text.encode("utf-8", "surrogatepass")))


def _describe_key(row: Row) -> dict[str, object]:
    day = row["used_day"]
    return {
        "id": row["id"],
        "tenant": row["tenant"],
        "label": row["label"],
        "scopes": cast(Sequence[str], json.loads(row["scopes"])),
        "policy": json.loads(row["policy"]),
        "created": format_time(row["created"]),
        "expires": None if row["expires"] is None else format_time(row["expires"]),
        "revoked": None if row["revoked"] is None else format_time(row["revoked"]),
        "last_used": None if day is None else format_time(day * _DAY_S)[:10],
    }


def format_time(moment: int) -> str:
    """Format a moment as people and programs read it: UTC, to the second."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; no digits, so nothing that looks like a letter
_CODE_DOMAIN, _KEY_DOMAIN = "service:device-code:v1", "service:device-key:v1"
_SLOWER_S = 5  # RFC 8628, 3.5
_LONGEST = 200

PENDING, SLOW, DENIED, EXPIRED = "authorization_pending", "slow_down", "access_denied", "expired_token"


@dataclass(frozen=True, slots=True)
class Pending:
    """A device that has no key yet; `reason` as RFC 8628, 3.5 says it."""

    reason: str  # authorization_pending | slow_down | access_denied | expired_token


class DeviceCodes:
    """Device codes of a store; `address`: by which people know the deployment."""

    def __init__(
        self, store: Store, section: EnrolmentSection, address: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._section, self._address, self._clock = store, section, address, clock

    def begin(self, client_id: str, scope: str | None, address: str = "") -> DeviceCodeAnswer:
        """Issue new codes; `address`, whence the device asks, is counted, and shown to whoever approves."""
        if not self._section.device_code:
            raise RouteNotFoundError("This deployment does not give keys by device code.", hint="Ask for a key.")
        asked = check_scopes((scope or "").split() or USUAL, "scope")
        device_code, moment = secrets.token_urlsafe(32), int(self._clock())
        with self._store.transaction() as connection:
            connection.execute("DELETE FROM device WHERE expires <= ?", (moment,))
            self._check_waiting(connection, address)
            user_code = self._insert_code(
                connection,
                hash=_hash_text(_CODE_DOMAIN, device_code),
                client=client_id[:_LONGEST],
                asked=write_canonical_text(asked),
                address=address,
                created=moment,
                expires=moment + self._section.lifetime_s,
                interval_s=self._section.interval_s,
                polled=0,
                state="pending",
            )
        return DeviceCodeAnswer(
            device_code=device_code,
            user_code=user_code,
            verification_uri=self._address,
            expires_in=self._section.lifetime_s,
            interval=self._section.interval_s,
        )

    def poll(self, client_id: str, device_code: str) -> DeviceTokenAnswer | Pending:
        """Return the key once it was approved, or why there is none."""
        moment, code = self._clock(), device_code[:_LONGEST]
        with self._store.transaction() as connection:
            found = connection.execute(
                "SELECT * FROM device WHERE hash = ?", (_hash_text(_CODE_DOMAIN, code),)
            ).fetchone()
            if found is None or found["client"] != client_id[:_LONGEST] or found["expires"] <= moment:
                return Pending(EXPIRED)
            wait = found["interval_s"]
            if moment < found["polled"] + wait:
                slower = "UPDATE device SET polled = ?, interval_s = ? WHERE hash = ?"
                connection.execute(slower, (moment, wait + _SLOWER_S, found["hash"]))
                return Pending(SLOW)
            connection.execute("UPDATE device SET polled = ? WHERE hash = ?", (moment, found["hash"]))
            return self._issue_key(connection, found, code)

    def list_waiting(self) -> list[dict[str, str]]:
        """List the devices that wait to be approved, by age."""
        rows = self._store.select(
            "SELECT * FROM device WHERE state = 'pending' AND expires > ? ORDER BY created", (self._clock(),)
        )
        return [
            {
                "code": row["user_code"],
                "client": row["client"],
                "address": row["address"] or "",
                "scopes": " ".join(json.loads(row["asked"])),
                "created": format_time(row["created"]),
                "expires": format_time(row["expires"]),
            }
            for row in rows
        ]

    def approve(self, user_code: str, grant: Grant) -> None:
        """Let a device have a key, with those of the scopes that it asked for."""
        with self._store.transaction() as connection:
            found = self._find_waiting(connection, user_code)
            asked = json.loads(found["asked"])
            scopes = [scope for scope in grant.scopes if scope in asked]
            if not scopes:
                raise InvalidIntentError(f"The device asked for {' '.join(asked)}, and no other.", path="scopes")
            connection.execute(
                "UPDATE device SET state = 'approved', tenant = ?, label = ?, scopes = ?, policy = ?, key_expires = ? "
                "WHERE hash = ?",
                (
                    grant.tenant,
                    grant.label,
                    write_canonical_text(scopes),
                    write_canonical_text(dict(grant.policy)),
                    grant.expires,
                    found["hash"],
                ),
            )

    def deny(self, user_code: str) -> None:
        """Let a device have no key. Raises `invalid_intent` if none waits with that code."""
        with self._store.transaction() as connection:
            found = self._find_waiting(connection, user_code)
            connection.execute("UPDATE device SET state = 'denied' WHERE hash = ?", (found["hash"],))

    def _check_waiting(self, connection: Connection, address: str) -> None:
        statement = "SELECT count(*), count(CASE WHEN address = ? THEN 1 END) FROM device WHERE state = 'pending'"
        waiting, of_address = connection.execute(statement, (address,)).fetchone()
        bounds = (
            (of_address, self._section.most_pending_per_address, "Too many devices of this address wait for a key."),
            (waiting, self._section.most_pending, "Too many devices wait for a key."),
        )
        for met, most, message in bounds:
            if met >= most:
                raise OverloadedError(
                    message,
                    hint="The operator of the deployment approves or denies them: `service-nb serve approve`.",
                    retry_after_s=self._section.interval_s,
                )

    def _insert_code(self, connection: Connection, **row: object) -> str:
        names = ", ".join(["user_code", *row])
        places = ", ".join([":user_code", *(f":{name}" for name in row)])
        for _ in range(10):
            letters = "".join(secrets.choice(ALPHABET) for _ in range(8))
            user_code = f"{letters[:4]}-{letters[4:]}"
            with suppress(sqlite3.IntegrityError):  # of 2.5e10 codes, this one is taken
                statement = f"INSERT INTO device ({names}) VALUES ({places})"  # noqa: S608  # words of ours
                connection.execute(statement, {**row, "user_code": user_code})
                return user_code
        raise OverloadedError("No code is free.", hint="Try again later.", retry_after_s=self._section.interval_s)

    def _issue_key(self, connection: Connection, found: Row, device_code: str) -> DeviceTokenAnswer | Pending:
        if found["state"] == "pending":
            return Pending(PENDING)
        if found["state"] == "denied":
            return Pending(DENIED)
        random = base64.urlsafe_b64encode(_hash_text(_KEY_DOMAIN, device_code)).decode()
        key, scopes = Secret(PREFIX + random.rstrip("=")), cast(list[Scope], json.loads(found["scopes"]))
        if found["state"] == "approved":
            grant = Grant(
                tenant=found["tenant"],
                label=found["label"],
                scopes=tuple(scopes),
                policy=json.loads(found["policy"]),
                expires=found["key_expires"],
            )
            key_id = insert_key(connection, grant, key)
            connection.execute("UPDATE device SET state = 'issued', key = ? WHERE hash = ?", (key_id, found["hash"]))
        elif not _is_key_unused(connection, found["key"]):
            return Pending(EXPIRED)
        return DeviceTokenAnswer(access_token=key.reveal(), token_type="Bearer", scope=" ".join(scopes))  # noqa: S106

    def _find_waiting(self, connection: Connection, user_code: str) -> Row:
        letters = "".join(filter(str.isalpha, user_code.upper()))
        written = f"{letters[:4]}-{letters[4:]}"
        found: Row | None = connection.execute(
            "SELECT * FROM device WHERE user_code = ? AND state = 'pending' AND expires > ?", (written, self._clock())
        ).fetchone()
        if found is None:
            raise InvalidIntentError(
                f"No device waits with the code {describe_value(user_code)}.",
                hint="`service-nb serve approve` lists the waiting ones.",
                path="code",
            )
        return found


def _is_key_unused(connection: Connection, key_id: str) -> bool:
    statement = "SELECT 1 FROM api_key WHERE id = ? AND used_day IS NULL AND revoked IS NULL"
    return connection.execute(statement, (key_id,)).fetchone() is not None
