"""Repositories as tables: in folders, in archives, and fetched over https."""

from __future__ import annotations

import datetime
import io
import random
import shutil
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.repo import Repo

from service_nb.connectors import catalog, repositories, repository_tables, repository_work
from service_nb.connectors.repository_tables import count_changes
from service_nb.core.secret import Secret
from service_nb.errors import (
    ConnectorError,
    ForbiddenError,
    InvalidIntentError,
    LimitExceededError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.source import Limits
from tests.servers.git import GitServer, git

START = 1_700_000_000
FILES = {
    b"README.md": b"# A title\n\nwith a last line",
    b"src/main.py": b"import this\n",
    b"src/deep/er/lib.rs": b"fn main() {}\n\n",
    b"data/logo.png": b"\x89PNG\x00\x01",
    b"empty": b"",
    b"Makefile": b"all:\n\ttrue\n",
}


class Workshop:
    """A bare repository, and commits made object by object: no checkout, no configuration, no clock."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.repository = Repo.init_bare(str(folder))
        self.store = self.repository.object_store
        self.last: bytes | None = None
        self.moments = START

    def tree(self, files: dict[bytes, Any]) -> bytes:
        """Bytes of files by their paths; or a mode and an id."""
        made, folders = Tree(), {}
        for path, held in files.items():
            name, _, rest = path.partition(b"/")
            if rest:
                folders.setdefault(name, {})[rest] = held
            elif isinstance(held, tuple):
                made.add(name, *held)
            else:
                made.add(name, 0o100644, self.blob(held))
        for name, inner in folders.items():
            made.add(name, 0o040000, self.tree(inner))
        self.store.add_object(made)
        return made.id

    def blob(self, data: bytes) -> bytes:
        made = Blob.from_string(data)
        self.store.add_object(made)
        return made.id

    def commit(self, tree: bytes, *parents: bytes, **changed: Any) -> bytes:
        made = Commit()
        made.tree, made.parents = tree, list(parents) or ([self.last] if self.last else [])
        made.author = made.committer = changed.get("author", b"Ada <ada@example.org>")
        self.moments += 60
        made.author_time = made.commit_time = changed.get("at", self.moments)
        made.author_timezone = made.commit_timezone = 3600
        made.encoding = changed.get("encoding")
        made.message = changed.get("message", b"A first line\n\nand more\n")
        self.store.add_object(made)
        self.last = made.id
        self.repository.refs.set_if_equals(b"refs/heads/main", None, made.id)
        self.repository.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
        return made.id


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path / "bare.git")
    made.commit(made.tree(FILES))
    yield made
    made.repository.close()


def read(type_: str, *, seconds: float = 60, **given: Any) -> Dataset:
    """What a connector reads, by the descriptor that a user writes."""
    descriptor = catalog.parse_descriptor({"type": type_, **given})
    return catalog.find_connector(type_).extract(descriptor, ReadOptions(), time.monotonic() + seconds)


def here(type_: str, **given: Any) -> Dataset:
    """The same without a process for each: that what is read is right does not depend on where."""
    descriptor, options = catalog.parse_descriptor({"type": type_, **given}), ReadOptions()
    place = {"archive" if type_ == "repo_archive" else "path": descriptor.path}
    with tempfile.TemporaryDirectory() as scratch:
        found = repository_work.read_repository(repositories.build_request(place, descriptor, options, scratch))
    return repositories.build_repository_dataset(found, options)


def local(workshop: Workshop, table: str = "files", **given: Any) -> list[dict[str, Any]]:
    return here("local_repo", path=workshop.repository.path, table=table, **given).table.to_pylist()


def test_files_are_told_by_path_size_language_and_lines(workshop: Workshop) -> None:
    rows = {row["path"]: row for row in local(workshop)}
    assert list(rows) == sorted(path.decode() for path in FILES)
    told = {path: (row["bytes"], row["language"], row["lines"], row["binary"]) for path, row in rows.items()}
    assert told == {
        "README.md": (27, "Markdown", 3, False),
        "src/main.py": (12, "Python", 1, False),
        "src/deep/er/lib.rs": (14, "Rust", 2, False),
        "data/logo.png": (6, None, None, True),
        "empty": (0, None, 0, False),
        "Makefile": (11, "Makefile", 2, False),
    }
    assert rows["empty"]["sha"] == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # as every git has it


def test_links_and_submodules_are_told_and_not_followed(workshop: Workshop) -> None:
    target = workshop.blob(b"../../../etc/passwd")
    entries = {b"link": (0o120000, target), b"module": (0o160000, b"1" * 40), b"run": (0o100755, workshop.blob(b"#!"))}
    workshop.commit(workshop.tree(entries))
    told = {row["path"]: (row["kind"], row["bytes"], row["lines"]) for row in local(workshop)}
    assert told == {"link": ("link", 19, None), "module": ("submodule", None, None), "run": ("executable", 2, 1)}


def test_commits_are_told_the_latest_first(workshop: Workshop) -> None:
    workshop.commit(workshop.tree({**FILES, b"src/main.py": b"import that\nimport this\n", b"new": b"1\n2\n"}))
    latest, first = local(workshop, "commits")
    assert (latest["files_changed"], latest["insertions"], latest["deletions"]) == (2, 3, 0)
    assert (first["files_changed"], first["insertions"], first["deletions"]) == (6, 8, 0)
    assert (latest["author"], latest["message"], latest["parents"]) == ("Ada", "A first line", 1)
    assert latest["committed_at"] == datetime.datetime.fromtimestamp(START + 120, datetime.UTC).replace(tzinfo=None)
    assert "author_email" not in latest
    assert len(latest["author_hash"]) == 16


def test_addresses_are_told_only_when_asked_for(workshop: Workshop) -> None:
    assert "ada@example.org" not in str(local(workshop, "commits")) + str(local(workshop, "contributors"))
    assert local(workshop, "commits", emails=True)[0]["author_email"] == "ada@example.org"


def test_contributors_are_told_apart_by_address_and_not_by_name(workshop: Workshop) -> None:
    tree = workshop.tree(FILES)
    workshop.commit(tree, author=b"Countess <ADA@example.org>")
    workshop.commit(tree, author=b"Ada <other@example.org>")
    rows = local(workshop, "contributors")
    assert [row["commits"] for row in rows] == [2, 1]
    assert rows[0]["last"] - rows[0]["first"] == datetime.timedelta(seconds=60)


@pytest.mark.parametrize("form", ["side", "refs/heads/side", "v1", "refs/tags/v1", "id"])
def test_a_ref_is_a_branch_a_tag_or_a_commit(workshop: Workshop, form: str) -> None:
    side = workshop.commit(workshop.tree({b"only": b"here\n"}))
    tag = Tag()
    tag.object, tag.name, tag.message, tag.tagger = (Commit, side), b"v1", b"one\n", b"Ada <ada@example.org>"
    tag.tag_time, tag.tag_timezone = START, 0
    workshop.store.add_object(tag)
    workshop.repository.refs[b"refs/heads/side"] = side
    workshop.repository.refs[b"refs/tags/v1"] = tag.id
    found = here("local_repo", path=workshop.repository.path, ref=side.decode() if form == "id" else form)
    assert [row["path"] for row in found.table.to_pylist()] == ["only"]
    assert side.decode() in found.notes[0]


@pytest.mark.parametrize(
    "ref", ["nowhere", "../../HEAD", "refs/../HEAD", "a..b", "0" * 40, "HEAD~1", "main^{tree}", "@{u}"]
)
def test_a_ref_that_leads_nowhere_is_not_found_or_damaged(workshop: Workshop, ref: str) -> None:
    with pytest.raises((SourceNotFoundError, SourceMalformedError)):
        local(workshop, ref=ref)


def test_what_is_no_repository_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFoundError):
        here("local_repo", path=str(tmp_path))


def test_a_table_that_there_is_not_is_told(workshop: Workshop) -> None:
    with pytest.raises(InvalidIntentError):
        local(workshop, "comits")


def test_an_edit_whose_shortest_script_takes_too_long_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_tables, "MOST_STEPS", 10_000)
    shuffled = b"".join(b"%d\n" % (n * 7919 % 20_011) for n in range(20_000))
    assert count_changes(b"".join(b"%d\n" % n for n in range(20_000)), shuffled) is None


def test_lines_are_counted_by_the_shortest_edit_script() -> None:
    old, new = b"".join(b"%d\n" % n for n in range(100)), b"".join(b"%d\n" % n for n in range(100) if n % 7)
    assert count_changes(old, new) == (0, 15)
    assert count_changes(new, old) == (15, 0)
    assert count_changes(b"a\nb\nc\na\nb\nb\na\n", b"c\nb\na\nb\na\nc\n") == (2, 3)  # Myers' own example: D = 5
    assert count_changes(b"same", b"same\n") == (1, 1)
    assert count_changes(b"a\r\nb\r\n", b"a\nb\r\n") == (1, 1)


# --- strange repositories -------------------------------------------------------------------------------------------


def test_a_process_of_its_own_reads_the_same(workshop: Workshop) -> None:
    workshop.commit(workshop.tree({**FILES, b"new": b"1\n"}))
    found = read("local_repo", path=workshop.repository.path, table="commits")
    assert found.table.to_pylist() == local(workshop, "commits")
    assert found.content == here("local_repo", path=workshop.repository.path, table="commits").content


def test_nothing_of_a_repository_is_run(workshop: Workshop, tmp_path: Path) -> None:
    mark = tmp_path / "was run"
    hooks = Path(workshop.repository.path) / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{mark}'\n")
        (hooks / name).chmod(0o755)
    (Path(workshop.repository.path) / "config").write_text(
        f"[core]\n\tfsmonitor = touch '{mark}'\n\tsshCommand = touch '{mark}'\n\tworktree = /\n"
        f"[filter \"x\"]\n\tsmudge = touch '{mark}'\n\tclean = touch '{mark}'\n[include]\n\tpath = /etc/passwd\n"
    )
    workshop.commit(workshop.tree({b".gitattributes": b"* filter=x\n", b".gitmodules": b"[submodule", b"a": b"1"}))
    for table in ("files", "commits", "contributors"):
        assert local(workshop, table)
    assert not mark.exists()


def test_a_tree_of_trees_beyond_all_counting_is_ended(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repositories, "MOST_FILES", 20_000)
    tree = workshop.tree({b"%d" % number: b"x" for number in range(50)})
    for _ in range(8):
        tree = workshop.tree({b"%d" % number: (0o040000, tree) for number in range(50)})
    workshop.commit(tree)
    with pytest.raises(LimitExceededError):
        local(workshop)


def test_folders_too_deep_are_ended(workshop: Workshop) -> None:
    tree = workshop.tree({b"x": b"x"})
    for _ in range(300):
        tree = workshop.tree({b"d": (0o040000, tree)})
    workshop.commit(tree)
    with pytest.raises(LimitExceededError):
        local(workshop)
    with pytest.raises(LimitExceededError):
        local(workshop, "commits")


@pytest.mark.parametrize(
    "path", [b"..", b".", b".git", b"\xff\xfe", b"a\nb", b"\x1b[2J", b"a\\b", b"CON", b"\xe2\x80\xae"]
)
def test_paths_are_shown_and_never_opened(workshop: Workshop, path: bytes) -> None:
    workshop.commit(workshop.tree({path: b"text\n"}))
    (row,) = local(workshop)
    assert row["lines"] == 1
    assert row["path"] == path.decode("utf-8", "backslashreplace")


def test_bytes_that_are_no_text_are_written_out_and_noted(workshop: Workshop) -> None:
    workshop.commit(workshop.tree(FILES), message=b"caf\xe9", author=b"\xff <\xfe@x>")
    found = here("local_repo", path=workshop.repository.path, table="commits")
    assert found.table.to_pylist()[0]["message"] == "caf\\xe9"
    assert any("written out" in note for note in found.notes)


def test_an_encoding_that_a_commit_names_is_used_if_it_is_one_of_text(workshop: Workshop) -> None:
    workshop.commit(workshop.tree(FILES), message=b"caf\xe9", encoding=b"ISO-8859-1")
    workshop.commit(workshop.tree(FILES), message=b"plain", encoding=b"zlib_codec")
    assert [row["message"] for row in local(workshop, "commits")][:2] == ["plain", "café"]


def test_moments_outside_of_the_calendar_are_null_and_noted(workshop: Workshop) -> None:
    workshop.commit(workshop.tree(FILES), at=10**15)
    found = here("local_repo", path=workshop.repository.path, table="commits")
    assert any("1 to 9999" in note for note in found.notes)
    assert None in [row["committed_at"] for row in found.table.to_pylist()]


def _loose(workshop: Workshop, name: bytes) -> Path:
    return Path(workshop.repository.path) / "objects" / name[:2].decode() / name[2:].decode()


@pytest.mark.parametrize("how", ["another object", "nonsense", "cut off", "gone", "empty"])
def test_a_damaged_object_is_an_error(workshop: Workshop, how: str) -> None:
    name, other = workshop.blob(b"# A title\n\nwith a last line"), workshop.blob(b"something else")
    place = _loose(workshop, name)
    whole = place.read_bytes()
    place.chmod(0o644)
    place.unlink()
    match how:
        case "another object":
            shutil.copy(_loose(workshop, other), place)
        case "nonsense":
            place.write_bytes(b"\x78\x9c" + b"\xff" * 100)
        case "cut off":
            place.write_bytes(whole[: len(whole) // 2])
        case "empty":
            place.touch()
    with pytest.raises(SourceMalformedError):
        local(workshop)


def test_a_tree_that_contains_itself_is_damage(workshop: Workshop) -> None:
    inner = workshop.tree({b"x": b"x"})
    outer = workshop.tree({b"d": (0o040000, inner)})
    place = _loose(workshop, inner)
    place.chmod(0o644)
    place.unlink()
    shutil.copy(_loose(workshop, outer), place)
    workshop.commit(outer)
    with pytest.raises(SourceMalformedError):
        local(workshop)


@pytest.mark.slow
def test_a_large_object_ends_at_the_memory_that_there_is(workshop: Workshop) -> None:
    workshop.commit(workshop.tree({b"zeros": bytes(300_000_000)}))
    descriptor = catalog.parse_descriptor({"type": "local_repo", "path": workshop.repository.path})
    reading = catalog.find_connector("local_repo")
    before, repositories.LEAST_MEMORY = repositories.LEAST_MEMORY, 400_000_000
    try:
        options = ReadOptions(limits=Limits(memory_bytes=400_000_000))
        with pytest.raises(ServiceError) as caught:
            reading.extract(descriptor, options, time.monotonic() + 60)
        assert caught.value.code in ("limit_exceeded", "connector_failed")
    finally:
        repositories.LEAST_MEMORY = before


def test_a_deadline_ends_the_reading(workshop: Workshop) -> None:
    with pytest.raises(ConnectorError) as caught:
        read("local_repo", path=workshop.repository.path, seconds=0.01)
    assert caught.value.reason == "timed_out"


# --- archives -------------------------------------------------------------------------------------------------------


def _zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _tar(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def _inside(workshop: Workshop, prefix: str) -> dict[str, bytes]:
    root = Path(workshop.repository.path)
    return {f"{prefix}{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("form", "prefix"),
    [("zip", ""), ("w", "./"), ("w:gz", "project/.git/"), ("w:bz2", ""), ("w:xz", "./"), ("zip", "project/.git/")],
)
def test_an_archive_with_its_store_is_the_repository(
    workshop: Workshop, tmp_path: Path, form: str, prefix: str
) -> None:
    members = _inside(workshop, prefix)
    path = tmp_path / "archive"
    made = _zip(path, members) if form == "zip" else _tar(path, members, form)
    for table in ("files", "commits", "contributors"):
        assert here("repo_archive", path=str(made), table=table).table.to_pylist() == local(workshop, table)


@pytest.mark.parametrize("make", [_zip, _tar])
def test_an_archive_without_a_store_is_its_files(tmp_path: Path, make: Any) -> None:
    made = make(tmp_path / "archive", {path.decode(): data for path, data in FILES.items()})
    rows = here("repo_archive", path=str(made)).table.to_pylist()
    assert {row["path"]: row["bytes"] for row in rows} == {path.decode(): len(data) for path, data in FILES.items()}
    with pytest.raises(SourceMalformedError):
        here("repo_archive", path=str(made), table="commits")


EVIL = [
    "../../evil",
    "/tmp/evil",
    "project/.git/../../evil",
    "C:\\evil",
    "objects/../../evil",
    "refs/heads/../../../evil",
]


@pytest.mark.parametrize("make", [_zip, _tar])
def test_nothing_is_written_outside(workshop: Workshop, tmp_path: Path, make: Any) -> None:
    members = {**_inside(workshop, ""), **dict.fromkeys(EVIL, b"evil"), "hooks/post-checkout": b"#!/bin/sh\n"}
    before = {path for path in tmp_path.rglob("*") if "bare.git" not in path.parts}
    made = make(tmp_path / "archive", members)
    assert here("repo_archive", path=str(made)).row_count == len(FILES)
    after = {path for path in tmp_path.rglob("*") if "bare.git" not in path.parts}
    assert after - before == {made}
    assert not Path("/tmp/evil").exists()


def test_what_leads_a_store_elsewhere_is_not_unpacked(workshop: Workshop, tmp_path: Path) -> None:
    blob = workshop.blob(b"import this\n")
    members = _inside(workshop, "")
    del members[f"objects/{blob[:2].decode()}/{blob[2:].decode()}"]
    members["objects/info/alternates"] = f"{workshop.repository.path}/objects\n".encode()
    with pytest.raises(SourceMalformedError):
        here("repo_archive", path=str(_tar(tmp_path / "archive", members)))


@pytest.mark.parametrize("lent", ["objects", "refs", ".git", "objects/info/alternates", "refs/heads/main"])
def test_a_folder_that_leads_to_a_repository_elsewhere_is_not_read(
    workshop: Workshop, tmp_path: Path, lent: str
) -> None:
    elsewhere = Path(workshop.repository.path)
    folder = tmp_path / "allowed"
    shutil.copytree(elsewhere, folder)
    if lent == ".git":
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / lent).symlink_to(elsewhere)
    elif lent == "objects/info/alternates":
        (folder / "objects/info").mkdir(exist_ok=True)
        (folder / lent).write_text(f"{elsewhere}/objects\n")
    else:
        shutil.rmtree(folder / lent) if (folder / lent).is_dir() else (folder / lent).unlink(missing_ok=True)
        (folder / lent).symlink_to(elsewhere / lent)
    with pytest.raises(ForbiddenError):
        here("local_repo", path=str(folder))


def test_a_link_within_the_folder_is_followed(workshop: Workshop, tmp_path: Path) -> None:
    folder = tmp_path / "allowed"
    shutil.copytree(workshop.repository.path, folder / "store")
    (folder / ".git").symlink_to(folder / "store")
    assert here("local_repo", path=str(folder)).row_count == len(FILES)


def test_links_in_an_archive_are_never_made(workshop: Workshop, tmp_path: Path) -> None:
    path = _tar(tmp_path / "archive", _inside(workshop, ""), "w")
    with tarfile.open(path, "a") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo("refs/heads/evil")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    with pytest.raises(SourceNotFoundError):
        here("repo_archive", path=str(path), ref="evil")


@pytest.mark.parametrize("make", [_zip, _tar])
def test_an_archive_that_inflates_beyond_measure_is_ended(tmp_path: Path, make: Any) -> None:
    made = make(tmp_path / "archive", {"zeros": bytes(40_000_000)})
    with pytest.raises(LimitExceededError):
        here("repo_archive", path=str(made), max_bytes=30_000_000)


def test_a_file_that_inflates_by_too_large_a_factor_is_ended(tmp_path: Path) -> None:
    with pytest.raises(LimitExceededError) as caught:
        here("repo_archive", path=str(_zip(tmp_path / "archive", {"zeros": bytes(100_000_000)})))
    assert caught.value.details["limit_name"] == "inflate_ratio"


@pytest.mark.parametrize(
    "data", [b"", b"PK\x05\x06", b"not an archive at all", b"\x1f\x8b\x08\x00garbage", b"PK\x03\x04" + bytes(60)]
)
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "archive"
    path.write_bytes(data)
    with pytest.raises((UnsupportedSourceError, SourceMalformedError)):
        here("repo_archive", path=str(path))


# --- fetched --------------------------------------------------------------------------------------------------------

PROVIDERS = {"github_repo": "x-access-token", "gitlab_repo": "oauth2", "bitbucket_repo": "x-token-auth"}


@pytest.fixture
def server(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitServer]:
    with git(tmp_path, {"ada/engine": workshop.repository}) as made:
        monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
        yield made


def fetched(server: GitServer, type_: str = "github_repo", **given: Any) -> Dataset:
    return read(type_, **{"host": "127.0.0.1", "port": server.port, "repository": "ada/engine", **given})


@pytest.mark.parametrize("type_", PROVIDERS)
def test_a_repository_is_fetched_with_its_token(workshop: Workshop, server: GitServer, type_: str) -> None:
    server.token = "the token"
    workshop.commit(workshop.tree({b"a": b"1\n"}))
    for table in ("files", "commits") if type_ == "github_repo" else ("files",):
        assert fetched(server, type_, token="the token", table=table).table.to_pylist() == local(workshop, table)
    assert {user for _, user in server.asked} == {PROVIDERS[type_]}


def test_a_url_may_stand_for_host_and_repository(workshop: Workshop, server: GitServer) -> None:
    for ending in (".git", "/"):
        url = f"https://127.0.0.1:{server.port}/ada/engine{ending}"
        assert read("gitlab_repo", url=url).table.to_pylist() == local(workshop)


@pytest.mark.parametrize("ref", ["side", "HEAD"])
def test_a_ref_is_fetched_alone(workshop: Workshop, server: GitServer, ref: str) -> None:
    main = workshop.last
    workshop.repository.refs[b"refs/heads/side"] = workshop.commit(workshop.tree({b"only": b"here\n"}))
    workshop.repository.refs[b"refs/heads/main"] = main
    assert fetched(server, ref=ref).table.to_pylist() == local(workshop, ref=ref)


def test_a_wrong_token_a_missing_repository_and_a_missing_ref_are_told_apart(server: GitServer) -> None:
    with pytest.raises(SourceNotFoundError):
        fetched(server, repository="ada/nothing")
    with pytest.raises(SourceNotFoundError):
        fetched(server, ref="nowhere")
    server.token = "the token"
    with pytest.raises(ConnectorError) as caught:
        fetched(server, token="hush, a wrong one")
    assert caught.value.reason == "login_refused"
    assert "hush" not in str(caught.value.to_dict())


def test_a_redirect_is_not_followed(workshop: Workshop, server: GitServer, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with git(tmp_path / "other", {"ada/engine": workshop.repository}) as other:
        server.elsewhere = f"https://127.0.0.1:{other.port}"
        with pytest.raises(ConnectorError):
            fetched(server, token="the token")
        assert not other.asked


def test_a_server_that_nobody_vouches_for_is_not_spoken_to(server: GitServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(ConnectorError) as caught:
        fetched(server, token="the token")
    assert caught.value.reason == "unreachable"
    assert not server.asked


def test_what_is_fetched_is_bounded_and_left_nowhere(
    workshop: Workshop, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    workshop.commit(workshop.tree({b"noise": random.Random(1).randbytes(2_000_000)}))
    with pytest.raises(LimitExceededError):
        fetched(server, max_bytes=500_000)
    assert fetched(server).row_count == 1
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    "given",
    [
        {"url": "http://github.com/a/b"}, {"url": "ssh://git@github.com/a/b"}, {"url": "file:///etc"},
        {"url": "https://ann:hush@github.com/a/b"}, {"url": "https://github.com/a"}, {"url": "https://github.com/a/../b"},
        {"url": "https://github.com/a/b?token=hush"}, {"repository": "a"}, {"repository": "../a"}, {"repository": "-a/b"},  # noqa: E501
        {"repository": "a/b c"}, {"repository": "a/b", "host": "git hub.com"}, {"repository": "a/b", "host": "x@y"},
        {"repository": "a/b", "host": "--upload-pack=x"}, {"repository": "a/b", "ref": "--x"}, {},
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_before_anything_is_asked(given: dict[str, str]) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read("github_repo", **given)
    assert "hush" not in str(caught.value.to_dict())


def test_the_token_is_a_secret() -> None:
    descriptor = catalog.parse_descriptor({"type": "github", "repository": "a/b", "token": "hush"})
    assert isinstance(descriptor.options["token"], Secret)
    assert "hush" not in repr(descriptor)
