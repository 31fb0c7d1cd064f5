"""What a browser loads of the labextension before the first card is shown and verified."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from pathlib import Path

MOST = 76_500  # bytes of scripts, compressed; the words of notes on a reading are 1,400 of them
WORKER = "service-nb-verifier"


def script_sizes(labextension: Path) -> Mapping[str, int]:
    """Return the compressed size of each script of the renderer: the entry, its chunks, and the worker that verifies.

    What is imported when it is needed is not among them: charts, the verifier of whole documents, and the comparison of
    a card with the other forms of its output, which the worker imports. Nor is what the sidebar alone loads.
    """
    return {path.name: _compressed(path) for path in _scripts(labextension / "static", "./mimeExtension")}


def style_size(labextension: Path) -> int:
    """Return the compressed size of the style sheets, those of sidebar and panel included."""
    entry, *chunks = _scripts(labextension / "static", "./style")
    return sum(_compressed(path) for path in chunks if path != entry and not path.name.startswith(WORKER))


def _scripts(static: Path, module: str) -> list[Path]:
    entry = _only(static, "remoteEntry")
    exposed = re.search(rf'"{re.escape(module)}":\(\)=>(.*?)\.then', entry.read_text(encoding="utf-8"))
    if exposed is None:
        raise AssertionError(f"{entry.name} does not expose {module} in the form that is known here")
    chunks = re.findall(r'\.e\("?(\w+)"?\)', exposed.group(1))
    # A chunk that holds only what JupyterLab itself has, and shares, is no file of ours.
    files = [path for chunk in chunks for path in static.glob(f"{chunk}.*.js")]
    if not files:
        raise AssertionError(f"none of the chunks {chunks} of {module} is a file")
    return [entry, *files, _only(static, WORKER)]


def _only(static: Path, name: str) -> Path:
    (path,) = static.glob(f"{name}.*.js")
    return path


def _compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), mtime=0))
