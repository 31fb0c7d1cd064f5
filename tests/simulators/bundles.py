"""Bundles of a few small files, signed by keys of this checkout; and tar by hand, for what no writer writes.

Nothing here uses the package's own writer: what is written here is a second opinion on the format.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256, HashAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)

from service_nb.runtimes.trust import BundleTerms, make_key
from tests.servers.environment import alone

NOW = datetime(2031, 6, 1, 12, tzinfo=UTC)
CONTRACT = "sha256:" + "5a" * 32
FILES: dict[str, bytes] = {
    "kernels/service_nb_kernels/__init__.py": b"",
    "kernels/service_nb_kernels/contract.json": b'{"capabilities":{}}\n' * 40,
    "kernels/service_nb_kernels/packs/finance/npv.py": b"def npv(rate, flows):\n    return 1\n",
    "wheels/alpha-1.0-py3-none-any.whl": b"PK\x03\x04" + bytes(range(256)) * 700,  # spans several pieces
    "wheels/beta-2.0-py3-none-any.whl": b"PK\x03\x04" + b"\0" * 508,  # fills its last block of tar
}
FIRST, LAST = min(FILES), max(FILES)


def private_key(name: str = "release", bits: int = 4_096) -> RSAPrivateKey:
    """A key of this checkout; RSA of the real size takes a moment, so every test and process shares it."""
    return _made(name, bits)


@functools.cache
def _made(name: str, bits: int) -> RSAPrivateKey:
    with alone("keys") as folder:
        path = folder / f"{name}-{bits}.der"
        if not path.is_file():
            folder.mkdir(exist_ok=True)
            made = generate_private_key(65_537, bits)
            unfinished = path.with_suffix(".unfinished")
            unfinished.write_bytes(made.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
            unfinished.replace(path)
            return made
        kept = load_der_private_key(path.read_bytes(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(kept, RSAPrivateKey)
    return kept


def listed(files: Mapping[str, bytes] = FILES) -> list[dict[str, Any]]:
    """The members of a manifest."""
    return [
        {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for path, content in sorted(files.items())
    ]


def fields(**changes: Any) -> dict[str, Any]:
    """The fields of a sound manifest, and changes to them."""
    return {
        "contract_hash": CONTRACT,
        "expires": "2032-01-01T00:00:00Z",
        "format": 1,
        "issued": "2031-01-01T00:00:00Z",
        "members": listed(),
        "minimum_client": "0.1.0",
        "platform": "linux-x64",
        "python": "cp311",
        "version": "0.3.0",
    } | changes


def manifest(**changes: Any) -> bytes:
    """A manifest as it is signed."""
    return canonical(fields(**changes))


def canonical(value: Any) -> bytes:
    """Canonical JSON of what has only ASCII keys, texts and whole numbers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signature(content: bytes, key: str = "release", **changes: Any) -> bytes:
    """A signature file, and changes to it."""
    raw = raw_signature(content, private_key(key))
    sound = {"algorithm": "RS256", "key_id": key_id(key), "signature": base64.b64encode(raw).decode()}
    return canonical(sound | changes)


def raw_signature(content: bytes, key: RSAPrivateKey, algorithm: HashAlgorithm | None = None) -> bytes:
    """The bytes of a PKCS#1 v1.5 signature."""
    return key.sign(content, PKCS1v15(), algorithm or SHA256())


def key_id(name: str = "release", bits: int = 4_096) -> str:
    """The id of a key of this process."""
    return make_key(private_key(name, bits).public_key()).key_id


def terms(**changes: Any) -> BundleTerms:
    """What a machine asks of the sound manifest."""
    release, own = private_key("release").public_key(), private_key("machine").public_key()
    asked: dict[str, Any] = {
        "keys": (make_key(release), make_key(own, is_development=True)),
        "contract_hash": CONTRACT,
        "platform": "linux-x64",
        "python": "cp311",
        "client": "0.3.0",
        "now": NOW,
        "revoked": frozenset(),
    }
    return BundleTerms(**(asked | changes))


def entry(
    name: str | bytes, content: bytes = b"", *, kind: bytes = b"0", size: int | bytes | None = None, **more: bytes
) -> bytes:
    """One entry of a tar archive: whatever is asked for, with a checksum that is right."""
    stated = len(content) if size is None else size
    block = bytearray(512)
    values: dict[str, tuple[int, bytes]] = {
        "name": (0, name.encode() if isinstance(name, str) else name),
        "mode": (100, more.get("mode", b"0000644\0")),
        "uid": (108, more.get("uid", b"0000000\0")),
        "gid": (116, b"0000000\0"),
        "size": (124, stated if isinstance(stated, bytes) else b"%011o\0" % stated),
        "mtime": (136, more.get("mtime", b"00000000000\0")),
        "kind": (156, kind),
        "link": (157, more.get("link", b"")),
        "magic": (257, more.get("magic", b"ustar\x0000")),
        "uname": (265, more.get("uname", b"")),
        "prefix": (345, more.get("prefix", b"")),
    }
    for offset, value in values.values():
        block[offset : offset + len(value)] = value
    block[148:156] = b" " * 8
    block[148:156] = more.get("checksum", b"%06o\0 " % sum(block))
    return bytes(block) + content + bytes(-len(content) % 512)


def head(content: bytes | None = None, signed: bytes | None = None) -> bytes:
    """The two entries that every bundle starts with."""
    content = manifest() if content is None else content
    return entry("manifest.json", content) + entry(
        "manifest.json.sig", signature(content) if signed is None else signed
    )


def members(files: Mapping[str, bytes] = FILES) -> list[bytes]:
    """The entries of files, in the order of a bundle."""
    return [entry(path, content) for path, content in sorted(files.items())]


def packed(entries: Iterable[bytes], *, beginning: bytes | None = None, end: bytes = bytes(1024)) -> bytes:
    """A bundle of whatever entries; the sound beginning unless another is given."""
    return (head() if beginning is None else beginning) + b"".join(entries) + end


def signed_bundle(files: Mapping[str, bytes] = FILES, key: str = "release", **changes: Any) -> bytes:
    """A bundle in the one form, whatever its manifest says."""
    content = manifest(**({"members": listed(files)} | changes))
    return packed(members(files), beginning=head(content, signature(content, key)))


def read_by_others(bundle: bytes) -> dict[str, bytes]:
    """What Python's own tarfile finds in a bundle."""
    with tarfile.open(fileobj=io.BytesIO(bundle), mode="r:") as archive:
        return {
            each.name: taken.read() for each in archive.getmembers() if (taken := archive.extractfile(each)) is not None
        }
