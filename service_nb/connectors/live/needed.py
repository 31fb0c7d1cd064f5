"""What a connector needs of its descriptor before it can connect."""

from __future__ import annotations

from service_nb.errors import InvalidIntentError
from service_nb.records.connector import Descriptor, Kind


def address(kind: Kind, descriptor: Descriptor) -> tuple[str, int]:
    """Return host and port.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The descriptor names no host.
    """
    return required(kind, "host", descriptor.host), descriptor.port or kind.port or 0


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
