"""The kinds of live sources: what there are, what a descriptor of one may hold, and whether one answers."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from service_nb.connectors.base import Connector, SqlLink, cast_columns
from service_nb.connectors.isolated import Isolated
from service_nb.connectors.options import MOST_PORT, dsn_error, parse_dsn
from service_nb.connectors.user_query import build_relation
from service_nb.core.plugins import load_plugin
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    QueryTimeoutError,
    ServiceError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.descriptor import LIVE, LOCAL, PLUGINS, find_type
from service_nb.readers.sqlite_files import MOST_SQL
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field, Limits

TYPES: tuple[str, ...] = (*LOCAL, *LIVE)
MOST_CHARS = 4_096  # of a key's text; a query has its own limit
SECRETS = ("password", "connection_string")
_PROBE = Limits(text_bytes=1 << 20, json_bytes=1 << 20, cells=100_000, memory_bytes=256 << 20)


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """An open session, what is read through it, and its columns."""

    link: SqlLink
    relation: exp.Expr
    fields: tuple[Field, ...]
    notes: tuple[str, ...] = ()


def find_connector(type_: str) -> Connector:
    """Find the connector of a type, of this package or of another distribution; no driver is loaded.

    Raises `unsupported_source` where there is none, and `invalid_intent` of files, which are read where they are.
    """
    kind = find_type({"type": type_})
    if kind == "file":
        raise InvalidIntentError(
            "A file is not a live source: connect it by its path.",
            hint='Give its path: connect("sales.csv").',
            path="connector.type",
            met=kind,
        )
    if kind in TYPES:
        connector: Connector = importlib.import_module(f"service_nb.connectors.{kind}").CONNECTOR
        return connector
    found = load_plugin(PLUGINS, kind, Connector)
    if found is None:
        raise UnsupportedSourceError(
            f"The connector {describe_value(kind)} cannot be loaded.", hint="Update what brings it."
        )
    return found


def parse_descriptor(given: Mapping[str, object]) -> Descriptor:
    """Return a descriptor with every key checked, secrets wrapped, and its type under its one spelling.

    Raises `invalid_intent`, `unsupported_source`, `limit_exceeded`.
    """
    if not isinstance(given, Mapping):
        raise InvalidIntentError(
            f"connector is {describe_value(given)}; expected an object with a type.", path="connector"
        )
    kind = find_connector(find_type({"type": given.get("type")})).kind
    allowed = ("type", *kind.keys, *kind.options)
    values: dict[str, Any] = {}
    options: dict[str, str | Secret] = {}
    for key, value in given.items():
        if key not in allowed:
            raise _key_error(key, allowed, kind)
        if key == "type" or value is None:
            continue
        held: Any = (
            _check_port(value)
            if key == "port"
            else _check_text(key, value, secret=key in SECRETS or key in kind.secrets)
        )
        if key in kind.options:
            options[key] = held
        else:
            values[key] = held
    if "table" in values and "query" in values:
        raise InvalidIntentError(
            "The connector has a table and a query; expected one of them.", path="connector.query", expected="one"
        )
    return Descriptor(type=kind.type, options=options, **values)


def expand_descriptor(descriptor: Descriptor) -> Descriptor:
    """Return a descriptor with what its connection string says in keys of its own; keys that are there go before it.

    Of types that read it by themselves it stays as it is. It has to be the string itself, not a reference to it.

    Raises `invalid_intent`.
    """
    kind = find_connector(descriptor.type).kind
    if kind.dsn is None or descriptor.connection_string is None:
        return descriptor
    said = parse_dsn(kind, kind.dsn, descriptor.connection_string.reveal())
    given = {key: value for key, value in _to_mapping(descriptor).items() if value is not None}
    del given["connection_string"]
    try:
        return parse_descriptor({**said, **given})
    except (InvalidIntentError, LimitExceededError):  # whose texts show values
        raise dsn_error(kind, kind.dsn.form) from None


def _key_error(key: object, allowed: tuple[str, ...], kind: Kind) -> InvalidIntentError:
    close = find_nearest(key, allowed) if isinstance(key, str) else []
    return InvalidIntentError(
        f"A connector of type {kind.type} has no key {describe_value(key)}.",
        hint=f"Did you mean {describe_value(close[0])}?" if close else f"It may have {', '.join(allowed)}.",
        path="connector",
        met=describe_value(key),
        did_you_mean=close or None,
    )


def _check_port(value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_PORT:
        raise InvalidIntentError(
            f"The connector's port is {describe_value(value)}; expected a number from 1 to {MOST_PORT}.",
            path="connector.port",
            met=describe_value(value),
        )
    return value


def _check_text(key: str, value: object, *, secret: bool) -> str | Secret:
    if isinstance(value, Secret):
        if secret:
            return value
        value = value.reveal()
    if isinstance(value, bool) and not secret:
        value = "true" if value else "false"
    elif isinstance(value, int) and not secret:
        value = str(value)
    met = "a secret" if secret else describe_value(value)
    if not isinstance(value, str):
        raise InvalidIntentError(
            f"The connector's {key} is {type(value).__name__}; expected text.", path=f"connector.{key}", met=met
        )
    most = MOST_SQL if key == "query" else MOST_CHARS * 4 if secret else MOST_CHARS
    if len(value) > most:
        raise LimitExceededError(
            f"The connector's {key} has {len(value):,} characters; at most {most:,} are taken.",
            limit=most,
            value=len(value),
        )
    if not value and key != "password":
        raise InvalidIntentError(f"The connector's {key} is empty.", path=f"connector.{key}", met=met)
    if "\0" in value or (key == "host" and (not value.isprintable() or " " in value)):
        raise InvalidIntentError(
            f"The connector's {key} has a character that is not allowed.", path=f"connector.{key}", met=met
        )
    return Secret(value) if secret else value


def open_link(descriptor: Descriptor, deadline: float) -> SqlLink:
    """Open a session with a database that cannot write."""
    connector = find_connector(descriptor.type)
    if connector.open_link is None:
        raise _kind_error(connector.kind)
    return connector.open_link(descriptor, deadline)


def extract_source(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read a source that is read in pages, and return it normalised."""
    connector = find_connector(descriptor.type)
    if connector.extract is None:
        raise _kind_error(connector.kind)
    return connector.extract(descriptor, options, deadline)


