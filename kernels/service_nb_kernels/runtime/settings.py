"""What a runtime is told when it is started: by its starter on the command line, by the front to its workers."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

GIB = 2**30
SOCKET, CALLS = "socket", "calls"  # what gRPC listens on, and what takes calls as frames


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One runtime."""

    instance: str  # of this runtime, at random
    folder: str  # where its socket, token and lock are
    bundle_version: str
    bundle_sha256: str
    kernel_build: str
    platform: str
    architecture: str
    modules: tuple[str, ...] = ()  # fields that are served; empty is all
    profile: str = "portable"  # which pins were set: x86_64-v3, or none
    idle_s: float = 3_600.0
    workers: int = 2
    memory_bytes: int = 4 * GIB  # address space of one worker
    cpu_s: int = 3_600  # of one call

    def to_text(self) -> str:
        """The settings as one argument."""
        return json.dumps(asdict(self))

    @property
    def path(self) -> Path:
        """The runtime's folder."""
        return Path(self.folder)


def socket_address(folder: Path, name: str = SOCKET) -> str:
    """The address of a runtime's socket; an address is a URI, in which a path may not stand as it is."""
    return f"unix:{quote(os.fsencode(folder / name))}"


def from_text(text: str) -> Settings:
    """Return the settings that a text holds."""
    table = json.loads(text)
    return Settings(**{**table, "modules": tuple(table["modules"])})
