"""Snowflake, by its own driver.

What keeps a session from writing: a role that may only select, one parsed SELECT a call (the server runs no second
statement of a text unless it is told how many there are), and a limit of time that the server holds.

The driver copies files of this machine wherever a server's answer says, and writes any that it sends: the cursors here
do neither, whoever answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from types import ModuleType
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    connection_error,
    count_whole_seconds,
    explain_code,
    import_driver,
    query_error,
)
from service_nb.connectors.options import read_choice, read_option, require
from service_nb.connectors.sql_link import DriverLink, find_decimal_type, translate_faults
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, ServiceError, SourceMalformedError
from service_nb.query.spelling import KINDS, MOST_DIGITS, MOST_SUMMED, Spelling, call, is_null
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import Field

KIND = Kind(
    type="snowflake",
    title="Snowflake",
    group="warehouse",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "account": "The account's identifier, as in `<account>.snowflakecomputing.com`.",
        "warehouse": "The warehouse that computes.",
        "schema": "The schema that tables are searched in.",
        "role": "The role, which should only have USAGE and SELECT.",
        "private_key": "A private key in PEM, instead of a password.",
        "private_key_passphrase": "What that key is encrypted with.",
        "token": "A programmatic access token, instead of a password.",
        "protocol": "https (the default); http for an emulator on this machine.",
    },
    secrets=("private_key", "private_key_passphrase", "token"),
    extra="snowflake",
    driver="snowflake.connector",
    dialect="snowflake",
    dsn=Dsn(
        form="snowflake://user:password@account/database/schema?warehouse=…&role=…",
        schemes={"snowflake": {}},
        host="account",
        suffix=".snowflakecomputing.com",
        path=("database", "schema"),
        options=("warehouse", "role", "token"),
    ),
)
FIXED, WITH_LOCAL_ZONE, WITH_OFFSET = 0, 6, 7  # the driver's types: NUMBER, TIMESTAMP_LTZ, TIMESTAMP_TZ
TYPES: Mapping[int, str] = {
    1: "float64",
    2: "string",
    3: "date",
    13: "boolean",
    **dict.fromkeys((4, 6, 7, 8), "datetime"),
}
NAMES: Mapping[int, str] = {
    0: "NUMBER",
    5: "VARIANT",
    9: "OBJECT",
    10: "ARRAY",
    11: "BINARY",
    12: "TIME",
    14: "GEOGRAPHY",
    15: "GEOMETRY",
    16: "VECTOR",
    17: "MAP",
}
OWN = (".snowflakecomputing.com", ".snowflakecomputing.cn")  # other hosts are for the configuration to allow
LOCAL = ("127.0.0.1", "localhost", "::1")
ACCOUNT = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,3}")
LOGIN = (250001, 390100, 390144, 390318, 394304)
CAUSES: Mapping[object, Cause] = {
    **dict.fromkeys((604, 630, 601), "stopped"),  # by its limit of time or by us
    **dict.fromkeys((2003, 2043, 904), "absent"),
    **dict.fromkeys((3001, 3540), "not_allowed"),
    **dict.fromkeys((250003, 250006, 251012, 290404, 251011), "lost"),
}
TOO_FINE = "is too fine"  # in the text of the error of a time that a result cannot hold


def open_link(descriptor: Descriptor, deadline: float) -> SnowflakeLink:
    """Open a session that cannot write."""
    module = import_driver(KIND)
    given = {**_build_address_options(descriptor), **_login_options(descriptor)}
    seconds = count_whole_seconds(deadline)
    with translate_faults(_login_error):
        connection = module.connect(
            **given,
            login_timeout=seconds,
            network_timeout=seconds,
            socket_timeout=seconds,
            paramstyle="qmark",  # values are bound by the server, and never written into the text
            client_session_keep_alive=False,
            application="service_nb",
            session_parameters={
                "TIMEZONE": "UTC",
                "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "ARROW",  # JSON would show doubles in too few digits
                "STATEMENT_TIMEOUT_IN_SECONDS": seconds,
                "CLIENT_TELEMETRY_ENABLED": False,
                "ROWS_PER_RESULTSET": 0,  # an account that is set to some would leave the others out, without a word
                "QUERY_TAG": "service-nb",
            },
        )
    return SnowflakeLink(connection, _build_cursor_class(module))


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    where = _build_address_options(descriptor)
    return (str(where.get("host") or f"{where['account']}.snowflakecomputing.com"),)


@cache
def _build_cursor_class(module: ModuleType) -> type[Any]:
    """Return the driver's kind of cursor, without what moves files."""

    class Reading(module.cursor.SnowflakeCursor):  # type: ignore[misc,name-defined]  # of a module found late
        def _create_file_transfer_agent(self, *_: object, **__: object) -> object:
            raise connection_error(KIND, "malformed", hint="It answered with an order to copy files.")

    return Reading


