"""Compute at a deployment: calls go there, and each value comes back with hashes that are computed again here.

What is sent is complete: bindings were read and hashed on this side, and stand in the call as arguments. So the
deployment's `invocation_hash` is over the same arguments, contract and scope as this side's, and its
`computation_hash` over the same value; any other is `answer_mismatch`, and no value.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import asdict

from service_nb.compute.call_arguments import LONG, compute_hashes, hash_computation, iter_value_blocks, write_scope
from service_nb.compute.contract import Contract
from service_nb.core.canonical import MAX_SAFE_INTEGER
from service_nb.core.words import make_visible
from service_nb.deployment.http import DeploymentClient
from service_nb.deployment.messages import MOST_CALLS, ComputeAnswer, ComputeManyAnswer, DeploymentAnswer
from service_nb.errors import AnswerMismatchError, CanonicalJsonError, ComputeRuntimeUnavailableError, ServiceError
from service_nb.runtimes.interface import Invocation, RunResult, mark_failed_call
from service_nb.schema.compute import Checked, RuntimeDescription
from service_nb.schema.native import UnreadableError, find_reader

MODE = "deployment"
MOST_ITEMS = 1_000_000  # of the arguments of one request of several calls
MOST_BYTES = 1024**3  # of an answer: a matrix may be large
DESCRIBE_S = 30.0
SOONEST_S = 0.001
PATH = "/v1/libraries/execute"
# Of an envelope, what a description has too, and under which name.
_DESCRIBED = {
    "runtime_bundle_version": "bundle_version",
    "runtime_bundle_sha256": "bundle_sha256",
    "platform": "platform",
    "architecture": "architecture",
    "kernel_build": "kernel_build",
    "libraries": "libraries",
    "profile": "profile",
}


class Remote:
    """A `Runtime` behind a deployment, which must have the contract that `contract` returns."""

    def __init__(self, deployment: DeploymentClient, contract: Callable[[], Contract]) -> None:
        self._deployment = deployment
        self._contract = contract
        self._description: RuntimeDescription | None = None

    def run(self, calls: Sequence[Invocation], *, timeout_s: float | None = None) -> RunResult:
        """Have the deployment run calls; see `Runtime.run`."""
        began = time.monotonic()
        self.describe(timeout_s)  # a request for it counts towards the time of the calls
        spent = time.monotonic() - began
        left = None if timeout_s is None else max(SOONEST_S, timeout_s - spent)
        answers: list[ComputeAnswer] = []
        for batch in _split_calls(calls):
            try:
                answers += self._send(batch, left)
            except ServiceError as error:
                at = error.details.get("call", 0)  # of those that were sent together
                mark_failed_call(error, len(answers) + (at if type(at) is int else 0), len(calls))
                raise
        description = self._find_description(answers, timeout_s)
        values = [self._check_answer(call, answer, description) for call, answer in zip(calls, answers, strict=True)]
        return RunResult(values, description)

    def close(self) -> None:
        """Do nothing: the connections are the deployment's."""

    def describe(self, timeout_s: float | None = None) -> RuntimeDescription:
        """Describe the deployment's runtime, requested once; refuse another contract, and one that computes nothing."""
        found = self._description
        if found is None:
            found = self._description = self._ask_description(timeout_s)
        return found

    def _ask_description(self, timeout_s: float | None) -> RuntimeDescription:
        limit_s = DESCRIBE_S if timeout_s is None else min(DESCRIBE_S, timeout_s)
        answer = self._deployment.get("/v1/deployment", DeploymentAnswer, timeout_s=limit_s)
        ours = self._contract().hash
        if answer.contract_hash != ours:
            version = make_visible(answer.version[:40])
            raise AnswerMismatchError(
                f"The deployment is of release {version} and has another contract of capabilities.",
                hint="Use the same release of service_nb on both sides; service-nb version prints this one's.",
                met=make_visible(answer.contract_hash[:100]),
                expected=ours,
            )
        if answer.runtime is None:
            raise ComputeRuntimeUnavailableError(
                "The deployment computes nothing: it has no runtime, or not for this key.",
                hint="Its operator installs one with service-nb runtime install; the key needs the scope compute.",
            )
        return RuntimeDescription(**{**asdict(answer.runtime), "modules": tuple(answer.runtime.modules)})

    def _send(self, calls: Sequence[Invocation], timeout_s: float | None) -> list[ComputeAnswer]:
        specs = [_build_spec(call) for call in calls]
        if len(specs) == 1:
            return [self._deployment.post(PATH, specs[0], ComputeAnswer, timeout_s=timeout_s, most_bytes=MOST_BYTES)]
        whole = None if timeout_s is None else timeout_s * len(specs)  # the time is for each of them
        answer = self._deployment.post(
            PATH, {"calls": specs}, ComputeManyAnswer, timeout_s=whole, most_bytes=MOST_BYTES
        )
        if len(answer.results) != len(specs):
            raise _make_mismatch(f"has {len(answer.results)} results of {len(specs)} calls")
        return answer.results

    def _find_description(self, answers: Sequence[ComputeAnswer], timeout_s: float | None) -> RuntimeDescription:
        """Find the description of the runtime that computed the answers; request it again if it has changed."""
        description = self.describe(timeout_s)
        if not all(_is_computed_by(description, answer.determinism) for answer in answers):
            description = self._description = self._ask_description(timeout_s)
            if not all(_is_computed_by(description, answer.determinism) for answer in answers):
                raise _make_mismatch("was computed by something else than the deployment says it has")
        return description

    def _check_answer(self, call: Invocation, answer: ComputeAnswer, description: RuntimeDescription) -> object:
        contract = self._contract()
        capability = contract[call.capability_id]
        scope = write_scope(description.platform, MODE)
        checked = Checked(capability=capability, args=tuple(call.arguments), kwargs={}, bindings=(), seed=call.seed)
        invocation, _ = compute_hashes(checked, (), call.arguments, contract_hash=contract.hash, scope=scope)
        if answer.contract_hash != contract.hash or answer.invocation_hash != invocation:
            raise _make_mismatch(
                f"is of another call than {call.capability_id} as it was sent", met=answer.invocation_hash
            )
        try:
            value = _read_value(contract.read_entry(call.capability_id)["result"], answer.value)
            met = hash_computation(invocation, iter_value_blocks(value))
        except (UnreadableError, CanonicalJsonError):
            raise _make_mismatch(f"has a value that is none of {call.capability_id}") from None
        if met != answer.computation_hash:
            raise _make_mismatch("does not have the hash that it carries", met=met, expected=answer.computation_hash)
        return value


