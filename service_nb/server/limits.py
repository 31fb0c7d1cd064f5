"""How much a deployment takes on: requests of a key a second, and bytes of bodies. `places` has what runs and waits."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network

from service_nb.server.errors import overloaded
from service_nb.server.places import Asker, Shares

MOST_BUCKETS = 10_000
_LONGEST = 64  # of what a proxy says that is no address


def address_group(address: str) -> str:
    """Return what an address is counted as: itself, or its network /64, of which one IPv6 machine has every address."""
    try:
        met = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:_LONGEST]
    if isinstance(met, IPv6Address):
        return str(met.ipv4_mapped or ip_network((int(met) >> 64 << 64, 64)))
    return str(met)


class Buckets:
    """Token buckets by name: each fills by `per_s`, up to `burst`. The least used ones go; a full one is as none.

    Used in the event loop alone.
    """

    def __init__(self, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._burst, self._clock = per_s, max(burst, 1.0), clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """Take one token; return 0.0, or how many seconds it takes until there is one."""
        now = self._clock()
        level, before = self._levels.get(name, (self._burst, now))
        level = min(self._burst, level + (now - before) * self._per_s)
        is_there = level >= 1.0
        self._levels[name] = (level - is_there, now)
        self._levels.move_to_end(name)
        if len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return 0.0 if is_there else (1.0 - level) / self._per_s


class Held:
    """Bytes of bodies that are in memory at once, of all requests together. Of the event loop."""

    def __init__(self, most: int, shares: Shares) -> None:
        self._most = self._left = most
        self._shares = shares
        self._taken: Counter[str] = Counter()  # by tenant

    @contextmanager
    def lending(self, asker: Asker) -> Iterator[Callable[[int], None]]:
        """Yield what takes a number of bytes, or raises `overloaded`; at the end of the block all are given back."""
        taken, tenant = 0, asker.tenant

        def take(count: int) -> None:
            nonlocal taken
            if count > min(self._left, self._shares.of_one(asker, self._most) - self._taken[tenant]):
                raise overloaded("The deployment has reached its limit of large requests.")
            self._left -= count
            self._taken[tenant] += count
            taken += count

        try:
            yield take
        finally:
            self._left += taken
            self._taken[tenant] -= taken
            if not self._taken[tenant]:
                del self._taken[tenant]
