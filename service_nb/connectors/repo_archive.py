"""Repositories in archives: zip, tar, tar.gz, tar.bz2, tar.xz."""

from __future__ import annotations

from service_nb.connectors import repository
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor

KIND = repository.local("repo_archive", "archive of a repository")


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read one table of a repository: `files`, `commits` or `contributors`."""
    return repository.read_archive(KIND, descriptor, options, deadline)
