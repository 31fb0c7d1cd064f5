"""Read a repository as rows: its files at one commit, its commits and their authors.

Objects come from strangers. Each is hashed again before it is believed, so no tree can contain itself; every walk is
bounded; paths and names are bytes that are shown, and never opened. Insertions and deletions are those of the shortest
edit script by lines, which has one length, whoever computes it.
"""

from __future__ import annotations

import codecs
import datetime
import heapq
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import LimitExceededError, SourceMalformedError

_ENDINGS = {
    "Assembly": "asm s",
    "C": "c h",
    "C#": "cs",
    "C++": "cc cpp cxx hh hpp hxx",
    "CSS": "css",
    "Clojure": "clj cljs",
    "CUDA": "cu cuh",
    "D": "d",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "F#": "fs fsx",
    "Fortran": "f f90 f95 for",
    "Go": "go",
    "Groovy": "groovy gradle",
    "HTML": "html htm",
    "Haskell": "hs",
    "INI": "ini cfg",
    "JSON": "json",
    "Java": "java",
    "JavaScript": "js mjs cjs jsx",
    "Julia": "jl",
    "Jupyter Notebook": "ipynb",
    "Kotlin": "kt kts",
    "Lua": "lua",
    "MATLAB": "m",
    "Makefile": "mk",
    "Markdown": "md markdown",
    "Nix": "nix",
    "OCaml": "ml mli",
    "PHP": "php",
    "Perl": "pl pm",
    "PowerShell": "ps1",
    "Protocol Buffers": "proto",
    "Python": "py pyi pyx",
    "R": "r",
    "Ruby": "rb",
    "Rust": "rs",
    "SCSS": "scss",
    "SQL": "sql",
    "SVG": "svg",
    "Scala": "scala",
    "Shell": "sh bash zsh",
    "Starlark": "bzl star",
    "Svelte": "svelte",
    "Swift": "swift",
    "TOML": "toml",
    "TeX": "tex bib",
    "Terraform": "tf",
    "TypeScript": "ts tsx mts cts",
    "Visual Basic": "vb",
    "Vue": "vue",
    "XML": "xml xsd",
    "YAML": "yaml yml",
    "Zig": "zig",
    "reStructuredText": "rst",
}
LANGUAGES = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
BY_NAME = {"makefile": "Makefile", "dockerfile": "Dockerfile", "cmakelists.txt": "CMake", "rakefile": "Ruby"}


def find_language(path: str) -> str | None:
    """Return the language that a file of this name is usually written in, None for names that say nothing."""
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    return BY_NAME.get(name) or (LANGUAGES.get(ending) if dot and stem else None)


MOST_STEPS = 2_000_000  # of the search in one edit; beyond, no number is given rather than one that is not the least


def count_changes(old: bytes, new: bytes) -> tuple[int, int] | None:
    """Count insertions and deletions of the shortest edit script by lines; None where finding it takes too long.

    `difflib` does not look for the shortest: of Myers' own example it makes three insertions and four deletions, not
    two and three.
    """
    before, after = _split_lines(old), _split_lines(new)
    start = 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return _count_between(before[start : len(before) - end], after[start : len(after) - end])


def _split_lines(data: bytes) -> list[bytes]:
    """Only a line feed ends a line; a last line without one is another line than the same with it."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _count_between(before: list[bytes], after: list[bytes]) -> tuple[int, int] | None:
    # A line that the other side does not have is in no common subsequence.
    here, there = set(after), set(before)
    left = [line for line in before if line in here]
    right = [line for line in after if line in there]
    if not left or not right:
        return len(after), len(before)
    edits = _count_edits(left, right)
    if edits is None:
        return None
    common = (len(left) + len(right) - edits) // 2
    return len(after) - common, len(before) - common


def _count_edits(left: list[bytes], right: list[bytes]) -> int | None:
    """Myers' greedy search (An O(ND) difference algorithm, 1986): the fewest insertions and deletions in all."""
    most, steps = len(left) + len(right), 0
    furthest = {1: 0}
    for edits in range(most + 1):
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)
            )
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            y = x - diagonal
            while x < len(left) and y < len(right) and left[x] == right[y]:
                x, y, steps = x + 1, y + 1, steps + 1
            furthest[diagonal] = x
            if x >= len(left) and y >= len(right):
                return edits
        steps += edits + 1
        if steps > MOST_STEPS:
            return None
    return most


COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
MOST_DEPTH = 256  # folders in folders
MOST_CHANGES = 10_000_000  # files changed in all commits
MOST_MESSAGE = 1_000  # characters of a message's first line
MOST_SIDE = 4 * 1024**2  # bytes of a file whose lines are compared
SNIFFED = 8_000  # bytes in which git looks for a NUL
FOLDER, LINK, SUBMODULE = 0o040000, 0o120000, 0o160000
TEXT_CODECS = re.compile(
    r"(utf-?8|iso-?8859-?\d+|latin-?1|windows-?125\d|cp\d+|koi8-[ru]|euc[-_](jp|kr)|shift[-_]?jis|gbk|gb18030|big5)\Z"
)
Columns = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The size, line count and kind (text or binary) of a file."""

    size: int
    lines: int | None
    binary: bool


@dataclass(slots=True)
class ObjectReader:
    """Reads objects of one store, within limits; `notes` says what a person should know of what was read."""

    raw: Callable[[bytes], tuple[int, bytes]]  # by id in hexadecimal: KeyError where there is none
    parse: Callable[[int, bytes], Any]  # an object, whose id is that of its bytes
    limits: dict[str, int]
    shallow: frozenset[bytes] = frozenset()
    notes: dict[str, int] = field(default_factory=dict)

    def note(self, text: str) -> None:
        """Count one more case of what a note is about."""
        self.notes[text] = self.notes.get(text, 0) + 1

    def content(self, name: bytes, kind: int) -> bytes:
        """Return the bytes of an object, or raise `source_malformed`."""
        found, data = self._read_checked(name)
        if found != kind:
            raise damaged_error("an object is not of the kind that refers to it")
        return data

    def parse_object(self, name: bytes, kind: int) -> Any:
        """Return an object as the library parses it."""
        return self.parse(kind, self.content(name, kind))

    def find_commit(self, name: bytes) -> bytes:
        """Return the commit that an id leads to, through tags."""
        for _ in range(10):
            kind, data = self._read_checked(name)
            if kind != TAG:
                break
            name = bytes(self.parse(kind, data).object[1])
        if kind != COMMIT:
            raise damaged_error("the ref leads to no commit")
        return name

    def _read_checked(self, name: bytes) -> tuple[int, bytes]:
        try:
            kind, data = self.raw(name)
        except KeyError as error:
            raise damaged_error("an object is missing") from error
        if kind not in (COMMIT, TREE, BLOB, TAG) or bytes(self.parse(kind, data).id) != name:
            raise damaged_error("an object is not what its id says")
        return kind, data


def damaged_error(met: str) -> SourceMalformedError:
    """Return the error of a repository whose objects contradict each other."""
    return SourceMalformedError(f"The repository is damaged: {met}.", met=met, expected="an intact repository")


def size_error(what: str, limit: int) -> LimitExceededError:
    """Return the error of a repository that is larger than what is read."""
    return LimitExceededError(f"The repository has more than {limit:,} {what}.", limit=limit, limit_name=what)


# --- files ----------------------------------------------------------------------------------------------------------


def list_files(reader: ObjectReader, commit: bytes) -> Columns:
    """Return the files of a commit, in the order of their paths."""
    # Counted before anything is read: a few objects can be a tree with more files than there are atoms.
    entries = list(_walk_tree(reader, bytes(reader.parse_object(commit, COMMIT).tree)))
    facts: dict[bytes, FileFacts] = {}
    for _, mode, name in entries:
        if mode != SUBMODULE and name not in facts:
            facts[name] = read_facts(reader.content(name, BLOB))
    return build_file_columns(
        [build_file_row(path, mode, facts.get(name), name.decode(), reader) for path, mode, name in entries]
    )


def read_facts(data: bytes) -> FileFacts:
    """Read the size, line count and kind (text or binary) of a file from its bytes."""
    binary = b"\0" in data[:SNIFFED]
    return FileFacts(len(data), None if binary else _count_text_lines(data), binary)


def build_file_row(path: bytes, mode: int, facts: FileFacts | None, name: str, reader: ObjectReader) -> dict[str, Any]:
    """Return one file as a row; of a link its target's bytes, of a submodule only that it is there."""
    kind = "link" if mode == LINK else "submodule" if mode == SUBMODULE else "executable" if mode & 0o111 else "file"
    regular = facts if kind in ("file", "executable") else None
    shown = decode(path, reader, "paths")
    return {
        "path": shown,
        "kind": kind,
        "bytes": None if facts is None else facts.size,
        "language": None if regular is None else find_language(shown),
        "lines": None if regular is None else regular.lines,
        "binary": None if regular is None else regular.binary,
        "sha": name,
    }


