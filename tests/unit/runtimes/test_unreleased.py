"""A package that was built of a checkout, and no release, finds what its runtime is made of."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from service_nb.runtimes import checkout

ROOT = Path(__file__).parents[3]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site-packages" / "service_nb" / "runtimes"
    folder.mkdir(parents=True)
    monkeypatch.setattr(checkout, "__file__", str(folder / "checkout.py"))
    return folder


def test_the_lock_is_packed_where_it_is_looked_for(package: Path) -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    (place,) = wheel["force-include"].values()
    carried = package.parents[1] / place
    carried.touch()
    assert checkout.find_checkout_lock() == carried


def test_a_package_without_a_lock_has_none(package: Path) -> None:
    assert checkout.find_checkout_lock() is None


def test_signed_manifests_count_for_more_than_a_lock(package: Path) -> None:
    (package / "requirements.lock").touch()
    (package / "manifests").mkdir()
    assert checkout.find_checkout_lock() is None


def test_a_checkout_has_its_own() -> None:
    assert checkout.find_checkout_lock() == ROOT / "requirements.lock"
