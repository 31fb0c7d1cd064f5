"""Specs of Playwright as tests: one server for each worker, one run of a browser for each file of specs."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.browser.jupyter import Server, served
from tests.browser.test_verify_in_browser import browser
from tests.deployment import test_serve
from tests.deployment.conftest import REACHABLE
from tests.deployment.deployments import deployed
from tests.deployment.served_records import records
from tests.tools import node

ROOT = Path(__file__).parents[2]
PATIENCE_S = 600
ENDED = re.compile(r"^\s+\d+ passed", re.MULTILINE)

Specs = Callable[..., str]


@pytest.fixture(scope="session")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab with the extension as the sources are now."""
    node.lab()
    with served(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="session")
def notebook7(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Notebook 7, as above."""
    node.lab()
    with served(tmp_path_factory.mktemp("notebook"), "notebook") as server:
        yield server


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """What makes a client one of a deployment that is served, and that has the sources `items` and `orders`."""
    config = deployed(tmp_path / "deployment", REACHABLE)
    bearer = test_serve.key(config)
    with records() as api, test_serve.served(config, bearer) as one, one.client() as client:
        for name in ("items", "orders"):
            made = client.post("/v1/sources", json={"name": name, "descriptor": api.descriptor()})
            assert made.is_success, made.text
        yield {"SERVICE_DEPLOYMENT_URL": one.url, "SERVICE_API_KEY": bearer}


@pytest.fixture
def run_specs(request: pytest.FixtureRequest) -> Specs:
    """Run a file of specs against a server; one that fails says at which step, and where the screenshot is."""
    name = re.sub(r"\W+", "-", request.node.name)
    output = ROOT / "build" / "ui-tests" / name

    def run(spec: str, server: Server, *options: str, **variables: str) -> str:
        playwright = node.build.MODULES / "@playwright" / "test" / "cli.js"
        command = [str(node.NODE.program), str(playwright), "test", "-c", "labextension/ui-tests/playwright.config.ts"]
        ran = subprocess.run(
            [*command, rf"ui-tests/{spec}\.spec\.ts$", *options],
            cwd=ROOT,
            env=_environment(server, output) | variables,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
        told = ran.stdout + ran.stderr
        assert ran.returncode == 0, f"{spec} failed; what was on the screen is in {output.relative_to(ROOT)}\n{told}"
        assert ENDED.search(told), f"{spec} ran no test:\n{told}"
        return told

    return run


def _environment(server: Server, output: Path) -> dict[str, str]:
    """No colour, no report that is opened, no browser that is fetched."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "CI")}
    return kept | {
        "PATH": os.pathsep.join([str(node.NODE.program.parent), os.environ.get("PATH", "")]),
        "NO_COLOR": "1",
        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
        "E2E_URL": server.url,
        "E2E_PROJECT": str(server.project),
        "E2E_OUTPUT": str(output),
        "E2E_SCREENSHOTS": str(ROOT / "build" / "screenshots"),
        "E2E_CHROMIUM": browser(),
    }
