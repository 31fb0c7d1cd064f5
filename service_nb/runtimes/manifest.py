"""The manifest of a runtime bundle: what it is for, and every file of it with size and digest.

Canonical JSON of exactly these fields; a manifest has one form, so that what is signed is what is read.

===============  ==================================================================================================
contract_hash    of the contract that its kernels compute by, `sha256:` and 64 hex digits
expires, issued  `YYYY-MM-DDTHH:MM:SSZ`, at most 1,100 days apart
format           1
members          of each file `path`, `sha256`, `size`; sorted by path
minimum_client   the first version of this package that can run it
platform         such as `linux-x64`
python           the interpreter's ABI, such as `cp311`
version          of the bundle; `+dev` at its end when a checkout made it
===============  ==================================================================================================

A path is relative, below `kernels/service_nb_kernels/` or directly in `wheels/`, of letters, digits and `_ . + -`, and
means the same file on every file system: no two differ in case only, none is a folder of another.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from service_nb.core.canonical import canonical_bytes, parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError, RuntimeProvisionError
from service_nb.runtimes.refusal import refused, shown

MAX_MANIFEST_BYTES = 1024**2
MAX_MEMBERS = 4_096
MAX_TOTAL_BYTES = 1024**3  # of all members; a bundle with SciPy has a tenth
LIFETIME = timedelta(days=1_100)
DEVELOPMENT = "+dev"

_FORMAT = 1
_MAX_PATH, _MAX_SEGMENT = 150, 100  # what every header of a plain ustar archive can hold
_FIELDS = frozenset(
    {"contract_hash", "expires", "format", "issued", "members", "minimum_client", "platform", "python", "version"}
)
_MEMBER_FIELDS = frozenset({"path", "sha256", "size"})
_NUMBER = r"(?:0|[1-9]\d{0,5})"
_BASE = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
_FORMS = {
    "contract_hash": re.compile(r"sha256:[0-9a-f]{64}", re.ASCII),
    "minimum_client": re.compile(_BASE, re.ASCII),
    "platform": re.compile(r"[a-z][a-z0-9]{1,15}-[a-z0-9_]{2,16}", re.ASCII),
    "python": re.compile(r"cp3\d{1,2}t?", re.ASCII),
    "version": re.compile(rf"{_BASE}(?:\+dev)?", re.ASCII),
}
_DATE = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_DATE_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
# Neither hidden nor ending in a dot, which Windows drops.
_SEGMENT = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.+-]*[A-Za-z0-9_+-])?", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.ASCII | re.IGNORECASE)  # files of their own there
_WHEEL = re.compile(r"wheels/[^/]+\.whl")
_KERNELS = "kernels/service_nb_kernels/"


class Member(NamedTuple):
    """One file of a bundle."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a bundle is for and what is in it; `content` are the very bytes that are signed."""

    version: str
    platform: str
    python: str
    contract_hash: str
    minimum_client: str
    issued: datetime
    expires: datetime
    members: tuple[Member, ...]
    content: bytes

    @property
    def is_development(self) -> bool:
        """True for what a checkout made."""
        return self.version.endswith(DEVELOPMENT)

    @property
    def bundle_name(self) -> str:
        """The name of its archive."""
        return f"service-nb-runtime-{self.version}-{self.platform}-{self.python}.tar.gz"


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
    """Return the bytes of a manifest, after having read them back by the rules that every reader has.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `manifest_malformed`: no reader would take it.
    """
    content = canonical_bytes(
        {
            "format": _FORMAT,
            "version": version,
            "platform": platform,
            "python": python,
            "contract_hash": contract_hash,
            "minimum_client": minimum_client,
            "issued": issued.astimezone(UTC).strftime(_DATE_FORMAT),
            "expires": expires.astimezone(UTC).strftime(_DATE_FORMAT),
            "members": [member._asdict() for member in sorted(members)],
        }
    )
    return parse_manifest(content).content


