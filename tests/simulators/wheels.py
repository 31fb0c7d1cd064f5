"""Wheels of a few small files, sound ones and any other: written by hand, so that nothing is too wrong to write."""

from __future__ import annotations

import base64
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

INFO = "alpha-1.0.dist-info"
FILES: dict[str, bytes] = {
    "alpha/__init__.py": b"VALUE = 1\n",
    "alpha/data.bin": bytes(range(256)) * 1_000,
    "alpha/tests/test_alpha.py": b"assert True\n",
    f"{INFO}/METADATA": b"Metadata-Version: 2.1\nName: alpha\nVersion: 1.0\n",
    f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
NAME = "alpha-1.0-py3-none-any.whl"


class Part(NamedTuple):
    """A member of an archive, with everything that can be said of it; None is what a sound one says."""

    name: str
    content: bytes
    local_name: str | None = None
    size: int | None = None  # in the directory
    packed: bytes | None = None
    crc: int | None = None
    method: int = zipfile.ZIP_DEFLATED
    flags: int = 0x800
    mode: int = 0o100644
    offset: int | None = None


def record(files: Mapping[str, bytes], info: str = INFO, *, more: str = "") -> bytes:
    """The RECORD of some files."""
    lines = [f"{name},{digest(content)},{len(content)}" for name, content in files.items()]
    return "\n".join([*lines, f"{info}/RECORD,,", ""]).encode() + more.encode()


def digest(content: bytes) -> str:
    """A digest as RECORD writes it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def parts(files: Mapping[str, bytes] = FILES, *, said: bytes | None = None, info: str = INFO) -> list[Part]:
    """The members of a wheel of some files; `said` is its RECORD, if it is not the right one."""
    listed = record(files, info) if said is None else said
    return [Part(name, content) for name, content in {**files, f"{info}/RECORD": listed}.items()]


def wheel(members: Iterable[Part] | None = None, *, comment: bytes = b"", gap: bytes = b"", count: int = 0) -> bytes:
    """An archive of these members; `gap` stands between them and their directory, `count` is added to its count."""
    body, directory, number = io.BytesIO(), io.BytesIO(), 0
    for part in parts() if members is None else members:
        offset = body.tell() if part.offset is None else part.offset
        packed = _packed(part) if part.packed is None else part.packed
        crc = zlib.crc32(part.content) if part.crc is None else part.crc
        size = len(part.content) if part.size is None else part.size
        name = part.name.encode("utf-8", "surrogateescape")
        local = name if part.local_name is None else part.local_name.encode()
        common = struct.pack("<5H3L", 20, part.flags, part.method, 0, 0x21, crc, len(packed), size)
        if part.offset is None:
            body.write(b"PK\x03\x04" + common + struct.pack("<2H", len(local), 0) + local + packed)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 0x0314) + common + struct.pack("<5H", len(name), 0, 0, 0, 0))
        directory.write(struct.pack("<2L", part.mode << 16, offset) + name)
        number += 1
    body.write(gap)
    start, listed = body.tell(), directory.getvalue()
    counted = number + count
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, counted, counted, len(listed), start, len(comment))
    return body.getvalue() + listed + end + comment


def _packed(part: Part) -> bytes:
    if part.method != zipfile.ZIP_DEFLATED:
        return part.content
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(part.content) + deflate.flush()
