"""Where calls go: the address of a deployment in the parts that are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

import httpcore

from service_nb.core.words import shown
from service_nb.deployment.address import URL
from service_nb.errors import InvalidIntentError

_USUAL = {"http": 80, "https": 443}
_AS_THEY_ARE = "/%:@!$&'()*+,;=~"  # of a path; what is escaped already stays so


@dataclass(frozen=True, slots=True)
class Target:
    """An address, taken apart once for all calls."""

    scheme: str
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, base: str) -> Target:
        """Take an address apart; raises `invalid_intent` where no network could know its host."""
        parts = urlsplit(base)
        return cls(parts.scheme, _encoded(parts.hostname or ""), parts.port, quote(parts.path, safe=_AS_THEY_ARE))

    @property
    def name(self) -> str:
        """What the deployment hears of its own name: the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in (None, _USUAL.get(self.scheme)) else f"{host}:{self.port}"

    def url(self, path: str, query: Mapping[str, str] | None = None) -> httpcore.URL:
        """Return the address of what is at a path."""
        target = self.path + path + (f"?{urlencode(query)}" if query else "")
        return httpcore.URL(scheme=self.scheme, host=self.host, port=self.port, target=target)


def _encoded(host: str) -> str:
    if host.isascii():
        return host
    import idna  # noqa: PLC0415  # its tables are large, and few hosts need them

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        raise InvalidIntentError(
            f"{URL} names the host {shown(host)}, which is not a valid host name.", path=URL, expected="https://…"
        ) from None
