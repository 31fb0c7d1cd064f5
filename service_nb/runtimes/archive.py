"""The archive of a bundle: a tar file of manifest.json, manifest.json.sig and the members in the manifest's order.

That of a selection has selection.json after the signature, and only the members that it lists.

`tarfile.TarInfo` writes and reads each header (ustar; mode, owner and time are constants). Nothing is compressed:
wheels already are, and what is never inflated cannot be a bomb. So manifest, signature and contents determine every
byte, and reading is comparing: a header is the one that has to be there, or the archive is refused by name.
"""

from __future__ import annotations

import errno
import io
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from service_nb.core.digest import FileDigest
from service_nb.core.own_files import write_beside
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.folders import create_file, open_regular
from service_nb.runtimes.manifest import (
    MAX_MANIFEST_BYTES,
    Manifest,
    Member,
    is_safe,
    make_refusal,
    parse_manifest,
    parse_selection,
    render_selection,
    show,
)
from service_nb.runtimes.trust import MAX_SIGNATURE_BYTES, BundleTerms, SignedManifest, verify_manifest

MANIFEST, SIGNATURE, SELECTION = "manifest.json", "manifest.json.sig", "selection.json"
PIECE = 1024**2
BLOCK = tarfile.BLOCKSIZE

OpenMember = Callable[[Member], BinaryIO]
Grow = Callable[[int], object]


class ReadBundle(NamedTuple):
    """A bundle that was read to its end: its signed manifest, its signature, its digest and the members it has."""

    signed: SignedManifest
    signature: bytes
    sha256: str  # of the archive
    members: tuple[Member, ...]

    @property
    def manifest(self) -> Manifest:
        """Its manifest."""
        return self.signed.manifest


# --- writing ------------------------------------------------------------------------------------------------------


def write_bundle(folder: Path, content: bytes, signature: bytes, open_member: OpenMember) -> Path:
    """Write the archive of a signed manifest into `folder`, over an older one; refuse a member that differs."""
    manifest = parse_manifest(content)
    with _disk_errors(manifest.bundle_name):
        target = folder / manifest.bundle_name
        return _write_archive(target, _build_archive(manifest, signature, open_member))


def write_selected_bundle(
    target: Path, bundle: OpenedBundle, modules: Sequence[str], members: Sequence[Member]
) -> tuple[Path, str]:
    """Write the archive of some members of a bundle, over an older one; return it and its digest."""
    selection = render_selection(bundle.manifest, modules, members)
    digest = FileDigest()

    def build() -> Iterator[bytes]:
        for block in _build_archive(bundle.manifest, bundle.signature, bundle.open_member, selection, members):
            digest.update(block)
            yield block

    with _disk_errors(target.name):
        return _write_archive(target, build()), digest.hexdigest()


def _write_archive(target: Path, blocks: Iterable[bytes]) -> Path:
    with write_beside(target, lambda file: file.writelines(blocks)) as made:
        made.chmod(0o644)  # it is for others
        return made.replace(target)


def compute_bundle_sha256(manifest: Manifest, signature: bytes, open_member: OpenMember) -> str:
    """Compute the digest of the archive that `write_bundle` would write. Raises as it, but for the disk."""
    digest = FileDigest()
    for block in _build_archive(manifest, signature, open_member):
        digest.update(block)
    return digest.hexdigest()


def build_header(path: str, size: int) -> bytes:
    """Build the one header that a file of a bundle may have."""
    entry = tarfile.TarInfo(path)
    entry.size = size
    return entry.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def _build_archive(
    manifest: Manifest,
    signature: bytes,
    open_member: OpenMember,
    selection: bytes | None = None,
    members: Sequence[Member] | None = None,
) -> Iterator[bytes]:
    head = [(MANIFEST, manifest.content), (SIGNATURE, signature)]
    for name, content in head if selection is None else [*head, (SELECTION, selection)]:
        yield build_header(name, len(content)) + content + bytes(-len(content) % BLOCK)
    for member in manifest.members if members is None else members:
        yield build_header(member.path, member.size)
        yield from _read_member(member, open_member)
        yield bytes(-member.size % BLOCK)
    yield bytes(2 * BLOCK)


def _read_member(member: Member, open_member: OpenMember) -> Iterator[bytes]:
    try:
        opened = open_member(member)
    except OSError as error:
        raise make_refusal("member_missing", f"{member.path} cannot be opened: {error.strerror}.", hint=None) from error
    digest = FileDigest()
    with opened as file:
        while digest.size <= member.size and (piece := file.read(PIECE)):
            digest.update(piece)
            yield piece
    if digest.size != member.size:
        raise make_refusal("member_size", f"{member.path} does not have the size that its manifest states.")
    _require_digest(member, digest)


def _require_digest(member: Member, digest: FileDigest) -> None:
    if digest.hexdigest() != member.sha256:
        raise make_refusal("member_digest", f"{member.path} does not have the content that its manifest states.")


