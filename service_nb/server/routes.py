"""Declare every route of a deployment, and do what it does.

A route is one record: what it takes, what it answers, who may ask, which errors it may have; its function stands below
it. The application, the OpenAPI document and the tests are made from `ROUTES`: there is no route beside it. Functions
run in threads, under a stop and a deadline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from service_nb._version import __version__
from service_nb.core.digest import named_after
from service_nb.deployment.messages import (
    MOST_CALLS,
    BuildAnswer,
    BuildRequest,
    CallSpec,
    CallsRequest,
    CapabilitiesAnswer,
    ColumnsAnswer,
    ComputeAnswer,
    ComputeManyAnswer,
    ConnectorAnswer,
    ConnectorRequest,
    ConnectorsAnswer,
    DeploymentAnswer,
    DeviceCodeAnswer,
    DeviceCodeRequest,
    DeviceTokenAnswer,
    DeviceTokenRequest,
    ExecuteRequest,
    HealthAnswer,
    LimitsAnswer,
    PlanRequest,
    QueryAnswer,
    ResolveAnswer,
    ResolveRequest,
    RuntimeAnswer,
    Scope,
    SourceAnswer,
    SourceRequest,
    SourcesAnswer,
    StoredAnswer,
    TestAnswer,
    TestRequest,
    VerifyAnswer,
)
from service_nb.engines.engine import MOST_ROWS
from service_nb.errors import InvalidIntentError, LedgerError
from service_nb.query.policy import hide_test_message
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.server.answers import (
    Answer,
    EncodedAnswer,
    HttpError,
    build_no_such_route,
    encode_columns,
    encode_outcome,
    iter_file,
)
from service_nb.server.keys import Caller, Pending
from service_nb.server.tenants import Deployment, TenantReach, describe_connector

T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Answer])
Codes = tuple[str, ...]
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SOONEST_S = 0.001  # of a timeout: engines refuse 0

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
BUILDING: Codes = ("unsupported_platform", "runtime_provision_failed")
NAMING: Codes = (
    *("source_already_registered", "source_not_found", "connector_not_found", "unsupported_source"),
    *("policy_denied_source", "policy_denied_field", "source_malformed", "source_unreadable", "source_changed"),
    *("limit_exceeded", *PASSING),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteCall:
    """One request, checked: who asks for what, and how long it may take."""

    deployment: Deployment
    caller: Caller | None  # None of what everyone may ask
    path: Mapping[str, str]
    query: Mapping[str, str]
    measure_left: Callable[[], float]
    seed: str | None = None  # of the ids of what is recorded
    known: str = ""  # If-None-Match
    address: str = ""  # of whoever asks, as `admission.group_address` has it

    @property
    def reach(self) -> TenantReach:
        """The service and sources that the caller can reach."""
        if self.caller is None:
            raise build_no_such_route()
        return self.deployment.reach(self.caller)

    @property
    def timeout_s(self) -> float:
        """Seconds that are left, as engines want them."""
        return max(SOONEST_S, self.measure_left())

    def record(self, work: Callable[[], T]) -> T:
        """Do what is recorded, under ids that follow from the request's key where it has one.

        Where another outcome has been recorded under them, the retried request has met other data: that is an outcome
        of its own.
        """
        naming: AbstractContextManager[None] = nullcontext() if self.seed is None else named_after(self.seed)
        try:
            with naming:
                return work()
        except LedgerError as fault:
            if self.seed is None or fault.reason != "duplicate_id":
                raise
        return work()


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteParameter:
    """A parameter of a path or query, or a header."""

    name: str
    about: str
    place: Literal["path", "query", "header"] = "query"
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path; as a decorator, it has its function and stands in `ROUTES`.

    `gives`: the type of the answer, or several as a union. `scope` None: no key is wanted. `handle` None: the
    application answers by itself. `gives_codes`: to devices, and how often is bounded by address. `takes` are the types
    of the body, of which its keys choose: those of the function's parameter `body`.
    """

    method: Literal["GET", "POST", "DELETE"]
    path: str
    gives: object = None
    summary: str = ""
    handle: Callable[..., Answer] | None = None
    takes: tuple[type[msgspec.Struct], ...] = ()
    scope: Scope | None = None
    errors: Codes = ()
    status: int = 200
    parameters: tuple[RouteParameter, ...] = ()
    takes_forms: bool = False
    gives_codes: bool = False
    is_recorded: bool = False
    media_type: str = JSON

    def __call__(self, handle: Handler) -> Handler:
        """Add the route to the table; the first line of the function's docstring is its summary."""
        body = get_type_hints(handle).get("body")
        takes = () if body is None else list_union(body)
        ROUTES.append(replace(self, handle=handle, takes=takes, summary=(handle.__doc__ or "").partition("\n")[0]))
        return handle

    def run(self, call: RouteCall, *body: msgspec.Struct) -> Answer:
        """Do what the route does."""
        assert self.handle is not None  # noqa: S101  # the application answers the others by itself
        return self.handle(call, *body)

    @property
    def codes(self) -> Codes:
        """Every code of an error that it may answer."""
        if self.handle is None:
            return () if self.scope is None else (*KEYED, "rate_limited", "engine_failed")
        keyed = KEYED if self.scope is not None else ()
        return tuple(dict.fromkeys((*ALWAYS, *keyed, *(WITH_BODY if self.takes else ()), *self.errors)))

    @property
    def name(self) -> str:
        """The name of the operation: of its function."""
        return self.path.strip("/").partition(".")[0] if self.handle is None else self.handle.__name__

    @property
    def pattern(self) -> re.Pattern[str]:
        """The paths that are its own: a source's name may hold slashes, and line ends too."""
        return re.compile(
            re.escape(self.path).replace(r"\{name\}", r"(?P<name>[\s\S]*)").replace(r"\{id\}", "(?P<id>[^/]+)")
        )


