"""Google BigQuery, by its own client.

What keeps a query from writing: an account that may only read data and run jobs, one parsed SELECT, and a dry run
before every run, in which BigQuery itself says that the statement is a SELECT and how many bytes it would read. A run
is then bound to a number of bytes and to a time, by the server.
"""

from __future__ import annotations

import datetime
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import ModuleType
from typing import Any, ClassVar

from sqlglot import exp

from service_nb.connectors.base import (
    Cause,
    Connector,
    DescribedColumn,
    Row,
    connection_error,
    count_seconds_left,
    explain_code,
    import_driver,
    query_error,
    timeout_error,
)
from service_nb.connectors.bounds import limit_session
from service_nb.connectors.options import read_option, require
from service_nb.connectors.sql_link import BATCH, DriverLink, find_decimal_type, translate_faults
from service_nb.connectors.web import read_url
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import EngineError, InvalidIntentError, LimitExceededError, ServiceError
from service_nb.query.spelling import KINDS, Spelling
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import Field

KIND = Kind(
    type="bigquery",
    title="BigQuery",
    group="warehouse",
    keys=("database", "connection_string", "table", "query"),
    options={
        "project": "The project that is billed for queries, and where tables without a project are.",
        "location": "Where jobs run, such as EU; the data set's own by default.",
        "credentials": "The JSON of a service account's key; only an emulator is asked without.",
        "maximum_bytes_billed": "Bytes that one query may read; 100 GB by default.",
        "endpoint": "Another address of the API: a private one in https, or an emulator's in http on this machine.",
    },
    secrets=("credentials",),
    extra="bigquery",
    driver="google.cloud.bigquery",
    dialect="bigquery",
    dsn=Dsn(
        form="bigquery://project/dataset?location=EU&credentials_base64=…",
        schemes={"bigquery": {}},
        host="project",
        options=("location", "maximum_bytes_billed"),
        encoded={"credentials_base64": "credentials"},
    ),
)
# Of a key, what signing needs; a file could also name a server to send requests for tokens to.
KEY = ("type", "project_id", "private_key_id", "private_key", "client_email", "client_id")
HOME = "https://bigquery.googleapis.com"
TOKENS = "https://oauth2.googleapis.com/token"
SCOPE = "https://www.googleapis.com/auth/bigquery"
LOCAL = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 100 * 10**9
BYTES = "maximum_bytes_billed"
CAUSES: Mapping[str, Cause] = {
    "NotFound": "absent",
    "Forbidden": "not_allowed",
    **dict.fromkeys(("Unauthorized", "RefreshError", "TransportError"), "login_refused"),
    **dict.fromkeys(("TimeoutError", "Timeout", "ReadTimeout", "Cancelled"), "stopped"),
    **dict.fromkeys(
        ("ConnectionError", "RetryError", "ConnectTimeout", "ServiceUnavailable", "BadGateway"), "unreachable"
    ),
    **dict.fromkeys(("TooManyRedirects", "JSONDecodeError", "InvalidJSONError"), "malformed"),
    **dict.fromkeys(("AttributeError", "KeyError", "TypeError"), "malformed"),
}
TYPES: Mapping[str, str] = {
    "STRING": "string",
    "INTEGER": "int64",
    "INT64": "int64",
    "FLOAT": "float64",
    "FLOAT64": "float64",
    "BOOLEAN": "boolean",
    "BOOL": "boolean",
    "DATE": "date",
    "DATETIME": "datetime",
    "TIMESTAMP": "datetime",
}
NUMERIC = (38, 9)  # digits of NUMERIC, and those of them after the point, where a column does not say
BOUND = (
    *((bool, "BOOL"), (int, "INT64"), (float, "FLOAT64"), (str, "STRING")),
    *((datetime.datetime, "DATETIME"), (datetime.date, "DATE")),
)


def open_link(descriptor: Descriptor, deadline: float) -> BigQueryLink:
    """Return a client whose queries cannot write; the first of them is a dry run."""
    module = import_driver(KIND)
    project = require(KIND, "project", read_option(descriptor, "project"))
    endpoint = _read_endpoint(descriptor)
    options = {"api_endpoint": endpoint} if endpoint else None
    with translate_faults(lambda _: connection_error(KIND, "misconfigured")):
        client = module.Client(
            project=project,
            credentials=build_credentials(descriptor, endpoint),
            location=read_option(descriptor, "location"),
            client_options=options,
        )
    client._http.max_redirects = 0  # noqa: SLF001  # whom it may speak to was decided by the endpoint
    link = BigQueryLink(client, module, _read_byte_limit(descriptor), descriptor.database)
    link.describe(exp.select("1 AS one").subquery("t"), deadline)  # a wrong address or account is found now
    return link


