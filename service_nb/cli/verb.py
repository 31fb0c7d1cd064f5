"""The parts of a verb of the command: its record, its options and its reply."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DONE, FAILED, USAGE = 0, 1, 2


class Option:
    """An option or an argument: `--output --out PATH`, `--force`, `file FILE`; settings are those of argparse.

    Options of one `group` stand together in the help.
    """

    def __init__(self, spelling: str, words: str, *, group: str = "", **settings: object) -> None:
        first, *more = spelling.split(" ")
        self.names = (first, *(word for word in more if word.startswith("-")))
        self.group = group
        metavar = " ".join(word for word in more if not word.startswith("-"))
        is_flag = first.startswith("-") and not metavar and "choices" not in settings
        kind = {"metavar": metavar} if metavar else {"action": "store_true"} if is_flag else {}
        self.settings: dict[str, Any] = {"help": words, **kind, **settings}


PROJECT = Option("--project DIR", "folder of the project; default: the current one", type=Path)
IN_PROCESS = Option("--in-process", "compute in this process: no login, no managed runtime, no pins")


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a verb: one JSON document for programs, a text for people, and the exit code.

    Nothing is printed of a part that is None: a verb that writes to stdout itself replies with a code alone.
    """

    document: object = None
    text: str | None = None
    code: int = DONE


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb, or an action of one. Of a verb, the file's name and docstring are its name, summary and help."""

    name: str = ""
    summary: str = ""
    run: Callable[[argparse.Namespace], Reply] | None = None  # None: an action must follow
    options: tuple[Option, ...] = ()
    actions: tuple[Verb, ...] = ()
    help: str = ""  # examples, formats and exit codes
    find_more: Callable[[], str] | None = None  # what the help begins with and takes a search, as for plugins


class Parser(argparse.ArgumentParser):
    """The parser of the command or a verb: help as it is written, and before it what `find_more` finds for it."""

    def __init__(self, *, find_more: Callable[[], str] | None = None, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)
        self.find_more = find_more

    def format_help(self) -> str:
        """Write the help."""
        if self.find_more is not None:
            self.epilog, self.find_more = f"{self.find_more()}\n\n{self.epilog}", None
        return super().format_help()


def add_verb(parsers: Any, verb: Verb, *, is_action: bool = False) -> None:
    """Add a verb and its actions to the parsers of a command."""
    parser: Parser = parsers.add_parser(
        verb.name, help=verb.summary, description=verb.summary, epilog=verb.help, find_more=verb.find_more
    )
    groups = {each.group: parser.add_argument_group(each.group) for each in verb.options if each.group}
    for each in verb.options:
        groups.get(each.group, parser).add_argument(*each.names, **each.settings)
    if verb.actions:
        actions = parser.add_subparsers(title="actions", metavar="ACTION", required=verb.run is None)
        for action in verb.actions:
            add_verb(actions, action, is_action=True)
    # Suppressed: an action must not undo what stands before it, as in `service-nb runtime --json status`.
    default = argparse.SUPPRESS if is_action else False
    parser.add_argument("--json", action="store_true", default=default, help="print one JSON document instead of text")
    if verb.run is not None:
        parser.set_defaults(run=verb.run)
