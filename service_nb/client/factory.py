"""Build clients from arguments, environment and project, and the replayer of a client."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from service_nb.client import project as projects
from service_nb.client.caller_forms import ClientOptions, read_config
from service_nb.client.context import Context, LazyRuntime, Library, Mode, check_seconds
from service_nb.client.live_sources import DeployedSources
from service_nb.client.record import (
    FILE,
    Clock,
    Recorder,
    Where,
    find_ledger,
    find_no_place,
    find_own_ledger,
    read_local_clock,
)
from service_nb.client.registry import Registry, Sources
from service_nb.client.results import list_texts
from service_nb.client.service import Service
from service_nb.core.words import describe_value
from service_nb.deployment.address import URL, find_address
from service_nb.errors import InvalidIntentError
from service_nb.query.policy import Policy, parse_policy
from service_nb.runtimes.interface import Report, Runtime, map_packaged_contract
from service_nb.schema.source import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from service_nb.client.replay.flow import Progress, Replayer

DEFAULT_TIMEOUT_S = 300.0
MOST_TENANT_CHARS = 200  # it stands in every statement


def create_service(
    policy: Mapping[str, object] | Policy | None = None,
    tenant_id: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT_S,
    *,
    limits: Limits = DEFAULT_LIMITS,
    project: str | os.PathLike[str] | None = None,
    clock: Clock = read_local_clock,
    runtime: Runtime | Literal["managed", "in_process"] | None = None,
    runtime_modules: Sequence[str] = (),
    progress: Report | None = None,
    ledger: str | os.PathLike[str] | None = None,
    where: Where = find_no_place,
    mode: Mode | None = None,
) -> Service:
    """Return a client.

    Parameters
    ----------
    policy : dict, optional
        ``{"allowed_sources": […], "allowed_fields": {source: […]}, "allowed_functions": "all-readonly" | […]}``.
        What is left out is not restricted. Frozen: later changes of the dict change nothing. In its place may stand one
        object of all options, ``{"policy": {…}, "tenant_id": …, "timeout": …, "runtime_modules": […]}``;
        its keys, and those of a policy, may be written in camelCase: ``{"tenantId": …}``.
    tenant_id : str, optional
        Recorded with what is stored. A deployment refuses a key of another tenant than the one that is told here.
    timeout : float or None
        Seconds that one question may run; None for no limit.
    project : path, optional
        The folder of `service.toml`; by default searched upward from the working folder.
    runtime : "managed", "in_process" or a Runtime, optional
        Where computations run; by default at the deployment, and without one in the managed runtime. Managed: the
        signed, pinned runtime, shared by all of a user's notebooks, which needs `service-nb login` once and is
        installed at the first computation. In this process: no login, no pins.
    runtime_modules : list of str, optional
        Fields that the managed runtime shall have, such as ``["finance"]``; by default those that
        SERVICE_RUNTIME_MODULES lists, or all. It decides what is installed, never what a value is.
    progress : callable, optional
        Called with a `Step` (label, bytes done, bytes in all) while the runtime is being installed.
    ledger : path or "off", optional
        The folder in which every outcome is written down, or "off" for none; by default what SERVICE_LEDGER says, or
        `.service` in the project. It is made with the first outcome. A ledger in the project that this machine did not
        write is left as it is: outcomes go to the user's own.
    where : callable, optional
        Called for each outcome; returns the notebook and the cell that asked, ``{"notebook": …, "cell": …}``.
    mode : "local" or "deployment", optional
        By default `deployment` where SERVICE_DEPLOYMENT_URL is set. Live sources and computations are the deployment's
        then, and files, frames and SQLite stay here. SERVICE_API_KEY is the key to it, or what `service-nb login
        --deployment` has kept.

    Returns
    -------
    Service
        Close it after use, or use it as a context manager.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The policy or another argument is malformed.

    Examples
    --------
    >>> service_nb.create_service(ledger="off").mode
    'local'
    """
    given = ClientOptions(policy, tenant_id, timeout, runtime_modules)
    policy, tenant_id, timeout, runtime_modules = read_config(given, ClientOptions(None, None, DEFAULT_TIMEOUT_S, ()))
    if tenant_id is not None and not _is_tenant(tenant_id):
        raise InvalidIntentError(
            f"`tenant_id` must be printable text of at most {MOST_TENANT_CHARS} characters, not"
            f" {describe_value(tenant_id)}.",
            path="tenant_id",
        )
    root = _find_root(project)
    chosen, library = _choose_mode(mode), Library(map_packaged_contract)
    live = _build_deployed_sources(tenant_id, limits) if chosen == "deployment" else None
    if runtime is None and live is not None:
        lazy = LazyRuntime(lambda: live.build_runtime(lambda: library.contract), mode="deployment")
    else:
        lazy = LazyRuntime("managed" if runtime is None else runtime, runtime_modules, progress)
    return compose(
        policy=parse_policy(policy),
        timeout_s=None if timeout is None else check_seconds(timeout),
        limits=limits,
        project=root,
        library=library,
        runtime=lazy,
        recorder=build_recorder(root, ledger, tenant_id, clock, where),
        mode=chosen,
        live=live,
    )


def build_recorder(
    project: str | os.PathLike[str] | None,
    ledger: str | os.PathLike[str] | None = None,
    tenant: str | None = None,
    clock: Clock = read_local_clock,
    where: Where = find_no_place,
) -> Recorder:
    """Build the recorder of a project: in the ledger that is named, else beside it, or in the user's own."""
    folder, own = find_ledger(ledger, _find_root(project)), find_own_ledger(ledger)
    return Recorder(folder=folder, tenant=tenant, clock=clock, where=where, own=own)


