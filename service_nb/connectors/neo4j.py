"""Neo4j: the nodes of a label, or the answer of a Cypher query that only reads, one record after the other."""

from __future__ import annotations

import asyncio
import datetime
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from service_nb.connectors import cypher
from service_nb.connectors.encryption import CA, is_unproven, trusting, unproven
from service_nb.connectors.pages import (
    Tally,
    driver,
    malformed,
    misfit,
    required,
    run,
    text_option,
    timed_out,
    whole,
)
from service_nb.connectors.records import dataset_of
from service_nb.core.canonical import canonical_text
from service_nb.core.words import shown
from service_nb.errors import ConnectorError, InvalidIntentError, ServiceError, SourceMalformedError
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
KIND = Kind(
    type="neo4j",
    title="Neo4j",
    group="nosql, graph, search",
    keys=("host", "port", "user", "password", "connection_string", "database", "table", "query"),
    options={
        "scheme": "bolt, or bolt+s with a checked certificate, bolt+ssc with any; neo4j, neo4j+s or neo4j+ssc",
        "ca": f"{CA}; with bolt+s or neo4j+s",
        "members": "of a cluster, separated by commas: the hosts beside `host` that it may send to",
        "max_rows": "the most rows that are read, from 1 to 100000000; by default 10000000; more is an error",
    },
    extra="neo4j",
    driver="neo4j",
    port=7687,
    dsn=Dsn(
        form="neo4j+s://user:password@host:7687/database", schemes={scheme: {"scheme": scheme} for scheme in SCHEMES}
    ),
)
PAGE = 1_000
CONNECT_S = 10.0
MOST_ROWS = 100_000_000
MOST_LEVELS = 16


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read the nodes of a label (`table`), whose properties are columns, or the rows of a query."""
    statement = _statement(descriptor)
    library = driver(KIND)

    async def work() -> tuple[list[str], list[dict[str, Any]]]:
        with _faults():
            return await _read(library, descriptor, statement, options.limits, deadline, node=descriptor.query is None)

    names, rows = run(KIND, work, deadline)
    if descriptor.query is None:
        rows.sort(key=lambda row: canonical_text({name: _sortable(value) for name, value in row.items()}))
        names = sorted({name for row in rows for name in row})
        if not names:
            raise SourceMalformedError(
                f"No node of the label {shown(descriptor.table)} has a property.", met=shown(descriptor.table)
            )
    return dataset_of(rows, options, names=names)


def probe(descriptor: Descriptor, deadline: float) -> str:
    """Say that Neo4j answers; a query is checked, and none of it run."""
    if descriptor.table is not None or descriptor.query is not None:
        _statement(descriptor)
    library = driver(KIND)

    async def work() -> None:
        with _faults():
            await _read(library, descriptor, "RETURN 1 AS one", DEFAULT_LIMITS, deadline, node=False)

    run(KIND, work, deadline)
    return "Neo4j answers."


def _statement(descriptor: Descriptor) -> str:
    if (descriptor.table is None) == (descriptor.query is None):
        raise InvalidIntentError(
            "A Neo4j source has either a table, which is a label, or a query.", path="connector.table"
        )
    if descriptor.query is not None:
        return cypher.reading(descriptor.query)
    return f"MATCH (n:{cypher.identifier(descriptor.table or '')}) RETURN properties(n) AS properties"


async def _read(
    library: Any, descriptor: Descriptor, statement: str, limits: Limits, deadline: float, *, node: bool
) -> tuple[list[str], list[dict[str, Any]]]:
    most = whole(descriptor, "max_rows", 10_000_000, MOST_ROWS)
    tally = Tally(limits)
    async with (
        library.AsyncGraphDatabase.driver(
            **_place(library, descriptor),
            auth=_auth(descriptor),
            resolver=_only(hosts(descriptor)),
            connection_timeout=CONNECT_S,
            connection_acquisition_timeout=2 * CONNECT_S,
            max_transaction_retry_time=0,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent="service-nb",
        ) as client,
        client.session(
            database=descriptor.database, default_access_mode=library.READ_ACCESS, fetch_size=PAGE
        ) as session,
    ):
        # The server ends the transaction by itself, should this side be gone.
        left = max(deadline - time.monotonic(), 0.1)
        result = await session.run(library.Query(statement, timeout=left))
        names, rows = list(result.keys()), list[dict[str, Any]]()
        if len(set(names)) != len(names):
            raise misfit("query", "two columns of one name", "a unique name for each column")
        async for record in result:
            tally.page(most)
            row = _row(record, names, node=node)
            tally.cells(len(row))
            tally.take(sum(len(value) for value in row.values() if isinstance(value, str)))
            rows.append(row)
        return names, rows


def hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver may connect to: a cluster tells it of members, of which it is let to those named here."""
    named = (text_option(descriptor, "members") or "").split(",")
    members = tuple(name.strip() for name in named if name.strip())
    found = (required(descriptor, "host", "a host"), *members)
    for host in found:
        if not all(char.isalnum() or char in ".-_:" for char in host) or not host.isascii():
            raise misfit("members" if host in members else "host", shown(host), "a name or an address")
    return found


def _place(library: Any, descriptor: Descriptor) -> dict[str, Any]:
    scheme = text_option(descriptor, "scheme") or "bolt"
    if scheme not in SCHEMES:
        raise misfit("scheme", shown(scheme), " or ".join(SCHEMES))
    host, ca = hosts(descriptor)[0], text_option(descriptor, "ca")
    at = f"{f'[{host}]' if ':' in host else host}:{descriptor.port or KIND.port}"
    if ca is None:
        return {"uri": f"{scheme}://{at}"}
    if not scheme.endswith("+s"):
        raise misfit("ca", "of use only with a checked certificate", "the scheme bolt+s or neo4j+s beside it")
    trusting(ca)  # or the driver says of a file that is none that the server cannot be reached
    trusted = library.TrustCustomCAs(ca)
    return {"uri": f"{scheme.removesuffix('+s')}://{at}", "encrypted": True, "trusted_certificates": trusted}


