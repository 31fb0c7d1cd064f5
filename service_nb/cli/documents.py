"""How verbs read the documents that they are given: regular files, within a limit, named without folders."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from service_nb.base.parse import DEFAULT_MAX_BYTES
from service_nb.errors import InvalidIntentError, LimitExceededError


def read_document(path: Path) -> bytes:
    """Return the bytes of a document.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is no such file, or it is no regular file.
    LimitExceededError [limit_exceeded]
        It has more bytes than a document may have.
    """
    try:
        # A pipe that nobody writes to would be waited for for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidIntentError(f"{path.name} is no regular file.", path="FILE")
            content = file.read(DEFAULT_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else "no path"
        raise InvalidIntentError(f"{path.name} cannot be read: {told}.", path="FILE") from error
    if len(content) > DEFAULT_MAX_BYTES:
        raise LimitExceededError(
            f"{path.name} has more than {DEFAULT_MAX_BYTES:,} bytes.", limit=DEFAULT_MAX_BYTES, value=len(content)
        )
    return content
