"""Where things are kept: configuration, data, cache and sockets of the one user, never shared.

By default where the system wants them; below `SERVICE_HOME` when that is set. Nothing is made before it is needed.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import platformdirs

from service_nb.errors import RuntimeProvisionError

APPLICATION = "service-nb"
PRIVATE = 0o700


class Folders(NamedTuple):
    """The folders of one user."""

    config: Path  # the device key and its licence
    data: Path  # installed runtimes
    cache: Path  # wheels as they were fetched; may be deleted
    run: Path  # sockets, tokens and locks of what runs now


def folders() -> Folders:
    """Return this user's folders; none of them needs to exist yet. Asked at each computation, so remembered."""
    home = os.environ.get("SERVICE_HOME")
    if home:
        return _below(home, "" if os.path.isabs(home) else str(Path.cwd()))  # noqa: PTH117  # a path costs more
    return _usual(tuple(map(os.environ.get, _DECIDE)))


_DECIDE = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")


@lru_cache(maxsize=8)
def _below(home: str, working: str) -> Folders:
    root = Path(working, home)
    return Folders(root / "config", root / "data", root / "cache", root / "run")


@lru_cache(maxsize=8)
def _usual(environment: tuple[str | None, ...]) -> Folders:
    places = platformdirs.PlatformDirs(APPLICATION, appauthor=False)
    data, sockets = Path(places.user_data_dir), environment[-1]
    run = Path(sockets) / APPLICATION if sockets and Path(sockets).is_dir() else data / "run"
    return Folders(Path(places.user_config_dir), data, Path(places.user_cache_dir), run)


def private(folder: Path) -> Path:
    """Make a folder that only its user can enter, and return it.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reason `folder_unsafe`: it is a link, somebody else's, or no folder; `folder_unwritable`: it cannot be made.
    """
    try:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        met = folder.lstat()
    except OSError as error:
        raise RuntimeProvisionError(
            f"The folder {folder.name} cannot be made: {error.strerror}.",
            reason="folder_unwritable",
            hint="Set SERVICE_HOME to a writable folder.",
        ) from error
    if not stat.S_ISDIR(met.st_mode) or (sys.platform != "win32" and met.st_uid != os.getuid()):
        raise RuntimeProvisionError(
            f"{folder.name} is a link or belongs to another user.",
            reason="folder_unsafe",
            hint="Set SERVICE_HOME to a folder of yours.",
        )
    if sys.platform != "win32" and stat.S_IMODE(met.st_mode) & 0o077:
        folder.chmod(PRIVATE)
    return folder
