"""Repositories in archives: zip, tar, tar.gz, tar.bz2, tar.xz."""

from __future__ import annotations

from service_nb.connectors.repositories import local_kind, read_archive
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor

KIND = local_kind("repo_archive", "archive of a repository")


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read one table of a repository: `files`, `commits` or `contributors`."""
    return read_archive(KIND, descriptor, options, deadline)
