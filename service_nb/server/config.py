"""Read `deployment.toml`: every key with its default, its bounds and its meaning stands here, once.

The classes of the sections decode the file, and the commented example of `service-nb serve init` is made from them.
Unknown keys and values out of bounds are refused.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from service_nb.core.words import describe_value, find_nearest, misfit_error
from service_nb.errors import InvalidIntentError


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


class ServerSection(_Section, frozen=True):
    """The address that the server listens on, and its data folder.

    data: Folder of keys, connectors, sources and ledgers; relative to the folder of this file.
    bind: Address and port to listen on. Keep it local, and put TLS in front.
    public_url: Address by which clients reach it through TLS; empty: the address it listens on.
    names: Host names that it answers to, beside that of public_url, addresses and localhost. Empty: no others where
        it listens for this machine alone, every name elsewhere.
    trusted_proxies: Addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are believed.
    metrics: Whether /metrics answers keys that have the scope metrics.
    """

    data: Annotated[str, Meta(min_length=1)] = "data"
    bind: str = "127.0.0.1:8765"
    public_url: str = ""
    names: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    metrics: bool = True


class SecretsSection(_Section, frozen=True):
    """The key that seals what connectors hold, and which secrets of this machine connectors may refer to.

    master_key: Reference to the key that seals connectors: file:PATH, env:NAME or keyring:…
    references: Secrets that connectors may refer to. {tenant} is the tenant, {TENANT} its form in names of
        variables; * is anything but /. Anyone who can create connectors can send these secrets to any allowed host.
    """

    master_key: Annotated[str, Meta(min_length=1)] = "file:master.key"
    references: tuple[str, ...] = (
        "env:SERVICE_SECRET__{TENANT}__*",
        "file:secrets/{tenant}/*",
        "keyring:service-nb-{tenant}/*",
    )


class ConnectorsSection(_Section, frozen=True):
    """Limits on the connectors and sources of tenants.

    types: Types of connectors that may be created; empty: all that are installed.
    hosts: Patterns of hosts that connectors may reach; empty: every host.
    private_hosts: Private hosts (name or name:port) that rest, elasticsearch and similar types may reach.
    folders: Folders of this machine from which files and repositories may be read; {tenant} as above.
    most: Connectors that a tenant may keep, and as many sources.
    idle_s: Seconds after which an idle connection is closed.
    """

    types: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    private_hosts: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    most: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    idle_s: Annotated[float, Meta(ge=1, le=86_400)] = 300.0


class LimitsSection(_Section, frozen=True):
    """Limits on the cost of one request and on the number of requests at once.

    body_bytes: Bytes of one request body; all bodies together may have eight times as many.
    header_bytes: Bytes of a request's headers.
    connections: Clients connected at once.
    running: Requests worked on at once.
    queued: Requests that may wait beyond them; more are refused.
    groups: Rows of one answer.
    memory_bytes: Memory of the engine of one extracted source.
    """

    body_bytes: Annotated[int, Meta(ge=1_024, le=2**30)] = 64 * 2**20
    header_bytes: Annotated[int, Meta(ge=1_024, le=2**20)] = 32 * 2**10
    connections: Annotated[int, Meta(ge=1, le=100_000)] = 2_000
    running: Annotated[int, Meta(ge=1, le=1_000)] = 16
    queued: Annotated[int, Meta(ge=0, le=10_000)] = 256
    groups: Annotated[int, Meta(ge=1, le=10_000_000)] = 1_000_000
    memory_bytes: Annotated[int, Meta(ge=64 * 2**20, le=2**44)] = 4 * 2**30


class RateSection(_Section, frozen=True):
    """Limits on the rate of requests.

    requests_per_s: Requests of one key per second.
    burst: Requests of one key at once after a pause.
    attempts_per_s: Attempts with unknown keys from one address per second.
    """

    requests_per_s: Annotated[float, Meta(gt=0, le=100_000)] = 100.0
    burst: Annotated[int, Meta(ge=1, le=100_000)] = 200
    attempts_per_s: Annotated[float, Meta(gt=0, le=1_000)] = 5.0


class TimeoutsSection(_Section, frozen=True):
    """Time limits in seconds.

    request_s: For an answer; a client may ask for less.
    body_s: For a request to arrive whole.
    queue_s: For a request to wait for its turn.
    connect_s: To reach a source, and to test one.
    drain_s: For running requests to end after SIGTERM.
    """

    request_s: Annotated[float, Meta(gt=0, le=86_400)] = 300.0
    body_s: Annotated[float, Meta(gt=0, le=3_600)] = 30.0
    queue_s: Annotated[float, Meta(ge=0, le=3_600)] = 10.0
    connect_s: Annotated[float, Meta(gt=0, le=600)] = 15.0
    drain_s: Annotated[float, Meta(ge=0, le=3_600)] = 30.0


class LedgerSection(_Section, frozen=True):
    """The recording of answers in ledgers.

    enabled: Whether each tenant's answers are recorded below the data folder.
    """

    enabled: bool = True


class EnrolmentSection(_Section, frozen=True):
    """Keys by device code: `service-nb login --deployment`, approved with `service-nb serve approve`.

    device_code: Whether a device may ask for a key.
    lifetime_s: Seconds in which a request must be approved.
    interval_s: Seconds between two polls of a device.
    most_pending: Devices that may wait at once.
    most_pending_per_address: Devices of one address, or one IPv6 network /64, that may wait at once.
    codes_per_minute: Codes that one address, or one IPv6 network /64, may ask for.
    """

    device_code: bool = True
    lifetime_s: Annotated[int, Meta(ge=60, le=3_600)] = 600
    interval_s: Annotated[int, Meta(ge=1, le=60)] = 5
    most_pending: Annotated[int, Meta(ge=1, le=10_000)] = 100
    most_pending_per_address: Annotated[int, Meta(ge=1, le=10_000)] = 10
    codes_per_minute: Annotated[float, Meta(gt=0, le=10_000)] = 10.0


class RuntimeSection(_Section, frozen=True):
    """The runtime that runs computations.

    kind: managed: signed and pinned; or in_process, see below.
    allow_in_process: Whether kind may be in_process: then a computation that crashes, hangs or fills the memory
        does so to the whole server and all its tenants.
    modules: Fields that the runtime has; empty: all.
    bundles: Folder of bundles (service-nb-runtime-….tar) of which /v1/runtime/build selects what clients want of
        them; empty: this deployment builds none.
    """

    kind: Annotated[str, Meta(pattern="^(managed|in_process)$")] = "managed"
    allow_in_process: bool = False
    modules: tuple[str, ...] = ()
    bundles: str = ""


FILE = "deployment.toml"
_MAX_BYTES = 1_000_000
_MEANING = re.compile(r"^(\w+): ((?:.+\n?)(?:[ ].+\n?)*)", re.MULTILINE)  # of a key, in the docstring of its section
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[^:\[\]\s]+)):(?P<port>\d{1,5})")


class Config(_Section, frozen=True):
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
        return self.resolve_path(self.server.data)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are bound."""
        met = _ADDRESS.fullmatch(self.server.bind)
        if met is None or not 0 <= int(met["port"]) <= 65_535:
            raise misfit_error("server.bind", self.server.bind, 'an address and a port such as "127.0.0.1:8765"')
        return met["six"] or met["host"], int(met["port"])

    @property
    def public_address(self) -> str:
        """The address that people are told, without a slash at its end."""
        return (self.server.public_url or f"http://{self.server.bind}").rstrip("/")

    @property
    def names(self) -> frozenset[str] | None:
        """The names by which it may be asked, beside addresses and localhost; None: every one."""
        host, _ = self.address
        if not self.server.names and not _is_loopback(host):
            return None
        told = [urlsplit(self.public_address).hostname or "", *self.server.names]
        return frozenset(name.strip().lower().removesuffix(".") for name in told if name)

    def resolve_path(self, text: str) -> Path:
        """Resolve a path of the file from the folder of the file."""
        return Path(self.folder, Path(text).expanduser())