def find_hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where the driver is told to connect to."""
    return (read_url(_read_endpoint(descriptor) or HOME, "endpoint").host,)


def _read_endpoint(descriptor: Descriptor) -> str | None:
    """Return another address of the API; one without encryption is an emulator's on this machine."""
    given = read_option(descriptor, "endpoint")
    if given is None:
        return None
    url = read_url(given, "endpoint")
    if url.scheme == "https" or url.host in LOCAL:
        return given
    raise InvalidIntentError(
        "`endpoint` is not a BigQuery address.", path="connector.endpoint", expected="https://host"
    )


def build_credentials(descriptor: Descriptor, endpoint: str | None) -> object:
    """Build the credentials from the descriptor, never from the deployment itself, which all users share."""
    if endpoint is not None and endpoint.startswith("http://"):
        return import_driver(
            KIND, "google.auth.credentials"
        ).AnonymousCredentials()  # nothing secret without encryption
    given = descriptor.options.get("credentials")
    if not isinstance(given, Secret):
        raise InvalidIntentError(
            "BigQuery needs the key of a service account.", path="connector.credentials", expected="its JSON"
        )
    accounts = import_driver(KIND, "google.oauth2.service_account")
    try:
        key = json.loads(given.reveal())
        kept = {name: key[name] for name in KEY if isinstance(key.get(name), str)}
        return accounts.Credentials.from_service_account_info({**kept, "token_uri": TOKENS}, scopes=[SCOPE])
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise connection_error(
            KIND, "misconfigured", hint="credentials is not the JSON of a service account."
        ) from None


def _read_byte_limit(descriptor: Descriptor) -> int:
    text = read_option(descriptor, "maximum_bytes_billed", str(MOST_BYTES)) or ""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 2**63:
        raise InvalidIntentError(
            f"maximum_bytes_billed is {describe_value(text)}; expected a number of bytes.",
            path="connector.maximum_bytes_billed",
        )
    return int(text)


class BigQuerySpelling(Spelling):
    """GoogleSQL. FLOAT64 is binary64. Sums of INT64 raise beyond 64 bits, so integers are summed as BIGNUMERIC.

    BIGNUMERIC has 38 digits before the point and 38 after it: the sum of more than 10**9 of the largest values that a
    NUMERIC holds is beyond that, and raises. Columns with a collation are refused by the link, so text compares by its
    bytes.
    """

    dialect = "bigquery"
    quoted = True
    types: ClassVar = {
        "int64": "int64",
        "float64": "float64",
        "string": "string",
        "boolean": "bool",
        "datetime": "datetime",
    }
    casts_operands = KINDS
    limb_type = "bignumeric"
    place_call, contains_call = "STRPOS", ""

    def find_type(self, physical: str) -> exp.DataType:
        """Find the type; NUMERIC for decimals that fit into its digits before and after the point."""
        if not physical.startswith("decimal("):
            return super().find_type(physical)
        precision, scale = map(int, physical[len("decimal(") : -1].split(","))
        fits = precision - scale <= 29 and scale <= 9
        return exp.DataType.build("numeric" if fits else "bignumeric", dialect="bigquery")

    def read(self, field: Field, column: exp.Expr) -> exp.Expr:
        """Read a TIMESTAMP as a DATETIME in UTC."""
        return exp.cast(column, self.find_type("datetime")) if field.physical == "datetime" else column

    def is_within(self, value: exp.Expr, bound: float) -> exp.Expr:
        """Leave NaN out by its name."""
        near = super().is_within(value.copy(), bound)
        return exp.and_(near, exp.not_(self.is_nan(value)), copy=False)

    def build_wide_sum(self, field: Field, value: exp.Expr) -> exp.Expr | None:  # noqa: ARG002
        """Build the sum as BIGNUMERIC."""
        return self.build_limb_sum(value)