@contextmanager
def _disk_errors(what: str) -> Iterator[None]:
    """Turn what the disk refuses into the errors of a bundle."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise make_refusal("disk_full", f"{what} does not fit on the disk.", hint="Make room.") from error
        raise make_refusal("folder_unwritable", f"{what} cannot be written: {error.strerror}.", hint=None) from error


# --- reading ------------------------------------------------------------------------------------------------------


def open_bundle(path: Path) -> BinaryIO:
    """Open an archive for reading, if it is a regular file (`archive_unreadable`)."""
    try:
        return open_regular(path, follows=True)
    except OSError as error:
        what = "is not a regular file" if error.errno == errno.EINVAL else f"cannot be read: {error.strerror}"
        raise make_refusal("archive_unreadable", f"{path.name} {what}.", hint=None) from error


class OpenedBundle(NamedTuple):
    """A bundle's file as members are taken from it; nothing of it was verified, and whoever uses them does that."""

    manifest: Manifest
    signature: bytes
    open_member: OpenMember


def open_members(path: Path) -> OpenedBundle:
    """Read where the members of a bundle's file stand."""
    with open_bundle(path) as file:
        archive = _Archive(file)
        content, signature = (
            archive.read_named(MANIFEST, MAX_MANIFEST_BYTES),
            archive.read_named(SIGNATURE, MAX_SIGNATURE_BYTES),
        )
        manifest, at = parse_manifest(content), file.tell()
    places: dict[str, int] = {}
    for member in manifest.members:
        places[member.path] = at + BLOCK
        at += BLOCK + member.size + -member.size % BLOCK

    def open_member(member: Member) -> BinaryIO:
        with open_bundle(path) as file:
            file.seek(places[member.path])
            return io.BytesIO(file.read(member.size))

    return OpenedBundle(manifest, signature, open_member)


def unpack_bundle(
    file: BinaryIO,
    folder: Path,
    terms: BundleTerms,
    *,
    signature: bytes | None = None,
    modules: Sequence[str] = (),
    grow: Grow | None = None,
) -> ReadBundle:
    """Unpack an archive into a new `folder`; if anything is refused, the folder is removed.

    The signature is verified and the manifest held against `terms` before a member is looked at, or anything
    is written. Another `signature` counts in place of the archive's own. With `modules` it has to be that of their
    selection, whose members may still be too few or too many. `grow` is called with the bytes of each reading. Files
    are not flushed to the disk: whoever keeps them does that.
    """
    archive = _Archive(file, grow)
    signed, signature = archive.read_head(terms, signature)
    members = archive.read_selection(signed.manifest, modules) if modules else signed.manifest.members
    with _disk_errors(folder.name):
        folder.mkdir(mode=0o700)
        try:
            _require_space(folder, members)
            for name, content in ((MANIFEST, signed.manifest.content), (SIGNATURE, signature)):
                with create_file(folder / name) as target:
                    target.write(content)
            made = {folder}
            for member in archive.read_headers(members):
                _make_folder(folder / Path(member.path).parent, made)
                with create_file(folder / member.path) as target:
                    archive.copy_member(member, target)
            return ReadBundle(signed, signature, archive.finish(), members)
        except BaseException:  # an interruption, too, leaves nothing behind
            shutil.rmtree(folder, ignore_errors=True)
            raise


def verify_bundle(file: BinaryIO, terms: BundleTerms) -> ReadBundle:
    """Read all of an archive as `unpack_bundle` does, and write nothing."""
    archive = _Archive(file)
    signed, signature = archive.read_head(terms)
    members = signed.manifest.members
    for member in archive.read_headers(members):
        archive.copy_member(member, None)
    return ReadBundle(signed, signature, archive.finish(), members)


def _require_space(folder: Path, members: Sequence[Member]) -> None:
    total, disk = sum(member.size for member in members), shutil.disk_usage(folder)
    if disk.free < total and disk.total:  # some disks in memory state no size at all
        raise make_refusal("disk_full", f"The bundle takes {total} bytes, and the disk has less.", hint="Make room.")


def _make_folder(folder: Path, made: set[Path]) -> None:
    """Make a folder and those above it; one that is there and was not made here could be a link that leads away."""
    if folder not in made:
        _make_folder(folder.parent, made)
        folder.mkdir(mode=0o700)
        made.add(folder)


