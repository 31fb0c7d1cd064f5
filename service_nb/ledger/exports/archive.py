"""Zip files whose bytes say nothing of when and where they were made: the same content gives the same file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import datetime

_MODE = 0o644 << 16
_FIRST_YEAR, _LAST_YEAR = 1980, 2107  # that a zip file can state


def zipped(files: Mapping[str, bytes], *, at: datetime) -> bytes:
    """Return a zip file of files by their paths, all of one time."""
    year = min(max(at.year, _FIRST_YEAR), _LAST_YEAR)
    stamp = (year, at.month, at.day, at.hour, at.minute, at.second)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, stamp)
            entry.external_attr, entry.create_system = _MODE, 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def rezipped(content: bytes, *, at: datetime) -> bytes:
    """Return a zip file that a library has just made, with one time for all of its members."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return zipped({name: archive.read(name) for name in archive.namelist()}, at=at)
