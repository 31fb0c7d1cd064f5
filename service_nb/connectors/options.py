"""Read a descriptor's arguments: host, port, options, connection string, certificates to trust.

A connection string is a secret as a whole: an invalid one is explained by its expected form, and no part is shown.
"""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from service_nb.connectors.base import connection_error
from service_nb.core.words import describe_value
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
)
from service_nb.schema.connector import Descriptor, Dsn, Kind

# Names and addresses. What drivers make texts of may hold nothing that would end a name and begin something else: a
# second server, another protocol, a file.
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?|[0-9A-Fa-f:.]{2,45}")

MOST_PORT = 65_535


def require_address(kind: Kind, descriptor: Descriptor) -> tuple[str, int]:
    """Return host and port. Raises `invalid_intent`."""
    return check_host(kind, require(kind, "host", descriptor.host)), descriptor.port or kind.port or 0


def check_host(kind: Kind, host: str, key: str = "host") -> str:
    """Return a host that is one name or one address. Raises `invalid_intent`."""
    if _HOST.fullmatch(host) is None:
        raise InvalidIntentError(
            f"{kind.title} needs one host, as a name or an address.",
            path=f"connector.{key}",
            expected="a name or an address",
            met=describe_value(host) if key == "host" else "a secret",
        )
    return host


def parse_port(kind: Kind, text: str | None) -> int:
    """Return the port of a connection string; the kind's own where it has none."""
    if text is None:
        return kind.port or 0
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MOST_PORT):
        raise dsn_error(kind, "host:port", "The port is not valid.")
    return int(text)


def dsn_error(kind: Kind, expected: str, hint: str | None = None) -> InvalidIntentError:
    """Return the error of a connection string that is not taken; no part of it is shown but a key's name."""
    return InvalidIntentError(
        f"This is not a {kind.title} connection string.",
        hint=hint,
        path="connector.connection_string",
        expected=expected,
    )


def require(kind: Kind, key: str, value: str | None) -> str:
    """Return a part of the descriptor that must be there."""
    if not value:
        raise InvalidIntentError(f"A connector of type {kind.type} needs {key}.", path=f"connector.{key}", expected=key)
    return value


def read_option(descriptor: Descriptor, name: str, default: str | None = None) -> str | None:
    """Return an option that is no secret."""
    value = descriptor.options.get(name, default)
    return value if isinstance(value, str) else default


def read_password(descriptor: Descriptor) -> str:
    """Return the password, empty where there is none."""
    return "" if descriptor.password is None else descriptor.password.reveal()


def read_choice(kind: Kind, descriptor: Descriptor, name: str, allowed: tuple[str, ...]) -> str:
    """Return an option that has few values; the first of them where it is not given."""
    value = read_option(descriptor, name, allowed[0])
    if value not in allowed:
        raise InvalidIntentError(
            f"The option {name} of {kind.title} is one of {', '.join(allowed)}.", path=f"connector.{name}", met=value
        )
    return value or allowed[0]


def parse_dsn(kind: Kind, dsn: Dsn, text: str) -> dict[str, Any]:
    """Parse a connection string into the keys and options of its type. Raises `invalid_intent`."""
    try:
        url = urlsplit(text)
        found: dict[str, Any] = {**_parse_account(url), **_parse_path(dsn, url), **_parse_options(dsn, url)}
        host, port = url.hostname or "", url.port
    except ValueError:  # also of digits, letters and base64 that are none
        raise dsn_error(kind, dsn.form) from None
    # An @ behind the host is one of a password that is not written as %40: what follows it would be shown as a host.
    if (
        not text.isprintable()
        or url.fragment
        or "@" in url.path + url.query
        or not set(found) <= _list_known_keys(kind)
    ):
        raise dsn_error(kind, dsn.form, "Signs in a user or a password are written with %, such as %40 for @.")
    found[dsn.host] = check_host(kind, host.removesuffix(dsn.suffix), "connection_string")
    if port is not None:
        found["port"] = port
    return found


def _list_known_keys(kind: Kind) -> set[str]:
    return {*kind.keys, *kind.options}


def _parse_account(url: SplitResult) -> dict[str, str]:
    held = {"user": url.username, "password": url.password}
    return {key: unquote(value, errors="strict") for key, value in held.items() if value}


def _parse_path(dsn: Dsn, url: SplitResult) -> dict[str, str]:
    bare = url.path.removeprefix("/").removesuffix("/")
    named = [unquote(part, errors="strict") for part in bare.split("/")] if bare else []
    if len(named) > len(dsn.path) or not all(named):
        raise ValueError
    return dict(zip(dsn.path, named, strict=False))


def _parse_options(dsn: Dsn, url: SplitResult) -> dict[str, str]:
    given = parse_qsl(url.query, keep_blank_values=True, strict_parsing=True, errors="strict") if url.query else []
    told = dict(dsn.schemes[url.scheme]) if url.scheme in dsn.schemes else None
    if told is None:
        raise ValueError
    for key, value in given:
        name = dsn.encoded.get(key, key)
        if name in told or not (key in dsn.options or key in dsn.encoded):
            raise ValueError
        told[name] = base64.b64decode(value, validate=True).decode() if key in dsn.encoded else value
    return told


CA = "path of a file of certificates that sign the server's; without it those that the system trusts"

# What drivers write of it that keep the error itself to themselves.
_CERTIFICATE_WORDS = re.compile(r"certificate|CERT_|\bSSL\b|\bTLS\b|Hostname Verification", re.IGNORECASE)

_MOST_CA_BYTES = 1024**2


def build_trust(ca: str | None) -> ssl.SSLContext:
    """Return a context that checks certificates and names: by a file's authorities alone, or by the system's.

    Raises `invalid_intent`.
    """
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise _authorities_error() from error


def read_authorities(ca: str) -> bytes:
    """Return the text of a file of certificates, for drivers that take it whole. Raises `invalid_intent`."""
    build_trust(ca)
    with Path(ca).open("rb") as file:
        return file.read(_MOST_CA_BYTES)


def _authorities_error() -> InvalidIntentError:
    """Return the error of a `ca` that is no file of certificates."""
    return InvalidIntentError(
        "`ca` is not a readable file of certificates.", path="connector.ca", expected="certificates in PEM"
    )


def is_certificate_error(error: BaseException) -> bool:
    """Tell whether a TLS handshake caused a driver's error: mostly a bad or missing certificate."""
    return any(isinstance(each, ssl.SSLError) or _CERTIFICATE_WORDS.search(str(each)) for each in _iter_causes(error))


def certificate_error(kind: Kind) -> ConnectorError:
    """Return the error of a server that did not prove who it is."""
    return connection_error(kind, "misconfigured", hint="Check the server's certificate, its host name, and `ca`.")


def _iter_causes(error: BaseException) -> Iterator[BaseException]:
    seen = set[int]()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        yield from (each for each in at.args if isinstance(each, BaseException))
        at = at.__cause__ or at.__context__
