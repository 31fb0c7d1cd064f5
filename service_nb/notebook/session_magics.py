"""The magics of the session: policy, login, doctor, panel, last_error."""

from __future__ import annotations

import sys
import traceback

from service_nb.errors import ServiceError
from service_nb.notebook.displays import ErrorPage, ShownDict, compose_health, compose_login, compose_policy
from service_nb.notebook.magic import Arguments, Flag, Magic
from service_nb.notebook.session import ServiceMagics


def run_policy(session: ServiceMagics, _arguments: Arguments) -> object:
    """Show what this notebook may see and call. A policy is set in code and only ever narrowed.

    %service_policy
    policy = %service_policy
    %service_policy --as policy
    """
    return ShownDict(session.service.policy.to_dict(), compose_policy, session.service.mode)


def run_login(_session: ServiceMagics, _arguments: Arguments) -> object:
    """Make the device key that local computation needs: once, free, offline.

    A second login changes nothing. `service-nb logout` removes the key.

    %service_login
    device = %service_login
    %service_login --as device
    """
    from service_nb.client.user_keys import login  # noqa: PLC0415  # lazy: loading the extension stays cheap

    return ShownDict(login().to_dict(), compose_login)


def run_doctor(_session: ServiceMagics, arguments: Arguments) -> object:
    """Check libraries, contract, login, runtime and engine, and that known values come out exactly.

    A runtime that is installed is started and asked; nothing is installed.

    %service_doctor
    %service_doctor --parity --strict
    report = %service_doctor
    """
    from service_nb.client.health import build_report  # noqa: PLC0415  # lazy: as above

    found = build_report(parity="--parity" in arguments.options, strict="--strict" in arguments.options)
    return ShownDict(found, compose_health)


def run_panel(_session: ServiceMagics, _arguments: Arguments) -> object:
    """Open the panel: forms that ask and compute, each list of what is valid. What runs becomes a card.

    Run puts the card of an answer below the panel, as an output of its cell, and in the ledger like any other;
    Copy line puts the magic that says the same into a new cell. Needs the extra service-nb[ui].

    %service_panel
    panel = %service_panel
    %service_panel --as panel
    """
    from service_nb.notebook.panel import panel  # noqa: PLC0415  # lazy: widgets are an extra

    return panel()


def run_last_error(session: ServiceMagics, arguments: Arguments) -> object:
    """Show the last error of service_nb: its code, its facts, and on request the whole traceback.

    %service_last_error
    %service_last_error --full
    error = %service_last_error
    """
    latest = getattr(sys, "last_value", None)  # where IPython keeps the error of the last cell, magic or not
    error = latest if isinstance(latest, ServiceError) else session.last_error
    if error is None:
        print("No error of service_nb so far.")  # noqa: T201
        return None
    if "--full" in arguments.options:
        print("".join(traceback.format_exception(error)), end="")  # noqa: T201
    return ErrorPage(error)


POLICY = Magic("%service_policy", run_policy)
LOGIN = Magic("%service_login", run_login)
DOCTOR = Magic(
    "%service_doctor",
    run_doctor,
    flags=(
        Flag("--parity", "compare the contract's hash in this package and in the runtime"),
        Flag("--strict", "treat warnings as failures"),
    ),
    label="Looking",
)
PANEL = Magic("%service_panel", run_panel)
LAST_ERROR = Magic(
    "%service_last_error",
    run_last_error,
    flags=(Flag("--full", "with the whole chain of tracebacks; it may name paths on this machine"),),
)
