"""The limits that all requests of a deployment share: rates, places for what runs, bytes of bodies.

A process that serves alone has them itself; one of several asks the process that started them (`broker.py`).
"""

from __future__ import annotations

import asyncio
from typing import Literal, Protocol

from service_nb.server.admission import AdmissionQueue, Asker, ByteBudget, Shares, TokenBuckets
from service_nb.server.config import Config

BODIES = 8  # of the largest kind, that are in memory at once
Bucket = Literal["keys", "strangers", "codes"]


class SharedLimits(Protocol):
    """The grants that a request needs before it is worked on. Of the event loop."""

    @property
    def queued(self) -> int:
        """Count the requests of this process that wait for a place."""

    async def take_token(self, bucket: Bucket, name: str) -> float:
        """Take one token; return 0.0, or how many seconds it takes until there is one."""

    async def take_bytes(self, asker: Asker, count: int) -> None:
        """Take bytes for a body, or raise `overloaded`."""

    def give_back_bytes(self, asker: Asker, count: int) -> None:
        """Give back bytes that were taken."""

    async def enter(self, asker: Asker, gone: asyncio.Future[None]) -> bool:
        """Take a place, or return False when whoever wants it is `gone` before; raises `overloaded`."""

    def leave(self, asker: Asker) -> None:
        """Release a place."""

    async def gather_metrics(self, own: bytes) -> list[bytes]:
        """Return the metrics of every process that serves; `own` are those of this one."""


class OwnLimits:
    """The limits of a configuration, held in this process."""

    def __init__(self, config: Config) -> None:
        limits, rate, codes = config.limits, config.rate, config.enrolment.codes_per_minute
        shares = Shares()
        self.places = AdmissionQueue(limits.running, limits.queued, config.timeouts.queue_s, shares)
        self._bodies = ByteBudget(BODIES * limits.body_bytes, shares)
        self._buckets: dict[Bucket, TokenBuckets] = {
            "keys": TokenBuckets(rate.requests_per_s, rate.burst),
            "strangers": TokenBuckets(rate.attempts_per_s, rate.attempts_per_s * 10),
            "codes": TokenBuckets(codes / 60, codes),
        }

    @property
    def queued(self) -> int:
        """Count the requests that wait for a place."""
        return self.places.queued

    async def take_token(self, bucket: Bucket, name: str) -> float:
        """Take one token; return 0.0, or how many seconds it takes until there is one."""
        return self._buckets[bucket].take(name)

    async def take_bytes(self, asker: Asker, count: int) -> None:
        """Take bytes for a body, or raise `overloaded`."""
        self._bodies.take(asker, count)

    def give_back_bytes(self, asker: Asker, count: int) -> None:
        """Give back bytes that were taken."""
        self._bodies.give_back(asker, count)

    async def enter(self, asker: Asker, gone: asyncio.Future[None]) -> bool:
        """Take a place, or return False when whoever wants it is `gone` before; raises `overloaded`."""
        return await self.places.enter(asker, gone)

    def leave(self, asker: Asker) -> None:
        """Release a place."""
        self.places.leave(asker)

    async def gather_metrics(self, own: bytes) -> list[bytes]:
        """Return the metrics of this process, which is the only one."""
        return [own]
