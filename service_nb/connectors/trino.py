"""Trino: one SELECT a statement, ended at its coordinator whenever it is not read to its end."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    connection_error,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.bounds import build_adapter, guard_pools, limit_session
from service_nb.connectors.options import (
    CA,
    build_trust,
    certificate_error,
    is_certificate_error,
    read_choice,
    read_option,
    require,
    require_address,
)
from service_nb.connectors.sql_link import DriverLink, find_decimal_type
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import EngineError, InvalidIntentError, ServiceError
from service_nb.errors.deployment import Failure
from service_nb.query.spelling import MOST_SUMMED, Spelling
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import Field

KIND = Kind(
    type="trino",
    title="Trino",
    group="engine",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "schema": "The schema that tables without one are of; `database` is the catalog.",
        "token": "JSON Web Token, instead of a password.",
        "scheme": "https or http; https where there is a password or a token, which never go over http.",
        "ca": f"{CA}.",
    },
    secrets=("token",),
    extra="trino",
    driver="trino",
    dialect="trino",
    port=8080,
    dsn=Dsn(
        form="trino://user:password@host:8443/catalog/schema",
        schemes={"trino": {}, "https": {"scheme": "https"}, "http": {"scheme": "http"}},
        path=("database", "schema"),
    ),
)
TLS_PORT = 8443
POLL_S = 30.0  # the coordinator answers a poll within a second or two, whether or not there are rows
MICROSECONDS = 6
TYPES = {
    **dict.fromkeys(("bigint", "integer", "smallint", "tinyint"), "int64"),
    **dict.fromkeys(("double", "real"), "float64"),
    **dict.fromkeys(("varchar", "char"), "string"),
    "boolean": "boolean",
    "date": "date",
}
CAUSES: Mapping[str, Cause] = {
    **dict.fromkeys(("EXCEEDED_TIME_LIMIT", "USER_CANCELED", "ADMINISTRATIVELY_KILLED"), "stopped"),
    **dict.fromkeys(("TABLE_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND"), "absent"),
    **dict.fromkeys(("MISSING_CATALOG_NAME", "MISSING_SCHEMA_NAME"), "absent"),
    "PERMISSION_DENIED": "not_allowed",
}


@dataclass(frozen=True, slots=True)
class TrinoClient:
    """The client of all statements: the driver's module, its keywords and one HTTP session."""

    module: ModuleType
    keywords: Mapping[str, object]
    session: Any

    def connect(self, seconds: float) -> Any:
        """Return a connection whose one statement the coordinator ends after so many seconds."""
        limit_session(self.session, time.monotonic() + seconds, KIND.title)
        limit = f"{max(1, round(seconds * 1000))}ms"
        patience = min(seconds, POLL_S)
        return self.module.dbapi.connect(
            **self.keywords,
            http_session=self.session,
            request_timeout=(patience, patience),
            session_properties={"query_max_run_time": limit, "query_max_execution_time": limit},
        )

    def close(self) -> None:
        """Close the HTTP session."""
        self.session.close()


def open_link(descriptor: Descriptor, deadline: float) -> TrinoLink:
    """Open a session, and see that a coordinator answers."""
    module = import_driver(KIND)
    link = TrinoLink(TrinoClient(module, *_build_keywords(descriptor, module)))
    try:
        [[version]] = link.fetch_rows(exp.select(exp.Anonymous(this="version")), (), 1, deadline)
    except (ServiceError, ValueError) as error:
        link.close()
        raise _opening_error(error) from None
    link.name = f"trino {str(version)[:40]}"
    return link


def _opening_error(error: Exception) -> Exception:
    if not isinstance(error, ServiceError):
        return connection_error(KIND, "malformed")
    if error.code == "timeout":
        return connection_error(KIND, "timed_out")
    return connection_error(KIND, "malformed") if isinstance(error, EngineError) else error


def _build_keywords(descriptor: Descriptor, module: ModuleType) -> tuple[dict[str, object], object]:
    host, user = require(KIND, "host", descriptor.host), require(KIND, "user", descriptor.user)
    authentication = _build_authentication(descriptor, module, user)
    tls = authentication is not None or descriptor.port in (443, TLS_PORT)
    scheme = read_choice(KIND, descriptor, "scheme", ("https", "http") if tls else ("http", "https"))
    if authentication is not None and scheme == "http":
        raise InvalidIntentError(
            "A password or token is sent to Trino over https only.", path="connector.scheme", expected="https"
        )
    if re.search(r"[/@?#\s]", host):
        raise InvalidIntentError("host is a name or an address.", path="connector.host", met=describe_value(host))
    port = descriptor.port or (TLS_PORT if scheme == "https" else require_address(KIND, descriptor)[1])
    keywords = {
        "host": host,
        "port": port,
        "user": user,
        "catalog": descriptor.database,
        "schema": read_option(descriptor, "schema"),
        "http_scheme": scheme,
        "auth": authentication,
        "source": "service-nb",
        "timezone": "UTC",
        "max_attempts": 2,
        "legacy_prepared_statements": False,
        "encoding": None,  # rows come from the coordinator, never from wherever a spooled segment is said to lie
        "heartbeat_interval": None,
    }
    ca = read_option(descriptor, "ca")
    if ca is not None and scheme == "http":
        raise InvalidIntentError("ca is of use over https alone.", path="connector.ca", expected="scheme: https")
    return keywords, _build_session(module, scheme, host, port, ca)


