"""What a piece of code does to its machine, as the interpreter's audit hook sees it; and a bundle tried under it."""

from __future__ import annotations

import functools
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import unpack_bundle, verify_bundle
from service_nb.runtimes.trust import BundleTerms
from tests.simulators.bundles import signed_bundle, terms

Event = tuple[str, tuple[Any, ...]]
Refused = Callable[..., str]

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    *("os.mkdir", "os.remove", "os.rmdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("os.setxattr", "os.utime", "os.chdir"),
}
_STARTS = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "socket.", "ctypes.", "exec")
_watching: list[tuple[int, list[Event]]] = []  # by thread: what else runs in the process is not meant


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not _watching or threading.get_ident() != _watching[-1][0]:
        return
    if event in _CHANGES or event.startswith(_STARTS) or (event == "open" and _writes(*args)):
        _watching[-1][1].append((event, args))


def _writes(path: object, _: object, flags: object) -> bool:
    # A number is an open file, which was seen when it was opened.
    return not isinstance(path, int) and isinstance(flags, int) and bool(flags & _WRITING)


sys.addaudithook(_hook)  # for as long as the interpreter lives; it does nothing unless something is watched


@contextmanager
def watched() -> Iterator[list[Event]]:
    """Every change of a file, every process, socket and piece of code from here to the end of the block."""
    seen: list[Event] = []
    _watching.append((threading.get_ident(), seen))
    try:
        yield seen
    finally:
        _watching.pop()


def outside(seen: list[Event], folder: Path) -> list[Event]:
    """What was done elsewhere than in the folder; names relative to an open folder are those of its removal."""
    return [
        (event, args)
        for event, args in seen
        if event.startswith(_STARTS)
        or not (
            str(args[0]) == str(folder)
            or str(args[0]).startswith(f"{folder}/")
            or (event in ("os.remove", "os.rmdir") and args[-1] != -1 and "/" not in str(args[0]))
        )
    ]


def refuser(place: Path, record: Callable[[str, object], None]) -> Refused:
    """Return what tries a bundle below `place` in both ways: gives the reason of its refusal, fails on any trace."""
    _load()
    (place / "beside").write_bytes(b"beside")
    (place / "data").mkdir()
    folder = place / "data" / "bundle"

    def check(bundle: bytes | io.RawIOBase, *, asked: BundleTerms | None = None, untouched: bool = False) -> str:
        record("bad_inputs", 1)
        with watched() as seen, pytest.raises(RuntimeProvisionError) as caught:
            unpack_bundle(_opened(bundle), folder, asked or terms())
        error = caught.value
        assert error.code == "runtime_provision_failed"
        assert not untouched or seen == []
        assert outside(seen, folder) == []
        assert sorted(path.name for path in place.rglob("*")) == ["beside", "data"]
        assert (place / "beside").read_bytes() == b"beside"
        assert str(place) not in str(error.to_dict())
        assert error.message.isprintable()
        with watched() as seen, pytest.raises(RuntimeProvisionError) as again:
            verify_bundle(_opened(bundle), asked or terms())
        assert seen == []
        assert again.value.reason == error.reason
        return error.reason

    return check


@functools.cache
def _load() -> None:
    """Have loaded what loads with a first bundle, so that no import is taken for code of a bundle."""
    verify_bundle(io.BytesIO(signed_bundle()), terms())


def _opened(bundle: bytes | io.RawIOBase) -> Any:
    if isinstance(bundle, bytes):
        return io.BytesIO(bundle)
    bundle.seek(0)
    return bundle
