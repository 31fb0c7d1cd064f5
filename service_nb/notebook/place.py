"""Where a result was asked for: the notebook's file name, the cell's id and its source's hash, as far as is known.

Front ends send a cell's source as the notebook has it, before IPython transforms it, so that its hash can be compared
with the saved file. What a widget runs belongs to no cell's source.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

from service_nb.core.digest import sha256_hex
from service_nb.schema.entry import MOST_PLACE_CHARS, Place

_NOTEBOOK = "JPY_SESSION_NAME"  # set by Jupyter's server for the kernels that it starts


def running_place(shell: Any) -> Place | None:
    """Return the place of the cell that runs now; None in a terminal, or where nothing is told."""
    place = Place()
    name = PurePosixPath(os.environ.get(_NOTEBOOK, "").replace("\\", "/")).name
    if name.endswith(".ipynb"):
        place["notebook"] = _told(name)
    cell = _asked(shell, "metadata", "cellId")  # sent by JupyterLab, not by nbclient
    if cell:
        place["cell"] = _told(cell)
    source = _asked(shell, "content", "code")
    if source is not None:
        place["source"] = sha256_hex(source.encode("utf-8", "surrogatepass"))
    return place or None


def _asked(shell: Any, part: str, key: str) -> str | None:
    """Return a text of the message that runs now: `content.code` is only in one that runs a cell."""
    get_parent = getattr(shell, "get_parent", None)  # kernels have it, terminals do not
    message = get_parent() if callable(get_parent) else None
    held = message.get(part) if isinstance(message, dict) else None
    text = held.get(key) if isinstance(held, dict) else None
    return text if isinstance(text, str) else None


def _told(name: str) -> str:
    """Return a name as a statement takes it: a file's may hold anything at all."""
    return "".join(char if char.isprintable() else "?" for char in name[:MOST_PLACE_CHARS])
