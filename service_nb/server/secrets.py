"""Resolve references to secrets at use, and seal what connectors hold.

A reference is `env:NAME`, `file:PATH` (mode 0600, this user's own, no link) or `keyring:SERVICE/NAME`. Whoever may make
a connector chooses the host that its password is sent to, so a tenant's references lead only where the configuration
says, and by default to names of its own. No error ever shows a value or a reference: either may be a password.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import digest
from service_nb.core.own_files import OwnFileError, read_own, write_own
from service_nb.core.secret import Secret
from service_nb.errors import DeploymentUnavailableError, DriverMissingError, SecretUnavailableError

SCHEMES = ("env:", "file:", "keyring:")
MASTER_PREFIX = "snbm_"
_MAX_BYTES = 64 * 1024
_KEY_BYTES, _NONCE_BYTES = 32, 12
_KEY_DOMAIN = "service:master-key:v1"
_SEALED_DOMAIN = "service:sealed:v1"
TENANT = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")  # no `--`: as a variable's part no tenant is another's beginning


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The references that one tenant may use: those that fit `patterns`. Relative paths begin in `folder`."""

    patterns: tuple[str, ...]
    tenant: str
    folder: Path

    def resolve(self, secret: Secret, field: str) -> Secret:
        """Return the secret itself, or what it refers to.

        Raises `secret_unavailable` (reasons `not_allowed`, `missing`, `empty`, `no_keyring`, those of own files) and
        `driver_missing`; neither value nor reference is named.
        """
        text = secret.reveal()
        if not text.startswith(SCHEMES):
            return secret
        if not self._allows(text):
            _refuse(
                "not_allowed",
                field,
                "A tenant may refer to what secrets.references in deployment.toml lists; unless told otherwise that is"
                " variables named SERVICE_SECRET__TENANT__NAME, and files below secrets/tenant.",
            )
        return resolve_reference(text, field, self.folder)

    def _allows(self, reference: str) -> bool:
        if ".." in PurePosixPath(reference.partition(":")[2]).parts or "\0" in reference:
            return False
        return any(_is_match(pattern, reference) for pattern in fill_patterns(self.patterns, self.tenant))


def fill_patterns(patterns: Sequence[str], tenant: str) -> list[str]:
    """Fill in the tenant in patterns of the configuration."""
    variable = tenant.replace("-", "_").upper()
    return [pattern.replace("{tenant}", tenant).replace("{TENANT}", variable) for pattern in patterns]


def resolve_reference(reference: str, field: str, folder: Path) -> Secret:
    """Read what a reference leads to, whatever it is: for references that the operator wrote."""
    scheme, _, rest = reference.partition(":")
    if scheme == "env":
        text = os.environ.get(rest)
    elif scheme == "file":
        text = _read_file(Path(folder, Path(rest).expanduser()), field)
    else:
        text = _read_keyring(rest, field)
    if text is None:
        _refuse("missing", field, "The deployment has no such variable, file or entry of a keyring.")
    if not text:
        _refuse("empty", field, "What it refers to is empty.")
    return Secret(text)


def _is_match(pattern: str, reference: str) -> bool:
    """`*` stands for anything but a slash, in one part of a path."""
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch("[^/]*".join(parts), reference) is not None


def _read_file(path: Path, field: str) -> str:
    try:
        content, _ = read_own(path, _MAX_BYTES, secret=True)
        return content.decode().rstrip("\r\n")
    except OwnFileError as fault:
        _refuse(fault.reason, field, "The file has to be this user's own, mode 0600, and no link.")
    except (UnicodeDecodeError, ValueError):
        _refuse("unreadable", field, "The file has to be text in UTF-8.")


