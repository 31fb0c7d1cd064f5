"""A capability with every fault that a run of extreme calls looks for, one for each number."""

from __future__ import annotations

import math
import os
import signal
from typing import Any

from service_nb_kernels.declare import Capability, Parameter, Result

ENDS = ("value", "crash SIGSEGV", "value", "hang", "untyped ValueError: no code", "not finite", "memory", "value")
_held: list[bytearray] = []


def capability() -> Capability:
    """Return its declaration."""
    return Capability(
        id="faulty.of_a_kind",
        tier="pinned",
        summary="One fault of each kind.",
        source="none",
        params=(Parameter(name="kind", type="int", about="which fault"),),
        result=Result(type="string[n]"),  # a float64 that is not finite is refused by the executor itself
        cases=(),
        call="tests.extremes.faulty:of_a_kind",
    )


def of_a_kind(kind: int) -> Any:
    """Show the fault of a number."""
    end = ENDS[kind]
    if end.startswith("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    while end == "hang":
        pass
    if end.startswith("untyped"):
        raise ValueError("no code")
    if end == "memory":
        _held.append(bytearray(b"x") * (9 << 27))
    return [math.inf if end == "not finite" else 1.0]


def main() -> None:
    """Run the calls, and print how each ended and which were told."""
    from service_nb_kernels.execute import Executor  # heavy, and not of the declaration

    from tests.extremes.run import attempt

    declared = capability()
    executor = Executor({declared.id: declared})
    tried = attempt(declared, range(len(ENDS)), executor, lambda _, number: ([number], None), deadline_s=3.0)
    for finding in tried.findings:
        print(finding["number"], finding["end"])
    print(tried.calls, tried.ends["value"])


if __name__ == "__main__":
    main()
