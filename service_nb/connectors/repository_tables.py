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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from dulwich.object_store import BaseObjectStore
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tag, Tree

from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import LimitExceededError, ServiceError, SourceMalformedError

_LANGUAGES = """
    Assembly: asm s | C: c h | C#: cs | C++: cc cpp cxx hh hpp hxx | CSS: css | Clojure: clj cljs | CUDA: cu cuh |
    D: d | Dart: dart | Elixir: ex exs | Erlang: erl hrl | F#: fs fsx | Fortran: f f90 f95 for | Go: go |
    Groovy: groovy gradle | HTML: html htm | Haskell: hs | INI: ini cfg | JSON: json | Java: java |
    JavaScript: js mjs cjs jsx | Julia: jl | Jupyter Notebook: ipynb | Kotlin: kt kts | Lua: lua | MATLAB: m |
    Makefile: mk | Markdown: md markdown | Nix: nix | OCaml: ml mli | PHP: php | Perl: pl pm | PowerShell: ps1 |
    Protocol Buffers: proto | Python: py pyi pyx | R: r | Ruby: rb | Rust: rs | SCSS: scss | SQL: sql | SVG: svg |
    Scala: scala | Shell: sh bash zsh | Starlark: bzl star | Svelte: svelte | Swift: swift | TOML: toml |
    TeX: tex bib | Terraform: tf | TypeScript: ts tsx mts cts | Visual Basic: vb | Vue: vue | XML: xml xsd |
    YAML: yaml yml | Zig: zig | reStructuredText: rst
"""  # and the endings of their files
LANGUAGES = {
    ending: language.strip()
    for language, endings in (part.split(":") for part in _LANGUAGES.split("|"))
    for ending in endings.split()
}
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


