"""Lines that connect what is at hand: files of this folder, frames of the notebook, sources that are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from service_nb.core.words import find_nearest, find_slip

if TYPE_CHECKING:
    from service_nb.notebook.session import ServiceMagics

ENDINGS = (
    ".csv", ".tsv", ".parquet", ".xlsx", ".json", ".ndjson", ".jsonl", ".arrow", ".feather", ".sqlite", ".db",
)  # fmt: skip
MOST_FILES = 500  # of a folder that are looked at
_MOST = 3  # that are offered
_LOOKED_AT = 100  # rows of a list
_OURS = re.compile(r"^\.|\.servicekey\.json$")  # what is hidden, and answer keys
_NOT_IN_NAME = re.compile(r"\W+")


def list_connect_lines(session: ServiceMagics, *, wanted: str = "") -> Iterator[str]:
    """Yield lines that connect something; what is nearest to the words of `wanted` first."""
    words = [word.strip("'\"`,;") for word in wanted.split()]
    client = session.service
    connected = {str(each["name"]) for each in client.sources()}
    kept = [name for name in client.stored_sources() if name not in connected]
    wanted_ones = [name for name in kept if name in words]
    yield from (f"%service_connect {quote_word(name)}" for name in wanted_ones)
    yield from islice(list_file_lines(words), _MOST)
    yield from (f"%service_connect {quote_word(name)}" for name in kept[:_MOST])
    frames = [name for name in list_tables(session.shell.user_ns) if name not in connected]
    yield from (f"%service_connect {name}" for name in frames[:_MOST])


def repair_connect_line(line: str, variables: Mapping[str, object]) -> str | None:
    """Mend a line whose path has blanks, or whose words stand in another order: `path=sales.csv`, `df as sales`."""
    moved = _translate_reading(line) or _put_name_first(line, variables)
    if moved is not None:
        return moved
    words = [re.sub(r"^(?:name|path|file|source)=", "", word) for word in line.replace(" = ", " ").split()]
    words = [word for word in words if word not in ("=", "as", "from", "to")]
    parts = [part for part in re.split(r"[\s=,$]+", line) if part not in ("", "as", "from", "to") and part[0] != "-"]
    tables = [part for part in parts if is_table(variables.get(part))]
    stated = re.fullmatch(r"\s*(?:(?P<name>\w+)\s*=\s*)?\$?(?P<table>\w+)(?:\s+(?:as|--\w+)\s+(?P<last>\w+))?\s*", line)
    if stated is not None and stated["table"] in tables and (stated["name"] is None) != (stated["last"] is None):
        name = stated["name"] or stated["last"]
        return " ".join(["%service_connect", *([name] if name != stated["table"] else []), stated["table"]])
    names = [part for part in parts if part not in tables]
    if tables and len(set(tables)) == 1 and len(names) <= 1:
        return " ".join(["%service_connect", *names, tables[0]])
    for taken in (1, 0):
        path = " ".join(words[taken:]).strip("'\"")
        if path and Path(path).expanduser().exists():
            name = f"{words[0].strip(',')} " if taken else ""
            return f"%service_connect {name}{quote_word(path)}"
    if len(words) == 2 and Path(words[0]).is_file():  # the path before the name
        return f"%service_connect {words[1]} {quote_word(words[0])}"
    return None


def list_near_files(line: str) -> Iterator[str]:
    """Yield the line with the name of a file that is there, for one that has one letter wrong."""
    for word in line.split():
        bare = word.strip("'\"")
        known = {each.name: each for each in list_data_files(Path(bare).expanduser().parent)}
        near = find_slip(Path(bare).name, known)
        if near is not None and not Path(bare).exists():
            yield f"%service_connect {line.replace(word, quote_word(Path(bare).with_name(near).as_posix()))}"


_READING_CALL = re.compile(
    r"\s*(?:(?P<name>\w+)\s*(?:=|<-)\s*)?(?:\w+\.)?read[_.](?:csv2?|table|excel|parquet|json|feather)\(\s*"
    r"(?P<quote>['\"])(?P<path>[^'\"]+)(?P=quote)(?P<options>[^()]*)\)\s*"
)
_OPTION = re.compile(r"\s*,\s*(?P<key>\w+)\s*=\s*(?P<quote>['\"])(?P<value>[^'\"]*)(?P=quote)")
_OPTIONS = {
    "sep": "--delimiter", "delimiter": "--delimiter", "separator": "--delimiter", "encoding": "--encoding",
    "fileEncoding": "--encoding", "sheet_name": "--sheet", "decimal": "--decimal", "dec": "--decimal",
    "thousands": "--thousands",
}  # fmt: skip


def _translate_reading(line: str) -> str | None:
    """Translate the call that reads a file in pandas, Polars or R; None if an option has no counterpart."""
    found = _READING_CALL.fullmatch(line)
    options = [*_OPTION.finditer(found["options"])] if found is not None else []
    if found is None or "".join(each.group() for each in options).strip() != found["options"].strip():
        return None
    if any(each["key"] not in _OPTIONS for each in options) or not Path(found["path"]).expanduser().exists():
        return None
    words = [found["name"], quote_word(found["path"])]
    words += [f"{_OPTIONS[each['key']]} {quote_word(each['value'].replace(chr(92) + 't', 'tab'))}" for each in options]
    return " ".join(["%service_connect", *filter(None, words)])


def _put_name_first(line: str, variables: Mapping[str, object]) -> str | None:
    """Put the name that follows `--name`, or `as` behind the source, before it; None if that is no line to run."""
    form = r"\s*(?P<source>.*?)\s+(?:--name[\s=]+|as\s+)(?P<name>\w+)(?P<options>(?:\s+-.*)?)\s*"
    stated = re.fullmatch(form, line)
    source = stated["source"].strip("'\"") if stated is not None else ""
    if stated is None or not (is_table(variables.get(source.removeprefix("$"))) or Path(source).expanduser().is_file()):
        return None
    name = f"{stated['name']} " if stated["name"] != source else ""
    return f"%service_connect {name}{quote_word(source.removeprefix('$'))}{stated['options']}"


def write_source_name(path: str) -> str:
    """Write the name that a file's source may have: letters, digits and underscores."""
    name = _NOT_IN_NAME.sub("_", Path(path).stem).strip("_").lower()
    return name if name and not name[0].isdigit() else f"source_{name}".rstrip("_")


