"""Repositories in folders of the machine that the deployment runs on."""

from __future__ import annotations

from service_nb.connectors.repositories import build_local

CONNECTOR = build_local("local_repo", "repository", "path", "the folder that holds .git, or a bare repository")
