"""Repositories of GitHub, and of GitHub Enterprise by its host."""

from __future__ import annotations

from service_nb.connectors.repositories import build_provider

CONNECTOR = build_provider("github_repo", "GitHub", "github.com", user="x-access-token")
