"""What goes wrong with stores of objects, in words that hold nothing of what their library wrote."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from service_nb.connectors.gateway import Gateway
from service_nb.connectors.pages import too_much
from service_nb.errors import ConnectorError, ServiceError, SourceChangedError, SourceNotFoundError
from service_nb.errors.deployment import Failure
from service_nb.schema.connector import Kind

LISTED_BYTES = 64 * 1024**2  # of one page of a list


def changed(kind: Kind, what: str) -> SourceChangedError:
    """Return the error of what is not any more as it was listed."""
    return SourceChangedError(
        f"{what} of the {kind.title} source changed while it was read.",
        hint="Connect it again when no program writes to it.",
    )


@contextmanager
def translating(kind: Kind, gateway: Gateway) -> Iterator[None]:
    """Raise errors of the store as ours; what its texts hold, addresses and keys among it, stays out."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise _of_gateway(kind, gateway) or _translated(kind, next(_leaves(group))) from None
    except (ServiceError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001  # a store raises what its library in Rust raises
        raise _of_gateway(kind, gateway) or _translated(kind, error) from None


def _of_gateway(kind: Kind, gateway: Gateway) -> ServiceError | None:
    if gateway.refused:
        return ConnectorError(
            f"The {kind.title} source redirects to another server; redirects are not followed.",
            reason="not_allowed",
            hint="Name that server as the endpoint, or the bucket's own region.",
            type=kind.type,
        )
    if gateway.spent:
        return too_much("The store sends more than it has announced.", "listed_bytes", LISTED_BYTES, LISTED_BYTES)
    if not gateway.reached:
        return ConnectorError(f"The {kind.title} source cannot be reached.", reason="unreachable", type=kind.type)
    return None


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


TRANSLATED: Mapping[str, tuple[str, Failure]] = {
    "UnauthenticatedError": ("does not accept the key", "login_refused"),
    "PermissionDeniedError": ("does not allow this to be read", "not_allowed"),
    "InvalidPathError": ("has no objects of that name", "misconfigured"),
    "UnknownConfigurationKeyError": ("is not described in full", "misconfigured"),
    "NotSupportedError": ("cannot do what reading needs", "misconfigured"),
}
ABSENT = re.compile(r"NoSuchBucket|ContainerNotFound|status: 404|404 Not Found")
# What the store's own text says of the failure; the texts themselves are not passed on.
HINTS: Sequence[tuple[str, str, Failure]] = (
    (r"dns error|ConnectError|connection refused|tcp connect", "cannot be reached", "unreachable"),
    (r"TimedOut|operation timed out|deadline has elapsed", "said nothing for too long", "timed_out"),
    (
        r"status: 40[13]|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed",
        "refuses the key",
        "login_refused",
    ),
    (r"status: 3\d\d|redirect", "redirects to another server; redirects are not followed", "not_allowed"),
    (r"Missing|InvalidKey|private key|Unable to parse|builder error", "is not described in full", "misconfigured"),
    (r"IncompleteBody|IncompleteMessage|connection (?:reset|closed)|error decoding", "was lost in mid-answer", "lost"),
)


def _translated(kind: Kind, error: BaseException) -> BaseException:
    name, text = type(error).__name__, str(error)
    if isinstance(error, ServiceError | asyncio.CancelledError | KeyboardInterrupt):
        return error
    if name == "NotFoundError" or isinstance(error, FileNotFoundError) or ABSENT.search(text):
        return SourceNotFoundError(f"The {kind.title} source has no object of that name.", hint="Check bucket and key.")
    if name in ("PreconditionError", "NotModifiedError"):
        return changed(kind, "An object")
    what, reason = TRANSLATED.get(name, ("", "malformed"))
    if not what:
        found = ((words, why) for pattern, words, why in HINTS if re.search(pattern, text, re.IGNORECASE))
        what, reason = next(found, ("answers what cannot be understood", "malformed"))
    return ConnectorError(f"The {kind.title} source {what}.", reason=reason, type=kind.type)
