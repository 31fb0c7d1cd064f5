"""The manifest of a runtime bundle: what it is for, and every file of it with size and digest.

Canonical JSON of exactly the fields of `Manifest`; a manifest has one form, so that what is signed is what is read.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, NoReturn

import msgspec
from msgspec import Meta, Struct

from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import RuntimeProvisionError

MAX_MANIFEST_BYTES = 1024**2
MAX_MEMBERS = 4_096
MAX_TOTAL_BYTES = 1024**3  # of all members; a bundle with SciPy has a tenth
LIFETIME = timedelta(days=1_100)
DEVELOPMENT = "+dev"

_MAX_PATH, _MAX_SEGMENT = 150, 100  # what every header of a plain ustar archive can hold
_DATE_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_NUMBER = r"(?:0|[1-9][0-9]{0,5})"
_BASE = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
# Neither hidden nor ending in a dot, which Windows drops.
_SEGMENT = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.+-]*[A-Za-z0-9_+-])?", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.ASCII | re.IGNORECASE)  # files of their own there
_WHEEL = re.compile(r"wheels/[^/]+\.whl")
_KERNELS = "kernels/service_nb_kernels/"

Date = Annotated[str, Meta(pattern=r"\A20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")]

# Why a bundle is refused, in the order of the checks; docs/handbook/releasing.md says what each one means.
Reason = Literal[
    "signature_malformed",
    "algorithm_refused",
    "key_revoked",
    "key_unknown",
    "key_too_short",
    "signature_invalid",
    "manifest_malformed",
    "key_not_for_version",
    "manifest_expired",
    "manifest_not_yet_valid",
    "version_rolled_back",
    "client_too_old",
    "platform_mismatch",
    "python_mismatch",
    "contract_mismatch",
    "member_missing",
    "member_unlisted",
    "member_duplicate",
    "member_unsafe",
    "member_size",
    "member_digest",
    "archive_malformed",
    "archive_truncated",
    "archive_too_large",
    "archive_unreadable",
    "disk_full",
    "folder_unwritable",
    "selection_malformed",
    "selection_mismatch",
    "signing_key_unsafe",
    "signing_key_malformed",
    "signing_key_unreadable",
]


class Member(Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One file of a bundle.

    Its path is relative, below `kernels/service_nb_kernels/` or directly in `wheels/`, and means the same file on
    every file system: see `is_safe`.
    """

    path: str
    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    size: Annotated[int, Meta(ge=0, le=MAX_TOTAL_BYTES)]


class Manifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The manifest of a bundle: its purpose and its members, sorted by path."""

    contract_hash: Annotated[str, Meta(pattern=r"\Asha256:[0-9a-f]{64}\Z")]  # of the contract its kernels compute by
    expires: Date
    format: Literal[1]
    issued: Date
    members: Annotated[tuple[Member, ...], Meta(min_length=1, max_length=MAX_MEMBERS)]
    minimum_client: Annotated[str, Meta(pattern=rf"\A{_BASE}\Z")]  # the first version of this package that can run it
    platform: Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9]{1,15}-[a-z0-9_]{2,16}\Z")]  # such as `linux-x64`
    python: Annotated[str, Meta(pattern=r"\Acp3[0-9]{1,2}t?\Z")]  # the interpreter's ABI, such as `cp311`
    version: Annotated[str, Meta(pattern=rf"\A{_BASE}(?:\+dev)?\Z")]  # `+dev` at its end when a checkout made it

    @property
    def content(self) -> bytes:
        """The bytes that are signed: canonical JSON, as every text in it is plain ASCII."""
        return msgspec.json.encode(self, order="sorted")

    @property
    def issue_date(self) -> datetime:
        """When it was issued."""
        return datetime.strptime(self.issued, _DATE_FORMAT).replace(tzinfo=UTC)

    @property
    def expiry_date(self) -> datetime:
        """From when on it is not accepted."""
        return datetime.strptime(self.expires, _DATE_FORMAT).replace(tzinfo=UTC)

    @property
    def is_development(self) -> bool:
        """Tell whether the bundle was made from a checkout."""
        return self.version.endswith(DEVELOPMENT)

    @property
    def bundle_name(self) -> str:
        """The name of its archive."""
        return f"service-nb-runtime-{self.version}-{self.platform}-{self.python}.tar"


def render_manifest(
    *,
    version: str,
    platform: str,
    python: str,
    contract_hash: str,
    minimum_client: str,
    issued: datetime,
    expires: datetime,
    members: Iterable[Member],
) -> bytes:
    """Write a manifest, and read it back by the rules that every reader has."""
    manifest = Manifest(
        contract_hash=contract_hash,
        expires=expires.astimezone(UTC).strftime(_DATE_FORMAT),
        format=1,
        issued=issued.astimezone(UTC).strftime(_DATE_FORMAT),
        members=tuple(sorted(members)),
        minimum_client=minimum_client,
        platform=platform,
        python=python,
        version=version,
    )
    return parse_manifest(manifest.content).content


def parse_manifest(content: bytes) -> Manifest:
    """Read a manifest; whoever calls this has verified its signature. An error says in `field` where it is wrong."""
    if len(content) > MAX_MANIFEST_BYTES:
        _refuse("manifest", f"has more than {MAX_MANIFEST_BYTES} bytes")
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except msgspec.ValidationError as error:
        # The text names the expected type or form and the place; never the value.
        message, _, place = str(error).partition(" - at `$.")
        _refuse(place.rstrip("`") or "manifest", message[:1].lower() + message[1:])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        _refuse("manifest", "is not JSON")
    for field in ("issued", "expires"):
        try:
            datetime.strptime(getattr(manifest, field), _DATE_FORMAT).replace(tzinfo=UTC)
        except ValueError:
            _refuse(field, "is not a date")
    if not manifest.issue_date < manifest.expiry_date <= manifest.issue_date + LIFETIME:
        _refuse("expires", f"is not within {LIFETIME.days} days after it was issued")
    _check_members(manifest.members)
    if manifest.content != content:
        _refuse(
            "manifest", "is not canonical JSON: sorted, no spaces, no line end, each name once, numbers in one form"
        )
    return manifest


class Selection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `selection.json`: which members of a manifest an archive has, and for which modules."""

    format: Literal[1] = 1
    manifest_sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    members: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_MEMBERS)]  # paths, in the manifest's order
    modules: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_MEMBERS)]  # sorted

    @property
    def content(self) -> bytes:
        """Its bytes: canonical JSON."""
        return msgspec.json.encode(self, order="sorted")


