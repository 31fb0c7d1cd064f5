"""Whom a runtime bundle may come from, and what it has to be before anything of it is looked at.

A signature file is the canonical JSON of `algorithm`, `key_id` and `signature`. There is one algorithm: RS256, which is
RSASSA-PKCS1-v1_5 with SHA-256, here over the exact bytes of the manifest, by keys of 4,096 bits. The id of a key is
made of the key itself, so that none can go by the id of another.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from service_nb._version import __version__
from service_nb.core.canonical import canonical_bytes, parse_strict
from service_nb.core.digest import sha256_hex
from service_nb.core.folders import Folders
from service_nb.errors import CanonicalJsonError, LimitExceededError, RuntimeProvisionError
from service_nb.runtimes.base import platform_key
from service_nb.runtimes.manifest import Manifest, base_version, parse_manifest, python_key
from service_nb.runtimes.refusal import Reason, refused, shown
from service_nb.runtimes.signing_key import existing_key

FLOOR = "0.1.0"  # the lowest version ever accepted; raised when an older one must not come back
ALGORITHM = "RS256"
KEY_BITS = 4_096
MAX_SIGNATURE_BYTES = 2_048  # of the file

# The release keys: SubjectPublicKeyInfo in DER, as base64; docs/handbook/releasing.md says how one is added.
TRUSTED: tuple[str, ...] = ()
# The ids of withdrawn keys, for ever: also of those that are no longer above.
REVOKED: frozenset[str] = frozenset()

_FIELDS = frozenset({"algorithm", "key_id", "signature"})
_CLOCKS_DIFFER = timedelta(days=1)
_WHOSE = "Of a checkout, build it on this machine; of a release, install the version of service-nb that it belongs to."
_PRESENT = "Install the present version of service-nb, or its bundle."


class Key(NamedTuple):
    """A public key whose signatures count: a release's, or this machine's own, which makes `+dev` bundles."""

    key_id: str
    public_key: RSAPublicKey
    is_development: bool = False


class Seen(NamedTuple):
    """The highest version that was ever accepted here, and whose word that was."""

    version: str
    key_id: str


class Checked(NamedTuple):
    """A manifest that passed every check, and the key that vouches for it."""

    manifest: Manifest
    key: Key

    @property
    def seen(self) -> Seen:
        """What to remember of it once it is installed."""
        return Seen(self.manifest.version, self.key.key_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a bundle has to satisfy here and now."""

    keys: tuple[Key, ...]
    contract_hash: str
    highest: Seen | None = None
    platform: str = field(default_factory=platform_key)
    python: str = field(default_factory=python_key)
    client: str = __version__
    floor: str = FLOOR
    revoked: frozenset[str] = REVOKED
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


def trusted(folders: Folders) -> tuple[Key, ...]:
    """Return the keys that this machine trusts: those built in, and its own if it ever built a bundle.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        The machine's own key is there, but unsafe or unreadable: `signing_key_…`.
    """
    own = existing_key(folders)
    development = [] if own is None else [key_of(own.public_key(), is_development=True)]
    return (*(_built_in(text) for text in TRUSTED), *development)


def key_of(public_key: RSAPublicKey, *, is_development: bool = False) -> Key:
    """Return a public key under the id that is made of it."""
    content = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Key(sha256_hex(content)[:16], public_key, is_development)


def sign(content: bytes, private_key: RSAPrivateKey) -> bytes:
    """Return the signature file of `content`; the same bytes each time."""
    return signature_file(private_key.sign(content, PKCS1v15(), SHA256()), key_of(private_key.public_key()))


def signature_file(raw: bytes, key: Key) -> bytes:
    """Return the file that holds a signature, wherever it was made; whether it is true is for `verify` to say."""
    text = base64.b64encode(raw).decode()
    return canonical_bytes({"algorithm": ALGORITHM, "key_id": key.key_id, "signature": text})


def verify(content: bytes, signature: bytes, *, keys: Iterable[Key], revoked: frozenset[str] = REVOKED) -> Key:
    """Return the key that has signed `content`; nothing of `content` is interpreted.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons, in the order of the checks: `signature_malformed`, `algorithm_refused`, `key_revoked`, `key_unknown`,
        `key_too_short`, `signature_invalid`.
    """
    fields = _signature_fields(signature)
    if fields["algorithm"] != ALGORITHM:
        raise refused(
            "algorithm_refused",
            f"The bundle is signed by {shown(fields['algorithm'])}; only {ALGORITHM} is accepted.",
        )
    key_id, raw = fields["key_id"], _signature_bytes(fields["signature"])
    if key_id in revoked:
        raise refused("key_revoked", f"The key {shown(key_id)}, which signed the bundle, was withdrawn.", hint=_PRESENT)
    key = next((key for key in keys if key.key_id == key_id), None)
    if key is None:
        raise refused(
            "key_unknown", f"The bundle is signed by the key {shown(key_id)}, which is not trusted here.", hint=_WHOSE
        )
    if key.public_key.key_size < KEY_BITS:
        raise refused("key_too_short", f"The key {key_id} has {key.public_key.key_size} bits, expected {KEY_BITS}.")
    try:
        key.public_key.verify(raw, content, PKCS1v15(), SHA256())
    except InvalidSignature as error:
        raise refused("signature_invalid", f"The key {key_id} has not signed this manifest.") from error
    return key


