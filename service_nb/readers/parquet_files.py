"""Parquet: a file, a folder or a glob of files with one schema, scanned in place by the engine and never loaded here.

Footers are parsed, the schemas compared, the bytes of all files hashed. What a footer claims beyond the schema is not
trusted: the engine decodes pages within its memory limit, and a page that breaks the format fails the question.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from service_nb.core.digest import FileDigest
from service_nb.core.words import describe_value
from service_nb.errors import (
    InvalidIntentError,
    LimitExceededError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.readers.columns import check_names, check_types, find_physical, limit_error, make_field, read_names
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.meaning import find_odd_extension
from service_nb.readers.physical import is_narrow, note_narrow, too_fine_error
from service_nb.readers.source_files import BLOCK, open_file
from service_nb.schema.reading_notes import write_note
from service_nb.schema.source import Content, Field, FileStamp, Limits

ENDINGS = (".parquet", ".pq")
WILDCARDS = "*?["


@dataclass(frozen=True, slots=True)
class _File:
    name: str  # relative to the folder, with forward slashes
    schema: pa.Schema
    rows: int
    stamp: FileStamp
    sha256: str | None


def read(source: str | os.PathLike[str], options: ReadOptions) -> Dataset:
    """Read the footers of one or many files."""
    root, paths = _find_files(os.fspath(source), options.limits)
    files = [_read_footer(path, root, options) for path in paths]
    schema = _check_one_schema(files)
    check_names(read_names(schema), options.limits)
    notes: list[str] = []
    fields = tuple(field for column in schema if (field := _read_field(column, notes)) is not None)
    if not fields:
        raise SourceMalformedError(
            "No column holds numbers, text, dates or booleans.", expected="a column to ask about"
        )
    _refuse_retyping(options, fields)
    told = [note_narrow(each.name, each.type) for each in schema if is_narrow(each.type)]
    return Dataset(
        fields=fields,
        row_count=sum(file.rows for file in files),
        content=_hash_files(files, single=root / Path(source).name == paths[0]),
        parquet=tuple(file.stamp.path for file in files),
        notes=(*notes, *(write_note(each.to_dict(), with_advice=True) for each in told)),
        reading_notes=tuple(told),
        stamps=tuple(file.stamp for file in files),
    )


def _find_files(pattern: str, limits: Limits) -> tuple[Path, list[Path]]:
    """Return the files, and the folder that their names are relative to."""
    path = Path(pattern).expanduser()
    if path.is_dir():
        root, found = path, _walk(path, limits)
    elif is_glob(pattern):
        root = Path(*takewhile(lambda part: not set(part) & set(WILDCARDS), path.parts[:-1]))
        found = root.glob(path.relative_to(root).as_posix())
    else:
        return path.parent, [path]
    paths = list(islice(found, limits.members + 1))
    if not paths:
        raise SourceNotFoundError(
            f"There are no Parquet files in {describe_value(path.name)}.",
            met=describe_value(path.name),
            expected="*.parquet",
        )
    if len(paths) > limits.members:
        raise _too_many_files_error(limits)
    return root, sorted(paths, key=lambda file: file.relative_to(root).as_posix())


def is_glob(pattern: str) -> bool:
    """Tell whether a path is a pattern: it holds a wildcard, and no file has that very name."""
    return bool(set(pattern) & set(WILDCARDS)) and not Path(pattern).expanduser().exists()


def _walk(folder: Path, limits: Limits) -> Iterator[Path]:
    """All Parquet files below a folder, without those that are hidden or start with `_`, as Spark's own."""
    seen = 0
    for parent, folders, names in os.walk(folder):  # which follows no symbolic link to another folder
        if "_delta_log" in folders:
            raise delta_table_error()
        folders[:] = sorted(filter(is_visible, folders))
        seen += len(names) + len(folders)
        if seen > limits.members:
            raise _too_many_files_error(limits)
        yield from (Path(parent, name) for name in names if name.lower().endswith(ENDINGS) and is_visible(name))


def is_visible(name: str) -> bool:
    """Tell whether a file is data: neither hidden nor a marker that Spark and others write."""
    return bool(name) and not name.startswith((".", "_"))


def delta_table_error() -> UnsupportedSourceError:
    """Build the error of a folder that holds the log of a Delta table."""
    message = "There is a Delta table, whose log says which files are valid."
    return UnsupportedSourceError(message, hint="Export it to Parquet.", met="_delta_log")


def _too_many_files_error(limits: Limits) -> LimitExceededError:
    hint = "Raise Limits(members=…), or write fewer and larger files."
    return limit_error("members", limits.members, limits.members + 1, "There are more files", hint)


