"""A notebook of 300 signed cards, opened and verified in JupyterLab; beside the same outputs without the cards."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.browser.bundle import MOST, script_sizes, style_size
from benchmarks.browser.notebook import two_notebooks
from benchmarks.measure import Row, against, duration
from typescript import build

PROBE = Path(__file__).parent / "browser" / "probe.mjs"
CARDS = 300
LONGEST = 0.050  # of the main thread, in one task
MORE = 1.0  # seconds
ROUNDS = 5
PATIENCE = 120
SETTINGS = {"@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false"}}


def main() -> list[Row]:
    build.link()
    browser = shutil.which("chromium")
    if browser is None:
        raise AssertionError("install Debian's package chromium")
    with tempfile.TemporaryDirectory() as folder:
        names = write_notebooks(Path(folder))
        with jupyterlab(Path(folder)) as url:
            timed = probe(url, browser, "timed", names * ROUNDS)
            traced = probe(url, browser, "traced", names)
    for run in timed + traced:
        if run["cards"] != run["verified"] or (run["notebook"] == names[0]) != (run["cards"] == CARDS):
            raise AssertionError(f"the notebook of the benchmark is not shown as it should be: {run}")
    return [*speed(*(fastest(timed, name) for name in names)), *work(*traced), *size()]


def fastest(runs: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the run of a notebook that met the least of what disturbs."""
    return min((run for run in runs if run["notebook"] == name), key=lambda run: run["ready"])


def speed(ours: dict[str, Any], plain: dict[str, Any]) -> Iterator[Row]:
    """Yield what opening takes more with cards, and the parts of it."""
    took, peer = ours["ready"] / 1000, plain["ready"] / 1000
    what = f"open {CARDS} cards in JupyterLab, all verified"
    met = took - peer <= MORE
    yield against(what, took, ("HTML alone", peer))._replace(bar=f"<= {MORE:g} s more", met=met)
    for part, bare in plain["parts"].items():
        yield against(f"{what}: {part} of that", ours["parts"][part] / 1000, ("HTML alone", bare / 1000))


def work(ours: dict[str, Any], plain: dict[str, Any]) -> Iterator[Row]:
    """Yield what a profiler counts of the main thread, which it slows."""
    what = f"open {CARDS} cards in JupyterLab, profiled"
    busy, bare, longest = ours["busy"] / 1000, plain["busy"] / 1000, ours["longest"] / 1000
    yield against(f"{what}: work of the main thread", busy, ("HTML alone", bare))
    share = f"{duration(ours['total'] / 1000)} in all"
    yield Row(
        f"{what}: our longest task", duration(longest), share, bar=f"<= {duration(LONGEST)}", met=longest <= LONGEST
    )


def size() -> Iterator[Row]:
    """Yield what is loaded for the first card."""
    scripts = sum(script_sizes(build.LAB).values())
    yield Row(
        "scripts of the renderer, gzip", f"{scripts / 1000:.1f} kB", bar=f"<= {MOST // 1000} kB", met=scripts <= MOST
    )
    yield Row("style sheets, gzip", f"{style_size(build.LAB) / 1000:.1f} kB")


def write_notebooks(folder: Path) -> list[str]:
    """Write the notebook of cards and the plain one; return their names."""
    names = ["cards.ipynb", "plain.ipynb"]
    for name, notebook in zip(names, two_notebooks(CARDS, folder / "ledger"), strict=True):
        (folder / name).write_text(json.dumps(notebook), encoding="utf-8")
    return names


def probe(url: str, browser: str, kind: str, names: list[str]) -> list[dict[str, Any]]:
    """Open notebooks one after the other, each in a browser's own profile, and return what was met."""
    return list(json.loads(build.a_node().run(PROBE, url, browser, str(CARDS), kind, *names)))


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """Serve a folder by a JupyterLab with no settings but our own; yield its address."""
    port = _free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True", f"--ServerApp.root_dir={folder}"]
    with Path(folder, "jupyterlab.log").open("wb") as log:
        server = subprocess.Popen(command, env=_own_home(folder / "home"), stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(f"{url}/api", server)
            yield url
        finally:
            server.terminate()
            server.wait(PATIENCE)


def _own_home(home: Path) -> dict[str, str]:
    folders = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    folders |= {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces"}
    for name, content in SETTINGS.items():
        path = home / "settings" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return os.environ | {variable: str(home / name) for variable, name in folders.items()}


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(PATIENCE * 10):
        if server.poll() is not None:
            raise AssertionError("JupyterLab did not start")
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310  # our own server
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("JupyterLab does not answer")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
