"""`service.toml`: where a project keeps the descriptors of its sources. Never data, never secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from service_nb.core.own_files import write_beside
from service_nb.errors import InvalidIntentError, SourceMalformedError, SourceNotFoundError, UnsupportedSourceError
from service_nb.readers.dataset import OPTION_KEYS
from service_nb.readers.misplaced_descriptors import refuse_address, refuse_descriptor

FILE_NAME = "service.toml"
DEPLOYMENT = "deployment"  # the key of a source that a deployment has: `deployment = true`, and its `dataset`


def find_project(start: Path) -> Path:
    """Return the folder that holds `service.toml`, searched upward from `start`; `start` itself if none does."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    return start


def read_descriptor(project: Path, name: str) -> dict[str, Any]:
    """Read the stored descriptor of a source and make its path absolute.

    Raises
    ------
    SourceNotFoundError [source_not_found]
        The project has no such source.
    """
    sources = _read_document(project).get("sources", {})
    entry = sources.get(name) if isinstance(sources, Mapping) else None
    if not isinstance(entry, Mapping):
        raise SourceNotFoundError(
            f"The project has no source named {name!r}.",
            hint="Pass the data to connect, and persist=True to save it.",
            met=name,
        )
    descriptor: dict[str, Any] = entry.unwrap() if hasattr(entry, "unwrap") else dict(entry)
    if descriptor.get(DEPLOYMENT) is True:
        if not isinstance(descriptor.get("dataset"), str):
            raise SourceMalformedError(
                f"{FILE_NAME}: the source {name!r} has no dataset.", met=name, expected="dataset"
            )
        return descriptor
    if not isinstance(descriptor.get("path"), str):
        refuse_descriptor(descriptor)
        raise SourceMalformedError(f"{FILE_NAME}: the source {name!r} has no path.", met=name, expected="path")
    refuse_address(descriptor["path"], ends_well=True)
    descriptor["path"] = str(project / descriptor["path"])
    return descriptor


def list_stored_names(project: Path) -> list[str]:
    """List the names of the sources in `service.toml`."""
    sources = _read_document(project).get("sources", {})
    return sorted(sources) if isinstance(sources, Mapping) else []


def describe_input(source: object, options: Mapping[str, object]) -> dict[str, object]:
    """Build the descriptor of an input that can be found again.

    Raises
    ------
    UnsupportedSourceError [unsupported_source]
        The input lives in memory only.
    """
    if isinstance(source, Mapping) and source.get("provider") == "sqlite":
        descriptor = {key: str(source[key]) for key in ("provider", "path", "table", "query") if source.get(key)}
    elif isinstance(source, str | os.PathLike):
        descriptor = {"path": os.fspath(source)}
    else:
        raise UnsupportedSourceError(
            "A source in memory cannot be saved in service.toml.",
            hint="Write it to a Parquet file and connect that.",
            expected="a path",
        )
    return descriptor | {key: options[key] for key in OPTION_KEYS if options.get(key)}


def persist(project: Path, name: str, descriptor: Mapping[str, Any], sha256: str | None) -> None:
    """Write or replace one source's descriptor, keeping the rest of the file as it is."""
    path = Path(descriptor["path"]).expanduser().resolve()
    root = project.resolve()
    kept = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    _write_entry(project, name, {**descriptor, "path": kept, "sha256": sha256})


def persist_live(project: Path, name: str, aliases: Mapping[str, str] | None) -> None:
    """Write that a source is on the deployment, which knows its connection and secrets."""
    _write_entry(project, name, {DEPLOYMENT: True, "dataset": name, "aliases": dict(aliases) if aliases else None})


def forget(project: Path, name: str) -> None:
    """Remove the descriptor of a source from the file; nothing happens if there is none."""
    document = _read_document(project)
    sources = document.get("sources")
    if isinstance(sources, MutableMapping) and name in sources:
        del sources[name]
        _replace_file(project / FILE_NAME, tomlkit.dumps(document).encode())


def _write_entry(project: Path, name: str, told: Mapping[str, object]) -> None:
    document = _read_document(project)
    entry = tomlkit.table()
    for key, value in told.items():
        if value is not None:
            entry[key] = value
    sources = document.setdefault("sources", tomlkit.table(is_super_table=True))
    if not isinstance(sources, Mapping):
        raise SourceMalformedError(f"{FILE_NAME}: `sources` must be a table.", expected="[sources.<name>]")
    sources[name] = entry  # type: ignore[index]
    try:
        data = tomlkit.dumps(document).encode()
    except UnicodeEncodeError as error:
        hint = "Rename the file, or connect it without persist=True."
        raise InvalidIntentError("The path is not valid text.", hint=hint, path="path") from error
    _replace_file(project / FILE_NAME, data)


def _read_document(project: Path) -> tomlkit.TOMLDocument:
    path = project / FILE_NAME
    if not path.is_file():
        return tomlkit.document()
    if path.stat().st_size > 1_000_000:
        raise InvalidIntentError(f"{FILE_NAME} is larger than 1 MB.", hint="The file holds descriptors only.")
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise SourceMalformedError(f"{FILE_NAME} is not valid TOML: {error}", expected="TOML") from error


def _replace_file(path: Path, data: bytes) -> None:
    try:
        with write_beside(path, data) as made:
            made.replace(path)
    except OSError as error:
        raise InvalidIntentError(
            f"{FILE_NAME} cannot be written: {error.strerror}.",
            hint="Connect without persist=True, or in a folder of yours.",
            path=FILE_NAME,
        ) from error