class _Archive:
    """Reads an archive from start to end, and takes its digest on the way."""

    def __init__(self, file: BinaryIO, grow: Grow | None = None) -> None:
        self._file = file
        self._grow = grow
        self._digest = FileDigest()

    def read_head(self, terms: BundleTerms, another: bytes | None = None) -> tuple[SignedManifest, bytes]:
        """Read manifest and signature, and hold them against `terms`; `another` signature counts instead."""
        content = self.read_named(MANIFEST, MAX_MANIFEST_BYTES)
        own = self.read_named(SIGNATURE, MAX_SIGNATURE_BYTES)
        signature = own if another is None else another
        return verify_manifest(content, signature, terms), signature

    def read_selection(self, manifest: Manifest, modules: Sequence[str]) -> tuple[Member, ...]:
        """Read which members of the manifest the archive has."""
        return parse_selection(self.read_named(SELECTION, MAX_MANIFEST_BYTES), manifest, modules)

    def read_headers(self, members: Sequence[Member]) -> Iterator[Member]:
        """Yield each member once its header was read, and is the one that has to be there."""
        seen = {MANIFEST, SIGNATURE}
        listed = {member.path for member in members}
        for member in members:
            block = self._read(BLOCK)
            if block != build_header(member.path, member.size):
                raise _explain_header(block, member, seen, listed)
            yield member
            seen.add(member.path)
            self._read_zeros(-member.size % BLOCK)
        block = self._read(BLOCK)
        if any(block):
            raise _explain_header(block, None, seen, listed)
        self._read_zeros(BLOCK)

    def copy_member(self, member: Member, target: BinaryIO | None) -> None:
        """Read a member's content, and write it to `target` if there is one."""
        digest = FileDigest()
        for start in range(0, member.size, PIECE):
            piece = self._read(min(PIECE, member.size - start))
            digest.update(piece)
            if target is not None:
                target.write(piece)
        _require_digest(member, digest)

    def finish(self) -> str:
        """Refuse anything beyond the content, and return the digest of the whole file."""
        if self._read_some(1):
            raise make_refusal("archive_too_large", "The file holds more than the bundle's manifest accounts for.")
        return self._digest.hexdigest()

    def read_named(self, name: str, limit: int) -> bytes:
        """Read a file of the head, which has to stand here."""
        block = self._read(BLOCK)
        try:
            entry = tarfile.TarInfo.frombuf(block, "ascii", "backslashreplace")
        except tarfile.HeaderError as error:
            raise make_refusal("archive_malformed", f"This is not a bundle: it has no {name}.") from error
        if entry.name != name or entry.size < 0:
            raise make_refusal("archive_malformed", f"This is not a bundle: {name} is not where it has to be.")
        if entry.size > limit:
            raise make_refusal("archive_too_large", f"{name} claims {entry.size} bytes, more than the {limit} of any.")
        if block != build_header(name, entry.size):
            raise make_refusal("archive_malformed", f"The header of {name} is not in the one form of bundles.")
        content = self._read(entry.size)
        self._read_zeros(-entry.size % BLOCK)
        return content

    def _read_zeros(self, size: int) -> None:
        if any(self._read(size)):
            raise make_refusal("archive_malformed", "This is not a bundle: there are bytes between its files.")

    def _read(self, size: int) -> bytes:
        content = self._read_some(size)
        while len(content) < size:
            more = self._read_some(size - len(content))
            if not more:
                raise make_refusal("archive_truncated", "The bundle ends before its content does.")
            content += more
        return content

    def _read_some(self, size: int) -> bytes:
        try:
            content = self._file.read(size) or b""
        except OSError as error:
            raise make_refusal("archive_unreadable", f"The bundle cannot be read: {error.strerror}.") from error
        self._digest.update(content)
        if self._grow is not None:
            self._grow(len(content))
        return content


def _explain_header(
    block: bytes, expected: Member | None, seen: AbstractSet[str], listed: AbstractSet[str]
) -> RuntimeProvisionError:
    """Say why a header is refused that is not the one of the `expected` member, or of none after the last."""
    if not any(block) and expected is not None:
        return make_refusal("member_missing", f"The bundle is refused: {expected.path} is missing.")
    try:
        # What is no ASCII stays visible as such, and is safe nowhere.
        entry = tarfile.TarInfo.frombuf(block, "ascii", "backslashreplace")
    except tarfile.HeaderError:
        return make_refusal("archive_malformed", "The bundle is refused: a header in it is damaged.")
    name = show(entry.name)
    if entry.type != tarfile.REGTYPE:
        return make_refusal("member_unsafe", f"The bundle is refused: {name} is not a regular file.")
    if entry.name in seen:
        return make_refusal("member_duplicate", f"The bundle is refused: {name} is there twice.")
    if not is_safe(entry.name):
        return make_refusal("member_unsafe", f"The bundle is refused: {name} is not a safe path.")
    if entry.name not in listed:
        return make_refusal("member_unlisted", f"The bundle is refused: {name} is not in the manifest.")
    if expected is None or entry.name != expected.path:
        return make_refusal("member_missing", f"The bundle is refused: {name} is in the place of another member.")
    if entry.size != expected.size:
        return make_refusal("member_size", f"The bundle is refused: {name} has another size than the manifest says.")
    return make_refusal("archive_malformed", f"The bundle is refused: the header of {name} is not in the one form.")
