"""A real Jupyter server for a browser: own folders, own port, the extension as it was built, nothing of the user.

`python -m tests.browser.jupyter FOLDER` starts one by hand and prints its address and the variables that specs read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.process import free_port
from tests.tools.programs import WITHOUT_IRIS

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "service_nb" / "_labextension"
NAME = "@service-nb/lab"
MODULES = {"lab": "jupyterlab", "notebook": "notebook"}
STARTS_IN_S = 300
ENDS_IN_S = 20
DEVICE_KEY = "dGhlIGRldmljZSBrZXkgb2YgdGhlIHRlc3RzLCAzMkI="  # 32 bytes that open nothing else
DEVICE = "Dhtx7Dy12w2Md/GeUwAUhb9n4xrHEPHiifmr4B3YnaA="  # its public key
RUNTIME_HOME = ROOT / "build" / "test-home"  # where the managed runtime of all tests is installed

# The root has Jupyter refuse to start unless it is allowed, as in a container. Hidden files hold the ledger.
CONFIGURATION = """
from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)
c.ServerApp.port = {port}
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.allow_root = True
c.ServerApp.root_dir = {project!r}
c.ServerApp.local_hostnames = ["localhost", "127.0.0.1", "notebooks.corp.test"]
c.ContentsManager.allow_hidden = True
c.LabApp.workspaces_dir = {workspaces!r}
c.LabApp.news_url = None
c.JupyterNotebookApp.expose_app_in_browser = True
c.FileContentsManager.delete_to_trash = False
"""


@dataclass(frozen=True)
class Server:
    """A server that answers: `application` is `lab` or `notebook`, `project` the folder that it serves."""

    application: str
    port: int
    project: Path
    said: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def served(folder: Path, application: str = "lab") -> Iterator[Server]:
    """Start a server whose every file is below `folder`, and stop it with all that it has started."""
    port = free_port()
    project = folder / "project"
    for path in (project, folder / "workspaces", folder / "home"):
        path.mkdir(parents=True, exist_ok=True)
    _link_extension(folder)
    configuration = folder / "jupyter_config.py"
    configuration.write_text(
        CONFIGURATION.format(port=port, project=str(project), workspaces=str(folder / "workspaces")), encoding="utf-8"
    )
    said = folder / f"{application}.log"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                {"lab": "jupyterlab", "notebook": "notebook"}[application],
                f"--config={configuration}",
            ],
            cwd=project,
            env=environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        server = Server(application, port, project, said)
        try:
            _wait(server, process)
            yield server
        finally:
            _end(process)


def environment(folder: Path) -> dict[str, str]:
    """What the server and its kernels see: no folder of the user, a device key, a ledger beside the project."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "SERVICE_", "XDG_"))}
    return kept | {
        "HOME": str(folder / "home"),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels"), str(WITHOUT_IRIS)]),
        "SERVICE_DEVICE_KEY": DEVICE_KEY,
        "SERVICE_HOME": str(RUNTIME_HOME),
        "SERVICE_LEDGER": str(folder / "ledger"),
        "SERVICE_RUNTIME_IDLE_MINUTES": "3",
    }


def _link_extension(folder: Path) -> None:
    """Let this server find the extension whether or not the environment links it."""
    place = folder / "data" / "labextensions" / NAME
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(EXTENSION)
    enabled = folder / "config" / "jupyter_server_config.d" / "service_nb.json"
    enabled.parent.mkdir(parents=True, exist_ok=True)
    enabled.unlink(missing_ok=True)
    enabled.symlink_to(ROOT / "labextension" / "jupyter-config" / "service_nb.json")


def _wait(server: Server, process: subprocess.Popen[Any]) -> None:
    until = time.monotonic() + STARTS_IN_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/api", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{server.said.read_text(errors='replace')[-4000:]}")


def _end(process: subprocess.Popen[Any]) -> None:
    process.terminate()  # the server ends its kernels
    try:
        process.wait(ENDS_IN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    application = sys.argv[2] if len(sys.argv) > 2 else "lab"
    with served(folder, application) as server:
        print(f"E2E_URL={server.url} E2E_PROJECT={server.project}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            shutil.rmtree(folder / "workspaces", ignore_errors=True)


if __name__ == "__main__":
    main()
