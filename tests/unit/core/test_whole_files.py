"""A file that is written beside its place: durable before it is moved, private, and gone unless it is moved."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from service_nb.core.own_files import write_beside


def test_it_takes_its_place_with_all_its_content_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"before")
    with write_beside(target, b"after") as made:
        assert (made.parent, made.read_bytes(), target.read_bytes()) == (tmp_path, b"after", b"before")
        made.replace(target)
    assert target.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [target]


def test_what_is_not_moved_is_removed(tmp_path: Path) -> None:
    with write_beside(tmp_path / "report.json", b"content") as made:
        assert made.is_file()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_what_could_not_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        write_beside(tmp_path / "report.json", lambda file: file.write(b"half") // 0),
    ):
        pytest.fail("a half-written file was given out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_nobody_else_can_read_it_and_its_name_begins_as_told(tmp_path: Path) -> None:
    with write_beside(tmp_path / "report.json", b"content", prefix=".part-") as made:
        assert made.name.startswith(".part-")
        assert stat.S_IMODE(made.stat().st_mode) == 0o600
    with write_beside(tmp_path / "report.json", b"content") as made:
        assert made.name.startswith(".report.json.")