def _read_footer(path: Path, root: Path, options: ReadOptions) -> _File:
    name = path.relative_to(root).as_posix()
    refuse_partition(name)
    with open_file(path) as (stream, stamp):
        with _translate_faults(name):
            # INT96 times are taken as microseconds, as the engine takes them.
            metadata = pq.ParquetFile(stream, coerce_int96_timestamp_unit="us")
            schema, rows = metadata.schema_arrow, metadata.metadata.num_rows
            groups = [metadata.metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
            if rows < 0 or min(groups, default=0) < 0 or sum(groups) != rows:
                raise pa.ArrowInvalid("row counts that contradict each other")
            _refuse_finer_than_microseconds(metadata, schema)
        sha256 = None if options.defer_digest else _hash_stream(stream)
    return _File(name, schema, rows, stamp, sha256)


def _hash_stream(stream: IO[bytes]) -> str:
    state = FileDigest()
    stream.seek(0)
    while block := stream.read(BLOCK):
        state.update(block)
    return state.hexdigest()


def refuse_partition(name: str) -> None:
    """Refuse a file whose folders hold a value, as `year=2024`, that is not in it. Raises `unsupported_source`."""
    if "=" in name.rpartition("/")[0]:
        raise UnsupportedSourceError(
            f"{describe_value(name)} is in a partition folder, whose value is not in the file.",
            hint="Write the partition column into the files, or connect one partition's folder.",
            met=describe_value(name),
        )


@contextmanager
def _translate_faults(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise SourceMalformedError(
            f"{describe_value(name)} is not a valid Parquet file.",
            met=type(error).__name__,
            expected="a Parquet file",
            file=name,
        ) from error


def _check_one_schema(files: Sequence[_File]) -> pa.Schema:
    first = files[0]
    for file in files[1:]:
        if file.schema.equals(first.schema, check_metadata=False):
            continue
        ours = {field.name: str(field.type) for field in file.schema}
        theirs = {field.name: str(field.type) for field in first.schema}
        odd = next((name for name in {**theirs, **ours} if ours.get(name) != theirs.get(name)), None)
        raise SourceMalformedError(
            f"{describe_value(file.name)} has a different schema than {describe_value(first.name)}.",
            hint="All files of a source need the same columns, with the same types, in the same order.",
            file=file.name,
            column=odd,
            met=ours.get(odd, "no such column") if odd else "another order",
            expected=theirs.get(odd, "no such column") if odd else "the same order",
        )
    return first.schema


def _read_field(column: pa.Field, notes: list[str]) -> Field | None:
    """The field of a column, None with a note for what no question can be about."""
    physical = find_physical(column.type)
    odd = None if physical is None else find_odd_extension(column)  # of nothing nested, however deep
    if physical is None or odd is not None:
        notes.append(f"{column.name}: left out, because values of type {odd or column.type} cannot be queried.")
        return None
    is_zoned = pa.types.is_timestamp(column.type) and column.type.tz is not None
    if is_zoned:
        notes.append(f"{column.name}: times with a time zone are converted to UTC.")
    return make_field(column.name, physical, is_zoned=is_zoned)


def _refuse_finer_than_microseconds(file: pq.ParquetFile, schema: pa.Schema) -> None:
    """The engine cuts nanoseconds off; so a column in nanoseconds is read, and must have none to cut."""
    fine = [field.name for field in schema if pa.types.is_timestamp(field.type) and field.type.unit == "ns"]
    if not fine:
        return
    for batch in file.iter_batches(columns=fine):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if not pa.types.is_timestamp(column.type):
                raise pa.ArrowInvalid("a column of another type than the schema says")
            whole = pc.cast(column, pa.timestamp("us", column.type.tz), safe=False)
            if not pc.all(pc.equal(whole.cast(column.type), column), min_count=0).as_py():
                raise too_fine_error(name, str(column.type), "in the file")


def _refuse_retyping(options: ReadOptions, fields: Sequence[Field]) -> None:
    known = {field.name: field for field in fields}
    for name, declared in check_types(options.types, list(known)).items():
        if declared not in (known[name].type, known[name].physical):
            raise InvalidIntentError(
                f"Parquet files declare their types: {describe_value(name)} is {known[name].physical}, not {declared}.",
                hint="Convert the file, or connect it as a frame.",
                path="types",
                met=declared,
                expected=known[name].physical,
            )


def _hash_files(files: Sequence[_File], *, single: bool) -> Content:
    """Of one file, the digest of its bytes; of several, that of the list that `sha256sum` prints for them."""
    size = sum(file.stamp.size for file in files)
    if single:
        return Content(algorithm="sha256-file", sha256=files[0].sha256, size=size)
    if any(file.sha256 is None for file in files):
        return Content(algorithm="sha256-files", sha256=None, size=size)
    state = FileDigest()
    for file in files:
        state.update(f"{file.sha256}  {file.name}\n".encode())
    return Content(algorithm="sha256-files", sha256=state.hexdigest(), size=size)