def list_union(kind: Any) -> tuple[Any, ...]:
    """List the types of a union; of another type, itself."""
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


ROUTES: list[Route] = []
NAME = RouteParameter(name="name", about="The source's name.", place="path")
CONNECTOR_ID = RouteParameter(name="id", about="The connector's id.", place="path")
RESULT_ID = RouteParameter(name="id", about="`query_id`, `request_id` or `result_id` of a result.", place="path")
Q = RouteParameter(name="q", about="What to search for. Without it: all, by name.")
LIMIT = RouteParameter(
    name="limit", about="How many at most.", schema={"type": "integer", "minimum": 1, "maximum": 1_000, "default": 10}
)
SELECTION_ID = RouteParameter(name="id", about="The name of the archive, as the build answered it.", place="path")
KNOWN = RouteParameter(name="If-None-Match", about="The ETag of what the client has.", place="header")

# --- questions ------------------------------------------------------------------------------------------------------


@Route("POST", "/v1/query/execute", QueryAnswer, scope="query", errors=(*ASKING, *PLANNED), is_recorded=True)
def execute(call: RouteCall, body: ExecuteRequest) -> Answer:
    """Answer a question, or run a plan."""
    plan, spec, service = body.plan, body.spec, call.reach.service
    _require_one("plan", plan, "spec", spec)
    if plan is not None:
        mark = body.mark
        return encode_outcome(call.record(lambda: service.run(plan, timeout=call.timeout_s, mark=mark)))
    question = msgspec.to_builtins(spec)
    return encode_outcome(call.record(lambda: service.ask(question, timeout=call.timeout_s)))


@Route("POST", "/v1/query/resolve", ResolveAnswer, scope="query", errors=ASKING)
def resolve(call: RouteCall, body: ResolveRequest) -> Answer:
    """Resolve a question into a plan, or say why not."""
    return call.reach.service.resolve(msgspec.to_builtins(body.spec))


@Route("POST", "/v1/query/verify", VerifyAnswer, scope="query", errors=ASKING)
def verify(call: RouteCall, body: PlanRequest) -> Answer:
    """Check a plan without running it."""
    return call.reach.service.verify(body.plan, mark=body.mark)


@Route("POST", "/v1/query/columns", ColumnsAnswer, scope="query", errors=(*ASKING, *PLANNED))
def columns(call: RouteCall, body: PlanRequest) -> Answer:
    """Return the group columns of a plan, ungrouped; or those that a preview or a profile shows."""
    return encode_columns(call.reach.service.columns(body.plan, timeout=call.timeout_s, mark=body.mark))


@Route(
    "GET",
    "/v1/results/{id}",
    StoredAnswer,
    scope="results",
    errors=("result_not_found", "ledger_unavailable", "evidence_invalid"),
    parameters=(RESULT_ID,),
)
def result(call: RouteCall) -> Answer:
    """Return a stored result with its card and receipt."""
    stored = call.reach.service.get_result(call.path["id"])
    return {**stored, "card": stored.card, "texts": stored.texts}


# --- computations ---------------------------------------------------------------------------------------------------


