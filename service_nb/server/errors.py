"""Encode every error of a deployment as an answer: its status, its headers, its body."""

from __future__ import annotations

import msgspec

from service_nb.deployment.messages import ErrorBody
from service_nb.errors import (
    LimitExceededError,
    OverloadedError,
    RouteNotFoundError,
    ServiceError,
)

MOST_MESSAGE_CHARS = 4_000
RETRY_AFTER_S = 1  # where nothing better is known

# What a live source does wrong is 424, never 502: nothing between a client and its deployment shall take it for a
# fault of the deployment. 5xx is for what an operator has to look at, or for what passes by itself.
STATUS: dict[str, int] = {
    "invalid_intent": 400,
    "canonical_json_invalid": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "policy_denied_source": 403,
    "policy_denied_field": 403,
    "policy_denied_function": 403,
    "route_not_found": 404,
    "source_not_found": 404,
    "connector_not_found": 404,
    "result_not_found": 404,
    "unsupported_operation": 404,
    "source_already_registered": 409,
    "source_changed": 409,
    "schema_revision_mismatch": 409,
    "limit_exceeded": 413,
    "plan_invalid": 422,
    "duplicate_argument_binding": 422,
    "seed_required": 422,
    "domain_error": 422,
    "undecided": 422,
    "unsupported_source": 422,
    "source_malformed": 422,
    "source_unreadable": 422,
    "secret_unavailable": 422,
    "evidence_invalid": 422,
    "deployment_required": 422,
    "connector_failed": 424,
    "rate_limited": 429,
    "engine_failed": 500,
    "driver_missing": 501,
    "unsupported_platform": 501,
    "answer_mismatch": 502,
    "compute_runtime_unavailable": 503,
    "deployment_unavailable": 503,
    "interrupted": 503,
    "ledger_unavailable": 503,
    "login_required": 503,
    "overloaded": 503,
    "runtime_provision_failed": 503,
    "timeout": 504,
}

RawHeaders = list[tuple[bytes, bytes]]
CLOSE: RawHeaders = [(b"connection", b"close")]


class HttpError(Exception):
    """An error with a status of its own: that of HTTP rather than that of its code."""

    def __init__(self, error: ServiceError, status: int, headers: RawHeaders | None = None) -> None:
        super().__init__(error.code)
        self.error = error
        self.status = status
        self.headers = headers or []


def build_no_such_route(allowed: str = "") -> HttpError:
    """Build the error of a path that has nothing, or nothing for that method (`allowed` has those that it takes)."""
    if allowed:
        error = RouteNotFoundError(
            "This path does not take that method.", hint=f"It takes {allowed}.", expected=allowed
        )
        return HttpError(error, 405, [(b"allow", allowed.encode())])
    return HttpError(
        RouteNotFoundError("There is no route at this path.", hint="GET /openapi.json lists the routes."), 404
    )


def build_large_head(most: int) -> HttpError:
    """Build the error of a request whose head is too large."""
    error = LimitExceededError("The head of the request is too large.", limit=most, limit_name="header_bytes")
    return HttpError(error, 431, CLOSE)


def build_overloaded(why: str, retry_after_s: float = RETRY_AFTER_S) -> OverloadedError:
    """Build the error of a request that comes when there is too much to do."""
    return OverloadedError(why, hint="Try again later.", retry_after_s=retry_after_s)


def encode_error(error: HttpError | ServiceError, request_id: str) -> tuple[int, bytes, RawHeaders]:
    """Encode an error: its status, its body, its headers."""
    headers: RawHeaders = []
    if isinstance(error, HttpError):
        status, headers, error = error.status, list(error.headers), error.error
    else:
        status = STATUS.get(error.code, 500)
    if error.code == "unauthenticated":
        headers.append((b"www-authenticate", b'Bearer realm="service_nb"'))
    if STATUS.get(error.code, 500) in (429, 503):
        after = error.details.get("retry_after_s", RETRY_AFTER_S)
        headers.append((b"retry-after", str(max(1, -(-int(after * 1_000) // 1_000))).encode()))
    rfc_error = error.details.pop("rfc_error", None)  # of RFC 8628
    body = ErrorBody(
        code=error.code,
        message=_clean(error.message),
        request_id=request_id,
        source=error.source,
        retryable=error.retryable,
        hint=None if error.hint is None else _clean(error.hint),
        details=error.details,
        error=rfc_error or msgspec.UNSET,
        error_description=_clean(error.message) if rfc_error else msgspec.UNSET,
    )
    return status, _ENCODER.encode(body), headers


def _clean(value: object) -> str:
    """Escape lone surrogates, which messages may quote, and cut what is too long."""
    return str(value).encode("utf-8", "backslashreplace").decode()[:MOST_MESSAGE_CHARS]


_ENCODER = msgspec.json.Encoder(enc_hook=_clean)
