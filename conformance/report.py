"""A whole run: vectors, expected differences and drawn cases; what it found, in words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from conformance.compare import Expected, read_expected
from conformance.draw import Drawing
from conformance.process import Adapter
from conformance.run import Case, Disagreement, Runner
from conformance.shrink import shrink
from conformance.vectors import list_vectors


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found."""

    runner: Runner
    cases: int
    seed: int
    seconds: float
    found: int
    shown: Sequence[Disagreement]
    gone: Sequence[Expected]

    @property
    def is_conforming(self) -> bool:
        """Tell whether there is nothing that has to be mended."""
        return self.found == 0 and not self.gone

    def list_lines(self) -> Iterator[str]:
        """Yield the report, a line each."""
        clients = " and ".join(each.client for each in self.runner.adapters)
        counts = self.runner.counts
        yield (
            f"{clients}: {self.cases:,} cases, {counts['requests']:,} requests, {counts['cards']:,} cards, "
            f"{self.found} differences, {self.seconds:.0f} s (seed {self.seed})"
        )
        ends = counts.most_common()
        yield "  ended in " + ", ".join(f"{end} {count:,}" for end, count in ends if end not in ("requests", "cards"))
        yield "  held at most " + ", ".join(f"{each.peak_megabytes:,} MB" for each in self.runner.adapters)
        if self.runner.met:
            yield "  expected " + ", ".join(f"{name} {count}" for name, count in self.runner.met.most_common())
        for found in self.shown:
            yield ""
            yield f"{found.first} and {found.second} disagree in case {found.case.name}:"
            yield from (each.describe() for each in found.differences[:6])
            yield "  requests, for --case:"
            yield from (json.dumps(each) for each in found.case.requests)
        for each in self.gone:
            yield f"\nThe expected difference {each.name!r} occurs no longer: remove it from expected.toml."


def compare_clients(
    commands: Sequence[str],
    seed: int,
    count: int,
    *,
    most: int = 5,
    only: Sequence[Case] | None = None,
    has_words: bool = True,
    home: str | None = None,
    more: Sequence[Case] = (),
) -> Report:
    """Run vectors, expected differences, drawn cases and `more`, and return in what the clients disagree."""
    started = time.monotonic()
    with ExitStack() as stack:
        adapters = [stack.enter_context(Adapter(command, home=home)) for command in commands]
        expected = read_expected()
        runner = Runner(adapters, expected, has_words=has_words)
        cases = [*list_vectors(), *Drawing(seed).list_cases(count), *more] if only is None else [*only]
        found = [each for case in cases for each in runner.run(case)]
        again = Runner(adapters, expected, has_words=has_words)
        shown = [shrink(each, again.run) for each in _choose(found, most)]
        verbs = frozenset.intersection(*(each.verbs for each in adapters))
        due = [each for each in expected if only is None and has_words and verbs & set(each.verbs)]
        gone = [each for each in due if not _occurs(each, again)]
        return Report(runner, len(cases), seed, time.monotonic() - started, len(found), shown, gone)


def _choose(found: Sequence[Disagreement], most: int) -> list[Disagreement]:
    """Choose one disagreement of each kind, the first ones."""
    kinds = {each.signature: each for each in reversed(found)}
    return sorted(kinds.values(), key=found.index)[:most]


def _occurs(expected: Expected, runner: Runner) -> bool:
    """Tell whether the case of an expected difference still shows it, and nothing that is not expected."""
    runner.met.clear()
    disagreements = runner.run(Case(expected.name, expected.case))
    return not disagreements and runner.met[expected.name] > 0
