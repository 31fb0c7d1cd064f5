"""Microsoft SQL Server and Azure SQL, by Microsoft's own driver.

`ApplicationIntent=ReadOnly` only chooses a replica and forbids nothing. What keeps a session from writing: a login
that may only read (`db_datareader`), one parsed SELECT a statement, and a transaction that is always rolled back.
"""

from __future__ import annotations

import datetime
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest
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
from service_nb.connectors.options import check_host, dsn_error, parse_port, read_choice, read_password, require
from service_nb.connectors.sql_link import DriverLink, RowCursor, convert_value, find_decimal_type, translate_faults
from service_nb.errors import ServiceError
from service_nb.query.spelling import HALF, KINDS, LARGEST, MOST_DIGITS, MOST_SUMMED, Spelling, Summand, call, is_null
from service_nb.schema.connector import Descriptor, Kind
from service_nb.schema.source import Field, Value

KIND = Kind(
    type="mssql",
    title="SQL Server",
    group="relational",
    keys=("host", "port", "database", "user", "password", "connection_string", "table", "query"),
    options={
        "encrypt": "yes (the default), strict (TDS 8), or no.",
        "trust_server_certificate": "no (the default), or yes: any certificate is good enough.",
    },
    extra="mssql",
    driver="mssql_python",
    dialect="tsql",
    port=1433,
)
LIBRARY = "Its driver needs libltdl7 (Debian, Ubuntu) or libtool-ltdl (Red Hat) on the deployment's machine."
FINEST = 6  # digits of a second that a result holds
# What the driver calls the SQLSTATEs that tell something about the connection, not about the statement.
LOGIN = ("Invalid authorization specification", "Server rejected the connection", "Invalid catalog name")
LATE = ("Timeout expired", "Connection timeout expired", "Operation canceled")
CONNECTION = "Server=tcp:host,1433;Database=…;UID=…;PWD={…};Encrypt=yes"
# The keys of a connection string that are taken, as ODBC and ADO.NET spell them. All others are refused: there are
# those that read or attach files, log in as whom the deployment runs as, or load libraries.
KEYS: Mapping[str, str] = {
    **dict.fromkeys(("server", "addr", "address", "data source"), "server"),
    **dict.fromkeys(("database", "initial catalog"), "database"),
    **dict.fromkeys(("uid", "user id", "user"), "uid"),
    **dict.fromkeys(("pwd", "password"), "pwd"),
    "encrypt": "encrypt",
    **dict.fromkeys(("trustservercertificate", "trust server certificate"), "trust_server_certificate"),
    **dict.fromkeys(("applicationintent", "application intent"), "intent"),  # it is ReadOnly, whatever is written
    **dict.fromkeys(("app", "application name"), "app"),
}
WORDS: Mapping[str, str] = {"true": "yes", "mandatory": "yes", "false": "no", "optional": "no"}
PART = re.compile(  # possessive: a text of nothing but blanks is read once
    r"\s*+(?:;|(?P<key>[^=;{}]++)=\s*+(?:\{(?P<braced>(?:[^}]|\}\})*)\}|(?P<plain>[^;{}]*+))\s*+(?:;|\Z))"
)
CAUSES: Mapping[str, Cause] = {
    **dict.fromkeys(LATE, "stopped"),
    **dict.fromkeys(("Communication link failure", "Connection not open"), "lost"),
    "Connection failure during transaction": "lost",
    **dict.fromkeys(("Base table or view not found", "Column not found", "Invalid schema name"), "absent"),
}
BYTES = "Latin1_General_100_BIN2_UTF8"  # a collation whose VARCHAR holds UTF-8 and compares by its bytes
_VARCHAR = exp.DataType.build("varchar(max)", dialect="tsql")
_VARBINARY = exp.DataType.build("varbinary(max)", dialect="tsql")


def open_link(descriptor: Descriptor, deadline: float) -> MssqlLink:
    """Open a session that cannot write."""
    module = import_driver(KIND)
    module.pooling(enabled=False)  # sessions are pooled above, where they are also ended
    text = build_connection_text(descriptor)
    with translate_faults(_login_error):
        connection = module.connect(text, autocommit=False, timeout=count_whole_seconds(deadline))
    return MssqlLink(connection, deadline)


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    return (_find_address(descriptor, _read_dsn(descriptor))[0],)


