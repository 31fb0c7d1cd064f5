"""Deployments that tests make: a folder with a configuration, a master key and a store."""

from __future__ import annotations

from pathlib import Path

from service_nb.server.config import Config, read_config
from service_nb.server.upkeep import create_deployment

QUIET = """
[server]
data = "data"
[ledger]
enabled = false
[runtime]
kind = "in_process"
allow_in_process = true
"""


def deployed(folder: Path, text: str = QUIET) -> Config:
    """Make a deployment in a folder and return its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "deployment.toml"
    path.write_text(text, encoding="utf-8")
    create_deployment(path)
    return read_config(path)
