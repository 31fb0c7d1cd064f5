"""Lines that are offered in the place of a question that cannot be resolved. Each of them can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from service_nb.query.ask_format import format_ask
from service_nb.query.spec import spec_to_json
from service_nb.schema.card import Candidate
from service_nb.schema.query import QuerySpec

MOST_TRIED = 100  # questions that are resolved in order to offer some of them
MOST_OFFERED = 20  # for one fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A question with one fault mended: `name`, of `type`, stands in its `slot` now."""

    slot: str
    name: str
    type: str
    spec: QuerySpec


Attempt = Callable[[QuerySpec], tuple[bool, tuple[Way, ...]]]  # whether it resolves, and else ways to mend a fault


@dataclass(slots=True)
class Offers:
    """Finds lines that resolve. A question with several faults has all of them mended."""

    attempt: Attempt
    _left: int = MOST_TRIED
    _lines: set[str] = field(default_factory=set)

    def of(self, ways: tuple[Way, ...]) -> tuple[Candidate, ...]:
        """Return a candidate for each way that leads to a question that resolves, each line once."""
        found: list[Candidate] = []
        for way in ways:
            mended = self._find_repaired_spec(way.spec)
            line = "" if mended is None else format_ask(spec_to_json(mended))
            if line and line not in self._lines and len(found) < MOST_OFFERED:
                self._lines.add(line)
                found.append(Candidate(slot=way.slot, name=way.name, type=way.type, ask=line))
        return tuple(found)

    def _find_repaired_spec(self, spec: QuerySpec) -> QuerySpec | None:
        """Return the question with what is still wrong with it mended by the likeliest names."""
        if not self._left:
            return None
        self._left -= 1
        resolves, ways = self.attempt(spec)
        if resolves:
            return spec
        return next((found for way in ways if (found := self._find_repaired_spec(way.spec)) is not None), None)