def _read_dsn(descriptor: Descriptor) -> dict[str, str]:
    return {} if descriptor.connection_string is None else _parse_dsn(descriptor.connection_string.reveal())


def _find_address(descriptor: Descriptor, held: Mapping[str, str]) -> tuple[str, int]:
    host, port = descriptor.host, descriptor.port
    if host is None and "server" in held:
        host, port = _parse_server(held["server"], port)
    return check_host(KIND, require(KIND, "host", host)), port or KIND.port or 0


def build_connection_text(descriptor: Descriptor) -> str:
    """Build the driver's connection string from our keys alone, whatever the user's string holds."""
    held = _read_dsn(descriptor)
    host, port = _find_address(descriptor, held)
    parts = {
        "Server": f"tcp:{host},{port}",
        "Database": require(KIND, "database", descriptor.database or held.get("database")),
        "UID": require(KIND, "user", descriptor.user or held.get("uid")),
        "PWD": held.get("pwd", "") if descriptor.password is None else read_password(descriptor),
        "Encrypt": _switch(descriptor, held, "encrypt", ("yes", "strict", "no")),
        "TrustServerCertificate": _switch(descriptor, held, "trust_server_certificate", ("no", "yes")),
        "ApplicationIntent": "ReadOnly",
    }
    # Braces make every character part of the value, but for the closing one, which is doubled.
    return "".join(f"{key}={{{value.replace('}', '}}')}}};" for key, value in parts.items())