MOST_DEPTH = 256  # folders in folders
MOST_CHANGES = 10_000_000  # files changed in all commits
MOST_MESSAGE = 1_000  # characters of a message's first line
MOST_SIDE = 4 * 1024**2  # bytes of a file whose lines are compared
SNIFFED = 8_000  # bytes in which git looks for a NUL
FOLDER, LINK, SUBMODULE = 0o040000, 0o120000, 0o160000
TEXT_CODECS = re.compile(
    r"(utf-?8|iso-?8859-?\d+|latin-?1|windows-?125\d|cp\d+|koi8-[ru]|euc[-_](jp|kr)|shift[-_]?jis|gbk|gb18030|big5)\Z"
)
Columns = dict[str, list[object]]
Entry = tuple[bytes, int, bytes]  # path, mode, id
S = TypeVar("S", bound=ShaFile)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The size, line count and kind (text or binary) of a file."""

    size: int
    lines: int | None
    is_binary: bool


@dataclass(slots=True)
class ObjectReader:
    """Reads objects of one store, within limits; `notes` says what a person should know of what was read."""

    store: BaseObjectStore | None
    limits: dict[str, int]
    shallow: frozenset[bytes] = frozenset()
    notes: dict[str, int] = field(default_factory=dict)

    def note(self, text: str) -> None:
        """Count one more case of what a note is about."""
        self.notes[text] = self.notes.get(text, 0) + 1

    def read(self, name: bytes, kind: type[S]) -> S:
        """Read an object of that kind, whose id is the digest of its bytes. Raises `source_malformed`."""
        with translate_damage("an object cannot be read"):
            try:
                number, data = self.store.get_raw(ObjectID(name)) if self.store is not None else (0, b"")
            except KeyError as error:
                raise damaged_error("an object is missing") from error
            found = ShaFile.from_raw_string(number, bytes(data))
            if bytes(found.id) != name:
                raise damaged_error("an object is not what its id says")
        if not isinstance(found, kind):
            raise damaged_error("an object is not of the kind that refers to it")
        return found

    def read_commit(self, name: bytes) -> Commit:
        """Read a commit, and parse it: the library parses an object when something of it is asked for."""
        commit = self.read(name, Commit)
        with translate_damage("a commit is malformed"):
            int(commit.commit_time)
        return commit

    def read_entries(self, tree: bytes) -> list[Entry]:
        """Read path, mode and id of what is in a folder."""
        with translate_damage("a tree is malformed"):
            found = self.read(tree, Tree).items()
            entries = [(bytes(each.path or b""), int(each.mode or 0), bytes(each.sha or b"")) for each in found]
        for entry, _, _ in entries:
            if not entry or b"/" in entry or entry in (b".", b".."):
                self.note("links to other places; they are listed, and were not followed")
        return entries

    def find_commit(self, name: bytes) -> bytes:
        """Return the commit that an id leads to, through tags."""
        for _ in range(10):
            found = self.read(name, ShaFile)
            if not isinstance(found, Tag):
                break
            with translate_damage("a tag is malformed"):
                name = bytes(found.object[1])
        if not isinstance(found, Commit):
            raise damaged_error("the ref leads to no commit")
        return name


@contextmanager
def translate_damage(met: str) -> Iterator[None]:
    """Raise `source_malformed` for whatever the library makes of damaged objects."""
    try:
        yield
    except (ServiceError, MemoryError, OSError):
        raise
    except Exception as error:  # zlib's kinds, the library's own, and what its C code makes of nonsense
        raise damaged_error(met) from error


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
    entries = list(_walk_tree(reader, bytes(reader.read_commit(commit).tree)))
    facts: dict[bytes, FileFacts] = {}
    for _, mode, name in entries:
        if mode != SUBMODULE and name not in facts:
            facts[name] = read_facts(reader.read(name, Blob).data)
    return build_file_columns(
        [build_file_row(path, mode, facts.get(name), name.decode(), reader) for path, mode, name in entries]
    )


def read_facts(data: bytes) -> FileFacts:
    """Read the size, line count and kind (text or binary) of a file from its bytes."""
    is_binary = b"\0" in data[:SNIFFED]
    return FileFacts(len(data), None if is_binary else _count_text_lines(data), is_binary)


def build_file_row(
    path: bytes, mode: int, facts: FileFacts | None, name: str, reader: ObjectReader
) -> dict[str, object]:
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
        "binary": None if regular is None else regular.is_binary,
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


def _walk_tree(reader: ObjectReader, tree: bytes) -> Iterator[Entry]:
    most, count, pending = reader.limits["files"], 0, [(b"", tree, 1)]
    while pending:
        prefix, name, depth = pending.pop()
        if depth > MOST_DEPTH:
            raise size_error("folders in folders", MOST_DEPTH)
        for entry, mode, child in reader.read_entries(name):
            count += 1
            if count > most:
                raise size_error("files", most)
            if mode == FOLDER:
                pending.append((prefix + entry + b"/", child, depth + 1))
            else:
                yield prefix + entry, mode, child


# --- commits --------------------------------------------------------------------------------------------------------


def list_commits(reader: ObjectReader, head: bytes, *, has_emails: bool) -> Columns:
    """Return the commits that a commit comes from, the latest first."""
    who = "author_email" if has_emails else "author_hash"
    rows = [_build_commit_row(reader, commit, who) for commit in _walk_history(reader, head)]
    names = ("id", "author", who, "committed_at", "parents", "files_changed", "insertions", "deletions", "message")
    return {name: [row[name] for row in rows] for name in names}


def list_contributors(reader: ObjectReader, head: bytes, *, has_emails: bool) -> Columns:
    """Return those who are named as authors, told apart by their e-mail addresses."""
    who = "author_email" if has_emails else "author_hash"
    found: dict[str, tuple[str, str, list[datetime.datetime | None]]] = {}
    for commit in _walk_history(reader, head):
        name, email = _read_author(reader, commit)
        shown = email if has_emails else _hash_email(email)
        found.setdefault(email.lower(), (name, shown, []))[2].append(_read_moment(reader, commit))
    people = sorted(found.values(), key=lambda each: (-len(each[2]), each[0], each[1]))
    moments = [[moment for moment in each[2] if moment is not None] for each in people]
    return {
        "name": [each[0] for each in people],
        who: [each[1] for each in people],
        "commits": [len(each[2]) for each in people],
        "first": [min(each, default=None) for each in moments],
        "last": [max(each, default=None) for each in moments],
    }


def _hash_email(email: str) -> str:
    """Hash an e-mail address to a pseudonym, the same one in every repository."""
    return compute_sha256_hex(email.strip().lower().encode())[:16]


def _walk_history(reader: ObjectReader, head: bytes) -> Iterator[Commit]:
    most, seen, count = reader.limits["commits"], {head}, 0
    commit = reader.read_commit(head)
    pending = [(-int(commit.commit_time), head, commit)]
    while pending:
        _, name, commit = heapq.heappop(pending)
        count += 1
        if count > most:
            raise size_error("commits", most)
        yield commit
        for parent in () if name in reader.shallow else map(bytes, commit.parents):
            if parent not in seen:
                seen.add(parent)
                found = reader.read_commit(parent)
                heapq.heappush(pending, (-int(found.commit_time), parent, found))


def _build_commit_row(reader: ObjectReader, commit: Commit, who: str) -> dict[str, object]:
    author, email = _read_author(reader, commit)
    changed, inserted, deleted = _count_stats(reader, commit)
    first = decode(bytes(commit.message).lstrip(b"\n").partition(b"\n")[0], reader, "messages", _find_codec(commit))
    return {
        "id": commit.id.decode(),
        "author": author,
        who: email if who == "author_email" else _hash_email(email),
        "committed_at": _read_moment(reader, commit),
        "parents": len(commit.parents),
        "files_changed": changed,
        "insertions": inserted,
        "deletions": deleted,
        "message": first[:MOST_MESSAGE],
    }


def _read_author(reader: ObjectReader, commit: Commit) -> tuple[str, str]:
    whole = decode(bytes(commit.author), reader, "names", _find_codec(commit))
    name, _, email = whole.partition("<")
    return name.strip(), email.rpartition(">")[0].strip() or email.strip()


def _read_moment(reader: ObjectReader, commit: Commit) -> datetime.datetime | None:
    try:
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(commit.commit_time))  # noqa: DTZ001
    except (OverflowError, ValueError):
        reader.note("moments outside of the years 1 to 9999; they are null")
        return None


def _count_stats(reader: ObjectReader, commit: Commit) -> tuple[int | None, int | None, int | None]:
    """Return the files that a commit changes against its first parent, and its lines; None where that is unknown."""
    if bytes(commit.id) in reader.shallow:
        return None, None, None
    parent = bytes(reader.read_commit(bytes(commit.parents[0])).tree) if commit.parents else None
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
    return {path: (mode, name) for path, mode, name in reader.read_entries(tree)}


def _count_lines(reader: ObjectReader, old: Side, new: Side) -> tuple[int, int] | None:
    sides = [b"" if side is None or side[0] == SUBMODULE else reader.read(side[1], Blob).data for side in (old, new)]
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


def _find_codec(commit: Commit) -> str:
    named = bytes(commit.encoding or b"utf-8").decode("ascii", "replace").lower()
    if not TEXT_CODECS.match(named):
        return "utf-8"
    try:
        return codecs.lookup(named).name
    except LookupError:
        return "utf-8"
