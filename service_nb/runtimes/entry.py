"""The tar headers of a bundle: plain ustar, in one form; and why another header is refused."""

from __future__ import annotations

import struct
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.manifest import is_safe
from service_nb.runtimes.refusal import Reason, refused, shown

BLOCK = 512  # of tar

_CHECKSUM = slice(148, 156)
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"5": "a folder",
    b"6": "a FIFO",
    b"S": "a sparse file",
    b"L": "a long name",
    b"K": "a long link",
    b"x": "an extended header",
    b"g": "a global header",
}


def header(path: str, size: int) -> bytes:
    """Return the one header that a file of a bundle may have."""
    # The shortest prefix that leaves a name of 100; `is_safe` sees to it that there is one.
    prefix, name = "", path
    while len(name) > 100:
        step, _, name = name.partition("/")
        prefix = f"{prefix}/{step}" if prefix else step
    block = bytearray(
        struct.pack(
            "100s8s8s8s12s12s8s1s100s6s2s32s32s8s8s155s12x",
            name.encode(),
            b"0000644\0",
            b"0000000\0",
            b"0000000\0",
            b"%011o\0" % size,
            b"00000000000\0",
            b" " * 8,
            b"0",
            b"",
            b"ustar\0",
            b"00",
            b"",
            b"",
            b"0000000\0",
            b"0000000\0",
            prefix.encode(),
        )
    )
    block[_CHECKSUM] = b"%06o\0 " % sum(block)
    return bytes(block)


def padding(size: int) -> bytes:
    """Return what fills the last block of a file."""
    return bytes(-size % BLOCK)


class Met(NamedTuple):
    """A header as it was met: whether it is the one that has to be there, and if not, why it is refused."""

    block: bytes

    def require_signed(self, name: str, limit: int) -> int:
        """Refuse any header but that of a file `name` of at most `limit` bytes; return its size."""
        size = self._size
        if self._path != name or size is None:
            raise self._fault("archive_malformed", f"{name} is not where it has to be")
        if size > limit:
            raise self._fault("archive_too_large", f"{name} claims {size} bytes, more than the {limit} of any")
        if self.block != header(name, size):
            raise self._fault("archive_malformed", f"the header of {name} is not in the one form of bundles")
        return size

    def require(self, path: str, size: int, seen: AbstractSet[str], listed: AbstractSet[str]) -> None:
        """Refuse any header but that of the member whose turn it is."""
        if self.block == header(path, size):
            return
        if self.block == bytes(BLOCK):
            raise self._fault("member_missing", f"{path} is missing")
        self._refuse_strangers(seen, listed)
        if self._path != path:
            raise self._fault("member_missing", f"{path} is not where it has to be")
        if self._size != size:
            raise self._fault("member_size", f"{path} has another size than the manifest says")
        raise self._fault("archive_malformed", f"the header of {path} is not in the one form of bundles")

    def require_end(self, seen: AbstractSet[str], listed: AbstractSet[str]) -> None:
        """Refuse any further member."""
        if self.block != bytes(BLOCK):
            self._refuse_strangers(seen, listed)
            raise self._fault("archive_malformed", "something follows the last member")

    def _refuse_strangers(self, seen: AbstractSet[str], listed: AbstractSet[str]) -> None:
        blank = bytearray(self.block)
        blank[_CHECKSUM] = b" " * 8
        if self.block[_CHECKSUM] != b"%06o\0 " % sum(blank):
            raise self._fault("archive_malformed", "the checksum of a header is wrong")
        kind, path = self.block[156:157], self._path
        if kind != b"0":
            raise self._fault("member_unsafe", f"{shown(path)} is {_KINDS.get(kind, 'of an unknown kind')}")
        if path in seen:
            raise self._fault("member_duplicate", f"{shown(path)} is listed twice")
        if not is_safe(path):
            raise self._fault("member_unsafe", f"{shown(path)} is not a safe path")
        if path not in listed:
            raise self._fault("member_unlisted", f"{shown(path)} is not in the manifest")

    @property
    def _path(self) -> str:
        # What is no ASCII stays visible as such, and is safe nowhere.
        name, prefix = (
            field.partition(b"\0")[0].decode("ascii", "backslashreplace")
            for field in (self.block[:100], self.block[345:500])
        )
        return f"{prefix}/{name}" if prefix else name

    @property
    def _size(self) -> int | None:
        """The size, if it is written as bundles write it."""
        digits = self.block[124:135]
        is_octal = self.block[135] == 0 and all(0x30 <= digit <= 0x37 for digit in digits)
        return int(digits, 8) if is_octal else None

    def _fault(self, reason: Reason, what: str) -> RuntimeProvisionError:
        return refused(reason, f"The bundle is refused: {what}.")
