"""Which capabilities have another meaning than in a commit: what takes an hour for all takes minutes for them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from service_nb_kernels.contract import CONTRACT, read_entries

ROOT = Path(__file__).parents[2]


def find_changed(ref: str) -> set[str]:
    """Find the capabilities whose meaning is not that of a commit's contract."""
    command = ["git", "show", f"{ref}:{CONTRACT.relative_to(ROOT)}"]
    before = read_entries(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    now = read_entries(CONTRACT.read_bytes())
    return {name for name in now if name not in before or now[name]["digest"] != before[name]["digest"]}
