"""A network that fails: what passes through it is lost, late, cut, changed, sent twice, or drips."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, get_args

Fault = Literal["drop", "delay", "cut", "garble", "duplicate", "trickle", "hang"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
_PIECE = 65_536
_BODY = b"\r\n\r\n"


@dataclass
class Network:
    """How often what goes wrong: one in `1 / often` pieces, of the kinds in `faults`; counted in `done`."""

    port: int
    seed: int = 0
    often: float = 0.0
    faults: tuple[Fault, ...] = FAULTS
    done: Counter[str] = field(default_factory=Counter)
    hang_s: float = 1.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    @property
    def url(self) -> str:
        """Where clients go."""
        return f"http://127.0.0.1:{self.port}"

    def choose(self) -> tuple[Fault | None, float]:
        """Return what happens to the next piece, and a number that says where in it."""
        with self._lock:
            if not self.faults or self._random.random() >= self.often:
                return None, 0.0
            fault = self._random.choice(self.faults)
            self.done[fault] += 1
            return fault, self._random.random()


@contextmanager
def network(target: int, **how: object) -> Iterator[Network]:
    """Carry what comes to a free port of 127.0.0.1 to the port `target`, and back."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=256)) as listener:
        made = Network(listener.getsockname()[1], **how)  # type: ignore[arg-type]
        ended = threading.Event()
        lines: list[_Line] = []
        accepting = threading.Thread(target=_accept, args=(listener, target, made, lines, ended))
        accepting.start()
        try:
            yield made
        finally:
            ended.set()
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", made.port), 1).close()  # wakes whoever accepts
            accepting.join()
            for line in lines:
                line.end()


def _accept(
    listener: socket.socket, target: int, network_: Network, lines: list[_Line], ended: threading.Event
) -> None:
    while not ended.is_set():
        near, _ = listener.accept()
        if ended.is_set():
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", target), 5)
        except OSError:
            near.close()
            continue
        lines.append(_Line(near, far, network_))


class _Line:
    """One connection, both ways."""

    def __init__(self, near: socket.socket, far: socket.socket, network_: Network) -> None:
        self._ends = (near, far)
        self._network = network_
        for end in self._ends:
            end.settimeout(None)
        self._threads = [
            threading.Thread(target=self._carry, args=(near, far, True)),
            threading.Thread(target=self._carry, args=(far, near, False)),
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._shut()
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def _shut(self) -> None:
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _carry(self, source: socket.socket, to: socket.socket, is_request: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(_PIECE):
                if not self._pass(piece, to, is_request):
                    break
        self._shut()

    def _pass(self, piece: bytes, to: socket.socket, is_request: bool) -> bool:
        """Pass a piece on, or what is left of it; whether the line still stands."""
        fault, where = self._network.choose()
        middle = int(len(piece) * where)
        match fault:
            case "drop":
                return False
            case "hang":
                time.sleep(self._network.hang_s)
                return False
            case "cut":
                to.sendall(piece[:middle])
                return False
            case "delay":
                time.sleep(0.2 * where)
            case "garble":
                piece = _garbled(piece, where, is_request)
            case "duplicate":
                to.sendall(piece)
            case "trickle":
                for index in range(min(middle, 200)):
                    to.sendall(piece[index : index + 1])
                    time.sleep(0.0005)
                piece = piece[min(middle, 200) :]
        to.sendall(piece)
        return True


def _garbled(piece: bytes, where: float, is_request: bool) -> bytes:
    """Return a piece with one byte changed; of a request in its body, for its head says who asks for what."""
    start = piece.find(_BODY) + len(_BODY) if is_request else 0
    if start >= len(piece) or (is_request and _BODY not in piece):
        return piece
    at = start + int((len(piece) - start) * where)
    return piece[:at] + bytes([piece[at] ^ 0x15]) + piece[at + 1 :]
