"""Every route of a deployment, as data: what it takes, what it answers, who may ask, and what may go wrong.

The application, the OpenAPI document and the tests are made from this table: there is no route beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from service_nb.deployment import messages
from service_nb.server.handlers import about, computations, questions, sources
from service_nb.server.handlers.call import Call

Method = Literal["GET", "POST", "DELETE"]
Codes = tuple[str, ...]

ALWAYS: Codes = ("invalid_intent", "overloaded", "timeout", "interrupted", "engine_failed", "rate_limited")
KEYED: Codes = ("unauthenticated", "forbidden")
WITH_BODY: Codes = ("canonical_json_invalid", "limit_exceeded", "deployment_unavailable")  # the last: it was garbled
PASSING: Codes = ("connector_failed", "driver_missing", "secret_unavailable")  # of live sources
ASKING: Codes = (
    *("policy_denied_source", "policy_denied_field", "source_not_found", "source_changed", "source_malformed"),
    *("limit_exceeded", "ledger_unavailable", "evidence_invalid", "login_required", *PASSING),
)
PLANNED: Codes = ("plan_invalid", "schema_revision_mismatch", "source_changed")
COMPUTING: Codes = (
    *("policy_denied_function", "unsupported_operation", "duplicate_argument_binding", "seed_required", "domain_error"),
    *("undecided", "runtime_provision_failed", "unsupported_platform", "compute_runtime_unavailable"),
)
NAMING: Codes = (
    *("source_already_registered", "source_not_found", "connector_not_found", "unsupported_source"),
    *("policy_denied_source", "policy_denied_field", "source_malformed", "source_unreadable", "source_changed"),
    *("limit_exceeded", *PASSING),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a path or query, or a header."""

    name: str
    about: str
    place: Literal["path", "query", "header"] = "query"
    schema: Any = None

    def described(self) -> dict[str, Any]:
        """Return it as OpenAPI has it."""
        schema = self.schema or {"type": "string"}
        described = {"name": self.name, "in": self.place, "description": self.about, "schema": schema}
        return described | ({"required": True} if self.place == "path" else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One method of one path. `scope` None: no key is wanted. `handle` None: the application answers by itself."""

    method: Method
    path: str
    summary: str
    handle: Callable[[Call], Any] | None
    asked: Any = None  # a type, or several of which the keys choose
    answer: Any = None
    scope: messages.Scope | None = None
    errors: Codes = ()
    status: int = 200
    parameters: tuple[Parameter, ...] = ()
    takes_forms: bool = False
    gives_codes: bool = False  # to devices: how often is bounded by address
    is_recorded: bool = False
    media_type: str = "application/json"

    @property
    def codes(self) -> Codes:
        """Every code of an error that it may answer."""
        if self.handle is None:
            return () if self.scope is None else (*KEYED, "rate_limited", "engine_failed")
        keyed = KEYED if self.scope is not None else ()
        return tuple(dict.fromkeys((*ALWAYS, *keyed, *(WITH_BODY if self.asked is not None else ()), *self.errors)))

    @property
    def name(self) -> str:
        """The name of the operation: of its function."""
        return self.path.strip("/").partition(".")[0] if self.handle is None else self.handle.__name__


NAME = Parameter(name="name", about="The source's name.", place="path")
CONNECTOR_ID = Parameter(name="id", about="The connector's id.", place="path")
RESULT_ID = Parameter(name="id", about="`query_id`, `request_id` or `result_id` of a result.", place="path")
Q = Parameter(name="q", about="What to search for. Without it: all, by name.")
LIMIT = Parameter(
    name="limit", about="How many at most.", schema={"type": "integer", "minimum": 1, "maximum": 1_000, "default": 10}
)
KNOWN = Parameter(name="If-None-Match", about="The ETag of what the client has.", place="header")

ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/v1/query/execute",
        summary="Answer a question, or run a plan.",
        handle=questions.execute,
        asked=messages.ExecuteRequest,
        answer=messages.QueryAnswer,
        scope="query",
        errors=(*ASKING, *PLANNED),
        is_recorded=True,
    ),
    Route(
        method="POST",
        path="/v1/query/resolve",
        summary="Resolve a question into a plan, or say why not.",
        handle=questions.resolve,
        asked=messages.ResolveRequest,
        answer=messages.ResolveAnswer,
        scope="query",
        errors=ASKING,
    ),
    Route(
        method="POST",
        path="/v1/query/verify",
        summary="Check a plan without running it.",
        handle=questions.verify,
        asked=messages.PlanRequest,
        answer=messages.VerifyAnswer,
        scope="query",
        errors=ASKING,
    ),
    Route(
        method="POST",
        path="/v1/query/columns",
        summary="Return the group columns of a plan, ungrouped.",
        handle=questions.columns,
        asked=messages.PlanRequest,
        answer=messages.ColumnsAnswer,
        scope="query",
        errors=(*ASKING, *PLANNED),
    ),
    Route(
        method="POST",
        path="/v1/libraries/execute",
        summary="Run a capability of the contract, or several in order.",
        handle=computations.compute,
        asked=(messages.CallSpec, messages.CallsRequest),
        answer=(messages.ComputeAnswer, messages.ComputeManyAnswer),
        scope="compute",
        errors=(*COMPUTING, *ASKING),
        is_recorded=True,
    ),
    Route(
        method="GET",
        path="/v1/capabilities",
        summary="Search what can be computed.",
        handle=computations.capabilities,
        answer=messages.CapabilitiesAnswer,
        scope="compute",
        parameters=(Q, LIMIT),
    ),
    Route(
        method="GET",
        path="/v1/contract",
        summary="Return the contract, whole.",
        handle=computations.contract,
        answer=dict[str, Any],
        scope="compute",
        parameters=(KNOWN,),
    ),
    Route(
        method="POST",
        path="/v1/connectors",
        summary="Store a connector, its secrets encrypted.",
        handle=sources.create_connector,
        asked=messages.ConnectorRequest,
        answer=messages.ConnectorAnswer,
        scope="connectors",
        errors=NAMING,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/connectors",
        summary="List connectors, without their secrets.",
        handle=sources.list_connectors,
        answer=messages.ConnectorsAnswer,
        scope="connectors",
    ),
    Route(
        method="POST",
        path="/v1/connectors/test",
        summary="Test a connector; nothing is stored.",
        handle=sources.test_connector,
        asked=messages.TestRequest,
        answer=messages.TestAnswer,
        scope="connectors",
        errors=NAMING,
    ),
    Route(
        method="GET",
        path="/v1/connectors/{id}",
        summary="Describe a connector, without its secrets.",
        handle=sources.get_connector,
        answer=messages.ConnectorAnswer,
        scope="connectors",
        errors=("connector_not_found",),
        parameters=(CONNECTOR_ID,),
    ),
    Route(
        method="DELETE",
        path="/v1/connectors/{id}",
        summary="Delete a connector and its secrets.",
        handle=sources.delete_connector,
        scope="connectors",
        errors=("connector_not_found", "source_already_registered"),
        status=204,
        parameters=(CONNECTOR_ID,),
    ),
    Route(
        method="POST",
        path="/v1/sources",
        summary="Register a live source; repeating it changes nothing.",
        handle=sources.create_source,
        asked=messages.SourceRequest,
        answer=messages.SourceAnswer,
        scope="sources",
        errors=NAMING,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/sources",
        summary="List the sources that the key may see.",
        handle=sources.list_sources,
        answer=messages.SourcesAnswer,
        scope="query",
        errors=PASSING,
    ),
    Route(
        method="GET",
        path="/v1/sources/{name}",
        summary="Describe a source.",
        handle=sources.get_source,
        answer=messages.SourceAnswer,
        scope="query",
        errors=("source_not_found", "policy_denied_source", "source_malformed", "unsupported_source", *PASSING),
        parameters=(NAME,),
    ),
    Route(
        method="POST",
        path="/v1/sources/{name}",
        summary="Describe a source again; plans for its old columns are refused from then on.",
        handle=sources.refresh_source,
        answer=messages.SourceAnswer,
        scope="sources",
        errors=NAMING,
        parameters=(NAME,),
    ),
    Route(
        method="DELETE",
        path="/v1/sources/{name}",
        summary="Delete a source; recorded results stay.",
        handle=sources.delete_source,
        scope="sources",
        errors=("source_not_found", "policy_denied_source"),
        status=204,
        parameters=(NAME,),
    ),
    Route(
        method="GET",
        path="/v1/results/{id}",
        summary="Return a stored result with its card and receipt.",
        handle=questions.result,
        answer=messages.StoredAnswer,
        scope="results",
        errors=("result_not_found", "ledger_unavailable", "evidence_invalid"),
        parameters=(RESULT_ID,),
    ),
    Route(
        method="GET",
        path="/v1/deployment",
        summary="Describe this deployment, and the permissions of the key.",
        handle=about.deployment,
        answer=messages.DeploymentAnswer,
        scope="query",
    ),
    Route(
        method="POST",
        path="/v1/device/code",
        summary="Give a device its codes (RFC 8628).",
        handle=about.device_code,
        asked=messages.DeviceCodeRequest,
        answer=messages.DeviceCodeAnswer,
        errors=("route_not_found",),
        takes_forms=True,
        gives_codes=True,
    ),
    Route(
        method="POST",
        path="/v1/device/token",
        summary="Give a device its key, once granted (RFC 8628).",
        handle=about.device_token,
        asked=messages.DeviceTokenRequest,
        answer=messages.DeviceTokenAnswer,
        errors=("route_not_found", "unauthenticated", "forbidden"),
        takes_forms=True,
    ),
    Route(
        method="GET",
        path="/healthz",
        summary="Whether the process is alive.",
        handle=None,
        answer=messages.HealthAnswer,
    ),
    Route(
        method="GET",
        path="/readyz",
        summary="Whether requests are accepted: 503 while something that they need is missing, or during shutdown.",
        handle=None,
        answer=messages.HealthAnswer,
    ),
    Route(
        method="GET",
        path="/metrics",
        summary="Figures for Prometheus.",
        handle=None,
        scope="metrics",
        media_type="text/plain",
    ),
    Route(
        method="GET",
        path="/openapi.json",
        summary="This document.",
        handle=None,
        answer=dict[str, Any],
    ),
)
