"""The parts of a face: what is seen at once, what is folded, and the words of its head."""

from __future__ import annotations

from collections.abc import Iterable

from service_nb.cards.blocks import SIGNS, UNVERIFIED, Block, Facts, Mark, Status, Title, Tone

DETAILS = "Details"


def list_notes(status: Status) -> list[str]:
    """List the notes after the label: its own, and for evidence that this static view has not verified it."""
    return [note for note in (status.note, UNVERIFIED if status.is_evidence else "") if note]


def write_title(title: Title) -> str:
    """Write a title, with the sign of a verdict before it."""
    sign = "" if title.tone in ("source", "answered") else f"{SIGNS[title.tone]} "
    return f"{sign}{title.text}"


def find_tone(blocks: Iterable[Block]) -> Tone:
    """Find the tone of a face: that of its status, else of its title."""
    told = list(blocks)
    status = next((block for block in told if isinstance(block, Status)), None)
    title = next((block for block in told if isinstance(block, Title)), None)
    return status.tone if status else title.tone if title else "source"


def split_details(blocks: Iterable[Block]) -> tuple[list[Block], list[Block], list[Block]]:
    """Split blocks into those that are seen at once, those that are folded, and the mark."""
    seen: list[Block] = []
    folded: list[Block] = []
    marks: list[Block] = []
    has_status = False
    for block in blocks:
        is_folded = isinstance(block, Facts) and not block.is_answer
        part = marks if isinstance(block, Mark) else folded if has_status or is_folded else seen
        part.append(block)
        has_status = has_status or isinstance(block, Status)
    return seen, folded, marks
