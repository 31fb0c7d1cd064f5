"""The magics of the session: policy, login, doctor, panel, last_error."""

from __future__ import annotations

import sys
import traceback

from service_nb.errors import ServiceError
from service_nb.notebook.magic import AS, Arguments, Flag, Magic
from service_nb.notebook.pages import ErrorPage, ShownDict, compose_health, compose_login, compose_policy
from service_nb.notebook.session import ServiceMagics


def run_policy(session: ServiceMagics, arguments: Arguments) -> object:
    """Show the policy of the client."""
    POLICY.refuse_words(arguments)
    return ShownDict(session.service.policy.to_dict(), compose_policy, session.service.mode)


def run_login(_session: ServiceMagics, arguments: Arguments) -> object:
    """Make the device key, unless there is one."""
    from service_nb.client.device_key import login  # noqa: PLC0415  # lazy: loading the extension stays cheap

    LOGIN.refuse_words(arguments)
    return ShownDict(login().to_dict(), compose_login)


def run_doctor(session: ServiceMagics, arguments: Arguments) -> object:
    """Check this installation."""
    DOCTOR.refuse_words(arguments)
    from service_nb.client.doctor.report import build_report  # noqa: PLC0415  # lazy: as above

    with session.screen.working("Looking") as progress:
        found = build_report(parity="--parity" in arguments.options, strict="--strict" in arguments.options)
    return session.show(DOCTOR, ShownDict(found, compose_health), progress, silent=arguments.silent)


def run_panel(_session: ServiceMagics, arguments: Arguments) -> object:
    """Open the panel."""
    from service_nb.notebook.panel import panel  # noqa: PLC0415  # lazy: widgets are an extra

    PANEL.refuse_words(arguments)
    return panel()


def run_last_error(session: ServiceMagics, arguments: Arguments) -> object:
    """Show the last error of service_nb."""
    LAST_ERROR.refuse_words(arguments)
    latest = getattr(sys, "last_value", None)  # where IPython keeps the error of the last cell, magic or not
    error = latest if isinstance(latest, ServiceError) else session.last_error
    if error is None:
        print("No error of service_nb so far.")  # noqa: T201
        return None
    if "--full" in arguments.options:
        print("".join(traceback.format_exception(error)), end="")  # noqa: T201
    return ErrorPage(error)


POLICY = Magic(
    magic="%service_policy",
    summary="Show what this notebook may see and call. A policy is set in code and only ever narrowed.",
    forms=("%service_policy",),
    examples=("%service_policy", "policy = %service_policy", "%service_policy --as policy"),
    flags=(AS,),
    run=run_policy,
)
LOGIN = Magic(
    magic="%service_login",
    summary="Make the device key that local computation needs: once, free, offline.",
    forms=("%service_login",),
    about="A second login changes nothing. `service-nb logout` removes the key.",
    examples=("%service_login", "device = %service_login", "%service_login --as device"),
    flags=(AS,),
    run=run_login,
)
DOCTOR = Magic(
    magic="%service_doctor",
    summary="Check libraries, contract, login, runtime and engine, and that known values come out exactly.",
    forms=("%service_doctor",),
    about="A runtime that is installed is started and asked; nothing is installed.",
    examples=("%service_doctor", "%service_doctor --parity --strict", "report = %service_doctor"),
    flags=(
        Flag(name="--parity", about="compare the contract's hash in this package and in the runtime"),
        Flag(name="--strict", about="treat warnings as failures"),
        AS,
    ),
    run=run_doctor,
)
PANEL = Magic(
    magic="%service_panel",
    summary="Open the panel: forms that ask and compute, each list of what is valid. What runs becomes a card.",
    forms=("%service_panel",),
    about=(
        "Run puts the card of an answer below the panel, as an output of its cell, and in the ledger like any other;\n"
        "Copy line puts the magic that says the same into a new cell. Needs the extra service-nb[ui]."
    ),
    examples=("%service_panel", "panel = %service_panel", "%service_panel --as panel"),
    flags=(AS,),
    run=run_panel,
)
LAST_ERROR = Magic(
    magic="%service_last_error",
    summary="Show the last error of service_nb: its code, its facts, and on request the whole traceback.",
    forms=("%service_last_error",),
    examples=("%service_last_error", "%service_last_error --full", "error = %service_last_error"),
    flags=(Flag(name="--full", about="with the whole chain of tracebacks; it may name paths on this machine"), AS),
    run=run_last_error,
)
