"""Servers that nobody should meet: silent, endless, cut short, or speaking nonsense."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Speak = Callable[[socket.socket], object]


@contextmanager
def speaking(speak: Speak) -> Iterator[int]:
    """Accept connections on a port of 127.0.0.1, which is yielded, and have `speak` do with each what it does."""
    ended = threading.Event()
    held: list[socket.socket] = []
    speakers: list[threading.Thread] = []

    def serve(peer: socket.socket) -> None:
        with contextlib.suppress(OSError):
            speak(peer)
        if not ended.is_set():
            with contextlib.suppress(OSError):
                peer.close()

    def accept() -> None:
        while not ended.is_set():
            try:
                peer, _ = listener.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            held.append(peer)
            speakers.append(threading.Thread(target=serve, args=(peer,), daemon=True))
            speakers[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            ended.set()
            thread.join(60)  # first, or one that is accepted meanwhile is closed by nobody
            for peer in held:
                with contextlib.suppress(OSError):
                    peer.shutdown(socket.SHUT_RDWR)
            for each in speakers:  # what was heard is heard when the block ends
                each.join(60)
            for peer in held:
                peer.close()


def silent(peer: socket.socket) -> None:
    """Take everything and say nothing."""
    while peer.recv(65_536):
        pass


def saying(*parts: bytes, repeat: bytes = b"") -> Speak:
    """Wait for the first words, answer with these bytes, then with `repeat` for ever, or end."""

    def speak(peer: socket.socket) -> None:
        peer.recv(65_536)
        for part in parts:
            peer.sendall(part)
        while repeat:
            peer.sendall(repeat)

    return speak


@contextmanager
def refusing() -> Iterator[int]:
    """A port of 127.0.0.1 at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
