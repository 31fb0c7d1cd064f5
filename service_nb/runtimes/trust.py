"""Trust in runtime bundles: the accepted signers, and the checks that come before anything of a bundle is read.

A signature file is the canonical JSON of `algorithm`, `key_id` and `signature`. There is one algorithm: RS256, which is
RSASSA-PKCS1-v1_5 with SHA-256, here over the exact bytes of the manifest, by keys of 4,096 bits. The id of a key is
made of the key itself, so that none can go by the id of another.

Beside the keys of releases, a machine trusts its own, which is made when a checkout first builds a bundle: without a
password, readable by its user alone. It signs nothing but versions that end in `+dev`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_public_key,
    load_pem_private_key,
)

from service_nb._version import __version__
from service_nb.core.digest import compute_sha256_hex
from service_nb.core.own_files import (
    Folders,
    OwnFileError,
    identify_file,
    make_private,
    read_own,
    require_own_folder,
    write_own,
)
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import (
    Manifest,
    Reason,
    get_python_key,
    make_refusal,
    parse_base_version,
    parse_manifest,
    show,
)

FLOOR = "0.1.0"  # the lowest version ever accepted; raised when an older one must not come back
ALGORITHM = "RS256"
KEY_BITS = 4_096
MAX_SIGNATURE_BYTES = 2_048  # of the file

# The release keys: SubjectPublicKeyInfo in DER, as base64; docs/handbook/releasing.md says how one is added.
TRUSTED: tuple[str, ...] = ()
# The ids of withdrawn keys, for ever: also of those that are no longer above.
REVOKED: frozenset[str] = frozenset()

SIGNING_KEY = "bundle-signing-key.pem"
_EXPONENT = 65_537
_MAX_PEM_BYTES = 8_192
_CLOCKS_DIFFER = timedelta(days=1)
_WHOSE = "Of a checkout, build it on this machine; of a release, install the version of service-nb that it belongs to."
_PRESENT = "Install the present version of service-nb, or its bundle."


class Key(NamedTuple):
    """A public key whose signatures count: a release's, or this machine's own, which makes `+dev` bundles."""

    key_id: str
    public_key: RSAPublicKey
    is_development: bool = False


class HighestVersion(NamedTuple):
    """The highest version that was ever accepted here, and the key that signed it."""

    version: str
    key_id: str


class SignedManifest(NamedTuple):
    """A manifest that passed every check, and the key that vouches for it."""

    manifest: Manifest
    key: Key


class BundleTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms that a bundle has to satisfy here and now."""

    keys: tuple[Key, ...]
    contract_hash: str
    highest: HighestVersion | None = None
    platform: str = msgspec.field(default_factory=get_platform_key)
    python: str = msgspec.field(default_factory=get_python_key)
    client: str = __version__
    floor: str = FLOOR
    revoked: frozenset[str] = REVOKED
    now: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


class _SignatureFile(msgspec.Struct, forbid_unknown_fields=True):
    algorithm: str
    key_id: str
    signature: str


# --- manifests ----------------------------------------------------------------------------------------------------


def verify_manifest(content: bytes, signature: bytes, terms: BundleTerms) -> SignedManifest:
    """Verify the signature, then read the manifest and hold it against `terms`; nothing else comes before."""
    key = verify_signature(content, signature, keys=terms.keys, revoked=terms.revoked)
    manifest = parse_manifest(content)
    if manifest.is_development != key.is_development:
        whose = "this machine's own key" if key.is_development else "a release key"
        raise make_refusal(
            "key_not_for_version", f"{manifest.version} is signed by {whose}, which does not sign such versions."
        )
    _check_dates(manifest, terms.now)
    _check_version(manifest, terms)
    _check_place("platform_mismatch", manifest.platform, terms.platform)
    _check_place("python_mismatch", manifest.python, terms.python)
    _check_place("contract_mismatch", manifest.contract_hash, terms.contract_hash)
    return SignedManifest(manifest, key)