def render_selection(manifest: Manifest, modules: Iterable[str], members: Iterable[Member]) -> bytes:
    """Write what an archive that has only some members of a manifest says of them."""
    return Selection(
        manifest_sha256=compute_sha256_hex(manifest.content),
        members=tuple(member.path for member in members),
        modules=tuple(sorted(modules)),
    ).content


def parse_selection(content: bytes, manifest: Manifest, modules: Iterable[str]) -> tuple[Member, ...]:
    """Read which members of a manifest an archive has, if it was selected for these modules."""
    try:
        selection = msgspec.json.decode(content, type=Selection)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_refusal("selection_malformed", "selection.json is not that of a selection.") from error
    known = {member.path: member for member in manifest.members}
    is_ordered = list(selection.members) == sorted(set(selection.members)) and selection.content == content
    if not is_ordered or not known.keys() >= set(selection.members):
        raise make_refusal("selection_malformed", "selection.json does not list members of its manifest, in order.")
    met = (selection.manifest_sha256, selection.modules)
    if met != (compute_sha256_hex(manifest.content), tuple(sorted(modules))):
        raise make_refusal("selection_mismatch", "The bundle was selected for other modules, or of another manifest.")
    return tuple(known[path] for path in selection.members)


def is_safe(path: str) -> bool:
    """Tell whether a path may be a member's: the same plain file below the bundle's folder on every system."""
    if len(path) > _MAX_PATH or not (path.startswith(_KERNELS) or _WHEEL.fullmatch(path)):
        return False
    return all(
        _SEGMENT.fullmatch(segment) and not _DEVICE.fullmatch(segment) and len(segment) <= _MAX_SEGMENT
        for segment in path.split("/")
    )


def parse_base_version(version: str) -> tuple[int, int, int]:
    """Read the three numbers that a version starts with; what follows them, `+dev` included, does not order."""
    met = re.match(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?![0-9])", version, re.ASCII)
    if met is None:
        _refuse("version", f"is {show(version)}, expected three numbers")
    return (int(met[1]), int(met[2]), int(met[3]))


def get_python_key() -> str:
    """Return this interpreter's ABI as a manifest writes it: `cp311`, and a `t` at its end without the lock."""
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"cp{sys.version_info.major}{sys.version_info.minor}{free}"


def make_refusal(
    reason: Reason,
    message: str,
    *,
    hint: str | None = "Nothing of it was stored. Download the bundle again.",
    **details: object,
) -> RuntimeProvisionError:
    """Make the error that refuses a bundle for a named reason."""
    return RuntimeProvisionError(message, reason=reason, hint=hint, **details)


def show(text: object) -> str:
    """Make what came from a hostile file printable: ASCII, short, without control characters."""
    line = ascii(text)
    return line if len(line) <= 80 else f"{line[:77]}..."


def _check_members(members: tuple[Member, ...]) -> None:
    for place, member in enumerate(members):
        if not is_safe(member.path):
            _refuse(f"members[{place}].path", f"is not safe: {show(member.path)}")
    paths = [member.path for member in members]
    if paths != sorted(set(paths)):
        _refuse("members", "is not sorted, or holds a path twice")
    # Paths that are one where case does not count, and files that are folders of others.
    spelled: dict[str, tuple[str, bool]] = {}
    for path in paths:
        steps = path.split("/")
        for length in range(1, len(steps) + 1):
            met = ("/".join(steps[:length]), length == len(steps))
            if spelled.setdefault(met[0].lower(), met) != met:
                _refuse("members", f"holds two paths that some file systems cannot tell apart: {show(path)}")
    if sum(member.size for member in members) > MAX_TOTAL_BYTES:
        _refuse("members", f"is more than {MAX_TOTAL_BYTES} bytes in all")


def _refuse(field: str, what: str) -> NoReturn:
    raise make_refusal("manifest_malformed", f"The bundle's manifest is malformed: {field} {what}.", field=field)
