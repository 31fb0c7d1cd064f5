"""Compare clients: shared vectors, expected differences, and cases from a seed; a disagreement is shrunk and printed.

python -m conformance                                             Python's client and the TypeScript client
python -m conformance --adapter "python -m conformance.python_client" --adapter "./mine"       another client
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from conformance.draw import list_capabilities
from conformance.report import compare_clients
from conformance.run import Case

PYTHON_CLIENT = shlex.join([sys.executable, "-m", "conformance.python_client"])
SEED = 20261122


@cache
def find_typescript_client() -> str:
    """Compile the TypeScript client from its sources as they are now, and return the command of its adapter."""
    from typescript import build  # noqa: PLC0415 - another client is compared without it

    node = build.a_node()
    with build.locked():
        build.install(node)
        build.compile_packages(node, "typescript/packages/client/tsconfig.node.json")
    return shlex.join([str(node.program), str(Path(__file__).with_name("typescript_client.mjs"))])


def read_case(path: Path) -> Case:
    """Read the requests of a file, one a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return Case(path.name, tuple(json.loads(line) for line in lines if line.strip()))


@contextmanager
def open_home() -> Iterator[str]:
    """Make a SERVICE_HOME with a login and the managed runtime, which is stopped at the end."""
    with tempfile.TemporaryDirectory(prefix="nb-") as home:  # short: the path of a socket has at most 100 bytes
        environment = {**os.environ, "SERVICE_HOME": home, "SERVICE_PYTHON": sys.executable}
        environment.pop("SERVICE_DEVICE_KEY", None)

        def run(*verb: str) -> None:
            command = [sys.executable, "-m", "service_nb.cli.main", *verb]
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

        run("login")
        run("runtime", "install")
        try:
            yield home
        finally:
            run("runtime", "stop")


def main(given: Sequence[str] | None = None) -> int:
    """Run what the command line says; 1 where clients disagree."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--adapter",
        action="append",
        dest="adapters",
        metavar="COMMAND",
        help="a client; the first is compared with all",
    )
    add("--seed", type=int, default=SEED, help="what cases are drawn from (default %(default)s)")
    add("--cases", type=int, default=2_000, help="how many are drawn (default %(default)s)")
    add("--case", type=Path, help="run the requests of a file, one a line, and nothing else")
    add("--most", type=int, default=5, help="disagreements that are shrunk and shown (default %(default)s)")
    add("--home", help="a SERVICE_HOME with a login and a runtime, for computations; without it there are none")
    add(
        "--compute",
        action="store_true",
        help="a case of each capability too; without --home in a home made for it",
    )
    add("--no-words", action="store_true", help="compare values, hashes, statuses and codes, but no sentences")
    asked = parser.parse_args(given)
    commands = asked.adapters or [PYTHON_CLIENT, find_typescript_client()]
    only = [read_case(asked.case)] if asked.case else None
    with ExitStack() as stack:
        home = stack.enter_context(open_home()) if asked.compute and asked.home is None else asked.home
        report = compare_clients(
            commands,
            asked.seed,
            asked.cases,
            most=asked.most,
            only=only,
            has_words=not asked.no_words,
            home=home,
            more=[*list_capabilities()] if asked.compute else (),
        )
    print("\n".join(report.list_lines()))
    return 0 if report.is_conforming else 1


if __name__ == "__main__":
    sys.exit(main())
