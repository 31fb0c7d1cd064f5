"""Which deployment, with which key: what the environment says, checked before anything is sent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from service_nb.core.secret import Secret
from service_nb.core.words import shown
from service_nb.deployment.stored_keys import stored_key
from service_nb.errors import InvalidIntentError

URL, KEY, CA = "SERVICE_DEPLOYMENT_URL", "SERVICE_API_KEY", "SERVICE_DEPLOYMENT_CA"
PLAIN = "SERVICE_DEPLOYMENT_ALLOW_HTTP"  # 1: a key may cross a network that anybody on the way reads
MOST_KEY_CHARS = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a deployment is: `base` has no slash at its end. `ca` is a file of the certificates that are trusted."""

    base: str
    key: Secret | None = None
    ca: str | None = None

    @property
    def host(self) -> str:
        """The host, and its port if one is told."""
        return urlsplit(self.base).netloc


def address_in(environment: Mapping[str, str] | None = None, *, key: Secret | None = None) -> Address | None:
    """Return the deployment that an environment names; None if it names none.

    Parameters
    ----------
    environment : Mapping, optional
        By default that of the process.
    key : Secret, optional
        What to send where the environment has no key; by default what `service-nb login --deployment` has kept.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The address is none, holds a password, or would send a key in the clear; or the key could not be sent.
    SecretUnavailableError [secret_unavailable]
        A key is kept for it that cannot be used.
    """
    told = os.environ if environment is None else environment
    url = told.get(URL)
    if not url:
        return None
    base = checked_url(url, allows_plain=told.get(PLAIN) == "1")
    given = Secret(told[KEY].strip()) if told.get(KEY, "").strip() else key or stored_key(base)
    if given is not None:
        _check_key(given)
    return Address(base=base, key=given, ca=told.get(CA) or None)


def checked_url(url: str, *, allows_plain: bool = False) -> str:
    """Return the address without a slash at its end.

    Raises
    ------
    InvalidIntentError [invalid_intent]
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _wrong("is not an address", "https://service.example") from None
    if parts.scheme not in ("https", "http") or not host or port == 0 or not url.strip().isprintable() or " " in url:
        raise _wrong("is not an HTTP address", "https://service.example")
    if parts.username is not None or parts.password is not None:
        raise _wrong("holds a user or a password", f"an address without them; set the key in {KEY}")
    if parts.query or parts.fragment:
        raise _wrong("holds a query or a fragment", "an address without them")
    if parts.scheme == "http" and not allows_plain and not _is_loopback(host):
        raise InvalidIntentError(
            f"{URL} is {shown(f'http://{parts.netloc}')}: anyone on the network path could read the key and the data.",
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


def _wrong(what: str, expected: str) -> InvalidIntentError:
    return InvalidIntentError(f"{URL} {what}.", hint=f"Set it to {expected}.", path=URL, expected=expected)
