"""Build the OpenAPI document from the table of routes and the types of messages."""

from __future__ import annotations

from collections import defaultdict
from http import HTTPStatus
from typing import Any, Final, TypeGuard

import msgspec

from service_nb._version import __version__
from service_nb.deployment.messages import ErrorBody
from service_nb.query.conditions import list_ops
from service_nb.schema.query import JOINERS, Joiner
from service_nb.server.answers import STATUS
from service_nb.server.keys import SCOPES
from service_nb.server.routes import FORM, JSON, ROUTES, Route, RouteParameter, list_union

Schema = dict[str, object]
NONE: Final = {"type": "null"}
TEXT: Final = {"type": "string", "minLength": 1}
TEXTS: Final = {"type": "array", "minItems": 1}
STRING: Final = {"type": "string"}
OBJECT: Final = {"type": "object"}
SCALAR: Final = {"type": ["string", "number", "boolean"]}
_SCOPE = f"(?:{'|'.join(SCOPES)})"


def _build_form(*required: str, **properties: object) -> dict[str, Any]:
    return {"properties": properties, "required": list(required)}


def _build_list_schema(least: int, most: int) -> Schema:
    return {"type": "array", "items": SCALAR, "minItems": least, "maxItems": most}


def _list_condition_forms(left: str, *more: str) -> list[Schema]:
    """List the forms of conditions on what `left` names: one for each kind of operands, and groups."""
    return [
        _build_condition_form(left, "none"),
        _build_condition_form(left, "list", values=_build_list_schema(1, 10_000)),
        _build_condition_form(left, "two", values=_build_list_schema(2, 2)),
        _build_condition_form(left, "one", "text", value=SCALAR),
        *(_build_group_form(joiner, left, *more) for joiner in JOINERS),
    ]


def _build_condition_form(left: str, *takes: str, **operands: object) -> Schema:
    """Build the form of a condition whose operators take operands of these kinds."""
    absent = dict.fromkeys(("value", "values", *JOINERS), NONE)
    op = {"enum": list_ops(*takes)}
    return _build_form(left, "op", *operands, **{left: TEXT}, op=op, **(absent | operands))


def _build_group_form(joiner: Joiner, *left: str) -> Schema:
    absent = dict.fromkeys((*left, "op", "value", "values", *JOINERS), NONE)
    return _build_form(joiner, **(absent | {joiner: {"type": "array", "minItems": 1}}))


GROUPS: Final[Schema] = {"anyOf": [TEXT, NONE, {"type": "array", "uniqueItems": True}]}

PERCENT: Final[Schema] = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 100}, {"type": "string", "pattern": r"^[0-9]{1,2}\.[1-9]$"}]
}
WIDTH: Final[Schema] = {
    "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^[1-9][0-9]{0,8}(?:\.[0-9]{1,6})?$"}]
}
PERCENTILE: Final = _build_form("aggregation", "percent", aggregation={"const": "percentile"}, percent=PERCENT)
DIFFERENT: Final = {"uniqueItems": True}  # two that differ in a null alone would be one, so they have none

# By the name of a type: forms of which its values have one.
FORMS: Final[dict[str, list[Schema]]] = {
    "ExecuteRequest": [_build_form("plan", plan=OBJECT, spec=NONE), _build_form("spec", plan=NONE, spec=OBJECT)],
    "SourceRequest": [
        _build_form("descriptor", descriptor=OBJECT, connector_id=NONE, table=NONE, query=NONE),
        _build_form("connector_id", "table", descriptor=NONE, connector_id=TEXT, table=TEXT, query=NONE),
        _build_form("connector_id", descriptor=NONE, connector_id=TEXT, table=NONE),
    ],
    "BindingSpec": [
        _build_form("parameter", "field", parameter=TEXT, field=TEXT, parameters=NONE, fields=NONE),
        _build_form(
            *("parameters", "fields", "alignment"),
            parameter=NONE,
            field=NONE,
            parameters=TEXTS,
            fields=TEXTS,
            alignment={"const": "rowwise"},
        ),
    ],
    "ConditionSpec": _list_condition_forms("column"),
    "MeasuredSpec": _list_condition_forms("aggregation", "metric", "percent"),
    "KeySpec": [_build_form("unit", unit=TEXT, width=NONE), _build_form("width", unit=NONE, width=WIDTH)],
    "MeasureSpec": [
        PERCENTILE | {"properties": {**PERCENTILE["properties"], "metric": TEXT}},
        _build_form(metric=TEXT, percent=False),
    ],
    "QuestionSpec": [
        PERCENTILE | {"properties": {**PERCENTILE["properties"], "group_by": GROUPS, "measures": NONE}},
        _build_form(group_by=GROUPS, measures=NONE, percent=NONE),
        _build_form("measures", group_by=GROUPS, measures=DIFFERENT, aggregation=NONE, metric=NONE, percent=NONE),
    ],
    "DeviceCodeRequest": [_build_form(scope={"pattern": f"^(?:{_SCOPE}(?: {_SCOPE})*)?$"})],
}


OPENAPI = "3.1.0"
REFERENCE = "#/components/schemas/{name}"
# What HTTP itself refuses has the code of a malformed request, and a status of its own.
OF_HTTP = {408: "invalid_intent", 415: "invalid_intent"}
OF_ANY = {421: "forbidden", 431: "limit_exceeded"}
SECONDS = {"type": "integer", "minimum": 1}

