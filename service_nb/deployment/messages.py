"""Declare every message between a client and its deployment: requests first, then answers.

Requests refuse keys that they do not know, and their `repr` shows no values. Answers are read without the keys that a
newer deployment adds. Values of rows and columns are JSON as `schema/source.py` makes it: whole numbers beyond
2**53 - 1, decimals, dates and non-finite numbers are texts, which the physical type of the column says how to read.
What may be any JSON is `Any`: to msgspec, `object` is a type of its own, which has no JSON Schema.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import Decoder

from service_nb.schema.query import AggregationName, DateUnit, Op, Order, Period

MOST_CALLS = 10_000  # of one request
MOST_NAME_CHARS = 1_024
MOST_TEXT_CHARS = 100_000  # of a query, a secret, a condition's text

Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME_CHARS, description="Printable text.")]
Text = Annotated[str, Meta(max_length=MOST_TEXT_CHARS)]
Secretive = Annotated[str | int | bool | None, Meta(description="Never shown again; texts may be references.")]
Scalar = str | int | float | bool | None
JsonObject = dict[str, Any]
# To JSON 5 and 5.0 are one number, and writers exist that write the latter.
WholeNumber = Annotated[float, Meta(ge=1, le=2**53 - 1, multiple_of=1, extra_json_schema={"type": "integer"})]
Texts = Annotated[dict[str, str], Meta(max_length=10_000)]


class RequestBody(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A request, whose values are shown nowhere: a descriptor holds secrets."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        return []


# --- questions ------------------------------------------------------------------------------------------------------


def _build_choice(choices: object, *absent: None) -> Meta:
    """Describe a value that should be one of some choices; a question with another one is refused with the nearest."""
    about = "Another value is no error: the question is refused, and the nearest choice is named."
    return Meta(description=about, extra_json_schema={"enum": [*get_args(choices), *absent]})


ChosenAggregation = Annotated[Any, _build_choice(AggregationName)]
OptionalAggregation = Annotated[Any, _build_choice(AggregationName, None)]
ChosenOp = Annotated[Any, _build_choice(Op, None)]
ChosenOrder = Annotated[Any, _build_choice(Order, None)]
ChosenPeriod = Annotated[Any, _build_choice(Period)]
ChosenUnit = Annotated[Any, _build_choice(DateUnit, None)]


class ConditionSpec(RequestBody):
    """A condition: `value` for most operators, `values` for in, not_in and between; or a group of conditions."""

    column: Name | None = None
    op: ChosenOp = None
    value: Scalar = None
    values: Annotated[list[Scalar], Meta(max_length=10_000)] | None = None
    any: Conditions | None = None
    all: Conditions | None = None


Conditions = Annotated[list[ConditionSpec], Meta(max_length=100)]


class TimeFilterSpec(RequestBody):
    """A calendar period relative to the moment of asking, by the deployment's clock."""

    column: Name
    period: ChosenPeriod


class FilterSpec(RequestBody):
    """Conditions that all have to hold."""

    conditions: Conditions | None = None
    time_filter: TimeFilterSpec | None = None


class MeasureSpec(RequestBody):
    """One of several aggregations that are asked for."""

    aggregation: ChosenAggregation
    metric: Name | None = None
    percent: str | int | float | None = None


class MeasuredSpec(RequestBody):
    """A condition on a measure that is asked for, or on the count of rows; or a group of such conditions."""

    aggregation: OptionalAggregation = None
    metric: Name | None = None
    percent: str | int | float | None = None
    op: ChosenOp = None
    value: Scalar = None
    values: Annotated[list[Scalar], Meta(max_length=10_000)] | None = None
    any: MeasuredConditions | None = None
    all: MeasuredConditions | None = None


MeasuredConditions = Annotated[list[MeasuredSpec], Meta(max_length=100)]


class HavingSpec(RequestBody):
    """Conditions that all have to hold of a group."""

    conditions: MeasuredConditions | None = None


class KeySpec(RequestBody):
    """A group key made of a column: the period of a date (`unit`), or the bin of a number (`width`)."""

    column: Name
    unit: ChosenUnit = None
    width: str | int | float | None = None
    zone: Any = None  # of a unit of instants, such as Europe/Berlin


