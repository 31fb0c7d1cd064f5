"""Calls and values as JSON text, for a runtime that shares no wire with its client: WebAssembly.

Only certified capabilities run: what they return has the same bits on every platform. In both directions a double is
written as one (`2.0`), so that it is never taken for a whole number; a whole number of a value is `{"$int": "2"}`.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache
from typing import Any

from service_nb_kernels.errors import KernelError, PlatformError
from service_nb_kernels.execute import Executor

DIGITS = 1_300_000  # of a whole number: as many as the largest argument has


@cache
def get_executor() -> Executor:
    """Return the one executor; a capability is compiled when it is first called."""
    sys.set_int_max_str_digits(DIGITS)
    return Executor()


def run_call(text: str) -> str:
    """Run a call of a certified capability.

    Parameters
    ----------
    text : str
        `{"id": …, "args": […], "timeout_s": seconds or null}`

    Returns
    -------
    str
        `{"value": …}`, or `{"fault": {"code": …, "message": …, "details": {…}}}`.

    Examples
    --------
    >>> run_call('{"id": "electrical.ohms_law_voltage", "args": [2.0, 3.0], "timeout_s": null}')
    '{"value": 6.0}'
    >>> run_call('{"id": "number_theory.gcd", "args": [12, 18], "timeout_s": null}')
    '{"value": {"$int": "6"}}'
    """
    call = json.loads(text)
    id_, timeout_s, started = call["id"], call["timeout_s"], time.monotonic()
    try:
        executor = get_executor()
        _require_certified(id_, executor.tier(id_))
        value = executor.execute(id_, call["args"], timeout_s=timeout_s)
        return json.dumps({"value": _write_value(value)}, allow_nan=False)
    except KernelError as error:
        if timeout_s is not None and time.monotonic() - started >= timeout_s:
            return _write_fault("timeout", "The call was stopped at its deadline.", {})
        return _write_fault(error.code, str(error), error.details)
    except ImportError:
        return _write_fault(PlatformError.code, "A library that it needs is not in this runtime.", {})
    except Exception as error:  # noqa: BLE001  # a kernel runs libraries, which may raise anything
        return _write_fault("kernel_failed", type(error).__name__, {})


def _require_certified(id_: str, tier: str | None) -> None:
    if tier is None:
        raise KernelError(f"There is no capability {id_!r:.60} here.")
    if tier != "certified":
        raise PlatformError(f"The bits of a {tier} capability are promised on pinned builds, not on wasm32.", tier=tier)


def _write_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _write_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_write_value(item) for item in value]
    return {"$int": str(value)} if isinstance(value, int) and not isinstance(value, bool) else value


def _write_fault(code: str, message: str, details: dict[str, Any]) -> str:
    return json.dumps({"fault": {"code": code, "message": message, "details": details}}, default=repr)
