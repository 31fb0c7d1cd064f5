"""What a handler returns: something to be written as JSON, bytes as they are, or an answer that comes in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from service_nb.client.results import QueryOutcome
from service_nb.core.digest import sha256
from service_nb.deployment.values import DIGEST, format_digest, hash_column
from service_nb.query.rows import json_value
from service_nb.schema.compute import Vector
from service_nb.schema.source import Field

SOME_ROWS = 2_000  # of a result, that are written at once
SOME_VALUES = 20_000  # of a column
JSON = b"application/json"

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """An answer as bytes."""

    body: bytes
    media_type: bytes = JSON
    status: int | None = None  # None: the route's own
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    def digested(self) -> Content:
        """Return the same with its digest among the headers; taken in a thread, for it may be long."""
        return replace(self, headers=[*self.headers, digest_header(self.body)])


class Pieces:
    """An answer in JSON that is too long to be held as text: made piece by piece, while it is sent."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def next(self) -> bytes | None:
        """Return the next piece; None after the last."""
        return next(self._pieces, None)


Answer = Mapping[str, Any] | msgspec.Struct | Content | Pieces | None


def digest_header(body: bytes) -> tuple[bytes, bytes]:
    """Return the header by which a client knows that a body arrived as it was sent (RFC 9530)."""
    return DIGEST.lower().encode(), format_digest(sha256(body)).encode()


def encoded(value: Any) -> bytes:
    """Return a value as JSON."""
    return _ENCODER.encode(value)


def of_outcome(outcome: QueryOutcome) -> Answer:
    """Return the outcome of a question as `wire.QueryAnswer` has it; long results in pieces."""
    told: dict[str, Any] = dict(outcome)
    if outcome["status"] != "ok":
        return told
    told["columns"] = outcome.columns
    rows = outcome["data"]["result"]
    return told if len(rows) <= SOME_ROWS else Pieces(_with_rows(told, rows))


def _with_rows(told: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[bytes]:
    data = told.pop("data")
    rest = {key: value for key, value in data.items() if key != "result"}
    yield encoded(told)[:-1] + b',"data":' + encoded(rest)[:-1] + b',"result":['
    yield from _listed(iter(rows), SOME_ROWS)
    yield b"]}}"


def of_columns(columns: list[tuple[Field, Vector]]) -> Pieces:
    """Return columns as `wire.ColumnsAnswer` has them."""
    return Pieces(_columns(columns))


def _columns(columns: list[tuple[Field, Vector]]) -> Iterator[bytes]:
    yield b'{"columns":['
    for index, (column, vector) in enumerate(columns):
        head = encoded({"name": column.name, "physical": column.physical, "sha256": hash_column(vector)})
        yield (b"," if index else b"") + head[:-1] + b',"values":['
        yield from _listed(_values(vector), SOME_VALUES)
        yield b"]}"
    yield b"]}"


def _values(vector: Vector) -> Iterator[Any]:
    """Yield the values of a column as rows have them, and hold few of them at a time."""
    values, nulls = vector
    for start in range(0, len(values), SOME_VALUES):
        some = values[start : start + SOME_VALUES]
        native = some.tolist() if isinstance(some, np.ndarray) else some
        if nulls is None:
            yield from map(json_value, native)
        else:
            missing = nulls[start : start + SOME_VALUES]
            yield from (None if gone else json_value(value) for value, gone in zip(native, missing, strict=True))


def _listed(values: Iterator[Any], at_once: int) -> Iterator[bytes]:
    """Yield the inside of a JSON list, in pieces."""
    separator = b""
    while some := list(islice(values, at_once)):
        yield separator + encoded(some)[1:-1]
        separator = b","
