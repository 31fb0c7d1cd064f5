"""The command `service-nb`: one module a verb, each with `register` (its options) and `run` (what it does)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from service_nb._version import __version__
from service_nb.cli import (
    ask,
    capabilities,
    compute,
    connect,
    disconnect,
    doctor,
    export,
    forget,
    import_,
    key,
    log,
    login,
    logout,
    refresh,
    replay,
    runtime,
    seal,
    search,
    serve,
    show,
    sources,
    strip,
    verify,
    version,
)
from service_nb.cli.console import FAILED, USAGE, print_error
from service_nb.errors import InvalidIntentError, ServiceError

VERBS = (
    *(ask, connect, sources, refresh, disconnect, forget),
    *(compute, search, capabilities),
    *(verify, replay, log, show, export, import_, seal, strip),
    *(serve, key, login, logout, runtime, doctor, version),
)

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
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except ServiceError as error:
        print_error(error, as_json=arguments.json)
        return USAGE if isinstance(error, InvalidIntentError) else FAILED
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return 130  # as a shell reports a command that was stopped by Ctrl-C
    return code


def _parser() -> argparse.ArgumentParser:
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
    for verb in VERBS:
        name = verb.__name__.rpartition(".")[2].rstrip("_")  # `import` is a word of Python's
        options = verbs.add_parser(
            name,
            help=verb.SUMMARY,
            description=verb.SUMMARY,
            epilog=verb.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        verb.register(options)
        options.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        options.set_defaults(run=verb.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
