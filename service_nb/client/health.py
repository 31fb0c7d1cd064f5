"""Check this machine, the contract, the engine, the managed runtime and the deployment, and report what was found.

The hash of the contract is computed by what is written of it, not by what wrote it: the kernels compile the contract
with their own code, and here it is read and put into canonical form as any other reader would.
"""

from __future__ import annotations

import gc
import os
import platform
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from fractions import Fraction
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any

import orjson

import service_nb
from service_nb._version import __version__
from service_nb.client.health_check import HealthCheck
from service_nb.client.second_client import check_node, check_second_client
from service_nb.compute.contract import Contract
from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_root, hash_leaf, list_completed_nodes
from service_nb.core.words import make_visible
from service_nb.deployment.address import find_address
from service_nb.errors import ServiceError
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.schema.source import DEFAULT_LIMITS

if TYPE_CHECKING:
    from service_nb.client.runtime_health import RuntimeCheck
    from service_nb.client.service import Service


def build_report(*, parity: bool = False, strict: bool = False) -> dict[str, Any]:
    """Run all checks and return ``{"ok": …, "checks": [{"name", "ok", "warning", "found"}, …]}``.

    Parameters
    ----------
    parity : bool
        Whether the contract's hash has to be the same in this package, in the installed runtime, in the one that
        lives, and in the TypeScript client, which must answer one question with the same hashes.
    strict : bool
        Whether a warning is a failure.
    """
    with _pause_collection(), ThreadPoolExecutor(1) as pool:
        checks = list(_run_checks(pool, parity=parity))
    if strict:
        checks = [replace(check, ok=check.ok and not check.warning) for check in checks]
    return {"ok": all(check.ok for check in checks), "strict": strict, "checks": [asdict(check) for check in checks]}


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Pause the search for cycles: each would look at all that a contract holds, of which nothing is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _run_checks(pool: ThreadPoolExecutor, *, parity: bool) -> Iterator[HealthCheck]:
    content = map_packaged_contract()
    read = Contract(content)
    check_runtime = _begin_runtime(read, pool, parity=parity)
    yield from check_machine(read.runtime)
    yield from _catch("node", check_node)
    yield from _catch("contract", lambda: iter([check_contract(content[:], read.hash)]))
    yield from _catch(
        "in process",
        lambda: check_values(service_nb.create_service(runtime="in_process", ledger="off", mode="local"), "in process"),
    )
    engine = list(_catch("engine", check_engine))  # while the runtime starts
    yield from _catch("runtime", check_runtime)
    if parity:
        yield from _catch("parity: typescript", lambda: check_second_client(read.hash))
    yield from engine
    yield from _catch("deployment", lambda: check_deployment(read.hash))


def _begin_runtime(
    packaged: Contract, pool: ThreadPoolExecutor, *, parity: bool
) -> Callable[[], Iterator[HealthCheck]]:
    """Have the runtime's files read while other checks run; return what checks the runtime with what was read."""
    try:
        # Lazy, so that a broken gRPC or cryptography is a line of the report too.
        from service_nb.client.runtime_health import RuntimeCheck  # noqa: PLC0415
    except Exception as error:  # noqa: BLE001  # told in its place among the checks
        return partial(_fail, error)
    runtime = RuntimeCheck(packaged, pool)
    return lambda: _check_runtime(runtime, parity=parity)


def _check_runtime(runtime: RuntimeCheck, *, parity: bool) -> Iterator[HealthCheck]:
    yield from _catch("login", runtime.check_login)
    yield from _catch("runtime", runtime.check_bundle)
    yield from _catch("runtime: process", runtime.check_process)
    if parity:
        yield from _catch("parity", runtime.check_parity)


def _fail(error: Exception) -> Iterator[HealthCheck]:
    raise error


def _catch(name: str, look: Callable[[], Iterator[HealthCheck]]) -> Iterator[HealthCheck]:
    try:
        yield from look()
    except ServiceError as error:
        yield HealthCheck(name=name, ok=False, found=f"{error.code}: {error}")
    except Exception as error:  # noqa: BLE001  # a check that fails unexpectedly is a line of the report
        yield HealthCheck(name=name, ok=False, found=f"failed with {type(error).__name__}")


# --- the machine ------------------------------------------------------------------------------------------------------

