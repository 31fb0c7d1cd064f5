"""Repositories of GitLab, and of self-hosted ones by their host."""

from __future__ import annotations

from service_nb.connectors.repositories import fetch_repository, find_repository_hosts, provider_kind
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor

HOME = "gitlab.com"
KIND = provider_kind("gitlab_repo", "GitLab", HOME)


def hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where it is fetched from."""
    return find_repository_hosts(descriptor, HOME)


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read one table of a repository: `files`, `commits` or `contributors`."""
    return fetch_repository(KIND, descriptor, options, deadline, home=HOME, user="oauth2")
