"""Where something is kept, as people are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from service_nb.core.own_files import describe_place


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("SERVICE_HOME", raising=False)
    return tmp_path


def test_a_path_is_told_from_the_home_on(home: Path) -> None:
    assert describe_place(home / ".config" / "service-nb") == "~/.config/service-nb"
    assert describe_place(home) == "~"


def test_a_path_is_told_from_the_folder_that_was_set_for_all(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_HOME", str(home / "kept"))
    assert describe_place(home / "kept" / "data") == "$SERVICE_HOME/data"
    assert describe_place(home / "other") == "~/other"


def test_of_a_path_elsewhere_only_the_end_is_told(home: Path) -> None:
    assert describe_place(home.parent / "a" / "b" / "c") == "…/b/c"


def test_a_name_that_only_begins_alike_is_elsewhere(home: Path) -> None:
    assert describe_place(home.with_name(home.name + "-other") / "a") == f"…/{home.name}-other/a"


def test_the_folder_may_be_set_relative_to_where_one_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("SERVICE_HOME", "kept")
    assert describe_place(home / "kept" / "data") == "$SERVICE_HOME/data"
