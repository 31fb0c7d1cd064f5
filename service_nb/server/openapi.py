"""The OpenAPI document, from the table of routes and the types of the wire. Nothing in it is written by hand twice."""

from __future__ import annotations

from collections import defaultdict
from http import HTTPStatus
from typing import Any

import msgspec

from service_nb._version import __version__
from service_nb.deployment.messages import ErrorBody
from service_nb.server.errors import STATUS
from service_nb.server.narrowing import narrowed
from service_nb.server.reading import FORM
from service_nb.server.reading import JSON as JSON_TYPE
from service_nb.server.routes import ROUTES, Parameter, Route

OPENAPI = "3.1.0"
REFERENCE = "#/components/schemas/{name}"
# What HTTP itself refuses has the code of a malformed request, and a status of its own.
OF_HTTP = {408: "invalid_intent", 415: "invalid_intent"}
OF_ANY = {421: "forbidden", 431: "limit_exceeded"}
SECONDS = {"type": "integer", "minimum": 1}

ANY_HEADERS = (
    Parameter(name="X-Request-Id", about="The request's id, repeated in the answer and in the log.", place="header"),
)
KEYED_HEADERS = (
    Parameter(
        name="X-Service-Timeout",
        about="Seconds within which an answer is wanted; after them the work is stopped.",
        place="header",
        schema={"type": "number", "exclusiveMinimum": 0},
    ),
    Parameter(name="X-Service-Tenant", about="The tenant that the key has to be of.", place="header"),
)
RECORDED_HEADERS = (
    Parameter(
        name="Idempotency-Key",
        about="The same key and body again are the same outcome, which is recorded once.",
        place="header",
        schema={"type": "string", "pattern": "^[\\x21-\\x7e]{1,200}$"},
    ),
)


def document() -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for route in ROUTES:
        paths[route.path][route.method.lower()] = _operation(route)
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
            "schemas": _components(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "`service-nb serve key`"}},
        },
    }


def _types() -> list[Any]:
    given = [*(route.asked for route in ROUTES), *(route.answer for route in ROUTES)]
    flat = [each for one in given for each in (one if isinstance(one, tuple) else (one,))]
    return [
        ErrorBody,
        *dict.fromkeys(each for each in flat if isinstance(each, type) and issubclass(each, msgspec.Struct)),
    ]


def _components() -> dict[str, Any]:
    return narrowed(msgspec.json.schema_components(_types(), ref_template=REFERENCE)[1])


def _schema(kind: Any) -> dict[str, Any]:
    if isinstance(kind, tuple):
        return {"anyOf": [_schema(each) for each in kind]}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {"$ref": REFERENCE.format(name=kind.__name__)}
    return {"type": "object"}


def _operation(route: Route) -> dict[str, Any]:
    headers = ANY_HEADERS + (KEYED_HEADERS if route.scope and route.handle else ())
    headers += RECORDED_HEADERS if route.is_recorded else ()
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "description": f"Needs {'no key' if route.scope is None else f'the scope `{route.scope}`'}.",
        "tags": [route.path.split("/")[2] if route.path.startswith("/v1/") else "operation"],
        "parameters": [each.described() for each in (*route.parameters, *headers)],
        "responses": _responses(route),
        "security": [] if route.scope is None else [{"key": []}],
    }
    if route.asked is not None:
        content = {JSON_TYPE: {"schema": _schema(route.asked)}}
        if route.takes_forms:
            content[FORM] = content[JSON_TYPE]
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _responses(route: Route) -> dict[str, Any]:
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in route.codes:
        by_status[STATUS[code]].append(code)
    for status, code in (OF_ANY | (OF_HTTP if route.asked is not None else {})).items():
        by_status[status].append(code)
    responses = {str(route.status): _success(route)}
    if any(each.name == "If-None-Match" for each in route.parameters):
        responses["304"] = {"description": "The client has it.", "headers": _headers()}
    if route.path == "/readyz":
        responses["503"] = _success(route) | {"description": "Not now."}
    return responses | {str(status): _error(status, codes) for status, codes in sorted(by_status.items())}


def _success(route: Route) -> dict[str, Any]:
    told: dict[str, Any] = {"description": "Done." if route.status != 204 else "Gone.", "headers": _headers()}
    if route.answer is not None:
        told["content"] = {route.media_type: {"schema": _schema(route.answer)}}
    elif route.status == 200:
        told["content"] = {route.media_type: {"schema": {"type": "string"}}}
    return told


def _error(status: int, codes: list[str]) -> dict[str, Any]:
    body = {"allOf": [_schema(ErrorBody), {"properties": {"code": {"enum": sorted(codes)}}}]}
    headers = _headers()
    if status in (429, 503):
        headers["Retry-After"] = {"description": "Seconds to wait.", "required": True, "schema": SECONDS}
    if status == 401:
        headers["WWW-Authenticate"] = {"required": True, "schema": {"type": "string"}}
    return {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in sorted(codes))}.",
        "headers": headers,
        "content": {JSON_TYPE: {"schema": body}},
    }


def _headers() -> dict[str, Any]:
    return {"X-Request-Id": {"description": "The request's id.", "required": True, "schema": {"type": "string"}}}