OLDEST = (3, 11)
LIBRARIES = (
    "cryptography", "defusedxml", "duckdb", "grpcio", "httpcore", "httpx", "idna", "ipython", "jinja2", "lark",
    "markupsafe", "matplotlib", "msgspec", "numpy",
    "openpyxl", "orjson", "pandas", "platformdirs", "protobuf", "pyarrow", "python-flint", "pyyaml", "scipy",
    "sqlglot", "threadpoolctl", "tomlkit",
)  # fmt: skip

Lock = Mapping[str, Sequence[str]]


def check_machine(lock: Lock) -> Iterator[HealthCheck]:
    """Check the Python version, the libraries and the memory.

    Parameters
    ----------
    lock : mapping
        The libraries whose versions the contract was made with, each with the lines of its lock.
    """
    yield HealthCheck(name="python", ok=sys.version_info >= OLDEST, found=platform.python_version())
    yield HealthCheck(name="platform", found=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    for name in LIBRARIES:
        yield _check_library(name, lock)
    yield _check_memory()


def find_locked_version(name: str, version: str, lock: Lock) -> str | None:
    """Return the locked versions of a library, in words, if the installed version is none of them."""
    locked = [line.split()[0] for line in lock.get(name, ())]
    return None if not locked or version in locked else " or ".join(dict.fromkeys(locked))


def _check_library(name: str, lock: Lock) -> HealthCheck:
    try:
        version = installed_version(name)
    except PackageNotFoundError:
        return HealthCheck(name=name, ok=False, found="not installed")
    expected = find_locked_version(name, version, lock)
    if expected is None:
        return HealthCheck(name=name, found=version)
    return HealthCheck(name=name, found=f"{version}; the contract was made with {expected}", warning=True)


def _check_memory() -> HealthCheck:
    wanted = DEFAULT_LIMITS.memory_bytes
    if not hasattr(os, "sysconf"):
        return HealthCheck(name="memory", found="unknown on this platform")
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    note = "" if present >= wanted else f"; set Limits(memory_bytes=…) below the default of {wanted / 2**30:.0f} GiB"
    return HealthCheck(name="memory", found=f"{present / 2**30:.1f} GiB{note}")


# --- the contract -----------------------------------------------------------------------------------------------------

# Of an entry: what no card shows, and no hash covers.
_UNDEFINED = frozenset({"keywords", "cases", "digest", "leaf"})

# From outside: mpmath 1.4 at 60 digits, of the doubles as they stand, rounded once; the last one by hand.
KNOWN = (
    ("finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]", 505.0201488969332),
    ("option_pricing.black_scholes_call spot=42 strike=40 time=0.5 rate=0.1 volatility=0.2", 4.759422392871533),
    ("special.gamma x=0.1", 9.51350769866873),
    ("stats.mean values=[1e16, 1, -1e16, 1]", 0.5),
)


def check_contract(content: bytes, stated: str) -> HealthCheck:
    """Compare the hash stated in a contract with the hash of its content."""
    computed = compute_contract_hash(content, stated)
    if computed == stated:
        return HealthCheck(name="contract", found=computed)
    return HealthCheck(name="contract", ok=False, found=f"it states {stated}, and what it says has {computed}")


def compute_contract_hash(content: bytes, expected: str) -> str:
    """Compute the hash of a contract's content, ignoring the hash it states.

    Whatever text has the expected hash is the one that was hashed, so the text of a fast writer is tried first.
    """
    document = orjson.loads(content)
    leaves = [{key: document[key] for key in ("contract_version", "runtime")}]
    leaves += [_select_defined(document["capabilities"][name]) for name in sorted(document["capabilities"])]
    fast = _compute_root(orjson.dumps(leaf, option=orjson.OPT_SORT_KEYS) for leaf in leaves)
    return fast if fast == expected else _compute_root(map(write_canonical_bytes, leaves))


def _compute_root(texts: Iterable[bytes]) -> str:
    nodes: dict[tuple[int, int], bytes] = {}
    size = 0
    for size, leaf in enumerate(map(hash_leaf, texts), start=1):
        made = list_completed_nodes(size - 1, leaf, lambda level, index: nodes[level, index])
        nodes.update({(level, index): value for level, index, value in made})
    return f"sha256:{compute_root(size, lambda level, index: nodes[level, index]).hex()}"


def _select_defined(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key not in _UNDEFINED}


def check_values(service: Service, where: str, modules: Sequence[str] = ()) -> Iterator[HealthCheck]:
    """Compute the known values, of the named modules only if any are named, and compare the bits."""
    for line, expected in KNOWN:
        if modules and line.partition(".")[0] not in modules:
            continue
        met = service.compute(line)["value"]
        found = repr(met) if met == expected else f"{met!r}; the right double is {expected!r}"
        yield HealthCheck(name=f"{where}: {line.partition(' ')[0]}", ok=met == expected, found=found)


# --- the engine -------------------------------------------------------------------------------------------------------

# Ones among numbers sixteen orders larger, which cancel: any order of plain additions loses some of them.
HARD_TO_ADD = (1e16, 1.0, -1e16, 1.0, 0.1, 1e300, -0.3, -1e300, 5e-324, 3.0, 1e-9, -2.0)


def check_engine() -> Iterator[HealthCheck]:
    """Check that the database refuses forbidden statements, and that it adds difficult sums exactly."""
    # Lazy: `service-nb --help` and `version` shall not wait for the database to load.
    from service_nb.engines.duckdb_lock import try_forbidden  # noqa: PLC0415

    for attempt, refused in try_forbidden().items():
        yield HealthCheck(name=f"engine: {attempt}", ok=refused, found="refused" if refused else "NOT REFUSED")
    for rows in (len(HARD_TO_ADD), 1_000 * len(HARD_TO_ADD)):  # in lists, and in the database
        yield _check_sum(HARD_TO_ADD * (rows // len(HARD_TO_ADD)))


def _check_sum(values: tuple[float, ...]) -> HealthCheck:
    import pyarrow as pa  # noqa: PLC0415  # lazy, as the engine is

    service = service_nb.create_service(runtime="in_process", ledger="off", mode="local")
    # Not from lists, of which Arrow could make a column only after it has loaded pandas.
    column = pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(array("d", values))])
    service.connect(pa.Table.from_arrays([column], names=["value"]), name="numbers")
    outcome = service.ask({"metric": "value", "aggregation": "sum", "source_name": "numbers"})  # Lark need not load
    service.close()
    met, expected = outcome.rows[0]["value"], float(sum(map(Fraction, values)))
    found = f"{met!r} over {len(values):,} rows" + ("" if met == expected else f"; the exact sum is {expected!r}")
    return HealthCheck(name=f"exact sum: {outcome['data']['provenance']['engine']}", ok=met == expected, found=found)


# --- the deployment ---------------------------------------------------------------------------------------------------

LOOK_S = 10.0


def check_deployment(contract_hash: str) -> Iterator[HealthCheck]:
    """Check the deployment that SERVICE_DEPLOYMENT_URL names; do nothing where the variable is not set.

    Raises
    ------
    ServiceError
        The address or the key is malformed, or the deployment is not reached or refuses the key.
    """
    address = find_address()
    if address is None:
        return
    from service_nb.deployment.http import DeploymentClient  # noqa: PLC0415  # lazy: HTTP loads with it
    from service_nb.deployment.messages import DeploymentAnswer  # noqa: PLC0415

    with closing(DeploymentClient(address)) as reached:
        told = reached.get("/v1/deployment", DeploymentAnswer, timeout_s=LOOK_S)
    version, key = make_visible(told.version[:40]), make_visible(told.key_id[:80])
    yield HealthCheck(name="deployment", found=f"{address.host} answers")
    yield HealthCheck(
        name="deployment: key",
        found=f"{key} of {make_visible(told.tenant[:80])}, for {', '.join(told.scopes) or 'nothing'}",
        warning=not {"query", "compute"} <= set(told.scopes),
    )
    is_same = told.contract_hash == contract_hash
    same = "the same contract" if is_same else f"another contract, {make_visible(told.contract_hash[:80])}"
    yield HealthCheck(
        name="deployment: release", ok=is_same, warning=version != __version__, found=f"service_nb {version}, {same}"
    )
    run = told.runtime
    found = (
        "no runtime installed; run service-nb runtime install on its machine"
        if run is None
        else f"{make_visible(run.kernel_build[:80])} on {make_visible(run.platform[:40])}"
    )
    yield HealthCheck(name="deployment: runtime", warning=run is None, found=found)
