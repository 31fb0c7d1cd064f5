"""Choose the reader of an input by its form and the file's ending, never by guessing at its content."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError, UnsupportedSourceError
from service_nb.readers.dataset import FORM, Dataset, ReadOptions
from service_nb.readers.misplaced_descriptors import is_json, refuse_address, refuse_descriptor, refuse_read
from service_nb.readers.source_files import find_file
from service_nb.schema.source import Limits


class Reader(NamedTuple):
    """The reader of one kind of input: `module:function` of this room, imported on first use for its heavy drivers."""

    function: str
    endings: tuple[str, ...] = ()  # of files
    options: tuple[str, ...] = ()  # beside `types` and `limits`
    is_checked: bool = False  # whether it refuses a connector's descriptor before it reads


_TEXT = ("delimiter", "encoding", "nulls", *FORM)
READERS = {
    "delimited": Reader("delimited:read", (".csv", ".tsv", ".tab", ".psv", ".txt"), _TEXT),
    "json_document": Reader("json_records:read_json", (".json",), FORM),
    "ndjson": Reader("json_records:read_lines", (".ndjson", ".jsonl"), FORM),
    "excel": Reader("excel:read", (".xlsx", ".xlsm"), ("sheet", *FORM)),
    "parquet": Reader("parquet_files:read", (".parquet", ".pq"), ("defer_digest",)),
    "arrow_ipc": Reader("arrow_ipc:read", (".arrow", ".feather", ".ipc")),
    "frame": Reader("frame:read"),
    "rows": Reader("python_rows:read", options=FORM, is_checked=True),
    "sqlite": Reader("sqlite_files:read", is_checked=True),
}
BY_SUFFIX = {ending: kind for kind, reader in READERS.items() for ending in reader.endings}
WILDCARDS = "*?["
SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
MOST_NAMED = 20  # tables of a database in an error
_ADDRESS_LIKE = "://"
_TYPED = (
    "Its columns have their types already: leave the option out. Texts are read by it in CSV, JSON and Excel files."
)
_OPTIONS = ("sheet", "delimiter", "encoding", "nulls", "defer_digest")  # beside those of FORM
PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".tar", ".7z")


def read(source: object, options: ReadOptions) -> Dataset:
    """Read an input of any form by the connector that is made for it.

    Raises `unsupported_source`, `invalid_intent`.
    """
    kind = choose_reader(source)
    reader = READERS[kind]
    given = [name for name in _OPTIONS if getattr(options, name)] + [name for name in FORM if name in options.reading]
    for name in given:
        if name not in reader.options:
            raise InvalidIntentError(
                f"The option {name} does not apply to this kind of input.",
                hint=_TYPED if name in FORM else None,
                path=name,
                met=kind.replace("_", " "),
            )
    if reader.is_checked:
        refuse_descriptor(source)
    module, _, function = reader.function.partition(":")
    dataset: Dataset = getattr(importlib.import_module(f"service_nb.readers.{module}"), function)(source, options)
    if not reader.is_checked:
        refuse_read(dataset)
    return dataset


def choose_reader(source: object) -> str:
    """Return the name of the connector for an input."""
    if isinstance(source, str | os.PathLike):
        return _choose_by_path(source)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return "frame"  # asked first: an outcome is a dict too, but its rows are what is meant
    if isinstance(source, Mapping):
        return "sqlite" if "provider" in source else "rows"
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        return "rows"
    raise UnsupportedSourceError(
        f"An input {describe_value(source)} cannot be connected.",
        hint="Pass a path, a frame of pandas, Polars or Arrow, a list of dicts, or {'provider': 'sqlite', …}.",
        met=type(source).__name__,
    )


def _choose_by_path(source: str | os.PathLike[str]) -> str:
    text = os.fsdecode(source)
    if not text.strip():
        raise UnsupportedSourceError("The path is empty.", hint="Name a file.", met="no path")
    if is_json(text):
        raise UnsupportedSourceError(
            "This is JSON, and no path.",
            hint="Connect the value: connect(json.loads(text), name=…); in a notebook put it into a variable and write"
            " %service_connect NAME $variable. Or write it to a file that ends in .json.",
            met="JSON",
            expected="a path",
        )
    path = Path(text)
    suffix = path.suffix.lower()
    refuse_address(text, ends_well=suffix in BY_SUFFIX or _is_folder(path))
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if _is_folder(path) or any(char in path.name for char in WILDCARDS):
        return "parquet"
    if suffix in SQLITE:
        raise _several_tables_error(path.name, ())
    name = describe_value(path.name)
    if suffix == ".toml":
        hint = f"If it holds a connector's descriptor, pass it as connector={name}."
        raise UnsupportedSourceError(f"{name} is not data: a TOML file holds settings.", hint=hint, met=suffix)
    if suffix in PACKED:
        raise UnsupportedSourceError(f"{name} is compressed.", hint="Unpack it first.", met=suffix)
    if suffix == ".xls":
        raise UnsupportedSourceError(f"{name} is in the format before 2007.", hint="Save it as .xlsx.", met=suffix)
    raise _unknown_ending_error(path)


def find_table_of(source: object, limits: Limits) -> object:
    """Return an input as it is meant: of a path to a SQLite database that has one table, that table.

    Raises `unsupported_source`.
    """
    if not isinstance(source, str | os.PathLike):
        return source
    text = os.fsdecode(source)
    if not text.lower().endswith(SQLITE) or _ADDRESS_LIKE in text or not Path(text).expanduser().is_file():
        return source
    # Lazy: a session without databases loads none of their drivers.
    from service_nb.readers.sqlite_files import list_tables  # noqa: PLC0415

    names = list_tables(find_file(text), limits)
    if len(names) != 1:
        raise _several_tables_error(Path(text).name, names)
    return {"provider": "sqlite", "path": text, "table": names[0]}


def _several_tables_error(name: str, tables: Sequence[str]) -> UnsupportedSourceError:
    listed = f" It has {', '.join(map(describe_value, tables[:MOST_NAMED]))}." if tables else ""
    table = tables[0] if tables else "…"
    return UnsupportedSourceError(
        f"{describe_value(name)} is a SQLite database: choose a table or a query of it.{listed}",
        hint=f"Pass {{'provider': 'sqlite', 'path': {name!r}, 'table': {table!r}}}.",
        met=Path(name).suffix.lower(),
        **({"tables": list(tables[:MOST_NAMED])} if tables else {}),
    )


def _unknown_ending_error(path: Path) -> UnsupportedSourceError:
    """Return the error of a file whose ending tells no format, with the file that may be meant."""
    beside = [path.with_suffix(ending) for ending in BY_SUFFIX] if path.name.strip(".") else []
    there = [each.name for each in beside if _is_file(each)]
    endings = find_nearest(path.suffix.lower(), list(BY_SUFFIX)) if path.suffix else []
    if there:
        hint = f"Did you mean {describe_value(str(path.with_name(there[0])) if not path.is_absolute() else there[0])}?"
    elif endings:
        hint = f"Did you mean the ending {endings[0]}?" + (" Then rename the file." if _is_file(path) else "")
    else:
        hint = f"Known are {', '.join(BY_SUFFIX)}, and folders and globs of Parquet."
    meant = [str(path.with_name(name)) for name in there] or [str(path.with_suffix(ending)) for ending in endings[:1]]
    return UnsupportedSourceError(
        f"{describe_value(path.name)} has no file ending that gives its format.",
        hint=hint,
        met=path.suffix.lower() or "no ending",
        expected=list(BY_SUFFIX),
        **({"did_you_mean": meant} if meant and not path.is_absolute() else {}),
    )


def _is_file(path: Path) -> bool:
    with suppress(OSError, RuntimeError, ValueError):  # whatever is wrong with it, opening it says so
        return path.expanduser().is_file()
    return False


def _is_folder(path: Path) -> bool:
    with suppress(OSError, RuntimeError, ValueError):  # as above
        return path.expanduser().is_dir()
    return False
