"""Check digests of what crossed the network."""

from __future__ import annotations

import base64
import binascii
import hmac
import re

import numpy as np

from service_nb.core.canonical_vectors import digest_column
from service_nb.core.digest import compute_sha256
from service_nb.schema.compute import Vector
from service_nb.schema.source import convert_to_json

DIGEST = "Content-Digest"
_SHA256 = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]{1,128}):\s*(?:$|,)")


def format_digest(digest: bytes) -> str:
    """Format a SHA-256 as the value of `Content-Digest` (RFC 9530)."""
    return f"sha-256=:{base64.b64encode(digest).decode()}:"


def has_digest(header: str | None, body: bytes) -> bool:
    """Tell whether a body has the SHA-256 that its header states; true if the header states none."""
    found = None if header is None else _SHA256.search(header)
    if found is None:
        return True
    try:
        return hmac.compare_digest(base64.b64decode(found[1], validate=True), compute_sha256(body))
    except (binascii.Error, ValueError):
        return False


def hash_column(column: Vector) -> str:
    """Hash the canonical JSON of a column's values, as both sides do."""
    if isinstance(column.values, np.ndarray):
        return digest_column(column.values, column.nulls)
    return digest_column([convert_to_json(value) for value in column.values])
