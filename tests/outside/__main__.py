"""`python -m tests.outside`: capabilities beside the functions of independent packages, at random arguments.

NAME …        tables of `tests/outside/tables`; all of them unless told
--calls N     arguments of each capability; 200 unless told
--seed N      of the arguments; 1 unless told
--only TEXT   capabilities whose names start so
--since REF   capabilities that have another meaning than in this commit, such as `main`
--python P    the interpreter that has the packages; that of `make outside` unless told
--record      write two cases of each capability that agrees, and has no case from outside, into its pack

It prints a table by package: how many capabilities were compared, the worst relative error, how many disagree. Each
that disagrees is printed with arguments and both values; the exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from service_nb_kernels.contract import capabilities
from service_nb_kernels.execute import Executor

from tests.outside.compare import Compared, Oracles, compare
from tests.outside.record import record
from tests.tools.changed import find_changed

PYTHON = Path(__file__).parents[2] / ".outside" / "bin" / "python"
SHOWN = 3


def main(arguments: Sequence[str]) -> int:
    """Compare, print, record."""
    parser = argparse.ArgumentParser(prog="python -m tests.outside", description=__doc__)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--since")
    parser.add_argument("--python", default=str(PYTHON))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(arguments)
    every, executor = capabilities(), Executor()
    oracles = Oracles(options.python, options.tables)
    chosen = [each for each in oracles.comparisons if each["capability"].startswith(options.only)]
    if options.since:
        changed = find_changed(options.since)
        chosen = [each for each in chosen if each["capability"] in changed]
    unknown = [each["capability"] for each in chosen if each["capability"] not in every and not each["may_miss"]]
    found = [
        compare(oracles, each, every[each["capability"]], executor, calls=options.calls, seed=options.seed)
        for each in chosen
        if each["capability"] in every
    ]
    oracles.close()
    own = [each for each in found if str(every[each.capability].call).startswith(each.package.split()[0])]
    for name in unknown:
        print(f"{name}: is in a table, but not in the contract")
    for each in own:
        print(f"{each.capability}: calls {every[each.capability].call} itself; that is no independent value")
    _print(found)
    if options.record:
        print(f"{record(found)} capabilities got cases; run `make contract`")
    return int(bool(unknown or own) or any(each.apart or not each.compared for each in found))


def _print(found: Sequence[Compared]) -> None:
    for each in found:
        for arguments, ours, theirs in each.apart[:SHOWN]:
            print(f"{each.capability}{arguments}: {ours!r:.120}; {each.origin} has {theirs!r:.120}")
        if len(each.apart) > SHOWN:
            print(f"{each.capability}: {len(each.apart)} of {each.compared} apart, worst {each.worst:.1e}")
        if not each.compared:
            print(f"{each.capability}: no arguments for which both have a value ({each.refused} refused by us)")
    by_package = defaultdict(list)
    for each in found:
        by_package[each.package].append(each)
    print(f"\n{'package':<24} {'capabilities':>12} {'values':>9} {'worst that agrees':>18} {'disagree':>9}")
    for package, group in sorted(by_package.items()):
        agreeing = [each for each in group if each.compared and not each.apart]
        worst = max((each.worst for each in agreeing), default=0.0)
        values = sum(each.compared for each in group)
        print(f"{package:<24} {len(group):>12,} {values:>9,} {worst:>18.1e} {len(group) - len(agreeing):>9,}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
