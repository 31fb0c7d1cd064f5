"""A deployment that has bundles answers for a build service: what it selects is installed, and is what is wanted."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
import service_nb_kernels

from service_nb.runtimes.install import audit
from service_nb.runtimes.interface import get_platform_key
from service_nb.runtimes.manifest import get_python_key
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.selection import build_selection
from tests.deployment.deployments import QUIET, deployed
from tests.deployment.test_serve import Served, key, served
from tests.simulators.runtimes import MEMBERS, bundle

FILES = MEMBERS | {"kernels/service_nb_kernels/contract.json": service_nb_kernels.map_contract()[:]}
REQUEST = {
    "modules": ["finance"],
    "platform": get_platform_key(),
    "python": get_python_key(),
    "contract_hash": service_nb_kernels.contract_hash(),
    "client": "0.1.0",
}


def test_a_deployment_selects_what_a_client_installs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    whole = bundle(home, tmp_path / "bundles", FILES)
    config = deployed(tmp_path / "deployment", _configure(whole.parent))
    monkeypatch.setenv("SERVICE_HOME", str(home))
    with served(config, key(config)) as one:
        first, again = _ask(one), _ask(one)
        assert first.json() == again.json()
        assert _get(one, first.json()["url"]).content == build_selection(whole, ["finance"], tmp_path).path.read_bytes()
        monkeypatch.setenv("SERVICE_BUILD_SERVICE_URL", one.url)
        found = provision(["finance"])
    assert find_installed(["finance"]) == found
    assert audit(found) == []


def test_what_it_does_not_have_is_refused_in_words(tmp_path: Path) -> None:
    whole = bundle(tmp_path / "home", tmp_path / "bundles", FILES)
    config = deployed(tmp_path / "deployment", _configure(whole.parent))
    with served(config, key(config)) as one:
        told = [
            _ask(one, platform="linux-s390x"),
            _ask(one, modules=["fnance"]),
            _ask(one, modules=[]),
            _ask(one, more=1),
            _get(one, "bundles/" + "0" * 64 + ".tar"),
            _get(one, "bundles/..%2f..%2fdeployment.toml"),
        ]
    assert [(each.status_code, each.json()["code"]) for each in told] == [
        (501, "unsupported_platform"),
        *[(400, "invalid_intent")] * 3,
        *[(404, "route_not_found")] * 2,
    ]


def test_a_deployment_without_bundles_builds_nothing(tmp_path: Path) -> None:
    config = deployed(tmp_path / "deployment")
    with served(config, key(config)) as one:
        assert _ask(one).json()["code"] == "route_not_found"


def _configure(bundles: Path) -> str:
    return QUIET.replace("[runtime]", f"[runtime]\nbundles = {json.dumps(str(bundles))}")


def _ask(one: Served, **changes: object) -> httpx.Response:
    return httpx.post(f"{one.url}/v1/runtime/build", json=REQUEST | changes, timeout=60, trust_env=False)


def _get(one: Served, place: str) -> httpx.Response:
    return httpx.get(f"{one.url}/v1/runtime/{place}", timeout=60, trust_env=False)
