"""The parts of a verb of the command: its record, its options and its reply."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

DONE, FAILED, USAGE = 0, 1, 2


class Option(NamedTuple):
    """An option or an argument, as argparse takes it; options of one `group` stand together in the help."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]
    group: str = ""


def declare_option(*names: str, group: str = "", **settings: object) -> Option:
    """Declare an option, in the words of `ArgumentParser.add_argument`."""
    return Option(names, settings, group)


PROJECT = declare_option("--project", metavar="DIR", type=Path, help="folder of the project; default: the current one")
IN_PROCESS = declare_option(
    "--in-process", action="store_true", help="compute in this process: no login, no managed runtime, no pins"
)


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
    """A verb, or an action of one: `help` below its options is for examples, formats and exit codes.

    Help that takes a search, as for plugins, is a function: only a call for help runs it.
    """

    name: str
    summary: str
    run: Callable[[argparse.Namespace], Reply] | None = None  # None: an action must follow
    options: tuple[Option, ...] = ()
    actions: tuple[Verb, ...] = ()
    help: str | Callable[[], str] = ""


def add_verb(parsers: Any, verb: Verb, *, is_action: bool = False) -> None:
    """Add a verb and its actions to the parsers of a command."""
    parser: argparse.ArgumentParser = parsers.add_parser(
        verb.name,
        help=verb.summary,
        description=verb.summary,
        epilog=verb.help if isinstance(verb.help, str) else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if not isinstance(verb.help, str):
        write_help, find_help = parser.format_help, verb.help

        def format_help() -> str:
            parser.epilog = find_help()
            return write_help()

        parser.format_help = format_help  # type: ignore[method-assign]
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
