"""Signatures of many entries, checked in a second process while the first one reads and hashes.

An Ed25519 signature takes as long to check as all the rest of an entry, and the library that checks it keeps other
threads waiting. The process is this module, run by the same interpreter; it gets numbers, keys, signatures and
statements through a pipe, and answers with the numbers of those that do not hold. It opens no file and no socket. Where
it cannot be started, or for few entries, the check is made in place.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from contextlib import suppress
from typing import IO

from service_nb.evidence.documents import is_signature
from service_nb.evidence.standalone import encode_pae
from service_nb.schema.entry import PAYLOAD_TYPE, STATEMENT_BYTES

MANY = 5_000  # entries from which a process, which takes a quarter of a second to start, pays off
_HEAD = struct.Struct(">QI32s64s")
_NUMBER = struct.Struct(">Q")
_READY = b"ready\n"
_BUFFER = 1024**2
# -P: a folder that is verified in may hold modules of any name; no __main__ guard is needed as by multiprocessing.
_COMMAND = ("-P", "-m", "service_nb.ledger.signatures")


class LostError(Exception):
    """The second process ended before it had answered."""


class SignatureCheck:
    """The signatures of one ledger."""

    def __init__(self, entries: int) -> None:
        self._invalid: list[int] = []
        self._other = _start_process() if entries >= MANY and (os.cpu_count() or 1) > 1 else None

    def add(self, number: int, key: bytes, signature: bytes, payload: bytes) -> None:
        """Check a signature, now or later.

        Raises
        ------
        LostError
            The second process ended.
        """
        if self._other is None:
            if not _holds(key, signature, payload):
                self._invalid.append(number)
            return
        try:
            _require_pipe(self._other.stdin).write(_HEAD.pack(number, len(payload), key, signature) + payload)
        except OSError as error:
            raise LostError from error

    def list_invalid(self) -> list[int]:
        """Return the numbers of the entries whose signature does not hold; `LostError` as above."""
        if self._other is None:
            return self._invalid
        try:
            _require_pipe(self._other.stdin).close()
            answer = _require_pipe(self._other.stdout).read()
        except OSError as error:
            raise LostError from error
        if self._other.wait() != 0 or len(answer) % _NUMBER.size:
            raise LostError
        return [number for (number,) in _NUMBER.iter_unpack(answer)]

    def close(self) -> None:
        """End the second process, whatever it is doing."""
        if self._other is not None:
            _end_process(self._other)


def main(source: IO[bytes], target: IO[bytes]) -> None:
    """Check what comes until it ends; then say what does not hold."""
    target.write(_READY)
    target.flush()
    invalid = []
    while head := source.read(_HEAD.size):
        number, size, key, signature = _HEAD.unpack(head)
        payload = source.read(size)
        if size > STATEMENT_BYTES or len(payload) != size:
            sys.exit(1)
        if not _holds(key, signature, payload):
            invalid.append(_NUMBER.pack(number))
    target.write(b"".join(invalid))
    target.flush()


def _start_process() -> subprocess.Popen[bytes] | None:
    try:
        other = subprocess.Popen(  # noqa: S603  # this very interpreter
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=_BUFFER,
        )
    except (OSError, ValueError):  # no interpreter to be named, or no further process allowed
        return None
    if _require_pipe(other.stdout).readline() == _READY:
        return other
    _end_process(other)
    return None


def _end_process(other: subprocess.Popen[bytes]) -> None:
    other.kill()
    for pipe in (_require_pipe(other.stdin), _require_pipe(other.stdout)):
        with suppress(OSError):  # what was left in the pipe has nobody to go to
            pipe.close()
    other.wait()


def _holds(key: bytes, signature: bytes, payload: bytes) -> bool:
    return is_signature(key, encode_pae(PAYLOAD_TYPE, payload), signature)


def _require_pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise LostError
    return stream


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