def _only(allowed: tuple[str, ...]) -> Callable[[Any], list[Any]]:
    """Return what the driver asks before each connection: a server's word alone leads nowhere."""
    plain = frozenset(host.lower() for host in allowed)

    def resolve(address: Any) -> list[Any]:
        if str(address.host).strip("[]").lower() not in plain:
            raise ConnectorError(
                f"The cluster redirects to {shown(address.host)}, which the connector does not name.",
                reason="not_allowed",
                hint="Name its members: members = host1,host2. Or ask one server alone: scheme bolt or bolt+s.",
                type=KIND.type,
                met=shown(address.host),
            )
        return [address]

    return resolve


def _auth(descriptor: Descriptor) -> tuple[str, str] | None:
    if descriptor.user is None or descriptor.password is None:
        return None
    return descriptor.user, descriptor.password.reveal()


def _row(record: Any, names: Sequence[str], *, node: bool) -> dict[str, Any]:
    if node:
        properties = record["properties"]
        if not isinstance(properties, Mapping):
            raise malformed(KIND, "malformed properties")
        return {name: _value(name, value) for name, value in properties.items()}
    return {name: _value(name, record[name]) for name in names}


def _value(name: str, value: Any) -> Any:
    """A value as it is held: what has parts becomes JSON text of them, nodes by their properties."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes | bytearray):
        raise SourceMalformedError(
            f"Column {shown(name)} holds bytes, which cannot be queried.", column=name, met="bytes"
        )
    kind = type(value).__name__
    if kind in ("Date", "DateTime") and hasattr(value, "to_native"):
        return _moment(name, value)
    if kind in ("Time", "Duration"):
        return value.iso_format()
    return canonical_text(_plain(name, value, MOST_LEVELS))


def _moment(name: str, value: Any) -> datetime.date | datetime.datetime:
    if getattr(value, "nanosecond", 0) % 1_000:
        raise SourceMalformedError(
            f"Column {shown(name)} holds times finer than a microsecond.",
            hint="Cut them in the query, with datetime.truncate('microsecond', …): the loss is yours to decide.",
            column=name,
            expected="whole microseconds",
        )
    native: datetime.date | datetime.datetime = value.to_native()
    return native


def _plain(name: str, value: Any, levels: int) -> Any:
    if not levels:
        raise SourceMalformedError(f"Column {shown(name)} nests values too deeply.", column=name)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) and type(value).__module__ == "builtins":
        return [_plain(name, each, levels - 1) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(name, each, levels - 1) for key, each in value.items()}
    if hasattr(value, "relationships"):  # a path
        return [_plain(name, each, levels - 1) for each in (*value.nodes, *value.relationships)]
    if hasattr(value, "items"):  # a node or a relationship
        return {str(key): _plain(name, each, levels - 1) for key, each in value.items()}
    if hasattr(value, "srid"):
        return {"srid": value.srid, "coordinates": [float(part) for part in value]}
    if hasattr(value, "iso_format"):
        return value.iso_format()
    raise SourceMalformedError(
        f"Column {shown(name)} holds values of type {type(value).__name__}.", column=name, met=type(value).__name__
    )


def _sortable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str | Decimal) else str(value)


@contextmanager
def _faults() -> Iterator[None]:
    """Errors of the driver as ours; what its texts hold, addresses and users among it, stays out."""
    try:
        yield
    except (ServiceError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001  # what is sent by a server that is none ends in errors of any kind
        raise _translated(error) from None


def _translated(error: Exception) -> ServiceError:
    names = {kind.__name__ for kind in type(error).__mro__}
    code = str(getattr(error, "code", "") or "")
    if names & {"AuthError", "TokenExpired"} or (".Security." in code and "Forbidden" not in code):
        return ConnectorError("Neo4j does not accept the user and password.", reason="login_refused", type=KIND.type)
    if "Forbidden" in names or code.endswith((".Forbidden", ".AccessMode")):
        return ConnectorError("Neo4j does not allow this user to read this.", reason="not_allowed", type=KIND.type)
    if "TransactionTimedOut" in code or "Terminated" in code or isinstance(error, TimeoutError):
        return timed_out(KIND)
    if ".Statement." in code:
        return InvalidIntentError(
            "Neo4j cannot run the query.", hint=f"It says {code}.", path="connector.query", met=code
        )
    if "DatabaseNotFound" in code:
        return ConnectorError("Neo4j has no database of that name.", reason="misconfigured", type=KIND.type)
    if names & {"ServiceUnavailable", "SSLError"} and is_unproven(error):
        return unproven(KIND)
    if names & {"ServiceUnavailable", "SessionExpired"} or isinstance(error, OSError):
        lost = "SessionExpired" in names or "defunct" in str(error)
        what = "was lost in mid-answer" if lost else "cannot be reached"
        return ConnectorError(
            f"Neo4j {what}.", reason="lost" if lost else "unreachable", hint="Check host and port.", type=KIND.type
        )
    if "Neo4jError" in names:
        return ConnectorError(
            "Neo4j refuses the query.", reason="misconfigured", hint=f"It says {code[:100]}.", type=KIND.type
        )
    return malformed(KIND, "not the protocol of Neo4j")
