"""Where a result was asked for: the notebook's file name and the cell's id, as far as Jupyter tells a kernel."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

from service_nb.records.entry import MOST_PLACE_CHARS, Place

_NOTEBOOK = "JPY_SESSION_NAME"  # set by Jupyter's server for the kernels that it starts


def running_place(shell: Any) -> Place | None:
    """Return the place of the cell that runs now; None in a terminal, or where nothing is told."""
    place = Place()
    name = PurePosixPath(os.environ.get(_NOTEBOOK, "").replace("\\", "/")).name
    if name.endswith(".ipynb"):
        place["notebook"] = _told(name)
    cell = _cell(shell)
    if cell:
        place["cell"] = _told(cell)
    return place or None


def _cell(shell: Any) -> str | None:
    """The id of the cell, which front ends send beside the code that they want run."""
    get_parent = getattr(shell, "get_parent", None)  # kernels have it, terminals do not
    message = get_parent() if callable(get_parent) else None
    metadata = message.get("metadata") if isinstance(message, dict) else None
    cell = metadata.get("cellId") if isinstance(metadata, dict) else None
    return cell if isinstance(cell, str) else None


def _told(name: str) -> str:
    """Return a name as a statement takes it: a file's may hold anything at all."""
    return "".join(char if char.isprintable() else "?" for char in name[:MOST_PLACE_CHARS])
