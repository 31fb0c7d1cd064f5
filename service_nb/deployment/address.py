"""Find the deployment and its key in the environment or among the stored keys; check both before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from service_nb.core.canonical import parse_strict, write_canonical_bytes
from service_nb.core.digest import digest
from service_nb.core.own_files import OwnFileError, find_folders, make_private, read_own, require_own_folder, write_own
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value
from service_nb.errors import CanonicalJsonError, InvalidIntentError, LimitExceededError, SecretUnavailableError

URL, KEY, CA = "SERVICE_DEPLOYMENT_URL", "SERVICE_API_KEY", "SERVICE_DEPLOYMENT_CA"
PLAIN = "SERVICE_DEPLOYMENT_ALLOW_HTTP"  # 1: a key may cross a network that anybody on the way reads
MOST_KEY_CHARS = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of a deployment, without a slash at its end; `ca` is a file of trusted certificates."""

    base: str
    key: Secret | None = None
    ca: str | None = None

    @property
    def host(self) -> str:
        """The host, and its port if one is told."""
        return urlsplit(self.base).netloc


def find_address(environment: Mapping[str, str] | None = None, *, key: Secret | None = None) -> Address | None:
    """Find the deployment that an environment (that of the process) names; None if it names none.

    Without a key in the environment it is `key`, or the one that `service-nb login --deployment` has stored. Raises
    `invalid_intent` and `secret_unavailable`.
    """
    told = os.environ if environment is None else environment
    url = told.get(URL)
    if not url:
        return None
    base = check_url(url, allows_plain=told.get(PLAIN) == "1")
    given = Secret(told[KEY].strip()) if told.get(KEY, "").strip() else key or read_stored_key(base)
    if given is not None:
        _check_key(given)
    return Address(base=base, key=given, ca=told.get(CA) or None)


def check_url(url: str, *, allows_plain: bool = False) -> str:
    """Check an address, and return it without a slash at its end; raises `invalid_intent`."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _build_url_error("is not an address", "https://service.example") from None
    if parts.scheme not in ("https", "http") or not host or port == 0 or not url.strip().isprintable() or " " in url:
        raise _build_url_error("is not an HTTP address", "https://service.example")
    if parts.username is not None or parts.password is not None:
        raise _build_url_error("holds a user or a password", f"an address without them; set the key in {KEY}")
    if parts.query or parts.fragment:
        raise _build_url_error("holds a query or a fragment", "an address without them")
    if parts.scheme == "http" and not allows_plain and not _is_loopback(host):
        raise InvalidIntentError(
            f"{URL} is {describe_value(f'http://{parts.netloc}')}: anyone on the network path could read the key"
            " and the data.",
            hint=f"Use https. In a private network, set {PLAIN}=1 to allow it.",
            path=URL,
            expected="https",
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_key(key: Secret) -> None:
    text = key.reveal()
    if len(text) > MOST_KEY_CHARS or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidIntentError(
            f"{KEY} is not a key: it is too long, or holds a blank or another character that keys do not have.",
            hint="Set it to the key as printed, without quotes.",
            path=KEY,
            expected="printable ASCII without blanks",
        )


def _build_url_error(what: str, expected: str) -> InvalidIntentError:
    return InvalidIntentError(f"{URL} {what}.", hint=f"Set it to {expected}.", path=URL, expected=expected)


FOLDER = "deployments"
_DOMAIN = "service:deployment-address:v1"
_MAX_BYTES = 16_384


def read_stored_key(base: str) -> Secret | None:
    """Read the key that is stored for the deployment at an address; None if there is none.

    Raises `secret_unavailable` where the file cannot be trusted: reasons `exposed`, `foreign`, `no_file`, `unsafe`,
    `unreadable`, `malformed`.
    """
    path = _find_key_file(base)
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


def store_key(base: str, key: Secret) -> None:
    """Store the key of the deployment at an address, over one that is there; raises `secret_unavailable`."""
    folder = make_private(make_private(find_folders().config) / FOLDER)
    content = write_canonical_bytes({"deployment": base, "key": key.reveal()}) + b"\n"
    try:
        write_own(folder / _find_key_file(base).name, content, over=True)
    except OSError as error:
        _refuse("not_kept", f"The key cannot be saved: {error.strerror}.")


def delete_stored_key(base: str) -> bool:
    """Delete the key that is stored for the deployment at an address; False if there was none."""
    try:
        _find_key_file(base).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        _refuse("not_removable", f"The key cannot be removed: {error.strerror}.")
    return True


def _find_key_file(base: str) -> Path:
    return find_folders().config / FOLDER / f"{digest(_DOMAIN, base)[:32]}.json"


def _refuse(reason: str, message: str) -> NoReturn:
    raise SecretUnavailableError(
        message, hint="`service-nb login --deployment URL` fetches a new one, or set SERVICE_API_KEY.", reason=reason
    ) from None
