"""The output of the command: results to stdout, errors and progress to stderr."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from service_nb.cards.blocks import Block, Command, Commands, Fact, Facts
from service_nb.cards.card_blocks import QUESTION_LABEL
from service_nb.cards.faces.text import write_text
from service_nb.errors import InvalidIntentError, ServiceError

if TYPE_CHECKING:
    from service_nb.runtimes.interface import Step

_LIVE = frozenset('"$`\\!')  # signs that a shell reads between double quotes


def print_json(value: object) -> None:
    """Print one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def write_for_shell(blocks: Iterable[Block], asked: str = "service-nb ask FILE") -> str:
    """Write blocks as text whose commands run in a shell; `asked` stands in front of a question.

    Of a preview or a profile it is the whole line.
    """
    verbs = {
        "%service_ask": asked,
        "%service_compute": "service-nb compute",
        "%service_help": "service-nb capabilities",
    }
    return write_text([_convert_block(block, verbs) for block in blocks], measure_terminal())


def _convert_block(block: Block, verbs: dict[str, str]) -> Block:
    if isinstance(block, Facts):
        return replace(block, facts=tuple(_convert_fact(fact, verbs) for fact in block.facts))
    if not isinstance(block, Commands):
        return block
    return replace(block, commands=tuple(_convert_command(command, verbs) for command in block.commands))


_WHOLE = {"%service_preview": "preview", "%service_profile": "profile"}


def _convert_fact(fact: Fact, verbs: dict[str, str]) -> Fact:
    if fact.label != QUESTION_LABEL:
        return fact
    command = _convert_command(Command(fact.lines[0][0].text), verbs)
    return Fact.from_texts(fact.label, command.line, kind="code")


def _convert_command(command: Command, verbs: dict[str, str]) -> Command:
    magic, _, words = command.line.partition(" ")
    if magic in _WHOLE:
        asked = verbs["%service_ask"]
        return replace(command, line=asked.replace("ask FILE", f"{_WHOLE[magic]} FILE"))
    if magic not in verbs:
        return command
    return replace(command, line=f"{verbs[magic]} {words if words.isidentifier() else quote(words)}")


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows as lines, each column but the last as wide as its widest text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "  ".join([*(f"{text:<{width}}" for text, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]


def quote(text: str) -> str:
    """Quote a text as one word of a shell, in double quotes where these are legible and safe."""
    return f'"{text}"' if " " in text and _LIVE.isdisjoint(text) else shlex.quote(text)


def print_error(error: ServiceError, *, as_json: bool) -> None:
    """Print an error to stderr, and with `as_json` as a document to stdout too."""
    print(f"error[{error.code}]: {error.message}", file=sys.stderr)
    if error.remark:
        print(f"  {error.remark}", file=sys.stderr)
    for line in error.lines:
        print(f"  {error.heading}{'' if error.heading.endswith('?') else ':'} {line}", file=sys.stderr)
    if as_json:
        print_json({"status": "error", "error": error.to_dict()})


def format_warning(message: Warning | str, *_: object, **__: object) -> str:
    """Write a warning as one line: where the code that warns stands is nothing to whoever runs the command."""
    return f"service-nb: {message}\n"


def write_output(option: str, path: Path, text: str) -> None:
    """Write a text to the file that an option names."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidIntentError(f"{option} {path.name} cannot be written: {error.strerror}.", path=option) from error


def measure_terminal() -> int:
    """Measure the terminal in cells; 100 where there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


class ProgressBar(AbstractContextManager["ProgressBar"]):
    """A line of stderr that each step writes over, gone at the end; without a terminal nothing is written."""

    WIDTH = 30

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = self._stream.isatty()

    def __call__(self, step: Step) -> None:
        """Show a step: its bytes of all bytes, where their number is known."""
        if not step.total:
            self._write(f"{step.label} …" + (f" {format_size(step.done)}" if step.done else ""))
            return
        part = min(step.done / step.total, 1.0)
        bar = ("=" * round(part * self.WIDTH)).ljust(self.WIDTH)
        self._write(f"{step.label:<20} [{bar}] {part:>4.0%} of {format_size(step.total)}")

    def __exit__(self, *_: object) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        if self._is_shown:
            # To the line's start, the text as far as one line holds it, and nothing of what was there before.
            self._stream.write(f"\r{text[: measure_terminal() - 1]}\x1b[K")
            self._stream.flush()


def format_size(size: int) -> str:
    """Write a number of bytes in megabytes."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB"
