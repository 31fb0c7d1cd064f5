"""What a deployment answers: every answer as one type; what a client sends is in `asked`.

Answers are read without the keys that a newer deployment adds. Values of rows and columns are JSON as `query/rows.py`
makes it: whole numbers beyond 2**53 - 1, decimals, dates and what is not finite are texts, and the physical type of the
column says how they are read back.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from service_nb.deployment.asked import Scalar
from service_nb.deployment.resolved import resolve

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 in lowercase hex.")]
Identifier = Annotated[str, Meta(pattern="^[a-z]{1,16}_[0-9a-f]{16}$", description="A kind, `_` and 16 hex digits.")]
Whole = Annotated[int, Meta(ge=0)]
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
    details: dict[str, Any] = {}
    error: str | UnsetType = UNSET
    error_description: str | UnsetType = UNSET


class TypedField(Struct, kw_only=True):
    """A column of a source: its type, and how its values are held."""

    name: str
    type: Literal["string", "number", "boolean", "date", "datetime"]
    physical: Type


class SourceContent(Struct, kw_only=True):
    """What is known of a source's content. A live source has no digest: it may change between questions."""

    algorithm: str
    sha256: str | None = None
    rows: int | None = None


class SourceReading(Struct, kw_only=True):
    """How a source was read: the types that were declared, of columns that the key may see."""

    types: dict[str, Type] = {}


class SourceAnswer(Struct, kw_only=True):
    """A ServiceSource."""

    name: str
    source_id: str
    dataset_id: str
    fields: list[str]
    typed_fields: list[TypedField]
    row_count: Whole
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
    """A kept connector. `descriptor` is what it was made of, without its secrets."""

    id: str
    type: str
    name: str | None = None
    created: str | None = None
    descriptor: dict[str, Scalar] = {}


class ConnectorsAnswer(Struct, kw_only=True):
    """The tenant's connectors, by age."""

    connectors: list[ConnectorAnswer]


class TestAnswer(Struct, kw_only=True):
    """Whether a connector works, and in words why not. It always comes by the deadline."""

    success: bool
    message: str


class ResultColumn(Struct, kw_only=True):
    """A column of a result."""

    name: str
    type: str
    physical: Type
    role: Literal["key", "metric", "count"]


class QueryProvenance(Struct, kw_only=True):
    """How an answer was made exact, and where."""

    method: str
    engine: str
    notes: dict[str, str] = {}


class QueryData(Struct, kw_only=True):
    """The `data` of an outcome: rows in their order, and what is needed to check them."""

    query_id: Identifier
    result: list[dict[str, Scalar]]
    result_type: str
    confidence: float
    plan: list[str]
    row_count: Whole
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
    resolution: dict[str, Any]
    data: QueryData | None = None
    columns: list[ResultColumn] | None = None
    refusal_hash: str | None = None
    result_id: str | None = None


class ResolveAnswer(Struct, kw_only=True):
    """What a question would run as, or what it would be refused for."""

    status: Literal["ok", "needs_clarification", "rejected"]
    plan: dict[str, Any] | None = None
    plan_hash: str | None = None
    schema_revision: str | None = None
    steps: list[str] | None = None
    decision_path: str | None = None
    confidence: float | None = None
    validated: bool | None = None
    candidates: list[dict[str, Any]] = []
    reason: str | None = None
    rejection_reason: str | None = None
    did_you_mean: list[str] | None = None


class VerifyAnswer(Struct, kw_only=True):
    """Whether a plan stands here now, and each check that it passed or failed."""

    valid: bool
    checks: list[dict[str, Any]]


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
    determinism: dict[str, Any]
    latency_ms: float
    request_id: Identifier
    provenance: dict[str, Any] | None = None


class ComputeManyAnswer(Struct, kw_only=True):
    """The results of several calls, in their order."""

    results: list[ComputeAnswer]


class CapabilitiesAnswer(Struct, kw_only=True):
    """Capabilities that fit a text, the best first; without one by name. `total` counts those that the key may call."""

    capabilities: list[dict[str, Any]]
    total: Whole


class StoredAnswer(Struct, kw_only=True):
    """An outcome as the tenant's ledger keeps it, with its card, its receipt and the hashed texts that are kept."""

    id: Identifier
    kind: str
    time: str
    index: Whole
    inputs: list[dict[str, Any]]
    card: dict[str, Any]
    texts: dict[str, str]
    place: dict[str, str] | None = None


class RuntimeAnswer(Struct, kw_only=True):
    """What computes here, as it stands in every determinism envelope."""

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
    """What one request may be, and how many there may be."""

    body_bytes: int
    timeout_s: float
    requests_per_s: float
    burst: int
    calls: int
    groups: int
    rows: int


class DeploymentAnswer(Struct, kw_only=True):
    """What this deployment is, and what the key may do in it."""

    version: str
    contract_hash: str
    tenant: str
    key_id: str
    scopes: list[Scope]
    policy: dict[str, Any]
    limits: LimitsAnswer
    connectors: list[KindAnswer]
    runtime: RuntimeAnswer | None = None


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
    """Whether the process lives, or takes requests; `checks` names what does not hold."""

    status: Literal["ok", "unavailable"]
    checks: dict[str, bool] = {}


resolve(globals())
