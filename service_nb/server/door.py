"""Who is known at the door: whoever came with a key before is let in without a look into the store.

It decides nothing: work begins with such a look in any case, in its own thread, so that a key that was taken back does
nothing from that moment on. What it saves is a second thread for each request.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from service_nb.core.digest import sha256
from service_nb.server.ports import Caller

MOST = 10_000


class Door:
    """Callers by the hash of their key; the keys themselves are not held. Safe to use from several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._callers: OrderedDict[bytes, Caller] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, bearer: str) -> Caller | None:
        """Return who came with that key before, if it is remembered."""
        hashed = _hash(bearer)
        with self._lock:
            caller = self._callers.get(hashed)
            if caller is not None:
                self._callers.move_to_end(hashed)
            return caller

    def remember(self, bearer: str, caller: Caller) -> None:
        """Remember whose key that is, and forget whoever has not come for longest."""
        with self._lock:
            self._callers[_hash(bearer)] = caller
            while len(self._callers) > self._most:
                self._callers.popitem(last=False)

    def forget(self, bearer: str) -> None:
        """Forget a key that is none any more."""
        with self._lock:
            self._callers.pop(_hash(bearer), None)


def _hash(bearer: str) -> bytes:
    return sha256(bearer.encode())
