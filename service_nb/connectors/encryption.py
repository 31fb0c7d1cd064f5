"""Whose certificates a connection trusts, and how it is told that a server has none that counts."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from pathlib import Path

from service_nb.connectors import faults
from service_nb.errors import ConnectorError, InvalidIntentError
from service_nb.schema.connector import Kind

CA = "path of a file of certificates that sign the server's; without it those that the system trusts"
# What drivers write of it that keep the error itself to themselves.
_WORDS = re.compile(r"certificate|CERT_|\bSSL\b|\bTLS\b|Hostname Verification", re.IGNORECASE)
_MOST_BYTES = 1024**2


def trusting(ca: str | None) -> ssl.SSLContext:
    """Return a context that checks certificates and names: by a file's authorities alone, or by the system's.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The file holds no certificates, or cannot be read.
    """
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise unreadable() from error


def authorities(ca: str) -> bytes:
    """Return the text of a file of certificates, for drivers that take it whole.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The file holds no certificates, or cannot be read.
    """
    trusting(ca)
    with Path(ca).open("rb") as file:
        return file.read(_MOST_BYTES)


def unreadable() -> InvalidIntentError:
    """Return the error of a `ca` that is no file of certificates."""
    return InvalidIntentError(
        "`ca` is not a readable file of certificates.", path="connector.ca", expected="certificates in PEM"
    )


def is_unproven(error: BaseException) -> bool:
    """Whether a driver's error comes of a handshake that failed: for the certificate, mostly, or its lack."""
    return any(isinstance(each, ssl.SSLError) or _WORDS.search(str(each)) for each in _causes(error))


def unproven(kind: Kind) -> ConnectorError:
    """Return the error of a server that did not prove who it is."""
    return faults.failed(kind, "misconfigured", hint="Look at the server's certificate and its name, and at ca.")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen = set[int]()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        yield from (each for each in at.args if isinstance(each, BaseException))
        at = at.__cause__ or at.__context__
