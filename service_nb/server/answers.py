"""Encode answers: JSON, bytes as they are, or pieces that are made while they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from service_nb.client.results import QueryOutcome
from service_nb.core.digest import compute_sha256
from service_nb.deployment.values import DIGEST, format_digest, hash_column
from service_nb.query.exact import convert_to_json
from service_nb.schema.compute import Vector
from service_nb.schema.source import Field
from service_nb.server.errors import RawHeaders

SOME_ROWS = 2_000  # of a result, that are written at once
SOME_VALUES = 20_000  # of a column
JSON = b"application/json"
_ENCODER = msgspec.json.Encoder()


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


Pieces = Iterator[bytes]  # of an answer in JSON that is too long to be held as text
Answer = Mapping[str, Any] | msgspec.Struct | EncodedAnswer | Pieces | None


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
    told: dict[str, Any] = dict(outcome)
    if outcome["status"] != "ok":
        return told
    told["columns"] = outcome.columns
    rows = outcome["data"]["result"]
    return told if len(rows) <= SOME_ROWS else _encode_rows(told, rows)


def encode_columns(columns: list[tuple[Field, Vector]]) -> Pieces:
    """Encode columns as `messages.ColumnsAnswer` has them."""
    yield b'{"columns":['
    for index, (column, vector) in enumerate(columns):
        head = _ENCODER.encode({"name": column.name, "physical": column.physical, "sha256": hash_column(vector)})
        yield (b"," if index else b"") + head[:-1] + b',"values":['
        yield from _encode_items(_list_values(vector), SOME_VALUES)
        yield b"]}"
    yield b"]}"


def _encode_rows(told: dict[str, Any], rows: list[dict[str, Any]]) -> Pieces:
    data = told.pop("data")
    rest = {key: value for key, value in data.items() if key != "result"}
    yield _ENCODER.encode(told)[:-1] + b',"data":' + _ENCODER.encode(rest)[:-1] + b',"result":['
    yield from _encode_items(iter(rows), SOME_ROWS)
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
