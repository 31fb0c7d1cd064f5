"""A bounded memory of what was computed: sources are immutable, so the same question has the same answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Memory(Generic[V]):
    """The latest values by key, a bounded number of them. Safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[Hashable, V] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        """Return what is remembered; of the key None nothing ever is."""
        return None if key is None else self._values.get(key)

    def put(self, key: Hashable, value: V) -> None:
        """Remember a value, and forget the oldest beyond the size."""
        if key is None:
            return
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                del self._values[next(iter(self._values))]


def memory_key(spec: object, version: int) -> Hashable:
    """Return a key that two questions share only if they are the same line or the same spec; None if it has no text."""
    try:
        return (version, "line", spec) if isinstance(spec, str) else (version, "spec", json.dumps(spec))
    except (TypeError, ValueError, RecursionError):
        return None