def build_file_columns(rows: list[dict[str, object]]) -> Columns:
    """Return rows of files as columns, by path."""
    rows.sort(key=lambda row: str(row["path"]))
    names = ("path", "kind", "bytes", "language", "lines", "binary", "sha")
    return {name: [row[name] for row in rows] for name in names}


def _count_text_lines(data: bytes) -> int:
    """Return the lines of a text; one without a line feed at its end is one as well."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def _walk_tree(reader: ObjectReader, tree: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    most, count, pending = reader.limits["files"], 0, [(b"", tree, 1)]
    while pending:
        prefix, name, depth = pending.pop()
        if depth > MOST_DEPTH:
            raise size_error("folders in folders", MOST_DEPTH)
        for entry, mode, child in _read_entries(reader, name):
            count += 1
            if count > most:
                raise size_error("files", most)
            if mode == FOLDER:
                pending.append((prefix + entry + b"/", child, depth + 1))
            else:
                yield prefix + entry, mode, child


def _read_entries(reader: ObjectReader, tree: bytes) -> list[tuple[bytes, int, bytes]]:
    try:
        found = reader.parse_object(tree, TREE).items()
        entries = [(bytes(each.path), int(each.mode), bytes(each.sha)) for each in found]
    except SourceMalformedError:
        raise
    except Exception as error:  # the library's own kinds, and what its C code makes of nonsense
        raise damaged_error("a tree is malformed") from error
    for entry, _, _ in entries:
        if not entry or b"/" in entry or entry in (b".", b".."):
            reader.note("links to other places; they are listed, and were not followed")
    return entries


# --- commits --------------------------------------------------------------------------------------------------------


def list_commits(reader: ObjectReader, head: bytes, *, emails: bool) -> Columns:
    """Return the commits that a commit comes from, the latest first."""
    rows = [_commit_row(reader, name, commit, emails=emails) for name, commit in _walk_history(reader, head)]
    who = "author_email" if emails else "author_hash"
    names = ("id", "author", who, "committed_at", "parents", "files_changed", "insertions", "deletions", "message")
    return {name: [row[name] for row in rows] for name in names}


def list_contributors(reader: ObjectReader, head: bytes, *, emails: bool) -> Columns:
    """Return those who are named as authors, told apart by their e-mail addresses."""
    who = "author_email" if emails else "author_hash"
    found: dict[str, dict[str, Any]] = {}
    for _, commit in _walk_history(reader, head):
        name, email = _read_author(reader, commit)
        moment = _read_moment(reader, commit)
        held = found.setdefault(
            email.lower(),
            {"name": name, who: email if emails else _hash_email(email), "commits": 0, "first": moment, "last": moment},
        )
        held["commits"] += 1
        if moment is not None:
            held["first"] = moment if held["first"] is None else min(held["first"], moment)
            held["last"] = moment if held["last"] is None else max(held["last"], moment)
    rows = sorted(found.values(), key=lambda row: (-row["commits"], row["name"], row[who]))
    return {name: [row[name] for row in rows] for name in ("name", who, "commits", "first", "last")}


def _hash_email(email: str) -> str:
    """Hash an e-mail address to a pseudonym, the same one in every repository."""
    return compute_sha256_hex(email.strip().lower().encode())[:16]


def _walk_history(reader: ObjectReader, head: bytes) -> Iterator[tuple[bytes, object]]:
    most, seen, count = reader.limits["commits"], {head}, 0
    pending = [_read_pending(reader, head)]
    while pending:
        _, name, commit = heapq.heappop(pending)
        count += 1
        if count > most:
            raise size_error("commits", most)
        yield name, commit
        for parent in () if name in reader.shallow else map(bytes, commit.parents):
            if parent not in seen:
                seen.add(parent)
                heapq.heappush(pending, _read_pending(reader, parent))


def _read_pending(reader: ObjectReader, name: bytes) -> tuple[int, bytes, Any]:
    commit = reader.parse_object(name, COMMIT)
    try:
        return -int(commit.commit_time), name, commit
    except Exception as error:  # as above
        raise damaged_error("a commit is malformed") from error


def _commit_row(reader: ObjectReader, name: bytes, commit: Any, *, emails: bool) -> dict[str, Any]:
    author, email = _read_author(reader, commit)
    changed, inserted, deleted = _count_stats(reader, commit, whole=name not in reader.shallow)
    first = decode(bytes(commit.message).lstrip(b"\n").partition(b"\n")[0], reader, "messages", _find_codec(commit))
    return {
        "id": name.decode(),
        "author": author,
        "author_email" if emails else "author_hash": email if emails else _hash_email(email),
        "committed_at": _read_moment(reader, commit),
        "parents": len(commit.parents),
        "files_changed": changed,
        "insertions": inserted,
        "deletions": deleted,
        "message": first[:MOST_MESSAGE],
    }


def _read_author(reader: ObjectReader, commit: Any) -> tuple[str, str]:
    whole = decode(bytes(commit.author), reader, "names", _find_codec(commit))
    name, _, email = whole.partition("<")
    return name.strip(), email.rpartition(">")[0].strip() or email.strip()


def _read_moment(reader: ObjectReader, commit: Any) -> datetime.datetime | None:
    try:
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(commit.commit_time))  # noqa: DTZ001
    except (OverflowError, ValueError):
        reader.note("moments outside of the years 1 to 9999; they are null")
        return None


def _count_stats(reader: ObjectReader, commit: Any, *, whole: bool) -> tuple[int | None, int | None, int | None]:
    """Return the files that a commit changes against its first parent, and its lines; None where that is unknown."""
    if not whole:
        return None, None, None
    parent = reader.parse_object(bytes(commit.parents[0]), COMMIT).tree if commit.parents else None
    changed = inserted = deleted = 0
    known = True
    for old, new in _walk_changes(reader, parent, bytes(commit.tree)):
        changed += 1
        found = _count_lines(reader, old, new)
        known = known and found is not None
        inserted += found[0] if found else 0
        deleted += found[1] if found else 0
    if not known:
        reader.note("commits whose lines take too long to compare; the counts are null")
    return changed, inserted if known else None, deleted if known else None


Side = tuple[int, bytes] | None  # mode and id


def _walk_changes(
    reader: ObjectReader, old: bytes | None, new: bytes | None, depth: int = 1
) -> Iterator[tuple[Side, Side]]:
    if depth > MOST_DEPTH:
        raise size_error("folders in folders", MOST_DEPTH)
    before, after = ({} if tree is None else _read_tree(reader, tree) for tree in (old, new))
    for path in before.keys() | after.keys():
        left, right = before.get(path), after.get(path)
        if left == right:
            continue
        folders = [None if side is None or side[0] != FOLDER else side[1] for side in (left, right)]
        if any(folders):
            yield from _walk_changes(reader, folders[0], folders[1], depth + 1)
        sides = [None if side is None or side[0] == FOLDER else side for side in (left, right)]
        if any(sides):
            reader.limits["changes"] -= 1
            if reader.limits["changes"] < 0:
                raise size_error("changes of files", MOST_CHANGES)
            yield sides[0], sides[1]


def _read_tree(reader: ObjectReader, tree: bytes) -> dict[bytes, tuple[int, bytes]]:
    reader.limits["changes"] -= 1
    if reader.limits["changes"] < 0:
        raise size_error("changes of files", MOST_CHANGES)
    return {path: (mode, name) for path, mode, name in _read_entries(reader, tree)}


def _count_lines(reader: ObjectReader, old: Side, new: Side) -> tuple[int, int] | None:
    sides = [b"" if side is None or side[0] == SUBMODULE else reader.content(side[1], BLOB) for side in (old, new)]
    if any(b"\0" in side[:SNIFFED] for side in sides):
        return 0, 0  # as git counts binary files
    if not sides[0] or not sides[1]:
        return _count_text_lines(sides[1]), _count_text_lines(sides[0])
    return None if max(map(len, sides)) > MOST_SIDE else count_changes(*sides)


# --- texts ----------------------------------------------------------------------------------------------------------


def decode(data: bytes, reader: ObjectReader, what: str, codec: str = "utf-8") -> str:
    """Return bytes as text; what is none is written out in hexadecimal."""
    try:
        return data.decode(codec)
    except (UnicodeDecodeError, LookupError):
        reader.note(f"{what} that are not text; their bytes are written out")
        return data.decode("utf-8", "backslashreplace")


def _find_codec(commit: Any) -> str:
    named = bytes(commit.encoding or b"utf-8").decode("ascii", "replace").lower()
    if not TEXT_CODECS.match(named):
        return "utf-8"
    try:
        return codecs.lookup(named).name
    except LookupError:
        return "utf-8"