@Route(
    "POST",
    "/v1/libraries/execute",
    ComputeAnswer | ComputeManyAnswer,
    scope="compute",
    errors=(*COMPUTING, *ASKING),
    is_recorded=True,
)
def compute(call: RouteCall, body: CallSpec | CallsRequest) -> Answer:
    """Run a capability of the contract, or several in order."""
    service = call.reach.service
    if isinstance(body, CallSpec):
        spec = msgspec.to_builtins(body)
        return call.record(lambda: service.compute(spec, timeout=call.timeout_s))
    specs = [msgspec.to_builtins(each) for each in body.calls]
    return {"results": call.record(lambda: service.compute_many(specs, timeout=call.timeout_s))}


@Route("GET", "/v1/capabilities", CapabilitiesAnswer, scope="compute", parameters=(Q, LIMIT))
def capabilities(call: RouteCall) -> Answer:
    """Search what can be computed."""
    service = call.reach.service
    wanted, limit = call.query.get("q", ""), _parse_limit(call.query.get("limit", "10"))
    names = service.capabilities()
    if wanted:
        found = service.search_capabilities(wanted, limit)
    else:
        found = [{"name": name, "summary": service.capability(name).get("summary", "")} for name in names[:limit]]
    return {"capabilities": found, "total": len(names)}


@Route("GET", "/v1/contract", dict[str, Any], scope="compute", parameters=(KNOWN,))
def contract(call: RouteCall) -> Answer:
    """Return the contract, whole."""
    etag = f'"{call.reach.service.contract_hash}"'
    headers = [(b"etag", etag.encode()), (b"cache-control", b"private, no-cache")]
    if etag in call.known or call.known.strip() == "*":
        return EncodedAnswer(body=b"", status=304, headers=headers)
    return EncodedAnswer(body=map_packaged_contract()[:], headers=headers)


# --- connectors, sources --------------------------------------------------------------------------------------------


@Route("POST", "/v1/connectors", ConnectorAnswer, scope="connectors", errors=NAMING, status=201)
def create_connector(call: RouteCall, body: ConnectorRequest) -> Answer:
    """Store a connector, its secrets encrypted."""
    return call.reach.tenant.create_connector(body.descriptor, body.name)


@Route("GET", "/v1/connectors", ConnectorsAnswer, scope="connectors")
def list_connectors(call: RouteCall) -> Answer:
    """List connectors, without their secrets."""
    return {"connectors": [describe_connector(each) for each in call.reach.tenant.store.list_connectors()]}


@Route("POST", "/v1/connectors/test", TestAnswer, scope="connectors", errors=NAMING)
def test_connector(call: RouteCall, body: TestRequest) -> Answer:
    """Test a connector; nothing is stored."""
    reach = call.reach
    return hide_test_message(reach.service.policy, reach.tenant.test_connector(body.descriptor, call.timeout_s))


@Route(
    "GET",
    "/v1/connectors/{id}",
    ConnectorAnswer,
    scope="connectors",
    errors=("connector_not_found",),
    parameters=(CONNECTOR_ID,),
)
def get_connector(call: RouteCall) -> Answer:
    """Describe a connector, without its secrets."""
    return describe_connector(call.reach.tenant.store.find_connector(call.path["id"]))


@Route(
    "DELETE",
    "/v1/connectors/{id}",
    scope="connectors",
    errors=("connector_not_found", "source_already_registered"),
    status=204,
    parameters=(CONNECTOR_ID,),
)
def delete_connector(call: RouteCall) -> Answer:
    """Delete a connector and its secrets."""
    call.reach.tenant.store.delete_connector(call.path["id"])
    return None


@Route("POST", "/v1/sources", SourceAnswer, scope="sources", errors=NAMING, status=201)
def create_source(call: RouteCall, body: SourceRequest) -> Answer:
    """Register a live source; repeating it changes nothing."""
    _require_one("descriptor", body.descriptor, "connector_id", body.connector_id)
    if body.descriptor is not None and (body.table, body.query) != (None, None):
        raise InvalidIntentError(
            "`table` and `query` go with a connector's id; a descriptor has its own.",
            path="query" if body.table is None else "table",
        )
    return call.reach.connect(body)


@Route("GET", "/v1/sources", SourcesAnswer, scope="query", errors=PASSING)
def list_sources(call: RouteCall) -> Answer:
    """List the sources that the key may see."""
    return {"sources": call.reach.list_sources()}


@Route(
    "GET",
    "/v1/sources/{name}",
    SourceAnswer,
    scope="query",
    errors=("source_not_found", "policy_denied_source", "source_malformed", "unsupported_source", *PASSING),
    parameters=(NAME,),
)
def get_source(call: RouteCall) -> Answer:
    """Describe a source."""
    return call.reach.describe_source(call.path["name"])


