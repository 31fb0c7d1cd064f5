"""The keys that a user trusts: a file beside the device key, one key a line with the name that the user gave it.

Nothing that comes with a notebook puts a key there. A project may have a file `trusted-keys` of the same form: it
proposes keys and names, and counts once its reader has trusted it with `service-nb key trust trusted-keys`, or names it
with `--key`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from service_nb.core.own_files import (
    OwnFileError,
    describe_place,
    find_folders,
    make_private,
    read_own,
    require_own_folder,
    write_own,
)
from service_nb.errors import InvalidIntentError
from service_nb.evidence.standalone import KEY_BYTES, compute_fingerprint, compute_key_id, decode_base64, encode_base64

FILE = "trusted-keys"
MOST_BYTES = 64 * 1024
_NAME_CHARS = 60


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
        content, _ = read_own(folder / FILE, MOST_BYTES, secret=False)
    except FileNotFoundError:
        return ()
    except OwnFileError as fault:
        if fault.reason == "missing":
            return ()
        raise _build_key_error(f"Your file {FILE} {fault}.") from fault
    return _read_key_lines(content, f"Your file {FILE}")


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
        return read_keys(str(folder / FILE)) if (folder / FILE).is_file() else ()
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
        write_own(folder / FILE, "".join(f"{line}\n" for line in lines).encode(), over=True)
    except OSError as fault:
        raise _build_key_error(f"{describe_place(folder / FILE)} cannot be written: {fault.strerror}.") from fault


def _build_key_error(message: str) -> InvalidIntentError:
    hint = "Expected the base64 of 32 bytes, one a line, `#` before a name; or an Ed25519 public key in PEM."
    return InvalidIntentError(message, hint=hint, path=FILE)
