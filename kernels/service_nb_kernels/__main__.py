"""`python -m service_nb_kernels check [field …]` proves packs; `… contract [--check]` compiles them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from service_nb_kernels import LIBRARIES
from service_nb_kernels.check import read, report
from service_nb_kernels.contract import CONTRACT, compiled
from service_nb_kernels.reader import fields_of_packs

REQUIREMENTS = Path(__file__).parents[2] / "requirements.lock"


def main() -> int:
    """Run the command; 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m service_nb_kernels", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    check = verbs.add_parser("check", help="prove declarations and run their cases")
    check.add_argument("fields", nargs="*", help="all of them by default")
    contract = verbs.add_parser("contract", help="write contract.json from all packs")
    contract.add_argument("--check", action="store_true", help="write nothing; fail if the committed one is stale")
    arguments = parser.parse_args()
    if arguments.verb == "check":
        return min(1, report(arguments.fields or fields_of_packs()))
    return _contract(only_check=arguments.check)


def _contract(*, only_check: bool) -> int:
    found, faults = read(fields_of_packs())
    if faults:
        print(*faults, sep="\n")
        return 1
    content = compiled(found, _lock())
    if only_check:
        if CONTRACT.is_file() and CONTRACT.read_bytes() == content:
            return 0
        print("contract.json is stale: run `make contract`, look at the difference, and commit it.")
        return 1
    CONTRACT.write_bytes(content)
    print(f"{len(found)} capabilities in {CONTRACT.name}, {len(content):,} bytes")
    return 0


def _lock() -> dict[str, dict[str, Any]]:
    """The exact releases of the libraries that compute, as the lock of this checkout pins them."""
    lock: dict[str, dict[str, Any]] = {}
    name = ""
    for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith((" ", "#")) and "==" in line:
            name, _, release = line.partition("==")
            if name in LIBRARIES:
                lock[name] = {"version": release.split()[0], "hashes": []}
        elif "--hash=" in line and name in lock:
            lock[name]["hashes"].append(line.partition("--hash=")[2].split()[0])
    return lock


if __name__ == "__main__":
    sys.exit(main())
