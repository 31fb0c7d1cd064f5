"""Holds every answer to the OpenAPI document of the deployment that gave it."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx
import jsonschema

from service_nb.server.openapi import build_document
from service_nb.server.routes import ROUTES


@cache
def described() -> dict[str, Any]:
    """The document."""
    return build_document()


def conforms(answer: httpx.Response) -> None:
    """Fail unless the status, the headers and the body of an answer are documented for what was asked."""
    answer.read()
    path, method = path_of(answer.request), answer.request.method.lower().replace("head", "get")
    if path is None or method not in described()["paths"][path]:
        assert answer.status_code in (404, 405), answer.text
        _valid({"$ref": "#/components/schemas/ErrorBody"}, answer.json())
        return
    responses = described()["paths"][path][method]["responses"]
    assert str(answer.status_code) in responses, (method, path, answer.status_code, answer.text)
    told = responses[str(answer.status_code)]
    for name, header in told.get("headers", {}).items():
        assert name in answer.headers or not header.get("required"), (name, dict(answer.headers))
    content = told.get("content", {})
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    assert media_type in content or (not content and not answer.content), (media_type, answer.text)
    if media_type == "application/json" and answer.request.method != "HEAD":
        _valid(content[media_type]["schema"], answer.json())


def path_of(request: httpx.Request) -> str | None:
    """The path of the document that a request goes to."""
    for path, pattern in _PATTERNS:
        if pattern.fullmatch(request.url.path):
            return path
    return None


_PATTERNS = [(route.path, route.pattern) for route in sorted(ROUTES, key=lambda route: "{" in route.path)]


def _valid(schema: dict[str, Any], body: Any) -> None:
    validator = jsonschema.Draft202012Validator({**schema, "components": described()["components"]})
    validator.validate(body)
