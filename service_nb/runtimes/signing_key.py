"""The signing key of this very machine: made when a checkout first builds a bundle, and trusted nowhere else.

RSA of 4,096 bits, without a password, readable by its user alone. It signs nothing but versions that end in `+dev`.
"""

from __future__ import annotations

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from service_nb.core.folders import Folders, private
from service_nb.core.own_files import OwnFileError, identity, read_own, require_own_folder, write_own
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.refusal import Reason, refused

NAME = "bundle-signing-key.pem"
_EXPONENT, _BITS = 65_537, 4_096
_MAX_BYTES = 8_192
_REASONS: dict[str, Reason] = {"unreadable": "signing_key_unreadable", "too_large": "signing_key_malformed"}
_OWN = "Make the configuration folder your own, or set SERVICE_HOME to a folder that is."
_ANEW = f"Remove {NAME} from the configuration folder; the next build from a checkout makes another."


def development_key(folders: Folders) -> RSAPrivateKey:
    """Return this machine's signing key, made now if there is none; several at once end with one key.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        It is there but cannot be used, or cannot be kept: `signing_key_unsafe`, `signing_key_malformed`,
        `signing_key_unreadable`.
    """
    found = existing_key(folders)
    if found is not None:
        return found
    made = generate_private_key(_EXPONENT, _BITS)
    content = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        if write_own(private(folders.config) / NAME, content):
            return made
    except OSError as error:
        raise _unusable("signing_key_unreadable", f"cannot be kept: {error.strerror}") from error
    return existing_key(folders) or development_key(folders)


def existing_key(folders: Folders) -> RSAPrivateKey | None:
    """Return this machine's signing key; None where no bundle was ever built. Raises as `development_key`."""
    path = folders.config / NAME
    if identity(path) is None:
        return None
    try:
        require_own_folder(folders.config)
    except OwnFileError as fault:
        raise refused("signing_key_unsafe", f"The folder of this machine's key {fault}.", hint=_OWN) from fault
    try:
        content, _ = read_own(path, _MAX_BYTES, secret=True)
    except OwnFileError as fault:
        raise _unusable(_REASONS.get(fault.reason, "signing_key_unsafe"), str(fault)) from fault
    return _parse(content)


def _parse(content: bytes) -> RSAPrivateKey:
    try:
        # Proving its primes anew takes half a second; a broken key signs nothing that verifies.
        key = load_pem_private_key(content, password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without the cause: what a parser says of a secret is nobody's business.
        raise _unusable("signing_key_malformed", "cannot be read as a key") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size != _BITS:
        raise _unusable("signing_key_malformed", f"is not an RSA key of {_BITS} bits")
    if key.public_key().public_numbers().e != _EXPONENT:
        raise _unusable("signing_key_malformed", f"has another exponent than {_EXPONENT}")
    return key


def _unusable(reason: Reason, what: str) -> RuntimeProvisionError:
    return refused(reason, f"This machine's key for bundles {what}.", hint=_ANEW)
