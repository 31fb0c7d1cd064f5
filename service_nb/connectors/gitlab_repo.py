"""Repositories of GitLab, and of self-hosted ones by their host."""

from __future__ import annotations

from service_nb.connectors import repository
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor

HOME = "gitlab.com"
KIND = repository.provider("gitlab_repo", "GitLab", HOME)


def hosts(descriptor: Descriptor) -> tuple[str, ...]:
    """Return where it is fetched from."""
    return repository.hosts(descriptor, HOME)


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read one table of a repository: `files`, `commits` or `contributors`."""
    return repository.fetched(KIND, descriptor, options, deadline, home=HOME, user="oauth2")
