"""Write what a card says beside its answer: rows that were used, nulls that were left out, what the reader decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service_nb.cards import format as fmt
from service_nb.core.words import clip
from service_nb.schema.reading_notes import write_short

CELL_WIDTH = 64  # a longer text in a cell is cut; the exact text stays in the canonical result
_MOST_DROPPED = 3  # columns whose nulls are told


def list_used_rows(view: Mapping[str, Any]) -> list[str]:
    """List how many of the rows that there are were used, and the nulls that were left out of them."""
    source, used, dropped = view["source"], view.get("used_rows"), view.get("dropped", {})
    # How many rows a live source has now nobody knows.
    total = None if is_live(source) else source["row_count"]
    told = [
        f"{fmt.write_count(dropped[name], 'null')} in {clip(fmt.write_word(name), CELL_WIDTH)} left out"
        for name in sort_names(dropped)
    ]
    more = f"nulls in {len(told) - _MOST_DROPPED:,} more left out" if len(told) > _MOST_DROPPED else ""
    return [_write_used_rows(source["name"], used, total), *told[:_MOST_DROPPED], *([more] if more else [])]


def _write_used_rows(name: str, used: int | None, total: int | None) -> str:
    """Write how many rows of a source were used: `20,000 of 60,000 rows of sales`."""
    if used is None:
        size = "live data" if total is None else fmt.write_count(total)
    elif total is None:
        return f"{fmt.write_count(used)} of {fmt.write_word(name)}, live"
    else:
        size = fmt.write_count(total) if used == total else f"{used:,} of {fmt.write_count(total)}"
    return f"{size} of {fmt.write_word(name)}"


def list_short_notes(view: Mapping[str, Any]) -> list[str]:
    """List in a few words what the reader decided of what was used, each kind once; details have the sentences."""
    return list(dict.fromkeys(map(write_short, view.get("reading_notes", ()))))


def sort_names(names: Iterable[str]) -> list[str]:
    """Sort names in the order of canonical JSON and of JavaScript: by units of UTF-16."""
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def is_live(source: Mapping[str, object]) -> bool:
    """Tell whether the data of a source may change between two questions."""
    content = source.get("content")
    return isinstance(content, Mapping) and content.get("algorithm") == "live"
