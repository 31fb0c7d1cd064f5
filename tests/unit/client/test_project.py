"""`service.toml`: descriptors of sources, never data or secrets; what a person wrote in it stays."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service_nb.client.project import (
    FILE_NAME,
    describe_input,
    find_project,
    list_stored_names,
    persist,
    read_descriptor,
)
from service_nb.errors import (
    InvalidIntentError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)

HAND_WRITTEN = """\
# Our project.
[project]
title = "Flights"   # shown nowhere

[sources.flights]   # the year 2013
path = "data/flights.parquet"
"""


def read(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / FILE_NAME).read_text(encoding="utf-8"))


def test_the_project_is_searched_upward(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_project(deep) == deep
    (tmp_path / FILE_NAME).write_text("", encoding="utf-8")
    assert find_project(deep) == find_project(tmp_path) == tmp_path


def test_a_descriptor_is_written_and_read_back(tmp_path: Path) -> None:
    options = {"types": {"zip": "string"}, "aliases": {"a b": "zip"}, "delimiter": ";", "nulls": ["NA"], "sheet": None}
    persist(tmp_path, "sales", describe_input(tmp_path / "sales.csv", options), "ab" * 32)
    assert read(tmp_path)["sources"]["sales"] == {
        "path": "sales.csv",
        "types": {"zip": "string"},
        "aliases": {"a b": "zip"},
        "delimiter": ";",
        "nulls": ["NA"],
        "sha256": "ab" * 32,
    }
    stored = read_descriptor(tmp_path, "sales")
    assert stored["path"] == str(tmp_path / "sales.csv")
    assert stored["types"] == {"zip": "string"}
    assert list_stored_names(tmp_path) == ["sales"]


def test_what_a_person_wrote_stays(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(HAND_WRITTEN, encoding="utf-8")
    persist(tmp_path, "costs", describe_input(tmp_path / "costs.csv", {}), None)
    text = (tmp_path / FILE_NAME).read_text(encoding="utf-8")
    for line in ("# Our project.", 'title = "Flights"   # shown nowhere', "# the year 2013"):
        assert line in text
    assert list_stored_names(tmp_path) == ["costs", "flights"]
    persist(tmp_path, "flights", describe_input(tmp_path / "new.parquet", {}), "cd" * 32)
    assert read(tmp_path)["sources"]["flights"] == {"path": "new.parquet", "sha256": "cd" * 32}
    assert "# Our project." in (tmp_path / FILE_NAME).read_text(encoding="utf-8")


def test_a_path_outside_the_project_stays_whole(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    persist(project, "far", describe_input(tmp_path / "far.csv", {}), None)
    assert read_descriptor(project, "far")["path"] == str(tmp_path / "far.csv")


def test_a_path_of_the_home_folder_is_kept_as_it_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    persist(tmp_path, "own", describe_input("~/own.csv", {}), None)
    assert read_descriptor(tmp_path, "own")["path"] == str(home / "own.csv")


def test_a_relative_path_is_that_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    monkeypatch.chdir(notebooks)
    persist(tmp_path, "near", describe_input("near.csv", {}), None)
    assert read(tmp_path)["sources"]["near"]["path"] == "notebooks/near.csv"


def test_a_database_is_kept_with_its_table_or_query(tmp_path: Path) -> None:
    source = {"provider": "sqlite", "path": str(tmp_path / "x.db"), "query": "SELECT 1 AS a", "password": "s3cret"}
    persist(tmp_path, "base", describe_input(source, {}), None)
    assert read(tmp_path)["sources"]["base"] == {"provider": "sqlite", "path": "x.db", "query": "SELECT 1 AS a"}


@pytest.mark.parametrize("source", [[{"x": 1}], {"records": []}, object(), 5])
def test_what_lives_in_memory_has_no_descriptor(source: Any) -> None:
    with pytest.raises(UnsupportedSourceError) as caught:
        describe_input(source, {})
    assert caught.value.code == "unsupported_source"


HOSTILE = ["a.b", "a]b", '"', "'", "#", "=", "[x]", "é", "\U0001f600", " ", "a = 1", "sources", "path"]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_printable_name_is_a_key(name: str, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(HAND_WRITTEN, encoding="utf-8")
    persist(tmp_path, name, describe_input(tmp_path / f"{name.replace('/', '')}.csv", {"encoding": name}), None)
    assert set(read(tmp_path)["sources"]) == {"flights", name}
    assert read_descriptor(tmp_path, name)["encoding"] == name


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1),
    st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8"))),
)
@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives(tmp_path: Path, name: str, aliases: dict[str, str]) -> None:
    persist(tmp_path, name, describe_input(tmp_path / "x.csv", {"aliases": aliases}), None)
    assert read_descriptor(tmp_path, name).get("aliases", {}) == aliases
    assert read(tmp_path)["sources"][name]["path"] == "x.csv"


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    # A file's name may hold bytes that are no UTF-8; TOML cannot.
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with pytest.raises(ServiceError):
        persist(tmp_path, "odd", describe_input(odd, {}), None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[sources", SourceMalformedError),
        ("[sources.sales]\npath = 5", SourceMalformedError),
        ("[sources.sales]", SourceMalformedError),
        ("[sources]", SourceNotFoundError),
        ("sources = 5", SourceNotFoundError),
        ("[sources]\nsales = 5", SourceNotFoundError),
        ("", SourceNotFoundError),
        ("#" * 1_000_001, InvalidIntentError),
    ],
)
def test_a_broken_file_is_told(text: str, error: type[ServiceError], tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(error):
        read_descriptor(tmp_path, "sales")


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceMalformedError):
        list_stored_names(tmp_path)


def test_a_file_whose_sources_are_no_table_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("sources = 5\n", encoding="utf-8")
    with pytest.raises(SourceMalformedError):
        persist(tmp_path, "sales", {"path": "x.csv"}, None)
    assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == "sources = 5\n"


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / FILE_NAME).write_text(HAND_WRITTEN, encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidIntentError, match="space"):
        persist(tmp_path, "costs", {"path": "x.csv"}, None)
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == HAND_WRITTEN
