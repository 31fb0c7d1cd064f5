"""Where a declared source may not lead: this machine, its network, and what clouds tell their machines.

A deployment asks URLs that a user writes. So a host is a plain name or address, all that its name resolves to must be
public, and the connection goes to the very address that was checked: a name that resolves otherwise a moment later
changes nothing. A host that the deployment's configuration allows by name may be private.

Special addresses are listed here as IANA registers them (RFC 6890, and RFCs up to `AS_OF`), because what `ipaddress`
knows of them depends on Python's version. A block within another one is listed where it is reached otherwise.
https://www.iana.org/assignments/iana-ipv4-special-registry
https://www.iana.org/assignments/iana-ipv6-special-registry
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Literal, NamedTuple

from service_nb.core.words import describe_value
from service_nb.errors import ConnectorError, InvalidIntentError

AS_OF = "2025-06-30"


class Block(NamedTuple):
    """One block of a registry."""

    network: IPv4Network | IPv6Network
    name: str
    is_global: bool  # whether it is reached beyond the network that it is in


def _list_blocks(*rows: tuple[str, str, bool]) -> tuple[Block, ...]:
    made = (Block(ip_network(network), name, is_global) for network, name, is_global in rows)
    return tuple(sorted(made, key=lambda block: block.network.prefixlen, reverse=True))  # the narrowest first


IPV4 = _list_blocks(
    ("0.0.0.0/8", "This network, RFC 791", False),
    ("0.0.0.0/32", "This host on this network, RFC 1122", False),
    ("10.0.0.0/8", "Private use, RFC 1918", False),
    ("100.64.0.0/10", "Shared address space, RFC 6598", False),
    ("127.0.0.0/8", "Loopback, RFC 1122", False),
    ("169.254.0.0/16", "Link local, RFC 3927", False),
    ("172.16.0.0/12", "Private use, RFC 1918", False),
    ("192.0.0.0/24", "IETF protocol assignments, RFC 6890", False),
    ("192.0.0.0/29", "IPv4 service continuity prefix, RFC 7335", False),
    ("192.0.0.8/32", "IPv4 dummy address, RFC 7600", False),
    ("192.0.0.9/32", "Port control protocol anycast, RFC 7723", True),
    ("192.0.0.10/32", "Traversal using relays around NAT anycast, RFC 8155", True),
    ("192.0.0.170/32", "NAT64/DNS64 discovery, RFC 8880", False),
    ("192.0.0.171/32", "NAT64/DNS64 discovery, RFC 8880", False),
    ("192.0.2.0/24", "Documentation, RFC 5737", False),
    ("192.31.196.0/24", "AS112, RFC 7535", True),
    ("192.52.193.0/24", "AMT, RFC 7450", True),
    ("192.88.99.0/24", "Deprecated: 6to4 relay anycast, RFC 7526", False),
    ("192.88.99.2/32", "6a44 relay anycast, RFC 6751", False),
    ("192.168.0.0/16", "Private use, RFC 1918", False),
    ("192.175.48.0/24", "Direct delegation AS112 service, RFC 7534", True),
    ("198.18.0.0/15", "Benchmarking, RFC 2544", False),
    ("198.51.100.0/24", "Documentation, RFC 5737", False),
    ("203.0.113.0/24", "Documentation, RFC 5737", False),
    ("224.0.0.0/4", "Multicast, RFC 5771", False),
    ("240.0.0.0/4", "Reserved, RFC 1112", False),
    ("255.255.255.255/32", "Limited broadcast, RFC 8190", False),
)
IPV6 = _list_blocks(
    ("::/128", "Unspecified, RFC 4291", False),
    ("::1/128", "Loopback, RFC 4291", False),
    ("::ffff:0:0/96", "IPv4-mapped, RFC 4291", False),
    ("64:ff9b::/96", "IPv4-IPv6 translation, RFC 6052", True),
    ("64:ff9b:1::/48", "IPv4-IPv6 translation, RFC 8215", False),
    ("100::/64", "Discard only, RFC 6666", False),
    ("100:0:0:1::/64", "Dummy prefix, RFC 9780", False),
    ("2001::/23", "IETF protocol assignments, RFC 2928", False),
    ("2001::/32", "Teredo, RFC 4380", False),
    ("2001:1::1/128", "Port control protocol anycast, RFC 7723", True),
    ("2001:1::2/128", "Traversal using relays around NAT anycast, RFC 8155", True),
    ("2001:1::3/128", "DNS-SD service registration anycast, RFC 9665", True),
    ("2001:2::/48", "Benchmarking, RFC 5180", False),
    ("2001:3::/32", "AMT, RFC 7450", True),
    ("2001:4:112::/48", "AS112, RFC 7535", True),
    ("2001:10::/28", "Deprecated: ORCHID, RFC 4843", False),
    ("2001:20::/28", "ORCHIDv2, RFC 7343", True),
    ("2001:30::/28", "Drone remote identification, RFC 9374", True),
    ("2001:db8::/32", "Documentation, RFC 3849", False),
    ("2002::/16", "6to4, RFC 3056", False),
    ("2620:4f:8000::/48", "Direct delegation AS112 service, RFC 7534", True),
    ("3fff::/20", "Documentation, RFC 9637", False),
    ("5f00::/16", "Segment routing, RFC 9602", False),
    ("fc00::/7", "Unique local, RFC 4193", False),
    ("fe80::/10", "Link local, RFC 4291", False),
    ("fec0::/10", "Deprecated: site local, RFC 3879", False),
    ("ff00::/8", "Multicast, RFC 4291", False),
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that IANA assigns of the internet
_ASSIGNED = (
    _GLOBAL_UNICAST,
    *map(IPv6Network, ("::1/128", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")),
)
_RESERVED = IPv4Network("240.0.0.0/4")


@lru_cache(maxsize=1024)
def find_block(address: IPv4Address | IPv6Address) -> Block | None:
    """Return the narrowest block that an address lies in, if it has a special purpose."""
    blocks = IPV4 if isinstance(address, IPv4Address) else IPV6
    return next((block for block in blocks if address in block.network), None)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the public internet."""
    block = find_block(address)
    if block is not None:
        return block.is_global
    return isinstance(address, IPv4Address) or address in _GLOBAL_UNICAST


