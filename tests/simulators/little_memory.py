"""A process that reads files with 512 MB to spend, and says what it makes of each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

READER = """
import json, resource, sys
import openpyxl, pyarrow, pyarrow.json
from service_nb.readers.dataset import ReadOptions
from service_nb.readers.detect import read
from service_nb.readers import excel
from service_nb.errors import ServiceError

used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 512 * 1024**2,) * 2)
outcome = {}
for path in sys.argv[1:]:
    try:
        read(path, ReadOptions())
        outcome[path] = {"code": "accepted"}
    except ServiceError as error:
        outcome[path] = error.to_dict()
    except BaseException as error:
        outcome[path] = {"code": f"crash: {error!r}"}
print(json.dumps(outcome))
"""


def read_with_little_memory(paths: Iterable[Path]) -> dict[Path, dict[str, Any]]:
    """Return the error of each file as a document, or the code "accepted"."""
    command = [sys.executable, "-c", READER, *map(str, paths)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return {Path(path): found for path, found in json.loads(run.stdout).items()}
