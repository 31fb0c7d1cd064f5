"""Connection strings of the types that have one form: an address in place of host, account and options.

It is a secret whole. So what is wrong with one is told by the form that it should have, and no part of it is shown.
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from service_nb.connectors.needed import misread, plain_host
from service_nb.schema.connector import Dsn, Kind


def parts(kind: Kind, dsn: Dsn, text: str) -> dict[str, Any]:
    """Return what a connection string says, by the keys and options of its type.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It has another form, or an option that its type does not take.
    """
    try:
        url = urlsplit(text)
        found: dict[str, Any] = {**_account(url), **_path(dsn, url), **_options(dsn, url)}
        host, port = url.hostname or "", url.port
    except ValueError:  # also of digits, letters and base64 that are none
        raise misread(kind, dsn.form) from None
    # An @ behind the host is one of a password that is not written as %40: what follows it would be shown as a host.
    if not text.isprintable() or url.fragment or "@" in url.path + url.query or not set(found) <= _known(kind):
        raise misread(kind, dsn.form, "Signs in a user or a password are written with %, such as %40 for @.")
    found[dsn.host] = plain_host(kind, host.removesuffix(dsn.suffix), "connection_string")
    if port is not None:
        found["port"] = port
    return found


def _known(kind: Kind) -> set[str]:
    return {*kind.keys, *kind.options}


def _account(url: SplitResult) -> dict[str, str]:
    held = {"user": url.username, "password": url.password}
    return {key: unquote(value, errors="strict") for key, value in held.items() if value}


def _path(dsn: Dsn, url: SplitResult) -> dict[str, str]:
    bare = url.path.removeprefix("/").removesuffix("/")
    named = [unquote(part, errors="strict") for part in bare.split("/")] if bare else []
    if len(named) > len(dsn.path) or not all(named):
        raise ValueError
    return dict(zip(dsn.path, named, strict=False))


def _options(dsn: Dsn, url: SplitResult) -> dict[str, str]:
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