ANY_HEADERS = (
    RouteParameter(
        name="X-Request-Id", about="The request's id, repeated in the answer and in the log.", place="header"
    ),
)
KEYED_HEADERS = (
    RouteParameter(
        name="X-Service-Timeout",
        about="Seconds within which an answer is wanted; after them the work is stopped.",
        place="header",
        schema={"type": "number", "exclusiveMinimum": 0},
    ),
    RouteParameter(name="X-Service-Tenant", about="The tenant that the key has to be of.", place="header"),
)
RECORDED_HEADERS = (
    RouteParameter(
        name="Idempotency-Key",
        about="The same key and body again are the same outcome, which is recorded once.",
        place="header",
        schema={"type": "string", "pattern": "^[\\x21-\\x7e]{1,200}$"},
    ),
)


def build_document() -> Schema:
    """Build the OpenAPI document."""
    paths: dict[str, Schema] = defaultdict(dict)
    for route in ROUTES:
        paths[route.path][route.method.lower()] = _build_operation(route)
    return {
        "openapi": OPENAPI,
        "info": {
            "title": "service_nb deployment",
            "version": __version__,
            "description": "Exact questions to live sources and exact computations, with verifiable evidence. "
            "Every error is one body with a stable `code`; what is `retryable` may be tried again.",
        },
        "paths": dict(paths),
        "components": {
            "schemas": _build_components(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "`service-nb serve key`"}},
        },
    }


def _build_components() -> dict[str, Schema]:
    """Build the schemas of all types of messages, each with its forms."""
    kinds = [kind for route in ROUTES for kind in (*route.takes, *list_union(route.gives)) if _is_message(kind)]
    _, schemas = msgspec.json.schema_components([ErrorBody, *dict.fromkeys(kinds)], ref_template=REFERENCE)
    return {name: each | ({"anyOf": FORMS[name]} if name in FORMS else {}) for name, each in schemas.items()}


def _is_message(kind: object) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _describe_parameter(parameter: RouteParameter) -> Schema:
    schema = parameter.schema or STRING
    described = {"name": parameter.name, "in": parameter.place, "description": parameter.about, "schema": schema}
    return described | ({"required": True} if parameter.place == "path" else {})


def _build_schema(*kinds: object) -> Schema:
    if len(kinds) > 1:
        return {"anyOf": [_build_schema(each) for each in kinds]}
    kind = kinds[0]
    if _is_message(kind):
        return {"$ref": REFERENCE.format(name=kind.__name__)}
    return dict({**STRING, "format": "binary"} if kind is bytes else STRING if kind is str else OBJECT)


def _build_operation(route: Route) -> Schema:
    headers = ANY_HEADERS + (KEYED_HEADERS if route.scope and route.handle else ())
    headers += RECORDED_HEADERS if route.is_recorded else ()
    operation: Schema = {
        "operationId": route.name,
        "summary": route.summary,
        "description": f"Needs {'no key' if route.scope is None else f'the scope `{route.scope}`'}.",
        "tags": [route.path.split("/")[2] if route.path.startswith("/v1/") else "operation"],
        "parameters": [_describe_parameter(each) for each in (*route.parameters, *headers)],
        "responses": _build_responses(route),
        "security": [] if route.scope is None else [{"key": []}],
    }
    if route.takes:
        content = {JSON: {"schema": _build_schema(*route.takes)}}
        if route.takes_forms:
            content[FORM] = content[JSON]
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _build_responses(route: Route) -> Schema:
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in route.codes:
        by_status[STATUS[code]].append(code)
    for status, code in (OF_ANY | (OF_HTTP if route.takes else {})).items():
        by_status[status].append(code)
    responses: Schema = {str(route.status): _build_success(route)}
    if any(each.name == "If-None-Match" for each in route.parameters):
        responses["304"] = {"description": "The client has it.", "headers": _build_headers()}
    if route.path == "/readyz":
        responses["503"] = _build_success(route) | {"description": "Not now."}
    return responses | {str(status): _build_error(status, codes) for status, codes in sorted(by_status.items())}


def _build_success(route: Route) -> Schema:
    if route.gives is None:
        return {"description": "Gone.", "headers": _build_headers()}
    content = {route.media_type: {"schema": _build_schema(*list_union(route.gives))}}
    return {"description": "Done.", "headers": _build_headers(), "content": content}


def _build_error(status: int, codes: list[str]) -> Schema:
    body = {"allOf": [_build_schema(ErrorBody), {"properties": {"code": {"enum": sorted(codes)}}}]}
    headers = _build_headers()
    if status in (429, 503):
        headers["Retry-After"] = {"description": "Seconds to wait.", "required": True, "schema": SECONDS}
    if status == 401:
        headers["WWW-Authenticate"] = {"required": True, "schema": {"type": "string"}}
    return {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in sorted(codes))}.",
        "headers": headers,
        "content": {JSON: {"schema": body}},
    }


def _build_headers() -> Schema:
    return {"X-Request-Id": {"description": "The request's id.", "required": True, "schema": {"type": "string"}}}