def read_config(path: str | Path) -> Config:
    """Read a configuration; raise `invalid_intent`, whose `path` names the key, where it is not as it has to be."""
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


def parse_config(told: dict[str, object], folder: Path) -> Config:
    """Check the configuration of a parsed file that lies in `folder`; raise as `read_config`."""
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
    _check_config(config)
    return config


def format_example() -> str:
    """Format a commented `deployment.toml`: every section, key, meaning and default."""
    lines = ["# A deployment of service_nb. Every key has the value that it has when it is left out."]
    for name, section in _list_sections().items():
        lines += ["", f"# {(section.__doc__ or name).splitlines()[0]}", f"[{name}]"]
        for key, about, value in list_keys(section):
            lines += [f"# {about}", f"{key} = {_format_toml(value)}"]
    return "\n".join(lines) + "\n"


def list_keys(section: type[msgspec.Struct]) -> list[tuple[str, str, object]]:
    """List the keys of a section: name, meaning as its docstring has it, default."""
    meanings = dict(_MEANING.findall(inspect.getdoc(section) or ""))
    fields = msgspec.structs.fields(section)
    return [(each.name, " ".join(meanings[each.name].split()), each.default) for each in fields]


def _is_loopback(host: str) -> bool:
    """Tell whether a host is an address or a name of the loopback interface."""
    address = host.partition("%")[0]
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return is_local_name(address)


def is_local_name(name: str) -> bool:
    """Tell whether a name is `localhost` or ends with `.localhost`."""
    return name == "localhost" or name.endswith(".localhost")


def _list_sections() -> dict[str, type[msgspec.Struct]]:
    return {each.name: each.type for each in msgspec.structs.fields(Config) if each.name != "folder"}


def _format_toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_format_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _refuse_unknown(told: dict[str, object], kind: type[msgspec.Struct], above: str) -> None:
    """Name the nearest key, which msgspec does not."""
    sections = _list_sections()
    known = [name for name in kind.__struct_fields__ if name != "folder"]
    for key, value in told.items():
        if key not in known:
            near = find_nearest(key, known)
            raise InvalidIntentError(
                f"There is no key {describe_value(above + key)}.",
                hint=f"Did you mean {above}{near[0]}?" if near else f"Known are {', '.join(known)}.",
                path=above + key[:100],
                did_you_mean=near or None,
            )
        if not above and isinstance(value, dict):
            _refuse_unknown(value, sections[key], f"{key}.")


def _check_config(config: Config) -> None:
    """Check what the types of the fields cannot express."""
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
            raise misfit_error("server.trusted_proxies", proxy, "an address or a network such as 10.0.0.0/8") from None