def _build_authentication(descriptor: Descriptor, module: ModuleType, user: str) -> object:
    token = descriptor.options.get("token")
    if isinstance(token, Secret):
        return module.auth.JWTAuthentication(token.reveal())
    if descriptor.password is not None:
        return module.auth.BasicAuthentication(user, descriptor.password.reveal())
    return None


def _build_session(module: ModuleType, scheme: str, host: str, port: int, ca: str | None) -> object:
    """Return an HTTP session that reaches this one coordinator: an answer names the address that is asked next."""
    session = module.client.TrinoRequest.http.Session()
    session.trust_env = False  # no proxy, and no password out of a .netrc
    adapter = session.get_adapter("http://")
    if scheme == "https":
        adapter = build_adapter(import_driver(KIND, "requests.adapters"), build_trust(ca))
    guard_pools(adapter.poolmanager)
    session.adapters.clear()
    session.mount(f"{scheme}://{host}:{port}/", adapter)
    if port == {"http": 80, "https": 443}[scheme]:
        session.mount(f"{scheme}://{host}/", adapter)
    return session


class TrinoSpelling(Spelling):
    """Texts compare by code point, sums raise where they overflow; the link sets the session's zone to UTC.

    Casts from double to integer round to the nearest, so limbs are summed as decimals, whose sums have 38 digits. A
    time has microseconds, not its default of three digits. The driver writes what is bound as a literal of its own
    choice.
    """

    dialect = "trino"
    quoted = True  # some of our names are words of its grammar
    types: ClassVar = {"datetime": "timestamp(6)"}
    casts_operands = ("int64", "decimal", "date", "datetime")
    limb_type = "decimal(19,0)"
    most_summed, summed_digits = MOST_SUMMED, 28
    finite_call = "IS_FINITE"
    place_call, contains_call = "STRPOS", ""

    def convert_operand(self, value: object) -> object:
        """Return the operand for a literal: the smallest integer has none, and years before 1000 lose their zeros."""
        if isinstance(value, int) and not isinstance(value, bool):
            return Decimal(value)
        if isinstance(value, datetime):
            return value.isoformat(sep=" ")
        return value.isoformat() if isinstance(value, date) else value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read a column as a value of exactly the field's physical type; an instant as its time in UTC."""
        if field.physical == "datetime":
            column = exp.AtTimeZone(this=column, zone=exp.Literal.string("UTC"))
        return exp.cast(column, self.find_type(field.physical))


class TrinoLink(DriverLink):
    """A session with a coordinator, which knows none: each statement stands for itself."""

    kind = KIND
    name = "trino"
    spelling = TrinoSpelling()
    cancels_cursor = True

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        try:
            return super().describe(relation, deadline)
        except EngineError as error:  # only here is it about what a user wrote
            raise query_error(KIND, error.details.get("met")) from error

    def _stop(self) -> None:
        self._cursor.cancel()

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        self._cursor = self._connection.connect(seconds).cursor()
        return self._cursor.execute(text, list(parameters) or None)

    def _describe_column(self, column: Any) -> DescribedColumn:
        name, arguments = _parse_type(str(column[1]))
        physical = TYPES.get(name)
        if name == "decimal":
            physical = find_decimal_type(*arguments) if arguments else None
        elif name in ("timestamp", "timestamp with time zone"):
            physical = "datetime" if (arguments or [3])[0] <= MICROSECONDS else None
        return DescribedColumn(column[0], physical, str(column[1]))

    def _explain(self, error: Exception) -> ServiceError:
        errors = self._connection.module.exceptions
        name = getattr(error, "error_name", None)
        if isinstance(name, str):
            refused = EngineError(f"{KIND.title} refused a statement that only reads.", engine=KIND.type, met=name)
            return explain_code(KIND, CAUSES, name) or refused
        if isinstance(error, errors.TrinoAuthError):
            return connection_error(KIND, "login_refused")
        if isinstance(error, errors.TrinoConnectionError):
            if is_certificate_error(error):
                return certificate_error(KIND)
            return connection_error(KIND, "lost" if self.name != type(self).name else "unreachable")
        status = re.match(r"error (\d{3})", str(error)) if isinstance(error, errors.HttpError | errors.Error) else None
        if status is None:
            return connection_error(KIND, "malformed")
        reasons: dict[str, Failure] = {"401": "login_refused", "403": "not_allowed"}
        return connection_error(KIND, reasons.get(status[1], "lost" if status[1] >= "500" else "malformed"))


def _parse_type(text: str) -> tuple[str, list[int]]:
    """Split `timestamp(6) with time zone` into its name and its numbers."""
    numbers = re.search(r"\(([\d, ]+)\)", text)
    name = re.sub(r"\s*\([^)]*\)", "", text).strip().lower()
    return name, [] if numbers is None else [int(number) for number in numbers[1].split(",")]


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link)
