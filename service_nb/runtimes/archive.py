"""The archive of a bundle: one form, the same bytes on every machine, written and read by a few lines of our own.

A plain ustar archive (mode, owner and time are constants) of manifest.json, manifest.json.sig and the members in the
manifest's order, in a gzip frame of stored blocks. Nothing is compressed: wheels are already, zlib's output differs by
version, and a reader that inflates nothing cannot be made to inflate a bomb.

So manifest, signature and contents determine every byte, and reading is comparing: each byte of frame and headers is
the one that has to be there, or the archive is refused by name (see `refusal`). `tarfile` is not used.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from service_nb.core.digest import FileDigest
from service_nb.core.whole_files import beside
from service_nb.runtimes.entry import BLOCK, Met, header, padding
from service_nb.runtimes.frame import Frame, framed
from service_nb.runtimes.manifest import MAX_MANIFEST_BYTES, Manifest, Member, parse_manifest
from service_nb.runtimes.refusal import refused
from service_nb.runtimes.trust import MAX_SIGNATURE_BYTES, Checked, Terms, checked

MANIFEST, SIGNATURE = "manifest.json", "manifest.json.sig"
PIECE = 1024**2

OpenMember = Callable[[Member], BinaryIO]


class Sink(Protocol):
    """Takes what was read."""

    def write(self, data: bytes, /) -> object:
        """Take the next piece."""


class Read(NamedTuple):
    """What a bundle was found to be, once all of it was read."""

    checked: Checked
    signature: bytes
    sha256: str  # of the archive

    @property
    def manifest(self) -> Manifest:
        """Its manifest."""
        return self.checked.manifest


def write_bundle(folder: Path, content: bytes, signature: bytes, open_member: OpenMember) -> Path:
    """Write the archive of a signed manifest into `folder` and return it; put in place whole, over an older one.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        A member is not what the manifest says (`member_missing`, `member_size`, `member_digest`), or the archive
        cannot be kept (`disk_full`, `folder_unwritable`).
    """
    manifest = parse_manifest(content)
    with _kept(manifest.bundle_name):
        target = folder / manifest.bundle_name
        with beside(target, lambda file: file.writelines(_artifact(manifest, signature, open_member))) as made:
            made.chmod(0o644)  # it is for others
            return made.replace(target)


def bundle_sha256(manifest: Manifest, signature: bytes, open_member: OpenMember) -> str:
    """Return the digest of the archive that `write_bundle` would write. Raises as it, but for the disk."""
    digest = FileDigest()
    for block in _artifact(manifest, signature, open_member):
        digest.update(block)
    return digest.hexdigest()


def open_bundle(path: Path) -> BinaryIO:
    """Open an archive for reading, if it is a regular file.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `archive_unreadable`.
    """
    try:
        # Without waiting: a FIFO would have us wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise refused("archive_unreadable", f"{path.name} cannot be read: {error.strerror}.", hint=None) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise refused("archive_unreadable", f"{path.name} is not a regular file.", hint=None)
    return os.fdopen(descriptor, "rb")


def unpack_bundle(file: BinaryIO, folder: Path, terms: Terms, *, signature: bytes | None = None) -> Read:
    """Unpack an archive into `folder`, which is made by this; if anything is refused, it is gone again.

    The signature is verified and the manifest held against `terms` before a member is looked at, or anything
    is written. Contents are written as they are read, and not flushed to the disk: whoever keeps them does that.

    Parameters
    ----------
    signature : bytes, optional
        The signature file to go by in place of the archive's own.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Every reason of `refusal` but those of signing keys.
    """
    frame = Frame(file)
    vouched, signature = _read_head(frame, terms, signature)
    with _kept(folder.name):
        folder.mkdir(mode=0o700)
        try:
            _unpack(frame, folder, vouched, signature)
            return Read(vouched, signature, frame.close())
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def verify_bundle(file: BinaryIO, terms: Terms) -> Read:
    """Read all of an archive as `unpack_bundle` does, and write nothing."""
    frame = Frame(file)
    vouched, signature = _read_head(frame, terms)
    for member in _each_member(frame, vouched.manifest):
        _copy_member(frame, member, None)
    return Read(vouched, signature, frame.close())


def _unpack(frame: Frame, folder: Path, vouched: Checked, signature: bytes) -> None:
    total, disk = sum(member.size for member in vouched.manifest.members), shutil.disk_usage(folder)
    if disk.free < total and disk.total:  # some disks in memory state no size at all
        raise refused("disk_full", f"The bundle takes {total} bytes, and the disk has less.", hint="Make room.")
    for name, content in ((MANIFEST, vouched.manifest.content), (SIGNATURE, signature)):
        with _created(folder / name) as target:
            target.write(content)
    made = {folder}
    for member in _each_member(frame, vouched.manifest):
        _make(folder / Path(member.path).parent, made)
        with _created(folder / member.path) as target:
            _copy_member(frame, member, target)


def _make(folder: Path, made: set[Path]) -> None:
    """Make a folder and those above it; one that is there and was not made here could be a link that leads away."""
    if folder not in made:
        _make(folder.parent, made)
        folder.mkdir(mode=0o700)
        made.add(folder)


def _created(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o600), "wb")


# --- reading ------------------------------------------------------------------------------------------------------


def _read_head(frame: Frame, terms: Terms, another: bytes | None = None) -> tuple[Checked, bytes]:
    content = _read_signed(frame, MANIFEST, MAX_MANIFEST_BYTES)
    own = _read_signed(frame, SIGNATURE, MAX_SIGNATURE_BYTES)
    signature = own if another is None else another
    return checked(content, signature, terms), signature


def _read_signed(frame: Frame, name: str, limit: int) -> bytes:
    size = Met(frame.read(BLOCK)).require_signed(name, limit)
    content = frame.read(size)
    frame.expect(padding(size), f"the end of {name}")
    return content


def _each_member(frame: Frame, manifest: Manifest) -> Iterator[Member]:
    """Yield each member once its header was read and found to be the one that has to be there."""
    seen = {MANIFEST, SIGNATURE}
    listed = {member.path for member in manifest.members}
    for member in manifest.members:
        Met(frame.read(BLOCK)).require(member.path, member.size, seen, listed)
        yield member
        seen.add(member.path)
        frame.expect(padding(member.size), f"the end of {member.path}")
    Met(frame.read(BLOCK)).require_end(seen, listed)
    frame.expect(bytes(BLOCK), "the end")


def _copy_member(frame: Frame, member: Member, target: Sink | None) -> None:
    digest = FileDigest()
    for start in range(0, member.size, PIECE):
        piece = frame.read(min(PIECE, member.size - start))
        digest.update(piece)
        if target is not None:
            target.write(piece)
    if digest.hexdigest() != member.sha256:
        raise refused("member_digest", f"{member.path} does not have the content that its manifest states.")


# --- writing ------------------------------------------------------------------------------------------------------


def _artifact(manifest: Manifest, signature: bytes, open_member: OpenMember) -> Iterator[bytes]:
    return framed(_entries(manifest, signature, open_member))


def _entries(manifest: Manifest, signature: bytes, open_member: OpenMember) -> Iterator[bytes]:
    for name, content in ((MANIFEST, manifest.content), (SIGNATURE, signature)):
        yield from (header(name, len(content)), content, padding(len(content)))
    for member in manifest.members:
        yield header(member.path, member.size)
        yield from _content(member, open_member)
        yield padding(member.size)
    yield bytes(2 * BLOCK)


def _content(member: Member, open_member: OpenMember) -> Iterator[bytes]:
    try:
        opened = open_member(member)
    except OSError as error:
        raise refused("member_missing", f"{member.path} cannot be opened: {error.strerror}.", hint=None) from error
    digest = FileDigest()
    with opened as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            if digest.size > member.size:
                break
            yield piece
    if digest.size != member.size:
        raise refused("member_size", f"{member.path} does not have the size that its manifest states.")
    if digest.hexdigest() != member.sha256:
        raise refused("member_digest", f"{member.path} does not have the content that its manifest states.")


@contextmanager
def _kept(what: str) -> Iterator[None]:
    """Turn what the disk says into the errors of a bundle."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise refused("disk_full", f"{what} does not fit on the disk.", hint="Make room.") from error
        raise refused("folder_unwritable", f"{what} cannot be written: {error.strerror}.", hint=None) from error
