"""The gzip frame of a bundle: stored blocks, so that nothing is ever inflated, and in one form only."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from service_nb.core.digest import FileDigest
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.refusal import refused

_STORED = 65_535  # the most that one stored block of gzip holds; every block but the last holds it
_BEGINNING = bytes.fromhex("1f8b08 00 00000000 00 ff")  # deflate, no name, no time, no hint, no system


def framed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a gzip file that holds `pieces`, stored."""
    yield _BEGINNING
    checksum = size = 0
    rest = bytearray()
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
        size += len(piece)
        rest += piece
        # One byte stays back, because the last block says that it is the last.
        whole = max(0, len(rest) - 1) // _STORED * _STORED
        for start in range(0, whole, _STORED):
            yield _stored(rest[start : start + _STORED], 0)
        del rest[:whole]
    yield _stored(rest, 1)
    yield struct.pack("<II", checksum, size & 0xFFFFFFFF)


def _stored(content: bytearray, last: int) -> bytes:
    return struct.pack("<BHH", last, len(content), len(content) ^ 0xFFFF) + content


class Frame:
    """Reads the gzip frame: each read gives exactly as many bytes as were asked for, or refuses the archive."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = FileDigest()
        self._checksum = self._size = 0
        self._left = 0  # of the present block
        self._is_last = False
        if self._exactly(len(_BEGINNING)) != _BEGINNING:
            raise _malformed("its beginning is not that of a bundle")

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of the content."""
        content = bytearray()
        while len(content) < size:
            if not self._left:
                self._next_block()
            piece = self._exactly(min(size - len(content), self._left))
            self._left -= len(piece)
            content += piece
        self._checksum = zlib.crc32(content, self._checksum)
        self._size += size
        return bytes(content)

    def expect(self, expected: bytes, where: str) -> None:
        """Read what has to be there."""
        if self.read(len(expected)) != expected:
            raise _malformed(f"{where} is not followed by zeros")

    def close(self) -> str:
        """Refuse anything beyond the content, and return the digest of the whole file."""
        if self._left or not self._is_last:
            raise _beyond()
        if self._exactly(8) != struct.pack("<II", self._checksum, self._size & 0xFFFFFFFF):
            raise _malformed("its checksum is wrong")
        if self._some(1):
            raise _beyond()
        return self._digest.hexdigest()

    def _next_block(self) -> None:
        if self._is_last:
            raise _truncated()
        first, size, inverse = struct.unpack("<BHH", self._exactly(5))
        if first not in (0, 1):
            raise _malformed("it is compressed, and bundles never are")
        self._is_last, self._left = first == 1, size
        if size != inverse ^ 0xFFFF or not size or (size != _STORED and not self._is_last):
            raise _malformed("a block of it states a wrong length")

    def _exactly(self, size: int) -> bytes:
        content = self._some(size)
        while len(content) < size:
            more = self._some(size - len(content))
            if not more:
                raise _truncated()
            content += more
        return content

    def _some(self, size: int) -> bytes:
        try:
            content = self._file.read(size) or b""
        except OSError as error:
            raise refused("archive_unreadable", f"The bundle cannot be read: {error.strerror}.") from error
        self._digest.update(content)
        return content


def _malformed(what: str) -> RuntimeProvisionError:
    return refused("archive_malformed", f"This is not a bundle: {what}.")


def _truncated() -> RuntimeProvisionError:
    return refused("archive_truncated", "The bundle ends before its content does.")


def _beyond() -> RuntimeProvisionError:
    return refused("archive_too_large", "The file holds more than the bundle's manifest accounts for.")
