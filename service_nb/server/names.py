"""By which names a deployment may be asked.

A page that somebody looks at on the machine of a deployment can have its own name lead to 127.0.0.1, and then asks what
listens there as if it were its own server. It cannot keep its name out of the request. So a deployment that only its
machine reaches is asked by an address, as `localhost`, or by the names that the configuration has; and no page of
another server asks it at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from service_nb.errors import ForbiddenError
from service_nb.server.errors import Refused
from service_nb.server.reading import Headers

MISDIRECTED = 421
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]{2,45})\]|(?P<name>[^\[\]:/\\@\s]{1,255}))(?::\d{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Names:
    """The names that are taken; None: every one."""

    known: frozenset[str] | None = None

    def check(self, headers: Headers) -> None:
        """Refuse a request that was meant for another server, or that a page of another server makes a browser send."""
        host, origin = headers.get("host"), headers.get("origin")
        if host is not None and not _is_taken(host, self.known):
            raise _refused("This deployment does not answer to that host name.")
        if "origin" in headers and (origin is None or urlsplit(origin).netloc != host):
            raise _refused("A page of another server may not call a deployment.")


def is_loopback(host: str) -> bool:
    """Whether only its own machine reaches what is bound to a host."""
    address = host.partition("%")[0]
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return _is_local(address)


@lru_cache(maxsize=256)
def _is_taken(host: str, known: frozenset[str] | None) -> bool:
    if known is None:
        return True
    met = _HOST.fullmatch(host)
    if met is None:
        return False
    name = (met["six"] or met["name"]).lower().removesuffix(".")
    return name in known or _is_local(name) or _is_address(name)


def _is_local(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost")


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _refused(message: str) -> Refused:
    hint = "Ask it by its address, or have server.public_url or server.names in deployment.toml say the name."
    return Refused(ForbiddenError(message, hint=hint), MISDIRECTED, (b"connection", b"close"))
