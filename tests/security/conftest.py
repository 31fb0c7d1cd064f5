"""Bad inputs: each must be refused by a typed error that says where, and nothing may be touched on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service_nb.errors import ServiceError
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read

Refused = Callable[..., ServiceError]


@pytest.fixture
def refused(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    """Read an input and return the error that refused it; fails if it is accepted, crashes or leaves a trace."""

    def check(source: Any, code: str, options: ReadOptions | None = None, **details: Any) -> ServiceError:
        before = snapshot(tmp_path)
        with pytest.raises(ServiceError) as caught:
            read(source, options or ReadOptions())
        error = caught.value
        assert error.code == code, error.to_dict()
        assert {key: error.details.get(key) for key in details} == details
        assert str(tmp_path) not in str(error.to_dict())
        assert snapshot(tmp_path) == before
        record_property("bad_inputs", 1)
        return error

    return check


def snapshot(folder: Path) -> dict[str, str]:
    """Every name below a folder with the digest of its content, or what it is if it is no regular file."""
    return {
        path.relative_to(folder).as_posix(): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else f"{path.lstat().st_mode:o}"
        )
        for path in folder.rglob("*")
    }
