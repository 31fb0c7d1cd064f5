"""The distribution of a profiled column as faces show it: bins as blocks, frequent values with their counts."""

from __future__ import annotations

from collections.abc import Sequence

from service_nb.cards.format import write_number, write_word
from service_nb.core.canonical import MAX_SAFE_INTEGER, parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError

BLOCKS = "▁▂▃▄▅▆▇█"
NONE = "·"  # a bin without values
MOST_VALUES = 3


def write_distribution(text: str) -> str:
    """Write a distribution, a JSON list of `[from, below, count]` or `[value, count]`; another text as it is."""
    try:
        counts: object = parse_strict(text)
    except (CanonicalJsonError, LimitExceededError):
        return write_word(text)
    if not isinstance(counts, list) or not all(map(_is_count, counts)):
        return write_word(text)
    if all(len(each) == 3 for each in counts):
        return draw_blocks([each[-1] for each in counts])
    return " · ".join(f"{_write_value(each)} {write_number(str(each[-1]))}" for each in counts[:MOST_VALUES])


def draw_blocks(counts: Sequence[int]) -> str:
    """Draw counts as blocks of eight heights; the largest is the highest."""
    most = max(counts, default=0)
    return "".join(BLOCKS[-(-count * 8 // most) - 1] if count else NONE for count in counts)


def _write_value(each: Sequence[str]) -> str:
    return write_word(each[0] if len(each) == 2 else "")


def _is_count(each: object) -> bool:
    if not isinstance(each, list) or len(each) not in (2, 3) or not isinstance(each[0], str):
        return False
    return type(each[-1]) is int and 0 <= each[-1] <= MAX_SAFE_INTEGER
