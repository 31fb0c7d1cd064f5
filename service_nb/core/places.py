"""Where something is kept, as a person may be told: never by an absolute path, which names the user."""

from __future__ import annotations

import os
from pathlib import Path


def place(path: Path) -> str:
    """Return a path from `$SERVICE_HOME` or the home folder on; only its last two parts if it is below neither."""
    # Not of Path, which refuses where no home is known.
    roots = (("$SERVICE_HOME", os.environ.get("SERVICE_HOME")), ("~", os.path.expanduser("~")))  # noqa: PTH111
    for sign, root in roots:
        if root and path.is_relative_to(Path(root).absolute()):
            return "/".join((sign, *path.relative_to(Path(root).absolute()).parts))
    return "/".join(("…", *path.parts[-2:]))
