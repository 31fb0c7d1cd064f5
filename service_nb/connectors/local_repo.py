"""Repositories in folders of the machine that the deployment runs on."""

from __future__ import annotations

from service_nb.connectors.repositories import local_kind, read_folder
from service_nb.readers.base import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor

KIND = local_kind("local_repo", "repository")


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read one table of a repository: `files`, `commits` or `contributors`."""
    return read_folder(KIND, descriptor, options, deadline)
