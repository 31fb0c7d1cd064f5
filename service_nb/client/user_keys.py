"""The keys of a user: the device key that signs, and the public keys of others that the user trusts.

The device key, `device.pem`, is an Ed25519 key of one user on one machine, and beside it is a licence that the key
itself has signed, `licence.json`. `service-nb login` makes both without a network; local computation requires them.
`SERVICE_DEVICE_KEY` gives a key to machines that keep nothing, and is never written.

`trusted-keys` beside it has one trusted key a line, with the name that the user gave it. Nothing that comes with a
notebook puts a key there. A project may have a file `trusted-keys` of the same form: it proposes keys and names, and
counts once its reader has trusted it with `service-nb key trust trusted-keys`, or names it with `--key`.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NoReturn

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from service_nb.core.canonical import parse_strict, write_canonical_bytes
from service_nb.core.own_files import (
    Identity,
    OwnFileError,
    describe_place,
    find_folders,
    identify_file,
    make_private,
    read_own,
    require_own_folder,
    write_own,
)
from service_nb.errors import CanonicalJsonError, InvalidIntentError, LimitExceededError, LoginRequiredError
from service_nb.evidence.standalone import KEY_BYTES, compute_fingerprint, compute_key_id, decode_base64, encode_base64

INJECTED = "SERVICE_DEVICE_KEY"
KEY, LICENCE, TRUSTED = "device.pem", "licence.json", "trusted-keys"
TIER = "developer"

_VERSION = 1
_DOMAIN = b"service:licence:v1\0"
_FIELDS = ("version", "tier", "device", "public_key", "issued", "signature")
_ISSUED = "%Y-%m-%dT%H:%M:%SZ"
_MAX_BYTES = 4_096  # of a key or a licence; those of login have fewer than 400
MOST_BYTES = 64 * 1024  # of trusted keys
_NAME_CHARS = 60
_LOGIN = "Run `service-nb login`, or %service_login in a notebook"
_NEW_KEY = "Run `service-nb logout`, then `service-nb login` to make a new one."
_NEW_LICENCE = f"{_LOGIN}: it writes a new one for the same key."
_SET_RIGHT = f"{INJECTED} takes a PKCS8 PEM, or the base64 of a 32-byte seed. Correct it, or unset it."

Origin = Literal["made", "licensed", "kept", "environment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """The key of one user on one machine, ready to sign.

    `origin` says where it is from: `made` or `licensed` by the login that returned it, `kept` from an earlier one, or
    given by the `environment`; the last has no `issued`.
    """

    id: str  # 16 hex digits of the SHA-256 of the public key in DER
    public_key: str  # its 32 bytes in base64
    tier: str
    issued: str | None
    origin: Origin
    _private: Ed25519PrivateKey = field(repr=False, compare=False)

    def sign(self, data: bytes) -> bytes:
        """Return the Ed25519 signature of `data`, 64 bytes."""
        return self._private.sign(data)

    def to_dict(self) -> dict[str, Any]:
        """Describe the device as JSON: no secret, and no path that names the user."""
        is_kept = self.origin != "environment"
        return {
            "device": self.id,
            "public_key": self.public_key,
            "tier": self.tier,
            "issued": self.issued,
            "origin": self.origin,
            "files": [describe_place(Path(path)) for path in _find_paths()] if is_kept else [],
        }


# The one device that was verified last, by what its files were then: a compute looks at two files, and no more.
_verified: dict[tuple[object, ...], Device] = {}


def require_device() -> Device:
    """Return the device key that local computation needs.

    Raises
    ------
    LoginRequiredError [login_required]
        There is no key (reason `no_key`), or the key or its licence cannot be used: the reason names the cause, the
        hint the cure.
    """
    found = find_device()
    if found is None:
        raise LoginRequiredError(
            "Computing on this machine needs a device key, and there is none yet.",
            hint=f"{_LOGIN}: once, free, offline.",
            reason="no_key",
        )
    return found


def find_device() -> Device | None:
    """Return the device; None before the login.

    Raises
    ------
    LoginRequiredError [login_required]
        The key or its licence cannot be used; as `require_device`.
    """
    injected = os.environ.get(INJECTED)
    if injected:
        return _verified.get((injected,)) or _remember_device(_read_injected(injected), injected)
    key_path, licence_path = _find_paths()
    key_file = identify_file(key_path)
    if key_file is None:
        return None
    return _verified.get((key_path, key_file, identify_file(licence_path))) or _load_device(Path(key_path).parent)


def login() -> Device:
    """Make the device key and its licence, unless they are there; several at once end with one key.

    A licence that is missing or broken is made anew. A broken key is never replaced: `logout` removes it.

    Raises
    ------
    LoginRequiredError [login_required]
        What is there cannot be used, or nothing could be kept.
    RuntimeProvisionError [runtime_provision_failed]
        The folder cannot be made, or is not this user's own.
    """
    if os.environ.get(INJECTED):
        return require_device()
    folder = make_private(find_folders().config)
    made = identify_file(folder / KEY) is None and _keep_file(folder / KEY, _generate_key())
    key, _ = _read_key(folder)
    licensed = False
    try:
        _read_licence(folder, key)
    except LoginRequiredError as fault:
        is_missing = fault.details["reason"] == "licence_missing"
        licensed = _keep_file(folder / LICENCE, _build_licence(key), over=not is_missing)
    origin: Origin = "made" if made else "licensed" if licensed else "kept"
    return replace(_load_device(folder), origin=origin)


def logout() -> tuple[str, ...]:
    """Remove the device key and its licence, whatever state they are in; return the names of what was there.

    What the key has signed stays valid.

    Raises
    ------
    LoginRequiredError [login_required]
        Something there cannot be removed.
    """
    _verified.clear()
    folder = find_folders().config
    if identify_file(folder) is None:
        return ()
    _require_own(folder)
    removed = tuple(path.name for path in _list_files(folder) if _remove_file(path))
    with suppress(OSError):  # something else is kept there too
        folder.rmdir()
    return removed


def _list_files(folder: Path) -> Iterator[Path]:
    """List the key, its licence and the leftovers of an interrupted login; the secret key first."""
    for name in (KEY, LICENCE):
        yield folder / name
        yield from sorted(folder.glob(f".{name}.*"))


def _remove_file(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise LoginRequiredError(
            f"{path.name} cannot be removed: {error.strerror}.",
            hint="Remove it from the configuration folder.",
            reason="not_removable",
        ) from error
    return True


def _find_paths() -> tuple[str, str]:
    config = find_folders().config
    return f"{config}{os.sep}{KEY}", f"{config}{os.sep}{LICENCE}"


def _load_device(folder: Path) -> Device:
    _require_own(folder)
    key, key_file = _read_key(folder)
    licence, licence_file = _read_licence(folder, key)
    found = _build_device(key, "kept", licence["issued"])
    return _remember_device(found, str(folder / KEY), key_file, licence_file)


def _remember_device(found: Device, *identity_: object) -> Device:
    _verified.clear()
    _verified[identity_] = found
    return found


# --- the key ------------------------------------------------------------------------------------------------------


def _build_device(key: Ed25519PrivateKey, origin: Origin, issued: str | None) -> Device:
    public = key.public_key().public_bytes_raw()
    return Device(
        id=compute_key_id(public),
        public_key=encode_base64(public),
        tier=TIER,
        issued=issued,
        origin=origin,
        _private=key,
    )


def _generate_key() -> bytes:
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _read_key(folder: Path) -> tuple[Ed25519PrivateKey, Identity]:
    try:
        content, met = read_own(folder / KEY, _MAX_BYTES, secret=True)
    except OwnFileError as fault:
        cure = f"{_LOGIN}." if fault.reason == "missing" else _NEW_KEY
        _refuse(f"key_{fault.reason}", f"The device key {fault}.", cure, fault)
    return _parse_key(content, "key", "The device key", _NEW_KEY), met


def _read_injected(text: str) -> Device:
    if "-----BEGIN" in text:
        content = text.strip().encode("utf-8", "replace")
        key = _parse_key(content, "injected_key", f"The key in {INJECTED}", _SET_RIGHT)
        return _build_device(key, "environment", None)
    try:
        seed = base64.b64decode(text.strip(), validate=True)
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        _refuse("injected_key_malformed", f"{INJECTED} is empty.", _SET_RIGHT)
    return _build_device(Ed25519PrivateKey.from_private_bytes(seed), "environment", None)


def _parse_key(content: bytes, what: str, told: str, cure: str) -> Ed25519PrivateKey:
    if not content.startswith(b"-----BEGIN PRIVATE KEY-----") or content.count(b"-----BEGIN") != 1:
        _refuse(f"{what}_malformed", f"{told} is not an unencrypted PKCS8 PEM.", cure)
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Not as the cause: what a parser says of a secret is nobody's business.
        _refuse(f"{what}_malformed", f"{told} cannot be read.", cure)
    if not isinstance(key, Ed25519PrivateKey):
        _refuse(f"{what}_of_another_kind", f"{told} has the wrong type; expected Ed25519.", cure)
    return key


# --- the licence --------------------------------------------------------------------------------------------------


def _build_licence(key: Ed25519PrivateKey) -> bytes:
    public = key.public_key().public_bytes_raw()
    told = {
        "version": _VERSION,
        "tier": TIER,
        "device": compute_key_id(public),
        "public_key": encode_base64(public),
        "issued": datetime.now(UTC).strftime(_ISSUED),
    }
    signature = encode_base64(key.sign(_DOMAIN + write_canonical_bytes(told)))
    return write_canonical_bytes(told | {"signature": signature}) + b"\n"


def _read_licence(folder: Path, key: Ed25519PrivateKey) -> tuple[dict[str, Any], Identity]:
    try:
        content, met = read_own(folder / LICENCE, _MAX_BYTES, secret=False)
        licence = parse_strict(content, max_bytes=_MAX_BYTES, max_depth=1)
    except OwnFileError as fault:
        _refuse(f"licence_{fault.reason}", f"The licence of the device key {fault}.", _NEW_LICENCE, fault)
    except (CanonicalJsonError, LimitExceededError) as fault:
        _refuse("licence_malformed", "The licence of the device key is malformed.", _NEW_LICENCE, fault)
    _check_licence(licence, key)
    return licence, met


def _check_licence(licence: object, key: Ed25519PrivateKey) -> None:
    if not isinstance(licence, dict) or licence.keys() != set(_FIELDS):
        _refuse("licence_malformed", f"The licence does not hold {', '.join(_FIELDS)}.", _NEW_LICENCE)
    if type(licence["version"]) is not int or not all(isinstance(licence[name], str) for name in _FIELDS[1:]):
        _refuse("licence_malformed", "A field of the licence has the wrong type.", _NEW_LICENCE)
    if (licence["version"], licence["tier"]) != (_VERSION, TIER):
        _refuse("licence_unknown", "The licence has another version or tier.", _NEW_LICENCE)
    public = key.public_key().public_bytes_raw()
    if (licence["device"], licence["public_key"]) != (compute_key_id(public), encode_base64(public)):
        _refuse("licence_of_another_key", "The licence belongs to another device key.", _NEW_LICENCE)
    signed = write_canonical_bytes({name: licence[name] for name in _FIELDS[:-1]})
    try:
        key.public_key().verify(base64.b64decode(licence["signature"], validate=True), _DOMAIN + signed)
    except (binascii.Error, ValueError, InvalidSignature) as fault:
        _refuse(
            "licence_signature_invalid", "The signature of the licence is not valid for this key.", _NEW_LICENCE, fault
        )


# --- faults -------------------------------------------------------------------------------------------------------


def _require_own(folder: Path) -> None:
    try:
        require_own_folder(folder)
    except OwnFileError as fault:
        cure = "Change its owner to you, or set SERVICE_HOME to a folder of yours."
        _refuse("folder_unsafe", f"The folder of the device key {fault}.", cure, fault)


def _keep_file(path: Path, content: bytes, *, over: bool = False) -> bool:
    try:
        return write_own(path, content, over=over)
    except OSError as fault:
        cure = "Free disk space, or set SERVICE_HOME to a writable folder."
        _refuse("not_kept", f"{path.name} cannot be saved: {fault.strerror}.", cure, fault)


def _refuse(reason: str, message: str, cure: str, cause: Exception | None = None) -> NoReturn:
    raise LoginRequiredError(message, hint=cure, reason=reason) from cause


# --- the keys that a user trusts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A public key, base64 of 32 bytes, with the name that the user gave its owner; empty without one."""

    key: str
    name: str = ""

    @property
    def id(self) -> str:
        """The key's id, 16 hex digits: the first of its fingerprint."""
        return compute_key_id(decode_base64(self.key, KEY_BYTES) or b"")

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the key in DER, 64 hex digits."""
        return compute_fingerprint(decode_base64(self.key, KEY_BYTES) or b"")


def read_trusted_keys() -> tuple[TrustedKey, ...]:
    """Read the keys that this user trusts, in the order in which they were added.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The file of these keys is somebody else's, or a line of it is not a key.
    """
    folder = find_folders().config
    try:
        require_own_folder(folder)
        content, _ = read_own(folder / TRUSTED, MOST_BYTES, secret=False)
    except FileNotFoundError:
        return ()
    except OwnFileError as fault:
        if fault.reason == "missing":
            return ()
        raise _build_key_error(f"Your file {TRUSTED} {fault}.") from fault
    return _read_key_lines(content, f"Your file {TRUSTED}")


def trust(keys: Iterable[TrustedKey]) -> tuple[TrustedKey, ...]:
    """Trust keys: add them to the file, and return those that are new or renamed."""
    known = {each.key: each for each in read_trusted_keys()}
    changed = tuple(each for each in keys if known.get(each.key) != each)
    _write_keys(known | {each.key: each for each in changed})
    return changed


def revoke_trust(ids: Sequence[str]) -> tuple[TrustedKey, ...]:
    """Remove keys by their id, their base64 or their name, and return those that were removed."""
    known = {each.key: each for each in read_trusted_keys()}
    gone = tuple(each for each in known.values() if {each.id, each.key, each.name or each.id} & set(ids))
    _write_keys({key: each for key, each in known.items() if each not in gone})
    return gone


def read_keys(given: str) -> tuple[TrustedKey, ...]:
    """Read keys from a text: the base64 of one, or a file of keys, one a line or in PEM.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no key, and no file that holds keys.
    """
    if decode_base64(given, KEY_BYTES) is not None:
        return (TrustedKey(given),)
    path = Path(given).expanduser()
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidIntentError(
            f"{given[:60]!r} is neither a public key nor a readable file.",
            hint="Give the base64 of 32 bytes, or a file that holds it; `service-nb login --json` prints your own.",
            path="--key",
        ) from error
    found = _read_pem_key(content) if b"-----BEGIN" in content else _read_key_lines(content, path.name)
    if not found:
        raise _build_key_error(f"{path.name} holds no public key.")
    return found


def read_proposed_keys(folder: Path) -> tuple[TrustedKey, ...]:
    """Read the keys that the file `trusted-keys` of a folder proposes; none if it is missing or unreadable."""
    try:
        return read_keys(str(folder / TRUSTED)) if (folder / TRUSTED).is_file() else ()
    except InvalidIntentError:
        return ()


def _read_key_lines(content: bytes, name: str) -> tuple[TrustedKey, ...]:
    keys = []
    if len(content) > MOST_BYTES:
        raise _build_key_error(f"{name} has more than {MOST_BYTES:,} bytes.")
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        key, _, said = line.partition("#")
        if not key.strip():
            continue
        if decode_base64(key.strip(), KEY_BYTES) is None:
            raise _build_key_error(f"{name}, line {number}: this is not a public key.")
        keys.append(TrustedKey(key.strip(), _strip_unprintable(said)))
    return tuple(dict.fromkeys(keys))


def _read_pem_key(content: bytes) -> tuple[TrustedKey, ...]:
    try:
        key = load_pem_public_key(content)
    except ValueError:
        return ()
    return (TrustedKey(encode_base64(key.public_bytes_raw())),) if isinstance(key, Ed25519PublicKey) else ()


def _strip_unprintable(name: str) -> str:
    return "".join(character for character in name.strip() if character.isprintable())[:_NAME_CHARS]


def _write_keys(keys: Mapping[str, TrustedKey]) -> None:
    lines = [f"{each.key} # {_strip_unprintable(each.name)}" if each.name else each.key for each in keys.values()]
    folder = make_private(find_folders().config)
    try:
        write_own(folder / TRUSTED, "".join(f"{line}\n" for line in lines).encode(), over=True)
    except OSError as fault:
        raise _build_key_error(f"{describe_place(folder / TRUSTED)} cannot be written: {fault.strerror}.") from fault


def _build_key_error(message: str) -> InvalidIntentError:
    hint = "Expected the base64 of 32 bytes, one a line, `#` before a name; or an Ed25519 public key in PEM."
    return InvalidIntentError(message, hint=hint, path=TRUSTED)
