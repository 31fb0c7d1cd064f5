"""The container file, step by step, without a container: what it installs serves, is healthy and drains."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.debian import PACKAGES
from tests.servers.process import end, free_port

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy" / "Containerfile"


def instructions() -> list[tuple[str, str]]:
    """What the file says: each instruction and the rest of its line."""
    text = "\n".join(line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(verb, rest) for verb, _, rest in (line.partition(" ") for line in lines) if verb]


def only(verb: str, at: int = 0) -> str:
    """The rest of one instruction."""
    return [rest for each, rest in instructions() if each == verb][at]


@dataclass(frozen=True)
class Image:
    """The folders that stand for the image's."""

    folder: Path
    port: int

    def placed(self, text: str) -> str:
        """Return words of the file as they are here."""
        places = {
            "/opt/service-nb": self.folder / "opt",
            "/opt/build": self.folder / "build",
            "/opt/wheels": self.folder / "wheels",
            "/source": self.folder / "source",
            "/var/lib/service-nb": self.folder / "state",
        }
        for there, here in places.items():
            text = text.replace(there, str(here))
        return text.replace(":8765", f":{self.port}").replace("--host 0.0.0.0", f"--host 127.0.0.1 --port {self.port}")

    def run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        """Run words in the image's working folder, with what it says of the environment."""
        name, _, value = only("ENV").partition("=")
        environment = {"PATH": os.environ["PATH"], name: self.placed(value)}
        return subprocess.run(
            words, cwd=self.placed(only("WORKDIR")), env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    made = Image(tmp_path_factory.mktemp("image"), free_port())
    for name in ("source", "state"):
        (made.folder / name).mkdir()
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", made.folder / "source"], input=archive, check=True)
    assert only("COPY") == ". /source"
    build = made.placed(only("RUN")).replace("python -m venv", f"{shlex.quote(sys.executable)} -m venv")
    done = made.run(["sh", "-ec", build])
    assert done.returncode == 0, done.stderr[-4_000:]
    return made


def test_it_is_of_no_other_user_and_has_what_drivers_want() -> None:
    verbs = [verb for verb, _ in instructions()]
    assert verbs.index("USER") < verbs.index("CMD")
    assert only("USER") == "service-nb"
    assert all(package in only("RUN", 1) for package in PACKAGES["odbc"])


def test_what_it_starts_makes_its_configuration_once_is_healthy_and_drains(image: Image) -> None:
    health = json.loads(image.placed(only("HEALTHCHECK").partition("CMD ")[2]))
    assert image.run(health).returncode != 0
    name, _, value = only("ENV").partition("=")
    words = json.loads(image.placed(only("CMD")))
    keys = []
    for _ in range(2):
        process = subprocess.Popen(
            words,
            cwd=image.placed(only("WORKDIR")),
            env={"PATH": os.environ["PATH"], name: image.placed(value)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            until = time.monotonic() + 300
            while image.run(health).returncode:
                assert process.poll() is None
                assert time.monotonic() < until
            process.send_signal(getattr(signal, only("STOPSIGNAL")))
            assert process.wait(120) == 0
        finally:
            end(process)
        keys.append((image.folder / "state" / "master.key").read_bytes())
    assert keys[0] == keys[1]


def test_the_runtime_is_installed_into_the_volume(image: Image) -> None:
    program = str(image.folder / "opt" / "bin" / "service-nb")
    done = image.run([program, "runtime", "install"])
    assert done.returncode == 0, done.stderr
    assert any((image.folder / "state" / "home").iterdir())
