"""Benchmarks measure what their rows say, for whoever runs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.__main__ import own_home
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
