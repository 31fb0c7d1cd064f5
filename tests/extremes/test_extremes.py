"""Extreme calls end with a value or a refusal that has a code: what was found is kept, and some are tried each time."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from service_nb_kernels.contract import capabilities
from service_nb_kernels.domain import parse_domain

from tests.extremes.arguments import doubles_of, extreme_arguments, integers_of

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of this folder: it makes processes by fork, which a process with threads had better not."""
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, cwd=ROOT, timeout=3_000
    )


def test_calls_that_once_crashed_hung_or_failed_without_a_code_end_as_they_should() -> None:
    done = run("tests.extremes", "--found")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_call_that_ends_its_process_hangs_or_fills_the_memory_is_told_by_its_number() -> None:
    done = run("tests.extremes.faulty")
    lines = done.stdout.splitlines()
    assert lines[-1] == "8 3", done.stdout + done.stderr
    told = dict(line.split(" ", 1) for line in lines[:-1])
    assert told.pop("6").startswith("memory")
    assert told == {"1": "crash SIGSEGV", "3": "hang", "4": "untyped ValueError: no code", "5": "not finite"}


@pytest.mark.parametrize("part", [3, 17, 31])
def test_some_capabilities_end_each_extreme_call_with_a_value_or_a_code(part: int, tmp_path: Path) -> None:
    done = run("tests.extremes", "--calls", "12", "--part", f"{part}/80", "--to", str(tmp_path / "extremes.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_capability_ends_each_extreme_call_with_a_value_or_a_code(tmp_path: Path) -> None:
    done = run("tests.extremes", "--calls", "40", "--to", str(tmp_path / "extremes.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_extreme_numbers_lie_in_their_domain_and_reach_both_ends() -> None:
    for text in ("(0, inf)", "[0, 1]", "(-inf, inf)", "[1, 1e12]", "(-1, 1)", "[-2.5, 0.3]"):
        domain = parse_domain(text)
        for values in (doubles_of(domain), integers_of(domain)):
            assert [value for value in values if value not in domain] == []
        doubles = doubles_of(domain)
        assert doubles[0] <= max(math.nextafter(domain.low, math.inf), -sys.float_info.max)
        assert doubles[-1] >= min(math.nextafter(domain.high, -math.inf), sys.float_info.max)


def test_the_same_number_is_the_same_call() -> None:
    declared = capabilities()["finance.npv"]
    assert [extreme_arguments(declared, n) for n in range(50)] == [extreme_arguments(declared, n) for n in range(50)]
