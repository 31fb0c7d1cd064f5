"""How much a deployment takes on: requests of a key a second, requests at once, requests that wait."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service_nb.server.errors import overloaded

MOST_BUCKETS = 10_000


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

    def __init__(self, most: int) -> None:
        self._left = most

    @contextmanager
    def lending(self) -> Iterator[Callable[[int], None]]:
        """Yield what takes a number of bytes, or raises `overloaded`; at the end of the block all are given back."""
        taken = 0

        def take(count: int) -> None:
            nonlocal taken
            if count > self._left:
                raise overloaded("The deployment holds as many large requests as it takes on.")
            self._left -= count
            taken += count

        try:
            yield take
        finally:
            self._left += taken


class Places:
    """Places for what runs at once, and a queue before them, in which nobody waits for long. Of the event loop."""

    def __init__(self, running: int, queued: int, wait_s: float) -> None:
        self._free = running
        self._most_queued, self._wait_s = queued, wait_s
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.running = 0

    @property
    def queued(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def enter(self, gone: asyncio.Future[None]) -> bool:
        """Take a place, as soon as there is one; return False when whoever wants it is `gone` before.

        Raises
        ------
        OverloadedError [overloaded]
            The queue is full, or the wait was too long.
        """
        if self._free > 0:
            self._free -= 1
            self.running += 1
            return True
        if len(self._waiting) >= self._most_queued:
            raise overloaded("The deployment has as much to do as it takes on.")
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await asyncio.wait({turn, gone}, timeout=self._wait_s, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            self._give_up(turn)
            raise
        if turn.done() and not gone.done():
            return True
        self._give_up(turn)
        if gone.done():
            return False
        raise overloaded("There was no place for this request in time.")

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if turn.done():  # its place came as it went
            self.leave()
        else:
            self._waiting.remove(turn)

    def leave(self) -> None:
        """Give a place back: to whoever waits longest."""
        self.running -= 1
        if self._waiting:
            self.running += 1
            self._waiting.popleft().set_result(None)
        else:
            self._free += 1