def list_tables(variables: Mapping[str, object]) -> list[str]:
    """List the variables that hold a table: a frame, or a list of rows."""
    return sorted(name for name, value in variables.items() if not name.startswith("_") and is_table(value))


def is_table(value: object) -> bool:
    """Tell whether a variable's value is a frame, or a list of dicts."""
    # Asked of the class: an instance may answer anything, or do something, when it is asked for an attribute.
    kind = type(value)
    if hasattr(kind, "__arrow_c_stream__") or kind.__name__ == "DataFrame":
        return True
    return type(value) is list and len(value) > 0 and all(type(row) is dict for row in islice(value, _LOOKED_AT))


def list_data_files(folder: Path) -> list[Path]:
    """List the files of a folder that can be connected, by name."""
    try:
        found = islice(folder.iterdir(), MOST_FILES)
        return sorted(each for each in found if each.suffix.lower() in ENDINGS and not _OURS.search(each.name))
    except OSError:
        return []


def list_path_completions(typed: str) -> list[str]:
    """List folders and files that go on from a path, each as one word; a folder's quote stays open."""
    written = typed.lstrip("'\"")
    head, slash, _ = written.rpartition("/")
    folder = Path(head + slash).expanduser()
    try:
        entries = sorted(islice(folder.iterdir(), MOST_FILES))
    except (OSError, RuntimeError):
        return []
    found = []
    for entry in entries:
        is_folder = entry.is_dir()
        if entry.name.startswith(".") or not (is_folder or entry.suffix.lower() in ENDINGS):
            continue
        word = quote_word(f"{head}{slash}{entry.name}" + "/" * is_folder)
        word = f'"{word}"' if typed[:1] in ("'", '"') and not word.startswith('"') else word
        found.append(word[:-1] if is_folder and word.endswith('"') else word)
    return found


def quote_word(text: str) -> str:
    """Write a path or a name as one word of a magic: in quotes where it needs them."""
    if re.fullmatch(r"[^\s'\"`#;$-][^\s'\"`#;]*", text):
        return text
    return '"' + text.replace('"', '""') + '"'


def list_file_lines(words: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines that connect files: first those whose names are like a word, in the folder that it names."""
    here = list_data_files(Path())
    named = [word for word in words if word]
    near: list[Path] = []
    for word in named:
        folder = Path(word).expanduser().parent
        files = here if folder == Path() else list_data_files(folder)
        by_name = {each.name: each for each in files} | {each.stem: each for each in files}
        near += [by_name[name] for name in find_nearest(Path(word).name, by_name, 2)]
    name = words[0] if len(words) == 2 and words[0].isidentifier() else None
    for path in dict.fromkeys([*near, *here]):
        written = path.as_posix()
        yield f"%service_connect {name if path in near and name else write_source_name(written)} {quote_word(written)}"