def compose(
    *,
    project: Path,
    library: Library,
    runtime: LazyRuntime,
    recorder: Recorder,
    policy: Policy | None = None,
    timeout_s: float | None = None,
    limits: Limits = DEFAULT_LIMITS,
    mode: Mode = "local",
    live: DeployedSources | None = None,
    registry: Registry | None = None,
    is_whole: bool = False,
) -> Service:
    """Build a client from its parts; it uses the clock of its recorder. `is_whole`: nothing else can be connected."""
    registry = Registry(holds_tables=recorder.is_on) if registry is None else registry
    sources = Sources(
        registry=registry,
        policy=Policy() if policy is None else policy,
        project=project,
        limits=limits,
        live=live,
        is_whole=is_whole,
    )
    return Service(
        Context(
            sources=sources,
            recorder=recorder,
            library=library,
            runtime=runtime,
            clock=recorder.clock,
            timeout_s=timeout_s,
            mode=mode,
        )
    )


def compose_replayer(
    context: Context,
    *,
    sources: Mapping[str, object] | None,
    keys: Sequence[str],
    accepts_changed: bool,
    is_forced: bool,
    ledger: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> Replayer:
    """Build the replayer of a client over its own ledger, or over the one that is given."""
    from service_nb.client.replay.find import ReplayOptions  # noqa: PLC0415  # lazy: see `Service.replaying`
    from service_nb.client.replay.flow import Replayer  # noqa: PLC0415
    from service_nb.client.verification import build_terms  # noqa: PLC0415

    if not isinstance(sources, Mapping | None):
        raise InvalidIntentError(f"sources is {describe_value(sources)}; expected sources by name.", path="sources")
    if sources or ledger is not None:
        context.sources.require_choice()
    own = stored = context.recorder
    folder = None if ledger is None else _require_ledger(ledger)
    if folder is not None and (own.folder is None or folder.resolve() != own.folder.resolve()):
        stored = Recorder(folder=folder, tenant=own.tenant, clock=own.clock)
    trusted = tuple(list_texts(keys))
    return Replayer(
        context,
        options=ReplayOptions(
            terms=build_terms(trusted),
            given=dict(sources or {}),
            find_kept=stored.find_kept_source,
            accepts_changed=accepts_changed,
            demands_key=bool(trusted),
            is_forced=is_forced,
        ),
        progress=progress,
        stored=stored,
    )


def _find_root(project: str | os.PathLike[str] | None) -> Path:
    return Path(project) if project is not None else projects.find_project(Path.cwd())


def _require_ledger(ledger: str | os.PathLike[str]) -> Path:
    """Check that a folder holds a ledger and return it: without one a replay would compare nothing."""
    folder = find_ledger(ledger, Path())
    if folder is None or not (folder / FILE).exists():
        raise InvalidIntentError(
            f"{describe_value(Path(ledger).name)} is not the folder of a ledger.",
            path="ledger",
            expected=f"a folder with {FILE} in it",
        )
    return folder


def _build_deployed_sources(tenant: str | None, limits: Limits) -> DeployedSources:
    address = find_address()
    if address is None:
        raise InvalidIntentError(f"The mode is deployment, but {URL} is not set.", path="mode", expected=URL)
    return DeployedSources(address, tenant=tenant, limits=limits)


def _choose_mode(given: Mode | None) -> Mode:
    if given is None:
        return "deployment" if os.environ.get(URL) else "local"
    if given not in get_args(Mode):
        raise InvalidIntentError(f"`mode` must be 'local' or 'deployment', not {describe_value(given)}.", path="mode")
    return given


def _is_tenant(tenant: object) -> bool:
    return isinstance(tenant, str) and 0 < len(tenant) <= MOST_TENANT_CHARS and tenant.isprintable()
