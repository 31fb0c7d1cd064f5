"""The signing key of this very machine: made when a checkout first builds a bundle, and trusted nowhere else.

RSA of 4,096 bits, without a password, readable by its user alone. It signs nothing but versions that end in `+dev`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from service_nb.base.folders import Folders, private
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.refusal import Reason, refused

NAME = "bundle-signing-key.pem"
_EXPONENT, _BITS = 65_537, 4_096
_MAX_BYTES = 8_192
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
    if _publish(private(folders.config) / NAME, content):
        return made
    return existing_key(folders) or development_key(folders)


def existing_key(folders: Folders) -> RSAPrivateKey | None:
    """Return this machine's signing key; None where no bundle was ever built. Raises as `development_key`."""
    content = _read(folders.config / NAME)
    return None if content is None else _parse(content)


def _read(path: Path) -> bytes | None:
    quick = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | quick)
        try:
            _require_private(os.fstat(descriptor))
            content = os.read(descriptor, _MAX_BYTES + 1)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _unusable("signing_key_unsafe", "is a link, which is never followed") from error
        raise _unusable("signing_key_unreadable", f"cannot be read: {error.strerror}") from error
    if len(content) > _MAX_BYTES:
        raise _unusable("signing_key_malformed", "is larger than any that is made here")
    return content


def _require_private(met: os.stat_result) -> None:
    if not stat.S_ISREG(met.st_mode):
        raise _unusable("signing_key_unsafe", "is no regular file")
    if sys.platform != "win32" and (met.st_uid != os.getuid() or stat.S_IMODE(met.st_mode) & 0o077):
        raise _unusable("signing_key_unsafe", "belongs to another user, or others can read it")


def _parse(content: bytes) -> RSAPrivateKey:
    try:
        # Proving its primes anew takes half a second; a broken key signs nothing that verifies.
        key = load_pem_private_key(content, password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without the cause: what a parser says of a secret is nobody's business.
        raise _unusable("signing_key_malformed", "cannot be read as a key") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size != _BITS:
        raise _unusable("signing_key_malformed", f"is no RSA key of {_BITS} bits")
    if key.public_key().public_numbers().e != _EXPONENT:
        raise _unusable("signing_key_malformed", f"has another exponent than {_EXPONENT}")
    return key


def _publish(target: Path, content: bytes) -> bool:
    """Put the key in place whole; False if another process was first."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # exclusive, and 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.link(name, target)
        finally:
            Path(name).unlink(missing_ok=True)
    except FileExistsError:
        return False
    except OSError as error:
        raise _unusable("signing_key_unreadable", f"cannot be kept: {error.strerror}") from error
    return True


def _unusable(reason: Reason, what: str) -> RuntimeProvisionError:
    return refused(reason, f"This machine's key for bundles {what}.", hint=_ANEW)
