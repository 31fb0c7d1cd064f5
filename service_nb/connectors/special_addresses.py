"""Addresses with a special purpose, as IANA registers them: what `ipaddress` knows of them depends on Python's version.

The registries are those of RFC 6890, with what RFCs up to `AS_OF` have put there, RFC 9780 and RFC 9665 the last; what
is added there later is added here, with the date. Multicast and site-local blocks are from registries of their own. A
block that lies within another one, as 192.0.0.9 in 192.0.0.0/24, is listed where it is reached otherwise than that one.

https://www.iana.org/assignments/iana-ipv4-special-registry
https://www.iana.org/assignments/iana-ipv6-special-registry
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import NamedTuple

AS_OF = "2025-06-30"


class Block(NamedTuple):
    """One block of a registry."""

    network: IPv4Network | IPv6Network
    name: str
    is_global: bool  # whether it is reached beyond the network that it is in


def _blocks(*rows: tuple[str, str, bool]) -> tuple[Block, ...]:
    made = (Block(ip_network(network), name, is_global) for network, name, is_global in rows)
    return tuple(sorted(made, key=lambda block: block.network.prefixlen, reverse=True))  # the narrowest first


IPV4 = _blocks(
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
IPV6 = _blocks(
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
def special(address: IPv4Address | IPv6Address) -> Block | None:
    """Return the narrowest block that an address lies in, if it has a special purpose."""
    blocks = IPV4 if isinstance(address, IPv4Address) else IPV6
    return next((block for block in blocks if address in block.network), None)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is one of the public internet."""
    block = special(address)
    if block is not None:
        return block.is_global
    return isinstance(address, IPv4Address) or address in _GLOBAL_UNICAST


def is_reserved(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is kept for nobody: neither assigned nor for a network's own use."""
    if isinstance(address, IPv4Address):
        return address in _RESERVED
    return not any(address in network for network in _ASSIGNED)
