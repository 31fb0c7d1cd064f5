"""`python -m service_nb_kernels check [field …]` proves packs, `contract` compiles them, `reference` writes pages."""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from service_nb_kernels import LIBRARIES
from service_nb_kernels.check import DERIVED, count_grades, format_derived, read, report
from service_nb_kernels.contract import CONTRACT, compiled, entry_of, read_entries
from service_nb_kernels.declare import Capability
from service_nb_kernels.excluded_ends import find_reason, find_unused, list_excluded
from service_nb_kernels.reader import fields_of_packs
from service_nb_kernels.reference import pages

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements.lock"
REFERENCE = ROOT / "docs" / "reference"  # not committed: a page a field, written when it is to be read


def main() -> int:
    """Run the command; 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m service_nb_kernels", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    check = verbs.add_parser("check", help="prove declarations and run their cases")
    check.add_argument("fields", nargs="*", help="all of them by default")
    contract = verbs.add_parser("contract", help="write contract.json from all packs")
    contract.add_argument("--unreleased", action="store_true", help="what changed was never released: versions stay")
    contract.add_argument("--check", action="store_true", help="write nothing; fail if the committed one is stale")
    ends = verbs.add_parser("ends", help="list the ends that domains exclude without a reason")
    ends.add_argument("fields", nargs="*", help="all of them by default")
    verbs.add_parser("reference", help="write a page for each field into docs/reference")
    arguments = parser.parse_args()
    if arguments.verb == "check":
        return min(1, report(arguments.fields or fields_of_packs()))
    if arguments.verb == "ends":
        return _list_ends(arguments.fields or fields_of_packs())
    if arguments.verb == "reference":
        return _write_reference()
    return _contract(only_check=arguments.check, unreleased=arguments.unreleased)


def _contract(*, only_check: bool, unreleased: bool) -> int:
    found, faults = read(fields_of_packs())
    if not (only_check or unreleased):
        faults += _unraised(found)
    if faults:
        print(*faults, sep="\n")
        return 1
    made = {CONTRACT: compiled(found, _lock()), DERIVED: format_derived(found)}
    stale = [path for path, content in made.items() if not path.is_file() or path.read_bytes() != content]
    if only_check:
        for path in stale:
            print(f"{path.name} is stale: run `make contract`, look at the difference, and commit it.")
        return int(bool(stale))
    for path in stale:
        path.with_suffix(".new").write_bytes(made[path])  # nobody meets half a contract
        path.with_suffix(".new").replace(path)
    print(f"{len(found):,} capabilities: {count_grades(found)}")
    print(f"{CONTRACT.name} {'written' if CONTRACT in stale else 'unchanged'}")
    return 0


def _list_ends(fields: Iterable[str]) -> int:
    """List the ends that are excluded without a reason, though formulas have values there; 0 when there are none.

    An author includes such an end, or says in excluded_ends.toml why not: nothing weighs 0 kg. Only all fields
    together show the patterns there that match no end.
    """
    found, faults = read(fields)
    ends = list(list_excluded(found))
    open_ends = [end for end in ends if find_reason(end) is None]
    if {declared.module for declared in found}.issuperset(fields_of_packs()):
        faults += find_unused(ends)
    for line in (*faults, *open_ends):
        print(line)
    print(
        f"{len(ends):,} excluded ends where formulas have values: {len(ends) - len(open_ends):,} with a reason, "
        f"{len(open_ends):,} without"
    )
    return int(bool(faults or open_ends))


def _write_reference() -> int:
    """Write the reference anew, from the committed contract's packs."""
    found, faults = read(fields_of_packs())
    if faults:
        print(*faults, sep="\n")
        return 1
    shutil.rmtree(REFERENCE, ignore_errors=True)
    REFERENCE.mkdir()
    for name, text in pages(found).items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    print(f"{len(found)} capabilities; open {(REFERENCE / 'README.md').relative_to(ROOT)}")
    return 0


def _unraised(found: Iterable[Capability]) -> list[str]:
    """Name the capabilities whose meaning changed while their version did not: stored results name the version."""
    known = read_entries(CONTRACT.read_bytes()) if CONTRACT.is_file() else {}
    changed = [
        declared
        for declared in found
        if declared.id in known
        and known[declared.id]["version"] >= declared.version
        and known[declared.id]["digest"] != entry_of(declared)["digest"]
    ]
    return [
        f"{declared.file}: {declared.id} changed: raise its version, now {declared.version}" for declared in changed
    ]


def _lock() -> dict[str, list[str]]:
    """The exact releases of the libraries that compute, and a digest of their files, as this checkout pins them."""
    lock: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=\S)", REQUIREMENTS.read_text(encoding="utf-8")):
        head, *hashes = block.replace("\\", "").splitlines()
        if head.partition("==")[0] in LIBRARIES:
            files = hashlib.sha256("".join(sorted(line.strip() for line in hashes)).encode()).hexdigest()
            lock.setdefault(head.partition("==")[0], []).append(
                f"{head.partition('==')[2].strip()} files sha256:{files}"
            )
    return lock


if __name__ == "__main__":
    sys.exit(main())
