"""Repositories in archives: zip, tar, tar.gz, tar.bz2, tar.xz."""

from __future__ import annotations

from service_nb.connectors.repositories import build_local

CONNECTOR = build_local("repo_archive", "archive of a repository", "archive", "a zip, tar, tar.gz, tar.bz2 or tar.xz")
