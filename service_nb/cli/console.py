"""How the command speaks: results to stdout, errors to stderr, JSON when asked for."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

from service_nb.errors import ServiceError

DONE, FAILED, USAGE = 0, 1, 2


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_error(error: ServiceError, *, as_json: bool) -> None:
    """Tell a person on stderr; with `as_json` also a program on stdout."""
    print(f"error[{error.code}]: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)
    if as_json:
        print_json({"status": "error", "error": error.to_dict()})


def text_width() -> int:
    """Return the terminal's width in cells, 100 where there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns
