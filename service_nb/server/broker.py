"""Share the limits of a deployment between its workers: the process that started them holds the limits, workers ask.

Each worker has one stream to it, with one message a line. When a worker dies, its stream ends, and all that it held is
free again; when the broker is gone, its workers take nothing new and end.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import msgspec

from service_nb.errors import OverloadedError
from service_nb.server.admission import Asker
from service_nb.server.answers import RETRY_AFTER_S, build_overloaded
from service_nb.server.limits import Bucket, OwnLimits

LONGEST_LINE = 16 * 2**20  # of metrics; all other messages are short
_LATE_S = 2.0  # for the metrics of a worker that is busy, which then are left out
_GONE = "The deployment is shutting down."


class Ask(msgspec.Struct, array_like=True):
    """A message of a worker; `number` is that of its answer, 0 where none is wanted."""

    what: str  # ready, token, bytes, back, enter, gone, leave, gather, metrics
    number: int = 0
    tenant: str = ""
    name: str = ""  # a key's id; of a token the name that is counted
    count: int = 0
    text: str = ""


class Told(msgspec.Struct, array_like=True):
    """A message of the broker: an answer by its number, or with number 0 an order."""

    number: int
    what: str = ""  # of an order: drain, end, metrics
    value: float = 0.0
    error: str = ""
    texts: list[str] = []


_ASKS, _TELLS = msgspec.json.Decoder(Ask), msgspec.json.Decoder(Told)
_ENCODER = msgspec.json.Encoder()


class _Stream:
    """A stream of messages, one a line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def send(self, message: msgspec.Struct) -> None:
        if not self._writer.is_closing():
            self._writer.write(_ENCODER.encode(message) + b"\n")

    async def read_line(self) -> bytes:
        """Read a line; b"" at the end, also where the other side was killed within one."""
        with suppress(OSError, ValueError):
            line = await self._reader.readline()
            return line if line.endswith(b"\n") else b""
        return b""

    def close(self) -> None:
        self._writer.close()


class Peer:
    """A worker, as the broker knows it: what it holds, and what it waits for."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: OwnLimits) -> None:
        self._stream, self._limits = _Stream(reader, writer), limits
        self._places: Counter[Asker] = Counter()
        self._bytes: Counter[Asker] = Counter()
        self._waiting: dict[int, asyncio.Future[None]] = {}  # to be set when the client of the request is gone
        self._tasks: set[asyncio.Task[None]] = set()
        self._metrics: asyncio.Future[str] | None = None
        self._has_ended = False
        self.is_ready = asyncio.Event()

    def order(self, what: str) -> None:
        """Tell the worker to `drain`, or to `end` at once."""
        self._stream.send(Told(0, what))

    async def serve(self, list_peers: Callable[[], list[Peer]]) -> None:
        """Answer the worker until it ends; what it held is free then."""
        try:
            while line := await self._stream.read_line():
                self._answer(_ASKS.decode(line), list_peers)
        finally:
            self._has_ended = True
            for gone in self._waiting.values():
                if not gone.done():
                    gone.set_result(None)
            for asker, count in self._places.items():
                for _ in range(count):
                    self._limits.leave(asker)
            for asker, count in self._bytes.items():
                self._limits.give_back_bytes(asker, count)
            if self._metrics is not None and not self._metrics.done():
                self._metrics.set_result("")
            self._stream.close()

    def _answer(self, ask: Ask, list_peers: Callable[[], list[Peer]]) -> None:
        asker = Asker(ask.tenant, ask.name)
        match ask.what:
            case "ready":
                self.is_ready.set()
            case "token":
                self._start(self._take_token(ask.number, ask.tenant, ask.name))  # type: ignore[arg-type]  # a bucket
            case "bytes":
                self._start(self._take_bytes(ask.number, asker, ask.count))
            case "back":
                self._bytes[asker] -= ask.count
                self._limits.give_back_bytes(asker, ask.count)
            case "enter":
                gone = self._waiting[ask.number] = asyncio.get_running_loop().create_future()
                self._start(self._enter(ask.number, asker, gone))
            case "gone":
                gone_at = self._waiting.get(ask.number)
                if gone_at is not None and not gone_at.done():
                    gone_at.set_result(None)
            case "leave":
                self._places[asker] -= 1
                self._limits.leave(asker)
            case "gather":
                self._start(self._gather(ask.number, list_peers()))
            case "metrics":
                if self._metrics is not None and not self._metrics.done():
                    self._metrics.set_result(ask.text)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take_token(self, number: int, bucket: Bucket, name: str) -> None:
        self._stream.send(Told(number, value=await self._limits.take_token(bucket, name)))

    async def _take_bytes(self, number: int, asker: Asker, count: int) -> None:
        try:
            await self._limits.take_bytes(asker, count)
        except OverloadedError as error:
            self._refuse(number, error)
            return
        self._bytes[asker] += count
        self._stream.send(Told(number, value=1.0))

    async def _enter(self, number: int, asker: Asker, gone: asyncio.Future[None]) -> None:
        try:
            has_entered = await self._limits.enter(asker, gone)
        except OverloadedError as error:
            self._refuse(number, error)
            return
        finally:
            del self._waiting[number]
        if has_entered and self._has_ended:
            self._limits.leave(asker)
        elif has_entered:
            self._places[asker] += 1
        self._stream.send(Told(number, value=float(has_entered)))

    def _refuse(self, number: int, error: OverloadedError) -> None:
        retry = error.details.get("retry_after_s", RETRY_AFTER_S)
        self._stream.send(Told(number, value=float(str(retry)), error=error.message))

    async def _gather(self, number: int, peers: list[Peer]) -> None:
        texts = await asyncio.gather(*(peer.read_metrics() for peer in peers if peer is not self))
        self._stream.send(Told(number, texts=[text for text in texts if text]))

    async def read_metrics(self) -> str:
        """Ask the worker for its metrics; empty where it does not answer."""
        if self._metrics is None or self._metrics.done():
            self._metrics = asyncio.get_running_loop().create_future()
            self.order("metrics")
        await asyncio.wait({self._metrics}, timeout=_LATE_S)
        return self._metrics.result() if self._metrics.done() else ""


class BrokeredLimits:
    """The limits as a worker asks for them; see `limits.SharedLimits`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._stream = _Stream(reader, writer)
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Told]] = {}
        self._has_ended = False
        self._queued = 0

    @property
    def queued(self) -> int:
        """Count the requests of this worker that wait for a place."""
        return self._queued

    def tell_ready(self) -> None:
        """Say that this worker takes requests."""
        self._stream.send(Ask("ready"))

    async def listen(
        self, drain: Callable[[], object], end: Callable[[], object], metrics: Callable[[], bytes]
    ) -> None:
        """Take answers and orders, until the broker is gone: then drain."""
        while line := await self._stream.read_line():
            told = _TELLS.decode(line)
            if told.number:
                answer = self._answers.pop(told.number)
                if not answer.done():
                    answer.set_result(told)
            elif told.what == "metrics":
                self._stream.send(Ask("metrics", text=metrics().decode()))
            elif told.what in ("drain", "end"):
                (drain if told.what == "drain" else end)()
        self._has_ended = True
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(Told(0, error=_GONE, value=RETRY_AFTER_S))
        drain()

    async def take_token(self, bucket: Bucket, name: str) -> float:
        """Take one token; return 0.0, or how many seconds it takes until there is one."""
        _, answer = self._ask("token", bucket, name)
        return _read(await answer)

    async def take_bytes(self, asker: Asker, count: int) -> None:
        """Take bytes for a body, or raise `overloaded`."""
        _, answer = self._ask("bytes", asker.tenant, asker.key_id, count)
        try:
            await asyncio.wait({answer})
        finally:
            if not answer.done():  # the body came too late, or this process ends
                answer.add_done_callback(lambda told: self._undo(told, lambda: self.give_back_bytes(asker, count)))
        _read(answer.result())

    def give_back_bytes(self, asker: Asker, count: int) -> None:
        """Give back bytes that were taken."""
        if count:
            self._stream.send(Ask("back", 0, asker.tenant, asker.key_id, count))

    async def enter(self, asker: Asker, gone: asyncio.Future[None]) -> bool:
        """Take a place, or return False when whoever wants it is `gone` before; raises `overloaded`."""
        number, answer = self._ask("enter", asker.tenant, asker.key_id)
        self._queued += 1
        try:
            ends: set[asyncio.Future[Any]] = {answer, gone}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._queued -= 1
            if not answer.done():  # it is gone, or this process ends
                self._stream.send(Ask("gone", number))
                answer.add_done_callback(lambda told: self._undo(told, lambda: self.leave(asker)))
        return answer.done() and bool(_read(answer.result()))

    def leave(self, asker: Asker) -> None:
        """Release a place."""
        self._stream.send(Ask("leave", 0, asker.tenant, asker.key_id))

    async def gather_metrics(self, own: bytes) -> list[bytes]:
        """Return the metrics of every worker."""
        _, answer = self._ask("gather")
        return [own, *(text.encode() for text in (await answer).texts)]

    def _ask(self, what: str, tenant: str = "", name: str = "", count: int = 0) -> tuple[int, asyncio.Future[Told]]:
        if self._has_ended:
            raise build_overloaded(_GONE)
        number = next(self._numbers)
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._stream.send(Ask(what, number, tenant, name, count))
        return number, answer

    def _undo(self, answer: asyncio.Future[Told], undo: Callable[[], None]) -> None:
        """Give back what came after nobody wanted it any more."""
        told = answer.result()
        if told.value and not told.error and not self._has_ended:
            undo()


def _read(told: Told) -> float:
    if told.error:
        raise build_overloaded(told.error, told.value)
    return told.value
