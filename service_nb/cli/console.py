"""How the command speaks: results to stdout, errors to stderr, JSON when asked for."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TextIO

from service_nb.cards.blocks import Block, Command, Commands
from service_nb.cards.text import write_text
from service_nb.errors import ServiceError

DONE, FAILED, USAGE = 0, 1, 2
_LIVE = frozenset('"$`\\!')  # signs that a shell reads between double quotes


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_blocks(blocks: Iterable[Block], asked: str = "service-nb ask FILE") -> None:
    """Print a card's blocks; the lines that they offer are a shell's, and `asked` is what a question stands behind."""
    verbs = {
        "%service_ask": asked,
        "%service_compute": "service-nb compute",
        "%service_help": "service-nb capabilities",
    }
    print(write_text([_in_a_shell(block, verbs) for block in blocks], text_width()))


def _in_a_shell(block: Block, verbs: dict[str, str]) -> Block:
    if not isinstance(block, Commands):
        return block
    return replace(block, commands=tuple(_typed(command, verbs) for command in block.commands))


def _typed(command: Command, verbs: dict[str, str]) -> Command:
    magic, _, words = command.line.partition(" ")
    if magic not in verbs:
        return command
    return replace(command, line=f"{verbs[magic]} {words if words.isidentifier() else quoted(words)}")


def quoted(text: str) -> str:
    """Return a text as one word of a shell, legible where that is possible."""
    return f'"{text}"' if " " in text and _LIVE.isdisjoint(text) else shlex.quote(text)


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


class Step(Protocol):
    """How far long work is: what is done, bytes of bytes in all, or 0 where that is not known."""

    @property
    def label(self) -> str:
        """What is done."""

    @property
    def done(self) -> int:
        """How many bytes of it."""

    @property
    def total(self) -> int:
        """Of how many."""


class ProgressBar:
    """One line of a terminal's stderr that each step writes over; nothing at all where there is no terminal."""

    WIDTH = 30

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = self._stream.isatty()

    def __call__(self, step: Step) -> None:
        """Show a step."""
        if not step.total:
            self._write(f"{step.label} …" + (f" {megabytes(step.done)}" if step.done else ""))
            return
        part = min(step.done / step.total, 1.0)
        bar = ("=" * round(part * self.WIDTH)).ljust(self.WIDTH)
        self._write(f"{step.label:<20} [{bar}] {part:>4.0%} of {megabytes(step.total)}")

    def clear(self) -> None:
        """Leave no line behind."""
        self._write("")

    def _write(self, text: str) -> None:
        if self._is_shown:
            # To the line's start, the text as far as one line holds it, and nothing of what was there before.
            self._stream.write(f"\r{text[: text_width() - 1]}\x1b[K")
            self._stream.flush()


@contextmanager
def progress_bar() -> Iterator[ProgressBar]:
    """Lend the bar while something long may run; it leaves no line behind."""
    bar = ProgressBar()
    try:
        yield bar
    finally:
        bar.clear()


def megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB"