def checked(content: bytes, signature: bytes, terms: Terms) -> Checked:
    """Verify the signature, then read the manifest and hold it against `terms`; nothing else comes before.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        The reasons of `verify`, then: `manifest_malformed`, `key_not_for_version`, `manifest_expired`,
        `manifest_not_yet_valid`, `version_rolled_back`, `client_too_old`, `platform_mismatch`, `python_mismatch`,
        `contract_mismatch`.
    """
    key = verify(content, signature, keys=terms.keys, revoked=terms.revoked)
    manifest = parse_manifest(content)
    if manifest.is_development != key.is_development:
        whose = "this machine's own key" if key.is_development else "a release key"
        raise refused(
            "key_not_for_version", f"{manifest.version} is signed by {whose}, which does not sign such versions."
        )
    _check_dates(manifest, terms.now)
    _check_version(manifest, terms)
    _check_place(manifest, terms)
    return Checked(manifest, key)


def _check_dates(manifest: Manifest, now: datetime) -> None:
    if now >= manifest.expires:
        raise refused(
            "manifest_expired",
            f"The bundle {manifest.version} expired on {manifest.expires:%Y-%m-%d}.",
            hint=_PRESENT,
        )
    if manifest.issued > now + _CLOCKS_DIFFER:
        raise refused(
            "manifest_not_yet_valid",
            f"The bundle {manifest.version} was issued on {manifest.issued:%Y-%m-%d}, which is in the future.",
            hint="Set this machine's clock.",
        )


def _check_version(manifest: Manifest, terms: Terms) -> None:
    marks = [(terms.floor, "the lowest that is ever accepted")]
    # What a revoked key has signed sets no mark: it may have raised it to keep every true release out.
    if terms.highest is not None and terms.highest.key_id not in terms.revoked:
        marks.append((terms.highest.version, "which was installed here before"))
    for lowest, what in marks:
        if base_version(manifest.version) < base_version(lowest):
            raise refused(
                "version_rolled_back",
                f"The bundle has version {manifest.version}, lower than {lowest}, {what}.",
                hint=_PRESENT,
                met=manifest.version,
                expected=lowest,
            )
    if base_version(terms.client) < base_version(manifest.minimum_client):
        raise refused(
            "client_too_old",
            f"The bundle {manifest.version} needs service-nb {manifest.minimum_client}; this is {terms.client}.",
            hint="Install the present version of service-nb.",
        )


def _check_place(manifest: Manifest, terms: Terms) -> None:
    if manifest.platform != terms.platform:
        raise _misplaced("platform_mismatch", manifest.platform, terms.platform)
    if manifest.python != terms.python:
        raise _misplaced("python_mismatch", manifest.python, terms.python)
    if manifest.contract_hash != terms.contract_hash:
        raise _misplaced("contract_mismatch", manifest.contract_hash, terms.contract_hash)


def _misplaced(reason: Reason, met: str, expected: str) -> RuntimeProvisionError:
    return refused(
        reason,
        f"The bundle is for {met}; here it has to be {expected}.",
        hint="Get the bundle of this platform, this Python and this version of service-nb.",
        met=met,
        expected=expected,
    )


def _signature_fields(signature: bytes) -> dict[str, str]:
    try:
        fields = parse_strict(signature, max_bytes=MAX_SIGNATURE_BYTES, max_depth=1)
        is_canonical = canonical_bytes(fields) == signature
    except (CanonicalJsonError, LimitExceededError) as error:
        raise refused("signature_malformed", f"The bundle's signature is malformed: {error.message}") from error
    if not is_canonical or not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise refused(
            "signature_malformed", f"The bundle's signature is not canonical JSON of {', '.join(sorted(_FIELDS))}."
        )
    if not all(isinstance(value, str) for value in fields.values()):
        raise refused("signature_malformed", "The bundle's signature holds something else than texts.")
    return fields


def _signature_bytes(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise refused("signature_malformed", "The bundle's signature is not base64.") from error
    # Base64 can say the same bytes in several ways.
    if base64.b64encode(raw).decode() != text or len(raw) != KEY_BITS // 8:
        raise refused("signature_malformed", f"The bundle's signature is not {KEY_BITS // 8} bytes in base64.")
    return raw


def _built_in(text: str) -> Key:
    public_key = load_der_public_key(base64.b64decode(text, validate=True))
    if not isinstance(public_key, RSAPublicKey):
        raise TypeError("a built-in key is not an RSA key")
    return key_of(public_key)
