"""Admit requests: rate limits by key and address, bytes of bodies, and fair places for what runs at once.

Whoever asks most waits longest. A free place goes to the tenant that has fewest, and in it to its keys in turn. Of
several tenants none has all places, so that work which takes minutes keeps nobody else out. A full queue still takes
who has little in it, and refuses the newest request of who has most.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

from service_nb.errors import OverloadedError
from service_nb.server.answers import build_overloaded

MOST_BUCKETS = 10_000
LONGEST_NAME = 64  # of what a proxy says that is no address
SPARE = 8  # of so many places, one is never had by the tenant that has the others


@dataclass(frozen=True, slots=True)
class Asker:
    """The tenant and key id that a place is for; both empty for callers without a key."""

    tenant: str = ""
    key_id: str = ""


@dataclass(slots=True, eq=False)
class _QueuedRequest:
    """A request that waits for a place."""

    asker: Asker
    place: asyncio.Future[None]


@dataclass(slots=True)
class _TenantQueue:
    """All of a tenant that wait: those of each key by age; the key whose turn it is comes first."""

    keys: OrderedDict[str, deque[_QueuedRequest]] = field(default_factory=OrderedDict)
    length: int = 0

    def add(self, turn: _QueuedRequest) -> None:
        self.keys.setdefault(turn.asker.key_id, deque()).append(turn)
        self.length += 1

    def remove(self, turn: _QueuedRequest) -> None:
        waiting = self.keys[turn.asker.key_id]
        waiting.remove(turn)
        self.length -= 1
        if not waiting:
            del self.keys[turn.asker.key_id]

    def pop_next(self) -> _QueuedRequest:
        """Remove and return the next request; its key then comes last."""
        key_id = next(iter(self.keys))
        turn = self.keys[key_id][0]
        self.keys.move_to_end(key_id)
        self.remove(turn)
        return turn


class Shares:
    """The share of a resource that one tenant may have: all, until another tenant asks. Of the event loop."""

    def __init__(self) -> None:
        self._first: str | None = None
        self._are_several = False

    def limit(self, asker: Asker, whole: int) -> int:
        """Compute the part of `whole` that a tenant may have at once."""
        if asker.tenant and self._first is None:
            self._first = asker.tenant
        self._are_several = self._are_several or asker.tenant not in ("", self._first)
        return whole - max(1, whole // SPARE) if self._are_several and whole > 1 else whole


class AdmissionQueue:
    """`running` places, and a queue of `queued` requests that wait up to `wait_s` before them. Of the event loop."""

    def __init__(self, running: int, queued: int, wait_s: float, shares: Shares) -> None:
        self._all = self._free = running
        self._most_queued, self._wait_s, self._shares = queued, wait_s, shares
        self._lines: OrderedDict[str, _TenantQueue] = OrderedDict()  # the tenant that had its turn last is the last
        self._had: Counter[str] = Counter()  # places, by tenant
        self.queued = 0  # how many wait

    async def enter(self, asker: Asker, gone: asyncio.Future[None]) -> bool:
        """Take a place, as soon as there is one; return False when whoever wants it is `gone` before.

        Raises `overloaded` where the queue is full of others who have no more in it, or the wait was too long.
        """
        if self._can_take_place(asker):
            self._take_place(asker)
            return True
        self._make_room(asker)
        turn = _QueuedRequest(asker, asyncio.get_running_loop().create_future())
        self._lines.setdefault(asker.tenant, _TenantQueue()).add(turn)
        self.queued += 1
        try:
            await asyncio.wait({turn.place, gone}, timeout=self._wait_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave_queue(turn)
            raise
        if turn.place.done() and not gone.done():
            turn.place.result()  # or that it had to go
            return True
        self._leave_queue(turn)
        if gone.done():
            return False
        raise build_overloaded("The request waited too long in the queue.", self._choose_retry(asker))

    def leave(self, asker: Asker) -> None:
        """Release a place; it goes to the waiting tenant that has the fewest places."""
        self._free += 1
        self._had[asker.tenant] -= 1
        if not self._had[asker.tenant]:
            del self._had[asker.tenant]
        while (line := self._find_next_queue()) is not None:
            turn = self._drop_from_queue(line.pop_next())
            self._take_place(turn.asker)
            turn.place.set_result(None)

    # --- who is next ----------------------------------------------------------------------------------------------

    def _can_take_place(self, asker: Asker) -> bool:
        return self._free > 0 and self._had[asker.tenant] < self._shares.limit(asker, self._all)

    def _take_place(self, asker: Asker) -> None:
        self._free -= 1
        self._had[asker.tenant] += 1

    def _find_next_queue(self) -> _TenantQueue | None:
        able = [tenant for tenant in self._lines if self._can_take_place(Asker(tenant))] if self._free else []
        tenant = min(able, key=lambda each: self._had[each], default=None)  # of equal ones the first
        if tenant is None:
            return None
        self._lines.move_to_end(tenant)
        return self._lines[tenant]

    def _drop_from_queue(self, turn: _QueuedRequest) -> _QueuedRequest:
        """Count one waiting request less, and drop its tenant's queue if it is empty."""
        self.queued -= 1
        if not self._lines[turn.asker.tenant].length:
            del self._lines[turn.asker.tenant]
        return turn

    # --- who has to go --------------------------------------------------------------------------------------------

    def _make_room(self, asker: Asker) -> None:
        """Refuse whoever comes to a full queue, or the newest of who has most in it: at least two more."""
        if self.queued < self._most_queued:
            return
        mine = self._lines.get(asker.tenant, _TenantQueue())
        longest = max(self._lines.values(), key=lambda line: line.length, default=mine)
        line = longest if longest.length >= mine.length + 2 else mine
        most = max(line.keys.values(), key=len, default=deque[_QueuedRequest]())
        if line is mine and len(most) < len(mine.keys.get(asker.key_id, ())) + 2:
            raise self._build_full_error(asker)
        turn = most[-1]
        line.remove(turn)
        self._drop_from_queue(turn)
        turn.place.set_exception(self._build_full_error(turn.asker))

    def _build_full_error(self, asker: Asker) -> OverloadedError:
        return build_overloaded("The deployment's queue is full.", self._choose_retry(asker))

    def _choose_retry(self, asker: Asker) -> float:
        """Return after how many seconds to come again: the longer, the more of one's own waits."""
        line = self._lines.get(asker.tenant)
        return 1.0 + (0 if line is None else line.length // self._all)

    def _leave_queue(self, turn: _QueuedRequest) -> None:
        if not turn.place.done():
            self._lines[turn.asker.tenant].remove(turn)
            self._drop_from_queue(turn)
        elif turn.place.exception() is None:  # its place came as it went
            self.leave(turn.asker)


def group_address(address: str) -> str:
    """Name the group that an address is counted in: itself, or its network /64, which one IPv6 machine has whole."""
    try:
        met = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:LONGEST_NAME]
    if isinstance(met, IPv6Address):
        return str(met.ipv4_mapped or ip_network((int(met) >> 64 << 64, 64)))
    return str(met)


class TokenBuckets:
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


class ByteBudget:
    """Bytes of bodies that are in memory at once, of all requests together. Of the event loop."""

    def __init__(self, most: int, shares: Shares) -> None:
        self._most = self._left = most
        self._shares = shares
        self._taken: Counter[str] = Counter()  # by tenant

    def take(self, asker: Asker, count: int) -> None:
        """Take a number of bytes, or raise `overloaded`."""
        if count > min(self._left, self._shares.limit(asker, self._most) - self._taken[asker.tenant]):
            raise build_overloaded("The deployment has reached its limit of large requests.")
        self._left -= count
        self._taken[asker.tenant] += count

    def give_back(self, asker: Asker, count: int) -> None:
        """Give back what was taken."""
        self._left += count
        self._taken[asker.tenant] -= count
        if not self._taken[asker.tenant]:
            del self._taken[asker.tenant]
