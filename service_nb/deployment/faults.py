"""Build the error of a call that failed: by its code, by its status, or by what never arrived."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec

from service_nb import errors
from service_nb.core.secret import MASK, Secret
from service_nb.core.words import make_visible
from service_nb.deployment.messages import ErrorBody
from service_nb.errors import (
    ConnectorError,
    DeploymentUnavailableError,
    ForbiddenError,
    PolicyDeniedError,
    ServiceError,
    UnauthenticatedError,
)
from service_nb.errors.deployment import Failure

MOST_CHARS = 2_000  # of one text of an error
MOST_DETAILS = 50
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PASSING_STATUS = (408, 425, 429, 500, 502, 503, 504)


def build_unavailable(
    reason: str, message: str, *, passes: bool, hint: str | None = None, **details: object
) -> ServiceError:
    """Build the error of an answer that never came, or was none; `passes`: the same call may succeed later.

    `reason` is stable: unreachable, timed_out, lost, tls, malformed, too_large, redirected, refused.
    """
    error = DeploymentUnavailableError(message, hint=hint, reason=reason, **details)
    error.retryable = passes
    return error


def read_error(status: int, body: bytes, is_json: bool, hidden: Sequence[Secret]) -> ServiceError:
    """Build the error that an answer has, with no secret in it."""
    told = _decode_body(body) if is_json else None
    if told is None:
        return _build_from_status(status)
    kind = _KINDS.get(told.code)
    if kind is None:
        kind = DeploymentUnavailableError if status >= 500 or _CODE.fullmatch(told.code) is None else ServiceError
    error = kind.__new__(kind)
    details = {
        _clean_text(key, hidden): _hide_secrets(value, hidden)
        for key, value in list(told.details.items())[:MOST_DETAILS]
    }
    own_details = {key: value for key, value in details.items() if key not in ("message", "hint", "self")}
    ServiceError.__init__(
        error,
        _clean_text(told.message, hidden),
        hint=None if told.hint is None else _clean_text(told.hint, hidden),
        **own_details,
        **({} if "request_id" in own_details else {"request_id": _clean_text(told.request_id, hidden)}),
    )
    return _complete_error(error, told, status)


def _complete_error(error: ServiceError, told: ErrorBody, status: int) -> ServiceError:
    """Set code, source and `retryable` as they came, and what the class of the error promises."""
    if isinstance(error, DeploymentUnavailableError) and told.code != DeploymentUnavailableError.code:
        error.details.update(status=status, met=make_visible(told.code[:64]))
    else:
        error.code = told.code
    error.source, error.retryable = told.source, told.retryable
    if isinstance(error, ConnectorError):
        reason = error.details.get("reason")
        error.reason = next((known for known in get_args(Failure) if known == reason), "malformed")
        error.details["reason"] = error.reason
    elif isinstance(getattr(type(error), "reason", None), property):
        error.details.setdefault("reason", "unknown")
    if isinstance(error, errors.UnsupportedOperationError):
        error.details.setdefault("nearest_matches", [])
    return error


def _decode_body(body: bytes) -> ErrorBody | None:
    try:
        return msgspec.json.decode(body, type=ErrorBody)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _build_from_status(status: int) -> ServiceError:
    """Build the error of an answer that is none of ours: another server stands at that address, or in front of it."""
    if status == 401:
        return UnauthenticatedError("A proxy in front of the deployment asks for another key.", status=status)
    if status == 403:
        return ForbiddenError("A proxy in front of the deployment blocks this request.", status=status)
    if 300 <= status < 400:
        return build_unavailable(
            "redirected",
            f"The deployment's address answers {status}: it redirects, and the key is not sent to another address.",
            passes=False,
            hint="Set SERVICE_DEPLOYMENT_URL to the address that it redirects to.",
            status=status,
        )
    return build_unavailable(
        "refused",
        f"The deployment's address answers {status}, which is not an answer of a deployment.",
        passes=status in _PASSING_STATUS,
        hint="Is SERVICE_DEPLOYMENT_URL the address of a deployment?",
        status=status,
    )


def _hide_secrets(value: object, hidden: Sequence[Secret], depth: int = 0) -> object:
    if isinstance(value, str):
        return _clean_text(value, hidden)
    if depth < 4 and isinstance(value, dict):
        return {_clean_text(str(key), hidden): _hide_secrets(item, hidden, depth + 1) for key, item in value.items()}
    if depth < 4 and isinstance(value, list):
        return [_hide_secrets(item, hidden, depth + 1) for item in value[:1_000]]
    return value if isinstance(value, bool | int | float) else None


def _clean_text(text: str, hidden: Sequence[Secret]) -> str:
    for secret in hidden:
        if len(secret.reveal()) >= 4:  # shorter ones are part of every other word
            text = text.replace(secret.reveal(), MASK)
    return make_visible(text[:MOST_CHARS])


def _list_classes(kind: type[ServiceError]) -> Iterator[tuple[str, type[ServiceError]]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("service_nb.errors"):
            yield each.code, each
            yield from _list_classes(each)


_KINDS: dict[str, type[ServiceError]] = {
    **dict(_list_classes(ServiceError)),
    **{f"policy_denied_{what}": PolicyDeniedError for what in ("source", "field", "function")},
}
