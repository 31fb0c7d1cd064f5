"""What a client sends to its deployment: every request as one type; the answers are in `wire`.

Requests refuse keys that they do not know, and show their values nowhere.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from service_nb.deployment.resolved import resolve

MOST_CALLS = 10_000  # of one request
MOST_NAME_CHARS = 1_024
MOST_TEXT_CHARS = 100_000  # of a query, a secret, a condition's text

Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME_CHARS, description="Printable text.")]
Text = Annotated[str, Meta(max_length=MOST_TEXT_CHARS)]
Secretive = Annotated[str | int | bool | None, Meta(description="Never shown again; texts may be references.")]
Scalar = str | int | float | bool | None
# To JSON 5 and 5.0 are one number, and writers exist that write the latter.
Whole = Annotated[float, Meta(ge=1, le=2**53 - 1, multiple_of=1, extra_json_schema={"type": "integer"})]
Texts = Annotated[dict[str, str], Meta(max_length=10_000)]


class Request(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What a client sends. Its values are shown nowhere: a descriptor holds secrets."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


# --- questions ------------------------------------------------------------------------------------------------------


class Condition(Request):
    """One condition of a filter: `value` for most operators, `values` for in, not_in and between."""

    column: Name
    op: Literal[
        "eq", "ne", "gt", "gte", "lt", "lte", "in", "not_in", "between", "is_null", "is_not_null", "contains",
        "starts_with",
    ]  # fmt: skip
    value: Scalar = None
    values: Annotated[list[Scalar], Meta(max_length=10_000)] | None = None


class TimeFilter(Request):
    """A calendar period relative to the moment of asking, by the deployment's clock."""

    column: Name
    period: Literal["this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year"]


class Filter(Request):
    """Conditions that all have to hold."""

    conditions: Annotated[list[Condition], Meta(max_length=100)] | None = None
    time_filter: TimeFilter | None = None


class QuestionSpec(Request):
    """A typed question, as `ask` takes it."""

    metric: Name | None = None
    aggregation: Literal["sum", "avg", "count", "min", "max"] | None = None
    group_by: Name | Annotated[list[Name], Meta(max_length=16)] | None = None
    filter: Filter | None = None
    order: Literal["asc", "desc"] | None = None
    limit: Whole | None = None
    source_name: Name | None = None

    def __post_init__(self) -> None:
        """Have the limit as a number of rows, also where it was written as 5.0."""
        if self.limit is not None:
            self.limit = int(self.limit)


Plan = Annotated[
    dict[str, Any],
    Meta(max_length=20, description="A resolved plan as `resolve` returned it; altered ones are refused."),
]


Mark = Annotated[
    str,
    Meta(pattern="^[0-9a-f]{64}$", description="`mark` of the source that the plan is for; no other may answer it."),
]


class ResolveRequest(Request):
    """Body of `POST /v1/query/resolve`."""

    spec: QuestionSpec


class PlanRequest(Request):
    """Body of `POST /v1/query/verify` and `/v1/query/columns`."""

    plan: Plan
    mark: Mark | None = None


class ExecuteRequest(Request):
    """Body of `POST /v1/query/execute`: a plan, or a spec that is resolved first; exactly one of them."""

    plan: Plan | None = None
    mark: Mark | None = None
    spec: QuestionSpec | None = None


# --- computations ---------------------------------------------------------------------------------------------------


class BindingSpec(Request):
    """Columns of a source in place of literals: `parameter` and `field`, or `parameters` and `fields` row by row."""

    source: Name
    parameter: Name | None = None
    field: Name | None = None
    parameters: Annotated[list[Name], Meta(max_length=100)] | None = None
    fields: Annotated[list[Name], Meta(max_length=100)] | None = None
    alignment: Literal["rowwise"] | None = None
    filter: Filter | None = None
    null_policy: Literal["refuse", "drop"] | None = None


class CallSpec(Request):
    """A ComputationSpec: one call of a capability, as `compute` takes it."""

    module: Name
    function: Name
    args: Annotated[list[Any], Meta(max_length=1_000)] | None = None
    kwargs: Annotated[dict[str, Any], Meta(max_length=1_000)] | None = None
    bindings: Annotated[list[BindingSpec], Meta(max_length=100)] | None = None
    seed: int | None = None


class CallsRequest(Request):
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


class TestRequest(Request):
    """Body of `POST /v1/connectors/test`; nothing of it is kept."""

    descriptor: Descriptor


class ConnectorRequest(Request):
    """Body of `POST /v1/connectors`: kept with its secrets encrypted."""

    descriptor: Descriptor
    name: Name | None = None


class SourceRequest(Request):
    """Body of `POST /v1/sources`: a `descriptor`, or a kept connector's id with its `table` or `query`."""

    name: Name
    descriptor: Descriptor | None = None
    connector_id: Name | None = None
    table: Name | None = None
    query: Text | None = None
    types: Texts | None = None
    aliases: Texts | None = None


# --- enrolment ------------------------------------------------------------------------------------------------------


class DeviceCodeRequest(Request):
    """Body of `POST /v1/device/code` (RFC 8628, 3.1); also as a form."""

    client_id: Annotated[str, Meta(min_length=1, max_length=200)]
    scope: Annotated[str, Meta(max_length=1_000)] = ""


class DeviceTokenRequest(Request):
    """Body of `POST /v1/device/token` (RFC 8628, 3.4); also as a form."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:device_code"]
    device_code: Annotated[str, Meta(min_length=1, max_length=200)]
    client_id: Annotated[str, Meta(min_length=1, max_length=200)]


resolve(globals())
