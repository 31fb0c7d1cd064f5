"""The state that all flows of one client share: sources under its policy, recorder, contract, runtime, caches."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from mmap import mmap
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from service_nb.client.record import Clock, Recorder
from service_nb.client.registry import Registered, Sources
from service_nb.compute.call import Signature
from service_nb.compute.capability_index import Index
from service_nb.compute.contract import Contract
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, QueryInterruptedError
from service_nb.query.policy import Policy, hide_column_names
from service_nb.runtimes.in_process import InProcess
from service_nb.runtimes.interface import Report, Runtime

if TYPE_CHECKING:
    from service_nb.client.question import ResultTable
    from service_nb.query.refusals import Resolution
    from service_nb.schema.query import QuerySpec

Mode = Literal["local", "deployment"]
RUNTIMES = ("managed", "in_process")
CACHED = 256  # results, and names that nothing has
MOST_NAME = 100  # characters of an unknown name that is remembered
QUESTIONS = 2_048  # a deployment is asked thousands of different ones; a plan takes a few kilobytes
CachedValue = TypeVar("CachedValue")


class Cache(Generic[CachedValue]):
    """The latest values by key, a bounded number of them. Safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[Hashable, CachedValue] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> CachedValue | None:
        """Return the value of a key; the key None has none."""
        return None if key is None else self._values.get(key)

    def put(self, key: Hashable, value: CachedValue) -> None:
        """Keep a value, and drop the oldest beyond the size."""
        if key is None:
            return
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                del self._values[next(iter(self._values))]


def build_question_key(spec: Mapping[str, object] | str, version: int) -> Hashable:
    """Build a key that two questions share only if they are the same line or the same spec; None if it has no text."""
    try:
        return (version, "line", spec) if isinstance(spec, str) else (version, "spec", json.dumps(spec))
    except (TypeError, ValueError, RecursionError):
        return None


class Library:
    """The contract, with the signatures and the search index built from it on first use; shared by narrowed clients."""

    def __init__(self, load: Callable[[], bytes | mmap]) -> None:
        self._load = load
        self._signatures: dict[str, Signature] = {}
        self._index: Index | None = None
        self._lock = threading.Lock()

    @cached_property
    def contract(self) -> Contract:
        """The capabilities."""
        return Contract(self._load())

    @property
    def index(self) -> Index:
        """The capabilities, to be searched; built once, also when several threads ask first."""
        with self._lock:
            if self._index is None:
                self._index = Index(self.contract)
            return self._index

    def get_signature(self, name: str) -> Signature | None:
        """Return the signature that checks the calls of a capability; None if there is no such capability."""
        known = self._signatures.get(name)
        if known is None and name in self.contract:
            known = self._signatures[name] = Signature(self.contract[name])
        return known


class LazyRuntime:
    """The runtime of a client, made at its first computation: a client that only asks loads no gRPC.

    Parameters
    ----------
    chosen : "managed", "in_process", a Runtime, or a function that makes one
    modules : sequence of str
        Fields that a managed runtime shall have; all when empty.
    progress : callable, optional
        Called with each step of the installation of a managed runtime.
    mode : "local" or "deployment"
        What the execution scope of its computations says: `deployment` where they are computed by one, seen from a
        client and from the deployment itself.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no runtime of that name, or the modules are no list of names.
    """

    def __init__(
        self,
        chosen: Runtime | Callable[[], Runtime] | str,
        modules: Sequence[str] = (),
        progress: Report | None = None,
        *,
        mode: Mode = "local",
    ) -> None:
        if isinstance(chosen, str) and chosen not in RUNTIMES:
            raise InvalidIntentError(
                f"runtime is {describe_value(chosen)}.",
                path="runtime",
                met=chosen,
                expected="managed, in_process, or a Runtime",
            )
        if isinstance(modules, str) or not all(isinstance(name, str) for name in modules):
            raise InvalidIntentError(
                f"runtime_modules is {describe_value(modules)}.",
                path="runtime_modules",
                expected='a list such as ["finance"]',
            )
        self.mode = mode
        self._chosen = chosen
        self._modules = tuple(modules)
        self._progress = progress
        self._runtime: Runtime | None = None
        self._lock = threading.Lock()

    def get(self) -> Runtime:
        """Return the runtime."""
        if self._runtime is None:
            with self._lock:
                self._runtime = self._runtime or self._make()
        return self._runtime

    def _make(self) -> Runtime:
        if self._chosen == "managed":
            from service_nb.client import user_keys as device  # noqa: PLC0415  # cryptography loads with it
            from service_nb.runtimes.managed import Managed  # noqa: PLC0415  # and gRPC with it

            return Managed(self._modules, admit=device.require_device, report=self._progress)
        if isinstance(self._chosen, str):
            return InProcess()
        return self._chosen() if callable(self._chosen) else self._chosen

    def close(self) -> None:
        """Close the runtime, if it was made; the next computation takes it up again."""
        if self._runtime is not None:
            self._runtime.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The parts that the flows of one client work with."""

    sources: Sources
    recorder: Recorder
    library: Library
    runtime: LazyRuntime
    clock: Clock
    timeout_s: float | None
    mode: Mode = "local"
    resolutions: Cache[tuple[QuerySpec, Resolution]] = field(default_factory=lambda: Cache(QUESTIONS))
    results: Cache[ResultTable] = field(default_factory=lambda: Cache(CACHED))
    misnamed: Cache[list[str]] = field(default_factory=lambda: Cache(CACHED))  # what may be meant by an unknown name

    def narrow(self, policy: Policy) -> Context:
        """Build the context of a narrowed client, which cannot choose sources and shares no cache."""
        return self.copy_with_sources(
            replace(self.sources, policy=policy, is_narrowed=True, warned=set()), self.recorder
        )

    def copy_with_sources(self, sources: Sources, recorder: Recorder) -> Context:
        """Copy the context with other sources, another recorder and empty caches."""
        return replace(
            self,
            sources=sources,
            recorder=recorder,
            resolutions=Cache(QUESTIONS),
            results=Cache(CACHED),
            misnamed=Cache(CACHED),
        )

    def find_nearest_names(self, name: str) -> list[str]:
        """Find the capabilities that may be meant by an unknown name; the search takes longer than the refusal."""
        near = self.misnamed.get(name)
        if near is None:
            near = self.library.index.find_nearest_names(name, self.sources.policy.allows_function)
            self.misnamed.put(name if len(name) <= MOST_NAME else None, near)
        return near

    def limit_time(self, timeout: float | None) -> float | None:
        """Return the time limit of a call in seconds: the given one, or the client's own."""
        return self.timeout_s if timeout is None else check_seconds(timeout)


def check_seconds(timeout: float) -> float:
    """Check that a timeout is a number of seconds above 0, and return it.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no number above 0.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise InvalidIntentError(f"`timeout` must be seconds above 0, not {describe_value(timeout)}.", path="timeout")
    return timeout


@contextmanager
def guard_run(sources: Sources, registered: Registered) -> Iterator[None]:
    """Hide columns that the policy denies from errors of a run, and end an interrupted run as one."""
    try:
        with hide_column_names(sources.policy, registered.name, "read"):
            yield
    except KeyboardInterrupt:  # the engine stops its own work; this is what is done around it
        raise QueryInterruptedError("The question was interrupted.", hint="Sources and session are intact.") from None
