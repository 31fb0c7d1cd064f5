"""Repositories of GitLab, and of self-hosted ones by their host."""

from __future__ import annotations

from service_nb.connectors.repositories import build_provider

CONNECTOR = build_provider("gitlab_repo", "GitLab", "gitlab.com", user="oauth2")
