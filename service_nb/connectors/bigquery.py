"""Google BigQuery, by its own client.

What keeps a query from writing: an account that may only read data and run jobs, one parsed SELECT, and a dry run
before every run, in which BigQuery itself says that the statement is a SELECT and how many bytes it would read. A run
is then bound to a number of bytes and to a time, by the server.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, ClassVar

import pyarrow as pa
from sqlglot import exp

from service_nb.connectors.arguments import read_option, require
from service_nb.connectors.base import (
    Connector,
    DescribedColumn,
    SqlLink,
    connection_error,
    count_seconds_left,
    describe_columns,
    import_driver,
    missing_table_error,
    query_error,
    timeout_error,
)
from service_nb.connectors.bounds import limit_session
from service_nb.connectors.sql_link import BATCH, build_batch, convert_value, find_decimal_type, mark_question, render
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
LATE = ("TimeoutError", "Timeout", "ReadTimeout", "Cancelled")
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
BOUND = ((bool, "BOOL"), (int, "INT64"), (float, "FLOAT64"), (str, "STRING"))
TIMES = ((datetime.datetime, "DATETIME"), (datetime.date, "DATE"))


def open_link(descriptor: Descriptor, deadline: float) -> BigQueryLink:
    """Return a client whose queries cannot write; the first of them is a dry run."""
    module = import_driver(KIND)
    project = require(KIND, "project", read_option(descriptor, "project"))
    endpoint = _read_endpoint(descriptor)
    options = {"api_endpoint": endpoint} if endpoint else None
    try:
        credentials = build_credentials(descriptor, endpoint)
        client = module.Client(
            project=project,
            credentials=credentials,
            location=read_option(descriptor, "location"),
            client_options=options,
        )
    except ServiceError:
        raise
    except Exception:  # noqa: BLE001  # of modules that are loaded only here
        raise connection_error(KIND, "misconfigured") from None
    client._http.max_redirects = 0  # noqa: SLF001  # whom it may speak to was decided by the endpoint
    link = BigQueryLink(client, module, _read_byte_limit(descriptor), descriptor.database)
    link.greet(deadline)
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


class BigQueryLink(SqlLink):
    """Queries through one client."""

    name = "bigquery"

    def __init__(self, client: Any, module: Any, most_bytes: int, dataset: str | None) -> None:
        self.spelling = BigQuerySpelling()
        self._client, self._module = client, module
        self._most_bytes = most_bytes
        self._dataset = dataset if dataset is None or "." in dataset else f"{client.project}.{dataset}"
        self._job: Any = None

    def greet(self, deadline: float) -> None:
        """Have one statement understood, so that a wrong address or account is found now."""
        with self._faults():
            self._check_statement("SELECT 1 AS one", [], deadline)

    def describe(self, relation: exp.Expr, deadline: float) -> tuple[Field, ...]:
        """Return the columns of a table or subquery; nothing runs, and nothing is billed."""
        tree = exp.select("*").from_(relation.copy())
        text, _ = render(tree, (), dialect=self.spelling.dialect, mark=mark_question)
        with self._faults():
            found = describe_columns(
                KIND, relation, map(describe_column, self._check_statement(text, [], deadline).schema)
            )
        self.left_out = found.left_out
        return found.fields

    def rows(self, tree: exp.Select, parameters: Sequence[Any], most: int, deadline: float) -> list[tuple[Any, ...]]:
        """Run one SELECT and return its rows, `most` + 1 of them at most."""
        with self._faults():
            found = self._run(tree, parameters, deadline)
            return [tuple(map(convert_value, row.values())) for row in islice(found, most + 1)]

    def batches(self, tree: exp.Select, parameters: Sequence[object], deadline: float) -> Iterator[pa.RecordBatch]:
        """Run one SELECT and yield its rows in bounded batches."""
        with self._faults():
            found = self._run(tree, parameters, deadline)
            fields, rows = describe_columns(KIND, None, map(describe_column, found.schema)).fields, iter(found)
            while batch := [row.values() for row in islice(rows, BATCH)]:
                count_seconds_left(deadline)
                yield build_batch(batch, fields)

    def cancel(self) -> None:
        """Ask the server to end what runs; it is not waited for."""
        job = self._job
        with suppress(Exception):
            if job is not None:
                job.cancel(retry=None, timeout=1)

    def close(self) -> None:
        """Let go of connections."""
        with suppress(Exception):
            self._client.close()

    # --- one statement ----------------------------------------------------------------------------------------------

    def _run(self, tree: exp.Select, parameters: Sequence[Any], deadline: float) -> Any:
        text, given = render(tree, parameters, dialect=self.spelling.dialect, mark=mark_question)
        values = [self._bound(value) for value in given]
        self._check_statement(text, values, deadline)
        seconds = count_seconds_left(deadline)
        config = self._config(values)
        config.maximum_bytes_billed = self._most_bytes
        config.job_timeout_ms = math.ceil(seconds * 1000)
        self._job = self._client.query(text, job_config=config, timeout=seconds, retry=None, job_retry=None)
        return self._job.result(page_size=BATCH, timeout=count_seconds_left(deadline), retry=None, job_retry=None)

    def _check_statement(self, text: str, values: list[Any], deadline: float) -> Any:
        """Have the statement understood and weighed, and refuse it unless it is one SELECT."""
        limit_session(self._client._http, deadline, KIND.title)  # noqa: SLF001  # the library shows its session nowhere else
        config = self._config(values)
        config.dry_run = True
        config.use_query_cache = False
        job = self._client.query(
            text, job_config=config, timeout=count_seconds_left(deadline), retry=None, job_retry=None
        )
        if job.statement_type != "SELECT":
            raise EngineError("A statement that reads was understood as something else.", engine=self.name)
        weight = job.total_bytes_processed or 0
        if weight > self._most_bytes:
            raise LimitExceededError(
                f"The question would read {weight:,} bytes; at most {self._most_bytes:,} are allowed.",
                hint="Narrow it, or raise `maximum_bytes_billed` of the connector.",
                limit=self._most_bytes,
                value=weight,
            )
        return job

    def _config(self, values: list[Any]) -> Any:
        config = self._module.QueryJobConfig(query_parameters=values, use_legacy_sql=False)
        if self._dataset is not None:
            config.default_dataset = self._dataset
        return config

    def _bound(self, value: Any) -> Any:
        for kind, name in (*BOUND, *TIMES):
            if isinstance(value, kind):
                return self._module.ScalarQueryParameter(None, name, value)
        return self._module.ScalarQueryParameter(None, "BIGNUMERIC", value)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001  # of three libraries, each with errors of its own
            raise _explain(error) from None  # the client's text names project, account and query
        finally:
            self._job = None


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
    if kind in ("NUMERIC", "DECIMAL"):
        given = column.precision is not None
        physical = find_decimal_type(column.precision, column.scale or 0) if given else find_decimal_type(*NUMERIC)
    elif kind in ("BIGNUMERIC", "BIGDECIMAL"):
        physical = find_decimal_type(column.precision, column.scale or 0)
    return DescribedColumn(column.name, physical, kind)


def _explain(error: Exception) -> ServiceError:
    name, text = type(error).__name__, str(error)
    if name == "NotFound":
        return missing_table_error(KIND)
    if name == "Forbidden":
        return connection_error(KIND, "not_allowed")
    if name in ("Unauthorized", "RefreshError", "TransportError"):
        return connection_error(KIND, "login_refused")
    if "bytesBilledLimitExceeded" in text:
        return LimitExceededError("The question would read more bytes than are allowed.", limit_name=BYTES)
    if name in LATE or "stopped" in text or "timeout" in text.lower():
        return timeout_error()
    if name in ("ConnectionError", "RetryError", "ConnectTimeout", "ServiceUnavailable", "BadGateway"):
        return connection_error(KIND, "unreachable")
    if name in ("TooManyRedirects", "JSONDecodeError", "InvalidJSONError", "AttributeError", "KeyError", "TypeError"):
        return connection_error(KIND, "malformed")
    return query_error(KIND, getattr(getattr(error, "code", None), "name", None))


CONNECTOR = Connector(kind=KIND, reads_files=False, open_link=open_link, find_hosts=find_hosts)
