"""Where a declared source may not lead: this machine, its network, and what clouds tell their machines.

A deployment asks URLs that a user writes. So a host is a plain name or address, all that its name resolves to must be
public, and the connection goes to the very address that was checked: a name that resolves otherwise a moment later
changes nothing. A host that the deployment's configuration allows by name may be private.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from service_nb.connectors.special_addresses import is_public, is_reserved
from service_nb.core.words import shown
from service_nb.errors import ConnectorError, InvalidIntentError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Scope = Literal["public", "network"]  # public only; or also private networks, as of a search server beside this one

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|\d+)\Z")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
# Answer with credentials of the machine, on whatever network it is.
_METADATA = tuple(map(ipaddress.ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")))
PRIVATE_HOSTS = "SERVICE_PRIVATE_HOSTS"
_ALLOWED: ContextVar[frozenset[str]] = ContextVar("private_hosts", default=frozenset())


@contextmanager
def allowing(hosts: Iterable[str]) -> Iterator[None]:
    """Let declared sources reach these hosts (`name` or `name:port`, as a URL has them) though they are private."""
    token = _ALLOWED.set(frozenset(host.strip().lower().rstrip(".") for host in hosts))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def is_allowed(host: str, port: int) -> bool:
    """Whether the deployment's configuration allows a host by name."""
    # The environment is the administrator's, as the configuration is.
    named = (name.strip().lower() for name in os.environ.get(PRIVATE_HOSTS, "").split(","))
    return bool({host, f"{host}:{port}", f"[{host}]:{port}"} & (_ALLOWED.get() | set(named)))


def plain_host(host: str) -> str:
    """Return a host as it is compared and connected to: a lower-case name, or an address in its usual spelling.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is neither: an address in decimal, octal or hexadecimal digits, letters beyond ASCII, a zone, signs.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    bare = bare.lower().removesuffix(".")
    literal = _literal(bare)
    if literal is not None:
        return str(literal)
    if not _NAME.fullmatch(bare) or _NUMBER.match(bare.rpartition(".")[2]):
        raise InvalidIntentError(
            f"{shown(host)} is not a host; expected a name, or an address in its usual spelling.",
            hint="Write names beyond ASCII as xn--…",
            path="connector.url",
            met=shown(host),
        )
    return bare


def may_be_named(host: str) -> bool:
    """Whether a database may be at a host: a plain name, or an address, private ones included, that is not special.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is neither name nor address.
    """
    address = _literal(plain_host(host))
    return address is None or may_reach(address, "network")


def _literal(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if getattr(address, "scope_id", None) else address


async def checked_addresses(host: str, port: int, scope: Scope = "public") -> list[str]:
    """Return the addresses of a host, all of them ones that a connection may go to.

    Raises
    ------
    ConnectorError [connector_failed]
        One of them is not (`not_allowed`), or the name resolves to nothing (`unreachable`).
    """
    found = await _resolved(host, port)
    if is_allowed(host, port):
        return [str(address) for address in found]
    for address in found:
        if not may_reach(address, scope):
            raise ConnectorError(
                f"{shown(host)} is, or resolves to, an address inside of this machine's network.",
                reason="not_allowed",
                hint="An administrator may allow the host in the deployment's configuration.",
                met=shown(host),
            )
    return [str(address) for address in found]


def check_peer(connected: socket.socket, host: str, port: int) -> None:
    """Close a connection that leads where clouds hand out credentials, before anything is sent.

    For drivers that find the address of a name themselves: what is looked at is where the connection went, and no name
    that resolves otherwise a moment later gets around it.

    Raises
    ------
    ConnectionRefusedError
        It does.
    """
    peer = ipaddress.ip_address(str(connected.getpeername()[0]).partition("%")[0])
    if not (may_reach(peer, "network") or is_allowed(host.lower(), port)):
        connected.close()
        raise ConnectionRefusedError(errno.ECONNREFUSED, "not gone to")


async def _resolved(host: str, port: int) -> list[Address]:
    literal = _literal(host)
    if literal is not None:
        return [literal]
    try:
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos]
    except (OSError, UnicodeError, ValueError) as error:
        raise ConnectorError(f"{shown(host)} resolves to no address.", reason="unreachable", met=shown(host)) from error
    if not found:
        raise ConnectorError(f"{shown(host)} resolves to no address.", reason="unreachable", met=shown(host))
    return list(dict.fromkeys(found))


def may_reach(address: Address, scope: Scope = "public") -> bool:
    """Whether a connection may go to an address; one that is wrapped in another counts as itself."""
    inner = _unwrapped(address)
    if inner is not address:
        return may_reach(inner, scope)
    if address in _METADATA or address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    if scope == "network":
        return address.is_loopback or not is_reserved(address)
    return is_public(address)


def _unwrapped(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
