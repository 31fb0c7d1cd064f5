"""The command `service-nb`: find the verb, parse, run it, print its reply, return its exit code.

Each verb is one file of this folder: it is called like the file, which has its record as `VERB` and its help as the
docstring. Only the file of the verb that runs is imported; the help of all reads their docstrings.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from service_nb._version import __version__
from service_nb.cli.console import format_warning, print_error, print_json
from service_nb.cli.verb import FAILED, USAGE, Parser, Reply, Verb, add_verb
from service_nb.errors import InvalidIntentError, ServiceError

SHARED = frozenset({"main", "verb", "console", "reading", "pytest_plugin"})  # every other file here is a verb

EPILOG = """\
examples:
  service-nb ask sales.csv "sum revenue by region where year = 2024"
  service-nb sources sales.csv orders.parquet
  service-nb compute "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
  service-nb search net present value
  service-nb verify report.ipynb
  service-nb replay report.ipynb
  service-nb mcp sales.csv
  service-nb login
  service-nb doctor

What is asked and computed is recorded in `.service` of the project, or of this folder; SERVICE_LEDGER=off records
nothing. `login` and `runtime` write below SERVICE_HOME, or where your system wants such things.

exit codes: 0 done, 1 refused or failed, 2 the command or the question is malformed
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a sign shall show its number, not a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    warnings.formatwarning = format_warning
    words = sys.argv[1:] if argv is None else argv
    arguments = build_parser(words).parse_args(words)
    try:
        return run_verb(arguments)
    except ServiceError as error:
        print_error(error, as_json=arguments.json)
        return USAGE if isinstance(error, InvalidIntentError) else FAILED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return 130  # as a shell reports a command that was stopped by Ctrl-C


def run_verb(arguments: argparse.Namespace) -> int:
    """Run the verb that was parsed, print its reply, and return its exit code."""
    reply: Reply = arguments.run(arguments)
    if arguments.json and reply.document is not None:
        print_json(reply.document)
    elif not arguments.json and reply.text is not None:
        print(reply.text)
    sys.stdout.flush()
    return reply.code


def find_files() -> dict[str, Path]:
    """Find the file of each verb, by the verb's name; that of one which Python itself knows ends in `_`."""
    found = sorted(Path(__file__).parent.glob("[a-z]*.py"))
    return {path.stem.rstrip("_"): path for path in found if path.stem not in SHARED}


def load_verb(name: str) -> Verb:
    """Load the record of a verb, with the name of its file and the help that is the file's docstring."""
    path = find_files()[name]
    verb: Verb = importlib.import_module(f"service_nb.cli.{path.stem}").VERB
    summary, text = _read_help(path)
    return replace(verb, name=name, summary=summary, help=text)


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser of the whole command, or of the verb that the words of a command line begin with."""
    parser = Parser(
        prog="service-nb",
        description="Ask exact questions and run exact computations, with verifiable evidence.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}", help="the client's, in a line"
    )
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    files = find_files()
    first = next((word for word in words or () if not word.startswith("-")), "")
    for name in files if words is None else files.keys() & {first}:
        add_verb(verbs, load_verb(name))
    if words is not None and first not in files:
        for name, path in files.items():
            verbs.add_parser(name, help=_read_help(path)[0])
    return parser


def _read_help(path: Path) -> tuple[str, str]:
    """Read from the docstring of a verb's file its summary, and the help that follows it."""
    summary, _, text = (ast.get_docstring(ast.parse(path.read_bytes())) or "").partition("\n\n")
    return summary, text


if __name__ == "__main__":
    sys.exit(main())
