"""What a connector needs of its descriptor before it can connect."""

from __future__ import annotations

import re

from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.schema.connector import Descriptor, Kind

# Names and addresses. What drivers make texts of may hold nothing that would end a name and begin something else: a
# second server, another protocol, a file.
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?|[0-9A-Fa-f:.]{2,45}")
MOST_PORT = 65_535


def address(kind: Kind, descriptor: Descriptor) -> tuple[str, int]:
    """Return host and port.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The descriptor names no host.
    """
    return plain_host(kind, required(kind, "host", descriptor.host)), descriptor.port or kind.port or 0


def plain_host(kind: Kind, host: str, key: str = "host") -> str:
    """Return a host that is one name or one address.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is something else; a connection string's is not shown.
    """
    if _HOST.fullmatch(host) is None:
        raise InvalidIntentError(
            f"{kind.title} needs one host, as a name or an address.",
            path=f"connector.{key}",
            expected="a name or an address",
            met=shown(host) if key == "host" else "a secret",
        )
    return host


def port_of(kind: Kind, text: str | None) -> int:
    """Return the port of a connection string; the kind's own where it has none."""
    if text is None:
        return kind.port or 0
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= MOST_PORT):
        raise misread(kind, "host:port", "The port is not valid.")
    return int(text)


def misread(kind: Kind, expected: str, hint: str | None = None) -> InvalidIntentError:
    """Return the error of a connection string that is not taken; no part of it is shown but a key's name."""
    return InvalidIntentError(
        f"This is not a {kind.title} connection string.",
        hint=hint,
        path="connector.connection_string",
        expected=expected,
    )


def required(kind: Kind, key: str, value: str | None) -> str:
    """Return a part of the descriptor that must be there."""
    if not value:
        raise InvalidIntentError(f"A connector of type {kind.type} needs {key}.", path=f"connector.{key}", expected=key)
    return value


def option(descriptor: Descriptor, name: str, default: str | None = None) -> str | None:
    """Return an option that is no secret."""
    value = descriptor.options.get(name, default)
    return value if isinstance(value, str) else default


def choice(kind: Kind, descriptor: Descriptor, name: str, allowed: tuple[str, ...]) -> str:
    """Return an option that has few values; the first of them where it is not given."""
    value = option(descriptor, name, allowed[0])
    if value not in allowed:
        raise InvalidIntentError(
            f"The option {name} of {kind.title} is one of {', '.join(allowed)}.", path=f"connector.{name}", met=value
        )
    return value or allowed[0]
