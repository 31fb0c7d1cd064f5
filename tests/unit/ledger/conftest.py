"""Ledgers of the tests lie in folders of their own, and so does what is remembered of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from service_nb.ledger.store import Ledger
from tests.simulators.ledgers import Key


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project" / ".service"


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    key = Key()
    return Ledger(folder, lambda: key)