def _check_dates(manifest: Manifest, now: datetime) -> None:
    if now >= manifest.expiry_date:
        raise make_refusal(
            "manifest_expired",
            f"The bundle {manifest.version} expired on {manifest.expiry_date:%Y-%m-%d}.",
            hint=_PRESENT,
        )
    if manifest.issue_date > now + _CLOCKS_DIFFER:
        raise make_refusal(
            "manifest_not_yet_valid",
            f"The bundle {manifest.version} was issued on {manifest.issue_date:%Y-%m-%d}, which is in the future.",
            hint="Set this machine's clock.",
        )


def _check_version(manifest: Manifest, terms: BundleTerms) -> None:
    marks = [(terms.floor, "the lowest that is ever accepted")]
    # What a revoked key has signed sets no mark: it may have raised it to keep every true release out.
    if terms.highest is not None and terms.highest.key_id not in terms.revoked:
        marks.append((terms.highest.version, "which was installed here before"))
    for lowest, what in marks:
        if parse_base_version(manifest.version) < parse_base_version(lowest):
            raise make_refusal(
                "version_rolled_back",
                f"The bundle has version {manifest.version}, lower than {lowest}, {what}.",
                hint=_PRESENT,
                met=manifest.version,
                expected=lowest,
            )
    if parse_base_version(terms.client) < parse_base_version(manifest.minimum_client):
        raise make_refusal(
            "client_too_old",
            f"The bundle {manifest.version} needs service-nb {manifest.minimum_client}; this is {terms.client}.",
            hint="Install the present version of service-nb.",
        )


def _check_place(reason: Reason, met: str, expected: str) -> None:
    if met != expected:
        raise make_refusal(
            reason,
            f"The bundle is for {met}; here it has to be {expected}.",
            hint="Get the bundle of this platform, this Python and this version of service-nb.",
            met=met,
            expected=expected,
        )


# --- signatures ---------------------------------------------------------------------------------------------------


def verify_signature(
    content: bytes, signature: bytes, *, keys: Iterable[Key], revoked: frozenset[str] = REVOKED
) -> Key:
    """Find the key that has signed `content`; nothing of `content` is interpreted."""
    file = _parse_signature_file(signature)
    if file.algorithm != ALGORITHM:
        raise make_refusal(
            "algorithm_refused", f"The bundle is signed by {show(file.algorithm)}; only {ALGORITHM} is accepted."
        )
    key_id, raw = file.key_id, _decode_signature(file.signature)
    if key_id in revoked:
        raise make_refusal(
            "key_revoked", f"The key {show(key_id)}, which signed the bundle, was withdrawn.", hint=_PRESENT
        )
    key = next((key for key in keys if key.key_id == key_id), None)
    if key is None:
        raise make_refusal(
            "key_unknown", f"The bundle is signed by the key {show(key_id)}, which is not trusted here.", hint=_WHOSE
        )
    if key.public_key.key_size < KEY_BITS:
        raise make_refusal(
            "key_too_short", f"The key {key_id} has {key.public_key.key_size} bits, expected {KEY_BITS}."
        )
    try:
        key.public_key.verify(raw, content, PKCS1v15(), SHA256())
    except InvalidSignature as error:
        raise make_refusal("signature_invalid", f"The key {key_id} has not signed this manifest.") from error
    return key


def sign(content: bytes, private_key: RSAPrivateKey) -> bytes:
    """Build the signature file of `content`; the same bytes each time."""
    return build_signature_file(private_key.sign(content, PKCS1v15(), SHA256()), make_key(private_key.public_key()))


def build_signature_file(raw: bytes, key: Key) -> bytes:
    """Build the file that holds a signature, wherever it was made; `verify_signature` says whether it is true."""
    file = _SignatureFile(ALGORITHM, key.key_id, base64.b64encode(raw).decode())
    return msgspec.json.encode(file, order="sorted")


