"""The runtime inside this process: values of the kernels, their refusals as errors of ours, and what is said of it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from service_nb_kernels import errors as kernel

from service_nb.errors import (
    DomainError,
    EngineError,
    InvalidIntentError,
    LimitExceededError,
    QueryInterruptedError,
    QueryTimeoutError,
    UndecidedError,
)
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.interface import Invocation

RUNTIME = InProcess()
NPV = "finance.npv"


class Failing:
    """An executor that raises what it is given, after as long as it is given."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def execute(self, *_: Any, **__: Any) -> Any:
        raise self.error


def failing(error: BaseException) -> InProcess:
    runtime = InProcess()
    runtime.__dict__["_executor"] = Failing(error)
    return runtime


def value(runtime: InProcess, capability: str, arguments: list[Any], timeout_s: float | None = None) -> Any:
    return runtime.run([Invocation(capability, arguments)], timeout_s=timeout_s).values[0]


def test_lists_and_arrays_have_the_same_value() -> None:
    flows = [-1000.0, 300.0, 420.0, 560.0, 680.0]
    assert value(RUNTIME, NPV, [0.1, flows]) == 505.0201488969332
    assert value(RUNTIME, NPV, [0.1, np.array(flows)]) == 505.0201488969332


def test_an_argument_outside_of_the_domain_is_named() -> None:
    with pytest.raises(DomainError) as caught:
        value(RUNTIME, NPV, [-1.5, [1.0]])
    assert caught.value.details["parameter"] == "rate"
    assert caught.value.details["met"] == "-1.5"
    assert caught.value.details["expected"]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (kernel.DomainError("x", 2.0, "less"), DomainError),
        (kernel.ShapeError("x", "1 item", "2"), InvalidIntentError),
        (kernel.LimitError("Too large."), LimitExceededError),
        (kernel.Undecided("A tie."), UndecidedError),
        (kernel.PackError("Broken."), EngineError),
        (kernel.KernelError("Odd."), EngineError),
        (ZeroDivisionError("x"), EngineError),
        (KeyError("no.such"), EngineError),
        (MemoryError(), EngineError),
        (KeyboardInterrupt(), QueryInterruptedError),
    ],
)
def test_every_refusal_has_its_code(raised: BaseException, expected: type[Exception]) -> None:
    with pytest.raises(expected) as caught:
        value(failing(raised), "a.b", [1.0])
    assert type(caught.value) is expected


def test_what_ends_at_its_deadline_is_a_timeout() -> None:
    with pytest.raises(QueryTimeoutError):
        value(failing(kernel.LimitError("The call ran out of time.")), "a.b", [1.0], timeout_s=1e-9)


def test_it_says_what_runs_here() -> None:
    told = RUNTIME.describe()
    assert told.bundle_version == told.bundle_sha256 == "unmanaged"
    assert re.fullmatch(r"[a-z0-9]+-(x64|arm64|\w+)", told.platform)
    assert told.platform.endswith(told.architecture)
    assert {"numpy", "scipy", "python-flint"} <= told.libraries.keys()
    assert not told.is_pinned
    assert RUNTIME.describe() is told