def _switch(descriptor: Descriptor, held: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    if name in descriptor.options or name not in held:
        return read_choice(KIND, descriptor, name, allowed)
    word = held[name].lower()
    value = WORDS.get(word, word)
    if value not in allowed:
        raise dsn_error(KIND, CONNECTION, f"{name} is one of {', '.join(allowed)}.")
    return value


def _parse_dsn(text: str) -> dict[str, str]:
    """Return the parts of a connection string; keys that name files, drivers or other logins are refused."""
    held: dict[str, str] = {}
    place = 0
    while place < len(text.rstrip("; \t\r\n")):
        found = PART.match(text, place)
        if found is None:
            raise dsn_error(KIND, CONNECTION)
        place = found.end()
        if found["key"] is None:
            continue
        key = found["key"].strip().lower()
        if key not in KEYS:
            # Which one is not said: it may be a piece of a password that is not in braces.
            raise dsn_error(KIND, CONNECTION, f"It may have {', '.join(sorted(KEYS))}, and nothing else.")
        value = found["plain"].strip() if found["braced"] is None else found["braced"].replace("}}", "}")
        if held.setdefault(KEYS[key], value) != value:
            raise dsn_error(KIND, CONNECTION, f"{key} is given twice.")
    return held


def _parse_server(text: str, port: int | None) -> tuple[str, int]:
    host, comma, given = text.strip().removeprefix("tcp:").partition(",")
    if "\\" in host:
        raise dsn_error(KIND, CONNECTION, "Name the instance's port instead of the instance: host,port.")
    return check_host(KIND, host.strip(), "connection_string"), port or parse_port(
        KIND, given.strip() if comma else None
    )


def _login_error(error: Exception) -> ServiceError:
    what = getattr(error, "driver_error", "")
    text = str(getattr(error, "ddbc_error", ""))
    if "Failed to load the driver" in text or "could not be loaded" in what:
        return connection_error(KIND, "misconfigured", hint=LIBRARY)
    if type(error).__name__ == "ConnectionStringParseError" or "connection string" in what:
        return connection_error(KIND, "misconfigured", hint="The connection string is malformed.")
    if "Login failed" in text or what in LOGIN:
        return connection_error(KIND, "login_refused")
    return connection_error(KIND, "timed_out") if what in LATE else connection_error(KIND, "unreachable")


class MssqlSpelling(Spelling):
    """T-SQL from 2019 on: UTF-8 collations are needed for text to compare by code point.

    FLOAT is binary64 without NaN, infinities and subnormals; SUM(BIGINT) raises, so integers are summed as DECIMAL.
    Text is compared as the hexadecimal digits of its UTF-8, held as bytes. As text, trailing spaces would not count,
    whatever the collation; as its own bytes, trailing zeros would not.
    """

    dialect = "tsql"
    quoted = True
    nonfinite = ()
    finite_range = (2.2250738585072014e-308, LARGEST)
    types: ClassVar = {"float64": "double", "string": "nvarchar(max)", "boolean": "bit", "datetime": "datetime2(6)"}
    casts_operands = KINDS
    limb_type = "decimal(38,0)"
    most_summed, summed_digits = MOST_SUMMED, MOST_DIGITS

    def build_literal(self, field: Field, value: Value) -> exp.Expr:
        """Build a typed literal; text in Unicode, times without a blank, which a session's language would read."""
        if isinstance(value, bool):
            return exp.cast(exp.Literal.number(int(value)), self.find_type("boolean"))
        if isinstance(value, str):
            return exp.cast(exp.National(this=value), self.find_type("string"))
        if isinstance(value, datetime.date):
            return exp.cast(exp.Literal.string(value.isoformat()), self.find_type(field.physical))
        return super().build_literal(field, value)

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read times with an offset as UTC."""
        if field.physical == "datetime":
            column = exp.AtTimeZone(this=column, zone=exp.Literal.string("UTC"))
        return exp.cast(column, self.find_type(field.physical))

    def build_text(self, value: exp.Expr) -> exp.Expr:
        """Convert a text to the digits of its bytes, themselves as bytes."""
        collated = exp.cast(exp.Collate(this=value, expression=exp.Var(this=BYTES)), _VARCHAR.copy())
        digits = call("CONVERT", _VARCHAR.copy(), exp.cast(collated, _VARBINARY.copy()), exp.Literal.number(2))
        return exp.cast(digits, _VARBINARY.copy())

    def unwrap_text(self, text: exp.Expr) -> exp.Expr:
        """Unwrap the characters in UTF-8: a search in hexadecimal digits could match at half a byte."""
        data: exp.Expr = text.this.expressions[1].this  # CAST(CONVERT(VARCHAR(MAX), CAST(data …), 2) AS VARBINARY(MAX))
        return data.copy()

    def count(self, value: exp.Expr) -> exp.Expr:
        """Count with COUNT_BIG: COUNT overflows at 2**31."""
        return exp.Count(this=value, big_int=True)

    def split(self, field: Field, value: exp.Expr) -> tuple[Summand, ...]:  # noqa: ARG002
        """Split the unscaled value's 38 digits, cut out of its text, in two."""
        digits: exp.Expr = exp.cast(value.copy(), exp.DataType.build("varchar(50)"))
        for sign in (".", "-"):
            digits = call("REPLACE", digits, exp.Literal.string(sign), exp.Literal.string(""))
        zeros = call("REPLICATE", exp.Literal.string("0"), exp.Literal.number(MOST_DIGITS))
        padded = call("RIGHT", call("CONCAT", zeros, digits), exp.Literal.number(MOST_DIGITS))
        negative = exp.LT(this=value, expression=exp.Literal.number(0))
        parts = []
        for start, weight in ((1, 10**HALF), (HALF + 1, 1)):
            cut = call("SUBSTRING", padded.copy(), exp.Literal.number(start), exp.Literal.number(HALF))
            part = exp.cast(cut, exp.DataType.build("decimal(38,0)"))
            signed = exp.Case().when(negative.copy(), exp.Neg(this=part), copy=False).else_(part.copy(), copy=False)
            known = is_null(value.copy(), negated=True)  # CONCAT takes null for no text at all
            parts.append((weight, exp.Case().when(known, signed, copy=False)))
        return tuple(parts)

    def build_contains(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        return self._build_search(text, part, exp.GT(expression=exp.Literal.number(0)))

    def build_starts_with(self, text: exp.Expr, part: exp.Expr) -> exp.Expr:
        return self._build_search(text, part, exp.EQ(expression=exp.Literal.number(1)))

    def _build_search(self, text: exp.Expr, part: exp.Expr, met: exp.Binary) -> exp.Expr:
        """Build the test of the place at which CHARINDEX finds a part. The empty part is tested apart."""
        whole, name = self.unwrap_text(text), exp.to_identifier("p", quoted=True)
        sought = exp.column(name)
        one = exp.Select(expressions=[exp.alias_(self.unwrap_text(part), name.copy(), copy=False)])
        met.set("this", call("CHARINDEX", sought, whole))
        empty = exp.EQ(this=call("DATALENGTH", sought.copy()), expression=exp.Literal.number(0))
        there = is_null(whole.copy(), negated=True)
        found = exp.or_(met, exp.and_(empty, there, copy=False), copy=False)
        inner = exp.Select(expressions=[exp.Literal.number(1).as_("one")])
        named = one.subquery(exp.to_identifier("sought", quoted=True), copy=False)
        return exp.Exists(this=inner.from_(named, copy=False).where(found, copy=False))


class MssqlLink(DriverLink):
    """A session with SQL Server."""

    kind = KIND
    name = KIND.title
    spelling = MssqlSpelling()

    def __init__(self, connection: Any, deadline: float) -> None:
        super().__init__(connection)
        version = "SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128)) AS v"
        with ExitStack() as failed:
            failed.callback(self.close)
            with self._run(version, (), deadline) as cursor:
                self.name = f"mssql {cursor.fetchone()[0]}"
            failed.pop_all()

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        self._begun = True  # the driver begins a transaction by itself
        self._connection.timeout = max(1, math.ceil(seconds))
        self._cursor = self._connection.cursor()
        return self._cursor.execute(text, *([tuple(parameters)] if parameters else []))

    def _convert_value(self, value: object) -> object:
        """Return a value of a result; bytes are the digits of a text's bytes, as the spelling asks for."""
        return convert_value(bytes.fromhex(value.decode()) if isinstance(value, bytes) else value)

    def _end_transaction(self) -> None:
        self._connection.rollback()

    def _describe_columns(self, cursor: RowCursor) -> list[DescribedColumn]:
        """Describe the columns; what the driver takes for texts for want of a better word is told by its number."""
        numbers = getattr(self._cursor, "_column_sql_types", None) or ()
        met = zip_longest(super()._describe_columns(cursor), numbers)
        return [replace(one, physical=None, type=NAMES[number]) if number in NAMES else one for one, number in met]

    def _describe_column(self, column: Any) -> DescribedColumn:
        name, kind, _, _, precision, scale, _ = column
        if kind is datetime.datetime:
            physical = "datetime" if scale is None or scale <= FINEST else None
            return DescribedColumn(name, physical, f"datetime2({scale})")
        if kind is Decimal:
            return DescribedColumn(name, find_decimal_type(precision, scale), f"decimal({precision},{scale})")
        cast = None
        if kind is uuid.UUID:  # read as a text, in the lower case of RFC 9562
            cast = exp.Lower(this=exp.cast(exp.column(name, quoted=True), exp.DataType.build("char(36)")))
        return DescribedColumn(name, TYPES.get(kind), str(getattr(kind, "__name__", kind)), cast=cast)

    def _stop(self) -> None:
        self._cursor.hstmt._cancel()  # noqa: SLF001  # the driver's own way, which it offers under no other name

    def _explain(self, error: Exception) -> ServiceError:
        what = getattr(error, "driver_error", type(error).__name__)
        if found := explain_code(KIND, CAUSES, what):
            return found
        if "permission was denied" in str(getattr(error, "ddbc_error", "")):
            return connection_error(KIND, "not_allowed")
        return query_error(KIND, what)


TYPES: Mapping[object, str] = {
    int: "int64",
    float: "float64",
    bool: "boolean",
    str: "string",
    uuid.UUID: "string",
    datetime.date: "date",
}
NAMES: Mapping[int, str] = {-150: "sql_variant", -151: "of a CLR", -152: "xml"}  # by the driver's numbers


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
