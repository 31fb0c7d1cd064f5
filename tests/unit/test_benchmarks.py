"""Benchmarks measure what their rows say, for whoever runs them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import own_home, print_table
from benchmarks.measure import Measured, against, best_beside, peak_of_process, within
from service_nb import create_service
from service_nb.client import user_keys as device
from service_nb.core.own_files import find_folders


def test_a_benchmark_has_a_home_and_a_login_of_its_own_and_leaves_the_callers_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "mine"))
    monkeypatch.delenv("SERVICE_DEVICE_KEY")
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", "http://127.0.0.1:9")
    before = dict(os.environ)
    with own_home():
        assert not find_folders().config.is_relative_to(tmp_path)
        first = device.require_device().id
        assert "SERVICE_DEPLOYMENT_URL" not in os.environ
        outcome = create_service(runtime="in_process").compute(
            {"module": "finance", "function": "npv", "args": [0.1, [-100, 60, 70]]}
        )
        assert outcome["status"] == "ok"
    assert dict(os.environ) == before
    assert not (tmp_path / "mine").exists()
    with own_home():
        assert device.require_device().id != first


def test_the_peak_of_memory_is_of_the_run_and_of_each_of_two_by_itself() -> None:
    large, small = best_beside(lambda: bytearray(200_000_000).count(1), lambda: bytearray(1_000).count(1), repeats=2)
    assert large.peak is not None
    assert small.peak is not None
    assert 190e6 < large.peak < 260e6
    assert small.peak < 20e6


def test_the_peak_of_a_process_is_its_own_and_not_that_of_the_one_that_started_it() -> None:
    held = bytearray(os.urandom(1) * 300_000_000)
    few = peak_of_process([sys.executable, "-S", "-c", "pass"])
    many = peak_of_process([sys.executable, "-S", "-c", "bytearray(100_000_000).count(1)"])
    assert len(held) == 300_000_000
    assert few is not None
    assert many is not None
    assert few < 60e6
    assert 95e6 < many - few < 110e6


def test_a_row_has_both_peaks_where_both_were_measured(capsys: pytest.CaptureFixture[str]) -> None:
    both = against("a", Measured(1.0, 12_000_000), ("other", Measured(2.0, 3_400_000)))
    one = within("b", Measured(1.0, 5_600_000), 2.0)
    assert (both.memory, one.memory, within("c", 1.0, 2.0).memory) == ("12 MB, peer 3.4 MB", "5.6 MB", "")
    assert (both.ratio, one.met) == (0.5, True)
    print_table([both, one])
    assert [line.split("MB")[0].split()[-1] for line in capsys.readouterr().out.splitlines()[1:]] == ["12", "5.6"]
