"""Copies of files in a private folder, read by the connectors of files; several of one format are one table."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError, SourceMalformedError, UnsupportedSourceError
from service_nb.readers.columns import TypedTable, find_arrow_type
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.delimited import UTF8_BOM, convert_to_utf8, find_header
from service_nb.readers.detect import BY_SUFFIX, read
from service_nb.readers.json_records import parse_document
from service_nb.readers.physical import normalise
from service_nb.readers.python_rows import read_columns
from service_nb.readers.source_files import read_bytes


class KeptPaths(tuple[str, ...]):  # noqa: SLOT001  # it has one attribute, which it could not have in slots
    """Paths whose folder is removed when nothing refers to them any more."""

    owner: _Owner


class _Owner:
    """An object that can be watched for its end, as a tuple cannot."""


def _keep_paths(folder: Path, paths: Iterable[str]) -> KeptPaths:
    kept = KeptPaths(paths)
    kept.owner = _Owner()
    weakref.finalize(kept.owner, shutil.rmtree, os.fspath(folder), ignore_errors=True)
    return kept


def read_copies(folder: Path, paths: Sequence[Path], options: ReadOptions) -> Dataset:
    """Read copies of one format as one table. The folder is removed: at once, or when Parquet in it is not needed.

    Raises what the reader of the files' format does.
    """
    kind = BY_SUFFIX[paths[0].suffix]
    if kind == "parquet":
        scanned = read(paths[0] if len(paths) == 1 else folder, options)
        return replace(scanned, parquet=_keep_paths(folder, scanned.parquet or ()))
    dataset = read(os.fspath(paths[0]), options) if len(paths) == 1 else _read_several(kind, folder, paths, options)
    shutil.rmtree(folder, ignore_errors=True)
    return dataset


def _read_several(kind: str, folder: Path, paths: Sequence[Path], options: ReadOptions) -> Dataset:
    match kind:
        case "delimited":
            return _join(folder, _read_texts(paths, options), paths, options)
        case "ndjson":
            lines = (read_bytes(path, options.limits.text_bytes, "text_bytes")[0] for path in paths)
            return _join(folder, (text.removeprefix(UTF8_BOM) for text in lines), paths, options)
        case "json_document":
            records = [record for path in paths for record in _read_records(path, options)]
            return read_columns(records, options).build_dataset()
        case "arrow_ipc":
            return _concatenate_files(paths, options).build_dataset()
    raise UnsupportedSourceError(
        "Several workbooks cannot be one source.", hint="Name one of them.", met=len(paths), expected="one workbook"
    )


def _join(folder: Path, texts: Iterable[bytes], paths: Sequence[Path], options: ReadOptions) -> Dataset:
    whole = folder / f"all{paths[0].suffix}"
    with whole.open("xb") as file:
        for text in texts:
            file.write(text if text.endswith(b"\n") or not text else text + b"\n")
    return read(os.fspath(whole), options)


def _read_texts(paths: Sequence[Path], options: ReadOptions) -> Iterable[bytes]:
    """The first text whole, of the others all but the header, which is the same."""
    if options.encoding is not None:
        raise InvalidIntentError(
            "Several texts are read as UTF-8 only.", hint="Name one of them, or store them as UTF-8.", path="encoding"
        )
    header: bytes | None = None
    for path in paths:
        text = convert_to_utf8(read_bytes(path, options.limits.text_bytes, "text_bytes")[0], None)
        start, end = find_header(text)
        if header is None:
            header = text[start:end]
            yield text
        elif text[start:end] != header:
            raise SourceMalformedError(
                f"{describe_value(path.name)} has another header than {describe_value(paths[0].name)}.",
                hint="All texts of a source have the same columns in the same order.",
                file=path.name,
            )
        else:
            yield text[end:].removeprefix(b"\r").removeprefix(b"\n")


def _read_records(path: Path, options: ReadOptions) -> list[object]:
    limits = options.limits
    data, _ = read_bytes(path, limits.json_bytes, "json_bytes")
    document = parse_document(data, limits)
    found = document.get("records", [document]) if isinstance(document, dict) else document
    if not isinstance(found, list):
        raise SourceMalformedError(
            f"{describe_value(path.name)} holds no list of objects.", expected="a list of objects"
        )
    return found


def _concatenate_files(paths: Sequence[Path], options: ReadOptions) -> TypedTable:
    parts = [read(path, options) for path in paths]
    for part, path in zip(parts, paths, strict=True):
        if part.fields != parts[0].fields:
            raise SourceMalformedError(
                f"{describe_value(path.name)} has a different schema than {describe_value(paths[0].name)}.",
                file=path.name,
            )
    schema = pa.schema([(field.name, find_arrow_type(field.physical)) for field in parts[0].fields])
    table = pa.concat_tables([part.table.cast(schema) for part in parts if part.table is not None])
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return TypedTable(parts[0].fields, normalise(table, options).table, notes)