def _parse_signature_file(content: bytes) -> _SignatureFile:
    try:
        if len(content) <= MAX_SIGNATURE_BYTES:
            file = msgspec.json.decode(content, type=_SignatureFile)
            if msgspec.json.encode(file, order="sorted") == content:
                return file
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise make_refusal("signature_malformed", f"The bundle's signature is malformed: {show(error)}.") from error
    fields = ", ".join(_SignatureFile.__struct_fields__)
    raise make_refusal("signature_malformed", f"The bundle's signature is not canonical JSON of {fields}.")


def _decode_signature(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise make_refusal("signature_malformed", "The bundle's signature is not base64.") from error
    # Base64 can say the same bytes in several ways.
    if base64.b64encode(raw).decode() != text or len(raw) != KEY_BITS // 8:
        raise make_refusal("signature_malformed", f"The bundle's signature is not {KEY_BITS // 8} bytes in base64.")
    return raw


# --- keys ---------------------------------------------------------------------------------------------------------


def find_trusted_keys(folders: Folders) -> tuple[Key, ...]:
    """Find the keys that this machine trusts: those built in, and its own if it ever built a bundle."""
    keys = []
    for text in TRUSTED:
        public_key = load_der_public_key(base64.b64decode(text, validate=True))
        if not isinstance(public_key, RSAPublicKey):
            raise TypeError("a built-in key is not an RSA key")
        keys.append(make_key(public_key))
    own = find_development_key(folders)
    return (*keys, *([] if own is None else [make_key(own.public_key(), is_development=True)]))


def make_key(public_key: RSAPublicKey, *, is_development: bool = False) -> Key:
    """Put a public key under the id that is made of it."""
    content = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Key(compute_sha256_hex(content)[:16], public_key, is_development)


def load_development_key(folders: Folders) -> RSAPrivateKey:
    """Load this machine's signing key, made now if there is none; several at once end with one key."""
    found = find_development_key(folders)
    if found is not None:
        return found
    made = generate_private_key(_EXPONENT, KEY_BITS)
    content = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        if write_own(make_private(folders.config) / SIGNING_KEY, content):
            return made
    except OSError as error:
        raise _unusable_key_error("signing_key_unreadable", f"cannot be kept: {error.strerror}") from error
    return find_development_key(folders) or load_development_key(folders)


def find_development_key(folders: Folders) -> RSAPrivateKey | None:
    """Find this machine's signing key; None where no bundle was ever built. Raises as `load_development_key`."""
    path = folders.config / SIGNING_KEY
    if identify_file(path) is None:
        return None
    try:
        require_own_folder(folders.config)
    except OwnFileError as fault:
        raise make_refusal(
            "signing_key_unsafe",
            f"The folder of this machine's key {fault}.",
            hint="Make the configuration folder your own, or set SERVICE_HOME to a folder that is.",
        ) from fault
    try:
        content, _ = read_own(path, _MAX_PEM_BYTES, secret=True)
    except OwnFileError as fault:
        reasons: dict[str, Reason] = {"unreadable": "signing_key_unreadable", "too_large": "signing_key_malformed"}
        raise _unusable_key_error(reasons.get(fault.reason, "signing_key_unsafe"), str(fault)) from fault
    try:
        return parse_private_key(content)
    except ValueError as fault:
        raise _unusable_key_error("signing_key_malformed", str(fault)) from None


def parse_private_key(content: bytes) -> RSAPrivateKey:
    """Read a private key that can sign bundles; a `ValueError` says why it cannot."""
    try:
        # Proving its primes anew takes half a second; a broken key signs nothing that verifies.
        key = load_pem_private_key(content, password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without the cause: what a parser says of a secret is nobody's business.
        raise ValueError("cannot be read as a key without a password") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size != KEY_BITS:
        raise ValueError(f"is not an RSA key of {KEY_BITS:,} bits")
    if key.public_key().public_numbers().e != _EXPONENT:
        raise ValueError(f"has another exponent than {_EXPONENT}")
    return key


def _unusable_key_error(reason: Reason, what: str) -> RuntimeProvisionError:
    hint = f"Remove {SIGNING_KEY} from the configuration folder; the next build from a checkout makes another."
    return make_refusal(reason, f"This machine's key for bundles {what}.", hint=hint)
