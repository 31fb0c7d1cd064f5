"""Places for what runs at once, and a queue before them: fair between tenants, and between the keys of each.

Whoever asks most waits longest. A place that is free goes to the tenant that has fewest, and in it to its keys in turn.
Of several tenants none has all places, so that work which takes minutes keeps nobody else out. A queue that is full
takes who has little in it all the same, and refuses the newest request of who has most.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field

from service_nb.errors import OverloadedError
from service_nb.server.errors import overloaded

SPARE = 8  # of so many places, one is never had by the tenant that has the others


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom a place is: a tenant, and the id of its key; both empty for strangers."""

    tenant: str = ""
    key_id: str = ""


@dataclass(slots=True, eq=False)
class _Turn:
    """Somebody who waits."""

    asker: Asker
    place: asyncio.Future[None]


@dataclass(slots=True)
class _Line:
    """All of a tenant that wait: those of each key by age; the key whose turn it is comes first."""

    keys: OrderedDict[str, deque[_Turn]] = field(default_factory=OrderedDict)
    length: int = 0

    def add(self, turn: _Turn) -> None:
        self.keys.setdefault(turn.asker.key_id, deque()).append(turn)
        self.length += 1

    def remove(self, turn: _Turn) -> None:
        waiting = self.keys[turn.asker.key_id]
        waiting.remove(turn)
        self.length -= 1
        if not waiting:
            del self.keys[turn.asker.key_id]

    def next(self) -> _Turn:
        """Take out whoever is next; its key is then the last."""
        key_id = next(iter(self.keys))
        turn = self.keys[key_id][0]
        self.keys.move_to_end(key_id)
        self.remove(turn)
        return turn


class Shares:
    """Which part of what there is one tenant may have: all of it, as long as no other has asked. Of the event loop."""

    def __init__(self) -> None:
        self._first: str | None = None
        self._are_several = False

    def of_one(self, asker: Asker, whole: int) -> int:
        """Return how much of `whole` a tenant may have at once."""
        if asker.tenant and self._first is None:
            self._first = asker.tenant
        self._are_several = self._are_several or asker.tenant not in ("", self._first)
        return whole - max(1, whole // SPARE) if self._are_several and whole > 1 else whole


class Places:
    """Places, and the queue before them, in which nobody waits for long. Of the event loop.

    Parameters
    ----------
    running : int
        How many places there are.
    queued : int
        How many wait at most.
    wait_s : float
        How long.
    shares : Shares
        How many of the places one tenant may have.
    """

    def __init__(self, running: int, queued: int, wait_s: float, shares: Shares) -> None:
        self._all = self._free = running
        self._most_queued, self._wait_s, self._shares = queued, wait_s, shares
        self._lines: OrderedDict[str, _Line] = OrderedDict()  # the tenant that had its turn last is the last
        self._had: Counter[str] = Counter()  # places, by tenant
        self.queued = 0  # how many wait

    async def enter(self, asker: Asker, gone: asyncio.Future[None]) -> bool:
        """Take a place, as soon as there is one; return False when whoever wants it is `gone` before.

        Raises
        ------
        OverloadedError [overloaded]
            The queue is full of others who have no more in it, or became so; or the wait was too long.
        """
        if self._may_have(asker):
            self._take(asker)
            return True
        self._make_room(asker)
        turn = _Turn(asker, asyncio.get_running_loop().create_future())
        self._lines.setdefault(asker.tenant, _Line()).add(turn)
        self.queued += 1
        try:
            await asyncio.wait({turn.place, gone}, timeout=self._wait_s, return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            self._give_up(turn)
            raise
        if turn.place.done() and not gone.done():
            turn.place.result()  # or that it had to go
            return True
        self._give_up(turn)
        if gone.done():
            return False
        raise overloaded("The request waited too long in the queue.", self._patience(asker))

    def leave(self, asker: Asker) -> None:
        """Give a place back: to the tenant that waits with the fewest places."""
        self._free += 1
        self._had[asker.tenant] -= 1
        if not self._had[asker.tenant]:
            del self._had[asker.tenant]
        while (line := self._next_line()) is not None:
            turn = self._without(line.next())
            self._take(turn.asker)
            turn.place.set_result(None)

    # --- who is next ----------------------------------------------------------------------------------------------

    def _may_have(self, asker: Asker) -> bool:
        return self._free > 0 and self._had[asker.tenant] < self._shares.of_one(asker, self._all)

    def _take(self, asker: Asker) -> None:
        self._free -= 1
        self._had[asker.tenant] += 1

    def _next_line(self) -> _Line | None:
        able = [tenant for tenant in self._lines if self._may_have(Asker(tenant))] if self._free else []
        tenant = min(able, key=lambda each: self._had[each], default=None)  # of equal ones the first
        if tenant is None:
            return None
        self._lines.move_to_end(tenant)
        return self._lines[tenant]

    def _without(self, turn: _Turn) -> _Turn:
        """Count one less that waits, which its line has no more."""
        self.queued -= 1
        if not self._lines[turn.asker.tenant].length:
            del self._lines[turn.asker.tenant]
        return turn

    # --- who has to go --------------------------------------------------------------------------------------------

    def _make_room(self, asker: Asker) -> None:
        """Refuse whoever comes to a full queue, or the newest of who has most in it: at least two more."""
        if self.queued < self._most_queued:
            return
        mine = self._lines.get(asker.tenant, _Line())
        longest = max(self._lines.values(), key=lambda line: line.length, default=mine)
        line = longest if longest.length >= mine.length + 2 else mine
        most = max(line.keys.values(), key=len, default=deque[_Turn]())
        if line is mine and len(most) < len(mine.keys.get(asker.key_id, ())) + 2:
            raise self._full(asker)
        turn = most[-1]
        line.remove(turn)
        self._without(turn)
        turn.place.set_exception(self._full(turn.asker))

    def _full(self, asker: Asker) -> OverloadedError:
        return overloaded("The deployment's queue is full.", self._patience(asker))

    def _patience(self, asker: Asker) -> float:
        """Return after how many seconds to come again: the longer, the more of one's own waits."""
        line = self._lines.get(asker.tenant)
        return 1.0 + (0 if line is None else line.length // self._all)

    def _give_up(self, turn: _Turn) -> None:
        if not turn.place.done():
            self._lines[turn.asker.tenant].remove(turn)
            self._without(turn)
        elif turn.place.exception() is None:  # its place came as it went
            self.leave(turn.asker)
