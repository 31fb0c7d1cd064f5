"""Servers that are none: they accept and say nothing, talk nonsense, never end, drip, or hang up."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NONSENSE = b"\x00\xff\x13HTTP/9.9 999 what\r\n\r\n{]" * 50
LOOK_S = 0.05

Behaviour = Callable[[socket.socket, threading.Event], None]


def _silent(link: socket.socket, over: threading.Event) -> None:
    link.settimeout(LOOK_S)
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            if not link.recv(4096):
                over.wait(LOOK_S)


def _nonsense(link: socket.socket, over: threading.Event) -> None:
    link.sendall(NONSENSE)
    _silent(link, over)


def _endless(link: socket.socket, over: threading.Event) -> None:
    link.settimeout(1)
    while not over.is_set():
        link.sendall(b"N" * 65536)


def _dripping(link: socket.socket, over: threading.Event) -> None:
    while not over.wait(LOOK_S):
        link.sendall(b"S")


def _hanging_up(link: socket.socket, _: threading.Event) -> None:
    link.recv(1)


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": _silent,
    "nonsense": _nonsense,
    "endless": _endless,
    "dripping": _dripping,
    "hanging up": _hanging_up,
}


@contextmanager
def faulty(behaviour: str) -> Iterator[int]:
    """Listen at a port of 127.0.0.1, which is yielded, and treat every connection so."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LOOK_S)
        keeper = threading.Thread(target=_accept, args=(listener, BEHAVIOURS[behaviour], over))
        keeper.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            keeper.join()


def _accept(listener: socket.socket, behave: Behaviour, over: threading.Event) -> None:
    threads: list[threading.Thread] = []
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            link, _ = listener.accept()
            threads.append(threading.Thread(target=_served, args=(link, behave, over)))
            threads[-1].start()
    for thread in threads:
        thread.join()


def _served(link: socket.socket, behave: Behaviour, over: threading.Event) -> None:
    with link, contextlib.suppress(OSError):
        behave(link, over)