def _build_address_options(descriptor: Descriptor) -> dict[str, object]:
    account = require(KIND, "account", read_option(descriptor, "account"))
    if not ACCOUNT.fullmatch(account):  # it becomes the beginning of a host
        raise InvalidIntentError(
            f"The account is {describe_value(account)}; expected an identifier.",
            path="connector.account",
            met=describe_value(account),
            expected="organisation-account",
        )
    given: dict[str, object] = {
        "account": account,
        "database": require(KIND, "database", descriptor.database),
        "host": descriptor.host,
        "port": descriptor.port,
        **{key: read_option(descriptor, key) for key in ("warehouse", "schema", "role")},
    }
    if read_choice(KIND, descriptor, "protocol", ("https", "http")) == "http":
        if descriptor.host not in LOCAL:
            raise connection_error(KIND, "misconfigured", hint="Without encryption only this machine is spoken to.")
        given["protocol"] = "http"
    return {key: value for key, value in given.items() if value is not None}


def _login_options(descriptor: Descriptor) -> dict[str, object]:
    given: dict[str, object] = {"user": require(KIND, "user", descriptor.user)}
    secrets = {key: value.reveal() for key, value in descriptor.options.items() if isinstance(value, Secret)}
    if "private_key" in secrets:
        given["private_key"] = _read_private_key(secrets["private_key"], secrets.get("private_key_passphrase"))
    elif "token" in secrets:
        given |= {"authenticator": "PROGRAMMATIC_ACCESS_TOKEN", "token": secrets["token"]}
    elif descriptor.password is not None:
        given["password"] = descriptor.password.reveal()
    return given


def _read_private_key(text: str, passphrase: str | None) -> bytes:
    """Return a key in PEM as the driver wants it."""
    serialization = import_driver(KIND, "cryptography.hazmat.primitives.serialization")
    try:
        key = serialization.load_pem_private_key(text.encode(), passphrase.encode() if passphrase else None)
    except (ValueError, TypeError):
        raise connection_error(
            KIND, "misconfigured", hint="`private_key` is not a PEM key, or its passphrase is wrong."
        ) from None
    der: bytes = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return der


def _login_error(error: Exception) -> ServiceError:
    number = getattr(error, "errno", None)
    text = str(error)
    if number in LOGIN and "Could not connect" not in text and "timeout" not in text.lower():
        return connection_error(KIND, "login_refused", code=str(number))
    return connection_error(KIND, "timed_out" if "timed out" in text or "timeout" in text.lower() else "unreachable")