class BigQueryLink(DriverLink):
    """Queries through one client."""

    kind = KIND
    name = "bigquery"
    spelling = BigQuerySpelling()
    cancels_cursor = True

    def __init__(self, client: Any, module: ModuleType, most_bytes: int, dataset: str | None) -> None:
        super().__init__(client)
        self._module = module
        self._most_bytes = most_bytes
        self._dataset = dataset if dataset is None or "." in dataset else f"{client.project}.{dataset}"

    def _execute(self, text: str, parameters: Sequence[object], seconds: float) -> object:
        deadline = time.monotonic() + seconds
        answer = self._cursor = _Answer(deadline)
        values = [self._build_parameter(value) for value in parameters]
        answer.description = self._check_statement(text, values, deadline).schema
        if self._is_description(text):  # nothing runs, and nothing is billed
            return answer
        seconds = count_seconds_left(deadline)
        config = self._build_config(values)
        config.maximum_bytes_billed = self._most_bytes
        config.job_timeout_ms = math.ceil(seconds * 1000)
        answer.job = self._connection.query(text, job_config=config, timeout=seconds, retry=None, job_retry=None)
        found = answer.job.result(page_size=BATCH, timeout=count_seconds_left(deadline), retry=None, job_retry=None)
        answer.description, answer.rows = found.schema, iter(found)
        return answer

    def _check_statement(self, text: str, values: list[object], deadline: float) -> Any:
        """Have the statement understood and weighed, and refuse it unless it is one SELECT."""
        limit_session(self._connection._http, deadline, KIND.title)  # noqa: SLF001  # the library shows its session nowhere else
        config = self._build_config(values)
        config.dry_run = True
        config.use_query_cache = False
        seconds = count_seconds_left(deadline)
        job = self._connection.query(text, job_config=config, timeout=seconds, retry=None, job_retry=None)
        if job.statement_type != "SELECT":
            raise EngineError("BigQuery classified a SELECT as another kind of statement.", engine=self.name)
        weight = job.total_bytes_processed or 0
        if weight > self._most_bytes:
            raise LimitExceededError(
                f"The question would read {weight:,} bytes; at most {self._most_bytes:,} are allowed.",
                hint="Narrow it, or raise `maximum_bytes_billed` of the connector.",
                limit=self._most_bytes,
                value=weight,
            )
        return job

    def _build_config(self, values: list[object]) -> Any:
        config = self._module.QueryJobConfig(query_parameters=values, use_legacy_sql=False)
        if self._dataset is not None:
            config.default_dataset = self._dataset
        return config

    def _build_parameter(self, value: object) -> object:
        name = next((name for kind, name in BOUND if isinstance(value, kind)), "BIGNUMERIC")
        return self._module.ScalarQueryParameter(None, name, value)

    def _describe_column(self, column: Any) -> DescribedColumn:
        return describe_column(column)

    def _stop(self) -> None:
        """Ask the server to end what runs; it is not waited for."""
        if self._cursor.job is not None:
            self._cursor.job.cancel(retry=None, timeout=1)

    def _explain(self, error: Exception) -> ServiceError:
        name, text = type(error).__name__, str(error)
        if "bytesBilledLimitExceeded" in text and name != "NotFound":
            return LimitExceededError("The question would read more bytes than are allowed.", limit_name=BYTES)
        is_late = "stopped" in text or "timeout" in text.lower()
        if is_late and CAUSES.get(name) in (None, "unreachable", "malformed"):
            return timeout_error()
        return explain_code(KIND, CAUSES, name) or query_error(
            KIND, getattr(getattr(error, "code", None), "name", None)
        )


class _Answer:
    """The rows of a job, in the shape of a driver's cursor."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self.job: Any = None
        self.rows: Iterator[Any] = iter(())
        self.description: Sequence[object] = ()

    def fetchmany(self, size: int) -> list[Row]:
        count_seconds_left(self._deadline)
        return [row.values() for row in islice(self.rows, size)]

    def close(self) -> None:
        """Leave the job alone: it has ended, or ends at its own limit of time."""


def describe_column(column: Any) -> DescribedColumn:
    """Return a column of a schema with its physical type; None where it has none."""
    kind = column.field_type
    if column.to_api_repr().get("collation"):
        return DescribedColumn(
            column.name, None, f"{kind} with a collation", "Select it as COLLATE(column, '') in a query."
        )
    if column.mode == "REPEATED":
        return DescribedColumn(column.name, None, f"ARRAY<{kind}>")
    physical = TYPES.get(kind)
    if kind in ("NUMERIC", "DECIMAL") and column.precision is None:
        physical = find_decimal_type(*NUMERIC)
    elif kind in ("NUMERIC", "DECIMAL", "BIGNUMERIC", "BIGDECIMAL"):
        physical = find_decimal_type(column.precision, column.scale or 0)
    return DescribedColumn(column.name, physical, kind, is_instant=kind == "TIMESTAMP")


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