def _build_spec(call: Invocation) -> dict[str, object]:
    module, _, function = call.capability_id.partition(".")
    seed = {} if call.seed is None else {"seed": call.seed}
    return {"module": module, "function": function, "args": [_to_json(each) for each in call.arguments], **seed}


def _to_json(value: object) -> object:
    """Turn an argument into JSON without loss: whole numbers beyond 2**53 - 1 are texts of their digits."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if type(value) is int and not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return str(value)
    if isinstance(value, list):
        return value if len(value) > LONG and type(value[0]) is float else [_to_json(item) for item in value]
    return value


def _split_calls(calls: Sequence[Invocation]) -> Iterator[Sequence[Invocation]]:
    """Split calls into runs that one request carries."""
    start = size = 0
    for index, call in enumerate(calls):
        items = sum(map(_count_items, call.arguments))
        if index > start and (size + items > MOST_ITEMS or index - start >= MOST_CALLS):
            yield calls[start:index]
            start, size = index, 0
        size += items
    if start < len(calls):
        yield calls[start:]


def _count_items(argument: object) -> int:
    if isinstance(argument, np.ndarray):
        return int(argument.size)
    if isinstance(argument, list) and argument and isinstance(argument[0], list):
        return sum(map(_count_items, argument))
    return len(argument) if isinstance(argument, list | str) else 1


def _is_computed_by(description: RuntimeDescription, envelope: Mapping[str, Any]) -> bool:
    return (
        all(envelope.get(key) == getattr(description, name) for key, name in _DESCRIBED.items())
        and tuple(envelope.get("runtime_modules") or ()) == description.modules
        and envelope.get("pinning") in (None, "pinned" if description.is_pinned else "unpinned")
    )


_SCALARS = {"float64": "float64", "int": "int64", "string": "string", "bool": "boolean"}


def _read_value(result: Mapping[str, Any], value: object) -> object:
    """Read a value in the types that the contract declares, as a runtime at hand would return it."""
    kind = str(result["type"])
    if kind == "record":
        fields = result["fields"]
        if not isinstance(value, dict) or set(value) != set(fields):
            raise UnreadableError(kind)
        return {name: _read_value(fields[name], value[name]) for name in fields}
    depth, scalar = kind.count("[]"), kind.replace("[]", "")
    if scalar not in _SCALARS:
        raise UnreadableError(kind)
    return _read_items(value, find_reader(_SCALARS[scalar]), depth)


def _read_items(value: object, read: Callable[[Any], object], depth: int) -> object:
    if depth:
        if not isinstance(value, list):
            raise UnreadableError
        return [_read_items(item, read, depth - 1) for item in value]
    if value is None:
        raise UnreadableError
    return read(value)


def _make_mismatch(what: str, **details: object) -> ServiceError:
    return AnswerMismatchError(
        f"The deployment's answer {what}.",
        hint="It is not used. Compute again; if that does not help, use the same release on both sides.",
        **details,
    )
