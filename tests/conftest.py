"""Settings of every test: what hypothesis tries, and that a skipped test never goes unnoticed."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ["tests.servers.fixtures"]

# jsonschema, which many import, compiles grammars of IRIs for seconds each time it is loaded, and nothing here asks for
# one: without the package it leaves that format unchecked.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# Computations run in the managed runtime, as they do for a user who has logged in: installed once for all tests and
# kept for the next run; it ends by itself. A test that looks at login or installation has a home of its own.
HOME = Path(__file__).parents[1] / "build" / "test-home"
os.environ["SERVICE_HOME"] = str(HOME)
os.environ["SERVICE_RUNTIME_IDLE_MINUTES"] = "3"
# Results are recorded beside a project; a test that looks at the ledger has a project, and a ledger, of its own.
os.environ["SERVICE_LEDGER"] = "off"
os.environ["SERVICE_DEVICE_KEY"] = "dGhlIGRldmljZSBrZXkgb2YgdGhlIHRlc3RzLCAzMkI="  # 32 bytes that open nothing else

# Many tests start processes, and each of them imports what the first has compiled, whatever the tester's shell says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Deadlines are off everywhere: they measure the machine, not the code.
hypothesis.settings.register_profile(
    "default", max_examples=40, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
# The same examples each time: a submission fails for what it changes, never for another draw.
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("default"), derandomize=True)
# The long tail: new examples each time, ten times as many.
hypothesis.settings.register_profile("thorough", hypothesis.settings.get_profile("default"), max_examples=400)
hypothesis.settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") == "true" else "default")
)

# A shell has what runs in the background ignore Ctrl-C, which the tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Files whose tests take longest together, or share what takes long to make; in seconds.
LONGEST = {
    "tests/browser/test_jupyterlab.py": 120,
    "tests/planes/test_conformance.py": 90,
    "tests/browser/test_typescript.py": 45,
    "tests/planes/test_second_compute.py": 50,
    "tests/notebooks/test_evidence.py": 40,
    "tests/extremes/test_extremes.py": 35,
    "tests/security/test_greedy_sqlite.py": 35,
    "tests/security/test_provisioning_faults.py": 35,
    "tests/deployment/clients/test_client_faults.py": 30,
    "tests/unit/runtimes/test_provision.py": 25,
    "tests/unit/runtimes/test_managed.py": 25,
    "tests/security/test_runtime_faults.py": 25,
    "tests/surfaces/test_execution.py": 25,
    "tests/surfaces/test_second_command.py": 22,
    "tests/planes/test_wasm.py": 20,
    "tests/security/test_misplaced_cards.py": 40,
    "tests/security/test_evidence_mutants.py": 20,
    "tests/security/test_corpora_in_typescript.py": 20,
    "tests/unit/runtimes/test_process.py": 20,
    "tests/unit/runtimes/test_release.py": 18,
    "tests/unit/evidence/test_self_check.py": 18,
    "tests/planes/test_second_sqlite.py": 17,
    "tests/surfaces/test_runtime_verbs.py": 16,
    "tests/surfaces/test_handbook_typescript.py": 16,
    "tests/matrix/test_matrix.py": 16,
    "tests/surfaces/test_mcp.py": 15,
    "tests/surfaces/test_doctor.py": 15,
    "tests/surfaces/test_kernel.py": 15,
    "tests/unit/runtimes/test_fetching.py": 14,
}
OF_THE_LONG_TAIL = 10  # seconds that a test takes which `make test` leaves out


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have each worker begin with a part of what takes longest: what is left for the end ends everywhere at once."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    takes = Counter(LONGEST)
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("wide"):
            takes[_find_file(item)] += OF_THE_LONG_TAIL
    long: dict[str, list[pytest.Item]] = {name: [] for name in takes}
    short = [item for item in items if _find_file(item) not in long]
    for item in items:
        if (name := _find_file(item)) in long:
            long[name].append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    seconds = [0] * workers
    for name, of_file in takes.most_common():
        if long[name]:
            least = seconds.index(min(seconds))
            shares[least] += long[name]
            seconds[least] += of_file
    left, order = len(items), list[pytest.Item]()
    for number, share in enumerate(shares):  # of this size is what a worker is sent first, in this order
        size = left // (workers - number)
        more = max(0, size - len(share))
        order += share + short[:more]
        left -= len(share) + len(short[:more])
        del short[:more]
    items[:] = order + short


def _find_file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while thousands of tests are collected: there is none, and each look takes longer."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Look for garbage in what tests make, not in thousands of tests: IPython does so at the end of every session.

    So does pytest at its own end, for seconds. The interpreter's end is as without tests: libraries miss nothing.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Hold each test to leaving Ctrl-C as it was: one that keeps it takes it from all that come after."""
    outcome = yield
    left = signal.getsignal(signal.SIGINT)
    if left is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pytest.fail(f"{item.nodeid} left Ctrl-C to {left!r}")
    return outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where CI runs, a skip is a failure: what is not tested there is tested nowhere."""
    if os.environ.get("CI") == "true" and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Count the bad inputs that were tried; name every skipped test and why, however quiet the run."""
    _write_bad_inputs(terminalreporter)
    skipped = _skipped(config)
    if skipped:
        terminalreporter.section("NOT TESTED", sep="!", red=True)
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            terminalreporter.write_line(f"{report.nodeid}: {reason}")
        if os.environ.get("CI") == "true":
            terminalreporter.write_line("CI allows no skip, so this run has failed.")


def _write_bad_inputs(reporter: pytest.TerminalReporter) -> None:
    tried: Counter[str] = Counter()
    for report in reporter.stats.get("passed", []):
        module = report.nodeid.partition("::")[0]
        tried[module] += sum(value for name, value in report.user_properties if name == "bad_inputs")
    for module, count in sorted((+tried).items()):
        reporter.write_line(f"{module}: {count} bad inputs tried, 0 accepted, 0 crashes, 0 files touched")


def _skipped(config: pytest.Config) -> list[pytest.TestReport]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return [] if reporter is None else list(reporter.stats.get("skipped", []))
