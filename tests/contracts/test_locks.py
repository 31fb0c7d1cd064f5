"""What is installed, to develop and to deploy, is what the locks name, byte for byte."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ["requirements.lock", "requirements-build.lock", "deploy/requirements.lock"]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def declared(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[^A-Za-z0-9._-]", requirement)[0].rstrip(".")) for requirement in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes_and_none_names_an_index(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", "")
    entries = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert entries
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []
    assert "://" not in text
    assert "index" not in text


def test_every_declared_dependency_is_locked() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = document["project"]["optional-dependencies"]
    groups = document["dependency-groups"]
    runtime = [
        *document["project"]["dependencies"],
        *extras["polars"],
        *extras["lab"],
        *groups["test"],
        *groups["check"],
    ]
    assert declared(runtime) - locked("requirements.lock") == set()
    assert declared(groups["build"]) - locked("requirements-build.lock") == set()


def test_a_deployment_installs_what_is_developed_with_and_nothing_that_tests() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    deployed, developed = (
        set(re.findall(r"^[a-z0-9-]+==\S+", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
        for lock in ("deploy/requirements.lock", "requirements.lock")
    )
    extras = document["project"]["optional-dependencies"]
    assert deployed < developed
    assert declared(extras["server"]) <= locked("deploy/requirements.lock")
    assert not locked("deploy/requirements.lock") & {"pytest", "hypothesis", "jupyterlab", "mypy", "ruff"}
