"""`create_service`: a client from its configuration, its environment and its project."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from service_nb.client import project as projects
from service_nb.client.computing import Library
from service_nb.client.deployed import Deployed
from service_nb.client.placement import Mode, Placement
from service_nb.client.recording import Recorder, Where, ledger_folder
from service_nb.client.registry import Registry
from service_nb.client.seen import Clock, local_clock
from service_nb.client.service import Service, seconds
from service_nb.core.words import shown
from service_nb.deployment.address import URL, find_address
from service_nb.errors import InvalidIntentError
from service_nb.query.policy import Policy, parse_policy
from service_nb.runtimes.base import Report, Runtime, packaged_contract
from service_nb.schema.source import DEFAULT_LIMITS, Limits

DEFAULT_TIMEOUT_S = 300.0
MOST_TENANT_CHARS = 200  # it stands in every statement


def create_service(
    policy: Mapping[str, object] | Policy | None = None,
    tenant_id: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT_S,
    *,
    limits: Limits = DEFAULT_LIMITS,
    project: str | os.PathLike[str] | None = None,
    clock: Clock = local_clock,
    runtime: Runtime | Literal["managed", "in_process"] | None = None,
    runtime_modules: Sequence[str] = (),
    progress: Report | None = None,
    ledger: str | os.PathLike[str] | None = None,
    where: Where = lambda: None,
    mode: Mode | None = None,
) -> Service:
    """Return a client.

    Parameters
    ----------
    policy : dict, optional
        ``{"allowed_sources": […], "allowed_fields": {source: […]}, "allowed_functions": "all-readonly" | […]}``.
        What is left out is not restricted. Frozen: later changes of the dict change nothing.
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
        `.service` in the project. It is made with the first outcome.
    where : callable, optional
        Called for each outcome; returns the notebook and the cell that asked, ``{"notebook": …, "cell": …}``.
    mode : "local" or "deployment", optional
        By default `deployment` where SERVICE_DEPLOYMENT_URL is set. Live sources and computations are the deployment's
        then, and files, frames and SQLite stay here. SERVICE_API_KEY is the key to it, or what `service-nb login
        --deployment` has kept.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The policy or another argument is malformed.
    """
    if tenant_id is not None and not _is_tenant(tenant_id):
        raise InvalidIntentError(
            f"`tenant_id` must be printable text of at most {MOST_TENANT_CHARS} characters, not {shown(tenant_id)}.",
            path="tenant_id",
        )
    root = Path(project) if project is not None else projects.find_project(Path.cwd())
    folder = ledger_folder(ledger, root)
    chosen, library = _mode(mode), Library(packaged_contract)
    live = _deployed(tenant_id, limits) if chosen == "deployment" else None
    if runtime is None and live is not None:
        placement = Placement(lambda: live.runtime(lambda: library.contract), mode="deployment")
    else:
        placement = Placement("managed" if runtime is None else runtime, runtime_modules, progress)
    return Service(
        policy=parse_policy(policy),
        timeout_s=None if timeout is None else seconds(timeout),
        limits=limits,
        project=root,
        clock=clock,
        registry=Registry(holds_tables=folder is not None),
        library=library,
        runtime=placement,
        recorder=Recorder(folder=folder, tenant=tenant_id, clock=clock, where=where),
        mode=chosen,
        live=live,
    )


def _deployed(tenant: str | None, limits: Limits) -> Deployed:
    address = find_address()
    if address is None:
        raise InvalidIntentError(f"The mode is deployment, but {URL} is not set.", path="mode", expected=URL)
    return Deployed(address, tenant=tenant, limits=limits)


def _mode(given: Mode | None) -> Mode:
    if given is None:
        return "deployment" if os.environ.get(URL) else "local"
    if given not in get_args(Mode):
        raise InvalidIntentError(f"`mode` must be 'local' or 'deployment', not {shown(given)}.", path="mode")
    return given


def _is_tenant(tenant: object) -> bool:
    return isinstance(tenant, str) and 0 < len(tenant) <= MOST_TENANT_CHARS and tenant.isprintable()
