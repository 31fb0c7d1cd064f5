"""The face of the log: what was recorded, a line each, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.cards import format as fmt
from service_nb.cards.blocks import Block, Head, Sentence, Status, Table

# Of each kind the digest that says what came of it.
_TELLING = ("result_hash", "computation_hash", "refusal_hash", "error_hash", "replay_hash")
_HEADS = ("time (UTC)", "id", "kind", "question", "hash", "signed")


def log_blocks(lines: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return the blocks of lines as `Service.log` returns them."""
    if not lines:
        return [
            Status(tone="source", label="Nothing is recorded yet", note="here"),
            Sentence(text="Questions and computations are recorded when they run.", role="hint"),
        ]
    heads = tuple(Head(text=text, aligned="left", is_whole=text in ("id", "hash")) for text in _HEADS)
    rows = tuple(_row(line) for line in lines)
    return [
        Status(tone="source", label="Recorded", note="newest first"),
        Table(heads=heads, rows=rows, caption=fmt.count(len(lines), "result")),
    ]


def short_hash(digests: Mapping[str, str]) -> str:
    """Return the first digits of the digest that says what came of an outcome."""
    telling = next((digests[name] for name in _TELLING if name in digests), "")
    return telling[: fmt.SHORT_DIGEST]


def _row(line: Mapping[str, Any]) -> tuple[str, ...]:
    time = str(line["time"]).replace("T", " ").partition(".")[0]
    question = fmt.clip(fmt.make_visible(str(line["question"])), 64)
    signed = "yes" if line["signed"] else "no"
    return (time, line["id"], line["kind"], question, short_hash(line["digests"]), signed)
