"""Offer questions in place of one that cannot be resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from service_nb.core.words import find_slip
from service_nb.query.ask_line import format_ask
from service_nb.query.refusals import Resolution, Way
from service_nb.query.similar_names import fold_name
from service_nb.query.spec import write_spec
from service_nb.schema.card import Candidate
from service_nb.schema.query import QuerySpec

MOST_TRIED = 100  # questions that are resolved in order to offer some of them
MOST_OFFERED = 20  # for one fault


@dataclass(slots=True)
class Offers:
    """Finds lines to offer in place of a question that cannot be resolved; each of them can be, all faults mended."""

    bind: Callable[[QuerySpec], Resolution]
    left: int = MOST_TRIED
    lines: set[str] = field(default_factory=set)

    def find_candidates(self, ways: tuple[Way, ...]) -> tuple[Candidate, ...]:
        """Find a candidate for each way that leads to a question that resolves, each line once."""
        found: list[Candidate] = []
        for way in ways:
            mended = self._find_repaired_spec(way.spec)
            line = "" if mended is None else format_ask(write_spec(mended))
            if line and line not in self.lines and len(found) < MOST_OFFERED:
                self.lines.add(line)
                found.append(Candidate(slot=way.slot, name=way.name, type=way.type, ask=line))
        return tuple(found)

    def _find_repaired_spec(self, spec: QuerySpec) -> QuerySpec | None:
        """Mend names with one letter wrong: beyond them, a candidate differs in its own slot alone."""
        if not self.left:
            return None
        self.left -= 1
        met = self.bind(spec)
        if met.plan is not None or met.status != "needs_clarification":
            return spec if met.plan is not None else None
        refusal = met.refusals[0]
        typed = fold_name(refusal.name or (spec.source_name if refusal.missing is None else None) or "")
        near = [way for way in refusal.ways if find_slip(typed, [fold_name(way.name)]) is not None]
        return self._find_repaired_spec(near[0].spec) if len(near) == 1 else None
