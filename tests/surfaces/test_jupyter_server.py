"""The part of the Jupyter server, in a real one: it tells whose keys are known, to whoever is logged in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.browser.jupyter import DEVICE, DEVICE_KEY, ROOT
from tests.servers.process import free_port

TOKEN = "known-to-the-tests-alone"
STARTS_IN_S = 120
OTHER = "3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiA="


class Asked(NamedTuple):
    """A server that answers, and the folder that holds the configuration of its user."""

    url: str
    home: Path

    def keys(self, **headers: str) -> tuple[int, Any]:
        request = urllib.request.Request(f"{self.url}service-nb/keys", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def known(self) -> Any:
        status, known = self.keys(Authorization=f"token {TOKEN}")
        assert status == 200
        return known


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("server")
    home = folder / "home"
    enabled = folder / "config" / "jupyter_server_config.d" / "service_nb.json"
    enabled.parent.mkdir(parents=True)
    enabled.symlink_to(ROOT / "labextension" / "jupyter-config" / "service_nb.json")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "SERVICE_"))}
    environment = kept | {
        "HOME": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "JUPYTER_TOKEN": TOKEN,
        "PYTHONPATH": str(ROOT),
        "SERVICE_HOME": str(home),
        "SERVICE_DEVICE_KEY": DEVICE_KEY,
    }
    port = free_port()
    command = ["-m", "jupyter_server", "--allow-root", f"--port={port}", f"--ServerApp.root_dir={folder}"]
    process = subprocess.Popen(
        [sys.executable, *command, "--ServerApp.port_retries=0", "--ServerApp.base_url=/of/a/hub/"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    asked = Asked(f"http://127.0.0.1:{port}/of/a/hub/", home)
    try:
        _wait(asked)
        yield asked
    finally:
        process.terminate()
        process.wait(20)


def _wait(asked: Asked) -> None:
    until = time.monotonic() + STARTS_IN_S
    while not _answers(asked):
        assert time.monotonic() < until, "the server did not start"
        time.sleep(0.1)


def _answers(asked: Asked) -> bool:
    try:
        with urllib.request.urlopen(f"{asked.url}api", timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


def test_the_key_of_this_device_is_known_without_a_kernel_and_without_configuration(server: Asked) -> None:
    assert server.known() == {"own": [DEVICE], "trusted": [], "faults": []}


def test_the_keys_that_its_user_trusts_are_known_with_their_names(server: Asked) -> None:
    store = server.home / "config" / "trusted-keys"
    store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    store.write_text(f"# colleagues\n{OTHER} # Ada\n", encoding="utf-8")
    try:
        assert server.known()["trusted"] == [{"key": OTHER, "name": "Ada"}]
        store.unlink()
        store.mkdir()
        known = server.known()
        assert known["own"] == [DEVICE]
        assert known["trusted"] == []
        assert len(known["faults"]) == 1
    finally:
        store.rmdir() if store.is_dir() else store.unlink(missing_ok=True)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "token another"}], ids=["no token", "another token"])
def test_nothing_is_told_to_whoever_is_not_logged_in(server: Asked, headers: dict[str, str]) -> None:
    status, answer = server.keys(**headers)
    assert status == 403
    assert DEVICE not in json.dumps(answer)


def test_a_page_of_another_origin_is_told_nothing(server: Asked) -> None:
    status, answer = server.keys(Authorization="token another", Origin="http://elsewhere.test")
    assert status in (403, 404)
    assert DEVICE not in json.dumps(answer)


def test_no_secret_is_among_what_is_told(server: Asked) -> None:
    assert DEVICE_KEY not in json.dumps(server.known())