def _kind_error(kind: Kind) -> InvalidIntentError:
    what = "it has no session" if kind.dialect is None else "it is not read in pages"
    return InvalidIntentError(f"{kind.title} is not reached that way: {what}.", path="connector.type", met=kind.type)


def open_source(descriptor: Descriptor, deadline: float) -> OpenedSource:
    """Open a session with a database, and say what is read through it: the descriptor's table or query, its columns.

    Raises `driver_missing`, `connector_failed`, `invalid_intent`, `source_not_found`, `unsupported_source`.
    """
    kind = find_connector(descriptor.type).kind
    if kind.dialect is None:
        raise _kind_error(kind)
    relation = build_relation(descriptor, kind.dialect)
    with ExitStack() as failed:
        link = open_link(descriptor, deadline)
        failed.callback(link.close)
        fields = link.describe(relation, deadline)
        notes, casts = link.left_out, link.casts
        if casts:
            relation = cast_columns(relation, fields, casts)
            fields = link.describe(relation, deadline)
        failed.pop_all()
    return OpenedSource(link, relation, fields, notes)


def try_connector(descriptor: Descriptor, deadline_s: float) -> dict[str, object]:
    """Try a connector, and say how it went: ``{"success": …, "message": …}``, by the deadline, whatever answers.

    The attempt runs in a process of its own, which is killed when the time is up.
    """
    deadline = time.monotonic() + deadline_s
    plain = {key: value for key, value in _to_mapping(descriptor).items() if value is not None}
    try:
        with Isolated("service_nb.connectors.catalog:_Attempt") as process:
            message = process.open(plain, deadline_s, deadline=deadline)
    except QueryTimeoutError:
        late, code = f"No answer within {deadline_s:g} seconds.", QueryTimeoutError.code
        return {"success": False, "message": f"{code}: {late}", "code": code}
    except ServiceError as error:
        return {"success": False, "message": f"{error.code}: {error}", "code": error.code}
    return {"success": True, "message": message}


class _Attempt:
    """The attempt to open a source, made in the other process."""

    def __init__(self, given: Mapping[str, object], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        descriptor = parse_descriptor(given)
        connector = find_connector(descriptor.type)
        if connector.open_link is None:
            self.opened = probe_pages(connector, descriptor, _PROBE, deadline)
        elif descriptor.table is None and descriptor.query is None:
            link = connector.open_link(descriptor, deadline)
            self.opened = f"{link.name} answers."
            link.close()
        else:
            found = open_source(descriptor, deadline)
            count = len(found.fields)
            self.opened = f"{found.link.name} answers; {count} column{'s' if count != 1 else ''}."
            found.link.close()


def probe_pages(connector: Connector, descriptor: Descriptor, limits: Limits, deadline: float) -> str:
    """Say that a source answers that is read in pages: by its own probe, or by reading it within small limits."""
    if connector.probe is not None:
        return connector.probe(descriptor, deadline)
    dataset = extract_source(descriptor, ReadOptions(limits=limits), deadline)
    return f"{connector.kind.title} answers; {len(dataset.fields)} columns."


def _to_mapping(descriptor: Descriptor) -> dict[str, object]:
    keys = ("host", "port", "database", "user", "password", "connection_string", "path", "table", "query")
    held = {"type": descriptor.type, **{key: getattr(descriptor, key) for key in keys}, **descriptor.options}
    return {key: value.reveal() if isinstance(value, Secret) else value for key, value in held.items()}