def is_reserved(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is reserved: neither assigned nor for a network's own use."""
    if isinstance(address, IPv4Address):
        return address in _RESERVED
    return not any(address in network for network in _ASSIGNED)


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
def allow_hosts(hosts: Iterable[str]) -> Iterator[None]:
    """Let declared sources reach these hosts (`name` or `name:port`, as a URL has them) though they are private."""
    token = _ALLOWED.set(frozenset(host.strip().lower().rstrip(".") for host in hosts))
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def is_allowed(host: str, port: int) -> bool:
    """Tell whether the deployment's configuration allows a host by name."""
    # The environment is the administrator's, as the configuration is.
    named = (name.strip().lower() for name in os.environ.get(PRIVATE_HOSTS, "").split(","))
    return bool({host, f"{host}:{port}", f"[{host}]:{port}"} & (_ALLOWED.get() | set(named)))


def normalise_host(host: str) -> str:
    """Return a host as it is compared and connected to: a lower-case name, or an address in its usual spelling.

    Raises `invalid_intent`.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    bare = bare.lower().removesuffix(".")
    literal = _parse_literal(bare)
    if literal is not None:
        return str(literal)
    if not _NAME.fullmatch(bare) or _NUMBER.match(bare.rpartition(".")[2]):
        raise InvalidIntentError(
            f"{describe_value(host)} is not a host; expected a name, or an address in its usual spelling.",
            hint="Write names beyond ASCII as xn--…",
            path="connector.url",
            met=describe_value(host),
        )
    return bare


def may_be_named(host: str) -> bool:
    """Tell whether a database may be at a host: a plain name or an address; private ones may, special ones not.

    Raises `invalid_intent`.
    """
    address = _parse_literal(normalise_host(host))
    return address is None or may_reach(address, "network")


def _parse_literal(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if getattr(address, "scope_id", None) else address


async def resolve_host(host: str, port: int, scope: Scope = "public") -> list[str]:
    """Return the addresses of a host, all of them ones that a connection may go to. Raises `connector_failed`."""
    found = await _resolve(host, port)
    if is_allowed(host, port):
        return [str(address) for address in found]
    for address in found:
        if not may_reach(address, scope):
            raise ConnectorError(
                f"{describe_value(host)} is, or resolves to, an address inside of this machine's network.",
                reason="not_allowed",
                hint="An administrator may allow the host in the deployment's configuration.",
                met=describe_value(host),
            )
    return [str(address) for address in found]


def check_peer(connected: socket.socket, host: str, port: int) -> None:
    """Close a connection that leads where clouds hand out credentials, before anything is sent.

    For drivers that find the address of a name themselves: what is looked at is where the connection went, and no name
    that resolves otherwise a moment later gets around it.

    Raises `ConnectionRefusedError`.
    """
    peer = ipaddress.ip_address(str(connected.getpeername()[0]).partition("%")[0])
    if not (may_reach(peer, "network") or is_allowed(host.lower(), port)):
        connected.close()
        raise ConnectionRefusedError(errno.ECONNREFUSED, "not gone to")


async def _resolve(host: str, port: int) -> list[Address]:
    literal = _parse_literal(host)
    if literal is not None:
        return [literal]
    found: list[Address] = []
    with suppress(OSError, UnicodeError, ValueError):
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        found = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos]
    if not found:
        met = describe_value(host)
        raise ConnectorError(f"{met} resolves to no address.", reason="unreachable", met=met)
    return list(dict.fromkeys(found))


def may_reach(address: Address, scope: Scope = "public") -> bool:
    """Tell whether a connection may go to an address; one wrapped in another address is unwrapped first."""
    inner = _unwrap(address)
    if inner is not address:
        return may_reach(inner, scope)
    if address in _METADATA or address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    if scope == "network":
        return address.is_loopback or not is_reserved(address)
    return is_public(address)


def _unwrap(address: Address) -> Address:
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
