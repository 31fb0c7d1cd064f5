"""Where outputs stand in a notebook: below its cells, and in the widgets whose state it keeps.

What a cell shows through an `Output` widget, as `interact` does, is in no output of a cell. It is in the notebook's
``metadata.widgets["application/vnd.jupyter.widget-state+json"].state[id].state.outputs``. A widget is counted among
those that have outputs, in the order of their ids (as UTF-16, like the keys of canonical JSON); whatever there has
another shape is shown by no front end, and is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from service_nb.evidence.checks import refuse

WIDGETS_MIME = "application/vnd.jupyter.widget-state+json"


class Shown(NamedTuple):
    """An output with data. `subject` names its place; `cell` is the cell that it stands below, None in a widget."""

    subject: str
    cell: Mapping[str, Any] | None
    data: Mapping[str, Any]


def outputs_in(notebook: Mapping[str, Any]) -> list[Shown]:
    """Return the outputs of a parsed notebook in the order of its cells, then those of its widgets.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It does not have the shape of a notebook; reason `malformed_notebook`.
    """
    cells = notebook.get("cells")
    if not isinstance(cells, list) or not isinstance(notebook.get("metadata", {}), dict):
        refuse("malformed_notebook", "The notebook has no list of cells, or its metadata is no object.")
    below_cells = [shown for number, cell in enumerate(cells, 1) for shown in _below(cell, number)]
    return [*below_cells, *_in_widgets(notebook)]


def widget_outputs(notebook: Any) -> list[tuple[str, list[Any]]]:
    """Return the id and the outputs of each widget that has some, in the order in which they are counted."""
    held = notebook
    for key in ("metadata", "widgets", WIDGETS_MIME, "state"):
        held = held.get(key) if isinstance(held, dict) else None
    models = held if isinstance(held, dict) else {}
    found = []
    for model_id in sorted(models, key=lambda each: each.encode("utf-16-be", "surrogatepass")):
        model = models[model_id]
        state = model.get("state") if isinstance(model, dict) else None
        outputs = state.get("outputs") if isinstance(state, dict) else None
        if isinstance(outputs, list) and outputs:
            found.append((model_id, outputs))
    return found


def _below(cell: Any, number: int) -> Iterator[Shown]:
    outputs = cell.get("outputs", []) if isinstance(cell, dict) else None
    if not isinstance(outputs, list):
        refuse("malformed_notebook", f"Cell {number} is no object, or its outputs are no list.")
    for place, output in enumerate(outputs, 1):
        data = output.get("data", {}) if isinstance(output, dict) else None
        if not isinstance(data, dict):
            refuse("malformed_notebook", f"Cell {number}: output {place} is no object, or its data is none.")
        yield Shown(f"cell {number}, output {place}", cell, data)


def _in_widgets(notebook: Mapping[str, Any]) -> Iterator[Shown]:
    for number, (_, outputs) in enumerate(widget_outputs(notebook), 1):
        for place, output in enumerate(outputs, 1):
            data = output.get("data") if isinstance(output, dict) else None
            if isinstance(data, dict):
                yield Shown(f"widget {number}, output {place}", None, data)
