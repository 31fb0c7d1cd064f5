"""Evaluates capabilities in this very process, and writes each value as text that keeps every bit.

Started by `tests.matrix.run`, natively or below an emulator, with the environment of one setting. Jobs come as lines of
JSON, results go as lines of JSON, each before the next job starts: when a process dies, it is known of what.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
from typing import Any

import numpy as np
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import Capability
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor
from service_nb_kernels.runtime import profile

from tests.matrix.inputs import larger


def main() -> None:
    declared, executor = capabilities(), Executor()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        capability = declared[job["capability"]]
        arguments = laid_out(given(capability, job), capability, job.get("layout", "lists"))
        print(json.dumps({"key": job["key"], **outcome(executor, capability, arguments, job)}), flush=True)
    state = profile.effective()
    faults = [list(fault) for fault in profile.faults(state, profile.X86_64_V3)]
    print(json.dumps({"libraries": state.libraries, "faults": faults, "hash_seed": state.hash_seed}), flush=True)


def given(capability: Capability, job: dict[str, Any]) -> list[Any]:
    """Return the arguments of one of the cases, or of the larger input of that number."""
    if job["input"] == "larger":
        arguments: list[Any] = larger(capability.id)[job["number"]].arguments
        return arguments
    case = capability.cases[job["number"]]
    return [typed(case.arguments[parameter.name], parameter.scalar) for parameter in capability.params]


def typed(value: Any, scalar: str) -> Any:
    if isinstance(value, list):
        return [typed(item, scalar) for item in value]
    return float(value) if scalar == "float64" else int(value) if scalar == "int" else value  # long ones are text


def laid_out(arguments: list[Any], capability: Capability, layout: str) -> list[Any]:
    """Return the arguments with arrays of doubles as lists, as NumPy's in C order, or as NumPy's in another order."""
    if layout == "lists":
        return arguments
    return [
        array(value, layout) if parameter.shape and parameter.scalar == "float64" else value
        for value, parameter in zip(arguments, capability.params, strict=True)
    ]


def array(value: Any, layout: str) -> Any:
    made = np.array(value, dtype=np.float64)
    if layout == "C":
        return made
    if made.ndim > 1:
        return np.asfortranarray(made)
    wide = np.zeros((made.size, 3))
    wide[:, 1] = made
    return wide[:, 1]  # every third number, off the alignment of its block


def outcome(executor: Executor, capability: Capability, arguments: list[Any], job: dict[str, Any]) -> dict[str, str]:
    """Return the structure of the value, and its doubles beside it; or the code of the refusal."""
    doubles: list[float] = []
    try:
        found = executor.execute(capability.id, arguments, seed=job.get("seed"))
    except KernelError as error:
        return {"shape": f"refused: {error.code}", "doubles": ""}
    shape = structure(found, doubles)
    return {"shape": shape, "doubles": base64.b64encode(struct.pack(f"<{len(doubles)}d", *doubles)).decode()}


def structure(value: Any, doubles: list[float]) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{name}:{structure(value[name], doubles)}" for name in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(structure(item, doubles) for item in value) + "]"
    if isinstance(value, float):
        doubles.append(value)
        return "#"
    return repr(value)


if __name__ == "__main__":
    main()