class QuestionSpec(RequestBody):
    """A typed question, as `ask` takes it."""

    metric: Name | None = None
    aggregation: OptionalAggregation = None
    percent: str | int | float | None = None
    measures: Annotated[list[MeasureSpec], Meta(min_length=1, max_length=16)] | None = None
    group_by: Name | Annotated[list[Name | KeySpec], Meta(max_length=16)] | None = None
    filter: FilterSpec | None = None
    having: HavingSpec | None = None
    order_by: Name | None = None
    order: ChosenOrder = None
    limit: WholeNumber | None = None
    source_name: Name | None = None

    def __post_init__(self) -> None:
        """Make the limit a whole number, also where it was written as 5.0."""
        if self.limit is not None:
            self.limit = int(self.limit)


Plan = Annotated[
    JsonObject,
    Meta(max_length=20, description="A resolved plan as `resolve` returned it; altered ones are refused."),
]


Mark = Annotated[
    str,
    Meta(pattern="^[0-9a-f]{64}$", description="`mark` of the source that the plan is for; no other may answer it."),
]


class ResolveRequest(RequestBody):
    """Body of `POST /v1/query/resolve`."""

    spec: QuestionSpec


class PlanRequest(RequestBody):
    """Body of `POST /v1/query/verify` and `/v1/query/columns`.

    The latter takes plans that show a source too: `inspect` ("preview" or "profile"), `fields`, `source_name`,
    `schema_revision`, `plan_hash`; of a preview `limit`, and `order` ("columns") where the source is live.
    """

    plan: Plan
    mark: Mark | None = None


class ExecuteRequest(RequestBody):
    """Body of `POST /v1/query/execute`: a plan, or a spec that is resolved first; exactly one of them."""

    plan: Plan | None = None
    mark: Mark | None = None
    spec: QuestionSpec | None = None


# --- computations ---------------------------------------------------------------------------------------------------


class BindingSpec(RequestBody):
    """Columns of a source in place of literals: `parameter` and `field`, or `parameters` and `fields` row by row."""

    source: Name
    parameter: Name | None = None
    field: Name | None = None
    parameters: Annotated[list[Name], Meta(max_length=100)] | None = None
    fields: Annotated[list[Name], Meta(max_length=100)] | None = None
    alignment: Literal["rowwise"] | None = None
    filter: FilterSpec | None = None
    null_policy: Literal["refuse", "drop"] | None = None


class CallSpec(RequestBody):
    """A ComputationSpec: one call of a capability, as `compute` takes it."""

    module: Name
    function: Name
    args: Annotated[list[Any], Meta(max_length=1_000)] | None = None
    kwargs: Annotated[JsonObject, Meta(max_length=1_000)] | None = None
    bindings: Annotated[list[BindingSpec], Meta(max_length=100)] | None = None
    seed: int | None = None


class CallsRequest(RequestBody):
    """Several calls in order: all are checked before the first runs, and the first error ends it."""

    calls: Annotated[list[CallSpec], Meta(max_length=MOST_CALLS)]


# --- connectors, sources --------------------------------------------------------------------------------------------

Descriptor = Annotated[
    dict[str, Secretive],
    Meta(
        max_length=100,
        description="`type` and what the type takes, as GET /v1/deployment lists it under `connectors`.",
    ),
]


class TestRequest(RequestBody):
    """Body of `POST /v1/connectors/test`; nothing of it is stored."""

    descriptor: Descriptor


class ConnectorRequest(RequestBody):
    """Body of `POST /v1/connectors`: kept with its secrets encrypted."""

    descriptor: Descriptor
    name: Name | None = None


class SourceRequest(RequestBody):
    """Body of `POST /v1/sources`: a `descriptor`, or a kept connector's id with its `table` or `query`."""

    name: Name
    descriptor: Descriptor | None = None
    connector_id: Name | None = None
    table: Name | None = None
    query: Text | None = None
    types: Texts | None = None
    aliases: Texts | None = None


# --- enrolment ------------------------------------------------------------------------------------------------------


class DeviceCodeRequest(RequestBody):
    """Body of `POST /v1/device/code` (RFC 8628, 3.1); also as a form."""

    client_id: Annotated[str, Meta(min_length=1, max_length=200)]
    scope: Annotated[str, Meta(max_length=1_000)] = ""


