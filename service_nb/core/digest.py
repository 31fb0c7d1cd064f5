"""Compute all digests of the package: hex SHA-256, with a domain wherever the hash stands for a meaning.

A domain string and a NUL byte stand before the hashed texts, so that equal texts of different meaning never share a
hash. The versions in the domains change whenever what is hashed changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from service_nb.core.canonical import write_canonical_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PLAN_DOMAIN = "service:plan:v1"
RESULT_DOMAIN = "service:result:v1"
REFUSAL_DOMAIN = "service:refusal:v1"
ERROR_DOMAIN = "service:error:v1"
SCHEMA_DOMAIN = "service:schema:v1"
SOURCE_DOMAIN = "service:source:v2"
ID_DOMAIN = "service:id:v1"

PROVENANCE_DOMAIN = "service:provenance:v1"
DEFINITION_DOMAIN = "service:definition:v1"
VIEW_DOMAIN = "service:view:v1"
ROWS_DOMAIN = "service:rows:v1"
REPLAY_DOMAIN = "service:replay:v1"

INVOCATION_DOMAIN = "service:invocation:v1"
COMPUTATION_DOMAIN = "service:computation:v1"

SOURCE_ID_DIGITS = 24


class NamedType(Protocol):
    """The properties of a field that are hashed: name and type for a schema, `physical` too for a source."""

    @property
    def name(self) -> str:
        """The field's name."""

    @property
    def type(self) -> str:
        """The field's type."""

    @property
    def physical(self) -> str:
        """The physical type of the field's values."""


class FileDigest:
    """SHA-256 and size of bytes that arrive in blocks."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def update(self, block: bytes | bytearray | memoryview) -> None:
        """Take the next block."""
        self._hash.update(block)
        self.size += memoryview(block).nbytes

    def hexdigest(self) -> str:
        """Return the digest of all blocks so far."""
        return self._hash.hexdigest()


def compute_sha256(data: bytes | bytearray | memoryview) -> bytes:
    """Compute the SHA-256 of `data` without a domain, as 32 bytes."""
    return hashlib.sha256(data).digest()


def compute_sha256_hex(data: bytes | bytearray | memoryview) -> str:
    """Compute the SHA-256 of `data` without a domain, as hex."""
    return hashlib.sha256(data).hexdigest()


def digest(domain: str, *parts: str | bytes) -> str:
    """Compute the hex SHA-256 of `domain`, one NUL byte and the concatenated `parts`, text as UTF-8.

    Parts are not separated: a caller whose parts could be cut differently puts the separator among them.
    """
    state = hashlib.sha256(domain.encode() + b"\0")
    for part in parts:
        state.update(part.encode() if isinstance(part, str) else part)
    return state.hexdigest()


def compute_blocks_sha256(blocks: Iterable[bytes]) -> str:
    """Compute the hex SHA-256 of concatenated blocks, without a domain."""
    state = hashlib.sha256()
    for block in blocks:
        state.update(block)
    return state.hexdigest()


def hash_schema(fields: Iterable[NamedType]) -> str:
    """Hash a schema: the names and types of its fields, in order."""
    return digest(SCHEMA_DOMAIN, write_canonical_text([{"name": field.name, "type": field.type} for field in fields]))


def identify_source(name: str, fields: Iterable[NamedType], content: str, reading: Mapping[str, object]) -> str:
    """Compute the id of a source: 24 hex digits over its name, columns, content and reading options.

    `content` is the content's digest, or the text that stands for it. Of columns it takes also how they are held: the
    same cells as float64 and as decimal give different sums. `reading` has the options that were given.
    """
    columns = list(fields)
    held = write_canonical_text({"physical": [column.physical for column in columns], "reading": dict(reading)})
    parts = (name, b"\0", hash_schema(columns), b"\0", content, b"\0", held)
    return digest(SOURCE_DOMAIN, *parts)[:SOURCE_ID_DIGITS]


def hash_plan(plan_text: str) -> str:
    """Hash a plan's canonical JSON."""
    return digest(PLAN_DOMAIN, plan_text)


def hash_result(plan_hash: str, rows_text: str) -> str:
    """Hash the canonical JSON of a plan's rows together with the plan's hash."""
    return digest(RESULT_DOMAIN, plan_hash, rows_text)


def hash_refusal(spec_text: str, resolution_text: str) -> str:
    """Hash a refused question: the spec as asked, and the reason for the refusal."""
    # Canonical JSON escapes NUL, so the separator cannot be part of either text.
    return digest(REFUSAL_DOMAIN, spec_text, b"\0", resolution_text)


def digest_column(values: NDArray[Any] | list[Any], mask: NDArray[np.bool_] | None = None) -> str:
    """Compute the `input_hash` of a column: the SHA-256 of its canonical JSON, without a domain.

    `mask` is true where a value is null.
    """
    # NumPy and orjson load with the first column, not with `import service_nb`.
    from service_nb.core.vectors import encode_vector_blocks  # noqa: PLC0415

    return compute_blocks_sha256(encode_vector_blocks(values, mask))
