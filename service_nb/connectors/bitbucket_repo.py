"""Repositories of Bitbucket, and of Bitbucket Data Center by its host."""

from __future__ import annotations

from service_nb.connectors.repositories import build_provider

CONNECTOR = build_provider("bitbucket_repo", "Bitbucket", "bitbucket.org", user="x-token-auth")
