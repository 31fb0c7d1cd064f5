"""The tables of `deployment.toml`: every key with its default, its bounds and what it means.

The one place that says so: these classes decode the file, and the commented example is made from them.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


class ServerSection(Section, frozen=True):
    """Where it listens, and what it keeps."""

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


class SecretsSection(Section, frozen=True):
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


class ConnectorsSection(Section, frozen=True):
    """What may be connected to."""

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


class LimitsSection(Section, frozen=True):
    """What one request may cost, and how many are taken on."""

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


class RateSection(Section, frozen=True):
    """How often one may ask."""

    requests_per_s: Annotated[float, Meta(gt=0, le=100_000, description="Requests of one key in a second.")] = 100.0
    burst: Annotated[int, Meta(ge=1, le=100_000, description="Requests of one key at once after a pause.")] = 200
    attempts_per_s: Annotated[
        float, Meta(gt=0, le=1_000, description="Keys that are not known, from one address, in a second.")
    ] = 5.0


class TimeoutsSection(Section, frozen=True):
    """How long things may take, in seconds."""

    request_s: Annotated[float, Meta(gt=0, le=86_400, description="For an answer; a client may ask for less.")] = 300.0
    body_s: Annotated[float, Meta(gt=0, le=3_600, description="For a request to arrive whole.")] = 30.0
    queue_s: Annotated[float, Meta(ge=0, le=3_600, description="For a request to wait until it is worked on.")] = 10.0
    connect_s: Annotated[float, Meta(gt=0, le=600, description="To reach a source, and to test one.")] = 15.0
    drain_s: Annotated[float, Meta(ge=0, le=3_600, description="For running requests to end after SIGTERM.")] = 30.0


class LedgerSection(Section, frozen=True):
    """What is written down of answers."""

    enabled: Annotated[bool, Meta(description="Whether each tenant's answers are recorded below the data folder.")] = (
        True
    )


class EnrolmentSection(Section, frozen=True):
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


class RuntimeSection(Section, frozen=True):
    """Where computations run."""

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
