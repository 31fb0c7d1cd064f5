"""Errors of deployments and of the live sources behind them; drawn with all others in `service_nb.errors`."""

from __future__ import annotations

from typing import Literal

from service_nb.errors.base import ServiceError

Failure = Literal["unreachable", "timed_out", "lost", "login_refused", "not_allowed", "misconfigured", "malformed"]
PASSING: tuple[Failure, ...] = ("unreachable", "timed_out", "lost")  # may be gone at the next try


class ConnectorError(ServiceError):
    """A live source cannot be reached, refuses, or sends a malformed answer; `reason` in details says which.

    Retryable while the reason may pass: the source was unreachable, slow, or lost in mid-answer.
    """

    code = "connector_failed"

    def __init__(self, message: str, *, reason: Failure, hint: str | None = None, **details: object) -> None:
        super().__init__(message, hint=hint, reason=reason, **details)
        self.reason = reason
        self.retryable = reason in PASSING


class ConnectorNotFoundError(ServiceError):
    """The deployment has no connector of that id, or none that this key may see."""

    code = "connector_not_found"


class SecretUnavailableError(ServiceError):
    """A reference to a secret whose target is missing or may not be used."""

    code = "secret_unavailable"
    source = "service"


class UnauthenticatedError(ServiceError):
    """The deployment requires a key, and received none or an unknown one."""

    code = "unauthenticated"
    source = "service"


class ForbiddenError(ServiceError):
    """The key is known, but does not permit this operation."""

    code = "forbidden"
    source = "service"


class RouteNotFoundError(ServiceError):
    """The deployment has nothing at that path, or not for that method."""

    code = "route_not_found"
    source = "service"


class RateLimitedError(ServiceError):
    """The key has asked more often than it may; `retry_after_s` says when it may again."""

    code = "rate_limited"
    source = "service"
    retryable = True


class OverloadedError(ServiceError):
    """The deployment is at its load limit, or is shutting down; `retry_after_s` says when to retry."""

    code = "overloaded"
    source = "service"
    retryable = True


class DeploymentUnavailableError(ServiceError):
    """No answer of the deployment arrived, or only a malformed one."""

    code = "deployment_unavailable"
    source = "service"
    retryable = True


class AnswerMismatchError(ServiceError):
    """An answer of the deployment does not have the hash that it carries, or answers something else."""

    code = "answer_mismatch"
    source = "service"
