"""The whole report, in the order in which things stand on each other; what fails unexpectedly is a line of it too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import service_nb
from service_nb.client.doctor.check import Check
from service_nb.client.doctor.contract import contract, values
from service_nb.client.doctor.deployment import deployment
from service_nb.client.doctor.engine import engine
from service_nb.client.doctor.machine import machine
from service_nb.compute.contract import Contract
from service_nb.errors import ServiceError
from service_nb.runtimes.base import read_packaged_contract

Report = dict[str, Any]


def report(*, parity: bool = False, strict: bool = False) -> Report:
    """Look at everything and return ``{"ok": …, "checks": [{"name", "ok", "warning", "found"}, …]}``.

    Parameters
    ----------
    parity : bool
        Whether the contract's hash has to be the same in this package, in the installed runtime and in the one that
        lives.
    strict : bool
        Whether a warning is a failure.
    """
    checks = list(_checks(parity=parity))
    if strict:
        checks = [replace(check, ok=check.ok and not check.warning) for check in checks]
    return {"ok": all(check.ok for check in checks), "strict": strict, "checks": [asdict(check) for check in checks]}


def _checks(*, parity: bool) -> Iterator[Check]:
    content = read_packaged_contract()
    read = Contract(content)
    yield from machine(read.runtime)
    yield from _survived("contract", lambda: iter([contract(content, read.hash)]))
    yield from _survived(
        "in process",
        lambda: values(service_nb.create_service(runtime="in_process", ledger="off", mode="local"), "in process"),
    )
    yield from _survived("runtime", lambda: _runtime(read, parity=parity))
    yield from _survived("engine", engine)
    yield from _survived("deployment", lambda: deployment(read.hash))


def _runtime(packaged: Contract, *, parity: bool) -> Iterator[Check]:
    # Lazy, so that a broken gRPC or cryptography is a line of the report too.
    from service_nb.client.doctor.runtime import Runtime  # noqa: PLC0415

    runtime = Runtime(packaged)
    yield from _survived("login", runtime.login)
    yield from _survived("runtime", runtime.bundle)
    yield from _survived("runtime: process", runtime.alive)
    if parity:
        yield from _survived("parity", runtime.parity)


def _survived(name: str, look: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from look()
    except ServiceError as error:
        yield Check(name=name, ok=False, found=f"{error.code}: {error}")
    except Exception as error:  # noqa: BLE001  # whoever is asked what is wrong must not fall ill himself
        yield Check(name=name, ok=False, found=f"failed with {type(error).__name__}")