class SnowflakeSpelling(Spelling):
    """FLOAT is binary64, NaN equal to itself and the largest. Sums of NUMBER have 38 digits and raise beyond.

    Text is compared as its bytes in UTF-8, for a column, schema or account may have a collation. The link sets the
    session's time zone to UTC.
    """

    dialect = "snowflake"
    quoted = True
    types: ClassVar = {"datetime": "timestamp_ntz"}
    casts_columns = quotes_doubles = is_nan_equal = True
    casts_operands = KINDS
    limb_type = "decimal(38,0)"
    most_summed, summed_digits = MOST_SUMMED, MOST_DIGITS
    prefix_call = "STARTSWITH"

    def build_nonfinite(self, value: float) -> exp.Expr:
        """Build NaN or an infinity by the name that it has here."""
        name = "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return exp.cast(exp.Literal.string(name), self.find_type("float64"))

    def convert_operand(self, value: object) -> object:
        """Return the operand as the driver takes it: digits, which are cast, of a decimal."""
        return format(value, "f") if isinstance(value, Decimal) else value

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read a column as a value of exactly the field's physical type; a time finer than a result's raises."""
        if field.physical != "datetime":
            return super().read(field, column)
        moment = exp.cast(column, self.find_type("datetime"))
        whole = exp.EQ(this=call("DATE_TRUNC", exp.Literal.string("microsecond"), moment.copy()), expression=moment)
        # No text that ends so is a time: the cast is what says that the column cannot be read without a loss.
        finer = exp.DPipe(this=exp.cast(column.copy(), "varchar"), expression=exp.Literal.string(f" {TOO_FINE}"))
        kept = exp.Case().when(exp.or_(is_null(column.copy()), whole, copy=False), moment.copy(), copy=False)
        return kept.else_(exp.cast(finer, self.find_type("datetime")), copy=False)

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Convert a text to its bytes in UTF-8."""
        return exp.ToBinary(this=value, format=exp.Literal.string("UTF-8"))

    def unwrap_text(self, text: exp.Expr) -> exp.Expr:
        """Return the characters that bytes were made of, without a collation, which the search would follow."""
        return call("COLLATE", text.this, exp.Literal.string(""))


class SnowflakeLink(DriverLink):
    """A session with Snowflake."""

    kind = KIND
    name = "snowflake"
    spelling = SnowflakeSpelling()
    cancels_cursor = True

    def __init__(self, connection: Any, cursors: type[Any]) -> None:
        super().__init__(connection)
        self._cursors = cursors

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        limit = max(1, math.ceil(seconds))
        cursor = self._cursor = self._connection.cursor(self._cursors)
        server_limit = {"STATEMENT_TIMEOUT_IN_SECONDS": str(limit)}
        cursor.execute(text, tuple(parameters) or None, timeout=limit, num_statements=1, _statement_params=server_limit)
        return cursor

    def _describe_column(self, column: Any) -> DescribedColumn:
        physical, cast = TYPES.get(column.type_code), None
        if column.type_code == FIXED:
            physical = find_decimal_type(column.precision, column.scale)
        elif column.type_code == WITH_OFFSET:  # read as its time in UTC
            in_utc = call("CONVERT_TIMEZONE", exp.Literal.string("UTC"), exp.column(column.name, quoted=True))
            cast = exp.cast(in_utc, exp.DataType(this=exp.DataType.Type.TIMESTAMPNTZ))
        name, is_instant = NAMES.get(column.type_code, "unknown"), column.type_code in (WITH_LOCAL_ZONE, WITH_OFFSET)
        return DescribedColumn(column.name, physical, name, cast=cast, is_instant=is_instant)

    def _stop(self) -> None:
        if self._cursor.sfqid:
            self._connection.cursor().abort_query(self._cursor.sfqid)

    def _explain(self, error: Exception) -> ServiceError:
        number = getattr(error, "errno", None)
        if found := explain_code(KIND, CAUSES, number):
            return found
        if TOO_FINE in str(error):
            return SourceMalformedError("A column holds times finer than a microsecond.", expected="whole microseconds")
        if type(error).__name__ in ("OperationalError", "InterfaceError"):
            return connection_error(KIND, "lost", code=str(number))
        return query_error(KIND, str(number))


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts, own_hosts=OWN)
