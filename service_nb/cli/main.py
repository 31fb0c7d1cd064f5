"""The command `service-nb`: find the verbs, parse, run one, print its reply, return its exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from functools import cache

import service_nb.cli
from service_nb._version import __version__
from service_nb.cli.console import print_error, print_json
from service_nb.cli.verb import FAILED, USAGE, Reply, Verb, add_verb
from service_nb.errors import InvalidIntentError, ServiceError

SHARED = frozenset({"main", "verb", "console", "reading", "pytest_plugin"})  # every other module here is a verb

EPILOG = """\
examples:
  service-nb ask sales.csv "sum revenue by region where year = 2024"
  service-nb sources sales.csv orders.parquet
  service-nb compute "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
  service-nb search net present value
  service-nb verify report.ipynb
  service-nb replay report.ipynb
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
    arguments = build_parser().parse_args(argv)
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


@cache
def find_verbs() -> tuple[Verb, ...]:
    """Find the record of each verb: every module of this folder that is not `SHARED` has one, called `VERB`."""
    names = sorted({module.name for module in pkgutil.iter_modules(service_nb.cli.__path__)} - SHARED)
    verbs: list[Verb] = [importlib.import_module(f"service_nb.cli.{name}").VERB for name in names]
    return tuple(sorted(verbs, key=lambda verb: verb.name))


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of the whole command."""
    parser = argparse.ArgumentParser(
        prog="service-nb",
        description="Ask exact questions and run exact computations, with verifiable evidence.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {__version__}", help="the client's, in a line"
    )
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for verb in find_verbs():
        add_verb(verbs, verb)
    return parser


if __name__ == "__main__":
    sys.exit(main())