def _read_keyring(rest: str, field: str) -> str | None:
    try:
        import keyring  # noqa: PLC0415  # an extra, and slow to load
        from keyring.errors import KeyringError  # noqa: PLC0415
    except ImportError:
        raise DriverMissingError(
            "A secret is in a keyring, and no keyring backend is installed.",
            hint="pip install 'service-nb[keyring]'",
            extra="keyring",
        ) from None
    service, _, name = rest.partition("/")
    try:
        return keyring.get_password(service, name)
    except (KeyringError, RuntimeError):  # no backend; its text may name what was asked for
        _refuse("no_keyring", field, "This machine has no keyring that can be opened.")


def _refuse(reason: str, field: str, hint: str) -> NoReturn:
    raise SecretUnavailableError(
        f"What the connector's {field} refers to is not available.", hint=hint, reason=reason, met=field
    )


# --- sealing --------------------------------------------------------------------------------------------------------


class Vault:
    """The master keys that `reference` leads to: the first seals, every one opens what it has sealed.

    The reference is read again when something was sealed with a key that came later.
    """

    def __init__(self, reference: str, folder: Path) -> None:
        self._reference, self._folder = reference, folder
        self._keys = self._load_keys()

    def __repr__(self) -> str:
        return f"Vault({', '.join(self._keys)})"

    @property
    def key_id(self) -> str:
        """The id of the key that seals: nothing can be told of the key from it."""
        return next(iter(self._keys))

    def seal(self, plain: bytes, *bound: str) -> tuple[str, bytes]:
        """Return the key's id and the sealed bytes, which open only with the same `bound` texts.

        Call it within the transaction that keeps them: the keys are read anew, and a rotation, which is one transaction
        too, comes wholly before or wholly after.
        """
        self._keys = self._load_keys()
        key_id, nonce = self.key_id, secrets.token_bytes(_NONCE_BYTES)
        return key_id, nonce + self._keys[key_id].encrypt(nonce, plain, _encode_binding(key_id, bound))

    def open(self, key_id: str, sealed: bytes, *bound: str) -> bytes:
        """Open what was sealed; reasons of a fault are `master_key_wrong` and `sealed_altered`."""
        if key_id not in self._keys:
            self._keys = self._load_keys()  # rotated since
        if key_id not in self._keys:
            raise DeploymentUnavailableError(
                "The connector was sealed with another master key.",
                hint="Give the master key that it was sealed with; secrets.master_key refers to it.",
                reason="master_key_wrong",
            )
        try:
            return self._keys[key_id].decrypt(
                sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _encode_binding(key_id, bound)
            )
        except (InvalidTag, ValueError):
            raise DeploymentUnavailableError(
                "The stored connector was altered, or belongs to another one.",
                hint="Create the connector again.",
                reason="sealed_altered",
            ) from None

    def _load_keys(self) -> dict[str, AESGCM]:
        text = resolve_reference(self._reference, "secrets.master_key", self._folder).reveal()
        keys = [_parse_master_key(line) for line in text.split()]
        return {digest(_KEY_DOMAIN, key)[:16]: AESGCM(key) for key in keys}


def create_master_key() -> str:
    """Create a master key, as text."""
    return MASTER_PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode().rstrip("=")


def write_master_key(path: Path, *keys: str, over: bool = False) -> bool:
    """Write master keys, the one that seals first, to a file that its user alone can read; False if one is there."""
    return write_own(path, ("\n".join(keys) + "\n").encode(), over=over)


def _parse_master_key(text: str) -> bytes:
    try:
        key = base64.b64decode(text.removeprefix(MASTER_PREFIX) + "=", altchars=b"-_", validate=True)
    except ValueError:
        key = b""
    if not text.startswith(MASTER_PREFIX) or len(key) != _KEY_BYTES:
        raise SecretUnavailableError(
            "secrets.master_key does not refer to a master key.",
            hint="Restore the key that sealed this store; `service-nb serve init` makes one for a new deployment.",
            reason="malformed",
        )
    return key


def _encode_binding(key_id: str, texts: Sequence[str]) -> bytes:
    return write_canonical_bytes([_SEALED_DOMAIN, key_id, *texts])
