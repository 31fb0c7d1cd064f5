"""`Content-Digest` (RFC 9530): what arrives is what was sent, through whatever stands between client and deployment."""

from __future__ import annotations

import base64
import binascii
import hmac
import re

from service_nb.core.digest import sha256

DIGEST = "Content-Digest"
_SHA256 = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]{1,128}):\s*(?:$|,)")


def digest_of(digest: bytes) -> str:
    """Return the header's value for the SHA-256 of a body."""
    return f"sha-256=:{base64.b64encode(digest).decode()}:"


def is_whole(header: str | None, body: bytes) -> bool:
    """Whether a body has the digest of its header; of a header without a SHA-256 nothing can be told against it."""
    found = None if header is None else _SHA256.search(header)
    if found is None:
        return True
    try:
        return hmac.compare_digest(base64.b64decode(found[1], validate=True), sha256(body))
    except (binascii.Error, ValueError):
        return False
