"""Read `deployment.toml`: every key with its default, its bounds and its meaning stands here, once.

The classes of the sections decode the file, and the commented example of `service-nb serve init` is made from them.
Unknown keys and values out of bounds are refused.
"""

from __future__ import annotations

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
    """The address that the server listens on, and its data folder."""

    data: Annotated[
        str,
        Meta(min_length=1, description="Folder of keys, connectors, sources and ledgers; from this file's own folder."),
    ] = "data"
    bind: Annotated[
        str, Meta(description="Address and port that it listens on; leave it local, and put TLS in front.")
    ] = "127.0.0.1:8765"
    public_url: Annotated[
        str, Meta(description="Address by which clients reach it, as TLS in front has it; empty: as it is bound.")
    ] = ""
    names: Annotated[
        tuple[str, ...],
        Meta(
            description="Names by which it may be asked beside that of public_url, addresses and localhost. Empty: no "
            "other where only this machine reaches what is bound, every one elsewhere."
        ),
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...], Meta(description="Addresses or networks whose X-Forwarded-For and -Proto are believed.")
    ] = ()
    metrics: Annotated[bool, Meta(description="Whether /metrics answers, to keys with the scope metrics.")] = True


class SecretsSection(_Section, frozen=True):
    """The key that seals what connectors hold, and which secrets of this machine connectors may refer to."""

    master_key: Annotated[
        str,
        Meta(min_length=1, description="Reference to the key that seals connectors: file:PATH, env:NAME or keyring:…"),
    ] = "file:master.key"
    references: Annotated[
        tuple[str, ...],
        Meta(
            description="What connectors may refer to. {tenant} is the tenant, {TENANT} the same as variables have it; "
            "* is anything but /. Whoever may make connectors may send these secrets where he likes."
        ),
    ] = ("env:SERVICE_SECRET__{TENANT}__*", "file:secrets/{tenant}/*", "keyring:service-nb-{tenant}/*")


class ConnectorsSection(_Section, frozen=True):
    """Limits on the connectors and sources of tenants."""

    types: Annotated[
        tuple[str, ...], Meta(description="Types of connectors that may be made; empty: all that are installed.")
    ] = ()
    hosts: Annotated[
        tuple[str, ...], Meta(description="Patterns of hosts that may be connected to; empty: every host.")
    ] = ()
    private_hosts: Annotated[
        tuple[str, ...],
        Meta(description="Hosts (name or name:port) that rest, elasticsearch and the like may reach though private."),
    ] = ()
    folders: Annotated[
        tuple[str, ...],
        Meta(description="Folders of this machine that files and repositories may be read from; {tenant} as above."),
    ] = ()
    most: Annotated[int, Meta(ge=1, le=100_000, description="Connectors, and sources, that a tenant may keep.")] = 1_000
    idle_s: Annotated[float, Meta(ge=1, le=86_400, description="Seconds after which an idle connection is closed.")] = (
        300.0
    )


class LimitsSection(_Section, frozen=True):
    """Limits on the cost of one request and on the number of requests at once."""

    body_bytes: Annotated[
        int, Meta(ge=1_024, le=2**30, description="Bytes of a request's body; all at once have eight times as many.")
    ] = 64 * 2**20
    header_bytes: Annotated[int, Meta(ge=1_024, le=2**20, description="Bytes of a request's headers.")] = 32 * 2**10
    connections: Annotated[int, Meta(ge=1, le=100_000, description="Clients that are connected at once.")] = 2_000
    running: Annotated[int, Meta(ge=1, le=1_000, description="Requests that are worked on at once.")] = 16
    queued: Annotated[int, Meta(ge=0, le=10_000, description="Requests that wait beyond them; more are refused.")] = 256
    groups: Annotated[int, Meta(ge=1, le=10_000_000, description="Rows of one answer.")] = 1_000_000
    memory_bytes: Annotated[
        int, Meta(ge=64 * 2**20, le=2**44, description="Memory of the engine of one extracted source.")
    ] = 4 * 2**30


class RateSection(_Section, frozen=True):
    """Limits on the rate of requests."""

    requests_per_s: Annotated[float, Meta(gt=0, le=100_000, description="Requests of one key in a second.")] = 100.0
    burst: Annotated[int, Meta(ge=1, le=100_000, description="Requests of one key at once after a pause.")] = 200
    attempts_per_s: Annotated[
        float, Meta(gt=0, le=1_000, description="Keys that are not known, from one address, in a second.")
    ] = 5.0


class TimeoutsSection(_Section, frozen=True):
    """Time limits in seconds."""

    request_s: Annotated[float, Meta(gt=0, le=86_400, description="For an answer; a client may ask for less.")] = 300.0
    body_s: Annotated[float, Meta(gt=0, le=3_600, description="For a request to arrive whole.")] = 30.0
    queue_s: Annotated[float, Meta(ge=0, le=3_600, description="For a request to wait until it is worked on.")] = 10.0
    connect_s: Annotated[float, Meta(gt=0, le=600, description="To reach a source, and to test one.")] = 15.0
    drain_s: Annotated[float, Meta(ge=0, le=3_600, description="For running requests to end after SIGTERM.")] = 30.0


class LedgerSection(_Section, frozen=True):
    """The recording of answers in ledgers."""

    enabled: Annotated[bool, Meta(description="Whether each tenant's answers are recorded below the data folder.")] = (
        True
    )


class EnrolmentSection(_Section, frozen=True):
    """Keys by device code: `service-nb login --deployment`, approved with `service-nb serve approve`."""

    device_code: Annotated[bool, Meta(description="Whether a device may ask for a key.")] = True
    lifetime_s: Annotated[int, Meta(ge=60, le=3_600, description="Seconds in which it must be approved.")] = 600
    interval_s: Annotated[int, Meta(ge=1, le=60, description="Seconds between a device's questions.")] = 5
    most_pending: Annotated[int, Meta(ge=1, le=10_000, description="Devices that may wait at once.")] = 100
    most_pending_per_address: Annotated[
        int,
        Meta(ge=1, le=10_000, description="Devices of one address, or one IPv6 network /64, that may wait at once."),
    ] = 10
    codes_per_minute: Annotated[
        float, Meta(gt=0, le=10_000, description="Codes that one address, or one IPv6 network /64, may ask for.")
    ] = 10.0


class RuntimeSection(_Section, frozen=True):
    """The runtime that runs computations."""

    kind: Annotated[
        str, Meta(pattern="^(managed|in_process)$", description="managed: signed and pinned; or in_process, see below.")
    ] = "managed"
    allow_in_process: Annotated[
        bool,
        Meta(
            description="Whether kind may be in_process: then a computation that crashes, hangs or fills the memory "
            "does so to the whole server and all its tenants."
        ),
    ] = False
    modules: Annotated[tuple[str, ...], Meta(description="Fields that the runtime has; empty: all.")] = ()


FILE = "deployment.toml"
_MAX_BYTES = 1_000_000
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
        lines += ["", f"# {(section.__doc__ or '').strip()}", f"[{name}]"]
        for key, about, value in list_keys(section):
            lines += [f"# {about}", f"{key} = {_format_toml(value)}"]
    return "\n".join(lines) + "\n"


def list_keys(section: type[msgspec.Struct]) -> list[tuple[str, str, object]]:
    """List the keys of a section: name, meaning, default."""
    schema = msgspec.json.schema(section)["$defs"][section.__name__]["properties"]
    return [(each.name, schema[each.name]["description"], each.default) for each in msgspec.structs.fields(section)]


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