class DeviceTokenRequest(RequestBody):
    """Body of `POST /v1/device/token` (RFC 8628, 3.4); also as a form."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:device_code"]
    device_code: Annotated[str, Meta(min_length=1, max_length=200)]
    client_id: Annotated[str, Meta(min_length=1, max_length=200)]


Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 in lowercase hex.")]
Identifier = Annotated[str, Meta(pattern="^[a-z]{1,16}_[0-9a-f]{16}$", description="A kind, `_` and 16 hex digits.")]
Count = Annotated[int, Meta(ge=0)]
Type = Annotated[str, Meta(description="int64, float64, decimal(p,s), string, boolean, date or datetime.")]
Scope = Literal["query", "compute", "sources", "connectors", "results", "metrics"]


class ErrorBody(Struct, kw_only=True):
    """Every answer that is an error. `error` and `error_description` are RFC 8628's, of `/v1/device/token` alone."""

    code: str
    message: str
    request_id: str
    source: Literal["engine", "service"]
    retryable: bool
    hint: str | None = None
    details: JsonObject = {}
    error: str | UnsetType = UNSET
    error_description: str | UnsetType = UNSET


class TypedField(Struct, kw_only=True):
    """A column of a source: its type, and how its values are held."""

    name: str
    type: Literal["string", "number", "boolean", "date", "datetime"]
    physical: Type
    zone: Literal["UTC"] | UnsetType = UNSET  # of times that have one


class SourceContent(Struct, kw_only=True):
    """The content of a source. A live source has no digest: it may change between questions."""

    algorithm: str
    sha256: str | None = None
    rows: int | None = None


class SourceReading(Struct, kw_only=True):
    """The types that were declared when a source was read, of the columns that the key may see."""

    types: dict[str, Type] = {}


class SourceAnswer(Struct, kw_only=True):
    """A ServiceSource."""

    name: str
    source_id: str
    dataset_id: str
    fields: list[str]
    typed_fields: list[TypedField]
    row_count: Count
    schema_revision: Hash
    status: str
    content: SourceContent
    reading: SourceReading | None = None
    aliases: dict[str, str] = {}
    notes: list[str] = []
    engine: str | None = None
    mark: Hash | None = None  # of a live source: another once its columns are, or its name stands for another


class SourcesAnswer(Struct, kw_only=True):
    """The sources that the key may see, by name."""

    sources: list[SourceAnswer]


class ConnectorAnswer(Struct, kw_only=True):
    """A stored connector; `descriptor` has no secrets."""

    id: str
    type: str
    name: str | None = None
    created: str | None = None
    descriptor: dict[str, Scalar] = {}


class ConnectorsAnswer(Struct, kw_only=True):
    """The tenant's connectors, by age."""

    connectors: list[ConnectorAnswer]


class TestAnswer(Struct, kw_only=True):
    """The result of a connector's test, by the deadline; `message` explains a failure, `code` is its error's code."""

    success: bool
    message: str
    code: str | None = None


class ResultColumn(Struct, kw_only=True):
    """A column of a result."""

    name: str
    type: str
    physical: Type
    role: Literal["key", "metric", "count"]
    zone: str | UnsetType = UNSET  # of instants and their periods


class QueryProvenance(Struct, kw_only=True):
    """The method that made an answer exact, the engine that ran it, and the rows that it used."""

    method: str
    engine: str
    notes: dict[str, str] = {}
    used_rows: Count | None = None  # that met the conditions
    dropped: dict[str, Count] = {}  # nulls among them that were left out, by column


class QueryData(Struct, kw_only=True):
    """The `data` of an outcome: rows in their order, and what is needed to check them."""

    query_id: Identifier
    result: list[dict[str, Scalar]]
    result_type: str
    confidence: float
    plan: list[str]
    row_count: Count
    decision_path: str
    plan_hash: Hash
    schema_revision: Hash
    validated: bool
    deterministic_scope: str
    result_hash: Hash
    provenance: QueryProvenance
    latency_ms: float


class QueryAnswer(Struct, kw_only=True):
    """The outcome of a question. `data` and `columns` are there when it is `ok`, the refusal's id and hash else."""

    status: Literal["ok", "needs_clarification", "rejected"]
    resolution: JsonObject
    data: QueryData | None = None
    columns: list[ResultColumn] | None = None
    refusal_hash: str | None = None
    result_id: str | None = None


class ResolveAnswer(Struct, kw_only=True):
    """The plan that a question resolves to, or the reason for its refusal."""

    status: Literal["ok", "needs_clarification", "rejected"]
    plan: JsonObject | None = None
    plan_hash: str | None = None
    schema_revision: str | None = None
    steps: list[str] | None = None
    decision_path: str | None = None
    confidence: float | None = None
    validated: bool | None = None
    candidates: list[JsonObject] = []
    reason: str | None = None
    rejection_reason: str | None = None
    did_you_mean: list[str] | None = None


