"""`deployment.toml`: every key of a deployment's configuration, with its default, its bounds and what it means.

What is unknown or out of bounds is refused; `example` is what `service-nb serve init` writes. The keys stand in
`sections`.
"""

from __future__ import annotations

import re
import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from service_nb.core.malformed import wrong
from service_nb.core.words import nearest, shown
from service_nb.errors import InvalidIntentError
from service_nb.server.names import is_loopback
from service_nb.server.sections import (
    ConnectorsSection,
    EnrolmentSection,
    LedgerSection,
    LimitsSection,
    RateSection,
    RuntimeSection,
    SecretsSection,
    Section,
    ServerSection,
    TimeoutsSection,
)

FILE = "deployment.toml"
_MAX_BYTES = 1_000_000
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[^:\[\]\s]+)):(?P<port>\d{1,5})")


class Config(Section, frozen=True):
    """A whole `deployment.toml`; `folder` is its own folder, from which relative paths go."""

    server: ServerSection = ServerSection()
    secrets: SecretsSection = SecretsSection()
    connectors: ConnectorsSection = ConnectorsSection()
    limits: LimitsSection = LimitsSection()
    rate: RateSection = RateSection()
    timeouts: TimeoutsSection = TimeoutsSection()
    ledger: LedgerSection = LedgerSection()
    enrolment: EnrolmentSection = EnrolmentSection()
    runtime: RuntimeSection = RuntimeSection()
    folder: str = "."

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.path(self.server.data)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are bound."""
        met = _ADDRESS.fullmatch(self.server.bind)
        if met is None or not 0 <= int(met["port"]) <= 65_535:
            raise wrong("server.bind", self.server.bind, 'an address and a port such as "127.0.0.1:8765"')
        return met["six"] or met["host"], int(met["port"])

    @property
    def public_address(self) -> str:
        """The address that people are told, without a slash at its end."""
        return (self.server.public_url or f"http://{self.server.bind}").rstrip("/")

    @property
    def names(self) -> frozenset[str] | None:
        """The names by which it may be asked, beside addresses and localhost; None: every one."""
        host, _ = self.address
        if not self.server.names and not is_loopback(host):
            return None
        told = [urlsplit(self.public_address).hostname or "", *self.server.names]
        return frozenset(name.strip().lower().removesuffix(".") for name in told if name)

    def path(self, text: str) -> Path:
        """Return a path of the file, seen from the folder of the file."""
        return Path(self.folder, Path(text).expanduser())


def read_config(path: str | Path) -> Config:
    """Return the configuration that stands in a file.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It cannot be read, is no TOML, has a key that is not known, or a value out of bounds; `path` names the key.
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        hint = "`service-nb serve init` writes an example."
        raise InvalidIntentError(f"{file.name} cannot be read: {error.strerror}.", hint=hint, path="config") from None
    if len(content) > _MAX_BYTES:
        raise InvalidIntentError(f"{file.name} has more than {_MAX_BYTES:,} bytes.", path="config")
    try:
        told = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        # Not as the cause: what a parser says of the text may quote a secret that stands there by mistake.
        raise InvalidIntentError(f"{file.name} is not TOML in UTF-8.", path="config") from None
    return parse_config(told, file.resolve().parent)


def parse_config(told: dict[str, Any], folder: Path) -> Config:
    """Return the configuration of a parsed file that lies in `folder`; raises as `read_config`."""
    _refuse_unknown(told, Config, "")
    try:
        config = msgspec.convert({**told, "folder": str(folder)}, Config)
    except msgspec.ValidationError as error:
        # The text names the expected type or bound and the place; never the value.
        message, _, place = str(error).partition(" - at `$.")
        key = place.rstrip("`") or "config"
        raise InvalidIntentError(
            f"{key}: {message}.", hint="`service-nb serve init` shows all keys.", path=key
        ) from None
    _check(config)
    return config


def example() -> str:
    """Return a commented `deployment.toml`: every section, key, meaning and default."""
    lines = ["# A deployment of service_nb. Every key has the value that it has when it is left out."]
    for name, section in _sections().items():
        lines += ["", f"# {(section.__doc__ or '').strip()}", f"[{name}]"]
        for key, about, value in keys(section):
            lines += [f"# {about}", f"{key} = {_toml(value)}"]
    return "\n".join(lines) + "\n"


def keys(section: type[msgspec.Struct]) -> list[tuple[str, str, Any]]:
    """Return the keys of a section: name, meaning, default."""
    schema = msgspec.json.schema(section)["$defs"][section.__name__]["properties"]
    return [(each.name, schema[each.name]["description"], each.default) for each in msgspec.structs.fields(section)]


def _sections() -> dict[str, type[msgspec.Struct]]:
    return {each.name: each.type for each in msgspec.structs.fields(Config) if each.name != "folder"}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _refuse_unknown(told: dict[str, Any], kind: type[msgspec.Struct], above: str) -> None:
    """Name the nearest key, which msgspec does not."""
    sections = _sections()
    known = [name for name in kind.__struct_fields__ if name != "folder"]
    for key, value in told.items():
        if key not in known:
            near = nearest(key, known)
            raise InvalidIntentError(
                f"There is no key {shown(above + key)}.",
                hint=f"Did you mean {above}{near[0]}?" if near else f"Known are {', '.join(known)}.",
                path=above + key[:100],
                did_you_mean=near or None,
            )
        if not above and isinstance(value, dict):
            _refuse_unknown(value, sections[key], f"{key}.")


def _check(config: Config) -> None:
    """Check what no type says."""
    _ = config.address
    url = config.server.public_url
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query):
        raise InvalidIntentError(
            "server.public_url is not an address of http or https without a user and a query.", path="server.public_url"
        )
    if config.runtime.kind == "in_process" and not config.runtime.allow_in_process:
        raise InvalidIntentError(
            'runtime.kind is "in_process": a computation that crashes, hangs or fills the memory would take the whole '
            "server and all its tenants with it, for nothing ends it from outside.",
            hint='Write kind = "managed", or allow_in_process = true below [runtime] if that danger is wanted.',
            path="runtime.kind",
            met="in_process",
            expected="managed, or allow_in_process = true",
        )
    for proxy in config.server.trusted_proxies:
        try:
            ip_network(proxy)
        except ValueError:
            raise wrong("server.trusted_proxies", proxy, "an address or a network such as 10.0.0.0/8") from None