@Route("POST", "/v1/sources/{name}", SourceAnswer, scope="sources", errors=NAMING, parameters=(NAME,))
def refresh_source(call: RouteCall) -> Answer:
    """Describe a source again; plans for its old columns are refused from then on."""
    return call.reach.refresh_source(call.path["name"])


@Route(
    "DELETE",
    "/v1/sources/{name}",
    scope="sources",
    errors=("source_not_found", "policy_denied_source"),
    status=204,
    parameters=(NAME,),
)
def delete_source(call: RouteCall) -> Answer:
    """Delete a source; recorded results stay."""
    call.reach.forget_source(call.path["name"])
    return None


# --- the deployment -------------------------------------------------------------------------------------------------


@Route("GET", "/v1/deployment", DeploymentAnswer, scope="query")
def deployment(call: RouteCall) -> Answer:
    """Describe this deployment, and the permissions of the key."""
    caller, service, config = call.caller, call.reach.service, call.deployment.config
    if caller is None:
        raise build_no_such_route()
    runtime = call.deployment.describe_runtime()
    return DeploymentAnswer(
        version=__version__,
        contract_hash=service.contract_hash,
        tenant=caller.tenant,
        key_id=caller.key_id,
        scopes=sorted(caller.scopes),
        policy=caller.policy.to_dict(),
        limits=LimitsAnswer(
            body_bytes=config.limits.body_bytes,
            timeout_s=config.timeouts.request_s,
            requests_per_s=config.rate.requests_per_s,
            burst=config.rate.burst,
            calls=MOST_CALLS,
            groups=service.limits.groups,
            rows=MOST_ROWS,
        ),
        connectors=call.deployment.list_kinds(),
        runtime=None if runtime is None else msgspec.convert(runtime, RuntimeAnswer, from_attributes=True),
    )


@Route("POST", "/v1/runtime/build", BuildAnswer, errors=("route_not_found", *BUILDING))
def build_runtime(call: RouteCall, body: BuildRequest) -> Answer:
    """Select the files of a signed bundle that some modules need; nothing is signed here."""
    built = call.deployment.bundles.select(
        modules=body.modules, platform=body.platform, python=body.python, contract_hash=body.contract_hash
    )
    return BuildAnswer(url=f"bundles/{built.path.name}", sha256=built.sha256, cache_key=built.cache_key)


@Route(
    "GET",
    "/v1/runtime/bundles/{id}",
    bytes,
    errors=("route_not_found",),
    parameters=(SELECTION_ID,),
    media_type="application/x-tar",
)
def read_runtime_bundle(call: RouteCall) -> Answer:
    """Send the archive of a selection."""
    return iter_file(call.deployment.bundles.find(call.path["id"].removesuffix(".tar")))


@Route("POST", "/v1/device/code", DeviceCodeAnswer, errors=("route_not_found",), takes_forms=True, gives_codes=True)
def device_code(call: RouteCall, body: DeviceCodeRequest) -> Answer:
    """Give a device its codes (RFC 8628)."""
    return call.deployment.enrolment.begin(body.client_id, body.scope or None, call.address)


@Route(
    "POST",
    "/v1/device/token",
    DeviceTokenAnswer,
    errors=("route_not_found", "unauthenticated", "forbidden"),
    takes_forms=True,
)
def device_token(call: RouteCall, body: DeviceTokenRequest) -> Answer:
    """Give a device its key, once granted (RFC 8628)."""
    found = call.deployment.enrolment.poll(body.client_id, body.device_code)
    if isinstance(found, Pending):
        error = InvalidIntentError("The device has no key yet.", reason=found.reason, rfc_error=found.reason)
        raise HttpError(error, 400)  # as RFC 8628 wants it
    return found


ROUTES += [
    Route("GET", "/healthz", HealthAnswer, "Whether the process is alive."),
    Route(
        "GET",
        "/readyz",
        HealthAnswer,
        "Whether requests are accepted: 503 while something that they need is missing, or during shutdown.",
    ),
    Route("GET", "/metrics", str, "Figures for Prometheus.", scope="metrics", media_type="text/plain"),
    Route("GET", "/openapi.json", dict[str, Any], "This document."),
]


def _require_one(one: str, first: object, other: str, second: object) -> None:
    if (first is None) == (second is None):
        raise InvalidIntentError(f"The body takes either `{one}` or `{other}`.", path=one, expected=f"{one} or {other}")


def _parse_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 1_000):
        raise InvalidIntentError("`limit` must be a whole number from 1 to 1000.", path="limit", expected="1 … 1000")
    return int(text)