class VerifyAnswer(Struct, kw_only=True):
    """The verdict on a plan at this moment, and each check that it passed or failed."""

    valid: bool
    checks: list[JsonObject]


class ColumnValues(Struct, kw_only=True):
    """One column: all values that meet the plan's conditions, in the order of the source, nulls among them.

    `sha256` is that of the canonical JSON of its values.
    """

    name: str
    physical: Type
    sha256: Hash
    values: list[Scalar]


class ColumnsAnswer(Struct, kw_only=True):
    """The group columns of a plan, not grouped; the same length each."""

    columns: list[ColumnValues]


class ComputeAnswer(Struct, kw_only=True):
    """A computation's result: the specification's fields."""

    status: Literal["ok"]
    value: Any
    value_type: str
    module: str
    function: str
    invocation_hash: Hash
    computation_hash: Hash
    contract_hash: str
    determinism: JsonObject
    latency_ms: float
    request_id: Identifier
    provenance: JsonObject | None = None


class ComputeManyAnswer(Struct, kw_only=True):
    """The results of several calls, in their order."""

    results: list[ComputeAnswer]


class CapabilitiesAnswer(Struct, kw_only=True):
    """Capabilities that fit a text, the best first; without one by name. `total` counts those that the key may call."""

    capabilities: list[JsonObject]
    total: Count


class StoredAnswer(Struct, kw_only=True):
    """An outcome as the tenant's ledger keeps it, with its card, its receipt and the hashed texts that are kept."""

    id: Identifier
    kind: str
    time: str
    index: Count
    inputs: list[JsonObject]
    card: JsonObject
    texts: dict[str, str]
    place: dict[str, str] | None = None


class RuntimeAnswer(Struct, kw_only=True):
    """The runtime that computes here, as every determinism envelope states it."""

    platform: str
    architecture: str
    kernel_build: str
    bundle_version: str
    bundle_sha256: str
    libraries: dict[str, str]
    is_pinned: bool
    profile: str | None = None
    modules: list[str] = []


class KindAnswer(Struct, kw_only=True):
    """A kind of live source, its descriptor's keys, and whether its driver is installed at the deployment."""

    type: str
    title: str
    group: str
    keys: list[str]
    options: dict[str, str] = {}
    secrets: list[str] = []
    extra: str | None = None
    installed: bool = True


class LimitsAnswer(Struct, kw_only=True):
    """The limits on the size, time and rate of requests."""

    body_bytes: int
    timeout_s: float
    requests_per_s: float
    burst: int
    calls: int
    groups: int
    rows: int


class DeploymentAnswer(Struct, kw_only=True):
    """The deployment's version and limits, and the permissions of the key."""

    version: str
    contract_hash: str
    tenant: str
    key_id: str
    scopes: list[Scope]
    policy: JsonObject
    limits: LimitsAnswer
    connectors: list[KindAnswer]
    runtime: RuntimeAnswer | None = None


class BuildRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The modules that a client wants a runtime of, and the machine it is for."""

    modules: Annotated[list[str], Meta(min_length=1, max_length=256)]
    platform: Annotated[str, Meta(max_length=64)]
    python: Annotated[str, Meta(max_length=16)]
    contract_hash: Annotated[str, Meta(max_length=128)]
    client: Annotated[str, Meta(max_length=64)] = ""


class BuildAnswer(Struct, kw_only=True):
    """Where the archive of a selection is, relative to the request; its digest, and the key of the selection."""

    url: str
    sha256: str
    cache_key: str


class DeviceCodeAnswer(Struct, kw_only=True):
    """A device's code and the code that its user tells whoever runs the deployment (RFC 8628, 3.2)."""

    device_code: str
    user_code: str
    verification_uri: str
    expires_in: int
    interval: int
    verification_uri_complete: str | None = None


class DeviceTokenAnswer(Struct, kw_only=True):
    """The key of an enrolled device (RFC 8628, 3.5)."""

    access_token: str
    token_type: Literal["Bearer"]
    scope: str = ""


class HealthAnswer(Struct, kw_only=True):
    """The health of the process, or its readiness for requests; `checks` has the result of each check."""

    status: Literal["ok", "unavailable"]
    checks: dict[str, bool] = {}


# msgspec resolves a type at its first use, without a lock: two threads that do so at once may end the process.
for _kind in list(globals().values()):
    if isinstance(_kind, type) and issubclass(_kind, Struct):
        Decoder(_kind)
