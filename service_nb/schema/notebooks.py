"""Notebooks that every viewer reads alike: their format, their kinds of cells and outputs, and where data is shown.

A card counts where a viewer shows it: in the data of an output of a code cell. The verifiers of all languages read this
table.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTEBOOK_FORMAT = 4  # viewers show all of its minor versions alike
# Keys beside `cells` that readers of another version of the format read in their place.
OTHER_CELLS = ("worksheets",)
CELL_TYPES = ("code", "markdown", "raw")
OUTPUT_CELL = "code"  # of no other kind of cell outputs are shown
# What viewers show of each kind of output, whatever else it holds.
OUTPUT_TYPES: Mapping[str, str] = {
    "display_data": "data",
    "execute_result": "data",
    "update_display_data": "data",
    "stream": "text",
    "error": "traceback",
}
