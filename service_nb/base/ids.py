"""Ids of results: opaque, random, and said by what they are of."""

from __future__ import annotations

import secrets


def new_id(kind: str) -> str:
    """Return a new id, such as `query_` and 16 hex digits."""
    return f"{kind}_{secrets.token_hex(8)}"