def parse_manifest(content: bytes) -> Manifest:
    """Read a manifest; whoever calls this has verified its signature.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `manifest_malformed`; `details["field"]` says where.
    """
    try:
        fields = parse_strict(content, max_bytes=MAX_MANIFEST_BYTES, max_depth=3)
        canonical = canonical_bytes(fields)
    except (CanonicalJsonError, LimitExceededError) as error:
        raise _malformed("manifest", f"is not JSON within the limits: {error.message}") from error
    if canonical != content:
        raise _malformed("manifest", "is not canonical JSON: sorted, no spaces, no line end, numbers in one form")
    if not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise _malformed("manifest", f"does not hold exactly {', '.join(sorted(_FIELDS))}")
    if fields["format"] != _FORMAT or isinstance(fields["format"], bool):
        raise _malformed("format", f"is {shown(fields['format'])}, expected {_FORMAT}")
    issued, expires = _date(fields, "issued"), _date(fields, "expires")
    if not issued < expires <= issued + LIFETIME:
        raise _malformed("expires", f"is not within {LIFETIME.days} days after it was issued")
    texts = {name: _text(fields, name, form) for name, form in _FORMS.items()}
    return Manifest(
        **texts, issued=issued, expires=expires, members=tuple(_members(fields["members"])), content=content
    )


def is_safe(path: str) -> bool:
    """Whether a path may be a member's: the same plain file below the bundle's folder on every system."""
    if len(path) > _MAX_PATH or not (path.startswith(_KERNELS) or _WHEEL.fullmatch(path)):
        return False
    return all(
        _SEGMENT.fullmatch(segment) and not _DEVICE.fullmatch(segment) and len(segment) <= _MAX_SEGMENT
        for segment in path.split("/")
    )


def base_version(version: str) -> tuple[int, int, int]:
    """Return the three numbers that a version starts with; what follows them, `+dev` included, does not order."""
    met = re.match(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?![0-9])", version, re.ASCII)
    if met is None:
        raise _malformed("version", f"is {shown(version)}, expected three numbers")
    return (int(met[1]), int(met[2]), int(met[3]))


def python_key() -> str:
    """Return this interpreter's ABI as a manifest writes it: `cp311`, and a `t` at its end without the lock."""
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"cp{sys.version_info.major}{sys.version_info.minor}{free}"


def _members(entries: Any) -> list[Member]:
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_MEMBERS:
        raise _malformed("members", f"is not a list of 1 to {MAX_MEMBERS} files")
    members = [_member(entry, f"members[{place}]") for place, entry in enumerate(entries)]
    paths = [member.path for member in members]
    if paths != sorted(set(paths)):
        raise _malformed("members", "is not sorted, or holds a path twice")
    _refuse_collisions(paths)
    if sum(member.size for member in members) > MAX_TOTAL_BYTES:
        raise _malformed("members", f"is more than {MAX_TOTAL_BYTES} bytes in all")
    return members


def _member(entry: Any, place: str) -> Member:
    if not isinstance(entry, dict) or entry.keys() != _MEMBER_FIELDS:
        raise _malformed(place, "does not hold exactly path, sha256, size")
    path, sha256, size = entry["path"], entry["sha256"], entry["size"]
    if not isinstance(path, str) or not is_safe(path):
        raise _malformed(place, f"has a path that is not safe: {shown(path)}")
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise _malformed(place, "has no digest of 64 hex digits")
    if type(size) is not int or not 0 <= size <= MAX_TOTAL_BYTES:
        raise _malformed(place, f"has a size that is not a number of bytes up to {MAX_TOTAL_BYTES}")
    return Member(path, sha256, size)


def _refuse_collisions(paths: list[str]) -> None:
    """Refuse paths that are one where case does not count, and files that are folders of others."""
    spelled: dict[str, tuple[str, bool]] = {}
    for path in paths:
        steps = path.split("/")
        for length in range(1, len(steps) + 1):
            met = ("/".join(steps[:length]), length == len(steps))
            if spelled.setdefault(met[0].lower(), met) != met:
                raise _malformed("members", f"holds two paths that some file systems cannot tell apart: {shown(path)}")


def _text(fields: dict[str, Any], name: str, form: re.Pattern[str]) -> str:
    value = fields[name]
    if not isinstance(value, str) or not form.fullmatch(value):
        raise _malformed(name, f"is {shown(value)}, which is none")
    return value


def _date(fields: dict[str, Any], name: str) -> datetime:
    text = _text(fields, name, _DATE)
    try:
        return datetime.strptime(text, _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        raise _malformed(name, f"is {shown(text)}, which is not a date") from error


def _malformed(field: str, what: str) -> RuntimeProvisionError:
    return refused("manifest_malformed", f"The bundle's manifest is malformed: {field} {what}.", field=field)
