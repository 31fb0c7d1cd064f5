"""Encode answers: JSON, bytes as they are, pieces that are made while they are sent, and every error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from service_nb.client.results import QueryOutcome
from service_nb.core.digest import compute_sha256
from service_nb.deployment.messages import ErrorBody
from service_nb.deployment.values import DIGEST, format_digest, hash_column
from service_nb.errors import LimitExceededError, OverloadedError, RouteNotFoundError, ServiceError
from service_nb.schema.compute import Vector
from service_nb.schema.source import Field, convert_to_json

SOME_ROWS = 2_000  # of a result, that are written at once
SOME_VALUES = 20_000  # of a column
FILE_PIECE = 1024**2
JSON = b"application/json"
_ENCODER = msgspec.json.Encoder()
RawHeaders = list[tuple[bytes, bytes]]


@dataclass(slots=True, kw_only=True)
class EncodedAnswer:
    """An answer as bytes; `status` None: the route's own. Its digest is taken in the thread of the request."""

    body: bytes
    media_type: bytes = JSON
    status: int | None = None
    headers: RawHeaders = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take the digest by which a client knows that a body arrived as it was sent (RFC 9530)."""
        if self.body:
            self.headers = [*self.headers, (DIGEST.lower().encode(), format_digest(compute_sha256(self.body)).encode())]


Pieces = Iterator[bytes]  # of an answer that is too long to be held whole
Answer = Mapping[str, object] | msgspec.Struct | EncodedAnswer | Pieces | None


def encode_answer(answer: Answer) -> EncodedAnswer | Pieces:
    """Encode what a handler returns; content and pieces stay as they are."""
    if isinstance(answer, EncodedAnswer | Iterator):
        return answer
    return EncodedAnswer(body=b"") if answer is None else encode_json(answer)


def encode_json(value: object, *headers: tuple[bytes, bytes]) -> EncodedAnswer:
    """Encode a value as JSON."""
    return EncodedAnswer(body=_ENCODER.encode(value), headers=list(headers))


def encode_outcome(outcome: QueryOutcome) -> Answer:
    """Encode the outcome of a question as `messages.QueryAnswer` has it; long results in pieces."""
    told: dict[str, object] = dict(outcome)
    if outcome["status"] != "ok":
        return told
    told["columns"] = outcome.columns
    rows = outcome["data"]["result"]
    return told if len(rows) <= SOME_ROWS else _encode_rows(told, outcome["data"])


def iter_file(path: Path) -> Pieces:
    """Read a file in pieces."""
    with path.open("rb") as file:
        while piece := file.read(FILE_PIECE):
            yield piece


def encode_columns(columns: list[tuple[Field, Vector]]) -> Pieces:
    """Encode columns as `messages.ColumnsAnswer` has them."""
    yield b'{"columns":['
    for index, (column, vector) in enumerate(columns):
        head = _ENCODER.encode({"name": column.name, "physical": column.physical, "sha256": hash_column(vector)})
        yield (b"," if index else b"") + head[:-1] + b',"values":['
        yield from _encode_items(_list_values(vector), SOME_VALUES)
        yield b"]}"
    yield b"]}"


def _encode_rows(told: Mapping[str, object], data: Mapping[str, Any]) -> Pieces:
    begin = {key: value for key, value in told.items() if key != "data"}
    rest = {key: value for key, value in data.items() if key != "result"}
    yield _ENCODER.encode(begin)[:-1] + b',"data":' + _ENCODER.encode(rest)[:-1] + b',"result":['
    yield from _encode_items(iter(data["result"]), SOME_ROWS)
    yield b"]}}"


def _list_values(vector: Vector) -> Iterator[object]:
    """Yield the values of a column as rows have them, and hold few of them at a time."""
    values, nulls = vector
    for start in range(0, len(values), SOME_VALUES):
        some = values[start : start + SOME_VALUES]
        native = some.tolist() if isinstance(some, np.ndarray) else some
        if nulls is None:
            yield from map(convert_to_json, native)
        else:
            missing = nulls[start : start + SOME_VALUES]
            yield from (None if gone else convert_to_json(value) for value, gone in zip(native, missing, strict=True))


def _encode_items(values: Iterator[object], at_once: int) -> Pieces:
    """Encode the inside of a JSON list, in pieces."""
    separator = b""
    while some := list(islice(values, at_once)):
        yield separator + _ENCODER.encode(some)[1:-1]
        separator = b","


# --- errors ---------------------------------------------------------------------------------------------------------

MOST_MESSAGE_CHARS = 4_000
RETRY_AFTER_S = 1  # where nothing better is known

# What a live source does wrong is 424, never 502: nothing between a client and its deployment shall take it for a
# fault of the deployment. 5xx is for what an operator has to look at, or for what passes by itself.
_CODES: list[tuple[int, tuple[str, ...]]] = [
    (400, ("invalid_intent", "canonical_json_invalid")),
    (401, ("unauthenticated",)),
    (403, ("forbidden", "policy_denied_source", "policy_denied_field", "policy_denied_function")),
    (404, ("route_not_found", "source_not_found", "connector_not_found", "result_not_found")),
    (404, ("unsupported_operation",)),
    (409, ("source_already_registered", "source_changed", "schema_revision_mismatch")),
    (413, ("limit_exceeded",)),
    (422, ("plan_invalid", "duplicate_argument_binding", "seed_required", "domain_error", "undecided")),
    (422, ("unsupported_source", "source_malformed", "source_unreadable", "secret_unavailable")),
    (422, ("evidence_invalid", "deployment_required")),
    (424, ("connector_failed",)),
    (429, ("rate_limited",)),
    (500, ("engine_failed",)),
    (501, ("driver_missing", "unsupported_platform")),
    (502, ("answer_mismatch",)),
    (503, ("compute_runtime_unavailable", "deployment_unavailable", "interrupted", "ledger_unavailable")),
    (503, ("login_required", "overloaded", "runtime_provision_failed")),
    (504, ("timeout",)),
]
STATUS = {code: status for status, codes in _CODES for code in codes}

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


def encode_error(error: HttpError | ServiceError, request_id: str) -> EncodedAnswer:
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
    return EncodedAnswer(body=_ERROR_ENCODER.encode(body), status=status, headers=headers)


def _clean(value: object) -> str:
    """Escape lone surrogates, which messages may quote, and cut what is too long."""
    return str(value).encode("utf-8", "backslashreplace").decode()[:MOST_MESSAGE_CHARS]


_ERROR_ENCODER = msgspec.json.Encoder(enc_hook=_clean)
