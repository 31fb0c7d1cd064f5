"""A password that is typed into a cell is saved with the notebook: whoever runs such a cell is told, once for each."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Any

from service_nb.readers.descriptor import find_literal_secrets

_CALLS = ("connect", "test_connector", "create_connector")
MOST_CHARS = 200_000  # of a cell


def look(info: Any) -> None:
    """Warn of secrets in the cell that is about to run; IPython calls it (`pre_run_cell`)."""
    keys = sorted(set(typed_secrets(getattr(info, "raw_cell", None) or "")))
    if keys:
        warnings.warn(
            f"This cell holds a secret ({', '.join(keys)}), which is saved with the notebook. Write a reference, such"
            ' as "env:NAME", or keep the descriptor in a file.',
            stacklevel=2,
        )


def typed_secrets(cell: str) -> Iterator[str]:
    """Yield the keys of descriptors whose values are secrets written out in the text of a cell."""
    if len(cell) > MOST_CHARS or not any(name in cell for name in _CALLS):
        return
    try:
        tree = ast.parse("\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in cell.split("\n")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            said = dict(_texts(node))
            if "type" in said:
                yield from find_literal_secrets(said)


def _texts(node: ast.Dict) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of a dict that are texts as they stand."""
    for key, value in zip(node.keys, node.values, strict=True):
        said = [each.value for each in (key, value) if isinstance(each, ast.Constant)]
        texts = [each for each in said if isinstance(each, str)]
        if len(texts) == 2:
            yield texts[0], texts[1]
