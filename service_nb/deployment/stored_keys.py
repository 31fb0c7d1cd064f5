"""The keys of deployments that `service-nb login --deployment` has fetched: one small file each, this user's alone."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from service_nb.core.canonical import canonical_bytes, parse_strict
from service_nb.core.digest import digest
from service_nb.core.folders import folders, private
from service_nb.core.own_files import OwnFileError, read_own, require_own_folder, write_own
from service_nb.core.secret import Secret
from service_nb.errors import CanonicalJsonError, LimitExceededError, SecretUnavailableError

FOLDER = "deployments"
_DOMAIN = "service:deployment-address:v1"
_MAX_BYTES = 16_384


def stored_key(base: str) -> Secret | None:
    """Return the key that is kept for the deployment at an address; None if there is none.

    Raises
    ------
    SecretUnavailableError [secret_unavailable]
        Something is in its place that cannot be used: reasons `exposed`, `foreign`, `no_file`, `unsafe`, `unreadable`,
        `malformed`.
    """
    path = _path(base)
    if not path.exists() and not path.is_symlink():
        return None
    try:
        require_own_folder(path.parent)
        content, _ = read_own(path, _MAX_BYTES, secret=True)
        told = parse_strict(content, max_bytes=_MAX_BYTES, max_depth=1)
    except OwnFileError as fault:
        _refuse(fault.reason, f"The stored key of this deployment {fault}.")
    except (CanonicalJsonError, LimitExceededError):
        told = None
    if not isinstance(told, dict) or told.get("deployment") != base or not isinstance(told.get("key"), str):
        _refuse("malformed", "The stored key of this deployment is malformed.")
    return Secret(told["key"])


def keep_key(base: str, key: Secret) -> None:
    """Keep the key of the deployment at an address, in place of one that was kept.

    Raises
    ------
    SecretUnavailableError [secret_unavailable]
        Reason `not_kept`: the disk is full, or the folder cannot be written.
    RuntimeProvisionError [runtime_provision_failed]
        The folder cannot be made, or is not this user's own.
    """
    folder = private(private(folders().config) / FOLDER)
    content = canonical_bytes({"deployment": base, "key": key.reveal()}) + b"\n"
    try:
        write_own(folder / _path(base).name, content, over=True)
    except OSError as error:
        _refuse("not_kept", f"The key cannot be saved: {error.strerror}.")


def forget_key(base: str) -> bool:
    """Remove the key that is kept for the deployment at an address; False if there was none."""
    try:
        _path(base).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        _refuse("not_removable", f"The key cannot be removed: {error.strerror}.")
    return True


def _path(base: str) -> Path:
    return folders().config / FOLDER / f"{digest(_DOMAIN, base)[:32]}.json"


def _refuse(reason: str, message: str) -> NoReturn:
    raise SecretUnavailableError(
        message, hint="`service-nb login --deployment URL` fetches a new one, or set SERVICE_API_KEY.", reason=reason
    ) from None
