"""Every error of a deployment as an answer: its status, its headers, its body."""

from __future__ import annotations

from typing import Any

import msgspec

from service_nb.deployment.messages import ErrorBody
from service_nb.errors import (
    DeploymentUnavailableError,
    EngineError,
    InvalidIntentError,
    LimitExceededError,
    OverloadedError,
    RateLimitedError,
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

Headers = list[tuple[bytes, bytes]]


class Refused(Exception):  # noqa: N818  # it carries an error, and is none itself
    """An error with a status of its own: that of HTTP rather than that of its code."""

    def __init__(self, error: ServiceError, status: int, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(error.code)
        self.error = error
        self.status = status
        self.headers = list(headers)


def no_such_route(path_exists: bool = False, allowed: str = "") -> Refused:
    """Return what is told where there is nothing, or nothing for that method."""
    if path_exists:
        error = RouteNotFoundError(
            "This path does not take that method.", hint=f"It takes {allowed}.", expected=allowed
        )
        return Refused(error, 405, (b"allow", allowed.encode()))
    return Refused(
        RouteNotFoundError("There is no route at this path.", hint="GET /openapi.json lists the routes."), 404
    )


def large_head(most: int) -> Refused:
    """Return what is told of a request whose head is too large."""
    error = LimitExceededError("The head of the request is too large.", limit=most, limit_name="header_bytes")
    return Refused(error, 431, (b"connection", b"close"))


def wrong_media_type(expected: str) -> Refused:
    """Return what is told of a body in another form."""
    error = InvalidIntentError(f"The body has to be {expected}.", path="Content-Type", expected=expected)
    return Refused(error, 415)


def too_slow(seconds: float) -> Refused:
    """Return what is told to who sends a body for too long."""
    error = InvalidIntentError(f"The body did not arrive within {seconds:g} s.", path="body", limit_s=seconds)
    return Refused(error, 408, (b"connection", b"close"))


def overloaded(why: str, retry_after_s: float = RETRY_AFTER_S) -> OverloadedError:
    """Return what is told to who comes when there is too much to do."""
    return OverloadedError(why, hint="Try again later.", retry_after_s=retry_after_s)


def rate_limited(retry_after_s: float) -> RateLimitedError:
    """Return what is told to a key that asks too often."""
    return RateLimitedError("This key exceeds its rate limit.", hint="Wait.", retry_after_s=round(retry_after_s, 3))


def garbled() -> DeploymentUnavailableError:
    """Return what is told of a body that changed on its way; sent again, it may arrive."""
    return DeploymentUnavailableError("The body does not match its digest: it changed in transit.", reason="malformed")


def unexpected() -> EngineError:
    """Return what is told of a defect: nothing but that there is one. The log has the rest under the request's id."""
    return EngineError("The deployment failed at this request.", hint="Its log has more, under this request's id.")


def status_of(error: ServiceError) -> int:
    """Return the HTTP status of an error."""
    return STATUS.get(error.code, 500)


def headers_of(error: ServiceError) -> Headers:
    """Return the headers that an error wants."""
    headers: Headers = []
    if error.code == "unauthenticated":
        headers.append((b"www-authenticate", b'Bearer realm="service_nb"'))
    if status_of(error) in (429, 503):
        after = error.details.get("retry_after_s", RETRY_AFTER_S)
        headers.append((b"retry-after", str(max(1, -(-int(after * 1_000) // 1_000))).encode()))
    return headers


def body_of(error: ServiceError, request_id: str, rfc_error: str | None = None) -> bytes:
    """Return an error as JSON."""
    told = ErrorBody(
        code=error.code,
        message=_text(error.message),
        request_id=request_id,
        source=error.source,
        retryable=error.retryable,
        hint=None if error.hint is None else _text(error.hint),
        details=error.details,
        error=rfc_error or msgspec.UNSET,
        error_description=_text(error.message) if rfc_error else msgspec.UNSET,
    )
    return _ENCODER.encode(told)


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()[:MOST_MESSAGE_CHARS]


def _plain(value: Any) -> str:
    return _text(str(value))


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)
